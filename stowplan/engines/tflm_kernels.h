// SPDX-License-Identifier: Apache-2.0
//
// The table of TFLM's kernels and the requests that one of them makes for one
// operator of a graph.
#pragma once

#include <optional>
#include <string>
#include <string_view>
#include <vector>

#include "stowplan/base/error.h"
#include "stowplan/engines/tflm.h"
#include "stowplan/graph/model.h"

namespace stowplan::engines {

// Sizes of one structure: [pointers of 4 bytes ? 1 : 0][plain ? 1 : 0].
struct TflmSizes {
  Bytes bytes[2][2] = {{0, 0}, {0, 0}};

  Bytes Of(const TflmOptions& options) const {
    return bytes[options.pointer_bytes == 4 ? 1 : 0]
                [options.build == TflmBuild::kPlain ? 1 : 0];
  }
};

// A row of tflm_kernels.def.
struct TflmKernel {
  std::string_view name;
  Bytes options_bytes = 0;
  Bytes options_alignment = 1;  // With 8-byte pointers.
  bool keeps_op_data = false;
  TflmSizes op_data;
  std::string_view prepare;
};

// The row for an operator by its type's name; null if there is none.
const TflmKernel* FindTflmKernel(std::string_view name);

// All rows, in the table's order.
const std::vector<TflmKernel>& TflmKernels();

// What Prepare asks for, one after the other.
struct KernelRequest {
  enum class Kind { kTemporary, kPersistent, kScratch };
  Kind kind = Kind::kTemporary;
  graph::TensorId tensor;  // kTemporary: whose structure.
  Bytes bytes = 0;         // The others.
};

struct KernelRequests {
  std::vector<Bytes> init;  // Persistent, op_data first.
  std::vector<KernelRequest> prepare;
  // Whether the kernel needs to know something that the file does not say;
  // then what it depends on is not counted.
  bool incomplete = false;
};

// Errors: kBadInput for sizes that do not fit. The memory of variables, which
// the first writer asks for, is in here for each writer. O(words + operands).
Result<KernelRequests> RequestsOf(const TflmKernel& kernel,
                                  const graph::Subgraph& subgraph,
                                  const graph::Operator& op,
                                  const TflmOptions& options);

// Whether the words of a row can be understood; for tests of the table.
bool IsTflmProgram(std::string_view prepare);

}  // namespace stowplan::engines
