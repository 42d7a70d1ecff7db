// SPDX-License-Identifier: Apache-2.0
//
// Positions, sizes and axes that come as data at a run, with values that make
// no sense, in 32 and in 64 bits. Every input and output has a block of its
// own, just as large as it is, so that under the address sanitizer a read or a
// write beside it ends the test. An operator answers with a result or with one
// error.
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

constexpr ElementType kLong = ElementType::INT64;

struct Operand {
  ElementType type = kFloat;
  std::vector<int32_t> shape;
  std::vector<int64_t> good = {};  // Integers that the operator can take.
};

// What runs with some values that make no sense end with.
enum class Expected {
  kBoth,     // Results and errors.
  kResults,  // Results only: each value has a meaning, or none is looked at.
};

struct Case {
  std::string type;
  std::vector<Operand> inputs;
  std::vector<Operand> outputs;
  std::vector<Option> options = {};
  Expected expected = Expected::kBoth;
};

Operand Ints(std::vector<int64_t> good) {
  const auto count = static_cast<int32_t>(good.size());
  return {kInt, {count}, std::move(good)};
}
Operand Pairs(std::vector<int64_t> good) {
  const auto count = static_cast<int32_t>(good.size());
  return {kInt, {count / 2, 2}, std::move(good)};
}
Operand Number(int64_t good) { return {kInt, {}, {good}}; }

const Operand kX = {kFloat, {4, 6}};
const Operand kReal = {kFloat, {}};
const Operand kImage = {kFloat, {1, 4, 4, 2}};

// Operators that take their numbers in 64 bits too.
std::vector<Case> CasesOfBothWidths() {
  const Operand numbers = {kInt, {2}};
  return {
      {"SLICE", {kX, Ints({1, 2}), Ints({2, 3})}, {{kFloat, {2, 3}}}},
      {"STRIDED_SLICE",
       {kX, Ints({0, 0}), Ints({4, 6}), Ints({2, 2})},
       {{kFloat, {2, 3}}}},
      {"STRIDED_SLICE",
       {kX, Ints({3, 1}), Ints({4, 5}), Ints({-2, 2})},
       {{kFloat, {2, 3}}},
       {{"begin_mask", 1}, {"end_mask", 1}, {"offset", true}}},
      {"GATHER", {kX, Ints({0, 3, 1, 2, 0})}, {{kFloat, {5, 6}}}},
      {"GATHER_ND", {kX, Pairs({0, 0, 3, 5, 1, 2})}, {{kFloat, {3}}}},
      {"SCATTER_ND",
       {Pairs({0, 0, 3, 5, 1, 2}), {kFloat, {3}}, Ints({4, 6})},
       {kX}},
      {"DYNAMIC_UPDATE_SLICE",
       {kX, {kFloat, {2, 2}}, Ints({1, 2})},
       {kX},
       {},
       Expected::kResults},
      {"DYNAMIC_UPDATE_SLICE",
       {kX, kX, Ints({0, 0})},
       {kX},
       {},
       Expected::kResults},
      {"TILE", {kX, Ints({2, 1})}, {{kFloat, {8, 6}}}},
      {"PAD", {kX, Pairs({1, 1, 1, 1})}, {{kFloat, {6, 8}}}},
      {"PADV2", {kX, Pairs({1, 1, 1, 1}), kReal}, {{kFloat, {6, 8}}}},
      {"MIRROR_PAD", {kX, Pairs({1, 1, 1, 1})}, {{kFloat, {6, 8}}}},
      {"TRANSPOSE", {kX, Ints({1, 0})}, {{kFloat, {6, 4}}}},
      {"TRANSPOSE", {{kFloat, {4, 4}}, Ints({1, 0})}, {{kFloat, {4, 4}}}},
      {"BROADCAST_TO", {{kFloat, {6}}, Ints({4, 6})}, {kX}},
      {"FILL", {Ints({4, 6}), kReal}, {kX}},
      {"ONE_HOT",
       {Ints({0, 1, 2, 3}), Number(5), kReal, kReal},
       {{kFloat, {4, 5}}},
       {{"axis", -1}}},
      {"SPLIT",
       {Number(0), kX},
       {{kFloat, {2, 6}}, {kFloat, {2, 6}}},
       {{"num_splits", 2}}},
      {"SPLIT_V",
       {kX, Ints({1, 3}), Number(0)},
       {{kFloat, {1, 6}}, {kFloat, {3, 6}}},
       {{"num_splits", 2}}},
      {"ARG_MAX", {kX, Number(1)}, {{kInt, {4}}}, {{"output_type", "INT32"}}},
      {"ARG_MIN", {kX, Number(1)}, {{kInt, {4}}}, {{"output_type", "INT32"}}},
      {"CUMSUM", {kX, Number(0)}, {kX}},
      {"REVERSE_V2", {kX, Ints({0})}, {kX}},
      {"REVERSE_SEQUENCE",
       {kX, Ints({1, 2, 3, 6})},
       {kX},
       {{"seq_dim", 1}, {"batch_dim", 0}}},
      {"TOPK_V2", {kX, Number(3)}, {{kFloat, {4, 3}}, {kInt, {4, 3}}}},
      {"SPACE_TO_BATCH_ND",
       {kImage, Ints({2, 2}), Pairs({0, 0, 0, 0})},
       {{kFloat, {4, 2, 2, 2}}}},
      {"BATCH_TO_SPACE_ND",
       {{kFloat, {4, 2, 2, 2}}, Ints({2, 2}), Pairs({0, 0, 0, 0})},
       {kImage}},
      {"SPARSE_TO_DENSE",
       {Pairs({0, 0, 1, 1, 3, 5}), Ints({4, 6}), {kFloat, {3}}, kReal},
       {kX}},
      {"NON_MAX_SUPPRESSION_V4",
       {{kFloat, {5, 4}}, {kFloat, {5}}, Number(3), kReal, kReal},
       {{kInt, {3}}, {kInt, {}}}},
      {"NON_MAX_SUPPRESSION_V5",
       {{kFloat, {5, 4}}, {kFloat, {5}}, Number(3), kReal, kReal, kReal},
       {{kInt, {3}}, {kFloat, {3}}, {kInt, {}}}},
      {"BROADCAST_ARGS",
       {Ints({4, 6}), Ints({4, 6})},
       {numbers},
       {},
       Expected::kResults},
  };
}

std::vector<Case> OtherCases() {
  return {
      {"RESHAPE",
       {kX, Ints({3, 8})},
       {{kFloat, {3, 8}}},
       {},
       Expected::kResults},
      {"EXPAND_DIMS",
       {kX, Number(1)},
       {{kFloat, {4, 1, 6}}},
       {},
       Expected::kResults},
      {"RANGE", {Number(0), Number(5), Number(1)}, {{kInt, {5}}}},
      {"RANGE",
       {{kLong, {}, {0}}, {kLong, {}, {5}}, {kLong, {}, {1}}},
       {{kLong, {5}}}},
      {"SUM", {kX, Ints({1})}, {{kFloat, {4}}}},
      {"MEAN", {kX, Ints({1})}, {{kFloat, {4}}}},
      {"REDUCE_MAX", {kX, Ints({0, 1})}, {kReal}},
      {"SEGMENT_SUM", {kX, Ints({0, 1, 2, 2})}, {{kFloat, {3, 6}}}},
      {"UNSORTED_SEGMENT_SUM",
       {kX, Ints({0, 1, 2, 0}), Number(3)},
       {{kFloat, {3, 6}}}},
      {"UNSORTED_SEGMENT_PROD",
       {{kInt, {2}, {1, 2}}, Ints({0, 0}), Number(1)},
       {{kInt, {1}}}},
      {"EMBEDDING_LOOKUP", {Ints({0, 1, 3}), kX}, {{kFloat, {3, 6}}}},
      {"RESIZE_BILINEAR",
       {kImage, Ints({8, 8})},
       {{kFloat, {1, 8, 8, 2}}},
       {},
       Expected::kResults},
      {"RESIZE_NEAREST_NEIGHBOR",
       {kImage, Ints({8, 8})},
       {{kFloat, {1, 8, 8, 2}}},
       {},
       Expected::kResults},
      {"TRANSPOSE_CONV",
       {Ints({1, 8, 8, 2}), {kFloat, {2, 3, 3, 2}}, kImage},
       {{kFloat, {1, 8, 8, 2}}},
       {{"padding", "SAME"}, {"stride_w", 2}, {"stride_h", 2}},
       Expected::kResults},
      {"CUMSUM", {{kInt, {4}, {1, 2, 3, 4}}, Number(0)}, {{kInt, {4}}}},
  };
}

std::vector<Case> AllCases() {
  std::vector<Case> all = OtherCases();
  for (const Case& one : CasesOfBothWidths()) {
    all.push_back(one);
    Case wide = one;
    for (Operand& input : wide.inputs) {
      if (input.type == kInt) input.type = kLong;
    }
    all.push_back(std::move(wide));
  }
  return all;
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
  size_t bytes = operand.type == kLong ? 8 : 4;
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

constexpr int64_t kMost = std::numeric_limits<int64_t>::max();
constexpr int64_t kLeast = std::numeric_limits<int64_t>::min();
// Of 32 bits their low half: 0 and -1 once more for the largest.
constexpr std::array<int64_t, 19> kHostile = {
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
    std::numeric_limits<int32_t>::min(),
    kMost,
    kMost - 1,
    kMost / 2 + 1,
    kLeast,
    kLeast + 1,
    kLeast / 2};
constexpr std::array<float, 4> kUnreal = {
    std::numeric_limits<float>::infinity(),
    -std::numeric_limits<float>::infinity(),
    std::numeric_limits<float>::quiet_NaN(), std::numeric_limits<float>::max()};

struct Answers {
  int results = 0;
  int errors = 0;
};

// Every fourth number makes no sense, or none in the first run.
void Fill(std::span<std::byte> block, const Operand& operand, bool first,
          uint64_t* state) {
  const size_t size = operand.type == kLong ? 8 : 4;
  for (size_t i = 0; i < block.size() / size; ++i) {
    *state = *state * 6364136223846793005u + 1442695040888963407u;
    const uint64_t draw = *state >> 33;
    const bool hostile = !first && draw % 4 == 0;
    if (operand.type == kFloat) {
      const float real = hostile ? kUnreal[draw / 4 % kUnreal.size()]
                                 : static_cast<float>(draw % 64) / 8 - 4;
      std::memcpy(&block[i * size], &real, size);
    } else {
      const int64_t whole =
          hostile ? kHostile[draw / 4 % kHostile.size()] : operand.good.at(i);
      // Little-endian: the low half comes first.
      std::memcpy(&block[i * size], &whole, size);
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
      Fill(inputs[i]->span(), one.inputs[i], run == 0, &state);
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
  EXPECT_GT(answers.results, 0);
  EXPECT_EQ(answers.errors > 0, GetParam().expected == Expected::kBoth);
}

// Moves the one content behind the FlatBuffer to an odd offset.
void MoveToOddOffset(std::vector<std::byte>& file) {
  const auto* model = tflite::schema::GetModel(file.data());
  for (const auto* buffer : *model->buffers()) {
    if (buffer->offset() <= 1) continue;
    const auto* table = reinterpret_cast<const flatbuffers::Table*>(buffer);
    const auto place = table->GetAddressOf(tflite::schema::Buffer::VT_OFFSET) -
                       reinterpret_cast<const uint8_t*>(file.data());
    const std::vector<std::byte> content(
        file.data() + buffer->offset(),
        file.data() + buffer->offset() + buffer->size());
    const uint64_t offset = file.size() | 1;
    file.resize(offset);
    file.insert(file.end(), content.begin(), content.end());
    std::memcpy(file.data() + place, &offset, sizeof offset);
    return;
  }
  FAIL() << "no content lies behind the FlatBuffer";
}

TEST(HostileFileTest, ScalesOfBlocksMayLieAtAnOddOffset) {
  ModelBuilder builder;
  testing::TensorSpec scales{"scales", ElementType::FLOAT16, {8}};
  scales.data = testing::BytesOf(std::vector<uint16_t>(8, 0x3C00));
  scales.outside = true;
  const int32_t x = builder.AddTensor({"x", kFloat, {1, 32}});
  testing::TensorSpec weights{"weights", ElementType::INT4, {4, 32}};
  weights.data.assign(64, std::byte{0x11});
  weights.quantization.block_size = 16;
  weights.quantization.block_scales = builder.AddTensor(scales);
  const int32_t w = builder.AddTensor(weights);
  const int32_t y = builder.AddTensor({"y", kFloat, {1, 4}});
  builder.AddOperator("FULLY_CONNECTED", {x, w}, {y});
  builder.SetBoundary({x}, {y});
  auto bytes = builder.Build();
  ASSERT_TRUE(bytes);
  MoveToOddOffset(*bytes);
  const ModelPointer model = ModelOf(std::move(bytes));
  ASSERT_NE(model, nullptr);
  const auto interpreter = MakeInterpreter(*model);
  ASSERT_TRUE(interpreter->AllocateTensors());
  const auto input = interpreter->input(0);
  ASSERT_TRUE(input);
  std::fill_n(reinterpret_cast<float*>(input->data.data()), 32, 1.0f);
  ASSERT_TRUE(interpreter->Invoke());
  const auto output = interpreter->output(0);
  ASSERT_TRUE(output);
  EXPECT_NEAR(*reinterpret_cast<const float*>(output->data.data()), 32.0f,
              1e-3f);
}

INSTANTIATE_TEST_SUITE_P(Operators, HostileDataTest,
                         ::testing::ValuesIn(AllCases()), [](const auto& test) {
                           return std::to_string(test.index) + "_" +
                                  test.param.type;
                         });

}  // namespace
}  // namespace stowplan::tests
