// How a connection leaves HTTP.

#include <memory>
#include <utility>

#include "cordon/transport/http/http_connection.h"
#include "cordon/transport/http/upgraded.h"

namespace cordon::transport::http {

// Streams of HTTP/2 have no connection to give away.
asio::awaitable<std::unique_ptr<Upgraded>> Exchange::upgrade(const ResponseHead&) {
  co_return nullptr;
}

// What is left of this connection has no socket. It counts as gone, so that nothing is read,
// written or shut down any more, and it ends with its handler.
asio::awaitable<std::unique_ptr<Upgraded>> HttpConnection::upgrade(const ResponseHead& head) {
  const bool may_be = answer_ == Answer::none && body_.is_done() && head_.minor_version == 1;
  if (!may_be || is_gone_ || context_->is_draining) co_return nullptr;
  answer_ = Answer::whole;
  std::string text;
  append_head(head, {.connection = "Upgrade"}, context_->date.now(), text);
  const Pieces pieces{bytes_of(text)};
  const bool is_sent = co_await send(pieces);
  if (!is_sent) co_return nullptr;
  answer_ = Answer::finished;
  context_->hangups->remove(*this);
  is_gone_ = true;
  auto upgraded = std::make_unique<Upgraded>(
      Upgraded{.descriptor = std::move(descriptor_),
               .stream = std::move(stream_),
               .pass = std::move(pass_),
               .unread = {block_.bytes.get() + begin_, block_.bytes.get() + end_}});
  release_block();
  co_return upgraded;
}

}  // namespace cordon::transport::http
