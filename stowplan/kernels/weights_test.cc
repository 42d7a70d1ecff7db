// SPDX-License-Identifier: Apache-2.0
//
// FULLY_CONNECTED with weights that are stored in other ways than one by one:
// sparse, of four bits, with a scale for each block.
#include <gtest/gtest.h>

#include <cmath>

#include "stowplan/kernels/reference/support.h"
#include "stowplan/kernels/test_node.h"

namespace stowplan::kernels {
namespace {

// Weights [units][depth], with and without their zeros.
struct Matrix {
  int64_t units, depth, block;
  std::vector<int8_t> dense;
  std::vector<int8_t> stored;  // Blocks one after the other.
  std::vector<int32_t> segments = {0};
  std::vector<int32_t> indices;

  Matrix(int64_t rows, int64_t columns, int64_t size, uint64_t seed)
      : units(rows), depth(columns), block(size) {
    TestRandom random(seed);
    for (int64_t row = 0; row < units; ++row) {
      for (int64_t b = 0; b < depth / block; ++b) {
        const bool there = random.In(0, 2) == 0;
        for (int64_t i = 0; i < block; ++i) {
          const auto value = static_cast<int8_t>(random.In(-127, 127));
          dense.push_back(there ? value : int8_t{0});
          if (there) stored.push_back(value);
        }
        if (there) indices.push_back(static_cast<int32_t>(b));
      }
      segments.push_back(static_cast<int32_t>(indices.size()));
    }
  }
};

template <class To>
std::vector<To> Converted(const std::vector<int8_t>& values) {
  std::vector<To> result;
  for (const int8_t value : values) result.push_back(static_cast<To>(value));
  return result;
}

struct SparseForm {
  explicit SparseForm(const Matrix& m) {
    order = {0, 1};
    levels = {{true, m.units, {}, {}}, {false, 0, m.segments, m.indices}};
    if (m.block > 1) {
      order.push_back(2);
      blocks = {1};
      levels.push_back({true, m.block, {}, {}});
    }
    sparsity = {order, blocks, levels};
  }

  std::vector<int32_t> order;
  std::vector<int32_t> blocks;
  std::vector<Sparsity::Level> levels;
  Sparsity sparsity;
};

// Three rows of a repeatable input, of type In with outputs of type Out.
template <class In, class Weight>
std::vector<In> RunLayer(const Matrix& m, bool sparse, bool asymmetric) {
  constexpr Type kIn = std::is_same_v<In, float> ? Type::kFloat32 : Type::kInt8;
  constexpr Type kWeight =
      std::is_same_v<Weight, float> ? Type::kFloat32 : Type::kInt8;
  TestRandom random(7);
  std::vector<In> values;
  for (int64_t i = 0; i < 3 * m.depth; ++i) {
    values.push_back(static_cast<In>(random.In(-100, 100)));
  }
  TestNode node("FULLY_CONNECTED");
  Tensor& input = node.Add<In>(kIn, {3, m.depth}, values);
  Tensor& weights =
      node.Add<Weight>(kWeight, {m.units, m.depth},
                       Converted<Weight>(sparse ? m.stored : m.dense));
  Tensor& output = node.Add<In>(kIn, {3, m.units}, {});
  const SparseForm form(m);
  weights.constant = true;
  if (sparse) weights.sparsity = &form.sparsity;
  if (kIn == Type::kInt8) node.Quantize(input, {0.5f}, {3});
  if (kWeight == Type::kInt8) node.Quantize(weights, {0.25f}, {0});
  if (kIn == Type::kInt8) node.Quantize(output, {40.0f}, {-5});
  node.Input(&input);
  node.Input(&weights);
  node.Output(&output);
  node.SetInt("asymmetric_quantize_inputs", asymmetric ? 1 : 0);
  EXPECT_TRUE(node.Run(Arithmetic::kLiteRt));
  return {output.As<In>(), output.As<In>() + 3 * m.units};
}

TEST(SparseWeightsTest, GiveWhatTheSameWeightsGiveWithTheirZeros) {
  for (const int64_t block : {1, 4, 16}) {
    const Matrix m(9, 320, block, 5);  // Deeper than a tile.
    SCOPED_TRACE(block);
    EXPECT_EQ((RunLayer<float, float>(m, true, false)),
              (RunLayer<float, float>(m, false, false)));
    EXPECT_EQ((RunLayer<int8_t, int8_t>(m, true, false)),
              (RunLayer<int8_t, int8_t>(m, false, false)));
    for (const bool asymmetric : {false, true}) {
      EXPECT_EQ((RunLayer<float, int8_t>(m, true, asymmetric)),
                (RunLayer<float, int8_t>(m, false, asymmetric)));
    }
  }
}

// Runs a sparse layer of one row and tells why it was refused.
std::string Refusal(const Sparsity& sparsity, int64_t zero_point) {
  TestNode node("FULLY_CONNECTED");
  Tensor& input = node.Add<float>(Type::kFloat32, {1, 2}, {1, 2});
  Tensor& weights = node.Add<int8_t>(Type::kInt8, {1, 2}, {1, 2});
  Tensor& output = node.Add<float>(Type::kFloat32, {1, 1}, {});
  weights.constant = true;
  weights.sparsity = &sparsity;
  node.Quantize(weights, {1.0f}, {zero_point});
  node.Input(&input);
  node.Input(&weights);
  node.Output(&output);
  const Status status = node.Run();
  return status ? "" : status.error().ToString();
}

TEST(SparseWeightsTest, AreRefusedInFormsThatRowsCannotBeReadFrom) {
  const std::vector<int32_t> segments = {0, 2};
  const std::vector<int32_t> indices = {0, 1};
  const std::vector<int32_t> forward = {0, 1};
  const std::vector<int32_t> backward = {1, 0};
  const std::vector<Sparsity::Level> rows = {{true, 1, {}, {}},
                                             {false, 0, segments, indices}};
  EXPECT_EQ(Refusal({forward, {}, rows}, 0), "");
  EXPECT_NE(Refusal({forward, {}, rows}, 1).find("zero point"),
            std::string::npos);
  EXPECT_NE(Refusal({backward, {}, rows}, 0).find("DENSIFY"),
            std::string::npos);
  const std::vector<Sparsity::Level> dense = {{true, 1, {}, {}},
                                              {true, 2, {}, {}}};
  EXPECT_NE(Refusal({forward, {}, dense}, 0).find("DENSIFY"),
            std::string::npos);
}

std::vector<uint8_t> Nibbles(const std::vector<int32_t>& values) {
  std::vector<uint8_t> bytes((values.size() + 1) / 2);
  for (size_t i = 0; i < values.size(); ++i) {
    bytes[i / 2] =
        static_cast<uint8_t>(bytes[i / 2] | (values[i] & 0xF) << (i % 2 * 4));
  }
  return bytes;
}

// A hybrid layer with four-bit weights that all are 1: twice the sum of the
// quantised row.
float SumByFourBits(const std::vector<float>& row, int64_t units) {
  const auto depth = static_cast<int64_t>(row.size());
  TestNode node("FULLY_CONNECTED");
  Tensor& input = node.Add<float>(Type::kFloat32, {1, depth}, row);
  Tensor& weights = node.Add<uint8_t>(
      Type::kInt4, {units, depth},
      Nibbles(std::vector<int32_t>(static_cast<size_t>(units * depth), 1)));
  Tensor& output = node.Add<float>(Type::kFloat32, {1, units}, {});
  node.Quantize(weights, {2.0f}, {0});
  node.Input(&input);
  node.Input(&weights);
  node.Output(&output);
  node.SetInt("asymmetric_quantize_inputs", 1);
  EXPECT_TRUE(node.Run());
  return output.As<float>()[0];
}

TEST(FourBitWeightsTest, KnowNoZeroPointWhereLiteRtPacksThem) {
  std::vector<float> row(32, 0.0f);
  row[0] = 127.0f;
  row[1] = 0.4f;  // Less than half a symmetric step, most of a smaller one.
  EXPECT_EQ(SumByFourBits(row, 4), 254.0f);
  EXPECT_NE(SumByFourBits(row, 3), 254.0f);
}

// The arithmetic of blocks once more, element by element.
std::vector<float> ByBlocks(const std::vector<float>& rows, int64_t count,
                            const std::vector<int32_t>& weights, int64_t units,
                            int64_t block, const std::vector<float>& scales) {
  const int64_t depth = static_cast<int64_t>(rows.size()) / count;
  std::vector<float> out;
  for (int64_t r = 0; r < count; ++r) {
    const float* row = rows.data() + r * depth;
    const float low = std::min(0.0f, *std::min_element(row, row + depth));
    const float high = std::max(0.0f, *std::max_element(row, row + depth));
    const double step = (double{high} - double{low}) / 255.0;
    const auto zero =
        static_cast<int32_t>(std::round(-128.0 - double{low} / step));
    for (int64_t u = 0; u < units; ++u) {
      double sum = 0;
      for (int64_t k = 0; k < depth; ++k) {
        const double stored =
            std::clamp(std::round(double{row[k]} / step) + zero, -128.0, 127.0);
        sum += (stored - zero) * weights[static_cast<size_t>(u * depth + k)] *
               double{scales[static_cast<size_t>((u * depth + k) / block)]};
      }
      out.push_back(static_cast<float>(sum * step));
    }
  }
  return out;
}

TEST(BlockwiseWeightsTest, QuantiseEachRowAndScaleEachBlock) {
  for (const int64_t block : {32, 320}) {  // Within a tile, and beyond.
    constexpr int64_t kRows = 18;
    constexpr int64_t kUnits = 66;
    constexpr int64_t kDepth = 640;
    TestRandom random(11);
    std::vector<float> rows;
    std::vector<int32_t> weights;
    std::vector<uint16_t> halves;
    std::vector<float> scales;
    for (int64_t i = 0; i < kRows * kDepth; ++i) {
      // Whole steps, so that nothing depends on how halves are rounded.
      const int64_t step = i % kDepth == 0   ? -64
                           : i % kDepth == 1 ? 191
                                             : random.In(-64, 191);
      rows.push_back(static_cast<float>(step) / 64.0f);
    }
    for (int64_t i = 0; i < kUnits * kDepth; ++i) {
      weights.push_back(static_cast<int32_t>(random.In(-8, 7)));
    }
    for (int64_t i = 0; i < kUnits * kDepth / block; ++i) {
      const auto half = static_cast<uint16_t>(random.In(0x2000, 0x2BFF));
      halves.push_back(half);
      scales.push_back(reference::FromHalf(half));
    }
    TestNode node("FULLY_CONNECTED");
    Tensor& matrix =
        node.Add<uint8_t>(Type::kInt4, {kUnits, kDepth}, Nibbles(weights));
    matrix.quantization.block_size = static_cast<int32_t>(block);
    matrix.quantization.half_scales = halves;
    node.Input(&node.Add<float>(Type::kFloat32, {kRows, kDepth}, rows));
    node.Input(&matrix);
    Tensor& output = node.Add<float>(Type::kFloat32, {kRows, kUnits}, {});
    node.Output(&output);
    ASSERT_TRUE(node.Run());
    const std::vector<float> expected =
        ByBlocks(rows, kRows, weights, kUnits, block, scales);
    float span = 0;
    for (const float value : expected) span = std::max(span, std::fabs(value));
    for (size_t i = 0; i < expected.size(); ++i) {
      EXPECT_NEAR(output.As<float>()[i], expected[i], 2e-6f * span) << i;
    }
  }
}

}  // namespace
}  // namespace stowplan::kernels
