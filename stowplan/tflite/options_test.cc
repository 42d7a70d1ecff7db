// SPDX-License-Identifier: Apache-2.0
#include "stowplan/tflite/options.h"

#include <map>
#include <set>
#include <string>

#include "gtest/gtest.h"
#include "stowplan/tflite/options_catalogue.h"

namespace stowplan::tflite {
namespace {

using flatbuffers::FlatBufferBuilder;
using schema::BuiltinOperator;

// Writes one operator with those options and reads them back.
class OptionsTest : public ::testing::Test {
 protected:
  std::map<std::string, OptionValue> RoundTrip(
      std::string_view table, const std::vector<Option>& options) {
    const auto written = WriteOptions(builder_, table, options);
    EXPECT_TRUE(written) << written.error().ToString();
    schema::OperatorBuilder op(builder_);
    op.add_builtin_options_type(written->type);
    op.add_builtin_options_2_type(written->type_2);
    if (written->type != schema::BuiltinOptions::NONE) {
      op.add_builtin_options(written->table);
    } else {
      op.add_builtin_options_2(written->table);
    }
    builder_.Finish(op.Finish());
    const auto* root =
        flatbuffers::GetRoot<schema::Operator>(builder_.GetBufferPointer());
    elements_ = CountOptionElements(*root);
    std::map<std::string, OptionValue> read;
    for (Option& option : ReadOptions(*root)) {
      read[option.name] = std::move(option.value);
    }
    return read;
  }

  FlatBufferBuilder builder_;
  int64_t elements_ = 0;
};

TEST_F(OptionsTest, WhatIsLeftOutHasTheSchemasDefault) {
  auto read = RoundTrip("Conv2DOptions", {{"stride_w", 2}});
  EXPECT_EQ(read.size(), 7u);
  EXPECT_EQ(read["stride_w"], OptionValue(int64_t{2}));
  EXPECT_EQ(read["dilation_h_factor"], OptionValue(int64_t{1}));
  EXPECT_EQ(read["padding"], OptionValue("SAME"));
  EXPECT_EQ(read["quantized_bias_type"], OptionValue("FLOAT32"));
}

TEST_F(OptionsTest, MembersGoByTheirNames) {
  auto read = RoundTrip(
      "Pool2DOptions",
      {{"padding", "VALID"}, {"fused_activation_function", "RELU_N1_TO_1"}});
  EXPECT_EQ(read["padding"], OptionValue("VALID"));
  EXPECT_EQ(read["fused_activation_function"], OptionValue("RELU_N1_TO_1"));
}

TEST_F(OptionsTest, AMemberThatTheSchemaLacksStaysANumber) {
  auto read = RoundTrip("Conv2DOptions", {{"padding", 77}});
  EXPECT_EQ(read["padding"], OptionValue(int64_t{77}));
}

TEST_F(OptionsTest, VectorsStringsAndRealsComeBack) {
  auto read =
      RoundTrip("ReshapeOptions", {{"new_shape", std::vector<int64_t>{1, -1}}});
  EXPECT_EQ(read["new_shape"], OptionValue(std::vector<int64_t>{1, -1}));
  EXPECT_EQ(elements_, 2);
}

TEST_F(OptionsTest, TheSecondUnionIsReadToo) {
  auto read = RoundTrip("StableHLOCompositeOptions",
                        {{"name", "odml.rms_norm"},
                         {"decomposition_subgraph_index", 3},
                         {"composite_attributes", std::vector<int64_t>{1, 2}}});
  EXPECT_EQ(read["name"], OptionValue("odml.rms_norm"));
  EXPECT_EQ(read["decomposition_subgraph_index"], OptionValue(int64_t{3}));
  EXPECT_FALSE(read.contains("composite_attributes"));
}

TEST_F(OptionsTest, RealsAndTruthValuesKeepTheirType) {
  auto read =
      RoundTrip("FakeQuantOptions", {{"min", -0.5}, {"narrow_range", true}});
  EXPECT_EQ(read["min"], OptionValue(-0.5));
  EXPECT_EQ(read["narrow_range"], OptionValue(true));
}

TEST(OptionsCatalogueTest, EveryOptionOfTheSchemaCanBeWrittenAndRead) {
  size_t fields = 0;
  for (auto type : schema::EnumValuesBuiltinOptions()) {
    if (type == schema::BuiltinOptions::NONE) continue;
    const OptionsTable* table = OptionsCatalogue::Get().Find(type);
    ASSERT_NE(table, nullptr) << schema::EnumNameBuiltinOptions(type);
    EXPECT_EQ(table->name, schema::EnumNameBuiltinOptions(type));
    EXPECT_EQ(table->type, type);
    for (const reflection::Field* field : table->fields) {
      const auto base = field->type()->base_type();
      Option option{field->name()->str(), int64_t{1}};
      if (base == reflection::BaseType::String) option.value = "text";
      if (base == reflection::BaseType::Vector) {
        const bool real =
            field->type()->element() == reflection::BaseType::Float;
        option.value = std::vector<int64_t>{1};
        if (real) option.value = std::vector<double>{1};
      }
      FlatBufferBuilder builder;
      const auto written =
          WriteOptions(builder, table->name, std::vector{option});
      EXPECT_TRUE(written) << written.error().ToString();
      ++fields;
    }
  }
  EXPECT_GT(fields, 100u);
}

TEST(OptionsCatalogueTest, EveryTableBelongsToAnOperator) {
  std::set<std::string_view> used;
  for (BuiltinOperator builtin : schema::EnumValuesBuiltinOperator()) {
    used.insert(OptionsTableOf(builtin));
  }
  for (auto type : schema::EnumValuesBuiltinOptions()) {
    if (type == schema::BuiltinOptions::NONE) continue;
    EXPECT_TRUE(used.contains(schema::EnumNameBuiltinOptions(type)))
        << schema::EnumNameBuiltinOptions(type);
  }
  for (auto type : schema::EnumValuesBuiltinOptions2()) {
    if (type == schema::BuiltinOptions2::NONE) continue;
    EXPECT_TRUE(used.contains(schema::EnumNameBuiltinOptions2(type)))
        << schema::EnumNameBuiltinOptions2(type);
  }
}

TEST(OptionsCatalogueTest, OperatorsThatShareATableFindIt) {
  EXPECT_EQ(OptionsTableOf(BuiltinOperator::CONV_2D), "Conv2DOptions");
  EXPECT_EQ(OptionsTableOf(BuiltinOperator::MAX_POOL_2D), "Pool2DOptions");
  EXPECT_EQ(OptionsTableOf(BuiltinOperator::REDUCE_ANY), "ReducerOptions");
  EXPECT_EQ(OptionsTableOf(BuiltinOperator::STABLEHLO_COMPOSITE),
            "StableHLOCompositeOptions");
  EXPECT_EQ(OptionsTableOf(BuiltinOperator::RELU), "");
}

TEST(OptionsCatalogueTest, AWrongValueIsRefusedByName) {
  FlatBufferBuilder builder;
  const auto refused =
      WriteOptions(builder, "Conv2DOptions",
                   std::vector<Option>{{"stride_w", int64_t{1} << 40}});
  ASSERT_FALSE(refused);
  EXPECT_NE(refused.error().ToString().find("stride_w"), std::string::npos);
}

}  // namespace
}  // namespace stowplan::tflite
