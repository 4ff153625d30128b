// Any bytes as what a host sends to a runner, with a guest that calls a tool after each line: the
// runner's lines are the same wherever the bytes are cut, and they keep the protocol.

#include <chrono>
#include <cstddef>
#include <cstdint>
#include <optional>
#include <set>
#include <string>

#include "bounded.h"
#include "require.h"

#include "cordon/base/bytes.h"
#include "cordon/codec/json/decode.h"
#include "cordon/protocol/execbox/line_cutter.h"
#include "cordon/protocol/execbox/runner_session.h"

namespace {

using namespace cordon;

using cordon::fuzz::bounded;
using cordon::fuzz::require;

constexpr std::size_t max_line_bytes = 400;
// What its calls take is the guest's to pay, and not part of the bound for what a host sends.
constexpr std::uint64_t max_calls = 64;

class Runner : public execbox::LineSink {
 public:
  std::string run(std::string_view first, std::string_view rest) {
    lines_.feed(first, *this);
    lines_.feed(rest, *this);
    lines_.finish(*this);
    session_.on_end_of_input();
    carry_out();
    if (runs_) end(Value(1));
    require(session_.is_over(), "a session ends with its input");
    return session_.output();
  }

 private:
  void on_line(std::string_view line) override {
    session_.on_message(line);
    carry_out();
    if (runs_ && calls_ < max_calls && session_.on_tool_call("provider", "tool", Value(1)))
      ++calls_;
    if (line.size() % 7 == 0 && runs_) session_.on_wait();
    carry_out();
  }
  void on_oversized_line(const std::optional<execbox::Envelope>& envelope) override {
    session_.on_oversized(envelope);
    carry_out();
  }

  void carry_out() {
    for (execbox::Order& order : session_.take_orders()) {
      if (std::holds_alternative<execbox::Start>(order)) {
        require(!runs_, "one execution at a time");
        runs_ = true;
      } else if (const auto* settle = std::get_if<execbox::Settle>(&order)) {
        require(runs_ && settle->call >= 1 && settle->call <= calls_, "an answer to a call");
        require(settled_.insert(settle->call).second, "one answer to a call");
      } else {
        require(runs_, "only what runs is stopped");
        end(Error{ErrorCode::cancelled, "stopped"});
      }
    }
  }

  void end(std::variant<Value, Error> outcome) {
    runs_ = false;
    session_.on_end({.outcome = std::move(outcome), .logs = {"log"}, .duration = {}});
  }

  execbox::LineCutter lines_{max_line_bytes};
  execbox::RunnerSession session_{{.ceilings = {}, .message_bytes = max_line_bytes}};
  bool runs_ = false;
  std::uint64_t calls_ = 0;
  std::set<std::uint64_t> settled_;
};

void check_output(std::string_view output) {
  std::optional<std::string> running;
  bool is_done = false;
  while (!output.empty()) {
    const std::size_t end = output.find('\n');
    require(end != std::string_view::npos, "every line has its end");
    const Result<Value> message = json::decode(output.substr(0, end));
    output.remove_prefix(end + 1);
    require(message.has_value(), "every line is JSON");
    const ValueView type = message->find("type");
    if (type == "started") {
      require(!running, "started once");
      running = message->find("id").as_string();
    } else if (type == "tool_call") {
      require(running && !is_done, "calls are between started and done");
    } else {
      require(type == "done", "a runner's message");
      require(message->contains("error") == !message->find("ok").as_bool(), "an error or none");
      if (running && message->find("id") == *running) {
        require(!is_done, "done once");
        is_done = true;
      }
    }
  }
  require(!running || is_done, "what has started comes to its end");
}

}  // namespace

// The name and signature are libFuzzer's.
// NOLINTNEXTLINE(readability-identifier-naming)
extern "C" int LLVMFuzzerTestOneInput(const std::uint8_t* data, std::size_t size) {
  const std::string_view text = as_text({data, size});
  const std::string whole = bounded(size, [&] { return Runner().run(text, {}); });
  check_output(whole);
  const std::size_t cut = size == 0 ? 0 : data[0] % size;
  require(Runner().run(text.substr(0, cut), text.substr(cut)) == whole,
          "the same lines wherever the bytes are cut");
  return 0;
}
