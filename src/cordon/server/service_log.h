#pragma once

// The log of a server, a line an entry, as text or as JSON. It has no secrets: no header, no query
// and no input or result is ever written.

#include <atomic>
#include <cstddef>
#include <cstdint>
#include <memory>
#include <optional>
#include <string>
#include <string_view>
#include <unistd.h>
#include <vector>

#include "cordon/config/configuration.h"
#include "cordon/execution.h"
#include "cordon/result.h"
#include "cordon/server/line_rate.h"
#include "cordon/server/log_outlet.h"
#include "cordon/server/tunnel_request.h"
#include "cordon/value.h"

namespace cordon::server {

struct ServiceLogOptions {
  config::LogThreshold level = config::LogThreshold::debug;
  bool is_json = false;
  std::string access = {};  // of requests: a file, "-" for stderr, or empty for none
  bool shows_stacks = false;
};

struct StartRecord {
  std::string version = {};
  std::vector<std::string> addresses = {};
  std::size_t tasks = 0;
  std::size_t events = 0;
  std::size_t threads = 0;
  std::string auth = {};  // who is let in: "token", "validators", "anonymous"
};
// "3 tasks and 1 event on http://…".
std::string summary_of(const StartRecord& record);

// Any thread may use it. A log that is not read does not stop the server: lines are lost, and
// counted.
class ServiceLog {
 public:
  static Result<std::unique_ptr<ServiceLog>> create(ServiceLogOptions options);
  ~ServiceLog();
  ServiceLog(const ServiceLog&) = delete;
  ServiceLog& operator=(const ServiceLog&) = delete;

  // What is not as important as this is not written. The access log is another matter.
  using Level = config::LogThreshold;
  void set_level(Level level) { level_ = level; }

  // What the server itself has to say.
  void say(Level level, std::string_view text) const;
  // Its first line: what it serves, and how.
  void started(const StartRecord& record) const;
  // A request, where there is an access log; of one that failed, why; and of a few in each second
  // that were refused (401, 403), who asked.
  void request(const RequestRecord& record) const;
  // A line of a script.
  void script(std::string_view id, const CallOrigin& origin, const LogLine& line) const;
  // What a plugin wrote to its standard error.
  void plugin(std::string_view name, std::string_view line) const;

  // Opens the access log again, after the old one was moved away.
  void reopen();

 private:
  explicit ServiceLog(ServiceLogOptions options)
      : options_(std::move(options)), level_(options_.level) {}
  bool shows(Level level) const { return level >= level_.load(std::memory_order_relaxed); }
  void access(const RequestRecord& record) const;
  void refusal(const RequestRecord& record) const;
  // Writes how many refusals had no line of their own.
  void tell_left_out(Instant now) const;
  void failure(const RequestRecord& record) const;
  void put(LogOutlet& outlet, std::string line) const;
  void put_json(LogOutlet& outlet, std::vector<Value::Field> fields) const;

  static constexpr unsigned max_refusals_a_second = 20;

  const ServiceLogOptions options_;
  std::atomic<Level> level_;
  mutable LineRate refusals_{max_refusals_a_second};
  mutable LogOutlet errors_{STDERR_FILENO};
  int access_ = -1;  // where it is a file
  std::optional<LogOutlet> access_outlet_;
  LogOutlet* requests_ = nullptr;  // one of the two; null: there is no access log
};

// The trace id of a `traceparent`, 32 digits; empty if it is invalid.
std::string_view trace_id_of(std::string_view traceparent);

}  // namespace cordon::server
