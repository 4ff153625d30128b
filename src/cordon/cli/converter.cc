#include "cordon/cli/converter.h"

#include "cordon/base/bytes.h"
#include "cordon/codec/json/decode.h"
#include "cordon/codec/json/encode.h"
#include "cordon/codec/msgpack/decode.h"
#include "cordon/codec/msgpack/encode.h"

namespace cordon::cli {

Converter::Converter(const ConverterOptions& options, const rich::RegExpOracle& regexps)
    : options_(options), serializer_(options.serializer, regexps) {}

Result<std::string> Converter::convert(std::string_view payload,
                                       const rich::RegExpOracle* regexps) const {
  return write(CORDON_TRY(read(payload, regexps)));
}

// The serializer counts the levels below the outermost value, and the other codecs count
// containers: as many, and that value itself.
std::size_t Converter::max_containers() const {
  const std::size_t levels = options_.serializer.max_depth;
  return levels == rich::unlimited ? levels : levels + 1;
}

Result<Value> Converter::read(std::string_view payload, const rich::RegExpOracle* regexps) const {
  switch (options_.from) {
    case Format::runner:
      return serializer_.parse(payload, {.regexps = regexps});
    case Format::json:
      return json::decode(payload, {.max_bytes = options_.serializer.max_input_bytes,
                                    .max_depth = max_containers(),
                                    .key_order = KeyOrder::javascript});
    case Format::msgpack:
      return msgpack::decode(as_bytes(payload), {.max_bytes = options_.serializer.max_input_bytes,
                                                 .max_depth = max_containers(),
                                                 .other_keys = msgpack::OtherKeys::text,
                                                 .extensions = msgpack::Extensions::timestamp,
                                                 .key_order = KeyOrder::javascript,
                                                 .max_elements = rich::unlimited});
  }
  return fail(ErrorCode::internal_error, "unknown format");
}

Result<std::string> Converter::write(const Value& value) const {
  switch (options_.to) {
    case Format::runner:
      return options_.graph ? serializer_.serialize(value) : serializer_.stringify(value);
    case Format::json:
      return json::encode(value,
                          {.indent = options_.serializer.layout == rich::Layout::pretty ? 2u : 0u,
                           .max_bytes = options_.serializer.max_output_bytes,
                           .max_depth = max_containers(),
                           .key_order = KeyOrder::javascript,
                           // The reader of an Error sets its name, which makes it a member.
                           .error_names = json::ErrorNames::written});
    case Format::msgpack: {
      const Bytes bytes =
          CORDON_TRY(msgpack::encode(value, {.max_bytes = options_.serializer.max_output_bytes,
                                             .max_depth = max_containers(),
                                             .extensions = msgpack::Extensions::timestamp}));
      return std::string(as_text(bytes));
    }
  }
  return fail(ErrorCode::internal_error, "unknown format");
}

std::string to_hex(std::string_view bytes) {
  constexpr char digits[] = "0123456789abcdef";
  std::string text;
  text.reserve(2 * bytes.size());
  for (const char byte : bytes) {
    const auto bits = static_cast<unsigned char>(byte);
    text += digits[bits >> 4];
    text += digits[bits & 15];
  }
  return text;
}

Result<std::string> from_hex(std::string_view text) {
  constexpr std::string_view blanks = " \t\r";
  const std::size_t first = text.find_first_not_of(blanks);
  const std::size_t last = text.find_last_not_of(blanks);
  const std::size_t end = last == text.npos ? 0 : last + 1;
  const auto digit = [](char c) {
    if (c >= '0' && c <= '9') return c - '0';
    const char lower = static_cast<char>(c | 0x20);
    return lower >= 'a' && lower <= 'f' ? lower - 'a' + 10 : -1;
  };
  std::string bytes;
  for (std::size_t at = first == text.npos ? 0 : first; at < end; at += 2) {
    const int high = digit(text[at]);
    const int low = at + 1 < end ? digit(text[at + 1]) : -1;
    if (high < 0 || low < 0) {
      return fail(ErrorCode::malformed,
                  "not hexadecimal at column " + std::to_string(high < 0 ? at + 1 : at + 2));
    }
    bytes += static_cast<char>(high * 16 + low);
  }
  return bytes;
}

}  // namespace cordon::cli
