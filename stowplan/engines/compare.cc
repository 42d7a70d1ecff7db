// SPDX-License-Identifier: Apache-2.0
#include "stowplan/engines/compare.h"

#include <algorithm>
#include <array>
#include <cstdlib>
#include <map>
#include <optional>
#include <set>
#include <utility>

#include "stowplan/base/checked_math.h"
#include "stowplan/schedule/memory_needs.h"

namespace stowplan::engines {
namespace {

using graph::TensorRef;
using plan::LiveRange;
using plan::Step;

constexpr std::array<std::string_view, 9> kNames = {
    "live tensors",   "in-place",        "kept inputs",
    "unread outputs", "longer lives",    "scratch",
    "alignment",      "separate arenas", "gap"};

// One thing in an arena, as one rule or another has it.
struct Item {
  Bytes bytes = 0;
  LiveRange live;
  size_t region = 0;
};

struct Peak {
  Bytes bytes = 0;
  Step step = 0;
};

LiveRange Hull(const LiveRange& a, const LiveRange& b) {
  if (a.empty()) return b;
  if (b.empty()) return a;
  return {std::min(a.begin, b.begin), std::max(a.end, b.end)};
}

Peak FindPeak(const std::vector<Item>& items, Step end) {
  std::vector<Bytes> change(static_cast<size_t>(end) + 1, 0);
  for (const Item& item : items) {
    if (item.live.empty()) continue;
    change[static_cast<size_t>(item.live.begin)] += item.bytes;
    change[static_cast<size_t>(item.live.end)] -= item.bytes;
  }
  Peak peak;
  Bytes now = 0;
  for (size_t s = 0; s < change.size(); ++s) {
    now += change[s];
    if (now > peak.bytes) peak = {now, static_cast<Step>(s)};
  }
  return peak;
}

class Accountant {
 public:
  Accountant(const graph::Model& model, const Layout& layout,
             const schedule::MemoryNeeds& needs)
      : model_(model), layout_(layout), needs_(needs) {
    for (size_t i = 0; i < layout.pieces.size(); ++i) {
      const Piece& piece = layout.pieces[i];
      const bool in_arena =
          layout.regions[piece.region].kind == Region::Kind::kArena;
      if (!in_arena || piece.bytes == 0 || !piece.offset) continue;
      (piece.tensor.tensor.valid() ? tensors_ : scratch_).push_back(i);
    }
    for (size_t i : tensors_) lives_[i] = NeededLife(layout.pieces[i].tensor);
    for (const graph::Subgraph& subgraph : model.subgraphs) {
      outputs_.emplace_back(subgraph.outputs.begin(), subgraph.outputs.end());
      inputs_.emplace_back(subgraph.inputs.begin(), subgraph.inputs.end());
    }
  }

  Account Run() && {
    account_.engine = layout_.engine;
    account_.arena = BytesOf(layout_, Region::Kind::kArena);
    Sound();
    Share(Cause::kInPlace, "tensors share bytes as the engine has it");
    Lengthen(Cause::kKeptInputs);
    Lengthen(Cause::kUnreadOutputs);
    Lengthen(Cause::kLongerLives);
    AddScratch();
    Round();
    Separate();
    Add(Cause::kGap, account_.arena - so_far_,
        "what lies empty between the pieces at the fullest step");
    return std::move(account_);
  }

 private:
  // As long as its value is needed, and no longer.
  LiveRange NeededLife(TensorRef ref) const {
    return needs_.uses[ref.subgraph.index()][ref.tensor.index()].live;
  }

  void Add(Cause cause, Bytes bytes, std::string text) {
    account_.reasons.push_back({cause, bytes, std::move(text)});
    so_far_ += bytes;
  }

  std::string NameOfPiece(size_t i) const {
    const Piece& piece = layout_.pieces[i];
    if (piece.tensor.tensor.valid()) {
      // Converters write names of hundreds of letters.
      constexpr size_t kMostLetters = 60;
      std::string name = graph::PlaceOf(model_.subgraph(piece.tensor.subgraph),
                                        piece.tensor.tensor);
      if (name.size() > kMostLetters) {
        name.resize(kMostLetters);
        name += "...)";
      }
      return name;
    }
    const std::string label = piece.label.empty() ? "scratch" : piece.label;
    if (!piece.op.op.valid()) return label;
    return label + " of operator " + std::to_string(piece.op.op.value()) +
           " (" +
           model_.subgraph(piece.op.subgraph)
               .operators[piece.op.op.index()]
               .type +
           ")";
  }

  // "tensor 3 (x), 64 bytes; ..." of the largest three.
  std::string Largest(std::vector<size_t> pieces) const {
    std::stable_sort(pieces.begin(), pieces.end(), [this](size_t a, size_t b) {
      return layout_.pieces[a].bytes > layout_.pieces[b].bytes;
    });
    std::string text;
    for (size_t i = 0; i < pieces.size() && i < 3; ++i) {
      if (i > 0) text += "; ";
      text += NameOfPiece(pieces[i]) + ", " +
              std::to_string(layout_.pieces[pieces[i]].bytes) + " bytes";
    }
    if (pieces.size() > 3) {
      text += "; and " + std::to_string(pieces.size() - 3) + " more";
    }
    return text;
  }

  // By class of sharing: the engine's, or ours.
  template <class RootOf>
  std::vector<Item> Classes(const RootOf& root_of) const {
    std::map<TensorRef, Item> classes;
    for (size_t i : tensors_) {
      const Piece& piece = layout_.pieces[i];
      Item& item = classes[root_of(piece.tensor)];
      item.bytes = std::max(item.bytes, piece.bytes);
      item.live = Hull(item.live, lives_.at(i));
      item.region = piece.region;
    }
    std::vector<Item> items;
    for (const auto& entry : classes) items.push_back(entry.second);
    return items;
  }

  TensorRef EngineRoot(TensorRef ref) const {
    // Aliases may be given link by link.
    for (size_t links = 0; links < layout_.pieces.size(); ++links) {
      const auto at =
          layout_.piece_of[ref.subgraph.index()][ref.tensor.index()];
      if (!at || !layout_.pieces[*at].alias_of.tensor.valid()) break;
      ref = layout_.pieces[*at].alias_of;
    }
    return ref;
  }

  void Sound() {
    const auto items = Classes([this](TensorRef ref) {
      return TensorRef{
          ref.subgraph,
          needs_.aliases[ref.subgraph.index()].root[ref.tensor.index()]};
    });
    const Peak peak = FindPeak(items, layout_.timeline.end());
    std::vector<size_t> alive;
    for (size_t i : tensors_) {
      if (lives_.at(i).Contains(peak.step)) alive.push_back(i);
    }
    Add(Cause::kLiveTensors, peak.bytes,
        "alive at step " + std::to_string(peak.step) + ": " + Largest(alive));
  }

  std::vector<Item> EngineClasses() const {
    return Classes([this](TensorRef ref) { return EngineRoot(ref); });
  }

  void Share(Cause cause, std::string text) {
    const Peak peak = FindPeak(EngineClasses(), layout_.timeline.end());
    Add(cause, peak.bytes - so_far_, std::move(text));
  }

  Cause CauseOfLonger(size_t i) const {
    const TensorRef ref = layout_.pieces[i].tensor;
    const size_t s = ref.subgraph.index();
    if (inputs_[s].count(ref.tensor) > 0) return Cause::kKeptInputs;
    const bool read = needs_.uses[s][ref.tensor.index()].last_reader.valid();
    if (!read && outputs_[s].count(ref.tensor) == 0) {
      return Cause::kUnreadOutputs;
    }
    return Cause::kLongerLives;
  }

  // From the life that is needed to the life that the engine gives.
  void Lengthen(Cause cause) {
    std::vector<size_t> longer;
    for (size_t i : tensors_) {
      const LiveRange& given = layout_.pieces[i].live;
      // What shares another's bytes lives as long as that does.
      const bool is_root = !layout_.pieces[i].alias_of.tensor.valid();
      if (CauseOfLonger(i) != cause || !is_root) continue;
      const LiveRange all = Hull(lives_.at(i), given);
      if (all == lives_.at(i)) continue;
      lives_[i] = all;
      longer.push_back(i);
    }
    const Peak peak = FindPeak(EngineClasses(), layout_.timeline.end());
    const std::string what = cause == Cause::kKeptInputs
                                 ? "inputs that are kept"
                             : cause == Cause::kUnreadOutputs
                                 ? "outputs that nobody reads and that are kept"
                                 : "tensors that are held longer";
    Add(cause, peak.bytes - so_far_,
        longer.empty() ? "no " + what : what + ": " + Largest(longer));
  }

  std::vector<Item> Everything(Bytes alignment) const {
    std::vector<Item> items = EngineClasses();
    for (size_t i : scratch_) {
      const Piece& piece = layout_.pieces[i];
      items.push_back({piece.bytes, piece.live, piece.region});
    }
    for (Item& item : items) item.bytes = AlignUp(item.bytes, alignment);
    return items;
  }

  void AddScratch() {
    const Peak peak = FindPeak(Everything(1), layout_.timeline.end());
    std::vector<size_t> at_peak;
    for (size_t i : scratch_) {
      if (layout_.pieces[i].live.Contains(peak.step)) at_peak.push_back(i);
    }
    Add(Cause::kScratch, peak.bytes - so_far_,
        at_peak.empty()
            ? "no scratch at the fullest step"
            : "at step " + std::to_string(peak.step) + ": " + Largest(at_peak));
  }

  void Round() {
    const Peak peak =
        FindPeak(Everything(layout_.alignment), layout_.timeline.end());
    // An arena that ends with its last byte may be smaller than the sum of
    // rounded sizes.
    Add(Cause::kAlignment,
        std::min(peak.bytes, std::max(account_.arena, so_far_)) - so_far_,
        "offsets are multiples of " + std::to_string(layout_.alignment));
  }

  void Separate() {
    std::map<size_t, std::vector<Item>> regions;
    for (const Item& item : Everything(1)) regions[item.region].push_back(item);
    Bytes together = FindPeak(Everything(1), layout_.timeline.end()).bytes;
    Bytes apart = 0;
    for (const auto& entry : regions) {
      apart += FindPeak(entry.second, layout_.timeline.end()).bytes;
    }
    Add(Cause::kSeparateArenas,
        regions.size() > 1 ? apart - together : Bytes{0},
        std::to_string(regions.size()) +
            (regions.size() == 1 ? " arena" : " arenas, one a subgraph"));
  }

  const graph::Model& model_;
  const Layout& layout_;
  const schedule::MemoryNeeds& needs_;
  std::vector<size_t> tensors_;  // Positions of pieces in the arenas.
  std::vector<size_t> scratch_;
  std::map<size_t, LiveRange> lives_;  // Of those tensors, as far as told.
  std::vector<std::set<graph::TensorId>> inputs_;  // By subgraph.
  std::vector<std::set<graph::TensorId>> outputs_;
  Account account_;
  Bytes so_far_ = 0;
};

}  // namespace

std::string_view NameOf(Cause cause) {
  return kNames[static_cast<size_t>(cause)];
}

Result<Account> ExplainArena(const graph::Model& model, const Layout& layout) {
  schedule::Rules rules;
  if (!layout.timeline.visits.empty()) {
    rules.entry = layout.timeline.visits.front().subgraph;
  }
  STOWPLAN_TRY(needs, schedule::FindMemoryNeeds(model, rules));
  return Accountant(model, layout, needs).Run();
}

std::vector<Reason> CompareArenas(const Account& a, const Account& b) {
  std::vector<Reason> reasons;
  for (size_t i = 0; i < a.reasons.size() && i < b.reasons.size(); ++i) {
    const Bytes bytes = a.reasons[i].bytes - b.reasons[i].bytes;
    if (bytes == 0) continue;
    const bool mine =
        std::abs(a.reasons[i].bytes) >= std::abs(b.reasons[i].bytes);
    const Account& teller = mine ? a : b;
    reasons.push_back({a.reasons[i].cause, bytes,
                       teller.engine + ": " + teller.reasons[i].text});
  }
  std::stable_sort(reasons.begin(), reasons.end(),
                   [](const Reason& x, const Reason& y) {
                     return std::abs(x.bytes) > std::abs(y.bytes);
                   });
  return reasons;
}

}  // namespace stowplan::engines
