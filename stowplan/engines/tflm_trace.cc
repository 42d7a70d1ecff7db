// SPDX-License-Identifier: Apache-2.0
#include "stowplan/engines/tflm_trace.h"

#include <algorithm>
#include <set>
#include <utility>

#include "stowplan/engines/tflm_kernels.h"
#include "stowplan/engines/tflm_structs.h"

namespace stowplan::engines {
namespace {

using graph::OperatorId;
using graph::OperatorRef;
using graph::OpKind;
using graph::Subgraph;
using graph::SubgraphId;
using graph::TensorId;
using graph::TensorRef;
using Kind = ArenaRequest::Kind;

using VariableName = std::pair<std::string, std::string>;

VariableName NameOfVariable(const graph::Operator& handle) {
  return {handle.attributes.String("container", ""),
          handle.attributes.String("shared_name", "")};
}

class Tracer {
 public:
  Tracer(const graph::Model& model, const TflmOptions& options,
         TflmTrace* trace)
      : model_(model),
        options_(options),
        structs_(StructsOf(options)),
        trace_(trace) {}

  Status UntilPrepared() {
    Objects();
    Arrays();
    STOWPLAN_RETURN_IF_ERROR(FindKernels());
    phase_ = kTflmInitialise;
    for (const Node& node : nodes_) ParseOptions(node);
    for (const Node& node : nodes_) {
      for (Bytes bytes : node.requests.init) {
        Persistent(bytes, {"operator data", node.op, HandleOf(node.op),
                           Owner::kPersistent});
      }
    }
    phase_ = kTflmPrepare;
    for (const Node& node : nodes_) Prepare(node);
    return {};
  }

  void PlanAndRun(const std::vector<TailVariable>& variables,
                  Bytes planned_buffers, Bytes head) {
    phase_ = kTflmPlan;
    const auto scratch = static_cast<Bytes>(trace_->scratch.size());
    if (scratch > 0) {
      Tail(structs_.scratch_handle * scratch, structs_.pointer,
           {"scratch handles", {}, {}, Owner::kBookkeeping});
    }
    for (const TailVariable& variable : variables) {
      Persistent(
          variable.bytes,
          {variable.planned ? "variable that is in the head" : "variable",
           {},
           variable.planned ? TensorRef() : variable.tensor,
           Owner::kPersistent});
    }
    Bytes tensors = 0;
    for (const Subgraph& subgraph : model_.subgraphs) {
      tensors += static_cast<Bytes>(subgraph.tensors.size());
    }
    Add(Kind::kTemp, structs_.pointer * Subgraphs(), structs_.pointer,
        {"first records of subgraphs", {}, {}, Owner::kBookkeeping});
    Add(Kind::kTemp, structs_.plan_entry * (tensors + scratch),
        structs_.pointer, {"records to plan", {}, {}, Owner::kBookkeeping});
    Add(Kind::kWorkspace, structs_.planner_buffer * planned_buffers,
        kArenaAlignment, {"planner's arrays", {}, {}, Owner::kBookkeeping});
    Add(Kind::kDropTemps, 0, 1, {});
    phase_ = kTflmRun;
    Add(Kind::kHead, head, kArenaAlignment, {});
    if (model_.subgraphs.empty()) return;
    const Subgraph& main = model_.subgraphs.front();
    Ends("graph inputs", main.inputs);
    Ends("graph outputs", main.outputs);
  }

 private:
  struct Node {
    OperatorRef op;
    const TflmKernel* kernel;  // Null if there is none.
    KernelRequests requests;
  };

  const graph::Operator& At(OperatorRef ref) const {
    return model_.subgraph(ref.subgraph).operators[ref.op.index()];
  }
  Bytes Subgraphs() const {
    return static_cast<Bytes>(model_.subgraphs.size());
  }

  void Add(Kind kind, Bytes bytes, Bytes alignment, TraceLabel label) {
    trace_->requests.push_back({kind, bytes, alignment, phase_});
    trace_->labels.push_back(std::move(label));
  }
  void Tail(Bytes bytes, Bytes alignment, TraceLabel label) {
    Add(Kind::kTail, bytes, alignment, std::move(label));
  }
  // As kernels get it.
  void Persistent(Bytes bytes, TraceLabel label) {
    Tail(bytes, kArenaAlignment, std::move(label));
  }

  // The table of scratch requests, with room for those of one more kernel.
  void RequestTable() {
    const auto scratch = static_cast<Bytes>(trace_->scratch.size());
    Add(Kind::kHead,
        structs_.scratch_request * (scratch + kMostScratchPerKernel),
        structs_.pointer, {"scratch requests", {}, {}, Owner::kBookkeeping});
  }

  // The allocator's own objects, before any of the model.
  void Objects() {
    for (Bytes bytes :
         {structs_.allocator, structs_.planner, structs_.micro_allocator}) {
      Tail(bytes, structs_.pointer, {"allocator", {}, {}, Owner::kBookkeeping});
    }
    std::set<VariableName> names;
    for (const Subgraph& subgraph : model_.subgraphs) {
      for (const graph::Operator& op : subgraph.operators) {
        if (op.kind == OpKind::kVarHandle) names.insert(NameOfVariable(op));
      }
    }
    if (!names.empty()) {
      const TraceLabel label = {
          "resource variables", {}, {}, Owner::kBookkeeping};
      Persistent(structs_.resources, label);
      Persistent(structs_.resource * static_cast<Bytes>(names.size()), label);
    }
    Tail(structs_.builtin_data_allocator, structs_.pointer,
         {"allocator", {}, {}, Owner::kBookkeeping});
    RequestTable();
  }

  void Arrays() {
    Tail(structs_.subgraph * Subgraphs(), structs_.pointer,
         {"subgraphs", {}, {}, Owner::kBookkeeping});
    for (const Subgraph& subgraph : model_.subgraphs) {
      Tail(structs_.eval_tensor * static_cast<Bytes>(subgraph.tensors.size()),
           structs_.pointer, {"tensors", {}, {}, Owner::kBookkeeping});
    }
    for (const Subgraph& subgraph : model_.subgraphs) {
      Tail(structs_.node * static_cast<Bytes>(subgraph.operators.size()),
           structs_.pointer, {"operators", {}, {}, Owner::kBookkeeping});
    }
  }

  Status FindKernels() {
    for (size_t s = 0; s < model_.subgraphs.size(); ++s) {
      const SubgraphId id = SubgraphId::FromIndex(s);
      const Subgraph& subgraph = model_.subgraphs[s];
      for (size_t i = 0; i < subgraph.operators.size(); ++i) {
        const graph::Operator& op = subgraph.operators[i];
        Node node = {
            {id, OperatorId::FromIndex(i)}, FindTflmKernel(op.type), {}};
        if (node.kernel != nullptr) {
          STOWPLAN_TRY(requests,
                       RequestsOf(*node.kernel, subgraph, op, options_));
          node.requests = std::move(requests);
        }
        if (node.kernel == nullptr || node.requests.incomplete) {
          std::vector<std::string>& names = trace_->without_kernel;
          if (std::find(names.begin(), names.end(), op.type) == names.end()) {
            names.push_back(op.type);
          }
        }
        nodes_.push_back(std::move(node));
      }
    }
    return {};
  }

  void ParseOptions(const Node& node) {
    if (node.kernel == nullptr || node.kernel->options_bytes == 0) return;
    Bytes bytes = node.kernel->options_bytes;
    // The one structure of two pointers.
    if (At(node.op).kind == OpKind::kVarHandle) bytes = 2 * structs_.pointer;
    Tail(bytes, std::min(node.kernel->options_alignment, structs_.pointer),
         {"operator options", node.op, {}, Owner::kBookkeeping});
  }

  // The tensor that lies in an operator's data: the handle of a variable.
  TensorRef HandleOf(OperatorRef ref) const {
    const graph::Operator& op = At(ref);
    if (op.kind != OpKind::kVarHandle || op.outputs.empty()) return {};
    return {ref.subgraph, op.outputs[0]};
  }

  // The first to write a variable brings its memory; TFLM looks at the handle
  // that a VAR_HANDLE of the same subgraph gives out.
  bool IsFirstWriter(const OperatorRef ref) {
    const graph::Operator& op = At(ref);
    if (op.kind != OpKind::kAssignVariable || op.inputs.empty()) return true;
    for (const graph::Operator& other :
         model_.subgraph(ref.subgraph).operators) {
      if (other.kind == OpKind::kVarHandle && !other.outputs.empty() &&
          other.outputs[0] == op.inputs[0]) {
        return written_.insert(NameOfVariable(other)).second;
      }
    }
    return true;
  }

  void Prepare(const Node& node) {
    const Subgraph& subgraph = model_.subgraph(node.op.subgraph);
    for (const KernelRequest& request : node.requests.prepare) {
      switch (request.kind) {
        case KernelRequest::Kind::kTemporary:
          Structure(Kind::kTemp, subgraph.tensor(request.tensor),
                    {"temporary tensors", node.op, {}, Owner::kBookkeeping});
          break;
        case KernelRequest::Kind::kPersistent:
          if (!IsFirstWriter(node.op)) break;
          Persistent(request.bytes,
                     {"operator data", node.op, {}, Owner::kPersistent});
          break;
        case KernelRequest::Kind::kScratch:
          trace_->scratch.push_back({node.op, request.bytes});
          break;
      }
    }
    // A graph without kernels may say itself what an operator needs.
    if (At(node.op).scratch > 0) {
      trace_->scratch.push_back({node.op, At(node.op).scratch});
    }
    Add(Kind::kDropTemps, 0, 1, {});
    RequestTable();
    trace_->labels.back().op = node.op;
  }

  // A TfLiteTensor, with what it says of its quantisation.
  void Structure(Kind kind, const graph::Tensor& tensor,
                 const TraceLabel& label) {
    Add(kind, structs_.tensor, structs_.pointer, label);
    const graph::Quantization& q = tensor.quantization;
    if (q.scales.empty() || q.zero_points.empty()) return;
    Add(kind, structs_.quantization, structs_.pointer, label);
    Add(kind, IntArrayBytes(static_cast<Bytes>(q.scales.size())), 4, label);
  }

  void Ends(const char* what, const std::vector<TensorId>& ids) {
    Persistent(structs_.pointer * static_cast<Bytes>(ids.size()),
               {what, {}, {}, Owner::kBookkeeping});
    for (TensorId id : ids) {
      Structure(Kind::kTail, model_.subgraphs.front().tensor(id),
                {what, {}, {}, Owner::kBookkeeping});
    }
  }

  const graph::Model& model_;
  const TflmOptions& options_;
  const TflmStructs structs_;
  TflmTrace* trace_;
  size_t phase_ = kTflmInitialise;
  std::vector<Node> nodes_;
  std::set<VariableName> written_;
};

}  // namespace

Result<TflmTrace> TraceUntilPrepared(const graph::Model& model,
                                     const TflmOptions& options) {
  TflmTrace trace;
  Tracer tracer(model, options, &trace);
  STOWPLAN_RETURN_IF_ERROR(tracer.UntilPrepared());
  return trace;
}

void TracePlanAndRun(const graph::Model& model, const TflmOptions& options,
                     const std::vector<TailVariable>& variables,
                     Bytes planned_buffers, Bytes head, TflmTrace* trace) {
  Tracer(model, options, trace).PlanAndRun(variables, planned_buffers, head);
}

}  // namespace stowplan::engines
