#pragma once

// An image as bytes, to be stored or sent, with the version of the format, the hash of the engine
// that it belongs to, and a seal. Bytes are refused unless write_image wrote exactly them for the
// engine of this program.
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
// A checksum protects against damage. An attacker can write any image with a right checksum, so all
// sizes are checked against limits before memory is reserved. A keyed hash proves that a holder of
// the key wrote the image.

#include <cstdint>
#include <string_view>

#include "cordon/base/bytes.h"
#include "cordon/js/image.h"
#include "cordon/result.h"

namespace cordon::js {

struct ImageFile {
  Image image;
  Bytes beside;  // the host's own data, as it was given
};

struct ImageLimits {
  std::uint64_t memory_bytes = 0;  // the guest's memory
  std::uint64_t beside_bytes = 0;
};

// With a key, the seal is a keyed hash.
Result<Bytes> write_image(const Image& image, BytesView beside, BytesView key = {});

// Fails with ErrorCode::too_large past a limit, and with ErrorCode::permission_denied if the seal
// does not fit: it was made with another key, or only one of the image and this call has a key.
// Nothing is read before the seal has been checked.
Result<ImageFile> read_image(BytesView file, const ImageLimits& limits, BytesView key = {});
// Reads only the data beside the image.
Result<Bytes> read_beside(BytesView file, const ImageLimits& limits, BytesView key = {});

// The hash, in hexadecimal, of the guest before it was compiled to machine code. An image works on
// every machine with the same hash.
std::string_view engine_hash();

// Zstandard at its quickest, and back to exactly `size` bytes.
Result<Bytes> pack(BytesView bytes);
Result<Bytes> unpack(BytesView packed, std::size_t size);

}  // namespace cordon::js
