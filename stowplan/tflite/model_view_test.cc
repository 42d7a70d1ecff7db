// SPDX-License-Identifier: Apache-2.0
#include "stowplan/tflite/model_view.h"

#include <string>
#include <vector>

#include "gtest/gtest.h"
#include "stowplan/testing/model_builder.h"

namespace stowplan::tflite {
namespace {

using testing::BytesOf;
using testing::ElementType;
using testing::ModelBuilder;
using File = std::vector<std::byte>;

std::string Refusal(const File& file) {
  const auto view = ModelView::Open(file);
  return view ? "opened" : view.error().ToString();
}

File BytesFrom(const std::string& text) {
  return BytesOf(std::vector<char>(text.begin(), text.end()));
}

// One float constant and one operator on it.
File Small(bool outside = false) {
  ModelBuilder builder;
  builder.AddTensor({.name = "w",
                     .shape = {2},
                     .data = BytesOf(std::vector<float>{1, 2}),
                     .outside = outside});
  builder.AddTensor({.name = "y", .shape = {2}});
  builder.AddOperator("RELU", {0}, {1});
  builder.SetBoundary({}, {1});
  return builder.Build().value();
}

TEST(ModelViewTest, OtherFilesAreNamedAsSuch) {
  EXPECT_NE(Refusal({}).find("the file is empty"), std::string::npos);
  EXPECT_NE(Refusal(BytesFrom("TFL")).find("ends before its header"),
            std::string::npos);
  EXPECT_NE(Refusal(BytesFrom("\x89PNG\r\n\x1a\n")).find("found '\\x0d"),
            std::string::npos);
}

TEST(ModelViewTest, AFileCutShortIsRefusedAtEveryLength) {
  const File file = Small();
  constexpr size_t kPadding = 8;  // The last bytes may mean nothing.
  for (size_t size = 0; size + kPadding < file.size(); ++size) {
    const File cut(file.begin(), file.begin() + static_cast<ptrdiff_t>(size));
    EXPECT_NE(Refusal(cut), "opened") << size;
  }
}

TEST(ModelViewTest, ContentIsTheSameInsideAndBehindTheFlatBuffer) {
  for (bool outside : {false, true}) {
    const File file = Small(outside);
    const auto view = ModelView::Open(file);
    ASSERT_TRUE(view) << view.error().ToString();
    const uint32_t buffer =
        view->model().subgraphs()->Get(0)->tensors()->Get(0)->buffer();
    const auto content = view->Content(buffer);
    EXPECT_EQ(File(content.begin(), content.end()),
              BytesOf(std::vector<float>{1, 2}));
    EXPECT_GE(content.data(), file.data());
  }
}

TEST(ModelViewTest, ContentBehindACutIsRefusedByItsBuffer) {
  File file = Small(true);
  file.pop_back();
  const std::string refusal = Refusal(file);
  EXPECT_NE(refusal.find("buffer 1 at byte "), std::string::npos) << refusal;
  EXPECT_NE(refusal.find("its 8 bytes from byte"), std::string::npos);
}

TEST(ModelViewTest, AnAddressThatIsNotAlignedIsRefused) {
  File file = Small();
  file.insert(file.begin(), std::byte{0});
  const auto view = ModelView::Open(std::span(file).subspan(1));
  ASSERT_FALSE(view);
  EXPECT_EQ(view.error().kind, ErrorKind::kUsage);
}

TEST(ModelViewTest, CustomOptionsAreTheirBytes) {
  ModelBuilder builder;
  builder.AddTensor({.name = "x", .shape = {1}});
  builder.AddTensor({.name = "y", .shape = {1}});
  builder.AddCustomOperator("Own", {0}, {1}, BytesFrom("abc"));
  const File file = builder.Build().value();
  const auto view = ModelView::Open(file);
  ASSERT_TRUE(view) << view.error().ToString();
  const schema::Operator& op =
      *view->model().subgraphs()->Get(0)->operators()->Get(0);
  EXPECT_EQ(view->NameOf(op), "Own");
  EXPECT_EQ(view->BuiltinOf(op), schema::BuiltinOperator::CUSTOM);
  const auto options = view->CustomOptions(op);
  EXPECT_EQ(File(options.begin(), options.end()), BytesFrom("abc"));
}

TEST(ModelViewTest, ContentMayHaveEveryPackedType) {
  struct Case {
    ElementType type;
    int32_t elements;
    size_t bytes;
  };
  for (const Case& c :
       {Case{ElementType::INT4, 3, 2}, Case{ElementType::UINT4, 4, 2},
        Case{ElementType::INT2, 5, 2}, Case{ElementType::FLOAT16, 3, 6},
        Case{ElementType::FLOAT8_E5M2, 3, 3}}) {
    ModelBuilder builder;
    builder.AddTensor({.name = "w",
                       .type = c.type,
                       .shape = {c.elements},
                       .data = File(c.bytes)});
    EXPECT_EQ(Refusal(builder.Build().value()), "opened");
    ModelBuilder longer;
    longer.AddTensor({.name = "w",
                      .type = c.type,
                      .shape = {c.elements},
                      .data = File(c.bytes + 1)});
    EXPECT_NE(Refusal(longer.Build().value()).find("buffer 1 holds"),
              std::string::npos);
  }
}

// [[0 7 0] [0 0 0] [5 0 6]]
testing::SparsitySpec Rows() {
  return {{0, 1}, {}, {{3, {}, {}}, {0, {0, 1, 1, 3}, {1, 0, 2}}}};
}

File Sparse(const testing::SparsitySpec& sparsity, size_t bytes) {
  ModelBuilder builder;
  builder.AddTensor({.name = "w",
                     .type = ElementType::INT8,
                     .shape = {3, 3},
                     .data = File(bytes),
                     .sparsity = sparsity});
  return builder.Build().value();
}

TEST(ModelViewTest, SparseContentIsCountedByItsLevels) {
  EXPECT_EQ(Refusal(Sparse(Rows(), 3)), "opened");
  EXPECT_NE(Refusal(Sparse(Rows(), 9)).find("lists 3 elements"),
            std::string::npos);
}

TEST(ModelViewTest, SparseLevelsThatContradictThemselvesAreRefused) {
  testing::SparsitySpec backwards = Rows();
  backwards.levels[1].segments = {0, 2, 1, 3};
  EXPECT_NE(Refusal(Sparse(backwards, 3)).find("go backwards"),
            std::string::npos);
  testing::SparsitySpec outside = Rows();
  outside.levels[1].indices = {1, 0, 3};
  EXPECT_NE(Refusal(Sparse(outside, 3)).find("indices outside"),
            std::string::npos);
  testing::SparsitySpec twice = Rows();
  twice.traversal_order = {1, 1};
  EXPECT_NE(Refusal(Sparse(twice, 3)).find("does not fit its shape"),
            std::string::npos);
  testing::SparsitySpec few = Rows();
  few.levels[1].segments = {0, 3};
  EXPECT_NE(Refusal(Sparse(few, 3)).find("segments that do not fit"),
            std::string::npos);
}

TEST(ModelViewTest, SparseBlocksDivideTheirDimension) {
  // [4, 4] in blocks of two rows: level 2 is the inside of a block.
  testing::SparsitySpec blocks{
      {0, 1, 2}, {0}, {{2, {}, {}}, {0, {0, 1, 2}, {3, 0}}, {2, {}, {}}}};
  ModelBuilder builder;
  builder.AddTensor({.name = "w",
                     .type = ElementType::INT8,
                     .shape = {4, 4},
                     .data = File(4),
                     .sparsity = blocks});
  EXPECT_EQ(Refusal(builder.Build().value()), "opened");
  ModelBuilder odd;
  odd.AddTensor({.name = "w",
                 .type = ElementType::INT8,
                 .shape = {5, 4},
                 .data = File(4),
                 .sparsity = blocks});
  EXPECT_NE(Refusal(odd.Build().value()).find("does not fit its shape"),
            std::string::npos);
}

TEST(ModelViewTest, StringsMustStayInTheirContent) {
  const auto with = [](const std::vector<int32_t>& words) {
    ModelBuilder builder;
    builder.AddTensor({.name = "s",
                       .type = ElementType::STRING,
                       .shape = {1},
                       .data = BytesOf(words)});
    return Refusal(builder.Build().value());
  };
  EXPECT_EQ(with({1, 12, 16, 'a'}), "opened");
  for (const std::vector<int32_t>& words :
       {std::vector<int32_t>{1, 12, 17, 'a'},
        {1, 8, 16, 'a'},
        {-1, 12, 16},
        {2'000'000'000, 12, 16},
        {1, 16, 12, 'a'}}) {
    EXPECT_NE(with(words).find("offsets of its strings"), std::string::npos);
  }
}

// A few hundred kilobytes that say: 100,000 operators read 50,000 tensors.
File Repeating() {
  flatbuffers::FlatBufferBuilder builder;
  const auto inputs = builder.CreateVector(std::vector<int32_t>(50'000, 0));
  const auto op = schema::CreateOperator(builder, 0, inputs);
  const auto operators = builder.CreateVector(
      std::vector<flatbuffers::Offset<schema::Operator>>(100'000, op));
  const auto tensors =
      builder.CreateVector(std::vector{schema::CreateTensor(builder)});
  const auto graphs = builder.CreateVector(
      std::vector{schema::CreateSubGraph(builder, tensors, 0, 0, operators)});
  const auto codes =
      builder.CreateVector(std::vector{schema::CreateOperatorCode(builder)});
  const auto buffers =
      builder.CreateVector(std::vector{schema::CreateBuffer(builder)});
  schema::ModelBuilder model(builder);
  model.add_version(3);
  model.add_operator_codes(codes);
  model.add_subgraphs(graphs);
  model.add_buffers(buffers);
  schema::FinishModelBuffer(builder, model.Finish());
  const auto* begin =
      reinterpret_cast<const std::byte*>(builder.GetBufferPointer());
  return File(begin, begin + builder.GetSize());
}

TEST(ModelViewTest, AFileThatRepeatsItselfIsRefusedBeforeItCosts) {
  const std::string refusal = Refusal(Repeating());
  EXPECT_NE(refusal.find("repeats the same parts"), std::string::npos)
      << refusal;
  EXPECT_NE(refusal.find("operator "), std::string::npos);
}

}  // namespace
}  // namespace stowplan::tflite
