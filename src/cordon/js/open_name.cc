#include "cordon/js/open_name.h"

#include <string_view>

#include "guest/abi.h"

#include "cordon/base/utf8.h"

namespace cordon::js {
namespace {

// A UTF-16 unit is three bytes at most.
constexpr std::size_t max_bytes = std::size_t{3} * MOST_OPEN_NAME_UNITS;

// C0, DEL and C1, which a terminal would act on. The text is UTF-8.
bool has_control_characters(std::string_view text) {
  for (std::size_t i = 0; i < text.size(); ++i) {
    const auto byte = static_cast<unsigned char>(text[i]);
    if (byte < 0x20 || byte == 0x7F) return true;
    if (byte == 0xC2 && static_cast<unsigned char>(text[i + 1]) < 0xA0) return true;
  }
  return false;
}

}  // namespace

Result<std::string> read_open_name(Reader& in) {
  const std::uint32_t size = CORDON_TRY(in.u32());
  if (size == 0 || size > max_bytes) return fail(ErrorCode::protocol_violation, "length of a name");
  const std::string_view name = CORDON_TRY(in.text(size));
  if (!is_utf8(name) || has_control_characters(name)) {
    return fail(ErrorCode::protocol_violation, "characters of a name");
  }
  return std::string(name);
}

}  // namespace cordon::js
