// SPDX-License-Identifier: Apache-2.0
//
// A replay as the document "stowplan.verify/1".
#pragma once

#include <string>
#include <string_view>

#include "stowplan/engines/lint.h"
#include "stowplan/engines/replay.h"
#include "stowplan/graph/model.h"

namespace stowplan::engines {

// One document, ending in a line end. `engine` is empty for a plan of no
// engine; it becomes null. `lint` may be null, and the document then has no
// such member. O(violations + findings).
std::string WriteVerifyJson(const graph::Model& model, const Layout& layout,
                            const Replay& replay, std::string_view engine,
                            const Lint* lint = nullptr);

}  // namespace stowplan::engines
