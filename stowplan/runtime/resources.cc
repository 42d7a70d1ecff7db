// SPDX-License-Identifier: Apache-2.0
#include "stowplan/runtime/resources.h"

#include <algorithm>
#include <cstdint>
#include <cstring>
#include <utility>

#include "stowplan/base/checked_math.h"

namespace stowplan::runtime {

namespace {

using graph::SubgraphId;
using graph::TensorId;
using graph::TensorRef;

// FNV-1a, 64 bits: Fowler, Noll, Vo, "The FNV Non-Cryptographic Hash
// Algorithm".
class Fingerprint {
 public:
  void Add(uint64_t number) {
    for (int byte = 0; byte < 8; ++byte, number >>= 8) {
      AddByte(number & 0xFF);
    }
  }
  void Add(const std::string& text) {
    Add(text.size());
    for (char c : text) AddByte(static_cast<uint8_t>(c));
  }
  void Add(const std::vector<TensorId>& ids) {
    Add(ids.size());
    for (TensorId id : ids) Add(static_cast<uint64_t>(id.value()));
  }
  uint64_t value() const { return hash_; }

 private:
  void AddByte(uint64_t byte) { hash_ = (hash_ ^ byte) * 0x100000001B3; }

  uint64_t hash_ = 0xCBF29CE484222325;
};

// The same for copies of one model, whatever shapes their inputs have: its
// structure, and where its constants lie. An importer need not be given the
// file's storage, which would say it more simply.
uint64_t FingerprintOf(const graph::Model& model) {
  Fingerprint print;
  print.Add(model.subgraphs.size());
  for (const graph::Subgraph& subgraph : model.subgraphs) {
    print.Add(subgraph.name);
    print.Add(subgraph.tensors.size());
    for (const graph::Tensor& tensor : subgraph.tensors) {
      print.Add(tensor.name);
      print.Add(static_cast<uint64_t>(tensor.dtype));
      print.Add(reinterpret_cast<uintptr_t>(tensor.data.data()));
      print.Add(tensor.data.size());
    }
    print.Add(subgraph.operators.size());
    for (const graph::Operator& op : subgraph.operators) {
      print.Add(op.type);
      print.Add(op.inputs);
      print.Add(op.outputs);
      for (SubgraphId id : op.callees) {
        print.Add(static_cast<uint64_t>(id.value()));
      }
    }
  }
  return print.value();
}

}  // namespace

void Resources::Reset() {
  for (Variable& variable : variables_) {
    std::memset(variable.memory->data(), 0,
                static_cast<size_t>(variable.bytes));
  }
  std::fill(called_.begin(), called_.end(), false);
}

Status Resources::Join(const graph::Model& model, Program& program) {
  const uint64_t fingerprint = FingerprintOf(model);
  if (!called_.empty() && model_ != fingerprint) {
    return UsageError("resources", "they belong to another model",
                      "give each model resources of its own");
  }
  model_ = fingerprint;
  called_.resize(model.subgraphs.size());
  const auto& variable_of = program.needs().kinds.variable_of;
  for (size_t s = 0; s < variable_of.size(); ++s) {
    for (size_t t = 0; t < variable_of[s].size(); ++t) {
      const TensorRef first = variable_of[s][t];
      const TensorRef self = {SubgraphId::FromIndex(s), TensorId::FromIndex(t)};
      const Bytes bytes = program.KindOf(self).bytes;
      if (!first.tensor.valid() || bytes == 0) continue;
      const graph::Subgraph& subgraph =
          program.model().subgraph(first.subgraph);
      const auto producer =
          program.needs()
              .uses[first.subgraph.index()][first.tensor.index()]
              .producer;
      STOWPLAN_TRY(data, Find(subgraph.operators[producer.index()], bytes));
      program.Place(self, data);
    }
  }
  return {};
}

Result<std::byte*> Resources::Find(const graph::Operator& handle, Bytes bytes) {
  const std::string container = handle.attributes.String("container", "");
  const std::string name = handle.attributes.String("shared_name", "");
  for (Variable& known : variables_) {
    if (known.container != container || known.name != name) continue;
    if (known.bytes == bytes) return known.memory->data();
    return BadInput("variable '" + name + "'",
                    "it has " + std::to_string(bytes) + " bytes here and " +
                        std::to_string(known.bytes) + " in another interpreter",
                    "give both inputs of the same shapes");
  }
  auto memory = std::make_unique<Arena>("shared variables");
  if (given_.data() != nullptr) {
    // Behind those that are there; each at a multiple of 64.
    const auto taken = static_cast<size_t>(
        std::min(bytes_, static_cast<Bytes>(AlignedPart(given_).size())));
    memory->Use(bytes_ == 0 ? given_ : AlignedPart(given_).subspan(taken));
  }
  STOWPLAN_RETURN_IF_ERROR(memory->Commit(bytes, Shrink::kShrink));
  std::memset(memory->data(), 0, static_cast<size_t>(bytes));
  std::byte* data = memory->data();
  bytes_ += AlignUp(bytes, Arena::kAlignment);
  variables_.push_back({container, name, bytes, std::move(memory)});
  return data;
}

}  // namespace stowplan::runtime
