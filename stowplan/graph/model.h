// SPDX-License-Identifier: Apache-2.0
//
// The model graph: subgraphs of tensors and operators. It knows no file
// format; constants are views into memory that the importer keeps alive.
#pragma once

#include <memory>
#include <optional>
#include <span>
#include <string>
#include <vector>

#include "stowplan/base/bytes.h"
#include "stowplan/base/dtype.h"
#include "stowplan/base/id.h"
#include "stowplan/graph/attributes.h"
#include "stowplan/graph/op_kind.h"

namespace stowplan::graph {

// Ids count inside their subgraph, as in the file.
using TensorId = Id<struct TensorTag>;
using OperatorId = Id<struct OperatorTag>;
using SubgraphId = Id<struct SubgraphTag>;

// Dimensions, outermost first; -1 is one that is not known (yet).
using Shape = std::vector<int64_t>;
constexpr int64_t kUnknownDim = -1;
// No tensor has more dimensions.
constexpr size_t kMaxRank = 64;

struct Quantization {
  enum class Scheme { kNone, kPerTensor, kPerChannel, kBlockwise };
  Scheme scheme = Scheme::kNone;
  std::vector<float> scales;
  std::vector<int64_t> zero_points;
  int32_t dimension = 0;  // kPerChannel: the axis; kBlockwise: the block size.
};

struct Tensor {
  std::string name;
  DType dtype = DType::kFloat32;
  std::optional<Shape> shape;  // Nothing: not even the rank is known.
  Shape signature;             // What the file leaves open (-1); may be empty.
  Quantization quantization;
  std::span<const std::byte> data;  // A constant's content, else empty.
  bool constant = false;  // Has content (maybe of no bytes) that never changes.
  bool variable = false;  // Its value outlives an invoke.
  bool sparse = false;    // Constant, stored without most of its zeros.
  // The size where the shape does not decide it: sparse constants, and graphs
  // that are described by sizes alone.
  std::optional<Bytes> bytes;
};

// What a graph itself says of an operator's right to share bytes; overrides
// the table of operator traits.
struct InPlaceClaim {
  enum class Kind { kView, kOverwrite, kNone };
  Kind kind = Kind::kNone;
  size_t input = 0;  // The position of the input that output 0 shares with.
};

struct Operator {
  OpKind kind = OpKind::kCustom;
  std::string type;  // "CONV_2D", or a custom operator's own name.
  std::string name;  // The operator's own name where it has one, else empty.
  std::vector<TensorId> inputs;  // An invalid id is an input left out.
  std::vector<TensorId> outputs;
  std::vector<TensorId> intermediates;  // May be left out, too.
  Attributes attributes;
  std::vector<SubgraphId> callees;  // IF: then, else. WHILE: cond, body.
  std::optional<InPlaceClaim> in_place;
  Bytes scratch = 0;  // Bytes it needs during its own step only.
};

struct Subgraph {
  std::string name;
  std::vector<Tensor> tensors;
  std::vector<Operator> operators;  // In the order in which they run.
  std::vector<TensorId> inputs;
  std::vector<TensorId> outputs;

  const Tensor& tensor(TensorId id) const { return tensors[id.index()]; }
  Tensor& tensor(TensorId id) { return tensors[id.index()]; }
};

// An entry point by name.
struct Signature {
  struct Binding {
    std::string name;
    TensorId tensor;
  };
  std::string key;
  SubgraphId subgraph;
  std::vector<Binding> inputs;
  std::vector<Binding> outputs;
};

// Facts of the file that planning does not need but people ask for.
struct SourceFacts {
  Bytes bytes = 0;  // Of the whole file; 0 if there is none.
  std::string description;
  std::vector<std::string> metadata;  // Names of the entries.
  int64_t external_buffers = 0;       // Those outside the FlatBuffer.
};

// Invariant of every model that an importer returns: all ids are valid for
// their subgraph (inputs may be left out), callees exist and do not form a
// cycle, and no operator reads a tensor that only a later one writes.
struct Model {
  std::vector<Subgraph> subgraphs;  // The first is the default entry point.
  std::vector<Signature> signatures;
  std::optional<Bytes> alignment;  // Asked for by the graph's description.
  SourceFacts source;
  std::shared_ptr<const void> storage;  // Keeps the constants' memory alive.

  const Subgraph& subgraph(SubgraphId id) const {
    return subgraphs[id.index()];
  }
  Subgraph& subgraph(SubgraphId id) { return subgraphs[id.index()]; }
};

// Whether output 0 is that input under another shape: as the operator itself
// claims or else by the table of traits.
bool IsView(const Operator& op, size_t input);

// The bytes of a tensor's value: `bytes` where given, else shape times type.
// Nothing if a dimension is unknown, the type has no fixed size, or the
// product does not fit in 64 bits.
std::optional<Bytes> SizeOf(const Tensor& tensor);

// A name from a file as messages show it: cut where it is very long.
std::string Clipped(const std::string& name);

// "tensor 12 (conv1)"; long names are cut.
std::string PlaceOf(const Subgraph& subgraph, TensorId id);

}  // namespace stowplan::graph
