#pragma once

// Says when something in some folders has changed, for `cordon serve --dev`.

#include <functional>
#include <memory>
#include <string>
#include <thread>
#include <vector>

#include "cordon/result.h"

namespace cordon::cli {

class FileWatch {
 public:
  // Watches the folders and those below them, up to a bound. `on_change` is called by a thread of
  // this object, once for changes that come within a moment, as editors make them.
  static Result<std::unique_ptr<FileWatch>> create(const std::vector<std::string>& folders,
                                                   std::function<void()> on_change);
  ~FileWatch();
  FileWatch(const FileWatch&) = delete;
  FileWatch& operator=(const FileWatch&) = delete;

 private:
  FileWatch(int events, std::function<void()> on_change);
  void watch();

  int events_;
  int over_;
  std::function<void()> on_change_;
  std::thread thread_;
};

}  // namespace cordon::cli
