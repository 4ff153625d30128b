#pragma once

// What the command line asks a tunnel for: all that can be found wrong before a byte is sent is
// found here.

#include <chrono>
#include <memory>
#include <optional>
#include <string>
#include <string_view>
#include <vector>

#include <boost/asio/io_context.hpp>

#include "cordon/base/instant.h"
#include "cordon/cli/tunnel_arguments.h"
#include "cordon/codec/rich/serializer.h"
#include "cordon/protocol/tunnel/client_session.h"
#include "cordon/result.h"
#include "cordon/transport/http/http_request.h"
#include "cordon/transport/http/origin.h"

namespace cordon::cli {

// The body of a call: one of these, or nothing.
struct TunnelInput {
  std::optional<std::string> json = {};  // text, @FILE, or - for standard input
  std::vector<std::string> files = {};   // PLACE=FILE
  std::string stream = {};               // a file, or - for standard input; empty: none
};

struct TunnelJob {
  transport::http::Origin origin;
  tunnel::ClientOptions options;
  tunnel::ClientCall call;
  // What the call's files or its octets are read from, in their order.
  std::vector<transport::http::SourcePart> sources;
  std::optional<std::chrono::milliseconds> timeout;
  Instant started;  // the timeout counts from here
  bool json = false;
  // A proxy of the environment reads the request and writes the answer. It passes on what is
  // between TLS.
  bool is_seen_by_proxy = false;

  std::optional<Instant> deadline() const {
    return timeout ? std::optional(started + *timeout) : std::nullopt;
  }
};

// The limits of what is sent and of what may come.
rich::Options serializer_options(const TunnelArguments& arguments);

// Where to, and with which headers and limits.
Result<TunnelJob> tunnel_job(const TunnelArguments& arguments);
// Opens the files, and reads the rest. Files are read on `io` once they are sent. Only
// ErrorCode::timeout is not the user's mistake.
Result<> add_input(TunnelJob& job, const TunnelInput& input, const rich::Serializer& serializer,
                   boost::asio::io_context& io);

}  // namespace cordon::cli
