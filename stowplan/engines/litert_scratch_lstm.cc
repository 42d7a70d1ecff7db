// SPDX-License-Identifier: Apache-2.0
//
// The tensors that LiteRT's LSTM kernels add.
#include <algorithm>
#include <utility>

#include "stowplan/engines/litert_kernel.h"

namespace stowplan::engines {
namespace {

using graph::OpKind;

// Positions of the operands, as in the kernels.
constexpr size_t kInput = 0;
constexpr size_t kInputToInput = 1;  // Left out: input and forget are coupled.
constexpr size_t kInputToOutput = 4;
constexpr size_t kRecurrentToOutput = 8;
constexpr size_t kProjection = 16;
constexpr size_t kOutputState = 18;
constexpr size_t kCellState = 19;
constexpr size_t kNumbers = 12;

struct Sizes {
  int64_t batches;
  int64_t cells;
  int64_t outputs;
  bool coupled;
};

Sizes SizesOf(const LiteRtKernel& k) {
  const bool sequence = k.op().kind == OpKind::kUnidirectionalSequenceLstm;
  const int batch_axis = sequence && k.Bool("time_major") ? 1 : 0;
  const bool diagonal = k.ShapeOf(kRecurrentToOutput).size() == 1;
  return {k.Dim(kInput, batch_axis), k.Dim(kInputToOutput, 0),
          k.Dim(kRecurrentToOutput, diagonal ? 0 : 1), !k.Has(kInputToInput)};
}

std::vector<Temporary> Hybrid(const LiteRtKernel& k, const Sizes& s,
                              Temporary gates) {
  const DType weights = k.TypeOf(kInputToOutput);
  int64_t rows = s.coupled ? 6 : 8;
  if (k.Has(kProjection) && s.cells > 0) {
    rows += (s.outputs + s.cells - 1) / s.cells;
  }
  return {std::move(gates),
          {"quantised input", weights, k.ShapeOf(kInput)},
          {"quantised output state", weights, k.ShapeOf(kOutputState)},
          {"quantised cell state", weights, k.ShapeOf(kCellState)},
          {"input scales", DType::kFloat32, {s.batches}},
          {"output state scales", DType::kFloat32, {s.batches}},
          {"product scales", DType::kFloat32, {s.batches}},
          {"recovered cell weights", DType::kFloat32, {s.cells}},
          {"accumulators", DType::kInt32, {s.cells, s.batches}},
          {"input zero points", DType::kFloat32, {s.batches}},
          {"output state zero points", DType::kFloat32, {s.batches}},
          {"row sums", DType::kInt32, {rows, s.cells}, Holding::kPersistent}};
}

// 8-bit activations with a 16-bit cell.
std::vector<Temporary> Integer(const Sizes& s) {
  std::vector<Temporary> list;
  for (int gate = 0; gate < 4; ++gate) {
    list.push_back({"gate", DType::kInt16, {s.batches, s.cells}});
  }
  list.push_back({"hidden", DType::kInt8, {s.batches, s.cells}});
  list.push_back({"accumulators", DType::kInt32, {s.batches, s.cells}});
  return list;
}

}  // namespace

KernelScratch LstmScratch(const LiteRtKernel& k) {
  const Sizes s = SizesOf(k);
  if (k.TypeOf(kInput) == DType::kInt8) return {Integer(s), kNumbers};
  // The sequence kernel adds 16 elements so that the matrix library may read
  // past the end.
  const int64_t extra =
      k.op().kind == OpKind::kUnidirectionalSequenceLstm ? 16 : 0;
  Temporary gates = {"gates",
                     k.TypeOf(kInput),
                     {s.batches, s.cells * (s.coupled ? 4 : 5) + extra}};
  if (k.IsHybrid(kInput, kInputToOutput, {DType::kUInt8, DType::kInt8})) {
    return {Hybrid(k, s, std::move(gates)), kNumbers};
  }
  return {{std::move(gates)}, kNumbers};
}

}  // namespace stowplan::engines
