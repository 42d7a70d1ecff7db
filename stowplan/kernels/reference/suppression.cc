// SPDX-License-Identifier: Apache-2.0
//
// NON_MAX_SUPPRESSION: the best boxes that do not overlap too much. V5 lowers
// the scores of boxes that do (Bodla et al., "Soft-NMS", 2017) instead of
// dropping them.
#include <cmath>

#include "stowplan/kernels/reference/boxes.h"
#include "stowplan/kernels/reference/detection.h"
#include "stowplan/kernels/reference/support.h"

namespace stowplan::kernels::reference {
namespace {

// A box that may still be selected, in scratch.
struct Candidate {
  int32_t box;
  float score;
  // How many selected boxes its score has already met.
  int32_t compared;
};

struct Limits {
  int64_t boxes = 0;
  int64_t most = 0;
  float overlap = 0;
  float score = 0;
  float sigma = 0;  // 0: drop, do not lower.
};

Limits LimitsOf(const Node& node) {
  Limits limits;
  limits.boxes = node.input(0)->shape[0];
  limits.most = IntegerAt(*node.input(2), 0);
  limits.overlap = *node.input(3)->As<float>();
  limits.score = *node.input(4)->As<float>();
  if (node.input(5) != nullptr) limits.sigma = *node.input(5)->As<float>();
  return limits;
}

// The best comes first; of equal scores the lower index.
bool Better(const Candidate& a, const Candidate& b) {
  return a.score > b.score || (a.score == b.score && a.box < b.box);
}

// For the heap, whose top is the greatest.
bool Worse(const Candidate& a, const Candidate& b) { return Better(b, a); }

class Suppression {
 public:
  Suppression(const Node& node, const Limits& limits)
      : node_(node),
        limits_(limits),
        heap_(reinterpret_cast<Candidate*>(node.scratch)),
        selected_(node.output(0).As<int32_t>()) {}

  int64_t Run() {
    const float* scores = node_.input(1)->As<float>();
    for (int64_t i = 0; i < limits_.boxes; ++i) {
      if (scores[i] > limits_.score) {
        heap_[size_++] = {static_cast<int32_t>(i), scores[i], 0};
      }
    }
    std::make_heap(heap_, heap_ + size_, Worse);
    while (count_ < limits_.most && size_ > 0) {
      std::pop_heap(heap_, heap_ + size_, Worse);
      Consider(heap_[--size_]);
    }
    return count_;
  }

 private:
  // The candidate meets the boxes that were selected since it was last at
  // the top, newest first.
  void Consider(Candidate candidate) {
    const float before = candidate.score;
    const Box box = BoxOf(candidate.box);
    for (int64_t i = count_ - 1; i >= candidate.compared; --i) {
      const float overlap = Overlap(box, BoxOf(selected_[i]));
      if (limits_.sigma == 0) {
        if (overlap >= limits_.overlap && overlap > 0) return;
      } else {
        candidate.score *= std::exp(-0.5f / limits_.sigma * overlap * overlap);
        if (overlap >= limits_.overlap) return;
      }
      // Also what is no number any more: it would never be done.
      if (!(candidate.score > limits_.score)) return;
    }
    candidate.compared = static_cast<int32_t>(count_);
    if (candidate.score != before) {
      heap_[size_++] = candidate;
      std::push_heap(heap_, heap_ + size_, Worse);
      return;
    }
    selected_[count_] = candidate.box;
    if (node_.outputs.size() > 2) {
      node_.output(1).As<float>()[count_] = candidate.score;
    }
    ++count_;
  }

  Box BoxOf(int32_t i) const {
    return FromCorners(node_.input(0)->As<float>() + int64_t{i} * 4);
  }

  const Node& node_;
  const Limits& limits_;
  Candidate* heap_;
  int64_t size_ = 0;
  int32_t* selected_;
  int64_t count_ = 0;
};

}  // namespace

Result<Needs> PrepareSuppression(const Node& node) {
  const bool soft = node.type == "NON_MAX_SUPPRESSION_V5";
  const size_t inputs = soft ? 6 : 5;
  const size_t outputs = soft ? 3 : 2;
  STOWPLAN_RETURN_IF_ERROR(CheckArity(node, inputs, outputs));
  if (node.outputs.size() != outputs) {
    return Unsupported(node, "the outputs are more than it gives");
  }
  STOWPLAN_RETURN_IF_ERROR(CheckType(node, *node.input(0), {Type::kFloat32}));
  STOWPLAN_RETURN_IF_ERROR(CheckType(node, *node.input(1), {Type::kFloat32}));
  const Shape& boxes = node.input(0)->shape;
  if (boxes.rank != 2 || boxes[1] != 4 ||
      node.input(1)->shape.elements() != boxes[0]) {
    return Unsupported(node, "boxes and scores do not match");
  }
  STOWPLAN_RETURN_IF_ERROR(
      CheckNumbers(node, *node.input(2), {Type::kInt32, Type::kInt64}, 1));
  for (size_t i = 3; i < inputs; ++i) {
    STOWPLAN_RETURN_IF_ERROR(
        CheckNumbers(node, *node.input(i), {Type::kFloat32}, 1));
  }
  STOWPLAN_RETURN_IF_ERROR(CheckType(node, node.output(0), {Type::kInt32}));
  if (soft) {
    STOWPLAN_RETURN_IF_ERROR(CheckNumbers(node, node.output(1),
                                          {Type::kFloat32},
                                          node.output(0).shape.elements()));
  }
  STOWPLAN_RETURN_IF_ERROR(
      CheckNumbers(node, node.output(soft ? 2 : 1), {Type::kInt32}, 1));
  Needs needs;
  needs.scratch = boxes[0] * static_cast<Bytes>(sizeof(Candidate));
  return needs;
}

// As many as may be selected; the operator says itself how many are.
Status ShapesOfSuppression(const Node& node, std::span<Shape> shapes) {
  STOWPLAN_RETURN_IF_ERROR(CheckArity(node, 3));
  STOWPLAN_RETURN_IF_ERROR(
      CheckNumbers(node, *node.input(2), {Type::kInt32, Type::kInt64}, 1));
  const int64_t most = std::max<int64_t>(IntegerAt(*node.input(2), 0), 0);
  for (size_t i = 0; i < shapes.size(); ++i) {
    shapes[i] = {};
    if (i + 1 == shapes.size()) continue;  // The number of them: a scalar.
    shapes[i].rank = 1;
    shapes[i][0] = most;
  }
  return {};
}

Status RunSuppression(const Node& node) {
  const Limits limits = LimitsOf(node);
  const int64_t room = node.output(0).shape.elements();
  if (limits.most > room) {
    return BadInput(std::string(node.type),
                    "the limit exceeds the size of the output",
                    "check the max_output_size operand");
  }
  const int64_t count = Suppression(node, limits).Run();
  const bool soft = node.outputs.size() > 2;
  std::fill(node.output(0).As<int32_t>() + count,
            node.output(0).As<int32_t>() + room, 0);
  if (soft) {
    std::fill(node.output(1).As<float>() + count,
              node.output(1).As<float>() + room, 0.0f);
  }
  *node.output(soft ? 2 : 1).As<int32_t>() = static_cast<int32_t>(count);
  return {};
}

}  // namespace stowplan::kernels::reference
