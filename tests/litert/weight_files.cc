// SPDX-License-Identifier: Apache-2.0
//
// Writes models of one FULLY_CONNECTED each, whose weights are sparse, of four
// bits or scaled by blocks, for comparisons with the real LiteRT:
//   weight_files FOLDER
#include <cstdio>
#include <fstream>
#include <string>

#include "stowplan/kernels/test_node.h"
#include "stowplan/testing/model_builder.h"

namespace {

using namespace stowplan;  // NOLINT: a program, not a library.
using testing::BytesOf;
using testing::ElementType;
using testing::ModelBuilder;
using testing::QuantizationSpec;
using testing::TensorSpec;

constexpr int32_t kRows = 5;
constexpr int32_t kUnits = 12;
constexpr int32_t kDepth = 320;

enum class Weights { kFloat, kInt8, kInt4, kInt4Blocks };

struct Case {
  const char* name;
  Weights weights;
  int32_t block;  // 0: not sparse; 1: element by element.
  bool integers;  // Input and output.
  bool asymmetric;
  int32_t depth = kDepth;
};

constexpr Case kCases[] = {
    {"sparse_float", Weights::kFloat, 1, false, false},
    {"sparse_float_by_4", Weights::kFloat, 4, false, false},
    {"sparse_hybrid", Weights::kInt8, 16, false, false},
    {"sparse_hybrid_asymmetric", Weights::kInt8, 16, false, true},
    {"sparse_int8", Weights::kInt8, 16, true, false},
    {"int4_hybrid", Weights::kInt4, 0, false, false},
    {"int4_hybrid_asymmetric", Weights::kInt4, 0, false, true},
    {"int4_hybrid_narrow", Weights::kInt4, 0, false, true, 20},
    {"int4_blocks", Weights::kInt4Blocks, 0, false, false},
};

class Layer {
 public:
  explicit Layer(const Case& c) : case_(c), random_(3) {}

  Result<std::vector<std::byte>> Build() {
    const ElementType type =
        case_.integers ? ElementType::INT8 : ElementType::FLOAT32;
    const QuantizationSpec in = {.scales = {0.02f}, .zero_points = {4}};
    const QuantizationSpec out = {.scales = {0.5f}, .zero_points = {-3}};
    const int32_t input = builder_.AddTensor(
        {.name = "in",
         .type = type,
         .shape = {kRows, case_.depth},
         .quantization = case_.integers ? in : QuantizationSpec{}});
    const int32_t weights = AddWeights();
    const int32_t output = builder_.AddTensor(
        {.name = "out",
         .type = type,
         .shape = {kRows, kUnits},
         .quantization = case_.integers ? out : QuantizationSpec{}});
    builder_.AddOperator(
        "FULLY_CONNECTED", {input, weights, -1}, {output},
        {{"asymmetric_quantize_inputs", case_.asymmetric ? 1 : 0}});
    builder_.SetVersion(case_.weights == Weights::kInt4Blocks ? 13 : 9);
    builder_.SetBoundary({input}, {output});
    return builder_.Build();
  }

 private:
  int32_t AddWeights() {
    TensorSpec spec = {.name = "weights", .shape = {kUnits, case_.depth}};
    std::vector<int8_t> values;
    if (case_.block > 0) {
      spec.sparsity = AddSparse(&values);
    } else {
      for (int32_t i = 0; i < kUnits * case_.depth; ++i) AddValue(&values);
    }
    if (case_.weights == Weights::kFloat) {
      std::vector<float> floats;
      for (const int8_t value : values) {
        floats.push_back(static_cast<float>(value) / 100.0f);
      }
      spec.data = BytesOf(floats);
      return builder_.AddTensor(std::move(spec));
    }
    const bool bytes = case_.weights == Weights::kInt8;
    spec.type = bytes ? ElementType::INT8 : ElementType::INT4;
    spec.data = BytesOf(bytes ? values : Packed(values));
    if (case_.weights == Weights::kInt4Blocks) {
      spec.quantization.block_size = 32;
      spec.quantization.block_scales = AddBlockScales();
    } else {
      for (int32_t i = 0; i < kUnits; ++i) {
        spec.quantization.scales.push_back(0.01f +
                                           0.001f * static_cast<float>(i));
        spec.quantization.zero_points.push_back(0);
      }
    }
    return builder_.AddTensor(std::move(spec));
  }

  // Within what LiteRT's code for four bits takes: not -8.
  void AddValue(std::vector<int8_t>* values) {
    const bool wide =
        case_.weights == Weights::kFloat || case_.weights == Weights::kInt8;
    const int64_t most = wide ? 127 : 7;
    values->push_back(static_cast<int8_t>(random_.In(-most, most)));
  }

  testing::SparsitySpec AddSparse(std::vector<int8_t>* values) {
    testing::SparsitySpec sparsity = {{0, 1}, {}, {}};
    testing::SparseLevelSpec columns = {0, {0}, {}};
    for (int32_t row = 0; row < kUnits; ++row) {
      for (int32_t b = 0; b < case_.depth / case_.block; ++b) {
        if (random_.In(0, 3) > 0) continue;
        columns.indices.push_back(b);
        for (int32_t i = 0; i < case_.block; ++i) AddValue(values);
      }
      columns.segments.push_back(static_cast<int32_t>(columns.indices.size()));
    }
    sparsity.levels = {{kUnits, {}, {}}, columns};
    if (case_.block > 1) {
      sparsity.traversal_order.push_back(2);
      sparsity.block_map = {1};
      sparsity.levels.push_back({case_.block, {}, {}});
    }
    return sparsity;
  }

  static std::vector<int8_t> Packed(const std::vector<int8_t>& values) {
    std::vector<int8_t> packed;
    for (size_t i = 0; i + 1 < values.size(); i += 2) {
      packed.push_back(
          static_cast<int8_t>((values[i] & 0xF) | values[i + 1] << 4));
    }
    return packed;
  }

  int32_t AddBlockScales() {
    std::vector<uint16_t> halves;
    for (int32_t i = 0; i < kUnits * case_.depth / 32; ++i) {
      halves.push_back(static_cast<uint16_t>(random_.In(0x2000, 0x23FF)));
    }
    return builder_.AddTensor({.name = "scales",
                               .type = ElementType::FLOAT16,
                               .shape = {kUnits, case_.depth / 32},
                               .data = BytesOf(halves)});
  }

  const Case& case_;
  kernels::TestRandom random_;
  ModelBuilder builder_;
};

}  // namespace

int main(int count, char** arguments) {
  if (count != 2) {
    std::fprintf(stderr, "weight_files FOLDER\n");
    return 2;
  }
  for (const Case& c : kCases) {
    const auto bytes = Layer(c).Build();
    if (!bytes) {
      std::fprintf(stderr, "%s\n", bytes.error().ToString().c_str());
      return 3;
    }
    std::ofstream file(std::string(arguments[1]) + "/" + c.name + ".tflite",
                       std::ios::binary);
    file.write(reinterpret_cast<const char*>(bytes->data()),
               static_cast<std::streamsize>(bytes->size()));
    if (!file.flush()) return 3;
  }
  return 0;
}
