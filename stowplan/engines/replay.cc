// SPDX-License-Identifier: Apache-2.0
#include "stowplan/engines/replay.h"

#include "stowplan/engines/replayer.h"

namespace stowplan::engines {
namespace {

using graph::OperatorRef;

std::string NameOf(const graph::Model& model, OperatorRef ref) {
  if (!ref.op.valid()) return "the caller";
  const graph::Operator& op =
      model.subgraph(ref.subgraph).operators[ref.op.index()];
  std::string name =
      "operator " + std::to_string(ref.op.value()) + " (" +
      (op.name.empty() || op.name == op.type ? op.type
                                             : op.name + ", " + op.type) +
      ")";
  if (ref.subgraph.value() > 0) {
    name += " of subgraph " + std::to_string(ref.subgraph.value());
  }
  return name;
}

}  // namespace

Replay ReplayPlan(const graph::Model& model, const Layout& layout,
                  const ReplayOptions& options) {
  return Replayer(model, layout, options).Run();
}

std::string Describe(const graph::Model& model, const BrokenRead& broken) {
  const std::string place = graph::PlaceOf(
      model.subgraph(broken.tensor.subgraph), broken.tensor.tensor);
  const std::string bytes = "[" + std::to_string(broken.bytes.begin) + ", " +
                            std::to_string(broken.bytes.end) + ")";
  std::string text = NameOf(model, broken.reader) + " reads " + place;
  text += broken.reader.op.valid() ? " at step " + std::to_string(broken.step)
                                   : " after the run";
  if (!broken.written) {
    return text + ", but nobody has written its bytes " + bytes;
  }
  text += ", but " + NameOf(model, broken.overwritten_by) + " has written ";
  text += broken.overwriting.tensor.valid()
              ? graph::PlaceOf(model.subgraph(broken.overwriting.subgraph),
                               broken.overwriting.tensor)
              : "its scratch";
  return text + " over bytes " + bytes;
}

}  // namespace stowplan::engines
