#include "cordon/codec/json/plain.h"

#include <algorithm>
#include <charconv>
#include <cmath>
#include <cstdint>

#include "cordon/base/base64.h"
#include "cordon/codec/json/building_sink.h"
#include "cordon/codec/json/encode.h"
#include "cordon/codec/json/parser.h"
#include "cordon/value/value_builder.h"

namespace cordon::json {
namespace {

constexpr std::string_view bytes_key = "$bytes";
constexpr double max_safe_integer = 9007199254740991.0;

bool fits_64_bits(std::string_view digits) {
  const char* const end = digits.data() + digits.size();
  if (digits.starts_with('-')) {
    std::int64_t number = 0;
    return std::from_chars(digits.data(), end, number).ec == std::errc();
  }
  std::uint64_t number = 0;
  return std::from_chars(digits.data(), end, number).ec == std::errc();
}

class PlainSink : public BuildingSink {
 public:
  PlainSink(ValueBuilder& builder, KeyOrder order) : BuildingSink(builder, order), out_(builder) {}

  void number_text(std::string_view text, double nearest) {
    const bool is_integer = text.find_first_of(".eE") == std::string_view::npos;
    if (is_integer && std::fabs(nearest) > max_safe_integer && fits_64_bits(text)) {
      out_.push(*out_.bigint(text));
    } else {
      number(nearest);
    }
  }

  void end_object() {
    BuildingSink::end_object();
    const std::size_t at = out_.mark() - 1;
    const ValueView object = out_.since(at)[0];
    const auto members = object.members();
    if (members.size() != 1 || members[0].key() != bytes_key || !members[0].value.is_string()) {
      return;
    }
    const std::optional<Bytes> bytes = from_base64(members[0].value.as_string());
    if (!bytes) {
      is_wrong_ = true;
      return;
    }
    out_.drop_since(at);
    out_.push(out_.typed_array(ElementType::uint8, *bytes));
  }

  bool stopped() const { return is_wrong_; }

 private:
  ValueBuilder& out_;
  bool is_wrong_ = false;
};

class Writer {
 public:
  explicit Writer(std::size_t max_depth) : max_depth_(max_depth) {}

  Result<> write(const ValueView& value, std::size_t depth) {
    if (depth > max_depth_) return fail(ErrorCode::too_deep, "nested too deeply");
    switch (value.kind()) {
      case Kind::undefined:
        out += "null";
        return {};
      case Kind::bigint:
        out += value.bigint_text();
        return {};
      case Kind::array_buffer:
      case Kind::typed_array:
      case Kind::data_view:
      case Kind::buffer:
        out += "{\"$bytes\":\"" + to_base64(value.as_bytes()) + "\"}";
        return {};
      case Kind::array:
        return write_array(value, depth);
      case Kind::object:
        return write_object(value, depth);
      case Kind::null:
      case Kind::boolean:
      case Kind::number:
      case Kind::string:
        return encode_to(out, value);
      default:
        return fail(ErrorCode::serialization_error,
                    "plain JSON has no " + std::string(name_of(value.kind())));
    }
  }

  std::string out;

 private:
  Result<> write_array(const ValueView& value, std::size_t depth) {
    char separator = '[';
    for (const ValueView item : value.items()) {
      out += separator;
      separator = ',';
      CORDON_TRY(write(item, depth + 1));
    }
    out += value.empty() ? "[]" : "]";
    return {};
  }

  Result<> write_object(const ValueView& value, std::size_t depth) {
    char separator = '{';
    for (const Member& member : value.members()) {
      out += separator;
      separator = ',';
      CORDON_TRY(encode_to(out, member.name));
      out += ':';
      CORDON_TRY(write(member.value, depth + 1));
    }
    out += value.empty() ? "{}" : "}";
    return {};
  }

  std::size_t max_depth_;
};

}  // namespace

Result<Value> decode_plain(std::string_view text, const DecodeOptions& options) {
  if (text.size() > options.max_bytes) {
    return failure(text, options.max_bytes, ErrorCode::too_large, "JSON text past its limit",
                   nullptr);
  }
  ValueBuilder builder;
  PlainSink sink(builder, options.key_order);
  Parser<PlainSink> parser(text, options, sink);
  if (!parser.run() || sink.stopped()) {
    return failure(text, parser.offset(), sink.stopped() ? ErrorCode::malformed : parser.error(),
                   sink.stopped() ? "$bytes without base64" : parser.reason(), nullptr);
  }
  return builder.finish(builder.since(0)[0]);
}

Result<std::string> encode_plain(const ValueView& value, std::size_t max_depth) {
  Writer writer(max_depth);
  CORDON_TRY(writer.write(value, 0));
  return std::move(writer.out);
}

}  // namespace cordon::json
