#pragma once

// The exact way of reading: turns a JSON document, already parsed into the builder, into the value
// that it stands for. The document is changed in place, so that most nodes stay as they were
// parsed.
//
// It walks depth first and in order, as the reference implementation does. It ignores what the
// reference ignores: nodes that are never referred to, and what lies under unsafe keys or beside
// the value of a typed record.

#include <cstddef>
#include <string_view>
#include <vector>

#include "cordon/base/budget_allocator.h"
#include "cordon/codec/rich/locate.h"
#include "cordon/codec/rich/registry.h"
#include "cordon/codec/rich/reviver.h"
#include "cordon/codec/rich/serializer.h"
#include "cordon/result.h"
#include "cordon/value.h"
#include "cordon/value/value_builder.h"

namespace cordon::rich {

class Resolver {
 public:
  // `max_parts` bounds the work; see Reviver.
  Resolver(ValueBuilder& builder, const Registry& registry, const Options& options,
           std::size_t max_parts, const RegExpOracle& regexps)
      : builder_(builder),
        registry_(registry),
        max_depth_(options.max_depth),
        reviver_(builder, options, max_parts, regexps),
        nodes_(builder.budget()),
        frames_(builder.budget()) {}

  // False if it breaks a rule; then error() tells which and path() where.
  bool run(ValueView document);

  ValueView value() const { return result_; }
  const Error& error() const { return error_; }
  std::vector<PathStep> path() const;

 private:
  enum class Step : std::uint8_t {
    parts,       // elements or members
    record,      // the value of an inline typed record
    node_parts,  // the same for a node of a graph
    node_record,
  };

  // A container or a typed value whose parts are still being read. A typed value has one part, its
  // payload, which comes in result_; so it has neither a source nor a target.
  struct Frame {
    Step step;
    bool changes_keys = false;          // some keys are unsafe or escaped
    std::uint32_t stride = 1;           // 1 for elements, 2 for members: name and value
    const ValueView* source = nullptr;  // the parts as they were parsed
    ValueView* target = nullptr;        // where they go: the same place, unless it is a node
    std::size_t size = 1;
    std::size_t next = 0;
    std::size_t depth;           // the depth of the parts
    ValueView made = {};         // the container, or what stands for a typed node while it is open
    const Type* type = nullptr;  // the type of a typed value
    std::size_t node = 0;        // the position of a node in the graph
  };

  enum class NodeState : std::uint8_t { untouched, open, done };

  struct Node {
    NodeState state = NodeState::untouched;
    bool circular = false;  // referred to while it was open
    ValueView value;
  };

  bool visit(ValueView value, std::size_t depth);
  bool visit_array(ValueView array, std::size_t depth);
  bool visit_object(ValueView object, std::size_t depth);
  bool visit_record(ValueView record, std::string_view id, std::size_t depth);
  bool visit_reference(ValueView reference, std::size_t depth);
  bool open_node(std::size_t position, ValueView node, std::size_t depth);
  bool open_array_node(std::size_t position, ValueView raw, std::size_t depth);
  bool open_object_node(std::size_t position, ValueView raw, std::size_t depth);
  bool open_typed_node(std::size_t position, ValueView node, std::size_t depth);

  bool step();
  bool finish(const Frame& frame);
  bool finish_typed_node(const Frame& frame);
  Result<ValueView> merge(const Type& type, const Node& node, ValueView opened, ValueView made);
  ValueView with_changed_keys(const Frame& frame);

  std::size_t find_node(std::string_view id, ValueView& node) const;
  bool is_dropped(std::string_view key) const;
  bool check_depth(std::size_t depth);
  bool wrong(Error error);

  ValueBuilder& builder_;
  const Registry& registry_;
  std::size_t max_depth_;
  Reviver reviver_;

  bool graph_ = false;
  ValueView table_;  // the graph's nodes: an object, or an array as some may write it
  BudgetVector<Node> nodes_;

  BudgetVector<Frame> frames_;
  ValueView result_;
  // Whether result_ is the value that was visited last. If not, the top frame will make that value;
  // and if the frame is that of a typed value, result_ is its payload as it was parsed. The diagram
  // in resolver.cc shows how the two work together.
  bool done_ = false;
  Error error_;
};

}  // namespace cordon::rich
