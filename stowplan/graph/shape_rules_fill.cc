// SPDX-License-Identifier: Apache-2.0
#include <algorithm>

#include "stowplan/graph/shape_rule_functions.h"

namespace stowplan::graph {
namespace {

// The output's shape is the content of that input.
void ShapeFrom(ShapeContext& c, size_t input) {
  const Shape* stated = c.In(input);
  if (stated != nullptr && stated->size() != 1) {
    return c.Fail("has no shape: " + c.NameOfInput(input) + " is no vector");
  }
  if (const KnownInts* value = c.Value(input)) {
    Shape out = *value;
    std::replace(out.begin(), out.end(), kUnknownInt, kUnknownDim);
    if (std::count(value->begin(), value->end(), int64_t{-1}) != 0) {
      return c.Fail(c.NameOfInput(input) + " asks for a dimension of -1");
    }
    return c.Out(0, std::move(out));
  }
  // At least the rank is known.
  if (stated == nullptr) return;
  const int64_t rank = (*stated)[0];
  if (rank < 0 || rank > static_cast<int64_t>(kMaxRank)) return;
  c.Out(0, Shape(static_cast<size_t>(rank), kUnknownDim));
}

int64_t Difference(int64_t a, int64_t b) {
  int64_t result;
  return __builtin_sub_overflow(a, b, &result) ? kUnknownInt : result;
}

}  // namespace

void ShapeFromInput0(ShapeContext& c) { ShapeFrom(c, 0); }
void ShapeFromInput1(ShapeContext& c) { ShapeFrom(c, 1); }
void ShapeFromInput2(ShapeContext& c) { ShapeFrom(c, 2); }

void ShapeShape(ShapeContext& c) {
  const Shape* in = c.In(0);
  if (in != nullptr) c.Out(0, {static_cast<int64_t>(in->size())});
}

void ScalarShape(ShapeContext& c) { c.Out(0, {}); }
void OneElementShape(ShapeContext& c) { c.Out(0, {1}); }

// Start, limit and step, which may be floats; those are not followed.
void RangeShape(ShapeContext& c) {
  int64_t numbers[3];
  for (size_t i = 0; i < 3; ++i) {
    const KnownInts* value = c.Value(i);
    if (value == nullptr || value->size() != 1 || (*value)[0] == kUnknownInt) {
      return c.Out(0, {kUnknownDim});
    }
    numbers[i] = (*value)[0];
  }
  const int64_t step = numbers[2];
  if (step == 0) return c.Fail("has a step of 0");
  const int64_t distance = Difference(numbers[1], numbers[0]);
  if (distance == kUnknownInt) return c.Fail("has a range of 2^63 or more");
  if (distance == 0 || (distance > 0) != (step > 0)) return c.Out(0, {0});
  const int64_t last = distance > 0 ? distance - 1 : distance + 1;
  c.Out(0, {c.Add(last / step, 1)});
}

// Input 1 says [dimension, 2] how much before and after.
void PadShape(ShapeContext& c) {
  const Shape* in = c.In(0);
  if (in == nullptr) return;
  const KnownInts* edges = c.Value(1);
  Shape out(in->size(), kUnknownDim);
  if (edges == nullptr) return c.Out(0, std::move(out));
  if (edges->size() != 2 * in->size()) {
    return c.Fail(c.NameOfInput(1) + " pads " +
                  std::to_string(edges->size() / 2) + " dimensions of " +
                  std::to_string(in->size()));
  }
  for (size_t i = 0; i < out.size(); ++i) {
    const int64_t before = (*edges)[2 * i];
    const int64_t after = (*edges)[2 * i + 1];
    if (before == kUnknownInt || after == kUnknownInt) continue;
    if (before < 0 || after < 0) return c.Fail("pads by less than nothing");
    out[i] = c.Add((*in)[i], c.Add(before, after));
  }
  c.Out(0, std::move(out));
}

void TileShape(ShapeContext& c) {
  const Shape* in = c.In(0);
  if (in == nullptr) return;
  const KnownInts* times = c.Value(1);
  Shape out(in->size(), kUnknownDim);
  if (times != nullptr && times->size() != in->size()) {
    return c.Fail(c.NameOfInput(1) + " repeats " +
                  std::to_string(times->size()) + " dimensions of " +
                  std::to_string(in->size()));
  }
  for (size_t i = 0; times != nullptr && i < out.size(); ++i) {
    if ((*times)[i] == kUnknownInt) continue;
    if ((*times)[i] < 0) return c.Fail("repeats less than no times");
    out[i] = c.Mul((*in)[i], (*times)[i]);
  }
  c.Out(0, std::move(out));
}

// Input 1 says for each dimension how far elements are drawn apart.
void DilateShape(ShapeContext& c) {
  const Shape* in = c.In(0);
  if (in == nullptr) return;
  const KnownInts* factors = c.Value(1);
  Shape out(in->size(), kUnknownDim);
  if (factors != nullptr && factors->size() != in->size()) {
    return c.Fail("dilates " + std::to_string(factors->size()) +
                  " dimensions of " + std::to_string(in->size()));
  }
  for (size_t i = 0; factors != nullptr && i < out.size(); ++i) {
    const int64_t factor = (*factors)[i];
    if (factor == kUnknownInt || (*in)[i] == kUnknownDim) continue;
    if (factor <= 0) return c.Fail("dilates by a factor below 1");
    out[i] = (*in)[i] == 0 ? 0 : c.Add(c.Mul((*in)[i] - 1, factor), 1);
  }
  c.Out(0, std::move(out));
}

void BroadcastArgsShape(ShapeContext& c) {
  const Shape* a = c.InOfRank(0, 1);
  const Shape* b = c.InOfRank(1, 1);
  if (a == nullptr || b == nullptr) return;
  const bool open = (*a)[0] == kUnknownDim || (*b)[0] == kUnknownDim;
  c.Out(0, {open ? kUnknownDim : std::max((*a)[0], (*b)[0])});
}

void MultinomialShape(ShapeContext& c) {
  const Shape* in = c.InOfMinRank(0, 1);
  if (in == nullptr) return;
  const KnownInts* samples = c.Value(1);
  const bool known = samples != nullptr && samples->size() == 1 &&
                     (*samples)[0] != kUnknownInt;
  c.Out(0, {(*in)[0], known ? (*samples)[0] : kUnknownDim});
}

// Input 1 names the axes; keep_dims leaves ones in their place.
void ReduceShape(ShapeContext& c) {
  const Shape* in = c.In(0);
  if (in == nullptr) return;
  const bool keep = c.attributes().Bool("keep_dims", false);
  const KnownInts* axes = c.Value(1);
  if (axes == nullptr ||
      std::count(axes->begin(), axes->end(), kUnknownInt) != 0) {
    if (keep) c.Out(0, Shape(in->size(), kUnknownDim));
    return;
  }
  std::vector<bool> reduced(in->size(), false);
  for (int64_t given : *axes) {
    // A scalar may be reduced along its first or last axis, to itself.
    if (in->empty() && (given == 0 || given == -1)) continue;
    const std::optional<size_t> axis = c.Axis(given, in->size());
    if (!axis) return;
    reduced[*axis] = true;
  }
  Shape out;
  for (size_t i = 0; i < in->size(); ++i) {
    if (!reduced[i]) {
      out.push_back((*in)[i]);
    } else if (keep) {
      out.push_back(1);
    }
  }
  c.Out(0, std::move(out));
}

void ArgShape(ShapeContext& c) {
  const Shape* in = c.InOfMinRank(0, 1);
  if (in == nullptr) return;
  const KnownInts* value = c.Value(1);
  if (value == nullptr || value->size() != 1 || (*value)[0] == kUnknownInt) {
    return c.Out(0, Shape(in->size() - 1, kUnknownDim));
  }
  const std::optional<size_t> axis = c.Axis((*value)[0], in->size());
  if (!axis) return;
  Shape out = *in;
  out.erase(out.begin() + static_cast<std::ptrdiff_t>(*axis));
  c.Out(0, std::move(out));
}

void HashtableFindShape(ShapeContext& c) {
  if (const Shape* keys = c.In(1)) c.Out(0, *keys);
}

}  // namespace stowplan::graph
