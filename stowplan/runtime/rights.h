// SPDX-License-Identifier: Apache-2.0
//
// What a kernel declares, which may be anybody's, and what becomes of it.
// The right to write over an input is the kernel's. The planner knows the
// public operators' rights from a table; what a user's kernel declares for an
// operator of its own, or for one that it replaces, goes before.
#pragma once

#include <cstdint>
#include <optional>
#include <string>

#include "stowplan/base/error.h"
#include "stowplan/graph/model.h"
#include "stowplan/kernels/kernel.h"

namespace stowplan::runtime {

// What the graph is to say of the operator so that the planner keeps to
// `rights`, the bits of kernels::Needs::in_place; nothing if the table says
// the same already, or the graph itself says something. Of several inputs
// that the table does not know the first that has the output's shape counts.
std::optional<graph::InPlaceClaim> ClaimOf(const graph::Subgraph& subgraph,
                                           const graph::Operator& op,
                                           uint8_t rights);

// Errors (kUsage) if kernels cannot work on buffers of that alignment: their
// elements have up to 16 bytes.
Status CheckAlignment(Bytes alignment);

// Errors (kUsage) if sizes or alignment make no sense, or are more than plans
// of that alignment give. `place` is the operator, in words.
Status CheckNeeds(const kernels::Needs& needs, Bytes alignment,
                  const std::string& place);

}  // namespace stowplan::runtime
