#include "cordon/cli/run.h"

#include <cerrno>
#include <chrono>
#include <cstdio>
#include <memory>
#include <random>
#include <system_error>
#include <unistd.h>
#include <utility>

#include "cordon/cli/arguments.h"
#include "cordon/cli/exit_codes.h"
#include "cordon/cli/interrupt.h"
#include "cordon/cli/options.h"
#include "cordon/cli/report_text.h"
#include "cordon/cli/run_remote.h"
#include "cordon/cli/suspend.h"
#include "cordon/cli/terminal.h"
#include "cordon/cli/trace_text.h"
#include "cordon/cli/usage.h"
#include "cordon/codec/json/encode.h"
#include "cordon/engine.h"

namespace cordon::cli {
namespace {

constexpr std::size_t max_text_bytes = std::size_t{64} << 20;

// What the arguments mean, once they are known to be right.
struct Job {
  std::string code;
  ExecuteOptions options;
  std::optional<SavedImage> saved;   // instead of code
  std::optional<RunnerPlace> place;  // elsewhere than here
  Bytes image_key;
};

std::string file_name(const std::string& path) { return path.substr(path.rfind('/') + 1); }

// Files that neither the program nor a provider may import.
std::vector<std::string> private_files(const RunArguments& arguments, const ProviderSet& set) {
  std::vector<std::string> files = set.private_files();
  if (!arguments.image_key.empty()) files.push_back(arguments.image_key);
  return files;
}

Result<Job> job_of(const RunArguments& arguments, const ProviderSet& set) {
  Job job;
  Limits& limits = job.options.limits;
  limits = limits_of(set.configuration());
  if (arguments.timeout) limits.time.total = *arguments.timeout;
  if (arguments.memory_bytes) limits.memory_bytes = *arguments.memory_bytes;
  if (arguments.input) job.options.input = *arguments.input;
  job.options.values = arguments.values.value_or(ValueRule::strict);
  if (!arguments.runner.empty())
    job.place = CORDON_TRY(runner_place_of(
        arguments.runner, arguments.token_env,
        arguments.no_jail ? runners::Confinement::none : runners::Confinement::jail));
  job.options.suspend_on = arguments.suspend_on;
  if (!arguments.save.empty()) {
    const Result<> writable = check_writable(arguments.save);
    if (!writable) return wrong("--save", writable.error());
  }
  if (!arguments.image_key.empty()) {
    if (arguments.save.empty() && arguments.resume.empty())
      return fail(ErrorCode::invalid_argument, "--image-key goes with --save or --resume");
    Result<Bytes> key = read_image_key(arguments.image_key);
    if (!key) return wrong("--image-key", key.error());
    job.image_key = *std::move(key);
  }
  if (!arguments.resume.empty()) {
    if (arguments.values && set.is_empty()) {
      return fail(ErrorCode::invalid_argument,
                  "--values: a saved program keeps its rule, and there is no --provider to take "
                  "this one");
    }
    job.saved = CORDON_TRY(read_saved(arguments.resume, arguments.results, limits, job.image_key));
    job.options.name = file_name(arguments.resume);
  } else if (arguments.code) {
    job.code = *arguments.code;
    job.options.name = "-e";
  } else if (arguments.file.empty()) {
    return fail(ErrorCode::invalid_argument,
                "there is no program; give a FILE, -e CODE, or - for standard input");
  } else {
    job.code = CORDON_TRY(read_text(arguments.file, max_text_bytes));
    job.options.name = arguments.file == "-" ? "stdin" : file_name(arguments.file);
    if (arguments.file != "-") {
      job.options.module_folder = folder_of(arguments.file);
      job.options.private_files = private_files(arguments, set);
      for (std::string& file : private_files_in(job.options.module_folder))
        job.options.private_files.push_back(std::move(file));
    }
  }
  return job;
}

int exit_code_of(const Report& report, bool interrupted) {
  if (report.error.is(ErrorCode::cancelled) && interrupted) return exit_interrupted;
  return exit_code_of_program(report.error);
}

constexpr std::string_view name_of_command = "run";

int wrong_usage(const Error& error) { return usage_error(name_of_command, error); }

// The result and a newline. What cannot be written down was refused before it left the sandbox.
int print(const Value& value) {
  // A result at its limits, inside of a report, and with every character escaped.
  constexpr json::EncodeOptions options{.max_bytes = std::size_t{1} << 30, .max_depth = 1010};
  const Result<std::string> text = json::encode(value, options);
  if (!text) return failed(name_of_command, to_string(text.error()), exit_internal);
  return write_all(STDOUT_FILENO, *text + "\n") ? exit_done : cannot_write(name_of_command);
}

class Run {
 public:
  explicit Run(const RunArguments& arguments) : arguments_(arguments) {}

  int go() {
    std::expected<ProviderSet, Refusal> set =
        ProviderSet::read(name_of_command, arguments_.providers);
    if (!set) return refused(set.error());
    Result<Job> job = job_of(arguments_, *set);
    if (!job) return wrong_usage(job.error());
    const auto waker = job->place ? std::make_shared<runners::Waker>() : nullptr;
    Result<Engine> engine =
        waker == nullptr ? Engine::create_one_shot(job->image_key) : create_engine_of_tools(waker);
    if (!engine) return broken(engine.error());

    auto providers = set->load(
        *engine, {.limits = job->options.limits,
                  .values = job->options.values,
                  .private_files = private_files(arguments_, *set),
                  .logger = [this](std::string name) { return logger(std::move(name)); }});
    if (!providers)
      return std::visit([&](const auto& failure) { return refused(failure); }, providers.error());
    job->options.providers = *providers;
    if (job->place) tell_of_silent_tunnels(*set);
    for (const std::string& overflow : set->long_tunnels())
      write_all(STDERR_FILENO, "cordon run: " + visible(overflow, Lines::escaped) + "\n");
    for (const std::string& tool : arguments_.suspend_on) {
      const Result<> added = add_sleep_tool(job->options.providers, tool);
      if (!added) return wrong_usage(added.error());
    }
    job->options.on_log = logger({});
    // Before anything runs: a program's effects are not undone because a file cannot be written.
    const Result<> opened = open_trace_file();
    if (!opened) return wrong_usage(opened.error());
    const std::string name = job->options.name;
    const bool is_elsewhere = job->place.has_value();
    const auto start = std::chrono::system_clock::now();
    Result<Report> ended =
        job->place ? run_elsewhere(*engine, *job, *providers, waker) : run_here(*engine, *job);
    if (!ended) return wrong_usage(ended.error());
    Report& report = *ended;
    if (!is_elsewhere) add_hint_of_json(report.error);
    const int shown = show(report);
    const bool traced = write_trace_file({report, name, start, seed()}, arguments_.trace_format);
    return traced || shown != exit_done ? shown : exit_internal;
  }

 private:
  Result<Report> run_here(Engine& engine, Job& job) {
    Execution execution = CORDON_TRY(launch(engine, job));
    interrupt_.on_signal([&] { execution.cancel(); });
    Report report = execution.get();
    interrupt_.on_signal({});
    return report;
  }

  Result<Report> run_elsewhere(Engine& engine, Job& job, std::vector<Provider>& providers,
                               const std::shared_ptr<runners::Waker>& waker) {
    Result<Report> report =
        run_remotely({.place = *std::move(job.place),
                      .code = std::move(job.code),
                      .file = job.options.name,
                      .options = std::move(job.options),
                      .providers = std::move(providers),
                      .waker = waker},
                     engine, [this](runners::RemoteExecution* execution) {
                       if (execution == nullptr) return interrupt_.on_signal({});
                       interrupt_.on_signal([execution] { execution->cancel(); });
                     });
    if (!report && report.error().is(ErrorCode::unavailable))
      return wrong("--runner", report.error());
    return report;
  }

  Result<Execution> launch(Engine& engine, Job& job) const {
    if (!job.saved) return engine.execute(job.code, std::move(job.options));
    Result<Execution> resumed =
        engine.resume(job.saved->image, std::move(job.saved->answers), std::move(job.options));
    if (!resumed) return wrong("--resume", resumed.error());
    return resumed;
  }

  // The image to its file, and word of it to stdout.
  int show_saved(const Report& report) const {
    const Result<> saved = save_image(arguments_.save, report.suspended.image);
    if (!saved) return failed(name_of_command, "--save: " + saved.error().message, exit_internal);
    if (!arguments_.json)
      return write_all(STDOUT_FILENO, saved_text(report.suspended, arguments_.save))
                 ? exit_done
                 : exit_internal;
    std::vector<Value::Field> fields;
    const Value shown = report_as_value(report);
    for (const auto& [key, value] : shown.members()) fields.push_back({key, Value::copy_of(value)});
    fields.insert(fields.begin() + 1, {"saved", saved_as_value(report.suspended, arguments_.save)});
    return print(Value::object_from(fields));
  }

  // A runner is told the names of tools, so what has no name cannot be called.
  static void tell_of_silent_tunnels(const ProviderSet& set) {
    for (const std::string& silence : set.silent_tunnels()) {
      write_all(STDERR_FILENO, "cordon run: " + visible(silence, Lines::escaped) +
                                   "; the runner cannot call them\n");
    }
  }

  std::function<void(const LogLine&)> logger(std::string source) const {
    return [this, source = std::move(source)](const LogLine& line) {
      write_all(STDERR_FILENO, log_text(line, source, terminal_, log_time_));
    };
  }

  int broken(const Error& error) const {
    write_all(STDERR_FILENO, "cordon run: " + error.message +
                                 "\n(`cordon doctor` tells what this machine lacks)\n");
    return exit_internal;
  }

  // A saved program keeps its rule.
  void add_hint_of_json(ExecutionError& error) const {
    const bool is_strict = arguments_.values.value_or(ValueRule::strict) == ValueRule::strict;
    if (error.may_leave_as_json && is_strict && arguments_.resume.empty())
      error.hint += "; or run it with --values json";
  }

  static int refused(const Refusal& refusal) {
    write_all(STDERR_FILENO, refusal.text);
    return refusal.code;
  }

  int refused(const ProviderSet::LateScript& script) const {
    Report report;
    report.error = Error{script.error.code, "provider " + script.name + " (" + script.file +
                                                "): " + script.error.message};
    return show(report);
  }

  int show(const Report& report) const {
    const int code = exit_code_of(report, interrupt_.was_signalled());
    if (report.logs_truncated) {
      write_all(STDERR_FILENO, terminal_.styled(Style::dim, "(further log lines were cut)") + "\n");
    }
    for (const Warning& warning : report.warnings)
      write_all(STDERR_FILENO, warning_text(warning, terminal_));
    if (report.failed() && (!arguments_.json || code == exit_interrupted)) {
      write_all(STDERR_FILENO, error_text(report.error, terminal_));
    }
    if (arguments_.trace) write_all(STDERR_FILENO, trace_text(report, terminal_));
    if (arguments_.stats) write_all(STDERR_FILENO, figures_text(report, terminal_));
    int printed = exit_done;
    if (report.is_suspended()) return show_saved(report);
    if (!arguments_.save.empty() && report.ok())
      write_all(STDERR_FILENO,
                "cordon run: the program ended without waiting for that call; nothing was saved\n");
    if (arguments_.json) {
      printed = print(report_as_value(report));
    } else if (report.ok() && !report.result.is_undefined()) {
      printed = print(report.result);
    }
    return printed == exit_done ? code : printed;
  }

  Result<> open_trace_file() {
    if (arguments_.trace_file.empty()) return {};
    trace_file_.reset(std::fopen(arguments_.trace_file.c_str(), "we"));
    if (trace_file_ != nullptr) return {};
    const std::string why = std::generic_category().message(errno);
    return fail(ErrorCode::io, "--trace-file: cannot write " + arguments_.trace_file + ": " + why);
  }

  bool write_trace_file(const TraceOf& trace, TraceFormat format) {
    if (trace_file_ == nullptr) return true;
    const Result<std::string> text = json::encode(
        trace_as_value(trace, format), {.max_bytes = std::size_t{1} << 30, .max_depth = 100});
    const bool written =
        text && std::fwrite(text->data(), 1, text->size(), trace_file_.get()) == text->size();
    // The end of it may be in a buffer still.
    if (std::fclose(trace_file_.release()) == 0 && written) return true;
    failed(name_of_command, "cannot write " + arguments_.trace_file, exit_internal);
    return false;
  }

  static std::uint64_t seed() {
    std::random_device device;
    return std::uint64_t{device()} << 32 | device();
  }

  struct CloseFile {
    void operator()(std::FILE* file) const { std::fclose(file); }
  };

  const RunArguments& arguments_;
  Interrupt interrupt_;
  const Terminal terminal_ = Terminal::of(STDERR_FILENO);
  // Who watches sees when; what is read by programs stays as it was.
  const LogTime log_time_ =
      arguments_.trace || isatty(STDERR_FILENO) == 1 ? LogTime::shown : LogTime::hidden;
  std::unique_ptr<std::FILE, CloseFile> trace_file_;
};

}  // namespace

void bind_run(CLI::App& command, RunArguments& arguments) {
  CLI::Option* file =
      command.add_option("file", arguments.file, "a program, or - for standard input")
          ->type_name("FILE");
  begin_group(command, "Program");
  // Not a std::optional, for which the parser takes an empty text as missing: an empty text is a
  // program.
  const auto as_is = [](const std::string& text) -> Result<std::string> { return text; };
  CLI::Option* code =
      add_read(command, "-e,--eval", arguments.code, as_is, "a program on the command line")
          .type_name("CODE");
  file->excludes(code);
  CLI::Option& input =
      add_json(command, "--input", arguments.input, "a value that the program sees as `input`");
  add_choice(command, "--values", arguments.values,
             {{"strict", ValueRule::strict}, {"json", ValueRule::json}},
             "which values may leave: `strict` refuses what JSON would change, `json` writes "
             "it as JSON.stringify does")
      .default_str("strict");
  bind_providers(command, arguments.providers,
                 "a file with limits, tunnels, and providers with the rules of their tools");
  add_list(command, "--read-only", arguments.providers.read_only,
           "leave this provider only the tools that the file calls readOnly")
      .type_name("NAME");

  begin_group(command, "Elsewhere");
  CLI::Option* runner =
      command
          .add_option("--runner", arguments.runner,
                      "run it on a runner that speaks execbox, with the tools here: unix:PATH, "
                      "tcp:[HOST:]PORT, ws://HOST:PORT/PATH, or a command line to start one")
          ->type_name("TARGET");
  CLI::Option* token_env =
      command
          .add_option("--token-env", arguments.token_env,
                      "the variable of the environment with the token that the runner asks for")
          ->type_name("NAME");
  CLI::Option* no_jail =
      command.add_flag("--no-jail", arguments.no_jail,
                       "let the process of a command line write and use the network");
  token_env->needs(runner);
  no_jail->needs(runner);

  begin_group(command, "Limits");
  add_milliseconds(command, "--timeout", arguments.timeout,
                   "milliseconds until the program is ended, waits included")
      .default_str("5000");
  add_memory(command, "--memory", arguments.memory_bytes,
             "the most memory of the sandbox, in bytes or as 64MiB")
      .default_str("64MiB");

  begin_group(command, "Save and resume");
  CLI::Option& suspend_on =
      *add_list(command, "--sleep-on", arguments.suspend_on,
                "save the program where it calls this tool, instead of calling it")
           .type_name("TOOL");
  CLI::Option* save =
      command.add_option("--save", arguments.save, "the file that --sleep-on saves to")
          ->type_name("FILE");
  CLI::Option* resume =
      command.add_option("--resume", arguments.resume, "resume a saved program")->type_name("FILE");
  CLI::Option& result = *add_list(command, "--result", arguments.results,
                                  "what the call that it waits for gives; one for each such call")
                             .type_name("JSON");
  CLI::Option* image_key =
      command
          .add_option("--image-key", arguments.image_key,
                      "a file of at least 16 bytes that seals what is saved; --resume then needs "
                      "it too")
          ->type_name("FILE");
  suspend_on.needs(save);
  save->needs(&suspend_on);
  result.needs(resume);
  resume->excludes(file)->excludes(code)->excludes(&input)->excludes(runner);
  runner->excludes(&suspend_on);

  begin_group(command, "Output");
  command.add_flag("--json", arguments.json,
                   "print one object: result or error, logs, calls, durationMs");
  command.add_flag("--stats", arguments.stats, "show times, calls and memory on stderr");
  command.add_flag("--trace", arguments.trace,
                   "draw the tool calls and log lines on a time axis, on stderr");
  CLI::Option* trace_file =
      command
          .add_option("--trace-file", arguments.trace_file,
                      "write them to a file, for Chrome's trace viewer and for OpenTelemetry")
          ->type_name("FILE");
  add_choice(
      command, "--trace-format", arguments.trace_format,
      {{"chrome", TraceFormat::chrome}, {"otel", TraceFormat::otel}, {"both", TraceFormat::both}},
      "what that file holds")
      .default_str("both");
  for (CLI::Option* names_file : {save, resume, image_key, trace_file, runner, token_env})
    refuse_empty(*names_file);
}

int run(const RunArguments& arguments) { return Run(arguments).go(); }

}  // namespace cordon::cli
