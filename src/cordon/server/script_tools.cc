#include "cordon/server/script_tools.h"

#include <algorithm>
#include <chrono>
#include <stop_token>
#include <utility>

#include "cordon/base/utf8.h"
#include "cordon/config/reader.h"
#include "cordon/host/image_start.h"
#include "cordon/host/log_book.h"
#include "cordon/json.h"

namespace cordon::server {
namespace {

constexpr std::size_t most_script_bytes = std::size_t{16} << 20;
// Of a call with all that it waits for, unless it may even compute for longer. Tools stand for what
// is slow, and whoever calls them need not pay for that with their own time.
constexpr std::chrono::milliseconds longest_call{30'000};
// Of a module's top level.
constexpr std::chrono::milliseconds longest_load{10'000};

ExecuteOptions options_of(const std::string& file, const config::Configuration& configuration) {
  ExecuteOptions options;
  options.limits = configuration.limits;
  // The time of a script's own is here what it computes.
  options.limits.cpu_time = std::exchange(options.limits.own_time, std::nullopt);
  options.limits.timeout = std::max(*options.limits.cpu_time, longest_call);
  options.module_folder = folder_of(file);
  options.private_files = configuration.private_files;
  options.values = ValueRule::rich;
  options.name = name_in_folder(file);
  return options;
}

// What a tool sees beside its input.
Value context_of(const CallOrigin& origin) {
  const auto text = [](const std::string& given) { return given.empty() ? Value() : Value(given); };
  return Value::object(
      {{"requestId", text(origin.request_id)}, {"traceparent", text(origin.traceparent)}});
}

// A call of one tool, until its execution ends, or nobody waits for it any more.
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
    if (const auto note = host::note_on_cut_logs(report); note && log_) log_(*note);
    if (report.ok) return reply_(std::move(report.result));
    // What a tool throws is the failure of the tool, whoever calls it.
    const bool is_thrown = report.error.code == "runtime_error";
    reply_.fail({is_thrown ? "tool_error" : report.error.code, report.error.message});
  }

  Execution execution_;
  Reply reply_;
  Log log_;
  std::optional<std::stop_callback<Cancel>> stop_;
};

}  // namespace

Result<std::string> read_script(const std::string& file) {
  std::string text = CORDON_TRY(config::read_file(file, most_script_bytes));
  if (valid_utf8_prefix(text) != text.size()) return fail(Errc::invalid_utf8, "is not UTF-8");
  return text;
}

std::string folder_of(const std::string& file) { return file.substr(0, file.rfind('/') + 1); }

std::string name_in_folder(const std::string& file) { return file.substr(file.rfind('/') + 1); }

Result<Provider> load_script_tools(const std::shared_ptr<Engine>& engine, const std::string& name,
                                   const config::ScriptProvider& entry,
                                   const config::Configuration& configuration, ToolLog on_log) {
  const ExecuteOptions options = options_of(entry.script, configuration);
  const std::string text = CORDON_TRY(read_script(entry.script));
  ExecuteOptions loading = options;
  loading.limits.timeout = longest_load;
  const Prepared module = CORDON_TRY(engine->prepare(text, loading));

  // The module again, behind one function that calls any of its own. It is given as what it is,
  // since a script may have a name that no module has.
  ExecuteOptions wrapped = std::move(loading);
  wrapped.name = "cordon-tools.js";
  wrapped.modules = {{name_in_folder(entry.script), text}};
  const std::string specifier = CORDON_TRY(to_json(Value("./" + name_in_folder(entry.script))));
  const Prepared prepared = CORDON_TRY(engine->prepare(
      "import * as tools from " + specifier +
          ";\nexport default ({ tool, input, context }) => tools[tool](input, context);\n",
      wrapped));

  Provider provider(name);
  for (const std::string& function : module.module().functions) {
    provider.add_async(function, [=](Value input, Reply reply) {
      ExecuteOptions call = options;
      call.origin = reply.origin();
      call.input = Value::object(
          {{"tool", function}, {"input", std::move(input)}, {"context", context_of(call.origin)}});
      if (on_log) {
        call.on_log = [on_log, id = name + "." + function,
                       origin = call.origin](const LogLine& line) { on_log(id, origin, line); };
      }
      ToolRun::Log log = call.on_log;
      Execution execution = engine->execute(prepared, std::move(call));
      std::make_shared<ToolRun>(std::move(execution), std::move(reply), std::move(log))->start();
    });
  }
  return provider;
}

Provider make_absent_tools(const std::string& name, std::string_view kind) {
  Provider provider(name);
  provider.add_any(
      [name, kind = std::string(kind)](const std::string& tool, const Value&, Reply reply) {
        reply(fail(Errc::tool_error,
                   name + "." + tool + ": tools of " + kind + " cannot be called yet"));
      });
  return provider;
}

}  // namespace cordon::server
