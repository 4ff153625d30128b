#include "cordon/config/document.h"

#include <unordered_set>
#include <utility>

#include "cordon/base/number_text.h"
#include "cordon/codec/json/parser.h"

namespace cordon::config {
namespace {

// Builds the tree for json::Parser.
class NodeSink {
 public:
  static constexpr bool keeps_text = true;

  explicit NodeSink(Document& document) : document_(document) {}

  void at(std::size_t offset) { offset_ = offset; }
  void begin_array() { open(Node::Kind::array); }
  void begin_object() { open(Node::Kind::object); }
  void end_array() { close(); }
  void end_object() {
    std::unordered_set<std::string_view> keys;
    for (const KeyedNode& member : open_.back().node.members) {
      if (keys.insert(member.key).second) continue;
      document_.mistakes.push_back(
          {member.key_offset, "the key \"" + member.key + "\" is there twice; remove one of them"});
    }
    close();
  }
  const char* expected_key(const char*, const char*) { return nullptr; }
  void key(std::string_view key, bool) {
    open_.back().key = key;
    open_.back().key_offset = offset_;
  }
  void text(std::string_view text) {
    Node node = made(Node::Kind::string);
    node.text = text;
    put(std::move(node));
  }
  void number(double number) {
    Node node = made(Node::Kind::number);
    node.number = number;
    put(std::move(node));
  }
  void boolean(bool boolean) {
    Node node = made(Node::Kind::boolean);
    node.boolean = boolean;
    put(std::move(node));
  }
  void null() { put(made(Node::Kind::null)); }

 private:
  struct Open {
    Node node;
    std::string key;  // whose value comes next
    std::size_t key_offset = 0;
  };

  Node made(Node::Kind kind) const {
    Node node;
    node.kind = kind;
    node.offset = offset_;
    return node;
  }

  void open(Node::Kind kind) { open_.push_back({made(kind), {}, 0}); }

  void close() {
    Node node = std::move(open_.back().node);
    open_.pop_back();
    put(std::move(node));
  }

  void put(Node node) {
    if (open_.empty()) {
      document_.root = std::move(node);
      return;
    }
    Open& parent = open_.back();
    if (parent.node.kind == Node::Kind::array) {
      parent.node.items.push_back(std::move(node));
    } else {
      parent.node.members.push_back({std::move(parent.key), parent.key_offset, std::move(node)});
    }
  }

  Document& document_;
  std::size_t offset_ = 0;
  std::vector<Open> open_;
};

// What the parser expected is not always what helps.
std::string reason_of(std::string_view reason, std::string_view text, std::size_t offset) {
  const std::string_view rest = text.substr(std::min(offset, text.size()));
  if (rest.starts_with('}') && reason == "expected a key") {
    return "expected a key; no comma stands before '}'";
  }
  if (rest.starts_with(']') && reason == "expected a value") {
    return "expected a value; no comma stands before ']'";
  }
  if (rest.starts_with('\'')) {
    return std::string(reason) + "; text stands in double quotes";
  }
  return std::string(reason);
}

}  // namespace

const Node* Node::find(std::string_view key) const {
  for (const KeyedNode& member : members) {
    if (member.key == key) return &member.value;
  }
  return nullptr;
}

std::string describe(const Node& node) {
  switch (node.kind) {
    case Node::Kind::null:
      return "null";
    case Node::Kind::boolean:
      return node.boolean ? "true" : "false";
    case Node::Kind::number: {
      NumberBuffer buffer;
      return "the number " + std::string(number_to_text(node.number, buffer));
    }
    case Node::Kind::string:
      return "a string";
    case Node::Kind::array:
      return "a list";
    case Node::Kind::object:
      return "an object";
  }
  std::unreachable();
}

// Recursion is as deep as read_document lets a document be.
Value value_of(const Node& node) {
  switch (node.kind) {
    case Node::Kind::null:
      return nullptr;
    case Node::Kind::boolean:
      return node.boolean;
    case Node::Kind::number:
      return node.number;
    case Node::Kind::string:
      return node.text;
    case Node::Kind::array: {
      std::vector<Value> items;
      for (const Node& item : node.items) items.push_back(value_of(item));
      return Value::array_from(items);
    }
    case Node::Kind::object: {
      std::vector<Value::Field> fields;
      for (const KeyedNode& member : node.members) {
        fields.push_back({member.key, value_of(member.value)});
      }
      return Value::object_from(fields);
    }
  }
  std::unreachable();
}

Document read_document(std::string_view text) {
  Document document;
  if (text.size() > max_document_bytes) {
    document.mistakes.push_back({0, "the file is larger than 4 MiB"});
    return document;
  }
  // Some editors begin a file with a byte order mark. Its place is left blank, so that offsets
  // stay.
  std::string without_mark;
  if (text.starts_with("\xef\xbb\xbf")) {
    without_mark = "   " + std::string(text.substr(3));
    text = without_mark;
  }
  NodeSink sink(document);
  json::Parser<NodeSink> parser(
      text, {.max_depth = max_document_depth, .comments = json::Comments::allowed}, sink);
  document.is_read = parser.run();
  if (!document.is_read) {
    document.mistakes.push_back(
        {parser.offset(), reason_of(parser.reason(), text, parser.offset())});
  }
  return document;
}

}  // namespace cordon::config
