// SPDX-License-Identifier: Apache-2.0
#include "stowplan/tflite/callees.h"

namespace stowplan::tflite {
namespace {

using schema::BuiltinOperator;

std::vector<int32_t> Copy(const flatbuffers::Vector<int32_t>* indices) {
  return indices == nullptr
             ? std::vector<int32_t>()
             : std::vector<int32_t>(indices->begin(), indices->end());
}

std::vector<int32_t> OfStablehlo(BuiltinOperator builtin,
                                 const schema::Operator& op) {
  switch (builtin) {
    case BuiltinOperator::STABLEHLO_WHILE:
      if (const auto* o = op.builtin_options_2_as_StablehloWhileOptions()) {
        return {o->cond_subgraph_index(), o->body_subgraph_index()};
      }
      return {};
    case BuiltinOperator::STABLEHLO_REDUCE:
      if (const auto* o = op.builtin_options_2_as_StablehloReduceOptions()) {
        return {o->body_subgraph_index()};
      }
      return {};
    case BuiltinOperator::STABLEHLO_REDUCE_WINDOW:
      if (const auto* o =
              op.builtin_options_2_as_StablehloReduceWindowOptions()) {
        return {o->body_subgraph_index()};
      }
      return {};
    case BuiltinOperator::STABLEHLO_SORT:
      if (const auto* o = op.builtin_options_2_as_StablehloSortOptions()) {
        return {o->comparator_subgraph_index()};
      }
      return {};
    case BuiltinOperator::STABLEHLO_SCATTER:
      if (const auto* o = op.builtin_options_2_as_StablehloScatterOptions()) {
        return {o->update_computation_subgraph_index()};
      }
      return {};
    case BuiltinOperator::STABLEHLO_COMPOSITE:
      if (const auto* o = op.builtin_options_2_as_StableHLOCompositeOptions()) {
        return {o->decomposition_subgraph_index()};
      }
      return {};
    case BuiltinOperator::STABLEHLO_CUSTOM_CALL:
      if (const auto* o =
              op.builtin_options_2_as_StablehloCustomCallOptions()) {
        return Copy(o->called_computations());
      }
      return {};
    case BuiltinOperator::STABLEHLO_CASE:
      if (const auto* o = op.builtin_options_2_as_StablehloCaseOptions()) {
        return Copy(o->branch_subgraph_indices());
      }
      return {};
    default:
      return {};
  }
}

}  // namespace

std::vector<int32_t> CalleesOf(BuiltinOperator builtin,
                               const schema::Operator& op) {
  switch (builtin) {
    case BuiltinOperator::IF:
      if (const auto* o = op.builtin_options_as_IfOptions()) {
        return {o->then_subgraph_index(), o->else_subgraph_index()};
      }
      return {};
    case BuiltinOperator::WHILE:
      if (const auto* o = op.builtin_options_as_WhileOptions()) {
        return {o->cond_subgraph_index(), o->body_subgraph_index()};
      }
      return {};
    case BuiltinOperator::CALL_ONCE:
      if (const auto* o = op.builtin_options_as_CallOnceOptions()) {
        return {o->init_subgraph_index()};
      }
      return {};
    case BuiltinOperator::CALL:
      if (const auto* o = op.builtin_options_as_CallOptions()) {
        return {static_cast<int32_t>(o->subgraph())};
      }
      return {};
    default:
      return OfStablehlo(builtin, op);
  }
}

size_t CalleesNeededBy(BuiltinOperator builtin) {
  switch (builtin) {
    case BuiltinOperator::IF:
    case BuiltinOperator::WHILE:
    case BuiltinOperator::STABLEHLO_WHILE:
      return 2;
    case BuiltinOperator::CALL:
    case BuiltinOperator::CALL_ONCE:
    case BuiltinOperator::STABLEHLO_REDUCE:
    case BuiltinOperator::STABLEHLO_REDUCE_WINDOW:
    case BuiltinOperator::STABLEHLO_SORT:
    case BuiltinOperator::STABLEHLO_SCATTER:
    case BuiltinOperator::STABLEHLO_COMPOSITE:
    case BuiltinOperator::STABLEHLO_CASE:
      return 1;
    default:
      return 0;
  }
}

}  // namespace stowplan::tflite
