#include "cordon/schema/json_form.h"

#include <algorithm>
#include <string>
#include <vector>

#include "cordon/codec/node_table.h"
#include "cordon/codec/tree_writing.h"
#include "cordon/codec/typed_elements.h"

namespace cordon::schema {
namespace {

class Walk {
 public:
  explicit Walk(std::size_t max_depth) : max_depth_(max_depth) {}

  Result<> run(ValueView root) {
    if (!visit(root)) return failure();
    while (!open_.empty()) {
      Open& top = open_.back();
      if (top.next == top.size) {
        close();
        continue;
      }
      const ValueView part =
          top.members == nullptr ? top.items[top.next] : top.members[top.next].value;
      ++top.next;
      if (!visit(part)) return failure();
    }
    return {};
  }

 private:
  struct Open {
    const void* identity;
    const ValueView* items = nullptr;  // of an array
    const Member* members = nullptr;   // of the others
    std::size_t height = 1;            // of the part that was seen, in levels
    std::size_t size;
    std::size_t next = 0;
  };

  static constexpr std::size_t being_walked = 0;

  bool visit(ValueView value) {
    switch (value.kind()) {
      case Kind::bigint:
        return wrong(ErrorCode::serialization_error, "Do not know how to serialize a BigInt");
      case Kind::typed_array:
        if (value.as_bytes().empty()) return true;
        if (!number_at(value.element_type(), value.as_bytes().data()))
          return wrong(ErrorCode::serialization_error, "Do not know how to serialize a BigInt");
        return count_levels(1);
      case Kind::buffer:
        return count_levels(2);
      case Kind::array:
        return open(
            {.identity = value.identity(), .items = value.items().data(), .size = value.size()});
      case Kind::object:
        return open({.identity = value.identity(),
                     .members = value.members().data(),
                     .size = value.size()});
      case Kind::error:
        return open({.identity = value.identity(),
                     .members = value.error_fields().data(),
                     .size = value.error_fields().size()});
      default:
        return true;
    }
  }

  bool open(const Open& container) {
    const auto known = heights_.find_or_add(container.identity, being_walked);
    if (!known.is_new) {
      if (*known.value == being_walked)
        return wrong(ErrorCode::cyclic, "Converting circular structure to JSON");
      return count_levels(*known.value);
    }
    if (!count_levels(1)) return false;
    open_.push_back(container);
    return true;
  }

  void close() {
    const Open closed = open_.back();
    open_.pop_back();
    *heights_.find(closed.identity) = closed.height;
    if (!open_.empty()) open_.back().height = std::max(open_.back().height, closed.height + 1);
  }

  // Records that there are this many levels at the current place.
  bool count_levels(std::size_t levels) {
    if (open_.size() + levels > max_depth_) return wrong(ErrorCode::too_deep, "nested too deeply");
    if (!open_.empty()) open_.back().height = std::max(open_.back().height, levels + 1);
    return true;
  }

  bool wrong(ErrorCode code, std::string_view reason) {
    error_ = Error{code, std::string(reason)};
    return false;
  }

  std::unexpected<Error> failure() {
    const std::string path = path_of(open_, [](std::string& way, const Open& open) {
      if (open.members == nullptr) {
        append_path(way, open.next - 1);
      } else {
        append_path(way, open.members[open.next - 1].key());
      }
    });
    return fail(with_place(std::move(error_), path));
  }

  const std::size_t max_depth_;
  std::vector<Open> open_;
  NodeTable<std::size_t> heights_;
  Error error_;
};

}  // namespace

Result<> check_json_form(ValueView root, std::size_t max_depth) {
  return Walk(max_depth).run(root);
}

}  // namespace cordon::schema
