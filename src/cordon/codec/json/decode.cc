#include "cordon/codec/json/decode.h"

#include <algorithm>
#include <string>

#include "cordon/codec/json/building_sink.h"
#include "cordon/codec/json/parser.h"
#include "cordon/value/value_builder.h"

namespace cordon::json {
namespace {

class ValidatingSink {
 public:
  static constexpr bool keeps_text = false;

  void begin_array() {}
  void begin_object() {}
  void end_array() {}
  void end_object() {}
  const char* expected_key(const char*, const char*) { return nullptr; }
  void key(std::string_view, bool) {}
  void text(std::string_view) {}
  void number(double) {}
  void boolean(bool) {}
  void null() {}
};

template <class Sink>
Result<> parse(std::string_view text, const DecodeOptions& options, Position* failed_at,
               Sink& sink) {
  if (text.size() > options.max_bytes) {
    return failure(text, options.max_bytes, ErrorCode::too_large, "JSON text past its limit",
                   failed_at);
  }
  Parser<Sink> parser(text, options, sink);
  if (!parser.run()) {
    return failure(text, parser.offset(), parser.error(), parser.reason(), failed_at);
  }
  return {};
}

}  // namespace

std::unexpected<Error> failure(std::string_view text, std::size_t offset, ErrorCode code,
                               std::string_view reason, Position* failed_at) {
  const Position at = position_of(text, offset);
  if (failed_at != nullptr) *failed_at = at;
  std::string detail(reason);
  detail.append(" at line ").append(std::to_string(at.line));
  detail.append(", column ").append(std::to_string(at.column));
  detail.append(" (byte ").append(std::to_string(at.offset)).append(")");
  return fail(code, std::move(detail));
}

std::unexpected<Error> over_budget(Position* failed_at) {
  // There is no position: the whole text is too much.
  if (failed_at != nullptr) *failed_at = Position();
  return fail(ErrorCode::too_large, "the value takes more memory than it may");
}

Result<Value> decode(std::string_view text, const DecodeOptions& options, Position* failed_at) {
  try {
    ValueBuilder builder(options.budget ? options.budget : Budget::for_message(text.size()));
    BuildingSink sink(builder, options.key_order);
    CORDON_TRY(parse(text, options, failed_at, sink));
    return builder.finish(builder.since(0)[0]);
  } catch (const OverBudget&) {
    return over_budget(failed_at);
  }
}

Result<> validate(std::string_view text, const DecodeOptions& options, Position* failed_at) {
  ValidatingSink sink;
  return parse(text, options, failed_at, sink);
}

Position position_of(std::string_view text, std::size_t offset) {
  offset = std::min(offset, text.size());
  const std::string_view before = text.substr(0, offset);
  const std::size_t newline = before.rfind('\n');
  const std::string_view line = newline == before.npos ? before : before.substr(newline + 1);
  const auto is_start = [](char c) { return (static_cast<unsigned char>(c) & 0xc0) != 0x80; };
  return {
      .line = 1 + static_cast<std::size_t>(std::ranges::count(before, '\n')),
      .column = 1 + static_cast<std::size_t>(std::ranges::count_if(line, is_start)),
      .offset = offset,
  };
}

}  // namespace cordon::json
