#pragma once

// A cache on disk for the machine code of plugins, to which only its owner can write.
//
// Machine code from a file runs with all rights of the process that loads it, so a cache is a
// target. This one is a folder that only its owner may enter (0700, checked). Each entry is named
// by a keyed hash of the module and of everything that the code depends on, and carries a keyed
// hash of its content. The secret lies in the folder. An entry that does not match is not used, and
// a folder that others can enter is not used at all.

#include <optional>
#include <string>
#include <string_view>

#include "cordon/bytes.h"
#include "cordon/result.h"

namespace cordon::sandbox {

class CodeCache {
 public:
  // Makes the folder if it does not exist, and those above it.
  static Result<CodeCache> open(const std::string& folder);
  ~CodeCache();
  CodeCache(CodeCache&& other) noexcept;
  CodeCache& operator=(CodeCache&&) = delete;

  // The name of the entry for these bytes and this kind of code.
  std::string name_of(std::string_view kind, BytesView wasm) const;
  std::optional<Bytes> load(const std::string& name) const;
  // Stores an entry in one step, so that a reader sees all of it or nothing. Drops the oldest
  // entries to make room.
  Result<> store(const std::string& name, BytesView code) const;

 private:
  using Key = Bytes;
  CodeCache(int folder, Key key) : folder_(folder), key_(std::move(key)) {}

  int folder_;
  Key key_;
};

// $XDG_CACHE_HOME/cordon/plugins or ~/.cache/cordon/plugins; empty if neither is known.
std::string default_code_cache_folder();

}  // namespace cordon::sandbox
