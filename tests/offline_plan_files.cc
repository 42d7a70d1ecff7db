// SPDX-License-Identifier: Apache-2.0
//
// Writes models that bring a plan for TFLM in their metadata, for cli_test.py.
//
//   offline_plan_files FOLDER
#include <cstddef>
#include <cstdint>
#include <fstream>
#include <iostream>
#include <string>
#include <vector>

#include "stowplan/testing/model_builder.h"

namespace stowplan {
namespace {

// x, h = |x|, y = h + x of 64 bytes each, where `offsets` puts them.
bool Write(const std::string& path, const std::vector<int32_t>& offsets) {
  testing::ModelBuilder m("offline plan");
  const int32_t x = m.AddTensor({.name = "x", .shape = {16}});
  const int32_t h = m.AddTensor({.name = "h", .shape = {16}});
  const int32_t y = m.AddTensor({.name = "y", .shape = {16}});
  m.AddOperator("ABS", {x}, {h});
  m.AddOperator("ADD", {h, x}, {y});
  m.SetBoundary({x}, {y});
  std::vector<int32_t> words = {1, 1, static_cast<int32_t>(offsets.size())};
  words.insert(words.end(), offsets.begin(), offsets.end());
  m.AddMetadata("OfflineMemoryAllocation", testing::BytesOf<int32_t>(words));
  const auto file = m.Build();
  if (!file) {
    std::cerr << path << ": " << file.error().ToString() << "\n";
    return false;
  }
  std::ofstream out(path, std::ios::binary);
  out.write(reinterpret_cast<const char*>(file->data()),
            static_cast<std::streamsize>(file->size()));
  return out.good();
}

}  // namespace
}  // namespace stowplan

int main(int argc, char** argv) {
  if (argc != 2) {
    std::cerr << "usage: offline_plan_files FOLDER\n";
    return 2;
  }
  const std::string folder = argv[1];
  const bool written =
      stowplan::Write(folder + "/sound.tflite", {0, 64, 128}) &&
      // h over x, which ADD still reads.
      stowplan::Write(folder + "/unsound.tflite", {0, 0, 128});
  return written ? 0 : 1;
}
