// Any bytes as an image: refused, or one that can be written again as it was. A checksum keeps a
// fuzzer out, so each input is also tried with the right one behind it, and as what a file unpacks
// to.

#include <cstddef>
#include <cstdint>

#include "bounded.h"
#include "require.h"

#include "cordon/base/bytes.h"
#include "cordon/base/writer.h"
#include "cordon/js/image_file.h"

namespace {

using namespace cordon;

using cordon::fuzz::bounded;
using cordon::fuzz::require;

void check(BytesView bytes) {
  constexpr js::ImageLimits limits{.memory_bytes = std::uint64_t{4} << 20,
                                   .beside_bytes = std::uint64_t{4} << 20};
  // Packed, so what counts is the memory that it may be an image of.
  const auto read =
      bounded(bytes.size(), [&] { return js::read_image(bytes, limits); }, 4 * limits.memory_bytes);
  if (!read) {
    require(!read.error().message.empty(), "a refusal says why");
    return;
  }
  require(read->image.memory_bytes() <= limits.memory_bytes, "no more memory than it may have");
  require(read->image.runs.size() <= limits.memory_bytes, "no more runs than memory");
  require(read->beside.size() <= limits.beside_bytes, "no more beside it than there may be");
  Bytes memory(read->image.memory_bytes());
  require(js::apply(read->image, memory).has_value(), "what was read fits its memory");
  const auto again = js::write_image(read->image, read->beside);
  require(again.has_value(), "it can be written");
  const auto reread = js::read_image(*again, limits);
  require(reread.has_value() && reread->image.runs == read->image.runs &&
              reread->image.clock == read->image.clock && reread->beside == read->beside,
          "and read again as it was");
}

// The fields of a file with the right frame around them: the rest of the input is what it unpacks
// to.
Bytes framed(BytesView bytes) {
  js::Image image;
  image.memory_pages = bytes.empty() ? 0 : bytes[0];
  const BytesView rest = bytes.empty() ? bytes : bytes.subspan(1);
  image.runs.assign(rest.begin(), rest.end());
  return js::write_image(image, {}).value_or(Bytes());
}

}  // namespace

// The name and signature are libFuzzer's.
// NOLINTNEXTLINE(readability-identifier-naming)
extern "C" int LLVMFuzzerTestOneInput(const std::uint8_t* data, std::size_t size) {
  check({data, size});
  check(framed({data, size}));
  Bytes summed(data, data + size);
  std::uint64_t sum = 0xcbf29ce484222325;
  for (const std::uint8_t byte : summed) sum = (sum ^ byte) * 0x100000001b3;
  Writer(summed).u64(sum);
  check(summed);
  return 0;
}
