#pragma once

// The common part of the tree writer and the graph writer: values that are written in place, the
// depth limit, the order of keys, and the search for a caller's types.

#include <algorithm>
#include <cmath>
#include <cstddef>
#include <cstdint>
#include <deque>
#include <span>
#include <string>
#include <string_view>
#include <unordered_set>
#include <vector>

#include "cordon/base/date_text.h"
#include "cordon/codec/rich/json_text.h"
#include "cordon/codec/rich/keys.h"
#include "cordon/codec/rich/registry.h"
#include "cordon/codec/rich/serializer.h"
#include "cordon/codec/tree_writing.h"
#include "cordon/result.h"
#include "cordon/value.h"
#include "cordon/value/key_order.h"
#include "cordon/value/value_builder.h"

namespace cordon::rich {

class WriterBase {
 protected:
  WriterBase(std::string& out, const Registry& registry, const Options& options,
             std::size_t max_bytes)
      : registry_(registry), max_depth_(options.max_depth), text_(out, max_bytes, options.layout) {}

  enum class Written : std::uint8_t { yes, no, failed };

  // Writes a value that needs no container in either format.
  Written write_simple(ValueView value, std::size_t depth, std::size_t level) {
    const auto result = [](bool written) { return written ? Written::yes : Written::failed; };
    switch (value.kind()) {
      case Kind::undefined:
        return result(text_.begin_record("Undefined", level) && text_.raw("null") &&
                      text_.end_record(level));
      case Kind::null:
        return result(text_.raw("null"));
      case Kind::boolean:
        return result(text_.raw(value.as_bool() ? "true" : "false"));
      case Kind::number: {
        const double number = value.as_number();
        if (std::isfinite(number)) [[likely]] {
          return result(text_.number(number));
        }
        NumberBuffer buffer;
        return result(text_.plain_record("NonFiniteNumber", number_to_text(number, buffer), level));
      }
      case Kind::string:
        return result(text_.quoted(value.as_string()));
      case Kind::bigint:
        return result(text_.plain_record("BigInt", value.bigint_text(), level));
      case Kind::date: {
        DateBuffer buffer;
        const std::string_view text = date_to_text(value.date_ms(), buffer);
        if (!check_depth(depth + 1)) return Written::failed;
        if (text.empty())
          return result(wrong(ErrorCode::serialization_error, "Invalid time value"));
        return result(text_.plain_record("Date", text, level));
      }
      case Kind::url:
        return result(check_depth(depth + 1) && text_.begin_record("URL", level) &&
                      text_.quoted(value.url_text()) && text_.end_record(level));
      case Kind::url_search_params:
        return result(check_depth(depth + 1) && text_.begin_record("URLSearchParams", level) &&
                      text_.quoted(value.url_search_params_text()) && text_.end_record(level));
      default:
        return Written::no;
    }
  }

  bool is_writable_symbol(ValueView symbol) {
    if (symbol.symbol_kind() == SymbolKind::global || is_known_symbol(symbol.symbol_key())) {
      return true;
    }
    return wrong(ErrorCode::serialization_error,
                 "Cannot serialize unique symbols; use Symbol.for(key) or a well-known symbol like "
                 "Symbol.iterator");
  }

  // The members as JavaScript would list them. The result lives until release_order(); release the
  // last one first.
  struct Ordered {
    std::span<const Member> members;
    bool is_copy = false;
  };
  Ordered ordered(std::span<const Member> members) {
    if (is_in_javascript_order(members)) return {members};
    reordered_.emplace_back(members.begin(), members.end());
    put_in_javascript_order(reordered_.back());
    return {reordered_.back(), true};
  }
  void release_order() { reordered_.pop_back(); }

  // The caller's type that the object belongs to, or null. While the payload of a type is written
  // and the payload itself is of that type, the type does not count. An object whose payload is
  // being written has no type.
  const Type* custom_type_of(ValueView object) {
    if (registry_.custom_types().empty() || in_payload_.contains(object.identity())) {
      return nullptr;
    }
    for (const Type* type : registry_.custom_types()) {
      if (std::ranges::find(excluded_, type) == excluded_.end() && type->definition.is(object)) {
        return type;
      }
    }
    return nullptr;
  }

  // The payload that a caller's type makes of an object, or null if it failed. It does not move
  // until leave_payload(); leave the last one first.
  struct Payload {
    ValueView value;
    bool excludes;  // its type is on top of excluded_
  };
  const Payload* enter_payload(const Type& type, ValueView object) {
    const auto value = type.definition.serialize(object, payloads_);
    if (!value) {
      wrong(value.error().code, value.error().message);
      return nullptr;
    }
    const bool excludes = type.definition.is(*value);
    if (excludes) excluded_.push_back(&type);
    return &open_payloads_.emplace_back(Payload{*value, excludes});
  }
  void leave_payload() {
    if (open_payloads_.back().excludes) excluded_.pop_back();
    open_payloads_.pop_back();
  }

  // The payload of an Error in pieces: up to its custom fields, its stack if it has one, and up to
  // its cause.
  bool write_error_head(ValueView error, std::size_t level) {
    return text_.line(level) && text_.plain_key("name") && text_.quoted(error.error_name()) &&
           text_.raw(',') && text_.line(level) && text_.plain_key("message") &&
           text_.quoted(error.error_message()) && text_.raw(',') && text_.line(level) &&
           text_.plain_key("customFields");
  }
  bool write_error_stack(ValueView error, std::size_t level) {
    const ValueView stack = error.error_stack();
    return !stack.is_string() || (text_.raw(',') && text_.line(level) && text_.plain_key("stack") &&
                                  text_.quoted(stack.as_string()));
  }
  bool begin_error_cause(std::size_t level) {
    return text_.raw(',') && text_.line(level) && text_.plain_key("cause");
  }

  bool check_depth(std::size_t depth) { return depth <= max_depth_ || too_deep(); }
  [[gnu::noinline]] bool too_deep() {
    return wrong(ErrorCode::too_deep,
                 "Maximum depth exceeded (" + std::to_string(max_depth_) + ")");
  }

  bool wrong(ErrorCode code, std::string detail) {
    error_ = Error{code, std::move(detail)};
    return false;
  }

  // A step that fails without a reason has met the buffer's limit.
  Error failure(std::string_view path) {
    if (error_.message.empty()) return {ErrorCode::too_large, "serialized text past its limit"};
    return with_place(std::move(error_), path);
  }

  const Registry& registry_;
  std::size_t max_depth_;
  JsonText text_;
  Error error_;
  ValueBuilder payloads_;  // the nodes that the caller's types made
  std::deque<Payload> open_payloads_;
  std::vector<const Type*> excluded_;
  std::unordered_set<const void*> in_payload_;

 private:
  std::vector<std::vector<Member>> reordered_;
};

}  // namespace cordon::rich
