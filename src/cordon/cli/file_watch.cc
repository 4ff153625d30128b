#include "cordon/cli/file_watch.h"

#include <array>
#include <filesystem>
#include <poll.h>
#include <set>
#include <sys/eventfd.h>
#include <sys/inotify.h>
#include <unistd.h>
#include <utility>

namespace cordon::cli {
namespace {

constexpr std::size_t max_folders = 1000;
constexpr int quiet_milliseconds = 50;
constexpr std::uint32_t changes =
    IN_CLOSE_WRITE | IN_CREATE | IN_DELETE | IN_MOVED_FROM | IN_MOVED_TO;

std::set<std::string> with_those_below(const std::vector<std::string>& folders) {
  std::set<std::string> all(folders.begin(), folders.end());
  for (const std::string& folder : folders) {
    std::error_code error;
    using Walk = std::filesystem::recursive_directory_iterator;
    const auto options = std::filesystem::directory_options::skip_permission_denied;
    for (Walk at(folder, options, error), end; !error && at != end; at.increment(error)) {
      if (all.size() >= max_folders) return all;
      std::error_code ignored;
      if (!at->is_directory(ignored) || at->is_symlink(ignored)) continue;
      // People do not edit these by hand, and they may be huge.
      const std::string name = at->path().filename().string();
      if (name == "node_modules" || name.starts_with('.')) {
        at.disable_recursion_pending();
        continue;
      }
      all.insert(at->path().string());
    }
  }
  return all;
}

}  // namespace

Result<std::unique_ptr<FileWatch>> FileWatch::create(const std::vector<std::string>& folders,
                                                     std::function<void()> on_change) {
  const int events = inotify_init1(IN_CLOEXEC | IN_NONBLOCK);
  if (events < 0) return fail(ErrorCode::unavailable, "files cannot be watched on this machine");
  for (const std::string& folder : with_those_below(folders)) {
    inotify_add_watch(events, folder.c_str(), changes);
  }
  return std::unique_ptr<FileWatch>(new FileWatch(events, std::move(on_change)));
}

FileWatch::FileWatch(int events, std::function<void()> on_change)
    : events_(events), over_(eventfd(0, EFD_CLOEXEC)), on_change_(std::move(on_change)) {
  thread_ = std::thread([this] { watch(); });
}

FileWatch::~FileWatch() {
  eventfd_write(over_, 1);
  thread_.join();
  close(events_);
  close(over_);
}

void FileWatch::watch() {
  bool has_changed = false;
  for (;;) {
    pollfd ready[2] = {{events_, POLLIN, 0}, {over_, POLLIN, 0}};
    const int count = poll(ready, 2, has_changed ? quiet_milliseconds : -1);
    if (count < 0) continue;
    if (ready[1].revents != 0) return;
    if (count == 0) {
      has_changed = false;
      on_change_();
      continue;
    }
    // Which file it was does not matter.
    std::array<char, 4096> events;
    while (read(events_, events.data(), events.size()) > 0) has_changed = true;
  }
}

}  // namespace cordon::cli
