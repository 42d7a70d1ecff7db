// SPDX-License-Identifier: Apache-2.0
//
// A tensor in the course of shape inference.
#pragma once

#include <memory>
#include <string>

#include "stowplan/graph/ref.h"
#include "stowplan/graph/shape_context.h"

namespace stowplan::graph {

// Why something is not known.
struct Root {
  OperatorRef op;
  std::string reason;
};
using RootPtr = std::shared_ptr<const Root>;

struct TensorState {
  TensorFacts facts;
  // Shape or content are not what they were when the file was written.
  bool touched = false;
  RootPtr root;          // Null if all is known.
  std::string resource;  // The variable that a handle stands for.
};

// The shape that the file states can be believed.
bool IsStated(const Tensor& tensor);

// What the file leaves open: the signature where there is one.
const std::optional<Shape> OpenShapeOf(const Tensor& tensor);

// Content of this type is followed: shapes are of no other.
bool FollowsContent(DType dtype);

// The state before anything has run.
TensorState InitialState(const Tensor& tensor);

// `shape`, with dimensions that it leaves open from `hint` if that has the
// same rank; `hint` if not even the rank is known.
std::optional<Shape> FillIn(const std::optional<Shape>& shape,
                            const std::optional<Shape>& hint);

// What is true of both; `root` says why where they differ.
TensorState Join(const TensorState& a, const TensorState& b,
                 const RootPtr& root);

// Whether the tensor is not as the file states it, `from_touched` saying so of
// what it is computed from.
bool IsTouched(const Tensor& tensor, const std::optional<Shape>& shape,
               bool from_touched);

// True if the shape is open or fits in 64 bits as bytes.
bool SizeFits(DType dtype, const std::optional<Shape>& shape);

}  // namespace stowplan::graph
