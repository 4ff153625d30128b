#pragma once

// One request to a tunnel, from the command line to the exit code: sends the job's input, writes
// what comes to standard output as it comes, and tells how it ended. One thread does all of it, and
// nothing that it waits for keeps it from ending at the timeout or at a signal.

#include <chrono>
#include <cstdint>
#include <functional>
#include <memory>
#include <optional>
#include <string>
#include <string_view>
#include <variant>

#include <boost/asio/io_context.hpp>
#include <boost/asio/steady_timer.hpp>

#include "cordon/base/instant.h"
#include "cordon/cli/interrupt.h"
#include "cordon/cli/transfer_progress.h"
#include "cordon/cli/tunnel_job.h"
#include "cordon/cli/tunnel_report.h"
#include "cordon/codec/rich/serializer.h"
#include "cordon/protocol/tunnel/client_session.h"
#include "cordon/transport/descriptor_sink.h"
#include "cordon/transport/http/http_client.h"

namespace cordon::cli {

class TunnelExchange {
 public:
  // What a command prints of a result, with its line end, or why the result is none.
  using ShownResult = std::variant<std::string, TunnelFailure>;
  using Show = std::function<ShownResult(const Value& result)>;

  // `command` is the name of the command, for messages. Borrows all but the job.
  TunnelExchange(std::string_view command, TunnelJob job, const rich::Serializer& serializer,
                 boost::asio::io_context& io, Interrupt& interrupt);

  // The exit code.
  int go(Show show);

 private:
  using Next = tunnel::ClientSession::Next;
  using Piece = transport::http::HttpResult<BytesView>;

  // Both on their way to the server and back.
  Result<transport::http::HttpRequest> request();
  void on_head(const transport::http::HttpResult<HttpResponseHead>& head);
  void read_on();
  void on_piece(const Piece& piece);
  void on_answer();
  void write(std::string text, std::function<void()> then);

  // How it ends: once, and the first one counts.
  void end();
  void end_with(TunnelFailure failure);
  void end_unwritable(std::string why);

  void watch_time();
  void watch_progress();
  int told_end();

  const std::string_view command_;
  TunnelJob job_;
  const rich::Serializer& serializer_;
  boost::asio::io_context& io_;
  Interrupt& interrupt_;
  Show show_;

  tunnel::ClientSession session_{job_.options, serializer_};
  transport::DescriptorSink output_;
  boost::asio::steady_timer timeout_{io_};
  boost::asio::steady_timer tick_{io_};
  ProgressLine progress_;
  const std::shared_ptr<TransferFigures> figures_ = std::make_shared<TransferFigures>();

  bool is_stream_ = false;    // what comes is passed on as it is
  bool is_answered_ = false;  // the answer has come to its end, and is being written
  bool is_over_ = false;
  std::optional<TunnelFailure> failure_;
  std::string unwritable_;  // why standard output takes nothing; empty: it does

  // Last: they go first, and nothing of the above is called after that.
  transport::http::HttpClient client_;
  transport::http::HttpTransfer transfer_;
};

}  // namespace cordon::cli
