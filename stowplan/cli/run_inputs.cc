// SPDX-License-Identifier: Apache-2.0
#include "stowplan/cli/run_inputs.h"

#include <algorithm>
#include <charconv>
#include <string_view>
#include <utility>

#include "fmt/format.h"
#include "stowplan/cli/npy.h"
#include "stowplan/report/names.h"
#include "stowplan/report/shape_text.h"
#include "stowplan/runtime/random_input.h"

namespace stowplan::cli {
namespace {

using runtime::Interpreter;
using runtime::TensorView;

constexpr std::string_view kRandom = "random:";
constexpr uint64_t kSeed = 42;

std::string Printable(std::string_view name) {
  return report::ToPrintable(report::ToUtf8(name));
}

Result<uint64_t> ParseSeed(std::string_view text) {
  const std::string_view digits = text.substr(kRandom.size());
  uint64_t seed = 0;
  const char* end = digits.data() + digits.size();
  const auto [stop, error] = std::from_chars(digits.data(), end, seed);
  if (error != std::errc() || stop != end) {
    return UsageError(fmt::format("--input {}", text), "has no seed",
                      "write random:42");
  }
  return seed;
}

// "input 0 'image' (float32, 1x224x224x3)".
std::string Describe(size_t i, const TensorView& view) {
  return fmt::format(
      "input {} '{}' ({}, {})", i, Printable(view.name), NameOf(view.dtype),
      report::ShapeText(graph::Shape(view.shape.begin(), view.shape.end())));
}

std::string NamesOf(const Interpreter& interpreter) {
  std::string names;
  for (size_t i = 0; i < interpreter.inputs(); ++i) {
    names += (i == 0 ? "" : ", ") + Printable(interpreter.InputName(i));
  }
  return names.empty() ? "none" : names;
}

}  // namespace

Result<RunInputs> RunInputs::Parse(const std::vector<std::string>& texts,
                                   const Interpreter& interpreter) {
  RunInputs inputs;
  inputs.files_.resize(interpreter.inputs());
  if (texts.empty()) inputs.seed_ = kSeed;
  for (const std::string& text : texts) {
    if (!text.starts_with(kRandom)) {
      STOWPLAN_RETURN_IF_ERROR(inputs.AddFile(text, interpreter));
      continue;
    }
    STOWPLAN_TRY(seed, ParseSeed(text));
    if (inputs.seed_) {
      return UsageError("--input " + text, "there is a seed already");
    }
    inputs.seed_ = seed;
  }
  return inputs;
}

Status RunInputs::AddFile(const std::string& text,
                          const Interpreter& interpreter) {
  std::string path = text;
  size_t i = 0;
  while (i < files_.size() && files_[i]) ++i;
  // A name may hold '=' itself, and so may a path.
  for (size_t k = 0; k < interpreter.inputs(); ++k) {
    const std::string prefix = std::string(interpreter.InputName(k)) + "=";
    if (!text.starts_with(prefix)) continue;
    path = text.substr(prefix.size());
    i = k;
    break;
  }
  if (i == files_.size()) {
    return BadInput("--input " + text,
                    fmt::format("the model has {} inputs ({}) and each has a "
                                "file already",
                                files_.size(), NamesOf(interpreter)));
  }
  if (files_[i]) {
    return UsageError("--input " + text, "this input has a file already");
  }
  Result<InputFile> file = ReadInput(path);
  if (!file) {
    Error error = file.error();
    if (path == text && text.find('=') != std::string::npos) {
      error.what += ", and no input has a name that it begins with";
    }
    error.remedy = fmt::format(
        "write FILE.npy, NAME=FILE.npy with a name of {}, or random:SEED",
        NamesOf(interpreter));
    return tl::unexpected(std::move(error));
  }
  files_[i] = *std::move(file);
  return {};
}

Status RunInputs::Check(Interpreter& interpreter) const {
  for (size_t i = 0; i < files_.size(); ++i) {
    STOWPLAN_TRY(view, interpreter.input(i));
    const std::string expected = Describe(i, view);
    if (!files_[i]) {
      if (seed_) continue;
      return BadInput(expected, "was not given",
                      fmt::format("add --input {}=FILE.npy, or --input "
                                  "random:SEED for all that are left",
                                  Printable(interpreter.InputName(i))));
    }
    const InputFile& file = *files_[i];
    Result<NpyArray> array = ReadNpy(file.bytes);
    if (!array) {
      Error error = array.error();
      error.where = file.path;
      return tl::unexpected(std::move(error));
    }
    const graph::Shape shape(view.shape.begin(), view.shape.end());
    if (array->dtype == view.dtype && array->shape == shape) continue;
    return BadInput(
        file.path,
        fmt::format("holds {}, {}, where {} is expected", NameOf(array->dtype),
                    report::ShapeText(array->shape), expected),
        array->dtype == view.dtype
            ? "give an array of that shape, or --shape NAME:... if the model "
              "can take others"
            : "convert it with numpy's astype");
  }
  return {};
}

Status RunInputs::Fill(Interpreter& interpreter) const {
  for (size_t i = 0; i < files_.size(); ++i) {
    STOWPLAN_TRY(view, interpreter.input(i));
    if (!files_[i]) {
      STOWPLAN_RETURN_IF_ERROR(
          runtime::FillRandom(seed_.value_or(kSeed), i, view.dtype, view.data));
      continue;
    }
    STOWPLAN_TRY(array, ReadNpy(files_[i]->bytes));
    std::copy(array.data.begin(), array.data.end(), view.data.begin());
  }
  return {};
}

std::string RunInputs::SourceOf(size_t i) const {
  if (files_[i]) return files_[i]->path;
  return fmt::format("{}{}", kRandom, seed_.value_or(kSeed));
}

}  // namespace stowplan::cli
