// SPDX-License-Identifier: Apache-2.0
//
// Operators of the StableHLO set whose options state all that is needed.
#include "stowplan/graph/shape_rule_functions.h"

namespace stowplan::graph {

void HloTransposeShape(ShapeContext& c) {
  const Shape* in = c.In(0);
  if (in == nullptr) return;
  const std::vector<int64_t> order = c.attributes().Ints("permutation");
  if (order.size() != in->size()) {
    return c.Fail("names " + std::to_string(order.size()) + " axes of " +
                  std::to_string(in->size()));
  }
  Shape out;
  for (int64_t given : order) {
    const std::optional<size_t> axis = c.Axis(given, in->size());
    if (!axis) return;
    out.push_back((*in)[*axis]);
  }
  c.Out(0, std::move(out));
}

void HloConcatenateShape(ShapeContext& c) {
  const Shape* first = c.InOfMinRank(0, 1);
  if (first == nullptr) return;
  const auto axis = c.Axis(c.attributes().Int("dimension", 0), first->size());
  if (!axis) return;
  Shape out = *first;
  for (size_t i = 1; i < c.inputs(); ++i) {
    const Shape* in = c.InOfRank(i, out.size());
    if (in == nullptr) return;
    for (size_t k = 0; k < out.size(); ++k) {
      out[k] = k == *axis ? c.Add(out[k], (*in)[k]) : c.Merge(out[k], (*in)[k]);
    }
  }
  c.Out(0, std::move(out));
}

void HloSliceShape(ShapeContext& c) {
  const Shape* in = c.In(0);
  if (in == nullptr) return;
  const std::vector<int64_t> start = c.attributes().Ints("start_indices");
  const std::vector<int64_t> limit = c.attributes().Ints("limit_indices");
  const std::vector<int64_t> strides = c.attributes().Ints("strides");
  if (start.size() != in->size() || limit.size() != in->size() ||
      strides.size() != in->size()) {
    return c.Fail("takes ranges of " + std::to_string(start.size()) +
                  " dimensions of " + std::to_string(in->size()));
  }
  Shape out;
  for (size_t i = 0; i < in->size(); ++i) {
    if (strides[i] <= 0 || start[i] < 0 || limit[i] < start[i]) {
      return c.Fail("takes a range that is none");
    }
    const int64_t span = limit[i] - start[i];
    out.push_back(span == 0 ? 0 : (span - 1) / strides[i] + 1);
  }
  c.Out(0, std::move(out));
}

void HloPadShape(ShapeContext& c) {
  const Shape* in = c.In(0);
  if (in == nullptr) return;
  const std::vector<int64_t> low = c.attributes().Ints("edge_padding_low");
  const std::vector<int64_t> high = c.attributes().Ints("edge_padding_high");
  const std::vector<int64_t> inner = c.attributes().Ints("interior_padding");
  if (low.size() != in->size() || high.size() != in->size() ||
      inner.size() != in->size()) {
    return c.Fail("pads " + std::to_string(low.size()) + " dimensions of " +
                  std::to_string(in->size()));
  }
  Shape out = *in;
  for (size_t i = 0; i < out.size(); ++i) {
    if (out[i] == kUnknownDim) continue;
    if (inner[i] < 0) return c.Fail("pads by less than nothing");
    const int64_t gaps = out[i] == 0 ? 0 : c.Mul(out[i] - 1, inner[i]);
    // Edges may be negative: they crop. -1 is no sentinel here.
    int64_t size = 0;
    if (__builtin_add_overflow(c.Add(out[i], gaps), low[i], &size) ||
        __builtin_add_overflow(size, high[i], &size) || size < 0) {
      return c.Fail("crops more than there is, or pads beyond 64 bits");
    }
    out[i] = size;
  }
  c.Out(0, std::move(out));
}

// The operands after the predicate.
void HloSelectShape(ShapeContext& c) {
  if (const Shape* in = c.In(1)) c.Out(0, *in);
}

}  // namespace stowplan::graph
