#include "cordon/server/service_manager.h"

#include <charconv>
#include <cstddef>
#include <cstdint>
#include <cstdlib>
#include <cstring>
#include <ctime>
#include <sys/socket.h>
#include <sys/un.h>
#include <unistd.h>
#include <utility>

namespace cordon::server {
namespace {

std::string take_variable(const char* name) {
  const char* const value = std::getenv(name);
  std::string taken = value == nullptr ? "" : value;
  unsetenv(name);
  return taken;
}

std::optional<std::uint64_t> number_of(std::string_view text) {
  std::uint64_t number = 0;
  const char* const end = text.data() + text.size();
  const auto parsed = std::from_chars(text.data(), end, number);
  if (text.empty() || parsed.ec != std::errc() || parsed.ptr != end) return std::nullopt;
  return number;
}

// systemd takes no earlier reload for the one that it asked for.
std::uint64_t monotonic_microseconds() {
  timespec now{};
  clock_gettime(CLOCK_MONOTONIC, &now);
  return static_cast<std::uint64_t>(now.tv_sec) * 1'000'000 +
         static_cast<std::uint64_t>(now.tv_nsec) / 1000;
}

// A status is one line.
std::string one_line(std::string_view text) {
  std::string line;
  for (const char c : text) line += static_cast<unsigned char>(c) < ' ' ? ' ' : c;
  return line;
}

}  // namespace

ServiceManagerOptions ServiceManagerOptions::take_from_environment() {
  ServiceManagerOptions options{.socket = take_variable("NOTIFY_SOCKET")};
  const std::optional<std::uint64_t> period = number_of(take_variable("WATCHDOG_USEC"));
  const std::string of_process = take_variable("WATCHDOG_PID");
  const bool is_us = of_process.empty() || of_process == std::to_string(getpid());
  constexpr std::uint64_t longest = std::uint64_t{1} << 52;
  if (is_us && period && *period > 0 && *period < longest)
    options.watchdog = std::chrono::microseconds(*period);
  return options;
}

ServiceManager::ServiceManager(ServiceManagerOptions options, IsAlive is_alive)
    : options_(std::move(options)), is_alive_(std::move(is_alive)) {}

ServiceManager::~ServiceManager() {
  {
    const std::lock_guard lock(mutex_);
    is_over_ = true;
  }
  wake_.notify_one();
  if (thread_.joinable()) thread_.join();
}

void ServiceManager::ready(std::string_view status) {
  if (options_.socket.empty()) return;
  const std::lock_guard lock(mutex_);
  if (is_stopping_) return;
  send("READY=1\nSTATUS=" + one_line(status) + "\n");
  if (options_.watchdog && !thread_.joinable()) thread_ = std::thread([this] { give_signs(); });
}

void ServiceManager::reloading() {
  const std::lock_guard lock(mutex_);
  if (is_stopping_) return;
  send("RELOADING=1\nMONOTONIC_USEC=" + std::to_string(monotonic_microseconds()) + "\n");
}

void ServiceManager::stopping() {
  const std::lock_guard lock(mutex_);
  is_stopping_ = true;
  send("STOPPING=1\nSTATUS=requests under way are finished\n");
}

// Twice as often as needed, as sd_watchdog_enabled(3) has it. The question may take half of what is
// left of the time.
void ServiceManager::give_signs() {
  const auto period = *options_.watchdog / 2;
  const auto within = std::chrono::ceil<std::chrono::milliseconds>(period / 2);
  std::unique_lock lock(mutex_);
  do {
    const bool asks = is_alive_ && !is_stopping_;
    lock.unlock();
    if (!asks || is_alive_(within)) send("WATCHDOG=1\n");
    lock.lock();
  } while (!wake_.wait_for(lock, period, [this] { return is_over_; }));
}

void ServiceManager::send(const std::string& lines) const {
  sockaddr_un address{};
  address.sun_family = AF_UNIX;
  const std::string& path = options_.socket;
  if (path.empty() || (path[0] != '/' && path[0] != '@') || path.size() >= sizeof address.sun_path)
    return;
  std::memcpy(address.sun_path, path.data(), path.size());
  // An abstract name begins with a NUL and has no end: its length says where it is.
  if (path[0] == '@') address.sun_path[0] = '\0';
  const std::size_t size = offsetof(sockaddr_un, sun_path) + path.size() + (path[0] == '@' ? 0 : 1);
  const int descriptor = socket(AF_UNIX, SOCK_DGRAM | SOCK_CLOEXEC, 0);
  if (descriptor < 0) return;
  (void)sendto(descriptor, lines.data(), lines.size(), MSG_NOSIGNAL,
               reinterpret_cast<const sockaddr*>(&address), static_cast<socklen_t>(size));
  close(descriptor);
}

}  // namespace cordon::server
