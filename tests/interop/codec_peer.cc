// The C++ side of codecs.mjs: converts payloads between our codecs, a line a request.
//
//   {"from":"runner","to":"graph","input":"…","options":{…}}   ->   {"output":"…"} or {"error":"…"}
//
// Formats: runner (reads tree and graph, writes tree), graph, json, and msgpack in hexadecimal.
// While it works it may ask what only JavaScript knows, and takes the next line for the answer:
//
//   {"ask":"regexp","pattern":"…","flags":"…"}   ->   true or false

#include <cstdio>
#include <functional>
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

// codecs.mjs has the same.
ValueView object_of(ValueBuilder& builder, std::string_view kind, ValueView amount, ValueView unit,
                    bool with_amount = true) {
  std::vector<Member> members;
  if (!kind.empty()) members.push_back({builder.string("kind"), builder.string(kind)});
  if (with_amount) members.push_back({builder.string("amount"), amount});
  members.push_back({builder.string("unit"), unit});
  return builder.object(members);
}

std::function<bool(ValueView)> is_kind(std::string kind) {
  return [kind = std::move(kind)](ValueView value) { return value.find("kind") == kind; };
}

Result<ValueView> itself(ValueView value, ValueBuilder&) { return value; }

// JavaScript's value[index], which an object may have too.
ValueView element(ValueView value, std::size_t index) {
  const ValueView found = value.is_array() ? value.at(index) : value.find(std::to_string(index));
  return found.is_hole() ? ValueView() : found;
}

std::vector<rich::TypeDefinition> custom_types() {
  using Made = Result<ValueView>;
  const auto list_of_two = [](std::string_view first, std::string_view second) {
    return [=](ValueView value, ValueBuilder& builder) -> Made {
      const ValueView items[] = {value.find(first), value.find(second)};
      return builder.array(items);
    };
  };
  return {
      {.id = "Distance",
       .is = is_kind("distance"),
       .serialize = list_of_two("amount", "unit"),
       .deserialize = [](ValueView payload, ValueBuilder& builder) -> Made {
         if (!payload.is_array()) {
           return fail(ErrorCode::protocol_violation, "Invalid Distance payload");
         }
         return object_of(builder, "distance", element(payload, 0), element(payload, 1));
       },
       .strategy = rich::Strategy::value,
       .create = {}},
      {.id = "Same",
       .is = is_kind("same"),
       .serialize = itself,
       .deserialize = itself,
       .strategy = rich::Strategy::value,
       .create = {}},
      {.id = "SameNode",
       .is = is_kind("same node"),
       .serialize = itself,
       .deserialize = itself,
       .strategy = rich::Strategy::identity,
       .create = {}},
      {.id = "Node",
       .is = is_kind("node"),
       .serialize = [](ValueView value, ValueBuilder& builder) -> Made {
         return object_of(builder, "", value.find("amount"), value.find("unit"));
       },
       .deserialize = [](ValueView payload, ValueBuilder& builder) -> Made {
         return object_of(builder, "node", payload.find("amount"), payload.find("unit"));
       },
       .strategy = rich::Strategy::identity,
       .create =
           [](ValueBuilder& builder) {
             const Member made[] = {{builder.string("made"), true}};
             return builder.object(made);
           }},
      {.id = "Bare",
       .is = is_kind("bare"),
       .serialize = [](ValueView value, ValueBuilder& builder) -> Made {
         const ValueView items[] = {value.find("unit")};
         return builder.array(items);
       },
       .deserialize = [](ValueView payload, ValueBuilder& builder) -> Made {
         if (!payload.is_array()) return ValueView(5);
         return object_of(builder, "bare", {}, element(payload, 0), false);
       },
       .strategy = rich::Strategy::identity,
       .create = {}},
      {.id = "List",
       .is = is_kind("list"),
       .serialize = list_of_two("unit", "amount"),
       .deserialize = itself,
       .strategy = rich::Strategy::identity,
       .create = {}},
  };
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
  const rich::Options options = CORDON_TRY(options_of(request.find("options")));
  rich::Serializer serializer(options, javascript);
  if (request.find("options").find("customTypes").as_bool()) {
    for (rich::TypeDefinition& type : custom_types()) {
      CORDON_TRY(serializer.add_type(std::move(type)));
    }
  }

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
  if (to == "json") {
    return json::encode(value,
                        {.indent = options.layout == rich::Layout::pretty ? std::size_t{2} : 0,
                         .max_depth = rich::unlimited,
                         .key_order = KeyOrder::javascript,
                         .error_names = json::ErrorNames::written});
  }
  return to_hex(CORDON_TRY(msgpack::encode(value, {.extensions = msgpack::Extensions::timestamp})));
}

}  // namespace

int main() {
  const JavaScript javascript;
  while (const auto request = hear()) {
    const auto output = convert(*request, javascript);
    say(output ? Value::object({{"output", *output}})
               : Value::object({{"error", output.error().message}}));
  }
  return 0;
}
