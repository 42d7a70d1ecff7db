// SPDX-License-Identifier: Apache-2.0
//
// From an engine's plan to the document that reports it, so that every
// renderer shows LiteRT's and TFLM's plans as it shows ours.
#pragma once

#include <vector>

#include "stowplan/base/error.h"
#include "stowplan/engines/engine.h"
#include "stowplan/engines/replay.h"
#include "stowplan/engines/tflm.h"
#include "stowplan/report/build.h"
#include "stowplan/report/document.h"
#include "stowplan/schedule/memory_needs.h"

namespace stowplan::report {

// A plan and what is known of it. The pointers are not null but `tflm`.
struct EnginePlan {
  const graph::Model* model = nullptr;           // As the engine took it.
  const schedule::MemoryNeeds* needs = nullptr;  // Of `model`, our rules.
  const engines::Layout* layout = nullptr;
  const engines::Replay* replay = nullptr;
  const engines::TflmPlan* tflm = nullptr;  // Null for other engines.
  engines::TflmOptions tflm_options;
};

// - `arena.bytes`: all arenas of the subgraphs together; of TFLM the head.
// - `arena.lower_bound`: what these live ranges would need at least, arena by
//   arena (plan::LowerBound).
// - Buffers of several arenas are drawn one arena above the other; offsets of
//   tensors count in their own.
// Errors: kInternal if a piece is no valid buffer.
// O((model + pieces + steps) log pieces).
Result<Document> DescribeEngine(const EnginePlan& plan,
                                const SourceInfo& source);

// The engine's row, without differences. Errors: as engines::ExplainArena.
Result<EngineRow> MakeEngineRow(const EnginePlan& plan);

// Fills `differences` of all rows but the first. Those of rows with an error,
// or against one, stay empty. O(rows).
void CompareEngines(std::vector<EngineRow>* rows);

}  // namespace stowplan::report
