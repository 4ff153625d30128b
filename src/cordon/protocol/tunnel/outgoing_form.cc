#include "cordon/protocol/tunnel/outgoing_form.h"

#include <algorithm>
#include <unordered_set>
#include <utility>

#include "cordon/builder.h"
#include "cordon/protocol/tunnel/part_head.h"

namespace cordon::tunnel {
namespace {

// As browsers write it.
std::string quoted(std::string_view text) {
  std::string out = "\"";
  for (const char c : text) {
    if (c == '"') {
      out += "%22";
    } else if (c == '\r') {
      out += "%0D";
    } else if (c == '\n') {
      out += "%0A";
    } else {
      out += c;
    }
  }
  return out + '"';
}

bool has_control(std::string_view text) {
  return std::ranges::any_of(
      text, [](char c) { return static_cast<unsigned char>(c) < ' ' || c == 0x7F; });
}

}  // namespace

Value file_placeholder(const OutgoingFile& file, const Value& extra) {
  Builder builder;
  std::vector<Builder::Field> meta = {{"name", builder.string(file.name)},
                                      {"type", builder.string(file.type)}};
  if (file.bytes) meta.push_back({"size", ValueView(*file.bytes)});
  if (!extra.is_undefined()) meta.push_back({"extra", builder.part(extra)});
  const ValueView described = builder.object(meta);
  return builder.finish(builder.object({{"$runnerFile", builder.string("File")},
                                        {"id", builder.string(file.id)},
                                        {"meta", described}}));
}

Result<std::vector<BodyPart>> form_of(std::string manifest, std::span<const OutgoingFile> files,
                                      std::string_view boundary) {
  if (!boundary_of("multipart/form-data; boundary=" + quoted(boundary)))
    return fail(ErrorCode::invalid_argument, "the boundary has 1 to 70 letters, digits or dashes");
  const std::string delimiter = "\r\n--" + std::string(boundary);
  std::vector<BodyPart> parts;
  std::string text = delimiter.substr(2) +
                     "\r\nContent-Disposition: form-data; name=\"__manifest\"\r\n"
                     "Content-Type: application/json; charset=utf-8\r\n\r\n" +
                     std::move(manifest);
  std::unordered_set<std::string_view> ids;
  for (std::size_t i = 0; i < files.size(); ++i) {
    const OutgoingFile& file = files[i];
    if (file.id.empty() || has_control(file.id) || has_control(file.type))
      return fail(ErrorCode::invalid_argument, "a file has an id and a type without controls");
    if (!ids.insert(file.id).second)
      return fail(ErrorCode::invalid_argument, "two files have the id " + file.id);
    text += delimiter + "\r\nContent-Disposition: form-data; name=" + quoted("file:" + file.id) +
            "; filename=" + quoted(file.name) + "\r\nContent-Type: " + file.type + "\r\n\r\n";
    parts.emplace_back(std::exchange(text, {}));
    parts.emplace_back(FileBytes{i});
  }
  parts.emplace_back(text + delimiter + "--\r\n");
  return parts;
}

}  // namespace cordon::tunnel
