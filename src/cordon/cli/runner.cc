#include "cordon/cli/runner.h"

#include <algorithm>
#include <cstdlib>
#include <unistd.h>
#include <utility>

#include "cordon/cli/arguments.h"
#include "cordon/cli/exit_codes.h"
#include "cordon/cli/interrupt.h"
#include "cordon/cli/options.h"
#include "cordon/cli/terminal.h"
#include "cordon/cli/usage.h"
#include "cordon/server/service_manager.h"
#include "cordon/server/stdio_runner.h"
#include "cordon/transport/listen_address.h"

namespace cordon::cli {
namespace {

constexpr std::string_view name_of_command = "runner";
constexpr std::uint64_t max_message_bytes = std::uint64_t{1} << 30;
constexpr std::uint64_t max_log_lines = 10'000'000;
constexpr std::uint64_t max_log_chars = std::uint64_t{1} << 30;
constexpr std::uint64_t max_connections = 1'000'000;
constexpr std::uint64_t max_sessions = 20'000;  // as many memories as there are addresses for
constexpr std::uint64_t max_threads = 256;
constexpr const char* socket_group = "With --listen";

Result<std::string> token_of(const std::string& variable) {
  if (variable.empty()) return std::string();
  const char* token = std::getenv(variable.c_str());
  if (token == nullptr || *token == '\0') {
    return fail(ErrorCode::invalid_argument,
                "--token-env: the environment has no " + variable + ", or it is empty");
  }
  return std::string(token);
}

Result<server::RunnerServerOptions> server_options_of(const RunnerArguments& arguments) {
  server::RunnerServerOptions options = arguments.options;
  options.token = CORDON_TRY(token_of(arguments.token_env));
  if (!arguments.tls_cert.empty()) options.tls = {arguments.tls_cert, arguments.tls_key};
  for (const std::string& text : arguments.listen) {
    const Result<transport::ListenAddress> address = transport::parse_listen_address(text);
    if (!address) return wrong("--listen", address.error());
    if (text.starts_with("wss:") && !options.tls) {
      return fail(ErrorCode::invalid_argument,
                  "--listen: '" + text + "' needs a --tls-cert and a --tls-key; ws: goes without");
    }
    if (!address->is_local() && options.token.empty()) {
      return fail(
          ErrorCode::permission_denied,
          "--listen: '" + text + "' can be reached from other machines, so it needs a --token-env");
    }
    options.listen.push_back(*address);
  }
  return options;
}

void reload_tls(server::RunnerServer& serving) {
  if (const Result<> reloaded = serving.reload_tls(); !reloaded) {
    write_all(STDERR_FILENO,
              "cordon runner: " + reloaded.error().message + "; the old certificate stays\n");
  }
}

int serve(const RunnerArguments& arguments) {
  Result<server::RunnerServerOptions> options = server_options_of(arguments);
  if (!options) return usage_error(name_of_command, options.error());
  server::ServiceManagerOptions told = server::ServiceManagerOptions::take_from_environment();
  // Before any other thread. A server outlives the terminal that it was started from, as `cordon
  // serve` does.
  Interrupt interrupt(Interrupt::Hangups::watched);
  const Result<std::unique_ptr<server::RunnerServer>> made =
      server::RunnerServer::create(*std::move(options));
  if (!made) {
    if (made.error().is(ErrorCode::invalid_argument))
      return usage_error(name_of_command, made.error());
    return failed(name_of_command, made.error(), exit_internal);
  }
  server::RunnerServer& serving = **made;
  std::string lines;
  for (const std::string& address : serving.addresses()) lines += address + "\n";
  const std::string status = "serving on " + lines.substr(0, lines.size() - 1);
  server::ServiceManager manager(std::move(told),
                                 [&](auto within) { return serving.answers(within); });
  // Before anybody is told that it is ready: a signal may come at once.
  interrupt.on_signal([&] {
    manager.stopping();
    serving.stop();
  });
  interrupt.on_hangup([&] {
    manager.reloading();
    reload_tls(serving);  // if there is a certificate
    manager.ready(status);
  });
  const bool is_told = write_all(STDOUT_FILENO, lines);
  if (is_told) {
    manager.ready(status);
    serving.run();
  }
  interrupt.on_signal({});
  interrupt.on_hangup({});
  return is_told ? exit_done : cannot_write(name_of_command);
}

}  // namespace

void bind_runner(CLI::App& command, RunnerArguments& arguments) {
  server::RunnerServerOptions& options = arguments.options;
  execbox::SessionLimits& limits = options.settings.limits;
  begin_group(command, "Limits");
  add_milliseconds(command, "--max-timeout", limits.ceilings.timeout,
                   "lower a larger timeoutMs of a host to this")
      .default_str("a year");
  add_memory(command, "--max-memory", limits.ceilings.memory_bytes,
             "lower a larger memoryLimitBytes to this, as 256MiB");
  add_number(command, "--max-log-lines", limits.ceilings.log_lines,
             "lower a larger maxLogLines to this", max_log_lines);
  add_number(command, "--max-log-chars", limits.ceilings.log_chars,
             "lower a larger maxLogChars to this", max_log_chars);
  add_bytes(command, "--max-message", limits.message_bytes, "the largest message that is read",
            max_message_bytes);
  begin_group(command, "Values");
  add_choice(command, "--values", options.settings.values,
             {{"strict", ValueRule::strict}, {"json", ValueRule::json}},
             "what may leave a guest: `strict` as the specification says, or `json`, what "
             "JSON.stringify makes of it")
      .default_str("strict");
  begin_group(command, "Sockets");
  CLI::Option& listen =
      *add_list(command, "--listen", arguments.listen,
                "serve many sessions, one for each connection: unix:PATH, tcp:HOST:PORT or "
                "ws://HOST:PORT/PATH; may be given several times")
           .type_name("ADDRESS");

  begin_group(command, socket_group);
  command
      .add_option("--token-env", arguments.token_env,
                  "the variable with the token that peers must show; needed off loopback")
      ->type_name("NAME");
  CLI::Option* certificate =
      command
          .add_option("--tls-cert", arguments.tls_cert,
                      "certificate chain, for tcp: and ws:; SIGHUP reads it again")
          ->type_name("PEM");
  CLI::Option* key =
      command.add_option("--tls-key", arguments.tls_key, "its private key")->type_name("PEM");
  certificate->needs(key);
  key->needs(certificate);
  add_list(command, "--allow-origin", options.origins,
           "let pages of this origin connect by WebSocket; none may unless given")
      .type_name("ORIGIN");
  add_number(command, "--max-connections", options.connections.max, "close one more at once",
             max_connections)
      .default_str(std::to_string(options.connections.max));
  add_number(command, "--max-per-address", options.connections.max_per_address,
             "connections of one address (default: a quarter of all; no limit on loopback)",
             max_connections);
  add_number(command, "--max-sessions", options.executions,
             "executions at once; those beyond wait for a sandbox", max_sessions)
      .default_str(std::to_string(options.executions));
  add_milliseconds(command, "--idle-timeout", options.idle_timeout,
                   "close a connection that has sent no execute after this long");
  add_milliseconds(command, "--stall-timeout", options.stall_timeout,
                   "close a connection whose reader takes nothing for this long");
  add_milliseconds(command, "--grace", options.grace,
                   "how long running sessions may go on after SIGTERM");
  add_number(command, "--threads", options.threads,
             "threads that serve (default: one for each "
             "processor)",
             max_threads);
  refuse_empty_options(command);
  command.callback([&command, &arguments, &listen] {
    if (listen.count() == 0) arguments.socket_option = given_of_group(command, socket_group);
  });
}

int runner(const RunnerArguments& arguments) {
  if (!arguments.listen.empty()) return serve(arguments);
  if (!arguments.socket_option.empty()) {
    return usage_error(name_of_command, arguments.socket_option + " needs a --listen beside it");
  }
  // The system frees a process's memory more quickly than the process does.
  const auto leave = [] { _exit(exit_done); };
  const Result<> ran =
      server::run_on_stdio(STDIN_FILENO, STDOUT_FILENO, arguments.options.settings, leave);
  return failed(name_of_command, ran.error(), exit_internal);
}

}  // namespace cordon::cli
