// GraphSink, when all nodes are there: marks become the nodes that they stand for, and the depth of
// the graph is checked. graph_sink.cc says what marks are.

#include "cordon/codec/rich/graph_sink.h"

namespace cordon::rich {

bool GraphSink::resolve_marks() {
  for (const Marked& marked : marked_) {
    for (std::uint32_t i = marked.step - 1; i < marked.count; i += marked.step) {
      ValueView& slot = marked.slots[i];
      if (!is_mark(slot)) continue;
      const Node& node = nodes_[number_of(slot)];
      if (!node.made) return false;
      slot = node.value;
    }
  }
  return true;
}

// Checks the depth as the reference implementation counts it. It walks depth first from the root
// and reads each node where it first meets it, so the depth of a node is that of its first
// reference in this order, however deep the others are. A node that is never reached is never
// checked.
bool GraphSink::walk() {
  struct Visit {
    const Edge* next;
    const Edge* end;
    std::size_t depth;
  };
  BudgetVector<Visit> visits(builder_.budget());
  // The root's edges are the first ones.
  const auto root_edges = static_cast<std::ptrdiff_t>(nodes_[0].edges);
  visits.push_back({edges_.data(), edges_.data() + root_edges, 0});
  while (!visits.empty()) {
    Visit& visit = visits.back();
    if (visit.next == visit.end) {
      visits.pop_back();
      continue;
    }
    const Edge edge = *visit.next++;
    const std::size_t depth = visit.depth + edge.depth;
    Node& node = nodes_[edge.to];
    if (!node.made || depth + 1 > max_depth_) return false;
    if (node.walked && node.is_payload) return false;
    if (node.walked) continue;
    node.walked = true;
    if (depth + node.reach > max_depth_) return false;
    const Edge* const first = edges_.data() + node.first_edge;
    visits.push_back({first, first + node.edges, depth});
  }
  return true;
}

std::optional<ValueView> GraphSink::finish() {
  if (stopped_ || builder_.mark() != 1) return std::nullopt;
  // What is written in place at the root goes no deeper than this.
  if (max_depth_ < 2 || !resolve_marks() || !walk()) return std::nullopt;
  const ValueView root = builder_.since(0)[0];
  return is_mark(root) ? nodes_[number_of(root)].value : root;
}

}  // namespace cordon::rich
