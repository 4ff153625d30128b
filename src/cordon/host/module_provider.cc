#include "cordon/host/module_provider.h"

#include <memory>
#include <optional>
#include <stop_token>
#include <utility>
#include <vector>

#include "cordon/host/failure.h"
#include "cordon/host/log_book.h"
#include "cordon/host/warnings.h"

namespace cordon::host {
namespace {

// The second argument of a tool.
Value context_of(const CallOrigin& origin) {
  const auto text = [](const std::string& given) { return given.empty() ? Value() : Value(given); };
  return Value::object(
      {{"requestId", text(origin.request_id)}, {"traceparent", text(origin.traceparent)}});
}

// A call of one tool. It lives until its execution ends or its caller is gone.
class ToolRun : public std::enable_shared_from_this<ToolRun> {
 public:
  using Log = std::function<void(const LogLine&)>;
  ToolRun(Execution execution, Reply reply, Log log)
      : execution_(std::move(execution)), reply_(std::move(reply)), log_(std::move(log)) {}

  void start() {
    stop_.emplace(reply_.stop_token(), Cancel{weak_from_this()});
    execution_.then(
        [self = shared_from_this()](Report report) { self->finish(std::move(report)); });
  }

 private:
  struct Cancel {
    std::weak_ptr<ToolRun> run;
    void operator()() const {
      if (const auto self = run.lock()) self->execution_.cancel();
    }
  };

  void finish(Report report) {
    if (log_) tell_rest(report);
    if (report.ok()) return reply_(std::move(report.result));
    // The caller sees no more of the error than its message.
    if (!report.error.reason.empty()) report.error.message = tool_refusal_text(report.error);
    // An error that a tool throws is the tool's failure for every caller.
    if (report.error.is(ErrorCode::runtime_error)) report.error.code = ErrorCode::tool_error;
    reply_(fail(std::move(report.error)));
  }

  void tell_rest(const Report& report) const {
    if (const auto note = note_on_cut_logs(report)) log_(*note);
    for (const LogLine& line : lines_of_warnings(report)) log_(line);
  }

  Execution execution_;
  Reply reply_;
  Log log_;
  std::optional<std::stop_callback<Cancel>> stop_;
};

}  // namespace

Provider provider_of(const Module& module, std::string_view name, ModuleProviderOptions options) {
  const auto shared = std::make_shared<const ModuleProviderOptions>(std::move(options));
  Provider provider(name);
  for (const std::string& function : module.functions()) {
    provider.add_async(function, [module, shared, function](Value input, Reply reply) {
      ExecuteOptions call = shared->execute;
      call.origin = reply.origin();
      std::vector<Value> arguments;
      arguments.push_back(std::move(input));
      if (shared->has_context) arguments.push_back(context_of(call.origin));
      if (shared->on_log) {
        call.on_log = [shared, function, origin = call.origin](const LogLine& line) {
          shared->on_log(function, origin, line);
        };
      }
      ToolRun::Log log = call.on_log;
      Execution execution = module.apply(function, std::move(arguments), std::move(call));
      std::make_shared<ToolRun>(std::move(execution), std::move(reply), std::move(log))->start();
    });
  }
  return provider;
}

}  // namespace cordon::host
