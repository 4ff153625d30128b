// The tunnel with tasks in C++ and with sandboxed scripts (`cordon serve`), next to the server of
// npm
// @bluelibs/runner (CORDON_PEERS: its folder). Server and load share the machine's processors.
// docs/benchmarks.md explains the rows. It judges nothing by its exit code.
//
//   tunnel_bench serve      serves the C++ tasks until it is killed, for tools of yours

#include <algorithm>
#include <cstdio>
#include <cstring>
#include <memory>
#include <optional>
#include <string>
#include <vector>

#include "engine/process.h"
#include "engine/subject.h"
#include "engine/table.h"
#include "tunnel/served.h"
#include <fmt/format.h>

#include "cordon/server.h"

namespace {

using namespace cordon;
using namespace cordon::bench;

constexpr int rounds = 3;
constexpr double seconds_of_load = 3;
constexpr std::size_t echo_bytes = std::size_t{512} << 20;
constexpr int upload_files = 8;
constexpr std::size_t upload_file_bytes = 16'000'000;
constexpr double soak_requests = 1e6;
constexpr int idle_connections = 10'000;

Coroutine<Result<Value>> count_bytes(ByteSource& source) {
  double bytes = 0;
  for (;;) {
    Result<Bytes> piece = co_await next_piece(source);
    if (!piece) co_return fail(piece.error());
    if (piece->empty()) break;
    bytes += static_cast<double>(piece->size());
  }
  co_return Value(bytes);
}

void set_up(Server& server) {
  server.task("add", [](Value input) -> Result<Value> {
    return input.find("a").as_number() + input.find("b").as_number();
  });
  server.task("echo", [](TaskCall& call) -> TaskAnswer { return StreamedResult{call.body}; });
  server.task("upload", [](TaskCall& call) -> Coroutine<Result<Value>> {
    double sum = 0;
    for (TaskFile& file : call.files) {
      const Result<Value> bytes = co_await count_bytes(*file.stream);
      if (!bytes) co_return fail(bytes.error());
      sum += bytes->as_number();
    }
    co_return Value(sum);
  });
}

int serve() {
  Server server({.listen = {"127.0.0.1:0"}, .auth = {.tokens = {"secret"}}});
  set_up(server);
  const Result<> opened = server.open();
  if (!opened) return fmt::print(stderr, "{}\n", to_string(opened.error())), 1;
  fmt::print("{}\n", server.urls().front());
  std::fflush(stdout);
  (void)server.run();
  return 0;
}

template <class Measure>
double best_of(Measure measure) {
  double best = 0;
  for (int i = 0; i < rounds; ++i) best = std::max(best, measure());
  return best;
}

std::string megabytes_text(double rate) { return fmt::format("{:.0f} MB/s", rate / 1e6); }
std::string requests_text(double rate) { return fmt::format("{:.0f} /s", rate); }

struct Line {
  std::string what, ours, reference, ratio, bar;
  std::optional<bool> met;
};

void print(const Line& line) {
  fmt::print("| {} | {} | {} | {} | {} | {} |\n", line.what, line.ours, line.reference, line.ratio,
             line.bar,
             !line.met   ? "—"
             : *line.met ? "yes"
                         : "**no**");
  std::fflush(stdout);
}

// At least `bar` times the reference.
void compare(std::string what, double ours, std::optional<double> reference, double bar,
             std::string (*text)(double)) {
  print({std::move(what), text(ours), reference ? text(*reference) : "—",
         reference ? fmt::format("{:.1f} ×", ours / *reference) : "—", fmt::format("≥ {} ×", bar),
         reference ? std::optional(ours >= bar * *reference) : std::nullopt});
}

struct Subjects {
  Served cpp;
  Served scripts;
  std::unique_ptr<Served> reference;
};

std::vector<Rate> rates_of(const Served* server, int connections) {
  std::vector<Rate> rates;
  if (server == nullptr) return rates;
  for (int i = 0; i < rounds; ++i)
    rates.push_back(ask(*server, "add", connections, seconds_of_load));
  return rates;
}

std::optional<double> max_requests(const std::vector<Rate>& rates) {
  if (rates.empty()) return std::nullopt;
  return std::ranges::max_element(rates, {}, &Rate::requests)->requests;
}

std::optional<double> least_p99(const std::vector<Rate>& rates) {
  if (rates.empty()) return std::nullopt;
  return std::ranges::min_element(rates, {}, &Rate::p99)->p99;
}

void ask_all(const Subjects& subjects) {
  for (const int connections : {16, 64}) {
    const auto reference = rates_of(subjects.reference.get(), connections);
    const auto cpp = rates_of(&subjects.cpp, connections);
    const auto scripts = rates_of(&subjects.scripts, connections);
    compare(fmt::format("JSON add, C++ function, {} connections", connections), *max_requests(cpp),
            max_requests(reference), 8, requests_text);
    compare(fmt::format("JSON add, script, a fresh sandbox a request, {} connections", connections),
            *max_requests(scripts), max_requests(reference), 3, requests_text);
    if (connections != 16) continue;
    for (const auto& [what, rates] : {std::pair("C++ function", cpp), {"script", scripts}}) {
      const std::optional<double> theirs = least_p99(reference);
      const double ours = *least_p99(rates);
      print({fmt::format("p99 of JSON add, {}, 16 connections", what), time_text(ours),
             theirs ? time_text(*theirs) : "—",
             theirs ? fmt::format("{:.2f} ×", ours / *theirs) : "—", "≤ ⅓",
             theirs ? std::optional(ours <= *theirs / 3) : std::nullopt});
    }
  }
}

void transfer_all(const Subjects& subjects) {
  const auto echo_of = [](const Served& server) {
    return best_of([&] { return echo_rate(server.port(), echo_bytes); });
  };
  const auto upload_of = [](const Served& server) {
    return best_of([&] { return upload_rate(server.port(), upload_files, upload_file_bytes); });
  };
  const bool has_reference = subjects.reference != nullptr;
  const double bare = best_of([] { return bare_echo_rate(echo_bytes); });
  const double cpp = echo_of(subjects.cpp);
  const auto reference_echo =
      has_reference ? std::optional(echo_of(*subjects.reference)) : std::nullopt;
  print({"octet-stream echo, C++ function (next to a bare read and write)", megabytes_text(cpp),
         megabytes_text(bare) + " bare", fmt::format("{:.2f} ×", cpp / bare), "≥ 0.7 × bare",
         cpp >= 0.7 * bare});
  compare("octet-stream echo, script", echo_of(subjects.scripts), reference_echo, 1,
          megabytes_text);
  const auto reference_upload =
      has_reference ? std::optional(upload_of(*subjects.reference)) : std::nullopt;
  compare("multipart, 8 files of 16 MB, counted by a C++ function", upload_of(subjects.cpp),
          reference_upload, 3, megabytes_text);
  compare("multipart, 8 files of 16 MB, counted by a script", upload_of(subjects.scripts),
          reference_upload, 1.5, megabytes_text);
}

void weigh(const std::vector<std::string>& command) {
  const Served server(command);
  const double idle = server.resident_bytes();
  print({"resident memory of cordon serve, idle", size_text(idle), "83 MB (its facts)", "—",
         "≤ 50 MB", idle <= 50e6});
  // What the first requests need is there after a tenth of them; then nothing grows.
  double count = 0;
  while (count < soak_requests / 10) count += ask(server, "add", 16, seconds_of_load).count;
  const double warm = server.resident_bytes();
  while (count < soak_requests) count += ask(server, "add", 16, 10).count;
  const double after = server.resident_bytes();
  print({fmt::format("the same after {:.0f} requests (after a tenth of them: {})", count,
                     size_text(warm)),
         size_text(after), "150 MB (its facts)", fmt::format("{:.2f} ×", after / warm), "no growth",
         after <= warm * 1.03});
  const double each = idle_connection_bytes(server, idle_connections);
  print({fmt::format("{} idle connections: memory of each", idle_connections), size_text(each), "—",
         "—", "≤ 20 KB", each <= 20e3});
}

int run() {
  const Result<Peers> peers = find_peers();
  const std::string program = own_path();
  const std::string cordon = program.substr(0, program.rfind("/bench/")) + "/bin/cordon";
  const std::vector<std::string> serve_scripts = {cordon, "serve", "--config",
                                                  "bench/tunnel/cordon.json"};
  {
    Subjects subjects{Served({program, "serve"}), Served(serve_scripts), nullptr};
    if (peers) {
      const std::string folder = peers->node.substr(0, peers->node.rfind("/node_modules/"));
      subjects.reference =
          std::make_unique<Served>(std::vector{peers->node, folder + "/tunnel.mjs"});
    } else {
      fmt::print("NO PEERS, so no ratios: {}\n", to_string(peers.error()));
    }
    fmt::print(
        "| what | cordon | reference | ratio | bar | met? |\n"
        "| --- | --- | --- | --- | --- | --- |\n");
    ask_all(subjects);
    transfer_all(subjects);
  }
  weigh(serve_scripts);
  return 0;
}

}  // namespace

int main(int count, char** arguments) {
  try {
    return count > 1 && std::strcmp(arguments[1], "serve") == 0 ? serve() : run();
  } catch (const std::exception& error) {
    fmt::print(stderr, "{}\n", error.what());
    return 1;
  }
}
