// SPDX-License-Identifier: Apache-2.0
//
// Runs a model on seeded inputs and writes its outputs as raw bytes, for the
// scripts that compare with other engines:
//   run_model MODEL ARITHMETIC RUNS OUTPUT_DIR
// Prints the time of each run, what memory it needs, and how many operators
// are of which kind.
#include <chrono>
#include <cstdio>
#include <cstdlib>
#include <fstream>
#include <map>
#include <string>

#include "stowplan/model/import.h"
#include "stowplan/runtime/interpreter.h"
#include "stowplan/runtime/random_input.h"
#include "stowplan/solve/solve.h"
#include "stowplan/tflite/model_view.h"
#include "tests/litert/model_file.h"
#include "tests/litert/operator_kind.h"

namespace {

using stowplan::Bytes;
using stowplan::Result;
using stowplan::Status;
using stowplan::runtime::Interpreter;
using Clock = std::chrono::steady_clock;

void Write(const std::string& path, const stowplan::runtime::TensorView& view) {
  std::ofstream file(path, std::ios::binary);
  file.write(reinterpret_cast<const char*>(view.data.data()),
             static_cast<std::streamsize>(view.data.size()));
}

void PrintKinds(const stowplan::runtime::Program& program) {
  std::map<std::string, int> kinds;
  const auto& subgraphs = program.model().subgraphs;
  for (size_t i = 0; i < subgraphs.size(); ++i) {
    const auto id = stowplan::graph::SubgraphId::FromIndex(i);
    for (const auto& op : program.bound().subgraph(id).operators) {
      ++kinds[stowplan::tests::KindOf(op)];
    }
  }
  std::printf("kinds");
  for (const auto& [kind, count] : kinds) {
    std::printf(" %s %d", kind.c_str(), count);
  }
  std::printf("\n");
}

Status Run(const std::string& path, const std::string& arithmetic, int runs,
           const std::string& folder) {
  STOWPLAN_TRY(model, stowplan::tests::ModelFile::Read(path));
  stowplan::runtime::InterpreterOptions options;
  options.planner = stowplan::tests::PlanWithSolver;
  if (arithmetic == "litert") {
    options.arithmetic = stowplan::kernels::Arithmetic::kLiteRt;
  }
  STOWPLAN_TRY(interpreter,
               Interpreter::Create(model->graph, options, model->facts));
  STOWPLAN_RETURN_IF_ERROR(interpreter->AllocateTensors());
  for (int run = 1; run <= runs; ++run) {
    for (size_t i = 0; i < interpreter->inputs(); ++i) {
      STOWPLAN_TRY(input, interpreter->input(i));
      STOWPLAN_RETURN_IF_ERROR(
          stowplan::runtime::FillRandom(42, i, input.dtype, input.data));
    }
    const auto begin = Clock::now();
    STOWPLAN_RETURN_IF_ERROR(interpreter->Invoke());
    const std::chrono::duration<double> seconds = Clock::now() - begin;
    std::printf("run %d %.6f s\n", run, seconds.count());
    for (size_t i = 0; i < interpreter->outputs(); ++i) {
      STOWPLAN_TRY(output, interpreter->output(i));
      Write(folder + "/run" + std::to_string(run) + "_out" + std::to_string(i) +
                ".bin",
            output);
    }
  }
  const auto memory = interpreter->memory();
  std::printf("arena %lld persistent %lld overflow %lld\n",
              static_cast<long long>(memory.arena),
              static_cast<long long>(memory.persistent),
              static_cast<long long>(memory.overflow));
  PrintKinds(*interpreter->program());
  return {};
}

}  // namespace

int main(int count, char** arguments) {
  if (count != 5) {
    std::fprintf(stderr, "run_model MODEL ARITHMETIC RUNS OUTPUT_DIR\n");
    return 2;
  }
  const Status status =
      Run(arguments[1], arguments[2], std::atoi(arguments[3]), arguments[4]);
  if (status) return 0;
  std::fprintf(stderr, "%s\n", status.error().ToString().c_str());
  return 3;
}
