// What a program finds beside the language, in numbers: URLs next to Node's, a timer's wait, types
// stripped. docs/web-apis.md describes them.
//
//   build/release/bench/web_bench

#include <algorithm>
#include <chrono>
#include <iostream>
#include <string>
#include <utility>
#include <vector>

#include "engine/process.h"
#include "engine/subject.h"
#include "engine/table.h"
#include <fmt/format.h>

#include "cordon/engine.h"
#include "cordon/js/typescript.h"

namespace cordon::bench {
namespace {

using Clock = std::chrono::steady_clock;

// URLs a second, the better of three rounds. The same text runs in Node.
constexpr std::string_view urls_program = R"js((() => {
  const inputs = ['https://example.com/a/b?c=d#e', '/relative/path',
    'https://user:pw@sub.example.org:8080/path/to/file.html?query=value&x=y'];
  let best = 0;
  for (let round = 0; round < 3; round++) {
    const start = performance.now();
    let length = 0;
    for (let i = 0; i < 60000; i++) length += new URL(inputs[i % 3], 'https://base.example/').href.length;
    if (length !== 2660000) throw new Error('they are not what they should be: ' + length);
    best = Math.max(best, 60000 / (performance.now() - start) * 1000);
  }
  return Math.round(best);
})())js";

Row urls_row(Engine& engine, const Result<Peers>& peers) {
  Row row = new_row("`new URL` with a base, a second", "≥ 0.25 × node");
  const Report report =
      engine.execute(urls_program, {.limits = {.time = {.total = std::chrono::minutes(1)}}}).get();
  if (!report.ok()) {
    row.figures[0] = report.error.message;
    return row;
  }
  const double ours = report.result.as_number();
  row.figures[0] = fmt::format("{:.0f} /s", ours);
  if (!peers) return row;
  const Result<std::string> text =
      output_of({peers->node, "-e", "console.log(" + std::string(urls_program) + ")"}, "");
  if (!text) return row;
  const double theirs = std::stod(*text);
  row.what += fmt::format(" (node: {:.0f} /s)", theirs);
  row.ratio = fmt::format("{:.2f} × node", ours / theirs);
  row.met = ours >= theirs / 4;
  return row;
}

std::string thousand_lines() {
  std::string text;
  for (int i = 0; i < 200; ++i) {
    text += fmt::format(
        "interface Row{0} {{ id: number; name: string; tags?: string[] }}\n"
        "export async function count{0}(rows: Row{0}[], limit = 10): Promise<Map<string, number>> "
        "{{\n"
        "  const out = new Map<string, number>();\n"
        "  for (const row of rows.slice(0, limit) as Row{0}[]) out.set(row.name!, 1);\n"
        "  return out; }}\n",
        i);
  }
  return text;
}

Row strip_row() {
  Row row = new_row("1,000 lines of TypeScript stripped, once warm; p50", "≤ 5 ms");
  const auto typescript = js::TypeScript::create();
  if (!typescript) {
    row.figures[0] = to_string(typescript.error());
    return row;
  }
  const std::string source = thousand_lines();
  const std::atomic<bool> never = false;
  std::vector<double> seconds;
  for (int i = 0; i < 50; ++i) {
    const auto start = Clock::now();
    const auto job = js::StripJob::create(**typescript, source, std::uint64_t{64} << 20);
    const auto done = job ? (*job)->run(start + std::chrono::minutes(1), never) : std::nullopt;
    if (!done || !*done || !std::holds_alternative<js::JavaScript>(**done)) {
      row.figures[0] = "it was not stripped";
      return row;
    }
    seconds.push_back(std::chrono::duration<double>(Clock::now() - start).count());
  }
  std::ranges::sort(seconds);
  row.figures[0] = time_text(seconds[seconds.size() / 2]);
  row.met = seconds[seconds.size() / 2] <= 0.005;
  return row;
}

Row timer_row(Engine& engine) {
  Row row = new_row("a wait of 1 ms on a timer takes, p50", "—");
  const Report report = engine
                            .execute(R"js(
    const took = [];
    for (let i = 0; i < 200; i++) {
      const start = performance.now();
      await new Promise((done) => setTimeout(done, 1));
      took.push(performance.now() - start);
    }
    took.sort((a, b) => a - b)[100])js")
                            .get();
  row.figures[0] = report.ok() ? time_text(report.result.as_number() / 1000) : report.error.message;
  return row;
}

int run() {
  const Result<Peers> peers = find_peers();
  if (!peers) std::cout << "NO PEERS, so no ratios: " << to_string(peers.error()) << "\n";
  Result<Engine> engine = Engine::create({.workers = 0});
  if (!engine) {
    std::cerr << to_string(engine.error()) << "\n";
    return 1;
  }
  std::cout << table_text({urls_row(*engine, peers), strip_row(), timer_row(*engine)});
  return 0;
}

}  // namespace
}  // namespace cordon::bench

int main() { return cordon::bench::run(); }
