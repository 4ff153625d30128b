#pragma once

// JavaScript values for a module that was made with wasm-bindgen. The module refers to them by
// number and asks the host about them. Only what a plain call needs is here: strings, numbers,
// booleans and objects.

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

struct BindgenValue {
  struct Null {};
  // std::monostate is undefined.
  std::variant<std::monostate, Null, bool, double, std::shared_ptr<const std::string>,
               std::shared_ptr<BindgenObject>>
      content;

  bool is_undefined() const { return std::holds_alternative<std::monostate>(content); }
  bool is_null() const { return std::holds_alternative<Null>(content); }
  const std::string* as_string() const;
  BindgenObject* as_object() const;
  // A member of an object, or undefined if there is none.
  BindgenValue member(std::string_view name) const;
};

BindgenValue bindgen_string(std::string text);
// The same without a copy. The text must outlive the value.
BindgenValue bindgen_view(const std::string& text);
BindgenValue bindgen_object(BindgenObject members);

// The table of values. The module is not trusted: an unknown number gives undefined, and there is a
// limit to what it can make the host keep.
class BindgenHeap {
 public:
  explicit BindgenHeap(std::size_t max_bytes);

  const BindgenValue& at(std::uint32_t index) const;
  BindgenValue take(std::uint32_t index);
  // Fails with ErrorCode::too_large if there are too many values, or too much in them.
  Result<std::uint32_t> add(BindgenValue value);

 private:
  std::vector<BindgenValue> values_;
  std::vector<std::uint32_t> free_;
  std::size_t max_bytes_;
  std::size_t bytes_ = 0;  // of all values that were ever added, since a call is short
};

}  // namespace cordon::js
