#include "runner/client.h"

#include <cerrno>
#include <cstring>
#include <stdexcept>
#include <sys/socket.h>
#include <sys/un.h>
#include <unistd.h>
#include <utility>

#include <fmt/format.h>

namespace cordon::bench {

Peer Peer::connect_to(const std::string& path) {
  sockaddr_un name{};
  name.sun_family = AF_UNIX;
  std::memcpy(name.sun_path, path.data(), path.size());
  Peer peer(socket(AF_UNIX, SOCK_STREAM | SOCK_CLOEXEC, 0));
  if (connect(peer.input_, reinterpret_cast<sockaddr*>(&name), sizeof name) != 0)
    throw std::runtime_error("cannot connect to " + path + ": " + std::strerror(errno));
  return peer;
}

Peer::Peer(Peer&& other) noexcept
    : input_(std::exchange(other.input_, -1)),
      output_(std::exchange(other.output_, -1)),
      unread_(std::move(other.unread_)),
      taken_(other.taken_) {}

Peer::~Peer() {
  if (input_ >= 0) close(input_);
  if (output_ >= 0 && output_ != input_) close(output_);
}

void Peer::send(std::string_view text) {
  if (write(output_, text.data(), text.size()) != static_cast<ssize_t>(text.size()))
    throw std::runtime_error("the runner does not read");
}

std::string_view Peer::receive() {
  unread_.erase(0, taken_);
  taken_ = 0;
  for (;;) {
    const std::size_t end = unread_.find('\n');
    if (end != std::string::npos) {
      taken_ = end + 1;
      return std::string_view(unread_).substr(0, end);
    }
    char buffer[4096];
    const ssize_t got = read(input_, buffer, sizeof buffer);
    if (got <= 0) throw std::runtime_error("the runner ended: " + unread_);
    unread_.append(buffer, static_cast<std::size_t>(got));
  }
}

std::string Peer::until_done() {
  for (;;) {
    const std::string_view line = receive();
    if (line.contains("\"type\":\"done\"")) return std::string(line);
    if (line.contains("\"type\":\"tool_call\"")) send(answer_to(line));
  }
}

std::string Peer::answer_to(std::string_view call) {
  const std::size_t start = call.find("\"call-") + 1;
  const std::string_view id = call.substr(start, call.find('"', start) - start);
  return fmt::format("{{\"type\":\"tool_result\",\"callId\":\"{}\",\"ok\":true,\"result\":1}}\n",
                     id);
}

void expect_result(const std::string& done, const std::string& result) {
  if (!done.contains("\"ok\":true") || !done.contains("\"result\":" + result))
    throw std::runtime_error("not the result that was expected: " + done);
}

}  // namespace cordon::bench
