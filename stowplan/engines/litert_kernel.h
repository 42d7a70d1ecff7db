// SPDX-License-Identifier: Apache-2.0
//
// What a kernel sees of its operator while it prepares, and what it asks for.
#pragma once

#include <cstdint>
#include <initializer_list>
#include <optional>
#include <span>
#include <string_view>
#include <vector>

#include "stowplan/engines/litert_prepare.h"
#include "stowplan/graph/model.h"

namespace stowplan::engines {

class LiteRtKernel {
 public:
  LiteRtKernel(const graph::Subgraph& subgraph, const graph::Operator& op,
               std::span<const PreparedTensor> tensors)
      : subgraph_(subgraph), op_(op), tensors_(tensors) {}

  const graph::Operator& op() const { return op_; }

  bool Has(size_t input) const {
    return input < op_.inputs.size() && op_.inputs[input].valid();
  }
  DType TypeOf(size_t input) const { return At(input).dtype; }
  // Empty where the operand is left out.
  const graph::Shape& ShapeOf(size_t input) const { return At(input).shape; }
  const graph::Shape& OutputShape() const;
  // One dimension, from the end if negative. What is not there is 0 and makes
  // the answer unusable: see `known`.
  int64_t Dim(size_t input, int axis) const {
    return Dim(ShapeOf(input), axis);
  }
  int64_t OutputDim(int axis) const { return Dim(OutputShape(), axis); }

  bool IsMapped(size_t input) const {
    return At(input).holding == Holding::kMapped;
  }
  // A constant of the file or one computed while preparing.
  bool IsFixed(size_t input) const {
    return IsMapped(input) || At(input).holding == Holding::kFolded;
  }
  // float32 values with integer weights: the kernel quantises as it goes.
  bool IsHybrid(size_t values, size_t weights,
                std::initializer_list<DType> types) const;

  const graph::Tensor* Source(size_t input) const;  // Null if left out.
  int64_t Int(std::string_view name, int64_t fallback) const {
    return op_.attributes.Int(name, fallback);
  }
  bool Bool(std::string_view name) const {
    return op_.attributes.Bool(name, false);
  }

  // The product of the dimensions [begin, end), negative counting from the
  // end; 0 and not `known` if it does not fit.
  int64_t Elements(const graph::Shape& shape, int begin = 0,
                   std::optional<int> end = std::nullopt) const;

  // False once something was asked for that the graph does not say.
  bool known() const { return known_; }

 private:
  const PreparedTensor& At(size_t input) const;
  int64_t Dim(const graph::Shape& shape, int axis) const;

  const graph::Subgraph& subgraph_;
  const graph::Operator& op_;
  std::span<const PreparedTensor> tensors_;
  mutable bool known_ = true;
};

struct Temporary {
  std::string_view label;
  DType dtype = DType::kFloat32;
  graph::Shape shape;
  Holding holding = Holding::kArena;
};

// The tensors that a kernel adds, in its order. It may take more numbers than
// it uses; they stay empty, but the numbers decide the order of equals.
struct KernelScratch {
  std::vector<Temporary> temporaries;
  size_t numbers = 0;  // At least as many as temporaries.
};

// One row of the table of scratch rules.
struct ScratchRule {
  graph::OpKind kind;
  // Numbers taken when the file is loaded, before any operator is prepared; 0
  // for kernels that take theirs while preparing.
  size_t numbers_at_load;
  KernelScratch (*scratch)(const LiteRtKernel& kernel);
};

// The rule of an operator; null for those that add no tensors.
const ScratchRule* FindScratchRule(const graph::Operator& op);

// Whether the operator adds tensors by rules that are not modelled.
bool HasUnknownScratch(const graph::Operator& op);

}  // namespace stowplan::engines
