#include "cordon/sandbox/memory_file.h"

#include <cerrno>
#include <fcntl.h>
#include <sys/mman.h>
#include <system_error>
#include <unistd.h>
#include <utility>

namespace cordon::sandbox {
namespace {

std::unexpected<Error> failed(const char* what) {
  return fail(Errc::unavailable, std::string(what) + ": " + std::generic_category().message(errno));
}

}  // namespace

Result<MemoryFile> MemoryFile::create(BytesView content) {
  MemoryFile file(memfd_create("cordon-image", MFD_CLOEXEC | MFD_ALLOW_SEALING), content.size());
  if (file.descriptor_ < 0) return failed("memfd_create");
  for (std::size_t at = 0; at < content.size();) {
    const ssize_t written = write(file.descriptor_, content.data() + at, content.size() - at);
    if (written < 0) return failed("writing a memory file");
    at += static_cast<std::size_t>(written);
  }
  // Nobody changes it from here on, us included: it is what later guests start from.
  constexpr int seals = F_SEAL_WRITE | F_SEAL_SHRINK | F_SEAL_GROW | F_SEAL_SEAL;
  if (fcntl(file.descriptor_, F_ADD_SEALS, seals) != 0) return failed("sealing a memory file");
  return file;
}

MemoryFile::MemoryFile(MemoryFile&& other) noexcept
    : descriptor_(std::exchange(other.descriptor_, -1)), size_(other.size_) {}

MemoryFile::~MemoryFile() {
  if (descriptor_ >= 0) ::close(descriptor_);
}

}  // namespace cordon::sandbox
