// The C++ side of codecs.mjs: converts payloads between our codecs, a line a request.
//
//   {"from":"runner","to":"graph","input":"…","options":{…}}   ->   {"output":"…"} or {"error":"…"}
//
// Formats: runner (reads tree and graph, writes tree), graph, json, and msgpack in hexadecimal.
// While it works it may ask what only JavaScript knows, and takes the next line for the answer:
//
//   {"ask":"regexp","pattern":"…","flags":"…"}   ->   true or false

#include <cstdio>
#include <iostream>
#include <optional>
#include <string>
#include <string_view>
#include <utility>
#include <vector>

#include "cordon/base/bytes.h"
#include "cordon/codec/json/decode.h"
#include "cordon/codec/json/encode.h"
#include "cordon/codec/msgpack/decode.h"
#include "cordon/codec/msgpack/encode.h"
#include "cordon/codec/rich/serializer.h"

namespace {

using namespace cordon;

void say(const Value& message) {
  const auto text = json::encode(message);
  std::cout << (text ? *text : R"({"error":"answer has no JSON text"})") << '\n' << std::flush;
}

std::optional<Value> hear() {
  std::string line;
  if (!std::getline(std::cin, line)) return std::nullopt;
  auto message = json::decode(line, {.max_bytes = std::size_t{1} << 30, .max_depth = 1'000'000});
  return message ? *std::move(message) : Value();
}

class JavaScript : public rich::RegExpOracle {
 public:
  Result<bool> is_regexp(std::string_view pattern, std::string_view flags) const override {
    say(Value::object({{"ask", "regexp"}, {"pattern", pattern}, {"flags", flags}}));
    return hear().value_or(Value()).as_bool();
  }
};

std::string to_hex(const Bytes& bytes) {
  constexpr char digits[] = "0123456789abcdef";
  std::string text;
  for (const std::uint8_t byte : bytes) {
    text += digits[byte >> 4];
    text += digits[byte & 15];
  }
  return text;
}

Bytes from_hex(std::string_view text) {
  const auto digit = [](char c) { return c <= '9' ? c - '0' : c - 'a' + 10; };
  Bytes bytes;
  for (std::size_t i = 0; i + 1 < text.size(); i += 2) {
    bytes.push_back(static_cast<std::uint8_t>(digit(text[i]) * 16 + digit(text[i + 1])));
  }
  return bytes;
}

// Keys are the reference's option names; a number may be the text "Infinity".
Result<rich::Options> options_of(ValueView given) {
  rich::Options options;
  const auto number = [&given](std::string_view key) {
    const ValueView value = given.find(key);
    return value == "Infinity" ? std::numeric_limits<double>::infinity() : value.as_number();
  };
  if (given.contains("maxDepth")) options.max_depth = rich::max_depth_option(number("maxDepth"));
  if (given.contains("maxRegExpPatternLength")) {
    options.max_regexp_pattern_length =
        rich::max_regexp_pattern_length_option(number("maxRegExpPatternLength"));
  }
  if (given.find("allowUnsafeRegExp").as_bool()) {
    options.unsafe_regexps = rich::UnsafeRegExps::allowed;
  }
  if (given.find("allowedTypes").is_array()) {
    options.allowed_types.emplace();
    for (const ValueView id : given.find("allowedTypes").items()) {
      options.allowed_types->emplace_back(id.as_string());
    }
  }
  if (given.contains("symbolPolicy")) {
    options.symbol_policy =
        CORDON_TRY(rich::symbol_policy_option(given.find("symbolPolicy").as_string()));
  }
  if (given.find("pretty").as_bool()) options.layout = rich::Layout::pretty;
  return options;
}

Result<std::string> convert(ValueView request, const JavaScript& javascript) {
  const std::string_view from = request.find("from").as_string();
  const std::string_view to = request.find("to").as_string();
  const std::string_view input = request.find("input").as_string();
  const rich::Serializer serializer(CORDON_TRY(options_of(request.find("options"))), javascript);

  Value value;
  if (from == "runner") {
    value = CORDON_TRY(serializer.parse(input));
  } else if (from == "json") {
    value = CORDON_TRY(json::decode(input, {.key_order = KeyOrder::javascript}));
  } else {
    value = CORDON_TRY(msgpack::decode(
        from_hex(input),
        {.other_keys = msgpack::OtherKeys::text, .extensions = msgpack::Extensions::timestamp}));
  }

  if (to == "runner") return serializer.stringify(value);
  if (to == "graph") return serializer.serialize(value);
  if (to == "json") return json::encode(value, {.key_order = KeyOrder::javascript});
  return to_hex(CORDON_TRY(msgpack::encode(value, {.extensions = msgpack::Extensions::timestamp})));
}

}  // namespace

int main() {
  const JavaScript javascript;
  while (const auto request = hear()) {
    const auto output = convert(*request, javascript);
    say(output ? Value::object({{"output", *output}})
               : Value::object({{"error", output.error().detail}}));
  }
  return 0;
}
