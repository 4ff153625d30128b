#pragma once

// What went wrong with a call, as its caller is told.

#include "cordon/protocol/tunnel/client_session.h"
#include "cordon/transport/http/http_request.h"
#include "cordon/tunnel_client.h"

namespace cordon::tunnels {

TunnelError error_of(const transport::http::HttpError& error);
// Any outcome but a result or a stream.
TunnelError error_of(tunnel::ClientOutcome outcome);

}  // namespace cordon::tunnels
