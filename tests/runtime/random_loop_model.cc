// SPDX-License-Identifier: Apache-2.0
#include "tests/runtime/random_loop_model.h"

#include <string>
#include <utility>
#include <vector>

#include "stowplan/testing/model_builder.h"
#include "stowplan/testing/problem_random.h"

namespace stowplan::tests {
namespace {

using testing::BytesOf;
using testing::ElementType;
using testing::ModelBuilder;

// A tensor of the subgraph that is filled, and its number of elements.
struct Value {
  int32_t id;
  int32_t extent;
};

class LoopModel {
 public:
  explicit LoopModel(uint64_t seed) : random_(seed) {}

  examples::ModelBytes Build() {
    std::vector<Value> inputs;
    const int count = Below(4) + 1;
    for (int i = 0; i < count; ++i) inputs.push_back(Add(Extent()));
    std::vector<int32_t> ids;
    for (const Value& input : inputs) ids.push_back(input.id);
    if (Below(2) == 0) inputs[0] = Unary(inputs[0]);
    const Callees callees = AddCallees(0, inputs, 2);
    std::vector<Value> results = Loop(0, callees, inputs);
    if (Below(4) == 0) results = Loop(0, callees, results);
    if (Below(2) == 0) results.back() = Unary(results.back());
    std::vector<int32_t> outputs;
    for (const Value& result : results) outputs.push_back(result.id);
    builder_.SetBoundary(ids, outputs);
    return builder_.Build();
  }

 private:
  struct Callees {
    int32_t condition;
    int32_t body;
  };

  int Below(int limit) {
    return static_cast<int>(random_.Between(0, limit - 1));
  }
  int32_t Extent() { return Below(3) == 0 ? 24 : 8; }

  std::string Name() { return "t" + std::to_string(next_++); }
  Value Add(int32_t extent) {
    return {builder_.AddTensor({Name(), ElementType::FLOAT32, {extent}}),
            extent};
  }
  int32_t Counter() {
    return builder_.AddTensor({Name(), ElementType::INT32, {}});
  }
  int32_t Constant(int32_t value) {
    return builder_.AddTensor({Name(),
                               ElementType::INT32,
                               {},
                               {},
                               BytesOf(std::vector<int32_t>{value})});
  }
  int32_t Vector(const std::vector<int32_t>& values) {
    return builder_.AddTensor({Name(),
                               ElementType::INT32,
                               {static_cast<int32_t>(values.size())},
                               {},
                               BytesOf(values)});
  }

  Value Unary(Value of) {
    static constexpr const char* kTypes[] = {"NEG", "ABS", "TANH", "RELU"};
    const Value out = Add(of.extent);
    builder_.AddOperator(kTypes[Below(4)], {of.id}, {out.id});
    return out;
  }

  Value Binary(Value a, Value b) {
    static constexpr const char* kTypes[] = {"ADD", "SUB", "MUL", "MAXIMUM"};
    const Value out = Add(a.extent);
    builder_.AddOperator(kTypes[Below(4)], {a.id, b.id}, {out.id});
    return out;
  }

  // The value as a matrix.
  int32_t View(Value of) {
    const std::vector<int32_t> shape = {2, of.extent / 2};
    const int32_t view =
        builder_.AddTensor({Name(), ElementType::FLOAT32, shape});
    builder_.AddOperator("RESHAPE", {of.id, Vector(shape)}, {view});
    return view;
  }

  // The same value behind two views.
  Value ThereAndBack(Value of) {
    const int32_t view = View(of);
    const Value out = Add(of.extent);
    builder_.AddOperator("RESHAPE", {view, Vector({of.extent})}, {out.id});
    return out;
  }

  // Any value of that extent; there is one.
  Value Pick(const std::vector<Value>& values, int32_t extent) {
    while (true) {
      const Value& value =
          values[static_cast<size_t>(Below(static_cast<int>(values.size())))];
      if (value.extent == extent) return value;
    }
  }

  // Condition and body for a state like `like`; then `home` is filled again.
  Callees AddCallees(int32_t home, const std::vector<Value>& like, int depth) {
    const Callees callees = {builder_.AddSubgraph("condition"),
                             builder_.AddSubgraph("body")};
    builder_.Select(callees.condition);
    FillCondition(like);
    builder_.Select(callees.body);
    FillBody(callees.body, like, depth);
    builder_.Select(home);
    return callees;
  }

  // The arguments, the counter first.
  std::vector<int32_t> Arguments(const std::vector<Value>& like,
                                 std::vector<Value>* values) {
    std::vector<int32_t> ids = {Counter()};
    for (const Value& value : like) {
      values->push_back(Add(value.extent));
      ids.push_back(values->back().id);
    }
    return ids;
  }

  void FillCondition(const std::vector<Value>& like) {
    std::vector<Value> values;
    const std::vector<int32_t> ids = Arguments(like, &values);
    for (const Value& value : values) {
      if (Below(4) == 0) Unary(value);
      if (Below(4) == 0) View(value);
    }
    int32_t count = ids[0];
    if (Below(3) == 0) {
      const int32_t next = Counter();
      builder_.AddOperator("ADD", {count, Constant(1)}, {next});
      count = next;
    }
    const int32_t go = builder_.AddTensor({Name(), ElementType::BOOL, {}});
    builder_.AddOperator("LESS", {count, Constant(Below(4))}, {go});
    builder_.SetBoundary(ids, {go});
  }

  void FillBody(int32_t self, const std::vector<Value>& like, int depth) {
    std::vector<Value> values;
    const std::vector<int32_t> ids = Arguments(like, &values);
    const std::vector<Value> arguments = values;
    const int operators = Below(6);
    for (int i = 0; i < operators; ++i) {
      const Value value = Pick(values, values[0].extent);
      switch (Below(4)) {
        case 0:
          values.push_back(Binary(value, Pick(values, value.extent)));
          break;
        case 1:
          values.push_back(ThereAndBack(value));
          break;
        default:
          values.push_back(Unary(value));
      }
    }
    if (depth > 1 && Below(3) == 0) {
      const Callees callees = AddCallees(self, arguments, depth - 1);
      std::vector<Value> state;
      for (const Value& argument : arguments) {
        state.push_back(Pick(values, argument.extent));
      }
      for (const Value& value : Loop(self, callees, state)) {
        values.push_back(value);
      }
    }
    const int32_t next = Counter();
    builder_.AddOperator("ADD", {ids[0], Constant(1)}, {next});
    std::vector<int32_t> outputs = {next};
    for (size_t i = 0; i < like.size(); ++i) {
      outputs.push_back(Result(values, arguments[i]).id);
    }
    builder_.SetBoundary(ids, outputs);
  }

  // The argument as it is, another value, or what comes of the argument.
  Value Result(const std::vector<Value>& values, Value argument) {
    switch (Below(4)) {
      case 0:
        return argument;
      case 1:
        return Unary(Unary(argument));
      default:
        return Pick(values, argument.extent);
    }
  }

  std::vector<Value> Loop(int32_t home, Callees callees,
                          const std::vector<Value>& state) {
    std::vector<int32_t> inputs = {Constant(0)};
    std::vector<int32_t> outputs = {Counter()};
    std::vector<Value> results;
    for (const Value& value : state) {
      inputs.push_back(value.id);
      results.push_back(Add(value.extent));
      outputs.push_back(results.back().id);
    }
    builder_.Select(home);
    builder_.AddOperator("WHILE", inputs, outputs,
                         {{"cond_subgraph_index", callees.condition},
                          {"body_subgraph_index", callees.body}});
    return results;
  }

  ModelBuilder builder_;
  testing::Random random_;
  int next_ = 0;
};

}  // namespace

examples::ModelBytes RandomLoopModel(uint64_t seed) {
  return LoopModel(seed).Build();
}

}  // namespace stowplan::tests
