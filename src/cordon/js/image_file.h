#pragma once

// An image as bytes, to be kept or sent: with the version of the format, the hash of the engine
// that it is a state of, and a checksum. Bytes that are not exactly what write_image wrote, for the
// engine of this program, are refused.
//
//   8 bytes  "cordonIM"
//   u32      version
//   64       the engine's hash, in hexadecimal
//   u32      pages of memory
//   u64      the steady clock when it was taken
//   u64      size of what follows, once it is unpacked
//   …        in a frame of Zstandard: a varint size and what is beside the image; then the runs
//   u64      checksum of all before it

#include <cstdint>
#include <string_view>

#include "cordon/base/bytes.h"
#include "cordon/js/image.h"
#include "cordon/result.h"

namespace cordon::js {

struct ImageFile {
  Image image;
  Bytes beside;  // the host's own, as it was given
};

Result<Bytes> write_image(const Image& image, BytesView beside);

// Errc::too_large where the guest would need more memory than that.
Result<ImageFile> read_image(BytesView file, std::uint64_t most_memory_bytes);

// In hexadecimal, of the guest before it became machine code: an image means the same on every
// machine that has this one.
std::string_view engine_hash();

// Zstandard at its quickest, and back to exactly `size` bytes.
Result<Bytes> pack(BytesView bytes);
Result<Bytes> unpack(BytesView packed, std::size_t size);

}  // namespace cordon::js
