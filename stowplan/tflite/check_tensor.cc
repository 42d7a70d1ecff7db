// SPDX-License-Identifier: Apache-2.0
#include <algorithm>
#include <cstring>
#include <string>

#include "stowplan/base/checked_math.h"
#include "stowplan/tflite/buffer_content.h"
#include "stowplan/tflite/check.h"
#include "stowplan/tflite/element_type.h"
#include "stowplan/tflite/place.h"

namespace stowplan::tflite {
namespace {

using schema::TensorType;
using Content = std::span<const std::byte>;

constexpr const char* kConvertAgain = "convert the model again";

std::string ShapeText(const flatbuffers::Vector<int32_t>* shape) {
  constexpr size_t kMost = 8;
  std::string text = "[";
  for (size_t i = 0; i < std::min(SizeOf(shape), kMost); ++i) {
    if (i > 0) text += ", ";
    text += std::to_string(shape->Get(static_cast<uint32_t>(i)));
  }
  return text + (SizeOf(shape) > kMost ? ", ...]" : "]");
}

// The elements of the shape, with 1 for an extent that is not known; checks
// that their bytes fit in 64 bits.
Result<int64_t> CountElements(const schema::Tensor& tensor,
                              const std::string& where) {
  int64_t elements = 1;
  bool empty = false;
  for (size_t i = 0; i < SizeOf(tensor.shape()); ++i) {
    const int32_t extent = tensor.shape()->Get(static_cast<uint32_t>(i));
    if (extent < -1) {
      return BadInput(where,
                      "dimension " + std::to_string(i) + " of " +
                          ShapeText(tensor.shape()) + " is negative",
                      kConvertAgain);
    }
    empty = empty || extent == 0;
    if (extent <= 0) continue;
    const auto product = CheckedMul(elements, extent);
    if (!product || !CheckedMul(*product, 16)) {
      return BadInput(where,
                      "the size of the shape " + ShapeText(tensor.shape()) +
                          " does not fit in 64 bits",
                      kConvertAgain);
    }
    elements = *product;
  }
  return empty ? 0 : elements;
}

Status CheckSignature(const schema::Tensor& tensor, const std::string& where) {
  const auto* signature = tensor.shape_signature();
  if (SizeOf(signature) == 0) return {};
  if (SizeOf(signature) != SizeOf(tensor.shape())) {
    return BadInput(where,
                    "its shape " + ShapeText(tensor.shape()) +
                        " and its shape signature " + ShapeText(signature) +
                        " differ in rank",
                    kConvertAgain);
  }
  if (std::any_of(signature->begin(), signature->end(),
                  [](int32_t extent) { return extent < -1; })) {
    return BadInput(where,
                    "a dimension of its shape signature " +
                        ShapeText(signature) + " is below -1",
                    kConvertAgain);
  }
  return {};
}

int32_t ReadInt32(Content content, size_t index) {
  int32_t value;
  std::memcpy(&value, content.data() + index * sizeof value, sizeof value);
  return value;
}

// A string constant is: count, count + 1 offsets from its start, characters.
Status CheckStrings(CheckContext& context, Content content,
                    const std::string& where) {
  const auto broken = [&] {
    return BadInput(where, "the offsets of its strings leave its content",
                    kConvertAgain);
  };
  if (content.size() < sizeof(int32_t)) return broken();
  const int64_t count = ReadInt32(content, 0);
  const int64_t size = static_cast<int64_t>(content.size());
  const int64_t header = (count + 2) * Bytes{sizeof(int32_t)};
  if (count < 0 || header > size) return broken();
  if (!context.budget.Take(count)) return TooCostly(where);
  int64_t last = header;
  for (int64_t i = 1; i <= count + 1; ++i) {
    const int64_t offset = ReadInt32(content, static_cast<size_t>(i));
    if (offset < last || offset > size) return broken();
    last = offset;
  }
  return {};
}

Status CheckContent(CheckContext& context, const schema::Tensor& tensor,
                    const std::string& where, int64_t elements) {
  const Content content =
      ContentOf(context.file, *context.model.buffers()->Get(tensor.buffer()));
  const Bytes stored = static_cast<Bytes>(content.size());
  if (tensor.is_variable() && !content.empty()) {
    return BadInput(where, "it is a variable and has content too",
                    "let the model initialise it, or make it a constant");
  }
  if (tensor.sparsity() != nullptr) {
    return CheckSparsity(context, tensor, where, stored);
  }
  if (content.empty()) return {};
  if (tensor.type() == TensorType::STRING) {
    return CheckStrings(context, content, where);
  }
  if (BitsOf(tensor.type()) == 0) return {};
  const auto needed = PackedBytes(tensor.type(), elements);
  if (needed == stored) return {};
  return BadInput(where,
                  "its shape " + ShapeText(tensor.shape()) + " of " +
                      schema::EnumNameTensorType(tensor.type()) + " takes " +
                      std::to_string(needed.value_or(0)) +
                      " bytes, but buffer " + std::to_string(tensor.buffer()) +
                      " holds " + std::to_string(stored),
                  kConvertAgain);
}

// Indices of tensors that hold the scales and zero points of blocks; a
// negative one is left out.
Status CheckBlocks(const CheckContext& context, size_t subgraph,
                   const std::string& where, int32_t scales,
                   int32_t zero_points, int32_t block_size) {
  const auto* tensors = context.model.subgraphs()
                            ->Get(static_cast<uint32_t>(subgraph))
                            ->tensors();
  const int64_t count = static_cast<int64_t>(SizeOf(tensors));
  if (scales < 0 || scales >= count || zero_points >= count) {
    return BadInput(where,
                    "the scales and zero points of its blocks are tensors " +
                        std::to_string(scales) + " and " +
                        std::to_string(zero_points) + ", but there are " +
                        std::to_string(count),
                    kConvertAgain);
  }
  if (block_size < 0) {
    return BadInput(where,
                    "its quantisation has blocks of " +
                        std::to_string(block_size) + " elements",
                    kConvertAgain);
  }
  return {};
}

// Scales must be one, or one for each index of the quantised dimension. Some
// writers give the weights' dimension for a bias, which has only one, so for
// a vector its only dimension counts.
Status CheckScales(const schema::Tensor& tensor, const std::string& where) {
  const schema::QuantizationParameters& q = *tensor.quantization();
  const size_t scales = SizeOf(q.scale());
  const size_t zero_points = SizeOf(q.zero_point());
  if (scales == 0) return {};
  if (zero_points != scales && zero_points > 1) {
    return BadInput(where,
                    "it has " + std::to_string(scales) + " scales and " +
                        std::to_string(zero_points) + " zero points",
                    kConvertAgain);
  }
  if (scales == 1) return {};
  const size_t rank = SizeOf(tensor.shape());
  const int64_t given = q.quantized_dimension();
  const int64_t dimension = rank == 1 ? 0 : given;
  if (dimension >= 0 && dimension < static_cast<int64_t>(rank) &&
      tensor.shape()->Get(static_cast<uint32_t>(dimension)) ==
          static_cast<int64_t>(scales)) {
    return {};
  }
  return BadInput(where,
                  "it has " + std::to_string(scales) +
                      " scales along dimension " + std::to_string(given) +
                      " of the shape " + ShapeText(tensor.shape()),
                  kConvertAgain);
}

Status CheckQuantization(CheckContext& context, size_t subgraph,
                         const schema::Tensor& tensor,
                         const std::string& where) {
  const auto* q = tensor.quantization();
  if (q == nullptr) return {};
  if (!context.budget.TakeElements(q->scale()) ||
      !context.budget.TakeElements(q->zero_point())) {
    return TooCostly(where);
  }
  if (const auto* blocks = q->details_as_BlockwiseQuantization()) {
    return CheckBlocks(context, subgraph, where, blocks->scales(),
                       blocks->zero_points(), blocks->block_size());
  }
  if (const auto* blocks = q->details_as_MultiAxisQuantization()) {
    return CheckBlocks(context, subgraph, where, blocks->scales(),
                       blocks->zero_points(), blocks->block_size());
  }
  return CheckScales(tensor, where);
}

Status CheckReferences(CheckContext& context, const schema::Tensor& tensor,
                       const std::string& where) {
  const size_t buffers = SizeOf(context.model.buffers());
  if (tensor.buffer() >= buffers) {
    return BadInput(where,
                    "its content is buffer " + std::to_string(tensor.buffer()) +
                        ", but there are " + std::to_string(buffers),
                    kConvertAgain);
  }
  const uint32_t wanted = tensor.external_buffer();
  if (wanted == 0) return {};
  const auto* external = context.model.external_buffers();
  if (!context.budget.TakeElements(external)) return TooCostly(where);
  for (size_t i = 0; i < SizeOf(external); ++i) {
    if (external->Get(static_cast<uint32_t>(i))->id() == wanted) return {};
  }
  return BadInput(where,
                  "its content is external buffer " + std::to_string(wanted) +
                      ", which the file does not describe",
                  kConvertAgain);
}

}  // namespace

Status CheckTensor(CheckContext& context, size_t subgraph, size_t index) {
  const schema::Tensor& tensor = *context.model.subgraphs()
                                      ->Get(static_cast<uint32_t>(subgraph))
                                      ->tensors()
                                      ->Get(static_cast<uint32_t>(index));
  const std::string where = "subgraph " + std::to_string(subgraph) + ", " +
                            PlaceOf("tensor", index, ViewOf(tensor.name()),
                                    context.file.data(), &tensor);
  const Bytes cost =
      Budget::kPerTensor + static_cast<Bytes>(SizeOf(tensor.name()));
  if (!context.budget.Take(cost) ||
      !context.budget.TakeElements(tensor.shape()) ||
      !context.budget.TakeElements(tensor.shape_signature())) {
    return TooCostly(where);
  }
  if (!IsKnown(tensor.type())) {
    return BadInput(where,
                    "the element type " +
                        std::to_string(static_cast<int>(tensor.type())) +
                        " is not one that this version knows",
                    "the file is damaged or newer than this version of "
                    "Stowplan");
  }
  STOWPLAN_RETURN_IF_ERROR(CheckReferences(context, tensor, where));
  STOWPLAN_TRY(elements, CountElements(tensor, where));
  STOWPLAN_RETURN_IF_ERROR(CheckSignature(tensor, where));
  STOWPLAN_RETURN_IF_ERROR(CheckContent(context, tensor, where, elements));
  return CheckQuantization(context, subgraph, tensor, where);
}

}  // namespace stowplan::tflite
