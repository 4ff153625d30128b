#include "cordon/runners/socket_link.h"

#include "cordon/runners/auth_line.h"

namespace cordon::runners {

SocketLink::SocketLink(const SocketTarget& target, const LinkOptions& options)
    : socket_(target), unsent_(options.token.empty() ? "" : auth_line(options.token)) {}

void SocketLink::add_waits(std::vector<pollfd>& waits, bool reads, bool writes) const {
  socket_.add_waits(waits, reads, writes || !unsent_.empty());
}

std::size_t SocketLink::send(std::string_view lines) {
  if (!unsent_.empty()) unsent_.erase(0, socket_.send(unsent_));
  return unsent_.empty() ? socket_.send(lines) : 0;
}

}  // namespace cordon::runners
