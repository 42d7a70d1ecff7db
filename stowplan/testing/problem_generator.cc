// SPDX-License-Identifier: Apache-2.0
#include "stowplan/testing/problem_generator.h"

#include <algorithm>
#include <bit>
#include <optional>
#include <utility>
#include <vector>

#include "stowplan/testing/problem_random.h"

namespace stowplan::testing {
namespace {

using plan::Buffer;
using plan::LiveRange;
using plan::Problem;

std::vector<plan::Gap> RandomGaps(const Buffer& buffer, Random* random) {
  std::vector<plan::Gap> gaps;
  plan::Step from = buffer.live.begin;
  while (from < buffer.live.end && gaps.size() < 2) {
    const plan::Step begin = random->Between(from, buffer.live.end - 1);
    const plan::Step end = random->Between(begin + 1, buffer.live.end);
    plan::Gap gap = {{begin, end}, std::nullopt};
    if (random->Chance(50)) {
      const Bytes low = random->Between(0, buffer.size - 1);
      gap.window = ByteRange{low, random->Between(low + 1, buffer.size)};
    }
    gaps.push_back(gap);
    from = end;
  }
  return gaps;
}

// A tile of a dense tiling.
struct Tile {
  LiveRange steps;
  ByteRange bytes;
};

std::vector<Tile> CutPinwheel(const Tile& t, Random* random) {
  const plan::Step a = random->Between(t.steps.begin + 1, t.steps.end - 2);
  const plan::Step b = random->Between(a + 1, t.steps.end - 1);
  const Bytes c = random->Between(t.bytes.begin + 1, t.bytes.end - 2);
  const Bytes d = random->Between(c + 1, t.bytes.end - 1);
  return {{{t.steps.begin, a}, {t.bytes.begin, d}},
          {{a, t.steps.end}, {t.bytes.begin, c}},
          {{b, t.steps.end}, {c, t.bytes.end}},
          {{t.steps.begin, b}, {d, t.bytes.end}},
          {{a, b}, {c, d}}};
}

std::vector<Tile> CutStraight(const Tile& t, Random* random) {
  const plan::Step width = t.steps.end - t.steps.begin;
  const Bytes height = t.bytes.end - t.bytes.begin;
  if (width > 1 && (height == 1 || random->Chance(50))) {
    const plan::Step at = random->Between(t.steps.begin + 1, t.steps.end - 1);
    return {{{t.steps.begin, at}, t.bytes}, {{at, t.steps.end}, t.bytes}};
  }
  if (height > 1) {
    const Bytes at = random->Between(t.bytes.begin + 1, t.bytes.end - 1);
    return {{t.steps, {t.bytes.begin, at}}, {t.steps, {at, t.bytes.end}}};
  }
  return {t};
}

int64_t AreaOf(const Tile& t) {
  return (t.steps.end - t.steps.begin) * (t.bytes.end - t.bytes.begin);
}

}  // namespace

Problem RandomProblem(const RandomShape& shape, uint64_t seed) {
  Random random(seed);
  std::vector<Buffer> buffers(static_cast<size_t>(shape.buffers));
  for (Buffer& buffer : buffers) {
    buffer.live.begin = random.Between(0, shape.horizon - 1);
    buffer.live.end = random.Between(buffer.live.begin + 1, shape.horizon);
    if (random.Chance(shape.zero_percent)) continue;
    buffer.size = random.Between(1, shape.max_size);
    const int bits =
        std::countr_zero(static_cast<uint64_t>(shape.max_alignment));
    buffer.alignment = Bytes{1} << random.Between(0, bits);
    if (random.Chance(shape.pinned_percent)) {
      buffer.pinned = buffer.alignment *
                      random.Between(0, 2 * shape.max_size / buffer.alignment);
    }
    if (random.Chance(shape.gap_percent)) {
      buffer.gaps = RandomGaps(buffer, &random);
    }
  }
  return Problem::Create(std::move(buffers)).value();
}

Problem DenseTiling(int buffers, plan::Step steps, Bytes height, bool pinwheels,
                    uint64_t seed) {
  Random random(seed);
  std::vector<Tile> tiles = {{{0, steps}, {0, height}}};
  const auto wanted = static_cast<size_t>(buffers);
  while (tiles.size() < wanted) {
    // One of the larger ones, so that no tile dwarfs the others.
    size_t pick = 0;
    for (int i = 0; i < 4; ++i) {
      const auto other = static_cast<size_t>(
          random.Between(0, static_cast<int64_t>(tiles.size()) - 1));
      if (AreaOf(tiles[other]) > AreaOf(tiles[pick])) pick = other;
    }
    const Tile tile = tiles[pick];
    const bool five = pinwheels && tiles.size() + 4 <= wanted &&
                      tile.steps.end - tile.steps.begin >= 3 &&
                      tile.bytes.end - tile.bytes.begin >= 3;
    const std::vector<Tile> parts =
        five ? CutPinwheel(tile, &random) : CutStraight(tile, &random);
    if (parts.size() == 1) break;  // The largest tile found is a single cell.
    tiles[pick] = parts.front();
    tiles.insert(tiles.end(), parts.begin() + 1, parts.end());
  }
  std::vector<Buffer> result;
  for (const Tile& tile : tiles) {
    Buffer& buffer = result.emplace_back();
    buffer.size = tile.bytes.end - tile.bytes.begin;
    buffer.live = tile.steps;
  }
  // The order of the cuts must not give the solution away.
  for (size_t i = result.size(); i > 1; --i) {
    std::swap(result[i - 1], result[static_cast<size_t>(random.Between(
                                 0, static_cast<int64_t>(i) - 1))]);
  }
  return Problem::Create(std::move(result)).value();
}

Problem HeavyTailedProblem(int64_t buffers, int64_t live, uint64_t seed) {
  Random random(seed);
  std::vector<Buffer> result(static_cast<size_t>(buffers));
  for (size_t i = 0; i < result.size(); ++i) {
    // Geometric in units of two thirds of the mean, uniform within a unit;
    // the two parts add up to the mean.
    const int64_t units = random.Streak(2, 40);
    const int64_t length =
        units * live * 2 / 3 + random.Between(1, live * 2 / 3 + 1);
    Buffer& buffer = result[i];
    buffer.live.begin = static_cast<plan::Step>(i);
    buffer.live.end = std::min(buffer.live.begin + length, buffers);
    buffer.size =
        (Bytes{64} << random.Streak(3, 30)) * random.Between(1024, 2047) / 1024;
  }
  return Problem::Create(std::move(result)).value();
}

}  // namespace stowplan::testing
