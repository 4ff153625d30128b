#pragma once

// A guest at rest: what its memory has that the base image has not, as runs of bytes.
//
// At rest no code of it runs, so its stack is empty and its inbox has been read: neither is part of
// an image. What is left is all that a guest is (ARCHITECTURE.md).

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
  // The steady clock when it was taken, in nanoseconds: its timers are due by it.
  std::int64_t clock = 0;
  // Again and again: a varint of bytes that are the base's, a varint length, that many bytes.
  Bytes runs = {};
  // Where it is started from many times: the end of the memory, from `tail_at` on, which is mapped
  // instead of copied and has no runs.
  std::shared_ptr<const sandbox::MemoryFile> tail = {};
  std::uint32_t tail_at = 0;

  std::uint64_t memory_bytes() const { return memory_pages * memory_page_bytes; }
};

// `memory` is that of a guest at rest.
Result<Image> difference(const GuestModule& module, BytesView memory);

// The same for many starts: where the memory has grown by more than a little, that part is a file
// to map.
Result<Image> difference_to_share(const GuestModule& module, BytesView memory);

// Fails unless all runs lie inside the image's own memory.
Result<> check_runs(const Image& image);

// Puts the image over a fresh memory that has grown to the image's size. Checks as check_runs does.
Result<> apply(const Image& image, std::span<std::uint8_t> memory);

std::int64_t steady_nanoseconds();

}  // namespace cordon::js
