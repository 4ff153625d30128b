#pragma once

// The sink of json::Parser that builds the document.

#include <array>
#include <cstddef>
#include <span>
#include <string_view>

#include "cordon/base/budget_allocator.h"
#include "cordon/codec/json/parser.h"
#include "cordon/value.h"
#include "cordon/value/key_order.h"
#include "cordon/value/value_builder.h"

namespace cordon::json {

// Builds the Value.
//
// JSON repeats itself: the objects of a list mostly have the same keys in the same order. So the
// keys of the last object at each level are taken as a guess for the next one. Where the guess is
// right, a key is neither scanned nor copied, and the object is known to have no duplicates, as the
// one before had none.
class BuildingSink {
 public:
  static constexpr bool keeps_text = true;

  // Borrows the builder, on whose stack the value is in the end.
  BuildingSink(ValueBuilder& builder, KeyOrder order)
      : builder_(builder), order_(order), open_(builder.budget()) {
    open_.reserve(16);
  }

  void begin_array() { open_.push_back({builder_.mark(), {}, false, false, false}); }

  void begin_object() {
    const std::size_t level = open_.size();
    open_.push_back({builder_.mark(),
                     level < shapes_.size() ? shapes_[level] : std::span<const Member>(), true,
                     true, false});
  }

  void end_array() {
    const ValueView array = builder_.array_since(open_.back().mark);
    open_.pop_back();
    builder_.push(array);
  }

  void end_object() {
    const Open open = open_.back();
    open_.pop_back();
    const ValueView object =
        builder_.object_since(open.mark, open.as_expected ? Keys::distinct : Keys::any,
                              open.indices ? KeyOrder::javascript : KeyOrder::insertion);
    if (!open.as_expected && open_.size() < shapes_.size()) {
      shapes_[open_.size()] = open.plain_keys ? object.members() : std::span<const Member>();
    }
    builder_.push(object);
  }

  const char* expected_key(const char* at, const char* end) {
    Open& open = open_.back();
    if (!open.as_expected) return nullptr;
    const std::size_t position = (builder_.mark() - open.mark) / 2;
    if (position < open.shape.size()) {
      const ValueView name = open.shape[position].name;
      if (const char* const after = past_key(at, end, name.as_string())) {
        builder_.push(name);
        return after;
      }
    }
    open.as_expected = false;
    return nullptr;
  }

  void key(std::string_view key, bool escaped) {
    if (escaped) open_.back().plain_keys = false;
    if (order_ == KeyOrder::javascript && may_be_index(key)) {
      // Such keys may change their places, so the next object is read without a guess.
      open_.back().plain_keys = false;
      open_.back().indices = true;
    }
    builder_.push(builder_.string(key));
  }

  void text(std::string_view text) { builder_.push(builder_.string(text)); }
  void number(double number) { builder_.push(number); }
  void boolean(bool boolean) { builder_.push(boolean); }
  void null() { builder_.push(nullptr); }

 private:
  struct Open {
    std::size_t mark;
    std::span<const Member> shape;
    bool as_expected;
    bool plain_keys;
    bool indices;
  };

  static constexpr std::size_t levels_with_shapes = 16;

  ValueBuilder& builder_;
  KeyOrder order_;
  BudgetVector<Open> open_;
  std::array<std::span<const Member>, levels_with_shapes> shapes_;
};

}  // namespace cordon::json
