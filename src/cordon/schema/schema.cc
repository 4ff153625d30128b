#include "cordon/schema/schema.h"

#include <charconv>
#include <cstdint>
#include <pthread.h>
#include <string_view>
#include <utility>

#include <cordon_schema.h>

#include "cordon/base/bytes.h"
#include "cordon/base/thread_time.h"
#include "cordon/codec/json/encode.h"
#include "cordon/schema/json_form.h"
#include "cordon/schema/value_access.h"

namespace cordon::schema {
namespace {

constexpr std::size_t max_mistakes = 5;
constexpr std::size_t max_message_bytes = 300;
constexpr std::size_t max_depth = 1000;
// Compiling a schema recurses, and takes more stack per level than checking.
constexpr std::size_t max_schema_depth = 100;
constexpr std::size_t max_schema_bytes = std::size_t{16} << 20;

struct Found {
  std::string pointer;
  std::string message;
};

std::string_view text_of(const std::uint8_t* bytes, std::size_t length) {
  return as_text(BytesView(bytes, length));
}

// Cuts text to a length that people read, at the end of a character.
std::string cut(std::string_view text) {
  if (text.size() <= max_message_bytes) return std::string(text);
  std::size_t end = max_message_bytes;
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

// Rust's text cannot hold lone surrogates, which our writer escapes. U+FFFD replaces them.
void replace_surrogates(std::string& json) {
  if (!json.contains("\\ud")) return;
  for (std::size_t i = 0; i + 5 < json.size(); ++i) {
    if (json[i] != '\\') continue;
    if (json[i + 1] == 'u' && json[i + 2] == 'd') json.replace(i + 2, 4, "fffd");
    ++i;  // what is escaped is not looked at again: it may be a backslash
  }
}

// A check recurses, and its depth depends on the value and on the schema. So it gets the end of
// this thread's stack, less what one step takes at most.
std::uintptr_t stack_floor() {
  constexpr std::size_t reserve_bytes = std::size_t{256} << 10;
  thread_local const std::uintptr_t floor = [] {
    pthread_attr_t attributes;
    if (pthread_getattr_np(pthread_self(), &attributes) != 0) return std::uintptr_t{0};
    void* lowest = nullptr;
    std::size_t bytes = 0;
    pthread_attr_getstack(&attributes, &lowest, &bytes);
    pthread_attr_destroy(&attributes);
    return reinterpret_cast<std::uintptr_t>(lowest) + reserve_bytes;
  }();
  return floor;
}

// Time counts from the first question on, so that a small check never reads the clock.
struct Clock {
  Duration max_time;
  std::optional<Duration> end = {};
};

bool is_past(void* data) {
  Clock& clock = *static_cast<Clock*>(data);
  const Duration now = thread_time();
  if (!clock.end) clock.end = now + clock.max_time;
  return now >= *clock.end;
}

const std::uint8_t* bytes_of(const std::string& text) {
  return reinterpret_cast<const std::uint8_t*>(text.data());
}

// Where the JSON string at the front of a text ends.
std::size_t end_of_string(std::string_view text) {
  std::size_t end = 1;
  while (end < text.size() && text[end] != '"') end += text[end] == '\\' ? 2 : 1;
  return std::min(end + 1, text.size());
}

// The checker names no values, but it does name what `propertyNames` refuses, as a JSON string: at
// the front or at the end of its message. A property that is missing and a value that was expected
// stand there too, and are the schema's.
std::string without_refused_name(std::string message) {
  const std::string name = "the name of a property";
  if (message.starts_with('"')) {
    const std::size_t end = end_of_string(message);
    const std::string_view rest = std::string_view(message).substr(end);
    const bool is_of_schema = rest == " is a required property" || rest == " was expected";
    return is_of_schema ? message : message.replace(0, end, name);
  }
  const std::string_view before = "} is not allowed for \"";
  const std::size_t at = message.find(before);
  if (at != std::string::npos && message.ends_with('"'))
    message.replace(at + before.size() - 1, std::string::npos, name);
  return message;
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
  std::string text = CORDON_TRY(
      json::encode(schema, {.max_bytes = max_schema_bytes, .max_depth = max_schema_depth}));
  replace_surrogates(text);
  std::vector<Found> found;
  std::shared_ptr<const cordon_schema> raw(
      cordon_schema_new(bytes_of(text), text.size(), collect, &found),
      [](const cordon_schema* old) { cordon_schema_delete(const_cast<cordon_schema*>(old)); });
  if (raw != nullptr) return Schema(std::move(raw));
  const Found first = found.empty() ? Found{"", "is no schema"} : found.front();
  if (pointer != nullptr) *pointer = first.pointer;
  const std::string place = place_of(first.pointer, schema);
  return fail(ErrorCode::invalid_argument,
              place.empty() ? first.message : "at " + place + ": " + first.message);
}

std::optional<std::vector<SchemaMistake>> Schema::try_check(const ValueView& value,
                                                            const CheckOptions& options) const {
  // No schema can describe what JSON cannot express, a bigint or a cycle.
  if (const Result<> form = check_json_form(value, max_depth); !form)
    return std::vector<SchemaMistake>{{"", form.error().message}};
  Clock clock = {.max_time = options.max_time};
  const cordon_schema_limits_t limits = {.steps = options.max_steps,
                                         .stack_floor = stack_floor(),
                                         .is_over = is_past,
                                         .is_over_data = &clock};
  std::vector<Found> found;
  switch (cordon_schema_check(raw_.get(), &value_access, &value, &limits, max_mistakes, collect,
                              &found)) {
    case CORDON_SCHEMA_RIGHT:
      return std::vector<SchemaMistake>();
    case CORDON_SCHEMA_GAVE_UP:
      return std::nullopt;
    case CORDON_SCHEMA_WRONG:
      break;
  }
  if (found.empty()) found.push_back({"", "the value is not as its schema wants it"});
  std::vector<SchemaMistake> mistakes;
  for (Found& one : found) {
    mistakes.push_back(
        {place_of(one.pointer, value), without_refused_name(std::move(one.message))});
  }
  return mistakes;
}

std::vector<SchemaMistake> Schema::check(const ValueView& value,
                                         const CheckOptions& options) const {
  auto mistakes = try_check(value, options);
  if (mistakes) return *std::move(mistakes);
  return {{"", "takes too much to check"}};
}

bool Schema::backtracks() const { return cordon_schema_backtracks(raw_.get()); }

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
