// SPDX-License-Identifier: Apache-2.0
//
// Runs every operator of a model by itself on inputs that another engine
// computed, and prints how far the outputs are from its own:
//   check_operators MODEL ARITHMETIC DUMP [ENTRY]
//   check_operators MODEL calls
// The entry is a subgraph's number; what it calls is gone through as well, a
// condition's other branch and a loop's body included. A line an operator,
// fields parted by tabs: subgraph, operator, type, kind, and then worst steps,
// worst part of a float's range, worst whole number, differing elements, all
// elements; or "skipped" or "fails" and why.
//
// With "calls" a line for each branch of a condition and each part of a loop:
// the caller, the callee, the pairs CALLER_TENSOR:CALLEE_TENSOR of inputs.
#include <algorithm>
#include <cstdio>
#include <cstdlib>
#include <cstring>
#include <set>
#include <string>
#include <vector>

#include "stowplan/runtime/program.h"
#include "tests/litert/difference.h"
#include "tests/litert/model_file.h"
#include "tests/litert/operator_kind.h"
#include "tests/litert/tensor_dump.h"

namespace {

using namespace stowplan;  // NOLINT: a program, not a library.
using graph::OpKind;
using graph::SubgraphId;
using graph::TensorId;
using kernels::Type;

// What a kernel gets and gives, outside of any arena.
class Bench {
 public:
  Bench(runtime::Program& program, tests::TensorDump dump)
      : program_(program), dump_(std::move(dump)) {}

  // Goes through the operators of `id` and of what they call.
  void Visit(SubgraphId id) {
    if (!visited_.insert(id).second) return;
    const auto& operators = program_.model().subgraph(id).operators;
    for (size_t i = 0; i < operators.size(); ++i) {
      const graph::OperatorRef ref = {id, graph::OperatorId::FromIndex(i)};
      std::printf("%d\t%zu\t%s\t%s\t%s\n", static_cast<int>(id.value()), i,
                  operators[i].type.c_str(),
                  tests::KindOf(program_.bound().op(ref)), RunOne(ref).c_str());
      for (SubgraphId callee : operators[i].callees) Visit(callee);
    }
  }

 private:
  std::string RunOne(graph::OperatorRef ref) {
    const graph::Operator& op =
        program_.model().subgraph(ref.subgraph).operators[ref.op.index()];
    runtime::BoundOperator& bound = program_.bound().op(ref);
    if (op.kind == OpKind::kReadVariable || op.kind == OpKind::kVarHandle ||
        op.kind == OpKind::kAssignVariable) {
      return "skipped\tresource variable";
    }
    if (bound.kernel == nullptr) return "skipped\tcontrol flow";
    const std::string missing = BindInputs(ref.subgraph, op);
    if (!missing.empty()) return "skipped\t" + missing;
    std::vector<std::vector<std::byte>> outputs;
    for (TensorId id : op.outputs) {
      const graph::TensorRef tensor = {ref.subgraph, id};
      if (!BindValue(tensor)) {
        return std::string("skipped\tno output") + Why(tensor);
      }
      outputs.emplace_back(dump_[tensor].content.size() + 64);
      program_.Place(tensor, outputs.back().data());
    }
    Result<kernels::Needs> needs = bound.kernel->prepare(bound.node);
    if (!needs) return "fails\t" + needs.error().ToString();
    return RunKernel(ref, *needs);
  }

  std::string RunKernel(graph::OperatorRef ref, const kernels::Needs& needs) {
    runtime::BoundOperator& bound = program_.bound().op(ref);
    std::vector<std::byte> scratch(static_cast<size_t>(needs.scratch) + 64);
    std::vector<std::byte> persistent(static_cast<size_t>(needs.persistent) +
                                      64);
    bound.node.scratch = scratch.data();
    bound.node.persistent = persistent.data();
    Status status;
    if (bound.kernel->setup != nullptr) {
      status = bound.kernel->setup(bound.node);
    }
    if (status) status = bound.kernel->run(bound.node);
    if (!status) return "fails\t" + status.error().ToString();
    const graph::Operator& op =
        program_.model().subgraph(ref.subgraph).operators[ref.op.index()];
    tests::Difference total;
    for (size_t k = 0; k < op.outputs.size(); ++k) {
      tests::AddDifference(*bound.node.outputs[k],
                           dump_[{ref.subgraph, op.outputs[k]}].content.data(),
                           &total);
    }
    char line[200];
    std::snprintf(line, sizeof(line), "%g\t%.3g\t%g\t%lld\t%lld", total.steps,
                  total.part, total.whole,
                  static_cast<long long>(total.differing),
                  static_cast<long long>(total.elements));
    return line;
  }

  // Empty, or why there is an input without a value.
  std::string BindInputs(SubgraphId subgraph, const graph::Operator& op) {
    for (TensorId id : op.inputs) {
      if (!id.valid()) continue;
      const graph::TensorRef ref = {subgraph, id};
      const graph::Tensor& tensor =
          program_.model().subgraph(subgraph).tensor(id);
      if (tensor.constant) continue;
      if (tensor.variable) {
        BindZero(ref);
      } else if (!BindValue(ref)) {
        return std::string("no input") + Why(ref);
      }
    }
    return {};
  }

  // What stands for zero: the state before the first run.
  void BindZero(graph::TensorRef ref) {
    kernels::Tensor& tensor = program_.bound().tensor(ref);
    const int zero =
        tensor.type == Type::kInt8 ? tensor.quantization.zero_point() : 0;
    std::vector<std::byte>& state = dump_[ref].content;
    state.assign(static_cast<size_t>(tensor.bytes),
                 static_cast<std::byte>(zero));
    tensor.data = state.data();
  }

  bool BindValue(graph::TensorRef ref) {
    const auto found = dump_.find(ref);
    if (found == dump_.end()) return false;
    kernels::Tensor& tensor = program_.bound().tensor(ref);
    tensor.data = found->second.content.data();
    tensor.bytes = static_cast<Bytes>(found->second.content.size());
    tensor.shape.rank = found->second.shape.size();
    std::copy(found->second.shape.begin(), found->second.shape.end(),
              tensor.shape.dims.begin());
    return true;
  }

  const char* Why(graph::TensorRef ref) {
    switch (program_.bound().tensor(ref).type) {
      case Type::kString:
        return ": strings";
      case Type::kResource:
      case Type::kVariant:
        return ": a handle";
      default:
        return ": the engine does not show it";
    }
  }

  runtime::Program& program_;
  tests::TensorDump dump_;
  std::set<SubgraphId> visited_;
};

void PrintCalls(const graph::Model& model) {
  for (size_t s = 0; s < model.subgraphs.size(); ++s) {
    for (const graph::Operator& op : model.subgraphs[s].operators) {
      if (op.kind != OpKind::kIf && op.kind != OpKind::kWhile) continue;
      const size_t skip = op.kind == OpKind::kIf ? 1 : 0;
      for (SubgraphId callee : op.callees) {
        const std::vector<TensorId>& inputs = model.subgraph(callee).inputs;
        std::printf("%zu\t%d", s, static_cast<int>(callee.value()));
        for (size_t i = 0; i < inputs.size(); ++i) {
          std::printf("\t%d:%d", static_cast<int>(op.inputs[i + skip].value()),
                      static_cast<int>(inputs[i].value()));
        }
        std::printf("\n");
      }
    }
  }
}

Status Run(const std::string& path, const std::string& arithmetic,
           const std::string& dump, int32_t entry) {
  STOWPLAN_TRY(model, tests::ModelFile::Read(path));
  if (arithmetic == "calls") {
    PrintCalls(model->graph);
    return {};
  }
  const kernels::Registry registry = kernels::Registry::Reference();
  runtime::ProgramOptions options;
  options.rules.entry = SubgraphId(entry);
  if (arithmetic == "litert") {
    options.arithmetic = kernels::Arithmetic::kLiteRt;
  }
  STOWPLAN_TRY(program,
               runtime::Program::Build(model->graph, *model->facts, registry,
                                       tests::PlanWithSolver, options));
  program->Bind(nullptr, nullptr);  // For the sizes; every tensor is placed.
  Bench(*program, tests::ReadTensorDump(dump)).Visit(program->entry());
  return {};
}

}  // namespace

int main(int count, char** arguments) {
  const bool calls = count == 3 && std::strcmp(arguments[2], "calls") == 0;
  if (!calls && (count < 4 || count > 5)) {
    std::fprintf(stderr,
                 "check_operators MODEL ARITHMETIC DUMP [ENTRY]\n"
                 "check_operators MODEL calls\n");
    return 2;
  }
  const int32_t entry = count == 5 ? std::atoi(arguments[4]) : 0;
  const Status status =
      Run(arguments[1], arguments[2], calls ? "" : arguments[3], entry);
  if (status) return 0;
  std::fprintf(stderr, "%s\n", status.error().ToString().c_str());
  return 3;
}
