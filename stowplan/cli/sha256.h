// SPDX-License-Identifier: Apache-2.0
//
// A digest of bytes, to compare results without keeping them.
#pragma once

#include <cstddef>
#include <span>
#include <string>

namespace stowplan::cli {

// SHA-256 (FIPS 180-4) as 64 hexadecimal digits. O(bytes).
std::string Sha256(std::span<const std::byte> bytes);

}  // namespace stowplan::cli
