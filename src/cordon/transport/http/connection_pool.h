#pragma once

// The connections of a client, and the requests that wait for one.
//
// A request takes an idle connection if there is one, else it opens one while its origin has less
// than its share, else it waits. A connection that is being opened belongs to the request that
// needs it: if that fails, the request does.

#include <deque>
#include <memory>
#include <string>
#include <unordered_map>
#include <vector>

#include <boost/asio/io_context.hpp>
#include <boost/asio/ssl/context.hpp>

#include "cordon/transport/http/client_connection.h"
#include "cordon/transport/http/client_http2.h"
#include "cordon/transport/http/deadlines.h"
#include "cordon/transport/http/dial.h"
#include "cordon/transport/http/http_client.h"
#include "cordon/transport/http/loop_inbox.h"
#include "cordon/transport/http/name_lookup.h"
#include "cordon/transport/http/transfer.h"

namespace cordon::transport::http {

class ConnectionPool final : public ConnectionOwner, public Http2ClientOwner, public TransferOwner {
 public:
  ConnectionPool(boost::asio::io_context& io, HttpClientOptions options);
  ~ConnectionPool();
  ConnectionPool(const ConnectionPool&) = delete;
  ConnectionPool& operator=(const ConnectionPool&) = delete;

  std::shared_ptr<HttpTransfer::State> start(const Origin& origin, HttpRequest request,
                                             HttpClient::OnHead on_head);
  void close_idle();
  HttpClient::Figures figures() const;

 private:
  using Transfer = std::shared_ptr<HttpTransfer::State>;
  class Opening;
  struct Site;

  void on_idle(ClientConnection& connection) override;
  void on_closed(ClientConnection& connection) override;
  void on_unsent(Transfer transfer) override;
  void on_room(ClientHttp2& connection) override;
  void on_draining(ClientHttp2& connection) override;
  void on_closed(ClientHttp2& connection) override;
  void forget(HttpTransfer::State& transfer) override;

  void enqueue(Site& site, Transfer transfer);
  void serve(Site& site);
  Transfer next_waiting(Site& site);
  bool carry_by_idle(Site& site, const Transfer& transfer);
  bool carry_by_http2(Site& site);
  bool may_open(const Site& site) const;
  void open(Site& site, Transfer transfer);
  void take_http2(Site& site, Wire wire, Transfer transfer);
  void on_opened(Opening& opening, HttpResult<Wire> wire);
  void on_opening_over(Opening& opening);
  Result<boost::asio::ssl::context*> tls();
  void close_http2(Site& site);
  void expect_expiry();
  void close_expired();
  Instant expiry_of(const ClientConnection& connection) const;
  void sweep_sites();

  boost::asio::io_context& io_;
  const HttpClientOptions options_;
  const std::shared_ptr<LoopInbox> inbox_;
  NameLookup names_;
  Deadlines deadlines_;
  std::unique_ptr<boost::asio::ssl::context> tls_ = {};  // once it is needed
  std::unordered_map<std::string, std::shared_ptr<Site>> sites_ = {};
  std::unordered_map<HttpTransfer::State*, Site*> transfers_ = {};  // that are not over
  std::unordered_map<ClientConnection*, std::shared_ptr<ClientConnection>> connections_ = {};
  std::unordered_map<ClientHttp2*, std::shared_ptr<ClientHttp2>> multiplexed_ = {};
  std::unordered_map<Opening*, std::shared_ptr<Opening>> openings_ = {};
  Deadlines::Entry expiry_ = {};  // of the first idle connection
  bool expects_expiry_ = false;
  HttpClient::Figures figures_ = {};
  std::size_t swept_at_ = 64;  // sites
  bool is_closing_ = false;
};

}  // namespace cordon::transport::http
