#pragma once

// The files of a folder, and of the folders below it, as modules. A name never leads out of the
// folder, neither by `..` nor by a symbolic link, whatever else changes there meanwhile: the kernel
// sees to it while it opens the file. What else lies beside scripts, such as secrets, is no module:
// the ending of a name decides, and nothing hidden is one.

#include <cstddef>
#include <string>
#include <string_view>
#include <vector>

#include "cordon/result.h"

namespace cordon::host {

class ModuleFolder {
 public:
  // Nothing is opened before the first use. An empty path: there is no folder. Of its files
  // `private_files` cannot be had, whatever other names lead to them.
  explicit ModuleFolder(std::string path, std::vector<std::string> private_files = {})
      : path_(std::move(path)), private_files_(std::move(private_files)) {}

  bool exists() const { return !path_.empty(); }

  // Of a file: "lib/a.js", without `.` and `..`. ErrorCode::not_found with the reason where it
  // cannot be had; ErrorCode::too_large; ErrorCode::invalid_utf8.
  Result<std::string> read(const std::string& name, std::size_t max_bytes) const;
  // Whether there is such a file; the error of read() where not.
  Result<> find(const std::string& name) const;

  // Modules, sorted, for a message to people. Not more than `most`.
  std::vector<std::string> some_names(std::size_t most) const;

 private:
  std::string path_;
  std::vector<std::string> private_files_;
};

}  // namespace cordon::host
