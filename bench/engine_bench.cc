// The bars of the engine, next to quickjs-emscripten and isolated-vm in the same run.
// docs/benchmarks.md explains the rows. It reports and judges nothing by its exit code, which is 1
// only where something could not be measured.
//
//   build/release/bench/engine_bench --rounds 3 --soak 1000000 --json results.json

#include <algorithm>
#include <cstdlib>
#include <ctime>
#include <exception>
#include <filesystem>
#include <fstream>
#include <iostream>
#include <iterator>
#include <sstream>
#include <string>
#include <sys/utsname.h>
#include <thread>
#include <unistd.h>

#include "engine/measure.h"
#include "engine/process.h"
#include "engine/rows.h"
#include "engine/subject.h"
#include "engine/table.h"
#include <CLI/CLI.hpp>
#include <fmt/format.h>

#include "cordon/codec/json/decode.h"
#include "cordon/codec/json/encode.h"
#include "cordon/js/versions.h"
#include "cordon/version.h"

namespace cordon::bench {
namespace {

// The value of a line such as `model name : X` or `PRETTY_NAME="X"`.
std::string line_value(const std::string& text, std::string_view name) {
  std::istringstream lines(text);
  for (std::string line; std::getline(lines, line);) {
    if (!line.starts_with(name)) continue;
    const std::size_t start = line.find_first_of(":=");
    if (start == std::string::npos) continue;
    std::string value = line.substr(start + 1);
    value.erase(0, value.find_first_not_of(" \t\""));
    value.erase(value.find_last_not_of(" \t\"") + 1);
    return value;
  }
  return "?";
}

std::string date_text() {
  const std::time_t now = std::time(nullptr);
  std::tm utc{};
  gmtime_r(&now, &utc);
  return fmt::format("{:04}-{:02}-{:02}", utc.tm_year + 1900, utc.tm_mon + 1, utc.tm_mday);
}

double load_average() {
  double load = 0;
  return getloadavg(&load, 1) == 1 ? load : 0;
}

Value machine_value(std::size_t cores) {
  utsname kernel{};
  uname(&kernel);
  const auto memory =
      static_cast<double>(sysconf(_SC_PHYS_PAGES)) * static_cast<double>(sysconf(_SC_PAGESIZE));
  return Value::object(
      {{"date", date_text()},
       {"processor", line_value(file_text("/proc/cpuinfo"), "model name")},
       {"cores", cores},
       {"memory", fmt::format("{:.0f} GiB", memory / (1 << 30))},
       {"kernel", std::string(kernel.sysname) + " " + kernel.release + " " + kernel.machine},
       {"system", line_value(file_text("/etc/os-release"), "PRETTY_NAME")},
       {"load", load_average()}});
}

Value versions_value(const Result<Peers>& peers) {
  const js::Versions ours = js::versions();
  Value versions = Value::object({{"cordon", CORDON_VERSION},
                                  {"wasmtime", ours.wasmtime},
                                  {"quickjs-ng", ours.quickjs},
                                  {"compiler", __VERSION__}});
  if (!peers) return versions;
  versions = versions.with("node", peers->node_version);
  for (const Subject& peer : peers->subjects) versions = versions.with(peer.name, peer.version);
  return versions;
}

std::string list_text(const Value& object) {
  std::string text;
  for (const auto& [key, value] : object.members()) {
    text += fmt::format(
        "{}{}: {}", text.empty() ? "" : ", ", key,
        value.is_string() ? std::string(value.as_string()) : fmt::format("{}", value.as_number()));
  }
  return text;
}

// What a process started by `ask` does.
int answer_request() {
  const std::string text(std::istreambuf_iterator<char>(std::cin), {});
  const Result<Value> request = json::decode(text);
  const Result<Value> result = request ? measure(*request) : request;
  if (!result) {
    std::cerr << to_string(result.error()) << "\n";
    return 1;
  }
  std::cout << *json::encode(*result) << "\n";
  return 0;
}

int run(Plan plan, const std::string& json_file) {
  const Result<Peers> peers = find_peers();
  plan.subjects.push_back(cordon_subject());
  if (peers) {
    plan.subjects.insert(plan.subjects.end(), peers->subjects.begin(), peers->subjects.end());
    plan.node = peers->node;
  }
  const Value machine = machine_value(plan.cores);
  const Value versions = versions_value(peers);
  std::cout << list_text(machine) << "\n" << list_text(versions) << "\n";
  if (!peers) {
    std::cout << "NO PEERS, so no ratios: " << to_string(peers.error())
              << ". `./dev bench` installs them and sets it.\n";
  }
  if (machine["load"].value_or(0.0) > 0.5) {
    std::cout << "Other programs keep this machine busy: the figures will be rough.\n";
  }
  std::cout.flush();

  const Findings findings =
      measure_rows(plan, [](const std::string& what) { std::cerr << "  " << what << "\n"; });
  std::cout << "\n" << table_text(findings.rows);
  for (const std::string& failure : findings.failures) std::cout << "FAILED: " << failure << "\n";

  if (!json_file.empty()) {
    const Value all = Value::object({{"machine", machine},
                                     {"versions", versions},
                                     {"rows", table_value(findings.rows)},
                                     {"measurements", Value::array_from(findings.raw)}});
    std::ofstream file(json_file);
    file << *json::encode(all, {.indent = 2}) << "\n";
    if (!file.flush()) {
      std::cerr << json_file << ": cannot be written\n";
      return 1;
    }
  }
  return findings.failures.empty() ? 0 : 1;
}

int parse_and_run(int argument_count, char** arguments) {
  Plan plan;
  plan.cores = std::max(1U, std::thread::hardware_concurrency());
  plan.program =
      (std::filesystem::path(own_path()).parent_path().parent_path() / "bin" / "cordon").string();
  std::string json_file;
  bool is_subject = false;

  CLI::App app("Measures the engine next to its peers (CORDON_PEERS: their folder).");
  app.add_option("--json", json_file, "Write the results to this file as well");
  app.add_option("--soak", plan.soak_runs, "Executions to watch the memory over")
      ->capture_default_str();
  app.add_option("--rounds", plan.rounds, "How often each subject is asked; its best round counts")
      ->capture_default_str();
  app.add_option("--only", plan.only,
                 "fresh, tools, throughput, waiting, hogs, process, guest or soak");
  app.add_option("--cordon", plan.program, "The program for the row of whole processes");
  app.add_flag("--measure", is_subject, "One measurement, asked for on standard input")->group("");
  CLI11_PARSE(app, argument_count, arguments);

  return is_subject ? answer_request() : run(std::move(plan), json_file);
}

}  // namespace
}  // namespace cordon::bench

int main(int argument_count, char** arguments) {
  try {
    return cordon::bench::parse_and_run(argument_count, arguments);
  } catch (const std::exception& error) {
    std::cerr << error.what() << "\n";
    return 1;
  }
}
