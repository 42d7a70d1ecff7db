// SPDX-License-Identifier: Apache-2.0
//
// Families of operators, so that a picture has few colours and each of them
// means the same in every picture.
#pragma once

#include <span>
#include <string_view>

namespace stowplan::report {

enum class Family {
  kConvolution,
  kDepthwise,
  kMatrix,
  kArithmetic,
  kActivation,
  kReduction,
  kMovement,
  kResize,
  kCast,
  kControl,
  kOther,
  kInput,
  kScratch,
};

struct FamilyInfo {
  Family family;
  std::string_view name;   // "convolution".
  std::string_view color;  // "#6aa5e3"; black text on it is readable.
};

// In the order of the enumerators.
std::span<const FamilyInfo> Families();

// Of BufferRow::made_by: an operator's type, "input" or "scratch".
Family FamilyOf(std::string_view made_by);

}  // namespace stowplan::report
