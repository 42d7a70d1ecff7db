// SPDX-License-Identifier: Apache-2.0
//
// A sparse tensor of rank r with b blocked dimensions has r + b levels, the
// outermost first. `traversal_order` names the dimension of each level: below
// r a dimension of the shape (in units of its blocks), from r on the inside
// of a block. A dense level of n multiplies the entries so far by n; a
// compressed level gives, for entry i so far, the positions
// indices[segments[i] .. segments[i + 1]) that are stored:
//
//   [[0 7 0] [0 0 0] [5 0 6]]   level 0 dense, 3
//                               level 1 compressed, segments 0 1 1 3,
//                               indices 1 0 2; content 7 5 6
#include <algorithm>
#include <optional>
#include <string>
#include <vector>

#include "stowplan/base/checked_math.h"
#include "stowplan/tflite/check.h"
#include "stowplan/tflite/element_type.h"

namespace stowplan::tflite {
namespace {

using schema::DimensionMetadata;
using schema::SparseIndexVector;

// A vector of one of the three widths.
struct IndexVector {
  const flatbuffers::Vector<int32_t>* wide = nullptr;
  const flatbuffers::Vector<uint16_t>* middle = nullptr;
  const flatbuffers::Vector<uint8_t>* narrow = nullptr;

  int64_t size() const {
    return static_cast<int64_t>(SizeOf(wide) + SizeOf(middle) + SizeOf(narrow));
  }
  // REQUIRES: 0 <= i < size().
  int64_t at(int64_t i) const {
    const auto index = static_cast<uint32_t>(i);
    if (wide != nullptr) return wide->Get(index);
    return middle != nullptr ? middle->Get(index) : narrow->Get(index);
  }
};

IndexVector Widen(SparseIndexVector type, const void* table) {
  IndexVector vector;
  if (table == nullptr) return vector;
  if (type == SparseIndexVector::Int32Vector) {
    vector.wide = static_cast<const schema::Int32Vector*>(table)->values();
  } else if (type == SparseIndexVector::Uint16Vector) {
    vector.middle = static_cast<const schema::Uint16Vector*>(table)->values();
  } else if (type == SparseIndexVector::Uint8Vector) {
    vector.narrow = static_cast<const schema::Uint8Vector*>(table)->values();
  }
  return vector;
}

Status Broken(const std::string& where, const std::string& what) {
  return BadInput(where, "its sparse storage " + what,
                  "convert the model again");
}

// The number of entries after a compressed level of `extent` positions that
// follows `entries` entries, or an error.
Result<int64_t> Compressed(CheckContext& context, const std::string& where,
                           const DimensionMetadata& level, int64_t entries,
                           int64_t extent) {
  const IndexVector segments =
      Widen(level.array_segments_type(), level.array_segments());
  const IndexVector indices =
      Widen(level.array_indices_type(), level.array_indices());
  if (!context.budget.Take(segments.size() + indices.size())) {
    return TooCostly(where);
  }
  const auto broken = [&](const char* what) {
    return tl::unexpected(Broken(where, what).error());
  };
  if (segments.size() != entries + 1 || segments.at(0) != 0 ||
      segments.at(entries) != indices.size()) {
    return broken("has segments that do not fit its indices");
  }
  for (int64_t i = 0; i < entries; ++i) {
    if (segments.at(i) > segments.at(i + 1)) {
      return broken("has segments that go backwards");
    }
  }
  for (int64_t i = 0; i < indices.size(); ++i) {
    if (indices.at(i) < 0 || indices.at(i) >= extent) {
      return broken("has indices outside its shape");
    }
  }
  return indices.size();
}

// The levels' extents in the order of the file, or nothing if the traversal
// order, the blocks and the shape do not fit together.
std::optional<std::vector<int64_t>> Extents(const schema::Tensor& tensor) {
  const schema::SparsityParameters& sparsity = *tensor.sparsity();
  const auto* order = sparsity.traversal_order();
  const auto* levels = sparsity.dim_metadata();
  const size_t rank = SizeOf(tensor.shape());
  const size_t total = rank + SizeOf(sparsity.block_map());
  if (SizeOf(order) != total || SizeOf(levels) != total) return std::nullopt;

  std::vector<int64_t> level_of(total, -1);  // By dimension.
  for (size_t i = 0; i < total; ++i) {
    const int32_t dimension = order->Get(static_cast<uint32_t>(i));
    if (dimension < 0 || static_cast<size_t>(dimension) >= total) {
      return std::nullopt;
    }
    int64_t& level = level_of[static_cast<size_t>(dimension)];
    if (level >= 0) return std::nullopt;
    level = static_cast<int64_t>(i);
  }
  std::vector<int64_t> extents(total);
  for (size_t d = 0; d < rank; ++d) {
    extents[static_cast<size_t>(level_of[d])] =
        tensor.shape()->Get(static_cast<uint32_t>(d));
  }
  for (size_t b = 0; b + rank < total; ++b) {
    const size_t inside = static_cast<size_t>(level_of[rank + b]);
    const int64_t block =
        levels->Get(static_cast<uint32_t>(inside))->dense_size();
    const int32_t outer = sparsity.block_map()->Get(static_cast<uint32_t>(b));
    if (outer < 0 || static_cast<size_t>(outer) >= rank || block <= 0) {
      return std::nullopt;
    }
    int64_t& blocked =
        extents[static_cast<size_t>(level_of[static_cast<size_t>(outer)])];
    if (blocked % block != 0) return std::nullopt;
    blocked /= block;
    extents[inside] = block;
  }
  return extents;
}

}  // namespace

Status CheckSparsity(CheckContext& context, const schema::Tensor& tensor,
                     const std::string& where, Bytes stored) {
  const schema::SparsityParameters& sparsity = *tensor.sparsity();
  if (!context.budget.TakeElements(sparsity.traversal_order()) ||
      !context.budget.TakeElements(sparsity.block_map())) {
    return TooCostly(where);
  }
  if (BitsOf(tensor.type()) == 0) {
    return Broken(where, "has elements without a fixed size");
  }
  const auto extents = Extents(tensor);
  if (!extents) {
    return Broken(where, "does not fit its shape");
  }
  int64_t entries = 1;
  for (size_t i = 0; i < extents->size(); ++i) {
    const DimensionMetadata& level =
        *sparsity.dim_metadata()->Get(static_cast<uint32_t>(i));
    if (level.format() == schema::DimensionType::SPARSE_CSR) {
      STOWPLAN_TRY(next,
                   Compressed(context, where, level, entries, (*extents)[i]));
      entries = next;
      continue;
    }
    const auto product = CheckedMul(entries, (*extents)[i]);
    if (level.dense_size() != (*extents)[i] || !product || *product < 0) {
      return Broken(where, "has a dense level that does not fit its shape");
    }
    entries = *product;
  }
  if (PackedBytes(tensor.type(), entries) == stored) return {};
  return Broken(where, "lists " + std::to_string(entries) +
                           " elements, but its buffer holds " +
                           std::to_string(stored) + " bytes");
}

}  // namespace stowplan::tflite
