#pragma once

// An execbox host as the specification describes it, with `cordon runner` on its other end.

#include <chrono>
#include <functional>
#include <map>
#include <optional>
#include <string>
#include <vector>

#include "../e2e/conversation.h"

#include "cordon/value.h"

namespace cordon::conformance {

struct Request {
  std::string code;
  std::string id = "exec-1";
  double timeout_ms = 5000;
  double memory_limit_bytes = 64 << 20;
  double max_log_lines = 100;
  double max_log_chars = 64000;
  // Provider names and the names of their tools.
  std::vector<std::pair<std::string, std::vector<std::string>>> providers = {
      {"tools", {"echo", "fail", "hang"}}};
};

std::string execute_line(const Request& request);
std::string result_line(const ValueView& call_id, const Value& result);
std::string failure_line(const ValueView& call_id, const std::string& code,
                         const std::string& message);
std::string cancel_line(const std::string& id = "exec-1");

class Host {
 public:
  explicit Host(std::vector<std::string> arguments = {});

  void execute(const Request& request) { send(execute_line(request)); }
  void send(const std::string& line);
  // The next message, which has this type.
  Value receive(std::string_view type);
  std::optional<Value> receive_any();

  // Answers calls as tools named echo, fail({code, message}) and hang do, until `done`.
  Value until_done();
  // Whether the runner ends here as it should: no more output, and exit code 0.
  void expect_end();

  e2e::Conversation& conversation() { return conversation_; }
  std::vector<Value> calls;  // that until_done has answered

 private:
  e2e::Conversation conversation_;
};

// A whole session: the one `done`, after which the runner has ended well.
Value run(const Request& request, std::vector<std::string> arguments = {});
inline Value run(const std::string& code) { return run(Request{.code = code}); }

// "ok", or the code of the error.
std::string code_of(const Value& done);
std::string message_of(const Value& done);
std::vector<std::string> logs_of(const Value& done);

}  // namespace cordon::conformance
