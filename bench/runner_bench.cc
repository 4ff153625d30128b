// The bars of `cordon runner`, next to a runner in Node on quickjs-emscripten in the same run.
// docs/benchmarks.md explains the rows. It judges nothing by its exit code.

#include <algorithm>
#include <atomic>
#include <chrono>
#include <csignal>
#include <filesystem>
#include <functional>
#include <iostream>
#include <memory>
#include <optional>
#include <stdexcept>
#include <string>
#include <sys/resource.h>
#include <sys/socket.h>
#include <sys/wait.h>
#include <thread>
#include <unistd.h>
#include <vector>

#include "engine/process.h"
#include "engine/samples.h"
#include "engine/subject.h"
#include "engine/table.h"
#include "runner/client.h"
#include "runner/listening.h"
#include <CLI/CLI.hpp>
#include <fmt/format.h>

#include "cordon/json.h"

namespace cordon::bench {
namespace {

using Clock = std::chrono::steady_clock;
using namespace std::chrono_literals;

std::string execute_line(const std::string& code) {
  const Value tool = Value::object({{"safeName", "echo"}, {"originalName", "echo"}});
  return *to_json(Value::object(
             {{"type", "execute"},
              {"id", "1"},
              {"code", code},
              {"options", Value::object({{"timeoutMs", 60000},
                                         {"memoryLimitBytes", 64 << 20},
                                         {"maxLogLines", 100},
                                         {"maxLogChars", 64000}})},
              {"providers", Value::array({Value::object({{"name", "tools"},
                                                         {"tools", Value::object({{"echo", tool}})},
                                                         {"types", ""}})})}})) +
         "\n";
}

double whole_process(const std::vector<std::string>& command, std::size_t runs) {
  const std::string input = execute_line("return 1 + 1");
  Samples samples(runs);
  for (std::size_t i = 0; i < runs + 2; ++i) {
    const auto start = Clock::now();
    const Result<std::string> output = output_of(command, input);
    const auto time = Clock::now() - start;
    if (!output) throw std::runtime_error(to_string(output.error()));
    expect_result(*output, "2");
    if (i >= 2) samples.add(time);
  }
  return samples.percentile(50);
}

double sessions_a_second(const Server& server, std::chrono::milliseconds how_long) {
  constexpr int clients = 8;
  const std::string line = execute_line("return 1 + 1");
  std::atomic<std::uint64_t> count = 0;
  std::atomic<bool> over = false;
  std::atomic<bool> counts = false;
  std::vector<std::jthread> threads;
  std::atomic<bool> failed = false;
  for (int i = 0; i < clients; ++i) {
    threads.emplace_back([&] {
      try {
        while (!over) {
          Peer peer = Peer::connect_to(server.path());
          peer.send(line);
          expect_result(peer.until_done(), "2");
          if (counts) ++count;
        }
      } catch (const std::exception& error) {
        if (!failed.exchange(true)) std::cerr << error.what() << "\n";
      }
    });
  }
  std::this_thread::sleep_for(how_long / 4);
  counts = true;
  const auto start = Clock::now();
  std::this_thread::sleep_for(how_long);
  const double seconds = std::chrono::duration<double>(Clock::now() - start).count();
  const auto done = static_cast<double>(count.load());
  over = true;
  threads.clear();
  if (failed) throw std::runtime_error("a session failed");
  return done / seconds;
}

std::string calls_program(int count) {
  return fmt::format(
      "let n = 0; for (let i = 0; i < {}; i++) n += await tools.echo({{ n: i }}); return n", count);
}

double time_of_calls(const Server& server, int count) {
  Peer peer = Peer::connect_to(server.path());
  const auto start = Clock::now();
  peer.send(execute_line(calls_program(count)));
  expect_result(peer.until_done(), std::to_string(count));
  return std::chrono::duration<double>(Clock::now() - start).count();
}

double round_trip(const Server& server, int count) {
  Samples samples(5);
  for (int i = 0; i < 5; ++i)
    samples.add(
        std::chrono::duration<double>(time_of_calls(server, count) - time_of_calls(server, 1)));
  return samples.percentile(50) / (count - 1);
}

// The same bytes each way, by two processes that do nothing else.
double bare_ping_pong(int count) {
  const std::string call =
      R"({"type":"tool_call","callId":"call-1000","providerName":"tools","safeToolName":"echo","input":{"n":1000}})"
      "\n";
  int ends[2];
  if (socketpair(AF_UNIX, SOCK_STREAM, 0, ends) != 0) throw std::runtime_error("socketpair");
  const pid_t child = fork();
  if (child == 0) {
    close(ends[0]);
    try {
      Peer peer(ends[1]);
      for (;;) {
        peer.send(call);
        (void)peer.receive();
      }
    } catch (...) {
      _exit(0);
    }
  }
  close(ends[1]);
  Samples samples(5);
  {
    Peer peer(ends[0]);
    for (int i = 0; i < 5; ++i) {
      samples.time([&] {
        for (int n = 0; n < count; ++n) peer.send(Peer::answer_to(peer.receive()));
      });
    }
  }
  waitpid(child, nullptr, 0);
  return samples.percentile(50) / count;
}

// Ours puts guests that wait for longer than a moment to sleep; both are looked at after that.
constexpr auto until_asleep = std::chrono::seconds(2);

struct Waiting {
  double bytes_each = 0;
  bool all_answered = false;
};

Waiting waiting_sessions(const Server& server, int count) {
  const std::string line = execute_line("return (await tools.echo(1)) + 1");
  {
    Peer warm = Peer::connect_to(server.path());
    warm.send(line);
    expect_result(warm.until_done(), "2");
  }
  const double before = server.pss();
  std::vector<Peer> peers;
  std::vector<std::string> answers;
  for (int i = 0; i < count; ++i) {
    peers.push_back(Peer::connect_to(server.path()));
    peers.back().send(line);
  }
  for (Peer& peer : peers) {
    std::string_view message = peer.receive();
    while (!message.contains("tool_call")) message = peer.receive();
    answers.push_back(Peer::answer_to(message));
  }
  std::this_thread::sleep_for(until_asleep);
  const double after = server.pss();
  for (std::size_t i = 0; i < peers.size(); ++i) peers[i].send(answers[i]);
  for (Peer& peer : peers) expect_result(peer.until_done(), "2");
  return {(after - before) / count, true};
}

struct Plan {
  std::string program;
  std::vector<std::string> peer;  // the command of the runner in Node; empty where there is none
  std::size_t processes = 30;
  std::chrono::milliseconds throughput{2000};
  int calls = 2000;
  int waiting = 5000;
};

// Our figure and the peer's, where there is one.
struct Pair {
  double ours = 0;
  std::optional<double> theirs = {};
};

std::string text_or_dash(const std::optional<double>& figure,
                         const std::function<std::string(double)>& text) {
  return figure ? text(*figure) : "—";
}

class Bench {
 public:
  explicit Bench(Plan plan) : plan_(std::move(plan)) {}

  std::vector<Row> rows() {
    std::vector<Row> rows;
    rows.push_back(process_row());
    rows.push_back(throughput_row());
    rows.push_back(round_trip_row());
    for (Row& row : waiting_rows()) rows.push_back(std::move(row));
    return rows;
  }

 private:
  Server ours(std::vector<std::string> options = {}) const {
    const std::string path = socket_path("ours");
    std::vector<std::string> command = {plan_.program, "runner", "--listen", "unix:" + path};
    command.insert(command.end(), options.begin(), options.end());
    return Server(std::move(command), path);
  }
  Server theirs(std::size_t processes) const {
    const std::string path = socket_path("peer");
    std::vector<std::string> command = plan_.peer;
    command.push_back(path);
    command.push_back(std::to_string(processes));
    return Server(std::move(command), path);
  }
  static std::string socket_path(const std::string& name) {
    return (std::filesystem::temp_directory_path() /
            ("cordon-bench-" + std::to_string(getpid()) + "-" + name))
        .string();
  }

  Row process_row() const {
    Pair pair{whole_process({plan_.program, "runner"}, plan_.processes)};
    if (!plan_.peer.empty()) pair.theirs = whole_process(plan_.peer, plan_.processes);
    const std::optional<double> ratio =
        pair.theirs ? std::optional(*pair.theirs / pair.ours) : std::nullopt;
    return {"runner: a whole process, `execute` to exit",
            {time_text(pair.ours), text_or_dash(pair.theirs, time_text), "—"},
            text_or_dash(ratio, times),
            "≤ 6 ms, ≥ 8 ×",
            pair.ours <= 0.006 && (!ratio || *ratio >= 8)};
  }

  Row throughput_row() const {
    Pair pair;
    {
      const Server server = ours();
      pair.ours = sessions_a_second(server, plan_.throughput);
    }
    if (!plan_.peer.empty()) {
      const Server server = theirs(cores());
      pair.theirs = sessions_a_second(server, plan_.throughput);
    }
    const std::optional<double> ratio =
        pair.theirs ? std::optional(pair.ours / *pair.theirs) : std::nullopt;
    return {fmt::format("runner: sessions a second over a Unix socket, {} cores", cores()),
            {rate(pair.ours), text_or_dash(pair.theirs, rate), "—"},
            text_or_dash(ratio, times),
            "≥ 3 ×",
            ratio ? std::optional(*ratio >= 3) : std::nullopt};
  }

  Row round_trip_row() const {
    const Server server = ours();
    const double bare = bare_ping_pong(plan_.calls);
    const double trip = round_trip(server, plan_.calls);
    std::optional<double> peer;
    if (!plan_.peer.empty()) {
      const Server other = theirs(1);
      peer = round_trip(other, plan_.calls);
    }
    return {
        fmt::format("runner: a tool call over the socket (bare ping-pong: {})", time_text(bare)),
        {time_text(trip), text_or_dash(peer, time_text), "—"},
        fmt::format("{:.2f} × bare", trip / bare),
        "≤ 2 × bare",
        trip <= 2 * bare};
  }

  std::vector<Row> waiting_rows() const {
    rlimit files{};
    getrlimit(RLIMIT_NOFILE, &files);
    files.rlim_cur = files.rlim_max;
    setrlimit(RLIMIT_NOFILE, &files);
    const int count = std::min<int>(plan_.waiting, static_cast<int>(files.rlim_cur) - 100);
    Waiting mine;
    {
      const Server server = ours();
      mine = waiting_sessions(server, count);
    }
    std::optional<double> peer;
    if (!plan_.peer.empty()) {
      const Server server = theirs(1);
      peer = waiting_sessions(server, count).bytes_each;
    }
    return {{fmt::format("runner: {} sessions that wait on a tool at once: answered", count),
             {mine.all_answered ? "all" : "not all", "—", "—"},
             "—",
             "all of 5000",
             mine.all_answered && count >= 5000},
            {"runner: memory that each of them takes (Pss)",
             {size_text(mine.bytes_each), text_or_dash(peer, size_text), "—"},
             peer ? fmt::format("{:.2f} ×", mine.bytes_each / *peer) : "—",
             "< 74 KiB, the peer's",
             mine.bytes_each < 74.0 * 1024}};
  }

  static std::size_t cores() { return std::max(1U, std::thread::hardware_concurrency()); }
  static std::string times(double ratio) { return fmt::format("{:.1f} ×", ratio); }
  static std::string rate(double figure) { return fmt::format("{:.0f} /s", figure); }

  Plan plan_;
};

int run(int argument_count, char** arguments) {
  Plan plan;
  plan.program =
      (std::filesystem::path(own_path()).parent_path().parent_path() / "bin" / "cordon").string();
  double seconds = 2;
  CLI::App app("Measures `cordon runner` next to a runner in Node (CORDON_PEERS: its folder).");
  app.add_option("--processes", plan.processes, "Processes to time");
  app.add_option("--seconds", seconds, "How long sessions are counted");
  app.add_option("--calls", plan.calls, "Tool calls in one session");
  app.add_option("--waiting", plan.waiting, "Sessions that wait at once");
  CLI11_PARSE(app, argument_count, arguments);
  plan.throughput = std::chrono::milliseconds(static_cast<int>(seconds * 1000));
  std::signal(SIGPIPE, SIG_IGN);

  const Result<Peers> peers = find_peers();
  if (peers) {
    const std::filesystem::path script =
        std::filesystem::path(peers->subjects.front().command.at(2)).parent_path() / "runner.mjs";
    plan.peer = {peers->node, script.string()};
  } else {
    std::cout << "NO PEER, so no ratios: " << to_string(peers.error()) << "\n";
  }
  std::cout << table_text(Bench(std::move(plan)).rows());
  return 0;
}

}  // namespace
}  // namespace cordon::bench

int main(int argument_count, char** arguments) {
  try {
    return cordon::bench::run(argument_count, arguments);
  } catch (const std::exception& error) {
    std::cerr << error.what() << "\n";
    return 1;
  }
}
