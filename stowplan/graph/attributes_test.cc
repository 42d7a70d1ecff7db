// SPDX-License-Identifier: Apache-2.0
#include "stowplan/graph/attributes.h"

#include "gtest/gtest.h"

namespace stowplan::graph {
namespace {

Attributes Sample() {
  Attributes attributes;
  attributes.Set("stride_w", int64_t{2});
  attributes.Set("keep_dims", true);
  attributes.Set("alpha", 0.25);
  attributes.Set("padding", std::string("SAME"));
  attributes.Set("new_shape", std::vector<int64_t>{1, -1});
  return attributes;
}

TEST(AttributesTest, GiveWhatWasSet) {
  const Attributes attributes = Sample();
  EXPECT_EQ(attributes.Int("stride_w", 1), 2);
  EXPECT_TRUE(attributes.Bool("keep_dims", false));
  EXPECT_EQ(attributes.Float("alpha", 0), 0.25);
  EXPECT_EQ(attributes.String("padding", ""), "SAME");
  EXPECT_EQ(attributes.Ints("new_shape"), (std::vector<int64_t>{1, -1}));
}

TEST(AttributesTest, GiveTheFallbackForWhatIsNotThereOrOfAnotherType) {
  const Attributes attributes = Sample();
  EXPECT_EQ(attributes.Int("stride_h", 7), 7);
  EXPECT_EQ(attributes.Int("padding", 7), 7);
  EXPECT_EQ(attributes.Float("padding", 0.5), 0.5);
  EXPECT_EQ(attributes.String("stride_w", "x"), "x");
  EXPECT_TRUE(attributes.Ints("stride_w").empty());
  EXPECT_EQ(attributes.Find("stride_h"), nullptr);
}

TEST(AttributesTest, LetIntegersAndBoolsStandForEachOther) {
  const Attributes attributes = Sample();
  EXPECT_EQ(attributes.Int("keep_dims", 0), 1);
  EXPECT_TRUE(attributes.Bool("stride_w", false));
  EXPECT_EQ(attributes.Float("stride_w", 0), 2.0);
}

TEST(AttributesTest, ComeInTheOrderOfTheirNames) {
  std::vector<std::string> names;
  for (const auto& [name, value] : Sample()) names.push_back(name);
  EXPECT_EQ(names, (std::vector<std::string>{"alpha", "keep_dims", "new_shape",
                                             "padding", "stride_w"}));
}

TEST(AttributesTest, KeepTheLastValueOfAName) {
  Attributes attributes = Sample();
  attributes.Set("stride_w", int64_t{3});
  EXPECT_EQ(attributes.Int("stride_w", 1), 3);
}

TEST(AttributesTest, ShareTheirValuesUntilOneOfThemIsChanged) {
  const Attributes first = Sample();
  Attributes second = first;
  EXPECT_EQ(first.identity(), second.identity());
  EXPECT_EQ(first, Sample());
  second.Set("stride_w", int64_t{3});
  EXPECT_NE(first.identity(), second.identity());
  EXPECT_NE(first, second);
  EXPECT_EQ(first.Int("stride_w", 1), 2);
  EXPECT_EQ(second.Int("stride_w", 1), 3);
}

TEST(AttributesTest, OfAnOperatorWithoutOptionsAreEmpty) {
  const Attributes none;
  EXPECT_TRUE(none.empty());
  EXPECT_EQ(none.begin(), none.end());
  EXPECT_EQ(none.identity(), nullptr);
  EXPECT_FALSE(Sample().empty());
}

}  // namespace
}  // namespace stowplan::graph
