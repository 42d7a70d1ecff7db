// SPDX-License-Identifier: Apache-2.0
#include "stowplan/testing/graph_generator.h"

#include <algorithm>
#include <deque>
#include <memory>
#include <string>
#include <utility>
#include <vector>

#include "stowplan/graph/constant_value.h"
#include "stowplan/testing/problem_random.h"

namespace stowplan::testing {
namespace {

using graph::InPlaceClaim;
using graph::Model;
using graph::Operator;
using graph::OpKind;
using graph::Shape;
using graph::Subgraph;
using graph::SubgraphId;
using graph::Tensor;
using graph::TensorId;

using Storage = std::deque<std::vector<std::byte>>;

// Grows one model, subgraph by subgraph.
class ModelGrower {
 public:
  ModelGrower(uint64_t seed, const GraphOptions& options)
      : random_(seed), options_(options) {}

  Model Grow() {
    model_.subgraphs.emplace_back().name = "main";
    const int64_t inputs = random_.Between(1, 3);
    for (int64_t i = 0; i < inputs; ++i) {
      AddInput(0, {random_.Between(1, 4), random_.Between(1, options_.max_dim),
                   random_.Between(1, options_.max_dim)});
    }
    GrowOperators(0, std::max(1, options_.operators), 0);
    Subgraph& main = model_.subgraphs[0];
    main.outputs.push_back(main.operators.back().outputs[0]);
    for (TensorId id : Unread(main)) {
      if (random_.Chance(50)) main.outputs.push_back(id);
    }
    model_.storage = std::move(storage_);
    return std::move(model_);
  }

 private:
  Subgraph& At(size_t subgraph) { return model_.subgraphs[subgraph]; }

  TensorId AddTensor(size_t subgraph, Shape shape,
                     DType dtype = DType::kFloat32) {
    Tensor tensor;
    const size_t index = At(subgraph).tensors.size();
    tensor.name = "t" + std::to_string(index);
    tensor.shape = std::move(shape);
    tensor.dtype = dtype;
    At(subgraph).tensors.push_back(std::move(tensor));
    return TensorId::FromIndex(index);
  }

  TensorId AddInput(size_t subgraph, Shape shape) {
    const TensorId id = AddTensor(subgraph, std::move(shape));
    At(subgraph).inputs.push_back(id);
    values_.resize(model_.subgraphs.size());
    values_[subgraph].push_back(id);
    return id;
  }

  // Constants without content, as weights are here, take no memory.
  TensorId AddWeights(size_t subgraph, Shape shape) {
    const TensorId id = AddTensor(subgraph, std::move(shape));
    At(subgraph).tensor(id).constant = true;
    return id;
  }

  TensorId AddNumbers(size_t subgraph, Shape shape,
                      const std::vector<int64_t>& numbers) {
    const TensorId id = AddTensor(subgraph, std::move(shape), DType::kInt32);
    Tensor& tensor = At(subgraph).tensor(id);
    tensor.constant = true;
    storage_->push_back(*graph::BytesOfIntegers(DType::kInt32, numbers));
    tensor.data = storage_->back();
    return id;
  }

  // Appends the operator, with fresh tensors of these shapes as outputs.
  Operator& Append(size_t subgraph, OpKind kind, std::vector<TensorId> inputs,
                   const std::vector<Shape>& outputs) {
    Operator op;
    op.kind = kind;
    op.type = graph::TraitsOf(kind).name;
    op.name = "op" + std::to_string(At(subgraph).operators.size());
    op.inputs = std::move(inputs);
    for (const Shape& shape : outputs) {
      op.outputs.push_back(AddTensor(subgraph, shape));
      values_[subgraph].push_back(op.outputs.back());
    }
    At(subgraph).operators.push_back(std::move(op));
    return At(subgraph).operators.back();
  }

  // One of the last values, or of all.
  TensorId Pick(size_t subgraph) {
    const std::vector<TensorId>& values = values_[subgraph];
    const auto last = static_cast<int64_t>(values.size()) - 1;
    const int64_t reach = random_.Chance(options_.skip_percent) ? last : 1;
    const int64_t at = last - random_.Between(0, std::min(reach, last));
    return values[static_cast<size_t>(at)];
  }

  Shape ShapeOf(size_t subgraph, TensorId id) {
    return *At(subgraph).tensor(id).shape;
  }

  // Another value of the same shape, or the same one.
  TensorId PickLike(size_t subgraph, TensorId like) {
    std::vector<TensorId> alike;
    for (TensorId id : values_[subgraph]) {
      if (ShapeOf(subgraph, id) == ShapeOf(subgraph, like)) {
        alike.push_back(id);
      }
    }
    return alike[static_cast<size_t>(
        random_.Between(0, static_cast<int64_t>(alike.size()) - 1))];
  }

  void GrowOperators(size_t subgraph, int count, int depth) {
    for (int i = 0; i < count; ++i) GrowOperator(subgraph, depth);
  }

  void GrowOperator(size_t subgraph, int depth) {
    const TensorId in = Pick(subgraph);
    int64_t dice = random_.Between(1, 100);
    const auto falls = [&dice](int percent) {
      dice -= percent;
      return dice <= 0;
    };
    if (falls(options_.view_percent)) return GrowView(subgraph, in);
    if (falls(options_.split_percent)) return GrowSplit(subgraph, in);
    if (falls(options_.join_percent)) return GrowJoin(subgraph, in);
    if (falls(options_.dense_percent)) return GrowDense(subgraph, in);
    if (falls(options_.custom_percent)) return GrowCustom(subgraph, in);
    if (falls(options_.variable_percent)) return GrowState(subgraph, in);
    const bool calls = falls(options_.call_percent >> depth);
    if (calls && depth < options_.max_call_depth) {
      return GrowCall(subgraph, in, depth);
    }
    GrowElementwise(subgraph, in);
  }

  void GrowElementwise(size_t subgraph, TensorId in) {
    constexpr OpKind kUnary[] = {OpKind::kRelu, OpKind::kTanh,
                                 OpKind::kLogistic, OpKind::kSoftmax};
    constexpr OpKind kBinary[] = {OpKind::kAdd, OpKind::kMul, OpKind::kSub};
    const Shape shape = ShapeOf(subgraph, in);
    if (random_.Chance(50)) {
      Append(subgraph, kUnary[random_.Between(0, 3)], {in}, {shape});
      return;
    }
    TensorId other = PickLike(subgraph, in);
    if (random_.Chance(30)) {
      other = AddWeights(subgraph, {shape.empty() ? 1 : shape.back()});
      if (shape.empty()) At(subgraph).tensor(other).shape = Shape{};
    }
    std::vector<TensorId> inputs = {in, other};
    if (random_.Chance(50)) std::swap(inputs[0], inputs[1]);
    Append(subgraph, kBinary[random_.Between(0, 2)], inputs, {shape});
  }

  void GrowView(size_t subgraph, TensorId in) {
    Shape shape = ShapeOf(subgraph, in);
    const int64_t form = random_.Between(0, 2);
    if (form == 0 && shape.size() < 5) {
      const TensorId axis = AddNumbers(subgraph, {}, {0});
      shape.insert(shape.begin(), 1);
      Append(subgraph, OpKind::kExpandDims, {in, axis}, {shape});
    } else if (form == 1 && !shape.empty() && shape.front() == 1) {
      shape.erase(shape.begin());
      Append(subgraph, OpKind::kSqueeze, {in}, {shape})
          .attributes.Set("squeeze_dims", std::vector<int64_t>{0});
    } else {
      int64_t elements = 1;
      for (int64_t dim : shape) elements *= dim;
      const int64_t rows = shape.empty() ? 1 : shape.back();
      shape =
          random_.Chance(50) ? Shape{elements} : Shape{rows, elements / rows};
      const TensorId to =
          AddNumbers(subgraph, {static_cast<int64_t>(shape.size())}, shape);
      Append(subgraph, OpKind::kReshape, {in, to}, {shape});
    }
  }

  void GrowSplit(size_t subgraph, TensorId in) {
    Shape shape = ShapeOf(subgraph, in);
    const int64_t parts = random_.Between(2, 3);
    if (shape.empty() || shape.back() % parts != 0) {
      return GrowElementwise(subgraph, in);
    }
    shape.back() /= parts;
    const TensorId axis = AddNumbers(subgraph, {}, {-1});
    Append(subgraph, OpKind::kSplit, {axis, in},
           std::vector<Shape>(static_cast<size_t>(parts), shape))
        .attributes.Set("num_splits", parts);
  }

  void GrowJoin(size_t subgraph, TensorId in) {
    Shape shape = ShapeOf(subgraph, in);
    // Sizes must not double for ever.
    if (shape.empty() || shape.back() > 4 * options_.max_dim) {
      return GrowElementwise(subgraph, in);
    }
    const TensorId other = PickLike(subgraph, in);
    shape.back() *= 2;
    Append(subgraph, OpKind::kConcatenation, {in, other}, {shape})
        .attributes.Set("axis", int64_t{-1});
  }

  void GrowDense(size_t subgraph, TensorId in) {
    Shape shape = ShapeOf(subgraph, in);
    if (shape.empty()) return GrowElementwise(subgraph, in);
    const int64_t units = random_.Between(1, options_.max_dim);
    const TensorId weights = AddWeights(subgraph, {units, shape.back()});
    shape.back() = units;
    Append(subgraph, OpKind::kFullyConnected, {in, weights, TensorId()},
           {shape})
        .attributes.Set("keep_num_dims", true);
  }

  void GrowCustom(size_t subgraph, TensorId in) {
    std::vector<TensorId> inputs = {in};
    while (inputs.size() < 4 && random_.Chance(50)) {
      inputs.push_back(random_.Chance(10) ? TensorId() : Pick(subgraph));
    }
    std::vector<Shape> outputs;
    do {
      outputs.push_back(outputs.empty() && random_.Chance(50)
                            ? ShapeOf(subgraph, in)
                            : Shape{random_.Between(1, options_.max_dim)});
    } while (outputs.size() < 3 && random_.Chance(30));
    const bool same_size = outputs[0] == ShapeOf(subgraph, in);
    Operator& op = Append(subgraph, OpKind::kCustom, inputs, outputs);
    op.type = "Mix";
    op.scratch = random_.Chance(50) ? random_.Between(1, 1024) : 0;
    if (random_.Chance(50)) {
      op.in_place = InPlaceClaim{};
      if (same_size) op.in_place->kind = InPlaceClaim::Kind::kOverwrite;
    }
  }

  void GrowState(size_t subgraph, TensorId in) {
    const TensorId state = AddTensor(subgraph, ShapeOf(subgraph, in));
    At(subgraph).tensor(state).variable = true;
    Operator& op =
        Append(subgraph, OpKind::kCustom, {in, state}, {ShapeOf(subgraph, in)});
    op.type = "Remember";
  }

  // Callees take a value and give one of the same shape.
  void GrowCall(size_t subgraph, TensorId in, int depth) {
    const Shape shape = ShapeOf(subgraph, in);
    const int64_t form = random_.Between(0, 2);
    std::vector<SubgraphId> callees;
    std::vector<TensorId> inputs = {in};
    OpKind kind = OpKind::kCall;
    if (form == 0) {
      kind = OpKind::kIf;
      callees = {GrowCallee(shape, depth), GrowCallee(shape, depth)};
      const TensorId condition = AddTensor(subgraph, {}, DType::kBool);
      At(subgraph).tensor(condition).constant = true;
      inputs.insert(inputs.begin(), condition);
    } else if (form == 1) {
      kind = OpKind::kWhile;
      callees = {GrowCondition(shape), GrowCallee(shape, depth)};
    } else {
      callees = {GrowCallee(shape, depth)};
    }
    Append(subgraph, kind, inputs, {shape}).callees = callees;
  }

  SubgraphId GrowCallee(const Shape& shape, int depth) {
    const size_t index = model_.subgraphs.size();
    model_.subgraphs.emplace_back().name = "callee" + std::to_string(index);
    const TensorId in = AddInput(index, shape);
    GrowOperators(index, std::max(1, options_.operators / 3), depth + 1);
    const TensorId last = PickLike(index, in);
    Append(index, OpKind::kAdd, {in, last}, {shape});
    At(index).outputs = {At(index).operators.back().outputs[0]};
    return SubgraphId::FromIndex(index);
  }

  SubgraphId GrowCondition(const Shape& shape) {
    const size_t index = model_.subgraphs.size();
    model_.subgraphs.emplace_back().name = "condition" + std::to_string(index);
    const TensorId in = AddInput(index, shape);
    Append(index, OpKind::kCustom, {in}, {Shape{}}).type = "Test";
    const TensorId out = At(index).operators[0].outputs[0];
    At(index).tensor(out).dtype = DType::kBool;
    At(index).outputs = {out};
    return SubgraphId::FromIndex(index);
  }

  static std::vector<TensorId> Unread(const Subgraph& subgraph) {
    std::vector<bool> read(subgraph.tensors.size(), false);
    for (const Operator& op : subgraph.operators) {
      for (TensorId id : op.inputs) {
        if (id.valid()) read[id.index()] = true;
      }
    }
    std::vector<TensorId> unread;
    for (const Operator& op : subgraph.operators) {
      for (TensorId id : op.outputs) {
        if (!read[id.index()] && id != subgraph.outputs[0]) {
          unread.push_back(id);
        }
      }
    }
    return unread;
  }

  Random random_;
  GraphOptions options_;
  Model model_;
  std::vector<std::vector<TensorId>> values_;  // By subgraph, oldest first.
  std::shared_ptr<Storage> storage_ = std::make_shared<Storage>();
};

}  // namespace

graph::Model GenerateGraph(uint64_t seed, const GraphOptions& options) {
  return ModelGrower(seed, options).Grow();
}

}  // namespace stowplan::testing
