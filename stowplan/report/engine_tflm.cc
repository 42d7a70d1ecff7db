// SPDX-License-Identifier: Apache-2.0
#include "stowplan/report/engine_tflm.h"

#include <algorithm>
#include <utility>

#include "stowplan/report/names.h"

namespace stowplan::report {
namespace {

using engines::Layout;
using engines::Piece;
using engines::Region;

KeepRow RowOf(const Layout& layout, const Piece& piece) {
  KeepRow row;
  row.what = ToUtf8(piece.label);
  row.region = NameOf(layout.regions[piece.region].kind);
  row.phase =
      layout.phases[std::min(piece.phases.begin, layout.phases.size() - 1)]
          .name;
  if (piece.op.op.valid()) {
    row.subgraph = piece.op.subgraph.value();
    row.op = piece.op.op.value();
  }
  row.bytes = piece.bytes;
  row.offset = piece.offset;
  return row;
}

}  // namespace

TflmFigures TflmFiguresOf(const EnginePlan& plan) {
  const Layout& layout = *plan.layout;
  TflmFigures figures;
  figures.least_arena_bytes = plan.tflm->least_arena_bytes;
  figures.head_bytes = plan.tflm->head_bytes;
  figures.tail_bytes = plan.tflm->tail_bytes;
  figures.pointer_bytes = plan.tflm_options.pointer_bytes;
  figures.build =
      plan.tflm_options.build == engines::TflmBuild::kWheel ? "wheel" : "plain";
  for (const std::string& name : plan.tflm->without_kernel) {
    figures.without_kernel.push_back(ToUtf8(name));
  }
  for (const engines::TflmPhase& phase : plan.tflm->phases) {
    figures.phases.push_back({phase.name, phase.bytes});
  }
  for (const Piece& piece : layout.pieces) {
    const bool planned =
        layout.regions[piece.region].kind == Region::Kind::kArena;
    if (piece.tensor.tensor.valid() || planned) continue;
    figures.kept.push_back(RowOf(layout, piece));
  }
  return figures;
}

}  // namespace stowplan::report
