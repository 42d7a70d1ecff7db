// SPDX-License-Identifier: Apache-2.0
#include "stowplan/runtime/bound_graph.h"

#include <algorithm>
#include <cstring>
#include <deque>
#include <string>
#include <type_traits>

#include "stowplan/runtime/value_check.h"

namespace stowplan::runtime {
namespace {

using graph::OperatorId;
using graph::OpKind;
using graph::SubgraphId;
using graph::TensorId;

// Where kernels find the content. Some files align it to four bytes only;
// elements of eight are then copied, which concerns small tensors of indices.
const std::byte* ContentOf(const graph::Tensor& tensor,
                           std::deque<std::vector<uint64_t>>* copies) {
  const std::byte* data = tensor.data.data();
  const auto address = reinterpret_cast<uintptr_t>(data);
  const auto element = static_cast<uintptr_t>(BitsOf(tensor.dtype) / 8);
  if (element <= 1 || address % std::min<uintptr_t>(element, 8) == 0) {
    return data;
  }
  auto& copy = copies->emplace_back((tensor.data.size() + 7) / 8);
  std::memcpy(copy.data(), data, tensor.data.size());
  return reinterpret_cast<const std::byte*>(copy.data());
}

kernels::Tensor BindTensor(const graph::Tensor& tensor, graph::TensorRef ref,
                           const FileFacts& facts,
                           std::deque<std::vector<uint64_t>>* copies) {
  kernels::Tensor bound;
  bound.type = tensor.dtype;
  if (const auto shape = ToKernelShape(tensor.shape)) bound.shape = *shape;
  bound.quantization.scales = tensor.quantization.scales;
  bound.quantization.zero_points = tensor.quantization.zero_points;
  bound.quantization.dimension = tensor.quantization.dimension;
  if (tensor.quantization.scheme == graph::Quantization::Scheme::kBlockwise) {
    bound.quantization.block_size = tensor.quantization.dimension;
    bound.quantization.half_scales = facts.BlockScalesOf(ref);
  }
  bound.constant = tensor.constant;
  bound.variable = tensor.variable;
  bound.sparsity = facts.SparsityOf(ref);
  if (tensor.constant) {
    // Kernels never write constants: they are inputs only.
    bound.data = const_cast<std::byte*>(ContentOf(tensor, copies));
    bound.bytes = static_cast<Bytes>(tensor.data.size());
  }
  return bound;
}

kernels::Option BindOption(const std::string& name,
                           const graph::Attribute& value) {
  kernels::Option option;
  option.name = name;
  if (const auto* flag = std::get_if<bool>(&value)) {
    option.number = *flag ? 1 : 0;
    option.real = *flag ? 1 : 0;
  } else if (const auto* number = std::get_if<int64_t>(&value)) {
    option.number = *number;
    option.real = static_cast<double>(*number);
  } else if (const auto* real = std::get_if<double>(&value)) {
    option.real = *real;
  } else if (const auto* text = std::get_if<std::string>(&value)) {
    option.text = *text;
  } else if (const auto* numbers = std::get_if<std::vector<int64_t>>(&value)) {
    option.numbers = *numbers;
  }
  return option;
}

size_t CountOperands(const graph::Subgraph& subgraph) {
  size_t count = 0;
  for (const graph::Operator& op : subgraph.operators) {
    count += op.inputs.size() + op.outputs.size() + op.intermediates.size();
  }
  return count;
}

// REQUIRES: room for them, so that earlier spans stay where they are.
std::span<kernels::Tensor* const> AddOperands(const std::vector<TensorId>& ids,
                                              BoundSubgraph& subgraph) {
  const size_t begin = subgraph.operands.size();
  for (TensorId id : ids) {
    subgraph.operands.push_back(id.valid() ? &subgraph.tensors[id.index()]
                                           : nullptr);
  }
  return std::span(subgraph.operands).subspan(begin);
}

std::vector<kernels::Option> BindOptions(const graph::Attributes& attributes) {
  std::vector<kernels::Option> options;
  options.reserve(static_cast<size_t>(attributes.end() - attributes.begin()));
  for (const auto& [name, value] : attributes) {
    options.push_back(BindOption(name, value));
  }
  return options;
}

void BindOperator(const graph::Operator& op, BoundSubgraph& subgraph,
                  std::span<const std::byte> custom_options,
                  kernels::Arithmetic arithmetic, BoundOperator& bound) {
  bound.node.type = op.type;
  bound.node.inputs = AddOperands(op.inputs, subgraph);
  bound.node.outputs = AddOperands(op.outputs, subgraph);
  bound.node.intermediates = AddOperands(op.intermediates, subgraph);
  bound.node.custom_options = custom_options;
  bound.node.arithmetic = arithmetic;
  if (bound.kernel != nullptr) bound.node.user = bound.kernel->user;
}

std::string TypesOf(const graph::Operator& op,
                    const graph::Subgraph& subgraph) {
  std::string types;
  for (TensorId id : op.inputs) {
    if (!types.empty()) types += ", ";
    types += id.valid() ? NameOf(subgraph.tensor(id).dtype) : "-";
  }
  return op.type + " (" + types + ")";
}

tl::unexpected<Error> Missing(const std::map<std::string, int>& missing) {
  std::string list;
  for (const auto& [what, count] : missing) {
    if (!list.empty()) list += "; ";
    list += std::to_string(count) + " x " + what;
  }
  return BadInput("model", "operators without a kernel: " + list,
                  "register kernels of your own for them");
}

}  // namespace

bool IsControl(OpKind kind) {
  switch (kind) {
    case OpKind::kIf:
    case OpKind::kWhile:
    case OpKind::kCallOnce:
    case OpKind::kCall:
    case OpKind::kStablehloComposite:
    case OpKind::kVarHandle:
    case OpKind::kReadVariable:
    case OpKind::kAssignVariable:
      return true;
    default:
      return false;
  }
}

std::optional<kernels::Shape> ToKernelShape(
    const std::optional<graph::Shape>& shape) {
  if (!shape || shape->size() > kernels::kMaxRank) return std::nullopt;
  kernels::Shape result;
  result.rank = shape->size();
  for (size_t i = 0; i < shape->size(); ++i) {
    if ((*shape)[i] < 0) return std::nullopt;
    result[i] = (*shape)[i];
  }
  return result;
}

Result<BoundGraph> BoundGraph::Create(const graph::Model& model,
                                      const FileFacts& facts,
                                      const kernels::Registry& registry,
                                      kernels::Arithmetic arithmetic,
                                      const std::vector<SubgraphId>& reached) {
  STOWPLAN_RETURN_IF_ERROR(CheckValues(model, reached));
  BoundGraph bound;
  bound.subgraphs_.resize(model.subgraphs.size());
  std::map<std::string, int> missing;
  for (SubgraphId id : reached) {
    const graph::Subgraph& subgraph = model.subgraph(id);
    BoundSubgraph& into = bound.subgraph(id);
    into.tensors.reserve(subgraph.tensors.size());
    into.operands.reserve(CountOperands(subgraph));
    for (size_t t = 0; t < subgraph.tensors.size(); ++t) {
      into.tensors.push_back(BindTensor(subgraph.tensors[t],
                                        {id, TensorId::FromIndex(t)}, facts,
                                        &bound.copies_));
    }
    into.operators.resize(subgraph.operators.size());
    for (size_t i = 0; i < subgraph.operators.size(); ++i) {
      const graph::Operator& op = subgraph.operators[i];
      BoundOperator& to = into.operators[i];
      if (!IsControl(op.kind)) {
        to.kernel = registry.Find(op.type);
        if (to.kernel == nullptr) ++missing[TypesOf(op, subgraph)];
      }
      BindOperator(op, into,
                   facts.CustomOptionsOf({id, OperatorId::FromIndex(i)}),
                   arithmetic, to);
      auto [options, added] =
          bound.options_.try_emplace(op.attributes.identity());
      if (added) options->second = BindOptions(op.attributes);
      to.node.options = kernels::Options(options->second);
    }
  }
  if (!missing.empty()) return Missing(missing);
  return bound;
}

}  // namespace stowplan::runtime
