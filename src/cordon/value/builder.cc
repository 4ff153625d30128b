#include "cordon/builder.h"

#include <stdexcept>
#include <string>
#include <vector>

#include "cordon/base/utf8.h"
#include "cordon/value/value_builder.h"

namespace cordon {
namespace {

// A caller's text may be anything, but the text in a Value is well formed.
template <class Use>
ValueView with_text(std::string_view text, Use use) {
  return is_wtf8(text) ? use(text) : use(to_wtf8_lossy(text));
}

std::vector<Member> members_of(ValueBuilder& builder, std::span<const Builder::Field> fields) {
  std::vector<Member> members;
  members.reserve(fields.size());
  for (const auto& [key, value] : fields) {
    members.push_back(
        {with_text(key, [&](std::string_view text) { return builder.string(text); }), value});
  }
  return members;
}

Result<> check(bool right, ValueView opened) {
  if (right) return {};
  return fail(
      ErrorCode::type_mismatch,
      std::string("cannot be the content of a node of kind ").append(name_of(opened.kind())));
}

}  // namespace

Builder::Builder() : own_(std::make_unique<ValueBuilder>()), builder_(own_.get()) {}
Builder::Builder(ValueBuilder& borrowed) : builder_(&borrowed) {}
Builder::~Builder() = default;

ValueView Builder::string(std::string_view text) {
  return with_text(text, [&](std::string_view good) { return builder_->string(good); });
}

Result<ValueView> Builder::bigint(std::string_view decimal) { return builder_->bigint(decimal); }

ValueView Builder::symbol(SymbolKind kind, std::string_view key) {
  return with_text(key, [&](std::string_view good) { return builder_->symbol(kind, good); });
}

ValueView Builder::date(double ms_since_epoch) { return ValueBuilder::date(ms_since_epoch); }

ValueView Builder::regexp(std::string_view source, std::string_view flags) {
  return with_text(source, [&](std::string_view good) {
    return builder_->regexp(good, is_wtf8(flags) ? flags : std::string_view());
  });
}

ValueView Builder::url(std::string_view href) {
  return with_text(href, [&](std::string_view good) { return builder_->url(good); });
}

ValueView Builder::url_search_params(std::string_view text) {
  return with_text(text, [&](std::string_view good) { return builder_->url_search_params(good); });
}

ValueView Builder::bytes(BytesView content, Kind kind) {
  if (kind != Kind::array_buffer && kind != Kind::data_view && kind != Kind::buffer) {
    throw std::invalid_argument("not a kind of bytes");
  }
  return builder_->bytes(kind, content);
}

ValueView Builder::typed_array(ElementType type, BytesView content) {
  if (content.size() % element_bytes(type) != 0) {
    throw std::invalid_argument("not a whole number of elements");
  }
  return builder_->typed_array(type, content);
}

ValueView Builder::hole() { return ValueBuilder::hole(); }

ValueView Builder::array(std::span<const ValueView> items) { return builder_->array(items); }
ValueView Builder::set(std::span<const ValueView> items) { return builder_->set(items); }

ValueView Builder::object(std::span<const Field> fields) {
  return builder_->object(members_of(*builder_, fields));
}

ValueView Builder::map(std::span<const Entry> entries) { return builder_->map(entries); }

ValueView Builder::error(std::string_view name, std::string_view message,
                         std::initializer_list<Field> fields, ValueView stack, ValueView cause) {
  const std::vector<Member> members = members_of(*builder_, span_of(fields));
  return builder_->error({.name = string(name),
                          .message = string(message),
                          .stack = stack.is_string() ? stack : ValueView(),
                          .cause = cause,
                          .fields = members});
}

ValueView Builder::open(Kind kind) {
  if (kind != Kind::array && kind != Kind::set && kind != Kind::object && kind != Kind::map) {
    throw std::invalid_argument("not a kind that is opened");
  }
  return builder_->open(kind);
}

Result<> Builder::fill(ValueView opened, std::span<const ValueView> items) {
  CORDON_TRY(check(opened.is_array() || opened.is_set(), opened));
  builder_->fill(opened, items);
  return {};
}

Result<> Builder::fill(ValueView opened, std::span<const Field> fields) {
  CORDON_TRY(check(opened.is_object(), opened));
  builder_->fill(opened, members_of(*builder_, fields));
  return {};
}

Result<> Builder::fill(ValueView opened, std::span<const Entry> entries) {
  CORDON_TRY(check(opened.is_map(), opened));
  builder_->fill(opened, entries);
  return {};
}

ValueView Builder::part(const Value& value) { return builder_->splice(value); }

Value Builder::finish(ValueView root) {
  if (!own_) throw std::logic_error("this builder belongs to another message");
  return builder_->finish(root);
}

}  // namespace cordon
