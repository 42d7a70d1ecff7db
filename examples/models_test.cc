// SPDX-License-Identifier: Apache-2.0
#include "examples/models.h"

#include <cstdint>
#include <map>
#include <string>
#include <string_view>

#include "gtest/gtest.h"
#include "stowplan/model/import.h"

namespace stowplan::examples {
namespace {

// The graph of an example, with its file.
struct Made {
  std::vector<std::byte> file;
  graph::Model model;

  const graph::Subgraph& main() const { return model.subgraphs[0]; }
};

Made Make(const ModelBytes& bytes) {
  Made made;
  made.file = bytes.value();
  const auto view = tflite::ModelView::Open(made.file);
  EXPECT_TRUE(view) << view.error().ToString();
  made.model = model::Import(*view).value();
  return made;
}

Bytes ConstantBytes(const graph::Subgraph& subgraph) {
  Bytes sum = 0;
  for (const graph::Tensor& tensor : subgraph.tensors) {
    sum += static_cast<Bytes>(tensor.data.size());
  }
  return sum;
}

const graph::Tensor& Output(const Made& made, size_t index) {
  return made.main().tensor(made.main().outputs[index]);
}

// FNV-1a.
uint64_t Hash(const std::vector<std::byte>& bytes) {
  uint64_t hash = 0xCBF29CE484222325;
  for (std::byte byte : bytes) {
    hash = (hash ^ static_cast<uint64_t>(byte)) * 0x100000001B3;
  }
  return hash;
}

TEST(ModelsTest, EveryExampleIsAModelWithAnEntryPoint) {
  for (const Example& example : AllExamples()) {
    const Made made = Make(example.make());
    EXPECT_EQ(made.model.signatures.size(), 1u) << example.name;
    EXPECT_FALSE(made.model.source.description.empty()) << example.name;
  }
}

TEST(ModelsTest, TheBytesAreTheSameEverywhere) {
  const std::map<std::string_view, uint64_t> expected = {
      {"four_operators", 0xD7B23021661CD12F},
      {"mobilenet_v2_224_f32", 0xB11A0AFDD47ED80A},
      {"mobilenet_v2_224_int8", 0x6C5C4B12CE2087C7},
      {"detector_640_f32", 0xCDAEEE3D87A07A91},
      {"detector_640_int8", 0xC24AFABF66815FB1},
      {"lstm_state", 0x2BA0ABB98B3F7519},
      {"while_loop", 0xED34E38EE1C114AD},
      {"if_branch", 0x32E4EAC5778BA01F},
      {"dynamic_shape", 0x33F98295B0994B6C},
  };
  for (const Example& example : AllExamples()) {
    EXPECT_EQ(Hash(example.make().value()), expected.at(example.name))
        << example.name;
  }
}

TEST(ModelsTest, TheWorkedExampleHasTensorsOf64And128And64Bytes) {
  const Made made = Make(FourOperators());
  ASSERT_EQ(made.main().operators.size(), 4u);
  for (const auto& [op, bytes] : {std::pair(0, 64), {1, 128}, {2, 64}}) {
    const auto& producer = made.main().operators[static_cast<size_t>(op)];
    EXPECT_EQ(graph::SizeOf(made.main().tensor(producer.outputs[0])), bytes);
  }
}

TEST(ModelsTest, MobileNetV2HasThePapersSize) {
  const Made made = Make(MobileNetV2(Arithmetic::kInt8));
  // 17 blocks: the first of two convolutions, the rest of three; 10 sums;
  // stem, head, pool, logits, classes.
  EXPECT_EQ(made.main().operators.size(), 2u + 16 * 3 + 10 + 5);
  // 3.5 million weights and 18 thousand biases of four bytes.
  EXPECT_NEAR(static_cast<double>(ConstantBytes(made.main())), 3.54e6, 1e5);
  EXPECT_EQ(Output(made, 0).shape, (graph::Shape{1, 1001}));
}

TEST(ModelsTest, TheDetectorHasFourMegabytesOfWeightsAndThreeLevels) {
  const Made made = Make(Detector640(Arithmetic::kInt8));
  EXPECT_NEAR(static_cast<double>(ConstantBytes(made.main())), 3.7e6, 3e5);
  const int64_t cells = 80 * 80 + 40 * 40 + 20 * 20;
  EXPECT_EQ(Output(made, 0).shape, (graph::Shape{1, cells, 4}));
  EXPECT_EQ(Output(made, 1).shape, (graph::Shape{1, cells, 80}));
}

TEST(ModelsTest, TwinsDifferInTheirTypesAlone) {
  for (auto make : {MobileNetV2, Detector640}) {
    const Made real = Make(make(Arithmetic::kFloat32));
    const Made integer = Make(make(Arithmetic::kInt8));
    ASSERT_EQ(real.main().tensors.size(), integer.main().tensors.size());
    for (size_t i = 0; i < real.main().tensors.size(); ++i) {
      EXPECT_EQ(real.main().tensors[i].name, integer.main().tensors[i].name);
      EXPECT_EQ(real.main().tensors[i].shape, integer.main().tensors[i].shape);
    }
  }
}

TEST(ModelsTest, TheLstmHasTwoStates) {
  const Made made = Make(LstmState());
  size_t states = 0;
  for (const graph::Tensor& tensor : made.main().tensors) {
    states += tensor.variable ? 1 : 0;
  }
  EXPECT_EQ(states, 2u);
}

TEST(ModelsTest, ControlFlowRunsItsSubgraphs) {
  EXPECT_EQ(Make(WhileLoop()).main().operators[0].callees.size(), 2u);
  EXPECT_EQ(Make(IfBranch()).main().operators[0].callees.size(), 2u);
}

TEST(ModelsTest, TheDynamicModelLeavesItsBatchOpen) {
  const Made made = Make(DynamicShape());
  const auto& input = made.main().tensor(made.main().inputs[0]);
  EXPECT_EQ(input.signature, (graph::Shape{graph::kUnknownDim, 16}));
}

}  // namespace
}  // namespace stowplan::examples
