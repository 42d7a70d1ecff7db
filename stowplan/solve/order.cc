// SPDX-License-Identifier: Apache-2.0
#include "stowplan/solve/order.h"

#include <algorithm>
#include <array>
#include <bit>
#include <utility>

#include "stowplan/solve/radix_order.h"

namespace stowplan::solve {
namespace {

using Keys = std::vector<int64_t>;

struct OrderInfo {
  Order order;
  std::string_view name;
};

constexpr std::array<OrderInfo, 13> kOrders = {{
    {Order::kSize, "size"},
    {Order::kBreadth, "breadth"},
    {Order::kLoadAreaLength, "load_area_length"},
    {Order::kAreaLoadLength, "area_load_length"},
    {Order::kLoadSize, "load_size"},
    {Order::kSizeThenBirth, "size_birth"},
    {Order::kArea, "area"},
    {Order::kLoadLengthArea, "load_length_area"},
    {Order::kLength, "length"},
    {Order::kLengthAreaLoad, "length_area_load"},
    {Order::kLargeFirst, "large_first"},
    {Order::kBirth, "birth"},
    {Order::kDeath, "death"},
}};

// The places of the largest values in ranges, the first of equals. A sparse
// table of positions: O(n log n) to make, O(1) to ask.
class RangeMax {
 public:
  explicit RangeMax(const std::vector<Bytes>& values) : values_(values) {
    levels_.emplace_back(values.size());
    for (size_t i = 0; i < values.size(); ++i) {
      levels_[0][i] = static_cast<uint32_t>(i);
    }
    for (size_t width = 1; 2 * width <= values.size(); width *= 2) {
      const std::vector<uint32_t>& last = levels_.back();
      std::vector<uint32_t> next(last.size() - width);
      for (size_t i = 0; i < next.size(); ++i) {
        next[i] = Better(last[i], last[i + width]);
      }
      levels_.push_back(std::move(next));
    }
  }

  // REQUIRES: first < last <= values.
  uint32_t Find(uint32_t first, uint32_t last) const {
    const int level = static_cast<int>(std::bit_width(last - first)) - 1;
    const std::vector<uint32_t>& row = levels_[static_cast<size_t>(level)];
    return Better(row[first], row[last - (uint32_t{1} << level)]);
  }

 private:
  uint32_t Better(uint32_t a, uint32_t b) const {
    return values_[b] > values_[a] ? b : a;
  }

  const std::vector<Bytes>& values_;
  std::vector<std::vector<uint32_t>> levels_;
};

// The columns that orders are made of, computed when asked for.
class Columns {
 public:
  Columns(const plan::Problem& problem, const Sections& sections)
      : problem_(problem), sections_(sections) {}

  Keys Size() const {
    return Each([](const plan::Buffer& b, Index) { return b.size; });
  }
  Keys Begin() const {
    return Each([](const plan::Buffer& b, Index) { return b.live.begin; });
  }
  Keys End() const {
    return Each([](const plan::Buffer& b, Index) { return b.live.end; });
  }
  Keys Length() const {
    return Each([](const plan::Buffer& b, Index) { return LengthOf(b); });
  }
  // The product may not fit: then the longest wins, which is deterministic.
  Keys Area() const {
    return Each([this](const plan::Buffer& b, Index i) {
      const Piece span = sections_.SpanOf(i);
      int64_t area;
      return __builtin_mul_overflow(b.size, int64_t{span.last} - span.first,
                                    &area)
                 ? INT64_MAX
                 : area;
    });
  }
  // The load of the fullest section that the buffer lives through.
  Keys FullestLoad() const {
    const std::vector<Bytes> load = sections_.Load();
    const std::vector<uint32_t> at = FullestSections(load);
    return Each([&](const plan::Buffer&, Index i) {
      return load.empty() ? 0 : load[at[i]];
    });
  }
  // The rank of that section among all, the fullest first, so that buffers
  // of one section stay together.
  Keys FullestRank() const {
    const std::vector<Bytes> load = sections_.Load();
    const std::vector<uint32_t> at = FullestSections(load);
    RadixOrder fullest(load.size());
    fullest.ByDescending(load);
    std::vector<int64_t> rank(load.size());
    for (size_t i = 0; i < load.size(); ++i) {
      rank[fullest.indices()[i]] = static_cast<int64_t>(i);
    }
    return Each([&](const plan::Buffer&, Index i) {
      return rank.empty() ? 0 : rank[at[i]];
    });
  }
  // 0 for buffers that live from the first to the last section, else 1.
  Keys NotAlwaysLive() const {
    return Each([this](const plan::Buffer&, Index i) {
      const Piece span = sections_.SpanOf(i);
      return int64_t{span.first != 0 || span.last != sections_.count()};
    });
  }
  Keys NotPinned() const {
    return Each([](const plan::Buffer& b, Index) {
      return int64_t{!b.pinned.has_value()};
    });
  }

 private:
  template <class Get>
  Keys Each(const Get& get) const {
    Keys keys(problem_.size());
    for (size_t i = 0; i < keys.size(); ++i) {
      keys[i] = get(problem_.buffers()[i], static_cast<Index>(i));
    }
    return keys;
  }

  // A buffer of size 0 may have an empty or a reversed range.
  static int64_t LengthOf(const plan::Buffer& b) {
    int64_t length;
    if (b.live.empty()) return 0;
    return __builtin_sub_overflow(b.live.end, b.live.begin, &length) ? INT64_MAX
                                                                     : length;
  }

  std::vector<uint32_t> FullestSections(const std::vector<Bytes>& load) const {
    std::vector<uint32_t> at(problem_.size());
    const RangeMax fullest(load);
    for (size_t i = 0; i < at.size(); ++i) {
      const Piece span = sections_.SpanOf(static_cast<Index>(i));
      if (span.first == span.last) continue;  // Size 0: any section will do.
      at[i] = fullest.Find(static_cast<uint32_t>(span.first),
                           static_cast<uint32_t>(span.last));
    }
    return at;
  }

  const plan::Problem& problem_;
  const Sections& sections_;
};

// The least significant key first: RadixOrder is stable.
void Refine(const Columns& columns, Order order, RadixOrder* out) {
  switch (order) {
    case Order::kBirth:
      out->ByDescending(columns.Size());
      out->By(columns.Begin());
      break;
    case Order::kDeath:
      out->ByDescending(columns.Size());
      out->ByDescending(columns.End());
      break;
    case Order::kSize:
      out->ByDescending(columns.Length());
      out->ByDescending(columns.Size());
      break;
    case Order::kSizeThenBirth:
      out->By(columns.Begin());
      out->ByDescending(columns.Size());
      break;
    case Order::kArea:
      out->ByDescending(columns.Area());
      break;
    case Order::kLength:
      out->ByDescending(columns.Size());
      out->ByDescending(columns.Length());
      break;
    case Order::kLoadLengthArea:
      out->ByDescending(columns.Area());
      out->ByDescending(columns.Length());
      out->ByDescending(columns.FullestLoad());
      break;
    case Order::kLoadAreaLength:
      out->ByDescending(columns.Length());
      out->ByDescending(columns.Area());
      out->ByDescending(columns.FullestLoad());
      break;
    case Order::kLengthAreaLoad:
      out->ByDescending(columns.FullestLoad());
      out->ByDescending(columns.Area());
      out->ByDescending(columns.Length());
      break;
    case Order::kAreaLoadLength:
      out->ByDescending(columns.Length());
      out->ByDescending(columns.FullestLoad());
      out->ByDescending(columns.Area());
      break;
    case Order::kLoadSize:
      out->ByDescending(columns.Size());
      out->ByDescending(columns.FullestLoad());
      break;
    case Order::kBreadth:
      out->ByDescending(columns.Size());
      out->By(columns.FullestRank());
      break;
    case Order::kLargeFirst:
      out->By(columns.Begin());
      out->ByDescending(columns.Size());
      out->By(columns.NotAlwaysLive());
      break;
  }
}

constexpr std::array<Order, kOrders.size()> OrdersOf() {
  std::array<Order, kOrders.size()> orders = {};
  for (size_t i = 0; i < orders.size(); ++i) orders[i] = kOrders[i].order;
  return orders;
}

}  // namespace

std::span<const Order> Orders() {
  static constexpr std::array<Order, kOrders.size()> kAll = OrdersOf();
  return kAll;
}

std::string_view ToString(Order order) {
  for (const OrderInfo& info : kOrders) {
    if (info.order == order) return info.name;
  }
  return "unknown";
}

std::vector<Index> MakeOrder(const plan::Problem& problem,
                             const Sections& sections, Order order) {
  const Columns columns(problem, sections);
  RadixOrder result(problem.size());
  Refine(columns, order, &result);
  result.By(columns.NotPinned());
  return std::move(result).Take();
}

}  // namespace stowplan::solve
