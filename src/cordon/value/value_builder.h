#pragma once

// Builds one message, with all its nodes in one arena.
//
// Decoders push the parts of a container on the builder's stack and fold them when it ends:
//
//   ValueBuilder builder;
//   const std::size_t mark = builder.mark();
//   builder.push(builder.string("a"));
//   builder.push(1);
//   Value value = builder.finish(builder.object_since(mark));  // {a: 1}
//
// A node that must exist before its content is opened first and filled later; this is how cycles
// are made. An opened node that is never filled is empty. One thread at a time may use a builder.
// Dropping it frees everything.
//
// With a budget, the arena and the stack are taken from it, and what does not fit throws
// OverBudget. Decoders catch it and fail with an error of their own.

#include <cstddef>
#include <cstdint>
#include <cstdlib>
#include <memory>
#include <span>
#include <string_view>

#include "cordon/base/budget.h"
#include "cordon/result.h"
#include "cordon/value.h"
#include "cordon/value/arena.h"
#include "cordon/value/bodies.h"
#include "cordon/value/key_order.h"

namespace cordon {

enum class Keys : std::uint8_t {
  any,       // duplicates keep the first place and the last value
  distinct,  // the caller knows that there are none
};

struct ErrorParts {
  ValueView name;     // a string
  ValueView message;  // a string
  ValueView stack;    // a string or undefined
  ValueView cause = detail::ValueAccess::hole();
  std::span<const Member> fields;
};

class ValueBuilder {
 public:
  // A hint of how many bytes the message will take.
  explicit ValueBuilder(std::size_t expected_bytes = default_first_bytes,
                        const std::shared_ptr<Budget>& budget = {});
  explicit ValueBuilder(const std::shared_ptr<Budget>& budget)
      : ValueBuilder(default_first_bytes, budget) {}
  ~ValueBuilder();
  ValueBuilder(const ValueBuilder&) = delete;
  ValueBuilder& operator=(const ValueBuilder&) = delete;

  // Numbers, booleans, null and undefined need no builder: they convert to ValueView.
  static ValueView hole() { return detail::ValueAccess::hole(); }
  static ValueView date(double ms) { return detail::ValueAccess::date(ms); }

  // All text is copied. It must be well-formed WTF-8; string_checked() checks it for you.
  ValueView string(std::string_view text) { return text_node(Kind::string, text); }
  Result<ValueView> string_checked(std::string_view text);

  // Takes decimal digits after an optional minus sign. Drops leading zeros. Linear in the number of
  // digits.
  Result<ValueView> bigint(std::string_view decimal);
  ValueView symbol(SymbolKind kind, std::string_view key) {
    return text_node(Kind::symbol, key, static_cast<std::uint8_t>(kind));
  }
  ValueView regexp(std::string_view source, std::string_view flags);
  ValueView url(std::string_view href) { return text_node(Kind::url, href); }
  ValueView url_search_params(std::string_view text) {
    return text_node(Kind::url_search_params, text);
  }

  // `kind` is array_buffer, data_view or buffer.
  ValueView bytes(Kind kind, BytesView content) { return bytes_node(kind, content, 0); }
  // Elements are little-endian. The size must be a multiple of an element's.
  ValueView typed_array(ElementType type, BytesView content) {
    return bytes_node(Kind::typed_array, content, static_cast<std::uint8_t>(type));
  }

  ValueView array(std::span<const ValueView> items);
  ValueView set(std::span<const ValueView> items);
  ValueView object(std::span<const Member> members, Keys keys = Keys::any,
                   KeyOrder order = KeyOrder::insertion);
  ValueView map(std::span<const Entry> entries);
  ValueView error(const ErrorParts& parts);

  // The builder's stack. Objects and maps take two nodes per member: key and value.
  std::size_t mark() const { return static_cast<std::size_t>(top_ - bottom_); }
  void push(ValueView node) {
    if (top_ == limit_) grow();
    *top_++ = node;
  }
  std::span<const ValueView> since(std::size_t mark) const { return {bottom_ + mark, top_}; }
  void drop_since(std::size_t mark) { top_ = bottom_ + mark; }
  ValueView array_since(std::size_t mark);
  ValueView set_since(std::size_t mark);
  ValueView object_since(std::size_t mark, Keys keys = Keys::any,
                         KeyOrder order = KeyOrder::insertion);
  ValueView map_since(std::size_t mark);

  // A node of kind array, set, object, map or error to be filled later. Copies of it are the same
  // node.
  ValueView open(Kind kind);
  void fill(ValueView opened, std::span<const ValueView> items);
  void fill(ValueView opened, std::span<const Member> members, Keys keys = Keys::any,
            KeyOrder order = KeyOrder::insertion);
  void fill(ValueView opened, std::span<const Entry> entries);
  void fill(ValueView opened, const ErrorParts& parts);
  // Fills an array, set, object or map from the stack.
  void fill_since(ValueView opened, std::size_t mark, Keys keys = Keys::any,
                  KeyOrder order = KeyOrder::insertion);

  // Uninitialised room for nodes in the message itself, for containers whose number of parts is
  // known beforehand. The parts are set there, and nothing is copied at the end.
  std::span<ValueView> room_for(std::size_t nodes);
  // Fills an array, set, object or map with parts that lie in such room.
  void fill_in(ValueView opened, std::span<ValueView> room, Keys keys = Keys::any,
               KeyOrder order = KeyOrder::insertion);

  // An array of holes, and an object with the keys of another one and holes for values. Set their
  // parts in place with the functions below.
  ValueView open_items(std::size_t count);
  ValueView open_with_keys_of(ValueView object);

  // The parts of a node of this builder, which you may change in place, except for a member's name.
  std::span<ValueView> items_of(ValueView list);
  std::span<Member> members_of(ValueView object);

  // Uses a node of another message as a part of this one, without copying. Its arena lives on with
  // ours.
  ValueView splice(const Value& value);

  // The budget of the message, for memory that is kept beside it. Null if there is none.
  Budget* budget() const { return stack_charge_.budget().get(); }

  // Hands the arena over. The builder is used up afterwards.
  Value finish(ValueView root);

 private:
  // With the arena itself this is what the allocator caches per thread (1,032 bytes in glibc), so
  // every small message is one cached block.
  static constexpr std::size_t default_first_bytes = 936;
  static constexpr std::size_t inline_nodes = 64;

  static std::uint32_t checked_size(std::size_t size);
  ValueView text_node(Kind kind, std::string_view text, std::uint8_t detail = 0);
  ValueView bytes_node(Kind kind, BytesView content, std::uint8_t detail);
  template <class T>
  T* copied(const void* from, std::size_t count);
  void fill_members(detail::MembersBody& body, const void* members, std::size_t count, Keys keys,
                    KeyOrder order);
  void take_members(detail::MembersBody& body, Member* members, std::size_t count, Keys keys,
                    KeyOrder order);
  void grow();

  Arena* arena_;
  ValueView* bottom_;
  ValueView* top_;
  ValueView* limit_;
  struct Free {
    void operator()(ValueView* stack) const { std::free(stack); }
  };
  std::unique_ptr<ValueView, Free> heap_;  // the stack once it is large
  Charge stack_charge_;
  // Not initialised: what lies above top_ is never read.
  alignas(ValueView) std::byte inline_[inline_nodes * sizeof(ValueView)];
};

}  // namespace cordon
