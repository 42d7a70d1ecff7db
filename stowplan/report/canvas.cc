// SPDX-License-Identifier: Apache-2.0
#include "stowplan/report/canvas.h"

#include "stowplan/report/names.h"
#include "stowplan/report/units.h"

namespace stowplan::report {

void Canvas::Attribute(std::string_view name, Length value) {
  text_ += ' ';
  text_ += name;
  text_ += "=\"";
  text_ += FromHundredths(value);
  text_ += '"';
}

void Canvas::Open(std::string_view element, std::string_view style) {
  text_ += '<';
  text_ += element;
  if (style.empty()) return;
  text_ += " class=\"";
  text_ += style;
  text_ += '"';
}

void Canvas::Rectangle(std::string_view style, const Box& box,
                       std::string_view tip) {
  Open("rect", style);
  Attribute("x", box.x);
  Attribute("y", box.y);
  Attribute("width", box.width);
  Attribute("height", box.height);
  if (tip.empty()) {
    text_ += "/>\n";
  } else {
    text_ += "><title>" + ToXml(tip) + "</title></rect>\n";
  }
}

void Canvas::Line(std::string_view style, Length x1, Length y1, Length x2,
                  Length y2) {
  Open("line", style);
  Attribute("x1", x1);
  Attribute("y1", y1);
  Attribute("x2", x2);
  Attribute("y2", y2);
  text_ += "/>\n";
}

void Canvas::Text(std::string_view style, Length x, Length y, Anchor anchor,
                  std::string_view text) {
  Open("text", style);
  Attribute("x", x);
  Attribute("y", y);
  if (anchor == Anchor::kMiddle) text_ += " text-anchor=\"middle\"";
  if (anchor == Anchor::kEnd) text_ += " text-anchor=\"end\"";
  text_ += ">" + ToXml(text) + "</text>\n";
}

void Canvas::SlantedText(std::string_view style, Length x, Length y,
                         std::string_view text) {
  Open("text", style);
  const std::string at = FromHundredths(x) + " " + FromHundredths(y);
  text_ += " text-anchor=\"end\" transform=\"translate(" + at +
           ") rotate(-40)\">" + ToXml(text) + "</text>\n";
}

void Canvas::Path(std::string_view style, std::string_view data) {
  Open("path", style);
  text_ += " d=\"";
  text_ += data;
  text_ += "\"/>\n";
}

void Canvas::BeginGroup(std::string_view style) {
  Open("g", style);
  text_ += ">\n";
}

void Canvas::EndGroup() { text_ += "</g>\n"; }

}  // namespace stowplan::report
