// SPDX-License-Identifier: Apache-2.0
//
// Facts of a model before any planning: what is in the file, of which kinds,
// what is dynamic and why.
#pragma once

#include <cstdint>
#include <string>
#include <vector>

#include "stowplan/base/bytes.h"
#include "stowplan/graph/model.h"
#include "stowplan/report/document.h"
#include "stowplan/schedule/memory_needs.h"

namespace stowplan::report {

struct EndRow {  // An input or output.
  int64_t tensor = 0;
  std::string name;
  std::string dtype;
  std::optional<graph::Shape> shape;
  graph::Shape signature;    // What the file leaves open; may be empty.
  std::string quantization;  // "scale 0.0078125, zero point -1", or empty.
};

struct SubgraphFacts {
  std::string name;
  int64_t tensors = 0;
  int64_t operators = 0;
  bool reached = false;  // From the entry that is planned.
  std::vector<EndRow> inputs;
  std::vector<EndRow> outputs;
};

struct SignatureFacts {
  std::string key;
  int64_t subgraph = 0;
  std::vector<std::string> inputs;
  std::vector<std::string> outputs;
};

struct CountRow {  // How many, and how many bytes.
  std::string what;
  int64_t count = 0;
  Bytes bytes = 0;
};

struct Inspection {
  std::string path;
  Bytes file_bytes = 0;
  std::string description;
  std::vector<std::string> metadata;
  int64_t external_buffers = 0;
  std::vector<SubgraphFacts> subgraphs;
  std::vector<SignatureFacts> signatures;
  std::vector<CountRow> operators;             // By type, most frequent first.
  std::vector<std::string> unknown_operators;  // Types outside the format.
  std::vector<CountRow> kinds;                 // By schedule::Kind.
  std::vector<CountRow> dtypes;                // By element type.
  std::vector<CountRow> quantization;  // By scheme: tensors and their bytes.
  int64_t variables = 0;               // Tensors and shared resources.
  int64_t sparse = 0;
  std::vector<DynamicRow> dynamic;
};

// REQUIRES: `needs` is of `model`. O(model).
Inspection Inspect(const graph::Model& model,
                   const schedule::MemoryNeeds& needs, const std::string& path,
                   Bytes file_bytes);

// For a terminal. O(inspection).
std::string ToText(const Inspection& inspection);

// One JSON document, schema "stowplan.inspect/1". O(inspection).
std::string ToJson(const Inspection& inspection);

}  // namespace stowplan::report
