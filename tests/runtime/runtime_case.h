// SPDX-License-Identifier: Apache-2.0
//
// Models made ready to run, for tests of the interpreter across modules.
#pragma once

#include <gtest/gtest.h>

#include <cstring>
#include <memory>
#include <string>
#include <utility>
#include <vector>

#include "examples/models.h"
#include "stowplan/runtime/interpreter.h"
#include "stowplan/runtime/random_input.h"
#include "tests/litert/model_file.h"
#include "tests/shared.h"

namespace stowplan::tests {

using ModelPointer = std::unique_ptr<ModelFile>;

// One of the public models by its path below `shared/models`, without
// ".tflite"; null where it is not at hand.
inline ModelPointer SharedModel(const std::string& name) {
  const auto path = SharedFolder() / "models" / (name + ".tflite");
  if (!std::filesystem::exists(path)) return nullptr;
  auto model = ModelFile::Read(path);
  EXPECT_TRUE(model) << name << ": " << model.error().ToString();
  return model ? *std::move(model) : nullptr;
}

inline ModelPointer ModelOf(const examples::ModelBytes& bytes) {
  EXPECT_TRUE(bytes) << bytes.error().ToString();
  if (!bytes) return nullptr;
  auto model = ModelFile::Parse(
      {reinterpret_cast<const char*>(bytes->data()), bytes->size()});
  EXPECT_TRUE(model) << model.error().ToString();
  return model ? *std::move(model) : nullptr;
}

// The plan of a problem that was solved before is not searched again.
inline runtime::Planner RememberingPlanner() {
  struct Solved {
    plan::Problem problem;
    plan::Plan plan;
  };
  auto solved = std::make_shared<std::vector<Solved>>();
  return [solved](const plan::Problem& problem) -> Result<plan::Plan> {
    for (const Solved& known : *solved) {
      if (known.problem.buffers() == problem.buffers()) return known.plan;
    }
    STOWPLAN_TRY(plan, PlanWithSolver(problem));
    solved->push_back({problem, plan});
    return plan;
  };
}

inline std::unique_ptr<runtime::Interpreter> MakeInterpreter(
    const ModelFile& model, runtime::InterpreterOptions options = {}) {
  if (!options.planner) options.planner = PlanWithSolver;
  auto interpreter = runtime::Interpreter::Create(
      model.graph, std::move(options), model.facts);
  EXPECT_TRUE(interpreter) << interpreter.error().ToString();
  return interpreter ? *std::move(interpreter) : nullptr;
}

// The inputs that `stowplan run` gives by default.
inline Status FillInputs(runtime::Interpreter& interpreter) {
  for (size_t i = 0; i < interpreter.inputs(); ++i) {
    STOWPLAN_TRY(input, interpreter.input(i));
    STOWPLAN_RETURN_IF_ERROR(
        runtime::FillRandom(42, i, input.dtype, input.data));
  }
  return {};
}

// The bytes of all outputs, one after the other.
inline Result<std::vector<std::byte>> OutputBytes(
    const runtime::Interpreter& interpreter) {
  std::vector<std::byte> bytes;
  for (size_t i = 0; i < interpreter.outputs(); ++i) {
    STOWPLAN_TRY(output, interpreter.output(i));
    bytes.insert(bytes.end(), output.data.begin(), output.data.end());
  }
  return bytes;
}

// Sets the inputs, runs, and reads the outputs.
inline Result<std::vector<std::byte>> RunOnce(
    runtime::Interpreter& interpreter) {
  STOWPLAN_RETURN_IF_ERROR(FillInputs(interpreter));
  STOWPLAN_RETURN_IF_ERROR(interpreter.Invoke());
  return OutputBytes(interpreter);
}

}  // namespace stowplan::tests
