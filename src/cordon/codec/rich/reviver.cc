#include "cordon/codec/rich/reviver.h"

#include <algorithm>
#include <cmath>
#include <limits>
#include <string>

#include "cordon/base/number_text.h"
#include "cordon/base/utf8.h"
#include "cordon/codec/distinct.h"
#include "cordon/codec/rich/date_parse.h"
#include "cordon/codec/rich/keys.h"
#include "cordon/codec/rich/regexp_rule.h"
#include "cordon/codec/rich/search_params.h"
#include "cordon/codec/rich/url.h"

// Each function here does what a constructor of JavaScript does with its argument, and not only
// what our serializers write: `new Map(iterable)` takes a Map, a Set, a string or search parameters
// as well as an array of pairs, and the reference implementation lets it.
//
// Two rules hold throughout. Work is paid for before it is done: a function that copies the parts
// of a payload takes them from `parts_left_` first, because many typed values may share one
// payload. And a payload may still be unfinished: in a cycle it is a node that is being read, and
// the parts that are not there yet are holes. A hole counts as undefined, or as a member that is
// not there.
//
// Nothing recurses: a payload is read before it gets here, and only its own parts are looked at.

namespace cordon::rich {
namespace {

std::unexpected<Error> invalid(std::string_view what) {
  return fail(ErrorCode::protocol_violation,
              std::string("Invalid ").append(what).append(" payload"));
}

bool is_primitive(ValueView value) { return value.kind() <= Kind::symbol; }

// What `value[key]` is in JavaScript, for the payloads that can have such a property.
ValueView property(ValueView value, std::string_view key) {
  if (value.is_object()) return value.find(key);
  if (value.is_error()) {
    if (key == "name") return detail::ValueAccess::error(value).name;
    if (key == "message") return detail::ValueAccess::error(value).message;
    if (key == "stack") return value.error_stack();
    if (key == "cause") return value.error_cause();
    return detail::ValueAccess::object(&detail::ValueAccess::error(value).fields).find(key);
  }
  if (value.is_array() && key.size() == 1 && key[0] >= '0' && key[0] <= '9') {
    return value.at(static_cast<std::size_t>(key[0] - '0'));
  }
  return {};
}

// A member that is a hole belongs to an object that is still being read: it is not there yet.
bool has_own_cause(ValueView payload) {
  if (payload.is_error()) return !payload.error_cause().is_hole();
  return payload.contains("cause") && !payload.find("cause").is_hole();
}

bool is_custom_field(const Member& field) {
  return !is_reserved_error_field(field.key()) && !field.value.is_hole();
}

// The text that V8 prints in its messages.
std::string text_of_primitive(ValueView value) {
  switch (value.kind()) {
    case Kind::undefined:
      return "undefined";
    case Kind::null:
      return "null";
    case Kind::boolean:
      return value.as_bool() ? "true" : "false";
    case Kind::number: {
      NumberBuffer buffer;
      return std::string(number_to_text(value.as_number(), buffer));
    }
    case Kind::string:
      return std::string(value.as_string());
    case Kind::bigint:
      return std::string(value.bigint_text());
    default:
      return std::string("Symbol(").append(value.symbol_key()).append(")");
  }
}

// What String.prototype.trim takes away.
std::string_view trimmed(std::string_view text) {
  constexpr std::string_view blanks[] = {"\t",           "\n",           "\v",
                                         "\f",           "\r",           " ",
                                         "\xc2\xa0",     "\xe1\x9a\x80", "\xe2\x80\x80",
                                         "\xe2\x80\x81", "\xe2\x80\x82", "\xe2\x80\x83",
                                         "\xe2\x80\x84", "\xe2\x80\x85", "\xe2\x80\x86",
                                         "\xe2\x80\x87", "\xe2\x80\x88", "\xe2\x80\x89",
                                         "\xe2\x80\x8a", "\xe2\x80\xa8", "\xe2\x80\xa9",
                                         "\xe2\x80\xaf", "\xe2\x81\x9f", "\xe3\x80\x80",
                                         "\xef\xbb\xbf"};
  for (bool found = true; found;) {
    found = false;
    for (const std::string_view blank : blanks) {
      if (text.starts_with(blank)) {
        text.remove_prefix(blank.size());
        found = true;
      }
      if (text.ends_with(blank)) {
        text.remove_suffix(blank.size());
        found = true;
      }
    }
  }
  return text;
}

std::size_t sequence_size(char lead) {
  const auto byte = static_cast<unsigned char>(lead);
  return byte < 0x80 ? 1 : byte < 0xe0 ? 2 : byte < 0xf0 ? 3 : 4;
}

}  // namespace

Result<ValueView> Reviver::revive(const Type& type, ValueView payload, ValueView opened) {
  switch (type.kind) {
    case TypeKind::date:
      return date_of(payload);
    case TypeKind::regexp:
      return regexp(payload);
    case TypeKind::map:
      return map(payload, opened);
    case TypeKind::set:
      return set(payload, opened);
    case TypeKind::undefined:
      return ValueView();
    case TypeKind::non_finite_number: {
      const auto number = non_finite_number(payload.as_string());
      if (!number) return invalid("non-finite number");
      return *number;
    }
    case TypeKind::bigint: {
      const auto number = payload.is_string() ? bigint(payload.as_string()) : std::nullopt;
      if (!number) return invalid("bigint");
      return *number;
    }
    case TypeKind::symbol:
      return symbol(payload);
    case TypeKind::error:
      return error(payload, opened);
    case TypeKind::url:
      return url(payload);
    case TypeKind::url_search_params:
      if (!payload.is_string()) return invalid("URLSearchParams");
      CORDON_TRY(take_text(payload.size()));
      return builder_.url_search_params(normal_search_params(payload.as_string()));
    case TypeKind::array_buffer:
    case TypeKind::data_view:
    case TypeKind::buffer:
    case TypeKind::typed_array: {
      if (!payload.is_array()) return invalid(type.id);
      CORDON_TRY(take_parts(payload.size()));
      const auto made = bytes(type, payload.items());
      if (!made) return invalid(type.id);
      return *made;
    }
    case TypeKind::custom:
      return type.definition.deserialize(payload, builder_);
  }
  return fail(ErrorCode::internal_error, "unknown type");
}

Result<> Reviver::take_parts(std::size_t count) {
  if (count > parts_left_) {
    return fail(ErrorCode::too_large, "too many typed values share one payload");
  }
  parts_left_ -= count;
  return {};
}

Result<> Reviver::take_text(std::size_t bytes) { return take_parts(bytes / 2); }

ValueView Reviver::date(std::string_view text) const {
  return ValueBuilder::date(date_from_text(text));
}

Result<ValueView> Reviver::date_of(ValueView payload) {
  switch (payload.kind()) {
    case Kind::date:
      return payload;
    case Kind::null:
      return ValueBuilder::date(0);
    case Kind::boolean:
      return ValueBuilder::date(payload.as_bool() ? 1 : 0);
    case Kind::number:
      return ValueBuilder::date(date_from_number(payload.as_number()));
    case Kind::string:
      return date(payload.as_string());
    case Kind::bigint:
      return fail(ErrorCode::protocol_violation, "Cannot convert a BigInt value to a number");
    case Kind::symbol:
      return fail(ErrorCode::protocol_violation, "Cannot convert a Symbol value to a number");
    case Kind::array:
      // JavaScript makes a text of it: that of its only element.
      if (payload.size() == 1 && payload.at(0).is_string()) return date(payload.at(0).as_string());
      if (payload.size() == 1 && payload.at(0).is_number()) {
        return date(text_of_primitive(payload.at(0)));
      }
      [[fallthrough]];
    default:
      return ValueBuilder::date(std::numeric_limits<double>::quiet_NaN());
  }
}

std::optional<ValueView> Reviver::bigint(std::string_view text) {
  std::string_view decimal = text;
  const auto is_plain = [](char c) { return c == '-' || (c >= '0' && c <= '9'); };
  if (!decimal.empty() && !(is_plain(decimal.front()) && is_plain(decimal.back()))) {
    decimal = trimmed(decimal);
    if (decimal.starts_with('+')) {
      decimal.remove_prefix(1);
      if (decimal.starts_with('-')) return std::nullopt;
    }
  }
  auto node = builder_.bigint(decimal);
  if (!node) return std::nullopt;
  return *node;
}

std::optional<ValueView> Reviver::non_finite_number(std::string_view text) {
  if (text == "NaN") return ValueView(std::numeric_limits<double>::quiet_NaN());
  if (text == "Infinity") return ValueView(std::numeric_limits<double>::infinity());
  if (text == "-Infinity") return ValueView(-std::numeric_limits<double>::infinity());
  return std::nullopt;
}

Result<ValueView> Reviver::regexp(ValueView payload) {
  const ValueView pattern = property(payload, "pattern");
  const ValueView flags = property(payload, "flags");
  if (!pattern.is_string() || !flags.is_string()) return invalid("RegExp");
  CORDON_TRY(take_text(pattern.size()));
  const std::size_t most = options_.max_regexp_pattern_length;
  // The limit counts UTF-16 units. Each takes a byte at least, so short text needs no counting.
  if (pattern.size() > most && utf16_length(pattern.as_string()) > most) {
    return fail(ErrorCode::unsupported,
                "RegExp pattern exceeds limit (" + std::to_string(most) + ")");
  }
  if (options_.unsafe_regexps == UnsafeRegExps::refused &&
      !is_safe_regexp_pattern(pattern.as_string())) {
    return fail(ErrorCode::unsupported, "Unsafe RegExp pattern");
  }
  if (!are_regexp_flags(flags.as_string())) {
    return fail(ErrorCode::protocol_violation, "Invalid RegExp flags");
  }
  if (!CORDON_TRY(regexps_.is_regexp(pattern.as_string(), flags.as_string()))) {
    return invalid("RegExp");
  }
  return builder_.regexp(regexp_source_of(pattern.as_string()),
                         sorted_regexp_flags(flags.as_string()));
}

// The elements that `for (const x of payload)` would see.
Result<BudgetVector<ValueView>> Reviver::iterated(ValueView payload) {
  CORDON_TRY(take_parts(payload.size()));
  BudgetVector<ValueView> out(builder_.budget());
  switch (payload.kind()) {
    case Kind::undefined:
    case Kind::null:
      return out;
    case Kind::array:
    case Kind::set:
      out.assign(payload.items().begin(), payload.items().end());
      return out;
    case Kind::map:
      // Each becomes an array, which takes the memory of four elements.
      CORDON_TRY(take_parts(3 * payload.size()));
      for (const Entry& entry : payload.entries()) {
        const ValueView pair[] = {entry.key, entry.value};
        out.push_back(builder_.array(pair));
      }
      return out;
    case Kind::string:
      for (std::string_view rest = payload.as_string(); !rest.empty();) {
        const std::size_t size = sequence_size(rest[0]);
        out.push_back(builder_.string(rest.substr(0, size)));
        rest.remove_prefix(size);
      }
      return out;
    case Kind::url_search_params:
      CORDON_TRY(take_text(payload.url_search_params_text().size()));
      for (const auto& [name, value] : search_params_from_text(payload.url_search_params_text())) {
        const ValueView pair[] = {builder_.string(name), builder_.string(value)};
        out.push_back(builder_.array(pair));
      }
      return out;
    default: {
      std::string what = "object";
      if (is_primitive(payload)) {
        what = std::string(name_of(payload.kind())) + " " + text_of_primitive(payload);
      }
      return fail(ErrorCode::protocol_violation,
                  what + " is not iterable (cannot read property Symbol(Symbol.iterator))");
    }
  }
}

// As `new Map(pairs)`: of equal keys the first keeps its place and the last sets the value. A key
// of -0 becomes 0, in a Set too.
Result<ValueView> Reviver::map(ValueView payload, ValueView opened) {
  const BudgetVector<ValueView> pairs = CORDON_TRY(iterated(payload));
  DistinctNodes keys(pairs.size(), builder_.budget());
  BudgetVector<Entry> entries(builder_.budget());
  entries.reserve(pairs.size());
  for (const ValueView pair : pairs) {
    if (is_primitive(pair)) {
      return fail(ErrorCode::protocol_violation,
                  "Iterator value " + text_of_primitive(pair) + " is not an entry object");
    }
    ValueView key = property(pair, "0");
    if (key.is_number()) key = key.as_number() + 0.0;
    const std::size_t number = keys.add(key);
    if (number == entries.size()) {
      entries.push_back({key, property(pair, "1")});
    } else {
      entries[number].value = property(pair, "1");
    }
  }
  if (!opened.is_map()) return builder_.map(entries);
  builder_.fill(opened, entries);
  return opened;
}

Result<ValueView> Reviver::set(ValueView payload, ValueView opened) {
  const BudgetVector<ValueView> items = CORDON_TRY(iterated(payload));
  DistinctNodes known(items.size(), builder_.budget());
  BudgetVector<ValueView> kept(builder_.budget());
  kept.reserve(items.size());
  for (ValueView item : items) {
    if (item.is_number()) item = item.as_number() + 0.0;
    // An element is never a hole.
    if (item.is_undefined()) item = ValueView();
    if (known.add(item) == kept.size()) kept.push_back(item);
  }
  if (!opened.is_set()) return builder_.set(kept);
  builder_.fill(opened, kept);
  return opened;
}

Result<ValueView> Reviver::symbol(ValueView payload) {
  const ValueView kind = property(payload, "kind");
  const ValueView key = property(payload, "key");
  const bool global = kind == "For";
  if (!global && kind != "WellKnown") return invalid("symbol");
  if (!key.is_string()) return invalid("symbol");
  if (!global && !is_known_symbol(key.as_string())) return invalid("symbol");
  if (options_.symbol_policy == SymbolPolicy::disabled) {
    return fail(ErrorCode::unsupported, "Symbols are not allowed");
  }
  if (options_.symbol_policy == SymbolPolicy::well_known_only && global) {
    return fail(ErrorCode::unsupported, "Global symbols are not allowed");
  }
  // No engine has it unless a library adds it.
  if (!global && key == "observable") {
    return fail(ErrorCode::unsupported, "Unsupported well-known symbol \"observable\"");
  }
  CORDON_TRY(take_text(key.size()));
  return builder_.symbol(global ? SymbolKind::global : SymbolKind::well_known, key.as_string());
}

Result<ValueView> Reviver::error(ValueView payload, ValueView opened) {
  ErrorParts parts;
  parts.name = property(payload, "name");
  parts.message = property(payload, "message");
  parts.stack = property(payload, "stack");
  const ValueView custom = property(payload, "customFields");
  const bool right = parts.name.is_string() && parts.message.is_string() &&
                     (parts.stack.is_string() || parts.stack.is_undefined()) &&
                     (custom.is_undefined() || !(is_primitive(custom) || custom.is_array()));
  if (payload.is_array() || !right) return invalid("Error");
  if (parts.stack.is_undefined()) parts.stack = {};

  const std::span<const Member> fields =
      custom.is_error() ? custom.error_fields() : custom.members();
  CORDON_TRY(take_parts(fields.size()));
  std::vector<Member> kept;
  if (!std::ranges::all_of(fields, is_custom_field)) {
    std::ranges::copy_if(fields, std::back_inserter(kept), is_custom_field);
    parts.fields = kept;
  } else {
    parts.fields = fields;
  }
  if (has_own_cause(payload)) parts.cause = property(payload, "cause");
  if (!opened.is_error()) return builder_.error(parts);
  builder_.fill(opened, parts);
  return opened;
}

Result<ValueView> Reviver::url(ValueView payload) {
  if (!payload.is_string()) return invalid("URL");
  CORDON_TRY(take_text(payload.size()));
  const auto href = href_of_url(payload.as_string());
  if (!href) return fail(ErrorCode::protocol_violation, "Invalid URL");
  return builder_.url(*href);
}

std::optional<ValueView> Reviver::bytes(const Type& type, std::span<const ValueView> numbers) {
  if (numbers.size() % element_bytes(type.element) != 0 && type.kind == TypeKind::typed_array) {
    return std::nullopt;
  }
  Bytes content(numbers.size());
  for (std::size_t i = 0; i < numbers.size(); ++i) {
    const double number = numbers[i].as_number();
    if (!numbers[i].is_number() || !(number >= 0 && number <= 255) ||
        number != std::trunc(number)) {
      return std::nullopt;
    }
    content[i] = static_cast<std::uint8_t>(number);
  }
  switch (type.kind) {
    case TypeKind::array_buffer:
      return builder_.bytes(Kind::array_buffer, content);
    case TypeKind::data_view:
      return builder_.bytes(Kind::data_view, content);
    case TypeKind::buffer:
      return builder_.bytes(Kind::buffer, content);
    default:
      return builder_.typed_array(type.element, content);
  }
}

}  // namespace cordon::rich
