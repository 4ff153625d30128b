#pragma once

// What the headers of a multipart body and of its parts say (RFC 7578, with what clients make of
// it).

#include <optional>
#include <string>
#include <string_view>

namespace cordon::tunnel {

// The boundary in a Content-Type, 1 to 70 characters of those that RFC 2046 allows.
std::optional<std::string> boundary_of(std::string_view content_type);

struct PartHead {
  std::string name = {};
  std::optional<std::string> file_name = {};  // without the folders of the client's machine
  std::optional<std::string> content_type = {};

  // The manifest is a field whatever else its headers say, `file:ID` is a file, and of the others
  // those that have a file's name are.
  bool is_file() const;

  friend bool operator==(const PartHead&, const PartHead&) = default;
};

inline constexpr std::string_view manifest_name = "__manifest";
inline constexpr std::string_view file_prefix = "file:";

// Header lines with their line ends, the empty one left out. Nothing where they are malformed or
// name no part.
std::optional<PartHead> parse_part_head(std::string_view lines);

}  // namespace cordon::tunnel
