#include "cordon/types/schema_document.h"

#include <algorithm>
#include <array>
#include <charconv>
#include <vector>

namespace cordon::types {
namespace {

constexpr auto with_one = std::to_array<std::string_view>(
    {"items", "additionalItems", "additionalProperties", "unevaluatedItems",
     "unevaluatedProperties", "contains", "propertyNames", "not", "if", "then", "else",
     "contentSchema"});
constexpr auto with_list =
    std::to_array<std::string_view>({"allOf", "anyOf", "oneOf", "prefixItems", "items"});
constexpr auto with_names =
    std::to_array<std::string_view>({"properties", "patternProperties", "$defs", "definitions",
                                     "dependentSchemas", "dependencies"});

bool is_any_of(std::string_view word, const auto& words) {
  return std::ranges::find(words, word) != words.end();
}

// Those that are named in a schema's keywords.
void append_parts(ValueView schema, std::vector<ValueView>& parts) {
  for (const auto [key, value] : schema.members()) {
    if (value.is_object() && is_any_of(key, with_one)) parts.push_back(value);
    if (value.is_array() && is_any_of(key, with_list))
      parts.insert(parts.end(), value.items().begin(), value.items().end());
    if (value.is_object() && is_any_of(key, with_names))
      for (const auto [name, part] : value.members()) parts.push_back(part);
  }
}

int hex_digit(char c) {
  if (c >= '0' && c <= '9') return c - '0';
  const char lower = static_cast<char>(c | 0x20);
  return lower >= 'a' && lower <= 'f' ? lower - 'a' + 10 : -1;
}

std::string percent_decoded(std::string_view text) {
  std::string out;
  for (std::size_t i = 0; i < text.size(); ++i) {
    const bool has_two = text[i] == '%' && i + 2 < text.size();
    const int high = has_two ? hex_digit(text[i + 1]) : -1;
    const int low = has_two ? hex_digit(text[i + 2]) : -1;
    if (high < 0 || low < 0) {
      out += text[i];
      continue;
    }
    out += static_cast<char>(high << 4 | low);
    i += 2;
  }
  return out;
}

// The key that a token of a JSON pointer means.
std::string key_of(std::string_view token) {
  std::string key;
  for (std::size_t i = 0; i < token.size(); ++i) {
    const bool is_escape = token[i] == '~' && i + 1 < token.size();
    key += !is_escape ? token[i] : token[++i] == '1' ? '/' : '~';
  }
  return key;
}

ValueView step(ValueView at, const std::string& key) {
  if (!at.is_array()) return at.find(key);
  std::size_t index = 0;
  const char* const end = key.data() + key.size();
  const auto parsed = std::from_chars(key.data(), end, index);
  return parsed.ec == std::errc() && parsed.ptr == end ? at.at(index) : ValueView();
}

bool is_resource(ValueView schema) {
  const ValueView id = schema.find("$id");
  return id.is_string() && !id.as_string().starts_with('#');
}

// Without an empty fragment at its end, which means nothing.
std::string_view without_empty_fragment(std::string_view id) {
  if (id.ends_with('#')) id.remove_suffix(1);
  return id;
}

}  // namespace

SchemaDocument::SchemaDocument(ValueView root) : root_(root) {
  const std::string_view draft = root.find("$schema").as_string();
  for (const char* old : {"draft-04", "draft-06", "draft-07"})
    ref_hides_siblings_ = ref_hides_siblings_ || draft.contains(old);
  index();
}

Place SchemaDocument::enter(const Place& from, ValueView schema) {
  return {schema, is_resource(schema) ? schema : from.resource};
}

void SchemaDocument::index() {
  std::vector<Place> open = {root()};
  std::vector<ValueView> parts;
  while (!open.empty()) {
    const Place place = open.back();
    open.pop_back();
    if (!place.schema.is_object()) continue;
    index_names(place);
    parts.clear();
    append_parts(place.schema, parts);
    for (const ValueView part : parts) open.push_back(enter(place, part));
  }
}

void SchemaDocument::index_names(const Place& place) {
  const std::string_view id = place.schema.find("$id").as_string();
  if (is_resource(place.schema)) resources_.emplace(without_empty_fragment(id), place);
  const auto add = [&](std::string_view name) {
    if (!name.empty()) anchors_.emplace(std::pair(place.resource.identity(), name), place);
  };
  if (id.starts_with('#')) add(id.substr(1));
  add(place.schema.find("$anchor").as_string());
  add(place.schema.find("$dynamicAnchor").as_string());
}

std::optional<Target> SchemaDocument::resolve(const Place& at, std::string_view reference) const {
  const std::size_t hash = reference.find('#');
  const std::string_view resource = reference.substr(0, hash);
  Place place{at.resource, at.resource};
  if (!resource.empty()) {
    const auto found = resources_.find(resource);
    if (found == resources_.end()) return std::nullopt;
    place = found->second;
  }
  if (hash == std::string_view::npos || hash + 1 == reference.size()) return Target{place, {}};
  const std::string fragment = percent_decoded(reference.substr(hash + 1));
  if (!fragment.starts_with('/')) {
    const auto found = anchors_.find({place.resource.identity(), fragment});
    if (found == anchors_.end()) return std::nullopt;
    return Target{found->second, fragment};
  }
  std::string key;
  for (std::size_t start = 1; start <= fragment.size();) {
    const std::size_t end = std::min(fragment.find('/', start), fragment.size());
    key = key_of(std::string_view(fragment).substr(start, end - start));
    place = enter(place, step(place.schema, key));
    start = end + 1;
  }
  if (place.schema.is_undefined()) return std::nullopt;
  return Target{place, std::move(key)};
}

}  // namespace cordon::types
