#pragma once

// JSON Schema: whether a value is what somebody asked for.
//
// Draft 2020-12, unless a schema names another with `$schema`. `format` is a note and is not
// checked. A `$ref` stays within its schema or names a draft's own: nothing is ever fetched. A
// value is checked as the JSON that JSON.stringify makes of it: a Date is its text, undefined
// members are missing, undefined itself is null.
//
// That JSON is never written: a check reads the value where it lies and takes no memory for each of
// its nodes. Its time is counted, since a schema that names itself in several branches may lead to
// one node in more ways than there are nodes.

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

// What one check may take. The default is for those who have nothing else to do meanwhile.
struct CheckOptions {
  std::uint64_t max_steps = 100'000'000;        // nodes looked at, pieces of text, comparisons
  Duration max_time = std::chrono::seconds(2);  // of this thread's processor
};

struct SchemaMistake {
  std::string place;    // as `a.b[1]`; empty for the value itself
  std::string message;  // does not repeat the value
};

// A schema is used by any number of threads, and is cheap to copy.
class Schema {
 public:
  // The error names the place in the schema. `pointer` gets it as a JSON pointer, if it is wanted.
  static Result<Schema> compile(const ValueView& schema, std::string* pointer = nullptr);

  // The first few mistakes; none where the value is right. A check past its limits is one.
  std::vector<SchemaMistake> check(const ValueView& value, const CheckOptions& options = {}) const;
  // The same; nothing where the check was past its limits.
  std::optional<std::vector<SchemaMistake>> try_check(const ValueView& value,
                                                      const CheckOptions& options) const;

  // Whether it has patterns with look-around or back references, of which a string may take
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
