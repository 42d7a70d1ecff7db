// SPDX-License-Identifier: Apache-2.0
#include "stowplan/graph/strided_range.h"

#include <algorithm>

namespace stowplan::graph {
namespace {

// Entry `spec` of begin, end and stride with its bits of the five masks.
class Spec {
 public:
  Spec(const ShapeContext& c, size_t spec) : c_(c), spec_(spec) {}

  bool Has(const char* mask) const {
    return (c_.attributes().Int(mask, 0) >> spec_ & 1) != 0;
  }
  int64_t At(size_t input) const {
    const KnownInts* value = c_.Value(input);
    if (value == nullptr || spec_ >= value->size()) return kUnknownInt;
    return (*value)[spec_];
  }

 private:
  const ShapeContext& c_;
  size_t spec_;
};

// `index` from the end if negative, inside [low, high].
int64_t Clamp(int64_t index, int64_t size, int64_t low, int64_t high) {
  if (index < 0) index = std::max(index, -size - 1) + size;
  return std::clamp(index, low, high);
}

StridedRange RangeOf(ShapeContext& c, const Spec& spec, size_t axis,
                     int64_t size) {
  StridedRange range;
  range.axis = axis;
  range.shrink = spec.Has("shrink_axis_mask");
  range.stride = range.shrink ? 1 : spec.At(3);
  const int64_t begin = spec.At(1);
  int64_t end = spec.At(2);
  if (range.shrink) range.count = 1;
  if (range.stride == 0) c.Fail("has a stride of 0");
  const bool open_begin = spec.Has("begin_mask");
  const bool open_end = spec.Has("end_mask");
  if (size == kUnknownDim || range.stride == kUnknownInt || range.stride == 0 ||
      (begin == kUnknownInt && !open_begin)) {
    range.begin = kUnknownInt;
    return range;
  }
  const bool forward = range.stride > 0;
  const int64_t low = forward ? 0 : -1;
  const int64_t high = forward ? size : size - 1;
  range.begin =
      open_begin ? (forward ? 0 : size - 1) : Clamp(begin, size, low, high);
  if (range.shrink) {
    if (!open_begin && (begin >= size || begin < -size)) {
      c.Fail("takes element " + std::to_string(begin) + " of " +
             std::to_string(size));
    }
    return range;
  }
  if (end == kUnknownInt && !open_end) return range;
  // With `offset`, ends count from begins.
  if (c.attributes().Bool("offset", false) && !open_end) {
    if (__builtin_add_overflow(range.begin, end, &end)) {
      c.Fail("has an end that does not fit in 64 bits");
    }
  }
  const int64_t stop =
      open_end ? (forward ? size : -1) : Clamp(end, size, low, high);
  const int64_t distance = forward ? stop - range.begin : range.begin - stop;
  // No rounding up by adding: a stride may be as large as a number can be.
  range.count = 0;
  if (distance > 0) {
    range.count = forward ? (distance - 1) / range.stride + 1
                          : -((distance - 1) / range.stride) + 1;
  }
  return range;
}

}  // namespace

std::optional<std::vector<StridedRange>> StridedRangesOf(ShapeContext& c) {
  const Shape* in = c.In(0);
  if (in == nullptr) return std::nullopt;
  // Entries are as many as `begin` has elements, known or not.
  const Shape* begin = c.In(1);
  if (begin == nullptr || begin->size() != 1 || (*begin)[0] < 0 ||
      (*begin)[0] > 32) {
    return std::nullopt;
  }
  const auto specs = static_cast<size_t>((*begin)[0]);
  size_t added = 0;
  bool ellipsis = false;
  for (size_t i = 0; i < specs; ++i) {
    const Spec spec(c, i);
    ellipsis = ellipsis || spec.Has("ellipsis_mask");
    if (spec.Has("new_axis_mask") && !spec.Has("ellipsis_mask")) ++added;
  }
  const size_t named = specs - added - (ellipsis ? 1 : 0);
  if (named > in->size()) {
    c.Fail("takes ranges of " + std::to_string(named) + " dimensions of " +
           std::to_string(in->size()));
    return std::nullopt;
  }
  std::vector<StridedRange> ranges;
  size_t axis = 0;
  const auto take_whole = [&] {
    ranges.push_back({axis, 0, 1, (*in)[axis], false});
    ++axis;
  };
  bool expanded = false;
  for (size_t i = 0; i < specs; ++i) {
    const Spec spec(c, i);
    if (spec.Has("ellipsis_mask") && !expanded) {
      for (size_t k = named; k < in->size(); ++k) take_whole();
      expanded = true;
    } else if (spec.Has("new_axis_mask")) {
      ranges.push_back({std::nullopt, 0, 1, 1, false});
    } else if (axis < in->size()) {
      ranges.push_back(RangeOf(c, spec, axis, (*in)[axis]));
      ++axis;
    }
  }
  while (axis < in->size()) take_whole();
  if (c.failed()) return std::nullopt;
  return ranges;
}

}  // namespace stowplan::graph
