#include "cordon/runners/socket.h"

#include <algorithm>
#include <atomic>
#include <cerrno>
#include <chrono>
#include <cstring>
#include <mutex>
#include <netinet/in.h>
#include <netinet/tcp.h>
#include <span>
#include <sys/eventfd.h>
#include <sys/socket.h>
#include <sys/un.h>
#include <system_error>
#include <thread>
#include <unistd.h>
#include <utility>

#include <netdb.h>

namespace cordon::runners {
namespace {

constexpr std::chrono::milliseconds first_retry{1};
constexpr std::chrono::milliseconds max_retry{50};
// What is larger does not fit into a Unix socket at once, and its two ends would take turns.
constexpr std::size_t large_bytes = std::size_t{96} << 10;
constexpr int room_for_large = 1 << 20;

std::string raw(const void* address, std::size_t size) {
  return {static_cast<const char*>(address), size};
}

// The addresses of a name, last first; or why there are none.
std::string find_addresses(const std::string& host, std::uint16_t port, int flags,
                           std::vector<std::string>& addresses) {
  addrinfo hints{};
  hints.ai_socktype = SOCK_STREAM;
  hints.ai_flags = flags | AI_NUMERICSERV;
  addrinfo* found = nullptr;
  const int error = getaddrinfo(host.c_str(), std::to_string(port).c_str(), &hints, &found);
  if (error != 0) return gai_strerror(error);
  for (const addrinfo* one = found; one != nullptr; one = one->ai_next)
    addresses.insert(addresses.begin(), raw(one->ai_addr, one->ai_addrlen));
  freeaddrinfo(found);
  return {};
}

// For people: a path, host:port, or [::1]:port.
std::string name_of(const SocketTarget& target) {
  if (!target.path.empty()) return target.path;
  const bool is_ipv6 = target.host.contains(':');
  return (is_ipv6 ? "[" + target.host + "]" : target.host) + ":" + std::to_string(target.port);
}

}  // namespace

bool needs_lookup(const SocketTarget& target) {
  std::vector<std::string> addresses;
  return target.path.empty() && target.addresses.empty() &&
         !find_addresses(target.host, target.port, AI_NUMERICHOST, addresses).empty();
}

Result<> look_up(SocketTarget& target) {
  const std::string error = find_addresses(target.host, target.port, 0, target.addresses);
  if (error.empty()) return {};
  return cordon::fail(ErrorCode::runner_error,
                      "cannot connect to " + name_of(target) + ": " + error);
}

struct Socket::Lookup {
  Descriptor done{eventfd(0, EFD_CLOEXEC | EFD_NONBLOCK)};
  std::vector<std::string> addresses = {};
  std::string error = {};
  std::atomic<bool> is_done = false;  // after that the thread touches nothing but `done`

  void finish() {
    is_done.store(true);
    const std::uint64_t one = 1;
    if (write(done.number(), &one, sizeof one) < 0) return;  // it is full, and so can be read
  }
};

Socket::Socket(const SocketTarget& target)
    : name_(name_of(target)), retry_delay_(first_retry), has_room_(target.path.empty()) {
  begin(target);
}

Socket::~Socket() = default;

void Socket::begin(const SocketTarget& target) {
  if (!target.path.empty()) {
    sockaddr_un address{};
    address.sun_family = AF_UNIX;
    std::memcpy(address.sun_path, target.path.data(), target.path.size());
    addresses_ = {raw(&address, sizeof address)};
    return connect_next();
  }
  addresses_ = target.addresses;
  if (!addresses_.empty()) return connect_next();
  if (find_addresses(target.host, target.port, AI_NUMERICHOST, addresses_).empty())
    return connect_next();
  lookup_ = std::make_shared<Lookup>();
  // It may take longer than anybody waits.
  std::thread([lookup = lookup_, host = target.host, port = target.port] {
    lookup->error = find_addresses(host, port, 0, lookup->addresses);
    lookup->finish();
  }).detach();
}

void Socket::take_addresses() {
  if (lookup_ == nullptr || !lookup_->is_done.load()) return;
  const std::shared_ptr<Lookup> lookup = std::exchange(lookup_, nullptr);
  if (!lookup->error.empty()) return fail("cannot connect to " + name_ + ": " + lookup->error);
  addresses_ = std::move(lookup->addresses);
  connect_next();
}

void Socket::connect_next() {
  int error = EADDRNOTAVAIL;
  while (!addresses_.empty()) {
    std::string address = std::move(addresses_.back());
    addresses_.pop_back();
    const auto* const where = reinterpret_cast<const sockaddr*>(address.data());
    descriptor_ =
        Descriptor(socket(where->sa_family, SOCK_STREAM | SOCK_NONBLOCK | SOCK_CLOEXEC, 0));
    if (!descriptor_) {
      error = errno;
      continue;
    }
    const int on = 1;
    if (where->sa_family != AF_UNIX)
      setsockopt(descriptor_.number(), IPPROTO_TCP, TCP_NODELAY, &on, sizeof on);
    if (connect(descriptor_.number(), where, static_cast<socklen_t>(address.size())) == 0) {
      is_connected_ = true;
      return;
    }
    if (errno == EINPROGRESS || errno == EINTR) return;
    error = errno;
    if (error == EAGAIN && where->sa_family == AF_UNIX) return retry_later(std::move(address));
  }
  fail_connecting(error);
}

// The kernel queues connections to a port by itself, and refuses those to a Unix socket.
void Socket::retry_later(std::string address) {
  addresses_.push_back(std::move(address));
  descriptor_.close();
  retry_ = std::chrono::steady_clock::now() + retry_delay_;
  retry_delay_ = std::min<Duration>(retry_delay_ * 2, max_retry);
}

std::optional<Instant> Socket::next_time() const { return over_ ? std::nullopt : retry_; }

void Socket::check_connection() {
  if (retry_ && std::chrono::steady_clock::now() >= *retry_) {
    retry_.reset();
    connect_next();
  }
  if (is_connected_ || !descriptor_) return;
  pollfd waiting{descriptor_.number(), POLLOUT, 0};
  if (poll(&waiting, 1, 0) <= 0) return;
  int error = 0;
  socklen_t size = sizeof error;
  getsockopt(descriptor_.number(), SOL_SOCKET, SO_ERROR, &error, &size);
  if (error == 0) {
    is_connected_ = true;
  } else if (addresses_.empty()) {
    fail_connecting(error);
  } else {
    connect_next();
  }
}

void Socket::fail_connecting(int error) {
  fail("cannot connect to " + name_ + ": " + std::generic_category().message(error));
}

void Socket::fail(std::string why) {
  if (!over_) over_ = std::move(why);
}

void Socket::add_waits(std::vector<pollfd>& waits, bool reads, bool writes) const {
  if (over_) return;
  if (lookup_ != nullptr) {
    waits.push_back({lookup_->done.number(), POLLIN, 0});
    return;
  }
  if (!descriptor_) return;
  short events = 0;
  if (!is_connected_ || (writes && !is_input_broken_)) events |= POLLOUT;
  if (is_connected_ && reads) events |= POLLIN;
  // Without any event it still tells of a connection that broke.
  waits.push_back({descriptor_.number(), events, 0});
}

std::size_t Socket::send(std::string_view bytes) {
  take_addresses();
  check_connection();
  if (!is_connected_ || over_) return 0;
  if (is_input_broken_) return bytes.size();
  if (bytes.empty()) return 0;
  if (bytes.size() > large_bytes && !std::exchange(has_room_, true))
    setsockopt(descriptor_.number(), SOL_SOCKET, SO_SNDBUF, &room_for_large, sizeof room_for_large);
  const ssize_t size = ::send(descriptor_.number(), bytes.data(), bytes.size(), MSG_NOSIGNAL);
  if (size >= 0) return static_cast<std::size_t>(size);
  if (errno == EAGAIN || errno == EINTR) return 0;
  // What came before may be read still.
  is_input_broken_ = true;
  return bytes.size();
}

std::string_view Socket::receive(std::span<char> buffer) {
  take_addresses();
  check_connection();
  if (!is_connected_ || over_) return {};
  const ssize_t size = recv(descriptor_.number(), buffer.data(), buffer.size(), 0);
  if (size > 0) return {buffer.data(), static_cast<std::size_t>(size)};
  if (size == 0) {
    fail("the runner closed the connection");
  } else if (errno != EAGAIN && errno != EINTR) {
    fail("the connection to the runner broke: " + std::generic_category().message(errno));
  }
  return {};
}

}  // namespace cordon::runners
