#include "cordon/js/image_file.h"

#include <memory>
#include <string>

#include <zstd.h>

#include "cordon/base/reader.h"
#include "cordon/base/writer.h"

extern "C" const char cordon_guest_hash[];

namespace cordon::js {
namespace {

constexpr std::string_view magic = "cordonIM";
constexpr std::uint32_t version = 2;
constexpr std::size_t hash_chars = 64;
constexpr std::size_t checksum_bytes = 8;
// What the host keeps beside an image: its table of pending calls, with their inputs, and the texts
// of its program.
constexpr std::uint64_t most_beside_bytes = std::uint64_t{256} << 20;

// FNV-1a, of which each byte and its place count. It is against damage; a forged image is no
// danger, since all that it can be is a guest.
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
  // Making one takes longer than a small image.
  thread_local const std::unique_ptr<ZSTD_CCtx, FreeContext> context(ZSTD_createCCtx());
  Bytes packed(ZSTD_compressBound(bytes.size()));
  const std::size_t size =
      ZSTD_compressCCtx(context.get(), packed.data(), packed.size(), bytes.data(), bytes.size(), 1);
  if (ZSTD_isError(size) != 0) return fail(Errc::internal, ZSTD_getErrorName(size));
  packed.resize(size);
  packed.shrink_to_fit();
  return packed;
}

Result<Bytes> unpack(BytesView packed, std::size_t size) {
  thread_local const std::unique_ptr<ZSTD_DCtx, FreeContext> context(ZSTD_createDCtx());
  // The frame's own word for it comes before room is made.
  if (ZSTD_getFrameContentSize(packed.data(), packed.size()) != size)
    return fail(Errc::syntax, "packed bytes of another size");
  Bytes bytes(size);
  const std::size_t made =
      ZSTD_decompressDCtx(context.get(), bytes.data(), bytes.size(), packed.data(), packed.size());
  if (ZSTD_isError(made) != 0 || made != size)
    return fail(Errc::syntax, "bytes that do not unpack");
  return bytes;
}

Result<Bytes> write_image(const Image& image, BytesView beside) {
  Bytes body;
  body.reserve(image.runs.size() + beside.size() + 16);
  Writer body_out(body);
  body_out.sized_bytes(beside);
  body_out.bytes(image.runs);

  Bytes file;
  Writer out(file);
  out.text(magic);
  out.u32(version);
  out.text(engine_hash());
  out.u32(image.memory_pages);
  out.u64(static_cast<std::uint64_t>(image.clock));
  out.u64(body.size());
  out.bytes(CORDON_TRY(pack(body)));
  out.u64(checksum_of(file));
  return file;
}

Result<ImageFile> read_image(BytesView file, std::uint64_t most_memory_bytes) {
  Reader in(file);
  const auto mark = in.text(magic.size());
  if (!mark || *mark != magic) return fail(Errc::syntax, "this is no image of Cordon's");
  const auto written = in.u32();
  if (written && *written != version) {
    return fail(Errc::unsupported, "an image of format " + std::to_string(*written) +
                                       "; this program reads format " + std::to_string(version));
  }
  if (in.left() < hash_chars + checksum_bytes) return fail(Errc::truncated, "the image is cut off");
  const BytesView summed = file.first(file.size() - checksum_bytes);
  Reader sum_in(file.last(checksum_bytes));
  if (CORDON_TRY(sum_in.u64()) != checksum_of(summed))
    return fail(Errc::syntax, "the image is damaged: its checksum is wrong");
  if (CORDON_TRY(in.text(hash_chars)) != engine_hash()) {
    return fail(Errc::unsupported,
                "an image of another engine: it goes on only in the version that made it");
  }

  ImageFile read;
  read.image.memory_pages = CORDON_TRY(in.u32());
  read.image.clock = static_cast<std::int64_t>(CORDON_TRY(in.u64()));
  const std::uint64_t size = CORDON_TRY(in.u64());
  const std::uint64_t memory = read.image.memory_bytes();
  if (memory > most_memory_bytes) {
    return fail(Errc::too_large, "the image needs " + std::to_string(memory) +
                                     " bytes of memory, and it may have " +
                                     std::to_string(most_memory_bytes));
  }
  // A run of one byte takes three, but short gaps are filled: no image is twice its memory.
  if (size > 2 * memory + most_beside_bytes)
    return fail(Errc::too_large, "the image is larger than its memory");
  const std::size_t packed = in.left() - checksum_bytes;
  const Bytes body = CORDON_TRY(unpack(CORDON_TRY(in.bytes(packed)), size));
  Reader body_in(body);
  const BytesView beside = CORDON_TRY(body_in.sized_bytes());
  read.beside.assign(beside.begin(), beside.end());
  const BytesView runs = CORDON_TRY(body_in.bytes(body_in.left()));
  read.image.runs.assign(runs.begin(), runs.end());
  CORDON_TRY(check_runs(read.image));
  return read;
}

}  // namespace cordon::js
