// SPDX-License-Identifier: Apache-2.0
#include "stowplan/report/svg.h"

#include <algorithm>
#include <array>
#include <string_view>
#include <utility>
#include <vector>

#include "stowplan/report/axis.h"
#include "stowplan/report/canvas.h"
#include "stowplan/report/family.h"
#include "stowplan/report/names.h"
#include "stowplan/report/svg_style.h"
#include "stowplan/report/units.h"

namespace stowplan::report {
namespace {

using plan::Step;

//   +--------------------------------+
//   | head, peak and arena texts     |
//   |       +----------------------+ |  kTop
//   |       | lanes                | |  kLanes high
//   |       +----------------------+ |
//   |        steps or their names    |  as high as it takes
//   |       | live bytes           | |  kCurve high
//   |       +----------------------+ |
//   |        legend                  |
//   +--------------------------------+
constexpr Length kWidth = Pixels(1200);
constexpr Length kLeft = Pixels(78);
constexpr Length kRight = kWidth - Pixels(16);
constexpr Length kTop = Pixels(72);
constexpr Length kLanes = Pixels(480);
constexpr Length kCurve = Pixels(96);
constexpr Step kMostNamedSteps = 36;
constexpr size_t kStepNameLength = 17;
constexpr size_t kMostTipNames = 6;

class Picture {
 public:
  explicit Picture(const Document& document)
      : document_(document),
        steps_(static_cast<Step>(document.steps.size())),
        range_(std::max<Bytes>(1, document.arena.bytes)),
        named_steps_(steps_ <= kMostNamedSteps) {
    curve_top_ = kTop + kLanes + Pixels(52) + NamesHeight();
    height_ = curve_top_ + kCurve + Pixels(72);
  }

  std::string Draw() && {
    Begin();
    Lanes();
    Buffers();
    Calls();
    BoundAndArena();
    Curve();
    PeakMark();
    Labels();
    Legend();
    canvas_.Raw("</svg>\n");
    return std::move(canvas_).Take();
  }

 private:
  // What slanted names need on top of plain numbers.
  Length NamesHeight() const {
    if (!named_steps_) return 0;
    size_t longest = 0;
    for (Step s = 0; s < steps_; ++s) {
      longest = std::max(longest, LengthOf(StepName(s)));
    }
    return WidthOfText(longest) * 6 / 10;
  }

  Length X(Step step) const {
    return kLeft + Scale(step, kRight - kLeft, std::max<Step>(1, steps_));
  }
  Length Y(Bytes offset) const {
    return kTop + kLanes - Scale(offset, kLanes, range_);
  }

  void Begin() {
    canvas_.Raw(
        "<svg xmlns=\"http://www.w3.org/2000/svg\" class=\"sp\" "
        "data-generator=\"stowplan\" role=\"img\" "
        "aria-labelledby=\"sp-title\" viewBox=\"0 0 " +
        FromHundredths(kWidth) + " " + FromHundredths(height_) + "\">\n");
    canvas_.Raw("<title id=\"sp-title\">" + ToXml(Title()) + "</title>\n");
    canvas_.Raw("<style>" + std::string(kSvgStyle));
    for (const FamilyInfo& info : Families()) {
      canvas_.Raw(".sp ." + ClassOf(info.family) +
                  "{fill:" + std::string(info.color) + "}\n");
    }
    canvas_.Raw("</style>\n");
    canvas_.Rectangle("back", {0, 0, kWidth, height_});
    canvas_.Raw("<text class=\"head\" x=\"" + FromHundredths(kLeft) +
                "\" y=\"20\">Where each buffer lies <tspan class=\"note\" "
                "dx=\"6\">steps across, offsets up, one rectangle a "
                "buffer</tspan></text>\n");
  }

  std::string Title() const {
    return "Plan of the arena of " + document_.path + ": " +
           Count(static_cast<int64_t>(document_.buffers.size()), "buffer") +
           " over " + Count(steps_, "step") + " in " +
           BothBytes(document_.arena.bytes);
  }

  static std::string ClassOf(Family family) {
    return "f" + std::to_string(static_cast<int>(family));
  }

  void Lanes() {
    canvas_.Rectangle("lane", {kLeft, kTop, kRight - kLeft, kLanes});
    const Bytes tick = ByteTick(range_, 8);
    for (Bytes at = 0; at <= range_; at += tick) {
      canvas_.Line("grid", kLeft, Y(at), kRight, Y(at));
      canvas_.Text("axis", kLeft - Pixels(8), Y(at) + Pixels(4), Anchor::kEnd,
                   TickLabel(at));
    }
    const Length bottom = kTop + kLanes;
    if (named_steps_) {
      for (Step s = 0; s < steps_; ++s) {
        canvas_.SlantedText("axis", (X(s) + X(s + 1)) / 2 + Pixels(4),
                            bottom + Pixels(20), StepName(s));
      }
      return;
    }
    for (Step s = 0; s < steps_; s += StepTick(steps_, 12)) {
      canvas_.Line("grid", X(s), bottom, X(s), bottom + Pixels(6));
      canvas_.Text("axis", X(s), bottom + Pixels(22), Anchor::kMiddle,
                   Grouped(s));
    }
  }

  std::string StepName(Step step) const {
    const OperatorLabel& op = document_.steps[static_cast<size_t>(step)].op;
    const std::string& name = op.name.empty() ? op.type : op.name;
    return Shorten(std::to_string(step) + " " + name, kStepNameLength);
  }

  // By family, since rectangles do not overlap and a group says its colour
  // once.
  void Buffers() {
    if (document_.buffers.empty() || !document_.buffers[0].offset) {
      canvas_.Text(
          "note", (kLeft + kRight) / 2, kTop + kLanes / 2, Anchor::kMiddle,
          document_.buffers.empty() ? "No tensor needs bytes in the arena."
                                    : "There is no plan to draw.");
      return;
    }
    std::array<std::vector<const BufferRow*>, 13> groups;
    for (const BufferRow& buffer : document_.buffers) {
      const auto family = static_cast<size_t>(FamilyOf(buffer.made_by));
      groups[family].push_back(&buffer);
    }
    for (size_t f = 0; f < groups.size(); ++f) {
      if (groups[f].empty()) continue;
      used_families_.push_back(Families()[f]);
      canvas_.BeginGroup("b " + ClassOf(Families()[f].family));
      for (const BufferRow* buffer : groups[f]) {
        const Box box = BoxOf(*buffer);
        canvas_.Rectangle(StyleOf(*buffer, box), box, TipOf(*buffer));
      }
      canvas_.EndGroup();
    }
  }

  // Over the peak's mark, which must not cross out what it marks.
  void Labels() {
    if (used_families_.empty()) return;
    canvas_.BeginGroup("in");
    for (const BufferRow& buffer : document_.buffers) Label(buffer);
    canvas_.EndGroup();
  }

  Box BoxOf(const BufferRow& buffer) const {
    const Length left = X(buffer.live.begin);
    const Length top = Y(*buffer.offset + buffer.size);
    return {left, top, X(buffer.live.end) - left, Y(*buffer.offset) - top};
  }

  static std::string_view StyleOf(const BufferRow& buffer, const Box& box) {
    const bool narrow = box.width < Pixels(3) || box.height < Pixels(3);
    if (narrow) return "n";
    return buffer.at_peak ? "p" : "";
  }

  std::string TipOf(const BufferRow& buffer) const {
    const TensorRow& root = document_.tensors[buffer.rows.front()];
    std::string tip = DisplayName(root) + " | " + BothBytes(buffer.bytes) +
                      " at offset " + Grouped(*buffer.offset) + " | steps [" +
                      std::to_string(buffer.live.begin) + ", " +
                      std::to_string(buffer.live.end) + ") | " + buffer.made_by;
    for (size_t i = 1; i < buffer.rows.size() && i <= kMostTipNames; ++i) {
      tip += (i == 1 ? " | shared with " : ", ") +
             DisplayName(document_.tensors[buffer.rows[i]]);
    }
    if (buffer.rows.size() > kMostTipNames + 1) {
      tip += " and " +
             Grouped(
                 static_cast<int64_t>(buffer.rows.size() - kMostTipNames - 1)) +
             " more";
    }
    return tip;
  }

  void Label(const BufferRow& buffer) {
    const Box box = BoxOf(buffer);
    const Length room = box.width - Pixels(8);
    if (box.height < Pixels(15) || room < WidthOfText(4)) return;
    const auto characters = static_cast<size_t>(room / WidthOfText(1));
    const std::string name =
        DisplayName(document_.tensors[buffer.rows.front()]);
    // Of a long path the end tells most, but a stub tells nothing.
    if (LengthOf(name) > characters && characters < 8) return;
    const Length x = box.x + box.width / 2;
    const std::string size = HumanBytes(buffer.bytes);
    const bool both = box.height >= Pixels(32) && LengthOf(size) <= characters;
    const Length y =
        box.y + box.height / 2 + Pixels(4) - (both ? Pixels(7) : 0);
    canvas_.Text("", x, y, Anchor::kMiddle, Shorten(name, characters));
    if (both) canvas_.Text("", x, y + Pixels(14), Anchor::kMiddle, size);
  }

  // Bars under the lanes where called subgraphs run.
  void Calls() {
    for (const CallRow& call : document_.calls) {
      if (call.end <= call.step + 1) continue;
      const Length left = X(call.step + 1);
      canvas_.Rectangle(
          "call",
          {left, kTop + kLanes + Pixels(3), X(call.end) - left, Pixels(5)},
          "called by " + Describe(call.op));
    }
  }

  void BoundAndArena() {
    const Arena& arena = document_.arena;
    if (arena.bytes == 0) return;
    const bool met = arena.bytes == arena.lower_bound;
    canvas_.Line("arena", kLeft, Y(arena.bytes), kRight, Y(arena.bytes));
    canvas_.Text(
        "halo", kRight, kTop - Pixels(7), Anchor::kEnd,
        "arena " + HumanBytes(arena.bytes) + (met ? ", at the bound" : ""));
    if (met) return;
    const Length y = Y(arena.lower_bound);
    canvas_.Line("bound", kLeft, y, kRight, y);
    canvas_.Text("halo", kRight - Pixels(6), y + Pixels(16), Anchor::kEnd,
                 "bound " + HumanBytes(arena.lower_bound));
  }

  void Curve() {
    Bytes most = 1;
    for (const StepRow& step : document_.steps) {
      most = std::max(most, step.live_bytes);
    }
    const Length bottom = curve_top_ + kCurve;
    canvas_.Rectangle("lane", {kLeft, curve_top_, kRight - kLeft, kCurve});
    for (Bytes at : {Bytes{0}, most}) {
      const Length y = bottom - Scale(at, kCurve, most);
      canvas_.Line("grid", kLeft, y, kRight, y);
      canvas_.Text("axis", kLeft - Pixels(8), y + Pixels(4), Anchor::kEnd,
                   TickLabel(at));
    }
    canvas_.Text("axis", kLeft, curve_top_ - Pixels(7), Anchor::kStart,
                 "bytes alive at each step");
    std::string path =
        "M" + FromHundredths(kLeft) + " " + FromHundredths(bottom);
    Bytes last = -1;
    for (Step s = 0; s < steps_; ++s) {
      const Bytes live = document_.steps[static_cast<size_t>(s)].live_bytes;
      if (live == last) continue;
      last = live;
      path += "H" + FromHundredths(X(s)) + "V" +
              FromHundredths(bottom - Scale(live, kCurve, most));
    }
    path += "H" + FromHundredths(kRight) + "V" + FromHundredths(bottom) + "Z";
    canvas_.Path("area", path);
  }

  void PeakMark() {
    const Peak& peak = document_.peak;
    if (peak.buffers.empty()) return;
    const Length left = X(peak.step);
    const Length width = X(peak.step + 1) - left;
    const Length middle = left + width / 2;
    for (const auto& [top, height] :
         {std::pair(kTop, kLanes), std::pair(curve_top_, kCurve)}) {
      if (width >= Pixels(10)) {
        canvas_.Rectangle("peak", {left, top, width, height});
      } else {
        canvas_.Line("peakline", middle, top, middle, top + height);
      }
    }
    const Length top = kTop - Pixels(2);
    canvas_.Line("peakline", middle, kTop - Pixels(22), middle, top);
    canvas_.Path("peaktext", "M" + FromHundredths(middle) + " " +
                                 FromHundredths(top) + "l-5 -8h10z");
    const bool early = middle < (kLeft + kRight) / 2;
    canvas_.Text("peaktext halo", middle + (early ? -Pixels(5) : Pixels(5)),
                 kTop - Pixels(26), early ? Anchor::kStart : Anchor::kEnd,
                 "peak: " + Describe(peak.op) + ", step " + Grouped(peak.step) +
                     ", " + HumanBytes(peak.bytes) + " live");
  }

  void Legend() {
    Length x = kLeft;
    Length y = curve_top_ + kCurve + Pixels(30);
    for (const FamilyInfo& info : used_families_) {
      const Length width =
          Pixels(40) + WidthOfText(LengthOf(info.name)) * 11 / 10;
      if (x + width > kRight) {
        x = kLeft;
        y += Pixels(22);
      }
      canvas_.Rectangle("key " + ClassOf(info.family),
                        {x, y - Pixels(10), Pixels(13), Pixels(13)});
      canvas_.Text("", x + Pixels(19), y, Anchor::kStart, info.name);
      x += width;
    }
    if (used_families_.empty()) return;
    canvas_.Text("note", kLeft, y + Pixels(22), Anchor::kStart,
                 "Coloured by the operator that writes the buffer; "
                 "outlined: alive at the peak.");
  }

  const Document& document_;
  Step steps_;
  Bytes range_;
  bool named_steps_;
  Length curve_top_ = 0;
  Length height_ = 0;
  std::vector<FamilyInfo> used_families_;
  Canvas canvas_;
};

}  // namespace

std::string ToSvg(const Document& document) { return Picture(document).Draw(); }

}  // namespace stowplan::report
