// SPDX-License-Identifier: Apache-2.0
#include "stowplan/cli/file.h"

#include <fcntl.h>
#include <sys/mman.h>
#include <sys/stat.h>
#include <unistd.h>

#include <algorithm>
#include <array>
#include <cerrno>
#include <cstring>
#include <filesystem>
#include <fstream>
#include <system_error>
#include <vector>

namespace stowplan::cli {
namespace {

namespace fs = std::filesystem;

constexpr size_t kMostStdin = size_t{2} << 30;

tl::unexpected<Error> IoError(const std::string& path, int code) {
  return tl::unexpected(Error{ErrorKind::kIo, path, std::strerror(code), ""});
}

class FileDescriptor {
 public:
  explicit FileDescriptor(int fd) : fd_(fd) {}
  ~FileDescriptor() {
    if (fd_ >= 0) close(fd_);
  }
  FileDescriptor(const FileDescriptor&) = delete;
  FileDescriptor& operator=(const FileDescriptor&) = delete;
  int get() const { return fd_; }

 private:
  int fd_;
};

// Pipes and the like, which cannot be mapped.
Result<InputFile> ReadStream(const std::string& path, int fd) {
  auto buffer = std::make_shared<std::vector<std::byte>>();
  std::array<std::byte, 1 << 16> chunk;
  while (true) {
    const ssize_t count = read(fd, chunk.data(), chunk.size());
    if (count < 0 && errno == EINTR) continue;
    if (count < 0) return IoError(path, errno);
    if (count == 0) break;
    buffer->insert(buffer->end(), chunk.begin(), chunk.begin() + count);
    if (buffer->size() > kMostStdin) {
      return BadInput(path, "more than 2 GiB come from a stream",
                      "name a file instead");
    }
  }
  return InputFile{path, *buffer, buffer, false};
}

Result<InputFile> Map(const std::string& path, int fd, size_t size) {
  void* base = mmap(nullptr, size, PROT_READ, MAP_PRIVATE, fd, 0);
  if (base == MAP_FAILED) return IoError(path, errno);
  std::shared_ptr<const void> storage(
      base, [size](const void* p) { munmap(const_cast<void*>(p), size); });
  return InputFile{
      path, {static_cast<const std::byte*>(base), size}, storage, true};
}

// How a document of ours begins, and what stands near its begin.
struct Form {
  std::string_view begins;
  std::string_view holds;
};
// A problem as CSV is not among them: it may be somebody's data.
constexpr Form kForms[] = {
    {"{\"schema\"", "stowplan."},                 // Compact JSON.
    {"{\n  \"schema\"", "stowplan."},             // Indented JSON.
    {"<!doctype html>", "content=\"stowplan\""},  // The page.
    {"<svg ", "data-generator=\"stowplan\""},     // The picture.
    {"file         ", "\narena "},                // The summary.
    {"subgraph,tensor,name,kind,", ""},           // The table.
    {"ArenaAlloc: ", ""},                         // Lines.
    {"TotalArenaSize: ", ""},                     // No lines but the sum.
    {"", "\nSubgraph 0"},                         // Facts of a model.
    {"", " buffers\npeak         "},              // What pack says.
};

// Whether the file is empty or one of our own documents.
bool MayReplace(const std::string& path) {
  std::ifstream file(path, std::ios::binary);
  std::array<char, 1024> head;
  file.read(head.data(), head.size());
  const std::string_view text(head.data(), static_cast<size_t>(file.gcount()));
  if (file.bad()) return false;
  return text.empty() ||
         std::any_of(std::begin(kForms), std::end(kForms),
                     [&](const Form& form) {
                       return text.starts_with(form.begins) &&
                              text.find(form.holds) != std::string_view::npos;
                     });
}

// Devices, pipes and what is open already, which hold nothing that could be
// lost. /dev/stdout may lead to a file, but to one that is being written.
bool IsStream(const std::string& path) {
  std::error_code error;
  return path == "/dev/stdout" || path == "/dev/stderr" ||
         path.starts_with("/dev/fd/") || path.starts_with("/proc/self/fd/") ||
         (fs::exists(path, error) && !fs::is_regular_file(path, error));
}

// Where links lead, so that they stay links.
fs::path BehindLinks(fs::path path) {
  constexpr int kMostLinks = 40;  // As the kernel has it.
  std::error_code error;
  for (int i = 0; i < kMostLinks && fs::is_symlink(path, error); ++i) {
    path = path.parent_path() / fs::read_symlink(path, error);
  }
  return path;
}

Status WriteInPlace(const std::string& path, std::string_view content) {
  errno = 0;
  std::ofstream file(path, std::ios::binary);
  if (!file) return IoError(path, errno);
  file.write(content.data(), static_cast<std::streamsize>(content.size()));
  file.close();
  if (!file) return IoError(path, errno != 0 ? errno : EIO);
  return {};
}

}  // namespace

Result<InputFile> ReadInput(const std::string& path) {
  if (path == "-") return ReadStream("stdin", STDIN_FILENO);
  const FileDescriptor file(open(path.c_str(), O_RDONLY | O_CLOEXEC));
  if (file.get() < 0) return IoError(path, errno);
  struct stat info;
  if (fstat(file.get(), &info) != 0) return IoError(path, errno);
  if (S_ISDIR(info.st_mode)) return IoError(path, EISDIR);
  if (!S_ISREG(info.st_mode) || info.st_size == 0) {
    return ReadStream(path, file.get());
  }
  return Map(path, file.get(), static_cast<size_t>(info.st_size));
}

Status WriteOutput(const std::string& path, std::string_view content,
                   bool force, std::span<const std::string> inputs) {
  std::error_code error;
  for (const std::string& input : inputs) {
    if (fs::equivalent(path, input, error)) {
      return UsageError(path, "is the input itself", "name another file");
    }
  }
  if (fs::is_directory(path, error)) return IoError(path, EISDIR);
  if (IsStream(path)) return WriteInPlace(path, content);
  if (fs::exists(path, error) && !force && !MayReplace(path)) {
    return UsageError(path, "exists and is no document of Stowplan's",
                      "name another file, or add --force to replace it");
  }
  const fs::path target = BehindLinks(path);
  const std::string temporary =
      target.string() + ".part" + std::to_string(getpid());
  if (const Status status = WriteInPlace(temporary, content); !status) {
    fs::remove(temporary, error);
    return tl::unexpected(Error{ErrorKind::kIo, path, status.error().what, ""});
  }
  fs::rename(temporary, target, error);
  if (error) {
    const int code = error.value();
    fs::remove(temporary, error);
    return IoError(path, code);
  }
  return {};
}

}  // namespace stowplan::cli
