#pragma once

// JavaScript values for a module that was made with wasm-bindgen. The module refers to them by
// number and asks the host about them. Only what a plain call needs is here: strings, numbers,
// booleans, objects, and lists of what is in an object.

#include <cstdint>
#include <map>
#include <memory>
#include <string>
#include <variant>
#include <vector>

#include "cordon/result.h"

namespace cordon::js {

struct BindgenValue;
using BindgenObject = std::map<std::string, BindgenValue, std::less<>>;
using BindgenList = std::vector<BindgenValue>;

struct BindgenValue {
  struct Null {};
  // std::monostate is undefined. A text is the value's own or a view.
  std::variant<std::monostate, Null, bool, double, std::shared_ptr<std::string>, const std::string*,
               std::shared_ptr<BindgenObject>, std::shared_ptr<const BindgenList>>
      content;

  bool is_undefined() const { return std::holds_alternative<std::monostate>(content); }
  bool is_null() const { return std::holds_alternative<Null>(content); }
  const std::string* as_string() const;
  // The text, which nobody has any more then. Empty if the value is another one.
  std::string take_string();
  BindgenObject* as_object() const;
  const BindgenList* as_list() const;
  // A member of an object, or undefined if there is none.
  BindgenValue member(std::string_view name) const;
};

BindgenValue bindgen_string(std::string text);
// The same without a copy. The text must outlive the value.
BindgenValue bindgen_view(const std::string& text);
BindgenValue bindgen_object(BindgenObject members);
BindgenValue bindgen_list(BindgenList elements);

// The table of values. The module is not trusted: an unknown number gives undefined, and there is a
// limit to what it can make the host keep.
class BindgenHeap {
 public:
  explicit BindgenHeap(std::size_t max_bytes);

  const BindgenValue& at(std::uint32_t index) const;
  BindgenValue take(std::uint32_t index);
  // Fails with ErrorCode::too_large if there are too many values, or too much in them.
  Result<std::uint32_t> add(BindgenValue value);
  // Whether something was too much.
  bool is_full() const { return is_full_; }

 private:
  std::vector<BindgenValue> values_;
  std::vector<std::uint32_t> free_;
  std::size_t max_bytes_;
  bool is_full_ = false;
  std::size_t bytes_ = 0;  // of all values that were ever added, since a call is short
};

}  // namespace cordon::js
