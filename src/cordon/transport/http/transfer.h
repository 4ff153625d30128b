#pragma once

// One request of a client, from start() to the end of its answer: between its reader, who has an
// HttpTransfer, and the connection that carries it.
//
// It is with the pool first, then with a dial or a connection (its carrier), and in the end with
// neither. What comes to its end while the reader asks for nothing is kept until the reader asks.

#include <cstdint>
#include <memory>
#include <optional>
#include <variant>

#include <boost/asio/io_context.hpp>

#include "cordon/transport/http/body_writer.h"
#include "cordon/transport/http/deadlines.h"
#include "cordon/transport/http/http_client.h"

namespace cordon::transport::http {

// What carries it. None of these gives anything to the transfer at once.
class Carrier {
 public:
  // The reader waits for more.
  virtual void read_on() = 0;
  // There is more of the request's body.
  virtual void send_on() = 0;
  // The transfer is over: nothing more is to be done for it.
  virtual void abandon() = 0;
  // The server may have seen some of it.
  virtual bool has_sent() const = 0;

 protected:
  ~Carrier() = default;
};

// Where transfers are that have no carrier.
class TransferOwner {
 public:
  virtual void forget(HttpTransfer::State& transfer) = 0;

 protected:
  ~TransferOwner() = default;
};

class HttpTransfer::State : public std::enable_shared_from_this<HttpTransfer::State> {
 public:
  State(boost::asio::io_context& io, std::shared_ptr<LoopInbox> inbox, HttpRequest request,
        HttpClient::OnHead on_head);

  // The reader's.
  void read(Next next);
  void cancel();
  void drop();

  // The client's.
  void belong_to(TransferOwner& owner, Deadlines& deadlines);
  void carried_by(Carrier* carrier) { carrier_ = carrier; }
  // It waits with its owner for a connection.
  bool is_queued() const { return is_queued_; }
  void set_queued(bool is_queued) { is_queued_ = is_queued; }
  const HttpRequest& request() const { return request_; }
  BodyWriter& body() { return body_; }
  bool is_over() const { return is_over_; }
  // Its reader waits for something.
  bool is_wanted() const { return on_head_ || next_; }

  // Each of these may end it, or make its reader ask for more.
  void give_head(HttpResponseHead head);
  void give_piece(BytesView piece);
  void finish();
  void fail(HttpError error);
  // The same, but later: the reader is not to be called now.
  void fail_later(HttpError error);

 private:
  bool may_be_sent() const { return carrier_ != nullptr && carrier_->has_sent(); }
  void end();
  void tell_end();

  boost::asio::io_context& io_;
  const HttpRequest request_;  // without its body
  BodyWriter body_;
  HttpClient::OnHead on_head_;
  Next next_ = nullptr;
  TransferOwner* owner_ = nullptr;
  Carrier* carrier_ = nullptr;
  Deadlines::Entry deadline_ = {};
  bool is_queued_ = false;
  bool has_head_ = false;
  bool is_over_ = false;                 // nothing more comes
  std::optional<HttpError> error_ = {};  // what it ended with
};

}  // namespace cordon::transport::http
