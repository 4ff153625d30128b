#include <array>
#include <charconv>
#include <cmath>

#include "cordon/base/number_text.h"
#include "cordon/value.h"
#include "cordon/value/bodies.h"
#include "cordon/value/key_index.h"

namespace cordon {

using detail::ValueAccess;

std::string_view name_of(Kind kind) {
  static constexpr std::string_view names[] = {
      "undefined",
      "null",
      "boolean",
      "number",
      "string",
      "bigint",
      "symbol",
      "date",
      "regexp",
      "url",
      "url_search_params",
      "array_buffer",
      "typed_array",
      "data_view",
      "buffer",
      "array",
      "object",
      "map",
      "set",
      "error",
  };
  static_assert(std::size(names) == static_cast<std::size_t>(Kind::error) + 1);
  return names[static_cast<std::size_t>(kind)];
}

std::string_view name_of(ElementType type) {
  static constexpr std::string_view names[] = {
      "Int8Array",    "Uint8Array",    "Uint8ClampedArray", "Int16Array",
      "Uint16Array",  "Int32Array",    "Uint32Array",       "Float32Array",
      "Float64Array", "BigInt64Array", "BigUint64Array",
  };
  static_assert(std::size(names) == static_cast<std::size_t>(ElementType::biguint64) + 1);
  return names[static_cast<std::size_t>(type)];
}

std::size_t element_bytes(ElementType type) {
  static constexpr std::size_t sizes[] = {1, 1, 1, 2, 2, 4, 4, 4, 8, 8, 8};
  static_assert(std::size(sizes) == static_cast<std::size_t>(ElementType::biguint64) + 1);
  return sizes[static_cast<std::size_t>(type)];
}

BytesView ValueView::as_bytes() const {
  return is_bytes() ? BytesView(bytes_, size_) : BytesView();
}

std::string_view ValueView::regexp_source() const {
  return kind_ == Kind::regexp ? regexp_->source.as_string() : std::string_view();
}

std::string_view ValueView::regexp_flags() const {
  return kind_ == Kind::regexp ? regexp_->flags.as_string() : std::string_view();
}

std::string_view ValueView::error_name() const {
  return is_error() ? error_->name.as_string() : std::string_view();
}

std::string_view ValueView::error_message() const {
  return is_error() ? error_->message.as_string() : std::string_view();
}

ValueView ValueView::error_stack() const { return is_error() ? error_->stack : ValueView(); }

ValueView ValueView::error_cause() const {
  return is_error() ? error_->cause : ValueAccess::hole();
}

std::span<const Member> ValueView::error_fields() const {
  if (!is_error()) return {};
  return {error_->fields.members, error_->fields.size};
}

std::size_t ValueView::size() const {
  switch (kind_) {
    case Kind::array:
    case Kind::set:
      return list_->size;
    case Kind::object:
      return members_->size;
    case Kind::map:
      return map_->size;
    case Kind::string:
    case Kind::array_buffer:
    case Kind::typed_array:
    case Kind::data_view:
    case Kind::buffer:
      return size_;
    default:
      return 0;
  }
}

std::span<const ValueView> ValueView::items() const {
  if (!is_array() && !is_set()) return {};
  return {list_->items, list_->size};
}

std::span<const Member> ValueView::members() const {
  if (!is_object()) return {};
  return {members_->members, members_->size};
}

std::span<const Entry> ValueView::entries() const {
  if (!is_map()) return {};
  return {map_->entries, map_->size};
}

ValueView ValueView::find(std::string_view key) const {
  if (!is_object()) return {};
  const std::size_t position = find_key(*members_, key);
  return position == members_->size ? ValueView() : members_->members[position].value;
}

ValueView ValueView::at(std::size_t index) const {
  return is_array() && index < list_->size ? list_->items[index] : ValueView();
}

bool ValueView::contains(std::string_view key) const {
  return is_object() && find_key(*members_, key) != members_->size;
}

ValueAt ValueView::operator[](std::string_view key) const { return ValueAt(*this, {})[key]; }

ValueAt ValueView::operator[](std::size_t index) const { return ValueAt(*this, {})[index]; }

ValueAt ValueAt::operator[](std::string_view key) const& { return ValueAt(*this)[key]; }

ValueAt ValueAt::operator[](std::size_t index) const& { return ValueAt(*this)[index]; }

ValueAt ValueAt::operator[](std::string_view key) && {
  append_path(path_, key);
  return {find(key), std::move(path_)};
}

ValueAt ValueAt::operator[](std::size_t index) && {
  append_path(path_, index);
  return {at(index), std::move(path_)};
}

void append_path(std::string& path, std::string_view key) {
  const auto in_name = [](char c) {
    return (c >= 'a' && c <= 'z') || (c >= 'A' && c <= 'Z') || (c >= '0' && c <= '9') || c == '_' ||
           c == '$';
  };
  bool plain = !key.empty() && !(key[0] >= '0' && key[0] <= '9');
  for (const char c : key) plain = plain && in_name(c);
  if (plain) {
    if (!path.empty()) path += '.';
    path.append(key);
    return;
  }
  path += "[\"";
  for (const char c : key) {
    if (c == '"' || c == '\\') path += '\\';
    path += c;
  }
  path += "\"]";
}

void append_path(std::string& path, std::size_t index) {
  path.append("[").append(std::to_string(index)).append("]");
}

namespace detail {
namespace {

std::string describe(ValueView found) {
  if (found.is_number()) {
    NumberBuffer buffer;
    return std::string("the number ").append(number_to_text(found.as_number(), buffer));
  }
  if (found.is_undefined()) return "nothing";
  if (found.is_null()) return "null";
  const std::string_view name = name_of(found.kind());
  const bool vowel = std::string_view("aeio").find(name[0]) != std::string_view::npos;
  std::string text = vowel ? "an " : "a ";
  for (const char c : name) text += c == '_' ? ' ' : c;
  return text;
}

// Whether the number lies in [least, end) and has no fraction. `most` + 1 is exact as a double for
// every integer type: below 2^53 both terms are, and past it `most` itself rounds up to that power
// of two.
bool is_integer_within(double number, double least, double end) {
  return number >= least && number < end && number == std::trunc(number);
}

}  // namespace

std::unexpected<Error> wrong_kind(ValueView found, std::string_view expected,
                                  std::string_view path) {
  std::string text = "expected ";
  text.append(expected);
  if (!path.empty()) text.append(" at ").append(path);
  text.append(", found ").append(describe(found));
  return fail(ErrorCode::type_mismatch, std::move(text));
}

Result<std::int64_t> signed_of(ValueView view, std::int64_t least, std::int64_t most,
                               std::string_view path) {
  if (view.is_bigint()) {
    std::int64_t number = 0;
    const std::string_view text = view.bigint_text();
    const auto [end, error] = std::from_chars(text.data(), text.data() + text.size(), number);
    if (error == std::errc() && number >= least && number <= most) return number;
  } else if (view.is_number() && is_integer_within(view.as_number(), static_cast<double>(least),
                                                   static_cast<double>(most) + 1)) {
    return static_cast<std::int64_t>(view.as_number());
  }
  return wrong_kind(
      view, "an integer from " + std::to_string(least) + " to " + std::to_string(most), path);
}

Result<std::uint64_t> unsigned_of(ValueView view, std::uint64_t most, std::string_view path) {
  if (view.is_bigint()) {
    std::uint64_t number = 0;
    const std::string_view text = view.bigint_text();
    const auto [end, error] = std::from_chars(text.data(), text.data() + text.size(), number);
    if (error == std::errc() && number <= most) return number;
  } else if (view.is_number() &&
             is_integer_within(view.as_number(), 0, static_cast<double>(most) + 1)) {
    return static_cast<std::uint64_t>(view.as_number());
  }
  return wrong_kind(view, "an integer from 0 to " + std::to_string(most), path);
}

}  // namespace detail
}  // namespace cordon
