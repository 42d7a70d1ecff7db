// SPDX-License-Identifier: Apache-2.0
//
// Builds an operator with tensors of its own, for tests of kernels.
#pragma once

#include <cstring>
#include <deque>
#include <initializer_list>
#include <string>
#include <vector>

#include "stowplan/kernels/registry.h"

namespace stowplan::kernels {

class TestNode {
 public:
  explicit TestNode(std::string type) : type_(std::move(type)) {}

  // A tensor with room for its elements; `values` may be empty.
  template <class T>
  Tensor& Add(Type type, std::vector<int64_t> shape,
              const std::vector<T>& values) {
    Tensor& tensor = tensors_.emplace_back();
    tensor.type = type;
    tensor.shape.rank = shape.size();
    std::copy(shape.begin(), shape.end(), tensor.shape.dims.begin());
    std::vector<std::byte>& bytes =
        memory_.emplace_back(static_cast<size_t>(tensor.shape.elements()) *
                                 std::max<size_t>(SizeOf(type), 1) +
                             64);
    if (!values.empty()) {
      std::memcpy(bytes.data(), values.data(), values.size() * sizeof(T));
    }
    tensor.data = bytes.data();
    tensor.bytes = static_cast<Bytes>(bytes.size()) - 64;
    return tensor;
  }
  void Quantize(Tensor& tensor, std::vector<float> scales,
                std::vector<int64_t> zero_points) {
    tensor.quantization.scales = scales_.emplace_back(std::move(scales));
    tensor.quantization.zero_points =
        zeros_.emplace_back(std::move(zero_points));
  }
  void Input(Tensor* tensor) { inputs_.push_back(tensor); }
  void Output(Tensor* tensor) { outputs_.push_back(tensor); }
  void Intermediate(Tensor* tensor) { intermediates_.push_back(tensor); }
  void SetInt(const char* name, int64_t value) {
    Option option;
    option.name = name;
    option.number = value;
    option.real = static_cast<double>(value);
    options_.push_back(option);
  }
  void SetReal(const char* name, double value) {
    Option option;
    option.name = name;
    option.real = value;
    options_.push_back(option);
  }
  void SetText(const char* name, const char* value) {
    Option option;
    option.name = name;
    option.text = value;
    options_.push_back(option);
  }

  Node Bind(Arithmetic arithmetic = Arithmetic::kFloat) {
    Node node;
    node.type = type_;
    node.inputs = inputs_;
    node.outputs = outputs_;
    node.intermediates = intermediates_;
    node.options = Options(options_);
    node.arithmetic = arithmetic;
    return node;
  }

  // Prepare and Run with scratch of the size that it asks for.
  Status Run(Arithmetic arithmetic = Arithmetic::kFloat) {
    static const Registry kRegistry = Registry::Reference();
    const Kernel* kernel = kRegistry.Find(type_);
    if (kernel == nullptr) return BadInput(type_, "no such kernel");
    Node node = Bind(arithmetic);
    STOWPLAN_TRY(needs, kernel->prepare(node));
    needs_ = needs;
    std::vector<std::byte> scratch(static_cast<size_t>(needs.scratch) + 64);
    node.scratch = scratch.data();
    return kernel->run(node);
  }
  const Needs& needs() const { return needs_; }

 private:
  std::string type_;
  std::deque<Tensor> tensors_;
  std::deque<std::vector<std::byte>> memory_;
  std::deque<std::vector<float>> scales_;
  std::deque<std::vector<int64_t>> zeros_;
  std::vector<Tensor*> inputs_;
  std::vector<Tensor*> outputs_;
  std::vector<Tensor*> intermediates_;
  std::vector<Option> options_;
  Needs needs_;
};

// The next of a repeatable sequence.
class TestRandom {
 public:
  explicit TestRandom(uint64_t seed) : state_(seed) {}
  uint64_t Next() {
    state_ += 0x9E3779B97F4A7C15;
    uint64_t z = state_;
    z = (z ^ z >> 30) * 0xBF58476D1CE4E5B9;
    z = (z ^ z >> 27) * 0x94D049BB133111EB;
    return z ^ z >> 31;
  }
  // In [low, high].
  int64_t In(int64_t low, int64_t high) {
    return low +
           static_cast<int64_t>(Next() % static_cast<uint64_t>(high - low + 1));
  }

 private:
  uint64_t state_;
};

}  // namespace stowplan::kernels
