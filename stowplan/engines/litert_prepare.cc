// SPDX-License-Identifier: Apache-2.0
#include "stowplan/engines/litert_prepare.h"

#include <algorithm>
#include <array>
#include <utility>

#include "stowplan/engines/litert_kernel.h"

namespace stowplan::engines {
namespace {

using graph::OperatorId;
using graph::OpKind;
using graph::SubgraphId;
using graph::TensorId;

// Operators whose value over constants LiteRT computes while it prepares.
constexpr std::array kFoldedOverConstants = {
    OpKind::kGather,        OpKind::kConcatenation, OpKind::kMul,
    OpKind::kStridedSlice,  OpKind::kRange,         OpKind::kTile,
    OpKind::kBroadcastArgs, OpKind::kReshape,       OpKind::kReduceProd};

bool HasNoFixedSize(DType type) { return BitsOf(type) == 0; }

// How a subgraph comes by its inputs.
enum class Inputs {
  kOwn,     // The entry's: in its own arena.
  kCopied,  // From the caller, into its own arena, where it reads them.
  kGiven,   // They are the caller's tensors.
};

class SubgraphPreparer {
 public:
  SubgraphPreparer(const graph::Model& model, SubgraphId id, Inputs inputs,
                   Prepared* all)
      : model_(model), id_(id), subgraph_(model.subgraph(id)), all_(*all) {
    TakeFileTensors();
    TakeInputs(inputs);
    TakeNumbersAtLoad();
    result_.temporaries.resize(subgraph_.operators.size());
    for (const graph::Operator& op : subgraph_.operators) {
      result_.outputs.push_back(op.outputs);
    }
  }

  PreparedSubgraph Run() && {
    for (TensorId input : result_.inputs) {
      if (input.valid() && Of(input).holding == Holding::kDynamic) {
        result_.dynamic = true;
      }
    }
    for (size_t i = 0; i < subgraph_.operators.size(); ++i) {
      if (Prepare(i)) continue;
      result_.dynamic = true;
      result_.rounds.push_back(i + 1);
    }
    if (result_.rounds.empty() ||
        result_.rounds.back() != subgraph_.operators.size()) {
      result_.rounds.push_back(subgraph_.operators.size());
    }
    return std::move(result_);
  }

 private:
  PreparedTensor& Of(TensorId id) { return result_.tensors[id.index()]; }

  void TakeFileTensors() {
    for (const graph::Tensor& tensor : subgraph_.tensors) {
      PreparedTensor& taken = result_.tensors.emplace_back();
      taken.dtype = tensor.dtype;
      taken.shape = tensor.shape.value_or(graph::Shape());
      taken.bytes = graph::SizeOf(tensor).value_or(0);
      taken.holding = tensor.constant                ? Holding::kMapped
                      : HasNoFixedSize(tensor.dtype) ? Holding::kDynamic
                      : tensor.variable              ? Holding::kPersistent
                                                     : Holding::kArena;
    }
  }

  void TakeInputs(Inputs inputs) {
    result_.inputs = subgraph_.inputs;
    if (inputs == Inputs::kCopied) {
      for (TensorId& input : result_.inputs) {
        if (CountReads(input) == 0) input = TensorId();
      }
    }
    if (inputs != Inputs::kGiven) return;
    for (TensorId input : subgraph_.inputs) {
      if (!input.valid() || Of(input).holding == Holding::kDynamic) continue;
      Of(input).holding = Holding::kGiven;
    }
  }

  // Operands and outputs of the subgraph.
  int64_t CountReads(TensorId id) const {
    auto count =
        std::count(subgraph_.outputs.begin(), subgraph_.outputs.end(), id);
    for (const graph::Operator& op : subgraph_.operators) {
      count += std::count(op.inputs.begin(), op.inputs.end(), id);
    }
    return count;
  }

  void TakeNumbersAtLoad() {
    first_number_.resize(subgraph_.operators.size(), 0);
    for (size_t i = 0; i < subgraph_.operators.size(); ++i) {
      const ScratchRule* rule = FindScratchRule(subgraph_.operators[i]);
      if (rule == nullptr || rule->numbers_at_load == 0) continue;
      first_number_[i] = result_.tensors.size();
      result_.tensors.resize(result_.tensors.size() + rule->numbers_at_load);
    }
  }

  // False if a run decides the size of an output, so that the next operator
  // cannot be prepared before.
  bool Prepare(size_t i) {
    const graph::Operator& op = subgraph_.operators[i];
    {
      // Views the tensors; AddTemporaries makes more of them.
      const LiteRtKernel kernel(subgraph_, op, result_.tensors);
      HoldOutputs(i, op, kernel);
    }
    AddTemporaries(i, op);
    const LiteRtKernel kernel(subgraph_, op, result_.tensors);
    if (op.kind == OpKind::kReshape && kernel.Has(1) && !kernel.IsFixed(1)) {
      // Its output has as many bytes as its input, whatever its shape.
      PreparedTensor& output = Of(op.outputs[0]);
      if (output.holding == Holding::kArena) {
        output.bytes = Of(op.inputs[0]).bytes;
      }
      return false;
    }
    return std::none_of(result_.outputs[i].begin(), result_.outputs[i].end(),
                        [this](TensorId output) {
                          return output.valid() &&
                                 Of(output).holding == Holding::kDynamic;
                        });
  }

  void HoldOutputs(size_t i, const graph::Operator& op,
                   const LiteRtKernel& kernel) {
    switch (op.kind) {
      case OpKind::kDequantize:
        if (kernel.IsMapped(0)) Hold(op, Holding::kPersistent);
        return;
      case OpKind::kDensify:
        return Hold(op, Holding::kPersistent);
      case OpKind::kVarHandle:
        Hold(op, Holding::kPersistent);
        if (!op.outputs.empty()) Of(op.outputs[0]).bytes = 4;  // A number.
        return;
      case OpKind::kShape:
      case OpKind::kRank:
        return Hold(op, Holding::kFolded);
      case OpKind::kReadVariable:
        if (kernel.OutputShape().empty()) Hold(op, Holding::kDynamic);
        return;
      case OpKind::kWhile:
        return PrepareWhile(i, op);
      case OpKind::kIf:
      case OpKind::kStablehloCase:
      case OpKind::kStablehloComposite:
        return PrepareBranches(op);
      case OpKind::kCallOnce:
        for (SubgraphId callee : op.callees)
          PrepareCallee(callee, Inputs::kOwn);
        return;
      default:
        break;
    }
    if (IsFolded(op, kernel)) return Hold(op, Holding::kFolded);
    if (op.kind == OpKind::kReshape) return;
    if (IsSizedByRun(op, kernel)) Hold(op, Holding::kDynamic);
  }

  void Hold(const graph::Operator& op, Holding holding) {
    for (TensorId output : op.outputs) {
      if (output.valid()) Of(output).holding = holding;
    }
  }

  static bool IsFolded(const graph::Operator& op, const LiteRtKernel& kernel) {
    if (std::find(kFoldedOverConstants.begin(), kFoldedOverConstants.end(),
                  op.kind) == kFoldedOverConstants.end()) {
      return false;
    }
    for (size_t k = 0; k < op.inputs.size(); ++k) {
      if (kernel.Has(k) && !kernel.IsFixed(k)) return false;
    }
    return op.kind != OpKind::kReduceProd ||
           kernel.Elements(kernel.OutputShape()) <= 8;
  }

  // The content of an operand that decides a shape is not known yet.
  static bool IsSizedByRun(const graph::Operator& op,
                           const LiteRtKernel& kernel) {
    if (op.kind == OpKind::kUnique) return true;
    const graph::OpTraits& traits = graph::TraitsOf(op.kind);
    // Offsets from the begin need no begin to know the size.
    const bool offset =
        op.kind == OpKind::kStridedSlice && kernel.Bool("offset");
    for (size_t k = 0; k < op.inputs.size(); ++k) {
      if (!traits.IsShapeOperand(k) || !kernel.Has(k) || kernel.IsFixed(k)) {
        continue;
      }
      if (!offset || k == 3) return true;
    }
    return false;
  }

  void AddTemporaries(size_t i, const graph::Operator& op) {
    if (HasUnknownScratch(op)) {
      all_.notes.push_back(PlaceOf(i) +
                           ": what memory this operator takes for itself is "
                           "not modelled and is left out");
    }
    const ScratchRule* rule = FindScratchRule(op);
    if (rule == nullptr) return;
    const LiteRtKernel kernel(subgraph_, op, result_.tensors);
    const KernelScratch scratch = rule->scratch(kernel);
    std::vector<PreparedTensor> added;
    bool known = kernel.known();
    for (const Temporary& temporary : scratch.temporaries) {
      const auto bytes =
          BytesOf(temporary.dtype, kernel.Elements(temporary.shape));
      known = known && bytes.has_value() && kernel.known();
      added.push_back({temporary.holding, temporary.dtype, temporary.shape,
                       bytes.value_or(0), OperatorId::FromIndex(i),
                       temporary.label});
    }
    size_t number = first_number_[i];
    if (rule->numbers_at_load == 0) {
      number = result_.tensors.size();
      result_.tensors.resize(number + scratch.numbers);
    }
    for (PreparedTensor& tensor : added) {
      result_.tensors[number] = std::move(tensor);
      result_.temporaries[i].push_back(static_cast<int32_t>(number++));
    }
    if (!known) {
      all_.notes.push_back(PlaceOf(i) +
                           ": its temporaries depend on a shape that is not "
                           "known; they are counted as far as it is");
    }
  }

  std::string PlaceOf(size_t i) const {
    return "subgraph " + std::to_string(id_.value()) + ", operator " +
           std::to_string(i) + " (" + subgraph_.operators[i].type + ")";
  }

  const PreparedSubgraph& PrepareCallee(SubgraphId callee, Inputs inputs) {
    auto found = all_.subgraphs.find(callee);
    if (found == all_.subgraphs.end()) {
      PreparedSubgraph prepared =
          SubgraphPreparer(model_, callee, inputs, &all_).Run();
      found = all_.subgraphs.insert({callee, std::move(prepared)}).first;
    }
    return found->second;
  }

  // The body works on the operator's outputs; the condition on copies.
  void PrepareWhile(size_t i, const graph::Operator& op) {
    if (op.callees.size() != 2) return;
    PrepareCallee(op.callees[0], Inputs::kCopied);
    const graph::Subgraph& body = model_.subgraph(op.callees[1]);
    const PreparedSubgraph& prepared =
        PrepareCallee(op.callees[1], Inputs::kGiven);
    bool dynamic = prepared.dynamic;
    const size_t count =
        std::min({op.outputs.size(), body.inputs.size(), body.outputs.size()});
    for (size_t k = 0; k < count; ++k) {
      if (body.inputs[k] == body.outputs[k] && op.outputs[k].valid() &&
          !HasNoFixedSize(subgraph_.tensor(op.outputs[k]).dtype) &&
          CountReads(op.outputs[k]) == 0) {
        Of(op.outputs[k]).holding = Holding::kNone;
        result_.outputs[i][k] = TensorId();
      }
      dynamic = dynamic || ShapesDiffer(body, body.inputs[k], body.outputs[k]);
    }
    if (!dynamic) return;
    for (TensorId output : result_.outputs[i]) {
      if (output.valid()) Of(output).holding = Holding::kDynamic;
    }
  }

  // LiteRT takes a scalar and a vector of one element for the same.
  static bool ShapesDiffer(const graph::Subgraph& subgraph, TensorId a,
                           TensorId b) {
    const graph::Shape one = subgraph.tensor(a).shape.value_or(graph::Shape());
    const graph::Shape other =
        subgraph.tensor(b).shape.value_or(graph::Shape());
    if (one == other) return false;
    return (one.empty() ? 0 : one[0]) + (other.empty() ? 0 : other[0]) != 1;
  }

  // The branches work on the caller's inputs.
  void PrepareBranches(const graph::Operator& op) {
    bool dynamic = false;
    const graph::Subgraph* first = nullptr;
    for (SubgraphId callee : op.callees) {
      dynamic = PrepareCallee(callee, Inputs::kGiven).dynamic || dynamic;
      const graph::Subgraph& branch = model_.subgraph(callee);
      if (first == nullptr) first = &branch;
      const size_t count =
          std::min(first->outputs.size(), branch.outputs.size());
      for (size_t k = 0; k < count; ++k) {
        dynamic = dynamic || first->tensor(first->outputs[k]).shape !=
                                 branch.tensor(branch.outputs[k]).shape;
      }
    }
    if (dynamic) Hold(op, Holding::kDynamic);
  }

  const graph::Model& model_;
  SubgraphId id_;
  const graph::Subgraph& subgraph_;
  Prepared& all_;
  PreparedSubgraph result_;
  std::vector<size_t> first_number_;  // By operator; of those taken at load.
};

}  // namespace

Prepared PrepareLiteRt(const graph::Model& model, SubgraphId entry) {
  Prepared all;
  PreparedSubgraph prepared =
      SubgraphPreparer(model, entry, Inputs::kOwn, &all).Run();
  all.subgraphs.insert({entry, std::move(prepared)});
  return all;
}

}  // namespace stowplan::engines
