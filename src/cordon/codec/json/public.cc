#include "cordon/codec/json/decode.h"
#include "cordon/codec/json/encode.h"
#include "cordon/json.h"

namespace cordon {

Result<Value> from_json(std::string_view text) { return json::decode(text); }

Result<std::string> to_json(const ValueView& value, JsonStyle style) {
  return json::encode(value, {.indent = style == JsonStyle::pretty ? std::size_t{2} : 0});
}

}  // namespace cordon
