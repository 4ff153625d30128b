#pragma once

// What `call` of a URL, `emit` and `discover` do alike: read the command line, send the request,
// print what comes of it.

#include <string_view>

#include "cordon/cli/tunnel_arguments.h"
#include "cordon/cli/tunnel_exchange.h"
#include "cordon/cli/tunnel_job.h"
#include "cordon/codec/rich/serializer.h"
#include "cordon/protocol/tunnel/client_session.h"

namespace cordon::cli {

// The call itself: what is called, and what is sent; the command line has the rest.
struct TunnelRequest {
  tunnel::ClientCall call = {};
  TunnelInput input = {};
};

// What is printed of a result: Runner text, or with `json` an object; nothing for undefined.
TunnelExchange::ShownResult shown_result(const Value& result, bool json,
                                         const rich::Serializer& serializer);

// What a command prints that has a result of its own kind.
using ShowWith = std::function<TunnelExchange::ShownResult(const Value& result, bool json,
                                                           const rich::Serializer& serializer)>;

// The exit code.
int run_tunnel_command(std::string_view command, const TunnelArguments& arguments,
                       TunnelRequest request, const ShowWith& show = shown_result);

}  // namespace cordon::cli
