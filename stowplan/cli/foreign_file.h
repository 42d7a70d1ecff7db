// SPDX-License-Identifier: Apache-2.0
//
// A plan that another tool made, from a file or from the model itself.
#pragma once

#include <string>

#include "stowplan/base/error.h"
#include "stowplan/cli/model_options.h"
#include "stowplan/engines/engine.h"
#include "stowplan/schedule/memory_needs.h"

namespace stowplan::cli {

// `path` names a file, or is "metadata": the entry OfflineMemoryAllocation in
// the model's file. `format` is json, csv, tflm, addresses or auto, which
// looks at the content. Errors: kIo, kBadInput naming the place.
Result<engines::Layout> ReadForeignPlan(const std::string& path,
                                        const std::string& format,
                                        const LoadedModel& loaded,
                                        const schedule::MemoryNeeds& needs);

}  // namespace stowplan::cli
