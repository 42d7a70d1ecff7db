// SPDX-License-Identifier: Apache-2.0
#include <algorithm>
#include <cstdint>
#include <limits>
#include <optional>
#include <set>
#include <string>
#include <utility>

#include "nlohmann/json.hpp"
#include "stowplan/engines/foreign_layout.h"
#include "stowplan/engines/foreign_plan.h"

namespace stowplan::engines {
namespace {

using graph::OperatorId;
using graph::SubgraphId;
using graph::TensorId;
using graph::TensorRef;
using nlohmann::json;

constexpr const char* kOtherModel = "give the plan of this model and shapes";

// A member that is there and not null.
const json* Member(const json& object, const char* key) {
  if (!object.is_object()) return nullptr;
  const auto found = object.find(key);
  return found == object.end() || found->is_null() ? nullptr : &*found;
}

std::string TextOf(const json& object, const char* key) {
  const json* member = Member(object, key);
  return member != nullptr && member->is_string() ? member->get<std::string>()
                                                  : "";
}

// Nothing if the member is null or not there. Errors: kBadInput for what is
// no integer from 0 to `most`.
Result<std::optional<int64_t>> IntOf(
    const json& object, const char* key, const std::string& where,
    int64_t most = std::numeric_limits<int64_t>::max()) {
  const json* member = Member(object, key);
  if (member == nullptr) return std::nullopt;
  const bool fits = member->is_number_unsigned() &&
                    member->get<uint64_t>() <= static_cast<uint64_t>(most);
  if (!fits) {
    return BadInput(where + "." + key,
                    "it is no whole number from 0 to " + std::to_string(most),
                    "make the plan with `stowplan plan MODEL --json`");
  }
  return std::optional<int64_t>(static_cast<int64_t>(member->get<uint64_t>()));
}

// A row of `tensors` as it is read.
struct Row {
  std::string where;
  std::string kind;
  SubgraphId subgraph, arena;
  std::optional<TensorRef> tensor;
  std::optional<int64_t> owner, bytes, offset;

  bool InArena() const { return kind == "arena" || kind == "scratch"; }
};

class PlanReader {
 public:
  PlanReader(const graph::Model& model, const json& document,
             ForeignLayout layout)
      : model_(model),
        document_(document),
        engine_(TextOf(document, "engine")),
        layout_(std::move(layout)) {}

  Result<Layout> Read() && {
    for (const char* key : {"model", "options", "arena"}) {
      const json* part = Member(document_, key);
      if (part == nullptr || part->is_object()) continue;
      return BadInput(std::string("plan.") + key, "it is no object",
                      "make the plan with `stowplan plan MODEL --json`");
    }
    STOWPLAN_RETURN_IF_ERROR(CheckModel());
    const json* tensors = Member(document_, "tensors");
    if (tensors == nullptr || !tensors->is_array()) {
      return BadInput("plan.tensors", "it is no list",
                      "make the plan with `stowplan plan MODEL --json`");
    }
    if (const json* options = Member(document_, "options")) {
      STOWPLAN_TRY(alignment, IntOf(*options, "alignment", "plan.options"));
      alignment_ = std::max<int64_t>(alignment.value_or(1), 1);
    }
    size_t index = 0;
    for (const json& entry : *tensors) {
      STOWPLAN_TRY(
          row, ReadRow(entry, "plan.tensors[" + std::to_string(index++) + "]"));
      STOWPLAN_RETURN_IF_ERROR(Place(row));
    }
    STOWPLAN_RETURN_IF_ERROR(CheckAllPlaced());
    STOWPLAN_TRY(result, std::move(layout_).Finish());
    if (misaligned_ > 0) {
      result.notes.push_back(
          std::to_string(misaligned_) + " offsets are no multiples of " +
          std::to_string(alignment_) + " (options.alignment); the first is " +
          first_misaligned_);
    }
    if (resized_ > 0) {
      result.notes.push_back(
          std::to_string(resized_) +
          " tensors have other sizes in the plan than inference finds: TFLM "
          "takes the shapes that the file stores");
    }
    return result;
  }

 private:
  Status CheckModel() const {
    const json* model = Member(document_, "model");
    if (model == nullptr) return {};
    size_t operators = 0;
    for (const auto& subgraph : model_.subgraphs) {
      operators += subgraph.operators.size();
    }
    const std::pair<const char*, size_t> counts[] = {
        {"subgraphs", model_.subgraphs.size()}, {"operators", operators}};
    for (const auto& [key, count] : counts) {
      STOWPLAN_TRY(said, IntOf(*model, key, "plan.model"));
      if (said && *said != static_cast<int64_t>(count)) {
        return BadInput(std::string("plan.model.") + key,
                        "it is " + std::to_string(*said) +
                            ", but the model has " + std::to_string(count),
                        kOtherModel);
      }
    }
    return {};
  }

  Result<Row> ReadRow(const json& entry, const std::string& where) {
    if (!entry.is_object()) return BadInput(where, "it is no object");
    Row row;
    row.where = where;
    row.kind = TextOf(entry, "kind");
    constexpr const char* kKinds[] = {"arena",   "scratch", "persistent",
                                      "dynamic", "mapped",  "none"};
    if (std::find(std::begin(kKinds), std::end(kKinds), row.kind) ==
        std::end(kKinds)) {
      return BadInput(where + ".kind", "it is none that plans have",
                      "write arena, scratch, persistent, dynamic, mapped or "
                      "none");
    }
    STOWPLAN_TRY(subgraph, IntOf(entry, "subgraph", where, INT32_MAX));
    STOWPLAN_TRY(tensor, IntOf(entry, "tensor", where, INT32_MAX));
    STOWPLAN_TRY(arena, IntOf(entry, "arena", where, INT32_MAX));
    STOWPLAN_TRY(owner, IntOf(entry, "owner", where, INT32_MAX));
    STOWPLAN_TRY(bytes, IntOf(entry, "bytes", where));
    STOWPLAN_TRY(offset, IntOf(entry, "offset", where));
    if (!subgraph) return BadInput(where, "its subgraph is missing");
    row.subgraph = SubgraphId(static_cast<int32_t>(*subgraph));
    // A callee's input may lie in its caller's arena.
    row.arena = SubgraphId(static_cast<int32_t>(arena.value_or(*subgraph)));
    row.owner = owner;
    row.bytes = bytes;
    row.offset = offset;
    if (tensor) {
      row.tensor = {row.subgraph, TensorId(static_cast<int32_t>(*tensor))};
      STOWPLAN_RETURN_IF_ERROR(CheckTensor(entry, &row));
    }
    return row;
  }

  // Whether the row is of the model's tensor; adds the tensor to `where`.
  Status CheckTensor(const json& entry, Row* row) {
    if (!layout_.Has(*row->tensor)) {
      return BadInput(row->where, "the model has no such tensor", kOtherModel);
    }
    const graph::Subgraph& subgraph = model_.subgraph(row->subgraph);
    const graph::Tensor& tensor = subgraph.tensor(row->tensor->tensor);
    row->where += ", " + graph::PlaceOf(subgraph, row->tensor->tensor);
    const std::string name = TextOf(entry, "name");
    // What was no UTF-8 has other bytes in the document.
    const bool comparable = !name.empty() && !tensor.name.empty() &&
                            name.find("\xEF\xBF\xBD") == std::string::npos;
    if (comparable && name != tensor.name) {
      return BadInput(row->where,
                      "the plan calls it '" + graph::Clipped(name) + "'",
                      kOtherModel);
    }
    if (row->kind == "mapped" && !tensor.constant) {
      return BadInput(row->where, "it is no constant, but the plan maps it",
                      kOtherModel);
    }
    return CheckBytes(*row, graph::SizeOf(tensor));
  }

  Status CheckBytes(const Row& row, std::optional<Bytes> size) {
    const bool sized =
        row.kind == "arena" || row.kind == "persistent" || row.kind == "mapped";
    if (!sized || !size || !row.bytes || *row.bytes == *size) return {};
    if (engine_ == "tflm") {  // It takes the shapes that the file stores.
      ++resized_;
      return {};
    }
    return BadInput(row.where,
                    "the plan gives it " + std::to_string(*row.bytes) +
                        " bytes, but it has " + std::to_string(*size),
                    kOtherModel);
  }

  Status Place(const Row& row) {
    const bool persistent = row.kind == "persistent";
    if (!row.InArena() && !persistent) {
      if (row.tensor && row.kind != "mapped") left_out_.insert(*row.tensor);
      return {};
    }
    if (!row.bytes) {
      return BadInput(row.where, "its bytes are missing",
                      "write how many it needs");
    }
    if (!row.offset) {
      if (*row.bytes == 0 || !row.InArena()) return {};
      return BadInput(row.where, "it has no offset", "write where it lies");
    }
    if (row.InArena()) {
      STOWPLAN_RETURN_IF_ERROR(CheckExtent(row));
      NoteAlignment(row);
    }
    const SubgraphId owner = engine_ == "litert" ? row.arena : SubgraphId();
    if (row.tensor) {
      return layout_.Place(
          *row.tensor,
          persistent ? Region::Kind::kPersistent : Region::Kind::kArena, owner,
          *row.offset, *row.bytes, row.where);
    }
    if (!row.owner || persistent) return {};
    return layout_.PlaceScratch(
        {row.subgraph, OperatorId(static_cast<int32_t>(*row.owner))}, owner,
        *row.offset, *row.bytes, row.where);
  }

  // The bytes of the arena in which the row lies; nothing if the plan does
  // not say it.
  Result<std::optional<int64_t>> ArenaOf(const Row& row) const {
    const json* arenas = Member(document_, "arenas");
    if (engine_ == "litert" && arenas != nullptr && arenas->is_array()) {
      for (const json& entry : *arenas) {
        STOWPLAN_TRY(subgraph, IntOf(entry, "subgraph", "plan.arenas"));
        if (subgraph != row.arena.value()) continue;
        return IntOf(entry, "bytes", "plan.arenas");
      }
    }
    const json* arena = Member(document_, "arena");
    if (arena == nullptr) return std::nullopt;
    return IntOf(*arena, "bytes", "plan.arena");
  }

  Status CheckExtent(const Row& row) const {
    STOWPLAN_TRY(most, ArenaOf(row));
    if (!most || (*row.bytes <= *most && *row.offset <= *most - *row.bytes)) {
      return {};
    }
    return BadInput(row.where,
                    "its " + std::to_string(*row.bytes) + " bytes at offset " +
                        std::to_string(*row.offset) +
                        " end beyond the plan's arena of " +
                        std::to_string(*most) + " bytes",
                    "correct the offset or arena.bytes");
  }

  void NoteAlignment(const Row& row) {
    if (*row.offset % alignment_ == 0) return;
    if (misaligned_++ == 0) {
      first_misaligned_ = std::to_string(*row.offset) + " of " + row.where;
    }
  }

  // An engine may size a tensor when it runs, or never run its subgraph; then
  // its row says so. Ours places all that have a size.
  Status CheckAllPlaced() const {
    const bool engine = engine_ == "litert" || engine_ == "tflm";
    for (const TensorRef& ref : layout_.Unplaced()) {
      if (engine && left_out_.count(ref) > 0) continue;
      return BadInput(
          "plan.tensors",
          graph::PlaceOf(model_.subgraph(ref.subgraph), ref.tensor) +
              " of subgraph " + std::to_string(ref.subgraph.value()) +
              " needs bytes in the arena, but has no place",
          kOtherModel);
    }
    return {};
  }

  const graph::Model& model_;
  const json& document_;
  const std::string engine_;
  ForeignLayout layout_;
  int64_t alignment_ = 1;
  std::set<TensorRef> left_out_;  // Those whose row says that they are.
  size_t resized_ = 0;
  size_t misaligned_ = 0;
  std::string first_misaligned_;
};

}  // namespace

Result<Layout> ReadPlanJson(const graph::Model& model,
                            const schedule::MemoryNeeds& needs,
                            std::string_view text) {
  const json document = json::parse(text, nullptr, false);
  if (TextOf(document, "schema") != "stowplan.plan/1") {
    return BadInput("plan", "it is no document stowplan.plan/1",
                    "make one with `stowplan plan MODEL --json`");
  }
  std::string engine = TextOf(document, "engine");
  if (engine.empty()) engine = "plan";
  STOWPLAN_TRY(layout, ForeignLayout::Create(model, needs, engine));
  return PlanReader(model, document, std::move(layout)).Read();
}

}  // namespace stowplan::engines
