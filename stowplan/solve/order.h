// SPDX-License-Identifier: Apache-2.0
//
// Orders in which greedy solvers place buffers.
#pragma once

#include <span>
#include <string_view>
#include <vector>

#include "stowplan/plan/problem.h"
#include "stowplan/solve/sections.h"

namespace stowplan::solve {

// Pinned buffers come first in every order. Ties end at the lower id.
enum class Order {
  kBirth,           // Earlier begin; then larger.
  kDeath,           // Later end; then larger: birth with time reversed.
  kSize,            // Larger; then longer live.
  kSizeThenBirth,   // Larger; then earlier begin.
  kArea,            // Larger size x sections.
  kLength,          // Longer live; then larger.
  kLoadLengthArea,  // Meets a fuller section; then longer; then by area.
  kLoadAreaLength,  // The same, area before length.
  kLengthAreaLoad,  // Longer; then larger area; then fuller section.
  kAreaLoadLength,  // Larger area; then fuller section.
  kLoadSize,        // Meets a fuller section; then larger.
  kBreadth,         // By its fullest section as one; then larger.
  kLargeFirst,      // Always live; then larger; then earlier begin.
};

// All orders, those that win most often first.
std::span<const Order> Orders();

// "size", "load_area_length", ...
std::string_view ToString(Order order);

// The buffers of `problem` as `order` has them. O(n log n).
// REQUIRES: `sections` of the same problem.
std::vector<Index> MakeOrder(const plan::Problem& problem,
                             const Sections& sections, Order order);

}  // namespace stowplan::solve
