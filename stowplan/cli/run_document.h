// SPDX-License-Identifier: Apache-2.0
//
// What a run has shown, for people and for programs.
#pragma once

#include <string>

#include "stowplan/cli/run_model.h"

namespace stowplan::cli {

// One document of schema stowplan.run/1.
std::string ToRunJson(const RunResult& result);

// `operators`: the table of the slowest ones too.
std::string ToRunText(const RunResult& result, bool operators);

}  // namespace stowplan::cli
