// SPDX-License-Identifier: Apache-2.0
#include "stowplan/runtime/overflow.h"

#include <algorithm>
#include <cstdlib>
#include <string>

#include "stowplan/base/checked_math.h"

namespace stowplan::runtime {
namespace {

constexpr Bytes kAlignment = 64;

}  // namespace

void Overflow::Free::operator()(std::byte* block) const { std::free(block); }

void Overflow::Restart() {
  const bool scattered = blocks_.size() > 1;
  const Bytes wanted = AlignUp(used_, kAlignment);
  used_ = 0;
  next_ = 0;
  if (!scattered) return;
  blocks_.clear();
  capacity_ = 0;
  room_ = 0;
  Grow(wanted);  // Without memory for it, it grows again when it must.
}

void Overflow::Release() {
  blocks_.clear();
  capacity_ = 0;
  room_ = 0;
  next_ = 0;
  used_ = 0;
}

bool Overflow::Grow(Bytes size) {
  void* block = std::aligned_alloc(kAlignment, static_cast<size_t>(size));
  if (block == nullptr) return false;
  blocks_.emplace_back(static_cast<std::byte*>(block));
  capacity_ += size;
  room_ = size;
  next_ = 0;
  ++growths_;
  return true;
}

Result<std::byte*> Overflow::Take(Bytes size, const std::string& what) {
  const auto rounded = CheckedAlignUp(std::max<Bytes>(size, 1), kAlignment);
  if (!rounded || *rounded > limit_ - used_ ||
      (next_ + *rounded > room_ && !Grow(*rounded))) {
    return tl::unexpected(
        Error{ErrorKind::kIo, what,
              "its size of " + std::to_string(size) +
                  " bytes is known only now, and the overflow memory of " +
                  std::to_string(limit_) + " bytes has no room for it",
              "raise the overflow limit"});
  }
  std::byte* place = blocks_.back().get() + next_;
  next_ += *rounded;
  used_ += *rounded;
  high_water_ = std::max(high_water_, used_);
  return place;
}

}  // namespace stowplan::runtime
