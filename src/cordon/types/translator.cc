#include "cordon/types/translator.h"

#include <algorithm>
#include <array>
#include <cmath>
#include <set>
#include <utility>

#include "cordon/types/text.h"

namespace cordon::types {
namespace {

constexpr std::size_t max_depth = 100;
constexpr std::size_t max_steps = 50'000;
constexpr std::size_t max_literals = 10'000;
constexpr std::size_t max_tuple = 200;
constexpr std::size_t max_line = 72;
constexpr std::size_t max_index_type = 200;
constexpr double max_weight = 1e6;

struct KindName {
  std::string_view schema;
  Kinds kind;
};
constexpr std::array<KindName, 7> kind_names = {{{"object", kind_object},
                                                 {"array", kind_array},
                                                 {"string", kind_string},
                                                 {"number", kind_number},
                                                 {"integer", kind_number},
                                                 {"boolean", kind_boolean},
                                                 {"null", kind_null}}};

Kinds kind_of(std::string_view name) {
  const auto* const found = std::ranges::find(kind_names, name, &KindName::schema);
  return found == kind_names.end() ? Kinds{0} : found->kind;
}

Kinds kind_of(ValueView value) {
  switch (value.kind()) {
    case Kind::string:
      return kind_string;
    case Kind::number:
      return kind_number;
    case Kind::boolean:
      return kind_boolean;
    case Kind::array:
      return kind_array;
    case Kind::object:
      return kind_object;
    default:
      return kind_null;
  }
}

// What a schema's `type` says, in its order. Empty without one, and where it names no type.
std::vector<Kinds> written_kinds(ValueView schema) {
  const ValueView type = schema.find("type");
  std::vector<Kinds> kinds;
  const auto add = [&](ValueView name) {
    const Kinds kind = kind_of(name.as_string());
    if (kind != 0 && std::ranges::find(kinds, kind) == kinds.end()) kinds.push_back(kind);
  };
  if (type.is_string()) add(type);
  for (const ValueView item : type.items()) add(item);
  return kinds;
}

bool has_any(ValueView schema, std::initializer_list<std::string_view> keys) {
  return std::ranges::any_of(keys, [&](std::string_view key) { return schema.contains(key); });
}

// The kinds of which a schema says more than that they are.
Kinds described_kinds(ValueView schema) {
  Kinds kinds = 0;
  if (has_any(schema, {"properties", "required", "additionalProperties", "patternProperties"}))
    kinds |= kind_object;
  if (has_any(schema, {"items", "prefixItems"})) kinds |= kind_array;
  return kinds;
}

Type bare(Kinds kind) {
  switch (kind) {
    case kind_object:
      return Type::of("{ [key: string]: unknown }", kind_object);
    case kind_array:
      return Type::of("unknown[]", kind_array);
    case kind_string:
      return Type::of("string", kind_string);
    case kind_number:
      return Type::of("number", kind_number);
    case kind_boolean:
      return Type::of("boolean", kind_boolean, 2);
    default:
      return Type::of("null", kind_null);
  }
}

// TypeScript takes these for members of any object. So an object without such an optional property
// has one to it, of another type.
bool is_on_every_object(std::string_view key) {
  constexpr auto names =
      std::to_array<std::string_view>({"constructor", "toString", "toLocaleString", "valueOf",
                                       "hasOwnProperty", "isPrototypeOf", "propertyIsEnumerable"});
  return std::ranges::find(names, key) != names.end();
}

bool is_schema(ValueView schema) { return schema.is_object() || schema.is_bool(); }

}  // namespace

Translator::Translator(const SchemaDocument& document, AliasNames& names, std::string name)
    : document_(document), names_(names), root_name_(std::move(name)) {}

std::string Translator::type(std::size_t level) {
  level_ = level;
  const Spot top{level, 0, false};
  const Place root = document_.root();
  if (!root.schema.is_object()) return translate(root, all_kinds, top).text();
  Alias& whole =
      known_.try_emplace(root.schema.identity(), Alias{root, root_name_, {}}).first->second;
  whole.is_begun = true;
  whole.text = translate(root, all_kinds, top).text();
  whole.is_done = true;
  while (!queue_.empty()) {
    Alias& next = *queue_.front();
    queue_.pop_front();
    if (!next.is_begun) finish(next, top);
  }
  if (whole.name.empty()) return whole.text;
  aliases_.push_back("type " + whole.name + " = " + whole.text + ";");
  return whole.name;
}

bool Translator::spend(std::size_t depth) { return depth <= max_depth && ++steps_ <= max_steps; }

Type Translator::translate(const Place& place, Kinds kinds, const Spot& spot) {
  const ValueView schema = place.schema;
  if (schema.is_bool()) return schema.as_bool() ? Type::unknown() : Type::never();
  if (!schema.is_object() || !spend(spot.depth)) return Type::unknown();
  const ValueView ref = schema.find("$ref");
  std::vector<Type> parts;
  if (ref.is_string()) parts.push_back(reference(place, ref.as_string(), spot));
  if (ref.is_string() && document_.ref_hides_siblings()) return std::move(parts.front());

  const std::vector<Kinds> written = written_kinds(schema);
  if (!written.empty()) {
    Kinds own = 0;
    for (const Kinds kind : written) own |= kind;
    kinds &= own;
  }
  const bool has_values = schema.contains("const") || schema.find("enum").is_array();
  const bool says_kinds = !written.empty() || (described_kinds(schema) & kinds) != 0;
  Type own = has_values   ? by_values(schema, kinds)
             : says_kinds ? by_type(place, kinds, spot)
                          : Type::unknown();
  const bool is_bare = !has_values && (described_kinds(schema) & kinds) == 0;

  bool is_said_again = false;
  const auto add = [&](Type part) {
    is_said_again = is_said_again || (!part.is_unknown() && (part.kinds() & ~kinds) == 0);
    parts.push_back(std::move(part));
  };
  for (const ValueView all : schema.find("allOf").items())
    add(translate(SchemaDocument::enter(place, all), kinds, spot.deeper()));
  for (const char* either : {"anyOf", "oneOf"}) {
    const ValueView list = schema.find(either);
    if (list.is_array()) add(union_of(place, list, kinds, spot));
  }
  // `type: "object"` beside what says more of objects.
  if (!is_bare || !is_said_again) parts.insert(parts.begin(), std::move(own));
  return Type::intersection(std::move(parts));
}

Type Translator::by_type(const Place& place, Kinds kinds, const Spot& spot) {
  std::vector<Kinds> order = written_kinds(place.schema);
  if (order.empty()) {
    for (const KindName& known : kind_names)
      if (known.schema != "integer") order.push_back(known.kind);
  }
  const Kinds described = described_kinds(place.schema);
  Type all = Type::never();
  for (const Kinds kind : order) {
    if ((kind & kinds) == 0) continue;
    if ((kind & described) == 0) {
      all.unite(bare(kind));
    } else {
      all.unite(kind == kind_object ? object(place, spot) : array(place, spot));
    }
  }
  return all;
}

Type Translator::by_values(ValueView schema, Kinds kinds) {
  const ValueView list = schema.find("enum");
  const ValueView constant = schema.find("const");
  Type all = Type::never();
  if (schema.contains("const"))
    return (kind_of(constant) & kinds) != 0 ? literal(constant, 0) : Type::never();
  if (list.size() > max_literals) {
    Kinds found = 0;
    for (const ValueView item : list.items())
      found = static_cast<Kinds>(found | (kind_of(item) & kinds));
    for (const KindName& known : kind_names)
      if ((known.kind & found) != 0 && known.schema != "integer") all.unite(bare(known.kind));
    return all;
  }
  for (const ValueView item : list.items())
    if ((kind_of(item) & kinds) != 0) all.unite(literal(item, 0));
  return all;
}

Type Translator::union_of(const Place& place, ValueView list, Kinds kinds, const Spot& spot) {
  Type all = Type::never();
  for (const ValueView item : list.items())
    all.unite(translate(SchemaDocument::enter(place, item), kinds, spot.deeper()));
  return all;
}

Type Translator::reference(const Place& place, std::string_view reference, const Spot& spot) {
  const std::optional<Target> target = document_.resolve(place, reference);
  if (!target || !is_schema(target->place.schema)) return Type::unknown();
  const Place& to = target->place;
  if (!to.schema.is_object() || to.schema.empty()) return translate(to, all_kinds, spot.deeper());
  Alias& alias =
      known_.try_emplace(to.schema.identity(), Alias{to, target->name, {}}).first->second;
  // Those that are begun and not done are the aliases around this spot, each without a guard.
  if (alias.is_begun && !alias.is_done && !spot.is_guarded) return Type::unknown();
  if (alias.name.empty()) {
    alias.name = names_.take(alias.like.empty() ? root_name_ : alias.like);
    if (!alias.is_begun) queue_.push_back(&alias);
  }
  if (!alias.is_begun && !spot.is_guarded) finish(alias, spot.deeper());
  return Type::of(alias.name, all_kinds, weight_of(to, 0));
}

void Translator::finish(Alias& alias, const Spot& spot) {
  alias.is_begun = true;
  alias.text = translate(alias.place, all_kinds, {level_, spot.depth, false}).text();
  alias.is_done = true;
  aliases_.push_back("type " + alias.name + " = " + alias.text + ";");
}

Type Translator::object(const Place& place, const Spot& spot) {
  const ValueView schema = place.schema;
  const Spot inside = spot.in_object();
  std::set<std::string_view> required;
  for (const ValueView key : schema.find("required").items())
    if (key.is_string()) required.insert(key.as_string());

  std::vector<std::string> lines;
  std::vector<std::string> types;  // of all properties
  bool is_short = true;
  const auto add = [&](std::string_view key, bool is_optional, const Type& type,
                       std::string_view about) {
    const std::string text = type.text();
    const std::string doc = doc_comment(about, inside.level);
    is_short = is_short && doc.empty() && !text.contains('\n');
    lines.push_back(doc + indentation(inside.level) + property_key(key) +
                    (is_optional ? "?: " : ": ") + text);
    types.push_back(text);
    if (is_optional) types.emplace_back("undefined");
  };
  const ValueView properties = schema.find("properties");
  for (const auto [key, property] : properties.members()) {
    const bool is_optional = required.erase(key) == 0;
    const Type type = is_optional && is_on_every_object(key)
                          ? Type::unknown()
                          : translate(SchemaDocument::enter(place, property), all_kinds, inside);
    add(key, is_optional, type, property.find("description").as_string());
  }
  const ValueView additional = schema.find("additionalProperties");
  const ValueView patterns = schema.find("patternProperties");
  const bool is_closed = additional.is_bool() && !additional.as_bool() && patterns.empty();
  for (const ValueView key : schema.find("required").items()) {
    if (!key.is_string() || required.erase(key.as_string()) == 0) continue;
    const bool is_known = patterns.empty() && is_schema(additional);
    const Type type = is_known
                          ? translate(SchemaDocument::enter(place, additional), all_kinds, inside)
                          : Type::unknown();
    add(key.as_string(), false, type, {});
  }
  if (!is_closed || lines.empty()) {
    const std::string rest = is_closed ? "never" : index_type(place, inside, types).text();
    is_short = is_short && !rest.contains('\n');
    lines.push_back(indentation(inside.level) + "[key: string]: " + rest);
  }

  std::string flat = "{ ";
  for (const std::string& line : lines) {
    if (!is_short || flat.size() > max_line) break;
    if (flat.size() > 2) flat += "; ";
    flat += line.substr(line.find_first_not_of(' '));
  }
  if (is_short && flat.size() + 2 <= max_line) return Type::of(flat + " }", kind_object);
  std::string text = "{\n";
  for (const std::string& line : lines) text += line + ";\n";
  return Type::of(text + indentation(spot.level) + "}", kind_object);
}

// The type of the properties without a name. It has to allow for the named ones beside it, which
// have these types.
Type Translator::index_type(const Place& place, const Spot& spot,
                            std::span<const std::string> named) {
  const ValueView additional = place.schema.find("additionalProperties");
  const ValueView patterns = place.schema.find("patternProperties");
  if (!additional.is_object() && (!additional.is_bool() || additional.as_bool()))
    return Type::unknown();
  Type all = Type::never();
  for (const auto [pattern, schema] : patterns.members())
    all.unite(translate(SchemaDocument::enter(place, schema), all_kinds, spot));
  all.unite(translate(SchemaDocument::enter(place, additional), all_kinds, spot));
  std::size_t bytes = 0;
  for (const std::string& one : named) {
    // Long texts would be repeated here, and again in each object around this one.
    bytes += one.size();
    if (one == "unknown" || one.contains('\n') || bytes > max_index_type) return Type::unknown();
    if (one != "never") all.unite(Type::of(one, all_kinds));
  }
  return all;
}

Type Translator::array(const Place& place, const Spot& spot) {
  const ValueView schema = place.schema;
  const auto type_of = [&](ValueView part, const Spot& at) {
    return translate(SchemaDocument::enter(place, part), all_kinds, at);
  };
  const ValueView items = schema.find("items");
  const bool is_old_tuple = items.is_array();
  const ValueView prefix = is_old_tuple ? items : schema.find("prefixItems");
  const ValueView rest = is_old_tuple ? schema.find("additionalItems") : items;
  const double least = schema.find("minItems").as_number();
  const Type rest_type = !is_schema(rest) ? Type::unknown()
                         : prefix.empty() ? type_of(rest, spot.in_array())
                                          : type_of(rest, spot.in_loose_element());
  if (prefix.size() > max_tuple) return bare(kind_array);
  if (prefix.empty())
    return Type::of(rest_type.is_never() ? "[]" : rest_type.as_array(), kind_array);

  std::string text = "[";
  for (std::size_t i = 0; i < prefix.size(); ++i) {
    const bool is_needed = static_cast<double>(i) < least;
    const Type type =
        type_of(prefix.items()[i], is_needed ? spot.in_array() : spot.in_loose_element());
    if (i > 0) text += ", ";
    text += is_needed ? type.text() : type.as_part() + "?";
  }
  if (!rest_type.is_never()) text += ", ..." + rest_type.as_array();
  return Type::of(text + "]", kind_array);
}

Type Translator::literal(ValueView value, std::size_t depth) {
  if (!spend(depth)) return Type::unknown();
  switch (value.kind()) {
    case Kind::string:
      return Type::of(quoted(value.as_string()), kind_string);
    case Kind::number:
      return Type::of(number_literal(value.as_number()), kind_number);
    case Kind::boolean:
      return Type::of(value.as_bool() ? "true" : "false", kind_boolean);
    case Kind::array: {
      std::string text = "[";
      for (const ValueView item : value.items())
        text += (text.size() > 1 ? ", " : "") + literal(item, depth + 1).text();
      return Type::of(text + "]", kind_array);
    }
    case Kind::object: {
      if (value.empty()) return Type::of("{ [key: string]: never }", kind_object);
      std::string text = "{ ";
      for (const auto [key, member] : value.members())
        text += (text.size() > 2 ? "; " : "") + property_key(key) + ": " +
                literal(member, depth + 1).text();
      return Type::of(text + " }", kind_object);
    }
    default:
      return Type::of("null", kind_null);
  }
}

double Translator::weight_of(const Place& place, std::size_t depth) {
  const void* const identity = place.schema.identity();
  if (identity == nullptr || depth > max_depth) return 1;
  const auto [known, is_new] = weights_.try_emplace(identity, 1.0);
  if (!is_new) return known->second;
  const double weight = std::min(reckon_weight(place, depth + 1), max_weight);
  weights_[identity] = weight;
  return weight;
}

double Translator::reckon_weight(const Place& place, std::size_t depth) {
  const ValueView schema = place.schema;
  double weight = std::max<double>(1, static_cast<double>(schema.find("type").items().size()));
  weight = std::max(weight, static_cast<double>(schema.find("enum").items().size()));
  const ValueView ref = schema.find("$ref");
  if (ref.is_string()) {
    const std::optional<Target> target = document_.resolve(place, ref.as_string());
    if (target) weight *= weight_of(target->place, depth);
  }
  for (const ValueView all : schema.find("allOf").items())
    weight = std::min(max_weight, weight * weight_of(SchemaDocument::enter(place, all), depth));
  for (const char* either : {"anyOf", "oneOf"}) {
    double sum = 0;
    for (const ValueView one : schema.find(either).items())
      sum += weight_of(SchemaDocument::enter(place, one), depth);
    weight *= std::max(sum, 1.0);
  }
  return weight;
}

}  // namespace cordon::types
