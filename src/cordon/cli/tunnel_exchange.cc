#include "cordon/cli/tunnel_exchange.h"

#include <unistd.h>
#include <utility>

#include <boost/asio/post.hpp>

#include "cordon/base/bytes.h"
#include "cordon/byte_source.h"
#include "cordon/cli/terminal.h"
#include "cordon/cli/usage.h"

namespace cordon::cli {
namespace {

namespace asio = boost::asio;
namespace http = transport::http;
using boost::system::error_code;

// What is over sooner needs no line that tells how far it has come.
constexpr std::chrono::milliseconds quiet_time{500};
constexpr std::chrono::milliseconds time_between_lines{200};

// Counts what is read of a source.
class CountedSource final : public ByteSource {
 public:
  CountedSource(std::shared_ptr<ByteSource> source, std::shared_ptr<TransferFigures> figures)
      : source_(std::move(source)), figures_(std::move(figures)) {}

  void read(Next next) override {
    source_->read([figures = figures_, next = std::move(next)](Result<Bytes> piece) {
      if (piece) figures->sent_bytes += piece->size();
      next(std::move(piece));
    });
  }
  void close() override { source_->close(); }

 private:
  const std::shared_ptr<ByteSource> source_;
  const std::shared_ptr<TransferFigures> figures_;
};

}  // namespace

TunnelExchange::TunnelExchange(std::string_view command, TunnelJob job,
                               const rich::Serializer& serializer, asio::io_context& io,
                               Interrupt& interrupt)
    : command_(command),
      job_(std::move(job)),
      serializer_(serializer),
      io_(io),
      interrupt_(interrupt),
      output_(io, STDOUT_FILENO),
      progress_(STDERR_FILENO),
      client_(io, {.proxies = http::ProxySettings::from_environment()}) {}

int TunnelExchange::go(Show show) {
  show_ = std::move(show);
  Result<http::HttpRequest> outgoing = request();
  if (!outgoing) return usage_error(command_, outgoing.error());
  watch_time();
  watch_progress();
  interrupt_.on_signal([this] { asio::post(io_, [this] { end(); }); });
  transfer_ =
      client_.start(job_.origin, *std::move(outgoing),
                    [this](const http::HttpResult<HttpResponseHead>& head) { on_head(head); });
  io_.run();
  interrupt_.on_signal({});
  progress_.clear();
  return told_end();
}

// The request, and what comes back.

Result<http::HttpRequest> TunnelExchange::request() {
  tunnel::OutgoingRequest outgoing = CORDON_TRY(session_.request(job_.call));
  http::HttpRequest request{.method = std::move(outgoing.method),
                            .target = std::move(outgoing.target),
                            .headers = std::move(outgoing.headers)};
  request.deadline = job_.deadline();
  figures_->bytes_to_send = 0;
  for (tunnel::BodyPart& part : outgoing.body) {
    if (auto* const text = std::get_if<std::string>(&part)) {
      request.body.emplace_back(std::move(*text));
      continue;
    }
    http::SourcePart source = job_.sources.at(std::get<tunnel::FileBytes>(part).file);
    if (!source.bytes) figures_->bytes_to_send.reset();
    if (figures_->bytes_to_send) *figures_->bytes_to_send += *source.bytes;
    source.source = std::make_shared<CountedSource>(std::move(source.source), figures_);
    request.body.emplace_back(std::move(source));
  }
  return request;
}

void TunnelExchange::on_head(const http::HttpResult<HttpResponseHead>& head) {
  if (!head) return end_with(failure_of(head.error()));
  const Next next = session_.on_head(*head);
  if (next == Next::stop) return on_answer();
  is_stream_ = next == Next::pass_on;
  // If nobody takes the stream, the rest of it is not needed.
  if (is_stream_)
    output_.on_reader_gone(
        [this] { end_unwritable("cannot write to standard output: its reader is gone"); });
  read_on();
}

void TunnelExchange::read_on() {
  transfer_.read([this](const Piece& piece) { on_piece(piece); });
}

void TunnelExchange::on_piece(const Piece& piece) {
  if (!piece) return end_with(failure_of(piece.error()));
  if (piece->empty()) return is_stream_ ? end() : on_answer();
  if (is_stream_) {
    figures_->received_bytes += piece->size();
    // The next piece is not read before this one is written.
    return write(std::string(as_text(*piece)), [this] { read_on(); });
  }
  if (session_.on_piece(as_text(*piece)) == Next::stop) return on_answer();
  read_on();
}

void TunnelExchange::on_answer() {
  const tunnel::ClientOutcome outcome = session_.on_end();
  if (const auto* const failed = std::get_if<tunnel::AnsweredFailure>(&outcome))
    return end_with(failure_of(*failed));
  if (const auto* const redirect = std::get_if<tunnel::Redirect>(&outcome))
    return end_with(failure_of(*redirect));
  if (const auto* const bad = std::get_if<tunnel::BadAnswer>(&outcome)) {
    const bool is_refused = job_.is_seen_by_proxy && is_answer_of_proxy(*bad);
    return end_with(is_refused ? proxy_failure(*bad) : failure_of(*bad));
  }
  ShownResult shown = show_(std::get<tunnel::TaskResult>(outcome).value);
  if (auto* const failure = std::get_if<TunnelFailure>(&shown))
    return end_with(std::move(*failure));
  std::string& text = std::get<std::string>(shown);
  if (text.empty()) return end();
  progress_.clear();
  // Half of an answer is none: from here on nothing but its reader and a signal ends it.
  is_answered_ = true;
  timeout_.cancel();
  write(std::move(text), [this] { end(); });
}

void TunnelExchange::write(std::string text, std::function<void()> then) {
  output_.write(std::move(text), [this, then = std::move(then)](const Result<>& written) {
    if (!written) return end_unwritable(written.error().message);
    then();
  });
}

// Its end.

void TunnelExchange::end() {
  is_over_ = true;
  io_.stop();
}

void TunnelExchange::end_with(TunnelFailure failure) {
  if (is_over_) return;
  if (!failure.status && session_.status() != 0) failure.status = session_.status();
  if (failure.request_id.empty()) failure.request_id = session_.request_id();
  failure_ = std::move(failure);
  end();
}

void TunnelExchange::end_unwritable(std::string why) {
  if (is_over_) return;
  unwritable_ = std::move(why);
  end();
}

void TunnelExchange::watch_time() {
  if (!job_.timeout) return;
  timeout_.expires_at(*job_.deadline());
  timeout_.async_wait([this](error_code error) {
    if (error || is_answered_) return;
    end_with(timeout_failure(*job_.timeout));
  });
}

void TunnelExchange::watch_progress() {
  if (!progress_.can_be_seen()) return;
  tick_.expires_after(figures_->took == std::chrono::milliseconds() ? quiet_time
                                                                    : time_between_lines);
  tick_.async_wait([this](error_code error) {
    if (error) return;
    figures_->took = std::chrono::duration_cast<std::chrono::milliseconds>(
        std::chrono::steady_clock::now() - job_.started);
    // A stream that is shown on the terminal shows its progress by itself.
    if (!is_stream_ || isatty(STDOUT_FILENO) == 0) progress_.draw(*figures_);
    watch_progress();
  });
}

int TunnelExchange::told_end() {
  const auto tell = [this](const TunnelFailure& failure) {
    // Nothing stands behind what a task streams, nor behind a part of an answer.
    const bool has_output = is_stream_ || is_answered_;
    return tell_failure(command_, failure, job_.json,
                        has_output ? ReportPlace::errors : ReportPlace::output, serializer_);
  };
  if (interrupt_.was_signalled()) {
    return job_.json ? tell(interrupted_failure()) : exit_interrupted;
  }
  if (!unwritable_.empty()) {
    if (!job_.json) return failed(command_, unwritable_, exit_internal);
    return tell({.exit_code = exit_internal, .code = "io", .message = unwritable_});
  }
  if (failure_) return tell(*failure_);
  if (is_stream_ && job_.json)
    write_all(STDERR_FILENO, stream_json(figures_->received_bytes) + "\n");
  return exit_done;
}

}  // namespace cordon::cli
