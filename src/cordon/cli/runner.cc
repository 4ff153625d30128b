#include "cordon/cli/runner.h"

#include <algorithm>
#include <cstdlib>
#include <unistd.h>
#include <utility>

#include <CLI/CLI.hpp>

#include "cordon/cli/arguments.h"
#include "cordon/cli/exit_codes.h"
#include "cordon/cli/interrupt.h"
#include "cordon/cli/terminal.h"
#include "cordon/limits.h"
#include "cordon/server/runner_server.h"
#include "cordon/server/stdio_runner.h"
#include "cordon/transport/listen_address.h"

namespace cordon::cli {
namespace {

constexpr std::uint64_t max_message_bytes = std::uint64_t{1} << 30;

// Writes what an option says to `place`, where it was given.
template <class T, class Read>
Result<> set(T& place, const std::string& text, const char* option, Read read,
             std::uint64_t most = UINT64_MAX) {
  if (text.empty()) return {};
  const auto number = read(text);
  if (!number) return wrong(option, number.error());
  if constexpr (std::integral<T>) {
    if (*number > most) {
      return fail(ErrorCode::too_large,
                  std::string(option) + ": '" + text + "' is more than " + std::to_string(most));
    }
  }
  place = *number;
  return {};
}

Result<server::RunnerSettings> settings_of(const RunnerArguments& arguments) {
  server::RunnerSettings settings;
  execbox::Ceilings& ceilings = settings.limits.ceilings;
  CORDON_TRY(set(ceilings.timeout, arguments.max_timeout, "--max-timeout", milliseconds));
  CORDON_TRY(set(ceilings.memory_bytes, arguments.max_memory, "--max-memory", byte_size,
                 max_memory_bytes));
  CORDON_TRY(
      set(ceilings.log_lines, arguments.max_log_lines, "--max-log-lines", positive, 10'000'000));
  CORDON_TRY(set(ceilings.log_chars, arguments.max_log_chars, "--max-log-chars", positive,
                 std::uint64_t{1} << 30));
  CORDON_TRY(set(settings.limits.message_bytes, arguments.max_message, "--max-message", byte_size,
                 max_message_bytes));
  settings.values = arguments.values == "json" ? ValueRule::json : ValueRule::strict;
  return settings;
}

// What only means something for sockets, where there are none.
Result<> refuse_socket_options(const RunnerArguments& arguments) {
  const std::pair<const char*, bool> given[] = {
      {"--token-env", !arguments.token_env.empty()},
      {"--tls-cert", !arguments.tls_cert.empty()},
      {"--tls-key", !arguments.tls_key.empty()},
      {"--allow-origin", !arguments.allow_origin.empty()},
      {"--max-connections", !arguments.max_connections.empty()},
      {"--max-per-address", !arguments.max_per_address.empty()},
      {"--max-sessions", !arguments.max_sessions.empty()},
      {"--idle-timeout", !arguments.idle_timeout.empty()},
      {"--stall-timeout", !arguments.stall_timeout.empty()},
      {"--grace", !arguments.grace.empty()},
      {"--threads", !arguments.threads.empty()},
  };
  for (const auto& [option, is_given] : given) {
    if (is_given)
      return fail(ErrorCode::invalid_argument, std::string(option) + " needs a --listen");
  }
  return {};
}

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
  server::RunnerServerOptions options;
  options.settings = CORDON_TRY(settings_of(arguments));
  options.token = CORDON_TRY(token_of(arguments.token_env));
  if (arguments.tls_cert.empty() != arguments.tls_key.empty()) {
    return fail(ErrorCode::invalid_argument, "--tls-cert and --tls-key go together");
  }
  if (!arguments.tls_cert.empty()) options.tls = {arguments.tls_cert, arguments.tls_key};
  options.origins = arguments.allow_origin;
  for (const std::string& text : arguments.listen) {
    const Result<transport::ListenAddress> address = transport::parse_listen_address(text);
    if (!address) return wrong("--listen", address.error());
    if (!address->is_local() && options.token.empty()) {
      return fail(
          ErrorCode::permission_denied,
          "--listen: '" + text + "' can be reached from other machines, so it needs a --token-env");
    }
    options.listen.push_back(*address);
  }
  constexpr std::uint64_t max_connections = 1'000'000;
  constexpr std::uint64_t max_sessions = 20'000;  // as many memories as there are addresses for
  constexpr std::uint64_t max_threads = 256;
  options.threads = processors();
  CORDON_TRY(set(options.connections.max, arguments.max_connections, "--max-connections", positive,
                 max_connections));
  if (!arguments.max_per_address.empty()) {
    CORDON_TRY(set(options.connections.max_per_address.emplace(), arguments.max_per_address,
                   "--max-per-address", positive, max_connections));
  }
  CORDON_TRY(
      set(options.executions, arguments.max_sessions, "--max-sessions", positive, max_sessions));
  CORDON_TRY(set(options.threads, arguments.threads, "--threads", positive, max_threads));
  CORDON_TRY(set(options.idle_timeout, arguments.idle_timeout, "--idle-timeout", milliseconds));
  CORDON_TRY(set(options.stall_timeout, arguments.stall_timeout, "--stall-timeout", milliseconds));
  CORDON_TRY(set(options.grace, arguments.grace, "--grace", milliseconds));
  return options;
}

int failed(const Error& error, int code) {
  const char* hint = code == exit_usage ? "(see `cordon runner --help`)\n" : "";
  write_all(STDERR_FILENO, "cordon runner: " + error.message + "\n" + hint);
  return code;
}

void reload_tls(server::RunnerServer& serving) {
  if (const Result<> reloaded = serving.reload_tls(); !reloaded) {
    write_all(STDERR_FILENO,
              "cordon runner: " + reloaded.error().message + "; the old certificate stays\n");
  }
}

int serve(const RunnerArguments& arguments) {
  Result<server::RunnerServerOptions> options = server_options_of(arguments);
  if (!options) return failed(options.error(), exit_usage);
  const bool has_tls = options->tls.has_value();
  // Before any other thread. Without a certificate there is nothing to read again.
  Interrupt interrupt(has_tls ? Interrupt::Hangups::watched : Interrupt::Hangups::end_the_process);
  const Result<std::unique_ptr<server::RunnerServer>> made =
      server::RunnerServer::create(*std::move(options));
  if (!made) {
    const bool is_usage = made.error().code == ErrorCode::invalid_argument;
    return failed(made.error(), is_usage ? exit_usage : exit_internal);
  }
  server::RunnerServer& serving = **made;
  // Before anybody is told that it is ready: a signal may come at once.
  interrupt.on_signal([&] { serving.stop(); });
  if (has_tls) interrupt.on_hangup([&] { reload_tls(serving); });
  std::string lines;
  for (const std::string& address : serving.addresses()) lines += address + "\n";
  const bool told = write_all(STDOUT_FILENO, lines);
  if (told) serving.run();
  interrupt.on_signal({});
  if (has_tls) interrupt.on_hangup({});
  if (!told) return failed({ErrorCode::io, "cannot write to standard output"}, exit_internal);
  return exit_done;
}

}  // namespace

void add_runner(CLI::App& app, RunnerArguments& arguments) {
  CLI::App* command = app.add_subcommand(
      "runner", "the execbox runner: one execution on stdin and stdout, a JSON message a line");
  command
      ->add_option("--max-timeout", arguments.max_timeout,
                   "lowers a larger timeoutMs of a host to this")
      ->type_name("MS");
  command
      ->add_option("--max-memory", arguments.max_memory,
                   "lowers a larger memoryLimitBytes to this, as 256MiB")
      ->type_name("SIZE");
  command->add_option("--max-log-lines", arguments.max_log_lines, "lowers a larger maxLogLines")
      ->type_name("N");
  command->add_option("--max-log-chars", arguments.max_log_chars, "lowers a larger maxLogChars")
      ->type_name("N");
  command
      ->add_option("--max-message", arguments.max_message,
                   "largest message that is read (64MiB unless given)")
      ->type_name("SIZE");
  command
      ->add_option("--values", arguments.values,
                   "what may leave a guest: `strict` as the specification says, or `json`, what "
                   "JSON.stringify makes of it")
      ->check(CLI::IsMember({"strict", "json"}))
      ->type_name("RULE")
      ->capture_default_str();
  const char* const sockets = "Sockets";
  command
      ->add_option("--listen", arguments.listen,
                   "serve many sessions, one a connection: unix:PATH, tcp:HOST:PORT or "
                   "ws://HOST:PORT/PATH; may be given several times")
      ->type_name("ADDRESS")
      ->take_all()
      ->expected(1)
      ->allow_extra_args(false)
      ->group(sockets);
  command
      ->add_option("--token-env", arguments.token_env,
                   "variable with the token that peers must show; needed off loopback")
      ->type_name("NAME")
      ->group(sockets);
  command
      ->add_option("--tls-cert", arguments.tls_cert,
                   "certificate chain, for tcp: and ws:; SIGHUP reads it again")
      ->type_name("PEM")
      ->group(sockets);
  command->add_option("--tls-key", arguments.tls_key, "its private key")
      ->type_name("PEM")
      ->group(sockets);
  command
      ->add_option("--allow-origin", arguments.allow_origin,
                   "pages of this origin may connect by WebSocket; none may unless given")
      ->type_name("ORIGIN")
      ->take_all()
      ->expected(1)
      ->allow_extra_args(false)
      ->group(sockets);
  command
      ->add_option("--max-connections", arguments.max_connections,
                   "one more is closed at once (10000)")
      ->type_name("N")
      ->group(sockets);
  command
      ->add_option("--max-per-address", arguments.max_per_address,
                   "connections of one address (a quarter of all; no limit on loopback)")
      ->type_name("N")
      ->group(sockets);
  command
      ->add_option("--max-sessions", arguments.max_sessions,
                   "executions at once; those beyond wait for a sandbox (6000)")
      ->type_name("N")
      ->group(sockets);
  command
      ->add_option("--idle-timeout", arguments.idle_timeout,
                   "a connection without an execute is closed after this (60000)")
      ->type_name("MS")
      ->group(sockets);
  command
      ->add_option("--stall-timeout", arguments.stall_timeout,
                   "a reader that takes nothing for this long is closed (30000)")
      ->type_name("MS")
      ->group(sockets);
  command
      ->add_option("--grace", arguments.grace,
                   "after SIGTERM, how long running sessions may go on (10000)")
      ->type_name("MS")
      ->group(sockets);
  command
      ->add_option("--threads", arguments.threads,
                   "threads that serve; one a processor unless given")
      ->type_name("N")
      ->group(sockets);
  refuse_empty_options(*command);
  command->footer(
      "Exit codes: 0 once `done` is written, or at the end of the input before an `execute`, or "
      "after SIGTERM with\n"
      "--listen; 64 wrong usage; 70 the output cannot be written, an address cannot be had, or our "
      "own fault. With\n"
      "--listen the addresses go to stdout, a line each, when it is ready.\n\n"
      "Examples:\n"
      "  cordon runner --listen unix:/run/cordon.sock --max-memory 256MiB\n"
      "  echo "
      "'{\"type\":\"execute\",\"id\":\"1\",\"code\":\"6 * "
      "7\",\"options\":{\"timeoutMs\":1000,\"memoryLimitBytes\":67108864,"
      "\"maxLogLines\":100,\"maxLogChars\":64000},\"providers\":[]}' | cordon runner");
}

int runner(const RunnerArguments& arguments) {
  if (!arguments.listen.empty()) return serve(arguments);
  if (const Result<> refused = refuse_socket_options(arguments); !refused)
    return failed(refused.error(), exit_usage);
  const Result<server::RunnerSettings> settings = settings_of(arguments);
  if (!settings) return failed(settings.error(), exit_usage);
  // The system frees a process's memory more quickly than the process does.
  const auto leave = [] { _exit(exit_done); };
  const Result<> ran = server::run_on_stdio(STDIN_FILENO, STDOUT_FILENO, *settings, leave);
  return failed(ran.error(), exit_internal);
}

}  // namespace cordon::cli
