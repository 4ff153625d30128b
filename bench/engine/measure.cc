#include "engine/measure.h"

#include <algorithm>
#include <atomic>
#include <chrono>
#include <condition_variable>
#include <cstdint>
#include <functional>
#include <mutex>
#include <optional>
#include <string>
#include <string_view>
#include <thread>
#include <utility>
#include <vector>

#include "engine/process.h"
#include "engine/programs.h"
#include "engine/samples.h"

#include "cordon/engine.h"

namespace cordon::bench {
namespace {

using namespace std::chrono_literals;

Provider echo_tools() {
  Provider tools("tools");
  tools.add("echo", [](Value input) -> Result<Value> { return input; });
  return tools;
}

Result<> expect_ok(const Report& report) {
  if (report.ok()) return {};
  return fail(ErrorCode::runtime_error, to_string(report.error));
}

Result<std::size_t> count_in(const Value& request, std::string_view name) {
  return request[name].as<std::size_t>();
}

// As JavaScript's String() of the results that the programs here have.
std::string text_of(const Value& result) {
  if (result.is_string()) return std::string(result.as_string());
  const double number = result.as_number();
  const auto whole = static_cast<std::int64_t>(number);
  return static_cast<double>(whole) == number ? std::to_string(whole) : debug_text(result);
}

// Time of a whole life: sandbox made, program run, result taken, sandbox gone. One thread, the
// caller's own.
Result<Value> measure_fresh(const Value& request) {
  const auto program = CORDON_TRY(request["program"].as<std::string>());
  const std::size_t runs = CORDON_TRY(count_in(request, "runs"));
  const std::size_t warm_ups = CORDON_TRY(count_in(request, "warmUps"));
  Engine engine = CORDON_TRY(Engine::create({.workers = 0}));

  Report last;
  for (std::size_t i = 0; i < warm_ups; ++i) last = engine.execute(program).get();
  Samples samples(runs);
  for (std::size_t i = 0; i < runs; ++i) {
    samples.time([&] { last = engine.execute(program).get(); });
    CORDON_TRY(expect_ok(last));
  }
  return Value::object({{"p50", samples.percentile(50)},
                        {"p99", samples.percentile(99)},
                        {"runs", runs},
                        {"result", text_of(last.result)}});
}

// The same with 1 tool call and with many, one after the other; their difference is the further
// calls.
Result<Value> measure_tools(const Value& request) {
  const auto one = CORDON_TRY(request["one"].as<std::string>());
  const auto many = CORDON_TRY(request["many"].as<std::string>());
  const auto difference = CORDON_TRY(request["difference"].as<double>());
  const std::size_t runs = CORDON_TRY(count_in(request, "runs"));
  const std::size_t warm_ups = CORDON_TRY(count_in(request, "warmUps"));
  Engine engine = CORDON_TRY(Engine::create({.workers = 0}));
  const Provider tools = echo_tools();

  Samples short_ones(runs);
  Samples long_ones(runs);
  Report last;
  for (std::size_t i = 0; i < warm_ups + runs; ++i) {
    for (const auto& [program, samples] :
         {std::pair(&one, &short_ones), std::pair(&many, &long_ones)}) {
      const auto start = std::chrono::steady_clock::now();
      last = engine.execute(*program, {.providers = {tools}}).get();
      if (i >= warm_ups) samples->add(std::chrono::steady_clock::now() - start);
      CORDON_TRY(expect_ok(last));
    }
  }
  const double first = short_ones.percentile(50);
  return Value::object({{"further", (long_ones.percentile(50) - first) / difference},
                        {"one", first},
                        {"runs", runs},
                        {"result", text_of(last.result)}});
}

// Executions a second. Every end submits the next one, so that the workers always find some ready.
class Stream {
 public:
  Stream(Engine& engine, std::int64_t total)
      : engine_(engine), unsubmitted_(total), unfinished_(total) {}

  double run(int at_once) {
    const auto start = std::chrono::steady_clock::now();
    for (int i = 0; i < at_once; ++i) submit();
    std::unique_lock lock(mutex_);
    changed_.wait(lock, [this] { return finished_; });
    const std::chrono::duration<double> took = std::chrono::steady_clock::now() - start;
    return took.count();
  }
  bool failed() const { return failed_; }

 private:
  void submit() {
    if (--unsubmitted_ < 0) return;
    engine_.execute(smallest_program).then([this](const Report& report) {
      if (!report.ok()) failed_ = true;
      submit();
      if (--unfinished_ > 0) return;
      const std::lock_guard lock(mutex_);
      finished_ = true;
      changed_.notify_all();
    });
  }

  Engine& engine_;
  std::atomic<std::int64_t> unsubmitted_;
  std::atomic<std::int64_t> unfinished_;
  std::atomic<bool> failed_ = false;
  std::mutex mutex_;
  std::condition_variable changed_;
  bool finished_ = false;
};

Result<Value> measure_throughput(const Value& request) {
  const std::size_t workers = CORDON_TRY(count_in(request, "workers"));
  const auto total = CORDON_TRY(request["runs"].as<std::int64_t>());
  Engine engine = CORDON_TRY(Engine::create({.workers = workers, .slots = 64}));
  constexpr int at_once = 32;
  Stream(engine, total / 10).run(at_once);
  Stream stream(engine, total);
  const double took = stream.run(at_once);
  if (stream.failed()) return fail(ErrorCode::runtime_error, "an execution failed");
  return Value::object(
      {{"rate", static_cast<double>(total) / took}, {"workers", workers}, {"runs", total}});
}

// Executions that all wait for a tool at once: their memory, and whether all go on when it answers.
Result<Value> measure_waiting(const Value& request) {
  const auto program = CORDON_TRY(request["program"].as<std::string>());
  const std::size_t count = CORDON_TRY(count_in(request, "count"));
  Engine engine = CORDON_TRY(Engine::create({.workers = 0, .slots = count}));

  std::vector<std::pair<Value, Reply>> asked;
  asked.reserve(count);
  Provider tools("tools");
  tools.add_async("echo", [&](Value input, Reply reply) {
    asked.emplace_back(std::move(input), std::move(reply));
  });
  const ExecuteOptions options{.limits = {.time = {.total = 10min}}, .providers = {tools}};
  CORDON_TRY(expect_ok(engine.execute(program, {.providers = {echo_tools()}}).get()));

  std::size_t answered = 0;
  std::string failure;
  const std::uint64_t before = pss_bytes();
  const auto start = std::chrono::steady_clock::now();
  for (std::size_t i = 0; i < count; ++i) {
    engine.execute(program, options).then([&](const Report& report) {
      if (const Result<> ok = expect_ok(report); !ok) failure = to_string(ok.error());
      answered += report.ok() && report.result == Value(2);
    });
    engine.run_some(10ms);
  }
  // On a busy machine a budget can be over before it was of use.
  while (asked.size() < count && failure.empty()) engine.run_some(10ms);
  if (asked.size() != count) {
    return fail(ErrorCode::runtime_error, std::to_string(asked.size()) + " of " +
                                              std::to_string(count) + " came to wait; " + failure);
  }
  const std::uint64_t after = pss_bytes();
  for (auto& [input, reply] : std::exchange(asked, {})) reply(std::move(input));
  while (engine.figures().running > 0) engine.run_some(100ms);
  const std::chrono::duration<double> took = std::chrono::steady_clock::now() - start;
  return Value::object(
      {{"count", count},
       {"answered", answered},
       {"bytesEach", static_cast<double>(after - before) / static_cast<double>(count)},
       {"took", took.count()}});
}

// How long a small execution takes from submission to its report while endless loops share the
// workers.
Result<Value> measure_hogs(const Value& request) {
  const std::size_t hog_count = CORDON_TRY(count_in(request, "hogs"));
  const std::size_t workers = CORDON_TRY(count_in(request, "workers"));
  const std::size_t runs = CORDON_TRY(count_in(request, "runs"));
  Engine engine = CORDON_TRY(Engine::create({.workers = workers, .slots = 64}));

  std::vector<Execution> hogs;
  std::vector<std::future<Report>> ends;
  for (std::size_t i = 0; i < hog_count; ++i) {
    hogs.push_back(engine.execute(endless_program, {.limits = {.time = {.total = 10min}}}));
    ends.push_back(hogs.back().future());
  }
  std::this_thread::sleep_for(200ms);  // each has had a slice

  Samples samples(runs);
  for (std::size_t i = 0; i < runs; ++i) {
    Report report;
    samples.time([&] { report = engine.execute(smallest_program).get(); });
    CORDON_TRY(expect_ok(report));
  }
  for (Execution& hog : hogs) hog.cancel();
  for (std::future<Report>& end : ends) {
    if (!end.get().error.is(ErrorCode::cancelled))
      return fail(ErrorCode::runtime_error, "an endless loop ended by itself");
  }
  return Value::object(
      {{"p50", samples.percentile(50)}, {"p99", samples.percentile(99)}, {"runs", runs}});
}

// Resident memory after the first executions and after all of them.
Result<Value> measure_soak(const Value& request) {
  const std::size_t runs = CORDON_TRY(count_in(request, "runs"));
  const std::size_t first = std::min(runs, CORDON_TRY(count_in(request, "first")));
  Engine engine = CORDON_TRY(Engine::create({.workers = 0}));
  const auto run = [&](std::size_t count) -> Result<> {
    for (std::size_t i = 0; i < count; ++i)
      CORDON_TRY(expect_ok(engine.execute(smallest_program).get()));
    return {};
  };
  CORDON_TRY(run(first));
  const std::uint64_t early = resident_bytes();
  CORDON_TRY(run(runs - first));
  const std::uint64_t late = resident_bytes();
  return Value::object({{"early", early}, {"late", late}, {"first", first}, {"runs", runs}});
}

}  // namespace

Result<Value> measure(const Value& request) {
  const auto name = CORDON_TRY(request["measure"].as<std::string>());
  if (name == "fresh") return measure_fresh(request);
  if (name == "tools") return measure_tools(request);
  if (name == "throughput") return measure_throughput(request);
  if (name == "waiting") return measure_waiting(request);
  if (name == "hogs") return measure_hogs(request);
  if (name == "soak") return measure_soak(request);
  return fail(ErrorCode::invalid_argument, "no such measurement: " + name);
}

}  // namespace cordon::bench
