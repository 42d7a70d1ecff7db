// SPDX-License-Identifier: Apache-2.0
#include "stowplan/graph/shape_flow.h"

#include <algorithm>
#include <utility>

#include "stowplan/base/checked_math.h"
#include "stowplan/graph/constant_value.h"
#include "stowplan/graph/shape_rules.h"

namespace stowplan::graph {
namespace {

// The subgraphs at which a run may begin: the first one, those that have a
// signature, and those that nobody calls.
std::vector<bool> EntryPoints(const Model& model) {
  std::vector<bool> entry(model.subgraphs.size(), true);
  for (const Subgraph& subgraph : model.subgraphs) {
    for (const Operator& op : subgraph.operators) {
      for (SubgraphId callee : op.callees) entry[callee.index()] = false;
    }
  }
  for (const Signature& signature : model.signatures) {
    entry[signature.subgraph.index()] = true;
  }
  if (!entry.empty()) entry[0] = true;
  return entry;
}

// The content of an output, if it is one that is followed and the rule's
// numbers fit it.
std::optional<KnownInts> CheckedValue(const Tensor& tensor, TensorFacts facts) {
  if (!facts.value || !IsKnown(facts.shape)) return std::nullopt;
  if (!FollowsContent(tensor.dtype)) return std::nullopt;
  const auto elements = static_cast<int64_t>(facts.value->size());
  if (elements > kMaxComputedElements) return std::nullopt;
  if (CheckedProduct(*facts.shape) != elements) return std::nullopt;
  for (int64_t& number : *facts.value) {
    if (!FitsType(tensor.dtype, number)) number = kUnknownInt;
  }
  return std::move(facts.value);
}

// False if a shape may come to depend on what is not known.
bool ContentIsKnown(const Tensor& tensor, const TensorState& state) {
  if (!FollowsContent(tensor.dtype)) return true;
  const std::optional<KnownInts>& value = state.facts.value;
  return value && std::count(value->begin(), value->end(), kUnknownInt) == 0;
}

}  // namespace

ShapeFlow::ShapeFlow(const Model& model)
    : model_(model), visits_(model.subgraphs.size()) {
  for (const Subgraph& subgraph : model.subgraphs) {
    States& states = states_.emplace_back();
    states.reserve(subgraph.tensors.size());
    for (const Tensor& tensor : subgraph.tensors) {
      states.push_back(InitialState(tensor));
    }
  }
}

void ShapeFlow::SetInput(SubgraphId subgraph, TensorId input, Shape shape) {
  overrides_[{subgraph, input}] = std::move(shape);
}

Status ShapeFlow::Run() {
  const std::vector<bool> entry = EntryPoints(model_);
  for (size_t i = 0; i < entry.size(); ++i) {
    if (!entry[i]) continue;
    STOWPLAN_RETURN_IF_ERROR(RunEntry(SubgraphId::FromIndex(i)));
  }
  return {};
}

Status ShapeFlow::RunEntry(SubgraphId id) {
  const Subgraph& subgraph = model_.subgraph(id);
  States inputs;
  for (TensorId input : subgraph.inputs) {
    const Tensor& tensor = subgraph.tensor(input);
    TensorState& state = inputs.emplace_back(InitialState(tensor));
    const auto override = overrides_.find({id, input});
    if (override != overrides_.end()) {
      state.facts.shape = override->second;
      state.touched = tensor.shape != override->second;
    }
    if (!IsKnown(state.facts.shape) && !IsStated(tensor)) {
      state.root = std::make_shared<Root>(Root{
          {id, OperatorId()}, "the model leaves the shape of an input open"});
    }
    if (!SizeFits(tensor.dtype, state.facts.shape)) {
      return UsageError(graph::PlaceOf(subgraph, input),
                        "the size in bytes does not fit in 64 bits",
                        "give smaller dimensions");
    }
  }
  return Enter(id, std::move(inputs), {id, OperatorId()});
}

Status ShapeFlow::RunOperators(SubgraphId id) {
  const size_t count = model_.subgraph(id).operators.size();
  for (size_t i = 0; i < count; ++i) {
    STOWPLAN_RETURN_IF_ERROR(RunOperator({id, OperatorId::FromIndex(i)}));
  }
  return {};
}

Status ShapeFlow::RunOperator(OperatorRef ref) {
  const Operator& op = At(ref);
  switch (op.kind) {
    case OpKind::kIf:
    case OpKind::kWhile:
    case OpKind::kCallOnce:
    case OpKind::kCall:
    case OpKind::kStablehloComposite:
    case OpKind::kStablehloCase:
    case OpKind::kStablehloWhile:
      return RunCall(ref);
    case OpKind::kAssignVariable:
      AssignVariable(ref);
      return {};
    case OpKind::kReadVariable:
      return ReadVariable(ref);
    default:
      break;
  }
  STOWPLAN_RETURN_IF_ERROR(ApplyRule(ref));
  if (op.kind == OpKind::kVarHandle && !op.outputs.empty()) {
    states_[ref.subgraph.index()][op.outputs[0].index()].resource =
        op.attributes.String("container", "") + "/" +
        op.attributes.String("shared_name", "");
  }
  return {};
}

Status ShapeFlow::ApplyRule(OperatorRef ref) {
  const Operator& op = At(ref);
  const Subgraph& subgraph = model_.subgraph(ref.subgraph);
  const States& states = states_[ref.subgraph.index()];
  const ShapeRule* rule = ShapeRuleOf(op);
  const bool data_decides = rule != nullptr && rule->data_decides;
  const bool touched = AnyTouched(ref);
  bool believed = !touched && !data_decides;
  bool followed = false;
  for (TensorId id : op.outputs) {
    believed = believed && IsStated(subgraph.tensor(id));
    followed = followed || FollowsContent(subgraph.tensor(id).dtype);
  }
  std::vector<const TensorFacts*> inputs;
  for (TensorId id : op.inputs) {
    inputs.push_back(id.valid() ? &states[id.index()].facts : nullptr);
  }
  ShapeContext context(subgraph, op, inputs,
                       std::vector<TensorFacts>(op.outputs.size()));
  if (rule != nullptr && rule->shape != nullptr && (!believed || followed)) {
    rule->shape(context);
  }
  if (context.failed() && !believed) {
    return BadInput(PlaceOf(ref), context.error() + DescribeInputs(ref),
                    "check the shapes given for the inputs");
  }
  const bool failed = context.failed();
  const std::string reason = context.reason();
  std::vector<TensorFacts> found = context.TakeOutputs();
  std::vector<TensorFacts> shapes(found.size());
  bool as_ruled = !failed;
  for (size_t i = 0; i < found.size(); ++i) {
    const Tensor& tensor = subgraph.tensor(op.outputs[i]);
    if (failed) found[i].shape = std::nullopt;
    shapes[i].shape = found[i].shape;
    if (!touched && !data_decides) {
      shapes[i].shape = IsStated(tensor)
                            ? tensor.shape
                            : FillIn(found[i].shape, OpenShapeOf(tensor));
    }
    as_ruled = as_ruled && shapes[i].shape == found[i].shape;
  }
  // A rule of content may rely on what its rule of shape has found.
  if (rule != nullptr && rule->value != nullptr && followed && as_ruled) {
    ShapeContext content(subgraph, op, std::move(inputs), shapes);
    rule->value(content);
    if (!content.failed()) shapes = content.TakeOutputs();
  }
  const RootPtr root = RootOf(ref, reason);
  const RootPtr content_root = data_decides ? root : InheritedRoot(ref);
  for (size_t i = 0; i < shapes.size(); ++i) {
    TensorState state;
    const Tensor& tensor = subgraph.tensor(op.outputs[i]);
    state.facts.value = CheckedValue(tensor, shapes[i]);
    state.facts.shape = std::move(shapes[i].shape);
    state.touched = IsTouched(tensor, state.facts.shape, touched);
    if (!IsKnown(state.facts.shape)) {
      state.root = root;
    } else if (!ContentIsKnown(tensor, state)) {
      state.root = content_root;
    }
    STOWPLAN_RETURN_IF_ERROR(Store(ref, i, std::move(state)));
  }
  return {};
}

std::string ShapeFlow::DescribeInputs(OperatorRef ref) const {
  std::string text;
  for (TensorId id : At(ref).inputs) {
    if (!id.valid()) continue;
    const std::optional<Shape>& shape = State(ref.subgraph, id).facts.shape;
    text += (text.empty() ? " (inputs: " : ", ") +
            graph::PlaceOf(model_.subgraph(ref.subgraph), id) + " " +
            (shape ? ToString(*shape) : "of unknown rank");
  }
  return text.empty() ? text : text + ")";
}

void ShapeFlow::AssignVariable(OperatorRef ref) {
  if (At(ref).inputs.size() < 2) return;
  const TensorState handle = Operand(ref, 0);
  const TensorState value = Operand(ref, 1);
  if (handle.resource.empty() || !IsKnown(value.facts.shape)) return;
  Variable& variable = variables_[handle.resource];
  if (!variable.shape) {
    variable = {value.facts.shape, value.touched};
  } else if (variable.shape != value.facts.shape) {
    variable = {std::nullopt, true};
  }
}

Status ShapeFlow::ReadVariable(OperatorRef ref) {
  const Operator& op = At(ref);
  if (op.outputs.empty()) return {};
  const Tensor& tensor = model_.subgraph(ref.subgraph).tensor(op.outputs[0]);
  const auto variable = op.inputs.empty()
                            ? variables_.end()
                            : variables_.find(Operand(ref, 0).resource);
  TensorState state = InitialState(tensor);
  const bool assigned = variable != variables_.end();
  const bool touched = assigned && variable->second.touched;
  if (assigned && (touched || !IsStated(tensor))) {
    state.facts.shape = FillIn(variable->second.shape,
                               touched ? std::nullopt : OpenShapeOf(tensor));
  }
  state.touched = IsTouched(tensor, state.facts.shape, touched);
  if (!IsKnown(state.facts.shape) && !IsStated(tensor)) {
    state.root = RootOf(
        ref, "reads a variable, whose shape is that of the last assignment");
  }
  return Store(ref, 0, std::move(state));
}

Status ShapeFlow::Store(OperatorRef ref, size_t output, TensorState state) {
  const Subgraph& subgraph = model_.subgraph(ref.subgraph);
  const TensorId id = At(ref).outputs[output];
  if (!SizeFits(subgraph.tensor(id).dtype, state.facts.shape)) {
    return BadInput(PlaceOf(ref),
                    "the size of " + graph::PlaceOf(subgraph, id) +
                        " does not fit in 64 bits",
                    "check the shapes given for the inputs");
  }
  states_[ref.subgraph.index()][id.index()] = std::move(state);
  return {};
}

TensorState ShapeFlow::Operand(OperatorRef ref, size_t input) const {
  const TensorId id = At(ref).inputs[input];
  if (!id.valid()) return {};
  return states_[ref.subgraph.index()][id.index()];
}

bool ShapeFlow::AnyTouched(OperatorRef ref) const {
  const std::vector<TensorId>& inputs = At(ref).inputs;
  return std::any_of(inputs.begin(), inputs.end(), [&](TensorId id) {
    return id.valid() && states_[ref.subgraph.index()][id.index()].touched;
  });
}

RootPtr ShapeFlow::InheritedRoot(OperatorRef ref) const {
  for (TensorId id : At(ref).inputs) {
    if (!id.valid()) continue;
    const RootPtr& root = states_[ref.subgraph.index()][id.index()].root;
    if (root != nullptr) return root;
  }
  return nullptr;
}

RootPtr ShapeFlow::RootOf(OperatorRef ref, const std::string& reason) const {
  const Operator& op = At(ref);
  const ShapeRule* rule = ShapeRuleOf(op);
  const auto here = [&](std::string why) {
    return std::make_shared<Root>(Root{ref, std::move(why)});
  };
  if (!reason.empty()) return here(reason);
  if (rule != nullptr && rule->data_decides) {
    return here(Clipped(op.type) +
                " decides the size of its output from the data");
  }
  if (RootPtr root = InheritedRoot(ref)) return root;
  const Subgraph& subgraph = model_.subgraph(ref.subgraph);
  for (size_t i = 0; i < op.inputs.size(); ++i) {
    const TensorId id = op.inputs[i];
    if (!id.valid() || !TraitsOf(op.kind).IsShapeOperand(i)) continue;
    const TensorState& state = states_[ref.subgraph.index()][id.index()];
    if (ContentIsKnown(subgraph.tensor(id), state)) continue;
    return here(Clipped(op.type) + " takes its shape from " +
                graph::PlaceOf(subgraph, id) +
                ", whose content is known only at run time");
  }
  if (rule == nullptr || rule->shape == nullptr) {
    return here("no rule says what shape " + Clipped(op.type) + " gives");
  }
  return here(Clipped(op.type) +
              " has too few inputs or options to say its shape");
}

std::string ShapeFlow::PlaceOf(OperatorRef ref) const {
  std::string place;
  if (model_.subgraphs.size() > 1) {
    place = "subgraph " + std::to_string(ref.subgraph.value()) + ", ";
  }
  return place + "operator " + std::to_string(ref.op.value()) + " (" +
         Clipped(At(ref).type) + ")";
}

}  // namespace stowplan::graph
