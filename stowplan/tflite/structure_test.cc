// SPDX-License-Identifier: Apache-2.0
#include "stowplan/tflite/structure.h"

#include <cstdint>
#include <string>
#include <vector>

#include "gtest/gtest.h"
#include "stowplan/testing/model_builder.h"
#include "stowplan/tflite/model_view.h"

namespace stowplan::tflite {
namespace {

using testing::ModelBuilder;
using File = std::vector<std::byte>;

// By index and byte: to the compiler, a pointer to a FlatBuffer's vector leads
// to its first element only.
size_t IndexOf(const File& file, const void* place) {
  return reinterpret_cast<uintptr_t>(place) -
         reinterpret_cast<uintptr_t>(file.data());
}

void Put(File* file, size_t index, uint32_t value) {
  for (size_t i = 0; i < sizeof value; ++i) {
    (*file)[index + i] = static_cast<std::byte>(value >> (8 * i) & 0xFF);
  }
}

uint32_t Get(const File& file, size_t index) {
  uint32_t value = 0;
  for (size_t i = 0; i < sizeof value; ++i) {
    value |= static_cast<uint32_t>(file[index + i]) << (8 * i);
  }
  return value;
}

class StructureTest : public ::testing::Test {
 protected:
  StructureTest() {
    ModelBuilder builder("structure");
    builder.AddTensor({.name = "x", .shape = {1, 2}});
    builder.AddTensor({.name = "y", .shape = {1, 2}});
    builder.AddOperator("SOFTMAX", {0}, {1}, {{"beta", 1.0}});
    builder.AddOperator("RESHAPE", {0}, {1},
                        {{"new_shape", std::vector<int64_t>{2}}});
    file_ = builder.Build().value();
  }

  const schema::SubGraph& graph() const {
    return *schema::GetModel(file_.data())->subgraphs()->Get(0);
  }
  void Write(const void* place, uint32_t value) {
    Put(&file_, IndexOf(file_, place), value);
  }
  std::string Place() const {
    const auto error = FindBrokenPlace(file_);
    return error ? error->ToString() : "sound";
  }

  File file_;
};

TEST_F(StructureTest, ASoundFileHasNoBrokenPlace) {
  EXPECT_EQ(Place(), "sound");
}

TEST_F(StructureTest, AVectorThatIsTooLongIsNamed) {
  Write(graph().tensors()->Get(1)->shape(), 1'000'000);
  EXPECT_NE(Place().find("model.subgraphs[0].tensors[1].shape at byte "),
            std::string::npos)
      << Place();
  EXPECT_NE(Place().find("its 1000000 elements leave the file"),
            std::string::npos);
}

TEST_F(StructureTest, AStringWithoutEndIsNamed) {
  const flatbuffers::String* name = graph().tensors()->Get(0)->name();
  Write(name, 2);  // One more than it has, so that its end is no zero.
  file_[IndexOf(file_, name->c_str()) + 2] = std::byte{'z'};
  EXPECT_NE(Place().find("tensors[0].name"), std::string::npos) << Place();
  EXPECT_NE(Place().find("the string has no end"), std::string::npos);
}

TEST_F(StructureTest, OptionsAreWalkedByTheirKind) {
  const auto* options =
      graph().operators()->Get(1)->builtin_options_as_ReshapeOptions();
  Write(options->new_shape(), 77'777);
  EXPECT_NE(Place().find("operators[1].builtin_options.new_shape"),
            std::string::npos)
      << Place();
}

TEST_F(StructureTest, WhatTheVerifierRefusesHasAPlace) {
  size_t refused = 0;
  for (size_t bit = 8 * 8; bit < 8 * file_.size(); ++bit) {
    const auto mask = static_cast<std::byte>(1 << (bit % 8));
    file_[bit / 8] ^= mask;
    flatbuffers::Verifier verifier(
        reinterpret_cast<const uint8_t*>(file_.data()), file_.size());
    const bool sound = schema::VerifyModelBuffer(verifier);
    // Without vectors of 64-bit numbers, the other way round too.
    EXPECT_EQ(Place() == "sound", sound) << "bit " << bit << ": " << Place();
    refused += sound ? 0 : 1;
    file_[bit / 8] ^= mask;
  }
  EXPECT_GT(refused, 100u);
}

TEST(AlignmentTest, AVectorOf64BitNumbersThatIsNotAlignedIsRefused) {
  ModelBuilder builder;
  builder.AddTensor({.name = "q", .shape = {1}, .quantization = {{1}, {1}}});
  File file = builder.Build().value();
  const auto* quantization = schema::GetModel(file.data())
                                 ->subgraphs()
                                 ->Get(0)
                                 ->tensors()
                                 ->Get(0)
                                 ->quantization();
  const auto* table = reinterpret_cast<const flatbuffers::Table*>(quantization);
  const size_t place = IndexOf(
      file, table->GetAddressOf(schema::QuantizationParameters::VT_ZERO_POINT));
  // Four bytes on, the low half of the number 1 counts as the length.
  Put(&file, place, Get(file, place) + 4);
  const auto error = FindBrokenPlace(file);
  ASSERT_TRUE(error);
  EXPECT_NE(error->where.find("quantization.zero_point"), std::string::npos)
      << error->ToString();
  EXPECT_EQ(error->what, "it is not aligned");
}

}  // namespace
}  // namespace stowplan::tflite
