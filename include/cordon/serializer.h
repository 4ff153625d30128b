#pragma once

// Serializer: Values to text and back, in the format of npm @bluelibs/runner 5.5.
//
//   Serializer serializer;
//   Result<std::string> tree = serializer.stringify(Value::object({{"when", Value::date(0)}}));
//   Result<std::string> graph = serializer.serialize(Value::array({1, 2}));
//   Result<Value> value = serializer.parse(*graph);
//
// A tree is plain JSON with typed records. A graph keeps shared nodes and cycles. parse() reads
// both. Errors begin with the words of the original and name the place. Text from outside is safe
// to parse: it takes linear time and memory, and makes nothing but a Value.

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
  // Ids of the types that may be read. Without a value all known types may be.
  std::optional<std::vector<std::string>> allowed_types = std::nullopt;
  SymbolPolicy symbol_policy = SymbolPolicy::allow_all;  // which symbols are read
  bool pretty = false;
  std::size_t max_input_bytes = std::size_t{64} << 20;
  std::size_t max_output_bytes = std::size_t{256} << 20;
  // Limits for the regular expressions in one text that were not read before: how many there may
  // be, and how much processor time checking them may take.
  std::size_t max_regexps = 50;
  std::chrono::milliseconds max_regexp_time{50};
};

enum class TypeStrategy : std::uint8_t {
  identity,  // a node of its own in a graph, so that shared values stay shared
  value,     // written wherever it is met
};

// A type of your own. Objects that `is` recognises are written as {"__type": id, "value": payload},
// and `deserialize` reads them back. Built-in types are tried first, then these in the order in
// which they were added, so `is` sees plain objects only.
//
// Make the nodes of a result with the builder. A result may also hold parts of the argument.
struct SerializerType {
  std::string id;
  std::function<bool(ValueView value)> is;
  std::function<Result<ValueView>(ValueView value, Builder& builder)> serialize;
  std::function<Result<ValueView>(ValueView payload, Builder& builder)> deserialize;
  TypeStrategy strategy = TypeStrategy::identity;
  // Optional, for cycles: makes what stands for the value while its payload is read. The result of
  // `deserialize` is merged into it.
  std::function<ValueView(Builder& builder)> create = {};
};

// Once all types are added, any thread may use it at any time, if that holds for the functions of
// its types.
class CORDON_API Serializer {
 public:
  explicit Serializer(const SerializerOptions& options = SerializerOptions());
  ~Serializer();
  Serializer(Serializer&&) noexcept;
  Serializer& operator=(Serializer&&) noexcept;

  // Fails with invalid_argument if something is missing, and with already_exists if the id is
  // taken.
  Result<> add_type(SerializerType type);

  // Writes a tree. Codes: cyclic (a graph can hold it), too_deep, too_large, serialization_error.
  Result<std::string> stringify(const ValueView& value) const;
  // Writes a graph. A value without objects stays plain JSON.
  Result<std::string> serialize(const ValueView& value) const;
  // Reads either. Codes: malformed, truncated, invalid_utf8, too_deep, too_large,
  // protocol_violation for a payload that breaks the rules, unsupported for a type, symbol or
  // pattern that is not allowed.
  Result<Value> parse(std::string_view text) const;

 private:
  struct State;
  std::unique_ptr<State> state_;
};

}  // namespace cordon
