#pragma once

// Serializer: Values to text and back, in the format of npm @bluelibs/runner 5.5.
//
//   Serializer serializer;
//   Result<std::string> tree = serializer.stringify(Value::object({{"when", Value::date(0)}}));
//   Result<std::string> graph = serializer.serialize(Value::array({1, 2}));
//   Result<Value> value = serializer.parse(*graph);
//
// A tree is plain JSON with typed records; a graph keeps shared nodes and cycles; parse reads both.
// Errors begin with the words that users of the original know, and name the place. Text from
// outside is safe to parse: time and memory are linear in it, and it makes nothing but a Value.

#include "cordon/needs_cxx23.h"

#include <chrono>
#include <cstddef>
#include <cstdint>
#include <functional>
#include <limits>
#include <memory>
#include <optional>
#include <string>
#include <string_view>
#include <vector>

#include "cordon/builder.h"
#include "cordon/export.h"
#include "cordon/result.h"
#include "cordon/value.h"

namespace cordon {

enum class SymbolPolicy : std::uint8_t {
  allow_all,
  well_known_only,
  disabled,
};

struct SerializerOptions {
  // JavaScript's Infinity, for both limits below.
  static constexpr std::size_t unlimited = std::numeric_limits<std::size_t>::max();

  std::size_t max_depth = 1000;                  // levels below the outermost value
  std::size_t max_regexp_pattern_length = 1024;  // UTF-16 units
  bool allow_unsafe_regexp = false;
  // Ids of the only types that are read; without it all that are known.
  std::optional<std::vector<std::string>> allowed_types = std::nullopt;
  SymbolPolicy symbol_policy = SymbolPolicy::allow_all;  // which symbols are read
  bool pretty = false;
  std::size_t max_input_bytes = std::size_t{64} << 20;
  std::size_t max_output_bytes = std::size_t{256} << 20;
  // Of the regular expressions of one text that were not read before: how many there may be, and
  // what finding out that they are some may take of a processor.
  std::size_t max_regexps = 50;
  std::chrono::milliseconds max_regexp_time{50};
};

enum class TypeStrategy : std::uint8_t {
  identity,  // a node of its own in a graph: a shared one stays shared
  value,     // written wherever it is met
};

// A type of your own: objects that `is` recognises are written as {"__type": id, "value": payload},
// and read back by `deserialize`. Built-in types are looked for first, then these in the order in
// which they were added, so `is` sees plain objects only.
//
// The builder makes the nodes of a result, which may also hold parts of what was given.
struct SerializerType {
  std::string id;
  std::function<bool(ValueView value)> is;
  std::function<Result<ValueView>(ValueView value, Builder& builder)> serialize;
  std::function<Result<ValueView>(ValueView payload, Builder& builder)> deserialize;
  TypeStrategy strategy = TypeStrategy::identity;
  // Optional, for cycles: what stands for the value while its payload is read. What deserialize
  // gives is merged into it.
  std::function<ValueView(Builder& builder)> create = {};
};

// Once all types are added, any thread may use it at any time if the functions of its types may be.
class CORDON_API Serializer {
 public:
  explicit Serializer(const SerializerOptions& options = SerializerOptions());
  ~Serializer();
  Serializer(Serializer&&) noexcept;
  Serializer& operator=(Serializer&&) noexcept;

  // Fails with invalid_argument where something is missing, already_exists where the id is taken.
  Result<> add_type(SerializerType type);

  // A tree. Codes: cyclic (a graph can hold it), too_deep, too_large, not_serializable.
  Result<std::string> stringify(const ValueView& value) const;
  // A graph; a value without objects stays plain JSON.
  Result<std::string> serialize(const ValueView& value) const;
  // Either. Codes: syntax, truncated, invalid_utf8, too_deep, too_large, protocol_violation for a
  // payload that breaks the rules, unsupported for a type, symbol or pattern that is not allowed.
  Result<Value> parse(std::string_view text) const;

 private:
  struct State;
  std::unique_ptr<State> state_;
};

}  // namespace cordon
