#include "cordon/js/image_file.h"

#include <memory>
#include <string>
#include <utility>

#include <zstd.h>

#include "cordon/base/reader.h"
#include "cordon/base/writer.h"
#include "cordon/sandbox/keyed_hash.h"

extern "C" const char cordon_guest_hash[];

namespace cordon::js {
namespace {

constexpr std::string_view magic = "cordonIM";
constexpr std::uint32_t version = 3;
constexpr std::size_t hash_chars = 64;
constexpr std::size_t checksum_bytes = 8;
constexpr std::size_t head_bytes = magic.size() + sizeof(std::uint32_t) + 1;

enum class Seal : std::uint8_t { checksum, keyed_hash };

// FNV-1a. Each byte and its place change the result.
std::uint64_t checksum_of(BytesView bytes) {
  std::uint64_t sum = 0xcbf29ce484222325;
  for (const std::uint8_t byte : bytes) sum = (sum ^ byte) * 0x100000001b3;
  return sum;
}

struct FreeContext {
  void operator()(ZSTD_CCtx* context) const { ZSTD_freeCCtx(context); }
  void operator()(ZSTD_DCtx* context) const { ZSTD_freeDCtx(context); }
};

}  // namespace

std::string_view engine_hash() { return {cordon_guest_hash, hash_chars}; }

Result<Bytes> pack(BytesView bytes) {
  // Making a context takes longer than packing a small image.
  thread_local const std::unique_ptr<ZSTD_CCtx, FreeContext> context(ZSTD_createCCtx());
  Bytes packed(ZSTD_compressBound(bytes.size()));
  const std::size_t size =
      ZSTD_compressCCtx(context.get(), packed.data(), packed.size(), bytes.data(), bytes.size(), 1);
  if (ZSTD_isError(size) != 0) return fail(ErrorCode::internal_error, ZSTD_getErrorName(size));
  packed.resize(size);
  packed.shrink_to_fit();
  return packed;
}

Result<Bytes> unpack(BytesView packed, std::size_t size) {
  thread_local const std::unique_ptr<ZSTD_DCtx, FreeContext> context(ZSTD_createDCtx());
  // Check the size that the frame claims before memory is reserved.
  if (ZSTD_getFrameContentSize(packed.data(), packed.size()) != size)
    return fail(ErrorCode::malformed, "packed bytes of another size");
  Bytes bytes(size);
  const std::size_t made =
      ZSTD_decompressDCtx(context.get(), bytes.data(), bytes.size(), packed.data(), packed.size());
  if (ZSTD_isError(made) != 0 || made != size)
    return fail(ErrorCode::malformed, "bytes that do not unpack");
  return bytes;
}

namespace {

sandbox::KeyedHash hash_of(BytesView key, BytesView bytes) {
  return sandbox::keyed_hash(key, {as_bytes("cordon image"), bytes});
}

std::unexpected<Error> refuse_key(const char* why) {
  return fail(ErrorCode::permission_denied, why);
}

// The part of the file that the seal covers.
Result<BytesView> unsealed(BytesView file, BytesView key) {
  Reader in(file);
  const auto mark = in.text(magic.size());
  if (!mark || *mark != magic) return fail(ErrorCode::malformed, "this is no image of Cordon's");
  const auto written = in.u32();
  if (written && *written != version) {
    return fail(ErrorCode::unsupported, "an image of format " + std::to_string(*written) +
                                            "; this program reads format " +
                                            std::to_string(version));
  }
  if (in.left() < 1 + hash_chars + checksum_bytes)
    return fail(ErrorCode::truncated, "the image is cut off");
  const std::uint8_t seal = CORDON_TRY(in.u8());
  if (seal == std::to_underlying(Seal::checksum)) {
    if (!key.empty()) return refuse_key("the image has no seal, and a key is given");
    const BytesView sealed = file.first(file.size() - checksum_bytes);
    Reader sum_in(file.last(checksum_bytes));
    if (CORDON_TRY(sum_in.u64()) != checksum_of(sealed))
      return fail(ErrorCode::malformed, "the image is damaged: its checksum is wrong");
    return sealed;
  }
  if (seal != std::to_underlying(Seal::keyed_hash))
    return fail(ErrorCode::malformed, "the image is damaged: its seal is of no kind");
  if (key.empty()) return refuse_key("the image is sealed: it is read with its key alone");
  if (in.left() < hash_chars + sandbox::keyed_hash_bytes)
    return fail(ErrorCode::truncated, "the image is cut off");
  const BytesView sealed = file.first(file.size() - sandbox::keyed_hash_bytes);
  if (!is_same_sum(hash_of(key, sealed), file.last(sandbox::keyed_hash_bytes)))
    return refuse_key("the image was changed, or sealed with another key");
  return sealed;
}

// An image before it is unpacked.
struct Packed {
  Image image;  // without its runs
  BytesView beside;
  std::size_t beside_bytes = 0;
  BytesView runs;
  std::size_t runs_bytes = 0;
};

Result<Packed> open_file(BytesView file, const ImageLimits& limits, BytesView key) {
  const BytesView content = CORDON_TRY(unsealed(file, key));
  Reader in(content.subspan(head_bytes));
  if (CORDON_TRY(in.text(hash_chars)) != engine_hash()) {
    return fail(ErrorCode::unsupported,
                "an image of another engine: it goes on only in the version that made it");
  }
  Packed packed;
  packed.image.memory_pages = CORDON_TRY(in.u32());
  packed.image.clock = static_cast<std::int64_t>(CORDON_TRY(in.u64()));
  const std::uint64_t packed_beside = CORDON_TRY(in.u64());
  packed.beside_bytes = CORDON_TRY(in.u64());
  packed.runs_bytes = CORDON_TRY(in.u64());
  const std::uint64_t memory = packed.image.memory_bytes();
  if (memory > limits.memory_bytes) {
    return fail(ErrorCode::too_large, "the image needs " + std::to_string(memory) +
                                          " bytes of memory, and it may have " +
                                          std::to_string(limits.memory_bytes));
  }
  if (packed.beside_bytes > limits.beside_bytes) {
    return fail(ErrorCode::too_large, "the image has " + std::to_string(packed.beside_bytes) +
                                          " bytes beside it, and it may have " +
                                          std::to_string(limits.beside_bytes));
  }
  // Another run costs less than the gap before it would, so runs never take more than the memory.
  if (packed.runs_bytes > memory)
    return fail(ErrorCode::too_large, "the image is larger than its memory");
  packed.beside = CORDON_TRY(in.bytes(packed_beside));
  packed.runs = CORDON_TRY(in.bytes(in.left()));
  return packed;
}

}  // namespace

Result<Bytes> write_image(const Image& image, BytesView beside, BytesView key) {
  const Bytes packed_beside = CORDON_TRY(pack(beside));
  Bytes file;
  Writer out(file);
  out.text(magic);
  out.u32(version);
  out.u8(std::to_underlying(key.empty() ? Seal::checksum : Seal::keyed_hash));
  out.text(engine_hash());
  out.u32(image.memory_pages);
  out.u64(static_cast<std::uint64_t>(image.clock));
  out.u64(packed_beside.size());
  out.u64(beside.size());
  out.u64(image.runs.size());
  out.bytes(packed_beside);
  out.bytes(CORDON_TRY(pack(image.runs)));
  if (key.empty()) {
    out.u64(checksum_of(file));
  } else {
    out.bytes(hash_of(key, file));
  }
  return file;
}

Result<ImageFile> read_image(BytesView file, const ImageLimits& limits, BytesView key) {
  Packed packed = CORDON_TRY(open_file(file, limits, key));
  ImageFile read{std::move(packed.image), {}};
  read.beside = CORDON_TRY(unpack(packed.beside, packed.beside_bytes));
  read.image.runs = CORDON_TRY(unpack(packed.runs, packed.runs_bytes));
  CORDON_TRY(check_runs(read.image));
  return read;
}

Result<Bytes> read_beside(BytesView file, const ImageLimits& limits, BytesView key) {
  const Packed packed = CORDON_TRY(open_file(file, limits, key));
  return unpack(packed.beside, packed.beside_bytes);
}

}  // namespace cordon::js
