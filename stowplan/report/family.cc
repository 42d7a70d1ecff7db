// SPDX-License-Identifier: Apache-2.0
#include "stowplan/report/family.h"

#include <array>

namespace stowplan::report {
namespace {

// Light enough for black text, told apart by hue and by lightness.
constexpr std::array<FamilyInfo, 13> kFamilies = {{
    {Family::kConvolution, "convolution", "#6aa5e3"},
    {Family::kDepthwise, "depthwise convolution", "#86d3df"},
    {Family::kMatrix, "matrix product", "#949cf0"},
    {Family::kArithmetic, "arithmetic", "#f0b64f"},
    {Family::kActivation, "activation, norm", "#f08f6e"},
    {Family::kReduction, "pooling, reduction", "#7dc98c"},
    {Family::kMovement, "data movement", "#b5bdc9"},
    {Family::kResize, "resize", "#c6d75f"},
    {Family::kCast, "quantise, cast", "#e79dd2"},
    {Family::kControl, "control, state", "#c59cf0"},
    {Family::kOther, "other operator", "#b7a68a"},
    {Family::kInput, "input", "#f3e3b3"},
    {Family::kScratch, "scratch", "#e0777d"},
}};

struct Rule {
  std::string_view part;  // Of the operator's type.
  Family family;
};

// The first that fits decides.
constexpr Rule kRules[] = {
    {"DEPTHWISE", Family::kDepthwise},
    {"CONV", Family::kConvolution},
    {"FULLY_CONNECTED", Family::kMatrix},
    {"MATMUL", Family::kMatrix},
    {"EINSUM", Family::kMatrix},
    {"LSTM", Family::kControl},
    {"RNN", Family::kControl},
    {"SVDF", Family::kControl},
    {"WHILE", Family::kControl},
    {"CALL", Family::kControl},
    {"VAR", Family::kControl},
    {"HASHTABLE", Family::kControl},
    {"QUANTIZE", Family::kCast},
    {"CAST", Family::kCast},
    {"DENSIFY", Family::kCast},
    {"RESIZE", Family::kResize},
    {"RANDOM", Family::kOther},
    {"MULTINOMIAL", Family::kOther},
    {"RESHAPE", Family::kMovement},
    {"EXPAND_DIMS", Family::kMovement},
    {"SQUEEZE", Family::kMovement},
    {"TRANSPOSE", Family::kMovement},
    {"CONCAT", Family::kMovement},
    {"PAD", Family::kMovement},
    {"SLICE", Family::kMovement},
    {"SPLIT", Family::kMovement},
    {"PACK", Family::kMovement},
    {"GATHER", Family::kMovement},
    {"SCATTER", Family::kMovement},
    {"TILE", Family::kMovement},
    {"BROADCAST", Family::kMovement},
    {"REVERSE", Family::kMovement},
    {"SHAPE", Family::kMovement},
    {"FILL", Family::kMovement},
    {"SELECT", Family::kMovement},
    {"SPACE", Family::kMovement},
    {"EMBEDDING", Family::kMovement},
    {"UPDATE", Family::kMovement},
    {"POOL", Family::kReduction},
    {"REDUCE", Family::kReduction},
    {"MEAN", Family::kReduction},
    {"SUM", Family::kReduction},
    {"ARG_", Family::kReduction},
    {"TOPK", Family::kReduction},
    {"NORM", Family::kActivation},
    {"ELU", Family::kActivation},
    {"SOFTMAX", Family::kActivation},
    {"LOGISTIC", Family::kActivation},
    {"TANH", Family::kActivation},
    {"SWISH", Family::kActivation},
    {"ADD", Family::kArithmetic},
    {"SUB", Family::kArithmetic},
    {"MUL", Family::kArithmetic},
    {"DIV", Family::kArithmetic},
    {"SQRT", Family::kArithmetic},
    {"SQUARE", Family::kArithmetic},
    {"POW", Family::kArithmetic},
    {"ABS", Family::kArithmetic},
    {"NEG", Family::kArithmetic},
    {"MAXIMUM", Family::kArithmetic},
    {"MINIMUM", Family::kArithmetic},
    {"EXP", Family::kArithmetic},
    {"LOG", Family::kArithmetic},
    {"SIN", Family::kArithmetic},
    {"COS", Family::kArithmetic},
    {"EQUAL", Family::kArithmetic},
    {"GREATER", Family::kArithmetic},
    {"LESS", Family::kArithmetic},
    {"FLOOR", Family::kArithmetic},
    {"CEIL", Family::kArithmetic},
    {"ROUND", Family::kArithmetic},
    {"SIGN", Family::kArithmetic},
};

constexpr bool InEnumOrder() {
  for (size_t i = 0; i < kFamilies.size(); ++i) {
    if (static_cast<size_t>(kFamilies[i].family) != i) return false;
  }
  return true;
}
static_assert(InEnumOrder());

}  // namespace

std::span<const FamilyInfo> Families() { return kFamilies; }

Family FamilyOf(std::string_view made_by) {
  if (made_by == "input") return Family::kInput;
  if (made_by == "scratch") return Family::kScratch;
  if (made_by == "IF") return Family::kControl;
  for (const Rule& rule : kRules) {
    if (made_by.find(rule.part) != std::string_view::npos) return rule.family;
  }
  return Family::kOther;
}

}  // namespace stowplan::report
