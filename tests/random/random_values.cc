// SPDX-License-Identifier: Apache-2.0
#include <algorithm>

#include "tests/random/random_operators.h"

namespace stowplan::tests {
namespace {

Status Done(const Result<std::vector<Value>>& results) {
  if (!results) return tl::unexpected(results.error());
  return {};
}

// A shape that broadcasts against the other one.
Dims Broadcastable(RandomModel* m, const Dims& shape) {
  Dims other = shape;
  const int form = m->Between(0, 5);
  if (form == 0) return {1};
  if (form == 1) return {shape.back()};
  for (int32_t& dim : other) {
    if (form >= 4 && m->random().Chance(40)) dim = 1;
  }
  return other;
}

bool HasActivation(std::string_view type) {
  return type == "ADD" || type == "SUB" || type == "MUL" || type == "DIV";
}

// Maxima and minima keep the operands' steps.
bool KeepsSteps(std::string_view type) {
  return type == "MAXIMUM" || type == "MINIMUM";
}

// The quantisation of a result that engines prescribe.
Form Prescribed(RandomModel* m, float scale8, int32_t zero8, float scale16) {
  switch (m->type()) {
    case ElementType::INT8:
      return {ElementType::INT8, scale8, zero8};
    case ElementType::UINT8:
      return {ElementType::UINT8, scale8, zero8 + 128};
    case ElementType::INT16:
      return {ElementType::INT16, scale16, 0};
    default:
      return m->RandomForm();
  }
}

Form FormOfUnary(RandomModel* m, std::string_view type, const Value& input) {
  if (!input.quantized()) return RandomModel::Like(input);
  if (type == "LOGISTIC") return Prescribed(m, 1.0f / 256, -128, 1.0f / 32768);
  if (type == "TANH") return Prescribed(m, 1.0f / 128, 0, 1.0f / 32768);
  return m->RandomForm();
}

std::vector<int32_t> RandomAxes(RandomModel* m, int32_t rank) {
  std::vector<int32_t> axes;
  for (int32_t axis = 0; axis < rank; ++axis) {
    if (m->random().Chance(50)) {
      axes.push_back(m->random().Chance(30) ? axis - rank : axis);
    }
  }
  if (axes.empty()) axes.push_back(m->Between(0, rank - 1));
  return axes;
}

}  // namespace

Status MakeArithmetic(RandomModel* m, std::string_view type) {
  const Value left = m->Pick();
  const Form form =
      KeepsSteps(type) ? RandomModel::Like(left) : m->RandomForm();
  const Dims shape = Broadcastable(m, left.shape);
  // Nothing shall be divided by zero.
  const bool constant = m->random().Chance(40) || type == "DIV" ||
                        type == "FLOOR_DIV" || type == "FLOOR_MOD";
  const Value right =
      constant ? m->Constant(form, shape) : m->Input(form, shape);
  Form result = KeepsSteps(type) ? form : m->RandomForm();
  if (type == "MUL" && left.quantized()) {
    result.scale = left.scale * right.scale * 60;
  }
  std::vector<Option> options;
  if (HasActivation(type) && m->type() != ElementType::INT32) {
    const char* const kNames[] = {"NONE", "RELU", "RELU6", "RELU_N1_TO_1"};
    options.push_back(
        {"fused_activation_function", std::string(kNames[m->Between(0, 3)])});
  }
  if (m->type() == ElementType::INT16 && (type == "ADD" || type == "SUB")) {
    options.push_back({"pot_scale_int16", false});
  }
  std::vector<int32_t> inputs = {left.tensor, right.tensor};
  if (!constant && m->random().Chance(50)) std::swap(inputs[0], inputs[1]);
  return Done(m->Add(type, inputs, {result}, options));
}

Status MakeCompare(RandomModel* m, std::string_view type) {
  const Value left = m->Pick();
  const Value right = m->Input(m->RandomForm(), Broadcastable(m, left.shape));
  return Done(
      m->Add(type, {left.tensor, right.tensor}, {{ElementType::BOOL, 0, 0}}));
}

Status MakeSelect(RandomModel* m, std::string_view type) {
  const Value left = m->Pick();
  const Value right =
      m->Input(RandomModel::Like(left), Broadcastable(m, left.shape));
  const Value which =
      m->Input({ElementType::BOOL, 0, 0}, Broadcastable(m, left.shape));
  return Done(m->Add(type, {which.tensor, left.tensor, right.tensor},
                     {RandomModel::Like(left)}));
}

Status MakeUnary(RandomModel* m, std::string_view type) {
  Value input = m->Pick();
  if (type == "LOG" || type == "SQRT" || type == "RSQRT") {
    // Of what is positive: a square and a little more.
    STOWPLAN_TRY(squares, m->Add("MUL", {input.tensor, input.tensor},
                                 {RandomModel::Like(input)}));
    STOWPLAN_TRY(sums,
                 m->Add("ADD", {squares[0].tensor, m->Floats({0.125f}, {1})},
                        {RandomModel::Like(input)}));
    input = sums[0];
  }
  std::vector<Option> options;
  if (type == "GELU")
    options.push_back({"approximate", m->random().Chance(50)});
  return Done(
      m->Add(type, {input.tensor}, {FormOfUnary(m, type, input)}, options));
}

Status MakeLeakyRelu(RandomModel* m, std::string_view type) {
  const Value input = m->Pick();
  const double alpha = m->Between(-50, 150) / 100.0;
  return Done(
      m->Add(type, {input.tensor}, {m->RandomForm()}, {{"alpha", alpha}}));
}

Status MakePrelu(RandomModel* m, std::string_view type) {
  const Value input = m->PickOfRank(4);
  Dims shape(input.shape.begin() + 1, input.shape.end());
  if (m->random().Chance(70)) shape[0] = shape[1] = 1;
  const Value slope = m->Constant(m->RandomForm(), shape);
  return Done(m->Add(type, {input.tensor, slope.tensor}, {m->RandomForm()}));
}

// From steps to other steps, and to numbers and back.
Status MakeRescale(RandomModel* m, std::string_view type) {
  const Value input = m->Pick();
  if (type == "QUANTIZE") {
    return Done(m->Add("QUANTIZE", {input.tensor}, {m->RandomForm()}));
  }
  STOWPLAN_TRY(numbers, m->Add("DEQUANTIZE", {input.tensor}, {Form{}}));
  return Done(m->Add("QUANTIZE", {numbers[0].tensor}, {m->RandomForm()}));
}

Status MakeSoftmax(RandomModel* m, std::string_view type) {
  const Value input = m->PickOfRank(m->Between(1, 4));
  Form form = RandomModel::Like(input);
  std::vector<Option> options;
  if (type == "SOFTMAX") {
    form = Prescribed(m, 1.0f / 256, -128, 1.0f / 32768);
    options.push_back({"beta", 1.0});
  } else if (type == "LOG_SOFTMAX") {
    form = Prescribed(m, 16.0f / 256, 127, 0);
  } else {
    form = Prescribed(m, 1.0f / 128, 0, 0);
  }
  return Done(m->Add(type, {input.tensor}, {form}, options));
}

Status MakeReduce(RandomModel* m, std::string_view type) {
  const Value input = m->Pick();
  const bool keeps = type == "REDUCE_MAX" || type == "REDUCE_MIN";
  return Done(m->Add(type, {input.tensor, m->Ints(RandomAxes(m, input.rank()))},
                     {keeps ? RandomModel::Like(input) : m->RandomForm()},
                     {{"keep_dims", m->random().Chance(50)}}));
}

Status MakeArg(RandomModel* m, std::string_view type) {
  const Value input = m->Pick();
  const int32_t axis = m->Between(-input.rank(), input.rank() - 1);
  return Done(m->Add(type, {input.tensor, m->Ints({axis}, true)},
                     {{ElementType::INT32, 0, 0}},
                     {{"output_type", std::string("INT32")}}));
}

Status MakeTopK(RandomModel* m, std::string_view type) {
  const Value input = m->Pick();
  const int32_t k = m->Between(1, input.shape.back());
  return Done(m->Add(type, {input.tensor, m->Ints({k}, true)},
                     {RandomModel::Like(input), {ElementType::INT32, 0, 0}}));
}

Status MakeCumsum(RandomModel* m, std::string_view type) {
  const Value input = m->Pick();
  const int32_t axis = m->Between(-input.rank(), input.rank() - 1);
  return Done(m->Add(type, {input.tensor, m->Ints({axis}, true)},
                     {RandomModel::Like(input)},
                     {{"exclusive", m->random().Chance(50)},
                      {"reverse", m->random().Chance(50)}}));
}

}  // namespace stowplan::tests
