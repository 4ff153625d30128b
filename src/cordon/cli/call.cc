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

#include <CLI/CLI.hpp>

#include "cordon/base/budget.h"
#include "cordon/cli/arguments.h"
#include "cordon/cli/call_job.h"
#include "cordon/cli/call_tunnel.h"
#include "cordon/cli/exit_codes.h"
#include "cordon/cli/interrupt.h"
#include "cordon/cli/terminal.h"
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

class Call {
 public:
  Call(const CallArguments& arguments, Interrupt& interrupt, CallJob job)
      : arguments_(arguments),
        interrupt_(interrupt),
        job_(std::move(job)),
        held_(std::make_shared<Budget>(Budget::Limits{.bytes = job_.limits.memory_bytes()})) {}

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
         .limits = job_.limits,
         .on_errors = [](std::string_view text) {
           write_all(STDERR_FILENO, visible(text, Lines::kept));
         }});
    if (!link) return fail(ErrorCode::unavailable, link.error().message);
    link_ = *std::move(link);
    deadline_ = start + job_.timeout;
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
    options.limits.time.total = job_.timeout;
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

  std::string timeout_text() const { return std::to_string(job_.timeout.count()) + " ms"; }

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
    if (inbox_->open() >= job_.limits.open_callbacks) {
      link_->kill();
      return fail(ErrorCode::too_large,
                  "more than " + std::to_string(job_.limits.open_callbacks) + " open callbacks");
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

void add_call(CLI::App& app, CallArguments& arguments) {
  CLI::App* command = app.add_subcommand(
      "call",
      "call a function: of a tunnel, of a WebAssembly plugin, or of a program that speaks "
      "duplex-rpc");
  CLI::Option* words[] = {
      command
          ->add_option("target", arguments.first,
                       "a tunnel's URL or a WASI module; none with --command")
          ->type_name("[TARGET]"),
      command->add_option("name", arguments.second, "the task or function")->type_name("NAME"),
      command->add_option("input", arguments.third, "its input or params")->type_name("[JSON]"),
  };
  CLI::Option* program =
      command
          ->add_option("--command", arguments.command,
                       "talk to this program in the place of a plugin; words as in a shell, "
                       "without one")
          ->type_name("'PROG ARGS'");
  command->add_option("--timeout", arguments.timeout, "milliseconds until it is ended")
      ->type_name("MS")
      ->capture_default_str();
  command
      ->add_option("--allow", arguments.allow,
                   "a callback that the guest may call; may be given several times")
      ->type_name("NAME")
      ->take_all()
      ->expected(1)
      ->allow_extra_args(false);
  command
      ->add_option("--callbacks", arguments.callbacks,
                   "module whose exported functions are the callbacks, in a sandbox")
      ->type_name("FILE.js");
  command
      ->add_option("--stream", arguments.stream,
                   "pass a stream's id as this member of params, print its chunks as JSON lines")
      ->type_name("PARAM");
  command->add_flag("--no-response", arguments.no_response,
                    "send the call, close the guest's input and wait for its end");
  command->add_option("--memory", arguments.memory, "most linear memory of a plugin (256MiB)")
      ->type_name("SIZE");
  command
      ->add_option("--compile-timeout", arguments.compile_timeout,
                   "milliseconds that compiling a plugin may take (30000)")
      ->type_name("MS");
  command
      ->add_option("--compile-memory", arguments.compile_memory,
                   "memory that compiling a plugin may take (1GiB)")
      ->type_name("SIZE");
  command->add_option("--max-frame", arguments.max_frame, "largest frame, either way (64MiB)")
      ->type_name("SIZE");
  command
      ->add_option("--token-env", arguments.token_env,
                   "of a tunnel: the variable that has the token, sent as x-runner-token")
      ->type_name("NAME");
  command->add_option("--token-file", arguments.token_file, "of a tunnel: the file that has it")
      ->type_name("FILE");
  command->add_flag("--runner", arguments.runner,
                    "of a tunnel: print the result as Runner text, not as JSON");
  command->add_flag("--json", arguments.json, "print one object: result or error");
  command->add_flag("--stats", arguments.stats,
                    "at the end a JSON line on stderr: restarts, frames, bytes, ms");
  refuse_empty_options(*command);
  command->footer(
      "The result goes to stdout as JSON: integers exact over 64 bits, bytes as "
      "{\"$bytes\":\"BASE64\"}. Exit codes:\n"
      "0 done, 1 the function or its stream failed, 2 the guest broke the protocol, ran out of "
      "time or ended\n"
      "(bad_frame, bad_version, bad_message, unauthorized_callback, unknown_id, timeout, exited, "
      "too_large),\n"
      "or the tunnel did (unreachable, timeout, bad_answer, too_large); "
      "64 wrong usage, 70 our own fault, 130 after Ctrl-C.\n\n"
      "Examples:\n"
      "  cordon call plugin.wasm add '[1, 2]'\n"
      "  cordon call --allow price --callbacks shop.js plugin.wasm total '{\"id\": 7}'\n"
      "  cordon call --command 'python3 guest.py' add '[1, 2]' --json\n"
      "  cordon call --token-env TOKEN http://127.0.0.1:7070/__runner app.tasks.add "
      "'{\"a\": 1, \"b\": 2}'");
  command->callback([&arguments, program, words = std::to_array(words)] {
    arguments.has_command = program->count() > 0;
    for (const CLI::Option* word : words) {
      if (word->count() > 0) ++arguments.count;
    }
  });
}

int wrong_call(const Error& error) {
  write_all(STDERR_FILENO, "cordon call: " + visible(error.message, Lines::escaped) +
                               "\n(see `cordon call --help`)\n");
  return exit_usage;
}

int call(const CallArguments& arguments) {
  if (names_tunnel(arguments)) return call_tunnel(arguments);
  Interrupt interrupt;  // before any other thread
  Result<CallJob> job = call_job_of(arguments);
  if (!job) return wrong_call(job.error());
  return Call(arguments, interrupt, *std::move(job)).go();
}

}  // namespace cordon::cli
