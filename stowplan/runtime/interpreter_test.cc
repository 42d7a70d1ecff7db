// SPDX-License-Identifier: Apache-2.0
#include "stowplan/runtime/interpreter.h"

#include <gtest/gtest.h>

#include <chrono>

#include "stowplan/runtime/audit.h"
#include "stowplan/runtime/random_input.h"
#include "stowplan/runtime/test_models.h"

namespace stowplan::runtime {
namespace {

using graph::OpKind;
using graph::TensorId;

TEST(InterpreterTest, RunsAChainInTheBytesOfOneTensor) {
  const graph::Model model = Chain();
  auto interpreter = MakeInterpreter(model);
  ASSERT_TRUE(interpreter->AllocateTensors());
  EXPECT_EQ(interpreter->memory().arena, 256);
  SetAll(*interpreter, 0, 3.0f);
  ASSERT_TRUE(interpreter->Invoke());
  EXPECT_NEAR(First(interpreter->output(0).value()), 3.0f, 1e-6);
}

TEST(InterpreterTest, NamesTheOperatorThatOverwroteATensor) {
  const graph::Model model = Chain();
  auto interpreter = MakeInterpreter(model);
  ASSERT_TRUE(interpreter->AllocateTensors());
  SetAll(*interpreter, 0, 1.0f);
  ASSERT_TRUE(interpreter->Invoke());
  const auto recycled = interpreter->tensor(TensorId(1));
  ASSERT_FALSE(recycled);
  EXPECT_NE(recycled.error().what.find("operator 1 (EXP)"), std::string::npos)
      << recycled.error().what;
}

TEST(InterpreterTest, KeepsTheTensorsOnTheList) {
  const graph::Model model = Chain();
  InterpreterOptions options;
  options.rules.keep = {{graph::SubgraphId(0), TensorId(1)}};
  auto interpreter = MakeInterpreter(model, options);
  ASSERT_TRUE(interpreter->AllocateTensors());
  SetAll(*interpreter, 0, 2.0f);
  ASSERT_TRUE(interpreter->Invoke());
  const auto kept = interpreter->tensor(TensorId(1));
  ASSERT_TRUE(kept) << kept.error().ToString();
  EXPECT_EQ(First(*kept), -2.0f);
}

TEST(InterpreterTest, RefusesToRunOnARecycledInput) {
  const graph::Model model = Chain();
  auto interpreter = MakeInterpreter(model);
  ASSERT_TRUE(interpreter->AllocateTensors());
  EXPECT_FALSE(interpreter->Invoke());  // Never set.
  SetAll(*interpreter, 0, 2.0f);
  ASSERT_TRUE(interpreter->Invoke());
  const Status again = interpreter->Invoke();
  ASSERT_FALSE(again);
  EXPECT_NE(again.error().what.find("recycled"), std::string::npos);
}

TEST(InterpreterTest, RunsAgainOnAKeptInput) {
  const graph::Model model = Chain();
  InterpreterOptions options;
  options.rules.inputs = schedule::Io::kKeep;
  auto interpreter = MakeInterpreter(model, options);
  ASSERT_TRUE(interpreter->AllocateTensors());
  SetAll(*interpreter, 0, -5.0f);
  ASSERT_TRUE(interpreter->Invoke());
  ASSERT_TRUE(interpreter->Invoke());
  EXPECT_NEAR(First(interpreter->output(0).value()), 5.0f, 1e-5);
}

TEST(InterpreterTest, PlansAnewForEveryShapeAndShrinksAgain) {
  const graph::Model model = Chain();
  auto interpreter = MakeInterpreter(model);
  for (int round = 0; round < 20; ++round) {
    const int64_t size = round % 2 == 0 ? 1024 : 16;
    ASSERT_TRUE(interpreter->ResizeInput(0, {1, size}));
    EXPECT_FALSE(interpreter->Invoke());  // Not planned for it yet.
    ASSERT_TRUE(interpreter->AllocateTensors());
    EXPECT_EQ(interpreter->memory().arena, size * 4);
    EXPECT_EQ(interpreter->memory().arena_held, size * 4);
    SetAll(*interpreter, 0, 1.5f);
    ASSERT_TRUE(interpreter->Invoke());
    EXPECT_EQ(interpreter->output(0).value().data.size(),
              static_cast<size_t>(size) * 4);
  }
}

TEST(InterpreterTest, ReadsAndWritesTheCallersMemory) {
  const graph::Model model = Chain();
  auto interpreter = MakeInterpreter(model);
  alignas(64) float in[64];
  alignas(64) float out[64] = {};
  std::fill_n(in, 64, -4.0f);
  ASSERT_TRUE(
      interpreter->UseMemoryForInput(0, std::as_writable_bytes(std::span(in))));
  ASSERT_TRUE(interpreter->UseMemoryForOutput(
      0, std::as_writable_bytes(std::span(out))));
  ASSERT_TRUE(interpreter->AllocateTensors());
  ASSERT_TRUE(interpreter->input(0));
  ASSERT_TRUE(interpreter->Invoke());
  EXPECT_NEAR(out[63], 4.0f, 1e-5);
  EXPECT_EQ(in[0], -4.0f);
  ASSERT_TRUE(interpreter->Invoke());  // Its own bytes were not recycled.
}

TEST(InterpreterTest, TheCallersPiecesOfMemoryHaveNoBytesInCommon) {
  const graph::Model model = Chain();
  alignas(64) std::byte memory[1024];
  const auto fault = [&](size_t input, size_t output, size_t arena) {
    InterpreterOptions options;
    options.arena = {memory + arena, sizeof(memory) - arena};
    auto interpreter = MakeInterpreter(model, options);
    EXPECT_TRUE(interpreter->UseMemoryForInput(0, {memory + input, 256}));
    EXPECT_TRUE(interpreter->UseMemoryForOutput(0, {memory + output, 256}));
    const Status status = interpreter->AllocateTensors();
    return status ? "" : status.error().ToString();
  };
  EXPECT_EQ(fault(0, 256, 512), "");
  EXPECT_NE(fault(0, 0, 512).find("bytes in common with"), std::string::npos);
  EXPECT_NE(fault(0, 192, 512).find("bytes in common"), std::string::npos);
  EXPECT_NE(fault(0, 512, 512).find("with the arena"), std::string::npos);
}

TEST(InterpreterTest, GivenMemoryGrowsUntilItIsEnoughAndOnlyThenRuns) {
  const graph::Model model = Chain();
  alignas(64) std::byte memory[512];
  bool ran = false;
  for (size_t size = 64; size <= 512 && !ran; size += 64) {
    InterpreterOptions options;
    options.arena = {memory, size};
    auto interpreter = MakeInterpreter(model, options);
    const Status status = interpreter->AllocateTensors();
    ran = status.has_value();
    if (ran) {
      EXPECT_EQ(size, 256u);
    } else {
      EXPECT_NE(status.error().what.find("needs 256 bytes"), std::string::npos)
          << status.error().what;
    }
  }
  EXPECT_TRUE(ran);
}

TEST(InterpreterTest, ListsAllOperatorsWithoutAKernelAtOnce) {
  graph::Model model = Chain();
  model.subgraphs[0].operators[1].type = "MyExp";
  model.subgraphs[0].operators[1].kind = OpKind::kCustom;
  model.subgraphs[0].operators[3].type = "MyAbs";
  model.subgraphs[0].operators[3].kind = OpKind::kCustom;
  auto interpreter = MakeInterpreter(model);
  const Status status = interpreter->AllocateTensors();
  ASSERT_FALSE(status);
  EXPECT_NE(status.error().what.find("MyExp (float32)"), std::string::npos);
  EXPECT_NE(status.error().what.find("MyAbs (float32)"), std::string::npos);
}

TEST(InterpreterTest, RefusesASignatureThatIsNotThere) {
  const graph::Model model = Chain();
  InterpreterOptions options;
  options.planner = FirstFit;
  options.signature = "serve";
  EXPECT_FALSE(Interpreter::Create(model, options));
}

TEST(InterpreterTest, NamesTheInputThatWasNotSetAgain) {
  graph::Model model = Chain();
  graph::Signature& serve = model.signatures.emplace_back();
  serve.key = "serve";
  serve.subgraph = graph::SubgraphId(0);
  serve.inputs = {{"image", TensorId(0)}};
  serve.outputs = {{"score", TensorId(4)}};
  InterpreterOptions options;
  options.signature = "serve";
  auto interpreter = MakeInterpreter(model, options);
  ASSERT_TRUE(interpreter->AllocateTensors());
  EXPECT_EQ(interpreter->InputName(0), "image");
  EXPECT_EQ(interpreter->OutputName(0), "score");
  const Status never = interpreter->Invoke();
  ASSERT_FALSE(never);
  EXPECT_EQ(never.error().where, "input 'image'");
  SetAll(*interpreter, 0, 2.0f);
  ASSERT_TRUE(interpreter->Invoke());
  const Status again = interpreter->Invoke();
  ASSERT_FALSE(again);
  EXPECT_EQ(again.error().where, "input 'image'");
}

TEST(InterpreterTest, ShapesOfInputsMayBeGivenByName) {
  const graph::Model model = Chain();
  InterpreterOptions options;
  options.shapes = {{"x", {1, 32}}};
  auto interpreter = MakeInterpreter(model, options);
  ASSERT_TRUE(interpreter->AllocateTensors());
  EXPECT_EQ(interpreter->memory().arena, 128);
  ASSERT_TRUE(interpreter->ResizeInput(0, {1, 16}));  // Goes before.
  ASSERT_TRUE(interpreter->AllocateTensors());
  EXPECT_EQ(interpreter->memory().arena, 64);
}

TEST(InterpreterTest, ResizesOneOfTwoInputsOfTheSameName) {
  graph::Model model;
  graph::Subgraph& subgraph = model.subgraphs.emplace_back();
  for (const char* name : {"x", "x", "y", "z"}) {
    subgraph.tensors.push_back(MakeTensor(name, {1, 8}));
  }
  AddOperator(subgraph, "NEG", {0}, {2});
  AddOperator(subgraph, "NEG", {1}, {3});
  subgraph.inputs = {TensorId(0), TensorId(1)};
  subgraph.outputs = {TensorId(2), TensorId(3)};
  auto interpreter = MakeInterpreter(model);
  ASSERT_TRUE(interpreter->ResizeInput(1, {1, 7}));
  ASSERT_TRUE(interpreter->AllocateTensors());
  EXPECT_EQ(interpreter->input(0)->data.size(), 32u);
  EXPECT_EQ(interpreter->input(1)->data.size(), 28u);
  ASSERT_TRUE(interpreter->ResizeInput(0, {1, 3}));
  ASSERT_TRUE(interpreter->AllocateTensors());
  EXPECT_EQ(interpreter->input(0)->data.size(), 12u);
  EXPECT_EQ(interpreter->input(1)->data.size(), 28u);
}

TEST(InterpreterTest, RefusesMemoryForTensorsThatNeverLieInTheArena) {
  graph::Model model = Chain();
  alignas(64) static const float kConstant[64] = {1};
  graph::Tensor& constant =
      model.subgraphs[0].tensors.emplace_back(MakeTensor("k", {1, 64}));
  constant.constant = true;
  constant.data = std::as_bytes(std::span(kConstant));
  model.subgraphs[0].outputs.push_back(TensorId(5));
  alignas(64) std::byte memory[320];
  auto interpreter = MakeInterpreter(model);
  ASSERT_TRUE(interpreter->UseMemoryForOutput(1, memory));
  const Status status = interpreter->AllocateTensors();
  ASSERT_FALSE(status);
  EXPECT_NE(status.error().what.find("its bytes are mapped"), std::string::npos)
      << status.error().ToString();
  // Nor memory that is not aligned, or too little.
  ASSERT_TRUE(interpreter->UseMemoryForOutput(1, {}));
  ASSERT_TRUE(interpreter->UseMemoryForOutput(0, {memory + 4, 256}));
  EXPECT_FALSE(interpreter->AllocateTensors());
  ASSERT_TRUE(interpreter->UseMemoryForOutput(0, {memory, 255}));
  EXPECT_FALSE(interpreter->AllocateTensors());
  ASSERT_TRUE(interpreter->UseMemoryForOutput(0, {memory, 256}));
  ASSERT_TRUE(interpreter->AllocateTensors());
  SetAll(*interpreter, 0, -3.0f);
  ASSERT_TRUE(interpreter->Invoke());
  EXPECT_EQ(interpreter->output(0).value().data.data(), memory);
  EXPECT_EQ(First(interpreter->output(1).value()), 1.0f);
}

// Counts as a profiler does: time and bytes of each operator.
class Profiler : public Observer {
 public:
  struct Row {
    std::string type;
    Bytes bytes = 0;
    std::chrono::nanoseconds time{};
  };

  void Before(const OperatorEvent&) override { begin_ = Clock::now(); }
  void After(const OperatorEvent& event) override {
    Row& row = rows.emplace_back();
    row.time = Clock::now() - begin_;
    row.type = event.type;
    for (const kernels::Tensor* output : event.outputs) {
      if (output != nullptr) row.bytes += output->bytes;
    }
  }
  std::vector<Row> rows;

 private:
  using Clock = std::chrono::steady_clock;
  Clock::time_point begin_;
};

TEST(InterpreterTest, TellsAnObserverOfEveryOperatorsTimeAndBytes) {
  const graph::Model model = Chain();
  Profiler profiler;
  InterpreterOptions options;
  options.observer = &profiler;
  auto interpreter = MakeInterpreter(model, options);
  ASSERT_TRUE(interpreter->AllocateTensors());
  SetAll(*interpreter, 0, 1.0f);
  ASSERT_TRUE(interpreter->Invoke());
  ASSERT_EQ(profiler.rows.size(), 4u);
  std::string types;
  for (const Profiler::Row& row : profiler.rows) {
    types += row.type + " ";
    EXPECT_EQ(row.bytes, 256);
    EXPECT_GE(row.time.count(), 0);
  }
  EXPECT_EQ(types, "NEG EXP LOG ABS ");
  interpreter->SetObserver(nullptr);
  SetAll(*interpreter, 0, 1.0f);
  ASSERT_TRUE(interpreter->Invoke());
  EXPECT_EQ(profiler.rows.size(), 4u);
}

Status FillInputs(Interpreter& interpreter) {
  for (size_t i = 0; i < interpreter.inputs(); ++i) {
    STOWPLAN_TRY(input, interpreter.input(i));
    STOWPLAN_RETURN_IF_ERROR(FillRandom(42, i, input.dtype, input.data));
  }
  return {};
}

TEST(AuditTest, FindsNothingWrongWithASafePlan) {
  const graph::Model model = Chain();
  InterpreterOptions options;
  options.planner = FirstFit;
  const auto finding = Audit(model, options, nullptr, FillInputs, 2);
  ASSERT_TRUE(finding) << finding.error().ToString();
  EXPECT_FALSE(*finding) << (**finding).ToString();
}

// x is read by ADD after MUL's result was put over a view of it: what an
// engine does that looks at the direct input only.
TEST(AuditTest, NamesTheOperatorThatReadsOverwrittenBytes) {
  graph::Model model;
  graph::Subgraph& subgraph = model.subgraphs.emplace_back();
  for (const char* name : {"x", "p", "v", "w", "m", "y"}) {
    subgraph.tensors.push_back(MakeTensor(name, {1, 32}));
  }
  AddOperator(subgraph, "NEG", {0}, {1});
  AddOperator(subgraph, "RESHAPE", {1}, {2});
  AddOperator(subgraph, "RESHAPE", {2}, {3});
  AddOperator(subgraph, "SQUARE", {3}, {4});
  AddOperator(subgraph, "ADD", {2, 4}, {5});
  subgraph.inputs = {TensorId(0)};
  subgraph.outputs = {TensorId(5)};
  InterpreterOptions options;
  options.planner = FirstFit;
  options.rules.in_place = schedule::InPlace::kEngine;
  const auto finding = Audit(model, options, nullptr, FillInputs, 1);
  ASSERT_TRUE(finding) << finding.error().ToString();
  ASSERT_TRUE(*finding);
  EXPECT_EQ((**finding).type, "ADD") << (**finding).ToString();
  options.rules.in_place = schedule::InPlace::kSafe;
  const auto safe = Audit(model, options, nullptr, FillInputs, 1);
  ASSERT_TRUE(safe);
  EXPECT_FALSE(*safe);
}

Result<kernels::Needs> PrepareLoose(const kernels::Node&) {
  return kernels::Needs{};
}
Status RunLoose(const kernels::Node& node) {
  const float* from = node.input(0)->As<float>();
  float* to = node.output().As<float>();
  for (int i = 0; i < 65; ++i) to[i] = i < 64 ? from[i] : 0.0f;
  return {};
}

TEST(AuditTest, NamesTheOperatorThatWritesBehindItsOutput) {
  const graph::Model model = Chain();
  InterpreterOptions options;
  options.planner = FirstFit;
  ASSERT_TRUE(options.registry.Add({"EXP", PrepareLoose, RunLoose}));
  const auto finding = Audit(model, options, nullptr, FillInputs, 1);
  ASSERT_TRUE(finding) << finding.error().ToString();
  ASSERT_TRUE(*finding);
  EXPECT_EQ((**finding).kind, AuditFinding::Kind::kGuard);
  EXPECT_EQ((**finding).type, "EXP");
}

}  // namespace
}  // namespace stowplan::runtime
