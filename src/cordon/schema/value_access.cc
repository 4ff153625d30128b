#include "cordon/schema/value_access.h"

#include <algorithm>
#include <cmath>
#include <span>
#include <string_view>

#include "cordon/base/bytes.h"
#include "cordon/base/date_text.h"
#include "cordon/codec/typed_elements.h"
#include "cordon/value.h"
#include "cordon/value/bodies.h"
#include "cordon/value/key_index.h"

namespace cordon::schema {
namespace {

const ValueView& view_of(const void* node) { return *static_cast<const ValueView*>(node); }

void set_text(cordon_schema_node_t& node, std::string_view text) {
  node.kind = CORDON_SCHEMA_STRING;
  node.size = text.size();
  node.data = text.data();
}

template <class Part>
void set_parts(cordon_schema_node_t& node, cordon_schema_kind_t kind, std::span<const Part> parts) {
  node.kind = kind;
  node.size = parts.size();
  node.data = parts.data();
}

void look(const void* value, cordon_schema_node_t* node) {
  const ValueView view = view_of(value);
  *node = {.kind = CORDON_SCHEMA_NULL,
           .number = 0,
           .size = 0,
           .data = nullptr,
           .value = value,
           .identity = nullptr};
  switch (view.kind()) {
    case Kind::undefined:
    case Kind::symbol:
      node->kind = CORDON_SCHEMA_LEFT_OUT;
      break;
    case Kind::null:
    case Kind::bigint:  // refused before
      break;
    case Kind::boolean:
      node->kind = view.as_bool() ? CORDON_SCHEMA_TRUE : CORDON_SCHEMA_FALSE;
      break;
    case Kind::number:
      if (!std::isfinite(view.as_number())) break;
      node->kind = CORDON_SCHEMA_NUMBER;
      node->number = view.as_number();
      break;
    case Kind::string:
      set_text(*node, view.as_string());
      break;
    case Kind::url:
      set_text(*node, view.url_text());
      break;
    case Kind::date: {
      DateBuffer buffer;
      if (date_to_text(view.date_ms(), buffer).empty()) break;
      node->kind = CORDON_SCHEMA_DATE;
      node->number = view.date_ms();
      break;
    }
    case Kind::array:
      set_parts(*node, CORDON_SCHEMA_ARRAY, view.items());
      node->identity = view.identity();
      break;
    case Kind::object:
      set_parts(*node, CORDON_SCHEMA_OBJECT, view.members());
      node->identity = view.identity();
      break;
    case Kind::error:
      set_parts(*node, CORDON_SCHEMA_OBJECT, view.error_fields());
      node->identity = view.identity();
      break;
    case Kind::buffer:
      set_parts(*node, CORDON_SCHEMA_BUFFER, view.as_bytes());
      break;
    case Kind::typed_array:
      node->kind = CORDON_SCHEMA_INDEXED;
      node->size = view.as_bytes().size() / element_bytes(view.element_type());
      break;
    default:  // an object without members, as its JSON is
      node->kind = CORDON_SCHEMA_OBJECT;
      break;
  }
}

const void* member(const void* object, const std::uint8_t* name, std::size_t length) {
  const ValueView view = view_of(object);
  const std::string_view key = as_text(BytesView(name, length));
  if (view.is_object()) {
    const detail::MembersBody& body = detail::ValueAccess::members(view);
    const std::size_t at = find_key(body, key);
    return at == body.size ? nullptr : &body.members[at].value;
  }
  const std::span<const Member> fields = view.error_fields();
  const auto found = std::ranges::find(fields, key, &Member::key);
  return found == fields.end() ? nullptr : &found->value;
}

double element(const void* indexed, std::size_t index) {
  const ValueView view = view_of(indexed);
  const std::size_t width = element_bytes(view.element_type());
  // Those of BigInts are refused before.
  return number_at(view.element_type(), view.as_bytes().data() + index * width).value_or(0);
}

std::size_t date_text(double date, std::uint8_t* buffer) {
  DateBuffer room;
  const std::string_view text = date_to_text(date, room);
  std::ranges::copy(text, buffer);
  return text.size();
}

}  // namespace

static_assert(sizeof(Member) == 2 * sizeof(ValueView));

const cordon_schema_values_t value_access = {.look = look,
                                             .member = member,
                                             .element = element,
                                             .date_text = date_text,
                                             .node_bytes = sizeof(ValueView)};

}  // namespace cordon::schema
