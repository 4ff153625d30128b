#include "cordon/cli/call.h"

#include <algorithm>
#include <array>
#include <chrono>
#include <csignal>
#include <memory>
#include <optional>
#include <unistd.h>
#include <utility>

#include "cordon/cli/arguments.h"
#include "cordon/cli/call_job.h"
#include "cordon/cli/call_tunnel.h"
#include "cordon/cli/exit_codes.h"
#include "cordon/cli/interrupt.h"
#include "cordon/cli/options.h"
#include "cordon/cli/terminal.h"
#include "cordon/cli/usage.h"
#include "cordon/codec/json/encode.h"
#include "cordon/codec/json/plain.h"
#include "cordon/engine.h"
#include "cordon/protocol/duplex/failure_codes.h"
#include "cordon/providers/one_call.h"

namespace cordon::cli {
namespace {

constexpr std::uint64_t max_frame_bytes = std::uint64_t{1} << 30;
constexpr const char* plugin_group = "Plugins and programs";
constexpr const char* tunnel_group = "Tunnels";

// Talks to the plugin or the program, and prints what comes of it.
class Call {
 public:
  Call(const CallArguments& arguments, Interrupt& interrupt, CallJob job)
      : arguments_(arguments), interrupt_(interrupt), job_(std::move(job)) {}

  int go() {
    const auto start = std::chrono::steady_clock::now();
    const Result<Value> outcome = run(start);
    interrupt_.on_signal({});
    if (interrupt_.was_signalled()) return exit_interrupted;
    int printed = show(outcome);
    if (arguments_.stats) print_stats(std::chrono::steady_clock::now() - start);
    return printed == exit_done && !outcome ? exit_code_of_call(outcome.error()) : printed;
  }

 private:
  Result<Value> run(Instant start) {
    CORDON_TRY(load_callbacks());
    const auto answer = arguments_.no_response ? duplex::Answer::none : duplex::Answer::expected;
    call_ = CORDON_TRY(providers::OneCall::start({.link = link_options(),
                                                  .callbacks = {.tools = allowed_callbacks()},
                                                  .request = {.function = job_.function,
                                                              .params = job_.params,
                                                              .answer = answer,
                                                              .stream_param = arguments_.stream},
                                                  .started = start,
                                                  .timeout = timeout(),
                                                  .on_chunk = [](const Value& chunk) -> Result<> {
                                                    if (print(chunk)) return {};
                                                    return fail(ErrorCode::internal_error,
                                                                "cannot write to standard output");
                                                  }}));
    const pid_t guest = call_->process();
    interrupt_.on_signal([guest] { ::kill(-guest, SIGKILL); });
    return call_->run();
  }

  std::chrono::milliseconds timeout() const { return arguments_.timeout.value_or(plugin_timeout); }

  providers::LinkOptions link_options() const {
    using providers::Lifeline;
    return {.command = job_.command,
            .lifeline = arguments_.has_command ? Lifeline::none : Lifeline::given,
            .limits = arguments_.limits,
            .on_errors = [](std::string_view text) {
              write_all(STDERR_FILENO, visible(text, Lines::kept));
            }};
  }

  Result<> load_callbacks() {
    if (!job_.callbacks) return {};
    Result<Engine> engine = Engine::create({.workers = 1, .slots = 1, .pool = false});
    if (!engine) return fail(ErrorCode::internal_error, engine.error().message);
    engine_.emplace(*std::move(engine));
    ExecuteOptions options;
    options.limits.time.total = timeout();
    options.name = arguments_.callbacks;
    options.module_folder = folder_of(arguments_.callbacks);
    options.private_files = private_files_in(options.module_folder);
    options.values = ValueRule::rich;  // bytes, and integers past 2^53 as bigints, both ways
    options.on_log = [](const LogLine& line) {
      write_all(STDERR_FILENO, visible(line.text, Lines::kept) + "\n");
    };
    const auto keep = [&]() -> Result<KeptModule> {
      return CORDON_TRY(engine_->load(*job_.callbacks, std::move(options))).keep();
    };
    const Result<KeptModule> module = keep();
    if (!module) {
      return fail({ErrorCode::invalid_argument,
                   arguments_.callbacks + ": " + module.error().message, "invalid_callbacks"});
    }
    callbacks_.emplace(module->provider("callbacks"));
    return {};
  }

  // Those that the module has and the user lets the guest call.
  std::vector<Tool> allowed_callbacks() const {
    std::vector<Tool> allowed;
    if (!callbacks_) return allowed;
    for (const Tool& tool : callbacks_->tools()) {
      if (std::ranges::find(arguments_.allow, tool.name) != arguments_.allow.end())
        allowed.push_back(tool);
    }
    return allowed;
  }

  static bool print(const ValueView& value) {
    const Result<std::string> text = json::encode_plain(value);
    return text && write_all(STDOUT_FILENO, *text + "\n");
  }

  int show(const Result<Value>& outcome) {
    bool printed = true;
    if (!outcome) {
      const std::string code(duplex::code_text(outcome.error()));
      const std::string& message = outcome.error().message;
      const ExitCode exit_code = exit_code_of_call(outcome.error());
      if (!arguments_.json || exit_code == exit_usage || exit_code == exit_internal) {
        write_all(STDERR_FILENO,
                  "cordon call: " + code + ": " + visible(message, Lines::escaped) + "\n");
      }
      if (arguments_.json) {
        const Value error = Value::object({{"code", code}, {"message", message}});
        printed = print(Value::object({{"ok", false}, {"error", error}}));
      }
    } else if (arguments_.json) {
      Value object = Value::object({{"ok", true}});
      if (!outcome->is_undefined()) object = object.with("result", *outcome);
      printed = print(object);
    } else if (!outcome->is_undefined()) {
      printed = print(*outcome);
    }
    if (printed) return exit_done;
    write_all(STDERR_FILENO, "cordon call: cannot write to standard output\n");
    return exit_internal;
  }

  void print_stats(Duration took) {
    duplex::SessionFigures figures;
    if (call_) figures = call_->figures();
    const double ms = std::chrono::duration<double, std::milli>(took).count();
    // One call has one process: there is no next one to start another for.
    const Value stats = Value::object({{"restarts", 0},
                                       {"frames", figures.frames_in + figures.frames_out},
                                       {"bytes", figures.bytes_in + figures.bytes_out},
                                       {"ms", ms},
                                       {"framesIn", figures.frames_in},
                                       {"framesOut", figures.frames_out},
                                       {"bytesIn", figures.bytes_in},
                                       {"bytesOut", figures.bytes_out}});
    write_all(STDERR_FILENO, json::encode(stats).value_or("{}") + "\n");
  }

  const CallArguments& arguments_;
  Interrupt& interrupt_;
  CallJob job_;
  std::optional<Engine> engine_;
  std::optional<Provider> callbacks_;
  std::unique_ptr<providers::OneCall> call_;  // before the engine goes, whose callbacks it has
};

}  // namespace

void bind_call(CLI::App& command, CallArguments& arguments) {
  CLI::Option* words[] = {
      command
          .add_option("target", arguments.first,
                      "a tunnel's URL or a WebAssembly plugin; left out with --command")
          ->type_name("TARGET"),
      command.add_option("name", arguments.second, "the task or the function")->type_name("NAME"),
      command
          .add_option("input", arguments.third,
                      "its input; of a task as Runner text, @FILE, or - for standard input")
          ->type_name("JSON"),
  };
  add_milliseconds(command, "--timeout", arguments.timeout, "milliseconds until the call is ended")
      .default_str("30000 for plugins, none for tunnels");
  command.add_flag("--json", arguments.json, "print one object: result or error");

  begin_group(command, plugin_group);
  CLI::Option* program =
      command
          .add_option("--command", arguments.command,
                      "talk to this program instead of a plugin; words as in a shell, without one")
          ->type_name("'PROG ARGS'");
  add_list(command, "--allow", arguments.allow,
           "a callback that the guest may call; may be given several times")
      .type_name("NAME");
  command
      .add_option("--callbacks", arguments.callbacks,
                  "a module whose exported functions are the callbacks, in a sandbox")
      ->type_name("FILE.js");
  command
      .add_option("--stream", arguments.stream,
                  "pass a stream's id as this member of the input, print its chunks as JSON lines")
      ->type_name("PARAM");
  command.add_flag("--no-response", arguments.no_response,
                   "send the call, close the guest's input and wait for its end");
  add_memory(command, "--memory", arguments.memory_bytes,
             "the most linear memory of a plugin (default: 256MiB)");
  add_milliseconds(command, "--compile-timeout", arguments.compile.timeout,
                   "milliseconds that compiling a plugin may take");
  add_bytes(command, "--compile-memory", arguments.compile.memory_bytes,
            "the memory that compiling a plugin may take");
  add_bytes(command, "--max-frame", arguments.limits.frame_bytes,
            "the largest frame, in either direction", max_frame_bytes);
  command.add_flag("--stats", arguments.stats,
                   "write a JSON line on stderr at the end: restarts, frames, bytes, ms");

  begin_group(command, tunnel_group);
  bind_tunnel_options(command, arguments.tunnel);
  CLI::Option& file = add_list(command, "--file", arguments.files,
                               "a file of the input, at a place such as pages.0.scan, or at . for "
                               "the whole input; may be given several times");
  file.type_name("PLACE=FILE");
  command
      .add_option("--stream-in", arguments.stream_in,
                  "send a file, or - for standard input, as a stream instead of an input")
      ->type_name("FILE|-")
      ->excludes(&file);
  refuse_empty_options(command);
  command.callback([&command, &arguments, program, words = std::to_array(words)] {
    arguments.has_command = program->count() > 0;
    arguments.plugin_option = given_of_group(command, plugin_group);
    arguments.tunnel_option = given_of_group(command, tunnel_group);
    for (const CLI::Option* word : words) {
      if (word->count() > 0) ++arguments.count;
    }
  });
}

int wrong_call(const Error& error) { return usage_error("call", error); }

int call(const CallArguments& arguments) {
  const bool is_tunnel = names_tunnel(arguments);
  const std::string& misplaced = is_tunnel ? arguments.plugin_option : arguments.tunnel_option;
  if (!misplaced.empty()) {
    return wrong_call({ErrorCode::invalid_argument,
                       misplaced + (is_tunnel ? " is for plugins and programs, not for a tunnel"
                                              : " is for tunnels, whose target is a URL")});
  }
  if (is_tunnel) return call_tunnel(arguments);
  Interrupt interrupt;  // before any other thread
  Result<CallJob> job = call_job_of(arguments);
  if (!job) return wrong_call(job.error());
  return Call(arguments, interrupt, *std::move(job)).go();
}

}  // namespace cordon::cli
