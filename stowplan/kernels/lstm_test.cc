// SPDX-License-Identifier: Apache-2.0
//
// LSTM kernels against the definition in double precision, and integers
// against outputs of LiteRT (ai-edge-litert 2.3.0 without delegates).
#include <gtest/gtest.h>

#include <cmath>

#include "stowplan/kernels/reference/layer_norm16.h"
#include "stowplan/kernels/test_node.h"

namespace stowplan::kernels {
namespace {

using Row = std::vector<double>;

// Numbers without a period that is easy to see, in [-period / 2, period / 2].
template <class T>
std::vector<T> Pattern(int64_t count, int64_t offset, int64_t period,
                       int64_t factor = 1) {
  std::vector<T> values;
  for (int64_t i = 0; i < count; ++i) {
    const int64_t value =
        (i * 37 + offset * 101 + i * i * 7) % period - period / 2;
    values.push_back(static_cast<T>(value * factor));
  }
  return values;
}

struct Variant {
  bool norm = false, projection = false, peephole = false, coupled = false;
  int exponent = -12;  // Of the cell state's scale.
  double cell_clip = 0;
};

constexpr int64_t kTimes = 2, kBatches = 2, kInputs = 3, kCells = 4;

// A time-major sequence LSTM on 8-bit integers.
class IntegerLstm {
 public:
  explicit IntegerLstm(const Variant& variant) : v_(variant) {
    outputs_ = v_.projection ? 2 : kCells;
    AddInput();
    AddMatrices(1, kInputs);
    AddMatrices(5, outputs_);
    AddPeepholes();
    AddBiases();
    AddProjection();
    AddStates();
    AddNorms();
    output_ = &node_.Add<int8_t>(Type::kInt8, {kTimes, kBatches, outputs_}, {});
    node_.Quantize(*output_, {0.008f}, {3});
    node_.Output(output_);
    AddIntermediates();
    node_.SetInt("time_major", 1);
    node_.SetText("fused_activation_function", "TANH");
    node_.SetReal("cell_clip", v_.cell_clip);
    if (v_.projection) {
      node_.SetReal("proj_clip", 0.6);
    }
  }

  std::vector<int> Run(Arithmetic arithmetic) {
    const Status status = node_.Run(arithmetic);
    EXPECT_TRUE(status) << status.error().ToString();
    const int8_t* values = output_->As<int8_t>();
    return {values, values + output_->shape.elements()};
  }

 private:
  template <class T>
  void AddOperand(bool wanted, Type type, std::vector<int64_t> shape,
                  const std::vector<T>& values, float scale, int64_t zero = 0) {
    if (!wanted) return node_.Input(nullptr);
    Tensor& tensor = node_.Add(type, std::move(shape), values);
    node_.Quantize(tensor, {scale}, {zero});
    node_.Input(&tensor);
  }
  void AddInput() {
    AddOperand(true, Type::kInt8, {kTimes, kBatches, kInputs},
               Pattern<int8_t>(kTimes * kBatches * kInputs, 0, 255), 0.02f, -5);
  }
  void AddMatrices(int64_t offset, int64_t columns) {
    for (int64_t gate = 0; gate < 4; ++gate) {
      AddOperand(gate > 0 || !v_.coupled, Type::kInt8, {kCells, columns},
                 Pattern<int8_t>(kCells * columns, offset + gate, 255), 0.01f);
    }
  }
  void AddPeepholes() {
    for (int64_t gate = 0; gate < 3; ++gate) {
      AddOperand(v_.peephole && (gate > 0 || !v_.coupled), Type::kInt16,
                 {kCells}, Pattern<int16_t>(kCells, 9 + gate, 60001), 3e-5f);
    }
  }
  void AddBiases() {
    for (int64_t gate = 0; gate < 4; ++gate) {
      AddOperand(gate > 0 || !v_.coupled, Type::kInt32, {kCells},
                 Pattern<int32_t>(kCells, 12 + gate, 6001, v_.norm ? 100 : 1),
                 1e-4f);
    }
  }
  void AddProjection() {
    AddOperand(v_.projection, Type::kInt8, {outputs_, kCells},
               Pattern<int8_t>(outputs_ * kCells, 16, 255), 0.01f);
    AddOperand(v_.projection, Type::kInt32, {outputs_},
               Pattern<int32_t>(outputs_, 17, 2001), 1e-4f);
  }
  void AddStates() {
    AddOperand(true, Type::kInt8, {kBatches, outputs_},
               std::vector<int8_t>(static_cast<size_t>(kBatches * outputs_), 3),
               0.008f, 3);
    AddOperand<int16_t>(true, Type::kInt16, {kBatches, kCells}, {},
                        std::ldexp(1.0f, v_.exponent));
  }
  void AddNorms() {
    for (int64_t gate = 0; gate < 4; ++gate) {
      AddOperand(v_.norm && (gate > 0 || !v_.coupled), Type::kInt16, {kCells},
                 Pattern<int16_t>(kCells, 20 + gate, 60001), 3e-5f);
    }
  }
  void AddIntermediates() {
    for (int64_t i = 0; i < 5; ++i) {
      Tensor& tensor =
          node_.Add<int8_t>(i < 4 ? Type::kInt16 : Type::kInt8, {0}, {});
      if (i < 4) {
        node_.Quantize(tensor, {v_.norm ? 0.001f : 1.0f / 4096}, {0});
      } else {
        node_.Quantize(tensor, {0.009f}, {v_.projection ? -20 : 3});
      }
      node_.Intermediate(&tensor);
    }
  }

  Variant v_;
  int64_t outputs_ = 0;
  TestNode node_{"UNIDIRECTIONAL_SEQUENCE_LSTM"};
  Tensor* output_ = nullptr;
};

TEST(IntegerLstmTest, EqualsLiteRt) {
  IntegerLstm plain({.exponent = -12});
  EXPECT_EQ(plain.Run(Arithmetic::kLiteRt),
            (std::vector<int>{7, -39, 12, 1, 2, 6, 3, 6, -52, 31, 12, 0, 34, 65,
                              1, 2}));
  IntegerLstm coupled({.coupled = true, .exponent = -13});
  EXPECT_EQ(coupled.Run(Arithmetic::kLiteRt),
            (std::vector<int>{10, -34, 11, -36, -1, 13, 2, 7, -36, 63, 12, -1,
                              45, 74, 0, -5}));
}

// At either end of what a scale of the cell state may be.
TEST(IntegerLstmTest, BothArithmeticsAreOne) {
  for (int exponent : {-16, -12, -8}) {
    IntegerLstm a({.exponent = exponent});
    IntegerLstm b({.exponent = exponent});
    EXPECT_EQ(a.Run(Arithmetic::kLiteRt), b.Run(Arithmetic::kFloat));
  }
}

TEST(IntegerLstmTest, WithNormPeepholeAndProjectionEqualsLiteRt) {
  IntegerLstm all({.norm = true,
                   .projection = true,
                   .peephole = true,
                   .exponent = -11,
                   .cell_clip = 1.5});
  EXPECT_EQ(all.Run(Arithmetic::kLiteRt),
            (std::vector<int>{-9, 52, 45, -41, 9, -13, 20, -31}));
  IntegerLstm coupled({.norm = true,
                       .projection = true,
                       .peephole = true,
                       .coupled = true,
                       .exponent = -15,
                       .cell_clip = 1.5});
  EXPECT_EQ(coupled.Run(Arithmetic::kLiteRt),
            (std::vector<int>{-17, 61, 51, -43, 13, -4, 27, -36}));
}

TEST(IntegerLstmTest, ACellStateBelowOneGetsNoTanhAsInLiteRt) {
  IntegerLstm litert({.exponent = -16});
  EXPECT_EQ(
      litert.Run(Arithmetic::kLiteRt),
      (std::vector<int>{7, 59, 13, 6, 6, 6, 3, 6, 63, 33, 4, 9, 71, 82, 4, 7}));
}

TEST(LayerNorm16Test, InverseSquareRootsAreExactToNineteenBits) {
  for (int64_t x = 2; x < INT32_MAX; x = x * 5 / 4 + 1) {
    const FixedPoint root =
        reference::InverseSquareRoot(static_cast<int32_t>(x));
    const double value =
        std::ldexp(static_cast<double>(root.multiplier), root.shift - 31);
    EXPECT_NEAR(value * std::sqrt(static_cast<double>(x)), 1.0, 1.9e-6) << x;
  }
  EXPECT_EQ(reference::InverseSquareRoot(0).multiplier, INT32_MAX);
}

TEST(LayerNorm16Test, NormalizesARow) {
  int16_t row[4] = {100, 300, -100, -300};
  const int16_t weights[4] = {1000, 1000, 2000, 1000};
  const int32_t bias[4] = {0, 0, 0, 1024 * 500};
  reference::LayerNorm16 norm = {weights, bias, ToFixedPoint(1e-3), 1};
  norm.Apply(row);
  // Deviation: sqrt(50000) = 223.6; values have 12 fractional bits.
  EXPECT_NEAR(row[0] / 4096.0, 0.4472, 1e-3);
  EXPECT_NEAR(row[1] / 4096.0, 1.3416, 1e-3);
  EXPECT_NEAR(row[2] / 4096.0, -0.8944, 1e-3);
  EXPECT_NEAR(row[3] / 4096.0, -0.8416, 1e-3);
}

double Sigmoid(double x) { return 1 / (1 + std::exp(-x)); }

std::vector<float> Floats(int64_t count, int64_t offset) {
  std::vector<float> values;
  for (int32_t value : Pattern<int32_t>(count, offset, 201)) {
    values.push_back(static_cast<float>(value) / 128.0f);
  }
  return values;
}

// The LSTM of five inputs on floats.
class BasicLstm {
 public:
  BasicLstm() {
    node_.SetText("kernel_type", "BASIC");
    const std::vector<int64_t> shapes[5] = {{kBatches, kInputs},
                                            {kBatches, kCells},
                                            {4 * kCells, kInputs + kCells},
                                            {4 * kCells},
                                            {kBatches, kCells}};
    for (size_t i = 0; i < 5; ++i) {
      const int64_t size =
          shapes[i][0] * (shapes[i].size() > 1 ? shapes[i][1] : 1);
      values_[i] = Floats(size, static_cast<int64_t>(i));
      inputs_[i] = &node_.Add(Type::kFloat32, shapes[i], values_[i]);
      node_.Input(inputs_[i]);
    }
    for (int64_t columns : {kCells, kCells, kInputs + kCells, 4 * kCells}) {
      outputs_.push_back(
          &node_.Add<float>(Type::kFloat32, {kBatches, columns}, {}));
      node_.Output(outputs_.back());
    }
  }

  // Of the definition: output and cell of a batch entry.
  std::pair<double, double> Expected(int64_t batch, int64_t c) const {
    double sums[4];
    for (int64_t gate = 0; gate < 4; ++gate) {
      const int64_t row = gate * kCells + c;
      sums[gate] = At(3, row);
      for (int64_t k = 0; k < kInputs + kCells; ++k) {
        const double value = k < kInputs ? At(0, batch * kInputs + k)
                                         : At(1, batch * kCells + k - kInputs);
        sums[gate] += At(2, row * (kInputs + kCells) + k) * value;
      }
    }
    const double cell = Sigmoid(sums[0]) * std::tanh(sums[1]) +
                        Sigmoid(sums[2]) * At(4, batch * kCells + c);
    return {Sigmoid(sums[3]) * std::tanh(cell), cell};
  }
  double At(size_t input, int64_t i) const {
    return double{values_[input][static_cast<size_t>(i)]};
  }

  TestNode node_{"LSTM"};
  Tensor* inputs_[5] = {};
  std::vector<Tensor*> outputs_;
  std::vector<float> values_[5];
};

TEST(BasicLstmTest, EqualsTheDefinition) {
  BasicLstm lstm;
  ASSERT_TRUE(lstm.node_.Run());
  for (int64_t b = 0; b < kBatches; ++b) {
    for (int64_t c = 0; c < kCells; ++c) {
      const auto [output, cell] = lstm.Expected(b, c);
      EXPECT_NEAR(lstm.outputs_[0]->As<float>()[b * kCells + c], output, 1e-6);
      EXPECT_NEAR(lstm.outputs_[1]->As<float>()[b * kCells + c], cell, 1e-6);
    }
  }
}

TEST(BasicLstmTest, KeepsItsStateInVariablesOnly) {
  BasicLstm lstm;
  lstm.inputs_[4]->variable = true;
  ASSERT_TRUE(lstm.node_.Run());
  EXPECT_EQ(lstm.inputs_[4]->As<float>()[1], lstm.outputs_[1]->As<float>()[1]);
  EXPECT_EQ(lstm.inputs_[1]->As<float>()[1], lstm.values_[1][1]);
}

TEST(BasicLstmTest, RefusesWeightsOfAnotherSize) {
  BasicLstm lstm;
  lstm.inputs_[2]->shape[1] = kInputs;
  const Status status = lstm.node_.Run();
  ASSERT_FALSE(status);
  EXPECT_NE(status.error().ToString().find("shapes"), std::string::npos);
}

}  // namespace
}  // namespace stowplan::kernels
