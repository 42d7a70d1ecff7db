// SPDX-License-Identifier: Apache-2.0
#include "stowplan/engines/foreign_plan.h"

#include <algorithm>
#include <charconv>
#include <cstdint>
#include <map>
#include <optional>
#include <utility>
#include <vector>

#include "stowplan/engines/foreign_layout.h"
#include "stowplan/plan/problem_csv.h"

namespace stowplan::engines {
namespace {

using graph::SubgraphId;
using graph::TensorId;
using graph::TensorRef;

std::string_view Field(std::string_view* line) {
  constexpr std::string_view kBetween = " \t,;\r";
  const size_t begin = line->find_first_not_of(kBetween);
  if (begin == std::string_view::npos) {
    *line = {};
    return {};
  }
  line->remove_prefix(begin);
  const std::string_view field = line->substr(0, line->find_first_of(kBetween));
  line->remove_prefix(field.size());
  return field;
}

std::optional<int64_t> ToNumber(std::string_view text) {
  int base = 10;
  if (text.substr(0, 2) == "0x") {
    base = 16;
    text.remove_prefix(2);
  }
  int64_t value = 0;
  const auto result =
      std::from_chars(text.data(), text.data() + text.size(), value, base);
  if (result.ec != std::errc() || result.ptr != text.data() + text.size()) {
    return std::nullopt;
  }
  return value;
}

struct AddressLine {
  TensorRef tensor;
  Bytes address = 0;
  Bytes bytes = 0;
  std::string where;
};

// Nothing for a line without content.
Result<std::optional<AddressLine>> ParseAddressLine(
    std::string_view line, const std::string& where,
    const ForeignLayout& layout) {
  line = line.substr(0, line.find('#'));
  const std::string_view tensor = Field(&line);
  if (tensor.empty()) return std::nullopt;
  const auto address = ToNumber(Field(&line));
  const auto bytes = ToNumber(Field(&line));
  if (!address || !bytes || *address < 0 || *bytes < 0 ||
      !Field(&line).empty()) {
    return BadInput(where, "it is no 'TENSOR ADDRESS BYTES'",
                    "write three numbers, as in '12 0x7f00 4096'");
  }
  STOWPLAN_TRY(ref, layout.ParseTensor(tensor, where));
  return AddressLine{ref, *address, *bytes, where};
}

}  // namespace

Result<Layout> ReadMiniMallocPlan(const graph::Model& model,
                                  const schedule::MemoryNeeds& needs,
                                  std::string_view text) {
  STOWPLAN_TRY(named, plan::ReadProblemCsv(text));
  STOWPLAN_TRY(layout, ForeignLayout::Create(model, needs, "plan"));
  std::map<std::string, TensorRef> by_name;
  for (size_t s = model.subgraphs.size(); s-- > 0;) {
    for (size_t t = model.subgraphs[s].tensors.size(); t-- > 0;) {
      by_name[model.subgraphs[s].tensors[t].name] = {SubgraphId::FromIndex(s),
                                                     TensorId::FromIndex(t)};
    }
  }
  std::map<plan::BufferId, Bytes> offset_of;
  std::map<TensorRef, Bytes> offset_of_root;  // Of its alias class.
  const auto root_of = [&needs](TensorRef ref) {
    const auto& classes = needs.aliases[ref.subgraph.index()];
    return TensorRef{ref.subgraph, classes.root[ref.tensor.index()]};
  };
  for (size_t i = 0; i < named.names.size(); ++i) {
    const std::string& name = named.names[i];
    const std::string where = "id " + name;
    const plan::Buffer& buffer = named.problem.buffers()[i];
    if (!buffer.pinned) {
      return BadInput(where, "it has no offset",
                      "give the CSV that the solver wrote");
    }
    TensorRef ref;
    if (const auto found = by_name.find(name); found != by_name.end()) {
      ref = found->second;
    } else {
      STOWPLAN_TRY(parsed, layout.ParseTensor(name, where));
      ref = parsed;
    }
    STOWPLAN_RETURN_IF_ERROR(layout.Place(ref, Region::Kind::kArena,
                                          SubgraphId(), *buffer.pinned,
                                          buffer.size, where));
    const auto id = needs.buffer_of[ref.subgraph.index()][ref.tensor.index()];
    if (!id.valid()) continue;
    offset_of.emplace(id, *buffer.pinned);
    offset_of_root.emplace(root_of(ref), *buffer.pinned);
  }
  for (const auto& [id, offset] : offset_of) {
    const schedule::BufferContent& content = needs.contents[id.index()];
    for (const TensorRef& ref : content.tensors) {
      if (layout.IsPlaced(ref)) continue;
      // A plan may have a loop's state in several places.
      const auto own = offset_of_root.find(root_of(ref));
      STOWPLAN_RETURN_IF_ERROR(
          layout.Place(ref, Region::Kind::kArena, SubgraphId(),
                       own == offset_of_root.end() ? offset : own->second,
                       needs.kinds.at(ref).bytes, ""));
    }
  }
  return std::move(layout).Finish();
}

Result<Layout> ReadOfflinePlan(const graph::Model& model,
                               const schedule::MemoryNeeds& needs,
                               std::span<const std::byte> content) {
  constexpr size_t kHeader = 3;
  size_t tensors = 0;
  for (const graph::Subgraph& subgraph : model.subgraphs) {
    tensors += subgraph.tensors.size();
  }
  std::vector<int32_t> words(content.size() / sizeof(int32_t));
  for (size_t i = 0; i < words.size(); ++i) {
    uint32_t word = 0;
    for (size_t b = 0; b < 4; ++b) {
      word |= static_cast<uint32_t>(content[4 * i + b]) << (8 * b);
    }
    words[i] = static_cast<int32_t>(word);
  }
  if (words.size() < kHeader + tensors ||
      words[2] != static_cast<int32_t>(tensors)) {
    return BadInput("metadata OfflineMemoryAllocation",
                    "it is not for the " + std::to_string(tensors) +
                        " tensors of this model",
                    "write it anew for this file");
  }
  STOWPLAN_TRY(layout, ForeignLayout::Create(model, needs, "offline plan"));
  size_t next = kHeader;
  for (size_t s = 0; s < model.subgraphs.size(); ++s) {
    for (size_t t = 0; t < model.subgraphs[s].tensors.size(); ++t) {
      const int32_t offset = words[next++];
      const graph::Tensor& tensor = model.subgraphs[s].tensors[t];
      if (offset == -1 || tensor.constant) continue;
      const std::string where =
          "offset of " +
          graph::PlaceOf(model.subgraphs[s], TensorId::FromIndex(t));
      const auto bytes = graph::SizeOf(tensor);
      if (!bytes) return BadInput(where, "the tensor's size is not known");
      STOWPLAN_RETURN_IF_ERROR(layout.Place(
          {SubgraphId::FromIndex(s), TensorId::FromIndex(t)},
          Region::Kind::kArena, SubgraphId(), offset, *bytes, where));
    }
  }
  return std::move(layout).Finish();
}

Result<Layout> ReadAddressList(const graph::Model& model,
                               const schedule::MemoryNeeds& needs,
                               std::string_view text) {
  STOWPLAN_TRY(layout, ForeignLayout::Create(model, needs, "addresses"));
  std::vector<AddressLine> lines;
  Bytes lowest = INT64_MAX;
  size_t temporaries = 0;
  for (int number = 1; !text.empty(); ++number) {
    const size_t end = text.find('\n');
    const std::string where = "line " + std::to_string(number);
    STOWPLAN_TRY(line, ParseAddressLine(text.substr(0, end), where, layout));
    text.remove_prefix(end == std::string_view::npos ? text.size() : end + 1);
    if (!line) continue;
    if (!layout.Has(line->tensor)) {
      ++temporaries;
      continue;
    }
    const graph::Tensor& tensor =
        model.subgraph(line->tensor.subgraph).tensor(line->tensor.tensor);
    if (tensor.constant || line->bytes == 0) continue;
    lowest = std::min(lowest, line->address);
    lines.push_back(*std::move(line));
  }
  for (const AddressLine& line : lines) {
    STOWPLAN_RETURN_IF_ERROR(layout.Place(line.tensor, Region::Kind::kArena,
                                          SubgraphId(), line.address - lowest,
                                          line.bytes, line.where));
  }
  STOWPLAN_TRY(result, std::move(layout).Finish());
  if (temporaries > 0) {
    result.notes.push_back(std::to_string(temporaries) +
                           " temporaries of kernels are left out, since the "
                           "list does not say whose they are");
  }
  return result;
}

}  // namespace stowplan::engines
