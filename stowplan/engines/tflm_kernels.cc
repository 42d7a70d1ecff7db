// SPDX-License-Identifier: Apache-2.0
#include "stowplan/engines/tflm_kernels.h"

#include <algorithm>
#include <map>
#include <utility>

#include "stowplan/engines/tflm_rules.h"
#include "stowplan/engines/tflm_sizes.h"

namespace stowplan::engines {
namespace {

using graph::TensorId;

struct OptionsColumn {
  Bytes bytes;
  Bytes alignment;
};

struct OpDataColumn {
  bool keeps;
  TflmSizes sizes;
};

constexpr OptionsColumn Options(Bytes bytes, Bytes alignment = 1) {
  return {bytes, alignment};
}

constexpr OpDataColumn None() { return {false, {}}; }

constexpr OpDataColumn Keeps(Bytes wheel_8, Bytes plain_8, Bytes wheel_4,
                             Bytes plain_4) {
  return {true, {{{wheel_8, plain_8}, {wheel_4, plain_4}}}};
}

constexpr OpDataColumn Keeps(Bytes bytes) {
  return Keeps(bytes, bytes, bytes, bytes);
}

std::vector<TflmKernel> MakeTable() {
  std::vector<TflmKernel> table;
  const auto add = [&](std::string_view name, OptionsColumn options,
                       OpDataColumn op_data, std::string_view prepare) {
    table.push_back({name, options.bytes, options.alignment, op_data.keeps,
                     op_data.sizes, prepare});
  };
#define STOWPLAN_TFLM_KERNEL(name, options, op_data, prepare) \
  add(name, options, op_data, prepare);
#include "stowplan/engines/tflm_kernels.def"
#undef STOWPLAN_TFLM_KERNEL
  return table;
}

// The first word, which is cut off.
std::string_view TakeWord(std::string_view* words) {
  const size_t begin = std::min(words->find_first_not_of(' '), words->size());
  const size_t end = std::min(words->find(' ', begin), words->size());
  const std::string_view word = words->substr(begin, end - begin);
  words->remove_prefix(end);
  return word;
}

bool TakePrefix(std::string_view prefix, std::string_view* word) {
  if (!word->starts_with(prefix)) return false;
  word->remove_prefix(prefix.size());
  return true;
}

bool IsDigit(char c) { return c >= '0' && c <= '9'; }

// "i0", "o1", "i*", "i1+".
bool IsOperand(std::string_view word) {
  if (word == "i*") return true;
  if (word.size() < 2 || (word[0] != 'i' && word[0] != 'o')) return false;
  if (!IsDigit(word[1])) return false;
  return word.size() == 2 || word == "i1+";
}

// A condition in front of a word; true if it holds or there is none.
bool TakeCondition(const KernelScope& scope, std::string_view* word) {
  const graph::Tensor* output = scope.output(0);
  if (TakePrefix("int8:", word)) {
    return output != nullptr && output->dtype == DType::kInt8;
  }
  if (TakePrefix("quantized:", word)) {
    return output != nullptr && output->dtype != DType::kFloat32;
  }
  TakePrefix("init:", word);
  return true;
}

void RunOperand(std::string_view word, const graph::Operator& op,
                KernelScope* scope) {
  const std::vector<TensorId>& ids = word[0] == 'i' ? op.inputs : op.outputs;
  const bool all = word == "i*";
  const size_t first = all ? 0 : static_cast<size_t>(word[1] - '0');
  const size_t end = all || word.size() == 3 ? ids.size() : first + 1;
  for (size_t i = first; i < std::min(end, ids.size()); ++i) {
    if (ids[i].valid()) scope->Temporary(ids[i]);
  }
}

}  // namespace

const std::vector<TflmKernel>& TflmKernels() {
  static const std::vector<TflmKernel> table = MakeTable();
  return table;
}

const TflmKernel* FindTflmKernel(std::string_view name) {
  static const std::map<std::string_view, const TflmKernel*> by_name = [] {
    std::map<std::string_view, const TflmKernel*> index;
    for (const TflmKernel& row : TflmKernels()) index.emplace(row.name, &row);
    return index;
  }();
  const auto found = by_name.find(name);
  return found == by_name.end() ? nullptr : found->second;
}

bool IsTflmProgram(std::string_view prepare) {
  while (true) {
    std::string_view word = TakeWord(&prepare);
    if (word.empty()) return true;
    for (std::string_view prefix : {"int8:", "quantized:", "init:"}) {
      if (TakePrefix(prefix, &word)) break;
    }
    if (!IsOperand(word) && FindKernelRule(word) == nullptr) return false;
  }
}

Result<KernelRequests> RequestsOf(const TflmKernel& kernel,
                                  const graph::Subgraph& subgraph,
                                  const graph::Operator& op,
                                  const TflmOptions& options) {
  KernelRequests requests;
  if (kernel.keeps_op_data) {
    requests.init.push_back(kernel.op_data.Of(options));
  }
  KernelScope scope(subgraph, op, options, &requests);
  std::string_view rest = kernel.prepare;
  for (std::string_view word = TakeWord(&rest); !word.empty();
       word = TakeWord(&rest)) {
    if (!TakeCondition(scope, &word)) continue;
    if (IsOperand(word)) {
      RunOperand(word, op, &scope);
    } else if (const KernelRule rule = FindKernelRule(word)) {
      rule(scope);
    }
  }
  bool fits = true;
  for (Bytes bytes : requests.init) fits = fits && bytes < kTooManyBytes;
  for (const KernelRequest& request : requests.prepare) {
    fits = fits && request.bytes < kTooManyBytes;
  }
  if (!fits) {
    return BadInput(op.type, "what its kernel would ask for does not fit",
                    "check the shapes of its operands");
  }
  return requests;
}

}  // namespace stowplan::engines
