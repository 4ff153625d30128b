#pragma once

// The quick way of reading graph format: a sink of json::Parser for text as serializers write it.
//
// Serializers write nodes children first, so most references lead to nodes that are made already. A
// reference to a later node is a mark in its place until the end. Anything that looks different
// (other ids, objects or arrays that are not nodes, a Map's key that is not known yet) stops the
// sink, and the text is read again the exact way; see eager_sink.h.
//
// The reference implementation counts depth along its own walk: depth first, from the root, each
// node once. So this sink records the edges between nodes and walks them at the end.

#include <array>
#include <cmath>
#include <cstddef>
#include <cstdint>
#include <cstring>
#include <optional>
#include <span>
#include <string_view>

#include "cordon/base/budget_allocator.h"
#include "cordon/codec/json/parser.h"
#include "cordon/codec/rich/registry.h"
#include "cordon/codec/rich/reviver.h"
#include "cordon/codec/rich/serializer.h"
#include "cordon/value.h"
#include "cordon/value/value_builder.h"

namespace cordon::rich {

class GraphSink {
 public:
  static constexpr bool keeps_text = true;
  // How text in graph format begins.
  static constexpr std::string_view beginning = R"({"__graph":true,"version":)";

  // Borrows all of them.
  GraphSink(ValueBuilder& builder, const Registry& registry, const Options& options,
            Reviver& reviver, std::size_t text_bytes);

  bool stopped() const { return stopped_; }

  json::TakenObject take_object(const char* at, const char* end);
  const char* expected_key(const char* at, const char* end);
  void key(std::string_view key, bool escaped);
  void begin_array();
  void end_array();
  void begin_object();
  void end_object();
  void text(std::string_view text);
  void number(double number) { part(number); }
  void boolean(bool boolean) { part(boolean); }
  void null() { part(nullptr); }

  // The value, once all has been read; nothing if it takes the exact way.
  std::optional<ValueView> finish();

 private:
  using NodeNumber = std::uint32_t;

  enum class Role : std::uint8_t {
    document,
    envelope,     // its keys come in one order
    nodes,        // the table
    array_node,   // the record of a node: its kind and value
    object_node,  // the same
    typed_node,   // the same
    items,        // the array that is a node
    members,      // the object that is a node
    record,       // a typed value that is no node
  };

  struct Open {
    Role role;
    bool as_expected = false;
    bool plain_keys = false;
    bool indices = false;
    NodeNumber number = 0;       // the number of a node
    std::uint32_t count = 0;     // how many members the shape has, or the envelope has so far
    std::size_t mark = 0;        // where its parts begin on the builder's stack
    const void* data = nullptr;  // a Type, or the Members of an object's shape

    const Type& type() const { return *static_cast<const Type*>(data); }
    const Member* shape() const { return static_cast<const Member*>(data); }
  };

  struct Node {
    ValueView value;
    std::uint32_t first_edge = 0;
    std::uint32_t edges = 0;
    std::uint8_t reach = 1;  // how much deeper than a reference to it its parts go
    bool made = false;
    bool has_marks = false;
    bool walked = false;
    // What a typed value is made of. Serializers refer to such a node once; through a second
    // reference the reference implementation may come upon it half read, which the exact way knows.
    bool is_payload = false;
  };

  // A reference from a part of a node, or from the payload of a record that is such a part.
  struct Edge {
    NodeNumber to;
    std::uint32_t depth;  // from one reference to the other
  };

  // A list of parts, some of which are marks. Each `step`th one may be: the others are keys.
  struct Marked {
    ValueView* slots;
    std::uint32_t count;
    std::uint32_t step;
  };

  static ValueView mark_of(NodeNumber number) {
    return detail::ValueAccess::text(Kind::symbol, nullptr, number, mark_detail);
  }
  static bool is_mark(ValueView value) {
    return value.is_symbol() && detail::ValueAccess::detail(value) == mark_detail;
  }
  static NodeNumber number_of(ValueView mark) {
    return static_cast<NodeNumber>(mark.symbol_key().size());
  }

  json::TakenObject take_node(const char* at, const char* end);
  json::TakenObject take_record(const char* at, const char* end);
  // Past "obj_7" and its quote, or nullptr.
  const char* node_id(const char* at, const char* end, NodeNumber& number);
  void part(ValueView value);
  void reference(NodeNumber number);
  void open_node(Role role, NodeNumber number, const void* data = nullptr);
  void end_node(const Open& node);
  void end_typed_node(const Open& node);
  void end_record(const Open& record);
  std::optional<ValueView> map_of(ValueView payload, bool& has_marks);
  void claim_payload(TypeKind kind, ValueView payload);
  void add_marked(std::span<const ValueView> slots, std::uint32_t step);
  bool resolve_marks();
  bool walk();
  Node& current() { return nodes_[number_]; }
  void stop() { stopped_ = true; }

  static constexpr std::uint8_t mark_detail = 0xff;

  ValueBuilder& builder_;
  const Registry& registry_;
  Reviver& reviver_;
  std::size_t max_depth_;
  std::size_t max_nodes_;

  BudgetVector<Open> open_;
  std::span<const Member> shape_;  // of the last object that was a node
  BudgetVector<Node> nodes_;       // by the numbers of their ids; 0 is the root
  BudgetVector<Edge> edges_;
  BudgetVector<Marked> marked_;
  NodeNumber number_ = 0;       // of the node that is being read
  NodeNumber next_number_ = 0;  // of the node whose key was read last
  bool has_marks_ = false;      // so has the node that is being read
  bool stopped_ = false;
};

}  // namespace cordon::rich
