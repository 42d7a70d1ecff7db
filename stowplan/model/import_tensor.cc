// SPDX-License-Identifier: Apache-2.0
#include "stowplan/model/import_tensor.h"

#include <algorithm>
#include <string>

namespace stowplan::model {
namespace {

namespace schema = tflite::schema;
using graph::Quantization;

// The graph's element types are numbered as the file's are; the test compares
// all names.
static_assert(static_cast<int>(DType::kFloat8E5M2) ==
              static_cast<int>(schema::TensorType::MAX));

graph::Shape ToShape(const flatbuffers::Vector<int32_t>* extents) {
  return extents == nullptr ? graph::Shape()
                            : graph::Shape(extents->begin(), extents->end());
}

Quantization ToQuantization(const schema::Tensor& tensor) {
  Quantization result;
  const schema::QuantizationParameters* q = tensor.quantization();
  if (q == nullptr) return result;
  if (const auto* blocks = q->details_as_BlockwiseQuantization()) {
    result.scheme = Quantization::Scheme::kBlockwise;
    result.dimension = blocks->block_size();
    return result;
  }
  if (const auto* blocks = q->details_as_MultiAxisQuantization()) {
    result.scheme = Quantization::Scheme::kBlockwise;
    result.dimension = blocks->block_size();
    return result;
  }
  if (q->scale() == nullptr || q->scale()->size() == 0) return result;
  result.scales.assign(q->scale()->begin(), q->scale()->end());
  if (q->zero_point() != nullptr) {
    result.zero_points.assign(q->zero_point()->begin(), q->zero_point()->end());
  }
  result.scheme = result.scales.size() == 1 ? Quantization::Scheme::kPerTensor
                                            : Quantization::Scheme::kPerChannel;
  // A vector has one dimension, whatever some writers say of a bias.
  const bool vector = tensor.shape() != nullptr && tensor.shape()->size() == 1;
  result.dimension = vector ? 0 : q->quantized_dimension();
  return result;
}

}  // namespace

graph::Tensor ImportTensor(const tflite::ModelView& view,
                           const schema::Tensor& tensor,
                           const TensorRole& role) {
  graph::Tensor result;
  if (tensor.name() != nullptr) result.name = tensor.name()->str();
  result.dtype = static_cast<DType>(tensor.type());
  const graph::Shape shape = ToShape(tensor.shape());
  result.signature = ToShape(tensor.shape_signature());
  result.quantization = ToQuantization(tensor);
  result.variable = tensor.is_variable();
  result.data = view.Content(tensor.buffer());
  result.sparse = tensor.sparsity() != nullptr;
  const bool empty = std::find(shape.begin(), shape.end(), 0) != shape.end();
  const bool holds_nothing =
      empty && !role.written && !role.input && !result.variable;
  result.constant =
      !result.data.empty() || tensor.external_buffer() != 0 || holds_nothing;
  if (!shape.empty() || tensor.has_rank() || result.constant ||
      role.entry_input) {
    result.shape = shape;
  }
  if (result.sparse || (result.constant && BitsOf(result.dtype) == 0)) {
    result.bytes = static_cast<Bytes>(result.data.size());
  }
  return result;
}

}  // namespace stowplan::model
