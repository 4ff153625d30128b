#include "cordon/js/outcome.h"

#include <charconv>
#include <utility>

#include "guest/abi.h"

#include "cordon/base/utf8.h"

namespace cordon::js {
namespace {

constexpr std::uint32_t max_causes = 16;
constexpr std::uint32_t max_names = 16;

// The guest's text, made well formed. It is shown to people and not parsed. It is cut, since a
// megabyte of an error helps no one and the host keeps it more than once.
Result<std::string> text(Reader& in) {
  constexpr std::size_t max_bytes = std::size_t{1} << 20;
  const std::uint32_t size = CORDON_TRY(in.u32());
  const std::string_view all = CORDON_TRY(in.text(size));
  if (all.size() <= max_bytes) return to_wtf8_lossy(all);
  return to_wtf8_lossy(cut_before(all, max_bytes)) + "…";
}

Result<ErrorText> error_text(Reader& in) {
  ErrorText error;
  error.name = CORDON_TRY(text(in));
  error.message = CORDON_TRY(text(in));
  error.stack = CORDON_TRY(text(in));
  return error;
}

RefusedAs why_of(std::uint8_t why) {
  switch (why) {
    case REFUSED_BIGINT:
      return RefusedAs::bigint;
    case REFUSED_FUNCTION:
      return RefusedAs::function;
    case REFUSED_SYMBOL:
      return RefusedAs::symbol;
    case REFUSED_NUMBER:
      return RefusedAs::number;
    case REFUSED_CYCLE:
      return RefusedAs::cycle;
    case REFUSED_OBJECT:
      return RefusedAs::object;
    case REFUSED_DEPTH:
      return RefusedAs::depth;
    case REFUSED_SIZE:
      return RefusedAs::size;
    case REFUSED_INSTANCE:
      return RefusedAs::instance;
    case REFUSED_GETTER:
      return RefusedAs::getter;
    default:
      return RefusedAs::other;
  }
}

std::string reason_of(std::uint8_t why, const std::string& more) {
  switch (why) {
    case REFUSED_BIGINT:
      return "a bigint";
    case REFUSED_FUNCTION:
      return "a function";
    case REFUSED_SYMBOL:
      return "a symbol";
    case REFUSED_NUMBER:
      return "a number that is not finite";
    case REFUSED_CYCLE:
      return "a cycle";
    case REFUSED_OBJECT:
      return "an object of class " + more;
    case REFUSED_DEPTH:
      return "nested too deeply";
    case REFUSED_SIZE:
      return "too large";
    case REFUSED_INSTANCE:
      return "an instance of a class";
    case REFUSED_GETTER:
      return "reading it threw " + more;
    default:
      return "not a plain value";
  }
}

Result<Unserializable> unserializable(Reader& in) {
  const std::uint8_t why = CORDON_TRY(in.u8());
  std::string place = CORDON_TRY(text(in));
  std::string more = CORDON_TRY(text(in));
  Unserializable refused{reason_of(why, more), std::move(place), why_of(why)};
  refused.has_members = why == REFUSED_INSTANCE && !more.empty();
  if (why == REFUSED_OBJECT) refused.class_name = std::move(more);
  return refused;
}

Result<Thrown> thrown(Reader& in, bool is_syntax_error) {
  Thrown thrown;
  thrown.is_syntax_error = is_syntax_error;
  thrown.failed_call = CORDON_TRY(in.u64());
  thrown.is_refused_input = thrown.failed_call == CALL_REFUSED;
  thrown.error = CORDON_TRY(error_text(in));
  const std::uint32_t causes = CORDON_TRY(in.u32());
  if (causes > max_causes) return fail(ErrorCode::too_large, "too many causes");
  for (std::uint32_t i = 0; i < causes; ++i) thrown.causes.push_back(CORDON_TRY(error_text(in)));
  const std::uint32_t refusal_size = CORDON_TRY(in.u32());
  if (refusal_size > 0) {
    Reader refusal(CORDON_TRY(in.bytes(refusal_size)));
    thrown.refused_input = CORDON_TRY(unserializable(refusal));
  }
  thrown.unknown_name = CORDON_TRY(text(in));
  const std::uint8_t how = CORDON_TRY(in.u8());
  thrown.is_global = (how & UNKNOWN_IS_GLOBAL) != 0;
  thrown.is_in_promise = (how & UNKNOWN_IN_PROMISE) != 0;
  thrown.is_in_list = (how & UNKNOWN_IN_LIST) != 0;
  thrown.is_in_text = (how & UNKNOWN_IN_TEXT) != 0;
  thrown.names_are_near = (how & UNKNOWN_HAS_NEAR) != 0;
  const std::uint32_t names = CORDON_TRY(in.u32());
  if (names > max_names) return fail(ErrorCode::too_large, "too many names");
  for (std::uint32_t i = 0; i < names; ++i) thrown.names.push_back(CORDON_TRY(text(in)));
  return thrown;
}

// A result that the host may not hold is refused as too large to leave.
Result<Outcome> value(Reader& in, const WireLimits& limits) {
  Result<Value> value = read_value(in, limits);
  if (value) return *std::move(value);
  if (value.error().code != ErrorCode::memory_limit) return fail(value.error());
  CORDON_TRY(in.bytes(in.left()));
  return Unserializable{"too large for the memory that the host keeps for this program", "",
                        RefusedAs::size};
}

Result<Outcome> any(Reader& in, const WireLimits& limits) {
  switch (CORDON_TRY(in.u8())) {
    case OUTCOME_VALUE:
      return value(in, limits);
    case OUTCOME_THROWN:
      return CORDON_TRY(thrown(in, false));
    case OUTCOME_SYNTAX:
      return CORDON_TRY(thrown(in, true));
    case OUTCOME_SERIALIZATION:
      return CORDON_TRY(unserializable(in));
    default:
      return fail(ErrorCode::protocol_violation, "unknown outcome");
  }
}

// Takes a number such as `12` and its colon off the end of `text`.
std::optional<std::uint32_t> take_number(std::string_view& text) {
  const std::size_t colon = text.rfind(':');
  if (colon == std::string_view::npos) return std::nullopt;
  std::uint32_t number = 0;
  const char* end = text.data() + text.size();
  const auto parsed = std::from_chars(text.data() + colon + 1, end, number);
  if (parsed.ec != std::errc() || parsed.ptr != end) return std::nullopt;
  text = text.substr(0, colon);
  return number;
}

// "    at name " without what is around the name, and without the engine's names for code that is
// in no function.
std::string_view function_of(std::string_view text) {
  const std::size_t at = text.find("at ");
  if (at == std::string_view::npos) return {};
  text.remove_prefix(at + 3);
  while (text.ends_with(' ')) text.remove_suffix(1);
  if (text.starts_with("async ")) text.remove_prefix(6);  // it waits in its frame
  return text.starts_with('<') ? std::string_view() : text;
}

}  // namespace

Result<Outcome> read_outcome(Reader& in, const WireLimits& limits) {
  Outcome outcome = CORDON_TRY(any(in, limits));
  CORDON_TRY(in.end());
  return outcome;
}

Result<Thrown> read_thrown(Reader& in) {
  Thrown error = CORDON_TRY(thrown(in, false));
  CORDON_TRY(in.end());
  return error;
}

std::optional<Location> location_of(std::string_view stack) {
  while (!stack.empty()) {
    const std::size_t end = stack.find('\n');
    std::string_view frame = stack.substr(0, end);
    stack = end == std::string_view::npos ? std::string_view() : stack.substr(end + 1);
    // "    at name (file:line:column)" or "    at file:line:column"
    std::string_view function;
    if (frame.ends_with(')')) {
      const std::size_t open = frame.rfind('(');
      if (open == std::string_view::npos) continue;
      function = function_of(frame.substr(0, open));
      frame = frame.substr(open + 1, frame.size() - open - 2);
    } else {
      const std::size_t at = frame.find("at ");
      if (at == std::string_view::npos) continue;
      frame = frame.substr(at + 3);
    }
    const auto column = take_number(frame);
    const auto line = column ? take_number(frame) : std::nullopt;
    if (line && frame != "<input>")
      return Location{std::string(frame), *line, *column, std::string(function)};
  }
  return std::nullopt;
}

}  // namespace cordon::js
