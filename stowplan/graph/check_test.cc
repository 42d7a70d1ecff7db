// SPDX-License-Identifier: Apache-2.0
#include "stowplan/graph/check.h"

#include "gtest/gtest.h"

namespace stowplan::graph {
namespace {

std::vector<TensorId> Ids(std::initializer_list<int32_t> values) {
  std::vector<TensorId> ids;
  for (int32_t value : values) {
    ids.push_back(value < 0 ? TensorId() : TensorId(value));
  }
  return ids;
}

Operator Op(OpKind kind, std::initializer_list<int32_t> inputs,
            std::initializer_list<int32_t> outputs) {
  Operator op;
  op.kind = kind;
  op.type = TraitsOf(kind).name;
  op.inputs = Ids(inputs);
  op.outputs = Ids(outputs);
  return op;
}

// x -> RELU -> a -> RELU -> y
Model Chain() {
  Model model;
  Subgraph& subgraph = model.subgraphs.emplace_back();
  for (const char* name : {"x", "a", "y"}) {
    Tensor& tensor = subgraph.tensors.emplace_back();
    tensor.name = name;
    tensor.shape = {4};
  }
  subgraph.inputs = Ids({0});
  subgraph.outputs = Ids({2});
  subgraph.operators = {Op(OpKind::kRelu, {0}, {1}),
                        Op(OpKind::kRelu, {1}, {2})};
  return model;
}

std::string FaultOf(const Model& model) {
  const Status status = CheckModel(model);
  return status ? "none" : status.error().ToString();
}

// The chain, called by an operator of that kind from a subgraph before it.
Model Caller(OpKind kind, int callees) {
  Model model = Chain();
  model.subgraphs.push_back(model.subgraphs[0]);
  Subgraph& main = model.subgraphs[0];
  main.operators = {Op(kind, {0}, {1})};
  for (int i = 0; i < callees; ++i) {
    main.operators[0].callees.push_back(SubgraphId(1));
  }
  return model;
}

TEST(CheckModelTest, AcceptsAChainAndNoSubgraph) {
  EXPECT_EQ(FaultOf(Chain()), "none");
  EXPECT_EQ(FaultOf(Model()), "none");
}

TEST(CheckModelTest, RefusesIdsThatNameNothing) {
  Model model = Chain();
  model.subgraphs[0].operators[1].inputs = Ids({0, 3});
  EXPECT_EQ(FaultOf(model),
            "operator 1 (RELU), inputs[1]: 3 names no tensor; there are 3");
  model = Chain();
  model.subgraphs[0].operators[1].outputs = Ids({-1});
  EXPECT_EQ(FaultOf(model),
            "operator 1 (RELU), outputs[0]: -1 names no tensor; there are 3");
  model = Chain();
  model.subgraphs[0].outputs = Ids({9});
  EXPECT_EQ(FaultOf(model), "outputs[0]: 9 names no tensor; there are 3");
  model = Chain();
  model.subgraphs[0].operators[0].intermediates = Ids({-1, 5});
  EXPECT_EQ(FaultOf(model),
            "operator 0 (RELU), intermediates[1]: 5 names no tensor; "
            "there are 3");
}

TEST(CheckModelTest, AcceptsInputsLeftOut) {
  Model model = Chain();
  model.subgraphs[0].operators[1].inputs = Ids({1, -1});
  model.subgraphs[0].operators[1].intermediates = Ids({-1});
  EXPECT_EQ(FaultOf(model), "none");
}

TEST(CheckModelTest, RefusesATensorThatIsWrittenTwice) {
  Model model = Chain();
  model.subgraphs[0].operators[1].outputs = Ids({1});
  EXPECT_EQ(FaultOf(model),
            "operator 1 (RELU), outputs[0]: tensor 1 (a) is written by "
            "operator 0 already; every operator writes tensors of its own");
  model = Chain();
  model.subgraphs[0].operators[1].outputs = Ids({2, 2});
  EXPECT_EQ(FaultOf(model),
            "operator 1 (RELU), outputs[1]: tensor 2 (y) is written by "
            "operator 1 already; every operator writes tensors of its own");
}

TEST(CheckModelTest, RefusesWritesToConstantsAndInputs) {
  Model model = Chain();
  model.subgraphs[0].tensors[1].constant = true;
  EXPECT_EQ(FaultOf(model),
            "operator 0 (RELU), outputs[0]: tensor 1 (a) is constant; every "
            "operator writes tensors of its own");
  model = Chain();
  model.subgraphs[0].inputs = Ids({0, 1});
  EXPECT_EQ(FaultOf(model),
            "operator 0 (RELU), outputs[0]: tensor 1 (a) is an input of the "
            "subgraph; every operator writes tensors of its own");
}

TEST(CheckModelTest, RefusesAReaderBeforeTheWriter) {
  Model model = Chain();
  std::swap(model.subgraphs[0].operators[0], model.subgraphs[0].operators[1]);
  EXPECT_EQ(FaultOf(model),
            "operator 0 (RELU), inputs[0]: tensor 1 (a) is written by operator "
            "1 only; list operators in the order in which they run");
  model.subgraphs[0].tensors[1].variable = true;
  EXPECT_EQ(FaultOf(model), "none") << "a state of the run before";
}

TEST(CheckModelTest, RefusesAnOperatorThatReadsItsOwnOutput) {
  Model model = Chain();
  model.subgraphs[0].operators[1].inputs = Ids({2});
  EXPECT_NE(FaultOf(model), "none");
}

TEST(CheckModelTest, RefusesBadSizes) {
  Model model = Chain();
  model.subgraphs[0].tensors[1].shape = {4, -2};
  EXPECT_EQ(FaultOf(model),
            "tensor 1 (a), shape[1]: -2 is no dimension; use -1 for one that "
            "is not known");
  model.subgraphs[0].tensors[1].shape = {int64_t{1} << 62, 2};
  EXPECT_EQ(FaultOf(model),
            "tensor 1 (a), shape: the size in bytes does not fit in 64 bits");
  model.subgraphs[0].tensors[1].shape = {-1, 2};
  EXPECT_EQ(FaultOf(model), "none");
  model.subgraphs[0].tensors[1].bytes = -1;
  EXPECT_EQ(FaultOf(model),
            "tensor 1 (a), bytes: is negative; a size is at least 0");
  model = Chain();
  model.subgraphs[0].operators[0].scratch = -64;
  EXPECT_EQ(FaultOf(model),
            "operator 0 (RELU), scratch: is negative; a size is at least 0");
  model = Chain();
  model.alignment = 48;
  EXPECT_EQ(FaultOf(model),
            "alignment: 48 is no power of two; use 1, 2, 4, ..., 64, ...");
}

TEST(CheckModelTest, RefusesAClaimOnAnInputThatIsNotThere) {
  Model model = Chain();
  InPlaceClaim claim{InPlaceClaim::Kind::kOverwrite, 1};
  model.subgraphs[0].operators[0].in_place = claim;
  EXPECT_EQ(FaultOf(model),
            "operator 0 (RELU), inplace: claims to share input 1 with its "
            "output, but has 1 input and 1 output");
  claim.kind = InPlaceClaim::Kind::kNone;
  model.subgraphs[0].operators[0].in_place = claim;
  EXPECT_EQ(FaultOf(model), "none");
}

TEST(CheckModelTest, CountsTheCalleesOfACaller) {
  EXPECT_EQ(FaultOf(Caller(OpKind::kCall, 1)), "none");
  EXPECT_EQ(FaultOf(Caller(OpKind::kWhile, 2)), "none");
  EXPECT_EQ(FaultOf(Caller(OpKind::kWhile, 1)),
            "subgraph 0, operator 0 (WHILE), calls: a WHILE calls 2 subgraphs, "
            "not 1; name the subgraphs it calls");
  EXPECT_EQ(FaultOf(Caller(OpKind::kIf, 2)),
            "subgraph 0, operator 0 (IF), calls[0]: is handed 0 operands but "
            "has 1 input");
  Model model = Caller(OpKind::kCall, 1);
  model.subgraphs[1].outputs = Ids({1, 2});
  EXPECT_EQ(FaultOf(model),
            "subgraph 0, operator 0 (CALL), calls[0]: is asked for 1 result "
            "but has 2 outputs");
  model.subgraphs[0].operators[0].callees = {SubgraphId(7)};
  EXPECT_EQ(FaultOf(model),
            "subgraph 0, operator 0 (CALL), calls[0]: 7 names no subgraph; "
            "there are 2");
}

TEST(CheckModelTest, RefusesASubgraphThatCallsItself) {
  Model model = Caller(OpKind::kCall, 1);
  model.subgraphs[1].operators[1] = model.subgraphs[0].operators[0];
  model.subgraphs[1].operators[1].outputs = Ids({2});
  EXPECT_EQ(FaultOf(model),
            "subgraph 1, operator 1 (CALL), calls[0]: calls itself, directly "
            "or through the subgraphs it calls; let subgraphs call only "
            "subgraphs that do not lead back");
}

TEST(CheckModelTest, LimitsTheDepthOfCalls) {
  const auto nested = [](int depth, bool backwards) {
    Model model;
    model.subgraphs.resize(static_cast<size_t>(depth) + 1);
    for (int i = 0; i < depth; ++i) {
      Operator call = Op(OpKind::kCallOnce, {}, {});
      call.callees = {SubgraphId(backwards ? depth - i - 1 : i + 1)};
      model.subgraphs[static_cast<size_t>(backwards ? depth - i : i)]
          .operators.push_back(call);
    }
    return model;
  };
  EXPECT_EQ(FaultOf(nested(kMaxCallDepth, false)), "none");
  EXPECT_EQ(FaultOf(nested(kMaxCallDepth, true)), "none");
  EXPECT_NE(FaultOf(nested(kMaxCallDepth + 1, false)), "none");
  EXPECT_NE(FaultOf(nested(kMaxCallDepth + 1, true)), "none");
  EXPECT_NE(FaultOf(nested(100000, false)), "none");
}

TEST(CheckModelTest, RefusesSignaturesOfNothing) {
  Model model = Chain();
  model.signatures.push_back(
      {"run", SubgraphId(0), {{"x", TensorId(0)}}, {{"y", TensorId(2)}}});
  EXPECT_EQ(FaultOf(model), "none");
  model.signatures[0].outputs[0].tensor = TensorId(3);
  EXPECT_EQ(FaultOf(model),
            "signature 0 (run), outputs[0]: 3 names no tensor; there are 3");
  model.signatures[0].subgraph = SubgraphId(1);
  EXPECT_EQ(FaultOf(model), "signature 0 (run), subgraph: names no subgraph");
}

}  // namespace
}  // namespace stowplan::graph
