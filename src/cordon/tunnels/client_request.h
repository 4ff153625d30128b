#pragma once

// A call as the request that is sent for it.

#include <string>

#include "cordon/protocol/tunnel/client_session.h"
#include "cordon/result.h"
#include "cordon/transport/http/http_request.h"
#include "cordon/tunnel_client.h"
#include "cordon/tunnels/client_core.h"

namespace cordon::tunnels {

// Fails with what is wrong about the call: nothing is sent then. It opens the files.
Result<transport::http::HttpRequest> request_of(ClientCore& core, tunnel::ClientSession& session,
                                                TunnelClient::Call& call);

}  // namespace cordon::tunnels
