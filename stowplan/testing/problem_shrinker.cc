// SPDX-License-Identifier: Apache-2.0
#include "stowplan/testing/problem_shrinker.h"

#include <algorithm>
#include <optional>
#include <utility>
#include <vector>

#include "stowplan/plan/problem_csv.h"

namespace stowplan::testing {
namespace {

using plan::Buffer;
using plan::Problem;

class Shrinker {
 public:
  Shrinker(Problem problem, const std::function<bool(const Problem&)>& fails)
      : problem_(std::move(problem)), fails_(fails) {}

  Problem Run() {
    bool smaller = true;
    while (smaller) {
      smaller = DropBuffers();
      for (size_t i = 0; i < problem_.size(); ++i) smaller |= Simplify(i);
    }
    return problem_;
  }

 private:
  // Keeps the change if it is a valid problem that still fails.
  bool Try(std::vector<Buffer> buffers) {
    Result<Problem> changed =
        Problem::Create(std::move(buffers), problem_.capacity());
    if (!changed || !fails_(*changed)) return false;
    problem_ = *std::move(changed);
    return true;
  }

  bool DropBuffers() {
    bool dropped = false;
    for (size_t chunk = problem_.size(); chunk > 0; chunk /= 2) {
      for (size_t at = 0; at < problem_.size();) {
        std::vector<Buffer> rest = problem_.buffers();
        const auto first = rest.begin() + static_cast<std::ptrdiff_t>(at);
        const auto count = std::min(chunk, rest.size() - at);
        rest.erase(first, first + static_cast<std::ptrdiff_t>(count));
        if (Try(std::move(rest))) {
          dropped = true;
        } else {
          at += chunk;
        }
      }
    }
    return dropped;
  }

  bool Simplify(size_t index) {
    auto change = [&](const auto& edit) {
      std::vector<Buffer> buffers = problem_.buffers();
      edit(&buffers[index]);
      return buffers != problem_.buffers() && Try(std::move(buffers));
    };
    bool any = false;
    any |= change([](Buffer* b) { b->pinned.reset(); });
    any |= change([](Buffer* b) { b->gaps.clear(); });
    any |= change([](Buffer* b) { b->alignment = 1; });
    any |= change([](Buffer* b) { b->size = std::min<Bytes>(b->size, 1); });
    while (change([](Buffer* b) { b->size /= 2; })) any = true;
    while (change([](Buffer* b) { b->size -= 1; })) any = true;
    while (change([](Buffer* b) { b->live.begin += 1; })) any = true;
    while (change([](Buffer* b) { b->live.end -= 1; })) any = true;
    return any;
  }

  Problem problem_;
  const std::function<bool(const Problem&)>& fails_;
};

}  // namespace

Problem ShrinkProblem(Problem problem,
                      const std::function<bool(const Problem&)>& fails) {
  return Shrinker(std::move(problem), fails).Run();
}

std::string ToCsv(const Problem& problem) {
  std::vector<std::string> names;
  for (size_t i = 0; i < problem.size(); ++i)
    names.push_back(std::to_string(i));
  return plan::WriteProblemCsv({problem, std::move(names)});
}

}  // namespace stowplan::testing
