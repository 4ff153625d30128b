#include <bit>
#include <cmath>
#include <cstring>
#include <unordered_map>
#include <vector>

#include "cordon/value.h"
#include "cordon/value/bodies.h"

namespace cordon {
namespace {

using detail::ValueAccess;

// Most values are small trees, for which the bookkeeping would cost more than the comparison. It
// starts after this many containers: a cycle is walked a little before it is noticed.
constexpr std::size_t containers_without_bookkeeping = 1024;

bool same_number(double a, double b) {
  return std::bit_cast<std::uint64_t>(a) == std::bit_cast<std::uint64_t>(b) ||
         (std::isnan(a) && std::isnan(b));
}

// Sets of nodes that have been assumed equal (union-find). A pair of the same set need not be
// compared again, so a comparison takes as many steps as there are nodes, whatever the cycles'
// lengths.
class AssumedEqual {
 public:
  // False if the two were already one set.
  bool unite(const void* a, const void* b) {
    a = root_of(a);
    b = root_of(b);
    if (a == b) return false;
    parent_[a] = b;
    return true;
  }

 private:
  const void* root_of(const void* node) {
    const void* root = node;
    for (auto up = parent_.find(root); up != parent_.end(); up = parent_.find(root))
      root = up->second;
    while (node != root) node = std::exchange(parent_[node], root);
    return root;
  }

  std::unordered_map<const void*, const void*> parent_;
};

// Compares two graphs without recursion: `todo_` holds rows of pairs that are still to be compared.
//
// When two containers meet, they are assumed equal and their parts are put on the list. If a pair
// of parts differs, the whole comparison is false and the assumption does not matter. If none does,
// all assumptions hold together. That is what makes a cycle end: a pair that is assumed equal is
// not compared again.
//
// Without sharing two containers are equal if the same can be reached through them. The assumptions
// are then kept as sets (AssumedEqual), because "equal" is transitive: with n containers there are
// at most n - 1 unions, although there could be n² pairs. With Sharing::compared the two graphs
// must have the same shape, so each container has exactly one partner (pair_up).
class Comparison {
 public:
  explicit Comparison(Sharing sharing) : sharing_(sharing) {}

  bool run(ValueView a, ValueView b) {
    if (!meet(a, b)) return false;
    while (!todo_.empty()) {
      Run& run = todo_.back();
      if (run.count == 0) {
        todo_.pop_back();
        continue;
      }
      --run.count;
      const ValueView next_a = *run.a++;
      const ValueView next_b = *run.b++;
      if (!meet(next_a, next_b)) return false;
    }
    return true;
  }

 private:
  // Nodes in a row that are still to be compared.
  struct Run {
    const ValueView* a;
    const ValueView* b;
    std::size_t count;
  };

  // Compares the nodes themselves and leaves their children to do.
  bool meet(ValueView a, ValueView b) {
    if (a.kind() != b.kind() || a.size() != b.size()) return false;
    switch (a.kind()) {
      case Kind::undefined:
      case Kind::boolean:
        return ValueAccess::detail(a) == ValueAccess::detail(b);
      case Kind::null:
        return true;
      case Kind::number:
        return same_number(a.as_number(), b.as_number());
      case Kind::date:
        return same_number(a.date_ms(), b.date_ms());
      case Kind::string:
        return a.as_string() == b.as_string();
      case Kind::bigint:
        return a.bigint_text() == b.bigint_text();
      case Kind::symbol:
        return a.symbol_kind() == b.symbol_kind() && a.symbol_key() == b.symbol_key();
      case Kind::regexp:
        return a.regexp_source() == b.regexp_source() && a.regexp_flags() == b.regexp_flags();
      case Kind::url:
        return a.url_text() == b.url_text();
      case Kind::url_search_params:
        return a.url_search_params_text() == b.url_search_params_text();
      case Kind::array_buffer:
      case Kind::typed_array:
      case Kind::data_view:
      case Kind::buffer:
        if (ValueAccess::detail(a) != ValueAccess::detail(b)) return false;
        if (sharing_ == Sharing::compared && pair_up(a, b) == Pairing::conflict) return false;
        return std::memcmp(a.as_bytes().data(), b.as_bytes().data(), a.size()) == 0;
      default:
        return meet_containers(a, b);
    }
  }

  bool meet_containers(ValueView a, ValueView b) {
    if (sharing_ == Sharing::compared) {
      const Pairing pairing = pair_up(a, b);
      if (pairing != Pairing::fresh) return pairing == Pairing::known;
    } else {
      if (a.identity() == b.identity()) return true;
      if (++containers_ > containers_without_bookkeeping &&
          !assumed_.unite(a.identity(), b.identity())) {
        return true;
      }
    }

    switch (a.kind()) {
      case Kind::array:
      case Kind::set:
        later(a.items().data(), b.items().data(), a.size());
        return true;
      case Kind::object:
        later_pairs(a.members().data(), b.members().data(), a.size());
        return true;
      case Kind::map:
        later_pairs(a.entries().data(), b.entries().data(), a.size());
        return true;
      default: {
        const std::span<const Member> fields_a = a.error_fields();
        const std::span<const Member> fields_b = b.error_fields();
        if (fields_a.size() != fields_b.size()) return false;
        const detail::ErrorBody& body_a = ValueAccess::error(a);
        const detail::ErrorBody& body_b = ValueAccess::error(b);
        later(&body_a.name, &body_b.name, 1);
        later(&body_a.message, &body_b.message, 1);
        later(&body_a.stack, &body_b.stack, 1);
        later(&body_a.cause, &body_b.cause, 1);
        later_pairs(fields_a.data(), fields_b.data(), fields_a.size());
        return true;
      }
    }
  }

  enum class Pairing : std::uint8_t { fresh, known, conflict };

  // For Sharing::compared: each node of one side stands for exactly one of the other.
  Pairing pair_up(ValueView a, ValueView b) {
    const auto [to_b, fresh_a] = a_to_b_.try_emplace(a.identity(), b.identity());
    const auto [to_a, fresh_b] = b_to_a_.try_emplace(b.identity(), a.identity());
    if (fresh_a && fresh_b) return Pairing::fresh;
    const bool same = to_b->second == b.identity() && to_a->second == a.identity();
    return same ? Pairing::known : Pairing::conflict;
  }

  void later(const ValueView* a, const ValueView* b, std::size_t count) {
    if (count > 0) todo_.push_back({a, b, count});
  }

  // A Member and an Entry are two nodes side by side.
  template <class Pair>
  void later_pairs(const Pair* a, const Pair* b, std::size_t count) {
    static_assert(sizeof(Pair) == 2 * sizeof(ValueView));
    later(reinterpret_cast<const ValueView*>(a), reinterpret_cast<const ValueView*>(b), 2 * count);
  }

  Sharing sharing_;
  std::vector<Run> todo_;
  std::size_t containers_ = 0;
  AssumedEqual assumed_;
  std::unordered_map<const void*, const void*> a_to_b_;
  std::unordered_map<const void*, const void*> b_to_a_;
};

}  // namespace

bool equal(const ValueView& a, const ValueView& b, Sharing sharing) {
  return Comparison(sharing).run(a, b);
}

bool operator==(const ValueView& a, const ValueView& b) { return equal(a, b, Sharing::ignored); }

}  // namespace cordon
