// SPDX-License-Identifier: Apache-2.0
//
// TFLite_Detection_PostProcess: box encodings, class scores and anchors in;
// boxes, classes, scores and their number out (Liu et al., "SSD", section 2;
// the decoding is that of Ren et al., "Faster R-CNN", section 3.1.2).
#include "stowplan/kernels/reference/detection.h"

#include <cmath>
#include <optional>

#include "flatbuffers/flexbuffers.h"
#include "stowplan/kernels/reference/boxes.h"
#include "stowplan/kernels/reference/support.h"

namespace stowplan::kernels::reference {
namespace {

struct Settings {
  int64_t most = 0;          // Detections.
  int64_t classes_each = 1;  // Classes for a detection, in the fast form.
  int64_t most_per_class = 100;
  bool regular = false;
  float score = 0;
  float overlap = 0;
  int64_t classes = 0;
  float scale[4] = {1, 1, 1, 1};  // y, x, height, width.
};

// Nothing if the options cannot be read or make no sense.
std::optional<Settings> SettingsOf(const Node& node) {
  const auto* bytes =
      reinterpret_cast<const uint8_t*>(node.custom_options.data());
  const size_t size = node.custom_options.size();
  if (size < 3 || !flexbuffers::VerifyBuffer(bytes, size)) {
    return std::nullopt;
  }
  const flexbuffers::Reference root = flexbuffers::GetRoot(bytes, size);
  if (!root.IsMap()) return std::nullopt;
  const flexbuffers::Map map = root.AsMap();
  Settings settings;
  settings.most = map["max_detections"].AsInt64();
  settings.classes_each = map["max_classes_per_detection"].AsInt64();
  if (!map["detections_per_class"].IsNull()) {
    settings.most_per_class = map["detections_per_class"].AsInt64();
  }
  if (!map["use_regular_nms"].IsNull()) {
    settings.regular = map["use_regular_nms"].AsBool();
  }
  settings.score = map["nms_score_threshold"].AsFloat();
  settings.overlap = map["nms_iou_threshold"].AsFloat();
  settings.classes = map["num_classes"].AsInt64();
  // What is beyond fits in no tensor, and products of it in no number.
  for (const int64_t number : {settings.most, settings.classes_each}) {
    if (number < 1 || number > INT32_MAX) return std::nullopt;
  }
  const char* names[4] = {"y_scale", "x_scale", "h_scale", "w_scale"};
  for (size_t i = 0; i < 4; ++i) settings.scale[i] = map[names[i]].AsFloat();
  return settings;
}

float ValueAt(const Tensor& tensor, int64_t i) {
  if (tensor.type == Type::kFloat32) return tensor.As<float>()[i];
  const int32_t stored = tensor.type == Type::kUInt8
                             ? int32_t{tensor.As<uint8_t>()[i]}
                             : int32_t{tensor.As<int8_t>()[i]};
  return tensor.quantization.scale() *
         static_cast<float>(stored - tensor.quantization.zero_point());
}

// What Run works in.
struct Scratch {
  Scratch(const Node& node, int64_t boxes)
      : decoded(reinterpret_cast<Box*>(node.scratch)),
        order(reinterpret_cast<int32_t*>(decoded + boxes)),
        best_class(order + boxes),
        best_score(reinterpret_cast<float*>(best_class + boxes)),
        dropped(reinterpret_cast<uint8_t*>(best_score + boxes)) {}

  static Bytes Size(int64_t boxes) {
    return boxes * static_cast<Bytes>(sizeof(Box) + 2 * sizeof(int32_t) +
                                      sizeof(float) + 1);
  }

  Box* decoded;
  int32_t* order;
  int32_t* best_class;
  float* best_score;
  uint8_t* dropped;
};

Box Decode(const Node& node, const Settings& settings, int64_t i) {
  const Tensor& encodings = *node.input(0);
  const Tensor& anchors = *node.input(2);
  const int64_t codes = encodings.shape.last();
  float code[4];
  float anchor[4];  // y, x of the centre; height, width.
  for (int64_t k = 0; k < 4; ++k) {
    code[k] = ValueAt(encodings, i * codes + k);
    anchor[k] = ValueAt(anchors, i * 4 + k);
  }
  const float y = code[0] / settings.scale[0] * anchor[2] + anchor[0];
  const float x = code[1] / settings.scale[1] * anchor[3] + anchor[1];
  const float half_height =
      0.5f * std::exp(code[2] / settings.scale[2]) * anchor[2];
  const float half_width =
      0.5f * std::exp(code[3] / settings.scale[3]) * anchor[3];
  return {y - half_height, x - half_width, y + half_height, x + half_width};
}

class Detector {
 public:
  Detector(const Node& node, const Settings& settings)
      : node_(node),
        settings_(settings),
        boxes_(node.input(0)->shape[1]),
        scratch_(node, boxes_) {}

  Status Run() {
    for (int64_t i = 0; i < boxes_; ++i) {
      scratch_.decoded[i] = Decode(node_, settings_, i);
    }
    settings_.regular ? RunRegular() : RunFast();
    Finish();
    return {};
  }

 private:
  // With a background class in front, if there is one more than classes.
  float ScoreOf(int64_t box, int64_t label) const {
    const int64_t all = node_.input(1)->shape.last();
    return ValueAt(*node_.input(1),
                   box * all + label + (all - settings_.classes));
  }

  // Keeps the best class of each box and suppresses across classes.
  void RunFast() {
    int64_t candidates = 0;
    for (int64_t i = 0; i < boxes_; ++i) {
      int64_t best = 0;
      for (int64_t c = 1; c < settings_.classes; ++c) {
        if (ScoreOf(i, c) > ScoreOf(i, best)) best = c;
      }
      scratch_.best_class[i] = static_cast<int32_t>(best);
      scratch_.best_score[i] = ScoreOf(i, best);
      if (scratch_.best_score[i] >= settings_.score) {
        scratch_.order[candidates++] = static_cast<int32_t>(i);
      }
    }
    Suppress(candidates, settings_.most, [this](int32_t box) {
      Add(box, scratch_.best_class[box], scratch_.best_score[box]);
    });
  }

  // Suppresses class by class and keeps the best of all.
  void RunRegular() {
    for (int64_t c = 0; c < settings_.classes; ++c) {
      int64_t candidates = 0;
      for (int64_t i = 0; i < boxes_; ++i) {
        scratch_.best_score[i] = ScoreOf(i, c);
        if (scratch_.best_score[i] >= settings_.score) {
          scratch_.order[candidates++] = static_cast<int32_t>(i);
        }
      }
      Suppress(candidates, settings_.most_per_class, [&](int32_t box) {
        Insert(box, static_cast<int32_t>(c), scratch_.best_score[box]);
      });
    }
  }

  // Takes boxes of order[0, candidates), best first, that overlap none that
  // was taken before by more than the limit.
  template <class Take>
  void Suppress(int64_t candidates, int64_t most, const Take& take) {
    const float* scores = scratch_.best_score;
    std::sort(scratch_.order, scratch_.order + candidates,
              [scores](int32_t a, int32_t b) {
                return scores[a] > scores[b] ||
                       (scores[a] == scores[b] && a < b);
              });
    std::fill_n(scratch_.dropped, candidates, uint8_t{0});
    int64_t taken = 0;
    for (int64_t i = 0; i < candidates && taken < most; ++i) {
      if (scratch_.dropped[i] != 0) continue;
      take(scratch_.order[i]);
      ++taken;
      const Box& box = scratch_.decoded[scratch_.order[i]];
      for (int64_t k = i + 1; k < candidates; ++k) {
        if (Overlap(box, scratch_.decoded[scratch_.order[k]]) >
            settings_.overlap) {
          scratch_.dropped[k] = 1;
        }
      }
    }
  }

  void Put(int64_t place, int32_t box, int32_t label, float score) {
    const Box& decoded = scratch_.decoded[box];
    float* to = node_.output(0).As<float>() + place * 4;
    to[0] = decoded.y1;
    to[1] = decoded.x1;
    to[2] = decoded.y2;
    to[3] = decoded.x2;
    node_.output(1).As<float>()[place] = static_cast<float>(label);
    node_.output(2).As<float>()[place] = score;
  }

  void Add(int32_t box, int32_t label, float score) {
    if (count_ < room()) Put(count_++, box, label, score);
  }

  // Keeps the outputs in order of scores; of equal ones the earlier first.
  void Insert(int32_t box, int32_t label, float score) {
    const int64_t most = std::min(room(), settings_.most);
    if (most == 0) return;
    float* scores = node_.output(2).As<float>();
    if (count_ == most && !(score > scores[most - 1])) return;
    int64_t place = count_ == most ? most - 1 : count_++;
    for (; place > 0 && score > scores[place - 1]; --place) {
      std::copy_n(node_.output(0).As<float>() + (place - 1) * 4, 4,
                  node_.output(0).As<float>() + place * 4);
      node_.output(1).As<float>()[place] =
          node_.output(1).As<float>()[place - 1];
      scores[place] = scores[place - 1];
    }
    Put(place, box, label, score);
  }

  int64_t room() const { return node_.output(2).shape.elements(); }

  void Finish() {
    for (size_t i = 0; i < 3; ++i) {
      const int64_t each = i == 0 ? 4 : 1;
      float* values = node_.output(i).As<float>();
      std::fill(values + count_ * each,
                values + node_.output(i).shape.elements(), 0.0f);
    }
    *node_.output(3).As<float>() = static_cast<float>(count_);
  }

  const Node& node_;
  const Settings& settings_;
  int64_t boxes_;
  Scratch scratch_;
  int64_t count_ = 0;
};

}  // namespace

Result<Needs> PrepareDetection(const Node& node) {
  STOWPLAN_RETURN_IF_ERROR(CheckArity(node, 3, 4));
  for (size_t i = 0; i < 3; ++i) {
    STOWPLAN_RETURN_IF_ERROR(CheckType(
        node, *node.input(i), {Type::kFloat32, Type::kUInt8, Type::kInt8}));
  }
  const auto settings = SettingsOf(node);
  if (!settings) return Unsupported(node, "its options cannot be read");
  const Shape& encodings = node.input(0)->shape;
  const Shape& scores = node.input(1)->shape;
  if (encodings.rank != 3 || encodings[0] != 1 || encodings[2] < 4 ||
      scores.rank != 3 || scores[0] != 1 || scores[1] != encodings[1] ||
      node.input(2)->shape.elements() != 4 * encodings[1] ||
      settings->classes < 1 || scores[2] < settings->classes ||
      settings->most < 1) {
    return Unsupported(node, "boxes, scores and anchors do not match");
  }
  if (!settings->regular && settings->classes_each != 1) {
    return Unsupported(node, "several classes a detection have no code");
  }
  const int64_t room = node.output(2).shape.elements();
  if (node.output(0).shape.elements() != 4 * room ||
      node.output(1).shape.elements() != room ||
      node.output(3).shape.elements() != 1) {
    return Unsupported(node, "the outputs do not match");
  }
  for (size_t i = 0; i < 4; ++i) {
    STOWPLAN_RETURN_IF_ERROR(CheckType(node, node.output(i), {Type::kFloat32}));
  }
  Needs needs;
  needs.scratch = Scratch::Size(encodings[1]);
  return needs;
}

Status ShapesOfDetection(const Node& node, std::span<Shape> shapes) {
  const auto settings = SettingsOf(node);
  if (!settings || shapes.size() != 4) {
    return Unsupported(node, "its options cannot be read");
  }
  const int64_t most = settings->most * settings->classes_each;
  shapes[0] = {3, {1, most, 4}};
  shapes[1] = {2, {1, most}};
  shapes[2] = {2, {1, most}};
  shapes[3] = {1, {1}};
  return {};
}

Status RunDetection(const Node& node) {
  const auto settings = SettingsOf(node);
  if (!settings) return Unsupported(node, "its options cannot be read");
  return Detector(node, *settings).Run();
}

}  // namespace stowplan::kernels::reference
