#include "cordon/value/value_builder.h"

#include <algorithm>
#include <cstring>
#include <limits>
#include <memory>
#include <new>
#include <stdexcept>

#include "cordon/base/utf8.h"
#include "cordon/value/key_index.h"

namespace cordon {

using detail::ErrorBody;
using detail::ListBody;
using detail::MapBody;
using detail::MembersBody;
using detail::RegExpBody;
using detail::ValueAccess;

namespace {

// The builder may still change the body of an opened node.
template <class Body>
Body& writable(const Body& body) {
  return const_cast<Body&>(body);
}

}  // namespace

ValueBuilder::ValueBuilder(std::size_t expected_bytes, const std::shared_ptr<Budget>& budget)
    : arena_(Arena::create(expected_bytes, budget)),
      bottom_(reinterpret_cast<ValueView*>(inline_)),
      top_(bottom_),
      limit_(bottom_ + inline_nodes),
      stack_charge_(budget) {}

ValueBuilder::~ValueBuilder() {
  if (arena_ != nullptr) Arena::release(arena_);
}

Value ValueBuilder::finish(ValueView root) {
  return ValueAccess::own(root, std::exchange(arena_, nullptr));
}

// The stack is the part of a decoder's memory that is freed in the end. It grows by half only,
// since empty room costs as much as used room. realloc moves a large stack by its page tables.
void ValueBuilder::grow() {
  const std::size_t count = mark();
  const std::size_t room = count + std::max(count / 2, inline_nodes);
  const std::size_t before = heap_ == nullptr ? 0 : count;
  stack_charge_.require((room - before) * sizeof(ValueView));
  auto* const larger = static_cast<ValueView*>(std::realloc(heap_.get(), room * sizeof(ValueView)));
  if (larger == nullptr) throw std::bad_alloc();
  if (heap_ == nullptr) std::memcpy(static_cast<void*>(larger), bottom_, count * sizeof(ValueView));
  (void)heap_.release();
  heap_.reset(larger);
  bottom_ = larger;
  top_ = bottom_ + count;
  limit_ = bottom_ + room;
}

std::uint32_t ValueBuilder::checked_size(std::size_t size) {
  if (size > std::numeric_limits<std::uint32_t>::max()) throw std::length_error("Value past 4 GiB");
  return static_cast<std::uint32_t>(size);
}

template <class T>
T* ValueBuilder::copied(const void* from, std::size_t count) {
  checked_size(count);
  if (count == 0) return nullptr;
  T* const to = arena_->allocate_array<T>(count);
  std::memcpy(static_cast<void*>(to), from, count * sizeof(T));
  return to;
}

ValueView ValueBuilder::text_node(Kind kind, std::string_view text, std::uint8_t detail) {
  // Text never has a null pointer, even if it is empty, since it is passed to memcmp and memcpy.
  const char* const copy = text.empty() ? "" : copied<char>(text.data(), text.size());
  return ValueAccess::text(kind, copy, static_cast<std::uint32_t>(text.size()), detail);
}

ValueView ValueBuilder::bytes_node(Kind kind, BytesView content, std::uint8_t detail) {
  const std::uint32_t size = checked_size(content.size());
  // Empty bytes take one byte all the same, because the address is their identity.
  auto* const bytes = arena_->allocate_array<std::uint8_t>(std::max<std::size_t>(size, 1));
  if (size > 0) std::memcpy(bytes, content.data(), size);
  return ValueAccess::bytes(kind, bytes, size, detail);
}

Result<ValueView> ValueBuilder::string_checked(std::string_view text) {
  if (!is_wtf8(text)) return fail(ErrorCode::invalid_utf8, "string is not well-formed");
  return string(text);
}

Result<ValueView> ValueBuilder::bigint(std::string_view decimal) {
  const bool negative = decimal.starts_with('-');
  std::string_view digits = decimal.substr(negative ? 1 : 0);
  if (digits.empty() || digits.find_first_not_of("0123456789") != digits.npos) {
    return fail(ErrorCode::malformed, "bigint is not a decimal integer");
  }
  digits.remove_prefix(std::min(digits.find_first_not_of('0'), digits.size() - 1));
  if (!negative || digits == "0") return text_node(Kind::bigint, digits);
  const std::uint32_t size = checked_size(digits.size() + 1);
  char* const text = arena_->allocate_array<char>(size);
  text[0] = '-';
  std::memcpy(text + 1, digits.data(), digits.size());
  return ValueAccess::text(Kind::bigint, text, size);
}

ValueView ValueBuilder::regexp(std::string_view source, std::string_view flags) {
  return ValueAccess::regexp(new (arena_->allocate(sizeof(RegExpBody)))
                                 RegExpBody{string(source), string(flags)});
}

ValueView ValueBuilder::array(std::span<const ValueView> items) {
  const ValueView node = open(Kind::array);
  fill(node, items);
  return node;
}

ValueView ValueBuilder::set(std::span<const ValueView> items) {
  const ValueView node = open(Kind::set);
  fill(node, items);
  return node;
}

ValueView ValueBuilder::object(std::span<const Member> members, Keys keys, KeyOrder order) {
  const ValueView node = open(Kind::object);
  fill(node, members, keys, order);
  return node;
}

ValueView ValueBuilder::map(std::span<const Entry> entries) {
  const ValueView node = open(Kind::map);
  fill(node, entries);
  return node;
}

ValueView ValueBuilder::error(const ErrorParts& parts) {
  const ValueView node = open(Kind::error);
  fill(node, parts);
  return node;
}

ValueView ValueBuilder::array_since(std::size_t mark) {
  const ValueView node = open(Kind::array);
  fill_since(node, mark);
  return node;
}

ValueView ValueBuilder::set_since(std::size_t mark) {
  const ValueView node = open(Kind::set);
  fill_since(node, mark);
  return node;
}

ValueView ValueBuilder::object_since(std::size_t mark, Keys keys, KeyOrder order) {
  const ValueView node = open(Kind::object);
  fill_since(node, mark, keys, order);
  return node;
}

ValueView ValueBuilder::map_since(std::size_t mark) {
  const ValueView node = open(Kind::map);
  fill_since(node, mark);
  return node;
}

ValueView ValueBuilder::open(Kind kind) {
  switch (kind) {
    case Kind::array:
    case Kind::set:
      return ValueAccess::list(kind, new (arena_->allocate(sizeof(ListBody))) ListBody);
    case Kind::object:
      return ValueAccess::object(new (arena_->allocate(sizeof(MembersBody))) MembersBody);
    case Kind::map:
      return ValueAccess::map(new (arena_->allocate(sizeof(MapBody))) MapBody);
    case Kind::error:
      return ValueAccess::error(new (arena_->allocate(sizeof(ErrorBody))) ErrorBody);
    default:
      throw std::invalid_argument("only containers are filled later");
  }
}

void ValueBuilder::fill(ValueView opened, std::span<const ValueView> items) {
  ListBody& body = writable(ValueAccess::list(opened));
  body.items = copied<ValueView>(items.data(), items.size());
  body.size = static_cast<std::uint32_t>(items.size());
}

void ValueBuilder::fill(ValueView opened, std::span<const Member> members, Keys keys,
                        KeyOrder order) {
  fill_members(writable(ValueAccess::members(opened)), members.data(), members.size(), keys, order);
}

void ValueBuilder::fill(ValueView opened, std::span<const Entry> entries) {
  MapBody& body = writable(ValueAccess::map(opened));
  body.entries = copied<Entry>(entries.data(), entries.size());
  body.size = static_cast<std::uint32_t>(entries.size());
}

void ValueBuilder::fill(ValueView opened, const ErrorParts& parts) {
  ErrorBody& body = writable(ValueAccess::error(opened));
  body.name = parts.name;
  body.message = parts.message;
  body.stack = parts.stack;
  body.cause = parts.cause;
  fill_members(body.fields, parts.fields.data(), parts.fields.size(), Keys::any,
               KeyOrder::insertion);
}

void ValueBuilder::fill_since(ValueView opened, std::size_t mark, Keys keys, KeyOrder order) {
  // A Member and an Entry are laid out as two nodes, so pairs on the stack copy as they are.
  static_assert(sizeof(Member) == 2 * sizeof(ValueView) && sizeof(Entry) == 2 * sizeof(ValueView));
  const std::span<const ValueView> nodes = since(mark);
  if (opened.is_object()) {
    fill_members(writable(ValueAccess::members(opened)), nodes.data(), nodes.size() / 2, keys,
                 order);
  } else if (opened.is_map()) {
    MapBody& body = writable(ValueAccess::map(opened));
    body.entries = copied<Entry>(nodes.data(), nodes.size() / 2);
    body.size = static_cast<std::uint32_t>(nodes.size() / 2);
  } else {
    fill(opened, nodes);
  }
  drop_since(mark);
}

std::span<ValueView> ValueBuilder::room_for(std::size_t nodes) {
  checked_size(nodes);
  if (nodes == 0) return {};
  return {arena_->allocate_array<ValueView>(nodes), nodes};
}

void ValueBuilder::fill_in(ValueView opened, std::span<ValueView> room, Keys keys, KeyOrder order) {
  static_assert(sizeof(Member) == 2 * sizeof(ValueView) && sizeof(Entry) == 2 * sizeof(ValueView));
  if (opened.is_object()) {
    take_members(writable(ValueAccess::members(opened)), reinterpret_cast<Member*>(room.data()),
                 room.size() / 2, keys, order);
  } else if (opened.is_map()) {
    MapBody& body = writable(ValueAccess::map(opened));
    body.entries = reinterpret_cast<const Entry*>(room.data());
    body.size = static_cast<std::uint32_t>(room.size() / 2);
  } else {
    ListBody& body = writable(ValueAccess::list(opened));
    body.items = room.data();
    body.size = static_cast<std::uint32_t>(room.size());
  }
}

ValueView ValueBuilder::open_items(std::size_t count) {
  const ValueView node = open(Kind::array);
  ListBody& body = writable(ValueAccess::list(node));
  body.size = checked_size(count);
  if (count == 0) return node;
  auto* const items = arena_->allocate_array<ValueView>(count);
  std::uninitialized_fill_n(items, count, hole());
  body.items = items;
  return node;
}

ValueView ValueBuilder::open_with_keys_of(ValueView object) {
  const ValueView node = open(Kind::object);
  MembersBody& body = writable(ValueAccess::members(node));
  // The index holds positions, so it serves both.
  body = ValueAccess::members(object);
  body.members = copied<Member>(body.members, body.size);
  for (Member& member : members_of(node)) member.value = hole();
  return node;
}

std::span<ValueView> ValueBuilder::items_of(ValueView list) {
  const std::span<const ValueView> items = list.items();
  return {const_cast<ValueView*>(items.data()), items.size()};
}

std::span<Member> ValueBuilder::members_of(ValueView object) {
  const std::span<const Member> members = object.members();
  return {const_cast<Member*>(members.data()), members.size()};
}

void ValueBuilder::fill_members(MembersBody& body, const void* members, std::size_t count,
                                Keys keys, KeyOrder order) {
  take_members(body, copied<Member>(members, count), count, keys, order);
}

void ValueBuilder::take_members(MembersBody& body, Member* members, std::size_t count, Keys keys,
                                KeyOrder order) {
  // Sort before duplicates are dropped: the order is stable, and the index then holds the final
  // places.
  if (order == KeyOrder::javascript) put_in_javascript_order({members, count});
  if (keys == Keys::any) {
    count = drop_duplicate_keys(members, count, *arena_, body);
  } else {
    index_keys(members, count, *arena_, body);
  }
  body.members = members;
  body.size = static_cast<std::uint32_t>(count);
}

ValueView ValueBuilder::splice(const Value& value) {
  if (Arena* const arena = ValueAccess::arena(value)) arena_->adopt(*arena);
  return value;
}

}  // namespace cordon
