#include "cordon/config/schema_form.h"

#include <algorithm>
#include <array>
#include <cstdlib>
#include <optional>
#include <string>
#include <string_view>
#include <utility>
#include <vector>

#include "cordon/config/spelling.h"
#include "cordon/schema/schema.h"

namespace cordon::config {
namespace {

const std::array<std::string, 7> type_names = {"array",  "boolean", "integer", "null",
                                               "number", "object",  "string"};

// What other languages call them.
constexpr std::array<std::pair<std::string_view, std::string_view>, 17> foreign_names = {{
    {"bool", "boolean"},
    {"int", "integer"},
    {"long", "integer"},
    {"float", "number"},
    {"double", "number"},
    {"decimal", "number"},
    {"str", "string"},
    {"text", "string"},
    {"date", "string"},
    {"list", "array"},
    {"tuple", "array"},
    {"dict", "object"},
    {"map", "object"},
    {"record", "object"},
    {"nil", "null"},
    {"none", "null"},
    {"undefined", "null"},
}};

std::vector<std::string> tokens_of(std::string_view pointer) {
  std::vector<std::string> tokens;
  while (!pointer.empty()) {
    pointer.remove_prefix(1);
    const std::string_view token = pointer.substr(0, pointer.find('/'));
    pointer.remove_prefix(token.size());
    tokens.push_back(schema::pointer_key(token));
  }
  return tokens;
}

struct Place {
  const Node* node;
  std::string way;  // from the file's root, as people write it
};

// Where a JSON pointer leads to, or the last place on the way that there is.
Place follow(const Node& root, const std::vector<std::string>& tokens, const Reader& reader) {
  Place at{&root, reader.path()};
  for (const std::string& token : tokens) {
    const bool is_list = at.node->kind == Node::Kind::array;
    const std::size_t index = is_list ? std::strtoull(token.c_str(), nullptr, 10) : 0;
    const Node* next = at.node->find(token);
    if (is_list) next = index < at.node->items.size() ? &at.node->items[index] : nullptr;
    if (next == nullptr) break;
    at.node = next;
    if (is_list) {
      append_path(at.way, index);
    } else {
      append_path(at.way, token);
    }
  }
  return at;
}

// Whether a pointer leads to the keyword `type`, or to a word in its list. A property may have that
// name too, so that the way has to be walked: under these keywords the next token is a name or an
// index, and behind it there is a schema again.
bool leads_to_type(const std::vector<std::string>& tokens) {
  constexpr std::array<std::string_view, 10> with_names = {"properties",
                                                           "patternProperties",
                                                           "dependentSchemas",
                                                           "$defs",
                                                           "definitions",
                                                           "allOf",
                                                           "anyOf",
                                                           "oneOf",
                                                           "prefixItems",
                                                           "dependencies"};
  for (std::size_t i = 0; i < tokens.size(); ++i) {
    if (tokens[i] == "type") return true;
    if (std::ranges::find(with_names, tokens[i]) != with_names.end()) ++i;
  }
  return false;
}

bool is_type(const Node& node) {
  return node.kind == Node::Kind::string &&
         std::ranges::find(type_names, node.text) != type_names.end();
}

// The word that is wrong, where it is one: of a list the first.
const Node* wrong_type(const Node& node) {
  if (node.kind == Node::Kind::array) {
    const auto found =
        std::ranges::find_if(node.items, [](const Node& item) { return !is_type(item); });
    return found == node.items.end() ? nullptr : wrong_type(*found);
  }
  return node.kind == Node::Kind::string && !is_type(node) ? &node : nullptr;
}

std::string suggested_type(const std::string& written) {
  std::string text;
  const auto foreign = std::ranges::find(foreign_names, written,
                                         &std::pair<std::string_view, std::string_view>::first);
  if (foreign != foreign_names.end()) {
    text = "did you mean \"" + std::string(foreign->second) + "\"? ";
  } else if (const auto near = nearest(written, type_names)) {
    text = "did you mean \"" + *near + "\"? ";
  } else if (written == "any") {
    text = "leave the type out where any will do. ";
  }
  text += text.empty() ? "the types are " : "The types are ";
  for (const std::string& name : type_names) {
    if (&name != type_names.data()) text += &name == &type_names.back() ? " and " : ", ";
    text += name;
  }
  return text;
}

}  // namespace

Form<Value> json_schema() {
  return {Value::object({{"type", Value::array({"object", "boolean"})}}),
          [](const Node& node, Value& out, Reader& reader) {
            Value value = value_of(node);
            std::string pointer;
            const Result<schema::Schema> compiled = schema::Schema::compile(value, &pointer);
            if (compiled) {
              out = std::move(value);
              return;
            }
            const std::vector<std::string> tokens = tokens_of(pointer);
            const Place place = follow(node, tokens, reader);
            const Node* const type = leads_to_type(tokens) ? wrong_type(*place.node) : nullptr;
            if (type == nullptr) {
              reader.wrong(place.node->offset, "is no JSON Schema: " + compiled.error().message);
              return;
            }
            reader.mistake(type->offset,
                           place.way + ": \"" + type->text + "\" is no type of JSON Schema",
                           suggested_type(type->text));
          }};
}

}  // namespace cordon::config
