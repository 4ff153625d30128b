#include "cordon/js/image.h"

#include <algorithm>
#include <chrono>
#include <cstring>

#include "guest/abi.h"

#include "cordon/base/reader.h"
#include "cordon/base/writer.h"

// An image leaves out the stack (from 0 to stack_top) and the inbox: a guest at rest has nothing in
// them that it needs. Everything else is compared with the base memory, and with zeros past its
// end, in blocks first and then in words. Runs come in the order of their addresses and never
// overlap, so applying an image is one pass, and a run is given by its distance from the one
// before.
//
// An image may come from an attacker's file. each_run() is the only reader of runs, and checks
// every run against the memory's size before its bytes are used.

namespace cordon::js {
namespace {

constexpr std::size_t block_bytes = 4096;
constexpr std::size_t word_bytes = 8;
// The cost of another run. It is cheaper to write fewer equal bytes than this than to leave them
// out.
constexpr std::size_t shortest_gap = 2 * word_bytes;

// Mapping and unmapping take as long as copying about this much into fresh pages.
constexpr std::size_t least_tail_bytes = std::size_t{128} << 10;

constexpr std::uint8_t zeros[block_bytes] = {};

// Collects what differs, from low addresses to high ones.
class Runs {
 public:
  explicit Runs(Bytes& out) : out_(out) {}

  void add(std::size_t from, BytesView bytes) {
    if (!pending_.empty() && from - pending_end_ < shortest_gap &&
        pending_.data() + pending_.size() + (from - pending_end_) == bytes.data()) {
      pending_ = {pending_.data(), pending_.size() + (from - pending_end_) + bytes.size()};
    } else {
      flush();
      pending_ = bytes;
    }
    pending_end_ = from + bytes.size();
  }

  void flush() {
    if (pending_.empty()) return;
    const std::size_t from = pending_end_ - pending_.size();
    out_.varint(from - written_);
    out_.sized_bytes(pending_);
    written_ = pending_end_;
    pending_ = {};
  }

 private:
  Writer out_;
  BytesView pending_;
  std::size_t pending_end_ = 0;
  std::size_t written_ = 0;
};

// Both have `size` bytes, and some of them differ.
void add_words(Runs& runs, std::size_t from, const std::uint8_t* now, const std::uint8_t* base,
               std::size_t size) {
  for (std::size_t at = 0; at < size; at += word_bytes) {
    std::size_t first = at;
    std::size_t end = std::min(at + word_bytes, size);
    if (std::memcmp(now + first, base + first, end - first) == 0) continue;
    while (now[first] == base[first]) ++first;
    while (now[end - 1] == base[end - 1]) --end;
    runs.add(from + first, {now + first, end - first});
  }
}

void add_range(Runs& runs, BytesView memory, BytesView base, std::size_t from, std::size_t end) {
  for (std::size_t at = from; at < end;) {
    // Past the end of the base all bytes are zero.
    const bool in_base = at < base.size();
    const std::size_t limit = in_base ? std::min(end, base.size()) : end;
    const std::size_t size = std::min(limit, at - at % block_bytes + block_bytes) - at;
    const std::uint8_t* was = in_base ? base.data() + at : zeros;
    if (std::memcmp(memory.data() + at, was, size) != 0)
      add_words(runs, at, memory.data() + at, was, size);
    at += size;
  }
}

template <class Take>
Result<> each_run(const Image& image, Take take) {
  Reader in(image.runs);
  std::uint64_t at = 0;
  const std::uint64_t size = image.memory_bytes();
  while (!in.at_end()) {
    const std::uint64_t gap = CORDON_TRY(in.varint());
    const BytesView bytes = CORDON_TRY(in.sized_bytes());
    if (gap > size - at || bytes.size() > size - at - gap)
      return fail(ErrorCode::malformed, "the image has bytes outside of its memory");
    at += gap;
    take(at, bytes);
    at += bytes.size();
  }
  return {};
}

// The difference of the memory below `end`.
Result<Image> difference_below(const GuestModule& module, BytesView memory, std::size_t end) {
  const BytesView base = CORDON_TRY(module.base_memory());
  if (memory.size() < base.size())
    return fail(ErrorCode::internal_error, "a memory that has shrunk");
  Image image;
  image.memory_pages = static_cast<std::uint32_t>(memory.size() / memory_page_bytes);
  image.clock = steady_nanoseconds();
  image.runs.reserve(std::size_t{16} << 10);
  Runs runs(image.runs);
  const std::size_t inbox = module.inbox_address();
  add_range(runs, memory, base, module.stack_top(), inbox);
  add_range(runs, memory, base, inbox + INBOX_BYTES, end);
  runs.flush();
  return image;
}

}  // namespace

Result<Image> difference(const GuestModule& module, BytesView memory) {
  return difference_below(module, memory, memory.size());
}

Result<Image> difference_to_share(const GuestModule& module, BytesView memory) {
  const std::size_t tail_at = CORDON_TRY(module.base_memory()).size();
  if (memory.size() < tail_at + least_tail_bytes) return difference(module, memory);
  Result<sandbox::MemoryFile> tail = sandbox::MemoryFile::create(memory.subspan(tail_at));
  // If the system has no such files or no free descriptor, the memory is copied.
  if (!tail) return difference(module, memory);
  Image image = CORDON_TRY(difference_below(module, memory, tail_at));
  image.tail = std::make_shared<const sandbox::MemoryFile>(*std::move(tail));
  image.tail_at = static_cast<std::uint32_t>(tail_at);
  return image;
}

Result<> check_runs(const Image& image) {
  return each_run(image, [](std::uint64_t, BytesView) {});
}

Result<> apply(const Image& image, std::span<std::uint8_t> memory) {
  if (memory.size() != image.memory_bytes())
    return fail(ErrorCode::invalid_argument, "an image for a memory of another size");
  return each_run(image, [&](std::uint64_t at, BytesView bytes) {
    if (!bytes.empty()) std::memcpy(memory.data() + at, bytes.data(), bytes.size());
  });
}

std::int64_t steady_nanoseconds() {
  const auto now = std::chrono::steady_clock::now().time_since_epoch();
  return std::chrono::duration_cast<std::chrono::nanoseconds>(now).count();
}

}  // namespace cordon::js
