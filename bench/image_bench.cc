// What images are for, in numbers: starting from one, saving and resuming a guest that waits, and
// how many can wait at once. ARCHITECTURE.md describes them.
//
//   build/release/bench/image_bench [EXECUTIONS THAT WAIT]

#include <algorithm>
#include <atomic>
#include <charconv>
#include <chrono>
#include <iostream>
#include <memory>
#include <mutex>
#include <string>
#include <string_view>
#include <thread>
#include <utility>
#include <vector>

#include "engine/process.h"
#include "engine/samples.h"
#include "engine/table.h"
#include <fmt/format.h>

#include "cordon/engine.h"
#include "cordon/js/guest.h"
#include "cordon/js/image_file.h"

namespace cordon::bench {
namespace {

using Clock = std::chrono::steady_clock;
using Seconds = std::chrono::duration<double>;

void require(const Report& report) {
  if (report.ok()) return;
  std::cerr << report.error.message << "\n";
  std::exit(1);
}

// Functions of the kind that bundles are made of.
std::string large_module() {
  constexpr std::size_t bytes = std::size_t{200} << 10;
  std::string text;
  for (int i = 0; text.size() < bytes; ++i) {
    text += fmt::format(
        "export function step{0}(order, index) {{\n"
        "  const total = order.items.reduce((sum, item) => sum + item.price * {0}, 0);\n"
        "  if (total > {0}) return {{...order, total, note: 'step {0}'}};\n"
        "  return index === {0} ? null : order;\n}}\n",
        i);
  }
  return text + "export default (input) => step1({items: [{price: 1}]}, input);\n";
}

std::vector<Row> start_rows() {
  Result<Engine> engine = Engine::create({.workers = 0});
  if (!engine) return {};
  // Before anything larger ran in the same slot.
  const auto bare = [&] { require(engine->execute("1+1").get()); };
  for (int i = 0; i < 200; ++i) bare();
  const double bare_time = median_seconds(4000, bare);

  const std::string text = large_module();
  const Result<Module> module = engine->load(text);
  if (!module) {
    std::cerr << to_string(module.error()) << "\n";
    return {};
  }
  const auto from_image = [&] { require(module->call("default", Value(1)).get()); };
  for (int i = 0; i < 100; ++i) from_image();
  const double image_time = median_seconds(2000, from_image);
  const double fresh_time = median_seconds(50, [&] { require(engine->execute(text).get()); });

  Row row = new_row(fmt::format("start from the image of a 200 KiB program ({}), p50",
                                size_text(static_cast<double>(module->bytes()))),
                    "≤ 3 × a bare start");
  row.figures[0] = time_text(image_time);
  row.ratio = fmt::format("{:.1f} × {}", image_time / bare_time, time_text(bare_time));
  row.met = image_time <= 3 * bare_time;
  Row afresh = new_row("the same program loaded afresh, p50", "≥ 20 × from its image");
  afresh.figures[0] = time_text(fresh_time);
  afresh.ratio = fmt::format("{:.1f} ×", fresh_time / image_time);
  afresh.met = fresh_time >= 20 * image_time;
  return {row, afresh};
}

class Silent final : public js::GuestEvents {
 public:
  void on_call(std::uint64_t id, std::uint32_t, Result<Value>, std::size_t) override { call = id; }
  void on_log(LogLevel, std::string_view) override {}
  void on_finish(js::Outcome) override { finished = true; }
  void on_ready(std::vector<std::string>) override {}
  void on_reply(std::uint64_t, js::Outcome) override {}
  Result<std::string> resolve(std::string_view, std::string_view name, js::ImportKind) override {
    return std::string(name);
  }
  std::optional<Result<js::Stripped>> load(std::string_view, js::ImportKind) override {
    return fail(ErrorCode::not_found, "none");
  }

  std::uint64_t call = 0;
  bool finished = false;
};

Result<std::vector<Row>> save_rows() {
  const auto module = CORDON_TRY(js::GuestModule::create({.slots = 8}));
  const std::atomic<bool> never = false;
  const auto run = [&](js::Guest& guest) {
    guest.run(Clock::now() + std::chrono::seconds(10), never);
  };
  Silent events;
  const auto guest = CORDON_TRY(js::Guest::create(*module, {}, events));
  const js::Namespace tools{"tools", {"ask"}};
  CORDON_TRY(guest->start({.name = "p.js",
                           .source = "const order = {item: 'lamp', price: 40};\n"
                                     "const answer = await tools.ask(order);\n"
                                     "answer ? `bought the ${order.item}` : 'left it'",
                           .namespaces = {&tools, 1}}));
  run(*guest);
  Bytes file;
  const double save = median_seconds(500, [&] { file = *js::write_image(*guest->capture(), {}); });
  const double resume = median_seconds(500, [&] {
    Silent woken;
    const auto other = *js::Guest::create(*module, {}, woken);
    const js::ImageFile read = *js::read_image(
        file, {.memory_bytes = std::uint64_t{64} << 20, .beside_bytes = std::uint64_t{64} << 20});
    if (!other->resume(read.image, ValueRule::strict, {&tools, 1}, js::Guest::Resumed::goes_on,
                       js::steady_nanoseconds()) ||
        !other->settle(events.call, Value(true))) {
      std::exit(1);
    }
    run(*other);
    if (!woken.finished) std::exit(1);
  });
  Row saved = new_row("a guest that waits on a tool: saved, p50", "≤ 1 ms");
  saved.figures[0] = time_text(save);
  saved.met = save <= 1e-3;
  Row resumed = new_row("the same resumed to its end, p50", "≤ 1 ms");
  resumed.figures[0] = time_text(resume);
  resumed.met = resume <= 1e-3;
  Row size = new_row("its image", "≤ 16 KiB");
  size.figures[0] = size_text(static_cast<double>(file.size()));
  size.met = file.size() <= 16 << 10;
  return std::vector<Row>{saved, resumed, size};
}

std::vector<Row> waiting_rows(std::size_t count) {
  std::mutex mutex;
  std::vector<Reply> held;
  held.reserve(count);
  Provider tools("tools");
  tools.add_async("hold", [&](const Value&, Reply reply) {
    const std::lock_guard lock(mutex);
    held.push_back(std::move(reply));
  });
  Result<Engine> engine = Engine::create({.workers = 2,
                                          .slots = 1000,
                                          .queue = count,
                                          .hibernate_after = std::chrono::milliseconds(1)});
  if (!engine) return {};
  std::atomic<std::size_t> good = 0;
  std::atomic<std::size_t> over = 0;
  const double before = static_cast<double>(pss_bytes());
  for (std::size_t i = 0; i < count; ++i) {
    ExecuteOptions options{.providers = {tools}, .input = Value(i)};
    options.limits.time.total = std::chrono::minutes(10);
    engine->execute("const before = input; (await tools.hold(input)) + before", std::move(options))
        .then([&](const Report& report) {
          good += report.ok() ? 1 : 0;
          ++over;
        });
  }
  while (engine->figures().hibernated < count && over == 0)
    std::this_thread::sleep_for(std::chrono::milliseconds(5));
  const double each = (static_cast<double>(pss_bytes()) - before) / static_cast<double>(count);
  for (Reply& reply : std::exchange(held, {})) reply(Value(1));
  while (over < count) std::this_thread::sleep_for(std::chrono::milliseconds(5));

  Row answered =
      new_row(fmt::format("{} executions wait at once, 1,000 slots: answered", count), "all");
  answered.figures[0] = good == count ? "all" : fmt::format("{}", good.load());
  answered.met = good == count;
  Row memory = new_row("memory that each of them takes (Pss)", "≤ 16 KiB");
  memory.figures[0] = size_text(each);
  memory.met = each <= 16 << 10;
  return {answered, memory};
}

int run(std::size_t count) {
  std::vector<Row> rows = start_rows();
  Result<std::vector<Row>> saved = save_rows();
  if (!saved) {
    std::cerr << to_string(saved.error()) << "\n";
    return 1;
  }
  rows.insert(rows.end(), saved->begin(), saved->end());
  for (Row& row : waiting_rows(count)) rows.push_back(std::move(row));
  std::cout << table_text(rows);
  return 0;
}

}  // namespace
}  // namespace cordon::bench

int main(int argc, char** argv) {
  std::size_t count = 100'000;
  if (argc > 1) {
    const std::string_view text = argv[1];
    std::from_chars(text.data(), text.data() + text.size(), count);
  }
  return cordon::bench::run(std::max<std::size_t>(count, 1));
}
