// SPDX-License-Identifier: Apache-2.0
//
// Runs models with operators that are not in the public format:
//
//   stowplan_custom_operator                a small model with MedianFilter
//   stowplan_custom_operator MODEL.tflite   a model of one's own, with the
//                                           operators of both files here
#include <cstdio>
#include <cstring>
#include <fstream>
#include <iterator>
#include <string>
#include <vector>

#include "examples/median_filter.h"
#include "examples/segmentation_operators.h"
#include "stowplan/model/import.h"
#include "stowplan/runtime/interpreter.h"
#include "stowplan/runtime/random_input.h"
#include "stowplan/solve/solve.h"
#include "stowplan/testing/model_builder.h"

namespace stowplan::examples {
namespace {

Result<plan::Plan> Solve(const plan::Problem& problem) {
  STOWPLAN_TRY(outcome, solve::Solve(problem, {}));
  return outcome.plan;
}

// x --NEG--> a --MedianFilter--> b --ABS--> y
Result<std::vector<std::byte>> SmallModel() {
  using testing::ElementType;
  testing::ModelBuilder builder("A custom operator");
  const auto add = [&](const char* name) {
    return builder.AddTensor({name, ElementType::FLOAT32, {8, 32}});
  };
  const int32_t x = add("x");
  const int32_t a = add("a");
  const int32_t b = add("b");
  const int32_t y = add("y");
  builder.AddOperator("NEG", {x}, {a});
  builder.AddCustomOperator("MedianFilter", {a}, {b});
  builder.AddOperator("ABS", {b}, {y});
  builder.SetBoundary({x}, {y});
  return builder.Build();
}

Result<std::vector<std::byte>> ReadModel(const char* path) {
  std::ifstream file(path, std::ios::binary);
  const std::string text{std::istreambuf_iterator<char>(file), {}};
  if (text.empty()) return BadInput(path, "it cannot be read");
  std::vector<std::byte> bytes(text.size());
  std::memcpy(bytes.data(), text.data(), text.size());
  return bytes;
}

Status Run(const std::vector<std::byte>& file) {
  STOWPLAN_TRY(view, tflite::ModelView::Open(file));
  STOWPLAN_TRY(model, model::Import(view));
  runtime::InterpreterOptions options;
  options.planner = Solve;
  STOWPLAN_RETURN_IF_ERROR(AddMedianFilter(&options.registry));
  STOWPLAN_RETURN_IF_ERROR(AddSegmentationOperators(&options.registry));
  STOWPLAN_TRY(interpreter,
               runtime::Interpreter::Create(
                   model, options, std::make_shared<runtime::FileFacts>(view)));
  STOWPLAN_RETURN_IF_ERROR(interpreter->AllocateTensors());
  for (size_t i = 0; i < interpreter->inputs(); ++i) {
    STOWPLAN_TRY(input, interpreter->input(i));
    STOWPLAN_RETURN_IF_ERROR(
        runtime::FillRandom(42, i, input.dtype, input.data));
  }
  STOWPLAN_RETURN_IF_ERROR(interpreter->Invoke());
  std::printf("arena %lld bytes\n",
              static_cast<long long>(interpreter->memory().arena));
  for (size_t i = 0; i < interpreter->outputs(); ++i) {
    STOWPLAN_TRY(output, interpreter->output(i));
    std::printf("output %s: %zu bytes\n",
                std::string(interpreter->OutputName(i)).c_str(),
                output.data.size());
  }
  return {};
}

}  // namespace
}  // namespace stowplan::examples

int main(int count, char** arguments) {
  const auto file = count > 1 ? stowplan::examples::ReadModel(arguments[1])
                              : stowplan::examples::SmallModel();
  const stowplan::Status status =
      file ? stowplan::examples::Run(*file)
           : stowplan::Status(tl::unexpected(file.error()));
  if (status) return 0;
  std::fprintf(stderr, "%s\n", status.error().ToString().c_str());
  return 3;
}
