// SPDX-License-Identifier: Apache-2.0
#include "stowplan/kernels/reference/families.h"

#include "stowplan/kernels/reference/conv.h"
#include "stowplan/kernels/reference/detection.h"
#include "stowplan/kernels/reference/elementwise.h"
#include "stowplan/kernels/reference/making.h"
#include "stowplan/kernels/reference/movement.h"
#include "stowplan/kernels/reference/normalize.h"
#include "stowplan/kernels/reference/pooling.h"
#include "stowplan/kernels/reference/recurrent.h"
#include "stowplan/kernels/reference/reduce.h"
#include "stowplan/kernels/reference/spectrum.h"

namespace stowplan::kernels::reference {
namespace {

constexpr Kernel kKernels[] = {
    // Sums of products.
    {"CONV_2D", PrepareConv2d, RunConv2d},
    {"DEPTHWISE_CONV_2D", PrepareDepthwiseConv2d, RunDepthwiseConv2d},
    {"TRANSPOSE_CONV", PrepareTransposeConv, RunTransposeConv},
    {"FULLY_CONNECTED", PrepareFullyConnected, RunFullyConnected},
    {"BATCH_MATMUL", PrepareBatchMatmul, RunBatchMatmul},
    // Two operands, element by element.
    {"ADD", PrepareArithmetic, RunAdd},
    {"SUB", PrepareArithmetic, RunSub},
    {"MUL", PrepareArithmetic, RunMul},
    {"DIV", PrepareArithmetic, RunDiv},
    {"MAXIMUM", PrepareArithmetic, RunMaximum},
    {"MINIMUM", PrepareArithmetic, RunMinimum},
    {"SQUARED_DIFFERENCE", PrepareArithmetic, RunSquaredDifference},
    {"POW", PrepareArithmetic, RunPow},
    {"FLOOR_DIV", PrepareArithmetic, RunFloorDiv},
    {"FLOOR_MOD", PrepareArithmetic, RunFloorMod},
    {"ATAN2", PrepareArithmetic, RunAtan2},
    {"EQUAL", PrepareCompare, RunEqual},
    {"NOT_EQUAL", PrepareCompare, RunNotEqual},
    {"LESS", PrepareCompare, RunLess},
    {"LESS_EQUAL", PrepareCompare, RunLessEqual},
    {"GREATER", PrepareCompare, RunGreater},
    {"GREATER_EQUAL", PrepareCompare, RunGreaterEqual},
    {"LOGICAL_AND", PrepareLogical, RunLogicalAnd},
    {"LOGICAL_OR", PrepareLogical, RunLogicalOr},
    {"LOGICAL_NOT", PrepareLogicalNot, RunLogicalNot},
    {"BITWISE_XOR", PrepareBitwise, RunBitwiseXor},
    {"RIGHT_SHIFT", PrepareBitwise, RunRightShift},
    {"SELECT", PrepareSelect, RunSelect},
    {"SELECT_V2", PrepareSelect, RunSelectV2},
    {"PRELU", PreparePrelu, RunPrelu},
    // One operand, element by element.
    {"ABS", PrepareUnary, RunUnary},
    {"NEG", PrepareUnary, RunUnary},
    {"EXP", PrepareUnary, RunUnary},
    {"LOG", PrepareUnary, RunUnary},
    {"SQRT", PrepareUnary, RunUnary},
    {"RSQRT", PrepareUnary, RunUnary},
    {"SQUARE", PrepareUnary, RunUnary},
    {"SIN", PrepareUnary, RunUnary},
    {"COS", PrepareUnary, RunUnary},
    {"FLOOR", PrepareUnary, RunUnary},
    {"CEIL", PrepareUnary, RunUnary},
    {"ROUND", PrepareUnary, RunUnary},
    {"TANH", PrepareUnary, RunUnary},
    {"LOGISTIC", PrepareUnary, RunUnary},
    {"RELU", PrepareUnary, RunUnary},
    {"RELU6", PrepareUnary, RunUnary},
    {"RELU_N1_TO_1", PrepareUnary, RunUnary},
    {"RELU_0_TO_1", PrepareUnary, RunUnary},
    {"ELU", PrepareUnary, RunUnary},
    {"LEAKY_RELU", PrepareUnary, RunUnary},
    {"HARD_SWISH", PrepareUnary, RunUnary},
    {"SIGN", PrepareUnary, RunUnary},
    {"GELU", PrepareUnary, RunUnary},
    {"ZEROS_LIKE", PrepareUnary, RunUnary},
    {"CAST", PrepareCast, RunCast},
    {"QUANTIZE", PrepareQuantize, RunQuantize},
    {"DEQUANTIZE", PrepareDequantize, RunDequantize},
    {"FAKE_QUANT", PrepareFakeQuant, RunFakeQuant},
    // Images.
    {"AVERAGE_POOL_2D", PreparePool, RunAveragePool},
    {"MAX_POOL_2D", PreparePool, RunMaxPool},
    {"L2_POOL_2D", PreparePool, RunL2Pool},
    {"RESIZE_BILINEAR", PrepareResize, RunResizeBilinear},
    {"RESIZE_NEAREST_NEIGHBOR", PrepareResize, RunResizeNearest},
    // Rows and reductions.
    {"SOFTMAX", PrepareSoftmax, RunSoftmax},
    {"LOG_SOFTMAX", PrepareLogSoftmax, RunLogSoftmax},
    {"L2_NORMALIZATION", PrepareL2Normalization, RunL2Normalization},
    {"LOCAL_RESPONSE_NORMALIZATION", PrepareLocalResponse, RunLocalResponse},
    {"CUMSUM", PrepareCumsum, RunCumsum},
    {"MEAN", PrepareReduce, RunReduce},
    {"SUM", PrepareReduce, RunReduce},
    {"REDUCE_MAX", PrepareReduce, RunReduce},
    {"REDUCE_MIN", PrepareReduce, RunReduce},
    {"REDUCE_PROD", PrepareReduce, RunReduce},
    {"REDUCE_ANY", PrepareReduce, RunReduce},
    {"REDUCE_ALL", PrepareReduce, RunReduce},
    {"ARG_MAX", PrepareArg, RunArg},
    {"ARG_MIN", PrepareArg, RunArg},
    {"TOPK_V2", PrepareTopK, RunTopK},
    // Movement.
    {"RESHAPE", PrepareView, RunView},
    {"SQUEEZE", PrepareView, RunView},
    {"EXPAND_DIMS", PrepareView, RunView},
    {"BITCAST", PrepareView, RunView},
    {"CONCATENATION", PrepareConcatenation, RunConcatenation},
    {"PACK", PreparePack, RunPack},
    {"UNPACK", PrepareUnpack, RunUnpack},
    {"SPLIT", PrepareSplit, RunSplit},
    {"SPLIT_V", PrepareSplit, RunSplit},
    {"SLICE", PrepareSlice, RunSlice},
    {"STRIDED_SLICE", PrepareStridedSlice, RunStridedSlice},
    {"DYNAMIC_UPDATE_SLICE", PrepareUpdateSlice, RunUpdateSlice},
    {"PAD", PreparePad, RunPad},
    {"PADV2", PreparePad, RunPad},
    {"MIRROR_PAD", PrepareMirrorPad, RunMirrorPad},
    {"TRANSPOSE", PrepareTranspose, RunTranspose},
    {"TILE", PrepareTile, RunTile},
    {"BROADCAST_TO", PrepareBroadcastTo, RunBroadcastTo},
    {"REVERSE_V2", PrepareReverse, RunReverse},
    {"REVERSE_SEQUENCE", PrepareReverseSequence, RunReverseSequence},
    {"SPACE_TO_DEPTH", PrepareSpaceDepth, RunSpaceToDepth},
    {"DEPTH_TO_SPACE", PrepareSpaceDepth, RunDepthToSpace},
    {"SPACE_TO_BATCH_ND", PrepareSpaceBatch, RunSpaceToBatch},
    {"BATCH_TO_SPACE_ND", PrepareSpaceBatch, RunBatchToSpace},
    {"GATHER", PrepareGather, RunGather},
    {"GATHER_ND", PrepareGatherNd, RunGatherNd},
    {"SCATTER_ND", PrepareScatterNd, RunScatterNd},
    {"EMBEDDING_LOOKUP", PrepareEmbedding, RunEmbedding},
    // Values out of shapes, numbers and indices.
    {"SHAPE", PrepareShape, RunShape},
    {"RANK", PrepareRank, RunRank},
    {"FILL", PrepareFill, RunFill},
    {"RANGE", PrepareRange, RunRange},
    {"ONE_HOT", PrepareOneHot, RunOneHot},
    {"BROADCAST_ARGS", PrepareBroadcastArgs, RunBroadcastArgs},
    {"SPARSE_TO_DENSE", PrepareSparseToDense, RunSparseToDense},
    {"WHERE", PrepareWhere, RunWhere, ShapesOfWhere},
    {"SEGMENT_SUM", PrepareSegments, RunSegments},
    {"UNSORTED_SEGMENT_SUM", PrepareSegments, RunSegments},
    {"UNSORTED_SEGMENT_PROD", PrepareSegments, RunSegments},
    {"UNSORTED_SEGMENT_MAX", PrepareSegments, RunSegments},
    {"UNSORTED_SEGMENT_MIN", PrepareSegments, RunSegments},
    {"DENSIFY", PrepareDensify, RunDensify},
    // Memory and spectra.
    {"UNIDIRECTIONAL_SEQUENCE_LSTM", PrepareSequenceLstm, RunSequenceLstm},
    {"LSTM", PrepareLstm, RunLstm},
    {"SVDF", PrepareSvdf, RunSvdf},
    {"RFFT2D", PrepareRfft2d, RunRfft2d},
    {"COMPLEX_ABS", PrepareComplex, RunComplexAbs},
    {"REAL", PrepareComplex, RunReal},
    {"IMAG", PrepareComplex, RunImag},
    // Detections.
    {"NON_MAX_SUPPRESSION_V4", PrepareSuppression, RunSuppression,
     ShapesOfSuppression},
    {"NON_MAX_SUPPRESSION_V5", PrepareSuppression, RunSuppression,
     ShapesOfSuppression},
    {"TFLite_Detection_PostProcess", PrepareDetection, RunDetection,
     ShapesOfDetection},
};

}  // namespace

std::span<const Kernel> AllKernels() { return kKernels; }

}  // namespace stowplan::kernels::reference
