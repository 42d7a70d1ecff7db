// SPDX-License-Identifier: Apache-2.0
#include <string>
#include <vector>

#include "stowplan/tflite/buffer_content.h"
#include "stowplan/tflite/callees.h"
#include "stowplan/tflite/check.h"
#include "stowplan/tflite/options.h"
#include "stowplan/tflite/place.h"

namespace stowplan::tflite {
namespace {

using schema::BuiltinOperator;
using Indices = flatbuffers::Vector<int32_t>;

constexpr const char* kConvertAgain = "convert the model again";

// Who wrote and who read each tensor of one subgraph last.
class Users {
 public:
  static constexpr int64_t kNobody = -1;
  static constexpr int64_t kCaller = -2;  // An input of the subgraph.

  explicit Users(size_t tensors)
      : writers_(tensors, kNobody), readers_(tensors, kNobody) {}

  int64_t& Writer(int32_t tensor) {
    return writers_[static_cast<size_t>(tensor)];
  }
  int64_t& Reader(int32_t tensor) {
    return readers_[static_cast<size_t>(tensor)];
  }

 private:
  std::vector<int64_t> writers_;
  std::vector<int64_t> readers_;
};

// One operator and what its checks need.
struct Subject {
  CheckContext& context;
  const schema::SubGraph& graph;
  const schema::Operator& op;
  const std::string& where;

  size_t tensors() const { return SizeOf(graph.tensors()); }
};

// Every index names a tensor; -1 stands for an operand left out.
Status CheckOperands(const Subject& subject, const char* role,
                     const Indices* operands, bool may_be_left_out) {
  if (!subject.context.budget.TakeElements(operands)) {
    return TooCostly(subject.where);
  }
  for (size_t i = 0; i < SizeOf(operands); ++i) {
    const int32_t tensor = operands->Get(static_cast<uint32_t>(i));
    if (tensor == -1 && may_be_left_out) continue;
    if (tensor >= 0 && static_cast<size_t>(tensor) < subject.tensors()) {
      continue;
    }
    return BadInput(subject.where,
                    std::string(role) + " " + std::to_string(i) +
                        " is tensor " + std::to_string(tensor) +
                        ", but its subgraph has " +
                        std::to_string(subject.tensors()) + " tensors",
                    kConvertAgain);
  }
  return {};
}

std::string TensorText(const Subject& subject, int32_t tensor) {
  const std::string name = Printable(ViewOf(
      subject.graph.tensors()->Get(static_cast<uint32_t>(tensor))->name()));
  const std::string text = "tensor " + std::to_string(tensor);
  return name.empty() ? text : text + " (" + name + ")";
}

// Why the operator may not write the tensor; empty if it may. A tensor has
// one writer; state is the exception, its value is there before.
std::string WhyNotWritten(const Subject& subject, size_t index, int32_t tensor,
                          Users& users) {
  const schema::Tensor& written =
      *subject.graph.tensors()->Get(static_cast<uint32_t>(tensor));
  if (written.is_variable()) return "";
  const auto& buffer = *subject.context.model.buffers()->Get(written.buffer());
  const int64_t writer = users.Writer(tensor);
  if (users.Reader(tensor) == static_cast<int64_t>(index)) {
    return "which it also reads";
  }
  if (!ContentOf(subject.context.file, buffer).empty()) {
    return "which is a constant";
  }
  if (writer == Users::kCaller) return "which is an input of the subgraph";
  if (writer != Users::kNobody) {
    return "which operator " + std::to_string(writer) + " writes too";
  }
  return "";
}

Status CheckUses(const Subject& subject, size_t index, Users& users) {
  for (size_t i = 0; i < SizeOf(subject.op.inputs()); ++i) {
    const int32_t tensor = subject.op.inputs()->Get(static_cast<uint32_t>(i));
    if (tensor >= 0) users.Reader(tensor) = static_cast<int64_t>(index);
  }
  for (size_t i = 0; i < SizeOf(subject.op.outputs()); ++i) {
    const int32_t tensor = subject.op.outputs()->Get(static_cast<uint32_t>(i));
    const std::string why = WhyNotWritten(subject, index, tensor, users);
    if (!why.empty()) {
      return BadInput(subject.where,
                      "it writes " + TensorText(subject, tensor) + ", " + why,
                      "give its result a tensor of its own");
    }
    users.Writer(tensor) = static_cast<int64_t>(index);
  }
  return {};
}

// The operands that a called subgraph takes from and gives to its caller.
Status CheckCallee(const Subject& subject, BuiltinOperator builtin,
                   int32_t callee) {
  const auto* graphs = subject.context.model.subgraphs();
  if (callee < 0 || static_cast<size_t>(callee) >= SizeOf(graphs)) {
    return BadInput(subject.where,
                    "it runs subgraph " + std::to_string(callee) +
                        ", but there are " + std::to_string(SizeOf(graphs)),
                    kConvertAgain);
  }
  const schema::SubGraph& graph = *graphs->Get(static_cast<uint32_t>(callee));
  size_t inputs = SizeOf(subject.op.inputs());
  const size_t outputs = SizeOf(subject.op.outputs());
  // The condition of a WHILE gives one truth value to the loop, not to the
  // caller, so outputs are compared for the body alone.
  bool gives_outputs = true;
  switch (builtin) {
    case BuiltinOperator::IF:
    case BuiltinOperator::STABLEHLO_CASE:
      inputs = inputs == 0 ? 0 : inputs - 1;
      break;
    case BuiltinOperator::WHILE:
    case BuiltinOperator::STABLEHLO_WHILE:
      gives_outputs = callee != CalleesOf(builtin, subject.op).front();
      break;
    case BuiltinOperator::CALL:
    case BuiltinOperator::CALL_ONCE:
    case BuiltinOperator::STABLEHLO_COMPOSITE:
      break;
    default:  // Works on elements, not on the operands.
      return {};
  }
  if (SizeOf(graph.inputs()) == inputs &&
      (!gives_outputs || SizeOf(graph.outputs()) == outputs)) {
    return {};
  }
  return BadInput(subject.where,
                  "it runs subgraph " + std::to_string(callee) + " with " +
                      std::to_string(inputs) + " inputs for " +
                      std::to_string(outputs) + " outputs, but that one has " +
                      std::to_string(SizeOf(graph.inputs())) + " and " +
                      std::to_string(SizeOf(graph.outputs())),
                  kConvertAgain);
}

Status CheckCallees(const Subject& subject, BuiltinOperator builtin) {
  const std::vector<int32_t> callees = CalleesOf(builtin, subject.op);
  if (callees.size() < CalleesNeededBy(builtin)) {
    return BadInput(subject.where,
                    "its options do not say which subgraphs it runs",
                    kConvertAgain);
  }
  if (!subject.context.budget.Take(Budget::kPerElement *
                                   static_cast<Bytes>(callees.size()))) {
    return TooCostly(subject.where);
  }
  for (int32_t callee : callees) {
    STOWPLAN_RETURN_IF_ERROR(CheckCallee(subject, builtin, callee));
  }
  return {};
}

Status CheckCustomOptions(const Subject& subject) {
  const uint64_t offset = subject.op.large_custom_options_offset();
  const uint64_t size = subject.op.large_custom_options_size();
  const uint64_t file_size = subject.context.file.size();
  if (offset <= 1) return {};
  if (offset <= file_size && size <= file_size - offset) return {};
  return BadInput(subject.where,
                  "its options, " + std::to_string(size) + " bytes from byte " +
                      std::to_string(offset) + " on, are not in the file of " +
                      std::to_string(file_size) + " bytes",
                  "the file was cut short; copy it again");
}

Status CheckOperator(CheckContext& context, size_t subgraph, size_t index,
                     Users& users) {
  const schema::SubGraph& graph =
      *context.model.subgraphs()->Get(static_cast<uint32_t>(subgraph));
  const schema::Operator& op =
      *graph.operators()->Get(static_cast<uint32_t>(index));
  const auto* codes = context.model.operator_codes();
  std::string where = "subgraph " + std::to_string(subgraph) + ", ";
  if (op.opcode_index() >= SizeOf(codes)) {
    return BadInput(
        where + PlaceOf("operator", index, "", context.file.data(), &op),
        "its kind is operator code " + std::to_string(op.opcode_index()) +
            ", but there are " + std::to_string(SizeOf(codes)),
        kConvertAgain);
  }
  const schema::OperatorCode& code = *codes->Get(op.opcode_index());
  const BuiltinOperator builtin = BuiltinOf(code);
  where += PlaceOf("operator", index, NameOf(code), context.file.data(), &op);
  const Bytes cost = Budget::kPerOperator +
                     static_cast<Bytes>(NameOf(code).size()) +
                     Budget::kPerElement * CountOptionElements(op);
  if (!context.budget.Take(cost)) return TooCostly(where);

  const Subject subject{context, graph, op, where};
  STOWPLAN_RETURN_IF_ERROR(CheckOperands(subject, "input", op.inputs(), true));
  STOWPLAN_RETURN_IF_ERROR(
      CheckOperands(subject, "output", op.outputs(), false));
  STOWPLAN_RETURN_IF_ERROR(
      CheckOperands(subject, "intermediate", op.intermediates(), true));
  STOWPLAN_RETURN_IF_ERROR(CheckUses(subject, index, users));
  STOWPLAN_RETURN_IF_ERROR(CheckCustomOptions(subject));
  return CheckCallees(subject, builtin);
}

}  // namespace

Status CheckOperators(CheckContext& context, size_t subgraph) {
  const schema::SubGraph& graph =
      *context.model.subgraphs()->Get(static_cast<uint32_t>(subgraph));
  Users users(SizeOf(graph.tensors()));
  for (size_t i = 0; i < SizeOf(graph.inputs()); ++i) {
    users.Writer(graph.inputs()->Get(static_cast<uint32_t>(i))) =
        Users::kCaller;
  }
  for (size_t i = 0; i < SizeOf(graph.operators()); ++i) {
    STOWPLAN_RETURN_IF_ERROR(CheckOperator(context, subgraph, i, users));
  }
  return {};
}

}  // namespace stowplan::tflite
