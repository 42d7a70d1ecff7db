// SPDX-License-Identifier: Apache-2.0
#include "stowplan/engines/litert_place.h"

#include <algorithm>
#include <array>
#include <utility>

#include "stowplan/base/checked_math.h"
#include "stowplan/engines/litert_arena.h"
#include "stowplan/engines/litert_order.h"

namespace stowplan::engines {
namespace {

using graph::OpKind;
using graph::TensorId;

constexpr int32_t kForever = LiteRtArena::kForever;
// A tensor of so few bytes is taken for one that has no size yet.
constexpr Bytes kScalarBytes = 4;
constexpr size_t kMostShared = 3;  // Only so many operands are looked at.

struct InPlaceFlags {
  OpKind kind;
  bool changes;    // The output is another value.
  uint8_t inputs;  // One bit each.
};

constexpr std::array kInPlace = {
    InPlaceFlags{OpKind::kReshape, false, 0b1},
    InPlaceFlags{OpKind::kExpandDims, false, 0b1},
    InPlaceFlags{OpKind::kSqueeze, false, 0b1},
    InPlaceFlags{OpKind::kBitcast, false, 0b1},
    InPlaceFlags{OpKind::kAdd, true, 0b11},
    InPlaceFlags{OpKind::kSub, true, 0b11},
    InPlaceFlags{OpKind::kMul, true, 0b11},
    InPlaceFlags{OpKind::kDiv, true, 0b11},
    InPlaceFlags{OpKind::kSoftmax, true, 0b1},
    InPlaceFlags{OpKind::kDynamicUpdateSlice, true, 0b1},
};

class Placer {
 public:
  Placer(const graph::Subgraph& subgraph, const PreparedSubgraph& prepared)
      : subgraph_(subgraph),
        prepared_(prepared),
        nodes_(std::max<size_t>(1, subgraph.operators.size())) {
    places_.of.resize(prepared.tensors.size());
    uses_.assign(prepared.tensors.size(), 0);
    written_late_.assign(prepared.tensors.size(), false);
    for (size_t i = prepared.rounds.front(); i < prepared.outputs.size(); ++i) {
      for (TensorId output : prepared.outputs[i]) {
        if (output.valid()) written_late_[output.index()] = true;
      }
    }
  }

  LiteRtPlaces Run(const LiteRtPlaces* before) && {
    CountUses();
    if (before == nullptr) {
      for (size_t i = 0; i < subgraph_.operators.size(); ++i) FindSharing(i);
    }
    FindLives();
    if (before != nullptr) TakeLives(*before);
    size_t first = 0;
    for (size_t round = 0; round < prepared_.rounds.size(); ++round) {
      PlaceRound(round, first, prepared_.rounds[round]);
      first = prepared_.rounds[round];
      places_.arena_bytes.push_back(arena_.extent());
    }
    ResolveShared();
    return std::move(places_);
  }

 private:
  static size_t At(int32_t number) { return static_cast<size_t>(number); }
  const PreparedTensor& Tensor(int32_t number) const {
    return prepared_.tensors[At(number)];
  }
  LiteRtPlace& Place(int32_t number) { return places_.of[At(number)]; }

  int32_t Root(int32_t number) const {
    return places_.of[At(number)].shares.value_or(number);
  }

  void CountUses() {
    for (TensorId output : subgraph_.outputs) Use(output);
    for (size_t t = 0; t < subgraph_.tensors.size(); ++t) {
      if (!subgraph_.tensors[t].variable) continue;
      UseFromStart(TensorId::FromIndex(t));
    }
    for (TensorId input : prepared_.inputs) UseFromStart(input);
    kept_ = uses_;
    for (const graph::Operator& op : subgraph_.operators) {
      for (TensorId input : op.inputs) Use(input);
    }
  }

  void Use(TensorId id) {
    if (id.valid()) ++uses_[id.index()];
  }

  void UseFromStart(TensorId id) {
    if (!id.valid()) return;
    Use(id);
    places_.of[id.index()].first = 0;
    nodes_[0].Insert(id.value());
  }

  // As it is when the first round has been prepared, which is when sharing
  // is decided.
  Holding EarlyHolding(TensorId id) const {
    if (!written_late_[id.index()]) return Tensor(id.value()).holding;
    return BitsOf(subgraph_.tensor(id).dtype) == 0 ? Holding::kDynamic
                                                   : Holding::kArena;
  }

  void FindSharing(size_t i) {
    const graph::Operator& op = subgraph_.operators[i];
    const auto flags = std::find_if(
        kInPlace.begin(), kInPlace.end(),
        [&op](const InPlaceFlags& row) { return row.kind == op.kind; });
    const auto& outputs = prepared_.outputs[i];
    if (flags == kInPlace.end() || outputs.empty() || !outputs[0].valid()) {
      return;
    }
    const size_t count = std::min(kMostShared, op.inputs.size());
    for (size_t k = 0; k < count; ++k) {
      if ((flags->inputs >> k & 1) == 0 || !op.inputs[k].valid()) continue;
      if (!MayShare(op.inputs[k], outputs[0], flags->changes)) continue;
      // The first that may is taken or nothing.
      const int32_t root = Root(op.inputs[k].value());
      if (!flags->changes || uses_[At(root)] <= 1) {
        Place(outputs[0].value()).shares = root;
      }
      return;
    }
  }

  bool MayShare(TensorId input, TensorId output, bool changes) const {
    const PreparedTensor& from = Tensor(input.value());
    const PreparedTensor& to = Tensor(output.value());
    if (changes && (from.bytes != to.bytes || from.bytes <= kScalarBytes ||
                    uses_[input.index()] > 1)) {
      return false;
    }
    const auto& ins = prepared_.inputs;
    const auto& outs = subgraph_.outputs;
    if (std::find(ins.begin(), ins.end(), input) != ins.end() ||
        std::find(outs.begin(), outs.end(), output) != outs.end()) {
      return false;
    }
    const Holding held = EarlyHolding(input);
    return held == Holding::kArena || held == EarlyHolding(output);
  }

  void FindLives() {
    std::vector<int32_t> left = std::move(kept_);
    for (const graph::Operator& op : subgraph_.operators) {
      for (TensorId input : op.inputs) {
        if (input.valid()) ++left[At(Root(input.value()))];
      }
    }
    for (size_t i = 0; i < subgraph_.operators.size(); ++i) {
      const auto node = static_cast<int32_t>(i);
      for (TensorId output : prepared_.outputs[i]) {
        if (!output.valid()) continue;
        nodes_[i].Insert(output.value());
        LiteRtPlace& place = places_.of[output.index()];
        if (place.first < 0) place.first = node;
      }
      for (TensorId input : subgraph_.operators[i].inputs) {
        if (!input.valid()) continue;
        const int32_t root = Root(input.value());
        if (--left[At(root)] == 0 && Place(root).first >= 0) {
          Place(root).last = node;
        }
      }
      for (int32_t temporary : prepared_.temporaries[i]) {
        nodes_[i].Insert(temporary);
        Place(temporary).first = Place(temporary).last = node;
      }
    }
  }

  void TakeLives(const LiteRtPlaces& before) {
    const size_t count = std::min(subgraph_.tensors.size(), before.of.size());
    for (size_t t = 0; t < count; ++t) {
      places_.of[t].first = before.of[t].first;
      places_.of[t].last = before.of[t].last;
      places_.of[t].shares = before.of[t].shares;
    }
  }

  void PlaceRound(size_t round, size_t begin, size_t end) {
    std::vector<int32_t> order;
    for (size_t i = begin; i < std::max(end, begin + (round == 0)); ++i) {
      for (int32_t number : nodes_[i].ids()) {
        const PreparedTensor& tensor = Tensor(number);
        const bool wanted =
            tensor.holding == Holding::kPersistent ||
            (tensor.holding == Holding::kArena && tensor.bytes > 0);
        if (wanted && !Place(number).offset) order.push_back(number);
      }
    }
    if (order.empty()) return;
    if (round > 0) arena_.ForgetDeadBefore(static_cast<int32_t>(begin));
    auto before = [this](int32_t a, int32_t b) { return Before(a, b); };
    IntroSort<decltype(before)>(&order, before).Run();
    for (int32_t number : order) PlaceOne(number, round);
  }

  bool Before(int32_t a, int32_t b) const {
    const LiteRtPlace& one = places_.of[At(a)];
    const LiteRtPlace& other = places_.of[At(b)];
    const bool one_stays = one.first == 0 && one.last == kForever;
    const bool other_stays = other.first == 0 && other.last == kForever;
    if (one_stays || other_stays) {
      return one_stays && (!other_stays || a < b);
    }
    const Bytes size = Tensor(a).bytes;
    const Bytes other_size = Tensor(b).bytes;
    return size != other_size ? size > other_size : one.first < other.first;
  }

  void PlaceOne(int32_t number, size_t round) {
    LiteRtPlace& place = Place(number);
    const PreparedTensor& tensor = Tensor(number);
    place.round = round;
    if (place.shares) {
      const PreparedTensor& root = Tensor(*place.shares);
      if (root.holding == Holding::kArena && root.bytes == tensor.bytes) return;
      place.shares.reset();
    }
    if (tensor.bytes == 0) return;
    if (tensor.holding == Holding::kArena) {
      place.offset = arena_.Place(tensor.bytes, place.first, place.last);
      return;
    }
    place.offset = AlignUp(places_.persistent_bytes, LiteRtArena::kAlignment);
    places_.persistent_bytes = *place.offset + tensor.bytes;
  }

  // A shared tensor is where its root is, whether its own node has been
  // prepared or not.
  void ResolveShared() {
    for (size_t t = 0; t < places_.of.size(); ++t) {
      LiteRtPlace& place = places_.of[t];
      if (!place.shares) continue;
      const Holding held = prepared_.tensors[t].holding;
      if (held == Tensor(*place.shares).holding &&
          (held == Holding::kArena || held == Holding::kPersistent)) {
        place.offset = Place(*place.shares).offset;
      } else {
        place.shares.reset();
      }
    }
  }

  const graph::Subgraph& subgraph_;
  const PreparedSubgraph& prepared_;
  std::vector<HashOrder> nodes_;  // By node: what it brings to life.
  std::vector<int32_t> uses_;     // By tensor: textual uses.
  std::vector<int32_t> kept_;     // Those that are never given back.
  std::vector<bool> written_late_;
  LiteRtPlaces places_;
  LiteRtArena arena_;
};

}  // namespace

LiteRtPlaces PlaceLiteRt(const graph::Subgraph& subgraph,
                         const PreparedSubgraph& prepared,
                         const LiteRtPlaces* before) {
  return Placer(subgraph, prepared).Run(before);
}

}  // namespace stowplan::engines
