#include "cordon/protocol/tunnel/manifest.h"

#include <unordered_set>
#include <utility>

#include "cordon/protocol/tunnel/limits.h"
#include "cordon/value/bodies.h"
#include "cordon/value/key_index.h"
#include "cordon/value/value_builder.h"

namespace cordon::tunnel {
namespace {

// Defaults for a file that neither the manifest nor its part describes, as in Runner's own server.
constexpr std::string_view file_name = "upload";
constexpr std::string_view file_type = "application/octet-stream";

bool stands_for_file(ValueView value) {
  return value.is_object() && value.find("$runnerFile") == "File" && value.find("id").is_string();
}

// Walks objects and arrays, each once. Text is no deeper than the serializer's limit, but a graph
// may be: hence no recursion.
class FileSearch {
 public:
  explicit FileSearch(std::vector<Manifest::File>& files) : files_(files) {}

  // False where the ways to the files take too much.
  bool run(ValueView root) {
    visit(root);
    while (!open_.empty() && path_bytes_ <= max_file_path_bytes) {
      Open& top = open_.back();
      if (top.next == top.node.size()) {
        open_.pop_back();
        if (!path_.empty()) path_.pop_back();
        continue;
      }
      const std::size_t index = top.next++;
      if (top.node.is_array()) {
        path_.emplace_back(index);
        visit(top.node.items()[index]);
      } else {
        const Member& member = top.node.members()[index];
        path_.emplace_back(std::string(member.key()));
        visit(member.value);
      }
    }
    return path_bytes_ <= max_file_path_bytes;
  }

 private:
  struct Open {
    ValueView node;
    std::size_t next = 0;
  };

  // The path leads to `value`. What is opened keeps its piece of the path until it is done.
  void visit(ValueView value) {
    const bool opens = (value.is_array() || value.is_object()) && !stands_for_file(value) &&
                       seen_.insert(value.identity()).second;
    if (opens) {
      open_.push_back({value});
      return;
    }
    if (stands_for_file(value)) note(value);
    if (!path_.empty()) path_.pop_back();
  }

  void note(ValueView value) {
    const ValueView meta = value.find("meta");
    for (const auto& piece : path_) {
      const auto* const key = std::get_if<std::string>(&piece);
      path_bytes_ += sizeof piece + (key == nullptr ? 0 : key->size());
    }
    path_bytes_ += sizeof(Manifest::File);
    if (path_bytes_ > max_file_path_bytes) return;
    files_.push_back({path_, std::string(value.find("id").as_string()),
                      meta.find("name").is_string() && meta.find("type").is_string(), meta});
  }

  std::vector<Manifest::File>& files_;
  std::vector<std::variant<std::string, std::size_t>> path_;
  std::vector<Open> open_;
  std::unordered_set<const void*> seen_;
  std::size_t path_bytes_ = 0;
};

ValueView description(ValueBuilder& builder, ValueView meta, const PartHead* part) {
  const auto text_of = [&](std::string_view key, const std::optional<std::string>* from_part,
                           std::string_view otherwise) {
    const ValueView given = meta.find(key);
    if (given.is_string()) return given;
    return builder.string(from_part != nullptr && *from_part ? std::string_view(**from_part)
                                                             : otherwise);
  };
  std::vector<Member> members;
  const auto add = [&](std::string_view key, ValueView value) {
    if (!value.is_undefined()) members.push_back({builder.string(key), value});
  };
  add("name", text_of("name", part == nullptr ? nullptr : &part->file_name, file_name));
  add("type", text_of("type", part == nullptr ? nullptr : &part->content_type, file_type));
  for (const std::string_view key : {"size", "lastModified", "extra"}) add(key, meta.find(key));
  return builder.object(members, Keys::distinct);
}

// Where a path leads to, in a document of this builder.
ValueView* slot_of(ValueBuilder& builder, ValueView& root,
                   const std::vector<std::variant<std::string, std::size_t>>& path) {
  ValueView* slot = &root;
  for (const auto& piece : path) {
    if (const auto* const index = std::get_if<std::size_t>(&piece)) {
      slot = &builder.items_of(*slot)[*index];
      continue;
    }
    const detail::MembersBody& body = detail::ValueAccess::members(*slot);
    slot = &builder.members_of(*slot)[find_key(body, std::get<std::string>(piece))].value;
  }
  return slot;
}

}  // namespace

std::expected<Manifest, Refusal> Manifest::parse(const rich::Serializer& serializer,
                                                 std::string_view text,
                                                 const rich::ParseOptions& options,
                                                 std::string* failure) {
  Result<Value> document = serializer.parse(text, options);
  if (!document) {
    if (failure != nullptr && document.error().code == ErrorCode::too_large)
      *failure = document.error().message;
    return std::unexpected(invalid_manifest());
  }
  if (!document->is_object()) return std::unexpected(missing_manifest());
  Manifest manifest;
  manifest.document_ = *std::move(document);
  manifest.input_ = manifest.document_.find("input");
  if (!FileSearch(manifest.files_).run(manifest.input_)) {
    if (failure != nullptr) *failure = "the manifest names files in too many places";
    return std::unexpected(invalid_manifest());
  }
  return manifest;
}

Value Manifest::hydrated(const std::function<const PartHead*(const std::string& id)>& part_of) && {
  if (files_.empty()) return document_.share(input_);
  // The document is not shared yet, so it may be changed in place.
  ValueBuilder builder;
  builder.splice(document_);
  ValueView root = input_;
  for (const File& file : files_) {
    const ValueView described = description(builder, file.meta, part_of(file.id));
    *slot_of(builder, root, file.path) = described;
  }
  return builder.finish(root);
}

}  // namespace cordon::tunnel
