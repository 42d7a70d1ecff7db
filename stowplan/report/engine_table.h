// SPDX-License-Identifier: Apache-2.0
//
// The engines side by side, as cells that text and page both show.
#pragma once

#include <string>
#include <vector>

#include "stowplan/report/document.h"

namespace stowplan::report {

struct EngineTable {
  std::vector<std::string> heads;               // "", then the engines.
  std::vector<std::vector<std::string>> lines;  // Title, then a cell each.
};

// A line a cause that is not 0 for all, the arena's sum, what lies outside of
// it, and whether each plan is sound. O(engines).
EngineTable MakeEngineTable(const Document& document);

// The table for a terminal, numbers at the right.
std::string ToText(const EngineTable& table);

// "litert takes 819,200 B more than stowplan"; what stands instead for an
// engine with an error.
std::string DifferenceText(const EngineRow& base, const EngineRow& row);

// The sentence on the least arena that works, and its phases.
std::string TflmText(const TflmFigures& figures);

}  // namespace stowplan::report
