#include "cordon/server/tunnel_rules.h"

#include "cordon/base/ascii.h"
#include "cordon/protocol/tunnel/route.h"

namespace cordon::server {

TunnelRules::TunnelRules(const ServerOptions& options)
    : tunnel::PolicyOptions{.base_path = tunnel::normal_base_path(options.base_path),
                            .auth = options.auth,
                            .contexts = options.contexts,
                            .cors = options.cors,
                            .limits = options.limits,
                            .deadline = options.deadline,
                            .has_discovery = options.discovery} {
  auth.header = ascii_lower_case(std::move(auth.header));
}

Result<> TunnelRules::add_lanes(const ServerOptions& options) {
  lanes = CORDON_TRY(tunnel::lanes_of(options.lanes));
  return {};
}

}  // namespace cordon::server
