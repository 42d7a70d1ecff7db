// SPDX-License-Identifier: Apache-2.0
//
// Real model files, whole and damaged: every one is read, or there is one
// error with a place and a remedy, in bounded memory. Each file is cut at 100
// places and has 1,000 single bits flipped when STOWPLAN_FULL_CORPUS is set;
// the default run takes a part of that, spread the same way.
#include <algorithm>
#include <cstdint>
#include <cstdlib>
#include <filesystem>
#include <memory>
#include <random>
#include <string>
#include <string_view>
#include <utility>
#include <vector>

#include "gtest/gtest.h"
#include "stowplan/model/import.h"
#include "tests/heap_meter.h"
#include "tests/shared.h"

namespace stowplan {
namespace {

using File = std::vector<std::byte>;

// Broken or empty by design; the engine refuses them too.
constexpr std::string_view kRefused[] = {"0_subgraphs.tflite",
                                         "add_shared_tensors.tflite"};
constexpr size_t kFiles = 118;

std::vector<std::filesystem::path> Corpus() {
  std::vector<std::filesystem::path> files;
  const auto folder = SharedFolder() / "models";
  if (!std::filesystem::exists(folder)) return files;
  for (const auto& entry :
       std::filesystem::recursive_directory_iterator(folder)) {
    if (entry.path().extension() == ".tflite") files.push_back(entry.path());
  }
  std::sort(files.begin(), files.end());
  return files;
}

File Load(const std::filesystem::path& path) {
  const std::string text = ReadWholeFile(path);
  const auto* begin = reinterpret_cast<const std::byte*>(text.data());
  return {begin, begin + text.size()};
}

bool Full() { return std::getenv("STOWPLAN_FULL_CORPUS") != nullptr; }

Result<graph::Model> Import(std::span<const std::byte> file) {
  const auto view = tflite::ModelView::Open(file);
  if (!view) return tl::unexpected(view.error());
  return model::Import(*view);
}

class CorpusDamageTest : public ::testing::Test {
 protected:
  void SetUp() override {
    if (Corpus().empty()) {
      GTEST_SKIP() << "there are no shared models; set STOWPLAN_SHARED";
    }
  }

  // Reads it and checks what every reading owes.
  bool Reads(std::span<const std::byte> file, const std::string& what) {
    ResetHeapPeak();
    const size_t before = HeapInUse();
    const auto model = Import(file);
    EXPECT_LE(HeapPeak() - before, (64u << 20) + 4 * file.size()) << what;
    if (model) return true;
    EXPECT_EQ(model.error().kind, ErrorKind::kBadInput) << what;
    EXPECT_FALSE(model.error().where.empty()) << what;
    EXPECT_FALSE(model.error().remedy.empty())
        << what << ": " << model.error().ToString();
    return false;
  }
};

TEST_F(CorpusDamageTest, EveryFileIsReadOrRefusedByDesign) {
  size_t files = 0;
  for (const auto& path : Corpus()) {
    const std::string name = path.filename().string();
    const bool refused = std::find(std::begin(kRefused), std::end(kRefused),
                                   name) != std::end(kRefused);
    EXPECT_EQ(Reads(Load(path), name), !refused) << name;
    ++files;
  }
  EXPECT_GE(files, kFiles);
}

TEST_F(CorpusDamageTest, TheGraphOfAFileTakesAtMostTheFileAndFourMebibytes) {
  for (const auto& path : Corpus()) {
    const File file = Load(path);
    ResetHeapPeak();
    const size_t before = HeapInUse();
    const auto model = Import(file);
    EXPECT_LE(HeapPeak() - before, file.size() + (4u << 20)) << path;
  }
}

TEST_F(CorpusDamageTest, CutFilesAreReadOrRefused) {
  const size_t cuts = Full() ? 100 : 10;
  std::mt19937_64 random(3);
  for (const auto& path : Corpus()) {
    const File file = Load(path);
    for (size_t i = 0; i < cuts; ++i) {
      // A place in each of the equal parts; a copy, so that a sanitizer sees
      // a step behind the end.
      const size_t part = file.size() / cuts;
      const size_t size = i * part + random() % std::max<size_t>(part, 1);
      const File cut(file.begin(), file.begin() + static_cast<ptrdiff_t>(size));
      Reads(cut, path.filename().string() + " cut at " + std::to_string(size));
    }
  }
}

TEST_F(CorpusDamageTest, FilesWithAFlippedBitAreReadOrRefused) {
  const size_t flips = Full() ? 1000 : 40;
  std::mt19937_64 random(6);
  for (const auto& path : Corpus()) {
    File file = Load(path);
    for (size_t i = 0; i < flips; ++i) {
      const size_t bit = random() % (8 * file.size());
      const auto mask = static_cast<std::byte>(1 << (bit % 8));
      file[bit / 8] ^= mask;
      Reads(file, path.filename().string() + " bit " + std::to_string(bit));
      file[bit / 8] ^= mask;
    }
  }
}

// Most of a large file is weights, where a flipped bit changes nothing that
// is checked. The structure is what stands outside the largest contents.
TEST_F(CorpusDamageTest, FilesWithAFlippedBitOutsideTheirWeightsAreToo) {
  const size_t flips = Full() ? 1000 : 40;
  std::mt19937_64 random(7);
  for (const auto& path : Corpus()) {
    File file = Load(path);
    const auto view = tflite::ModelView::Open(file);
    if (!view) continue;
    std::vector<bool> weights(file.size(), false);
    for (uint32_t b = 0; b < view->model().buffers()->size(); ++b) {
      const auto content = view->Content(b);
      const auto begin = content.data() - file.data();
      if (content.size() < 64) continue;
      std::fill_n(weights.begin() + begin, content.size(), true);
    }
    for (size_t i = 0; i < flips;) {
      const size_t bit = random() % (8 * file.size());
      if (weights[bit / 8]) continue;
      ++i;
      const auto mask = static_cast<std::byte>(1 << (bit % 8));
      file[bit / 8] ^= mask;
      Reads(file, path.filename().string() + " bit " + std::to_string(bit));
      file[bit / 8] ^= mask;
    }
  }
}

}  // namespace
}  // namespace stowplan
