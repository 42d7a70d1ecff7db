// SPDX-License-Identifier: Apache-2.0
#include "stowplan/runtime/audit.h"

#include <algorithm>
#include <cstring>
#include <utility>
#include <vector>

#include "stowplan/base/checked_math.h"
#include "stowplan/runtime/dying.h"

namespace stowplan::runtime {
namespace {

constexpr int kPoison = 0xCD;
constexpr Bytes kGuardBytes = 64;

// FNV-1a over words; the same bits give the same number.
uint64_t HashOf(const kernels::Tensor& tensor) {
  uint64_t hash = 0xCBF29CE484222325;
  const auto mix = [&hash](uint64_t word) {
    hash = (hash ^ word) * 0x100000001B3;
    hash ^= hash >> 29;
  };
  mix(static_cast<uint64_t>(tensor.bytes));
  if (tensor.data == nullptr) return hash;
  Bytes at = 0;
  for (; at + 8 <= tensor.bytes; at += 8) {
    uint64_t word;
    std::memcpy(&word, tensor.data + at, sizeof(word));
    mix(word);
  }
  for (; at < tensor.bytes; ++at) {
    mix(static_cast<uint64_t>(tensor.data[at]));
  }
  return hash;
}

// One buffer behind the other, with a gap behind each.
Result<plan::Plan> PlanApart(const plan::Problem& problem) {
  plan::Plan plan;
  Bytes next = 0;
  for (const plan::Buffer& buffer : problem.buffers()) {
    plan.offsets.push_back(next);
    next += AlignUp(AlignUp(buffer.size, 64) + kGuardBytes,
                    std::max<Bytes>(buffer.alignment, 64));
  }
  return plan;
}

// Fills the gaps, and finds those that were written to.
class Guards {
 public:
  void Attach(Interpreter& interpreter) {
    places_.clear();
    const Program& program = *interpreter.program();
    for (size_t i = 0; i < program.problem().size(); ++i) {
      const Bytes end =
          program.plan().offsets[i] + program.problem().buffers()[i].size;
      // Behind the last buffer the arena ends.
      if (end + kGuardBytes > program.arena_bytes()) continue;
      places_.push_back(interpreter.arena_data() + end);
      std::memset(places_.back(), kPoison, kGuardBytes);
    }
  }

  bool Intact() const {
    return std::all_of(places_.begin(), places_.end(), [](std::byte* place) {
      return std::all_of(place, place + kGuardBytes, [](std::byte value) {
        return value == std::byte{kPoison};
      });
    });
  }

 private:
  std::vector<std::byte*> places_;
};

// Notes what every operator gives in memory of its own.
class Recorder : public Observer {
 public:
  void Before(const OperatorEvent&) override {}
  void After(const OperatorEvent& event) override {
    for (const kernels::Tensor* output : event.outputs) {
      hashes_.push_back(output == nullptr ? 0 : HashOf(*output));
    }
    if (!finding_ && !guards_.Intact()) {
      finding_ = {AuditFinding::Kind::kGuard, 0, event.op,
                  std::string(event.type), 0};
    }
  }

  Guards& guards() { return guards_; }
  const std::vector<uint64_t>& hashes() const { return hashes_; }
  const std::optional<AuditFinding>& finding() const { return finding_; }
  void Clear() { hashes_.clear(); }

 private:
  Guards guards_;
  std::vector<uint64_t> hashes_;
  std::optional<AuditFinding> finding_;
};

// Compares with what was noted, and poisons what is dead.
class Poisoner : public Observer {
 public:
  // REQUIRES: the interpreter has its memory.
  Poisoner(Interpreter& interpreter, const Recorder& recorder)
      : interpreter_(interpreter),
        recorder_(recorder),
        dying_(*interpreter.program()) {}

  void Before(const OperatorEvent&) override {}
  void After(const OperatorEvent& event) override {
    for (size_t i = 0; i < event.outputs.size(); ++i) {
      const uint64_t hash =
          event.outputs[i] == nullptr ? 0 : HashOf(*event.outputs[i]);
      const bool same = next_ < recorder_.hashes().size() &&
                        recorder_.hashes()[next_] == hash;
      ++next_;
      if (same || finding_) continue;
      finding_ = {AuditFinding::Kind::kDifference, 0, event.op,
                  std::string(event.type), i};
    }
    const Program& program = *interpreter_.program();
    for (plan::BufferId id : dying_.After(event.op)) {
      std::memset(interpreter_.arena_data() + program.plan().offset(id),
                  kPoison,
                  static_cast<size_t>(program.problem().buffer(id).size));
    }
  }

  void Restart() { next_ = 0; }
  const std::optional<AuditFinding>& finding() const { return finding_; }

 private:
  Interpreter& interpreter_;
  const Recorder& recorder_;
  DyingBuffers dying_;
  size_t next_ = 0;
  std::optional<AuditFinding> finding_;
};

std::optional<AuditFinding> InRun(std::optional<AuditFinding> finding,
                                  int run) {
  if (finding) finding->run = run;
  return finding;
}

}  // namespace

std::string AuditFinding::ToString() const {
  const std::string place = "run " + std::to_string(run) + ": operator " +
                            std::to_string(op.op.value()) + " (" + type +
                            ") of subgraph " +
                            std::to_string(op.subgraph.value());
  if (kind == Kind::kGuard) return place + " wrote behind a buffer";
  return place + ": output " + std::to_string(output) +
         " differs from a run in which every buffer has memory of its own";
}

Result<std::optional<AuditFinding>> Audit(
    const graph::Model& model, const InterpreterOptions& options,
    const std::shared_ptr<const FileFacts>& facts, const SetInputs& set_inputs,
    int runs) {
  InterpreterOptions alone = options;
  alone.arena = {};
  alone.persistent = {};
  alone.overflow = {};
  alone.memory = {};
  alone.resources = nullptr;
  alone.observer = nullptr;
  InterpreterOptions apart_options = alone;
  apart_options.planner = PlanApart;
  apart_options.rules.in_place = schedule::InPlace::kOff;
  STOWPLAN_TRY(apart, Interpreter::Create(model, apart_options, facts));
  STOWPLAN_TRY(planned, Interpreter::Create(model, alone, facts));
  STOWPLAN_RETURN_IF_ERROR(apart->AllocateTensors());
  STOWPLAN_RETURN_IF_ERROR(planned->AllocateTensors());
  Recorder recorder;
  Poisoner poisoner(*planned, recorder);
  apart->SetObserver(&recorder);
  planned->SetObserver(&poisoner);
  recorder.guards().Attach(*apart);
  for (int run = 1; run <= runs; ++run) {
    recorder.Clear();
    STOWPLAN_RETURN_IF_ERROR(set_inputs(*apart));
    STOWPLAN_RETURN_IF_ERROR(apart->Invoke());
    if (recorder.finding()) return InRun(recorder.finding(), run);
    poisoner.Restart();
    if (const Bytes size = planned->program()->arena_bytes(); size > 0) {
      std::memset(planned->arena_data(), kPoison, static_cast<size_t>(size));
    }
    STOWPLAN_RETURN_IF_ERROR(set_inputs(*planned));
    STOWPLAN_RETURN_IF_ERROR(planned->Invoke());
    if (poisoner.finding()) return InRun(poisoner.finding(), run);
  }
  return std::optional<AuditFinding>();
}

}  // namespace stowplan::runtime
