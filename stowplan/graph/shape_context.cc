// SPDX-License-Identifier: Apache-2.0
#include "stowplan/graph/shape_context.h"

#include <algorithm>

#include "stowplan/base/checked_math.h"

namespace stowplan::graph {

bool IsKnown(const std::optional<Shape>& shape) {
  return shape &&
         std::find(shape->begin(), shape->end(), kUnknownDim) == shape->end();
}

std::string ToString(const Shape& shape) {
  std::string text = "[";
  for (size_t i = 0; i < shape.size(); ++i) {
    text += (i == 0 ? "" : ", ") + std::to_string(shape[i]);
  }
  return text + "]";
}

const Shape* ShapeContext::In(size_t input) const {
  if (!Has(input) || !inputs_[input]->shape) return nullptr;
  return &*inputs_[input]->shape;
}

const Shape* ShapeContext::InOfRank(size_t input, size_t rank) {
  const Shape* shape = In(input);
  if (shape == nullptr || shape->size() == rank) return shape;
  Fail(NameOfInput(input) + " has " + std::to_string(shape->size()) +
       " dimensions, not " + std::to_string(rank));
  return nullptr;
}

const Shape* ShapeContext::InOfMinRank(size_t input, size_t rank) {
  const Shape* shape = In(input);
  if (shape == nullptr || shape->size() >= rank) return shape;
  Fail(NameOfInput(input) + " has " + std::to_string(shape->size()) +
       " dimensions, not at least " + std::to_string(rank));
  return nullptr;
}

const KnownInts* ShapeContext::Value(size_t input) const {
  if (!Has(input) || !inputs_[input]->value) return nullptr;
  return &*inputs_[input]->value;
}

DType ShapeContext::TypeOfInput(size_t input) const {
  return subgraph_.tensor(op_.inputs[input]).dtype;
}

DType ShapeContext::TypeOfOutput(size_t output) const {
  return subgraph_.tensor(op_.outputs[output]).dtype;
}

void ShapeContext::Out(size_t output, Shape shape) {
  if (output >= outputs_.size() || failed()) return;
  if (shape.size() > kMaxRank) {
    return Fail("would give " + PlaceOf(subgraph_, op_.outputs[output]) +
                " more than " + std::to_string(kMaxRank) + " dimensions");
  }
  for (int64_t dim : shape) {
    if (dim >= kUnknownDim) continue;
    return Fail("would give " + PlaceOf(subgraph_, op_.outputs[output]) +
                " a dimension of " + std::to_string(dim));
  }
  outputs_[output].shape = std::move(shape);
}

void ShapeContext::OutValue(size_t output, KnownInts value) {
  outputs_[output].value = std::move(value);
}

void ShapeContext::Fail(std::string what) {
  if (!failed()) error_ = std::move(what);
}

std::string ShapeContext::NameOfInput(size_t input) const {
  return PlaceOf(subgraph_, op_.inputs[input]);
}

int64_t ShapeContext::Add(int64_t a, int64_t b) {
  if (a == kUnknownDim || b == kUnknownDim) return kUnknownDim;
  if (const auto sum = CheckedAdd(a, b)) return *sum;
  Fail("has dimensions whose sum does not fit in 64 bits");
  return kUnknownDim;
}

int64_t ShapeContext::Mul(int64_t a, int64_t b) {
  if (a == 0 || b == 0) return 0;
  if (a == kUnknownDim || b == kUnknownDim) return kUnknownDim;
  if (const auto product = CheckedMul(a, b)) return *product;
  Fail("has dimensions whose product does not fit in 64 bits");
  return kUnknownDim;
}

int64_t ShapeContext::Product(const Shape& dims) {
  int64_t product = 1;
  for (int64_t dim : dims) product = Mul(product, dim);
  return product;
}

std::optional<size_t> ShapeContext::Axis(int64_t axis, size_t rank) {
  const auto signed_rank = static_cast<int64_t>(rank);
  if (axis >= -signed_rank && axis < signed_rank) {
    return static_cast<size_t>(axis < 0 ? axis + signed_rank : axis);
  }
  Fail("has the axis " + std::to_string(axis) + " of " + std::to_string(rank) +
       " dimensions");
  return std::nullopt;
}

int64_t ShapeContext::Merge(int64_t a, int64_t b) {
  if (a == kUnknownDim) return b;
  if (b == kUnknownDim || a == b) return a;
  Fail("has inputs of different shapes: " + std::to_string(a) + " and " +
       std::to_string(b) + " in one dimension");
  return kUnknownDim;
}

}  // namespace stowplan::graph
