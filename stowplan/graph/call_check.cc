// SPDX-License-Identifier: Apache-2.0
#include "stowplan/graph/call_check.h"

#include <algorithm>
#include <string>
#include <vector>

namespace stowplan::graph {
namespace {

class CallCheck {
 public:
  explicit CallCheck(const Model& model)
      : model_(model), height_(model.subgraphs.size(), kNew) {}

  std::optional<ModelFault> Find() {
    for (size_t i = 0; i < model_.subgraphs.size(); ++i) {
      if (auto fault = Visit(i, 0)) return fault;
    }
    return std::nullopt;
  }

 private:
  static constexpr int kNew = -1;
  static constexpr int kOpen = -2;

  // Recursion ends at kMaxCallDepth.
  std::optional<ModelFault> Visit(size_t subgraph, int depth) {
    if (height_[subgraph] >= 0) return std::nullopt;
    height_[subgraph] = kOpen;
    int height = 0;
    const std::vector<Operator>& ops = model_.subgraphs[subgraph].operators;
    for (size_t i = 0; i < ops.size(); ++i) {
      for (size_t k = 0; k < ops[i].callees.size(); ++k) {
        const size_t callee = ops[i].callees[k].index();
        if (height_[callee] == kOpen) {
          return Fault(subgraph, i, k,
                       "calls itself, directly or through "
                       "the subgraphs it calls");
        }
        if (depth < kMaxCallDepth) {
          if (auto fault = Visit(callee, depth + 1)) return fault;
        }
        if (depth >= kMaxCallDepth || height_[callee] >= kMaxCallDepth) {
          return Fault(subgraph, i, k,
                       "is called through more than " +
                           std::to_string(kMaxCallDepth) + " subgraphs");
        }
        height = std::max(height, height_[callee] + 1);
      }
    }
    height_[subgraph] = height;
    return std::nullopt;
  }

  static std::optional<ModelFault> Fault(size_t subgraph, size_t op,
                                         size_t callee, std::string what) {
    return ModelFault{
        static_cast<int64_t>(subgraph),
        "ops",
        static_cast<int64_t>(op),
        "calls",
        static_cast<int64_t>(callee),
        std::move(what),
        "let subgraphs call only subgraphs that do not lead back"};
  }

  const Model& model_;
  std::vector<int> height_;  // By subgraph: the longest chain of calls below.
};

}  // namespace

std::optional<ModelFault> FindCallFault(const Model& model) {
  return CallCheck(model).Find();
}

}  // namespace stowplan::graph
