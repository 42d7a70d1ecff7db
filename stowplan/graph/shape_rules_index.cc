// SPDX-License-Identifier: Apache-2.0
#include <algorithm>

#include "stowplan/graph/shape_rule_functions.h"
#include "stowplan/graph/strided_range.h"

namespace stowplan::graph {
namespace {

// The one number in a small tensor; unknown if it is not known.
int64_t Number(const ShapeContext& c, size_t input) {
  const KnownInts* value = c.Value(input);
  return value != nullptr && value->size() == 1 ? (*value)[0] : kUnknownInt;
}

int64_t AsDim(int64_t number) {
  return number == kUnknownInt ? kUnknownDim : number;
}

}  // namespace

// Input 1: where it begins; input 2: how many, -1 for all that follow.
void SliceShape(ShapeContext& c) {
  const Shape* in = c.In(0);
  if (in == nullptr) return;
  const KnownInts* begin = c.Value(1);
  const KnownInts* size = c.Value(2);
  Shape out(in->size(), kUnknownDim);
  for (const KnownInts* ranges : {begin, size}) {
    if (ranges != nullptr && ranges->size() != in->size()) {
      return c.Fail("takes ranges of " + std::to_string(ranges->size()) +
                    " dimensions of " + std::to_string(in->size()));
    }
  }
  for (size_t i = 0; size != nullptr && i < out.size(); ++i) {
    const int64_t count = (*size)[i];
    const int64_t from = begin == nullptr ? kUnknownInt : (*begin)[i];
    if (count >= 0) out[i] = count;
    if (from == kUnknownInt || count == kUnknownInt) continue;
    const int64_t all = (*in)[i];
    if (from < 0 || count < -1) return c.Fail("takes a negative range");
    if (all == kUnknownDim) continue;
    if (from > all || (count >= 0 && count > all - from)) {
      return c.Fail("takes " + std::to_string(count) + " elements from " +
                    std::to_string(from) + " of " + std::to_string(all));
    }
    if (count == -1) out[i] = all - from;
  }
  c.Out(0, std::move(out));
}

void StridedSliceShape(ShapeContext& c) {
  const auto ranges = StridedRangesOf(c);
  if (!ranges) return;
  Shape out;
  for (const StridedRange& range : *ranges) {
    if (!range.shrink) out.push_back(range.count);
  }
  c.Out(0, std::move(out));
}

void GatherShape(ShapeContext& c) {
  const Shape* params = c.InOfMinRank(0, 1);
  const Shape* indices = c.In(1);
  if (params == nullptr || indices == nullptr) return;
  const auto axis = c.Axis(c.attributes().Int("axis", 0), params->size());
  if (!axis) return;
  int64_t batch = c.attributes().Int("batch_dims", 0);
  if (batch < 0) batch = c.Add(batch, static_cast<int64_t>(indices->size()));
  if (batch < 0 || batch > static_cast<int64_t>(*axis) ||
      batch > static_cast<int64_t>(indices->size())) {
    return c.Fail("has " + std::to_string(batch) + " batch dimensions");
  }
  Shape out(params->begin(),
            params->begin() + static_cast<std::ptrdiff_t>(*axis));
  out.insert(out.end(), indices->begin() + batch, indices->end());
  out.insert(out.end(),
             params->begin() + static_cast<std::ptrdiff_t>(*axis) + 1,
             params->end());
  c.Out(0, std::move(out));
}

void GatherNdShape(ShapeContext& c) {
  const Shape* params = c.In(0);
  const Shape* indices = c.InOfMinRank(1, 1);
  if (params == nullptr || indices == nullptr) return;
  const int64_t depth = indices->back();
  if (depth == kUnknownDim) return;
  if (depth > static_cast<int64_t>(params->size())) {
    return c.Fail("has indices of " + std::to_string(depth) +
                  " dimensions into " + std::to_string(params->size()));
  }
  Shape out(indices->begin(), indices->end() - 1);
  out.insert(out.end(), params->begin() + depth, params->end());
  c.Out(0, std::move(out));
}

void TopkShape(ShapeContext& c) {
  const Shape* in = c.InOfMinRank(0, 1);
  if (in == nullptr) return;
  Shape out = *in;
  out.back() = AsDim(Number(c, 1));
  c.Out(1, out);
  c.Out(0, std::move(out));
}

void OneHotShape(ShapeContext& c) {
  const Shape* indices = c.In(0);
  if (indices == nullptr) return;
  const auto axis = c.Axis(c.attributes().Int("axis", -1), indices->size() + 1);
  if (!axis) return;
  Shape out = *indices;
  out.insert(out.begin() + static_cast<std::ptrdiff_t>(*axis),
             AsDim(Number(c, 1)));
  c.Out(0, std::move(out));
}

void WhereShape(ShapeContext& c) {
  const Shape* in = c.In(0);
  if (in == nullptr) return;
  const KnownInts* value = c.Value(0);
  int64_t found = kUnknownDim;
  if (value != nullptr &&
      std::count(value->begin(), value->end(), kUnknownInt) == 0) {
    found = static_cast<int64_t>(value->size()) -
            std::count(value->begin(), value->end(), 0);
  }
  c.Out(0, {found, static_cast<int64_t>(in->size())});
}

void UniqueShape(ShapeContext& c) {
  c.Out(0, {kUnknownDim});
  if (const Shape* in = c.In(0)) c.Out(1, *in);
}

// Input 2 says how many boxes at most; the outputs have room for as many.
void NonMaxSuppressionShape(ShapeContext& c) {
  const int64_t most = AsDim(Number(c, 2));
  c.Out(0, {most});
  if (c.op().kind == OpKind::kNonMaxSuppressionV5) {
    c.Out(1, {most});
    c.Out(2, {});
  } else {
    c.Out(1, {});
  }
}

// As many as the largest id says, which are sorted.
void SegmentSumShape(ShapeContext& c) {
  const Shape* in = c.InOfMinRank(0, 1);
  if (in == nullptr) return;
  Shape out = *in;
  out[0] = kUnknownDim;
  if (const KnownInts* ids = c.Value(1)) {
    const int64_t last = ids->empty() ? -1 : ids->back();
    if (last != kUnknownInt) out[0] = c.Add(last < 0 ? 0 : last, last >= 0);
  }
  c.Out(0, std::move(out));
}

// Input 2 says how many segments.
void UnsortedSegmentShape(ShapeContext& c) {
  const Shape* in = c.In(0);
  const Shape* ids = c.In(1);
  if (in == nullptr || ids == nullptr) return;
  if (ids->size() > in->size()) {
    return c.Fail("has ids of more dimensions than the data");
  }
  Shape out = {AsDim(Number(c, 2))};
  out.insert(out.end(), in->begin() + static_cast<std::ptrdiff_t>(ids->size()),
             in->end());
  c.Out(0, std::move(out));
}

// The options of the custom operator limit what it gives.
void DetectionPostProcessShape(ShapeContext& c) {
  const int64_t most =
      c.Mul(c.attributes().Int("max_detections", kUnknownDim),
            c.attributes().Int("max_classes_per_detection", 1));
  c.Out(0, {1, most, 4});
  c.Out(1, {1, most});
  c.Out(2, {1, most});
  c.Out(3, {1});
  if (most == kUnknownDim) c.Open("its option max_detections is not known");
}

}  // namespace stowplan::graph
