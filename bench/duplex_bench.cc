// The bars of duplex-rpc: a call through `cordon guest` under a bare host and under the class
// Plugin, next to a bare pipe ping-pong of the same bytes and to the same guest as a native
// program. docs/benchmarks.md explains the rows. It judges nothing by its exit code.

#include <algorithm>
#include <chrono>
#include <cstdio>
#include <cstdlib>
#include <filesystem>
#include <functional>
#include <optional>
#include <string>
#include <sys/wait.h>
#include <thread>
#include <unistd.h>
#include <vector>

#include <fmt/format.h>

#include "cordon/json.h"
#include "cordon/plugin.h"
#include "cordon/protocol/duplex/messages.h"
#include "cordon/providers/guest_process.h"

namespace cordon::bench {
namespace {

using Clock = std::chrono::steady_clock;
using namespace std::chrono_literals;

double us(Clock::duration time) { return std::chrono::duration<double, std::micro>(time).count(); }

// The middle and the 99th of a hundred.
struct Spread {
  double p50 = 0;
  double p99 = 0;
};

Spread measure(int count, const std::function<void()>& act) {
  for (int i = 0; i < count / 10; ++i) act();
  std::vector<double> times;
  times.reserve(static_cast<std::size_t>(count));
  for (int i = 0; i < count; ++i) {
    const auto start = Clock::now();
    act();
    times.push_back(us(Clock::now() - start));
  }
  std::ranges::sort(times);
  return {times[times.size() / 2], times[times.size() * 99 / 100]};
}

void write_whole(int to, BytesView bytes) {
  while (!bytes.empty()) {
    const ssize_t put = write(to, bytes.data(), bytes.size());
    if (put <= 0) std::abort();
    bytes = bytes.subspan(static_cast<std::size_t>(put));
  }
}

// Waits in read, as the barest host does.
void read_whole(int from, std::span<std::uint8_t> bytes) {
  while (!bytes.empty()) {
    const ssize_t got = read(from, bytes.data(), bytes.size());
    if (got <= 0) std::abort();
    bytes = bytes.subspan(static_cast<std::size_t>(got));
  }
}

struct Pipes {
  int to_child[2];
  int from_child[2];
  pid_t child = -1;

  Pipes(const std::function<void()>& run) {
    if (pipe(to_child) != 0 || pipe(from_child) != 0) std::abort();
    child = fork();
    if (child == 0) {
      dup2(to_child[0], 0);
      dup2(from_child[1], 1);
      for (const int end : {to_child[0], to_child[1], from_child[0], from_child[1]}) close(end);
      run();
      _exit(1);
    }
    close(to_child[0]);
    close(from_child[1]);
  }
  Pipes(const Pipes&) = delete;
  Pipes& operator=(const Pipes&) = delete;
  ~Pipes() {
    close(to_child[1]);
    close(from_child[0]);
    waitpid(child, nullptr, 0);
  }
};

Bytes call_frame() {
  Bytes frame;
  (void)duplex::write_function_call(frame, "0123456789abcde", "add", Value::array({1, 2}), true,
                                    {});
  return frame;
}

Bytes answer_frame() {
  Bytes frame;
  (void)duplex::write_function_response(frame, "0123456789abcde", Value(3), {});
  return frame;
}

Spread ping_pong(const std::function<void()>& child, int count) {
  const Pipes pipes(child);
  const Bytes call = call_frame();
  Bytes answer(answer_frame().size());
  return measure(count, [&] {
    write_whole(pipes.to_child[1], call);
    read_whole(pipes.from_child[0], answer);
  });
}

// Answers each call with the same bytes, knowing how long both are.
void bare_child() {
  Bytes call(call_frame().size());
  const Bytes answer = answer_frame();
  while (true) {
    std::size_t done = 0;
    while (done < call.size()) {
      const ssize_t got = read(0, call.data() + done, call.size() - done);
      if (got <= 0) _exit(0);
      done += static_cast<std::size_t>(got);
    }
    write_whole(1, answer);
  }
}

// Until its first answer, in ms, the middle of many; its end does not count.
double fresh_process(const std::function<void()>& child) {
  std::vector<double> times;
  Bytes answer(answer_frame().size());
  for (int i = 0; i < 110; ++i) {
    const auto start = Clock::now();
    const Pipes pipes(child);
    write_whole(pipes.to_child[1], call_frame());
    read_whole(pipes.from_child[0], answer);
    if (i >= 10) times.push_back(us(Clock::now() - start) / 1000);
  }
  std::ranges::sort(times);
  return times[times.size() / 2];
}

double calls_per_second(Plugin& plugin, int at_once, int rounds) {
  const Value params = Value::array({1, 2});
  const auto start = Clock::now();
  for (int round = 0; round < rounds; ++round) {
    std::vector<PluginCall> calls;
    for (int i = 0; i < at_once; ++i) calls.push_back(plugin.start("add", params));
    for (PluginCall& call : calls) {
      if (!call.get()) std::abort();
    }
  }
  return at_once * rounds / (us(Clock::now() - start) / 1e6);
}

double stream_mb_per_second(Plugin& plugin) {
  constexpr int chunks = 2000;
  const auto start = Clock::now();
  PluginStream stream = plugin.stream("chunks", Value::object({{"count", chunks}}), "stream");
  std::size_t bytes = 0;
  while (true) {
    const auto chunk = stream.next();
    if (!chunk) std::abort();
    if (!*chunk) break;
    bytes += (*chunk)->as_bytes().size();
  }
  return static_cast<double>(bytes) / us(Clock::now() - start);
}

void row(const char* name, double value, const char* unit, double against, const char* bar) {
  fmt::print("{:<52} {:>12.2f} {:<8} {:>6.2f}  {}\n", name, value, unit, against, bar);
  std::fflush(stdout);
}

// What bench/peers/plugins.mjs and plugins.py print.
struct PeerFigures {
  double p50 = 0;
  double rate = 0;
  double fresh = 0;  // ms
};

std::optional<PeerFigures> measure_peer(const std::string& command) {
  std::FILE* const peer = popen(command.c_str(), "r");
  if (peer == nullptr) return std::nullopt;
  std::string text;
  char buffer[512];
  while (std::fgets(buffer, sizeof buffer, peer) != nullptr) text += buffer;
  const bool is_well = pclose(peer) == 0;
  const Result<Value> figures = from_json(text);
  if (!is_well || !figures) return std::nullopt;
  return PeerFigures{(*figures)["p50"].value_or(0.0), (*figures)["rate"].value_or(0.0),
                     (*figures)["fresh"].value_or(0.0)};
}

// The program, from PyPI.
std::string wasmtime_of(const std::string& peers) {
  return peers + "/python/wasmtime_cli/wasmtime";
}

// What our guest stands in for, under the barest host.
void measure_wasmtime(const std::string& peers, const std::string& wasm, double bare) {
  const std::string program = wasmtime_of(peers);
  if (access(program.c_str(), X_OK) != 0) return;
  const auto child = [&] { execl(program.c_str(), "wasmtime", "run", wasm.c_str(), nullptr); };
  const Spread call = ping_pong(child, 10'000);
  row("bare host, wasmtime run", call.p50, "us", call.p50 / bare, "");
  row("  a fresh process of it, first answer", fresh_process(child), "ms", 0, "");
}

// The same call by the hosts and with the engines that a user might have taken instead.
void measure_peers(const std::filesystem::path& build, double bare) {
  const char* const found = std::getenv("CORDON_PEERS");
  if (found == nullptr || *found == 0) {
    fmt::print("no peers: `./dev bench duplex` installs them\n");
    return;
  }
  const std::string peers = found;
  const std::string wasm = build / "tests/duplex/guest.wasm";
  const std::string extism_wasm = build / "bench/extism_add.wasm";
  const std::string folder = fmt::format("cd '{}' && PYTHONPATH=python ", peers);
  const std::string node = folder + "node_modules/node-linux-*/bin/node --no-warnings plugins.mjs ";

  measure_wasmtime(peers, wasm, bare);
  const auto ours =
      measure_peer(node + "duplex " + (build / "bin/cordon").string() + " guest " + wasm);
  const auto theirs = measure_peer(node + "duplex " + wasmtime_of(peers) + " run " + wasm);
  const auto show = [](const char* name, const std::optional<PeerFigures>& figures, double ratio,
                       const char* bar) {
    if (figures) {
      row(name, figures->p50, "us", ratio, bar);
    } else {
      fmt::print("{:<52} not there\n", name);
    }
  };
  show("npm duplex-rpc host, cordon guest", ours, ours && theirs ? ours->p50 / theirs->p50 : 0,
       "<= 0.5 of the next row");
  show("npm duplex-rpc host, wasmtime run", theirs, 1, "");
  const auto python = measure_peer(folder + "python3 plugins.py extism " + extism_wasm);
  show("Extism from PyPI, in the host's process", python, 0, "");
  if (python) row("  a new plugin, first answer", python->fresh, "ms", 0, "");
  const auto javascript = measure_peer(node + "extism " + extism_wasm);
  show("Extism from npm, in the host's thread", javascript, 0, "");
  if (javascript) row("  a new plugin, first answer", javascript->fresh, "ms", 0, "");
}

int run(const std::filesystem::path& build) {
  const std::string cordon = build / "bin/cordon";
  const std::string wasm = build / "tests/duplex/guest.wasm";
  const std::string native = build / "tests/duplex_guest";
  const auto guest_child = [&] { execl(cordon.c_str(), "cordon", "guest", wasm.c_str(), nullptr); };
  const auto native_child = [&] { execl(native.c_str(), "guest", nullptr); };
  constexpr int count = 20'000;

  fmt::print("{:<52} {:>12} {:<8} {:>6}  {}\n", "", "", "", "ratio", "bar");
  const Spread bare = ping_pong(bare_child, count);
  row("bare pipe ping-pong of the same bytes, p50", bare.p50, "us", 1, "");
  const Spread native_call = ping_pong(native_child, count);
  row("bare host, native guest", native_call.p50, "us", native_call.p50 / bare.p50, "");
  const Spread guest_call = ping_pong(guest_child, count);
  row("bare host, cordon guest", guest_call.p50, "us", guest_call.p50 / bare.p50, "<= 1.6");

  Provider callbacks("host");
  callbacks.add("echo", [](Value input) -> Result<Value> { return input; });
  Result<Plugin> plugin = Plugin::create({.wasm = wasm, .cordon = cordon, .callbacks = callbacks});
  Result<Plugin> native_plugin = Plugin::create({.command = {native}});
  const Value params = Value::array({1, 2});
  const Spread call = measure(count, [&] {
    if (!plugin->call("add", params)) std::abort();
  });
  row("Plugin, cordon guest", call.p50, "us", call.p50 / bare.p50, "<= 2");
  const Value back = Value::object({{"name", "echo"}, {"params", 1}});
  const Spread with_callback = measure(count, [&] {
    if (!plugin->call("callBack", back)) std::abort();
  });
  const double callback = with_callback.p50 - call.p50;
  row("a callback in it, on top of the call", callback, "us", callback / bare.p50, "<= 2.4");

  const double wasm_rate = calls_per_second(*plugin, 64, 2000);
  const double native_rate = calls_per_second(*native_plugin, 64, 2000);
  row("64 calls at once", wasm_rate, "/s", wasm_rate / native_rate, ">= 0.45 of the native guest");
  const double native_stream = stream_mb_per_second(*native_plugin);
  const double wasm_stream = stream_mb_per_second(*plugin);
  row("a stream of 64 KiB chunks", wasm_stream, "MB/s", wasm_stream / native_stream,
      ">= 0.75 of the native guest");

  row("a fresh jailed process with kept code, first answer", fresh_process(guest_child), "ms", 0,
      "<= 3");
  measure_peers(build, bare.p50);
  return 0;
}

}  // namespace
}  // namespace cordon::bench

int main(int, char** arguments) {
  return cordon::bench::run(std::filesystem::absolute(arguments[0]).parent_path().parent_path());
}
