#include "cordon/runners/websocket_link.h"

namespace cordon::runners {
namespace {

// Frames that are made and not sent yet: no more lines are taken past this.
constexpr std::size_t max_unsent_bytes = std::size_t{1} << 20;

}  // namespace

void WebSocketLink::add_waits(std::vector<pollfd>& waits, bool reads, bool writes) const {
  // Until the server has agreed, only its answer is waited for.
  const bool has_lines = writes && client_.is_open();
  socket_.add_waits(waits, reads || !client_.is_open(), has_lines || !client_.output().empty());
}

std::size_t WebSocketLink::send(std::string_view lines) {
  std::size_t taken = 0;
  if (client_.is_open() && client_.output().size() < max_unsent_bytes) {
    taken = lines.rfind('\n') + 1;
    client_.add_lines(lines.substr(0, taken));
  }
  client_.sent(socket_.send(client_.output()));
  return taken;
}

std::string_view WebSocketLink::receive(std::span<char> buffer) {
  lines_.clear();
  client_.on_bytes(socket_.receive(buffer), lines_);
  return lines_;
}

std::optional<std::string> WebSocketLink::over() {
  return client_.over() ? client_.over() : socket_.over();
}

}  // namespace cordon::runners
