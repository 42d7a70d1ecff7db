// SPDX-License-Identifier: Apache-2.0
//
// TRANSPOSE_CONV: each output pixel gathers the input pixels whose windows
// cover it. Inputs: output shape, filters [out][height][width][in], image,
// bias. Output pixels with the same remainder modulo the stride see the same
// taps, so they are computed together and no tap is multiplied by zero.
#include "stowplan/kernels/reference/conv.h"
#include "stowplan/kernels/reference/operands.h"
#include "stowplan/kernels/reference/sums.h"
#include "stowplan/kernels/reference/tiled_product.h"

namespace stowplan::kernels::reference {
namespace {

// The pixels of one row of the output whose column is `x` modulo the stride,
// and the taps that reach them.
struct Phase {
  int64_t batch = 0;
  int64_t row = 0;     // Of the output.
  int64_t column = 0;  // The first one.
  int64_t pixels = 0;  // At distances of the stride.
  int64_t first_ky = 0, taps_y = 0;
  int64_t first_kx = 0, taps_x = 0;
};

struct Transposed {
  const Node& node;
  const Tensor& filters;
  const Tensor& input;
  const Tensor* bias;
  Window window;  // Of the convolution that this undoes, by its own sizes.

  int64_t channels() const { return input.shape[3]; }
};

// Tap `t` of the phase is window position first + t * stride; the input
// position it reads is (position of the pixel + padding - tap) / stride.
template <class T, class E, class Convert>
auto PatchesOf(const Transposed& op, const Phase& phase,
               const Convert& convert) {
  return [&op, &phase, convert](int64_t pixel, int64_t begin, int64_t end,
                                E* buffer) {
    const Window& w = op.window;
    const int64_t channels = op.channels();
    const int64_t y0 = (phase.row + w.top - phase.first_ky) / w.stride_y;
    const int64_t x0 =
        (phase.column + pixel * w.stride_x + w.left - phase.first_kx) /
        w.stride_x;
    const T* image = op.input.As<T>() +
                     phase.batch * w.input_height * w.input_width * channels;
    for (int64_t k = begin; k < end;) {
      const int64_t tap = k / channels;
      const int64_t channel = k % channels;
      const int64_t size = std::min(channels - channel, end - k);
      const int64_t y = y0 - tap / phase.taps_x;
      const int64_t x = x0 - tap % phase.taps_x;
      E* to = buffer + (k - begin);
      if (y < 0 || y >= w.input_height || x < 0 || x >= w.input_width) {
        std::fill_n(to, size, E{0});
      } else {
        const T* from = image + (y * w.input_width + x) * channels + channel;
        for (int64_t i = 0; i < size; ++i) to[i] = convert(from[i]);
      }
      k += size;
    }
    return buffer;
  };
}

// The filters' elements for the taps of a phase. `rows` gives them by whole
// filters.
template <class E, class Rows>
auto WeightsOf(const Transposed& op, const Phase& phase, const Rows& rows) {
  return [&op, &phase, &rows](int64_t filter, int64_t begin, int64_t end,
                              E* buffer) {
    const Window& w = op.window;
    const int64_t channels = op.channels();
    for (int64_t k = begin; k < end;) {
      const int64_t tap = k / channels;
      const int64_t channel = k % channels;
      const int64_t size = std::min(channels - channel, end - k);
      const int64_t ky = phase.first_ky + tap / phase.taps_x * w.stride_y;
      const int64_t kx = phase.first_kx + tap % phase.taps_x * w.stride_x;
      const int64_t from = (ky * w.width + kx) * channels + channel;
      E* to = buffer + (k - begin);
      const E* weights = rows(filter, from, from + size, to);
      if (weights != to) std::copy_n(weights, size, to);
      k += size;
    }
    return buffer;
  };
}

// Row `i` of the product is output pixel column + i * stride.
template <class Sum, class Sink>
auto SinkOf(const Transposed& op, const Phase& phase, const Sink& sink) {
  const Window& w = op.window;
  const int64_t first =
      (phase.batch * w.output_height + phase.row) * w.output_width +
      phase.column;
  return [&sink, first, stride = w.stride_x](int64_t channel, int64_t row,
                                             int64_t count, const Sum* sums) {
    for (int64_t i = 0; i < count; ++i) {
      sink(channel, first + (row + i) * stride, 1, sums + i);
    }
  };
}

template <class T, class E, class Sum, class Convert, class Rows, class Sink>
void RunPhase(const Transposed& op, const Phase& phase, const Convert& convert,
              const Rows& rows, const Sink& sink) {
  TiledProduct<E, Sum>(phase.pixels, op.window.output_channels,
                       phase.taps_y * phase.taps_x * op.channels(),
                       PatchesOf<T, E>(op, phase, convert),
                       WeightsOf<E>(op, phase, rows),
                       SinkOf<Sum>(op, phase, sink));
}

template <class T>
void RunIntegerPhase(const Transposed& op, const Phase& phase) {
  const IntegerRows rows(op.filters, op.filters.shape.Product(1, 4));
  const auto shifted = [zero = op.input.quantization.zero_point()](T value) {
    return static_cast<int16_t>(value - zero);
  };
  const OutputPlace place = {op.window.output_channels, 0};
  const TiesByChannel ties = {Ties::kUp, std::is_unsigned_v<T> ? 0 : 8};
  if constexpr (sizeof(T) == 2) {
    RunPhase<T, int16_t, int64_t>(
        op, phase, shifted, rows,
        WideSink(op.node, op.input, op.filters, op.bias, place, ties));
  } else {
    RunPhase<T, int16_t, int32_t>(
        op, phase, shifted, rows,
        IntegerSink<T>(op.node, op.input, op.filters, op.bias, place, ties));
  }
}

void RunPhase(const Transposed& op, const Phase& phase) {
  switch (op.input.type) {
    case Type::kInt8:
      return RunIntegerPhase<int8_t>(op, phase);
    case Type::kUInt8:
      return RunIntegerPhase<uint8_t>(op, phase);
    case Type::kInt16:
      return RunIntegerPhase<int16_t>(op, phase);
    default:
      return RunPhase<float, float, float>(
          op, phase, [](float value) { return value; },
          FloatRows(op.filters.As<float>(), op.filters.shape.Product(1, 4)),
          FloatSink(op.node, op.bias, {op.window.output_channels, 0}));
  }
}

// The taps first, first + stride, ... below `size` that reach `position`.
void FindTaps(int64_t position, int64_t stride, int64_t size, int64_t* first,
              int64_t* count) {
  *first = position % stride;
  *count = *first < size ? (size - *first + stride - 1) / stride : 0;
}

}  // namespace

Result<Needs> PrepareTransposeConv(const Node& node) {
  STOWPLAN_RETURN_IF_ERROR(CheckArity(node, 3));
  STOWPLAN_RETURN_IF_ERROR(CheckActivation(node));
  const Tensor& filters = *node.input(1);
  const Tensor& input = *node.input(2);
  STOWPLAN_RETURN_IF_ERROR(CheckWindow(node, input));
  STOWPLAN_RETURN_IF_ERROR(CheckType(
      node, input, {Type::kFloat32, Type::kInt8, Type::kUInt8, Type::kInt16}));
  const bool same_type =
      filters.type == input.type ||
      (input.type == Type::kInt16 && filters.type == Type::kInt8);
  if (!same_type || node.output().type != input.type) {
    return Unsupported(node, "these types have no code together");
  }
  if (filters.shape.rank != 4 || filters.shape[3] != input.shape[3] ||
      filters.shape[0] != node.output().shape[3]) {
    return Unsupported(node, "the filters do not match the channels");
  }
  STOWPLAN_RETURN_IF_ERROR(
      CheckWeights(node, input, filters, node.input(3), filters.shape[0]));
  return Needs{};
}

Status RunTransposeConv(const Node& node) {
  const Tensor& filters = *node.input(1);
  const Tensor& input = *node.input(2);
  const Tensor& output = node.output();
  Transposed op = {node, filters, input, node.input(3), {}};
  Window& w = op.window;
  w = WindowOf(node, input, output, filters.shape[1], filters.shape[2]);
  const bool same = IsSame(node);
  w.top = PaddingBefore(same, w.output_height, w.input_height, w.height,
                        w.stride_y, 1);
  w.left = PaddingBefore(same, w.output_width, w.input_width, w.width,
                         w.stride_x, 1);
  Phase phase;
  for (phase.batch = 0; phase.batch < w.batches; ++phase.batch) {
    for (phase.row = 0; phase.row < w.output_height; ++phase.row) {
      FindTaps(phase.row + w.top, w.stride_y, w.height, &phase.first_ky,
               &phase.taps_y);
      const int64_t columns = std::min(w.stride_x, w.output_width);
      for (phase.column = 0; phase.column < columns; ++phase.column) {
        phase.pixels =
            (w.output_width - phase.column + w.stride_x - 1) / w.stride_x;
        FindTaps(phase.column + w.left, w.stride_x, w.width, &phase.first_kx,
                 &phase.taps_x);
        RunPhase(op, phase);
      }
    }
  }
  return {};
}

}  // namespace stowplan::kernels::reference
