#pragma once

// `__manifest`: the input of a multipart request, in which objects stand for the files that come as
// parts of their own: {"$runnerFile":"File","id":…,"meta":{name,type?,size?,lastModified?,extra?}}.

#include <cstddef>
#include <expected>
#include <functional>
#include <optional>
#include <string>
#include <string_view>
#include <variant>
#include <vector>

#include "cordon/codec/rich/serializer.h"
#include "cordon/protocol/tunnel/part_head.h"
#include "cordon/protocol/tunnel/refusal.h"
#include "cordon/value.h"

namespace cordon::tunnel {

class Manifest {
 public:
  struct File {
    std::vector<std::variant<std::string, std::size_t>> path;  // in the input
    std::string id;
    bool is_described = false;  // has a name and a type of its own
    ValueView meta;             // lives as long as the manifest
  };

  // `failure` gets why a manifest past what it may cost was refused, if it is wanted.
  static std::expected<Manifest, Refusal> parse(const rich::Serializer& serializer,
                                                std::string_view text,
                                                const rich::ParseOptions& options = {},
                                                std::string* failure = nullptr);

  // In the order in which they are met. One that is shared is met once.
  const std::vector<File>& files() const { return files_; }

  // The input, with what is known about a file ({name, type, size?, lastModified?, extra?}) in its
  // place. What the manifest leaves out comes from the part; `part_of` returns null if there is
  // none yet. Dates, Maps and everything else stay as they are. Call it once.
  Value hydrated(const std::function<const PartHead*(const std::string& id)>& part_of) &&;

 private:
  Value document_;
  ValueView input_;
  std::vector<File> files_;
};

}  // namespace cordon::tunnel
