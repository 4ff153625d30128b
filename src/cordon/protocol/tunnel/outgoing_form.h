#pragma once

// A multipart body as a client sends it: the manifest, then each file. The sender supplies the
// bytes of the files.

#include <cstddef>
#include <cstdint>
#include <optional>
#include <span>
#include <string>
#include <string_view>
#include <variant>
#include <vector>

#include "cordon/result.h"
#include "cordon/value.h"

namespace cordon::tunnel {

struct OutgoingFile {
  std::string id = {};
  std::string name = "upload";
  std::string type = "application/octet-stream";
  std::optional<std::uint64_t> bytes = {};  // nothing if it is not known yet
};

// What stands for a file in an input. `extra` is any object of the caller's, or undefined.
Value file_placeholder(const OutgoingFile& file, const Value& extra = {});

// The bytes of a file, by its place among the files; of an octet body: all of it.
struct FileBytes {
  std::size_t file = 0;

  friend bool operator==(const FileBytes&, const FileBytes&) = default;
};
using BodyPart = std::variant<std::string, FileBytes>;

// ErrorCode::invalid_argument where a file's name or type, or the boundary, cannot stand in a head,
// or two files have one id.
Result<std::vector<BodyPart>> form_of(std::string manifest, std::span<const OutgoingFile> files,
                                      std::string_view boundary);

}  // namespace cordon::tunnel
