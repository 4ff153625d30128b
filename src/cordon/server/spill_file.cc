#include "cordon/server/spill_file.h"

#include <algorithm>
#include <cerrno>
#include <cstdlib>
#include <fcntl.h>
#include <string>
#include <unistd.h>

namespace cordon::server {
namespace {

constexpr std::uint64_t piece_bytes = 65'536;

}  // namespace

SpillFile::~SpillFile() {
  if (descriptor_ >= 0) close(descriptor_);
}

Result<> SpillFile::open() {
  const char* const named = std::getenv("TMPDIR");
  const std::string folder = named != nullptr && *named != '\0' ? named : "/tmp";
  descriptor_ = ::open(folder.c_str(), O_TMPFILE | O_RDWR | O_CLOEXEC, 0600);
  if (descriptor_ < 0) {
    // Not every file system has files without names.
    std::string name = folder + "/cordon-XXXXXX";
    descriptor_ = mkostemp(name.data(), O_CLOEXEC);
    if (descriptor_ >= 0) unlink(name.c_str());
  }
  if (descriptor_ < 0) return fail(ErrorCode::io, "there is no room for temporary files");
  return {};
}

Result<> SpillFile::append(BytesView bytes) {
  if (descriptor_ < 0) CORDON_TRY(open());
  while (!bytes.empty()) {
    const ssize_t size =
        pwrite(descriptor_, bytes.data(), bytes.size(), static_cast<off_t>(written_));
    if (size < 0 && errno == EINTR) continue;
    if (size <= 0) return fail(ErrorCode::io, "a temporary file cannot be written");
    written_ += static_cast<std::uint64_t>(size);
    bytes = bytes.subspan(static_cast<std::size_t>(size));
  }
  return {};
}

Result<Bytes> SpillFile::take() {
  Bytes piece(static_cast<std::size_t>(std::min(unread_bytes(), piece_bytes)));
  std::size_t filled = 0;
  while (filled < piece.size()) {
    const ssize_t size = pread(descriptor_, piece.data() + filled, piece.size() - filled,
                               static_cast<off_t>(read_ + filled));
    if (size < 0 && errno == EINTR) continue;
    if (size <= 0) return fail(ErrorCode::io, "a temporary file cannot be read");
    filled += static_cast<std::size_t>(size);
  }
  read_ += filled;
  return piece;
}

}  // namespace cordon::server
