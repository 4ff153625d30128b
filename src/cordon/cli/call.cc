#include "cordon/cli/call.h"

#include <algorithm>
#include <array>
#include <chrono>
#include <csignal>
#include <memory>
#include <optional>
#include <poll.h>
#include <unistd.h>
#include <utility>

#include "cordon/base/budget.h"
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
#include "cordon/providers/callback_inbox.h"
#include "cordon/providers/plugin_link.h"

namespace cordon::cli {
namespace {

using namespace std::chrono_literals;
using Clock = std::chrono::steady_clock;
using duplex::Message;

// After its answer a guest has this long to end; what it says meanwhile is judged like the rest.
constexpr auto time_to_leave = 250ms;
constexpr auto time_for_callbacks = 2s;
constexpr std::uint64_t max_frame_bytes = std::uint64_t{1} << 30;
constexpr const char* plugin_group = "Plugins and programs";
constexpr const char* tunnel_group = "Tunnels";

class Call {
 public:
  Call(const CallArguments& arguments, Interrupt& interrupt, CallJob job)
      : arguments_(arguments),
        interrupt_(interrupt),
        job_(std::move(job)),
        held_(std::make_shared<Budget>(Budget::Limits{.bytes = arguments_.limits.memory_bytes()})) {
  }

  int go() {
    const auto start = Clock::now();
    const Result<Value> outcome = run(start);
    interrupt_.on_signal({});
    if (interrupt_.was_signalled()) return exit_interrupted;
    int printed = show(outcome);
    if (arguments_.stats) print_stats(Clock::now() - start);
    return printed == exit_done && !outcome ? exit_code_of_call(outcome.error()) : printed;
  }

 private:
  Result<Value> run(Instant start) {
    CORDON_TRY(load_callbacks());
    auto link = providers::PluginLink::start(
        {.command = job_.command,
         .lifeline =
             arguments_.has_command ? providers::Lifeline::none : providers::Lifeline::given,
         .limits = arguments_.limits,
         .on_errors = [](std::string_view text) {
           write_all(STDERR_FILENO, visible(text, Lines::kept));
         }});
    if (!link) return fail(ErrorCode::unavailable, link.error().message);
    link_ = *std::move(link);
    deadline_ = start + arguments_.timeout;
    const pid_t guest = link_->process().id();
    interrupt_.on_signal([guest] { ::kill(-guest, SIGKILL); });
    for (const std::string& name : arguments_.allow) {
      if (find_callback(name) != nullptr) session().allow(name);
    }
    Value params = job_.params;
    if (!arguments_.stream.empty()) {
      stream_id_ = session().new_id();
      if (params.is_undefined()) params = Value::object({});
      params = params.with(arguments_.stream, Value(stream_id_));
      stream_open_ = session().open_incoming(stream_id_).has_value();
    }
    const Result<std::string> id = session().call(
        job_.function, params,
        {.answer = arguments_.no_response ? duplex::Answer::none : duplex::Answer::expected,
         .deadline = deadline_});
    if (!id) {
      // A frame has its limit whoever writes it.
      const bool is_large =
          id.error().is(ErrorCode::too_large) || id.error().is(ErrorCode::too_deep);
      return fail(is_large ? ErrorCode::too_large : ErrorCode::invalid_argument,
                  id.error().message);
    }
    answered_ = arguments_.no_response;
    if (arguments_.no_response && !stream_open_) return wait_for_end();
    return converse();
  }

  duplex::HostSession& session() { return link_->session(); }

  Result<> load_callbacks() {
    if (!job_.callbacks) return {};
    Result<Engine> engine = Engine::create({.workers = 1, .slots = 1, .pool = false});
    if (!engine) return fail(ErrorCode::internal_error, engine.error().message);
    engine_.emplace(*std::move(engine));
    ExecuteOptions options;
    options.limits.time.total = arguments_.timeout;
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

  const Tool* find_callback(std::string_view name) const {
    if (!callbacks_) return nullptr;
    const auto& tools = callbacks_->tools();
    const auto found = std::ranges::find(tools, name, &Tool::name);
    return found == tools.end() ? nullptr : &*found;
  }

  // Until the call is answered and its stream has ended.
  Result<Value> converse() {
    while (true) {
      Result<std::optional<Message>> message = link_->next(deadline_, inbox_->descriptor());
      if (!message) return fail(message.error());
      answer_callbacks();
      if (!*message) {
        if (Clock::now() < deadline_) continue;
        link_->kill();
        return fail(ErrorCode::timeout, "it took longer than " + timeout_text());
      }
      CORDON_TRY(on_message(**message));
      if (answered_ && !stream_open_) return leave();
    }
  }

  std::string timeout_text() const { return std::to_string(arguments_.timeout.count()) + " ms"; }

  Result<> on_message(Message& message) {
    if (auto* call = std::get_if<duplex::FunctionCall>(&message)) {
      return start_callback(*call);
    } else if (auto* response = std::get_if<duplex::FunctionResponse>(&message)) {
      answered_ = true;
      result_ = std::move(response->result);
    } else if (const auto* error = std::get_if<duplex::FunctionError>(&message)) {
      return failed_after_end(ErrorCode::tool_error, error->error);
    } else if (const auto* chunk = std::get_if<duplex::StreamChunk>(&message)) {
      // Nobody reads it any more, so there is no use in waiting for its end.
      if (!print(chunk->chunk)) {
        return fail(ErrorCode::internal_error, "cannot write to standard output");
      }
    } else if (const auto* stream_error = std::get_if<duplex::StreamError>(&message)) {
      return failed_after_end(ErrorCode::io, stream_error->error);
    } else {
      stream_open_ = false;
    }
    return {};
  }

  std::unexpected<Error> failed_after_end(ErrorCode code, const std::string& text) {
    const Result<Value> left = leave();
    return left ? fail(code, text) : fail(left.error());
  }

  Result<> start_callback(duplex::FunctionCall& call) {
    // Those that want no answer are work all the same.
    if (inbox_->open() >= arguments_.limits.open_callbacks) {
      link_->kill();
      return fail(
          ErrorCode::too_large,
          "more than " + std::to_string(arguments_.limits.open_callbacks) + " open callbacks");
    }
    Charge held(held_);
    if (!held.add(session().message_memory())) {
      link_->kill();
      return fail(ErrorCode::too_large, "callbacks that are open take more than " +
                                            std::to_string(held_->limits().bytes) +
                                            " bytes of memory");
    }
    const Tool* const tool = find_callback(call.function_name);
    std::optional<std::string> id;
    if (call.expects_response) id = std::move(call.id);
    tool->function(std::move(call.params), inbox_->reply_for(std::move(id), std::move(held)));
    return {};
  }

  void answer_callbacks() {
    for (const providers::CallbackAnswer& answer : inbox_->take()) {
      if (answer.result) {
        const Result<> written = session().respond(answer.id, *answer.result);
        if (!written) (void)session().respond_error(answer.id, written.error().message);
      } else {
        (void)session().respond_error(answer.id, answer.result.error().message);
      }
    }
  }

  // The answer is here. The guest reads the end of its input and goes; what it still says must keep
  // the protocol, or it was not an answer to rely on.
  Result<Value> leave() {
    link_->finish_input();
    const Instant until = std::min(deadline_, Clock::now() + time_to_leave);
    while (true) {
      Result<std::optional<Message>> message = link_->next(until);
      if (!message && !message.error().is(ErrorCode::exited)) return fail(message.error());
      if (!message || !*message) break;
      if (auto* call = std::get_if<duplex::FunctionCall>(&**message)) {
        CORDON_TRY(start_callback(*call));
      }
    }
    link_->kill();
    finish_callbacks();
    return result_;
  }

  // What the guest asked for without waiting for it is done all the same, if it takes no longer
  // than this.
  void finish_callbacks() {
    const Instant until = std::min(deadline_, Clock::now() + time_for_callbacks);
    while (inbox_->open() > 0 && Clock::now() < until) {
      pollfd waiting{.fd = inbox_->descriptor(), .events = POLLIN, .revents = 0};
      poll(&waiting, 1, 10);
      (void)inbox_->take();
    }
  }

  // After a call without an answer: the guest works it off, and ends with its input.
  Result<Value> wait_for_end() {
    link_->finish_input();
    while (true) {
      Result<std::optional<Message>> message = link_->next(deadline_, inbox_->descriptor());
      if (!message) {
        const bool well = message.error().is(ErrorCode::exited) && link_->process().ended_well();
        if (well) finish_callbacks();
        return well ? Result<Value>(Value()) : fail(message.error());
      }
      answer_callbacks();
      if (*message) {
        CORDON_TRY(on_message(**message));
      } else if (Clock::now() >= deadline_) {
        link_->kill();
        return fail(ErrorCode::timeout, "it took longer than " + timeout_text());
      }
    }
  }

  bool print(const ValueView& value) {
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
    if (link_) figures = session().figures();
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
  std::shared_ptr<Budget> held_;  // what callbacks take that are open
  // Declared before what its threads write to is gone: the engine ends first.
  std::shared_ptr<providers::CallbackInbox> inbox_ = std::make_shared<providers::CallbackInbox>();
  std::optional<Engine> engine_;
  std::optional<Provider> callbacks_;
  std::unique_ptr<providers::PluginLink> link_;
  Instant deadline_{};
  std::string stream_id_;
  bool stream_open_ = false;
  bool answered_ = false;
  Value result_;
};

}  // namespace

void bind_call(CLI::App& command, CallArguments& arguments) {
  CLI::Option* words[] = {
      command
          .add_option("target", arguments.first,
                      "a tunnel's URL or a WebAssembly plugin; left out with --command")
          ->type_name("TARGET"),
      command.add_option("name", arguments.second, "the task or the function")->type_name("NAME"),
      command.add_option("input", arguments.third, "its input")->type_name("JSON"),
  };
  add_milliseconds(command, "--timeout", arguments.timeout, "milliseconds until the call is ended");
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
  CLI::Option* token_env =
      command
          .add_option("--token-env", arguments.token_env,
                      "the variable that has the token, sent as x-runner-token")
          ->type_name("NAME");
  command.add_option("--token-file", arguments.token_file, "the file that has the token")
      ->type_name("FILE")
      ->excludes(token_env);
  command.add_flag("--runner", arguments.runner, "print the result as Runner text, not as JSON");
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
