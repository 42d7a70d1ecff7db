// SPDX-License-Identifier: Apache-2.0
//
// Every damage to a small model that uses most of the format: it opens, or
// there is one error with a place and a remedy.
#include <string>
#include <vector>

#include "gtest/gtest.h"
#include "stowplan/model/import.h"
#include "stowplan/testing/model_builder.h"

namespace stowplan::model {
namespace {

using testing::BytesOf;
using testing::ElementType;
using testing::ModelBuilder;
using File = std::vector<std::byte>;

File RichModel() {
  ModelBuilder builder("damage");
  builder.AddTensor(
      {.name = "x", .shape = {1, 4, 4, 2}, .signature = {-1, 4, 4, 2}});
  builder.AddTensor({.name = "w",
                     .type = ElementType::INT8,
                     .shape = {2, 1, 1, 2},
                     .quantization = {{1, 2}, {0, 0}, 0},
                     .data = File(4),
                     .outside = true});
  builder.AddTensor({.name = "y", .shape = {1, 4, 4, 2}});
  builder.AddOperator("CONV_2D", {0, 1, -1}, {2}, {{"stride_w", 1}});
  builder.AddTensor({.name = "packed",
                     .type = ElementType::INT4,
                     .shape = {3},
                     .data = File(2)});
  builder.AddTensor(
      {.name = "sparse",
       .type = ElementType::INT8,
       .shape = {3, 3},
       .data = File(3),
       .sparsity = testing::SparsitySpec{
           {0, 1}, {}, {{3, {}, {}}, {0, {0, 1, 1, 3}, {1, 0, 2}}}}});
  builder.AddTensor({.name = "text",
                     .type = ElementType::STRING,
                     .shape = {1},
                     .data = BytesOf(std::vector<int32_t>{1, 12, 16, 'a'})});
  builder.AddTensor({.name = "state", .shape = {2}, .variable = true});
  testing::TensorSpec blocks{.name = "blocks", .shape = {64}};
  blocks.quantization.block_size = 32;
  builder.AddTensor(blocks);
  builder.AddTensor({.name = "z", .shape = {1, 4, 4, 2}});
  builder.AddOperator("IF", {0, 2}, {8},
                      {{"then_subgraph_index", 1}, {"else_subgraph_index", 1}});
  builder.AddCustomOperator("Own", {0}, {}, File(5));
  builder.SetBoundary({0}, {8});
  builder.AddSignature("go", {{"x", 0}}, {{"z", 8}});
  builder.AddMetadata("note", File(7));
  builder.AddSubgraph("branch");
  builder.AddTensor({.name = "x", .shape = {1, 4, 4, 2}});
  builder.AddTensor({.name = "y", .shape = {1, 4, 4, 2}});
  builder.AddTensor({.name = "shape",
                     .type = ElementType::INT32,
                     .shape = {2},
                     .data = BytesOf(std::vector<int32_t>{8, 4})});
  builder.AddOperator("RESHAPE", {0, 2}, {1},
                      {{"new_shape", std::vector<int64_t>{8, 4}}});
  builder.SetBoundary({0}, {1});
  return builder.Build().value();
}

// Reads the file; checks the form of its error if there is one.
bool Opens(const File& file) {
  const auto view = tflite::ModelView::Open(file);
  const auto model =
      view ? Import(*view) : Result<graph::Model>(tl::unexpected(view.error()));
  if (model) return true;
  EXPECT_EQ(model.error().kind, ErrorKind::kBadInput);
  EXPECT_FALSE(model.error().where.empty());
  EXPECT_FALSE(model.error().what.empty());
  EXPECT_FALSE(model.error().remedy.empty()) << model.error().ToString();
  return false;
}

TEST(DamageTest, TheModelOpensBeforeItIsDamaged) {
  EXPECT_TRUE(Opens(RichModel()));
}

TEST(DamageTest, NoCutOpensOrCrashes) {
  const File file = RichModel();
  for (size_t size = 0; size < file.size(); ++size) {
    const File cut(file.begin(), file.begin() + static_cast<ptrdiff_t>(size));
    EXPECT_FALSE(Opens(cut)) << size;  // The last bytes are content.
  }
}

TEST(DamageTest, NoFlippedBitCrashes) {
  File file = RichModel();
  size_t refused = 0;
  for (size_t bit = 0; bit < 8 * file.size(); ++bit) {
    const auto mask = static_cast<std::byte>(1 << (bit % 8));
    file[bit / 8] ^= mask;
    refused += Opens(file) ? 0 : 1;
    file[bit / 8] ^= mask;
  }
  // Most bits are offsets, indices and sizes.
  EXPECT_GT(refused, file.size());
}

TEST(DamageTest, NoFieldOfOnesCrashes) {
  File file = RichModel();
  for (size_t word = 0; word + 4 <= file.size(); word += 4) {
    const File before = file;
    for (size_t i = 0; i < 4; ++i) file[word + i] = std::byte{0xFF};
    Opens(file);
    file = before;
  }
}

}  // namespace
}  // namespace stowplan::model
