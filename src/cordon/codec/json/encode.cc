#include "cordon/codec/json/encode.h"

#include <charconv>
#include <cmath>
#include <cstring>
#include <optional>
#include <string_view>
#include <vector>

#include "cordon/base/date_text.h"
#include "cordon/base/number_text.h"
#include "cordon/codec/json/quote.h"
#include "cordon/codec/json/text_buffer.h"
#include "cordon/codec/tree_writing.h"
#include "cordon/codec/typed_elements.h"
#include "cordon/value/bodies.h"

namespace cordon::json {
namespace {

constexpr std::size_t max_number = 32;

class Encoder {
 public:
  Encoder(std::string& out, const EncodeOptions& options)
      : options_(options),
        out_(out, options.max_bytes),
        watch_(options.max_bytes, MapsAndSets::empty) {}

  Result<> run(ValueView root) {
    if (root.is_undefined())
      return fail(ErrorCode::serialization_error, "undefined has no JSON text");
    if (root.is_symbol()) return fail(ErrorCode::serialization_error, "a symbol has no JSON text");
    if (!write(root)) return failure();
    while (!open_.empty()) {
      if (!step() || watch_.is_hopeless(root, out_.size())) return failure();
    }
    if (!out_.finish()) return failure();
    return {};
  }

 private:
  // An array, or an object or Error whose members are written.
  struct Open {
    const void* identity;
    const ValueView* items;  // of an array
    const Member* members;   // of the others
    std::size_t size;
    std::size_t next = 0;
    bool empty = true;     // nothing is written yet
    bool is_copy = false;  // the members are the last of copies_

    bool is_array() const { return members == nullptr; }
  };

  static bool is_left_out(ValueView value) { return value.is_undefined() || value.is_symbol(); }

  // Writes the next element or member of the innermost container, or its end.
  bool step() {
    Open& open = open_.back();
    if (!open.is_array()) {
      while (open.next < open.size && is_left_out(open.members[open.next].value)) ++open.next;
    }
    if (open.next == open.size) return close();

    if (!out_.reserve(1)) return false;
    if (!open.empty) out_.put(',');
    open.empty = false;
    if (options_.indent > 0 && !new_line(open_.size())) return false;
    const std::size_t position = open.next++;
    if (open.is_array()) return write(open.items[position]);

    const Member& member = open.members[position];
    if (!write_quoted(out_, member.key()) || !out_.reserve(2)) return false;
    out_.put(':');
    if (options_.indent > 0) out_.put(' ');
    return write(member.value);
  }

  bool write(ValueView value) {
    switch (value.kind()) {
      case Kind::undefined:
      case Kind::symbol:
      case Kind::null:
        return put("null");
      case Kind::boolean:
        return put(value.as_bool() ? "true" : "false");
      case Kind::number:
        return number(value.as_number());
      case Kind::string:
        return write_quoted(out_, value.as_string());
      case Kind::bigint:
        return wrong(ErrorCode::serialization_error, bigint);
      case Kind::date:
        return date(value.date_ms());
      case Kind::url:
        return write_quoted(out_, value.url_text());
      case Kind::array:
        return open({value.identity(), value.items().data(), nullptr, value.size()}, "[]");
      case Kind::object:
        return open_members(value.identity(), value.members());
      case Kind::error:
        return open_error(value);
      case Kind::buffer:
        return buffer(value);
      case Kind::typed_array:
        return typed_array(value);
      case Kind::regexp:
      case Kind::url_search_params:
      case Kind::array_buffer:
      case Kind::data_view:
      case Kind::map:
      case Kind::set:
        return put("{}");
    }
    return wrong(ErrorCode::internal_error, "unknown kind");
  }

  bool open_members(const void* identity, std::span<const Member> members) {
    if (options_.key_order == KeyOrder::javascript && !is_in_javascript_order(members)) {
      return open_copy(identity, {members.begin(), members.end()});
    }
    return open({identity, nullptr, members.data(), members.size()}, "{}");
  }

  bool open_error(ValueView error) {
    const std::span<const Member> fields = error.error_fields();
    if (options_.error_names == ErrorNames::left_out) {
      return open_members(error.identity(), fields);
    }
    std::vector<Member> members;
    members.reserve(fields.size() + 1);
    members.push_back({detail::ValueAccess::text(Kind::string, "name", 4),
                       detail::ValueAccess::error(error).name});
    members.insert(members.end(), fields.begin(), fields.end());
    return open_copy(error.identity(), std::move(members));
  }

  bool open_copy(const void* identity, std::vector<Member> members) {
    if (options_.key_order == KeyOrder::javascript) put_in_javascript_order(members);
    copies_.push_back(std::move(members));
    Open container = {identity, nullptr, copies_.back().data(), copies_.back().size()};
    container.is_copy = true;
    return open(container, "{}");
  }

  bool open(const Open& container, std::string_view if_empty) {
    if (open_.size() >= options_.max_depth) return wrong(ErrorCode::too_deep, "nested too deeply");
    if (container.size == 0) return put(if_empty);
    if (closes_cycle(open_, container.identity)) return wrong(ErrorCode::cyclic, cyclic);
    open_.push_back(container);
    if (!out_.reserve(1)) return false;
    out_.put(if_empty[0]);
    return true;
  }

  bool close() {
    const Open closed = open_.back();
    open_.pop_back();
    if (closed.is_copy) copies_.pop_back();
    // An object whose members are all left out stays {}.
    if (options_.indent > 0 && !closed.empty && !new_line(open_.size())) return false;
    return put(closed.is_array() ? "]" : "}");
  }

  bool new_line(std::size_t level) {
    const std::size_t spaces = level * options_.indent;
    if (!out_.reserve(spaces + 1)) return false;
    out_.put('\n');
    std::memset(out_.cursor(), ' ', spaces);
    out_.advance_to(out_.cursor() + spaces);
    return true;
  }

  bool put(std::string_view text) {
    if (!out_.reserve(text.size())) return false;
    out_.put(text);
    return true;
  }

  bool number(double number) {
    if (!std::isfinite(number)) return put("null");
    if (!out_.reserve(max_number)) return false;
    out_.advance_to(write_number(number, out_.cursor()));
    return true;
  }

  bool date(double ms) {
    DateBuffer buffer;
    const std::string_view text = date_to_text(ms, buffer);
    return text.empty() ? put("null") : write_quoted(out_, text);
  }

  // A Buffer is written as the object that its toJSON gives, a typed array as one of its indices.
  bool buffer(ValueView value) {
    const std::size_t level = open_.size() + 1;
    if (level >= options_.max_depth) return wrong(ErrorCode::too_deep, "nested too deeply");
    if (!put("{") || !line_if_pretty(level) ||
        !put(pretty() ? R"("type": "Buffer",)" : R"("type":"Buffer",)") || !line_if_pretty(level) ||
        !put(pretty() ? R"("data": [)" : R"("data":[)")) {
      return false;
    }
    const BytesView bytes = value.as_bytes();
    for (std::size_t i = 0; i < bytes.size(); ++i) {
      if ((i > 0 && !put(",")) || !line_if_pretty(level + 1) || !number(bytes[i])) return false;
    }
    return (bytes.empty() || line_if_pretty(level)) && put("]") && line_if_pretty(level - 1) &&
           put("}");
  }

  bool typed_array(ValueView value) {
    const BytesView bytes = value.as_bytes();
    const std::size_t width = element_bytes(value.element_type());
    const std::size_t level = open_.size() + 1;
    if (bytes.empty()) return put("{}");
    if (level > options_.max_depth) return wrong(ErrorCode::too_deep, "nested too deeply");
    if (!put("{")) return false;
    for (std::size_t i = 0; i < bytes.size() / width; ++i) {
      char key[24];
      const char* const key_end = std::to_chars(key, key + sizeof key, i).ptr;
      if ((i > 0 && !put(",")) || !line_if_pretty(level) || !put("\"") || !put({key, key_end}) ||
          !put(pretty() ? "\": " : "\":") ||
          !element(value.element_type(), bytes.data() + i * width)) {
        return false;
      }
    }
    return line_if_pretty(level - 1) && put("}");
  }

  bool element(ElementType type, const std::uint8_t* at) {
    const std::optional<double> plain = number_at(type, at);
    return plain ? number(*plain) : wrong(ErrorCode::serialization_error, bigint);
  }

  bool pretty() const { return options_.indent > 0; }
  bool line_if_pretty(std::size_t level) { return !pretty() || new_line(level); }

  // The messages that users know from V8.
  static constexpr std::string_view bigint = "Do not know how to serialize a BigInt";
  static constexpr std::string_view cyclic = "Converting circular structure to JSON";

  bool wrong(ErrorCode code, std::string_view reason) {
    error_ = Error{code, std::string(reason)};
    return false;
  }

  std::unexpected<Error> failure() {
    // A step that fails without a reason has met the buffer's limit.
    if (error_.message.empty()) error_ = Error{ErrorCode::too_large, "JSON text past its limit"};
    blame_cycle(open_, error_, cyclic);
    const std::string path = path_of(open_, [](std::string& way, const Open& open) {
      if (open.is_array()) {
        append_path(way, open.next - 1);
      } else {
        append_path(way, open.members[open.next - 1].key());
      }
    });
    return fail(with_place(std::move(error_), path));
  }

  EncodeOptions options_;
  TextBuffer out_;
  ExpansionWatch watch_;
  std::vector<Open> open_;
  std::vector<std::vector<Member>> copies_;  // of the open containers that need one
  Error error_;
};

}  // namespace

Result<> encode_to(std::string& out, const ValueView& value, const EncodeOptions& options) {
  return Encoder(out, options).run(value);
}

Result<std::string> encode(const ValueView& value, const EncodeOptions& options) {
  std::string out;
  CORDON_TRY(encode_to(out, value, options));
  return out;
}

}  // namespace cordon::json
