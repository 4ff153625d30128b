#include "cordon/runners/json_texts.h"

#include <cstddef>
#include <string>
#include <vector>

#include "cordon/codec/json/decode.h"
#include "cordon/codec/json/encode.h"

namespace cordon::runners {
namespace {

// A value in which parts are shared may be endless when each is written. One past these limits is
// left to the session, which has limits too.
constexpr std::size_t max_nodes = 1'000'000;
constexpr std::size_t max_depth = 1'000;

bool is_text_kind(const ValueView& value) {
  return value.kind() == Kind::date || value.kind() == Kind::url;
}

// Whether there is a text to write, and the whole is within the limits.
class Scan {
 public:
  bool finds_texts(const ValueView& value) {
    look_at(value, 0);
    return is_within_ && has_texts_;
  }

 private:
  void look_at(const ValueView& value, std::size_t depth) {
    is_within_ = is_within_ && ++nodes_ <= max_nodes && depth <= max_depth;
    if (!is_within_) return;
    has_texts_ = has_texts_ || is_text_kind(value);
    if (value.is_array()) {
      for (const ValueView& item : value.items()) look_at(item, depth + 1);
    } else if (value.is_object()) {
      for (const Member& member : value.members()) look_at(member.value, depth + 1);
    }
  }

  std::size_t nodes_ = 0;
  bool is_within_ = true;
  bool has_texts_ = false;
};

Value rewritten(const ValueView& value) {
  if (is_text_kind(value)) {
    const Result<std::string> text = json::encode(value);
    Result<Value> read = text ? json::decode(*text) : Result<Value>(fail(text.error()));
    return read ? *std::move(read) : Value::copy_of(value);
  }
  if (value.is_array()) {
    std::vector<Value> items;
    for (const ValueView& item : value.items()) items.push_back(rewritten(item));
    return Value::array_from(items);
  }
  if (!value.is_object()) return Value::copy_of(value);
  std::vector<Value::Field> fields;
  for (const auto& [key, member] : value.members()) fields.push_back({key, rewritten(member)});
  return Value::object_from(fields);
}

}  // namespace

Value with_json_texts(Value value) {
  return Scan().finds_texts(value) ? rewritten(value) : std::move(value);
}

}  // namespace cordon::runners
