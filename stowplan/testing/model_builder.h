// SPDX-License-Identifier: Apache-2.0
//
// Writes real model files from C++, for tests, examples and the demo:
//
//   ModelBuilder builder;
//   const int32_t in = builder.AddTensor({"in", ElementType::FLOAT32, {4}});
//   const int32_t out = builder.AddTensor({"out", ElementType::FLOAT32, {4}});
//   builder.AddOperator("RELU", {in}, {out});
//   builder.SetBoundary({in}, {out});
//   std::vector<std::byte> file = builder.Build().value();
//
// It writes what it is told: wrong indices and sizes too, for tests that want
// broken files.
#pragma once

#include <cstddef>
#include <cstdint>
#include <string>
#include <utility>
#include <vector>

#include "stowplan/base/error.h"
#include "stowplan/testing/tensor_spec.h"
#include "stowplan/tflite/options.h"

namespace stowplan::testing {

using tflite::Option;

class ModelBuilder {
 public:
  using Names = std::vector<std::pair<std::string, int32_t>>;

  // A model with one subgraph, which the next calls fill.
  explicit ModelBuilder(std::string description = "stowplan");

  // A further subgraph, which the next calls fill; its index.
  int32_t AddSubgraph(std::string name);
  // Back to an earlier one.
  void Select(int32_t subgraph);

  // The tensor's index in its subgraph.
  int32_t AddTensor(TensorSpec spec);
  // `type` is the name of a builtin operator ("CONV_2D"), options as in the
  // schema; what is left out keeps the schema's default.
  void AddOperator(std::string type, std::vector<int32_t> inputs,
                   std::vector<int32_t> outputs,
                   std::vector<Option> options = {});
  void AddCustomOperator(std::string name, std::vector<int32_t> inputs,
                         std::vector<int32_t> outputs,
                         std::vector<std::byte> options = {});
  // For the operator that was added last.
  void SetIntermediates(std::vector<int32_t> tensors);
  void SetVersion(int32_t version);

  // The inputs and outputs of the subgraph.
  void SetBoundary(std::vector<int32_t> inputs, std::vector<int32_t> outputs);
  // An entry point to the subgraph that is selected.
  void AddSignature(std::string key, Names inputs, Names outputs);
  void AddMetadata(std::string name, std::vector<std::byte> content);

  // The file, the same bytes for the same calls on every machine; an error
  // for an operator or an option that the schema does not have.
  Result<std::vector<std::byte>> Build() const;

 private:
  friend class ModelWriter;

  struct OperatorSpec {
    std::string type;  // Empty for a custom operator.
    std::string custom_name;
    int32_t version = 1;
    std::vector<int32_t> inputs;
    std::vector<int32_t> outputs;
    std::vector<int32_t> intermediates;
    std::vector<Option> options;
    std::vector<std::byte> custom_options;
  };
  struct SubgraphSpec {
    std::string name;
    std::vector<TensorSpec> tensors;
    std::vector<OperatorSpec> operators;
    std::vector<int32_t> inputs;
    std::vector<int32_t> outputs;
  };
  struct SignatureSpec {
    std::string key;
    size_t subgraph;
    Names inputs;
    Names outputs;
  };

  std::string description_;
  std::vector<SubgraphSpec> subgraphs_;
  size_t selected_ = 0;
  std::vector<SignatureSpec> signatures_;
  std::vector<std::pair<std::string, std::vector<std::byte>>> metadata_;
};

}  // namespace stowplan::testing
