// SPDX-License-Identifier: Apache-2.0
#include "stowplan/report/advice.h"

#include <algorithm>
#include <string>
#include <utility>

#include "stowplan/report/names.h"
#include "stowplan/report/units.h"

namespace stowplan::report {
namespace {

constexpr size_t kNamesInASentence = 3;
constexpr size_t kNameLength = 48;

std::string NameOf(const Document& document, size_t row) {
  return Shorten(DisplayName(document.tensors[row]), kNameLength);
}

// "E1, E2 and 4 more".
std::string List(const std::vector<std::string>& names) {
  std::string text;
  const size_t shown = std::min(names.size(), kNamesInASentence);
  for (size_t i = 0; i < shown; ++i) {
    if (i > 0) text += i + 1 == names.size() ? " and " : ", ";
    text += names[i];
  }
  if (names.size() > shown) {
    text +=
        " and " + Grouped(static_cast<int64_t>(names.size() - shown)) + " more";
  }
  return text;
}

Advice PlannerAdvice(const Document& document) {
  const Arena& arena = document.arena;
  const Bytes gap = arena.bytes - arena.proved_bound;
  const bool searches = document.options.solver == "portfolio" ||
                        document.options.solver == "exact";
  return {Advice::Kind::kPlanner,
          "A better plan may still save up to " + BothBytes(gap) + ", " +
              Percent(gap, arena.bytes) + " of the arena: " +
              (searches ? "let it search longer (--effort)"
                        : "use --solver portfolio") +
              ", since nothing lower is excluded yet."};
}

// REQUIRES: one operator needs as much as the bound.
Advice ModelAdvice(const Document& document, const Demand& demand,
                   const Demand::Floor& floor) {
  const OperatorLabel& op = document.steps[static_cast<size_t>(floor.step)].op;
  const Bytes above = document.arena.bytes - floor.bytes;
  if (above > 0) {
    return {Advice::Kind::kModel,
            "No plan can do better in this order, and another order can save " +
                BothBytes(above) + " at most, since " + Describe(op) +
                " needs " + BothBytes(floor.bytes) +
                " by itself; beyond that only the model can help."};
  }
  std::string text =
      "Only the model can help: no plan and no order can do with less than " +
      Describe(op) + " needs by itself";
  Bytes sum = 0;
  const BufferRow* largest = nullptr;
  for (plan::BufferId id : demand.BuffersAt(floor.step)) {
    const BufferRow& buffer = document.buffers[id.index()];
    sum += buffer.bytes;
    if (largest == nullptr || buffer.bytes > largest->bytes) largest = &buffer;
  }
  if (largest != nullptr) {
    text += "; " + NameOf(document, largest->rows.front()) + " is " +
            Percent(largest->bytes, sum) + " of that";
  }
  return {Advice::Kind::kModel, text + "."};
}

Advice OrderAdvice(const Document& document, const Demand::Floor& floor) {
  const Peak& peak = document.peak;
  Bytes waiting = 0;
  std::vector<std::string> names;
  for (const PeakBuffer& buffer : peak.buffers) {
    if (buffer.used) continue;
    waiting += buffer.bytes;
    names.push_back(NameOf(document, buffer.row));
  }
  std::string text;
  if (waiting > 0) {
    text = "Another order may help: at the peak " + BothBytes(waiting) + ", " +
           Percent(waiting, peak.bytes) + ", only " +
           (names.size() == 1 ? "waits" : "wait") + " for a later operator (" +
           List(names) + ")";
  } else {
    text = "Another order may help: " + Describe(peak.op) +
           " could write over an input that a later operator still reads";
  }
  if (floor.bytes > 0) {
    text += "; no order can go below " + BothBytes(floor.bytes) + ", what " +
            Describe(document.steps[static_cast<size_t>(floor.step)].op) +
            " needs by itself";
  }
  return {Advice::Kind::kOrder, text + "."};
}

}  // namespace

Advice Advise(const Document& document, const Demand& demand) {
  const Arena& arena = document.arena;
  if (arena.verdict == solve::Verdict::kInfeasible) {
    return {Advice::Kind::kModel,
            "No plan keeps the capacity and the pinned offsets; this is "
            "proved."};
  }
  if (arena.bytes == 0) {
    return {Advice::Kind::kNone,
            document.dynamic.empty()
                ? "Nothing to plan: no tensor needs bytes in the arena."
                : "Nothing to plan as long as no size is known."};
  }
  if (document.options.in_place == "engine") {
    return {Advice::Kind::kNone,
            "Sharing here is what an engine claims and may be wrong; "
            "--in-place safe gives a plan that is not."};
  }
  if (arena.verdict != solve::Verdict::kOptimal &&
      arena.bytes > arena.proved_bound) {
    return PlannerAdvice(document);
  }
  const Demand::Floor floor = demand.OverAllOrders();
  return floor.bytes >= arena.lower_bound ? ModelAdvice(document, demand, floor)
                                          : OrderAdvice(document, floor);
}

}  // namespace stowplan::report
