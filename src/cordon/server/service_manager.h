#pragma once

// Tells the service manager, systemd mostly, how the server is doing: sd_notify(3), whose protocol
// is a datagram of lines to the socket in $NOTIFY_SOCKET. Without that variable all of this does
// nothing.

#include <chrono>
#include <condition_variable>
#include <functional>
#include <mutex>
#include <optional>
#include <string>
#include <string_view>
#include <thread>

namespace cordon::server {

struct ServiceManagerOptions {
  std::string socket = {};  // a path, or "@name" of an abstract one; empty: there is no manager
  // The manager ends a service that it has not heard of for this long. Nothing: it does not watch.
  std::optional<std::chrono::microseconds> watchdog = {};

  // What the environment says, which is then cleared of it: the processes of plugins are not the
  // service. Before other threads are there.
  static ServiceManagerOptions take_from_environment();
};

// Any thread. What cannot be sent is dropped: a server without a manager serves all the same.
class ServiceManager {
 public:
  // `is_alive` is asked before each sign of life, by a thread of this object, and may take so long.
  // Where its answer is no there is no sign.
  using IsAlive = std::function<bool(std::chrono::milliseconds within)>;
  explicit ServiceManager(ServiceManagerOptions options, IsAlive is_alive = {});
  ~ServiceManager();
  ServiceManager(const ServiceManager&) = delete;
  ServiceManager& operator=(const ServiceManager&) = delete;

  // Clients can connect. `status` is a line for people. Signs of life begin.
  void ready(std::string_view status);
  // A reload has begun; ready() ends it.
  void reloading();
  // It ends, once what is under way is done. From here on the manager has a time limit of its own,
  // so nobody is asked any more.
  void stopping();

 private:
  void send(const std::string& lines) const;
  void give_signs();

  const ServiceManagerOptions options_;
  const IsAlive is_alive_;
  std::mutex mutex_;
  std::condition_variable wake_;
  bool is_stopping_ = false;
  bool is_over_ = false;
  std::thread thread_;  // gives signs of life
};

}  // namespace cordon::server
