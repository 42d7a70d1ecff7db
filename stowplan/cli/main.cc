// SPDX-License-Identifier: Apache-2.0
//
// stowplan: plans, explains and guards the memory of on-device inference.
#include <cstdio>
#include <exception>
#include <string>

#include "CLI/CLI.hpp"
#include "stowplan/cli/command.h"
#include "stowplan/cli/exit_code.h"
#include "stowplan/cli/file.h"

#ifndef STOWPLAN_VERSION
#error "The build has to define STOWPLAN_VERSION"
#endif

namespace stowplan::cli {

void AddOutputOptions(CLI::App& command, OutputOptions* options) {
  command.add_option("-o,--output", options->path,
                     "Write to this file instead of stdout");
  command.add_flag("--force", options->force,
                   "Replace the file even if it is no document of ours");
}

ExitCode Emit(const OutputOptions& options, const std::string& content,
              const std::vector<std::string>& inputs) {
  if (!options.path.empty()) {
    const Status status =
        WriteOutput(options.path, content, options.force, inputs);
    return status ? kDone : Fail(status.error());
  }
  const size_t written = std::fwrite(content.data(), 1, content.size(), stdout);
  if (written != content.size() || std::fflush(stdout) != 0) {
    return Fail(Error{ErrorKind::kIo, "stdout", "could not be written", ""});
  }
  return kDone;
}

namespace {

int Main(int argc, char** argv) {
  CLI::App app("Plans, explains and guards the memory of on-device inference");
  app.name("stowplan");
  app.require_subcommand(1);
  app.set_version_flag("--version", std::string("stowplan " STOWPLAN_VERSION));
  app.footer(
      "Example:\n  stowplan report model.tflite -o report.html\n\n"
      "Exit codes: 0 done; 1 the answer is no; 2 usage; 3 bad input; 4 "
      "internal.");
  Run run;
  AddReport(app, &run);
  AddPlan(app, &run);
  AddInspect(app, &run);
  AddPack(app, &run);
  AddVerify(app, &run);
  AddRun(app, &run);
  try {
    app.parse(argc, argv);
  } catch (const CLI::ParseError& error) {
    if (error.get_exit_code() == 0) return app.exit(error);  // --help.
    PrintError(std::string("error: ") + error.what() + "; see stowplan --help");
    return kUsage;
  }
  return run();
}

}  // namespace
}  // namespace stowplan::cli

int main(int argc, char** argv) {
  try {
    return stowplan::cli::Main(argc, argv);
  } catch (const std::bad_alloc&) {
    stowplan::cli::PrintError("error: out of memory");
  } catch (const std::exception& error) {
    stowplan::cli::PrintError(std::string("internal error: ") + error.what() +
                              "; please report it");
  }
  return stowplan::cli::kInternal;
}
