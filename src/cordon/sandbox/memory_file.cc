#include "cordon/sandbox/memory_file.h"

#include <atomic>
#include <cerrno>
#include <cstdint>
#include <fcntl.h>
#include <sys/mman.h>
#include <system_error>
#include <unistd.h>
#include <utility>

namespace cordon::sandbox {
namespace {

constexpr std::size_t huge_page_bytes = std::size_t{2} << 20;
constexpr int madv_collapse = 25;  // MADV_COLLAPSE, of Linux 6.1; older headers lack it

std::unexpected<Error> failed(const char* what) {
  return fail(ErrorCode::unavailable,
              std::string(what) + ": " + std::generic_category().message(errno));
}

// Puts the content into huge pages, if it fills at least half of one. Copies still map small pages
// of them. But when a page is touched the kernel maps its neighbours too, and takes half the time
// for that if they lie in one huge page. A kernel that refuses leaves the file as it is.
void gather_pages(int descriptor, std::size_t size) {
  const std::size_t huge = (size + huge_page_bytes / 2) / huge_page_bytes * huge_page_bytes;
  if (huge == 0 || (huge > size && ftruncate(descriptor, static_cast<off_t>(huge)) != 0)) return;
  const std::size_t room_bytes = huge + huge_page_bytes;
  void* const room =
      mmap(nullptr, room_bytes, PROT_NONE, MAP_PRIVATE | MAP_ANONYMOUS | MAP_NORESERVE, -1, 0);
  if (room == MAP_FAILED) return;
  auto* const start = static_cast<std::uint8_t*>(room);
  const std::size_t past = reinterpret_cast<std::uintptr_t>(room) % huge_page_bytes;
  std::uint8_t* const aligned = start + (huge_page_bytes - past) % huge_page_bytes;
  if (mmap(aligned, huge, PROT_READ, MAP_SHARED | MAP_FIXED, descriptor, 0) != MAP_FAILED)
    (void)madvise(aligned, huge, madv_collapse);
  munmap(room, room_bytes);
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
  gather_pages(file.descriptor_, content.size());
  // From here on the file cannot be changed, not even by us: later guests start from it.
  constexpr int seals = F_SEAL_WRITE | F_SEAL_SHRINK | F_SEAL_GROW | F_SEAL_SEAL;
  if (fcntl(file.descriptor_, F_ADD_SEALS, seals) != 0) return failed("sealing a memory file");
  if (content.empty()) return file;
  void* const mapped = mmap(nullptr, content.size(), PROT_READ, MAP_PRIVATE, file.descriptor_, 0);
  if (mapped == MAP_FAILED) return failed("mapping a memory file");
  file.content_ = static_cast<const std::uint8_t*>(mapped);
  return file;
}

MemoryFile::MemoryFile(int descriptor, std::size_t size) : descriptor_(descriptor), size_(size) {
  static std::atomic<std::uint64_t> last = 0;
  id_ = ++last;
}

MemoryFile::MemoryFile(MemoryFile&& other) noexcept
    : descriptor_(std::exchange(other.descriptor_, -1)),
      size_(other.size_),
      content_(std::exchange(other.content_, nullptr)),
      id_(other.id_) {}

MemoryFile::~MemoryFile() {
  if (content_ != nullptr) munmap(const_cast<std::uint8_t*>(content_), size_);
  if (descriptor_ >= 0) ::close(descriptor_);
}

}  // namespace cordon::sandbox
