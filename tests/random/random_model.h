// SPDX-License-Identifier: Apache-2.0
//
// Small models out of a seed whose operators, types, shapes and options are
// random, for the comparison with other engines. Shapes of results are left
// out of the file, so that every engine infers them itself. The same model for
// the same seed from the same compiler: arguments draw in its order.
#pragma once

#include <cstdint>
#include <string>
#include <string_view>
#include <utility>
#include <vector>

#include "stowplan/base/error.h"
#include "stowplan/testing/model_builder.h"
#include "stowplan/testing/problem_random.h"

namespace stowplan::tests {

using testing::ElementType;
using testing::Option;
using Dims = std::vector<int32_t>;

// What a model computes in, mostly.
enum class Family { kFloat, kHybrid, kInt8, kUInt8, kInt16, kInt32 };
constexpr int kFamilies = 6;

struct Value {
  int32_t tensor = -1;
  ElementType type = ElementType::FLOAT32;
  Dims shape;
  float scale = 0;  // 0: not quantised.
  int32_t zero = 0;

  int32_t rank() const { return static_cast<int32_t>(shape.size()); }
  int64_t elements() const;
  bool quantized() const { return scale > 0; }
};

// A result's type and quantisation; its shape is inferred.
struct Form {
  ElementType type = ElementType::FLOAT32;
  float scale = 0;
  int32_t zero = 0;
};

class RandomModel {
 public:
  RandomModel(uint64_t seed, Family family);

  testing::Random& random() { return random_; }
  int32_t Between(int32_t low, int32_t high) {
    return static_cast<int32_t>(random_.Between(low, high));
  }
  void Shuffle(std::vector<int32_t>* values);
  Family family() const { return family_; }
  ElementType type() const;  // Of activations.

  // A value that was computed before, or a new input if there is none such.
  Value Pick();
  Value PickOfRank(int32_t rank);
  Value Input(const Form& form, Dims shape);
  Dims RandomShape(int32_t rank, int32_t most = 9);

  // Constants.
  int32_t Ints(const std::vector<int32_t>& values, bool scalar = false);
  int32_t Matrix(const std::vector<int32_t>& values, int32_t rows,
                 int32_t columns);
  int32_t Floats(const std::vector<float>& values, Dims shape);
  // A weight tensor in the family's form, one scale for each index of
  // `dimension` where the family can. `*scales` gets them.
  int32_t Weights(Dims shape, int32_t dimension, std::vector<float>* scales,
                  bool per_channel);
  int32_t Bias(const Value& input, const std::vector<float>& scales,
               int32_t channels);
  Value Constant(const Form& form, Dims shape);

  // A form for activations: the family's type, a random quantisation.
  Form RandomForm();
  // A quantisation for a sum of `terms` products.
  Form FormOfSum(const Value& input, const std::vector<float>& scales,
                 int64_t terms);
  static Form Like(const Value& value) {
    return {value.type, value.scale, value.zero};
  }

  // Adds an operator with `forms.size()` results, whose shapes are inferred.
  // Errors: those of writing and of shape inference.
  Result<std::vector<Value>> Add(std::string_view type,
                                 std::vector<int32_t> inputs,
                                 const std::vector<Form>& forms,
                                 std::vector<Option> options = {});

  // The file; every result is an output.
  Result<std::vector<std::byte>> Build();

 private:
  int32_t AddTensor(const Form& form, Dims shape,
                    std::vector<std::byte> data = {}, bool has_rank = true);

  Family family_;
  testing::Random random_;
  testing::ModelBuilder builder_;
  int32_t tensors_ = 0;
  std::vector<int32_t> inputs_;
  std::vector<int32_t> outputs_;
  std::vector<Value> values_;  // What operators may read.
};

// Adds one operator that the family has, of that type or of any if empty.
// Errors: kUsage for a type that is not known, or that the family lacks.
Status AddRandomOperator(RandomModel* model, std::string_view type);

// The types that AddRandomOperator knows, in a family.
std::vector<std::string_view> RandomOperatorTypes(Family family);

}  // namespace stowplan::tests
