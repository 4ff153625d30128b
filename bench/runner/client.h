#pragma once

// The barest client of a runner: lines over a descriptor, which it waits for.

#include <cstddef>
#include <string>
#include <string_view>

namespace cordon::bench {

// A line stream, blocking. Owns its descriptors.
class Peer {
 public:
  explicit Peer(int descriptor) : Peer(descriptor, descriptor) {}
  Peer(int input, int output) : input_(input), output_(output) {}
  static Peer connect_to(const std::string& path);
  Peer(Peer&& other) noexcept;
  Peer& operator=(Peer&&) = delete;
  ~Peer();

  void send(std::string_view text);
  // The next line; its text stays until the next call.
  std::string_view receive();
  // Until `done`, with an answer to each call.
  std::string until_done();
  static std::string answer_to(std::string_view call);

 private:
  int input_;
  int output_;
  std::string unread_;
  std::size_t taken_ = 0;
};

void expect_result(const std::string& done, const std::string& result);

}  // namespace cordon::bench
