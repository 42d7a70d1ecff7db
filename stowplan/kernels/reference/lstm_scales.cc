// SPDX-License-Identifier: Apache-2.0
//
// In single precision, as LiteRT finds them: the last bits of a multiplier
// decide ties.
#include "stowplan/kernels/reference/lstm_scales.h"

#include <cmath>

namespace stowplan::kernels::reference {
namespace {

// Where there is no normalisation, gates have 12 fractional bits.
constexpr float kGateStep = 1.0f / 4096;

const Quantization* IntermediateOf(const LstmNode& lstm, size_t i) {
  const auto& intermediates = lstm.node.intermediates;
  if (i >= intermediates.size() || intermediates[i] == nullptr ||
      intermediates[i]->quantization.scales.empty()) {
    return nullptr;
  }
  return &intermediates[i]->quantization;
}

// Of what is summed up for a gate.
float StepOf(const LstmNode& lstm, Gate gate) {
  if (lstm.Norm(gate) == nullptr) return kGateStep;
  const Quantization* sum = IntermediateOf(lstm, gate);
  return sum == nullptr ? kGateStep : sum->scale();
}

LayerNorm16 NormOf(const LstmNode& lstm, Gate gate) {
  LayerNorm16 norm;
  const Tensor* weights = lstm.Norm(gate);
  if (weights == nullptr) return norm;
  const float scale = weights->quantization.scale();
  norm.weights = weights->As<int16_t>();
  norm.bias = lstm.Bias(gate)->As<int32_t>();
  norm.scale = ToFixedPoint(double{scale});
  norm.least_variance = std::max(1, ToInt32(double{10000.0f * scale}));
  return norm;
}

int32_t ClipOf(const Node& node, std::string_view name, float scale, float low,
               float high) {
  return static_cast<int32_t>(
      Bounded(node.options.Float(name, 0.0f) / scale, low, high));
}

}  // namespace

LstmScales::LstmScales(const LstmNode& lstm) {
  const float in = lstm.node.input(0)->quantization.scale();
  const float out = lstm.OutputState().quantization.scale();
  const float cell = lstm.CellState().quantization.scale();
  for (Gate gate : kGates) {
    if (!lstm.Has(gate)) continue;
    GateScales& scales = gates[gate];
    const float step = StepOf(lstm, gate);
    const float w = lstm.Weights(gate)->quantization.scale();
    const float r = lstm.Recurrent(gate)->quantization.scale();
    scales.input = ToFixedPoint(double{w * in / step});
    scales.state = ToFixedPoint(double{r * out / step});
    if (const Tensor* peephole = lstm.Peephole(gate)) {
      scales.peephole = ToFixedPoint(double{static_cast<float>(
          std::ldexp(1.0, ExponentOf(cell)) *
          double{peephole->quantization.scale()} / double{step})});
    }
    scales.norm = NormOf(lstm, gate);
  }
  const Quantization* intermediate = IntermediateOf(lstm, 4);
  const Quantization& product =
      intermediate == nullptr ? lstm.OutputState().quantization : *intermediate;
  hidden_zero = product.zero_point();
  const float step = product.scale();
  hidden = ToFixedPoint(
      double{static_cast<float>(std::ldexp(1.0 / double{step}, -30))});
  if (const Tensor* weights = lstm.Projection()) {
    projection =
        ToFixedPoint(double{weights->quantization.scale() * step / out});
  }
  cell_clip = ClipOf(lstm.node, "cell_clip", cell, -32768.0f, 32767.0f);
  output_clip = ClipOf(lstm.node, "proj_clip", out, -128.0f, 127.0f);
}

}  // namespace stowplan::kernels::reference
