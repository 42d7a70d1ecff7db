// SPDX-License-Identifier: Apache-2.0
//
// What a file may cost its reader.
#pragma once

#include <cstdint>

#include "stowplan/base/bytes.h"

namespace stowplan::tflite {

// Offsets of a FlatBuffer may share their targets: a few megabytes can say
// that a million operators read the same million inputs. Everything that is
// visited is therefore paid for, by the bytes that its copy in a graph takes,
// and a file whose graph would dwarf it is refused. Real files stay below a
// tenth of the limit.
class Budget {
 public:
  static constexpr Bytes kPerTensor = 320;
  static constexpr Bytes kPerOperator = 512;
  static constexpr Bytes kPerElement = 8;

  explicit Budget(Bytes file_size) : left_((Bytes{40} << 20) + 3 * file_size) {}

  // False if this is more than what is left.
  // REQUIRES: bytes >= 0, and a size of something that is in memory.
  bool Take(Bytes bytes) {
    if (bytes > left_) return false;
    left_ -= bytes;
    return true;
  }

  template <class Vector>
  bool TakeElements(const Vector* vector) {
    return vector == nullptr || Take(kPerElement * Bytes{vector->size()});
  }

 private:
  Bytes left_;
};

}  // namespace stowplan::tflite
