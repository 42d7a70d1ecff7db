// SPDX-License-Identifier: Apache-2.0
//
// The model of LiteRT against the addresses that ai-edge-litert 2.3.0 gave to
// the tensors of the public models: every tensor's offset and size, and those
// of the temporaries that kernels add.
#include <algorithm>
#include <cstdlib>
#include <filesystem>
#include <iostream>
#include <map>
#include <optional>
#include <set>
#include <string>
#include <vector>

#include "gtest/gtest.h"
#include "nlohmann/json.hpp"
#include "stowplan/engines/litert.h"
#include "tests/model_files.h"
#include "tests/shared.h"

namespace stowplan {
namespace {

using engines::Layout;
using engines::Owner;
using engines::Piece;
using engines::Region;
using nlohmann::json;

struct Address {
  Bytes address = 0;
  Bytes bytes = 0;
};

// By LiteRT's number of the tensor.
std::map<int32_t, Address> HeapOf(const json& golden) {
  std::map<int32_t, Address> heap;
  for (const json& row : golden.at("heap")) {
    heap[row.at(0)] = {row.at(1), row.at(2)};
  }
  return heap;
}

// The view that Python gives of a scalar is a copy, whose address says nothing
// about the tensor; an empty tensor has no bytes to lie anywhere.
bool IsMeasurable(const graph::Model& model, const Piece& piece) {
  if (piece.bytes == 0) return false;
  if (!piece.tensor.tensor.valid()) return true;
  const auto& shape =
      model.subgraph(piece.tensor.subgraph).tensor(piece.tensor.tensor).shape;
  return shape.has_value() && !shape->empty();
}

int32_t NumberOf(const Piece& piece) {
  return piece.tensor.tensor.valid() ? piece.tensor.tensor.value()
                                     : piece.engine_index.value_or(-1);
}

// The start of a region is not known: it is the most frequent difference.
std::optional<Bytes> BaseOf(const std::vector<const Piece*>& pieces,
                            const std::map<int32_t, Address>& heap) {
  std::map<Bytes, int> votes;
  for (const Piece* piece : pieces) {
    const auto real = heap.find(NumberOf(*piece));
    if (real != heap.end()) ++votes[real->second.address - *piece->offset];
  }
  const auto most = std::max_element(
      votes.begin(), votes.end(),
      [](const auto& a, const auto& b) { return a.second < b.second; });
  if (most == votes.end()) return std::nullopt;
  return most->first;
}

std::string Difference(const Piece& piece, const std::string& what) {
  return "tensor " + std::to_string(NumberOf(piece)) + " (" +
         std::string(engines::NameOf(piece.owner)) +
         (piece.label.empty() ? "" : ", " + piece.label) + "): " + what;
}

// One sentence for each tensor that is not where it really is.
std::vector<std::string> Compare(const graph::Model& model,
                                 const Layout& layout, const json& golden,
                                 size_t* compared) {
  std::vector<std::string> differences;
  const auto heap = HeapOf(golden);
  std::set<int32_t> predicted;
  for (size_t region = 0; region < layout.regions.size(); ++region) {
    if (layout.regions[region].subgraph != graph::SubgraphId(0)) continue;
    std::vector<const Piece*> pieces;
    for (const Piece& piece : layout.pieces) {
      // What a run places later has no address yet.
      const bool of_main = piece.tensor.tensor.valid()
                               ? piece.tensor.subgraph == graph::SubgraphId(0)
                               : piece.op.subgraph == graph::SubgraphId(0);
      if (piece.region != region || !piece.offset || !of_main ||
          piece.phases.begin > 0) {
        continue;
      }
      predicted.insert(NumberOf(piece));
      if (IsMeasurable(model, piece)) pieces.push_back(&piece);
    }
    const auto base = BaseOf(pieces, heap);
    for (const Piece* piece : pieces) {
      ++*compared;
      const auto real = heap.find(NumberOf(*piece));
      if (real == heap.end()) {
        differences.push_back(Difference(*piece, "has no address in truth"));
      } else if (real->second.address != *base + *piece->offset) {
        differences.push_back(Difference(
            *piece, "is predicted at " + std::to_string(*piece->offset) +
                        " and is at " +
                        std::to_string(real->second.address - *base)));
      } else if (real->second.bytes != piece->bytes) {
        differences.push_back(Difference(
            *piece, "is predicted with " + std::to_string(piece->bytes) +
                        " bytes and has " +
                        std::to_string(real->second.bytes)));
      }
    }
  }
  // A kernel's own blocks on the heap have sizes only.
  for (const Piece& piece : layout.pieces) {
    if (layout.regions[piece.region].kind != Region::Kind::kHeap ||
        !piece.engine_index || piece.op.subgraph != graph::SubgraphId(0)) {
      continue;
    }
    predicted.insert(*piece.engine_index);
    const auto real = heap.find(*piece.engine_index);
    if (real == heap.end() || real->second.bytes == piece.bytes) continue;
    differences.push_back(Difference(
        piece, "on the heap has " + std::to_string(real->second.bytes) +
                   " bytes, predicted are " + std::to_string(piece.bytes)));
  }
  for (const json& row : golden.at("added_by_kernels")) {
    const int32_t number = row.at("tensor");
    const auto real = heap.find(number);
    if (number < static_cast<int32_t>(model.subgraphs[0].tensors.size()) ||
        real == heap.end() || real->second.bytes == 0 ||
        predicted.count(number) > 0) {
      continue;
    }
    differences.push_back("temporary " + std::to_string(number) +
                          " is not predicted");
  }
  return differences;
}

TEST(LiteRtGoldenTest, EveryTensorLiesWhereTheRealEnginePutsIt) {
  const auto folder = SharedFolder() / "goldens" / "litert" / "layouts";
  STOWPLAN_SKIP_WITHOUT(folder);
  const auto models = SharedModels();
  size_t files = 0, equal = 0, compared = 0;
  for (const auto& entry : std::filesystem::directory_iterator(folder)) {
    const std::string name = entry.path().stem().string();
    const auto file = models.find(name);
    if (file == models.end()) continue;
    ++files;
    const json golden = json::parse(ReadWholeFile(entry.path()));
    const auto model = ModelOfFile(file->second);
    ASSERT_TRUE(model.has_value()) << name << ": " << model.error().ToString();
    const auto layout = engines::PlanLiteRt(*model);
    ASSERT_TRUE(layout.has_value()) << name << layout.error().ToString();
    const auto differences = Compare(*model, *layout, golden, &compared);
    if (differences.empty()) {
      ++equal;
      continue;
    }
    std::cout << name << ": " << differences.size() << " differences; "
              << differences.front() << "\n";
    ADD_FAILURE() << name << " differs";
  }
  std::cout << equal << " of " << files << " files equal, " << compared
            << " tensors compared\n";
  EXPECT_GT(files, 0u);
  EXPECT_GE(equal * 100, files * 95);
}

}  // namespace
}  // namespace stowplan
