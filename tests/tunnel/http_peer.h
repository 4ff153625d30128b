#pragma once

// A client that speaks HTTP/1.1 by hand: what it sends is what a test wrote.

#include <chrono>
#include <cstdint>
#include <map>
#include <string>
#include <string_view>

namespace cordon::tunnel_test {

struct Response {
  unsigned status = 0;                         // 0: the connection ended before
  std::map<std::string, std::string> headers;  // names in lower case; repeated ones are joined
  std::string body;
  bool is_whole = false;  // all of the body came
};

class HttpPeer {
 public:
  // Throws std::runtime_error where nobody listens.
  explicit HttpPeer(std::uint16_t port);
  ~HttpPeer();
  HttpPeer(const HttpPeer&) = delete;
  HttpPeer& operator=(const HttpPeer&) = delete;

  void send(std::string_view bytes);
  void end_output();
  // Closes with a reset.
  void vanish();
  // The next answer, whole; of a HEAD request without its body.
  enum class Body { expected, none };
  Response receive(Body body = Body::expected,
                   std::chrono::milliseconds within = std::chrono::seconds(20));
  // Until `text` has come, of whatever it is a part; what came so far.
  std::string receive_until(std::string_view text,
                            std::chrono::milliseconds within = std::chrono::seconds(20));

 private:
  bool read_more(std::chrono::steady_clock::time_point until);

  int descriptor_ = -1;
  std::string received_;
};

}  // namespace cordon::tunnel_test
