// Any bytes: what is read is written and read back the same, errors lie within the input, and
// leniency only ever lets more in.

#include <cstddef>
#include <cstdint>

#include "bounded.h"
#include "require.h"

#include "cordon/bytes.h"
#include "cordon/codec/msgpack/decode.h"
#include "cordon/codec/msgpack/encode.h"

namespace {

using namespace cordon;

using cordon::fuzz::bounded;
using cordon::fuzz::require;

bool check(BytesView in, const msgpack::DecodeOptions& options) {
  std::size_t failed_at = 0;
  const auto value = bounded(in.size(), [&] { return msgpack::decode(in, options, &failed_at); });
  if (!value) {
    require(failed_at <= in.size(), "an error lies within the input");
    return false;
  }
  require(Value::copy_of(*value) == *value, "a copy is equal");
  const auto written = msgpack::encode(*value, {.extensions = msgpack::Extensions::timestamp});
  if (!written) {
    // A Date that no timestamp can be made of.
    require(written.error().code == ErrorCode::serialization_error, "what was read can be written");
    return true;
  }
  const auto again = msgpack::decode(*written, options);
  require(again.has_value(), "what was written can be read");
  require(msgpack::encode(*again, {.extensions = msgpack::Extensions::timestamp}) == *written,
          "a second round trip changes nothing");
  return true;
}

}  // namespace

// The name and signature are libFuzzer's.
// NOLINTNEXTLINE(readability-identifier-naming)
extern "C" int LLVMFuzzerTestOneInput(const std::uint8_t* data, std::size_t size) {
  using namespace cordon::msgpack;
  const BytesView in(data, size);
  const bool strict = check(in, {});
  const bool lenient =
      check(in, {.other_keys = OtherKeys::map, .extensions = Extensions::timestamp});
  require(lenient || !strict, "what the strict reader takes, the lenient one takes");
  check(in, {.max_depth = 4,
             .large_integers = LargeIntegers::nearest_number,
             .other_keys = OtherKeys::text});
  return 0;
}
