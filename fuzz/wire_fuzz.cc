// Any bytes as a value from a hostile guest: read or refused, and what was read is written and read
// back the same.

#include <cstddef>
#include <cstdint>

#include "bounded.h"
#include "require.h"

#include "cordon/base/bytes.h"
#include "cordon/base/reader.h"
#include "cordon/base/writer.h"
#include "cordon/js/value_wire.h"

namespace {

using cordon::fuzz::bounded;
using cordon::fuzz::require;

void check(cordon::BytesView bytes, const cordon::js::WireLimits& limits) {
  using namespace cordon;
  Reader in(bytes);
  const auto value = bounded(bytes.size(), [&] { return js::read_value(in, limits); });
  require(in.position() <= bytes.size(), "nothing is read past the end");
  if (!value) {
    require(!value.error().message.empty(), "a refusal says why");
    return;
  }

  Bytes written;
  Writer out(written);
  const auto wrote = js::write_value(out, *value, limits);
  if (!wrote) {
    // Only numbers can be read that may not be written: a guest's own code refuses them.
    require(wrote.error().code == ErrorCode::serialization_error, "why it cannot be written");
    return;
  }
  Reader again_in(written);
  const auto again = js::read_value(again_in, limits);
  require(again.has_value() && again_in.at_end(), "what was written can be read, to its end");
  Bytes rewritten;
  Writer out_again(rewritten);
  require(js::write_value(out_again, *again, limits).has_value(), "and be written again");
  require(rewritten == written, "a second round trip changes nothing");
  require(Value::copy_of(*again) == *again, "a copy is equal");
  // Sharing is held by the bytes above: empty bytes have no address to compare.
  require(limits.kinds == js::WireKinds::plain || *again == *value,
          "rich values come back as they were");
}

}  // namespace

// The name and signature are libFuzzer's.
// NOLINTNEXTLINE(readability-identifier-naming)
extern "C" int LLVMFuzzerTestOneInput(const std::uint8_t* data, std::size_t size) {
  check({data, size}, {});
  check({data, size}, {.depth = 4, .elements = 16});
  check({data, size}, {.kinds = cordon::js::WireKinds::rich});
  return 0;
}
