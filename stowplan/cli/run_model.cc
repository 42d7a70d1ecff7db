// SPDX-License-Identifier: Apache-2.0
#include "stowplan/cli/run_model.h"

#include <malloc.h>

#include <algorithm>
#include <chrono>
#include <cmath>
#include <filesystem>
#include <memory>
#include <system_error>
#include <utility>

#include "fmt/format.h"
#include "stowplan/cli/npy.h"
#include "stowplan/cli/run_inputs.h"
#include "stowplan/cli/sha256.h"
#include "stowplan/cli/solver_options.h"
#include "stowplan/model/import.h"
#include "stowplan/profile/process_memory.h"
#include "stowplan/runtime/interpreter.h"
#include "stowplan/solve/solve.h"

namespace stowplan::cli {
namespace {

namespace fs = std::filesystem;
using Clock = std::chrono::steady_clock;
using profile::AllocationCount;
using profile::AllocationsOfThread;
using runtime::Interpreter;

// What the heap holds for the program, blocks of their own mapping included.
Bytes HeapInUse() {
#ifdef __GLIBC__
  const struct mallinfo2 info = mallinfo2();
  return static_cast<Bytes>(info.uordblks + info.hblkhd);
#else
  return 0;
#endif
}

Latency LatencyOf(std::vector<double> us) {
  Latency latency;
  latency.first = us.front();
  if (us.size() > 1) us.erase(us.begin());
  std::sort(us.begin(), us.end());
  const size_t count = us.size();
  latency.min = us.front();
  latency.median = (us[(count - 1) / 2] + us[count / 2]) / 2;
  // The nearest rank.
  latency.p95 = us[(count * 95 + 99) / 100 - 1];
  return latency;
}

class Runner {
 public:
  explicit Runner(const RunOptions& options)
      : options_(options),
        runs_(options.runs.value_or(options.assert_no_alloc ? 2 : 1)) {}

  Result<RunResult> Run() {
    STOWPLAN_RETURN_IF_ERROR(CheckOptions());
    NoteStart();
    STOWPLAN_RETURN_IF_ERROR(Load());
    STOWPLAN_RETURN_IF_ERROR(CheckOutputFiles());
    STOWPLAN_RETURN_IF_ERROR(Invoke());
    NoteMemory();
    STOWPLAN_RETURN_IF_ERROR(TakeOutputs());
    if (options_.audit) STOWPLAN_RETURN_IF_ERROR(Audit());
    return std::move(result_);
  }

 private:
  Status CheckOptions() const {
    if (options_.threads != 1) {
      return UsageError("--threads", "kernels run on one thread so far",
                        "leave it out");
    }
    if (!options_.assert_no_alloc) return {};
    if (runs_ < 2) {
      return UsageError("--assert-no-alloc", "judges the runs after the first",
                        "ask for --runs 2 at least");
    }
    if (!profile::CountsAllocations()) {
      return UsageError("--assert-no-alloc",
                        "this build does not count allocations",
                        "use one for glibc without sanitizers");
    }
    return {};
  }

  void NoteStart() {
    const auto memory = profile::ReadProcessMemory();
    if (memory) result_.memory.start = memory->resident;
    start_file_pages_ = memory ? memory->file_pages : 0;
    start_faults_[0] = memory ? memory->minor_faults : 0;
    start_faults_[1] = memory ? memory->major_faults : 0;
    start_heap_ = HeapInUse();
  }

  Status Load() {
    const AllocationCount before = AllocationsOfThread();
    STOWPLAN_TRY(loaded, LoadStored(options_.model));
    if (!loaded.view) {
      return BadInput("", "a graph as JSON has no weights to run with",
                      "give a .tflite file; stowplan plan takes this one");
    }
    graph::Model model = std::exchange(loaded.stored, {});
    loaded_ = std::move(loaded);
    facts_ = std::make_shared<runtime::FileFacts>(*loaded_.view);
    interpreter_options_ = MakeInterpreterOptions();
    STOWPLAN_TRY(
        interpreter,
        Interpreter::Create(std::move(model), interpreter_options_, facts_));
    interpreter_ = std::move(interpreter);
    STOWPLAN_TRY(inputs, RunInputs::Parse(options_.inputs, *interpreter_));
    inputs_ = std::move(inputs);
    STOWPLAN_RETURN_IF_ERROR(interpreter_->AllocateTensors());
    STOWPLAN_RETURN_IF_ERROR(inputs_.Check(*interpreter_));
    result_.prepare = AllocationsOfThread() - before;
    return {};
  }

  runtime::InterpreterOptions MakeInterpreterOptions() const {
    runtime::InterpreterOptions options;
    options.rules = loaded_.rules;
    options.signature = options_.model.signature;
    options.shapes = loaded_.shapes;
    if (options_.arithmetic == "litert") {
      options.arithmetic = kernels::Arithmetic::kLiteRt;
    }
    const bool progress = !options_.quiet;
    options.planner = [progress](const plan::Problem& problem) {
      return Plan(problem, progress);
    };
    return options;
  }

  static Result<plan::Plan> Plan(const plan::Problem& problem, bool progress) {
    SolverOptions defaults;
    defaults.threads = 1;  // A thread more has memory of its own.
    STOWPLAN_TRY(options, ToSolveOptions(defaults, progress));
    auto outcome = solve::Solve(problem, options);
    ClearProgress(options);
    if (!outcome) return tl::unexpected(outcome.error());
    return std::move(outcome->plan);
  }

  Status Invoke() {
    watch_.emplace(interpreter_->program()->model(), runs_, !options_.quiet);
    RunWatch& watch = *watch_;
    interpreter_->SetObserver(&watch);
    std::vector<double> us;
    us.reserve(static_cast<size_t>(runs_));
    for (int run = 1; run <= runs_; ++run) {
      STOWPLAN_RETURN_IF_ERROR(inputs_.Fill(*interpreter_));
      watch.BeginRun(run, run == 2);
      const AllocationCount before = AllocationsOfThread();
      const Clock::time_point begin = Clock::now();
      const Status status = interpreter_->Invoke();
      const std::chrono::duration<double, std::micro> time =
          Clock::now() - begin;
      const AllocationCount count = AllocationsOfThread() - before;
      watch.ClearProgress();
      if (!status) return status;
      us.push_back(time.count());
      NoteAllocations(run, count);
    }
    interpreter_->SetObserver(nullptr);
    result_.latency = LatencyOf(std::move(us));
    return {};
  }

  void NoteAllocations(int run, AllocationCount count) {
    if (run == 1) result_.first_invoke = count;
    AllocationCount& most = result_.per_invoke;
    if (run <= 2) most = {};
    most.calls = std::max(most.calls, count.calls);
    most.bytes = std::max(most.bytes, count.bytes);
  }

  void NoteMemory() {
    RunMemory& memory = result_.memory;
    const runtime::MemoryUse use = interpreter_->memory();
    memory.arena = use.arena_held;
    memory.persistent = use.persistent;
    memory.overflow = use.overflow;
    memory.overflow_growths = use.overflow_growths;
    const Bytes own = memory.arena + memory.persistent + memory.overflow;
    memory.heap = std::max<Bytes>(0, HeapInUse() - start_heap_ - own);
    if (loaded_.file.mapped) {
      memory.mapped_touched =
          profile::ResidentBytes(loaded_.file.bytes.data(),
                                 static_cast<Bytes>(loaded_.file.bytes.size()))
              .value_or(0);
    }
    const auto process = profile::ReadProcessMemory();
    if (!process) return;
    memory.peak_rss = process->peak_resident;
    memory.proportional = process->proportional;
    memory.minor_faults = process->minor_faults - start_faults_[0];
    memory.major_faults = process->major_faults - start_faults_[1];
    memory.program = std::max<Bytes>(
        0, process->file_pages - start_file_pages_ - memory.mapped_touched);
    memory.rest = memory.peak_rss - memory.start - memory.mapped_touched - own -
                  memory.heap - memory.program;
  }

  std::string PathOf(size_t output) const {
    return (fs::path(options_.output_dir) /
            fmt::format("output-{}.npy", output))
        .string();
  }

  // Before anything runs, so that nothing runs in vain.
  Status CheckOutputFiles() const {
    if (options_.output_dir.empty()) return {};
    std::error_code error;
    fs::create_directories(options_.output_dir, error);
    if (error || !fs::is_directory(options_.output_dir, error)) {
      return tl::unexpected(Error{
          ErrorKind::kIo, options_.output_dir,
          "cannot be made a folder" + (error ? ": " + error.message() : ""),
          "name another --output-dir"});
    }
    for (size_t i = 0; i < interpreter_->outputs() && !options_.force; ++i) {
      if (!fs::exists(PathOf(i), error)) continue;
      return UsageError(PathOf(i), "exists already",
                        "name another --output-dir, or add --force to "
                        "replace it");
    }
    return {};
  }

  Status TakeOutputs() {
    const runtime::Program& program = *interpreter_->program();
    for (const schedule::Dynamic& dynamic : program.needs().kinds.dynamic) {
      result_.overflow_tensors.push_back(program.model()
                                             .subgraph(dynamic.tensor.subgraph)
                                             .tensor(dynamic.tensor.tensor)
                                             .name);
    }
    result_.operators = watch_->Rows();
    result_.offender = watch_->offender();
    for (size_t i = 0; i < interpreter_->inputs(); ++i) {
      STOWPLAN_TRY(view, interpreter_->input(i));
      result_.inputs.push_back({std::string(interpreter_->InputName(i)),
                                view.dtype,
                                {view.shape.begin(), view.shape.end()},
                                inputs_.SourceOf(i)});
    }
    for (size_t i = 0; i < interpreter_->outputs(); ++i) {
      STOWPLAN_TRY(view, interpreter_->output(i));
      result_.outputs.push_back({std::string(interpreter_->OutputName(i)),
                                 view.dtype,
                                 {view.shape.begin(), view.shape.end()},
                                 Sha256(view.data)});
      if (options_.output_dir.empty()) continue;
      auto file = WriteNpy(view.dtype, view.shape, view.data);
      if (!file) {
        Error error = file.error();
        error.where = "output '" + result_.outputs.back().name + "'";
        return tl::unexpected(std::move(error));
      }
      const std::vector<std::string> inputs = {options_.model.path};
      STOWPLAN_RETURN_IF_ERROR(
          WriteOutput(PathOf(i), *file, options_.force, inputs));
    }
    result_.path = options_.model.path;
    result_.runs = runs_;
    result_.threads = options_.threads;
    result_.arithmetic = options_.arithmetic;
    return {};
  }

  // Two runs at least, so that what one leaves behind meets another.
  Status Audit() {
    watch_.reset();
    interpreter_.reset();
    STOWPLAN_TRY(model, model::Import(*loaded_.view, loaded_.file.storage));
    const auto set_inputs = [this](Interpreter& interpreter) {
      return inputs_.Fill(interpreter);
    };
    STOWPLAN_TRY(finding, runtime::Audit(model, interpreter_options_, facts_,
                                         set_inputs, std::clamp(runs_, 2, 3)));
    result_.audited = true;
    result_.finding = std::move(finding);
    return {};
  }

  const RunOptions& options_;
  int runs_;
  LoadedModel loaded_;
  std::shared_ptr<const runtime::FileFacts> facts_;
  runtime::InterpreterOptions interpreter_options_;
  std::unique_ptr<Interpreter> interpreter_;
  std::optional<RunWatch> watch_;  // Refers to the interpreter's model.
  RunInputs inputs_;
  RunResult result_;
  Bytes start_heap_ = 0;
  Bytes start_file_pages_ = 0;
  int64_t start_faults_[2] = {0, 0};
};

}  // namespace

Result<RunResult> RunModel(const RunOptions& options) {
  return Runner(options).Run();
}

}  // namespace stowplan::cli
