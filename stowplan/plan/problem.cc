// SPDX-License-Identifier: Apache-2.0
#include "stowplan/plan/problem.h"

#include <algorithm>
#include <limits>
#include <string>
#include <utility>

#include "stowplan/base/checked_math.h"

namespace stowplan::plan {
namespace {

constexpr Bytes kLimit = Bytes{1} << 62;
// Sums and differences of two steps fit in 64 bits.
constexpr Step kStepLimit = Step{1} << 60;

std::string Place(size_t index) { return "buffer " + std::to_string(index); }

Status CheckGaps(const Buffer& buffer, size_t index) {
  Step previous_end = buffer.live.begin;
  for (const Gap& gap : buffer.gaps) {
    if (gap.range.empty() || gap.range.begin < previous_end ||
        gap.range.end > buffer.live.end) {
      return BadInput(Place(index),
                      "its gaps are not disjoint, in ascending order and "
                      "inside its live range",
                      "sort and merge them");
    }
    previous_end = gap.range.end;
    if (gap.window &&
        (gap.window->begin < 0 || gap.window->begin >= gap.window->end ||
         gap.window->end > buffer.size)) {
      return BadInput(Place(index),
                      "the window of a gap is empty or not inside the buffer",
                      "give bytes between 0 and the buffer's size");
    }
  }
  return {};
}

Status CheckBuffer(const Buffer& buffer, size_t index) {
  if (buffer.size < 0) {
    return BadInput(Place(index),
                    "size " + std::to_string(buffer.size) + " is negative");
  }
  if (!IsPowerOfTwo(buffer.alignment)) {
    return BadInput(Place(index),
                    "alignment " + std::to_string(buffer.alignment) +
                        " is not a power of two",
                    "use 1, 2, 4, ...");
  }
  if (buffer.live.begin <= -kStepLimit || buffer.live.begin >= kStepLimit ||
      buffer.live.end <= -kStepLimit || buffer.live.end >= kStepLimit) {
    return BadInput(Place(index), "its live range goes beyond step 2^60");
  }
  if (buffer.size > 0 && buffer.live.empty()) {
    return BadInput(Place(index),
                    "live range [" + std::to_string(buffer.live.begin) + ", " +
                        std::to_string(buffer.live.end) + ") is empty",
                    "the end is exclusive and lies behind the begin");
  }
  if (buffer.pinned && *buffer.pinned < 0) {
    return BadInput(
        Place(index),
        "pinned offset " + std::to_string(*buffer.pinned) + " is negative");
  }
  if (buffer.pinned && *buffer.pinned % buffer.alignment != 0) {
    return BadInput(Place(index), "pinned offset " +
                                      std::to_string(*buffer.pinned) +
                                      " is not a multiple of its alignment " +
                                      std::to_string(buffer.alignment));
  }
  return CheckGaps(buffer, index);
}

}  // namespace

Result<Problem> Problem::Create(std::vector<Buffer> buffers,
                                std::optional<Bytes> capacity) {
  if (buffers.size() > size_t{std::numeric_limits<int32_t>::max()}) {
    return BadInput("problem", "more than 2^31 - 1 buffers");
  }
  if (capacity && (*capacity < 0 || *capacity >= kLimit)) {
    return BadInput("capacity", "not between 0 and 2^62");
  }
  Bytes sum = 0;
  Bytes highest_pinned = 0;
  for (size_t i = 0; i < buffers.size(); ++i) {
    const Buffer& buffer = buffers[i];
    STOWPLAN_RETURN_IF_ERROR(CheckBuffer(buffer, i));
    std::optional<Bytes> padded = CheckedAdd(buffer.size, buffer.alignment);
    std::optional<Bytes> next = padded ? CheckedAdd(sum, *padded) : padded;
    std::optional<Bytes> end =
        CheckedAdd(buffer.pinned.value_or(0), buffer.size);
    if (end && buffer.pinned) highest_pinned = std::max(highest_pinned, *end);
    std::optional<Bytes> total =
        next ? CheckedAdd(*next, highest_pinned) : next;
    if (!end || !total || *total >= kLimit) {
      return BadInput(Place(i), "the sum of sizes up to here is over 2^62");
    }
    sum = *next;
  }
  Problem problem;
  problem.buffers_ = std::move(buffers);
  problem.capacity_ = capacity;
  return problem;
}

}  // namespace stowplan::plan
