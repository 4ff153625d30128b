#include "cordon/value.h"

#include <charconv>
#include <cstring>
#include <stdexcept>
#include <vector>

#include "cordon/base/utf8.h"
#include "cordon/value/arena.h"
#include "cordon/value/bodies.h"
#include "cordon/value/value_builder.h"

namespace cordon {

Value::Value(std::string_view text) {
  if (text.empty()) {
    static_cast<ValueView&>(*this) = detail::ValueAccess::text(Kind::string, "", 0);
    return;
  }
  std::string repaired;
  if (!is_wtf8(text)) {
    repaired = to_wtf8_lossy(text);
    text = repaired;
  }
  ValueBuilder builder(text.size());
  *this = builder.finish(builder.string(text));
}

Value::Value(const Value& other) noexcept : ValueView(other), arena_(other.arena_) {
  if (arena_ != nullptr) arena_->retain();
}

Value& Value::operator=(const Value& other) noexcept {
  if (this != &other) *this = Value(other);
  return *this;
}

Value& Value::operator=(Value&& other) noexcept {
  if (this == &other) return *this;
  Arena* const before = arena_;
  static_cast<ValueView&>(*this) = other;
  arena_ = std::exchange(other.arena_, nullptr);
  static_cast<ValueView&>(other) = ValueView();
  if (before != nullptr) Arena::release(before);
  return *this;
}

void Value::release() noexcept { Arena::release(arena_); }

Value Value::object_from(std::span<const Field> fields) {
  std::size_t bytes = sizeof(detail::MembersBody) + fields.size() * (sizeof(Member) + 24);
  for (const Field& field : fields) bytes += field.key.size() + 8;
  ValueBuilder builder(bytes);
  const std::size_t mark = builder.mark();
  for (const Field& field : fields) {
    builder.push(is_wtf8(field.key) ? builder.string(field.key)
                                    : builder.string(to_wtf8_lossy(field.key)));
    builder.push(builder.splice(field.value));
  }
  return builder.finish(builder.object_since(mark));
}

Value Value::array_from(std::span<const Value> items) {
  ValueBuilder builder(sizeof(detail::ListBody) + items.size() * (sizeof(ValueView) + 16));
  const std::size_t mark = builder.mark();
  for (const Value& item : items) builder.push(builder.splice(item));
  return builder.finish(builder.array_since(mark));
}

Value Value::bytes(BytesView content, Kind kind) {
  if (kind != Kind::array_buffer && kind != Kind::data_view && kind != Kind::buffer) {
    throw std::invalid_argument("not a kind of plain bytes");
  }
  ValueBuilder builder(content.size() + 8);
  return builder.finish(builder.bytes(kind, content));
}

Value Value::typed_array(ElementType type, BytesView content) {
  if (content.size() % element_bytes(type) != 0) {
    throw std::invalid_argument("typed array of a broken element");
  }
  ValueBuilder builder(content.size() + 8);
  return builder.finish(builder.typed_array(type, content));
}

Value Value::bigint_of(std::string_view sign, std::uint64_t magnitude) {
  char text[24];
  std::memcpy(text, sign.data(), sign.size());
  const char* const end = std::to_chars(text + sign.size(), text + sizeof text, magnitude).ptr;
  return *bigint(std::string_view(text, end));
}

Result<Value> Value::bigint(std::string_view decimal) {
  ValueBuilder builder(decimal.size());
  const ValueView node = CORDON_TRY(builder.bigint(decimal));
  return builder.finish(node);
}

Value Value::date(double ms_since_epoch) { return {ValueBuilder::date(ms_since_epoch), nullptr}; }

Value Value::error(std::string_view name, std::string_view message) {
  ValueBuilder builder(sizeof(detail::ErrorBody) + name.size() + message.size() + 16);
  ErrorParts parts;
  parts.name = builder.string(to_wtf8_lossy(name));
  parts.message = builder.string(to_wtf8_lossy(message));
  return builder.finish(builder.error(parts));
}

Value Value::share(ValueView part) const noexcept {
  if (arena_ != nullptr) arena_->retain();
  return {part, arena_};
}

Value Value::with(std::string_view key, const Value& value) const {
  ValueBuilder builder((size() + 1) * sizeof(Member) + key.size() + 64);
  builder.splice(*this);
  const std::size_t mark = builder.mark();
  for (const Member& member : members()) {
    builder.push(member.name);
    builder.push(member.value);
  }
  builder.push(builder.string(to_wtf8_lossy(key)));
  builder.push(builder.splice(value));
  return builder.finish(builder.object_since(mark));
}

}  // namespace cordon
