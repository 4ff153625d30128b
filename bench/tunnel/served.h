#pragma once

// A server in a process of its own, and the load that it is asked with.

#include <cstdint>
#include <string>
#include <string_view>
#include <sys/types.h>
#include <vector>

namespace cordon::bench {

// Prints its URL when it is ready; killed at the end.
class Served {
 public:
  explicit Served(const std::vector<std::string>& command);
  ~Served();
  Served(const Served&) = delete;
  Served& operator=(const Served&) = delete;

  const std::string& url() const { return url_; }
  std::uint16_t port() const;
  double resident_bytes() const;

 private:
  pid_t process_ = 0;
  std::string url_;
};

struct Rate {
  double requests = 0;  // a second
  double p99 = 0;       // seconds
  double count = 0;
};

// `wrk` with one thread of its own.
Rate ask(const Served& server, std::string_view task, int connections, double seconds);

// Bytes a second, counted once whatever comes back.
double echo_rate(std::uint16_t port, std::size_t bytes);
double upload_rate(std::uint16_t port, int files, std::size_t file_bytes);
// A thread that does nothing but read and write, asked by the same client.
double bare_echo_rate(std::size_t bytes);

// What `count` connections that have had an answer each take of the server's memory while they are
// idle.
double idle_connection_bytes(const Served& server, int count);

}  // namespace cordon::bench
