// SPDX-License-Identifier: Apache-2.0
#include "stowplan/graph/check.h"

#include <algorithm>
#include <limits>
#include <vector>

#include "stowplan/base/checked_math.h"
#include "stowplan/graph/call_check.h"

namespace stowplan::graph {
namespace {

constexpr size_t kMaxCount = std::numeric_limits<int32_t>::max();

template <class Id>
bool IsIn(Id id, size_t count) {
  return id.valid() && id.index() < count;
}

std::string Count(size_t count, std::string_view noun) {
  return std::to_string(count) + " " + std::string(noun) +
         (count == 1 ? "" : "s");
}

// How an operator hands its operands to a callee.
struct CallForm {
  size_t min_callees;
  size_t max_callees;
  size_t own_operands;  // The first ones, which are not handed over.
};

std::optional<CallForm> CallFormOf(OpKind kind) {
  constexpr size_t kAny = kMaxCount;
  switch (kind) {
    case OpKind::kIf:
      return CallForm{2, 2, 1};
    case OpKind::kWhile:
    case OpKind::kStablehloWhile:
      return CallForm{2, 2, 0};
    case OpKind::kCallOnce:
    case OpKind::kStablehloComposite:
    case OpKind::kCall:
      return CallForm{1, 1, 0};
    case OpKind::kStablehloCase:
      return CallForm{1, kAny, 1};
    default:
      return std::nullopt;
  }
}

// Finds the first fault of one subgraph.
class SubgraphCheck {
 public:
  SubgraphCheck(const Model& model, size_t subgraph)
      : model_(model),
        subgraph_index_(static_cast<int64_t>(subgraph)),
        subgraph_(model.subgraphs[subgraph]) {}

  std::optional<ModelFault> Find() {
    if (subgraph_.tensors.size() > kMaxCount ||
        subgraph_.operators.size() > kMaxCount) {
      return Fault("", 0, "", -1, "has more than 2^31 tensors or operators");
    }
    for (size_t i = 0; i < subgraph_.tensors.size(); ++i) {
      if (auto fault = CheckTensor(i)) return fault;
    }
    if (auto fault = CheckPorts()) return fault;
    for (size_t i = 0; i < subgraph_.operators.size(); ++i) {
      if (auto fault = CheckIds(i)) return fault;
      if (auto fault = CheckOperator(i)) return fault;
      if (auto fault = CheckCalls(i)) return fault;
    }
    if (auto fault = CheckWrites()) return fault;
    return CheckOrder();
  }

 private:
  std::optional<ModelFault> Fault(std::string_view list, size_t index,
                                  std::string_view field, int64_t position,
                                  std::string what,
                                  std::string remedy = "") const {
    return ModelFault{subgraph_index_,
                      std::string(list),
                      list.empty() ? -1 : static_cast<int64_t>(index),
                      std::string(field),
                      position,
                      std::move(what),
                      std::move(remedy)};
  }

  std::string NotATensor(TensorId id) const {
    return std::to_string(id.value()) + " names no tensor; there are " +
           std::to_string(subgraph_.tensors.size());
  }

  std::optional<ModelFault> CheckTensor(size_t index) const {
    const Tensor& tensor = subgraph_.tensors[index];
    if (tensor.bytes && *tensor.bytes < 0) {
      return Fault("tensors", index, "bytes", -1, "is negative",
                   "a size is at least 0");
    }
    if (tensor.constant && tensor.variable) {
      return Fault("tensors", index, "kind", -1,
                   "is constant and variable at once");
    }
    if (auto fault = CheckDims(index, "signature", tensor.signature)) {
      return fault;
    }
    if (!tensor.shape) return std::nullopt;
    if (auto fault = CheckDims(index, "shape", *tensor.shape)) return fault;
    const bool known = std::find(tensor.shape->begin(), tensor.shape->end(),
                                 kUnknownDim) == tensor.shape->end();
    if (known && BitsOf(tensor.dtype) != 0 && !SizeOf(tensor)) {
      return Fault("tensors", index, "shape", -1,
                   "the size in bytes does not fit in 64 bits");
    }
    return std::nullopt;
  }

  std::optional<ModelFault> CheckDims(size_t index, std::string_view field,
                                      const Shape& dims) const {
    if (dims.size() > kMaxRank) {
      return Fault("tensors", index, field, -1,
                   "has " + std::to_string(dims.size()) + " dimensions",
                   "tensors have at most " + std::to_string(kMaxRank));
    }
    const auto bad = std::find_if(dims.begin(), dims.end(),
                                  [](int64_t dim) { return dim < -1; });
    if (bad == dims.end()) return std::nullopt;
    return Fault("tensors", index, field, bad - dims.begin(),
                 std::to_string(*bad) + " is no dimension",
                 "use -1 for one that is not known");
  }

  std::optional<ModelFault> CheckPorts() const {
    std::vector<bool> seen(subgraph_.tensors.size(), false);
    for (size_t i = 0; i < subgraph_.inputs.size(); ++i) {
      const TensorId id = subgraph_.inputs[i];
      if (!IsIn(id, seen.size())) {
        return Fault("inputs", i, "", -1, NotATensor(id));
      }
      if (seen[id.index()]) {
        return Fault("inputs", i, "", -1,
                     PlaceOf(subgraph_, id) + " is listed twice");
      }
      seen[id.index()] = true;
    }
    for (size_t i = 0; i < subgraph_.outputs.size(); ++i) {
      const TensorId id = subgraph_.outputs[i];
      if (!IsIn(id, seen.size())) {
        return Fault("outputs", i, "", -1, NotATensor(id));
      }
    }
    return std::nullopt;
  }

  std::optional<ModelFault> CheckIdList(size_t op, std::string_view field,
                                        const std::vector<TensorId>& ids,
                                        bool may_be_left_out) const {
    for (size_t i = 0; i < ids.size(); ++i) {
      if (may_be_left_out && !ids[i].valid()) continue;
      if (IsIn(ids[i], subgraph_.tensors.size())) continue;
      return Fault("ops", op, field, static_cast<int64_t>(i),
                   NotATensor(ids[i]));
    }
    return std::nullopt;
  }

  std::optional<ModelFault> CheckIds(size_t index) const {
    const Operator& op = subgraph_.operators[index];
    if (auto fault = CheckIdList(index, "inputs", op.inputs, true)) {
      return fault;
    }
    if (auto fault = CheckIdList(index, "outputs", op.outputs, false)) {
      return fault;
    }
    return CheckIdList(index, "intermediates", op.intermediates, true);
  }

  std::optional<ModelFault> CheckOperator(size_t index) const {
    const Operator& op = subgraph_.operators[index];
    if (op.scratch < 0) {
      return Fault("ops", index, "scratch", -1, "is negative",
                   "a size is at least 0");
    }
    if (op.in_place && op.in_place->kind != InPlaceClaim::Kind::kNone &&
        (op.in_place->input >= op.inputs.size() ||
         !op.inputs[op.in_place->input].valid() || op.outputs.empty())) {
      return Fault(
          "ops", index, "inplace", -1,
          "claims to share input " + std::to_string(op.in_place->input) +
              " with its output, but has " + Count(op.inputs.size(), "input") +
              " and " + Count(op.outputs.size(), "output"));
    }
    return std::nullopt;
  }

  std::optional<ModelFault> CheckCalls(size_t index) const {
    const Operator& op = subgraph_.operators[index];
    for (size_t i = 0; i < op.callees.size(); ++i) {
      if (IsIn(op.callees[i], model_.subgraphs.size())) continue;
      return Fault("ops", index, "calls", static_cast<int64_t>(i),
                   std::to_string(op.callees[i].value()) +
                       " names no subgraph; there are " +
                       std::to_string(model_.subgraphs.size()));
    }
    const std::optional<CallForm> form = CallFormOf(op.kind);
    if (!form) return std::nullopt;
    if (op.callees.size() < form->min_callees ||
        op.callees.size() > form->max_callees) {
      return Fault("ops", index, "calls", -1,
                   "a " + op.type + " calls " +
                       Count(form->min_callees, "subgraph") + ", not " +
                       std::to_string(op.callees.size()),
                   "name the subgraphs it calls");
    }
    for (size_t i = 0; i < op.callees.size(); ++i) {
      if (auto fault = CheckCall(index, *form, i)) return fault;
    }
    return std::nullopt;
  }

  std::optional<ModelFault> CheckCall(size_t index, const CallForm& form,
                                      size_t callee) const {
    const Operator& op = subgraph_.operators[index];
    const Subgraph& called = model_.subgraph(op.callees[callee]);
    const size_t operands =
        op.inputs.size() - std::min(op.inputs.size(), form.own_operands);
    if (called.inputs.size() != operands) {
      return Fault("ops", index, "calls", static_cast<int64_t>(callee),
                   "is handed " + Count(operands, "operand") + " but has " +
                       Count(called.inputs.size(), "input"));
    }
    const bool condition = callee == 0 && (op.kind == OpKind::kWhile ||
                                           op.kind == OpKind::kStablehloWhile);
    const size_t results = condition ? 1 : op.outputs.size();
    if (op.kind != OpKind::kCallOnce && called.outputs.size() != results) {
      return Fault("ops", index, "calls", static_cast<int64_t>(callee),
                   "is asked for " + Count(results, "result") + " but has " +
                       Count(called.outputs.size(), "output"));
    }
    return std::nullopt;
  }

  // REQUIRES: all ids are valid.
  std::optional<ModelFault> CheckWrites() {
    constexpr int32_t kInput = -2;
    writer_.assign(subgraph_.tensors.size(), kNobody);
    for (TensorId id : subgraph_.inputs) writer_[id.index()] = kInput;
    for (size_t i = 0; i < subgraph_.operators.size(); ++i) {
      const std::vector<TensorId>& outputs = subgraph_.operators[i].outputs;
      for (size_t k = 0; k < outputs.size(); ++k) {
        int32_t& writer = writer_[outputs[k].index()];
        std::string what;
        if (subgraph_.tensor(outputs[k]).constant) {
          what = " is constant";
        } else if (writer == kInput) {
          what = " is an input of the subgraph";
        } else if (writer != kNobody) {
          what =
              " is written by operator " + std::to_string(writer) + " already";
        }
        if (!what.empty()) {
          return Fault("ops", i, "outputs", static_cast<int64_t>(k),
                       PlaceOf(subgraph_, outputs[k]) + what,
                       "every operator writes tensors of its own");
        }
        writer = static_cast<int32_t>(i);
      }
    }
    return std::nullopt;
  }

  std::optional<ModelFault> CheckOrder() const {
    for (size_t i = 0; i < subgraph_.operators.size(); ++i) {
      const std::vector<TensorId>& inputs = subgraph_.operators[i].inputs;
      for (size_t k = 0; k < inputs.size(); ++k) {
        if (!inputs[k].valid()) continue;
        const int32_t writer = writer_[inputs[k].index()];
        if (writer < static_cast<int32_t>(i)) continue;
        // A state's value of the run before is there to be read.
        if (subgraph_.tensor(inputs[k]).variable) continue;
        return Fault("ops", i, "inputs", static_cast<int64_t>(k),
                     PlaceOf(subgraph_, inputs[k]) +
                         " is written by operator " + std::to_string(writer) +
                         " only",
                     "list operators in the order in which they run");
      }
    }
    return std::nullopt;
  }

  static constexpr int32_t kNobody = -1;

  const Model& model_;
  int64_t subgraph_index_;
  const Subgraph& subgraph_;
  std::vector<int32_t> writer_;  // By tensor: the operator that writes it.
};

std::optional<ModelFault> CheckSignatures(const Model& model) {
  for (size_t i = 0; i < model.signatures.size(); ++i) {
    const Signature& signature = model.signatures[i];
    ModelFault fault{-1,         "signatures", static_cast<int64_t>(i),
                     "subgraph", -1,           "names no subgraph",
                     ""};
    if (!IsIn(signature.subgraph, model.subgraphs.size())) return fault;
    const size_t tensors = model.subgraph(signature.subgraph).tensors.size();
    for (const auto* bindings : {&signature.inputs, &signature.outputs}) {
      fault.field = bindings == &signature.inputs ? "inputs" : "outputs";
      for (size_t k = 0; k < bindings->size(); ++k) {
        if (IsIn((*bindings)[k].tensor, tensors)) continue;
        fault.position = static_cast<int64_t>(k);
        fault.what = std::to_string((*bindings)[k].tensor.value()) +
                     " names no tensor; there are " + std::to_string(tensors);
        return fault;
      }
    }
  }
  return std::nullopt;
}

std::string PlaceOf(const Model& model, const ModelFault& fault) {
  std::string place;
  const auto append = [&place](std::string_view part) {
    if (!place.empty()) place += ", ";
    place += part;
  };
  const std::string index = std::to_string(fault.index);
  const size_t at = static_cast<size_t>(std::max<int64_t>(fault.index, 0));
  if (fault.subgraph >= 0 && (model.subgraphs.size() > 1 || fault.index < 0)) {
    append("subgraph " + std::to_string(fault.subgraph));
  }
  if (fault.list == "ops") {
    const Subgraph& subgraph =
        model.subgraphs[static_cast<size_t>(fault.subgraph)];
    append("operator " + index + " (" + subgraph.operators[at].type + ")");
  } else if (fault.list == "tensors") {
    const Subgraph& subgraph =
        model.subgraphs[static_cast<size_t>(fault.subgraph)];
    append(PlaceOf(subgraph, TensorId::FromIndex(at)));
  } else if (fault.list == "signatures") {
    append("signature " + index + " (" + model.signatures[at].key + ")");
  } else if (!fault.list.empty()) {
    append(fault.list + "[" + index + "]");
  }
  if (!fault.field.empty()) append(fault.field);
  if (fault.position >= 0) place += "[" + std::to_string(fault.position) + "]";
  return place;
}

}  // namespace

std::optional<ModelFault> FindFault(const Model& model) {
  if (model.alignment && !IsPowerOfTwo(*model.alignment)) {
    return ModelFault{-1,
                      "",
                      -1,
                      "alignment",
                      -1,
                      std::to_string(*model.alignment) + " is no power of two",
                      "use 1, 2, 4, ..., 64, ..."};
  }
  if (model.subgraphs.size() > kMaxCount) {
    return ModelFault{-1, "", -1, "subgraphs", -1, "are more than 2^31", ""};
  }
  for (size_t i = 0; i < model.subgraphs.size(); ++i) {
    if (auto fault = SubgraphCheck(model, i).Find()) return fault;
  }
  if (auto fault = FindCallFault(model)) return fault;
  return CheckSignatures(model);
}

Status CheckModel(const Model& model) {
  if (std::optional<ModelFault> fault = FindFault(model)) {
    return BadInput(PlaceOf(model, *fault), std::move(fault->what),
                    std::move(fault->remedy));
  }
  return {};
}

}  // namespace stowplan::graph
