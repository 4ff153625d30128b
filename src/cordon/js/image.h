#pragma once

// A guest at rest: what its memory has that the base image has not, as runs of bytes.
//
// At rest no code of it runs, so its stack is empty and its inbox has been read: neither is part of
// an image. What is left is all that a guest is (ARCHITECTURE.md).

#include <cstdint>
#include <span>

#include "cordon/base/bytes.h"
#include "cordon/js/guest_module.h"
#include "cordon/result.h"

namespace cordon::js {

inline constexpr std::uint64_t memory_page_bytes = 65536;

struct Image {
  std::uint32_t memory_pages = 0;
  // The steady clock when it was taken, in nanoseconds: its timers are due by it.
  std::int64_t clock = 0;
  // Again and again: a varint of bytes that are the base's, a varint length, that many bytes.
  Bytes runs = {};

  std::uint64_t memory_bytes() const { return memory_pages * memory_page_bytes; }
};

// `memory` is that of a guest at rest.
Result<Image> difference(const GuestModule& module, BytesView memory);

// Fails unless all runs lie inside the image's own memory.
Result<> check_runs(const Image& image);

// Puts the image over a fresh memory that has grown to the image's size. Checks as check_runs does.
Result<> apply(const Image& image, std::span<std::uint8_t> memory);

std::int64_t steady_nanoseconds();

}  // namespace cordon::js
