#pragma once

// An image as bytes, to be kept or sent: with the version of the format, the hash of the engine
// that it is a state of, and a seal. Bytes that are not exactly what write_image wrote, for the
// engine of this program, are refused.
//
//   8 bytes  "cordonIM"
//   u32      version
//   u8       the seal: 0 a checksum, 1 a keyed hash
//   64       the engine's hash, in hexadecimal
//   u32      pages of memory
//   u64      the steady clock when it was taken
//   u64 ×3   size of what is beside the image, packed and unpacked; size of the runs, unpacked
//   …        what is beside the image, in a frame of Zstandard
//   …        the runs, in another
//   …        the seal, of all before it: u64, or 32 bytes
//
// A checksum is against damage. Whoever can write one can write any image, so the sizes are held
// against limits before there is room for anything. A keyed hash says that somebody with the key
// wrote it.

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

struct ImageLimits {
  std::uint64_t memory_bytes = 0;  // of the guest
  std::uint64_t beside_bytes = 0;
};

// With a key it is sealed by that.
Result<Bytes> write_image(const Image& image, BytesView beside, BytesView key = {});

// ErrorCode::too_large past a limit, ErrorCode::permission_denied where the key does not fit: the
// image has the seal of another one, or none where there is a key, or one where there is none.
// Before the seal was found right nothing behind it is looked at.
Result<ImageFile> read_image(BytesView file, const ImageLimits& limits, BytesView key = {});
// What is beside it, alone.
Result<Bytes> read_beside(BytesView file, const ImageLimits& limits, BytesView key = {});

// In hexadecimal, of the guest before it became machine code: an image means the same on every
// machine that has this one.
std::string_view engine_hash();

// Zstandard at its quickest, and back to exactly `size` bytes.
Result<Bytes> pack(BytesView bytes);
Result<Bytes> unpack(BytesView packed, std::size_t size);

}  // namespace cordon::js
