// Sandboxed tasks without a server around them: a call, and bytes through one, on one thread.
//
//   build/release/bench/task_bench [MEGABYTES]

#include <algorithm>
#include <charconv>
#include <chrono>
#include <iostream>
#include <optional>
#include <string>
#include <string_view>
#include <utility>
#include <vector>

#include "engine/samples.h"
#include "engine/table.h"
#include <fmt/format.h>

#include "cordon/engine.h"
#include "cordon/host/script_task.h"

namespace cordon::bench {
namespace {

using Clock = std::chrono::steady_clock;
using Seconds = std::chrono::duration<double>;

constexpr std::string_view add_module = "export default async (input) => input.a + input.b";
constexpr std::string_view echo_module =
    "export default async function* (input, { body }) { for await (const piece of body) yield "
    "piece }";
constexpr std::string_view count_module =
    "export default async (input, { body }) => {"
    "let n = 0; for await (const piece of body) n += piece.length; return n }";

class Pieces final : public ByteSource {
 public:
  Pieces(std::uint64_t total, std::size_t piece) : left_(total), piece_(piece) {}
  void read(Next next) override {
    const auto size = static_cast<std::size_t>(std::min<std::uint64_t>(piece_, left_));
    left_ -= size;
    next(Bytes(size, 'x'));
  }
  void close() override {}

 private:
  std::uint64_t left_;
  std::size_t piece_;
};

Value headers() {
  return Value::object({{"host", "127.0.0.1:7070"},
                        {"x-runner-token", "secret"},
                        {"content-type", "application/json; charset=utf-8"},
                        {"content-length", "24"},
                        {"accept", "*/*"},
                        {"user-agent", "bench"},
                        {"x-runner-request-id", "0d4a8f1e-5bb0-4ad2-8d7f-1a2b3c4d5e6f"}});
}

TaskCall new_call(const Value& headers, Value input) {
  TaskCall call;
  call.request_id = "0d4a8f1e-5bb0-4ad2-8d7f-1a2b3c4d5e6f";
  call.method = "POST";
  call.url = "/__runner/task/app.tasks.add";
  call.headers = headers;
  call.input = std::move(input);
  return call;
}

host::ScriptTask new_task(Engine& engine, std::string_view module) {
  Result<Module> loaded = host::ScriptTask::load(engine, module, {});
  if (!loaded) {
    std::cerr << to_string(loaded.error()) << "\n";
    std::exit(1);
  }
  return {*std::move(loaded), {}};
}

TaskAnswer answer(Engine& engine, host::ScriptTask& task, TaskCall call) {
  std::optional<TaskAnswer> given;
  task.call(std::move(call), [&](TaskAnswer made) { given = std::move(made); });
  while (!given) engine.run_some(std::chrono::milliseconds(5));
  if (const auto* failure = std::get_if<ExecutionError>(&*given)) {
    std::cerr << failure->message << "\n";
    std::exit(1);
  }
  return *std::move(given);
}

Row new_row(std::string what, std::string figure, std::string bar, bool met) {
  Row row;
  row.what = std::move(what);
  row.figures = {std::move(figure), "—", "—"};
  row.ratio = "—";
  row.bar = std::move(bar);
  row.met = met;
  return row;
}

std::vector<Row> call_rows(Engine& engine) {
  host::ScriptTask add = new_task(engine, add_module);
  host::ScriptTask reads = new_task(
      engine, "export default async (input, { headers }) => headers['content-length'].length");
  const Value sent = headers();
  const Value input = Value::object({{"a", 1}, {"b", 2}});
  const auto call = [&](host::ScriptTask& task) { answer(engine, task, new_call(sent, input)); };
  const auto bare = [&] { (void)engine.execute("1+1").get(); };
  for (int i = 0; i < 500; ++i) call(add);
  for (int i = 0; i < 500; ++i) bare();
  const double bare_time = median_seconds(4000, bare);
  const double add_time = median_seconds(4000, [&] { call(add); });
  const double reads_time = median_seconds(4000, [&] { call(reads); });
  const double limit = 40e-6;
  Row row = new_row("a task that adds, p50", time_text(add_time), "≤ 40 µs", add_time <= limit);
  row.ratio = fmt::format("{:.2f} × `1+1` at {}", add_time / bare_time, time_text(bare_time));
  return {row, new_row("a task that reads a header, p50", time_text(reads_time), "≤ 40 µs",
                       reads_time <= limit)};
}

double echo_seconds(Engine& engine, host::ScriptTask& task, std::uint64_t total,
                    std::size_t piece) {
  const Clock::time_point start = Clock::now();
  TaskCall call = new_call(headers(), {});
  call.body = std::make_shared<Pieces>(total, piece);
  TaskAnswer given = answer(engine, task, std::move(call));
  const std::shared_ptr<ByteSource> bytes = std::get<StreamedResult>(given).bytes;
  std::uint64_t seen = 0;
  for (bool over = false; !over;) {
    bool came = false;
    bytes->read([&](Result<Bytes> made) {
      came = true;
      over = !made || made->empty();
      if (made) seen += made->size();
    });
    while (!came) engine.run_some(std::chrono::milliseconds(5));
  }
  if (seen != total) std::exit(1);
  return Seconds(Clock::now() - start).count();
}

std::vector<Row> stream_rows(Engine& engine, std::uint64_t total) {
  host::ScriptTask echo = new_task(engine, echo_module);
  host::ScriptTask count = new_task(engine, count_module);
  std::vector<Row> rows;
  for (const std::size_t kib : {16u, 64u, 128u, 256u, 512u}) {
    const auto megabytes = static_cast<double>(total) / 1e6;
    const double echoed = megabytes / median_seconds(3, [&] {
                            echo_seconds(engine, echo, total, std::size_t{kib} << 10);
                          });
    const double counted = megabytes / median_seconds(3, [&] {
                             TaskCall call = new_call(headers(), {});
                             call.body = std::make_shared<Pieces>(total, std::size_t{kib} << 10);
                             answer(engine, count, std::move(call));
                           });
    rows.push_back(new_row(fmt::format("echo, pieces of {} KiB", kib),
                           fmt::format("{:.0f} MB/s", echoed), "≥ 760 MB/s", echoed >= 760));
    rows.push_back(new_row(fmt::format("an upload that is counted, pieces of {} KiB", kib),
                           fmt::format("{:.0f} MB/s", counted), "≥ 460 MB/s", counted >= 460));
  }
  return rows;
}

int run(std::uint64_t megabytes) {
  Result<Engine> engine = Engine::create({.workers = 0});
  if (!engine) {
    std::cerr << to_string(engine.error()) << "\n";
    return 1;
  }
  std::vector<Row> rows = call_rows(*engine);
  for (Row& row : stream_rows(*engine, megabytes << 20)) rows.push_back(std::move(row));
  std::cout << table_text(rows);
  return 0;
}

}  // namespace
}  // namespace cordon::bench

int main(int argc, char** argv) {
  std::uint64_t megabytes = 256;
  if (argc > 1) {
    const std::string_view text = argv[1];
    std::from_chars(text.data(), text.data() + text.size(), megabytes);
  }
  return cordon::bench::run(std::max<std::uint64_t>(megabytes, 1));
}
