// SPDX-License-Identifier: Apache-2.0
//
// What every command has in common: one file a command, which parses, calls
// the libraries and prints.
#pragma once

#include <functional>
#include <string>
#include <vector>

#include "CLI/CLI.hpp"
#include "stowplan/cli/exit_code.h"

namespace stowplan::cli {

// A command adds itself to `app`; when it was chosen, `run` is set to what
// does its job.
using Run = std::function<ExitCode()>;

void AddReport(CLI::App& app, Run* run);
void AddPlan(CLI::App& app, Run* run);
void AddInspect(CLI::App& app, Run* run);
void AddPack(CLI::App& app, Run* run);
void AddVerify(CLI::App& app, Run* run);
void AddRun(CLI::App& app, Run* run);

// Where a result goes.
struct OutputOptions {
  std::string path;  // Empty: stdout.
  bool force = false;
};
void AddOutputOptions(CLI::App& command, OutputOptions* options);

// Prints to stdout, or writes the file.
ExitCode Emit(const OutputOptions& options, const std::string& content,
              const std::vector<std::string>& inputs);

}  // namespace stowplan::cli
