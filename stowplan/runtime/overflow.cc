// SPDX-License-Identifier: Apache-2.0
#include "stowplan/runtime/overflow.h"

#include <algorithm>
#include <cstdlib>
#include <string>

#include "stowplan/base/checked_math.h"
#include "stowplan/runtime/arena.h"

namespace stowplan::runtime {
namespace {

constexpr Bytes kAlignment = 64;

}  // namespace

void Overflow::Free::operator()(std::byte* block) const { std::free(block); }

void Overflow::Use(std::span<std::byte> memory) {
  Release();
  given_ = memory;
}

Bytes Overflow::limit() const {
  return given_.data() == nullptr ? limit_
                                  : std::min(limit_, AlignedBytes(given_));
}

void Overflow::Restart() {
  const Bytes wanted = used_;
  used_ = 0;
  next_ = 0;
  if (blocks_.size() <= 1) return;
  ForgetBlocks();
  Grow(wanted);  // Without memory for it, it grows again when it must.
}

void Overflow::ForgetBlocks() {
  blocks_.clear();
  last_ = nullptr;
  capacity_ = 0;
  room_ = 0;
  next_ = 0;
}

void Overflow::Release() {
  ForgetBlocks();
  used_ = 0;
}

bool Overflow::Grow(Bytes size) {
  if (next_ == 0) ForgetLast();  // Nobody uses it, and it is too small.
  void* block = std::aligned_alloc(kAlignment, static_cast<size_t>(size));
  if (block == nullptr) return false;
  last_ = static_cast<std::byte*>(block);
  blocks_.emplace_back(last_);
  capacity_ += size;
  room_ = size;
  next_ = 0;
  ++growths_;
  return true;
}

void Overflow::ForgetLast() {
  if (blocks_.empty()) return;
  blocks_.pop_back();
  capacity_ -= room_;
  room_ = 0;
  last_ = nullptr;
}

Result<std::byte*> Overflow::Take(Bytes size, const std::string& what) {
  const auto rounded = CheckedAlignUp(std::max<Bytes>(size, 1), kAlignment);
  const bool given = given_.data() != nullptr;
  if (!rounded || *rounded > limit() - used_) {
    return tl::unexpected(
        Error{ErrorKind::kIo, what, TooFew(size, rounded),
              given ? "give it more memory" : "raise the overflow limit"});
  }
  if (given) {
    last_ = AlignedPart(given_).data();
    capacity_ = limit();
  } else if (next_ + *rounded > room_ && !Grow(*rounded)) {
    return OutOfMemory(what, *rounded, 0);
  }
  std::byte* place = last_ + next_;
  next_ += *rounded;
  used_ += *rounded;
  high_water_ = std::max(high_water_, used_);
  return place;
}

std::string Overflow::TooFew(Bytes size, std::optional<Bytes> rounded) const {
  const std::string known =
      "its size of " + std::to_string(size) + " bytes is known only now, and ";
  if (!rounded) return known + "no memory has so many";
  return known + "the overflow memory of " +
         std::to_string(std::max<Bytes>(limit(), 0)) + " bytes, of which " +
         std::to_string(used_) + " are taken, has " +
         std::to_string(*rounded - (limit() - used_)) + " too few";
}

}  // namespace stowplan::runtime
