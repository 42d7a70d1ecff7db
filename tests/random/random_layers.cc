// SPDX-License-Identifier: Apache-2.0
#include "tests/random/random_operators.h"

namespace stowplan::tests {
namespace {

std::string RandomPadding(RandomModel* m) {
  return m->random().Chance(50) ? "SAME" : "VALID";
}

std::string RandomActivation(RandomModel* m) {
  const char* const kNames[] = {"NONE", "NONE", "RELU", "RELU6",
                                "RELU_N1_TO_1"};
  return kNames[m->Between(0, 4)];
}

Status Done(const Result<std::vector<Value>>& results) {
  if (!results) return tl::unexpected(results.error());
  return {};
}

// An image that a window of that size fits into.
Value Image(RandomModel* m, int32_t least) {
  const Value value = m->PickOfRank(4);
  if (value.shape[1] >= least && value.shape[2] >= least) return value;
  return m->Input(m->RandomForm(),
                  {m->Between(1, 2), m->Between(least, least + 8),
                   m->Between(least, least + 8), m->Between(1, 20)});
}

// Steps and distances of a window; engines refuse both at once at times.
struct Steps {
  int64_t stride_h = 1, stride_w = 1, dilation_h = 1, dilation_w = 1;
};

Steps RandomSteps(RandomModel* m) {
  Steps steps;
  if (m->random().Chance(30)) {
    steps.dilation_h = m->Between(1, 3);
    steps.dilation_w = m->Between(1, 3);
  } else {
    steps.stride_h = m->Between(1, 3);
    steps.stride_w = m->random().Chance(70) ? steps.stride_h : m->Between(1, 3);
  }
  return steps;
}

void AppendSteps(const Steps& steps, std::vector<Option>* options) {
  options->push_back({"stride_h", steps.stride_h});
  options->push_back({"stride_w", steps.stride_w});
  options->push_back({"dilation_h_factor", steps.dilation_h});
  options->push_back({"dilation_w_factor", steps.dilation_w});
}

// The bias is left out at times, but not where LiteRT refuses (convolutions)
// or crashes (depthwise ones) without.
std::vector<int32_t> WithBias(RandomModel* m, const Value& input,
                              int32_t weights, const std::vector<float>& scales,
                              int32_t channels, bool always) {
  std::vector<int32_t> inputs = {input.tensor, weights};
  if (always || m->random().Chance(75)) {
    inputs.push_back(m->Bias(input, scales, channels));
  }
  return inputs;
}

int64_t Square(int64_t size) { return size * size; }

}  // namespace

Status MakeConv2d(RandomModel* m, std::string_view type) {
  const int32_t kernel_h = m->Between(1, 5), kernel_w = m->Between(1, 5);
  const Value input = Image(m, 13);
  const int32_t channels = m->Between(1, 24);
  std::vector<float> scales;
  const int32_t weights =
      m->Weights({channels, kernel_h, kernel_w, input.shape[3]}, 0, &scales,
                 m->random().Chance(70));
  std::vector<Option> options = {
      {"padding", RandomPadding(m)},
      {"fused_activation_function", RandomActivation(m)}};
  AppendSteps(RandomSteps(m), &options);
  const int64_t terms = int64_t{kernel_h} * kernel_w * input.shape[3];
  return Done(m->Add(type, WithBias(m, input, weights, scales, channels, true),
                     {m->FormOfSum(input, scales, terms)}, options));
}

Status MakeDepthwise(RandomModel* m, std::string_view type) {
  const int32_t kernel_h = m->Between(1, 5), kernel_w = m->Between(1, 5);
  const Value input = Image(m, 13);
  const int32_t multiplier = m->random().Chance(60) ? 1 : m->Between(1, 4);
  const int32_t channels = input.shape[3] * multiplier;
  std::vector<float> scales;
  const int32_t weights =
      m->Weights({1, kernel_h, kernel_w, channels}, 3, &scales,
                 m->family() == Family::kHybrid || m->random().Chance(70));
  std::vector<Option> options = {
      {"padding", RandomPadding(m)},
      {"depth_multiplier", int64_t{multiplier}},
      {"fused_activation_function", RandomActivation(m)}};
  AppendSteps(RandomSteps(m), &options);
  return Done(m->Add(type, WithBias(m, input, weights, scales, channels, true),
                     {m->FormOfSum(input, scales, kernel_h * kernel_w)},
                     options));
}

Status MakeTransposeConv(RandomModel* m, std::string_view type) {
  const Value input = Image(m, 2);
  const int32_t kernel = m->Between(1, 4), stride = m->Between(1, 3);
  const int32_t channels = m->Between(1, 12);
  const bool same = m->random().Chance(50);
  std::vector<float> scales;
  const int32_t weights = m->Weights({channels, kernel, kernel, input.shape[3]},
                                     0, &scales, m->random().Chance(70));
  Dims shape = {input.shape[0], 0, 0, channels};
  for (size_t axis : {1u, 2u}) {
    const int32_t size = input.shape[axis];
    shape[axis] =
        same ? size * stride : (size - 1) * stride + std::max(kernel, stride);
  }
  std::vector<int32_t> inputs = {m->Ints(shape), weights, input.tensor};
  if (m->random().Chance(50))
    inputs.push_back(m->Bias(input, scales, channels));
  const int64_t terms = Square(kernel) * input.shape[3] / Square(stride) + 1;
  return Done(m->Add(type, inputs, {m->FormOfSum(input, scales, terms)},
                     {{"padding", std::string(same ? "SAME" : "VALID")},
                      {"stride_h", int64_t{stride}},
                      {"stride_w", int64_t{stride}}}));
}

Status MakeFullyConnected(RandomModel* m, std::string_view type) {
  const Value input = m->PickOfRank(m->Between(2, 4));
  const int32_t depth = input.shape.back(), units = m->Between(1, 30);
  std::vector<float> scales;
  const int32_t weights =
      m->Weights({units, depth}, 0, &scales, m->random().Chance(50));
  std::vector<Option> options = {
      {"fused_activation_function", RandomActivation(m)},
      {"keep_num_dims", m->random().Chance(50)}};
  if (m->family() == Family::kHybrid) {
    options.push_back({"asymmetric_quantize_inputs", m->random().Chance(50)});
  }
  return Done(m->Add(type, WithBias(m, input, weights, scales, units, false),
                     {m->FormOfSum(input, scales, depth)}, options));
}

Status MakeBatchMatmul(RandomModel* m, std::string_view type) {
  const int32_t rank = m->Between(2, 4);
  const Value left = m->PickOfRank(rank);
  const bool turn_left = m->random().Chance(30);
  const bool turn_right = m->random().Chance(50);
  Dims shape = left.shape;
  const size_t row = shape.size() - 2, column = shape.size() - 1;
  const int32_t depth = left.shape[turn_left ? row : column];
  const int32_t columns = m->Between(1, 12);
  shape[turn_right ? column : row] = depth;
  shape[turn_right ? row : column] = columns;
  for (size_t i = 0; i < row; ++i) {
    if (m->random().Chance(20)) shape[i] = 1;
  }
  const Value right = m->random().Chance(50)
                          ? m->Input(m->RandomForm(), shape)
                          : m->Constant(m->RandomForm(), shape);
  return Done(m->Add(type, {left.tensor, right.tensor},
                     {m->FormOfSum(left, {right.scale}, depth)},
                     {{"adj_x", turn_left}, {"adj_y", turn_right}}));
}

Status MakePool(RandomModel* m, std::string_view type) {
  const Value input = Image(m, 5);
  return Done(m->Add(type, {input.tensor}, {RandomModel::Like(input)},
                     {{"padding", RandomPadding(m)},
                      {"stride_h", int64_t{m->Between(1, 3)}},
                      {"stride_w", int64_t{m->Between(1, 3)}},
                      {"filter_height", int64_t{m->Between(1, 5)}},
                      {"filter_width", int64_t{m->Between(1, 5)}},
                      {"fused_activation_function", RandomActivation(m)}}));
}

Status MakeResize(RandomModel* m, std::string_view type) {
  const Value input = m->PickOfRank(4);
  const int32_t height = m->Between(1, 12), width = m->Between(1, 12);
  const int form = m->Between(0, 2);
  return Done(m->Add(
      std::string(type), {input.tensor, m->Ints({height, width})},
      {RandomModel::Like(input)},
      {{"align_corners", form == 1}, {"half_pixel_centers", form == 2}}));
}

}  // namespace stowplan::tests
