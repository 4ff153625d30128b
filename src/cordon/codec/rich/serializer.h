#pragma once

// The Runner serializer: Value to text and back, as npm @bluelibs/runner 5.5 writes and reads it.
//
//   const rich::Serializer serializer({}, regexps);
//   Result<std::string> tree = serializer.stringify(value);   // plain JSON with typed records
//   Result<std::string> graph = serializer.serialize(value);  // keeps shared nodes and cycles
//   Result<Value> value = serializer.parse(*graph);           // reads either
//
// Errors begin with the reference's own words ("Unsafe RegExp pattern") and then name the place: a
// line and column of what was read, a path such as `a.b[1]` in what was written. Time and memory
// are linear in what is read and written, and nesting takes no stack.
//
// Once all types are added, many threads may use a Serializer, if that holds for its oracle and the
// functions of its types.

#include <cstddef>
#include <cstdint>
#include <functional>
#include <limits>
#include <memory>
#include <optional>
#include <string>
#include <string_view>
#include <vector>

#include "cordon/base/budget.h"
#include "cordon/codec/json/decode.h"
#include "cordon/result.h"
#include "cordon/value.h"
#include "cordon/value/value_builder.h"

namespace cordon::rich {

// JavaScript's Infinity as a limit.
inline constexpr std::size_t unlimited = std::numeric_limits<std::size_t>::max();

enum class SymbolPolicy : std::uint8_t {
  allow_all,
  well_known_only,
  disabled,
};

enum class UnsafeRegExps : std::uint8_t {
  refused,
  allowed,
};

enum class Layout : std::uint8_t {
  compact,
  pretty,  // two spaces per level
};

struct Options {
  // Levels below the outermost value, scalars included; a typed record is one level, a reference in
  // graph format two. Holds for reading and writing.
  std::size_t max_depth = 1000;
  std::size_t max_regexp_pattern_length = 1024;  // in UTF-16 units, as JavaScript counts
  UnsafeRegExps unsafe_regexps = UnsafeRegExps::refused;
  // The ids of the types that may be read. Without a value all known types may be.
  std::optional<std::vector<std::string>> allowed_types = std::nullopt;
  SymbolPolicy symbol_policy = SymbolPolicy::allow_all;
  Layout layout = Layout::compact;

  // These two are ours: the reference has no limits of size.
  std::size_t max_input_bytes = std::size_t{64} << 20;
  std::size_t max_output_bytes = std::size_t{256} << 20;
};

// The values of options as a JavaScript program or a command line gives them: Infinity lifts a
// limit, a fraction is cut off, and what makes no sense (negative, NaN) is the default.
std::size_t max_depth_option(double number);
std::size_t max_regexp_pattern_length_option(double number);
// "allow-all", "well-known-only" or "disabled".
Result<SymbolPolicy> symbol_policy_option(std::string_view name);

// Knows whether `new RegExp(pattern, flags)` succeeds. The implementation asks the guest's own
// engine in a sandbox, which lives in a higher layer, and never native code. Patterns that the
// safety rule refuses do not come here.
class RegExpOracle {
 public:
  virtual ~RegExpOracle() = default;

  // Fails only if it cannot tell.
  virtual Result<bool> is_regexp(std::string_view pattern, std::string_view flags) const = 0;
};

enum class Strategy : std::uint8_t {
  identity,  // a node of its own in graph format: shared ones stay shared
  value,     // written inline wherever it is met
};

// A type of the caller's. Built-in types are looked for first, then these in the order in which
// they were added, so `is` sees plain objects only.
//
// The functions get nodes and a builder for those that they make. A node lives as long as its
// builder's message, and a result may hold parts of the input.
struct TypeDefinition {
  std::string id;
  std::function<bool(ValueView value)> is;
  std::function<Result<ValueView>(ValueView value, ValueBuilder& builder)> serialize;
  std::function<Result<ValueView>(ValueView payload, ValueBuilder& builder)> deserialize;
  Strategy strategy = Strategy::identity;
  // Optional, for cycles: a node that stands for the value while its payload is read. The result of
  // `deserialize` is merged into it.
  std::function<ValueView(ValueBuilder& builder)> create;
};

// Options for one text.
struct ParseOptions {
  json::Position* failed_at = nullptr;  // gets the position of an error, if it is wanted
  // Pays for the value's memory until the value is destroyed. Without one the limit is that of
  // Budget::for_message.
  std::shared_ptr<Budget> budget = {};
  const RegExpOracle* regexps = nullptr;  // used instead of the serializer's own
};

class Registry;

class Serializer {
 public:
  // Borrows the oracle.
  explicit Serializer(Options options, const RegExpOracle& regexps);
  ~Serializer();
  Serializer(Serializer&&) noexcept;
  Serializer& operator=(Serializer&&) noexcept;

  const Options& options() const { return options_; }

  // Fails with invalid_argument or already_exists.
  Result<> add_type(TypeDefinition type);

  // Writes tree format. Codes: cyclic (graph format can hold it), too_deep, too_large,
  // serialization_error.
  Result<std::string> stringify(ValueView value) const;
  // Writes graph format. A value without objects stays plain JSON. It never fails with `cyclic`.
  Result<std::string> serialize(ValueView value) const;
  // Appends the same to `out`, whose old content does not count against the limit. After a failure
  // `out` is as before.
  Result<> stringify_to(std::string& out, ValueView value) const;
  Result<> serialize_to(std::string& out, ValueView value) const;
  // The same with a limit of their own.
  Result<> stringify_to(std::string& out, ValueView value, std::size_t max_bytes) const;
  Result<> serialize_to(std::string& out, ValueView value, std::size_t max_bytes) const;

  // Reads either format. Codes: those of json::decode for text that is not JSON, too_deep,
  // too_large, protocol_violation for a payload that breaks the rules, unsupported for a type or
  // symbol that is not allowed.
  Result<Value> parse(std::string_view text, const ParseOptions& options) const;
  Result<Value> parse(std::string_view text, json::Position* failed_at = nullptr) const {
    return parse(text, ParseOptions{.failed_at = failed_at});
  }
  Result<Value> deserialize(std::string_view text, json::Position* failed_at = nullptr) const {
    return parse(text, failed_at);
  }

 private:
  Options options_;
  std::unique_ptr<Registry> registry_;
};

}  // namespace cordon::rich
