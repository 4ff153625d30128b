#include "cordon/schema/schema.h"

#include <charconv>
#include <string_view>
#include <utility>

#include <cordon_schema.h>

#include "cordon/base/bytes.h"
#include "cordon/codec/json/encode.h"

namespace cordon::schema {
namespace {

constexpr std::size_t most_mistakes = 5;
constexpr std::size_t most_message_bytes = 300;
constexpr std::size_t most_depth = 1000;
// Compiling walks a schema by recursion, with more stack a level than checking takes.
constexpr std::size_t most_schema_depth = 100;

struct Found {
  std::string pointer;
  std::string message;
};

std::string_view text_of(const std::uint8_t* bytes, std::size_t length) {
  return as_text(BytesView(bytes, length));
}

// No more of it than a person reads. What is left ends with a whole character.
std::string cut(std::string_view text) {
  if (text.size() <= most_message_bytes) return std::string(text);
  std::size_t end = most_message_bytes;
  while (end > 0 && (static_cast<unsigned char>(text[end]) & 0xc0) == 0x80) --end;
  return std::string(text.substr(0, end)) + "…";
}

void collect(void* data, const std::uint8_t* place, std::size_t place_length,
             const std::uint8_t* message, std::size_t message_length) {
  auto& all = *static_cast<std::vector<Found>*>(data);
  all.push_back({std::string(text_of(place, place_length)), cut(text_of(message, message_length))});
}

// A JSON pointer as people write it. Whether a number is an index or a key only the value knows.
std::string place_of(std::string_view pointer, ValueView at) {
  std::string place;
  while (!pointer.empty()) {
    pointer.remove_prefix(1);
    const std::string_view token = pointer.substr(0, pointer.find('/'));
    pointer.remove_prefix(token.size());
    std::size_t index = 0;
    if (at.is_array() &&
        std::from_chars(token.data(), token.data() + token.size(), index).ec == std::errc()) {
      append_path(place, index);
      at = at.at(index);
    } else {
      const std::string key = pointer_key(token);
      append_path(place, key);
      at = at.find(key);
    }
  }
  return cut(place);
}

// Rust's text has no lone surrogates, which our writer escapes; U+FFFD stands for them.
void replace_surrogates(std::string& json) {
  if (!json.contains("\\ud")) return;
  for (std::size_t i = 0; i + 5 < json.size(); ++i) {
    if (json[i] != '\\') continue;
    if (json[i + 1] == 'u' && json[i + 2] == 'd') json.replace(i + 2, 4, "fffd");
    ++i;  // what is escaped is not looked at again: it may be a backslash
  }
}

const std::uint8_t* bytes_of(const std::string& text) {
  return reinterpret_cast<const std::uint8_t*>(text.data());
}

}  // namespace

std::string pointer_key(std::string_view token) {
  std::string key;
  for (std::size_t i = 0; i < token.size(); ++i) {
    if (token[i] == '~' && i + 1 < token.size()) {
      key += token[++i] == '1' ? '/' : '~';
    } else {
      key += token[i];
    }
  }
  return key;
}

Result<Schema> Schema::compile(const ValueView& schema, std::string* pointer) {
  std::string text = CORDON_TRY(json::encode(schema, {.max_depth = most_schema_depth}));
  replace_surrogates(text);
  std::vector<Found> found;
  std::shared_ptr<const cordon_schema> raw(
      cordon_schema_new(bytes_of(text), text.size(), collect, &found),
      [](const cordon_schema* old) { cordon_schema_delete(const_cast<cordon_schema*>(old)); });
  if (raw != nullptr) return Schema(std::move(raw));
  const Found first = found.empty() ? Found{"", "is no schema"} : found.front();
  if (pointer != nullptr) *pointer = first.pointer;
  const std::string place = place_of(first.pointer, schema);
  return fail(Errc::invalid_argument,
              place.empty() ? first.message : "at " + place + ": " + first.message);
}

std::vector<SchemaMistake> Schema::check(const ValueView& value) const {
  std::string text = "null";
  if (!value.is_undefined()) {
    Result<std::string> written = json::encode(value, {.max_depth = most_depth});
    // What JSON has no words for, a bigint or a cycle, no schema can ask for.
    if (!written) return {{"", written.error().detail}};
    text = *std::move(written);
    replace_surrogates(text);
  }
  std::vector<Found> found;
  if (cordon_schema_check(raw_.get(), bytes_of(text), text.size(), most_mistakes, collect,
                          &found)) {
    return {};
  }
  if (found.empty()) found.push_back({"", "the value is not as its schema wants it"});
  std::vector<SchemaMistake> mistakes;
  for (Found& one : found) {
    mistakes.push_back({place_of(one.pointer, value), std::move(one.message)});
  }
  return mistakes;
}

std::string to_text(const std::vector<SchemaMistake>& mistakes) {
  std::string text;
  for (const SchemaMistake& one : mistakes) {
    if (!text.empty()) text += "; ";
    if (!one.place.empty()) text += one.place + ": ";
    text += one.message;
  }
  return text;
}

}  // namespace cordon::schema
