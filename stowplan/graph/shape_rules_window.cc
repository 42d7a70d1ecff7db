// SPDX-License-Identifier: Apache-2.0
//
// Kernels that slide over rows and columns. Output size along an axis of n
// with window k, stride s and dilation d, as the public engines have it:
// SAME ceil(n / s); VALID floor((n - ((k - 1) d + 1) + s) / s).
#include "stowplan/graph/shape_rule_functions.h"

namespace stowplan::graph {
namespace {

struct Window {
  int64_t size;
  int64_t stride;
  int64_t dilation = 1;
};

int64_t WindowsIn(ShapeContext& c, int64_t size, const Window& window) {
  if (window.stride <= 0 || window.dilation <= 0) {
    c.Fail("has a stride or dilation that is not positive");
    return kUnknownDim;
  }
  if (size == kUnknownDim) return kUnknownDim;
  const int64_t rounding = window.stride - 1;
  const std::string padding = c.attributes().String("padding", "SAME");
  if (padding == "SAME") return c.Add(size, rounding) / window.stride;
  if (padding != "VALID") {
    c.Fail("has the padding \"" + padding + "\", not SAME or VALID");
    return kUnknownDim;
  }
  if (window.size == kUnknownDim) return kUnknownDim;
  if (window.size == 0) {
    c.Fail("has an empty window");
    return kUnknownDim;
  }
  const int64_t reach = c.Add(c.Mul(window.size - 1, window.dilation), 1);
  if (size < reach) {
    c.Fail("has a window of " + std::to_string(reach) + " over " +
           std::to_string(size) + " elements");
    return kUnknownDim;
  }
  return (size - reach) / window.stride + 1;
}

Window WindowOf(const ShapeContext& c, int64_t size, const char* axis) {
  const std::string stride = std::string("stride_") + axis;
  const std::string dilation = std::string("dilation_") + axis + "_factor";
  return {size, c.attributes().Int(stride, 1), c.attributes().Int(dilation, 1)};
}

// [batch, height, width, ...] under a window, with `channels`.
void Slide2d(ShapeContext& c, const Shape& in, const Window& height,
             const Window& width, int64_t channels) {
  const int64_t rows = WindowsIn(c, in[1], height);
  const int64_t columns = WindowsIn(c, in[2], width);
  c.Out(0, {in[0], rows, columns, channels});
}

// Groups divide channels evenly.
void CheckChannels(ShapeContext& c, int64_t channels, int64_t group) {
  if (channels == kUnknownDim || group == kUnknownDim) return;
  if (group > 0 && channels % group == 0) return;
  c.Fail("has " + std::to_string(channels) + " channels in groups of " +
         std::to_string(group));
}

}  // namespace

void Conv2dShape(ShapeContext& c) {
  const Shape* in = c.InOfRank(0, 4);
  const Shape* filter = c.InOfRank(1, 4);
  if (in == nullptr || filter == nullptr) return;
  CheckChannels(c, (*in)[3], (*filter)[3]);
  Slide2d(c, *in, WindowOf(c, (*filter)[1], "h"),
          WindowOf(c, (*filter)[2], "w"), (*filter)[0]);
}

void DepthwiseConv2dShape(ShapeContext& c) {
  const Shape* in = c.InOfRank(0, 4);
  const Shape* filter = c.InOfRank(1, 4);
  if (in == nullptr || filter == nullptr) return;
  CheckChannels(c, (*filter)[3], (*in)[3]);
  Slide2d(c, *in, WindowOf(c, (*filter)[1], "h"),
          WindowOf(c, (*filter)[2], "w"), (*filter)[3]);
}

void Conv3dShape(ShapeContext& c) {
  const Shape* in = c.InOfRank(0, 5);
  const Shape* filter = c.InOfRank(1, 5);
  if (in == nullptr || filter == nullptr) return;
  Shape out = {(*in)[0]};
  const char* axes[] = {"d", "h", "w"};
  for (size_t i = 0; i < 3; ++i) {
    out.push_back(
        WindowsIn(c, (*in)[i + 1], WindowOf(c, (*filter)[i], axes[i])));
  }
  out.push_back((*filter)[4]);
  c.Out(0, std::move(out));
}

void Pool2dShape(ShapeContext& c) {
  const Shape* in = c.InOfRank(0, 4);
  if (in == nullptr) return;
  const Attributes& options = c.attributes();
  Slide2d(c, *in, WindowOf(c, options.Int("filter_height", 1), "h"),
          WindowOf(c, options.Int("filter_width", 1), "w"), (*in)[3]);
}

// The output's shape is the content of input 0, for CONV_3D_TRANSPOSE too.
void TransposeConvShape(ShapeContext& c) {
  ShapeFromInput0(c);
  const Shape* filter = c.In(1);
  if (c.outputs() == 0 || c.OutShape(0) || filter == nullptr) return;
  // Without it, at least the rank and the channels are known.
  Shape out(filter->size(), kUnknownDim);
  if (filter->size() == 4) out[3] = (*filter)[0];
  if (filter->size() == 5) out[4] = (*filter)[3];
  c.Out(0, std::move(out));
}

void ResizeShape(ShapeContext& c) {
  const Shape* in = c.InOfRank(0, 4);
  if (in == nullptr) return;
  Shape out = *in;
  out[1] = out[2] = kUnknownDim;
  if (const KnownInts* size = c.Value(1)) {
    if (size->size() != 2) {
      return c.Fail(c.NameOfInput(1) + " has not two elements");
    }
    for (size_t i = 0; i < 2; ++i) {
      if ((*size)[i] != kUnknownInt) out[i + 1] = (*size)[i];
    }
  }
  c.Out(0, std::move(out));
}

}  // namespace stowplan::graph
