// SPDX-License-Identifier: Apache-2.0
#include "tests/random/random_model.h"

#include <algorithm>
#include <cmath>
#include <memory>

#include "stowplan/graph/infer_shapes.h"
#include "stowplan/model/import.h"
#include "stowplan/tflite/model_view.h"

namespace stowplan::tests {
namespace {

int64_t ElementsOf(const Dims& shape) {
  int64_t elements = 1;
  for (int32_t dim : shape) elements *= dim;
  return elements;
}

template <class T>
std::vector<std::byte> RandomBytes(testing::Random& random, int64_t count,
                                   int64_t low, int64_t high) {
  std::vector<T> values(static_cast<size_t>(count));
  for (T& value : values) value = static_cast<T>(random.Between(low, high));
  return testing::BytesOf(values);
}

std::vector<float> RandomFloats(testing::Random& random, int64_t count) {
  std::vector<float> values(static_cast<size_t>(count));
  for (float& value : values) {
    // Never zero: constants may be divisors.
    value = (static_cast<float>(random.Between(-1000, 999)) + 0.5f) / 1000.0f;
  }
  return values;
}

// The values that FillRandom and the tests' constants draw from.
std::pair<int64_t, int64_t> RangeOf(ElementType type) {
  switch (type) {
    case ElementType::INT8:
      return {-128, 127};
    case ElementType::UINT8:
      return {0, 255};
    case ElementType::INT16:
      return {-32768, 32767};
    case ElementType::BOOL:
      return {0, 1};
    default:
      return {0, 3};
  }
}

// The least version of an operator that LiteRT has.
int32_t LeastVersion(std::string_view type) {
  return type == "BROADCAST_TO" ? 2 : 1;
}

}  // namespace

int64_t Value::elements() const { return ElementsOf(shape); }

RandomModel::RandomModel(uint64_t seed, Family family)
    : family_(family),
      random_(seed * kFamilies + static_cast<uint64_t>(family)),
      builder_("random") {}

void RandomModel::Shuffle(std::vector<int32_t>* values) {
  for (size_t i = values->size(); i > 1; --i) {
    const int64_t other = random_.Between(0, static_cast<int64_t>(i) - 1);
    std::swap((*values)[i - 1], (*values)[static_cast<size_t>(other)]);
  }
}

ElementType RandomModel::type() const {
  switch (family_) {
    case Family::kInt8:
      return ElementType::INT8;
    case Family::kUInt8:
      return ElementType::UINT8;
    case Family::kInt16:
      return ElementType::INT16;
    case Family::kInt32:
      return ElementType::INT32;
    case Family::kFloat:
    case Family::kHybrid:
      break;
  }
  return ElementType::FLOAT32;
}

Value RandomModel::Pick() {
  if (!values_.empty() && random_.Chance(75)) {
    const int64_t last = static_cast<int64_t>(values_.size()) - 1;
    return values_[static_cast<size_t>(random_.Between(0, last))];
  }
  return Input(RandomForm(), RandomShape(Between(1, 4)));
}

Value RandomModel::PickOfRank(int32_t rank) {
  for (auto value = values_.rbegin(); value != values_.rend(); ++value) {
    if (value->rank() == rank && random_.Chance(75)) return *value;
  }
  return Input(RandomForm(), RandomShape(rank));
}

Value RandomModel::Input(const Form& form, Dims shape) {
  const int32_t tensor = AddTensor(form, shape);
  inputs_.push_back(tensor);
  return {tensor, form.type, std::move(shape), form.scale, form.zero};
}

Dims RandomModel::RandomShape(int32_t rank, int32_t most) {
  Dims shape;
  for (int32_t i = 0; i < rank; ++i) shape.push_back(Between(1, most));
  // A batch of one is the usual case.
  if (rank == 4 && random_.Chance(70)) shape[0] = 1;
  // Lanes that do not fill a vector, and those that do.
  if (random_.Chance(30)) shape.back() = Between(10, 40);
  return shape;
}

int32_t RandomModel::Ints(const std::vector<int32_t>& values, bool scalar) {
  Dims shape;
  if (!scalar) shape.push_back(static_cast<int32_t>(values.size()));
  return AddTensor({ElementType::INT32, 0, 0}, shape, testing::BytesOf(values));
}

int32_t RandomModel::Matrix(const std::vector<int32_t>& values, int32_t rows,
                            int32_t columns) {
  return AddTensor({ElementType::INT32, 0, 0}, {rows, columns},
                   testing::BytesOf(values));
}

int32_t RandomModel::Floats(const std::vector<float>& values, Dims shape) {
  return AddTensor({}, std::move(shape), testing::BytesOf(values));
}

int32_t RandomModel::Weights(Dims shape, int32_t dimension,
                             std::vector<float>* scales, bool per_channel) {
  const int64_t count = ElementsOf(shape);
  scales->clear();
  if (family_ == Family::kFloat) {
    return Floats(RandomFloats(random_, count), shape);
  }
  const bool is_unsigned = family_ == Family::kUInt8;
  const int32_t channels =
      per_channel && !is_unsigned ? shape[static_cast<size_t>(dimension)] : 1;
  testing::TensorSpec spec;
  spec.name = "t" + std::to_string(tensors_);
  spec.type = is_unsigned ? ElementType::UINT8 : ElementType::INT8;
  spec.quantization.dimension = dimension;
  for (int32_t i = 0; i < channels; ++i) {
    scales->push_back(static_cast<float>(Between(2, 40)) / 2000.0f);
    spec.quantization.zero_points.push_back(is_unsigned ? Between(100, 150)
                                                        : 0);
  }
  spec.quantization.scales = *scales;
  spec.data = is_unsigned ? RandomBytes<uint8_t>(random_, count, 0, 255)
                          : RandomBytes<int8_t>(random_, count, -127, 127);
  spec.shape = std::move(shape);
  builder_.AddTensor(std::move(spec));
  return tensors_++;
}

int32_t RandomModel::Bias(const Value& input, const std::vector<float>& scales,
                          int32_t channels) {
  if (!input.quantized()) {
    return Floats(RandomFloats(random_, channels), {channels});
  }
  testing::TensorSpec spec;
  spec.name = "t" + std::to_string(tensors_);
  spec.type = input.type == ElementType::INT16 ? ElementType::INT64
                                               : ElementType::INT32;
  spec.shape = {channels};
  for (float scale : scales) {
    spec.quantization.scales.push_back(scale * input.scale);
    spec.quantization.zero_points.push_back(0);
  }
  spec.data = spec.type == ElementType::INT64
                  ? RandomBytes<int64_t>(random_, channels, -9000, 9000)
                  : RandomBytes<int32_t>(random_, channels, -9000, 9000);
  builder_.AddTensor(std::move(spec));
  return tensors_++;
}

Value RandomModel::Constant(const Form& form, Dims shape) {
  const int64_t count = ElementsOf(shape);
  const auto [low, high] = RangeOf(form.type);
  std::vector<std::byte> data;
  switch (form.type) {
    case ElementType::INT8:
      data = RandomBytes<int8_t>(random_, count, low, high);
      break;
    case ElementType::UINT8:
    case ElementType::BOOL:
      data = RandomBytes<uint8_t>(random_, count, low, high);
      break;
    case ElementType::INT16:
      data = RandomBytes<int16_t>(random_, count, low, high);
      break;
    case ElementType::INT32:
      data = RandomBytes<int32_t>(random_, count, 1, 5);
      break;
    default:
      data = testing::BytesOf(RandomFloats(random_, count));
  }
  const int32_t tensor = AddTensor(form, shape, std::move(data));
  return {tensor, form.type, std::move(shape), form.scale, form.zero};
}

Form RandomModel::RandomForm() {
  const float scale = static_cast<float>(Between(5, 100)) / 1000.0f;
  switch (type()) {
    case ElementType::INT8:
      return {type(), scale, Between(-60, 60)};
    case ElementType::UINT8:
      return {type(), scale, Between(70, 190)};
    case ElementType::INT16:
      return {type(), scale / 256.0f, 0};
    default:
      return {type(), 0, 0};
  }
}

Form RandomModel::FormOfSum(const Value& input,
                            const std::vector<float>& scales, int64_t terms) {
  Form form = RandomForm();
  if (!input.quantized()) return form;
  // Products of uniform values have a deviation of about a third of the
  // extremes; two deviations to each side fill the range.
  const float scale = *std::max_element(scales.begin(), scales.end());
  form.scale = input.scale * scale * std::sqrt(static_cast<float>(terms)) *
               static_cast<float>(Between(40, 120));
  return form;
}

int32_t RandomModel::AddTensor(const Form& form, Dims shape,
                               std::vector<std::byte> data, bool has_rank) {
  testing::TensorSpec spec;
  spec.name = "t" + std::to_string(tensors_);
  spec.type = form.type;
  spec.shape = std::move(shape);
  spec.data = std::move(data);
  spec.has_rank = has_rank;
  if (form.scale > 0) {
    spec.quantization.scales = {form.scale};
    spec.quantization.zero_points = {form.zero};
  }
  builder_.AddTensor(std::move(spec));
  return tensors_++;
}

Result<std::vector<Value>> RandomModel::Add(std::string_view type,
                                            std::vector<int32_t> inputs,
                                            const std::vector<Form>& forms,
                                            std::vector<Option> options) {
  std::vector<Value> results;
  std::vector<int32_t> outputs;
  for (const Form& form : forms) {
    const int32_t tensor = AddTensor(form, {}, {}, false);
    results.push_back({tensor, form.type, {}, form.scale, form.zero});
    outputs.push_back(tensor);
    outputs_.push_back(tensor);
  }
  builder_.AddOperator(std::string(type), std::move(inputs), outputs,
                       std::move(options));
  builder_.SetVersion(LeastVersion(type));
  STOWPLAN_TRY(file, Build());
  STOWPLAN_TRY(view, tflite::ModelView::Open(file));
  STOWPLAN_TRY(graph, model::Import(view));
  STOWPLAN_RETURN_IF_ERROR(graph::InferShapes(&graph, {}).map([](auto) {}));
  for (Value& result : results) {
    const auto id =
        graph::TensorId::FromIndex(static_cast<size_t>(result.tensor));
    const auto& shape = graph.subgraphs[0].tensor(id).shape;
    if (!shape) return BadInput("the model", "a result's shape is not known");
    for (int64_t dim : *shape) {
      result.shape.push_back(static_cast<int32_t>(dim));
    }
    if (result.type == this->type() && result.rank() >= 1 &&
        result.rank() <= 4 && result.elements() > 0 &&
        result.elements() < 20000) {
      values_.push_back(result);
    }
  }
  return results;
}

Result<std::vector<std::byte>> RandomModel::Build() {
  builder_.SetBoundary(inputs_, outputs_);
  return builder_.Build();
}

}  // namespace stowplan::tests
