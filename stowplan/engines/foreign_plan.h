// SPDX-License-Identifier: Apache-2.0
//
// Plans that other tools made, in the terms of the judge. `needs` tells which
// tensors need bytes in the arena. A plan need not place all of them: what it
// leaves out has bytes of its own, and a note says how much that is. One that
// places none is an error (kBadInput), since there is nothing to judge.
#pragma once

#include <cstddef>
#include <span>
#include <string>
#include <string_view>

#include "stowplan/base/error.h"
#include "stowplan/engines/engine.h"
#include "stowplan/graph/model.h"
#include "stowplan/schedule/memory_needs.h"

namespace stowplan::engines {

// The document "stowplan.plan/1" that `plan --json` writes, for any engine. A
// note says which offsets miss the document's alignment.
// Errors: kBadInput naming the entry if it is of another model, lies beyond
// the document's arena, or has no place where it needs one.
Result<Layout> ReadPlanJson(const graph::Model& model,
                            const schedule::MemoryNeeds& needs,
                            std::string_view text);

// MiniMalloc's CSV with an `offset` column. `id` is a tensor: its name, its
// number in the entry subgraph, or SUBGRAPH:NUMBER. Tensors that share a
// buffer with one of those (`needs`) lie where it does unless they are listed
// themselves. Errors: kBadInput naming the line or the id.
Result<Layout> ReadMiniMallocPlan(const graph::Model& model,
                                  const schedule::MemoryNeeds& needs,
                                  std::string_view text);

// The content of TFLM's metadata entry `OfflineMemoryAllocation`: little
// endian 32-bit words, of which the third is the number of all tensors of all
// subgraphs, and each one behind it an offset or -1 (placed at run time).
// Errors: kBadInput if it is too short or of another model.
Result<Layout> ReadOfflinePlan(const graph::Model& model,
                               const schedule::MemoryNeeds& needs,
                               std::span<const std::byte> content);

// Lines "TENSOR ADDRESS BYTES", with commas or blanks between; TENSOR as
// NUMBER or SUBGRAPH:NUMBER, ADDRESS decimal or 0x..., '#' begins a comment.
// Numbers beyond the file's tensors are temporaries of kernels; who owns them
// is not known, and they are left out. Errors: kBadInput naming the line.
Result<Layout> ReadAddressList(const graph::Model& model,
                               const schedule::MemoryNeeds& needs,
                               std::string_view text);

}  // namespace stowplan::engines
