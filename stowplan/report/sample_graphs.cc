// SPDX-License-Identifier: Apache-2.0
#include "stowplan/report/sample_graphs.h"

#include <gtest/gtest.h>

#include <algorithm>
#include <array>
#include <numeric>
#include <utility>

#include "stowplan/plan/lower_bound.h"
#include "stowplan/plan/metrics.h"
#include "stowplan/plan/validate.h"

namespace stowplan::report {
namespace {

using graph::OpKind;
using graph::Shape;
using graph::Subgraph;
using graph::SubgraphId;
using graph::TensorId;

std::vector<TensorId> Ids(const std::vector<int>& indices) {
  std::vector<TensorId> ids;
  for (int index : indices) ids.push_back(TensorId(index));
  return ids;
}

void AddTensor(Subgraph* subgraph, std::string name, Shape shape,
               DType dtype = DType::kInt8) {
  graph::Tensor tensor;
  tensor.name = std::move(name);
  tensor.shape = std::move(shape);
  tensor.dtype = dtype;
  subgraph->tensors.push_back(std::move(tensor));
}

graph::Operator& AddOperator(Subgraph* subgraph, std::string name,
                             std::string_view type,
                             const std::vector<int>& inputs,
                             const std::vector<int>& outputs) {
  graph::Operator op;
  op.kind = graph::OpKindFromName(type).value_or(OpKind::kCustom);
  op.type = type;
  op.name = std::move(name);
  op.inputs = Ids(inputs);
  op.outputs = Ids(outputs);
  subgraph->operators.push_back(std::move(op));
  return subgraph->operators.back();
}

Sample MakeSample(std::string name, std::vector<Subgraph> subgraphs) {
  Sample sample;
  sample.name = std::move(name);
  sample.model.subgraphs = std::move(subgraphs);
  sample.source = {sample.name + ".tflite", 4096, true};
  return sample;
}

// Largest first, each at the lowest offset that is free for it.
std::vector<Bytes> LowestFit(const plan::Problem& problem) {
  const auto& buffers = problem.buffers();
  std::vector<size_t> order(buffers.size());
  std::iota(order.begin(), order.end(), size_t{0});
  std::stable_sort(order.begin(), order.end(), [&](size_t a, size_t b) {
    return buffers[a].size > buffers[b].size;
  });
  std::vector<Bytes> offsets(buffers.size(), -1);
  for (size_t i : order) {
    std::vector<std::pair<Bytes, Bytes>> taken;
    for (size_t j = 0; j < buffers.size(); ++j) {
      if (offsets[j] < 0 || !Intersects(buffers[i].live, buffers[j].live)) {
        continue;
      }
      taken.push_back({offsets[j], offsets[j] + buffers[j].size});
    }
    std::sort(taken.begin(), taken.end());
    Bytes at = 0;
    for (const auto& [begin, end] : taken) {
      if (at + buffers[i].size <= begin) break;
      at = std::max(at, end);
    }
    offsets[i] = at;
  }
  return offsets;
}

}  // namespace

Document DocumentOf(const Sample& sample) {
  auto needs = schedule::FindMemoryNeeds(sample.model, sample.rules);
  if (!needs) {
    ADD_FAILURE() << needs.error().ToString();
    return {};
  }
  solve::Outcome outcome;
  outcome.plan.offsets =
      sample.offsets.empty() ? LowestFit(needs->problem) : sample.offsets;
  const auto violation = plan::Validate(needs->problem, outcome.plan);
  EXPECT_FALSE(violation) << violation->ToString();
  outcome.peak = plan::Peak(needs->problem, outcome.plan);
  outcome.lower_bound = plan::LowerBound(needs->problem).bytes;
  outcome.solver = "by_hand";
  outcome.verdict = solve::Verdict::kFeasible;
  if (sample.optimal) {
    outcome.verdict = solve::Verdict::kOptimal;
    if (outcome.peak > outcome.lower_bound) {
      outcome.proof = solve::Proof::kSearch;
      outcome.lower_bound = outcome.peak;
    }
  }
  auto document = Build(sample.model, *needs, outcome, sample.source);
  if (!document) {
    ADD_FAILURE() << document.error().ToString();
    return {};
  }
  return *std::move(document);
}

Sample WorkedExample() {
  Subgraph main;
  AddTensor(&main, "a", {64});
  AddTensor(&main, "b", {128});
  AddTensor(&main, "c", {64});
  AddTensor(&main, "none", {0});
  AddOperator(&main, "", "CUSTOM", {}, {0});
  AddOperator(&main, "", "CONV_2D", {0}, {1});
  AddOperator(&main, "", "CONV_2D", {1}, {2});
  AddOperator(&main, "", "CUSTOM", {2}, {3});
  return MakeSample("worked_example", {main});
}

Sample Pyramid() {
  Subgraph main;
  AddTensor(&main, "img", {1, 640, 640, 3});
  AddTensor(&main, "c1", {1, 320, 320, 16});
  AddTensor(&main, "c2", {1, 160, 160, 32});
  AddTensor(&main, "c3", {1, 80, 80, 64});
  AddTensor(&main, "c4", {1, 40, 40, 128});
  AddTensor(&main, "c5", {1, 20, 20, 256});
  AddTensor(&main, "p5", {1, 20, 20, 64});
  AddTensor(&main, "l4", {1, 40, 40, 64});
  AddTensor(&main, "u5", {1, 40, 40, 64});
  AddTensor(&main, "p4", {1, 40, 40, 64});
  AddTensor(&main, "l3", {1, 80, 80, 64});
  AddTensor(&main, "u4", {1, 80, 80, 64});
  AddTensor(&main, "p3", {1, 80, 80, 64});
  AddTensor(&main, "h3", {1, 80, 80, 64});
  AddTensor(&main, "o3", {1, 6400, 24});
  AddTensor(&main, "h4", {1, 40, 40, 64});
  AddTensor(&main, "o4", {1, 1600, 24});
  AddTensor(&main, "h5", {1, 20, 20, 64});
  AddTensor(&main, "o5", {1, 400, 24});
  main.inputs = Ids({0});
  main.outputs = Ids({14, 16, 18});
  AddOperator(&main, "stem", "CONV_2D", {0}, {1});
  AddOperator(&main, "s2", "CONV_2D", {1}, {2});
  AddOperator(&main, "s3", "CONV_2D", {2}, {3});
  AddOperator(&main, "lat3", "CONV_2D", {3}, {10});
  AddOperator(&main, "s4", "CONV_2D", {3}, {4});
  AddOperator(&main, "lat4", "CONV_2D", {4}, {7});
  AddOperator(&main, "s5", "CONV_2D", {4}, {5});
  AddOperator(&main, "lat5", "CONV_2D", {5}, {6});
  AddOperator(&main, "up5", "RESIZE_NEAREST_NEIGHBOR", {6}, {8});
  AddOperator(&main, "add4", "ADD", {7, 8}, {9});
  AddOperator(&main, "up4", "RESIZE_NEAREST_NEIGHBOR", {9}, {11});
  AddOperator(&main, "add3", "ADD", {10, 11}, {12});
  AddOperator(&main, "head3", "CONV_2D", {12}, {13});
  AddOperator(&main, "head4", "CONV_2D", {9}, {15});
  AddOperator(&main, "head5", "CONV_2D", {6}, {17});
  AddOperator(&main, "out3", "CONV_2D", {13}, {14});
  AddOperator(&main, "out4", "CONV_2D", {15}, {16});
  AddOperator(&main, "out5", "CONV_2D", {17}, {18});
  return MakeSample("pyramid", {main});
}

Sample Branches() {
  Subgraph main;
  AddTensor(&main, "x", {1, 32, 32, 3});
  AddTensor(&main, "a", {1, 32, 32, 8});
  AddTensor(&main, "skip", {1, 32, 32, 8});
  AddTensor(&main, "cond", {1});
  AddTensor(&main, "b", {1, 32, 32, 8});
  AddTensor(&main, "y", {1, 32, 32, 8});
  main.inputs = Ids({0});
  main.outputs = Ids({5});
  AddOperator(&main, "m0", "CONV_2D", {0}, {1});
  AddOperator(&main, "m1", "CONV_2D", {0}, {2});
  AddOperator(&main, "m2", "REDUCE_ANY", {1}, {3});
  AddOperator(&main, "m3", "IF", {3, 1}, {4}).callees = {SubgraphId(1),
                                                         SubgraphId(2)};
  AddOperator(&main, "m4", "ADD", {4, 2}, {5});
  Subgraph then;
  AddTensor(&then, "ti", {1, 32, 32, 8});
  AddTensor(&then, "t1", {1, 32, 32, 32});
  AddTensor(&then, "to", {1, 32, 32, 8});
  then.inputs = Ids({0});
  then.outputs = Ids({2});
  AddOperator(&then, "tc1", "CONV_2D", {0}, {1});
  AddOperator(&then, "tc2", "CONV_2D", {1}, {2});
  Subgraph other;
  AddTensor(&other, "ei", {1, 32, 32, 8});
  AddTensor(&other, "e1", {1, 16, 16, 16});
  AddTensor(&other, "eo", {1, 32, 32, 8});
  other.inputs = Ids({0});
  other.outputs = Ids({2});
  AddOperator(&other, "ec1", "CONV_2D", {0}, {1});
  AddOperator(&other, "ec2", "RESIZE_BILINEAR", {1}, {2});
  return MakeSample("branches", {main, then, other});
}

Sample GapProved() {
  constexpr std::array<int64_t, 10> kSizes = {24576, 81920, 49152, 57344, 57344,
                                              90112, 40960, 24576, 16384, 8192};
  Subgraph main;
  for (size_t i = 0; i < kSizes.size(); ++i) {
    AddTensor(&main, "t" + std::to_string(i), {kSizes[i]});
  }
  const std::vector<std::pair<std::vector<int>, std::vector<int>>> kOps = {
      {{}, {1, 2}}, {{1}, {8}},       {{8}, {6, 7}}, {{2}, {4}},
      {{4}, {9}},   {{6, 7, 9}, {5}}, {{5}, {0, 3}}, {{0, 3}, {}}};
  for (size_t i = 0; i < kOps.size(); ++i) {
    AddOperator(&main, "op" + std::to_string(i), "CUSTOM", kOps[i].first,
                kOps[i].second);
  }
  Sample sample = MakeSample("gap_proved", {main});
  sample.offsets = {0,     90112,  24576, 114688, 73728,
                    24576, 139264, 0,     73728,  131072};
  return sample;
}

Sample GapOpen() {
  Sample sample = GapProved();
  sample.name = "gap_open";
  sample.offsets.clear();
  sample.optimal = false;
  return sample;
}

Sample BreadthFirst() {
  Subgraph main;
  AddTensor(&main, "stem", {1, 32, 32, 64});
  AddTensor(&main, "E1", {1, 32, 32, 256});
  AddTensor(&main, "E2", {1, 32, 32, 256});
  AddTensor(&main, "R1", {1, 32, 32, 16});
  AddTensor(&main, "R2", {1, 32, 32, 16});
  AddTensor(&main, "sum", {1, 32, 32, 16});
  main.inputs = Ids({0});
  main.outputs = Ids({5});
  AddOperator(&main, "expand_1", "CONV_2D", {0}, {1});
  AddOperator(&main, "expand_2", "CONV_2D", {0}, {2});
  AddOperator(&main, "reduce_1", "CONV_2D", {1}, {3});
  AddOperator(&main, "reduce_2", "CONV_2D", {2}, {4});
  AddOperator(&main, "add", "ADD", {3, 4}, {5});
  return MakeSample("breadth_first", {main});
}

Sample Mixture() {
  static constexpr std::array<std::byte, 4608> kWeights{};
  Subgraph main;
  AddTensor(&main, "x", {1, 16, 16, 8});
  AddTensor(&main, "weights", {8, 3, 3, 64});
  AddTensor(&main, "state", {1, 64}, DType::kFloat32);
  AddTensor(&main, "a", {1, 16, 16, 8});
  AddTensor(&main, "b", {256, 8});
  AddTensor(&main, "c", {256, 8});
  AddTensor(&main, "d", {256, 8});
  AddTensor(&main, "boxes", {graph::kUnknownDim, 4}, DType::kFloat32);
  AddTensor(&main, "words", {1}, DType::kString);
  AddTensor(&main, "unused", {12});
  main.tensors[1].constant = true;
  main.tensors[1].data = kWeights;
  main.tensors[2].variable = true;
  main.inputs = Ids({0});
  main.outputs = Ids({6, 7, 8});
  AddOperator(&main, "", "CONV_2D", {0, 1}, {3}).scratch = 3000;
  AddOperator(&main, "", "RESHAPE", {3}, {4});
  AddOperator(&main, "", "LOGISTIC", {4}, {5});
  AddOperator(&main, "", "ADD", {4, 5}, {6});
  AddOperator(&main, "", "NON_MAX_SUPPRESSION_V4", {6}, {7});
  AddOperator(&main, "", "MyTokenizer", {2}, {8});
  return MakeSample("mixture", {main});
}

Sample HostileNames() {
  Subgraph main;
  AddTensor(&main, "</title><script>alert(\"1\")</script>", {100});
  AddTensor(&main, "quote\" comma, and\nline", {200});
  AddTensor(&main, "no\xFF utf\xC3", {50});
  AddTensor(&main,
            "escape \x1b[31m gr\xC3\xBC\xC3\x9F"
            "e",
            {30});
  main.inputs = Ids({0});
  main.outputs = Ids({3});
  AddOperator(&main, "<b>\"&'", "My<Op>", {0}, {1});
  AddOperator(&main, "", "CONV_2D", {1}, {2});
  AddOperator(&main, "", "CONV_2D", {2}, {3});
  Sample sample = MakeSample("hostile_names", {main});
  sample.source.path = "dir/<a>\"b\"\x01.tflite";
  sample.source.mapped = false;
  return sample;
}

Sample Nothing() {
  Sample sample = MakeSample("nothing", {Subgraph()});
  sample.source.bytes = 0;
  return sample;
}

Sample LongChain(size_t operators) {
  static constexpr std::array<std::byte, 16384> kWeights{};
  constexpr std::array<std::string_view, 6> kTypes = {
      "CONV_2D", "DEPTHWISE_CONV_2D", "ADD", "MUL", "TRANSPOSE", "MEAN"};
  Subgraph main;
  AddTensor(&main, "input", {1, 64, 64, 16});
  uint32_t seed = 1;
  for (size_t i = 0; i < operators; ++i) {
    seed = seed * 1664525u + 1013904223u;
    const int64_t side = 8 + (seed >> 24) % 57;
    AddTensor(
        &main,
        "model/block_" + std::to_string(i / 12) + "/value_" + std::to_string(i),
        {1, side, side, 16});
    const int last = static_cast<int>(i);
    const int skip = std::max(0, last - static_cast<int>((seed >> 16) % 9));
    AddOperator(&main, "", kTypes[(seed >> 20) % kTypes.size()], {last, skip},
                {last + 1});
  }
  for (size_t i = 0; i < operators / 4; ++i) {
    AddTensor(&main, "weights_" + std::to_string(i), {16, 3, 3, 16});
    main.tensors.back().constant = true;
    main.tensors.back().data = {kWeights.data() + i % 64, 2304};
  }
  main.inputs = Ids({0});
  main.outputs = Ids({static_cast<int>(operators)});
  return MakeSample("long_chain", {main});
}

std::vector<Sample> AllSamples() {
  return {WorkedExample(), Pyramid(), Branches(),     GapProved(), GapOpen(),
          BreadthFirst(),  Mixture(), HostileNames(), Nothing()};
}

}  // namespace stowplan::report
