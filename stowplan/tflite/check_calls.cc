// SPDX-License-Identifier: Apache-2.0
#include <algorithm>
#include <string>
#include <vector>

#include "stowplan/base/checked_math.h"
#include "stowplan/tflite/callees.h"
#include "stowplan/tflite/check.h"
#include "stowplan/tflite/place.h"

namespace stowplan::tflite {
namespace {

// Far above real models (the deepest of the corpus nests 3), and low enough
// for those that follow the calls by recursion.
constexpr int64_t kDeepest = 64;
// Operators when every call is written out; a few hundred bytes of calls that
// call twice could ask for 2^64.
constexpr int64_t kMostSteps = 4'000'000;

class CallGraph {
 public:
  explicit CallGraph(const CheckContext& context) : context_(context) {}

  Status Check() {
    const size_t count = context_.model.subgraphs()->size();
    callees_.resize(count);
    for (size_t i = 0; i < count; ++i) callees_[i] = Callees(i);
    facts_.resize(count);
    for (size_t i = 0; i < count; ++i) {
      STOWPLAN_RETURN_IF_ERROR(Visit(i));
    }
    return {};
  }

 private:
  enum class State { kNew, kOpen, kDone };
  struct Facts {
    State state = State::kNew;
    int64_t depth = 0;  // Of calls below it.
    int64_t steps = 0;  // Operators, those of its callees included.
  };
  // A subgraph on the way down, and the next of its calls to follow.
  struct Frame {
    size_t subgraph;
    size_t next = 0;
  };

  const schema::SubGraph& Graph(size_t subgraph) const {
    return *context_.model.subgraphs()->Get(static_cast<uint32_t>(subgraph));
  }

  std::vector<size_t> Callees(size_t subgraph) const {
    std::vector<size_t> all;
    const auto* operators = Graph(subgraph).operators();
    for (size_t i = 0; i < SizeOf(operators); ++i) {
      const schema::Operator& op = *operators->Get(static_cast<uint32_t>(i));
      const schema::OperatorCode& code =
          *context_.model.operator_codes()->Get(op.opcode_index());
      for (int32_t callee : CalleesOf(BuiltinOf(code), op)) {
        all.push_back(static_cast<size_t>(callee));
      }
    }
    return all;
  }

  tl::unexpected<Error> Refuse(size_t subgraph, std::string what) const {
    return BadInput(
        PlaceOf("subgraph", subgraph, ViewOf(Graph(subgraph).name()),
                context_.file.data(), &Graph(subgraph)),
        std::move(what), "convert the model again");
  }

  // Depth first, without recursion: the file decides how deep it goes.
  Status Visit(size_t root) {
    if (facts_[root].state == State::kDone) return {};
    std::vector<Frame> way = {{root}};
    facts_[root].state = State::kOpen;
    while (!way.empty()) {
      Frame& frame = way.back();
      if (frame.next == callees_[frame.subgraph].size()) {
        STOWPLAN_RETURN_IF_ERROR(Close(frame.subgraph));
        way.pop_back();
        continue;
      }
      const size_t callee = callees_[frame.subgraph][frame.next++];
      if (facts_[callee].state == State::kOpen) {
        return Refuse(callee, "it calls itself, directly or through others");
      }
      if (facts_[callee].state == State::kDone) continue;
      facts_[callee].state = State::kOpen;
      way.push_back({callee});
    }
    return {};
  }

  // All callees are known; so is this one then.
  Status Close(size_t subgraph) {
    Facts& facts = facts_[subgraph];
    facts.state = State::kDone;
    facts.steps = static_cast<int64_t>(SizeOf(Graph(subgraph).operators()));
    for (size_t callee : callees_[subgraph]) {
      facts.depth = std::max(facts.depth, facts_[callee].depth + 1);
      // Each is at most kMostSteps, so the sum cannot overflow on the way.
      facts.steps += facts_[callee].steps;
      if (facts.depth > kDeepest || facts.steps > kMostSteps) {
        return Refuse(subgraph,
                      "its calls go deeper than " + std::to_string(kDeepest) +
                          " or to more than " + std::to_string(kMostSteps) +
                          " operators when they are written out");
      }
    }
    return {};
  }

  const CheckContext& context_;
  std::vector<std::vector<size_t>> callees_;
  std::vector<Facts> facts_;
};

}  // namespace

Status CheckCalls(CheckContext& context) { return CallGraph(context).Check(); }

}  // namespace stowplan::tflite
