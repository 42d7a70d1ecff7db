// SPDX-License-Identifier: Apache-2.0
#include <algorithm>

#include "stowplan/graph/shape_rule_functions.h"

namespace stowplan::graph {
namespace {

// What RESHAPE is asked for: -1 is to be found out, kUnknownInt is not known.
std::optional<KnownInts> TargetOf(const ShapeContext& c) {
  if (!c.Has(1)) {
    if (c.attributes().Find("new_shape") == nullptr) return std::nullopt;
    KnownInts target = c.attributes().Ints("new_shape");
    // Old files say so for a scalar.
    if (target == KnownInts{0}) target.clear();
    return target;
  }
  if (const KnownInts* value = c.Value(1)) return *value;
  const Shape* shape = c.In(1);
  if (shape == nullptr || shape->size() != 1) return std::nullopt;
  const int64_t rank = (*shape)[0];
  if (rank < 0 || rank > static_cast<int64_t>(kMaxRank)) return std::nullopt;
  return KnownInts(static_cast<size_t>(rank), kUnknownInt);
}

// Where one dimension is not known, the number of elements says it.
void FillTheGap(ShapeContext& c, int64_t elements, size_t gap, Shape* out) {
  int64_t others = 1;
  for (size_t i = 0; i < out->size(); ++i) {
    if (i != gap) others = c.Mul(others, (*out)[i]);
  }
  if (elements == kUnknownDim || others == kUnknownDim || c.failed()) return;
  if (others == 0) {
    if (elements != 0) c.Fail("cannot keep its elements in an empty shape");
    (*out)[gap] = 0;
    return;
  }
  if (elements % others != 0) {
    return c.Fail("cannot arrange " + std::to_string(elements) +
                  " elements in rows of " + std::to_string(others));
  }
  (*out)[gap] = elements / others;
}

}  // namespace

void ReshapeShape(ShapeContext& c) {
  const std::optional<KnownInts> target = TargetOf(c);
  if (!target) return;
  Shape out = *target;
  std::vector<size_t> gaps;
  for (size_t i = 0; i < out.size(); ++i) {
    if (out[i] == kUnknownInt) out[i] = kUnknownDim;
    if (out[i] < kUnknownDim) return c.Out(0, std::move(out));  // Fails.
    if (out[i] == kUnknownDim) gaps.push_back(i);
  }
  const Shape* in = c.In(0);
  const int64_t elements = in == nullptr ? kUnknownDim : c.Product(*in);
  if (std::count(target->begin(), target->end(), int64_t{-1}) > 1) {
    return c.Fail("is asked to find out more than one dimension");
  }
  if (gaps.size() == 1) FillTheGap(c, elements, gaps[0], &out);
  if (gaps.empty() && elements != kUnknownDim) {
    const int64_t wanted = c.Product(out);
    if (wanted != elements) {
      return c.Fail("cannot arrange " + std::to_string(elements) +
                    " elements as " + std::to_string(wanted));
    }
  }
  c.Out(0, std::move(out));
}

void SqueezeShape(ShapeContext& c) {
  const Shape* in = c.In(0);
  if (in == nullptr) return;
  const std::vector<int64_t> axes = c.attributes().Ints("squeeze_dims");
  std::vector<bool> drop(in->size(), false);
  for (int64_t given : axes) {
    const std::optional<size_t> axis = c.Axis(given, in->size());
    if (!axis) return;
    if (c.Merge((*in)[*axis], 1) != 1) return;
    drop[*axis] = true;
  }
  Shape out;
  for (size_t i = 0; i < in->size(); ++i) {
    if (axes.empty()) {
      if ((*in)[i] == kUnknownDim) return;  // It may be one to drop.
      drop[i] = (*in)[i] == 1;
    }
    if (!drop[i]) out.push_back((*in)[i]);
  }
  c.Out(0, std::move(out));
}

void ExpandDimsShape(ShapeContext& c) {
  const Shape* in = c.In(0);
  if (in == nullptr) return;
  const KnownInts* value = c.Value(1);
  if (value == nullptr || value->size() != 1 || (*value)[0] == kUnknownInt) {
    return c.Out(0, Shape(in->size() + 1, kUnknownDim));
  }
  const std::optional<size_t> axis = c.Axis((*value)[0], in->size() + 1);
  if (!axis) return;
  Shape out = *in;
  out.insert(out.begin() + static_cast<std::ptrdiff_t>(*axis), 1);
  c.Out(0, std::move(out));
}

void TransposeShape(ShapeContext& c) {
  const Shape* in = c.In(0);
  if (in == nullptr) return;
  Shape out(in->size(), kUnknownDim);
  if (const KnownInts* order = c.Value(1)) {
    if (order->size() != in->size()) {
      return c.Fail(c.NameOfInput(1) + " names " +
                    std::to_string(order->size()) + " axes of " +
                    std::to_string(in->size()));
    }
    for (size_t i = 0; i < out.size(); ++i) {
      if ((*order)[i] == kUnknownInt) continue;
      const std::optional<size_t> axis = c.Axis((*order)[i], in->size());
      if (!axis) return;
      out[i] = (*in)[*axis];
    }
  }
  c.Out(0, std::move(out));
}

void PackShape(ShapeContext& c) {
  const Shape* first = c.In(0);
  if (first == nullptr) return;
  Shape out = *first;
  for (size_t i = 1; i < c.inputs(); ++i) {
    const Shape* in = c.InOfRank(i, out.size());
    if (in == nullptr) continue;
    for (size_t k = 0; k < out.size(); ++k) out[k] = c.Merge(out[k], (*in)[k]);
  }
  const auto axis = c.Axis(c.attributes().Int("axis", 0), first->size() + 1);
  if (!axis) return;
  out.insert(out.begin() + static_cast<std::ptrdiff_t>(*axis),
             static_cast<int64_t>(c.inputs()));
  c.Out(0, std::move(out));
}

void UnpackShape(ShapeContext& c) {
  const Shape* in = c.InOfMinRank(0, 1);
  if (in == nullptr) return;
  const auto axis = c.Axis(c.attributes().Int("axis", 0), in->size());
  if (!axis) return;
  c.Merge((*in)[*axis], static_cast<int64_t>(c.outputs()));
  Shape out = *in;
  out.erase(out.begin() + static_cast<std::ptrdiff_t>(*axis));
  for (size_t i = 0; i < c.outputs(); ++i) c.Out(i, out);
}

void ConcatenationShape(ShapeContext& c) {
  const Shape* first = c.InOfMinRank(0, 1);
  if (first == nullptr) return;
  const auto axis = c.Axis(c.attributes().Int("axis", 0), first->size());
  if (!axis) return;
  Shape out = *first;
  for (size_t i = 1; i < c.inputs(); ++i) {
    const Shape* in = c.InOfRank(i, out.size());
    if (c.failed()) return;
    if (in == nullptr) out[*axis] = kUnknownDim;
    for (size_t k = 0; in != nullptr && k < out.size(); ++k) {
      out[k] = k == *axis ? c.Add(out[k], (*in)[k]) : c.Merge(out[k], (*in)[k]);
    }
  }
  c.Out(0, std::move(out));
}

// Input 0 says the axis, input 1 is split in equal parts.
void SplitShape(ShapeContext& c) {
  const Shape* in = c.InOfMinRank(1, 1);
  if (in == nullptr || c.outputs() == 0) return;
  const KnownInts* value = c.Value(0);
  Shape out(in->size(), kUnknownDim);
  if (value != nullptr && value->size() == 1 && (*value)[0] != kUnknownInt) {
    const auto axis = c.Axis((*value)[0], in->size());
    if (!axis) return;
    const auto parts = static_cast<int64_t>(c.outputs());
    out = *in;
    if (out[*axis] != kUnknownDim) {
      if (out[*axis] % parts != 0) {
        return c.Fail("splits " + std::to_string(out[*axis]) + " in " +
                      std::to_string(parts) + " equal parts");
      }
      out[*axis] /= parts;
    }
  }
  for (size_t i = 0; i < c.outputs(); ++i) c.Out(i, out);
}

// Input 1 says the sizes, of which one may be -1, and input 2 the axis.
void SplitVShape(ShapeContext& c) {
  const Shape* in = c.InOfMinRank(0, 1);
  if (in == nullptr) return;
  const KnownInts* sizes = c.Value(1);
  const KnownInts* value = c.Value(2);
  if (sizes == nullptr || sizes->size() != c.outputs() || value == nullptr ||
      value->size() != 1 || (*value)[0] == kUnknownInt) {
    for (size_t i = 0; i < c.outputs(); ++i) {
      c.Out(i, Shape(in->size(), kUnknownDim));
    }
    return;
  }
  const auto axis = c.Axis((*value)[0], in->size());
  if (!axis) return;
  int64_t given = 0;
  for (int64_t size : *sizes) {
    if (size == kUnknownInt) given = kUnknownDim;
    if (size >= 0) given = c.Add(given, size);
  }
  for (size_t i = 0; i < c.outputs(); ++i) {
    Shape out = *in;
    out[*axis] = (*sizes)[i];
    if ((*sizes)[i] == kUnknownInt) out[*axis] = kUnknownDim;
    if ((*sizes)[i] == -1 && given != kUnknownDim &&
        (*in)[*axis] != kUnknownDim) {
      if (given > (*in)[*axis]) return c.Fail("splits more than there is");
      out[*axis] = (*in)[*axis] - given;
    }
    c.Out(i, std::move(out));
  }
}

void SpaceToDepthShape(ShapeContext& c) {
  const Shape* in = c.InOfRank(0, 4);
  if (in == nullptr) return;
  const int64_t block = c.attributes().Int("block_size", 0);
  if (block <= 0) return c.Fail("has a block size that is not positive");
  Shape out = *in;
  for (size_t i : {size_t{1}, size_t{2}}) {
    if (out[i] == kUnknownDim) continue;
    if (out[i] % block != 0) {
      return c.Fail("splits " + std::to_string(out[i]) + " in blocks of " +
                    std::to_string(block));
    }
    out[i] /= block;
  }
  out[3] = c.Mul(out[3], c.Mul(block, block));
  c.Out(0, std::move(out));
}

void DepthToSpaceShape(ShapeContext& c) {
  const Shape* in = c.InOfRank(0, 4);
  if (in == nullptr) return;
  const int64_t block = c.attributes().Int("block_size", 0);
  const int64_t area = block <= 0 ? 0 : c.Mul(block, block);
  if (area <= 0 || (*in)[3] % area > 0) {
    return c.Fail("cannot make blocks of " + std::to_string(block) +
                  " from a depth of " + std::to_string((*in)[3]));
  }
  const int64_t depth = (*in)[3] == kUnknownDim ? kUnknownDim : (*in)[3] / area;
  c.Out(0, {(*in)[0], c.Mul((*in)[1], block), c.Mul((*in)[2], block), depth});
}

namespace {

// Blocks of the inner dimensions go to the batch, or come from there. Input 1
// says the block, input 2 [dimensions, 2] what is padded or cropped.
void MoveBlocks(ShapeContext& c, bool to_batch) {
  const Shape* in = c.InOfMinRank(0, 1);
  if (in == nullptr) return;
  const KnownInts* block = c.Value(1);
  const KnownInts* edges = c.Value(2);
  Shape out(in->size(), kUnknownDim);
  const size_t dims = block == nullptr ? 0 : block->size();
  if (block == nullptr || edges == nullptr) return c.Out(0, std::move(out));
  if (edges->size() != 2 * dims || dims + 1 > in->size()) {
    return c.Fail("has a block of " + std::to_string(dims) + " dimensions");
  }
  out = *in;
  for (size_t i = 0; i < dims; ++i) {
    const int64_t size = (*block)[i];
    const int64_t before = (*edges)[2 * i];
    const int64_t after = (*edges)[2 * i + 1];
    if (size == kUnknownInt || before == kUnknownInt || after == kUnknownInt) {
      out[0] = out[i + 1] = kUnknownDim;
      continue;
    }
    if (size <= 0 || before < 0 || after < 0) {
      return c.Fail("has a block or an edge that is not positive");
    }
    const int64_t edge = c.Add(before, after);
    int64_t& dim = out[i + 1];
    if (to_batch) {
      out[0] = c.Mul(out[0], size);
      dim = c.Add(dim, edge);
      if (dim > 0 && dim % size != 0) return c.Fail("has a block in part");
      if (dim > 0) dim /= size;
    } else {
      if (out[0] > 0 && out[0] % size != 0) {
        return c.Fail("has too small a batch for its blocks");
      }
      if (out[0] > 0) out[0] /= size;
      dim = c.Mul(dim, size);
      if (dim != kUnknownDim && dim < edge) return c.Fail("crops too much");
      if (dim != kUnknownDim) dim -= edge;
    }
  }
  c.Out(0, std::move(out));
}

}  // namespace

void SpaceToBatchShape(ShapeContext& c) { MoveBlocks(c, true); }
void BatchToSpaceShape(ShapeContext& c) { MoveBlocks(c, false); }

}  // namespace stowplan::graph
