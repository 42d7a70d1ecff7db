// SPDX-License-Identifier: Apache-2.0
//
// Writes models whose plan in LiteRT is unsound, and some whose plan is sound,
// each with the places that our model of LiteRT predicts; litert_wheel_test.py
// runs them in the real engine.
//
//   hazard_files FOLDER UNSOUND SOUND
#include <algorithm>
#include <cstdint>
#include <cstdlib>
#include <fstream>
#include <iostream>
#include <string>
#include <vector>

#include "stowplan/engines/litert.h"
#include "stowplan/engines/replay.h"
#include "stowplan/testing/model_builder.h"
#include "tests/model_files.h"
#include "tests/random_graph.h"

namespace stowplan {
namespace {

using graph::OpKind;
using testing::ElementType;
using testing::ModelBuilder;
using File = std::vector<std::byte>;

// Constants for the builders below.
int32_t Floats(ModelBuilder* m, const char* name, std::vector<float> values) {
  return m->AddTensor({.name = name,
                       .shape = {static_cast<int32_t>(values.size())},
                       .data = testing::BytesOf<float>(values)});
}
int32_t Dimensions(ModelBuilder* m, const char* name,
                   std::vector<int32_t> dims) {
  return m->AddTensor({.name = name,
                       .type = ElementType::INT32,
                       .shape = {static_cast<int32_t>(dims.size())},
                       .data = testing::BytesOf<int32_t>(dims)});
}

// a = |x|, seen as b and as c; d = c * 3; e = d + b: 8 for x = 2.
Result<File> ViewChain(bool chain) {
  ModelBuilder m(chain ? "view chain" : "control");
  const int32_t x = m.AddTensor({.name = "x", .shape = {1, 8, 8, 16}});
  const int32_t a = m.AddTensor({.name = "a", .shape = {1, 8, 8, 16}});
  const int32_t b = m.AddTensor({.name = "b", .shape = {1, 64, 16}});
  const int32_t c = m.AddTensor({.name = "c", .shape = {64, 16}});
  const std::vector<int32_t> like =
      chain ? std::vector<int32_t>{64, 16} : std::vector<int32_t>{1, 64, 16};
  const int32_t d = m.AddTensor({.name = "d", .shape = like});
  const int32_t e = m.AddTensor({.name = "e", .shape = {1, 64, 16}});
  m.AddOperator("ABS", {x}, {a});
  m.AddOperator("RESHAPE", {a, Dimensions(&m, "shape_b", {1, 64, 16})}, {b});
  if (chain) {
    m.AddOperator("RESHAPE", {b, Dimensions(&m, "shape_c", {64, 16})}, {c});
  }
  m.AddOperator("MUL", {chain ? c : b, Floats(&m, "k", {3})}, {d});
  m.AddOperator("ADD", {d, b}, {e});
  m.SetBoundary({x}, {e});
  return m.Build();
}

// A skip connection around a normalisation by channel that works on a matrix:
// c = |x| + 1; y = reshape(reshape(c) * 2) + c: 9 for x = 2.
Result<File> SkippedNormalisation() {
  ModelBuilder m("skipped normalisation");
  const std::vector<int32_t> image = {1, 8, 8, 16}, matrix = {64, 16};
  const int32_t x = m.AddTensor({.name = "x", .shape = image});
  const int32_t a = m.AddTensor({.name = "a", .shape = image});
  const int32_t c = m.AddTensor({.name = "c", .shape = image});
  const int32_t d = m.AddTensor({.name = "d", .shape = matrix});
  const int32_t e = m.AddTensor({.name = "e", .shape = matrix});
  const int32_t f = m.AddTensor({.name = "f", .shape = image});
  const int32_t y = m.AddTensor({.name = "y", .shape = image});
  const std::vector<float> ones(16, 1), twos(16, 2);
  m.AddOperator("ABS", {x}, {a});
  m.AddOperator("ADD", {a, Floats(&m, "bias", ones)}, {c});
  m.AddOperator("RESHAPE", {c, Dimensions(&m, "to_matrix", matrix)}, {d});
  m.AddOperator("MUL", {d, Floats(&m, "gain", twos)}, {e});
  m.AddOperator("RESHAPE", {e, Dimensions(&m, "to_image", image)}, {f});
  m.AddOperator("ADD", {f, c}, {y});
  m.SetBoundary({x}, {y});
  return m.Build();
}

// The random graph with operators that the engine runs on such shapes and
// shares no bytes for.
Result<File> FileOf(const graph::Model& model) {
  const graph::Subgraph& main = model.subgraphs[0];
  ModelBuilder m("random");
  for (const graph::Tensor& tensor : main.tensors) {
    m.AddTensor({.name = tensor.name,
                 .shape = {1, static_cast<int32_t>((*tensor.shape)[1])}});
  }
  const auto ids = [](const std::vector<graph::TensorId>& list) {
    std::vector<int32_t> values;
    for (graph::TensorId id : list) values.push_back(id.value());
    return values;
  };
  for (const graph::Operator& op : main.operators) {
    std::string type = op.type;
    std::vector<int32_t> inputs = ids(op.inputs);
    if (op.kind == OpKind::kL2Pool2d) type = "LOGISTIC";
    if (op.kind == OpKind::kReverseV2) type = "SIN";
    if (op.kind == OpKind::kReshape) {
      const auto& shape = *main.tensor(op.outputs[0]).shape;
      inputs.push_back(m.AddTensor({.name = "shape",
                                    .type = ElementType::INT32,
                                    .shape = {2},
                                    .data = testing::BytesOf<int32_t>(
                                        {1, static_cast<int32_t>(shape[1])})}));
    }
    m.AddOperator(type, inputs, ids(op.outputs));
  }
  m.SetBoundary(ids(main.inputs), ids(main.outputs));
  return m.Build();
}

// False if the file cannot be made or read.
bool Write(const std::string& path, const Result<File>& file) {
  if (!file) return false;
  const auto model = ModelOfBytes(*file);
  if (!model) return false;
  const auto layout = engines::PlanLiteRt(*model);
  if (!layout) return false;
  std::ofstream out(path + ".tflite", std::ios::binary);
  out.write(reinterpret_cast<const char*>(file->data()),
            static_cast<std::streamsize>(file->size()));
  std::ofstream plan(path + ".plan");
  plan << (engines::ReplayPlan(*model, *layout).ok() ? "sound\n" : "unsound\n");
  for (const engines::Piece& piece : layout->pieces) {
    if (!piece.offset || !piece.tensor.tensor.valid()) continue;
    plan << piece.tensor.tensor.value() << " " << *piece.offset << " "
         << piece.bytes << "\n";
  }
  return out.good() && plan.good();
}

bool IsSound(const graph::Model& model) {
  const auto layout = engines::PlanLiteRt(model);
  return layout && engines::ReplayPlan(model, *layout).ok();
}

bool WriteAll(const std::string& folder, int unsound, int sound) {
  bool good = Write(folder + "/case_03", ViewChain(true)) &&
              Write(folder + "/case_03_control", ViewChain(false)) &&
              Write(folder + "/skipped_norm", SkippedNormalisation());
  RandomGraphOptions options;
  for (uint64_t seed = 0; good && (unsound > 0 || sound > 0); ++seed) {
    options.operators = 6 + static_cast<int>(seed % 5);
    const graph::Model model = RandomGraph(seed, options);
    int& wanted = IsSound(model) ? sound : unsound;
    if (wanted-- <= 0) continue;
    good = Write(folder + "/random_" + std::to_string(seed), FileOf(model));
  }
  return good;
}

}  // namespace
}  // namespace stowplan

int main(int argc, char** argv) {
  if (argc != 4) {
    std::cerr << "usage: hazard_files FOLDER UNSOUND SOUND\n";
    return 2;
  }
  return stowplan::WriteAll(argv[1], std::atoi(argv[2]), std::atoi(argv[3]))
             ? 0
             : 3;
}
