#pragma once

// What the tools of a tunnel need of its client. The client itself lies in a higher layer, since
// this one does no I/O.

#include <chrono>
#include <cstddef>
#include <cstdint>
#include <expected>
#include <functional>
#include <optional>
#include <stop_token>
#include <string>
#include <vector>

#include "cordon/provider.h"
#include "cordon/value.h"

namespace cordon::providers {

struct RemoteCall {
  std::string id;
  Value input = {};
  CallOrigin origin = {};
  std::stop_token stop = {};  // aborts the request
  // Asked before bytes of either body are sent or kept; false ends the call.
  std::function<bool(std::size_t bytes)> spend = {};
};

enum class RemoteFault : std::uint8_t {
  answered,     // by the server, in its own words
  not_exposed,  // the same: it does not have this task, or not for us
  unreachable,
  timeout,
  tls,
  no_answer,     // the server hung up, or does not speak HTTP
  bad_response,  // what came back is no answer of a tunnel
  truncated,
  too_large,
  redirect,
  cancelled,
  refused,  // nothing was sent
};

struct RemoteFailure {
  RemoteFault fault = RemoteFault::answered;
  // The server's words, or for `refused` what is wrong with the input. It names neither the URL nor
  // a secret. May be empty.
  std::string message = {};
  std::optional<std::string> id = {};  // of a typed error
  Value data = {};
};

struct RemoteListing {
  bool is_enabled = false;  // otherwise nothing is listed, though tasks may be exposed
  std::vector<std::string> tasks = {};
};

// Any thread may use it.
class RemoteTunnel {
 public:
  virtual ~RemoteTunnel() = default;

  // `done` is called once, on any thread, perhaps before call() returns. A streamed answer becomes
  // bytes.
  using Done = std::move_only_function<void(std::expected<Value, RemoteFailure>)>;
  virtual void call(RemoteCall call, Done done) = 0;
  // It fails in a short time where the tunnel is silent.
  using Listed = std::move_only_function<void(std::expected<RemoteListing, RemoteFailure>)>;
  virtual void discover(Listed listed) = 0;
};

}  // namespace cordon::providers
