#pragma once

// The files of a folder, and of the folders below it, as modules. A name never leads out of the
// folder, neither by `..` nor by a symbolic link, even if the folder changes meanwhile: the kernel
// checks it while it opens the file. Other files that lie beside scripts, such as secrets, cannot
// be imported: the ending of the name decides, and hidden files never can.

#include <cstddef>
#include <string>
#include <string_view>
#include <vector>

#include "cordon/js/import_kind.h"
#include "cordon/result.h"

namespace cordon::host {

class ModuleFolder {
 public:
  // Nothing is opened before the first use. An empty path means that there is no folder.
  // `private_files` cannot be read, whatever other names lead to them.
  explicit ModuleFolder(std::string path, std::vector<std::string> private_files = {})
      : path_(std::move(path)), private_files_(std::move(private_files)) {}

  bool exists() const { return !path_.empty(); }

  // Reads a file such as "lib/a.js", without `.` and `..`, as it is. Fails with
  // ErrorCode::not_found and the reason, or ErrorCode::too_large.
  Result<std::string> read(const std::string& name, js::ImportKind kind,
                           std::size_t max_bytes) const;
  // Succeeds if there is such a file; otherwise fails as read() does.
  Result<> find(const std::string& name, js::ImportKind kind) const;

  // Up to `most` names that may be imported so, sorted, for messages.
  std::vector<std::string> some_names(std::size_t most, js::ImportKind kind) const;

 private:
  std::string path_;
  std::vector<std::string> private_files_;
};

}  // namespace cordon::host
