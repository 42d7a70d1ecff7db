// SPDX-License-Identifier: Apache-2.0
//
// One operator while shapes flow through a graph: what is known of its
// inputs, and what a rule finds out about its outputs.
#pragma once

#include <cstdint>
#include <limits>
#include <optional>
#include <string>
#include <vector>

#include "stowplan/base/error.h"
#include "stowplan/graph/model.h"

namespace stowplan::graph {

// The elements of a small integer tensor, row by row, as far as they are
// known: a shape of which one dimension is open is still worth knowing.
using KnownInts = std::vector<int64_t>;
constexpr int64_t kUnknownInt = std::numeric_limits<int64_t>::min();

// Content that a graph computes is followed up to this many elements; what
// shapes are made of has no more.
constexpr int64_t kMaxComputedElements = 256;

// What is known of a tensor.
struct TensorFacts {
  std::optional<Shape> shape;      // Nothing: not even the rank.
  std::optional<KnownInts> value;  // Only with a shape without open dimensions.

  friend bool operator==(const TensorFacts&, const TensorFacts&) = default;
};

// Not even one dimension is open.
bool IsKnown(const std::optional<Shape>& shape);

// "[1, -1, 3]".
std::string ToString(const Shape& shape);

// Given to a rule. A rule that cannot say anything leaves the outputs alone;
// one that finds the operator impossible calls Fail. Dimensions come from
// files: rules add and multiply only through the context, which fails on
// overflow and keeps kUnknownDim unknown.
class ShapeContext {
 public:
  // `inputs` and `outputs` by position; null for an input left out. Outputs
  // may bring their shape (for rules of values).
  ShapeContext(const Subgraph& subgraph, const Operator& op,
               std::vector<const TensorFacts*> inputs,
               std::vector<TensorFacts> outputs)
      : subgraph_(subgraph),
        op_(op),
        inputs_(std::move(inputs)),
        outputs_(std::move(outputs)) {}

  const Operator& op() const { return op_; }
  const Attributes& attributes() const { return op_.attributes; }
  size_t inputs() const { return inputs_.size(); }
  size_t outputs() const { return outputs_.size(); }

  bool Has(size_t input) const {
    return input < inputs_.size() && inputs_[input] != nullptr;
  }
  // The shape, maybe with open dimensions; null if not even the rank is known
  // or the input is left out.
  const Shape* In(size_t input) const;
  // The shape if it has `rank` dimensions, or at least as many; fails if it is
  // known to have others.
  const Shape* InOfRank(size_t input, size_t rank);
  const Shape* InOfMinRank(size_t input, size_t rank);
  // Null if nothing is known of the content.
  const KnownInts* Value(size_t input) const;
  DType TypeOfInput(size_t input) const;
  DType TypeOfOutput(size_t output) const;

  // Says the output's shape; one with dimensions below kUnknownDim, or with
  // more than kMaxRank, fails. Outputs that
  // are not there are ignored.
  void Out(size_t output, Shape shape);
  const std::optional<Shape>& OutShape(size_t output) const {
    return outputs_[output].shape;
  }
  void OutValue(size_t output, KnownInts value);
  // Why an output stays open although all inputs are known.
  void Open(std::string reason) { reason_ = std::move(reason); }
  void Fail(std::string what);

  // "tensor 7 (x)".
  std::string NameOfInput(size_t input) const;

  int64_t Add(int64_t a, int64_t b);
  int64_t Mul(int64_t a, int64_t b);
  // The product; unknown if a dimension is.
  int64_t Product(const Shape& dims);
  // `axis` from the end if negative. Fails if it is none of `rank` axes.
  std::optional<size_t> Axis(int64_t axis, size_t rank);
  // The one dimension that both stand for; fails if they differ.
  int64_t Merge(int64_t a, int64_t b);

  bool failed() const { return !error_.empty(); }
  const std::string& error() const { return error_; }
  const std::string& reason() const { return reason_; }
  std::vector<TensorFacts> TakeOutputs() { return std::move(outputs_); }

 private:
  const Subgraph& subgraph_;
  const Operator& op_;
  std::vector<const TensorFacts*> inputs_;
  std::vector<TensorFacts> outputs_;
  std::string reason_;
  std::string error_;
};

}  // namespace stowplan::graph
