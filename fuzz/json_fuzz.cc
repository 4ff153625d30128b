// Any bytes: decode and validate agree, and what was read is written and read back the same.

#include <cstddef>
#include <cstdint>
#include <string>

#include "bounded.h"
#include "require.h"

#include "cordon/base/bytes.h"
#include "cordon/codec/json/decode.h"
#include "cordon/codec/json/encode.h"

namespace {

using cordon::fuzz::bounded;
using cordon::fuzz::require;

void check(std::string_view text, const cordon::json::DecodeOptions& options) {
  using namespace cordon;
  json::Position failed_at;
  const auto value = bounded(text.size(), [&] { return json::decode(text, options, &failed_at); });
  const auto valid = bounded(text.size(), [&] { return json::validate(text, options); });
  require(value.has_value() == valid.has_value(), "validate agrees with decode");
  if (!value) {
    require(value.error() == valid.error(), "validate gives decode's error");
    require(failed_at.offset <= text.size() && failed_at.line >= 1 && failed_at.column >= 1,
            "an error lies within the text");
    return;
  }

  // -0 is written as 0, so the texts are compared rather than the first value and the second.
  const auto written = json::encode(*value);
  require(written.has_value(), "what was read can be written");
  const auto again = json::decode(*written);
  require(again.has_value(), "what was written can be read");
  require(json::encode(*again) == *written, "a second round trip changes nothing");
  require(Value::copy_of(*value) == *value, "a copy is equal");

  const auto pretty = json::encode(*value, {.indent = 2});
  require(pretty.has_value(), "what was read can be written prettily");
  const auto from_pretty = json::decode(*pretty);
  require(from_pretty.has_value() && *from_pretty == *again, "blanks change nothing");
}

}  // namespace

// The name and signature are libFuzzer's.
// NOLINTNEXTLINE(readability-identifier-naming)
extern "C" int LLVMFuzzerTestOneInput(const std::uint8_t* data, std::size_t size) {
  const std::string_view text = cordon::as_text({data, size});
  check(text, {});
  check(text, {.max_depth = 8, .comments = cordon::json::Comments::allowed});
  return 0;
}
