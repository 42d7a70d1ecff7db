// SPDX-License-Identifier: Apache-2.0
#include "stowplan/solve/certificate.h"

#include <algorithm>
#include <array>
#include <charconv>
#include <optional>

#include "stowplan/base/checked_math.h"
#include "stowplan/plan/occupancy.h"

namespace stowplan::solve {
namespace {

using plan::Buffer;
using plan::BufferId;
using plan::Problem;

std::string Place(BufferId id) {
  return "buffer " + std::to_string(id.value());
}

Bytes EndOfLowest(const Buffer& buffer) {
  return buffer.pinned.value_or(0) + buffer.size;
}

// The rectangle of `id` at `step`, if it uses any bytes there.
std::optional<plan::Occupancy> UseAt(const Problem& problem, BufferId id,
                                     plan::Step step) {
  std::vector<plan::Occupancy> parts;
  AppendOccupancy(problem.buffer(id), id, &parts);
  for (const plan::Occupancy& part : parts) {
    if (part.range.Contains(step)) return part;
  }
  return std::nullopt;
}

// Two pinned buffers that share bytes at a step, found pair by pair.
plan::Bound FindCollision(const Problem& problem) {
  std::vector<BufferId> pinned;
  for (size_t i = 0; i < problem.size(); ++i) {
    if (problem.buffers()[i].pinned) pinned.push_back(BufferId::FromIndex(i));
  }
  for (size_t a = 0; a < pinned.size(); ++a) {
    for (size_t b = a + 1; b < pinned.size(); ++b) {
      std::vector<plan::Occupancy> parts;
      AppendOccupancy(problem.buffer(pinned[a]), pinned[a], &parts);
      for (const plan::Occupancy& part : parts) {
        std::vector<plan::Occupancy> others;
        AppendOccupancy(problem.buffer(pinned[b]), pinned[b], &others);
        for (const plan::Occupancy& other : others) {
          if (!Intersects(part.range, other.range)) continue;
          const Bytes at_a = *problem.buffer(pinned[a]).pinned;
          const Bytes at_b = *problem.buffer(pinned[b]).pinned;
          if (at_a + part.bytes.begin < at_b + other.bytes.end &&
              at_b + other.bytes.begin < at_a + part.bytes.end) {
            return {0,
                    std::max(part.range.begin, other.range.begin),
                    {pinned[a], pinned[b]}};
          }
        }
      }
    }
  }
  return {};
}

// As plan::LowerBound has it, at one step: the sum of the sizes rounded up to
// the least alignment, without the largest padding.
Result<Bytes> HeightAt(const Problem& problem, const plan::Bound& load) {
  Bytes unit = 0;
  for (const Buffer& buffer : problem.buffers()) {
    if (buffer.size == 0) continue;
    unit = unit == 0 ? buffer.alignment : std::min(unit, buffer.alignment);
  }
  Bytes plain = 0;
  Bytes padded = 0;
  Bytes padding = 0;
  bool whole = true;
  BufferId previous;
  for (BufferId id : load.live) {
    if (!id.valid() || id.index() >= problem.size() || id <= previous) {
      return BadInput(Place(id), "is not one of the problem, or stands twice");
    }
    previous = id;
    const std::optional<plan::Occupancy> use = UseAt(problem, id, load.step);
    if (!use) {
      return BadInput(Place(id),
                      "is not in use at step " + std::to_string(load.step));
    }
    const Bytes size = use->bytes.end - use->bytes.begin;
    plain += size;
    padded += AlignUp(size, unit);
    padding = std::max(padding, AlignUp(size, unit) - size);
    whole &= use->whole;
  }
  return whole ? padded - padding : plain;
}

Status CheckLoad(const Problem& problem, const plan::Bound& load) {
  if (load.bytes == 0) return {};
  if (load.live.size() == 1 && load.live[0].valid() &&
      load.live[0].index() < problem.size() &&
      EndOfLowest(problem.buffer(load.live[0])) >= load.bytes) {
    return {};
  }
  STOWPLAN_TRY(height, HeightAt(problem, load));
  if (height >= load.bytes) return {};
  return BadInput("step " + std::to_string(load.step),
                  "its buffers need " + std::to_string(height) +
                      " bytes, not " + std::to_string(load.bytes));
}

Status CheckPins(const Problem& problem, const plan::Bound& pins) {
  if (pins.live.size() == 2) {
    const std::optional<plan::Occupancy> a =
        UseAt(problem, pins.live[0], pins.step);
    const std::optional<plan::Occupancy> b =
        UseAt(problem, pins.live[1], pins.step);
    const std::optional<Bytes> at_a = problem.buffer(pins.live[0]).pinned;
    const std::optional<Bytes> at_b = problem.buffer(pins.live[1]).pinned;
    if (a && b && at_a && at_b && pins.live[0] != pins.live[1] &&
        *at_a + a->bytes.begin < *at_b + b->bytes.end &&
        *at_b + b->bytes.begin < *at_a + a->bytes.end) {
      return {};
    }
  }
  return BadInput("pins", "no two of them collide");
}

std::string Hex(uint64_t value) {
  std::array<char, 16> digits;
  const auto end =
      std::to_chars(digits.data(), digits.data() + digits.size(), value, 16);
  return std::string(digits.data(), end.ptr);
}

}  // namespace

Certificate MakeCertificate(const Problem& problem, const Outcome& outcome) {
  Certificate certificate;
  certificate.verdict = outcome.verdict;
  certificate.peak = outcome.peak;
  certificate.lower_bound = outcome.lower_bound;
  certificate.proof = outcome.proof;
  if (outcome.proof == Proof::kPins) {
    certificate.load = FindCollision(problem);
    return certificate;
  }
  certificate.load = plan::LowerBound(problem);
  for (size_t i = 0; i < problem.size(); ++i) {
    const Buffer& buffer = problem.buffers()[i];
    if (buffer.size <= certificate.load.bytes) continue;
    certificate.load = {
        buffer.size, buffer.live.begin, {BufferId::FromIndex(i)}};
  }
  if (outcome.proof == Proof::kSearch) {
    certificate.nodes = outcome.work.nodes;
    certificate.hash = outcome.work.hash;
  }
  return certificate;
}

Status CheckCertificate(const Problem& problem,
                        const Certificate& certificate) {
  if (certificate.proof == Proof::kPins) {
    for (BufferId id : certificate.load.live) {
      if (!id.valid() || id.index() >= problem.size()) {
        return BadInput(Place(id), "is not one of the problem");
      }
    }
    return CheckPins(problem, certificate.load);
  }
  STOWPLAN_RETURN_IF_ERROR(CheckLoad(problem, certificate.load));
  const bool by_search = certificate.proof == Proof::kSearch;
  if (by_search ? certificate.lower_bound <= certificate.load.bytes
                : certificate.lower_bound != certificate.load.bytes) {
    return BadInput("lower bound", "does not follow from what is shown");
  }
  if (certificate.verdict == Verdict::kOptimal &&
      certificate.peak != certificate.lower_bound) {
    return BadInput("verdict", "optimal, but the peak is not the bound");
  }
  if (certificate.verdict == Verdict::kInfeasible &&
      certificate.lower_bound <= problem.capacity().value_or(INT64_MAX)) {
    return BadInput("verdict", "infeasible, but the bound fits the capacity");
  }
  return {};
}

std::string ToJson(const Certificate& certificate) {
  std::string live;
  for (BufferId id : certificate.load.live) {
    if (!live.empty()) live += ", ";
    live += std::to_string(id.value());
  }
  std::string text = "{\"schema\": \"stowplan.certificate/1\",\n";
  text +=
      " \"verdict\": \"" + std::string(ToString(certificate.verdict)) +
      "\",\n \"peak\": " + std::to_string(certificate.peak) +
      ",\n \"lower_bound\": " + std::to_string(certificate.lower_bound) +
      ",\n \"proof\": \"" + std::string(ToString(certificate.proof)) +
      "\",\n \"load\": {\"bytes\": " + std::to_string(certificate.load.bytes) +
      ", \"step\": " + std::to_string(certificate.load.step) + ", \"live\": [" +
      live + "]}";
  if (certificate.proof == Proof::kSearch) {
    text += ",\n \"search\": {\"nodes\": " + std::to_string(certificate.nodes) +
            ", \"hash\": \"" + Hex(certificate.hash) + "\"}";
  }
  return text + "}\n";
}

}  // namespace stowplan::solve
