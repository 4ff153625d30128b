#include "cordon/cli/serve.h"

#include <algorithm>
#include <filesystem>
#include <set>
#include <sstream>
#include <unistd.h>

#include "cordon/cli/exit_codes.h"
#include "cordon/cli/file_watch.h"
#include "cordon/cli/interrupt.h"
#include "cordon/cli/options.h"
#include "cordon/cli/serve_config.h"
#include "cordon/cli/serving.h"
#include "cordon/cli/terminal.h"
#include "cordon/cli/usage.h"
#include "cordon/codec/json/encode.h"
#include "cordon/server/service_manager.h"

namespace cordon::cli {
namespace {

int failed(const Error& error, int code) {
  return code == exit_usage ? usage_error("serve", error) : cli::failed("serve", error, code);
}

int print_schema() {
  const Result<std::string> text = json::encode(config::editor_schema(), {.indent = 2});
  if (!text) return failed(text.error(), exit_internal);
  return write_all(STDOUT_FILENO, *text + "\n") ? exit_done : exit_internal;
}

// What is wrong, on stderr; then how many there are, since the list may be long.
int refuse(const config::Loaded& loaded) {
  const auto wrong = std::ranges::count(loaded.mistakes, false, &config::Mistake::is_warning);
  std::string text = lines_of(loaded);
  text += "cordon serve: " + std::to_string(wrong) + (wrong == 1 ? " mistake" : " mistakes") +
          " in the configuration\n";
  write_all(STDERR_FILENO, text);
  return exit_usage;
}

// An address that cannot be had, or scripts and certificates that do not load, a line each.
int refuse(config::Loaded& loaded, const Error& error) {
  if (error.code != ErrorCode::invalid_argument) return failed(error, exit_internal);
  std::vector<std::string> lines;
  std::istringstream text(error.message);
  for (std::string line; std::getline(text, line);) lines.push_back(line);
  std::erase_if(loaded.mistakes, &config::Mistake::is_warning);  // they are told already
  add_mistakes_of_files(loaded, lines);
  return refuse(loaded);
}

int check_as_json(const config::Loaded& loaded) {
  if (!write_all(STDOUT_FILENO, json_of(loaded))) return exit_internal;
  return loaded.is_right() ? exit_done : exit_usage;
}

// Where the configuration and its scripts are.
std::vector<std::string> folders_of(const config::Configuration& configuration) {
  std::set<std::string> folders;
  const auto add = [&](const std::string& file) {
    if (file.empty()) return;  // a task without a script
    folders.insert(std::filesystem::absolute(file).parent_path().string());
  };
  add(configuration.file);
  for (const auto& [name, provider] : configuration.providers) add(provider.script);
  for (const auto& [name, plugin] : configuration.plugins) add(plugin.options.wasm);
  for (const auto& [id, task] : configuration.tasks) add(task.script);
  for (const auto& [id, event] : configuration.events) add(event.script);
  return {folders.begin(), folders.end()};
}

// Until it is told to stop.
int serve_clients(Serving& serving, const ServeArguments& arguments,
                  server::ServiceManager& manager) {
  std::string lines;
  for (const std::string& url : serving.urls()) lines += url + "\n";
  if (!write_all(STDOUT_FILENO, lines)) {
    return failed({ErrorCode::io, "cannot write to standard output"}, exit_internal);
  }
  std::unique_ptr<FileWatch> watch;
  if (arguments.dev) {
    Result<std::unique_ptr<FileWatch>> made =
        FileWatch::create(folders_of(serving.configuration()), [&] { serving.reload(); });
    if (!made) return failed(made.error(), exit_internal);
    watch = *std::move(made);
  }
  manager.ready(serving.status());
  serving.run();
  return exit_done;
}

int run(config::Loaded& loaded, const ServeArguments& arguments) {
  // Both before any other thread.
  server::ServiceManagerOptions told = server::ServiceManagerOptions::take_from_environment();
  Interrupt interrupt(Interrupt::Hangups::watched);
  const Result<std::unique_ptr<Serving>> made =
      Serving::create(loaded.configuration, {.file = arguments.config,
                                             .listen = arguments.listen,
                                             .log_level = arguments.log_level,
                                             .is_dev = arguments.dev});
  if (!made) return refuse(loaded, made.error());
  Serving& serving = **made;
  loaded.mistakes.clear();  // warnings, which are told already
  add_mistakes_of_files(loaded, serving.warnings(), Severity::warning);
  write_all(STDERR_FILENO, lines_of(loaded));
  server::ServiceManager manager(std::move(told),
                                 [&](auto within) { return serving.answers(within); });
  // Before anybody is told that it is ready: a signal may come at once.
  interrupt.on_hangup([&] {
    manager.reloading();
    serving.reopen_log();
    serving.reload();
    manager.ready(serving.status());
  });
  interrupt.on_signal([&] {
    manager.stopping();
    serving.stop();
  });
  const int code = serve_clients(serving, arguments, manager);
  interrupt.on_hangup({});
  interrupt.on_signal({});
  return code;
}

}  // namespace

void bind_serve(CLI::App& command, ServeArguments& arguments) {
  command.add_option("--config", arguments.config, "the configuration file")
      ->type_name("FILE")
      ->capture_default_str();
  add_list(command, "--listen", arguments.listen,
           "HOST:PORT, [IPv6]:PORT or unix:PATH, instead of the file's; port 0 is any that is "
           "free; may be given several times")
      .type_name("ADDRESS");
  using Level = config::LogThreshold;
  add_choice(command, "--log-level", arguments.log_level,
             {{"debug", Level::debug},
              {"info", Level::info},
              {"warn", Level::warn},
              {"error", Level::error}},
             "the least important lines of the log, instead of the file's");
  command.add_flag("--dev", arguments.dev,
                   "load scripts again when they change, and show guests' stack traces");
  begin_group(command, "Instead of serving");
  command.add_flag("--check", arguments.check,
                   "read the configuration, tell what is wrong with it, and end");
  command.add_flag("--json", arguments.json, "with --check: the answer as one JSON object");
  command.add_flag("--print-schema", arguments.print_schema,
                   "print the JSON Schema of the configuration, for editors, and end");
}

int serve(const ServeArguments& arguments) {
  if (arguments.print_schema) return print_schema();
  if (arguments.json && !arguments.check) {
    return failed({ErrorCode::invalid_argument, "--json goes with --check"}, exit_usage);
  }
  Result<config::Loaded> loaded = load_for_serving(arguments.config, arguments.listen);
  if (!loaded) return failed(loaded.error(), exit_usage);
  if (arguments.check || !loaded->is_right()) {
    const FileNews news = Serving::check(loadable_part_of(*loaded));
    add_mistakes_of_files(*loaded, news.mistakes);
    add_mistakes_of_files(*loaded, news.warnings, Severity::warning);
  }
  if (arguments.check && arguments.json) return check_as_json(*loaded);
  if (!loaded->is_right()) return refuse(*loaded);
  write_all(STDERR_FILENO, lines_of(*loaded));  // warnings
  if (!arguments.check) return run(*loaded, arguments);
  return write_all(STDOUT_FILENO, summary_of(loaded->configuration)) ? exit_done : exit_internal;
}

}  // namespace cordon::cli
