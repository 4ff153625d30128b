#pragma once

// A guest at rest, as the runs of bytes in which its memory differs from the base image.
//
// At rest none of its code runs, so its stack is empty and its inbox has been read. Neither is part
// of an image. The rest of the memory is the whole state of a guest.

#include <cstdint>
#include <memory>
#include <span>

#include "cordon/base/bytes.h"
#include "cordon/js/guest_module.h"
#include "cordon/result.h"
#include "cordon/sandbox/memory_file.h"

namespace cordon::js {

inline constexpr std::uint64_t memory_page_bytes = 65536;

struct Image {
  std::uint32_t memory_pages = 0;
  // The steady clock when it was taken, in nanoseconds. Its timers refer to that clock.
  std::int64_t clock = 0;
  // Repeated: a varint count of bytes that equal the base, a varint length, and that many bytes.
  Bytes runs = {};
  // For an image that many guests start from: the end of the memory, from `tail_at` on. It is
  // mapped instead of copied, and has no runs.
  std::shared_ptr<const sandbox::MemoryFile> tail = {};
  std::uint32_t tail_at = 0;

  std::uint64_t memory_bytes() const { return memory_pages * memory_page_bytes; }
};

// `memory` must be that of a guest at rest.
Result<Image> difference(const GuestModule& module, BytesView memory);

// The same for an image that many guests start from. If the memory has grown by more than a little,
// that part becomes a file to map.
Result<Image> difference_to_share(const GuestModule& module, BytesView memory);

// Fails unless all runs lie inside the image's own memory.
Result<> check_runs(const Image& image);

// Puts the image over a fresh memory that has grown to the image's size. Checks as check_runs does.
Result<> apply(const Image& image, std::span<std::uint8_t> memory);

std::int64_t steady_nanoseconds();

}  // namespace cordon::js
