// SPDX-License-Identifier: Apache-2.0
//
// The tensors that LiteRT's kernels add, one function an operator, read in
// the kernels' Prepare functions (LiteRT of August 2026, the optimised
// kernels without multi-threaded Eigen) and checked against the addresses of
// the published package. "Hybrid" is float32 values with integer weights.
#include <algorithm>
#include <array>
#include <bit>
#include <cmath>
#include <utility>

#include "stowplan/engines/litert_kernel.h"
#include "stowplan/graph/constant_value.h"

namespace stowplan::engines {
namespace {

using graph::OpKind;
using graph::Shape;
using Kernel = LiteRtKernel;

constexpr Holding kArena = Holding::kArena;
constexpr Holding kPersistent = Holding::kPersistent;
constexpr Holding kDynamic = Holding::kDynamic;

KernelScratch Exactly(std::vector<Temporary> temporaries) {
  const size_t count = temporaries.size();
  return {std::move(temporaries), count};
}

bool IsInteger8Or16(DType type) {
  return type == DType::kUInt8 || type == DType::kInt8 || type == DType::kInt16;
}

// Whether the weights' channels have scales of their own, and not all equal.
bool ScalesDiffer(const graph::Tensor& weights) {
  const auto& scales = weights.quantization.scales;
  return std::any_of(scales.begin(), scales.end(),
                     [&scales](float s) { return s != scales.front(); });
}

KernelScratch Conv2d(const Kernel& k) {
  const bool hybrid =
      k.IsHybrid(0, 1, {DType::kUInt8, DType::kInt8, DType::kInt4});
  const DType weights = k.TypeOf(1);
  std::vector<Temporary> list;
  if (k.Int("stride_w", 1) != 1 || k.Int("stride_h", 1) != 1 ||
      k.Int("dilation_w_factor", 1) != 1 ||
      k.Int("dilation_h_factor", 1) != 1 || k.Dim(1, 1) != 1 ||
      k.Dim(1, 2) != 1) {
    const DType unpacked = weights == DType::kInt4 ? DType::kInt8 : weights;
    list.push_back({"im2col",
                    hybrid ? unpacked : k.TypeOf(0),
                    {k.Dim(0, 0), k.OutputDim(1), k.OutputDim(2),
                     k.Elements(k.ShapeOf(1), 1)}});
  }
  if (hybrid) {
    const int64_t groups =
        k.Dim(1, 3) > 0 ? k.Dim(0, 3) / k.Dim(1, 3) : int64_t{0};
    const int64_t rows =
        k.Elements({k.Dim(0, 0), k.Dim(0, 1), k.Dim(0, 2), groups});
    list.push_back({"quantised input", DType::kInt8, k.ShapeOf(0)});
    list.push_back({"scales", DType::kFloat32, {rows}});
    list.push_back({"accumulators",
                    DType::kInt32,
                    {k.Dim(1, 0), k.Elements(k.OutputShape(), 0, 3)}});
    if (weights != DType::kUInt8 && k.Has(1) && ScalesDiffer(*k.Source(1))) {
      list.push_back({"input offsets", DType::kInt32, {rows}});
      list.push_back({"row sums", DType::kInt32, {k.Dim(1, 0)}, kPersistent});
    }
  }
  return Exactly(std::move(list));
}

KernelScratch DepthwiseConv2d(const Kernel& k) {
  if (!k.IsHybrid(0, 1, {DType::kInt8})) return {};
  return Exactly({{"quantised input", DType::kInt8, k.ShapeOf(0)},
                  {"scales", DType::kFloat32, {k.Dim(0, 0)}},
                  {"input offsets", DType::kInt32, {k.Dim(0, 0)}}});
}

int64_t RoundUp(int64_t value, int64_t unit) {
  return (value + unit - 1) / unit * unit;
}

// Four-bit weights in the layout of the optimised kernel: rows of 32, four
// units at once, and as many batches at once (4, 2 or 1) as there are.
std::vector<Temporary> FourBit(int64_t batches, int64_t columns,
                               int64_t units) {
  const int64_t together = batches >= 4 ? 4 : batches >= 2 ? 2 : 1;
  const int64_t rows = RoundUp(batches, together);
  return {{"quantised input", DType::kInt8, {rows, RoundUp(columns, 32)}},
          {"scales", DType::kFloat32, {rows}},
          {"accumulators", DType::kInt32, {rows, RoundUp(units, 4)}},
          {"input offsets", DType::kInt32, {rows}}};
}

KernelScratch FullyConnected(const Kernel& k) {
  constexpr size_t kNumbers = 6;
  if (!k.IsHybrid(0, 1,
                  {DType::kUInt8, DType::kInt8, DType::kInt4, DType::kInt2})) {
    return {{}, kNumbers};
  }
  const int64_t units = k.Dim(1, 0);
  const int64_t columns = k.Dim(1, 1);
  const int64_t batches =
      columns > 0 ? k.Elements(k.ShapeOf(0)) / columns : int64_t{0};
  if (k.TypeOf(1) == DType::kInt4 && k.IsMapped(1) && batches > 0 &&
      columns % 2 == 0 && units >= 4 && columns >= 32) {
    return {FourBit(batches, columns, units), kNumbers};
  }
  std::vector<Temporary> list = {
      {"quantised input", DType::kInt8, k.ShapeOf(0)},
      {"scales", DType::kFloat32, {batches}},
      {"accumulators", DType::kInt32, {units, batches}},
      {"input offsets", DType::kInt32, {batches}},
      {"row sums", DType::kInt32, {units}, kPersistent}};
  return {std::move(list), kNumbers};
}

Shape Transposed(Shape shape) {
  if (shape.size() >= 2) std::swap(shape.end()[-1], shape.end()[-2]);
  return shape;
}

// Both transposed copies are reserved whether or not the flags ask for them.
KernelScratch BatchMatmul(const Kernel& k) {
  constexpr size_t kNumbers = 7;
  std::vector<Temporary> list = {
      {"transposed left", k.TypeOf(0), Transposed(k.ShapeOf(0))},
      {"transposed right", k.TypeOf(1), Transposed(k.ShapeOf(1)),
       k.IsMapped(1) ? kPersistent : kArena}};
  if (k.IsHybrid(0, 1, {DType::kInt8})) {
    const int64_t rows = k.Dim(0, k.Bool("adj_x") ? -1 : -2);
    const int64_t units = k.Dim(1, k.Bool("adj_y") ? -2 : -1);
    const int64_t all_rows =
        k.Elements({k.Elements(k.ShapeOf(0), 0, -2), rows});
    const int64_t all_units =
        k.Elements({k.Elements(k.ShapeOf(1), 0, -2), units});
    list.push_back({"quantised left", DType::kInt8, k.ShapeOf(0)});
    list.push_back({"scales", DType::kFloat32, {all_rows}});
    list.push_back({"accumulators", DType::kInt32, {units, rows}});
    list.push_back({"input offsets", DType::kInt32, {all_rows}});
    list.push_back({"row sums", DType::kInt32, {all_units}, kPersistent});
  }
  return {std::move(list), kNumbers};
}

DType AccumulatorOf(DType type) {
  switch (type) {
    case DType::kInt32:
    case DType::kInt64:
      return DType::kInt64;
    case DType::kUInt8:
    case DType::kInt8:
    case DType::kInt16:
      return DType::kInt32;
    default:
      return type;
  }
}

// MEAN, SUM and REDUCE_PROD have an accumulator; the others leave its number
// empty.
KernelScratch Reduce(const Kernel& k) {
  const OpKind kind = k.op().kind;
  const int64_t rank = static_cast<int64_t>(k.ShapeOf(0).size());
  const bool axis_known = k.IsFixed(1);
  Holding axis = axis_known ? kArena : kDynamic;
  Holding accumulator = axis;
  Holding dims = k.IsFixed(0) ? kArena : kDynamic;
  const int64_t results = axis_known ? k.Elements(k.OutputShape()) : 0;
  if (kind != OpKind::kMean && kind != OpKind::kSum &&
      kind != OpKind::kReduceProd) {
    accumulator = Holding::kNone;
  }
  if (kind == OpKind::kReduceProd && k.IsFixed(0) && axis_known &&
      results <= 8) {
    axis = accumulator = dims = kDynamic;  // Computed while preparing.
  }
  return Exactly(
      {{"index", DType::kInt32, {rank}},
       {"axes", DType::kInt32, {k.Elements(k.ShapeOf(1))}, axis},
       {"accumulators", AccumulatorOf(k.TypeOf(0)), {results}, accumulator},
       {"dimensions", DType::kInt32, {rank}, dims}});
}

KernelScratch Svdf(const Kernel& k) {
  constexpr size_t kNumbers = 6;
  const int64_t batches = k.Dim(0, 0);
  const int64_t filters = k.Dim(1, 0);
  const int64_t rank = std::max<int64_t>(1, k.Int("rank", 1));
  const bool integer = k.TypeOf(0) == DType::kInt8;
  std::vector<Temporary> list = {{"activations",
                                  integer ? DType::kInt32 : DType::kFloat32,
                                  {batches, filters}}};
  if (integer) {
    list.push_back({"outputs", DType::kInt32, {filters / rank, batches}});
  } else if (k.IsHybrid(0, 1, {DType::kUInt8, DType::kInt8})) {
    list.push_back({"quantised input", k.TypeOf(1), k.ShapeOf(0)});
    list.push_back({"scales", DType::kFloat32, {batches}});
    list.push_back(
        {"float time weights", DType::kFloat32, k.ShapeOf(2), kPersistent});
    list.push_back({"zero points", DType::kFloat32, {batches}});
    list.push_back({"row sums", DType::kFloat32, {filters}, kPersistent});
  }
  return {std::move(list), kNumbers};
}

KernelScratch TransposeConv(const Kernel& k) {
  const DType type = k.TypeOf(2);
  const bool shape_known = k.IsMapped(0);
  std::vector<Temporary> list = {
      {"col2im",
       type == DType::kFloat32 ? type : DType::kInt32,
       {k.Elements(k.ShapeOf(2), 1, 3), k.Elements(k.ShapeOf(1), 0, 3)},
       kDynamic},
      {"transposed weights",
       k.TypeOf(1),
       {k.Dim(1, 1), k.Dim(1, 2), k.Dim(1, 0), k.Dim(1, 3)},
       kDynamic}};
  if (IsInteger8Or16(type)) {
    list.push_back({"accumulators",
                    type == DType::kInt16 ? DType::kInt64 : DType::kInt32,
                    shape_known ? k.OutputShape() : Shape{0}, kDynamic});
  }
  if (k.IsHybrid(2, 1, {DType::kInt8})) {
    const int64_t channels = std::max<int64_t>(1, k.Dim(1, 3));
    const int64_t rows = k.Elements(k.ShapeOf(2)) / channels;
    list.push_back({"quantised input", DType::kInt8, k.ShapeOf(2)});
    list.push_back({"scales", DType::kFloat32, {rows}});
    list.push_back({"input offsets", DType::kInt32, {rows}});
  }
  return Exactly(std::move(list));
}

// Work areas of the FFT library; doubles are declared as int64.
KernelScratch Rfft2d(const Kernel& k) {
  const auto size = k.Has(1) ? graph::IntegersOf(*k.Source(1)) : std::nullopt;
  if (!size || size->size() != 2) {
    Temporary sized_by_run = {"work", DType::kInt64, {0}, kDynamic};
    return Exactly(std::vector<Temporary>(4, sized_by_run));
  }
  const int64_t height = std::clamp<int64_t>((*size)[0], 0, 1 << 30);
  const int64_t width = std::clamp<int64_t>((*size)[1], 0, 1 << 30);
  const int64_t longest = std::max(height, width / 2);
  const auto root =
      static_cast<int64_t>(std::sqrt(static_cast<double>(longest)));
  return Exactly({{"bit reversal", DType::kInt32, {2 + root}},
                  {"cosines", DType::kInt64, {longest / 2 + width / 4}},
                  {"rows", DType::kInt64, {height}},
                  {"values", DType::kInt64, {height, width + 2}}});
}

KernelScratch Conv3d(const Kernel& k) {
  bool pointwise = k.Dim(1, 0) == 1 && k.Dim(1, 1) == 1 && k.Dim(1, 2) == 1;
  for (const char* name :
       {"stride_d", "stride_h", "stride_w", "dilation_d_factor",
        "dilation_h_factor", "dilation_w_factor"}) {
    pointwise = pointwise && k.Int(name, 1) == 1;
  }
  if (pointwise) return {};
  return Exactly({{"im2col",
                   k.TypeOf(0),
                   {k.Dim(0, 0), k.OutputDim(1), k.OutputDim(2), k.OutputDim(3),
                    k.Elements(k.ShapeOf(1), 0, 4)}}});
}

// Boxes decoded from their anchors, and a copy of the scores.
KernelScratch DetectionPostProcess(const Kernel& k) {
  return {{{"boxes", DType::kFloat32, {k.Dim(0, 1), 4}},
           {"scores", DType::kFloat32, {k.Dim(1, 1), k.Dim(1, 2)}}},
          2};
}

}  // namespace

// In litert_scratch_lstm.cc.
KernelScratch LstmScratch(const LiteRtKernel& kernel);

const ScratchRule* FindScratchRule(const graph::Operator& op) {
  static constexpr std::array kRules = {
      ScratchRule{OpKind::kConv2d, 0, Conv2d},
      ScratchRule{OpKind::kConv3d, 0, Conv3d},
      ScratchRule{OpKind::kDepthwiseConv2d, 0, DepthwiseConv2d},
      ScratchRule{OpKind::kTransposeConv, 0, TransposeConv},
      ScratchRule{OpKind::kFullyConnected, 0, FullyConnected},
      ScratchRule{OpKind::kBatchMatmul, 0, BatchMatmul},
      ScratchRule{OpKind::kMean, 0, Reduce},
      ScratchRule{OpKind::kSum, 0, Reduce},
      ScratchRule{OpKind::kReduceProd, 0, Reduce},
      ScratchRule{OpKind::kReduceMax, 0, Reduce},
      ScratchRule{OpKind::kReduceMin, 0, Reduce},
      ScratchRule{OpKind::kReduceAny, 0, Reduce},
      ScratchRule{OpKind::kReduceAll, 0, Reduce},
      ScratchRule{OpKind::kRfft2d, 0, Rfft2d},
      ScratchRule{OpKind::kSvdf, 6, Svdf},
      ScratchRule{OpKind::kLstm, 12, LstmScratch},
      ScratchRule{OpKind::kUnidirectionalSequenceLstm, 12, LstmScratch},
  };
  static constexpr ScratchRule kDetection = {OpKind::kCustom, 2,
                                             DetectionPostProcess};
  if (op.kind == OpKind::kCustom) {
    return op.type == "TFLite_Detection_PostProcess" ? &kDetection : nullptr;
  }
  const auto* rule = std::find_if(
      kRules.begin(), kRules.end(),
      [&op](const ScratchRule& row) { return row.kind == op.kind; });
  return rule == kRules.end() ? nullptr : rule;
}

bool HasUnknownScratch(const graph::Operator& op) {
  static constexpr std::array kUnknown = {
      OpKind::kAddN,
      OpKind::kConv3dTranspose,
      OpKind::kBidirectionalSequenceLstm,
      OpKind::kBidirectionalSequenceRnn,
      OpKind::kRnn,
      OpKind::kUnidirectionalSequenceRnn,
      OpKind::kStablehloReduceWindow,
  };
  if (op.kind == OpKind::kCustom) return FindScratchRule(op) == nullptr;
  return std::find(kUnknown.begin(), kUnknown.end(), op.kind) != kUnknown.end();
}

}  // namespace stowplan::engines
