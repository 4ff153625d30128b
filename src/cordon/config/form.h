#pragma once

// The forms that a part of the configuration may have. Each is said once and gives two things: how
// to read it, with all that may be wrong, and its JSON Schema for editors. So they cannot drift
// apart.
//
//   const Form<TimePolicy> clocks =
//       Record<TimePolicy>()
//           .key("totalMs", &TimePolicy::total, milliseconds(1, 60'000), "All waits count.")
//           .form();

#include <algorithm>
#include <chrono>
#include <concepts>
#include <cstdint>
#include <functional>
#include <memory>
#include <optional>
#include <string>
#include <string_view>
#include <type_traits>
#include <utility>
#include <vector>

#include "cordon/config/configuration.h"
#include "cordon/config/document.h"
#include "cordon/config/reader.h"
#include "cordon/config/spelling.h"
#include "cordon/value.h"

namespace cordon::config {

template <class T>
struct Form {
  Value schema;
  // Leaves `out` as it is where it finds a mistake.
  std::function<void(const Node& node, T& out, Reader& reader)> read;
};

Form<bool> boolean();
Form<std::string> text();
// What people read: it may have several lines, or nothing in it.
Form<std::string> prose();
// `complaint` says what is wrong with a text, or nothing.
using Complain = std::function<std::optional<std::string>(std::string_view)>;
// What the author of a wrong text meant, if it is clear. Otherwise empty, and the example is shown.
using Suggest = std::function<std::string(std::string_view)>;
Form<std::string> text_that(Complain complaint, std::string_view example, Suggest suggest = {});
Form<std::string> choice(std::vector<std::string> choices);
// Text, or {"env": NAME} or {"file": PATH}, whose content less one line end it is. Never empty. The
// file is kept from scripts. Text that looks like a variable of a shell is warned about.
Form<std::string> secret();
// The same of several lines, as PEM has them.
Form<std::string> secret_lines();
// A file that is there; the path becomes absolute.
Form<std::string> file();
// The same of a key or a certificate, which is kept from scripts.
Form<std::string> private_file();
// A file that is written to, or "-" for standard error. Its folder is there; the path becomes
// absolute.
Form<std::string> log_file();
Form<std::chrono::milliseconds> milliseconds(std::uint64_t least, std::uint64_t most);

// A whole number of the range. What a double cannot tell apart is out of every range here.
Form<std::uint64_t> whole_number(std::uint64_t least, std::uint64_t most);

template <std::unsigned_integral T>
Form<T> number(std::uint64_t least, std::uint64_t most) {
  const Form<std::uint64_t> form = whole_number(least, most);
  return {form.schema, [read = form.read](const Node& node, T& out, Reader& reader) {
            std::uint64_t wide = out;
            read(node, wide, reader);
            out = static_cast<T>(wide);
          }};
}

// A number of which 0 stands for `meaning`, or for the default where that is nothing. In our own
// options a number is that number; this is the one place where those of the file become such.
template <std::unsigned_integral T>
Form<T> zero_means(const Form<T>& form, std::optional<T> meaning) {
  Value schema = meaning ? form.schema : form.schema.with("default", 0);
  return {std::move(schema), [read = form.read, meaning](const Node& node, T& out, Reader& reader) {
            T number = out;
            read(node, number, reader);
            out = number == 0 ? meaning.value_or(out) : number;
          }};
}

template <class T>
Form<std::vector<T>> list_of(const Form<T>& item) {
  Value schema = Value::object({{"type", "array"}, {"items", item.schema}});
  return {std::move(schema),
          [read = item.read](const Node& node, std::vector<T>& out, Reader& reader) {
            if (node.kind != Node::Kind::array) {
              reader.wrong(node.offset, "expected a list, not " + describe(node));
              return;
            }
            out.clear();
            for (std::size_t i = 0; i < node.items.size(); ++i) {
              const Reader::Step step(reader, i);
              T one{};
              read(node.items[i], one, reader);
              out.push_back(std::move(one));
            }
          }};
}

template <class T>
Form<std::vector<T>> one_or_list_of(const Form<T>& item) {
  const Form<std::vector<T>> list = list_of(item);
  Value schema = Value::object({{"anyOf", Value::array({item.schema, list.schema})}});
  return {std::move(schema), [one = item.read, many = list.read](
                                 const Node& node, std::vector<T>& out, Reader& reader) {
            if (node.kind == Node::Kind::array) return many(node, out, reader);
            T single{};
            one(node, single, reader);
            out = {std::move(single)};
          }};
}

// Any keys, each with a value of the form. `complaint` looks at the keys.
template <class T>
Form<Named<T>> named(const Form<T>& entry, Complain complaint) {
  Value schema = Value::object({{"type", "object"}, {"additionalProperties", entry.schema}});
  return {std::move(schema), [read = entry.read, complaint = std::move(complaint)](
                                 const Node& node, Named<T>& out, Reader& reader) {
            if (node.kind != Node::Kind::object) {
              reader.wrong(node.offset, "expected an object, not " + describe(node));
              return;
            }
            out.clear();
            for (const KeyedNode& member : node.members) {
              if (const auto why = complaint(member.key)) reader.wrong(member.key_offset, *why);
              const Reader::Step step(reader, member.key);
              T one{};
              read(member.value, one, reader);
              out.emplace_back(member.key, std::move(one));
            }
          }};
}

// How a default is shown in the schema; undefined if there is none to show.
inline Value shown(const bool& value) { return value; }
template <std::unsigned_integral T>
Value shown(const T& value) {
  return value;
}
inline Value shown(const std::chrono::milliseconds& value) { return value.count(); }
inline Value shown(const ValueRule& value) { return value == ValueRule::rich ? "rich" : "json"; }
template <class T>
Value shown(const std::optional<T>& value);
inline Value shown(const std::string& value) { return value.empty() ? Value() : Value(value); }
template <class T>
Value shown(const T&) {
  return {};
}

template <class T>
Value shown(const std::optional<T>& value) {
  return value ? shown(*value) : Value();
}

// A member of a member, where a place is asked for: at(&Server::http, &HttpLimits::idle_timeout).
template <class Outer, class Inner>
auto at(Outer outer, Inner inner) {
  return [outer, inner](auto& whole) -> auto& {
    return std::invoke(inner, std::invoke(outer, whole));
  };
}

// The form of text, where what is kept is what `change` makes of it.
Form<std::string> changed(const Form<std::string>& form,
                          std::function<std::string(std::string)> change);

enum class Need : std::uint8_t { optional, required };

// An object with these keys and no other.
template <class T>
class Record {
 public:
  // A key that is not there leaves what is; `defaults` shows what that is.
  explicit Record(T defaults = T()) : defaults_(std::move(defaults)) {}

  // Reads into a place: a member, or what at() says. It has what the form reads, or may have it.
  template <class P, class M>
    requires std::invocable<const P&, T&>
  Record key(std::string name, P place, const Form<M>& form, std::string_view description,
             Need need = Need::optional) && {
    add(std::move(name), form.schema, shown(std::as_const(std::invoke(place, defaults_))),
        description, need, [place, read = form.read](const Node& node, T& out, Reader& reader) {
          auto& kept = std::invoke(place, out);
          if constexpr (std::same_as<std::remove_cvref_t<decltype(kept)>, M>) {
            read(node, kept, reader);
          } else {
            M one{};
            read(node, one, reader);
            kept = std::move(one);
          }
        });
    return std::move(*this);
  }

  // One whose value, or whose own keys, are kept in several members of T.
  Record group(std::string name, const Form<T>& form, std::string_view description) && {
    add(std::move(name), form.schema, {}, description, Need::optional, form.read);
    return std::move(*this);
  }

  // What the keys are together, once they are read.
  Record and_then(std::function<void(const Node&, T&, Reader&)> check) && {
    check_ = std::move(check);
    return std::move(*this);
  }

  Form<T> form() && {
    auto shared = std::make_shared<const Record>(std::move(*this));
    return {shared->schema(), [shared](const Node& node, T& out, Reader& reader) {
              shared->read(node, out, reader);
            }};
  }

 private:
  using Read = std::function<void(const Node&, T&, Reader&)>;
  struct Key {
    Value schema;
    Need need;
    Read read;
  };

  void add(std::string name, const Value& schema, const Value& otherwise,
           std::string_view description, Need need, Read read) {
    Value whole = schema.with("description", description);
    if (!otherwise.is_undefined() && !schema.contains("default"))
      whole = whole.with("default", otherwise);
    names_.push_back(std::move(name));
    keys_.push_back({std::move(whole), need, std::move(read)});
  }

  void read(const Node& node, T& out, Reader& reader) const {
    if (node.kind != Node::Kind::object) {
      reader.wrong(node.offset, "expected an object, not " + describe(node));
      return;
    }
    for (const KeyedNode& member : node.members) {
      const auto at = std::find(names_.begin(), names_.end(), member.key);
      if (at == names_.end()) {
        const std::string where = reader.path().empty() ? "" : " in " + reader.path();
        reader.mistake(member.key_offset, "unknown key \"" + member.key + "\"" + where,
                       suggestion(member.key, names_, "keys here"));
        continue;
      }
      if (node.find(member.key) != &member.value) continue;  // a duplicate, which is told already
      const Reader::Step step(reader, member.key);
      keys_[static_cast<std::size_t>(at - names_.begin())].read(member.value, out, reader);
    }
    for (std::size_t i = 0; i < names_.size(); ++i) {
      if (keys_[i].need == Need::optional || node.find(names_[i]) != nullptr) continue;
      reader.wrong(node.offset, "the key \"" + names_[i] + "\" is missing");
    }
    if (check_) check_(node, out, reader);
  }

  Value schema() const {
    std::vector<Value::Field> properties;
    std::vector<Value> required;
    for (std::size_t i = 0; i < names_.size(); ++i) {
      properties.push_back({names_[i], keys_[i].schema});
      if (keys_[i].need == Need::required) required.push_back(names_[i]);
    }
    Value whole = Value::object({{"type", "object"},
                                 {"properties", Value::object_from(properties)},
                                 {"additionalProperties", false}});
    if (!required.empty()) whole = whole.with("required", Value::array_from(required));
    return whole;
  }

  T defaults_;
  std::vector<std::string> names_;
  std::vector<Key> keys_;
  Read check_;
};

}  // namespace cordon::config
