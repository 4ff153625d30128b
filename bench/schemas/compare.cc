#include "schemas/compare.h"

#include <cstddef>
#include <stdexcept>
#include <string_view>

#include "engine/process.h"
#include "engine/samples.h"

#include "cordon/json.h"
#include "cordon/schema/schema.h"
#include "cordon/value.h"

namespace cordon::bench {
namespace {

constexpr std::size_t rounds = 7;

struct Sample {
  std::string what;
  std::string schema;
  std::string value;
  std::size_t runs;  // a round
  bool is_right = true;
};

template <class T>
T value_of(Result<T> result) {
  if (!result) throw std::runtime_error(to_string(result.error()));
  return *std::move(result);
}

constexpr std::string_view order_schema = R"({
  "type": "object",
  "properties": {
    "customer": {"type": "string", "minLength": 1, "maxLength": 80},
    "currency": {"enum": ["EUR", "USD", "GBP"]},
    "lines": {"type": "array", "minItems": 1, "items": {"$ref": "#/$defs/line"}}
  },
  "required": ["customer", "currency", "lines"],
  "additionalProperties": false,
  "$defs": {"line": {
    "type": "object",
    "properties": {
      "sku": {"type": "string", "pattern": "^[A-Z]{2}-[0-9]{4}$"},
      "count": {"type": "integer", "minimum": 1},
      "price": {"type": "number", "exclusiveMinimum": 0},
      "tags": {"type": "array", "items": {"type": "string"}, "uniqueItems": true}
    },
    "required": ["sku", "count", "price"],
    "additionalProperties": false
  }}
})";

std::string order_of(int lines, std::string_view price_of_last = "2.5") {
  std::string text = R"({"customer": "Ada", "currency": "EUR", "lines": [)";
  for (int i = 0; i < lines; ++i) {
    if (i > 0) text += ", ";
    text += R"({"sku": "AB-)" + std::to_string(1000 + i) + R"(", "count": )" +
            std::to_string(i + 1) + R"(, "tags": ["new", "red"], "price": )";
    text += i + 1 == lines ? price_of_last : "19.5";
    text += "}";
  }
  return text + "]}";
}

std::vector<Sample> samples() {
  const std::string order(order_schema);
  return {{"two numbers of an object",
           R"({"type": "object", "properties": {"a": {"type": "number"}, "b": {"type": "number"}},
           "required": ["a", "b"], "additionalProperties": false})",
           R"({"a": 40, "b": 2})", 20'000},
          {"an order of 3 lines", order, order_of(3), 5'000},
          {"an order of 1,000 lines", order, order_of(1000), 30},
          {"the same with a mistake in its last line", order, order_of(1000, "-1"), 30, false},
          {"one of three kinds of event",
           R"({"oneOf": [
            {"type": "object", "properties": {"kind": {"const": "a"}, "n": {"type": "integer"}},
             "required": ["kind", "n"]},
            {"type": "object", "properties": {"kind": {"const": "b"}, "s": {"type": "string"}},
             "required": ["kind", "s"]},
            {"type": "object", "properties": {"kind": {"const": "c"}, "l": {"type": "array"}},
             "required": ["kind", "l"]}]})",
           R"({"kind": "c", "l": [1, 2]})", 10'000}};
}

SchemaTimes ours(const Sample& sample) {
  const Value document = value_of(from_json(sample.schema));
  const Value value = value_of(from_json(sample.value));
  const schema::Schema compiled = value_of(schema::Schema::compile(document));
  if (compiled.check(value).empty() != sample.is_right)
    throw std::runtime_error("our checker is wrong about " + sample.what);
  SchemaTimes times;
  times.compile =
      median_seconds(rounds, [&] { (void)value_of(schema::Schema::compile(document)); });
  const auto round = [&] {
    for (std::size_t i = 0; i < sample.runs; ++i)
      if (compiled.check(value).empty() != sample.is_right)
        throw std::runtime_error("our checker changed its mind about " + sample.what);
  };
  for (std::size_t i = 0; i < rounds; ++i) round();
  times.check = median_seconds(rounds, round) / static_cast<double>(sample.runs);
  return times;
}

std::string request_of(const std::vector<Sample>& all) {
  std::string request = "[";
  for (const Sample& sample : all) {
    if (request.size() > 1) request += ",";
    request += R"({"schema":)" + sample.schema + R"(,"value":)" + sample.value + R"(,"runs":)" +
               std::to_string(sample.runs) + R"(,"rounds":)" + std::to_string(rounds) + "}";
  }
  return request + "]";
}

}  // namespace

std::vector<SchemaComparison> compare_schemas(const std::vector<std::string>& ajv) {
  const std::vector<Sample> all = samples();
  std::optional<Value> theirs;
  if (!ajv.empty()) theirs = value_of(from_json(value_of(output_of(ajv, request_of(all)))));
  std::vector<SchemaComparison> comparisons;
  for (std::size_t i = 0; i < all.size(); ++i) {
    SchemaComparison& comparison = comparisons.emplace_back(all[i].what, ours(all[i]));
    if (!theirs) continue;
    const auto& times = (*theirs)[i];
    if (times["ok"].value_or(!all[i].is_right) != all[i].is_right)
      throw std::runtime_error("Ajv is wrong about " + all[i].what);
    comparison.ajv = {times["compile"].value_or(0.0), times["check"].value_or(0.0)};
  }
  return comparisons;
}

}  // namespace cordon::bench
