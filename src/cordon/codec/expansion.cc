#include "cordon/codec/expansion.h"

#include <algorithm>
#include <limits>
#include <span>
#include <unordered_map>
#include <vector>

#include "cordon/codec/rich/keys.h"

namespace cordon {
namespace {

// So many take less time to count than what was written took.
constexpr std::size_t most_containers = 100'000;

bool is_container(ValueView value) { return value.kind() >= Kind::array; }

class Counter {
 public:
  explicit Counter(MapsAndSets maps_and_sets) : maps_and_sets_(maps_and_sets) {}

  // 0 if it gave up.
  std::uint64_t run(ValueView root) {
    if (!is_container(root) || !open(root)) return 0;
    while (true) {
      Open& top = open_.back();
      if (top.next == top.end) {
        const std::uint64_t total = top.total;
        counted_[top.identity] = total;
        open_.pop_back();
        if (open_.empty()) return total;
        add(open_.back().total, total);
        continue;
      }
      // Scalars and keys count nothing: some are left out, and what doubles is containers. Nor do
      // those whose names may keep them from being written.
      const ValueView part = *top.next++;
      if (!is_container(part)) continue;
      if (top.kind == Kind::object && rich::is_unsafe_key(top.next[-2].as_string())) continue;
      if (top.kind == Kind::error && rich::is_reserved_error_field(top.next[-2].as_string())) {
        continue;
      }
      const auto known = counted_.find(part.identity());
      if (known == counted_.end()) {
        if (!open(part)) return 0;
      } else if (known->second == being_counted) {
        return 0;
      } else {
        add(top.total, known->second);
      }
    }
  }

 private:
  struct Open {
    const void* identity;
    const ValueView* next;
    const ValueView* end;
    Kind kind;
    std::uint64_t total;
  };

  static constexpr std::uint64_t being_counted = std::numeric_limits<std::uint64_t>::max();

  static void add(std::uint64_t& total, std::uint64_t more) {
    // Far past any limit, and far from overflow.
    total = std::min(total + more, std::uint64_t{1} << 62);
  }

  bool open(ValueView container) {
    if (counted_.size() >= most_containers) return false;
    counted_.emplace(container.identity(), being_counted);
    std::span<const ValueView> parts;
    if (container.is_array() || (container.is_set() && maps_and_sets_ == MapsAndSets::written)) {
      parts = container.items();
    } else if (container.is_object()) {
      parts = pairs(container.members());
    } else if (container.is_map() && maps_and_sets_ == MapsAndSets::written) {
      parts = pairs(container.entries());
    } else if (container.is_error()) {
      parts = pairs(container.error_fields());
    }
    open_.push_back(
        {container.identity(), parts.data(), parts.data() + parts.size(), container.kind(), 1});
    return true;
  }

  // A Member and an Entry are two nodes side by side.
  template <class Pair>
  static std::span<const ValueView> pairs(std::span<const Pair> of) {
    static_assert(sizeof(Pair) == 2 * sizeof(ValueView));
    return {reinterpret_cast<const ValueView*>(of.data()), 2 * of.size()};
  }

  MapsAndSets maps_and_sets_;
  std::vector<Open> open_;
  std::unordered_map<const void*, std::uint64_t> counted_;
};

}  // namespace

bool must_expand_past(ValueView root, std::size_t max_bytes, MapsAndSets maps_and_sets) {
  return Counter(maps_and_sets).run(root) > max_bytes;
}

}  // namespace cordon
