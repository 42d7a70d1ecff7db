// SPDX-License-Identifier: Apache-2.0
//
// Arithmetic on the content of small integer tensors. A result that does not
// fit 64 bits is not known; narrower types wrap in the engines, but no shape
// comes near.
#include <algorithm>

#include "stowplan/base/checked_math.h"
#include "stowplan/graph/constant_value.h"
#include "stowplan/graph/shape_rule_functions.h"

namespace stowplan::graph {
namespace {

int64_t OrUnknown(std::optional<int64_t> number) {
  return number.value_or(kUnknownInt);
}

int64_t FloorDiv(int64_t a, int64_t b) {
  const int64_t quotient = a / b;
  return a % b != 0 && (a < 0) != (b < 0) ? quotient - 1 : quotient;
}

int64_t FloorMod(int64_t a, int64_t b) {
  const int64_t rest = a % b;
  return rest != 0 && (rest < 0) != (b < 0) ? rest + b : rest;
}

// REQUIRES: neither is kUnknownInt.
int64_t Combine(OpKind kind, int64_t a, int64_t b) {
  switch (kind) {
    case OpKind::kAdd:
      return OrUnknown(CheckedAdd(a, b));
    case OpKind::kSub:
      return OrUnknown(CheckedAdd(a, -b));
    case OpKind::kMul:
      return OrUnknown(CheckedMul(a, b));
    case OpKind::kDiv:
      return b == 0 ? kUnknownInt : a / b;
    case OpKind::kFloorDiv:
      return b == 0 ? kUnknownInt : FloorDiv(a, b);
    case OpKind::kFloorMod:
      return b == 0 ? kUnknownInt : FloorMod(a, b);
    case OpKind::kMaximum:
      return std::max(a, b);
    case OpKind::kMinimum:
      return std::min(a, b);
    case OpKind::kEqual:
      return a == b;
    case OpKind::kNotEqual:
      return a != b;
    case OpKind::kLess:
      return a < b;
    case OpKind::kLessEqual:
      return a <= b;
    case OpKind::kGreater:
      return a > b;
    case OpKind::kGreaterEqual:
      return a >= b;
    case OpKind::kLogicalAnd:
      return a != 0 && b != 0;
    case OpKind::kLogicalOr:
      return a != 0 || b != 0;
    default:
      return kUnknownInt;
  }
}

// The element of an input that stands at `index` of the broadcast output.
int64_t Broadcast(const ShapeContext& c, size_t input, const Shape& out,
                  size_t index) {
  const Shape& in = *c.In(input);
  size_t position = 0;
  size_t step = 1;
  for (size_t k = 0; k < out.size(); ++k) {
    const auto dim = static_cast<size_t>(out[out.size() - 1 - k]);
    if (k < in.size()) {
      const auto own = static_cast<size_t>(in[in.size() - 1 - k]);
      if (own != 1) position += index % dim * step;
      step *= own;
    }
    index /= dim;
  }
  return (*c.Value(input))[position];
}

// The elements of output 0; nothing if its shape is open or large.
std::optional<size_t> Elements(const ShapeContext& c) {
  if (c.outputs() == 0 || !IsKnown(c.OutShape(0))) return std::nullopt;
  const std::optional<int64_t> elements = CheckedProduct(*c.OutShape(0));
  if (!elements || *elements > kMaxComputedElements) return std::nullopt;
  return static_cast<size_t>(*elements);
}

bool AllValuesKnown(const ShapeContext& c, size_t inputs) {
  for (size_t i = 0; i < inputs; ++i) {
    if (c.Value(i) == nullptr) return false;
  }
  return true;
}

}  // namespace

void ArithmeticValue(ShapeContext& c) {
  const std::optional<size_t> elements = Elements(c);
  if (!elements || !AllValuesKnown(c, 2)) return;
  const Shape out = *c.OutShape(0);
  KnownInts value(*elements, kUnknownInt);
  for (size_t i = 0; i < value.size(); ++i) {
    const int64_t a = Broadcast(c, 0, out, i);
    const int64_t b = Broadcast(c, 1, out, i);
    if (a != kUnknownInt && b != kUnknownInt) {
      value[i] = Combine(c.op().kind, a, b);
    }
  }
  c.OutValue(0, std::move(value));
}

void UnaryValue(ShapeContext& c) {
  const KnownInts* in = c.Value(0);
  if (in == nullptr) return;
  KnownInts value = *in;
  for (int64_t& number : value) {
    if (number == kUnknownInt) continue;
    switch (c.op().kind) {
      case OpKind::kNeg:
        number = -number;
        break;
      case OpKind::kAbs:
        number = number < 0 ? -number : number;
        break;
      case OpKind::kSquare:
        number = OrUnknown(CheckedMul(number, number));
        break;
      case OpKind::kLogicalNot:
        number = number == 0;
        break;
      case OpKind::kCast:
        if (c.TypeOfOutput(0) == DType::kBool) number = number != 0;
        break;
      default:
        number = kUnknownInt;
    }
  }
  c.OutValue(0, std::move(value));
}

void SelectValue(ShapeContext& c) {
  const std::optional<size_t> elements = Elements(c);
  if (!elements || !AllValuesKnown(c, 3)) return;
  const Shape out = *c.OutShape(0);
  KnownInts value(*elements, kUnknownInt);
  for (size_t i = 0; i < value.size(); ++i) {
    const int64_t condition = Broadcast(c, 0, out, i);
    const int64_t if_true = Broadcast(c, 1, out, i);
    const int64_t if_false = Broadcast(c, 2, out, i);
    if (condition == kUnknownInt && if_true != if_false) continue;
    value[i] = condition != 0 ? if_true : if_false;
  }
  c.OutValue(0, std::move(value));
}

namespace {

// REQUIRES: neither is kUnknownInt.
int64_t Fold(OpKind kind, int64_t a, int64_t b) {
  switch (kind) {
    case OpKind::kSum:
    case OpKind::kUnsortedSegmentSum:
      return OrUnknown(CheckedAdd(a, b));
    case OpKind::kReduceProd:
    case OpKind::kUnsortedSegmentProd:
      return OrUnknown(CheckedMul(a, b));
    case OpKind::kReduceMax:
    case OpKind::kUnsortedSegmentMax:
      return std::max(a, b);
    case OpKind::kReduceMin:
    case OpKind::kUnsortedSegmentMin:
      return std::min(a, b);
    case OpKind::kReduceAny:
      return a != 0 || b != 0;
    case OpKind::kReduceAll:
      return a != 0 && b != 0;
    default:
      return kUnknownInt;
  }
}

}  // namespace

// Of vectors that become one number, as sizes do.
void ReduceValue(ShapeContext& c) {
  const KnownInts* in = c.Value(0);
  if (in == nullptr || in->empty() || Elements(c) != 1u) return;
  int64_t folded = in->front();
  for (size_t i = 1; i < in->size() && folded != kUnknownInt; ++i) {
    folded = (*in)[i] == kUnknownInt ? kUnknownInt
                                     : Fold(c.op().kind, folded, (*in)[i]);
  }
  c.OutValue(0, {folded});
}

// Of vectors; segments without a member are left unknown.
void UnsortedSegmentValue(ShapeContext& c) {
  const KnownInts* in = c.Value(0);
  const KnownInts* ids = c.Value(1);
  const std::optional<size_t> elements = Elements(c);
  if (!elements || in == nullptr || ids == nullptr ||
      ids->size() != in->size() || c.OutShape(0)->size() != 1) {
    return;
  }
  KnownInts value(*elements, kUnknownInt);
  std::vector<bool> begun(*elements, false);
  for (size_t i = 0; i < in->size(); ++i) {
    if ((*ids)[i] == kUnknownInt) return;
    if ((*ids)[i] < 0) continue;  // Dropped, as the engines do.
    const auto id = static_cast<size_t>((*ids)[i]);
    if (id >= *elements) return;
    if (!begun[id]) {
      value[id] = (*in)[i];
    } else if (value[id] != kUnknownInt) {
      value[id] = (*in)[i] == kUnknownInt
                      ? kUnknownInt
                      : Fold(c.op().kind, value[id], (*in)[i]);
    }
    begun[id] = true;
  }
  c.OutValue(0, std::move(value));
}

void RangeValue(ShapeContext& c) {
  const std::optional<size_t> elements = Elements(c);
  if (!elements || !AllValuesKnown(c, 3)) return;
  const int64_t start = c.Value(0)->front();
  const int64_t step = c.Value(2)->front();
  KnownInts value(*elements);
  for (size_t i = 0; i < value.size(); ++i) {
    // Between start and limit, so it fits.
    value[i] = start + static_cast<int64_t>(i) * step;
  }
  c.OutValue(0, std::move(value));
}

void FillValue(ShapeContext& c) {
  const std::optional<size_t> elements = Elements(c);
  const KnownInts* number = c.Value(1);
  if (!elements || number == nullptr || number->size() != 1) return;
  c.OutValue(0, KnownInts(*elements, number->front()));
}

void ZerosValue(ShapeContext& c) {
  if (const auto elements = Elements(c)) c.OutValue(0, KnownInts(*elements, 0));
}

}  // namespace stowplan::graph
