#include "engine/rows.h"

#include <algorithm>
#include <array>
#include <cmath>
#include <cstdint>
#include <future>
#include <initializer_list>
#include <optional>
#include <string_view>
#include <utility>

#include "engine/process.h"
#include "engine/programs.h"
#include "engine/samples.h"
#include <fmt/format.h>

namespace cordon::bench {
namespace {

enum class Better : std::uint8_t { less, more };

class Measuring {
 public:
  Measuring(const Plan& plan, const std::function<void(const std::string&)>& progress)
      : plan_(plan), progress_(progress) {}

  Findings run() {
    using Step = void (Measuring::*)();
    const std::initializer_list<std::pair<std::string_view, Step>> steps = {
        {"fresh", &Measuring::fresh},
        {"tools", &Measuring::tools},
        {"throughput", &Measuring::throughput},
        {"waiting", &Measuring::waiting},
        {"hogs", &Measuring::hogs},
        {"process", &Measuring::process},
        {"guest", &Measuring::guest},
        {"soak", &Measuring::soak},
    };
    for (const auto& [name, step] : steps) {
      if (plan_.only.empty() || plan_.only == name) (this->*step)();
    }
    return std::move(findings_);
  }

 private:
  // A subject's best result, or undefined where it gave none.
  using Best = std::vector<Value>;

  // In turn and round after round, so that a change of the machine's mood meets all alike. `key`
  // tells a better round from a worse one.
  Best ask(std::size_t subject_count, std::size_t rounds,
           const std::function<Value(const Subject&)>& request, std::string_view key,
           Better better) {
    Best best(3);
    for (std::size_t round = 0; round < rounds; ++round) {
      for (std::size_t i = 0; i < std::min(subject_count, plan_.subjects.size()); ++i) {
        const Subject& subject = plan_.subjects[i];
        const Value asked = request(subject);
        Result<Value> result = subject.ask(asked);
        if (!result) {
          failed(subject.name + ", " + std::string(asked.find("measure").as_string()) + ": " +
                 to_string(result.error()));
          continue;
        }
        findings_.raw.push_back(Value::object({{"subject", subject.name},
                                               {"round", round},
                                               {"request", asked},
                                               {"result", *result}}));
        const double now = result->find(key).as_number();
        const double before = best[i].find(key).as_number();
        if (best[i].is_undefined() || (better == Better::less ? now < before : now > before))
          best[i] = *result;
      }
    }
    return best;
  }

  Value ask_cordon(const Value& request, std::string_view key, Better better) {
    return ask(1, plan_.rounds, [&](const Subject&) { return request; }, key, better)[0];
  }

  static bool has(const Value& result, std::string_view key) {
    return result.find(key).is_number();
  }
  static double number(const Value& result, std::string_view key) {
    return result.find(key).as_number();
  }

  static std::array<std::string, 3> figures(const Best& best, std::string_view key,
                                            std::string (*text)(double)) {
    std::array<std::string, 3> cells;
    for (std::size_t i = 0; i < cells.size(); ++i) {
      if (has(best[i], key)) cells[i] = text(number(best[i], key));
    }
    return cells;
  }

  // How many times as fast as a peer Cordon is.
  static std::optional<double> speed(const Best& best, std::size_t peer, std::string_view key) {
    if (!has(best[0], key) || !has(best[peer], key)) return std::nullopt;
    return number(best[peer], key) / number(best[0], key);
  }
  static std::string times(const std::optional<double>& ratio) {
    return ratio ? fmt::format("{:.{}f} ×", *ratio, *ratio >= 10 ? 1 : 2) : "—";
  }

  // Once, however many rounds it happens in.
  void failed(std::string what) {
    if (findings_.failures.empty() || findings_.failures.back() != what) {
      findings_.failures.push_back(std::move(what));
    }
  }

  void add(Row row) { findings_.rows.push_back(std::move(row)); }

  // The guests' results, which must be the same everywhere for their times to mean anything.
  void expect_same_results(const Best& best, std::string_view what) {
    for (std::size_t i = 1; i < best.size(); ++i) {
      if (best[0].is_undefined() || best[i].is_undefined()) continue;
      if (best[i].find("result") == best[0].find("result")) continue;
      failed(fmt::format("{}: {} computed {}, Cordon {}", what, plan_.subjects[i].name,
                         debug_text(best[i].find("result")), debug_text(best[0].find("result"))));
    }
  }

  // Peers get fewer runs, since each takes longer.
  static std::size_t runs_of(const Subject& subject, std::size_t cordon, std::size_t quickjs,
                             std::size_t isolated) {
    if (subject.name == "cordon") return cordon;
    return subject.name == "isolated-vm" ? isolated : quickjs;
  }

  void fresh() {
    progress_("fresh sandbox, 1+1");
    const Best best = ask(
        3, plan_.rounds,
        [](const Subject& subject) {
          return Value::object({{"measure", "fresh"},
                                {"program", smallest_program},
                                {"runs", runs_of(subject, 20'000, 5'000, 600)},
                                {"warmUps", runs_of(subject, 2'000, 1'000, 100)}});
        },
        "p50", Better::less);
    expect_same_results(best, smallest_program);
    const auto quickjs = speed(best, 1, "p50");
    const auto isolated = speed(best, 2, "p50");
    Row row{.what = "fresh sandbox, `1+1`, result out, sandbox gone; p50",
            .figures = figures(best, "p50", time_text),
            .ratio = fmt::format("{}, {}", times(quickjs), times(isolated)),
            .bar = "≥ 7 ×, ≥ 50 ×",
            .met = {}};
    if (quickjs && isolated) row.met = *quickjs >= 7 && *isolated >= 50;
    add(std::move(row));
    if (!has(best[0], "p99")) return;
    const double tail = number(best[0], "p99") / number(best[0], "p50");
    add({.what = "the same, p99",
         .figures = figures(best, "p99", time_text),
         .ratio = fmt::format("{:.2f} × p50", tail),
         .bar = "≤ 4 × p50",
         .met = tail <= 4});
  }

  void tools() {
    progress_("tool calls");
    const Best best = ask(
        3, plan_.rounds,
        [](const Subject& subject) {
          return Value::object({{"measure", "tools"},
                                {"one", one_call},
                                {"many", many_calls},
                                {"difference", many_calls_difference},
                                {"runs", runs_of(subject, 100, 40, 30)},
                                {"warmUps", runs_of(subject, 10, 10, 5)}});
        },
        "further", Better::less);
    expect_same_results(best, "tool calls");
    const auto quickjs = speed(best, 1, "further");
    Row row{.what = "one further tool call, in-process C++ tool",
            .figures = figures(best, "further", time_text),
            .ratio = times(quickjs),
            .bar = "≤ 5 µs, ≥ 4 ×",
            .met = {}};
    if (quickjs) row.met = number(best[0], "further") <= 5e-6 && *quickjs >= 4;
    add(std::move(row));
  }

  void throughput() {
    progress_("executions a second");
    // One worker, all of them, and as many processes of one worker take turns too. Many short
    // rounds: this row needs every core to itself for a moment.
    constexpr std::size_t more_rounds = 5;
    double one = 0;
    double all = 0;
    double apart = 0;
    for (std::size_t round = 0; round < more_rounds * plan_.rounds; ++round) {
      one = std::max(one, rate_of(1, 1));
      all = std::max(all, rate_of(1, plan_.cores));
      apart = std::max(apart, rate_of(plan_.cores, 1));
    }
    if (one == 0 || all == 0) return;
    const double whole = static_cast<double>(plan_.cores) * one;
    const auto text = [](double per_second) { return fmt::format("{:.0f} /s", per_second); };
    add({.what = "executions a second, 1 worker",
         .figures = {text(one)},
         .ratio = "",
         .bar = "",
         .met = {}});
    add({.what = fmt::format("executions a second, {} workers", plan_.cores),
         .figures = {text(all)},
         .ratio = fmt::format("{:.2f} × {} (processes apart: {:.2f})", all / whole, plan_.cores,
                              apart / whole),
         .bar = fmt::format("≥ 0.92 × {}", plan_.cores),
         .met = all >= 0.92 * whole});
  }

  // Executions a second of so many processes at once, with so many workers each.
  double rate_of(std::size_t processes, std::size_t workers) {
    const Value request = Value::object(
        {{"measure", "throughput"}, {"workers", workers}, {"runs", 20'000 * workers}});
    const Subject& cordon = plan_.subjects[0];
    std::vector<std::future<Result<Value>>> answers;
    answers.reserve(processes);
    for (std::size_t i = 0; i < processes; ++i) {
      answers.push_back(std::async(std::launch::async, [&] { return cordon.ask(request); }));
    }
    double rate = 0;
    for (std::future<Result<Value>>& answer : answers) {
      const Result<Value> result = answer.get();
      if (!result) {
        failed("throughput: " + to_string(result.error()));
        return 0;
      }
      rate += number(*result, "rate");
    }
    findings_.raw.push_back(Value::object({{"subject", cordon.name},
                                           {"processes", processes},
                                           {"request", request},
                                           {"result", Value::object({{"rate", rate}})}}));
    return rate;
  }

  void waiting() {
    progress_("10,000 executions that wait");
    const Best best = ask(
        3, 1,
        [](const Subject& subject) {
          return Value::object({{"measure", "waiting"},
                                {"program", one_call},
                                {"count", runs_of(subject, 10'000, 5'000, 200)}});
        },
        "bytesEach", Better::less);
    if (best[0].is_undefined()) return;
    const double answered = number(best[0], "answered");
    const double count = number(best[0], "count");
    add({.what = fmt::format("{:.0f} executions that wait on a tool at once: answered", count),
         .figures = {answered == count ? "all" : fmt::format("{:.0f}", answered)},
         .ratio = "",
         .bar = "all",
         .met = answered == count});
    add({.what = "memory of its own that each of them takes (Pss)",
         .figures = figures(best, "bytesEach", size_text),
         .ratio = "",
         .bar = "≤ 160 KiB",
         .met = number(best[0], "bytesEach") <= 160 * 1024});
  }

  void hogs() {
    progress_("16 endless loops");
    const Value best = ask_cordon(
        Value::object({{"measure", "hogs"}, {"hogs", 16}, {"workers", 2}, {"runs", 1'000}}), "p99",
        Better::less);
    if (!has(best, "p99")) return;
    const double p99 = number(best, "p99");
    add({.what = "`1+1`, p99, while 16 endless loops share 2 workers",
         .figures = {time_text(p99)},
         .ratio = "",
         .bar = "≤ 40 ms",
         .met = p99 <= 40e-3});
  }

  void process() {
    progress_("whole processes");
    constexpr std::size_t runs = 50;
    Samples cordon(runs);
    Samples node(runs);
    for (std::size_t i = 0; i < runs; ++i) {
      const auto ours = time_of_process({plan_.program, "run", "-e", "1+1"});
      if (!ours) {
        failed(to_string(ours.error()));
        return;
      }
      cordon.add(*ours);
      if (plan_.node.empty()) continue;
      const auto theirs = time_of_process({plan_.node, "-e", "1+1"});
      if (theirs) node.add(*theirs);
    }
    const double ours = cordon.percentile(50);
    Row row{.what = "a whole `cordon run -e '1+1'` process",
            .figures = {time_text(ours)},
            .ratio = "",
            .bar = "≤ 0.25 × node",
            .met = {}};
    if (!plan_.node.empty()) {
      const double theirs = node.percentile(50);
      row.what += fmt::format(" (node -e '1+1': {})", time_text(theirs));
      row.ratio = fmt::format("{:.3f} × node", ours / theirs);
      row.met = ours <= theirs / 4;
      findings_.raw.push_back(
          Value::object({{"subject", "node"}, {"result", Value::object({{"p50", theirs}})}}));
    }
    findings_.raw.push_back(
        Value::object({{"subject", "process"}, {"result", Value::object({{"p50", ours}})}}));
    add(std::move(row));
  }

  void guest() {
    double product = 1;
    std::size_t compared = 0;
    for (const GuestProgram& program : guest_programs) {
      progress_(fmt::format("in the guest: {}", program.name));
      const Best best = ask(
          3, plan_.rounds,
          [&](const Subject&) {
            return Value::object(
                {{"measure", "fresh"}, {"program", program.code}, {"runs", 60}, {"warmUps", 20}});
          },
          "p50", Better::less);
      expect_same_results(best, program.name);
      const auto quickjs = speed(best, 1, "p50");
      Row row{.what = fmt::format("in the guest: {}", program.name),
              .figures = figures(best, "p50", time_text),
              .ratio = times(quickjs),
              .bar = "≥ 0.9 ×",
              .met = {}};
      if (quickjs) {
        row.met = *quickjs >= 0.9;
        product *= *quickjs;
        ++compared;
      }
      add(std::move(row));
    }
    if (compared < guest_programs.size()) return;
    const double mean = std::pow(product, 1.0 / static_cast<double>(compared));
    add({.what = "in the guest: geometric mean of these",
         .figures = {},
         .ratio = times(mean),
         .bar = "≥ 0.9 ×",
         .met = mean >= 0.9});
  }

  void soak() {
    progress_(fmt::format("{} executions", plan_.soak_runs));
    const Value best = ask(
        1, 1,
        [&](const Subject&) {
          return Value::object({{"measure", "soak"}, {"first", 10'000}, {"runs", plan_.soak_runs}});
        },
        "late", Better::less)[0];
    if (!has(best, "late")) return;
    const double early = number(best, "early");
    const double late = number(best, "late");
    add({.what =
             fmt::format("resident memory after 10,000 and after {} executions", plan_.soak_runs),
         .figures = {fmt::format("{}, {}", size_text(early), size_text(late))},
         .ratio = fmt::format("{:+.0f} KiB", (late - early) / 1024),
         .bar = "no growth",
         // Less than a page for every ten thousand is no growth that has to do with executions.
         .met = late - early <= 4096 * static_cast<double>(plan_.soak_runs) / 10'000});
  }

  const Plan& plan_;
  const std::function<void(const std::string&)>& progress_;
  Findings findings_;
};

}  // namespace

Findings measure_rows(const Plan& plan, const std::function<void(const std::string&)>& progress) {
  return Measuring(plan, progress).run();
}

}  // namespace cordon::bench
