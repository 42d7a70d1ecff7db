// SPDX-License-Identifier: Apache-2.0
//
// Small integer tensors whose elements are taken from others: shapes, and
// what is cut from and put together of shapes.
#include <algorithm>
#include <functional>

#include "stowplan/base/checked_math.h"
#include "stowplan/graph/constant_value.h"
#include "stowplan/graph/shape_rule_functions.h"
#include "stowplan/graph/strided_range.h"

namespace stowplan::graph {
namespace {

using Position = std::vector<int64_t>;

// Calls `source` with the position of every element of the output, row by
// row, and stores the element of `input` at the position that it gives back.
void Collect(ShapeContext& c, size_t output, size_t input,
             const std::function<Position(const Position&)>& source) {
  const KnownInts* in = c.Value(input);
  if (in == nullptr || !IsKnown(c.OutShape(output))) return;
  const Shape& from = *c.In(input);
  const Shape& to = *c.OutShape(output);
  const std::optional<int64_t> elements = CheckedProduct(to);
  if (!elements || *elements > kMaxComputedElements) return;
  KnownInts value(static_cast<size_t>(*elements), kUnknownInt);
  Position at(to.size(), 0);
  for (int64_t& element : value) {
    const Position taken = source(at);
    int64_t index = 0;
    bool inside = taken.size() == from.size();
    for (size_t k = 0; inside && k < from.size(); ++k) {
      inside = inside && taken[k] >= 0 && taken[k] < from[k];
      index = inside ? index * from[k] + taken[k] : 0;
    }
    if (inside) element = (*in)[static_cast<size_t>(index)];
    for (size_t k = to.size(); k-- > 0;) {
      if (++at[k] < to[k]) break;
      at[k] = 0;
    }
  }
  c.OutValue(output, std::move(value));
}

bool AllKnown(const KnownInts* value) {
  return value != nullptr &&
         std::count(value->begin(), value->end(), kUnknownInt) == 0;
}

}  // namespace

void ShapeValue(ShapeContext& c) {
  const Shape* in = c.In(0);
  if (in == nullptr) return;
  KnownInts value = *in;
  std::replace(value.begin(), value.end(), kUnknownDim, kUnknownInt);
  c.OutValue(0, std::move(value));
}

void RankValue(ShapeContext& c) {
  const Shape* in = c.In(0);
  if (in != nullptr) c.OutValue(0, {static_cast<int64_t>(in->size())});
}

void CopyValue(ShapeContext& c) {
  if (const KnownInts* in = c.Value(0)) c.OutValue(0, *in);
}

// The shape that two broadcast shapes have.
void BroadcastArgsValue(ShapeContext& c) {
  const KnownInts* a = c.Value(0);
  const KnownInts* b = c.Value(1);
  if (a == nullptr || b == nullptr) return;
  if (a->size() < b->size()) std::swap(a, b);
  KnownInts value = *a;
  const size_t skip = a->size() - b->size();
  for (size_t i = 0; i < b->size(); ++i) {
    int64_t& dim = value[skip + i];
    const int64_t other = (*b)[i];
    // One that is larger than 1 is the result's, whatever the other is.
    if (dim == 1 || (dim == kUnknownInt && other != 1)) dim = other;
  }
  c.OutValue(0, std::move(value));
}

// Along the axis, input by input.
void JoinValue(ShapeContext& c) {
  if (c.outputs() == 0 || !IsKnown(c.OutShape(0))) return;
  const Shape out = *c.OutShape(0);
  const auto axis = c.Axis(c.attributes().Int("axis", 0), out.size());
  const std::optional<int64_t> elements = CheckedProduct(out);
  if (!axis || !elements || *elements > kMaxComputedElements) return;
  int64_t outer = 1;
  for (size_t k = 0; k < *axis; ++k) outer *= out[k];
  KnownInts value;
  for (int64_t row = 0; row < outer; ++row) {
    for (size_t i = 0; i < c.inputs(); ++i) {
      const Shape* in = c.In(i);
      if (in == nullptr) return;
      int64_t count = 1;
      for (size_t k = *axis; k < in->size(); ++k) count *= (*in)[k];
      const KnownInts* part = c.Value(i);
      for (int64_t k = 0; k < count; ++k) {
        value.push_back(part == nullptr
                            ? kUnknownInt
                            : (*part)[static_cast<size_t>(row * count + k)]);
      }
    }
  }
  if (static_cast<int64_t>(value.size()) == *elements) {
    c.OutValue(0, std::move(value));
  }
}

void SplitValue(ShapeContext& c) {
  const bool unpack = c.op().kind == OpKind::kUnpack;
  const size_t data = c.op().kind == OpKind::kSplit ? 1 : 0;
  const size_t axis_input = c.op().kind == OpKind::kSplit ? 0 : 2;
  const Shape* in = c.In(data);
  if (in == nullptr || in->empty()) return;
  int64_t given = c.attributes().Int("axis", 0);
  if (!unpack) {
    const KnownInts* value = c.Value(axis_input);
    if (!AllKnown(value) || value->size() != 1) return;
    given = value->front();
  }
  const auto axis = c.Axis(given, in->size());
  if (!axis) return;
  int64_t start = 0;
  for (size_t i = 0; i < c.outputs(); ++i) {
    if (!IsKnown(c.OutShape(i))) return;
    const int64_t size = unpack ? 1 : (*c.OutShape(i))[*axis];
    Collect(c, i, data, [&](const Position& at) {
      Position from = at;
      if (unpack) {
        from.insert(from.begin() + static_cast<std::ptrdiff_t>(*axis), start);
      } else {
        from[*axis] += start;
      }
      return from;
    });
    start += size;
  }
}

void SliceValue(ShapeContext& c) {
  const KnownInts* begin = c.Value(1);
  if (!AllKnown(begin)) return;
  Collect(c, 0, 0, [&](const Position& at) {
    Position from = at;
    for (size_t k = 0; k < from.size(); ++k) from[k] += (*begin)[k];
    return from;
  });
}

void StridedSliceValue(ShapeContext& c) {
  const auto ranges = StridedRangesOf(c);
  if (!ranges) return;
  for (const StridedRange& range : *ranges) {
    if (range.begin == kUnknownInt) return;
  }
  Collect(c, 0, 0, [&](const Position& at) {
    Position from;
    size_t k = 0;
    for (const StridedRange& range : *ranges) {
      const int64_t step = range.shrink ? 0 : at[k];
      if (range.axis) from.push_back(range.begin + step * range.stride);
      if (!range.shrink) ++k;
    }
    return from;
  });
}

void GatherValue(ShapeContext& c) {
  const Shape* params = c.In(0);
  const Shape* indices = c.In(1);
  const KnownInts* index = c.Value(1);
  if (params == nullptr || indices == nullptr || !AllKnown(index)) return;
  if (c.attributes().Int("batch_dims", 0) != 0) return;
  const auto axis = c.Axis(c.attributes().Int("axis", 0), params->size());
  if (!axis) return;
  Collect(c, 0, 0, [&](const Position& at) {
    Position from(at.begin(), at.begin() + static_cast<std::ptrdiff_t>(*axis));
    int64_t flat = 0;
    for (size_t k = 0; k < indices->size(); ++k) {
      flat = flat * (*indices)[k] + at[*axis + k];
    }
    from.push_back((*index)[static_cast<size_t>(flat)]);
    from.insert(
        from.end(),
        at.begin() + static_cast<std::ptrdiff_t>(*axis + indices->size()),
        at.end());
    return from;
  });
}

void TransposeValue(ShapeContext& c) {
  const KnownInts* order = c.Value(1);
  if (!AllKnown(order)) return;
  Collect(c, 0, 0, [&](const Position& at) {
    Position from(at.size());
    for (size_t k = 0; k < at.size(); ++k) {
      const auto rank = static_cast<int64_t>(at.size());
      const int64_t axis = (*order)[k] < 0 ? (*order)[k] + rank : (*order)[k];
      from[static_cast<size_t>(axis)] = at[k];
    }
    return from;
  });
}

void TileValue(ShapeContext& c) {
  const Shape* in = c.In(0);
  if (in == nullptr) return;
  Collect(c, 0, 0, [&](const Position& at) {
    Position from = at;
    for (size_t k = 0; k < from.size(); ++k) from[k] %= (*in)[k];
    return from;
  });
}

void BroadcastToValue(ShapeContext& c) {
  const Shape* in = c.In(0);
  if (in == nullptr || c.outputs() == 0 || !c.OutShape(0) ||
      c.OutShape(0)->size() < in->size()) {
    return;
  }
  Collect(c, 0, 0, [&](const Position& at) {
    Position from(at.end() - static_cast<std::ptrdiff_t>(in->size()), at.end());
    for (size_t k = 0; k < from.size(); ++k) {
      if ((*in)[k] == 1) from[k] = 0;
    }
    return from;
  });
}

void ReverseValue(ShapeContext& c) {
  const Shape* in = c.In(0);
  const KnownInts* axes = c.Value(1);
  if (in == nullptr || !AllKnown(axes)) return;
  std::vector<bool> turned(in->size(), false);
  for (int64_t given : *axes) {
    const auto axis = c.Axis(given, in->size());
    if (!axis) return;
    turned[*axis] = true;
  }
  Collect(c, 0, 0, [&](const Position& at) {
    Position from = at;
    for (size_t k = 0; k < from.size(); ++k) {
      if (turned[k]) from[k] = (*in)[k] - 1 - from[k];
    }
    return from;
  });
}

}  // namespace stowplan::graph
