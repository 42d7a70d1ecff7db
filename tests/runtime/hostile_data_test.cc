// SPDX-License-Identifier: Apache-2.0
//
// Positions, sizes and axes that come as data at a run, with values that make
// no sense. Every input and output has a block of its own, just as large as it
// is, so that under the address sanitizer a read or a write beside it ends the
// test. An operator answers with a result or with one error.
#include <array>
#include <limits>

#include "tests/runtime/runtime_case.h"

namespace stowplan::tests {
namespace {

using runtime::Interpreter;
using testing::ElementType;
using testing::ModelBuilder;
using testing::Option;

constexpr ElementType kFloat = ElementType::FLOAT32;
constexpr ElementType kInt = ElementType::INT32;

struct Operand {
  ElementType type = kFloat;
  std::vector<int32_t> shape;
};

struct Case {
  std::string type;
  std::vector<Operand> inputs;
  std::vector<Operand> outputs;
  std::vector<Option> options = {};
};

std::vector<Case> AllCases() {
  const Operand x = {kFloat, {4, 6}};
  const Operand image = {kFloat, {1, 4, 4, 2}};
  const auto ints = [](int32_t n) { return Operand{kInt, {n}}; };
  const Operand number = {kInt, {}};
  const Operand pairs = {kInt, {2, 2}};
  return {
      {"SLICE", {x, ints(2), ints(2)}, {{kFloat, {2, 3}}}},
      {"STRIDED_SLICE", {x, ints(2), ints(2), ints(2)}, {{kFloat, {2, 3}}}},
      {"GATHER", {x, ints(5)}, {{kFloat, {5, 6}}}},
      {"GATHER_ND", {x, {kInt, {3, 2}}}, {{kFloat, {3}}}},
      {"SCATTER_ND", {{kInt, {3, 2}}, {kFloat, {3}}, ints(2)}, {x}},
      {"DYNAMIC_UPDATE_SLICE", {x, {kFloat, {2, 2}}, ints(2)}, {x}},
      {"TILE", {x, ints(2)}, {{kFloat, {8, 6}}}},
      {"PAD", {x, pairs}, {{kFloat, {6, 8}}}},
      {"PADV2", {x, pairs, {kFloat, {}}}, {{kFloat, {6, 8}}}},
      {"MIRROR_PAD", {x, pairs}, {{kFloat, {6, 8}}}},
      {"TRANSPOSE", {x, ints(2)}, {{kFloat, {6, 4}}}},
      {"TRANSPOSE", {{kFloat, {4, 4}}, ints(2)}, {{kFloat, {4, 4}}}},
      {"RESHAPE", {x, ints(2)}, {{kFloat, {3, 8}}}},
      {"EXPAND_DIMS", {x, number}, {{kFloat, {4, 1, 6}}}},
      {"BROADCAST_TO", {{kFloat, {6}}, ints(2)}, {x}},
      {"FILL", {ints(2), {kFloat, {}}}, {x}},
      {"RANGE", {number, number, number}, {{kInt, {5}}}},
      {"ONE_HOT",
       {ints(4), number, {kFloat, {}}, {kFloat, {}}},
       {{kFloat, {4, 5}}},
       {{"axis", -1}}},
      {"SPLIT",
       {number, x},
       {{kFloat, {2, 6}}, {kFloat, {2, 6}}},
       {{"num_splits", 2}}},
      {"SPLIT_V",
       {x, ints(2), number},
       {{kFloat, {1, 6}}, {kFloat, {3, 6}}},
       {{"num_splits", 2}}},
      {"ARG_MAX", {x, number}, {ints(4)}, {{"output_type", "INT32"}}},
      {"ARG_MIN", {x, number}, {ints(4)}, {{"output_type", "INT32"}}},
      {"SUM", {x, ints(1)}, {{kFloat, {4}}}},
      {"MEAN", {x, ints(1)}, {{kFloat, {4}}}},
      {"REDUCE_MAX", {x, ints(2)}, {{kFloat, {}}}},
      {"CUMSUM", {x, number}, {x}},
      {"REVERSE_V2", {x, ints(1)}, {x}},
      {"REVERSE_SEQUENCE",
       {x, ints(4)},
       {x},
       {{"seq_dim", 1}, {"batch_dim", 0}}},
      {"TOPK_V2", {x, number}, {{kFloat, {4, 3}}, {kInt, {4, 3}}}},
      {"SEGMENT_SUM", {x, ints(4)}, {{kFloat, {3, 6}}}},
      {"UNSORTED_SEGMENT_SUM", {x, ints(4), number}, {{kFloat, {3, 6}}}},
      {"EMBEDDING_LOOKUP", {ints(3), x}, {{kFloat, {3, 6}}}},
      {"RESIZE_BILINEAR", {image, ints(2)}, {{kFloat, {1, 8, 8, 2}}}},
      {"RESIZE_NEAREST_NEIGHBOR", {image, ints(2)}, {{kFloat, {1, 8, 8, 2}}}},
      {"SPACE_TO_BATCH_ND", {image, ints(2), pairs}, {{kFloat, {4, 2, 2, 2}}}},
      {"BATCH_TO_SPACE_ND", {{kFloat, {4, 2, 2, 2}}, ints(2), pairs}, {image}},
      {"TRANSPOSE_CONV",
       {ints(4), {kFloat, {2, 3, 3, 2}}, image},
       {{kFloat, {1, 8, 8, 2}}},
       {{"padding", "SAME"}, {"stride_w", 2}, {"stride_h", 2}}},
      {"SPARSE_TO_DENSE",
       {{kInt, {3, 2}}, ints(2), {kFloat, {3}}, {kFloat, {}}},
       {x}},
      {"NON_MAX_SUPPRESSION_V4",
       {{kFloat, {5, 4}}, {kFloat, {5}}, number, {kFloat, {}}, {kFloat, {}}},
       {ints(3), number}},
      {"BROADCAST_ARGS", {ints(2), ints(2)}, {ints(2)}},
      {"DYNAMIC_UPDATE_SLICE", {x, {kFloat, {4, 6}}, ints(2)}, {x}},
  };
}

// A block of just that size, at a multiple of 64.
class Exact {
 public:
  explicit Exact(size_t size)
      : memory_(new (std::align_val_t{64}) std::byte[size]()), size_(size) {}
  ~Exact() { operator delete[](memory_, std::align_val_t{64}); }
  Exact(const Exact&) = delete;
  Exact& operator=(const Exact&) = delete;
  std::span<std::byte> span() const { return {memory_, size_}; }

 private:
  std::byte* memory_;
  size_t size_;
};

size_t BytesIn(const Operand& operand) {
  size_t bytes = operand.type == ElementType::COMPLEX64 ? 8 : 4;
  for (int32_t extent : operand.shape) bytes *= static_cast<size_t>(extent);
  return bytes;
}

ModelPointer Build(const Case& one) {
  ModelBuilder builder;
  std::vector<int32_t> inputs;
  std::vector<int32_t> outputs;
  for (const Operand& operand : one.inputs) {
    inputs.push_back(builder.AddTensor(
        {"in" + std::to_string(inputs.size()), operand.type, operand.shape}));
  }
  for (const Operand& operand : one.outputs) {
    outputs.push_back(builder.AddTensor(
        {"out" + std::to_string(outputs.size()), operand.type, operand.shape}));
  }
  builder.AddOperator(one.type, inputs, outputs, one.options);
  builder.SetBoundary(inputs, outputs);
  return ModelOf(builder.Build());
}

constexpr std::array<int32_t, 13> kHostile = {
    0,
    1,
    2,
    3,
    5,
    6,
    7,
    -1,
    -2,
    -5,
    1000000,
    std::numeric_limits<int32_t>::max(),
    std::numeric_limits<int32_t>::min()};

struct Answers {
  int results = 0;
  int errors = 0;
};

void Fill(std::span<std::byte> block, ElementType type, uint64_t* state) {
  for (size_t at = 0; at < block.size(); at += 4) {
    *state = *state * 6364136223846793005u + 1442695040888963407u;
    const int32_t whole = kHostile[(*state >> 33) % kHostile.size()];
    const float real = static_cast<float>(static_cast<int32_t>(*state >> 40));
    if (type == kInt) {
      std::memcpy(&block[at], &whole, 4);
    } else {
      std::memcpy(&block[at], &real, 4);
    }
  }
}

// Outputs in blocks of their own where that can be: not if the data decides
// their size.
std::unique_ptr<Interpreter> Prepare(
    const ModelFile& model, const std::vector<std::unique_ptr<Exact>>& inputs,
    const std::vector<std::unique_ptr<Exact>>& outputs) {
  for (bool outside : {true, false}) {
    runtime::InterpreterOptions options;
    options.overflow_limit = Bytes{1} << 20;
    auto interpreter = MakeInterpreter(model, options);
    for (size_t i = 0; i < inputs.size(); ++i) {
      EXPECT_TRUE(interpreter->UseMemoryForInput(i, inputs[i]->span()));
    }
    for (size_t i = 0; i < outputs.size() && outside; ++i) {
      EXPECT_TRUE(interpreter->UseMemoryForOutput(i, outputs[i]->span()));
    }
    const Status status = interpreter->AllocateTensors();
    if (status) return interpreter;
    EXPECT_TRUE(outside) << status.error().ToString();
  }
  return nullptr;
}

Answers RunHostile(const Case& one, int runs) {
  const ModelPointer model = Build(one);
  std::vector<std::unique_ptr<Exact>> inputs;
  std::vector<std::unique_ptr<Exact>> outputs;
  for (const Operand& operand : one.inputs) {
    inputs.push_back(std::make_unique<Exact>(BytesIn(operand)));
  }
  for (const Operand& operand : one.outputs) {
    outputs.push_back(std::make_unique<Exact>(BytesIn(operand)));
  }
  Answers answers;
  auto interpreter = Prepare(*model, inputs, outputs);
  if (interpreter == nullptr) return answers;
  uint64_t state = 42;
  for (int run = 0; run < runs; ++run) {
    for (size_t i = 0; i < inputs.size(); ++i) {
      EXPECT_TRUE(interpreter->input(i));
      Fill(inputs[i]->span(), one.inputs[i].type, &state);
    }
    const Status status = interpreter->Invoke();
    ++(status ? answers.results : answers.errors);
    if (!status) {
      EXPECT_FALSE(status.error().ToString().empty());
    }
  }
  return answers;
}

class HostileDataTest : public ::testing::TestWithParam<Case> {};

TEST_P(HostileDataTest, NoValueMakesTheOperatorLeaveItsTensors) {
  const Answers answers = RunHostile(GetParam(), 500);
  EXPECT_EQ(answers.results + answers.errors, 500);
}

INSTANTIATE_TEST_SUITE_P(Operators, HostileDataTest,
                         ::testing::ValuesIn(AllCases()), [](const auto& test) {
                           return std::to_string(test.index) + "_" +
                                  test.param.type;
                         });

}  // namespace
}  // namespace stowplan::tests
