// SPDX-License-Identifier: Apache-2.0
#include "stowplan/engines/tflm_rules.h"

#include <algorithm>
#include <array>
#include <cstdint>
#include <initializer_list>

#include "stowplan/base/checked_math.h"
#include "stowplan/engines/tflm_sizes.h"
#include "stowplan/engines/tflm_structs.h"

namespace stowplan::engines {
namespace {

using graph::Tensor;

bool IsOf(const Tensor* tensor, DType dtype) {
  return tensor != nullptr && tensor->dtype == dtype;
}

// The product, or kTooManyBytes, which RequestsOf refuses.
Bytes Product(std::initializer_list<int64_t> factors) {
  return std::min(
      CheckedProduct({factors.begin(), factors.size()}).value_or(kTooManyBytes),
      kTooManyBytes);
}

// One word of four bytes for each filter, of which dimension `axis` counts.
void Filters(KernelScope& s, size_t axis) {
  s.Persistent(Product({4, KernelScope::Extent(s.input(1), axis)}));
}

// Fully connected: multipliers by row only if the weights are quantised so.
void Rows(KernelScope& s) {
  const Tensor* weights = s.input(1);
  if (weights == nullptr || IsOf(s.input(0), DType::kFloat32)) return;
  const graph::Quantization& q = weights->quantization;
  if (q.scales.size() <= 1 || q.zero_points.empty()) return;
  const auto axis = static_cast<size_t>(std::max(q.dimension, 0));
  s.Persistent(Product({4, KernelScope::Extent(weights, axis)}));
}

// Weights of four bits are unpacked to bytes.
void Unpack(KernelScope& s) {
  if (!IsOf(s.input(1), DType::kInt4)) return;
  s.Scratch(Product({KernelScope::ElementsOf(s.input(1))}));
}

// The shape in the file cannot be written, so the kernel copies it.
void OutputDims(KernelScope& s) {
  s.Persistent(IntArrayBytes(KernelScope::RankOf(s.output(0))));
}

void StretchedDims(KernelScope& s) {
  const Tensor* output = s.output(0);
  if (output == nullptr || !output->shape) return;
  const graph::Shape& shape = *output->shape;
  if (std::find(shape.begin(), shape.end(), -1) != shape.end()) OutputDims(s);
}

void Variable(KernelScope& s) {
  const Tensor* value = s.input(1);
  if (value == nullptr) return;
  s.Persistent(Product(
      {KernelScope::ElementsOf(value), std::max(BitsOf(value->dtype) / 8, 1)}));
}

// A transposed copy of an operand: its structure, shape and content.
void Transposed(KernelScope& s, const Tensor* operand) {
  if (operand == nullptr) return;
  s.Persistent(StructsOf(s.options()).eval_tensor);
  s.Persistent(IntArrayBytes(KernelScope::RankOf(operand)));
  s.Persistent(
      Product({KernelScope::ElementsOf(operand), BitsOf(operand->dtype) / 8}));
}

void BatchMatMul(KernelScope& s) {
  if (IsOf(s.input(0), DType::kInt8) || IsOf(s.input(0), DType::kInt16)) {
    s.Persistent(28);
  }
  if (s.op().attributes.Bool("adj_x", false)) Transposed(s, s.input(0));
  if (!s.op().attributes.Bool("adj_y", false)) Transposed(s, s.input(1));
}

void AddN(KernelScope& s) {
  const auto inputs = static_cast<Bytes>(s.op().inputs.size());
  if (IsOf(s.output(0), DType::kInt8)) s.Persistent(40);
  s.Scratch(s.pointer() * inputs);
}

// Sums of quantised values, one of four bytes an output element.
void Sums(KernelScope& s) {
  const Tensor* input = s.input(0);
  if (IsOf(input, DType::kInt8) || IsOf(input, DType::kInt16) ||
      IsOf(input, DType::kUInt8)) {
    s.Scratch(Product({4, KernelScope::ElementsOf(s.output(0))}));
  }
}

// Reductions: an index for each input dimension, and the axes made positive.
void Axes(KernelScope& s) {
  s.Scratch(4 * KernelScope::RankOf(s.input(0)));
  s.Scratch(Product({4, KernelScope::ElementsOf(s.input(1))}));
}

void InputDims(KernelScope& s) {
  s.Scratch(4 * KernelScope::RankOf(s.input(0)));
}

// A look-up table of 513 values.
void Exponents(KernelScope& s) {
  if (IsOf(s.input(0), DType::kInt16)) s.Persistent(2 * 513);
}

void Svdf(KernelScope& s) {
  const Bytes batches = KernelScope::Extent(s.input(0), 0);
  const Bytes filters = KernelScope::Extent(s.input(1), 0);
  const Bytes rank = std::max<Bytes>(s.op().attributes.Int("rank", 1), 1);
  s.Scratch(Product({4, batches, filters}));
  if (IsOf(s.input(0), DType::kInt8))
    s.Scratch(Product({4, batches, filters / rank}));
}

void TransposeConv(KernelScope& s) {
  const Tensor* input = s.input(2);
  const Bytes outputs = KernelScope::ElementsOf(s.output(0));
  if (IsOf(input, DType::kInt8)) s.Scratch(Product({4, outputs}));
  if (!IsOf(input, DType::kInt16)) return;
  s.Scratch(Product({8, outputs}));
  if (IsOf(s.input(3), DType::kInt16)) {
    s.Scratch(Product({8, KernelScope::ElementsOf(s.input(3))}));
  }
}

// Four gates, each as large as the cell's state.
void Lstm(KernelScope& s) {
  constexpr size_t kInput = 0, kOutputState = 18, kCellState = 19;
  const bool time_major = s.op().attributes.Bool("time_major", false);
  const Tensor* cell = s.input(kCellState);
  if (cell == nullptr) return;
  const Bytes batches =
      KernelScope::Extent(s.input(kInput), time_major ? 1 : 0);
  const Bytes states = KernelScope::Extent(s.input(kOutputState), 1);
  for (int gate = 0; gate < 4; ++gate) {
    s.Scratch(Product({batches, states, BitsOf(cell->dtype) / 8}));
  }
}

void Embedding(KernelScope& s) { s.Persistent(2 * s.pointer()); }

// The channels' sums, one more than the output has, of eight bytes.
void FilterBank(KernelScope& s) {
  s.Init(Product({8, KernelScope::ElementsOf(s.output(0))}) + 8);
}

void NoiseEstimate(KernelScope& s) {
  s.Init(Product({4, KernelScope::ElementsOf(s.output(0))}));
}

// The length of a transform from its output, pairs for half of it and one.
int64_t TransformLength(const KernelScope& s) {
  const int64_t rank = KernelScope::RankOf(s.output(0));
  if (rank == 0) return 0;
  const int64_t last =
      KernelScope::Extent(s.output(0), static_cast<size_t>(rank - 1));
  return std::max<int64_t>(last - 2, 0);
}

// Kiss FFT for real input: its states with factors, twiddles and a buffer of
// complex numbers, for half the length.
void RfftState(KernelScope& s) {
  const Bytes half = TransformLength(s) / 2;
  const Bytes complex = IsOf(s.input(0), DType::kInt16) ? 4 : 8;
  s.Init(3 * s.pointer() + 264 + Product({complex, half / 2, 5}));
}

void RfftInput(KernelScope& s) {
  const Bytes element = IsOf(s.input(0), DType::kInt16) ? 2 : 4;
  s.Scratch(Product({element, TransformLength(s)}));
}

// Detections kept and classes are options that only the kernel can read; the
// operands' shapes are at least as large.
void Detections(KernelScope& s) {
  const Bytes boxes = KernelScope::Extent(s.input(0), 1);
  const Bytes classes = KernelScope::Extent(s.input(1), 2);
  const Bytes kept = KernelScope::Extent(s.output(0), 1);
  if (kept == 0) s.Incomplete();
  const Bytes scores = KernelScope::Extent(s.input(1), 1);
  s.Scratch(boxes);
  s.Scratch(Product({4, 4, boxes}));
  s.Scratch(Product({4, scores, classes}));
  s.Scratch(Product({4, boxes}));
  s.Scratch(Product({4, boxes}));
  s.Scratch(Product({4, kept, boxes}));
  s.Scratch(Product({4, kept, boxes}));
  s.Scratch(Product({4, boxes}));
  s.Scratch(Product({4, kept, boxes}));
  s.Scratch(Product({4, std::max(classes, kept), boxes}));
  s.Scratch(Product({4, std::min(boxes, kept), boxes}));
}

struct NamedRule {
  std::string_view name;
  KernelRule rule;
};

constexpr std::array kRules = {
    NamedRule{"add_n", AddN},
    NamedRule{"axes", Axes},
    NamedRule{"batch_matmul", BatchMatMul},
    NamedRule{"detections", Detections},
    NamedRule{"embedding", Embedding},
    NamedRule{"exponents", Exponents},
    NamedRule{"filter_bank", FilterBank},
    NamedRule{"filters_0", [](KernelScope& s) { Filters(s, 0); }},
    NamedRule{"filters_3", [](KernelScope& s) { Filters(s, 3); }},
    NamedRule{"input_dims", InputDims},
    NamedRule{"keep_36", [](KernelScope& s) { s.Persistent(36); }},
    NamedRule{"keep_40", [](KernelScope& s) { s.Persistent(40); }},
    NamedRule{"lstm", Lstm},
    NamedRule{"noise_estimate", NoiseEstimate},
    NamedRule{"output_dims", OutputDims},
    NamedRule{"rfft_input", RfftInput},
    NamedRule{"rfft_state", RfftState},
    NamedRule{"rows", Rows},
    NamedRule{"stretched_dims", StretchedDims},
    NamedRule{"sums", Sums},
    NamedRule{"svdf", Svdf},
    NamedRule{"transpose_conv", TransposeConv},
    NamedRule{"unpack", Unpack},
    NamedRule{"variable", Variable},
};

}  // namespace

int64_t KernelScope::ElementsOf(const Tensor* tensor) {
  if (tensor == nullptr) return 0;
  if (!tensor->shape) return 1;
  return CheckedProduct(*tensor->shape).value_or(0);
}

int64_t KernelScope::Extent(const Tensor* tensor, size_t dimension) {
  if (tensor == nullptr || !tensor->shape) return 0;
  if (dimension >= tensor->shape->size()) return 0;
  return std::max<int64_t>((*tensor->shape)[dimension], 0);
}

int64_t KernelScope::RankOf(const Tensor* tensor) {
  if (tensor == nullptr || !tensor->shape) return 0;
  return static_cast<int64_t>(tensor->shape->size());
}

KernelRule FindKernelRule(std::string_view name) {
  for (const NamedRule& row : kRules) {
    if (row.name == name) return row.rule;
  }
  return nullptr;
}

}  // namespace stowplan::engines
