// SPDX-License-Identifier: Apache-2.0
//
// Sentences that several renderers say alike.
#pragma once

#include <string>

#include "stowplan/report/document.h"

namespace stowplan::report {

// "proved optimal: the arena is at the bound".
std::string VerdictText(const Arena& arena);

// The same; of another engine's plan, how far it is above its bound.
std::string VerdictText(const Document& document);

// What follows the bound's bytes: " at least under these rules".
std::string BoundText(const Document& document);

// What follows the persistent bytes: " that outlive a run: ...".
std::string PersistentText(const Document& document);

// "inputs recycle, outputs keep, ...".
std::string RulesText(const Options& options);

// "At IF (operator 3) 24.0 KiB (24,577 B) of the caller stay live under ...".
std::string CallText(const CallRow& call);

}  // namespace stowplan::report
