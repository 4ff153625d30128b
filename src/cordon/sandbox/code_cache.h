#pragma once

// Machine code of plugins, kept on disk, where nobody else can put any.
//
// Machine code from a file runs with all rights of the process that loads it, so a cache is a way
// in. This one is a folder that only its owner may enter (0700, checked), each entry is named by a
// keyed hash of the module and of all that the code depends on, and each carries a keyed hash of
// its content under the same secret, which lies in the folder. What does not fit is not used, and a
// folder that is not ours alone is not used at all.

#include <optional>
#include <string>
#include <string_view>

#include "cordon/bytes.h"
#include "cordon/result.h"

namespace cordon::sandbox {

class CodeCache {
 public:
  // Makes the folder where it is not there; the ones above it too.
  static Result<CodeCache> open(const std::string& folder);
  ~CodeCache();
  CodeCache(CodeCache&& other) noexcept;
  CodeCache& operator=(CodeCache&&) = delete;

  // The name of an entry: of these bytes, for this kind of code.
  std::string name_of(std::string_view kind, BytesView wasm) const;
  std::optional<Bytes> load(const std::string& name) const;
  // Keeps it, as one step: a reader sees all of it or nothing. The oldest entries make room.
  Result<> store(const std::string& name, BytesView code) const;

 private:
  using Key = Bytes;
  CodeCache(int folder, Key key) : folder_(folder), key_(std::move(key)) {}

  int folder_;
  Key key_;
};

// $XDG_CACHE_HOME/cordon/plugins or ~/.cache/cordon/plugins; empty where neither is known.
std::string default_code_cache_folder();

}  // namespace cordon::sandbox
