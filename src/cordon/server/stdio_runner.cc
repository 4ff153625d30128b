#include "cordon/server/stdio_runner.h"

#include <memory>

#include "cordon/protocol/execbox/line_cutter.h"
#include "cordon/server/turn.h"
#include "cordon/transport/stdio_pipe.h"

namespace cordon::server {
namespace {

class StdioRunner : private execbox::LineSink {
 public:
  StdioRunner(Engine& engine, int input, int output, const RunnerSettings& settings)
      : engine_(engine),
        pipe_(input, output),
        guest_(std::make_shared<RunnerExecution>(engine, settings)),
        session_(guest_->session()),
        lines_(settings.limits.message_bytes) {}

  Result<> run() {
    for (Instant next = Instant::max();;) {
      guest_->act();
      const bool has_output = !session_.output().empty();
      if (session_.is_over() && !has_output) return {};
      const auto ready = pipe_.wait(has_output, next);
      if (ready.output) CORDON_TRY(pipe_.write(session_.output()));
      if (ready.input) read();
      // After the end the engine has nothing to do but to free the guest's memory: the host is told
      // before that.
      next = session_.is_over() ? Instant::max() : engine_.run_some(turn);
    }
  }

 private:
  void read() {
    const std::string_view bytes = pipe_.read();
    if (!bytes.empty()) {
      lines_.feed(bytes, *this);
    } else if (pipe_.input_ended()) {
      lines_.finish(*this);
      session_.on_end_of_input();
    }
    guest_->act();
  }

  void on_line(std::string_view line) override {
    session_.on_message(line);
    guest_->act();
  }
  void on_oversized_line(const std::optional<execbox::Envelope>& envelope) override {
    session_.on_oversized(envelope);
    guest_->act();
  }

  Engine& engine_;
  transport::StdioPipe pipe_;
  const std::shared_ptr<RunnerExecution> guest_;
  execbox::RunnerSession& session_;
  execbox::LineCutter lines_;
};

}  // namespace

Result<> run_on_stdio(int input, int output, const RunnerSettings& settings,
                      const std::function<void()>& at_end) {
  Engine engine = CORDON_TRY(Engine::create_one_shot());
  StdioRunner runner(engine, input, output, settings);
  CORDON_TRY(runner.run());
  at_end();
  return {};
}

}  // namespace cordon::server
