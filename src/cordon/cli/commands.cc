#include <algorithm>

#include "cordon/cli/call.h"
#include "cordon/cli/command.h"
#include "cordon/cli/completions.h"
#include "cordon/cli/convert.h"
#include "cordon/cli/discover.h"
#include "cordon/cli/doctor.h"
#include "cordon/cli/emit.h"
#include "cordon/cli/guest.h"
#include "cordon/cli/help.h"
#include "cordon/cli/run.h"
#include "cordon/cli/runner.h"
#include "cordon/cli/serve.h"
#include "cordon/cli/types.h"

namespace cordon::cli {
namespace {

constexpr std::string_view running = "Run code";
constexpr std::string_view serving = "Serve it";
constexpr std::string_view helping = "Look and convert";

constexpr std::string_view tunnel_exit_codes =
    "0    done\n"
    "1    the server says that it failed\n"
    "2    no valid answer (unreachable, timeout, tls, bad_response, truncated,\n"
    "     too_large, redirect)\n"
    "64   wrong usage; nothing was sent\n"
    "70   a fault of our own\n"
    "130  after Ctrl-C or SIGTERM";

constexpr Command table[] = {
    {.name = "run",
     .group = running,
     .summary = "Run a JavaScript program in a sandbox; print its logs and its result",
     .usage = "[OPTIONS] FILE\n"
              "[OPTIONS] -e CODE\n"
              "[OPTIONS] -\n"
              "[OPTIONS] --resume FILE --result JSON",
     .notes = "The result is the last expression, what a top-level `return` gives, or what a lone\n"
              "function returns. It goes to stdout as JSON. Logs and errors go to stderr.",
     .exit_codes = "0    done\n"
                   "1    the program failed, its time and memory limits included\n"
                   "2    the sandbox was violated, or a --runner failed\n"
                   "64   wrong usage\n"
                   "70   a fault of our own\n"
                   "130  after Ctrl-C or SIGTERM",
     .examples = "cordon run -e '[1, 2, 3].map(x => x * 2)'\n"
                 "cordon run --provider shop=shop.js --input '{\"id\": 7}' program.js\n"
                 "cordon run --config cordon.json --read-only shop program.js\n"
                 "cordon run --runner 'cordon runner' --provider shop=shop.js program.js\n"
                 "echo 'await Promise.resolve(42)' | cordon run --json -\n"
                 "cordon run --sleep-on tools.approve --save order.image order.js\n"
                 "cordon run --resume order.image --result true",
     .make = make_invocation<RunArguments, bind_run, run>},
    {.name = "call",
     .group = running,
     .summary = "Call one function of a tunnel, of a WebAssembly plugin, or of a program that "
                "speaks duplex-rpc",
     .usage = "[OPTIONS] URL TASK [JSON]\n"
              "[OPTIONS] PLUGIN.wasm FUNCTION [JSON]\n"
              "[OPTIONS] --command 'PROG ARGS' FUNCTION [JSON]",
     .notes = "The result of a task goes to stdout as Runner text, and what it streams as it is.\n"
              "The result of a plugin goes to stdout as JSON: integers are exact over 64 bits,\n"
              "and bytes are {\"$bytes\":\"BASE64\"}.",
     .exit_codes = "0    done\n"
                   "1    the function or its stream failed\n"
                   "2    the plugin broke the protocol, ran out of time or ended (bad_frame,\n"
                   "     bad_version, bad_message, unauthorized_callback, unknown_id, timeout,\n"
                   "     exited, too_large), or the tunnel gave no valid answer (unreachable,\n"
                   "     timeout, tls, bad_response, truncated, too_large, redirect)\n"
                   "64   wrong usage\n"
                   "70   a fault of our own\n"
                   "130  after Ctrl-C or SIGTERM",
     .examples = "cordon call plugin.wasm add '[1, 2]'\n"
                 "cordon call --allow price --callbacks shop.js plugin.wasm total '{\"id\": 7}'\n"
                 "cordon call --command 'python3 guest.py' add '[1, 2]' --json\n"
                 "cordon call --token-env TOKEN http://127.0.0.1:7070/__runner app.tasks.add "
                 "'{\"a\": 1, \"b\": 2}'\n"
                 "cordon call --file report=report.pdf unix:/run/cordon.sock:/__runner "
                 "app.tasks.upload\n"
                 "cordon call --stream-in - https://tasks.example/__runner app.tasks.transform "
                 "< big.bin > out.bin",
     .make = make_invocation<CallArguments, bind_call, call>},
    {.name = "emit",
     .group = running,
     .summary = "Emit one event of a tunnel",
     .usage = "[OPTIONS] URL EVENT [JSON]",
     .notes = "Nothing is printed without --return-payload.",
     .exit_codes = tunnel_exit_codes,
     .examples = "cordon emit --token-env TOKEN http://127.0.0.1:7070/__runner app.events.notify "
                 "'{\"message\": \"hi\"}'\n"
                 "cordon emit --return-payload http://127.0.0.1:7070/__runner app.events.notify "
                 "@payload.json",
     .make = make_invocation<EmitArguments, bind_emit, emit>},
    {.name = "discover",
     .group = running,
     .summary = "List the tasks and events that a tunnel serves",
     .usage = "[OPTIONS] URL",
     .notes = "Each is one line: `task ID` or `event ID`.",
     .exit_codes = tunnel_exit_codes,
     .examples = "cordon discover --token-env TOKEN http://127.0.0.1:7070/__runner\n"
                 "cordon discover --json unix:/run/cordon.sock:/__runner",
     .make = make_invocation<DiscoverArguments, bind_discover, discover>},
    {.name = "guest",
     .group = running,
     .summary = "Run a WebAssembly plugin that speaks duplex-rpc on stdin and stdout, in a jail",
     .usage = "[OPTIONS] PLUGIN.wasm",
     .notes = "The plugin has its three streams, a clock and randomness: no files, no network, no\n"
              "environment, no arguments.",
     .exit_codes = "0..   the plugin's own\n"
                   "2     the module is refused\n"
                   "64    wrong usage\n"
                   "124   its time is over\n"
                   "134   after a trap",
     .examples = "cordon guest plugin.wasm\n"
                 "cordon guest --memory 64MiB --timeout 10000 plugin.wasm",
     .make = make_invocation<GuestArguments, bind_guest, guest>},
    {.name = "serve",
     .group = serving,
     .summary = "Serve tasks and events over HTTP (the Runner tunnel), each in a sandbox",
     .usage = "[OPTIONS]",
     .notes =
         "The URLs go to stdout, one line for each address, when the server is ready. Logs go\n"
         "to stderr. SIGHUP reads the configuration again; one that is wrong changes nothing.\n"
         "SIGTERM and Ctrl-C let requests finish.",
     .exit_codes = "0    after SIGTERM or Ctrl-C\n"
                   "64   wrong usage, or mistakes in the configuration\n"
                   "70   an address cannot be had, or a fault of our own",
     .examples = "cordon serve --config examples/tunnel/cordon.json\n"
                 "cordon serve --check --config cordon.json\n"
                 "cordon serve --print-schema > cordon.schema.json",
     .make = make_invocation<ServeArguments, bind_serve, serve>},
    {.name = "runner",
     .group = serving,
     .summary = "Be the runner of an execbox host: one execution on stdin and stdout, or many on "
                "sockets",
     .usage = "[OPTIONS]\n"
              "[OPTIONS] --listen ADDRESS",
     .notes = "On stdin and stdout, each line is one JSON message. With --listen the addresses go\n"
              "to stdout, one on each line, when the runner is ready.",
     .exit_codes =
         "0    `done` is written, the input ended before an `execute`, or after SIGTERM\n"
         "     with --listen\n"
         "64   wrong usage\n"
         "70   the output cannot be written, an address cannot be had, or a fault of our\n"
         "     own",
     .examples = "cordon runner --listen unix:/run/cordon.sock --max-memory 256MiB\n"
                 "echo '{\"type\":\"execute\",\"id\":\"1\",\"code\":\"6 * 7\",\"options\":"
                 "{\"timeoutMs\":1000,\"memoryLimitBytes\":67108864,\"maxLogLines\":100,"
                 "\"maxLogChars\":64000},\"providers\":[]}' | cordon runner",
     .make = make_invocation<RunnerArguments, bind_runner, runner>},
    {.name = "types",
     .group = helping,
     .summary = "Print the TypeScript declarations of tools, for whoever writes programs",
     .usage = "[OPTIONS]",
     .notes = "Each provider is one namespace. The types come from the JSON Schemas of its tools,\n"
              "which `providers.NAME.tools` of the configuration has.",
     .exit_codes = "0    done\n"
                   "1    a --provider takes too long to load\n"
                   "64   wrong usage, or mistakes in the configuration\n"
                   "70   a fault of our own",
     .examples = "cordon types --config cordon.json\n"
                 "cordon types --provider shop=shop.js --json",
     .make = make_invocation<TypesArguments, bind_types, print_types>},
    {.name = "convert",
     .group = helping,
     .summary = "Read a value from stdin in one format, write it to stdout in another",
     .usage = "--from FORMAT --to FORMAT [OPTIONS]",
     .notes = "MessagePack on a terminal is shown as hexadecimal digits.",
     .exit_codes = "0    done\n"
                   "1    a payload was bad, or has no form in the other format\n"
                   "64   wrong usage\n"
                   "70   a fault of our own",
     .examples = "echo '{\"__type\":\"Date\",\"value\":\"2024-01-01T00:00:00.000Z\"}' | cordon "
                 "convert --from runner --to json\n"
                 "cordon convert --from json --to msgpack < value.json > value.msgpack\n"
                 "cordon convert --from runner --to runner --graph --pretty < payload.json",
     .make = make_invocation<ConvertArguments, bind_convert, convert>},
    {.name = "doctor",
     .group = helping,
     .summary = "Tell what this machine offers and lacks for the sandbox",
     .usage = "[OPTIONS]",
     .notes = "",
     .exit_codes = "0    sandboxes run here\n"
                   "1    they do not\n"
                   "64   wrong usage",
     .examples = "cordon doctor --json",
     .make = make_invocation<DoctorArguments, bind_doctor, doctor>},
    {.name = "completions",
     .group = helping,
     .summary = "Print completions of command lines for bash, zsh or fish",
     .usage = "bash|zsh|fish",
     .notes = "An installed cordon brings them along. Otherwise put them where the shell looks:\n"
              "  bash  ~/.local/share/bash-completion/completions/cordon\n"
              "  zsh   _cordon, in a folder of $fpath\n"
              "  fish  ~/.config/fish/completions/cordon.fish",
     .exit_codes = "0    done\n"
                   "64   wrong usage",
     .examples = "cordon completions fish > ~/.config/fish/completions/cordon.fish\n"
                 "cordon completions bash",
     .make = make_invocation<CompletionsArguments, bind_completions, completions>},
    {.name = "help",
     .group = helping,
     .summary = "Explain the commands, or one of them",
     .usage = "[COMMAND]",
     .notes = "",
     .exit_codes = "0    done\n"
                   "64   there is no such command",
     .examples = "cordon help\n"
                 "cordon help run",
     .make = make_invocation<HelpArguments, bind_help, help>},
};

}  // namespace

std::span<const Command> commands() { return table; }

const Command* find_command(std::string_view name) {
  const auto found = std::ranges::find(table, name, &Command::name);
  return found == std::end(table) ? nullptr : found;
}

}  // namespace cordon::cli
