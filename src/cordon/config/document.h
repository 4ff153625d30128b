#pragma once

// A configuration file as it was written: JSON with comments, where every key and value knows its
// place.

#include <cstddef>
#include <cstdint>
#include <string>
#include <string_view>
#include <vector>

#include "cordon/value.h"

namespace cordon::config {

struct KeyedNode;

struct Node {
  enum class Kind : std::uint8_t { null, boolean, number, string, array, object };
  Kind kind = Kind::null;
  std::size_t offset = 0;  // in bytes
  bool boolean = false;
  double number = 0;
  std::string text;
  std::vector<Node> items;
  std::vector<KeyedNode> members;

  // A member's value, or null. Of duplicate keys the first, the others are mistakes.
  const Node* find(std::string_view key) const;
};

struct KeyedNode {
  std::string key;
  std::size_t key_offset = 0;
  Node value;
};

// "a string", "the number 7", …
std::string describe(const Node& node);
Value value_of(const Node& node);

struct SyntaxMistake {
  std::size_t offset = 0;
  std::string reason;
};

struct Document {
  Node root;
  std::vector<SyntaxMistake> mistakes;  // with one of grammar there is no root
  bool is_read = false;
};

constexpr std::size_t max_document_bytes = std::size_t{4} << 20;
constexpr std::size_t max_document_depth = 100;

Document read_document(std::string_view text);

}  // namespace cordon::config
