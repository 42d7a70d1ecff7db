// SPDX-License-Identifier: Apache-2.0
//
// SVG elements one by one. Lengths are hundredths of a pixel, integers, so
// that every machine writes the same picture.
#pragma once

#include <cstdint>
#include <string>
#include <string_view>
#include <utility>

namespace stowplan::report {

using Length = int64_t;

constexpr Length Pixels(int64_t pixels) { return pixels * 100; }

struct Box {
  Length x = 0;
  Length y = 0;
  Length width = 0;
  Length height = 0;
};

enum class Anchor { kStart, kMiddle, kEnd };

class Canvas {
 public:
  // `style` is the name of a CSS class. `tip` is plain text that shows up
  // when the pointer rests on the element; none if empty.
  void Rectangle(std::string_view style, const Box& box,
                 std::string_view tip = "");
  void Line(std::string_view style, Length x1, Length y1, Length x2, Length y2);
  void Text(std::string_view style, Length x, Length y, Anchor anchor,
            std::string_view text);
  // Ends at (x, y) and rises towards it.
  void SlantedText(std::string_view style, Length x, Length y,
                   std::string_view text);
  void Path(std::string_view style, std::string_view data);
  void BeginGroup(std::string_view style);
  void EndGroup();
  void Raw(std::string_view markup) { text_ += markup; }

  std::string Take() && { return std::move(text_); }

 private:
  void Attribute(std::string_view name, Length value);
  void Open(std::string_view element, std::string_view style);

  std::string text_;
};

// How wide a text of that many characters is in the pictures' small type, or
// a little less.
constexpr Length WidthOfText(size_t characters) {
  return static_cast<Length>(characters) * 640;
}

}  // namespace stowplan::report
