#include "cordon/cli/input_place.h"

#include <algorithm>
#include <charconv>
#include <span>
#include <unordered_set>
#include <utility>

#include "cordon/codec/rich/keys.h"
#include "cordon/value/value_builder.h"

namespace cordon::cli {
namespace {

// A place must not make an array that fills the memory.
constexpr std::size_t max_index = 99'999;

std::unexpected<Error> wrong_place(const std::string& why) {
  return fail(ErrorCode::invalid_argument, why);
}

std::string escaped(std::string_view key) {
  std::string out;
  for (const char c : key) {
    if (c == '.' || c == '=' || c == '\\') out += '\\';
    out += c;
  }
  return out;
}

// Takes what is before the next dot. A backslash before anything else than a character that it
// escapes stands for itself.
std::string read_key(std::string_view& text) {
  std::string key;
  while (!text.empty() && text.front() != '.') {
    const bool is_escape = text.front() == '\\' && text.size() > 1 &&
                           (text[1] == '.' || text[1] == '=' || text[1] == '\\');
    if (is_escape) text.remove_prefix(1);
    key += text.front();
    text.remove_prefix(1);
  }
  return key;
}

const char* kind_name(const ValueView& value) {
  switch (value.kind()) {
    case Kind::null:
      return "null";
    case Kind::boolean:
      return "a boolean";
    case Kind::number:
      return "a number";
    case Kind::string:
      return "a string";
    default:
      return "neither an array nor an object";
  }
}

// Changes an input in place: nobody else has it.
class PlacedInput {
 public:
  explicit PlacedInput(const Value& input) : root_(builder_.splice(input)) {}

  Result<> put(const InputPlace& place, const Value& value) {
    ValueView* slot = &root_;
    for (const std::string& key : place.keys) {
      if (slot->is_undefined()) *slot = builder_.open(index_of(key) ? Kind::array : Kind::object);
      if (slot->is_array()) {
        slot = CORDON_TRY(element(*slot, key));
      } else if (slot->is_object()) {
        slot = member(*slot, key);
      } else {
        return wrong_place("the way to " + place.text() + " leads through " + kind_name(*slot) +
                           ", before '" + key + "'");
      }
    }
    // In a graph, two places can be one.
    if (!put_.insert(value.identity()).second || put_.contains(slot->identity()))
      return wrong_place("another file is at " + place.text() + " already");
    *slot = builder_.splice(value);
    return {};
  }

  Value finish() { return builder_.finish(root_); }

 private:
  Result<ValueView*> element(ValueView array, const std::string& key) {
    const std::optional<std::size_t> index = index_of(key);
    if (!index) return wrong_place("'" + key + "' is no index of an array");
    if (*index > max_index) {
      return wrong_place("the index " + key + " is more than " + std::to_string(max_index));
    }
    if (*index >= array.size()) {
      std::vector<ValueView> items(array.items().begin(), array.items().end());
      items.resize(*index + 1);
      builder_.fill(array, items);
    }
    return &builder_.items_of(array)[*index];
  }

  ValueView* member(ValueView object, const std::string& key) {
    const auto find = [&] {
      const std::span<Member> members = builder_.members_of(object);
      const auto found = std::ranges::find_if(
          members, [&](const Member& member) { return member.name.as_string() == key; });
      return found == members.end() ? nullptr : &found->value;
    };
    if (ValueView* const there = find()) return there;
    std::vector<Member> members(object.members().begin(), object.members().end());
    members.push_back({builder_.string(key), ValueView()});
    builder_.fill(object, members, Keys::distinct);
    return find();
  }

  ValueBuilder builder_;
  ValueView root_;
  std::unordered_set<const void*> put_;  // the nodes of the files
};

// "01" and "1" are one index.
InputPlace without_zeros(InputPlace place) {
  for (std::string& key : place.keys) {
    if (index_of(key)) key.erase(0, std::min(key.find_first_not_of('0'), key.size() - 1));
  }
  return place;
}

// Neighbours in their order are the same, or one begins with the other, if any two are.
Result<> check_apart(const std::vector<PlacedValue>& placed) {
  std::vector<InputPlace> places;
  places.reserve(placed.size());
  for (const PlacedValue& one : placed) places.push_back(without_zeros(one.place));
  std::ranges::sort(places, {}, &InputPlace::keys);
  for (std::size_t i = 1; i < places.size(); ++i) {
    const std::vector<std::string>& outer = places[i - 1].keys;
    const std::vector<std::string>& inner = places[i].keys;
    if (outer == inner) return wrong_place("two files go to " + places[i].text());
    if (outer.size() < inner.size() &&
        std::ranges::equal(outer, std::span(inner).first(outer.size())))
      return wrong_place("a file goes to " + places[i - 1].text() + ", so none can go to " +
                         places[i].text() + " inside it");
  }
  return {};
}

}  // namespace

std::string InputPlace::text() const {
  if (keys.empty()) return ".";
  std::string out;
  for (const std::string& key : keys) out += (out.empty() ? "" : ".") + escaped(key);
  return out;
}

std::optional<std::size_t> index_of(std::string_view key) {
  if (key.empty()) return std::nullopt;
  if (!std::ranges::all_of(key, [](char c) { return c >= '0' && c <= '9'; })) return std::nullopt;
  std::size_t index = 0;
  const auto read = std::from_chars(key.data(), key.data() + key.size(), index);
  // One that fits nowhere is an index all the same, and too large.
  return read.ec == std::errc() ? index : SIZE_MAX;
}

Result<InputPlace> parse_input_place(std::string_view text) {
  InputPlace place;
  if (text == ".") return place;
  for (;;) {
    std::string key = read_key(text);
    if (key.empty()) {
      return wrong_place(
          "a place is a path such as files.0.content, or . for the whole input; a key is missing");
    }
    if (rich::is_unsafe_key(key))
      return wrong_place("a key '" + key + "' would be lost on the way");
    place.keys.push_back(std::move(key));
    if (text.empty()) return place;
    text.remove_prefix(1);
  }
}

Result<FileAtPlace> parse_file_at_place(std::string_view text) {
  std::size_t equals = 0;
  while (equals < text.size() && text[equals] != '=') {
    equals += text[equals] == '\\' && equals + 1 < text.size() ? 2 : 1;
  }
  if (equals >= text.size()) return wrong_place("'" + std::string(text) + "' is no PLACE=FILE");
  FileAtPlace both;
  both.place = CORDON_TRY(parse_input_place(text.substr(0, equals)));
  both.file = text.substr(equals + 1);
  if (both.file.empty()) return wrong_place("'" + std::string(text) + "' names no file");
  return both;
}

Result<Value> with_values_at(Value&& input, const std::vector<PlacedValue>& placed) {
  CORDON_TRY(check_apart(placed));
  const Value owned = std::move(input);
  PlacedInput result(owned);
  for (const PlacedValue& one : placed) CORDON_TRY(result.put(one.place, one.value));
  return result.finish();
}

}  // namespace cordon::cli
