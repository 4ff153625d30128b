#pragma once

// The files of a folder, and of the folders below it, as modules. A name never leads out of the
// folder, neither by `..` nor by a symbolic link, even if the folder changes meanwhile: the kernel
// checks it while it opens the file. Other files that lie beside scripts, such as secrets, are not
// modules: the ending of the name decides, and hidden files never are.

#include <cstddef>
#include <string>
#include <string_view>
#include <vector>

#include "cordon/result.h"

namespace cordon::host {

class ModuleFolder {
 public:
  // Nothing is opened before the first use. An empty path means that there is no folder.
  // `private_files` cannot be read, whatever other names lead to them.
  explicit ModuleFolder(std::string path, std::vector<std::string> private_files = {})
      : path_(std::move(path)), private_files_(std::move(private_files)) {}

  bool exists() const { return !path_.empty(); }

  // Reads a file such as "lib/a.js", without `.` and `..`. Fails with ErrorCode::not_found and the
  // reason, ErrorCode::too_large, or ErrorCode::invalid_utf8.
  Result<std::string> read(const std::string& name, std::size_t max_bytes) const;
  // Succeeds if there is such a file; otherwise fails as read() does.
  Result<> find(const std::string& name) const;

  // Up to `most` module names, sorted, for messages.
  std::vector<std::string> some_names(std::size_t most) const;

 private:
  std::string path_;
  std::vector<std::string> private_files_;
};

}  // namespace cordon::host
