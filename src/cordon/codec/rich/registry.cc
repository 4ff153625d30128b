#include "cordon/codec/rich/registry.h"

#include <algorithm>
#include <utility>

namespace cordon::rich {

Registry::Registry(const Options& options, const RegExpOracle& regexps)
    : regexps_(&regexps), allowed_(options.allowed_types) {
  if (allowed_) std::ranges::sort(*allowed_);
  add_built_in("Date", TypeKind::date);
  add_built_in("RegExp", TypeKind::regexp);
  add_built_in("Map", TypeKind::map);
  add_built_in("Set", TypeKind::set);
  add_built_in("Undefined", TypeKind::undefined);
  add_built_in("NonFiniteNumber", TypeKind::non_finite_number);
  add_built_in("BigInt", TypeKind::bigint);
  add_built_in("Symbol", TypeKind::symbol);
  add_built_in("Error", TypeKind::error);
  add_built_in("URL", TypeKind::url);
  add_built_in("URLSearchParams", TypeKind::url_search_params);
  add_built_in("ArrayBuffer", TypeKind::array_buffer);
  add_built_in("DataView", TypeKind::data_view);
  add_built_in("Buffer", TypeKind::buffer);
  for (auto element = std::to_underlying(ElementType::int8);
       element <= std::to_underlying(ElementType::biguint64); ++element) {
    const auto type = static_cast<ElementType>(element);
    add_built_in(name_of(type), TypeKind::typed_array, type);
  }
}

bool Registry::is_allowed(std::string_view id) const {
  return !allowed_ || std::ranges::binary_search(*allowed_, id);
}

void Registry::add_built_in(std::string_view id, TypeKind kind, ElementType element) {
  types_.push_back({std::string(id), kind, element, is_allowed(id), {}});
  enter(types_.back());
}

void Registry::enter(const Type& type) {
  if (type.id.size() <= max_listed) {
    by_size_[type.id.size()].push_back(&type);
  } else {
    longer_.emplace(type.id, &type);
  }
}

const Type* Registry::known(std::string_view id) const {
  if (id.size() <= max_listed) {
    for (const Type* const type : by_size_[id.size()]) {
      if (type->id == id) return type;
    }
    return nullptr;
  }
  const auto found = longer_.find(id);
  return found == longer_.end() ? nullptr : found->second;
}

Result<> Registry::add(TypeDefinition definition) {
  if (definition.id.empty()) {
    return fail(ErrorCode::invalid_argument, "Invalid type definition: id is required");
  }
  if (!definition.is) {
    return fail(ErrorCode::invalid_argument, "Invalid type definition: is is required");
  }
  if (!definition.serialize || !definition.deserialize) {
    return fail(ErrorCode::invalid_argument,
                "Invalid type definition: serialize and deserialize are required");
  }
  if (known(definition.id) != nullptr) {
    return fail(ErrorCode::already_exists, "Type with id \"" + definition.id + "\" already exists");
  }
  std::string id = definition.id;
  const bool allowed = is_allowed(id);
  types_.push_back({std::move(id), TypeKind::custom, {}, allowed, std::move(definition)});
  enter(types_.back());
  custom_.push_back(&types_.back());
  return {};
}

const Type* Registry::find(std::string_view id) const {
  const Type* const type = known(id);
  return type != nullptr && type->allowed ? type : nullptr;
}

Result<const Type*> Registry::find_or_explain(std::string_view id) const {
  if (!is_allowed(id)) {
    return fail(ErrorCode::unsupported,
                std::string("Type \"").append(id).append("\" is not allowed"));
  }
  const Type* const type = known(id);
  if (type == nullptr) {
    return fail(ErrorCode::unsupported, std::string("Unknown type: ").append(id));
  }
  return type;
}

std::string_view id_of_bytes(ValueView bytes) {
  switch (bytes.kind()) {
    case Kind::array_buffer:
      return "ArrayBuffer";
    case Kind::data_view:
      return "DataView";
    case Kind::buffer:
      return "Buffer";
    default:
      return name_of(bytes.element_type());
  }
}

}  // namespace cordon::rich
