// SPDX-License-Identifier: Apache-2.0
#include <algorithm>

#include "stowplan/graph/shape_rule_functions.h"

namespace stowplan::graph {
namespace {

// One dimension of two operands, one of which may be stretched from 1.
int64_t BroadcastDim(ShapeContext& c, int64_t a, int64_t b) {
  if (a == b || b == 1) return a;
  if (a == 1) return b;
  // An open dimension beside one larger than 1 is that one or 1.
  if (a == kUnknownDim) return b;
  if (b == kUnknownDim) return a;
  c.Fail("cannot broadcast " + std::to_string(a) + " against " +
         std::to_string(b));
  return kUnknownDim;
}

}  // namespace

void SameShape(ShapeContext& c) {
  const Shape* in = c.In(0);
  if (in == nullptr) return;
  for (size_t i = 0; i < c.outputs(); ++i) c.Out(i, *in);
}

void BroadcastShape(ShapeContext& c) {
  Shape result;
  for (size_t i = 0; i < c.inputs(); ++i) {
    if (!c.Has(i)) continue;
    const Shape* in = c.In(i);
    if (in == nullptr) return;
    if (in->size() > result.size()) {
      result.insert(result.begin(), in->size() - result.size(), 1);
    }
    const size_t skip = result.size() - in->size();
    for (size_t k = 0; k < in->size(); ++k) {
      result[skip + k] = BroadcastDim(c, result[skip + k], (*in)[k]);
    }
  }
  c.Out(0, std::move(result));
}

void BitcastShape(ShapeContext& c) {
  const Shape* in = c.In(0);
  if (in == nullptr || c.outputs() == 0) return;
  const int from = BitsOf(c.TypeOfInput(0));
  const int to = BitsOf(c.TypeOfOutput(0));
  if (from == 0 || to == 0) return;
  Shape out = *in;
  if (from > to) {
    out.push_back(from / to);
  } else if (from < to) {
    if (out.empty() || c.Merge(out.back(), to / from) != to / from) {
      return c.Fail("has no last dimension of " + std::to_string(to / from) +
                    " to join");
    }
    out.pop_back();
  }
  c.Out(0, std::move(out));
}

void MatrixDiagShape(ShapeContext& c) {
  const Shape* in = c.InOfMinRank(0, 1);
  if (in == nullptr) return;
  Shape out = *in;
  out.push_back(in->back());
  c.Out(0, std::move(out));
}

}  // namespace stowplan::graph
