#pragma once

// One call on its way: its request, the session that reads the answer, and who waits for it.
//
// It belongs to the core until it is over. A streamed answer is over when its stream is.

#include <functional>
#include <memory>
#include <optional>
#include <stop_token>
#include <variant>

#include "cordon/host/payload_regexps.h"
#include "cordon/protocol/tunnel/client_session.h"
#include "cordon/transport/http/http_client.h"
#include "cordon/tunnel_client.h"
#include "cordon/tunnels/client_core.h"

namespace cordon::tunnels {

class RemoteCall : public std::enable_shared_from_this<RemoteCall> {
 public:
  RemoteCall(std::shared_ptr<ClientCore> core, TunnelClient::Streams streams,
             const TunnelCallOptions& options, TunnelTarget target, TunnelClient::Done done);

  // Any thread, before begin(): the request, or what is wrong with the call.
  tunnel::ClientSession& session() { return session_; }

  // The client's thread, all of these.
  void begin(transport::http::HttpRequest request);
  void cancel();
  // A streamed answer's reader wants the next piece, or no more.
  using Next = std::function<void(Result<Bytes>)>;
  void read(Next next);
  void close_stream();

  // Any thread.
  const std::shared_ptr<ClientCore>& core() const { return core_; }
  void refuse(const Error& error);

 private:
  void on_head(transport::http::HttpResult<HttpResponseHead> head);
  void read_on();
  void on_piece(transport::http::HttpResult<BytesView> piece);
  void give_stream(const HttpResponseHead& head);
  void conclude();
  void fail(TunnelError error);
  void fail(const transport::http::HttpError& error);
  void finish(TunnelResult<TunnelAnswer> answer);
  void leave();
  bool may_keep(std::size_t bytes) const;

  const std::shared_ptr<ClientCore> core_;
  const tunnel::ClientOptions session_options_;
  const host::PayloadRegExps regexps_;
  tunnel::ClientSession session_;
  const TunnelTarget target_;
  const std::function<bool(std::size_t)> spend_;
  const std::stop_token stop_;
  TunnelClient::Done done_;  // empty once it was called
  transport::http::HttpTransfer transfer_ = {};
  std::optional<std::stop_callback<std::function<void()>>> on_stop_ = {};
  std::optional<ClientCore::Place> place_ = {};
  std::optional<unsigned> status_ = {};
  Next next_ = nullptr;                     // of a streamed answer
  std::optional<Error> stream_error_ = {};  // what the stream ended with, until it is asked
  bool is_stream_over_ = false;
};

}  // namespace cordon::tunnels
