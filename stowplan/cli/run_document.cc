// SPDX-License-Identifier: Apache-2.0
#include "stowplan/cli/run_document.h"

#include <algorithm>
#include <utility>

#include "fmt/format.h"
#include "nlohmann/json.hpp"
#include "stowplan/report/names.h"
#include "stowplan/report/shape_text.h"
#include "stowplan/report/units.h"

namespace stowplan::cli {
namespace {

using nlohmann::ordered_json;
using report::BothBytes;
using report::Grouped;

constexpr size_t kSlowest = 10;
constexpr const char* kKernel = "reference";  // There are no others yet.

std::string Printable(const std::string& name) {
  return report::ToPrintable(report::ToUtf8(name));
}

// Three decimals: below a nanosecond there is only noise.
double Rounded(double us) {
  return static_cast<double>(static_cast<int64_t>(us * 1000 + 0.5)) / 1000;
}

ordered_json Values(const std::vector<RunValue>& values, const char* text) {
  ordered_json array = ordered_json::array();
  for (const RunValue& value : values) {
    array.push_back({{"name", report::ToUtf8(value.name)},
                     {"dtype", NameOf(value.dtype)},
                     {"shape", value.shape},
                     {text, report::ToUtf8(value.text)}});
  }
  return array;
}

ordered_json Memory(const RunResult& result) {
  const RunMemory& memory = result.memory;
  ordered_json tensors = ordered_json::array();
  for (const std::string& name : result.overflow_tensors) {
    tensors.push_back(report::ToUtf8(name));
  }
  return {{"mapped_touched", memory.mapped_touched},
          {"arena", memory.arena},
          {"persistent", memory.persistent},
          {"packed_weights", 0},  // No kernel packs weights yet.
          {"overflow", memory.overflow},
          {"heap", memory.heap},
          {"program", memory.program},
          {"rest", memory.rest},
          {"start", memory.start},
          {"peak_rss", memory.peak_rss},
          {"pss", memory.proportional},
          {"overflow_growths", memory.overflow_growths},
          {"overflow_tensors", tensors},
          {"minor_faults", memory.minor_faults},
          {"major_faults", memory.major_faults}};
}

ordered_json Operators(const RunResult& result) {
  const int counted = std::max(1, result.runs - 1);
  ordered_json array = ordered_json::array();
  for (const RunWatch::Row& row : result.operators) {
    array.push_back({{"subgraph", row.op.subgraph.value()},
                     {"operator", row.op.op.value()},
                     {"op", row.type},
                     {"us", Rounded(row.us / counted)},
                     {"calls", row.calls / counted},
                     {"output_bytes", row.output_bytes},
                     {"kernel", kKernel}});
  }
  return array;
}

ordered_json AuditOf(const RunResult& result) {
  if (!result.audited) return nullptr;
  ordered_json audit = {{"ok", !result.finding}, {"first_difference", nullptr}};
  if (!result.finding) return audit;
  const runtime::AuditFinding& finding = *result.finding;
  const bool guard = finding.kind == runtime::AuditFinding::Kind::kGuard;
  audit["first_difference"] = {{"kind", guard ? "guard" : "difference"},
                               {"run", finding.run},
                               {"subgraph", finding.op.subgraph.value()},
                               {"operator", finding.op.op.value()},
                               {"op", report::ToUtf8(finding.type)},
                               {"output", finding.output}};
  return audit;
}

std::string MemoryText(const RunMemory& memory) {
  const std::pair<const char*, Bytes> rows[] = {
      {"weights touched in the file", memory.mapped_touched},
      {"arena", memory.arena},
      {"persistent", memory.persistent},
      {"overflow", memory.overflow},
      {"heap beside these", memory.heap},
      {"the program's own pages", memory.program},
      {"rest: taken and given back", memory.rest},
      {"before the model was read", memory.start},
      {"peak RSS", memory.peak_rss},
  };
  std::string text = "memory\n";
  for (const auto& [name, bytes] : rows) {
    text += fmt::format("  {:<29}{:>14} B\n", name, Grouped(bytes));
  }
  return text;
}

// "12.3 us", "4.56 ms", "7.89 s".
std::string TimeText(double us) {
  if (us < 1e3) return fmt::format("{:.1f} us", us);
  if (us < 1e6) return fmt::format("{:.2f} ms", us / 1e3);
  return fmt::format("{:.2f} s", us / 1e6);
}

std::string LatencyText(const RunResult& result) {
  const Latency& latency = result.latency;
  if (result.runs == 1) return TimeText(latency.first);
  return fmt::format("{} median, {} p95, {} least, {} first",
                     TimeText(latency.median), TimeText(latency.p95),
                     TimeText(latency.min), TimeText(latency.first));
}

std::string AllocationsText(const RunResult& result) {
  if (!profile::CountsAllocations()) return "not counted in this build";
  if (result.runs == 1) {
    return fmt::format("{} in the run, {} to prepare",
                       result.first_invoke.calls,
                       Grouped(result.prepare.calls));
  }
  return fmt::format("{} a run, {} in the first, {} to prepare",
                     result.per_invoke.calls, result.first_invoke.calls,
                     Grouped(result.prepare.calls));
}

// Tensors whose size only the data decides, which no plan can place.
std::string OverflowText(const RunResult& result) {
  constexpr size_t kMost = 3;
  const std::vector<std::string>& names = result.overflow_tensors;
  if (names.empty()) return "";
  std::string text;
  for (size_t i = 0; i < std::min(kMost, names.size()); ++i) {
    text += (i == 0 ? "" : ", ") + Printable(names[i]);
  }
  if (names.size() > kMost) {
    text += fmt::format(" and {} more", names.size() - kMost);
  }
  return fmt::format("overflow     grew {}, for {}\n",
                     report::Count(result.memory.overflow_growths, "time"),
                     text);
}

std::string OperatorsText(const RunResult& result) {
  const int counted = std::max(1, result.runs - 1);
  std::vector<RunWatch::Row> rows = result.operators;
  std::stable_sort(rows.begin(), rows.end(),
                   [](const RunWatch::Row& a, const RunWatch::Row& b) {
                     return a.us > b.us;
                   });
  if (rows.size() > kSlowest) rows.resize(kSlowest);
  std::string text = fmt::format(
      "slowest of {}\n",
      report::Count(static_cast<int64_t>(result.operators.size()), "operator"));
  for (const RunWatch::Row& row : rows) {
    text += fmt::format("  {:>12}  {}:{} {}\n", TimeText(row.us / counted),
                        row.op.subgraph.value(), row.op.op.value(), row.type);
  }
  return text;
}

std::string ValuesText(const char* title, const std::vector<RunValue>& values) {
  std::string text = fmt::format("{}\n", title);
  for (const RunValue& value : values) {
    text += fmt::format("  {}  {} {}  {}\n", Printable(value.name),
                        NameOf(value.dtype), report::ShapeText(value.shape),
                        Printable(value.text));
  }
  return text;
}

}  // namespace

std::string ToRunJson(const RunResult& result) {
  const ordered_json document = {
      {"schema", "stowplan.run/1"},
      {"model", {{"path", report::ToUtf8(result.path)}}},
      {"runs", result.runs},
      {"threads", result.threads},
      {"arithmetic", result.arithmetic},
      {"latency_us",
       {{"median", Rounded(result.latency.median)},
        {"p95", Rounded(result.latency.p95)},
        {"min", Rounded(result.latency.min)},
        {"first", Rounded(result.latency.first)}}},
      {"allocations",
       {{"counted", profile::CountsAllocations()},
        {"prepare", result.prepare.calls},
        {"first_invoke", result.first_invoke.calls},
        {"per_invoke", result.per_invoke.calls},
        {"bytes_per_invoke", result.per_invoke.bytes}}},
      {"memory", Memory(result)},
      {"operators", Operators(result)},
      {"inputs", Values(result.inputs, "source")},
      {"outputs", Values(result.outputs, "sha256")},
      {"audit", AuditOf(result)}};
  return document.dump() + "\n";
}

std::string ToRunText(const RunResult& result, bool operators) {
  std::string text = fmt::format(
      "file         {}\nruns         {}, arithmetic {}\n"
      "latency      {}\nallocations  {}\n",
      Printable(result.path), result.runs, result.arithmetic,
      LatencyText(result), AllocationsText(result));
  if (result.audited) {
    text += result.finding
                ? "audit        " + result.finding->ToString() + "\n"
                : "audit        same bits as with memory of its own for "
                  "every buffer\n";
  }
  text += OverflowText(result);
  text += MemoryText(result.memory);
  if (operators) text += OperatorsText(result);
  text += ValuesText("inputs", result.inputs);
  return text + ValuesText("outputs (SHA-256)", result.outputs);
}

}  // namespace stowplan::cli
