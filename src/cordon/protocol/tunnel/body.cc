#include "cordon/protocol/tunnel/body.h"

#include <algorithm>
#include <cmath>

#include "cordon/base/ascii.h"

namespace cordon::tunnel {
namespace {

bool same_letters(char a, char b) { return ascii_lower(a) == ascii_lower(b); }

}  // namespace

BodyMode mode_of(std::string_view content_type) {
  constexpr std::string_view multipart = "multipart/form-data";
  constexpr std::string_view octets = "application/octet-stream";
  if (content_type.empty()) return BodyMode::json;
  if (!std::ranges::search(content_type, multipart, same_letters).empty())
    return BodyMode::multipart;
  if (content_type.size() >= octets.size() &&
      equals_in_any_case(content_type.substr(0, octets.size()), octets)) {
    const std::string_view rest = content_type.substr(octets.size());
    if (rest.empty() || rest.starts_with(';')) return BodyMode::octet_stream;
  }
  return BodyMode::json;
}

Result<Value> task_input(const rich::Serializer& serializer, std::string_view text,
                         const rich::ParseOptions& options) {
  if (text.empty()) return Value();
  Value body = CORDON_TRY(serializer.parse(text, options));
  if (body.is_object() && body.contains("input")) return body.share(body.find("input"));
  return body;
}

Result<EventBody> event_body(const rich::Serializer& serializer, std::string_view text,
                             const rich::ParseOptions& options) {
  if (text.empty()) return EventBody();
  const Value body = CORDON_TRY(serializer.parse(text, options));
  if (!body.is_object()) return EventBody();
  return EventBody{body.share(body.find("payload")), is_truthy(body.find("returnPayload"))};
}

bool is_truthy(const ValueView& value) {
  switch (value.kind()) {
    case Kind::undefined:
    case Kind::null:
      return false;
    case Kind::boolean:
      return value.as_bool();
    case Kind::number:
      return value.as_number() != 0 && !std::isnan(value.as_number());
    case Kind::string:
      return !value.as_string().empty();
    case Kind::bigint:
      return value.bigint_text() != "0";
    default:
      return true;
  }
}

}  // namespace cordon::tunnel
