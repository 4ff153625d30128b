// Any bytes as the body of a multipart request: the same fields and files come out wherever the
// bytes are cut, no limit is passed, and a manifest among them can be read or is refused.

#include <cstddef>
#include <cstdint>
#include <string>

#include "bounded.h"
#include "require.h"
#include "url_tables.h"

#include "cordon/base/bytes.h"
#include "cordon/codec/rich/testing/stand_ins.h"
#include "cordon/protocol/tunnel/manifest.h"
#include "cordon/protocol/tunnel/multipart.h"

namespace {

using namespace cordon;
using namespace cordon::tunnel;

using cordon::fuzz::bounded;
using cordon::fuzz::require;

constexpr MultipartLimits limits{.file_bytes = 64,
                                 .files = 3,
                                 .fields = 4,
                                 .field_bytes = 256,
                                 .head_bytes = 200,
                                 .outside_bytes = 100};

std::string read(BytesView bytes, std::size_t piece_bytes, std::string* manifest) {
  MultipartReader reader("b", limits);
  std::string seen;
  std::size_t file_bytes = 0;
  while (!bytes.empty()) {
    BytesView piece = bytes.first(std::min(piece_bytes, bytes.size()));
    bytes = bytes.subspan(piece.size());
    for (;;) {
      const auto event = reader.next(piece);
      if (!event) return seen + "fault " + std::to_string(static_cast<int>(event.error()));
      if (std::holds_alternative<NeedMore>(*event)) break;
      if (const auto* const field = std::get_if<Field>(&*event)) {
        require(field->value.size() <= limits.field_bytes, "the limit of a field");
        seen += "field " + field->name + "=" + field->value + "\n";
        if (manifest != nullptr && field->name == manifest_name) *manifest = field->value;
      } else if (const auto* const begin = std::get_if<FileBegin>(&*event)) {
        seen += "file " + begin->head.name + " " + begin->head.file_name.value_or("-") + " " +
                begin->head.content_type.value_or("-") + ":";
        file_bytes = 0;
      } else if (const auto* const data = std::get_if<FileData>(&*event)) {
        require(!data->bytes.empty(), "data is not empty");
        file_bytes += data->bytes.size();
        require(file_bytes <= limits.file_bytes, "the limit of a file");
        seen += as_text(data->bytes);
      } else {
        seen += "\n";
      }
    }
    require(piece.empty(), "all of a piece is read");
  }
  return seen + (reader.is_complete() ? "complete" : reader.is_in_file() ? "in file" : "cut");
}

void check_manifest(std::string_view text) {
  static const rich::StandInRegExps regexps;
  static const rich::Serializer serializer({}, regexps);
  auto manifest = bounded(text.size(), [&] { return Manifest::parse(serializer, text); });
  if (!manifest) return;
  const auto files = manifest->files();
  const Value input = (*std::move(manifest)).hydrated([](const std::string&) { return nullptr; });
  for (const Manifest::File& file : files) {
    ValueView at = input;
    for (const auto& piece : file.path) {
      const auto* const index = std::get_if<std::size_t>(&piece);
      at = index != nullptr ? at.at(*index) : at.find(std::get<std::string>(piece));
    }
    require(at.find("name").is_string() && at.find("type").is_string(), "a file is described");
  }
}

}  // namespace

// The name and signature are libFuzzer's.
// NOLINTNEXTLINE(readability-identifier-naming)
extern "C" int LLVMFuzzerTestOneInput(const std::uint8_t* data, std::size_t size) {
  const BytesView bytes(data, size);
  std::string manifest;
  const std::string whole =
      bounded(size, [&] { return read(bytes, std::max<std::size_t>(size, 1), &manifest); });
  require(read(bytes, 1, nullptr) == whole, "the same byte by byte");
  if (size > 0) require(read(bytes, 1 + data[size - 1], nullptr) == whole, "the same in pieces");
  if (!manifest.empty()) check_manifest(manifest);
  check_manifest(as_text(bytes));
  (void)boundary_of(as_text(bytes));
  (void)parse_part_head(as_text(bytes));
  return 0;
}
