#pragma once

// Addresses of names. The system's lookup waits for as long as it likes, so it is made on a thread
// that is left to itself where nobody waits any more. A few names are looked up at once, and others
// queue. A name is looked up once for all callers that wait for it.

#include <cstdint>
#include <expected>
#include <functional>
#include <memory>
#include <string>
#include <sys/socket.h>
#include <vector>

#include <boost/asio/io_context.hpp>

namespace cordon::transport::http {

struct SocketAddress {
  sockaddr_storage bytes = {};
  socklen_t size = 0;

  int family() const { return bytes.ss_family; }
  const sockaddr* get() const { return reinterpret_cast<const sockaddr*>(&bytes); }
};

// Or why there are none, for people.
using FoundAddresses = std::expected<std::vector<SocketAddress>, std::string>;

// On the loop's thread.
class NameLookup {
  struct State;
  struct Waiter;

 public:
  static constexpr std::size_t max_threads = 8;
  // What asks the system. Any thread.
  using Resolve = std::function<FoundAddresses(const std::string& host, const std::string& port)>;

  explicit NameLookup(boost::asio::io_context& io, Resolve resolve = ask_system);
  // Nobody is answered any more.
  ~NameLookup();
  NameLookup(const NameLookup&) = delete;
  NameLookup& operator=(const NameLookup&) = delete;

  using Done = std::move_only_function<void(const FoundAddresses&)>;
  // Nothing is called once it is destroyed.
  class Ticket {
   public:
    Ticket() = default;
    explicit Ticket(std::shared_ptr<Waiter> waiter) : waiter_(std::move(waiter)) {}
    Ticket(Ticket&&) noexcept = default;
    Ticket& operator=(Ticket&& other) noexcept;
    ~Ticket();

   private:
    std::shared_ptr<Waiter> waiter_ = {};
  };
  // `done` is called later, on the loop's thread.
  [[nodiscard]] Ticket find(const std::string& host, const std::string& port, Done done);

  // That were started and have not come back.
  std::size_t threads() const;

  static FoundAddresses ask_system(const std::string& host, const std::string& port);

 private:
  std::shared_ptr<State> state_;
};

}  // namespace cordon::transport::http
