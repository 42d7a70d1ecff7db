// SPDX-License-Identifier: Apache-2.0
#include "stowplan/profile/process_memory.h"

#include <fcntl.h>
#include <sys/mman.h>
#include <sys/resource.h>
#include <unistd.h>

#include <charconv>
#include <fstream>
#include <iterator>
#include <string>
#include <vector>

namespace stowplan::profile {
namespace {

std::string ReadAll(const char* path) {
  std::ifstream file(path);
  return {std::istreambuf_iterator<char>(file), {}};
}

}  // namespace

std::optional<Bytes> FieldOf(std::string_view text, std::string_view key) {
  size_t at = 0;
  while (at < text.size()) {
    const size_t end = std::min(text.find('\n', at), text.size());
    const std::string_view line = text.substr(at, end - at);
    at = end + 1;
    if (!line.starts_with(key) || line.size() <= key.size() ||
        line[key.size()] != ':') {
      continue;
    }
    const size_t digit = line.find_first_of("0123456789", key.size());
    if (digit == std::string_view::npos) return std::nullopt;
    Bytes number = 0;
    std::from_chars(line.data() + digit, line.data() + line.size(), number);
    return number * 1024;
  }
  return std::nullopt;
}

std::optional<ProcessMemory> ReadProcessMemory() {
  const std::string status = ReadAll("/proc/self/status");
  const auto resident = FieldOf(status, "VmRSS");
  const auto peak = FieldOf(status, "VmHWM");
  if (!resident || !peak) return std::nullopt;
  ProcessMemory memory;
  memory.resident = *resident;
  memory.peak_resident = *peak;
  memory.file_pages = FieldOf(status, "RssFile").value_or(0);
  memory.proportional =
      FieldOf(ReadAll("/proc/self/smaps_rollup"), "Pss").value_or(0);
  rusage usage = {};
  if (getrusage(RUSAGE_SELF, &usage) == 0) {
    memory.minor_faults = usage.ru_minflt;
    memory.major_faults = usage.ru_majflt;
  }
  return memory;
}

// mincore says what is in the page cache; for a private mapping of a file
// that is not what this process touched, so the page map is read instead.
std::optional<Bytes> ResidentBytes(const void* begin, Bytes size) {
  const long page = sysconf(_SC_PAGESIZE);
  if (page <= 0 || size <= 0) return std::nullopt;
  const auto first =
      reinterpret_cast<uintptr_t>(begin) / static_cast<uintptr_t>(page);
  const auto last =
      (reinterpret_cast<uintptr_t>(begin) + static_cast<uintptr_t>(size) - 1) /
      static_cast<uintptr_t>(page);
  std::vector<uint64_t> entries(last - first + 1);
  // Not through a stream, whose buffer asks for a part of an entry, which the
  // kernel refuses.
  const int pages = open("/proc/self/pagemap", O_RDONLY | O_CLOEXEC);
  if (pages < 0) return std::nullopt;
  const size_t bytes = entries.size() * sizeof(uint64_t);
  const ssize_t count = pread(pages, entries.data(), bytes,
                              static_cast<off_t>(first * sizeof(uint64_t)));
  close(pages);
  if (count != static_cast<ssize_t>(bytes)) return std::nullopt;
  Bytes resident = 0;
  for (uint64_t entry : entries) resident += (entry >> 63) != 0 ? page : 0;
  return resident;
}

}  // namespace stowplan::profile
