#pragma once

// What the calls of one client share: its thread, its connections, its serializer. A stream
// that is still held keeps it alive; after close() it does nothing more.

#include <list>
#include <memory>
#include <optional>
#include <thread>
#include <utility>

#include <boost/asio/executor_work_guard.hpp>
#include <boost/asio/io_context.hpp>

#include "cordon/base/thread_annotations.h"
#include "cordon/codec/rich/serializer.h"
#include "cordon/host/payload_regexps.h"
#include "cordon/host/sandbox_regexps.h"
#include "cordon/protocol/tunnel/client_session.h"
#include "cordon/transport/http/http_client.h"
#include "cordon/transport/http/loop_inbox.h"
#include "cordon/tunnel_client.h"
#include "cordon/tunnels/lane_signers.h"

namespace cordon::tunnels {

class RemoteCall;

class ClientCore : public std::enable_shared_from_this<ClientCore> {
 public:
  static Result<std::shared_ptr<ClientCore>> create(TunnelClientOptions options);

  // Runs it on the client's thread: at once where that is this one, else later. False: the client
  // has ended.
  template <class F>
  bool run(F function) {
    if (inbox_->is_here()) {
      function();
      return true;
    }
    return inbox_->post(std::move(function));
  }
  template <class F>
  bool run_later(F function) {
    return inbox_->post(std::move(function));
  }

  const TunnelClientOptions& options() const { return options_; }
  const transport::http::Origin& origin() const { return origin_; }
  const tunnel::ClientOptions& session_options() const { return session_options_; }
  const rich::Serializer& serializer() const { return serializer_; }
  host::PayloadRegExps payload_regexps() const {
    return host::PayloadRegExps(regexps_, regexp_allowance_);
  }
  const LaneSigners& lanes() const { return lanes_; }
  boost::asio::io_context& io() { return io_; }

  // The client's thread.
  transport::http::HttpClient& http() { return *http_; }
  using Place = std::list<std::shared_ptr<RemoteCall>>::iterator;
  Place enter(std::shared_ptr<RemoteCall> call);
  void leave(Place place) { calls_.erase(place); }

  // Any thread. What was discovered last.
  std::optional<TunnelDiscovery> known();
  void remember(std::optional<TunnelDiscovery> discovery);

  // Any thread, once: ends all calls as cancelled, and then the client's thread.
  void close();

 private:
  ClientCore(TunnelClientOptions options, transport::http::Origin origin, LaneSigners lanes);
  void end_all();

  const TunnelClientOptions options_;
  const transport::http::Origin origin_;
  const LaneSigners lanes_;
  tunnel::ClientOptions session_options_;
  const host::RegExpAllowance regexp_allowance_;
  host::SandboxRegExps regexps_;
  rich::Serializer serializer_;

  boost::asio::io_context io_{1};
  std::optional<boost::asio::executor_work_guard<boost::asio::io_context::executor_type>> work_;
  const std::shared_ptr<transport::http::LoopInbox> inbox_;
  std::optional<transport::http::HttpClient> http_;
  std::list<std::shared_ptr<RemoteCall>> calls_;
  std::thread thread_;

  Mutex mutex_;
  std::optional<TunnelDiscovery> known_ CORDON_GUARDED_BY(mutex_);
};

}  // namespace cordon::tunnels
