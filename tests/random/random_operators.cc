// SPDX-License-Identifier: Apache-2.0
#include "tests/random/random_operators.h"

#include <string>

namespace stowplan::tests {
namespace {

// The families that an operator works in, a bit each.
constexpr unsigned Bit(Family family) {
  return 1u << static_cast<unsigned>(family);
}
constexpr unsigned kF = Bit(Family::kFloat);
constexpr unsigned kH = Bit(Family::kHybrid);
constexpr unsigned k8 = Bit(Family::kInt8);
constexpr unsigned kU = Bit(Family::kUInt8);
constexpr unsigned k16 = Bit(Family::kInt16);
constexpr unsigned kI = Bit(Family::kInt32);
constexpr unsigned kAll = kF | k8 | kU | k16 | kI;

struct Row {
  std::string_view type;
  unsigned families;
  Status (*make)(RandomModel* model, std::string_view type);
};

constexpr Row kRows[] = {
    {"CONV_2D", kF | kH | k8 | kU | k16, MakeConv2d},
    {"DEPTHWISE_CONV_2D", kF | kH | k8 | kU | k16, MakeDepthwise},
    {"TRANSPOSE_CONV", kF | k8 | kU | k16, MakeTransposeConv},
    {"FULLY_CONNECTED", kF | kH | k8 | kU | k16, MakeFullyConnected},
    {"BATCH_MATMUL", kF | k8 | k16, MakeBatchMatmul},
    {"AVERAGE_POOL_2D", kF | k8 | kU | k16, MakePool},
    {"MAX_POOL_2D", kF | k8 | kU | k16, MakePool},
    {"L2_POOL_2D", kF, MakePool},
    {"RESIZE_BILINEAR", kF | k8 | kU | k16, MakeResize},
    {"RESIZE_NEAREST_NEIGHBOR", kF | k8 | kU | k16, MakeResize},

    {"ADD", kAll, MakeArithmetic},
    {"SUB", kAll, MakeArithmetic},
    {"MUL", kAll, MakeArithmetic},
    {"DIV", kF | kI, MakeArithmetic},
    {"MAXIMUM", kAll, MakeArithmetic},
    {"MINIMUM", kAll, MakeArithmetic},
    {"SQUARED_DIFFERENCE", kF | k8 | kI, MakeArithmetic},
    {"FLOOR_DIV", kF | kI, MakeArithmetic},
    {"FLOOR_MOD", kF | kI, MakeArithmetic},
    {"EQUAL", kF | k8 | kU | kI, MakeCompare},
    {"NOT_EQUAL", kF | k8 | kU | kI, MakeCompare},
    {"LESS", kF | k8 | kU | kI, MakeCompare},
    {"LESS_EQUAL", kF | k8 | kU | kI, MakeCompare},
    {"GREATER", kF | k8 | kU | kI, MakeCompare},
    {"GREATER_EQUAL", kF | k8 | kU | kI, MakeCompare},
    {"SELECT_V2", kF | k8 | k16 | kI, MakeSelect},

    {"ABS", kF | k8 | k16 | kI, MakeUnary},
    {"NEG", kF | kI, MakeUnary},
    {"EXP", kF | k8, MakeUnary},
    {"LOG", kF, MakeUnary},
    {"SQRT", kF, MakeUnary},
    {"RSQRT", kF, MakeUnary},
    {"SQUARE", kF, MakeUnary},
    {"SIN", kF, MakeUnary},
    {"COS", kF, MakeUnary},
    {"FLOOR", kF, MakeUnary},
    {"CEIL", kF, MakeUnary},
    {"ROUND", kF, MakeUnary},
    {"TANH", kF | k8 | kU | k16, MakeUnary},
    {"LOGISTIC", kF | k8 | kU | k16, MakeUnary},
    {"RELU", kF | k8 | kU | k16, MakeUnary},
    {"RELU6", kF | k8 | kU, MakeUnary},
    {"RELU_N1_TO_1", kF | k8 | kU, MakeUnary},
    {"ELU", kF | k8, MakeUnary},
    {"HARD_SWISH", kF | k8 | kU, MakeUnary},
    {"GELU", kF | k8, MakeUnary},
    {"LEAKY_RELU", kF | k8 | kU | k16, MakeLeakyRelu},
    {"PRELU", kF | k8 | kU, MakePrelu},
    {"QUANTIZE", k8 | kU | k16, MakeRescale},
    {"DEQUANTIZE", k8 | kU | k16, MakeRescale},

    {"SOFTMAX", kF | k8 | kU | k16, MakeSoftmax},
    {"LOG_SOFTMAX", kF | k8 | kU, MakeSoftmax},
    {"L2_NORMALIZATION", kF | k8, MakeSoftmax},
    {"MEAN", kF | k8 | kU | k16, MakeReduce},
    {"SUM", kF | k8 | kU | kI, MakeReduce},
    {"REDUCE_MAX", kF | k8 | kU | k16 | kI, MakeReduce},
    {"REDUCE_MIN", kF | k8 | kU | k16 | kI, MakeReduce},
    {"REDUCE_PROD", kF | kI, MakeReduce},
    {"ARG_MAX", kF | k8 | kU | kI, MakeArg},
    {"ARG_MIN", kF | k8 | kU | kI, MakeArg},
    {"TOPK_V2", kF | k8 | kU | kI, MakeTopK},
    {"CUMSUM", kF | kI, MakeCumsum},

    {"RESHAPE", kAll, MakeReshape},
    {"CONCATENATION", kAll, MakeJoin},
    {"PACK", kAll, MakeJoin},
    {"UNPACK", kAll, MakeSplit},
    {"SPLIT", kAll, MakeSplit},
    {"SPLIT_V", kAll, MakeSplit},
    {"SLICE", kAll, MakeSlice},
    {"STRIDED_SLICE", kAll, MakeStridedSlice},
    {"PAD", kAll, MakePad},
    {"PADV2", kF | k8 | kU | kI, MakePad},
    {"MIRROR_PAD", kF | k8 | kI, MakePad},
    {"TRANSPOSE", kAll, MakeTranspose},
    {"TILE", kF | k8 | kU | kI, MakeTile},
    {"BROADCAST_TO", kF | k8 | kU | k16 | kI, MakeBroadcastTo},
    {"REVERSE_V2", kF | kU | k16 | kI, MakeReverse},
    {"SPACE_TO_DEPTH", kF | k8 | kU | kI, MakeSpaceDepth},
    {"DEPTH_TO_SPACE", kF | k8 | kU | kI, MakeSpaceDepth},
    {"SPACE_TO_BATCH_ND", kF | k8 | kU | k16 | kI, MakeSpaceBatch},
    {"BATCH_TO_SPACE_ND", kF | k8 | kU | k16 | kI, MakeSpaceBatch},
    {"GATHER", kAll, MakeGather},
    {"GATHER_ND", kF | k8 | kU | k16 | kI, MakeGather},
};

}  // namespace

std::vector<std::string_view> RandomOperatorTypes(Family family) {
  std::vector<std::string_view> types;
  for (const Row& row : kRows) {
    if (row.families & Bit(family)) types.push_back(row.type);
  }
  return types;
}

Status AddRandomOperator(RandomModel* model, std::string_view type) {
  const auto types = RandomOperatorTypes(model->family());
  if (type.empty()) {
    const int64_t last = static_cast<int64_t>(types.size()) - 1;
    type = types[static_cast<size_t>(model->random().Between(0, last))];
  }
  for (const Row& row : kRows) {
    if (row.type == type && (row.families & Bit(model->family()))) {
      return row.make(model, type);
    }
  }
  return UsageError(std::string(type), "no such operator in this family");
}

}  // namespace stowplan::tests
