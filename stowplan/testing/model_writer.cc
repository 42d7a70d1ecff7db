// SPDX-License-Identifier: Apache-2.0
#include "stowplan/testing/model_writer.h"

#include <algorithm>
#include <cstring>
#include <optional>

#include "stowplan/base/checked_math.h"

namespace stowplan::testing {
namespace {

namespace schema = tflite::schema;
using schema::BuiltinOperator;

constexpr uint32_t kVersion = 3;
// The format asks for 16 for contents; engines want no more.
constexpr size_t kContentAlignment = 16;
// Until the FlatBuffer's size is known; any number but the default, so that
// the field has a place.
constexpr uint64_t kOffsetToCome = 1;

std::optional<BuiltinOperator> BuiltinNamed(std::string_view name) {
  for (BuiltinOperator builtin : schema::EnumValuesBuiltinOperator()) {
    if (name == schema::EnumNameBuiltinOperator(builtin)) return builtin;
  }
  return std::nullopt;
}

}  // namespace

uint32_t ModelWriter::AddBuffer(const std::vector<std::byte>& content,
                                bool outside) {
  if (content.empty()) return 0;
  buffers_.push_back({&content, outside});
  return static_cast<uint32_t>(buffers_.size()) - 1;
}

Result<uint32_t> ModelWriter::CodeFor(const ModelBuilder::OperatorSpec& op) {
  Code code{BuiltinOperator::CUSTOM, op.custom_name, op.version};
  if (!op.type.empty()) {
    const auto builtin = BuiltinNamed(op.type);
    if (!builtin) {
      return UsageError("operator", "'" + op.type + "' is not a builtin one",
                        "use a name of the schema, or a custom operator");
    }
    code.builtin = *builtin;
  }
  const auto found = std::find(codes_.begin(), codes_.end(), code);
  const auto index = static_cast<uint32_t>(found - codes_.begin());
  if (found == codes_.end()) codes_.push_back(std::move(code));
  return index;
}

flatbuffers::Offset<schema::QuantizationParameters>
ModelWriter::WriteQuantization(const QuantizationSpec& spec) {
  if (spec.block_size > 0) {
    const auto blocks = schema::CreateBlockwiseQuantization(
        builder_, spec.block_scales, spec.block_zero_points, spec.block_size);
    schema::QuantizationParametersBuilder table(builder_);
    table.add_details_type(schema::QuantizationDetails::BlockwiseQuantization);
    table.add_details(blocks.Union());
    return table.Finish();
  }
  if (spec.scales.empty()) return 0;
  const auto scales = builder_.CreateVector(spec.scales);
  const auto zero_points = builder_.CreateVector(spec.zero_points);
  schema::QuantizationParametersBuilder table(builder_);
  table.add_scale(scales);
  table.add_zero_point(zero_points);
  table.add_quantized_dimension(spec.dimension);
  return table.Finish();
}

flatbuffers::Offset<schema::SparsityParameters> ModelWriter::WriteSparsity(
    const SparsitySpec& spec) {
  std::vector<flatbuffers::Offset<schema::DimensionMetadata>> levels;
  for (const SparseLevelSpec& level : spec.levels) {
    if (level.dense_size > 0) {
      levels.push_back(schema::CreateDimensionMetadata(
          builder_, schema::DimensionType::DENSE, level.dense_size));
      continue;
    }
    const auto segments = schema::CreateInt32Vector(
        builder_, builder_.CreateVector(level.segments));
    const auto indices = schema::CreateInt32Vector(
        builder_, builder_.CreateVector(level.indices));
    levels.push_back(schema::CreateDimensionMetadata(
        builder_, schema::DimensionType::SPARSE_CSR, 0,
        schema::SparseIndexVector::Int32Vector, segments.Union(),
        schema::SparseIndexVector::Int32Vector, indices.Union()));
  }
  const auto order = builder_.CreateVector(spec.traversal_order);
  const auto blocks = builder_.CreateVector(spec.block_map);
  return schema::CreateSparsityParameters(builder_, order, blocks,
                                          builder_.CreateVector(levels));
}

flatbuffers::Offset<schema::Tensor> ModelWriter::WriteTensor(
    const TensorSpec& spec) {
  const uint32_t buffer = AddBuffer(spec.data, spec.outside);
  const auto name = builder_.CreateString(spec.name);
  const auto shape = builder_.CreateVector(spec.shape);
  const auto quantization = WriteQuantization(spec.quantization);
  flatbuffers::Offset<schema::SparsityParameters> sparsity;
  if (spec.sparsity) sparsity = WriteSparsity(*spec.sparsity);
  VectorOffset<int32_t> signature;
  if (!spec.signature.empty()) {
    signature = builder_.CreateVector(spec.signature);
  }
  return schema::CreateTensor(builder_, shape, spec.type, buffer, name,
                              quantization, spec.variable, sparsity, signature,
                              spec.has_rank);
}

Result<flatbuffers::Offset<schema::Operator>> ModelWriter::WriteOperator(
    const ModelBuilder::OperatorSpec& op) {
  STOWPLAN_TRY(code, CodeFor(op));
  tflite::WrittenOptions options;
  const std::string_view table = tflite::OptionsTableOf(codes_[code].builtin);
  if (!table.empty()) {
    STOWPLAN_TRY(written, tflite::WriteOptions(builder_, table, op.options));
    options = written;
  } else if (!op.options.empty()) {
    return UsageError(op.type, "this operator has no options");
  }
  const auto inputs = builder_.CreateVector(op.inputs);
  const auto outputs = builder_.CreateVector(op.outputs);
  VectorOffset<int32_t> intermediates;
  if (!op.intermediates.empty()) {
    intermediates = builder_.CreateVector(op.intermediates);
  }
  VectorOffset<uint8_t> custom;
  if (!op.custom_options.empty()) {
    custom = builder_.CreateVector(
        reinterpret_cast<const uint8_t*>(op.custom_options.data()),
        op.custom_options.size());
  }
  schema::OperatorBuilder writer(builder_);
  writer.add_opcode_index(code);
  writer.add_inputs(inputs);
  writer.add_outputs(outputs);
  writer.add_intermediates(intermediates);
  writer.add_custom_options(custom);
  writer.add_builtin_options_type(options.type);
  writer.add_builtin_options_2_type(options.type_2);
  if (options.type != schema::BuiltinOptions::NONE) {
    writer.add_builtin_options(options.table);
  } else if (options.type_2 != schema::BuiltinOptions2::NONE) {
    writer.add_builtin_options_2(options.table);
  }
  return writer.Finish();
}

Result<flatbuffers::Offset<schema::SubGraph>> ModelWriter::WriteSubgraph(
    const ModelBuilder::SubgraphSpec& spec) {
  std::vector<flatbuffers::Offset<schema::Tensor>> tensors;
  for (const TensorSpec& tensor : spec.tensors) {
    tensors.push_back(WriteTensor(tensor));
  }
  std::vector<flatbuffers::Offset<schema::Operator>> operators;
  for (const ModelBuilder::OperatorSpec& op : spec.operators) {
    STOWPLAN_TRY(written, WriteOperator(op));
    operators.push_back(written);
  }
  const auto tensor_vector = builder_.CreateVector(tensors);
  const auto inputs = builder_.CreateVector(spec.inputs);
  const auto outputs = builder_.CreateVector(spec.outputs);
  const auto operator_vector = builder_.CreateVector(operators);
  const auto name = builder_.CreateString(spec.name);
  return schema::CreateSubGraph(builder_, tensor_vector, inputs, outputs,
                                operator_vector, name);
}

ModelWriter::Tables<schema::TensorMap> ModelWriter::WriteNames(
    const ModelBuilder::Names& names) {
  std::vector<Offset<schema::TensorMap>> maps;
  for (const auto& [name, tensor] : names) {
    maps.push_back(schema::CreateTensorMap(
        builder_, builder_.CreateString(name), static_cast<uint32_t>(tensor)));
  }
  return builder_.CreateVector(maps);
}

ModelWriter::Tables<schema::SignatureDef> ModelWriter::WriteSignatures() {
  std::vector<Offset<schema::SignatureDef>> signatures;
  for (const auto& spec : model_.signatures_) {
    const auto inputs = WriteNames(spec.inputs);
    const auto outputs = WriteNames(spec.outputs);
    const auto key = builder_.CreateString(spec.key);
    signatures.push_back(schema::CreateSignatureDef(
        builder_, inputs, outputs, key, static_cast<uint32_t>(spec.subgraph)));
  }
  return builder_.CreateVector(signatures);
}

ModelWriter::Tables<schema::Metadata> ModelWriter::WriteMetadata() {
  std::vector<Offset<schema::Metadata>> entries;
  for (const auto& [name, content] : model_.metadata_) {
    const uint32_t buffer = AddBuffer(content, false);
    entries.push_back(
        schema::CreateMetadata(builder_, builder_.CreateString(name), buffer));
  }
  return builder_.CreateVector(entries);
}

ModelWriter::Tables<schema::OperatorCode> ModelWriter::WriteCodes() {
  std::vector<Offset<schema::OperatorCode>> codes;
  for (const auto& [builtin, custom, version] : codes_) {
    Offset<flatbuffers::String> name;
    if (!custom.empty()) name = builder_.CreateString(custom);
    // A byte, for readers that know no wider numbers.
    const auto old = std::min(
        static_cast<int>(builtin),
        static_cast<int>(BuiltinOperator::PLACEHOLDER_FOR_GREATER_OP_CODES));
    codes.push_back(schema::CreateOperatorCode(
        builder_, static_cast<int8_t>(old), name, version, builtin));
  }
  return builder_.CreateVector(codes);
}

ModelWriter::Tables<schema::Buffer> ModelWriter::WriteBuffers() {
  std::vector<Offset<schema::Buffer>> buffers;
  for (const PendingBuffer& buffer : buffers_) {
    if (buffer.content == nullptr) {
      buffers.push_back(schema::CreateBuffer(builder_));
      continue;
    }
    if (buffer.outside) {
      buffers.push_back(schema::CreateBuffer(builder_, 0, kOffsetToCome,
                                             buffer.content->size()));
      continue;
    }
    builder_.ForceVectorAlignment(buffer.content->size(), 1, kContentAlignment);
    const auto data = builder_.CreateVector(
        reinterpret_cast<const uint8_t*>(buffer.content->data()),
        buffer.content->size());
    buffers.push_back(schema::CreateBuffer(builder_, data));
  }
  return builder_.CreateVector(buffers);
}

std::vector<std::byte> ModelWriter::Assemble() {
  const auto* begin =
      reinterpret_cast<const std::byte*>(builder_.GetBufferPointer());
  std::vector<std::byte> file(begin, begin + builder_.GetSize());
  for (size_t i = 0; i < buffers_.size(); ++i) {
    if (!buffers_[i].outside) continue;
    file.resize(static_cast<size_t>(
        AlignUp(static_cast<Bytes>(file.size()), Bytes{kContentAlignment})));
    const uint64_t offset = file.size();
    file.insert(file.end(), buffers_[i].content->begin(),
                buffers_[i].content->end());
    const schema::Buffer* buffer =
        schema::GetModel(file.data())->buffers()->Get(static_cast<uint32_t>(i));
    // The accessors are read-only; the place of the field is what is wanted.
    const auto* table = reinterpret_cast<const flatbuffers::Table*>(buffer);
    const auto place = table->GetAddressOf(schema::Buffer::VT_OFFSET) -
                       reinterpret_cast<const uint8_t*>(file.data());
    std::memcpy(file.data() + place, &offset, sizeof offset);
  }
  return file;
}

Result<std::vector<std::byte>> ModelWriter::Write() {
  std::vector<Offset<schema::SubGraph>> subgraphs;
  for (const ModelBuilder::SubgraphSpec& spec : model_.subgraphs_) {
    STOWPLAN_TRY(written, WriteSubgraph(spec));
    subgraphs.push_back(written);
  }
  const auto signatures = WriteSignatures();
  const auto metadata = WriteMetadata();
  const auto codes = WriteCodes();
  const auto buffers = WriteBuffers();
  const auto graphs = builder_.CreateVector(subgraphs);
  const auto description = builder_.CreateString(model_.description_);
  schema::ModelBuilder model(builder_);
  model.add_version(kVersion);
  model.add_operator_codes(codes);
  model.add_subgraphs(graphs);
  model.add_description(description);
  model.add_buffers(buffers);
  model.add_metadata(metadata);
  model.add_signature_defs(signatures);
  schema::FinishModelBuffer(builder_, model.Finish());
  return Assemble();
}

}  // namespace stowplan::testing
