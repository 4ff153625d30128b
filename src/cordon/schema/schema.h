#pragma once

// JSON Schema: whether a value matches a schema.
//
// Draft 2020-12, unless a schema names another with `$schema`. `format` is a comment and is not
// checked. A `$ref` stays within its schema or names a draft's own schema: nothing is ever fetched.
// A value is checked as the JSON that JSON.stringify makes of it: a Date becomes text, undefined
// members are missing, and undefined itself is null.
//
// That JSON is never written: a check reads the value where it lies and takes no memory for each of
// its nodes. Its time is limited, since a schema that refers to itself in several branches may
// reach one node in more ways than there are nodes.

#include <chrono>
#include <cstddef>
#include <cstdint>
#include <memory>
#include <optional>
#include <string>
#include <string_view>
#include <vector>

#include "cordon/base/instant.h"
#include "cordon/result.h"
#include "cordon/value.h"

// NOLINTNEXTLINE(readability-identifier-naming): C's name.
struct cordon_schema;

namespace cordon::schema {

// Limits of one check. The defaults are for callers that have nothing else to do meanwhile.
struct CheckOptions {
  std::uint64_t max_steps = 100'000'000;        // nodes, pieces of text and comparisons
  Duration max_time = std::chrono::seconds(2);  // of processor time of this thread
};

struct SchemaMistake {
  std::string place;    // as `a.b[1]`; empty for the value itself
  std::string message;  // does not repeat the value
};

// Any number of threads may use a schema. It is cheap to copy.
class Schema {
 public:
  // The error names the place in the schema. `pointer`, if not null, gets it as a JSON pointer.
  static Result<Schema> compile(const ValueView& schema, std::string* pointer = nullptr);

  // The first few mistakes; empty if the value is right. A check past its limits is a mistake.
  std::vector<SchemaMistake> check(const ValueView& value, const CheckOptions& options = {}) const;
  // The same, but nothing if the check was past its limits.
  std::optional<std::vector<SchemaMistake>> try_check(const ValueView& value,
                                                      const CheckOptions& options) const;

  // Whether it has patterns with look-around or back references, for which a string may take
  // milliseconds.
  bool backtracks() const;

 private:
  explicit Schema(std::shared_ptr<const cordon_schema> raw) : raw_(std::move(raw)) {}
  std::shared_ptr<const cordon_schema> raw_;
};

// The key that a token of a JSON pointer means: "a~1b" is "a/b".
std::string pointer_key(std::string_view token);

// The mistakes as one sentence: "a.b must …; c is …".
std::string to_text(const std::vector<SchemaMistake>& mistakes);

}  // namespace cordon::schema
