// SPDX-License-Identifier: Apache-2.0
//
// The planner lets operators write over an input because the table of
// operators says that they may. Here each such kernel runs with its output
// apart and on the input, over random shapes, and the bits are compared.
#include <gtest/gtest.h>

#include <optional>
#include <set>

#include "stowplan/graph/op_kind.h"
#include "stowplan/kernels/test_node.h"

namespace stowplan::runtime {
namespace {

using kernels::Tensor;
using kernels::TestNode;
using kernels::TestRandom;
using kernels::Type;

struct Shape2 {
  std::vector<int64_t> full;
  std::vector<int64_t> stretched;  // Some dimensions are 1.
};

Shape2 RandomShape(TestRandom& random) {
  Shape2 shape;
  const int64_t rank = random.In(1, 4);
  for (int64_t i = 0; i < rank; ++i) {
    shape.full.push_back(random.In(1, 6));
    shape.stretched.push_back(random.In(0, 2) == 0 ? 1 : shape.full.back());
  }
  return shape;
}

Tensor& AddRandom(TestNode& node, TestRandom& random, Type type,
                  const std::vector<int64_t>& shape) {
  Tensor& tensor = node.Add<int8_t>(type, shape, {});
  for (int64_t i = 0; i < tensor.shape.elements(); ++i) {
    const int64_t value = random.In(-20, 20);
    switch (type) {
      case Type::kFloat32:
        tensor.As<float>()[i] = static_cast<float>(value) / 4.0f + 0.1f;
        break;
      case Type::kInt64:
        tensor.As<int64_t>()[i] = value == 0 ? 1 : value;
        break;
      case Type::kInt32:
        tensor.As<int32_t>()[i] = value == 0 ? 1 : static_cast<int32_t>(value);
        break;
      case Type::kInt16:
        tensor.As<int16_t>()[i] = static_cast<int16_t>(value * 100);
        break;
      case Type::kBool:
        tensor.As<bool>()[i] = value > 0;
        break;
      default:
        tensor.As<int8_t>()[i] = static_cast<int8_t>(value * 5);
    }
  }
  if (type == Type::kInt8 || type == Type::kUInt8) {
    node.Quantize(tensor, {0.05f}, {3});
  } else if (type == Type::kInt16 || type == Type::kInt32) {
    node.Quantize(tensor, {0.05f}, {0});
  }
  return tensor;
}

void SetOptions(TestNode& node) {
  node.SetReal("alpha", 0.25);
  node.SetReal("beta", 1.0);
  node.SetReal("min", -2.0);
  node.SetReal("max", 3.0);
  node.SetInt("num_bits", 8);
}

// An operator with operands of `types`; the output has type `out`.
struct Operands {
  std::string type;
  std::vector<Type> types;
  Type out;
};

// Runs once; input `whole` has the output's shape, and with `over` the output
// lies on it. The output's bits, nothing if the kernel refuses the operands.
std::optional<std::vector<std::byte>> RunOnce(const Operands& operands,
                                              uint64_t seed, size_t whole,
                                              bool over, uint8_t* rights) {
  TestRandom random(seed);
  const Shape2 shape = RandomShape(random);
  TestNode node(operands.type);
  std::vector<Tensor*> inputs;
  const int64_t kept =
      random.In(0, static_cast<int64_t>(operands.types.size()) - 1);
  for (size_t i = 0; i < operands.types.size(); ++i) {
    const bool full = static_cast<int64_t>(i) == kept || i == whole || i == 0;
    std::vector<int64_t> dims = full ? shape.full : shape.stretched;
    if (operands.type == "CUMSUM" && i == 1) dims = {1};
    Tensor& input = AddRandom(node, random, operands.types[i], dims);
    if (operands.type == "CUMSUM" && i == 1) input.As<int32_t>()[0] = 0;
    if (operands.type == "DYNAMIC_UPDATE_SLICE" && i == 2) {
      return std::nullopt;
    }
    inputs.push_back(&input);
    node.Input(&input);
  }
  Tensor& output = AddRandom(node, random, operands.out, shape.full);
  SetOptions(node);
  if (over) output.data = inputs[whole]->data;
  node.Output(&output);
  if (!node.Run()) return std::nullopt;
  *rights = node.needs().in_place;
  const size_t size = static_cast<size_t>(output.shape.elements()) *
                      kernels::SizeOf(output.type);
  return std::vector<std::byte>(output.data, output.data + size);
}

std::vector<Operands> AllOperands() {
  std::vector<Operands> all;
  const std::vector<Type> values = {Type::kFloat32, Type::kInt8,  Type::kUInt8,
                                    Type::kInt16,   Type::kInt32, Type::kInt64};
  const auto registry = kernels::Registry::Reference();
  for (const kernels::Kernel& kernel : registry.kernels()) {
    const std::string type(kernel.type);
    const auto kind = graph::OpKindFromName(kernel.type);
    if (!kind || graph::TraitsOf(*kind).sharing == graph::Sharing::kNone) {
      continue;
    }
    for (Type value : values) {
      all.push_back({type, {value}, value});
      all.push_back({type, {value, value}, value});
      all.push_back({type, {value, value}, Type::kBool});
      all.push_back({type, {Type::kBool, value, value}, value});
      all.push_back({type, {value, Type::kInt32}, value});
      all.push_back({type, {value}, Type::kFloat32});
      all.push_back({type, {value}, Type::kInt32});
      all.push_back({type, {value}, Type::kInt8});
      all.push_back({type, {value}, Type::kUInt8});
    }
    all.push_back({type, {Type::kBool}, Type::kBool});
    all.push_back({type, {Type::kBool, Type::kBool}, Type::kBool});
    all.push_back({type, {Type::kBool, Type::kBool, Type::kBool}, Type::kBool});
  }
  return all;
}

// An operator and the input that its output may lie on.
using Right = std::pair<std::string, size_t>;

// Every right that the table gives to an operator that has a kernel: a kernel
// that is added comes in by itself.
std::set<Right> AllRights() {
  std::set<Right> rights;
  const auto registry = kernels::Registry::Reference();
  for (const kernels::Kernel& kernel : registry.kernels()) {
    const auto kind = graph::OpKindFromName(kernel.type);
    if (!kind) continue;
    const graph::OpTraits& traits = graph::TraitsOf(*kind);
    if (traits.sharing == graph::Sharing::kNone) continue;
    for (size_t input = 0; input < 8; ++input) {
      if (traits.MayShare(input))
        rights.insert({std::string(kernel.type), input});
    }
  }
  return rights;
}

// Runs the operator apart and in place from the same seed; whether both ran
// with an output that lay on the input.
bool Proves(const Operands& operands, size_t input, uint64_t seed) {
  uint8_t rights = 0;
  const auto over = RunOnce(operands, seed, input, true, &rights);
  const auto apart = RunOnce(operands, seed, input, false, &rights);
  if (!over || !apart) return false;
  EXPECT_EQ(*over, *apart) << operands.type << " over input " << input
                           << ", seed " << seed;
  EXPECT_NE(rights >> input & 1, 0)
      << operands.type << " does not declare the right that the table of "
      << "operators gives it for input " << input;
  return true;
}

std::set<Right> ProvedRights() {
  std::set<Right> proved;
  const std::set<Right> all = AllRights();
  for (const Operands& operands : AllOperands()) {
    for (size_t input = 0; input < operands.types.size(); ++input) {
      if (all.count({operands.type, input}) == 0 ||
          kernels::SizeOf(operands.types[input]) !=
              kernels::SizeOf(operands.out)) {
        continue;
      }
      for (uint64_t seed = 0; seed < 12; ++seed) {
        if (Proves(operands, input, seed)) {
          proved.insert({operands.type, input});
        }
      }
    }
  }
  return proved;
}

// What is left over: one whose operands have a special form, with a test of
// its own below.
TEST(InPlaceTest, WritingOverAnInputGivesTheSameBitsForEveryRight) {
  std::set<Right> left = AllRights();
  EXPECT_GE(left.size(), 60u);
  for (const Right& right : ProvedRights()) left.erase(right);
  EXPECT_EQ(left, std::set<Right>({{"DYNAMIC_UPDATE_SLICE", 0}}));
}

TEST(InPlaceTest, AnUpdatedSliceLeavesTheRestWhereItIs) {
  for (bool over : {false, true}) {
    TestNode node("DYNAMIC_UPDATE_SLICE");
    Tensor& operand =
        node.Add<int32_t>(Type::kInt32, {2, 3}, {1, 2, 3, 4, 5, 6});
    Tensor& out = node.Add<int32_t>(Type::kInt32, {2, 3}, {});
    node.Input(&operand);
    node.Input(&node.Add<int32_t>(Type::kInt32, {1, 2}, {7, 8}));
    node.Input(&node.Add<int32_t>(Type::kInt32, {2}, {1, 2}));
    if (over) out.data = operand.data;
    node.Output(&out);
    ASSERT_TRUE(node.Run());
    EXPECT_EQ(std::vector<int32_t>(out.As<int32_t>(), out.As<int32_t>() + 6),
              std::vector<int32_t>({1, 2, 3, 4, 7, 8}));
    EXPECT_EQ(node.needs().in_place, 0b1);
  }
}

}  // namespace
}  // namespace stowplan::runtime
