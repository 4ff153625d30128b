#include "cordon/codec/expansion.h"

#include <algorithm>
#include <span>
#include <vector>

#include "cordon/codec/node_table.h"
#include "cordon/codec/rich/keys.h"

namespace cordon {
namespace {

// Counting this many takes less time than writing took.
constexpr std::size_t max_containers = 100'000;

bool is_container(ValueView value) { return value.kind() >= Kind::array; }

// A Member and an Entry are two nodes side by side.
template <class Pair>
std::span<const ValueView> pairs(std::span<const Pair> of) {
  static_assert(sizeof(Pair) == 2 * sizeof(ValueView));
  return {reinterpret_cast<const ValueView*>(of.data()), 2 * of.size()};
}

// Elements, names and values, or keys and values.
std::span<const ValueView> parts_of(ValueView container) {
  switch (container.kind()) {
    case Kind::array:
    case Kind::set:
      return container.items();
    case Kind::object:
      return pairs(container.members());
    case Kind::map:
      return pairs(container.entries());
    case Kind::error:
      return pairs(container.error_fields());
    default:
      return {};
  }
}

// About the size of the text of a value that is written in place.
std::uint64_t text_bytes_of(ValueView value) {
  switch (value.kind()) {
    case Kind::undefined:
      return 36;
    case Kind::null:
    case Kind::boolean:
    case Kind::number:
      return 5;
    case Kind::string:
      return value.size() + 3;
    default:
      return 4 * value.size() + 40;
  }
}

// {"__ref":"obj_7"} where a container is met, and its node with what names it.
constexpr std::uint64_t reference_bytes = 20;
constexpr std::uint64_t node_bytes = 40;

class Counter {
 public:
  explicit Counter(MapsAndSets maps_and_sets) : maps_and_sets_(maps_and_sets) {}

  std::optional<Expansion> run(ValueView root) {
    if (!is_container(root)) return Expansion();
    open(root);
    while (true) {
      Open& top = open_.back();
      if (top.next == top.end) {
        const Total total = top.total;
        *counted_.find(top.identity) = total;
        open_.pop_back();
        if (open_.empty())
          return Expansion{total.containers, counted_.size(), total.bytes, graph_bytes_};
        add(open_.back().total, total);
        continue;
      }
      const ValueView part = *top.next++;
      if (!is_container(part)) {
        const std::uint64_t bytes = text_bytes_of(part);
        graph_bytes_ += bytes;
        add(top.total, {0, bytes});
        continue;
      }
      // Members whose names may keep them from being written do not count.
      if (top.kind == Kind::object && rich::is_unsafe_key(top.next[-2].as_string())) continue;
      if (top.kind == Kind::error && rich::is_reserved_error_field(top.next[-2].as_string())) {
        continue;
      }
      graph_bytes_ += reference_bytes;
      const Total* const known = counted_.find(part.identity());
      if (known == nullptr) {
        if (counted_.size() >= max_containers) return std::nullopt;
        open(part);
      } else if (known->containers == 0) {
        return std::nullopt;
      } else {
        add(top.total, *known);
      }
    }
  }

 private:
  struct Total {
    std::uint64_t containers = 0;  // 0 while it is being counted
    std::uint64_t bytes = 0;
  };
  struct Open {
    const void* identity;
    const ValueView* next;
    const ValueView* end;
    Kind kind;
    Total total;
  };

  static void add(Total& total, const Total& more) {
    // Far past any limit, and far from overflow.
    constexpr std::uint64_t enough = std::uint64_t{1} << 62;
    total.containers = std::min(total.containers + more.containers, enough);
    total.bytes = std::min(total.bytes + more.bytes, enough);
  }

  void open(ValueView container) {
    counted_.find_or_add(container.identity(), {});
    graph_bytes_ += node_bytes;
    std::span<const ValueView> parts;
    const bool is_map_or_set = container.is_map() || container.is_set();
    if (!is_map_or_set || maps_and_sets_ == MapsAndSets::written) parts = parts_of(container);
    open_.push_back({container.identity(), parts.data(), parts.data() + parts.size(),
                     container.kind(), Total{1, 3}});
  }

  MapsAndSets maps_and_sets_;
  std::vector<Open> open_;
  NodeTable<Total> counted_;
  std::uint64_t graph_bytes_ = 0;
};

}  // namespace

bool is_short(ValueView root, std::size_t max_nodes, std::size_t max_bytes) {
  std::vector<ValueView> open = {root};
  std::size_t nodes = 1;
  while (!open.empty()) {
    const ValueView node = open.back();
    open.pop_back();
    const std::span<const ValueView> parts = parts_of(node);
    // Other kinds are as long as their texts, or are a few words.
    const std::size_t bytes = parts.empty() ? node.size() : 0;
    nodes += parts.size();
    if (nodes > max_nodes || bytes > max_bytes) return false;
    max_bytes -= bytes;
    open.insert(open.end(), parts.begin(), parts.end());
  }
  return true;
}

std::optional<Expansion> expansion_of(ValueView root, MapsAndSets maps_and_sets) {
  return Counter(maps_and_sets).run(root);
}

bool must_expand_past(ValueView root, std::size_t max_bytes, MapsAndSets maps_and_sets) {
  const std::optional<Expansion> expansion = expansion_of(root, maps_and_sets);
  return expansion && expansion->written > max_bytes;
}

}  // namespace cordon
