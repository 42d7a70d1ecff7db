// SPDX-License-Identifier: Apache-2.0
#include "tests/random_graph.h"

#include <algorithm>
#include <array>
#include <string>
#include <utility>
#include <vector>

#include "stowplan/testing/problem_random.h"

namespace stowplan {
namespace {

using graph::OpKind;
using graph::TensorId;

constexpr int64_t kMostElements = 64;

class Builder {
 public:
  Builder(uint64_t seed, const RandomGraphOptions& options)
      : random_(seed), options_(options) {
    model_.subgraphs.emplace_back();
    const int64_t inputs = random_.Between(1, 2);
    for (int64_t i = 0; i < inputs; ++i) {
      main().inputs.push_back(NewTensor(options.elements));
    }
  }

  graph::Model Build() && {
    for (int i = 0; i < options_.operators; ++i) AddOperator();
    SetOutputs();
    return std::move(model_);
  }

 private:
  graph::Subgraph& main() { return model_.subgraphs[0]; }

  TensorId NewTensor(int64_t elements) {
    graph::Tensor tensor;
    tensor.name = "t" + std::to_string(main().tensors.size());
    tensor.shape = graph::Shape{1, elements};
    main().tensors.push_back(std::move(tensor));
    reads_.push_back(0);
    return TensorId::FromIndex(main().tensors.size() - 1);
  }

  int64_t ElementsOf(TensorId id) { return (*main().tensor(id).shape)[1]; }

  // Mostly of the last few.
  TensorId Pick() {
    const auto count = static_cast<int64_t>(main().tensors.size());
    const int64_t first =
        random_.Chance(70) ? std::max<int64_t>(0, count - 4) : int64_t{0};
    return TensorId::FromIndex(
        static_cast<size_t>(random_.Between(first, count - 1)));
  }

  // One as large as `other`, itself if there is no second.
  TensorId PickLike(TensorId other) {
    for (int tries = 0; tries < 8; ++tries) {
      const TensorId id = Pick();
      if (ElementsOf(id) == ElementsOf(other)) return id;
    }
    return other;
  }

  void Add(OpKind kind, std::vector<TensorId> inputs,
           std::vector<TensorId> outputs) {
    graph::Operator op;
    op.kind = kind;
    op.type = std::string(graph::TraitsOf(kind).name);
    for (TensorId id : inputs) ++reads_[id.index()];
    op.inputs = std::move(inputs);
    op.outputs = std::move(outputs);
    if (options_.scratch && random_.Chance(25)) {
      op.scratch = random_.Between(1, 100);
    }
    main().operators.push_back(std::move(op));
  }

  void AddOperator() {
    constexpr std::array kArithmetic = {OpKind::kAdd, OpKind::kSub,
                                        OpKind::kMul};
    constexpr std::array kOthers = {OpKind::kL2Pool2d, OpKind::kReverseV2,
                                    OpKind::kTanh, OpKind::kAbs};
    const int64_t dice = random_.Between(1, 100);
    const TensorId a = Pick();
    if (dice <= options_.views) {
      Add(OpKind::kReshape, {a}, {NewTensor(ElementsOf(a))});
    } else if (dice <= options_.views + options_.overwriters) {
      const OpKind kind =
          kArithmetic[static_cast<size_t>(random_.Between(0, 2))];
      const TensorId b = PickLike(a);
      Add(kind, {a, b}, {NewTensor(ElementsOf(a))});
    } else if (!options_.one_size && random_.Chance(30)) {
      AddResizing(a);
    } else {
      Add(kOthers[static_cast<size_t>(random_.Between(0, 3))], {a},
          {NewTensor(ElementsOf(a))});
    }
  }

  void AddResizing(TensorId a) {
    const int64_t elements = ElementsOf(a);
    const TensorId b = Pick();
    if (random_.Chance(50) && elements + ElementsOf(b) <= kMostElements) {
      Add(OpKind::kConcatenation, {a, b},
          {NewTensor(elements + ElementsOf(b))});
    } else if (elements > 1) {
      const int64_t cut = random_.Between(1, elements - 1);
      const TensorId first = NewTensor(cut);
      Add(OpKind::kSplitV, {a}, {first, NewTensor(elements - cut)});
    } else {
      Add(OpKind::kTile, {a}, {NewTensor(random_.Between(1, 16))});
    }
  }

  void SetOutputs() {
    for (const graph::Operator& op : main().operators) {
      for (size_t o = 0; o < op.outputs.size(); ++o) {
        const TensorId id = op.outputs[o];
        const bool dead = o > 0 && random_.Chance(50);
        if (reads_[id.index()] == 0 && !dead) main().outputs.push_back(id);
      }
    }
  }

  testing::Random random_;
  RandomGraphOptions options_;
  graph::Model model_;
  std::vector<int> reads_;  // By tensor.
};

}  // namespace

graph::Model RandomGraph(uint64_t seed, const RandomGraphOptions& options) {
  return Builder(seed, options).Build();
}

}  // namespace stowplan
