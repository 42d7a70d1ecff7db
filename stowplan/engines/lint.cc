// SPDX-License-Identifier: Apache-2.0
#include "stowplan/engines/lint.h"

#include <algorithm>
#include <map>
#include <utility>

namespace stowplan::engines {
namespace {

using graph::SubgraphId;
using graph::TensorId;
using graph::TensorRef;

// The tensor whose value each tensor shows: itself, or the source of its
// views.
std::map<TensorRef, TensorRef> FindSources(const graph::Model& model) {
  std::map<TensorRef, TensorRef> sources;
  for (size_t s = 0; s < model.subgraphs.size(); ++s) {
    const SubgraphId id = SubgraphId::FromIndex(s);
    for (const graph::Operator& op : model.subgraphs[s].operators) {
      const bool view =
          op.in_place
              ? op.in_place->kind == graph::InPlaceClaim::Kind::kView
              : graph::TraitsOf(op.kind).sharing == graph::Sharing::kView;
      const size_t input = op.in_place ? op.in_place->input : 0;
      if (!view || op.outputs.empty() || input >= op.inputs.size() ||
          !op.outputs[0].valid() || !op.inputs[input].valid()) {
        continue;
      }
      TensorRef source = {id, op.inputs[input]};
      const auto known = sources.find(source);
      if (known != sources.end()) source = known->second;
      sources[{id, op.outputs[0]}] = source;
    }
  }
  return sources;
}

bool Overlap(const Piece& a, const Piece& b) {
  return a.region == b.region && *a.offset < *b.offset + b.bytes &&
         *b.offset < *a.offset + a.bytes;
}

}  // namespace

std::vector<InPlaceFinding> LintInPlace(const graph::Model& model,
                                        const schedule::MemoryNeeds& needs) {
  std::vector<InPlaceFinding> findings;
  for (size_t s = 0; s < needs.refusals.size(); ++s) {
    const SubgraphId id = SubgraphId::FromIndex(s);
    const graph::Subgraph& subgraph = model.subgraphs[s];
    for (const schedule::Refusal& refusal : needs.refusals[s]) {
      std::string text = "operator " + std::to_string(refusal.op.value()) +
                         " (" + subgraph.operators[refusal.op.index()].type +
                         ") cannot write over " +
                         graph::PlaceOf(subgraph, refusal.input);
      text += refusal.blocker == refusal.input
                  ? ", which " + refusal.reason
                  : ": " + graph::PlaceOf(subgraph, refusal.blocker) +
                        " shares its bytes and " + refusal.reason;
      findings.push_back({{id, refusal.op},
                          {id, refusal.input},
                          {id, refusal.blocker},
                          std::move(text)});
    }
  }
  return findings;
}

std::vector<Readable> FindReadable(const graph::Model& model,
                                   const Layout& layout) {
  const auto sources = FindSources(model);
  const auto source_of = [&sources](TensorRef ref) {
    const auto found = sources.find(ref);
    return found == sources.end() ? ref : found->second;
  };
  // What an operator's callees write comes before its own outputs' values,
  // which a loop's body may build up where they are to be in the end.
  std::map<graph::OperatorRef, plan::LiveRange> span_of;
  for (const schedule::StepInfo& step : layout.timeline.steps) {
    span_of.try_emplace(step.op, step.span);
  }
  std::vector<Readable> readable;
  const plan::Step last = layout.timeline.end() - 1;
  for (const Piece& piece : layout.pieces) {
    if (!piece.tensor.tensor.valid() || !piece.offset || piece.bytes == 0 ||
        layout.regions[piece.region].kind != Region::Kind::kArena) {
      continue;
    }
    Readable entry = {piece.tensor, piece.live.begin, last, true, {}};
    plan::Step written = piece.live.begin;
    if (const auto span = span_of.find(piece.op); span != span_of.end()) {
      written = std::max(written, span->second.end - 1);
    }
    for (const Piece& other : layout.pieces) {
      if (!other.offset || other.bytes == 0 || !Overlap(piece, other) ||
          other.live.begin <= written || other.live.begin > entry.until) {
        continue;
      }
      const bool same_value =
          other.tensor.tensor.valid() && other.offset == piece.offset &&
          source_of(other.tensor) == source_of(piece.tensor);
      if (same_value) continue;
      entry.until = other.live.begin - 1;
      entry.after_run = false;
      entry.overwritten_by = other.op;
    }
    readable.push_back(entry);
  }
  return readable;
}

}  // namespace stowplan::engines
