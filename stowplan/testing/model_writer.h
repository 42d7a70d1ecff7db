// SPDX-License-Identifier: Apache-2.0
//
// The FlatBuffer of a ModelBuilder's model. Internal to this folder.
#pragma once

#include <cstddef>
#include <map>
#include <string>
#include <string_view>
#include <tuple>
#include <utility>
#include <vector>

#include "stowplan/testing/model_builder.h"

namespace stowplan::testing {

class ModelWriter {
 public:
  explicit ModelWriter(const ModelBuilder& model) : model_(model) {}

  // Once for each writer.
  Result<std::vector<std::byte>> Write();

 private:
  template <class T>
  using Offset = flatbuffers::Offset<T>;
  template <class T>
  using VectorOffset = Offset<flatbuffers::Vector<T>>;
  template <class T>
  using Tables = VectorOffset<Offset<T>>;

  // The index of a buffer with that content; 0 for none.
  uint32_t AddBuffer(const std::vector<std::byte>& content, bool outside);
  Result<uint32_t> CodeFor(const ModelBuilder::OperatorSpec& op);

  Offset<tflite::schema::QuantizationParameters> WriteQuantization(
      const QuantizationSpec& spec);
  Offset<tflite::schema::SparsityParameters> WriteSparsity(
      const SparsitySpec& spec);
  Offset<tflite::schema::Tensor> WriteTensor(const TensorSpec& spec);
  Result<Offset<tflite::schema::Operator>> WriteOperator(
      const ModelBuilder::OperatorSpec& op);
  Result<Offset<tflite::schema::SubGraph>> WriteSubgraph(
      const ModelBuilder::SubgraphSpec& spec);
  Tables<tflite::schema::TensorMap> WriteNames(
      const ModelBuilder::Names& names);
  Tables<tflite::schema::SignatureDef> WriteSignatures();
  Tables<tflite::schema::Metadata> WriteMetadata();
  Tables<tflite::schema::OperatorCode> WriteCodes();
  Tables<tflite::schema::Buffer> WriteBuffers();

  // The finished FlatBuffer with the outside contents behind it.
  std::vector<std::byte> Assemble();

  struct PendingBuffer {
    const std::vector<std::byte>* content;
    bool outside;
  };

  const ModelBuilder& model_;
  flatbuffers::FlatBufferBuilder builder_;
  std::vector<PendingBuffer> buffers_ = {{nullptr, false}};
  struct Code {
    tflite::schema::BuiltinOperator builtin;
    std::string custom;
    int32_t version;

    friend bool operator==(const Code&, const Code&) = default;
  };
  std::vector<Code> codes_;
};

}  // namespace stowplan::testing
