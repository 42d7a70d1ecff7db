// SPDX-License-Identifier: Apache-2.0
#include <algorithm>

#include "stowplan/graph/shape_rule_functions.h"

namespace stowplan::graph {
namespace {

// The shape with another last dimension. REQUIRES: not a scalar.
Shape WithLast(const Shape& shape, int64_t last) {
  Shape out = shape;
  out.back() = last;
  return out;
}

}  // namespace

void FullyConnectedShape(ShapeContext& c) {
  const Shape* in = c.InOfMinRank(0, 1);
  const Shape* filter = c.InOfRank(1, 2);
  if (in == nullptr || filter == nullptr) return;
  const int64_t units = (*filter)[0];
  const int64_t depth = (*filter)[1];
  if (c.attributes().Bool("keep_num_dims", false)) {
    c.Merge(in->back(), depth);
    return c.Out(0, WithLast(*in, units));
  }
  const int64_t elements = c.Product(*in);
  int64_t rows = kUnknownDim;
  if (elements != kUnknownDim && depth != kUnknownDim) {
    if (depth == 0 || elements % depth != 0) {
      return c.Fail("has an input of " + std::to_string(elements) +
                    " elements, which are no rows of " + std::to_string(depth));
    }
    rows = elements / depth;
  } else if (in->back() == depth) {
    rows = c.Product(Shape(in->begin(), in->end() - 1));
  }
  c.Out(0, {rows, units});
  c.Out(1, *in);  // The shuffled input of one weights format.
}

void BatchMatmulShape(ShapeContext& c) {
  const Shape* x = c.InOfMinRank(0, 2);
  const Shape* y = c.InOfMinRank(1, 2);
  if (x == nullptr || y == nullptr) return;
  const bool adj_x = c.attributes().Bool("adj_x", false);
  const bool adj_y = c.attributes().Bool("adj_y", false);
  // The batches broadcast; the matrices count from the end.
  Shape out(std::max(x->size(), y->size()), 1);
  for (const Shape* shape : {x, y}) {
    const size_t skip = out.size() - shape->size();
    for (size_t i = 0; i + 2 < shape->size(); ++i) {
      int64_t& dim = out[skip + i];
      if ((*shape)[i] != 1) {
        dim = dim == 1 ? (*shape)[i] : c.Merge(dim, (*shape)[i]);
      }
    }
  }
  c.Merge(x->end()[adj_x ? -2 : -1], y->end()[adj_y ? -1 : -2]);
  out.end()[-2] = x->end()[adj_x ? -1 : -2];
  out.end()[-1] = y->end()[adj_y ? -2 : -1];
  c.Out(0, std::move(out));
}

void EmbeddingLookupShape(ShapeContext& c) {
  const Shape* ids = c.InOfMinRank(0, 1);
  const Shape* table = c.InOfMinRank(1, 1);
  if (ids == nullptr || table == nullptr) return;
  Shape out = *table;
  out[0] = (*ids)[0];
  c.Out(0, std::move(out));
}

void HashtableLookupShape(ShapeContext& c) {
  const Shape* lookup = c.InOfMinRank(0, 1);
  const Shape* table = c.In(2);
  if (lookup == nullptr || table == nullptr) return;
  Shape out = *table;
  if (!out.empty()) out[0] = (*lookup)[0];
  c.Out(0, std::move(out));
  c.Out(1, {(*lookup)[0]});
}

// Inputs of the full kernel: 0 the data, 8 recurrent-to-output weights
// [cells, outputs]; of the basic one: 1 the activation before, 2 weights,
// 4 the state before.
void LstmShape(ShapeContext& c) {
  if (c.inputs() > 5) return SequenceLstmShape(c);
  const Shape* activation = c.InOfRank(1, 2);
  const Shape* weights = c.InOfRank(2, 2);
  const Shape* state = c.In(4);
  if (activation == nullptr || weights == nullptr || state == nullptr) return;
  c.Out(0, *activation);
  c.Out(1, *state);
  c.Out(2, {(*activation)[0], (*weights)[1]});
  c.Out(3, {(*activation)[0], (*weights)[0]});
}

void SequenceLstmShape(ShapeContext& c) {
  const Shape* in = c.InOfMinRank(0, 2);
  const Shape* recurrent = c.InOfRank(8, 2);
  if (in == nullptr || recurrent == nullptr) return;
  c.Out(0, WithLast(*in, (*recurrent)[1]));
}

// Input 25: the backward recurrent-to-output weights.
void BidirectionalLstmShape(ShapeContext& c) {
  const Shape* in = c.InOfRank(0, 3);
  const Shape* forward = c.InOfRank(8, 2);
  const Shape* backward = c.InOfRank(25, 2);
  if (in == nullptr || forward == nullptr || backward == nullptr) return;
  if (c.attributes().Bool("merge_outputs", false)) {
    c.Out(0, WithLast(*in, c.Add((*forward)[1], (*backward)[1])));
  } else {
    c.Out(0, WithLast(*in, (*forward)[1]));
    c.Out(1, WithLast(*in, (*backward)[1]));
  }
}

// One step or, with a dimension more, a sequence of them.
void RnnShape(ShapeContext& c) {
  const Shape* in = c.InOfMinRank(0, 2);
  const Shape* weights = c.InOfRank(1, 2);
  if (in == nullptr || weights == nullptr) return;
  c.Out(0, WithLast(*in, (*weights)[0]));
}

void BidirectionalRnnShape(ShapeContext& c) {
  const Shape* in = c.InOfRank(0, 3);
  const Shape* forward = c.InOfRank(1, 2);
  const Shape* backward = c.InOfRank(5, 2);
  if (in == nullptr || forward == nullptr || backward == nullptr) return;
  if (c.attributes().Bool("merge_outputs", false)) {
    c.Out(0, WithLast(*in, c.Add((*forward)[0], (*backward)[0])));
  } else {
    c.Out(0, WithLast(*in, (*forward)[0]));
    c.Out(1, WithLast(*in, (*backward)[0]));
  }
}

void SvdfShape(ShapeContext& c) {
  const Shape* in = c.InOfMinRank(0, 2);
  const Shape* features = c.InOfRank(1, 2);
  if (in == nullptr || features == nullptr) return;
  const int64_t rank = c.attributes().Int("rank", 1);
  const int64_t filters = (*features)[0];
  if (rank <= 0 || (filters != kUnknownDim && filters % rank != 0)) {
    return c.Fail("has " + std::to_string(filters) + " filters of rank " +
                  std::to_string(rank));
  }
  c.Out(0, {(*in)[0], filters == kUnknownDim ? kUnknownDim : filters / rank});
}

// Input 1 states height and width of the transform; a half of the spectrum
// says it all.
void Rfft2dShape(ShapeContext& c) {
  const Shape* in = c.InOfMinRank(0, 2);
  if (in == nullptr) return;
  Shape out = *in;
  out.end()[-2] = out.end()[-1] = kUnknownDim;
  if (const KnownInts* length = c.Value(1); length && length->size() == 2) {
    if ((*length)[0] != kUnknownInt) out.end()[-2] = (*length)[0];
    if ((*length)[1] != kUnknownInt) {
      if ((*length)[1] < 0) return c.Fail("has a negative length");
      out.end()[-1] = (*length)[1] / 2 + 1;
    }
  }
  c.Out(0, std::move(out));
}

}  // namespace stowplan::graph
