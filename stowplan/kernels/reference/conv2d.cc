// SPDX-License-Identifier: Apache-2.0
//
// CONV_2D, plain, dilated and grouped, as a product of the image's patches
// with the filters. No memory beside the stack's tiles.
#include "stowplan/kernels/reference/conv.h"
#include "stowplan/kernels/reference/float_product.h"
#include "stowplan/kernels/reference/hybrid.h"
#include "stowplan/kernels/reference/operands.h"
#include "stowplan/kernels/reference/sums.h"
#include "stowplan/kernels/reference/tiled_product.h"

namespace stowplan::kernels::reference {
namespace {

// One group of filters: which channels it reads and which it writes.
struct Group {
  int64_t filters = 0;       // In this group.
  int64_t first_filter = 0;  // Of all.
  int64_t channels = 0;      // Of the input, in this group.
  int64_t first_channel = 0;
  int64_t depth = 0;  // Elements of one filter.
};

struct Convolution {
  const Node& node;
  const Tensor& input;
  const Tensor& filters;
  const Tensor* bias;
  Window window;
};

void RunFloat(const Convolution& conv, const Group& group) {
  const OutputPlace place = {conv.window.output_channels, group.first_filter};
  const auto sink = FloatSink(conv.node, conv.bias, place);
  const FloatRows weights(
      conv.filters.As<float>() + group.first_filter * group.depth, group.depth);
  const auto same = [](int64_t, float value) { return value; };
  const Patches<float, float, decltype(same)> patches(
      conv.input.As<float>(), conv.window, group.channels, group.first_channel,
      same);
  FloatProduct(conv.window.output_pixels(), group.filters, group.depth, patches,
               weights, sink);
}

template <class T>
void RunInteger(const Convolution& conv, const Group& group) {
  const OutputPlace place = {conv.window.output_channels, group.first_filter};
  // Groups run in LiteRT's scalar code.
  const TiesByChannel ties = {
      group.channels < conv.window.input_channels ? Ties::kAway : Ties::kUp};
  const auto shifted = [zero = conv.input.quantization.zero_point()](int64_t,
                                                                     T value) {
    return static_cast<int16_t>(value - zero);
  };
  const Patches<T, int16_t, decltype(shifted)> patches(
      conv.input.As<T>(), conv.window, group.channels, group.first_channel,
      shifted);
  const IntegerRows weights(conv.filters, group.depth, group.first_filter);
  if constexpr (sizeof(T) == 2) {
    const auto sink =
        WideSink(conv.node, conv.input, conv.filters, conv.bias, place, ties);
    TiledProduct<int16_t, int64_t>(conv.window.output_pixels(), group.filters,
                                   group.depth, patches, weights, sink);
  } else {
    const auto sink = IntegerSink<T>(conv.node, conv.input, conv.filters,
                                     conv.bias, place, ties);
    TiledProduct<int16_t, int32_t>(conv.window.output_pixels(), group.filters,
                                   group.depth, patches, weights, sink);
  }
}

// Image by image, since each has a scale of its own.
void RunHybrid(const Convolution& conv, const Group& group) {
  Window window = conv.window;
  window.batches = 1;
  const int64_t size =
      window.input_height * window.input_width * window.input_channels;
  const IntegerRows weights(conv.filters, group.depth, group.first_filter);
  for (int64_t b = 0; b < conv.window.batches; ++b) {
    const float* image = conv.input.As<float>() + b * size;
    const RowScale scale = conv.filters.quantization.per_channel()
                               ? AsymmetricScale(image, size)
                               : SymmetricScale(image, size);
    const auto quantize = [&scale](int64_t, float value) {
      return scale.Quantize(value);
    };
    const Patches<float, int16_t, decltype(quantize)> patches(
        image, window, group.channels, group.first_channel, quantize);
    const OutputPlace place = {window.output_channels, group.first_filter};
    const auto sink =
        HybridSink(conv.node, conv.filters, conv.bias, scale, place);
    const int64_t first = b * window.output_pixels();
    TiledProduct<int16_t, int32_t>(
        window.output_pixels(), group.filters, group.depth, patches, weights,
        [&](int64_t channel, int64_t row, int64_t count, const int32_t* sums) {
          sink(channel, first + row, count, sums);
        });
  }
}

void RunGroup(const Convolution& conv, const Group& group) {
  switch (conv.input.type) {
    case Type::kFloat32:
      return conv.filters.type == Type::kFloat32 ? RunFloat(conv, group)
                                                 : RunHybrid(conv, group);
    case Type::kInt8:
      return RunInteger<int8_t>(conv, group);
    case Type::kUInt8:
      return RunInteger<uint8_t>(conv, group);
    default:
      return RunInteger<int16_t>(conv, group);
  }
}

Status CheckTypes(const Node& node) {
  const Tensor& input = *node.input(0);
  const Tensor& filters = *node.input(1);
  STOWPLAN_RETURN_IF_ERROR(CheckType(
      node, input, {Type::kFloat32, Type::kInt8, Type::kUInt8, Type::kInt16}));
  switch (input.type) {
    case Type::kFloat32:
      return CheckType(node, filters,
                       {Type::kFloat32, Type::kInt8, Type::kInt4});
    case Type::kUInt8:
      return CheckType(node, filters, {Type::kUInt8, Type::kInt8});
    default:
      return CheckType(node, filters, {Type::kInt8, Type::kInt4});
  }
}

}  // namespace

Result<Needs> PrepareConv2d(const Node& node) {
  STOWPLAN_RETURN_IF_ERROR(CheckArity(node, 2));
  STOWPLAN_RETURN_IF_ERROR(CheckWindow(node, *node.input(0)));
  STOWPLAN_RETURN_IF_ERROR(CheckActivation(node));
  STOWPLAN_RETURN_IF_ERROR(CheckTypes(node));
  const Tensor& input = *node.input(0);
  const Tensor& filters = *node.input(1);
  if (node.output().type != input.type) {
    return Unsupported(node, "input and output differ in type");
  }
  if (filters.shape.rank != 4 || filters.shape[3] == 0 || input.shape[3] == 0 ||
      input.shape[3] % filters.shape[3] != 0 ||
      filters.shape[0] % (input.shape[3] / filters.shape[3]) != 0) {
    return Unsupported(node, "the filters do not divide the channels");
  }
  STOWPLAN_RETURN_IF_ERROR(
      CheckWeights(node, input, filters, node.input(2), filters.shape[0]));
  return Needs{};
}

Status RunConv2d(const Node& node) {
  const Tensor& input = *node.input(0);
  const Tensor& filters = *node.input(1);
  const Convolution conv = {
      node, input, filters, node.input(2),
      WindowOf(node, input, node.output(), filters.shape[1], filters.shape[2])};
  const int64_t groups = input.shape[3] / filters.shape[3];
  Group group;
  group.filters = filters.shape[0] / groups;
  group.channels = filters.shape[3];
  group.depth = filters.shape.Product(1, 4);
  for (int64_t g = 0; g < groups; ++g) {
    group.first_filter = g * group.filters;
    group.first_channel = g * group.channels;
    RunGroup(conv, group);
  }
  return {};
}

}  // namespace stowplan::kernels::reference
