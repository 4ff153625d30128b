#include "cordon/server/runner_connection.h"

#include <utility>

#include <boost/asio/co_spawn.hpp>
#include <boost/asio/detached.hpp>

#include "cordon/base/secret.h"
#include "cordon/codec/json/decode.h"
#include "cordon/server/runner_service.h"

namespace cordon::server {
namespace {

namespace asio = boost::asio;
using Input = transport::Wire::Input;

Instant now() { return std::chrono::steady_clock::now(); }

// The longest first line of a peer that has not shown its token yet.
constexpr std::size_t max_auth_bytes = 16384;

// How long a peer may take to close its end after ours, and when the server waits for it to stop.
constexpr auto farewell = std::chrono::seconds(5);
constexpr auto short_farewell = std::chrono::milliseconds(500);

}  // namespace

RunnerConnection::RunnerConnection(RunnerService& service, transport::ConnectionGate::Pass pass,
                                   std::unique_ptr<transport::Wire> wire)
    : service_(service),
      pass_(std::move(pass)),
      wire_(std::move(wire)),
      guest_(std::make_shared<RunnerExecution>(service.engine(), service.options().settings,
                                               &service.known_manifests())),
      session_(guest_->session()),
      lines_(max_auth_bytes),
      since_(now()) {
  if (service.options().token.empty()) let_in();
}

void RunnerConnection::let_in() {
  authorized_ = true;
  lines_.set_limit(service_.options().settings.limits.message_bytes);
}

void RunnerConnection::begin() {
  guest_->on_news([weak = weak_from_this()] {
    if (const auto self = weak.lock()) self->service_.note(self);
  });
  asio::co_spawn(
      service_.io(), [self = shared_from_this()] { return self->serve(); }, asio::detached);
}

asio::awaitable<void> RunnerConnection::serve() {
  const bool opened = co_await wire_->open();
  if (!opened) {
    close();
    co_return;
  }
  is_open_ = true;
  if (wire_->is_authorized()) let_in();
  if (wire_->is_meant()) meant_ = Meant::yes;
  while (!closed_ && !input_ended_) {
    const Input input = co_await wire_->read();
    if (input.kind == Input::Kind::broken) {
      close();
      break;
    }
    // At once: what a browser sends need not have a line end.
    if (!may_be_meant(input.bytes)) {
      close();
      break;
    }
    if (input.kind == Input::Kind::ended) {
      input_ended_ = true;
      lines_.finish(*this);
      session_.on_end_of_input();
    } else if (!session_.is_over()) {
      lines_.feed(input.bytes, *this);
    }
    attend();
  }
  if (closed_) co_return;
  co_await wire_->until_gone();
  close();
}

void RunnerConnection::on_line(std::string_view line) {
  if (closed_) return;
  if (!authorized_) {
    if (knows_token(line)) {
      let_in();
      meant_ = Meant::yes;
    } else {
      close();
    }
    return;
  }
  const bool is_object = session_.on_message(line) == execbox::RunnerSession::Heard::object;
  if (meant_ != Meant::yes && !is_object) return close();
  meant_ = Meant::yes;
  guest_->act();
}

bool RunnerConnection::may_be_meant(std::string_view bytes) {
  if (meant_ != Meant::unknown) return true;
  const std::size_t begin = bytes.find_first_not_of(" \t\r");
  if (begin == std::string_view::npos) return true;
  if (bytes[begin] != '{') return false;
  meant_ = Meant::begun;
  return true;
}

void RunnerConnection::on_oversized_line(const std::optional<execbox::Envelope>& envelope) {
  if (closed_) return;
  if (!authorized_) {
    close();
    return;
  }
  if (meant_ != Meant::yes && !envelope) return close();
  meant_ = Meant::yes;
  session_.on_oversized(envelope);
  guest_->act();
}

bool RunnerConnection::knows_token(std::string_view line) const {
  const Result<Value> message = json::decode(line, {.max_bytes = max_auth_bytes});
  return message && message->find("type") == "auth" &&
         equals_secret(message->find("token").as_string(), service_.options().token);
}

void RunnerConnection::attend() {
  if (closed_) return;
  guest_->act();
  flush();
}

void RunnerConnection::flush() {
  std::string& output = session_.output();
  if (writes_) {
    // What is being written may be one message larger than this; what piles up behind it may not.
    if (output.size() > service_.options().pending_output_bytes) close();
    return;
  }
  if (!output.empty()) {
    const std::optional<std::size_t> written = wire_->try_write(output);
    if (!written) {
      close();
      return;
    }
    if (*written < output.size()) {
      sending_ = std::exchange(output, {});
      sent_ = *written;
      writes_ = true;
      last_progress_ = now();
      asio::co_spawn(
          service_.io(), [self = shared_from_this()] { return self->write_all(); }, asio::detached);
      return;
    }
    output.clear();
  }
  if (session_.is_over() && !finished_at_) {
    finished_at_ = now();
    asio::co_spawn(
        service_.io(), [self = shared_from_this()] { return self->finish(); }, asio::detached);
  }
}

asio::awaitable<void> RunnerConnection::write_all() {
  while (!closed_) {
    if (sent_ == sending_.size()) {
      sending_ = std::exchange(session_.output(), {});
      sent_ = 0;
      if (sending_.empty()) break;
    }
    const std::string_view rest = std::string_view(sending_).substr(sent_);
    const std::optional<std::size_t> written = co_await wire_->write(rest);
    if (!written) {
      close();
      co_return;
    }
    sent_ += *written;
    last_progress_ = now();
  }
  writes_ = false;
  if (!closed_) flush();
}

asio::awaitable<void> RunnerConnection::finish() {
  co_await wire_->finish();
  // A peer that has said all it had to say is done with; another one may not have read our last
  // words yet, which closing now would take from it.
  if (input_ended_) close();
}

void RunnerConnection::check(Instant at) {
  const RunnerServerOptions& options = service_.options();
  const bool is_idle = !authorized_ || session_.is_idle();
  const Duration patience = service_.is_stopping() ? Duration(short_farewell) : Duration(farewell);
  if ((!is_open_ && at - since_ > options.header_timeout) ||
      (is_idle && at - since_ > options.idle_timeout) ||
      (writes_ && at - last_progress_ > options.stall_timeout) ||
      (finished_at_ && at - *finished_at_ > patience)) {
    close();
  }
}

void RunnerConnection::end_if_idle() {
  if (session_.is_idle()) close();
}

void RunnerConnection::end_now() {
  session_.on_shutdown();
  attend();
}

void RunnerConnection::close() {
  if (std::exchange(closed_, true)) return;
  const auto self = shared_from_this();
  guest_->drop();
  wire_->close();
  pass_ = {};
  service_.forget(self);
}

}  // namespace cordon::server
