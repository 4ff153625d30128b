#pragma once

// RapidCheck generators of Values, for the property tests of this layer and of the codecs.

#include <bit>
#include <cmath>
#include <cstdint>
#include <limits>
#include <ostream>
#include <string>
#include <vector>

#include <rapidcheck.h>

#include "cordon/base/utf8.h"
#include "cordon/value.h"
#include "cordon/value/value_builder.h"

namespace cordon {

// How RapidCheck prints a counterexample; found by argument-dependent lookup.
// NOLINTNEXTLINE(readability-identifier-naming)
inline void showValue(const Value& value, std::ostream& out) { PrintTo(value, &out); }

}  // namespace cordon

namespace cordon::testing {

// WTF-8 with ASCII, escapes, every length of sequence and lone surrogates.
inline rc::Gen<std::string> arbitrary_text() {
  const auto code_point = rc::gen::oneOf(
      rc::gen::inRange<std::uint32_t>(0x20, 0x7f), rc::gen::inRange<std::uint32_t>(0, 0x20),
      rc::gen::element<std::uint32_t>('"', '\\', '/', 0x7f, 0x80, 0x2028, 0xfffd, 0xffff, 0x10ffff),
      rc::gen::inRange<std::uint32_t>(0x80, 0x800), rc::gen::inRange<std::uint32_t>(0xd800, 0xe000),
      rc::gen::inRange<std::uint32_t>(0x10000, 0x110000));
  return rc::gen::map(rc::gen::container<std::vector<std::uint32_t>>(code_point),
                      [](const std::vector<std::uint32_t>& code_points) {
                        std::string text;
                        for (const std::uint32_t each : code_points) {
                          char bytes[4];
                          append_wtf8(text, {bytes, write_code_point(bytes, each)});
                        }
                        return text;
                      });
}

inline rc::Gen<double> arbitrary_number() {
  return rc::gen::oneOf(
      rc::gen::cast<double>(rc::gen::arbitrary<std::int32_t>()),
      rc::gen::map(rc::gen::arbitrary<std::uint64_t>(),
                   [](std::uint64_t bits) { return std::bit_cast<double>(bits); }),
      rc::gen::element(
          0.0, -0.0, 0.1, 1e21, 5e-324, 9007199254740993.0, std::numeric_limits<double>::infinity(),
          -std::numeric_limits<double>::infinity(), std::numeric_limits<double>::quiet_NaN()));
}

// What JSON can hold and give back: finite numbers but -0, strings, arrays, objects, as a tree.
inline rc::Gen<Value> arbitrary_json(int depth = 4) {
  auto scalar = rc::gen::oneOf(
      rc::gen::just(Value(nullptr)),
      rc::gen::map(rc::gen::arbitrary<bool>(), [](bool b) { return Value(b); }),
      rc::gen::map(arbitrary_number(),
                   [](double n) { return Value(std::isfinite(n) ? n + 0.0 : 1.5); }),
      rc::gen::map(arbitrary_text(), [](const std::string& text) { return Value(text); }));
  if (depth == 0) return scalar;
  const auto inner = rc::gen::lazy([depth] { return arbitrary_json(depth - 1); });
  const auto array =
      rc::gen::map(rc::gen::scale(0.3, rc::gen::container<std::vector<Value>>(inner)),
                   [](const std::vector<Value>& items) { return Value::array_from(items); });
  const auto object = rc::gen::map(
      rc::gen::scale(0.3, rc::gen::container<std::vector<std::pair<std::string, Value>>>(
                              rc::gen::pair(arbitrary_text(), inner))),
      [](const std::vector<std::pair<std::string, Value>>& pairs) {
        std::vector<Value::Field> fields;
        fields.reserve(pairs.size());
        for (const auto& [key, value] : pairs) fields.push_back({key, value});
        return Value::object_from(fields);
      });
  return rc::gen::oneOf(scalar, array, object);
}

// Every kind, with shared nodes and cycles: containers are opened first and filled with any of
// them.
inline rc::Gen<Value> arbitrary_graph() {
  return rc::gen::exec([] {
    static constexpr Kind kinds[] = {Kind::array, Kind::set, Kind::object, Kind::map, Kind::error};
    ValueBuilder builder;
    const auto text = [&builder] { return builder.string(*rc::gen::scale(0.3, arbitrary_text())); };
    const auto bytes = [] { return *rc::gen::scale(0.3, rc::gen::arbitrary<Bytes>()); };

    std::vector<ValueView> nodes = {
        ValueView(),
        nullptr,
        true,
        *arbitrary_number(),
        text(),
        *builder.bigint(std::to_string(*rc::gen::arbitrary<std::int64_t>())),
        *builder.bigint("-123456789012345678901234567890"),
        builder.symbol(SymbolKind::global, "key"),
        builder.symbol(SymbolKind::well_known, "iterator"),
        ValueBuilder::date(*rc::gen::inRange(-100000, 100000)),
        builder.regexp("a+", "gi"),
        builder.url("https://example.org/"),
        builder.url_search_params("a=1&b=2"),
        builder.bytes(Kind::array_buffer, bytes()),
        builder.bytes(Kind::data_view, bytes()),
        builder.bytes(Kind::buffer, bytes()),
        builder.typed_array(ElementType::uint8, bytes()),
        builder.typed_array(ElementType::float64, Bytes(16, 1)),
    };
    const auto first_container = nodes.size();
    const auto containers = *rc::gen::inRange<std::size_t>(1, 8);
    for (std::size_t i = 0; i < containers; ++i) {
      nodes.push_back(
          builder.open(*rc::gen::elementOf(std::vector<Kind>(std::begin(kinds), std::end(kinds)))));
    }
    for (std::size_t i = first_container; i < nodes.size(); ++i) {
      const auto any = [&nodes] { return nodes[*rc::gen::inRange<std::size_t>(0, nodes.size())]; };
      const auto count = *rc::gen::inRange<std::size_t>(0, 5);
      const std::size_t mark = builder.mark();
      if (nodes[i].is_error()) {
        const Member fields[] = {{text(), any()}, {text(), any()}};
        builder.fill(nodes[i], ErrorParts{text(), text(), count > 2 ? text() : ValueView(),
                                          count > 1 ? any() : ValueBuilder::hole(), fields});
        continue;
      }
      for (std::size_t n = 0; n < count; ++n) {
        if (nodes[i].is_object()) builder.push(text());
        if (nodes[i].is_map()) builder.push(any());
        builder.push(any());
      }
      builder.fill_since(nodes[i], mark);
    }
    return builder.finish(nodes[first_container]);
  });
}

}  // namespace cordon::testing
