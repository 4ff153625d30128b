#include "cordon/runners/link.h"

#include <utility>

#include "cordon/runners/child_link.h"
#include "cordon/runners/socket_link.h"
#include "cordon/runners/websocket_link.h"

namespace cordon::runners {

Result<std::unique_ptr<Link>> open_link(const Target& target, LinkOptions options) {
  if (const auto* child = std::get_if<ChildTarget>(&target)) {
    Child started =
        CORDON_TRY(Child::start(child->words, environment_of_runners(), options.confinement));
    return std::make_unique<ChildLink>(std::move(started), std::move(options));
  }
  if (const auto* socket = std::get_if<SocketTarget>(&target))
    return std::make_unique<SocketLink>(*socket, options);
  return std::make_unique<WebSocketLink>(std::get<WebSocketTarget>(target), options);
}

}  // namespace cordon::runners
