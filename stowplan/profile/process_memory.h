// SPDX-License-Identifier: Apache-2.0
//
// What the kernel says of this process's memory. Linux; elsewhere nothing.
#pragma once

#include <optional>
#include <string_view>

#include "stowplan/base/bytes.h"

namespace stowplan::profile {

struct ProcessMemory {
  Bytes resident = 0;       // At the moment (RSS).
  Bytes peak_resident = 0;  // Since the process began.
  Bytes file_pages = 0;     // Of `resident`: pages of mapped files.
  Bytes proportional = 0;   // PSS: pages shared with others count in part.
  int64_t minor_faults = 0;
  int64_t major_faults = 0;
};

// Nothing where /proc is not there. Uses the heap.
std::optional<ProcessMemory> ReadProcessMemory();

// Bytes of [begin, begin + size) that are resident, from the page table. A
// way to count what was touched of a mapped file. Nothing if the kernel does
// not tell. REQUIRES: memory of this process.
std::optional<Bytes> ResidentBytes(const void* begin, Bytes size);

// The number behind `key` in a text of lines "key:   number kB", in bytes.
std::optional<Bytes> FieldOf(std::string_view text, std::string_view key);

}  // namespace stowplan::profile
