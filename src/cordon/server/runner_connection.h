#pragma once

// One connection of a RunnerService: an execbox session on a Wire. On the service's thread.

#include <cstdint>
#include <memory>
#include <optional>
#include <string>
#include <string_view>

#include <boost/asio/awaitable.hpp>

#include "cordon/base/instant.h"
#include "cordon/protocol/execbox/line_cutter.h"
#include "cordon/server/runner_execution.h"
#include "cordon/transport/connection_gate.h"
#include "cordon/transport/wire.h"

namespace cordon::server {

class RunnerService;

class RunnerConnection final : public std::enable_shared_from_this<RunnerConnection>,
                               private execbox::LineSink {
 public:
  RunnerConnection(RunnerService& service, transport::ConnectionGate::Pass pass,
                   std::unique_ptr<transport::Wire> wire);

  void begin();
  // Carries out what the session has ordered and sends what it has to say.
  void attend();
  // Ends the connection if it has met a limit; see RunnerServerOptions.
  void check(Instant now);
  // The server is being stopped: at first a session that has not begun ends, then all do.
  void end_if_idle();
  void end_now();
  void close();

  bool is_noted = false;  // the service's

 private:
  boost::asio::awaitable<void> serve();
  boost::asio::awaitable<void> write_all();
  boost::asio::awaitable<void> finish();
  void on_line(std::string_view line) override;
  void on_oversized_line(const std::optional<execbox::Envelope>& envelope) override;
  bool knows_token(std::string_view line) const;
  // For a peer that has not sent anything yet: whether this may be the beginning of a JSON object.
  bool may_be_meant(std::string_view bytes);
  void let_in();
  void flush();

  RunnerService& service_;
  transport::ConnectionGate::Pass pass_;  // while it is not closed
  const std::unique_ptr<transport::Wire> wire_;
  const std::shared_ptr<RunnerExecution> guest_;
  execbox::RunnerSession& session_;
  execbox::LineCutter lines_;
  const Instant since_;
  bool is_open_ = false;  // its handshakes are done
  bool authorized_ = false;
  // Whether the peer talks to a runner: its first line is a JSON object, or its handshake said so.
  enum class Meant : std::uint8_t { unknown, begun, yes };
  Meant meant_ = Meant::unknown;
  bool closed_ = false;
  bool input_ended_ = false;
  std::optional<Instant> finished_at_;

  // What is being written. The session adds to its own output meanwhile.
  std::string sending_;
  std::size_t sent_ = 0;
  bool writes_ = false;
  Instant last_progress_{};
};

}  // namespace cordon::server
