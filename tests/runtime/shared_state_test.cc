// SPDX-License-Identifier: Apache-2.0
//
// Signatures of one model, each with an interpreter of its own, and the state
// between them: resource variables through Resources, caches that a model
// passes as inputs and outputs through memory of the caller.
#include <algorithm>
#include <array>

#include "tests/runtime/runtime_case.h"

namespace stowplan::tests {
namespace {

using runtime::Interpreter;
using runtime::InterpreterOptions;
using runtime::Resources;
using testing::BytesOf;
using testing::ElementType;
using testing::ModelBuilder;

// A handle to the variable "total" in the subgraph that is selected.
int32_t AddHandle(ModelBuilder& builder) {
  const int32_t handle =
      builder.AddTensor({"handle", ElementType::RESOURCE, {}});
  builder.AddOperator("VAR_HANDLE", {}, {handle},
                      {{"container", ""}, {"shared_name", "total"}});
  return handle;
}

int32_t AddFloat(ModelBuilder& builder, const char* name) {
  return builder.AddTensor({name, ElementType::FLOAT32, {4}});
}

void CallInitialiser(ModelBuilder& builder) {
  builder.AddOperator("CALL_ONCE", {}, {}, {{"init_subgraph_index", 2}});
}

// add(x): total += x, returns it. read(): returns total. Both initialise total
// to 100, once.
ModelPointer Counter() {
  ModelBuilder builder;
  CallInitialiser(builder);
  const int32_t handle = AddHandle(builder);
  const int32_t x = AddFloat(builder, "x");
  const int32_t old = AddFloat(builder, "old");
  const int32_t sum = AddFloat(builder, "sum");
  builder.AddOperator("READ_VARIABLE", {handle}, {old});
  builder.AddOperator("ADD", {old, x}, {sum});
  builder.AddOperator("ASSIGN_VARIABLE", {handle, sum}, {});
  builder.SetBoundary({x}, {sum});
  builder.AddSignature("add", {{"x", x}}, {{"sum", sum}});

  builder.AddSubgraph("read");
  CallInitialiser(builder);
  const int32_t other = AddHandle(builder);
  const int32_t total = AddFloat(builder, "total");
  builder.AddOperator("READ_VARIABLE", {other}, {total});
  builder.SetBoundary({}, {total});
  builder.AddSignature("read", {}, {{"total", total}});

  builder.AddSubgraph("initialise");
  const int32_t own = AddHandle(builder);
  const int32_t start =
      builder.AddTensor({"start",
                         ElementType::FLOAT32,
                         {4},
                         {},
                         BytesOf(std::vector<float>(4, 100.0f))});
  builder.AddOperator("ASSIGN_VARIABLE", {own, start}, {});
  builder.SetBoundary({}, {});
  return ModelOf(builder.Build());
}

std::unique_ptr<Interpreter> MakeSignature(const ModelFile& model,
                                           const std::string& signature,
                                           Resources* resources) {
  InterpreterOptions options;
  options.signature = signature;
  options.resources = resources;
  auto interpreter = MakeInterpreter(model, options);
  const Status status = interpreter->AllocateTensors();
  EXPECT_TRUE(status) << status.error().ToString();
  return interpreter;
}

float Add(Interpreter& add, float x) {
  auto input = add.input(0).value();
  std::fill_n(reinterpret_cast<float*>(input.data.data()), 4, x);
  const Status status = add.Invoke();
  EXPECT_TRUE(status) << status.error().ToString();
  return *reinterpret_cast<float*>(add.output(0).value().data.data());
}

float Read(Interpreter& read) {
  const Status status = read.Invoke();
  EXPECT_TRUE(status) << status.error().ToString();
  return *reinterpret_cast<float*>(read.output(0).value().data.data());
}

TEST(SharedStateTest, WithoutResourcesEverySignatureHasStateOfItsOwn) {
  const ModelPointer model = Counter();
  auto add = MakeSignature(*model, "add", nullptr);
  auto read = MakeSignature(*model, "read", nullptr);
  EXPECT_EQ(Add(*add, 1), 101);
  EXPECT_EQ(Add(*add, 1), 102);
  EXPECT_EQ(Read(*read), 100);
  EXPECT_EQ(add->memory().persistent, 64);
}

TEST(SharedStateTest, SignaturesShareVariablesAndWhatInitialisesThem) {
  const ModelPointer model = Counter();
  Resources resources;
  auto add = MakeSignature(*model, "add", &resources);
  EXPECT_EQ(Add(*add, 1), 101);
  auto read = MakeSignature(*model, "read", &resources);  // Comes later.
  EXPECT_EQ(Read(*read), 101);
  EXPECT_EQ(Add(*add, 5), 106);
  EXPECT_EQ(Read(*read), 106);
  // The bytes are counted once, and not in persistent memory.
  EXPECT_EQ(resources.bytes(), 64);
  EXPECT_EQ(add->memory().persistent, 0);
  EXPECT_EQ(read->memory().persistent, 0);
}

TEST(SharedStateTest, ResetVariablesResetsTheSharedOnesForAll) {
  const ModelPointer model = Counter();
  Resources resources;
  auto add = MakeSignature(*model, "add", &resources);
  auto read = MakeSignature(*model, "read", &resources);
  EXPECT_EQ(Add(*add, 7), 107);
  read->ResetVariables();
  EXPECT_EQ(Read(*read), 100);
  EXPECT_EQ(Add(*add, 1), 101);
}

TEST(SharedStateTest, SharedStateOutlivesTheInterpreters) {
  const ModelPointer model = Counter();
  Resources resources;
  EXPECT_EQ(Add(*MakeSignature(*model, "add", &resources), 2), 102);
  EXPECT_EQ(Add(*MakeSignature(*model, "add", &resources), 2), 104);
  EXPECT_EQ(Read(*MakeSignature(*model, "read", &resources)), 104);
}

TEST(SharedStateTest, SharedVariablesMayLieInTheCallersMemory) {
  const ModelPointer model = Counter();
  alignas(64) std::array<std::byte, 64> memory = {};
  Resources small({memory.data(), 8});
  InterpreterOptions options;
  options.signature = "add";
  options.resources = &small;
  auto interpreter = MakeInterpreter(*model, options);
  const Status status = interpreter->AllocateTensors();
  ASSERT_FALSE(status);
  EXPECT_EQ(status.error().what, "it needs 16 bytes, 8 more than there are");
  Resources enough(memory);
  auto add = MakeSignature(*model, "add", &enough);
  EXPECT_EQ(Add(*add, 1), 101);
  float total = 0;
  std::memcpy(&total, memory.data(), sizeof(total));
  EXPECT_EQ(total, 101);
}

TEST(SharedStateTest, ResourcesOfAnotherModelAreRefused) {
  const ModelPointer model = Counter();
  const ModelPointer other = ModelOf(examples::FourOperators());
  Resources resources;
  auto add = MakeSignature(*model, "add", &resources);
  InterpreterOptions options;
  options.resources = &resources;
  auto interpreter = MakeInterpreter(*other, options);
  const Status status = interpreter->AllocateTensors();
  ASSERT_FALSE(status);
  EXPECT_EQ(status.error().where, "resources");
}

TEST(SharedStateTest, ResourcesOfAModelWithAsManySubgraphsAreRefused) {
  const ModelPointer model = Counter();
  const ModelPointer other = Counter();  // Its constants lie elsewhere.
  ASSERT_EQ(model->graph.storage, nullptr);
  Resources resources;
  auto add = MakeSignature(*model, "add", &resources);
  InterpreterOptions options;
  options.resources = &resources;
  options.signature = "read";
  ASSERT_TRUE(MakeInterpreter(*model, options)->AllocateTensors());
  const Status status = MakeInterpreter(*other, options)->AllocateTensors();
  ASSERT_FALSE(status);
  EXPECT_EQ(status.error().where, "resources");
}

TEST(SharedStateTest, ReleasedMemoryComesBackWithTheState) {
  const ModelPointer model = Counter();
  auto add = MakeSignature(*model, "add", nullptr);
  EXPECT_EQ(Add(*add, 1), 101);
  add->ReleaseNonPersistent();
  EXPECT_EQ(add->memory().arena_held, 0);
  EXPECT_EQ(add->memory().persistent_held, 64);
  EXPECT_FALSE(add->Invoke());
  EXPECT_FALSE(add->input(0));
  EXPECT_FALSE(add->output(0));
  ASSERT_TRUE(add->AllocateTensors());
  EXPECT_FALSE(add->Invoke());  // Its input went.
  EXPECT_EQ(Add(*add, 1), 102);
}

void CheckReset(const std::string& name, const ModelFile& model) {
  SCOPED_TRACE(name);
  auto interpreter = MakeInterpreter(model);
  ASSERT_TRUE(interpreter->AllocateTensors());
  const auto first = RunOnce(*interpreter);
  const auto second = RunOnce(*interpreter);
  ASSERT_TRUE(first && second);
  EXPECT_NE(*first, *second) << "it has no state";
  interpreter->ResetVariables();
  EXPECT_EQ(*RunOnce(*interpreter), *first);
  interpreter->ReleaseNonPersistent();
  ASSERT_TRUE(interpreter->AllocateTensors());
  EXPECT_EQ(*RunOnce(*interpreter), *second);
}

TEST(SharedStateTest, ResetVariablesBeginsAnew) {
  CheckReset("lstm_state", *ModelOf(examples::LstmState()));
  for (const char* name :
       {"generated/lstm_stream_fused_f32", "mww_vad_int8", "lyra_lyragan"}) {
    if (const ModelPointer model = SharedModel(name)) CheckReset(name, *model);
  }
}

// The public model: its signatures hand a cache on as output and input. It
// lies in memory of the caller, so that nobody copies it.
TEST(SharedStateTest, SignaturesHandACacheOnInTheCallersMemory) {
  const ModelPointer model = SharedModel("aeq_toy_kv_cache_multisig");
  if (model == nullptr) GTEST_SKIP() << "the model is not there";
  auto whole = MakeSignature(*model, "signature_1", nullptr);
  auto next = MakeSignature(*model, "signature_2", nullptr);
  ASSERT_EQ(whole->InputName(0), "cache_0");
  ASSERT_EQ(whole->InputName(1), "cache_1");
  ASSERT_EQ(whole->OutputName(1), "output_1_0");
  ASSERT_EQ(whole->OutputName(2), "output_1_1");
  const auto copied = RunOnce(*whole);
  ASSERT_TRUE(copied);
  ASSERT_TRUE(FillInputs(*next));
  for (size_t i = 0; i < 2; ++i) {
    const auto from = whole->output(i + 1).value().data;
    std::copy(from.begin(), from.end(), next->input(i).value().data.begin());
  }
  ASSERT_TRUE(next->Invoke());
  const auto expected = OutputBytes(*next);
  ASSERT_TRUE(expected);

  constexpr size_t kCache = 1 * 100 * 4 * 4 * sizeof(float);
  struct alignas(64) Cache {
    std::byte bytes[kCache];
  };
  std::vector<Cache> caches(2);
  const Bytes before = whole->memory().arena;
  for (size_t i = 0; i < 2; ++i) {
    ASSERT_TRUE(whole->UseMemoryForOutput(i + 1, caches[i].bytes));
    ASSERT_TRUE(next->UseMemoryForInput(i, caches[i].bytes));
  }
  ASSERT_TRUE(whole->AllocateTensors());
  ASSERT_TRUE(next->AllocateTensors());
  EXPECT_LE(whole->memory().arena, before);
  ASSERT_TRUE(RunOnce(*whole));
  for (size_t i = 2; i < next->inputs(); ++i) {
    auto input = next->input(i).value();
    ASSERT_TRUE(runtime::FillRandom(42, i, input.dtype, input.data));
  }
  ASSERT_TRUE(next->input(0));  // Its bytes are there.
  ASSERT_TRUE(next->input(1));
  ASSERT_TRUE(next->Invoke());
  EXPECT_EQ(*OutputBytes(*next), *expected);
}

}  // namespace
}  // namespace stowplan::tests
