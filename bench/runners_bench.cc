// The bars of the host of runners: executions on runners elsewhere, their tool calls, what many
// tools cost, and JSON Schema next to Ajv. docs/benchmarks.md explains the rows. It judges nothing
// by its exit code.

#include <algorithm>
#include <atomic>
#include <chrono>
#include <csignal>
#include <cstddef>
#include <cstdint>
#include <filesystem>
#include <functional>
#include <iostream>
#include <optional>
#include <stdexcept>
#include <string>
#include <sys/wait.h>
#include <thread>
#include <unistd.h>
#include <utility>
#include <vector>

#include "engine/process.h"
#include "engine/samples.h"
#include "engine/subject.h"
#include "engine/table.h"
#include "runner/client.h"
#include "runner/listening.h"
#include "schemas/compare.h"
#include <CLI/CLI.hpp>
#include <fmt/format.h>

#include "cordon/executor.h"
#include "cordon/json.h"

namespace cordon::bench {
namespace {

using Clock = std::chrono::steady_clock;
using namespace std::chrono_literals;

constexpr int rounds = 5;

struct Plan {
  std::string program;
  std::vector<std::string> ajv;  // the command of its peer; empty where there is none
  std::size_t processes = 200;
  std::chrono::milliseconds throughput{1000};  // a round
  int calls = 2000;
  int executions = 200;   // with few tools, and as many with many
  std::string only = {};  // one part; empty: all
};

Executor executor_of(ExecutorOptions options) {
  Result<Executor> executor = Executor::create(std::move(options));
  if (!executor) throw std::runtime_error(to_string(executor.error()));
  return *std::move(executor);
}

void expect(const Report& report, double result) {
  if (!report.ok()) throw std::runtime_error(to_string(report.error));
  if (report.result.value_or(-1.0) != result)
    throw std::runtime_error("not the result that was expected");
}

void wait_for_spares(const Executor& executor, std::size_t spares) {
  while (executor.figures().spares < spares) std::this_thread::sleep_for(200us);
}

// A spare runs before it has come to its first line; then it is warm.
constexpr auto until_warm = 10ms;

// --- a process for each execution

double own_process(const Plan& plan, bool jail) {
  constexpr std::size_t spares = 2;
  Executor executor =
      executor_of({.runner = plan.program + " runner", .jail = jail, .spares = spares});
  Samples samples(plan.processes);
  for (std::size_t i = 0; i < plan.processes + 5; ++i) {
    wait_for_spares(executor, spares);
    std::this_thread::sleep_for(until_warm);
    const auto start = Clock::now();
    const Report report = executor.execute("1 + 1").get();
    const auto time = Clock::now() - start;
    expect(report, 2);
    if (i >= 5) samples.add(time);
  }
  return samples.percentile(50);
}

// --- sessions a second

constexpr int clients = 8;

std::string execute_line() {
  return *to_json(Value::object({{"type", "execute"},
                                 {"id", "1"},
                                 {"code", "1 + 1"},
                                 {"options", Value::object({{"timeoutMs", 5000},
                                                            {"memoryLimitBytes", 64 << 20},
                                                            {"maxLogLines", 100},
                                                            {"maxLogChars", 64000}})},
                                 {"providers", Value::array({})}})) +
         "\n";
}

double rate_of(std::chrono::milliseconds how_long, const std::function<void()>& session) {
  std::atomic<std::uint64_t> count = 0;
  std::atomic<bool> over = false;
  std::atomic<bool> failed = false;
  std::vector<std::jthread> threads;
  for (int i = 0; i < clients; ++i) {
    threads.emplace_back([&] {
      try {
        while (!over) {
          session();
          ++count;
        }
      } catch (const std::exception& error) {
        if (!failed.exchange(true)) std::cerr << error.what() << "\n";
      }
    });
  }
  std::this_thread::sleep_for(how_long / 4);
  const auto start = Clock::now();
  const std::uint64_t before = count;
  std::this_thread::sleep_for(how_long);
  const auto done = static_cast<double>(count - before);
  const double seconds = std::chrono::duration<double>(Clock::now() - start).count();
  over = true;
  threads.clear();
  if (failed) throw std::runtime_error("a session failed");
  return done / seconds;
}

struct Rates {
  double ours = 0;
  double ours_of_new = 0;  // no program is run twice
  double bare = 0;
};

// In turn, so that a change of the machine's load meets both.
Rates sessions(const Plan& plan, const Server& server) {
  Executor executor = executor_of({.runner = "unix:" + server.path()});
  const std::string line = execute_line();
  Samples ours(rounds);
  Samples ours_of_new(rounds);
  Samples bare(rounds);
  std::atomic<std::uint64_t> number = 0;
  for (int i = 0; i < rounds; ++i) {
    bare.add(std::chrono::duration<double>(rate_of(plan.throughput, [&] {
      Peer peer = Peer::connect_to(server.path());
      peer.send(line);
      expect_result(peer.until_done(), "2");
    })));
    ours.add(std::chrono::duration<double>(
        rate_of(plan.throughput, [&] { expect(executor.execute("1 + 1").get(), 2); })));
    ours_of_new.add(std::chrono::duration<double>(rate_of(plan.throughput, [&] {
      expect(executor.execute(fmt::format("1 + 1 + 0 * {}", ++number)).get(), 2);
    })));
  }
  return {ours.percentile(50), ours_of_new.percentile(50), bare.percentile(50)};
}

// --- tool calls

double ping_pong(int count) {
  const std::string call =
      R"({"type":"tool_call","callId":"call-1000","providerName":"tools","safeToolName":"echo","input":{"n":1000}})"
      "\n";
  int there[2];
  int back[2];
  if (pipe(there) != 0 || pipe(back) != 0) throw std::runtime_error("pipe");
  const pid_t child = fork();
  if (child == 0) {
    close(there[1]);
    close(back[0]);
    try {
      Peer peer(there[0], back[1]);
      for (;;) {
        peer.send(call);
        (void)peer.receive();
      }
    } catch (...) {
      _exit(0);
    }
  }
  close(there[0]);
  close(back[1]);
  Samples samples(1);
  {
    Peer peer(back[0], there[1]);
    samples.time([&] {
      for (int n = 0; n < count; ++n) peer.send(Peer::answer_to(peer.receive()));
    });
  }
  waitpid(child, nullptr, 0);
  return samples.percentile(50) / count;
}

double time_of_calls(Executor& executor, int count) {
  Provider tools("tools");
  tools.add("echo", [](const Value&) -> Result<Value> { return Value(1); });
  wait_for_spares(executor, 1);
  std::this_thread::sleep_for(until_warm);
  const auto start = Clock::now();
  const Report report =
      executor
          .execute(
              fmt::format(
                  "let n = 0; for (let i = 0; i < {}; i++) n += await tools.echo({{ n: i }}); n",
                  count),
              {.limits = {.time = {.total = 60s}}, .providers = {tools}})
          .get();
  const auto time = Clock::now() - start;
  expect(report, count);
  return std::chrono::duration<double>(time).count();
}

struct Trips {
  double ours = 0;
  double bare = 0;
};

Trips trips(const Plan& plan) {
  Executor executor = executor_of({.runner = plan.program + " runner", .spares = 1});
  Samples ours(rounds);
  Samples bare(rounds);
  for (int i = 0; i < rounds; ++i) {
    bare.add(std::chrono::duration<double>(ping_pong(plan.calls)));
    ours.add(std::chrono::duration<double>(
        (time_of_calls(executor, plan.calls) - time_of_calls(executor, 1)) / (plan.calls - 1)));
  }
  return {ours.percentile(50), bare.percentile(50)};
}

// --- many tools

Provider provider_of(int tools) {
  Provider provider("shop");
  for (int i = 0; i < tools; ++i) {
    provider.add(fmt::format("read_part_{}", i),
                 [](Value input) -> Result<Value> { return Value(input["n"].value_or(0) + 1); });
    provider.describe(fmt::format("read_part_{}", i), "Reads a part of the catalogue.");
  }
  return provider;
}

struct Sizes {
  double few = 0;
  double many = 0;
};

Sizes executions_with(Executor& executor, std::size_t spares, int count) {
  const std::string code =
      "let n = 0; for (const name of ['read_part_0', 'read_part_1', 'read_part_2']) "
      "n = await shop[name]({ n }); n";
  const Provider few = provider_of(3);
  const Provider many = provider_of(1000);
  Samples times_few(static_cast<std::size_t>(count));
  Samples times_many(static_cast<std::size_t>(count));
  const auto run = [&](const Provider& provider) {
    if (spares > 0) {
      wait_for_spares(executor, spares);
      std::this_thread::sleep_for(until_warm);
    }
    const auto start = Clock::now();
    const Report report = executor.execute(code, {.providers = {provider}}).get();
    const auto time = Clock::now() - start;
    expect(report, 3);
    return time;
  };
  for (int i = 0; i < count + 5; ++i) {
    const auto time_few = run(few);
    const auto time_many = run(many);
    if (i < 5) continue;
    times_few.add(time_few);
    times_many.add(time_many);
  }
  return {times_few.percentile(50), times_many.percentile(50)};
}

// --- rows

class Bench {
 public:
  explicit Bench(Plan plan) : plan_(std::move(plan)) {}

  std::vector<Row> rows() const {
    std::vector<Row> rows;
    const auto take = [&](std::string_view part, auto rows_of) {
      if (plan_.only.empty() || plan_.only == part)
        for (Row& row : (this->*rows_of)()) rows.push_back(std::move(row));
    };
    take("process", &Bench::process_rows);
    take("sessions", &Bench::throughput_rows);
    take("calls", &Bench::trip_rows);
    take("tools", &Bench::many_tools_rows);
    take("schemas", &Bench::schema_rows);
    return rows;
  }

 private:
  Server listening() const {
    const std::string path = (std::filesystem::temp_directory_path() /
                              ("cordon-bench-" + std::to_string(getpid()) + "-runners"))
                                 .string();
    return Server({plan_.program, "runner", "--listen", "unix:" + path}, path);
  }

  std::vector<Row> process_rows() const {
    const double jailed = own_process(plan_, true);
    const double free = own_process(plan_, false);
    Row row = new_row("host: an execution in a process of its own, warm spares; p50", "≤ 2 ms");
    row.figures[0] = time_text(jailed);
    row.met = jailed <= 0.002;
    Row other = new_row("host: the same without the jail", "");
    other.figures[0] = time_text(free);
    return {row, other};
  }

  std::vector<Row> throughput_rows() const {
    const Server server = listening();
    const Rates rates = sessions(plan_, server);
    Row row = new_row(
        fmt::format("host: sessions a second, one runner on a Unix socket (a bare client: {:.0f})",
                    rates.bare),
        "≥ 0.5 × bare");
    row.figures[0] = fmt::format("{:.0f} /s", rates.ours);
    row.ratio = fmt::format("{:.2f} × bare", rates.ours / rates.bare);
    row.met = rates.ours >= rates.bare / 2;
    Row other = new_row("host: the same where no program is run twice", "");
    other.figures[0] = fmt::format("{:.0f} /s", rates.ours_of_new);
    other.ratio = fmt::format("{:.2f} × bare", rates.ours_of_new / rates.bare);
    return {row, other};
  }

  std::vector<Row> trip_rows() const {
    const Trips took = trips(plan_);
    Row row = new_row(fmt::format("host: a tool call of a child (bare ping-pong over pipes: {})",
                                  time_text(took.bare)),
                      "≤ 2.5 × bare");
    row.figures[0] = time_text(took.ours);
    row.ratio = fmt::format("{:.2f} × bare", took.ours / took.bare);
    row.met = took.ours <= 2.5 * took.bare;
    return {row};
  }

  static Row many_tools_row(const std::string& where, const Sizes& sizes) {
    Row row = new_row(fmt::format("host: 1,000 tools of which three are called, {} (of 3: {})",
                                  where, time_text(sizes.few)),
                      "≤ 1.1 ×");
    row.figures[0] = time_text(sizes.many);
    row.ratio = fmt::format("{:.2f} ×", sizes.many / sizes.few);
    row.met = sizes.many <= 1.1 * sizes.few;
    return row;
  }

  std::vector<Row> many_tools_rows() const {
    constexpr std::size_t spares = 2;
    Executor children = executor_of({.runner = plan_.program + " runner", .spares = spares});
    const Server server = listening();
    Executor socket = executor_of({.runner = "unix:" + server.path()});
    Executor here = executor_of({});
    return {
        many_tools_row("a process of its own",
                       executions_with(children, spares, plan_.executions / 2)),
        many_tools_row("over a socket", executions_with(socket, 0, plan_.executions)),
        many_tools_row("the engine of this process", executions_with(here, 0, plan_.executions))};
  }

  std::vector<Row> schema_rows() const {
    std::vector<Row> rows;
    for (const SchemaComparison& one : compare_schemas(plan_.ajv)) {
      const auto row = [&](const std::string& what, double ours, std::optional<double> ajv) {
        Row made = new_row("schema: " + what + (ajv ? " (Ajv: " + time_text(*ajv) + ")" : ""), "");
        made.figures[0] = time_text(ours);
        if (ajv) made.ratio = fmt::format("{:.2g} × Ajv", ours / *ajv);
        rows.push_back(std::move(made));
      };
      row(one.what + ", checked", one.ours.check,
          one.ajv ? std::optional(one.ajv->check) : std::nullopt);
      row("the same, compiled", one.ours.compile,
          one.ajv ? std::optional(one.ajv->compile) : std::nullopt);
    }
    return rows;
  }

  Plan plan_;
};

int run(int argument_count, char** arguments) {
  Plan plan;
  plan.program =
      (std::filesystem::path(own_path()).parent_path().parent_path() / "bin" / "cordon").string();
  double seconds = 1;
  CLI::App app("Measures the host of runners, and JSON Schema next to Ajv (CORDON_PEERS).");
  app.add_option("--processes", plan.processes, "Executions in processes of their own");
  app.add_option("--seconds", seconds, "How long sessions are counted, in each of five rounds");
  app.add_option("--calls", plan.calls, "Tool calls in one execution");
  app.add_option("--executions", plan.executions, "Executions with few and with many tools");
  app.add_option("--only", plan.only, "One part alone")
      ->check(CLI::IsMember({"process", "sessions", "calls", "tools", "schemas"}));
  CLI11_PARSE(app, argument_count, arguments);
  plan.throughput = std::chrono::milliseconds(static_cast<int>(seconds * 1000));
  std::signal(SIGPIPE, SIG_IGN);

  const Result<Peers> peers = find_peers();
  if (peers) {
    const std::filesystem::path script =
        std::filesystem::path(peers->subjects.front().command.at(2)).parent_path() / "schemas.mjs";
    plan.ajv = {peers->node, script.string()};
  } else {
    std::cout << "NO PEER, so nothing of Ajv: " << to_string(peers.error()) << "\n";
  }
  std::cout << "The machine's load: " << file_text("/proc/loadavg");
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
