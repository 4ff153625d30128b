#include "cordon/server/metrics.h"

#include <algorithm>
#include <charconv>
#include <iterator>
#include <map>
#include <unordered_map>

#include "cordon/server/execution_ends.h"
#include "cordon/server/plugin_set.h"
#include "cordon/server/tunnel_server.h"

namespace cordon::server {
namespace {

using Counter = std::atomic<std::uint64_t>;

// Only its own thread writes a counter, so adding needs no locked instruction.
void add(Counter& counter, std::uint64_t amount) {
  counter.store(counter.load(std::memory_order_relaxed) + amount, std::memory_order_relaxed);
}

// The statuses that a tunnel answers with; the last is any other.
constexpr std::array<unsigned, 13> statuses = {200, 204, 400, 401, 403, 404, 405,
                                               408, 413, 499, 500, 503, 0};
// In microseconds; the last is without end.
constexpr std::array<std::uint64_t, 15> bounds = {
    100,    250,     500,     1'000,   2'500,     5'000,      10'000,    25'000,
    50'000, 100'000, 250'000, 500'000, 1'000'000, 10'000'000, UINT64_MAX};
constexpr std::array<const char*, 15> bound_names = {
    "0.0001", "0.00025", "0.0005", "0.001", "0.0025", "0.005", "0.01", "0.025",
    "0.05",   "0.1",     "0.25",   "0.5",   "1",      "10",    "+Inf"};

template <class List, class T>
std::size_t index_in(const List& list, const T& wanted) {
  const auto found = std::ranges::find(list, wanted);
  const std::size_t last = std::size(list) - 1;
  return found == std::end(list) ? last : static_cast<std::size_t>(found - std::begin(list));
}

void head(std::string& text, std::string_view name, std::string_view type, std::string_view help) {
  text.append("# HELP ").append(name).append(" ").append(help).append("\n");
  text.append("# TYPE ").append(name).append(" ").append(type).append("\n");
}

void line(std::string& text, std::string_view name, std::string_view labels, std::uint64_t value) {
  text.append(name);
  if (!labels.empty()) text.append("{").append(labels).append("}");
  text.append(" ").append(std::to_string(value)).append("\n");
}

void one(std::string& text, std::string_view name, std::string_view type, std::string_view help,
         std::uint64_t value) {
  head(text, name, type, help);
  line(text, name, "", value);
}

std::string seconds(std::uint64_t microseconds) {
  char buffer[32];
  const auto end = std::to_chars(buffer, std::end(buffer), static_cast<double>(microseconds) / 1e6,
                                 std::chars_format::fixed, 6);
  return {buffer, end.ptr};
}

// The figures of the current configuration's plugins. A reload begins with new processes, and at 0.
void write_plugins(std::string& text, const std::map<std::string, PluginFigures>& plugins) {
  if (plugins.empty()) return;
  const auto write = [&](std::string_view name, std::string_view help,
                         std::uint64_t PluginFigures::* figure) {
    head(text, name, "counter", help);
    for (const auto& [plugin, figures] : plugins)
      line(text, name, "plugin=\"" + plugin + "\"", figures.*figure);
  };
  write("cordon_plugin_calls_total", "Calls of functions of plugins.", &PluginFigures::calls);
  write("cordon_plugin_failures_total", "Calls that failed otherwise than by their function.",
        &PluginFigures::failures);
  write("cordon_plugin_starts_total", "Processes that were started.", &PluginFigures::starts);
  write("cordon_plugin_restarts_total", "Processes that were ended for what they did.",
        &PluginFigures::restarts);
}

std::uint64_t next_id() {
  static std::atomic<std::uint64_t> last = 0;
  return ++last;
}

}  // namespace

struct alignas(64) Metrics::Counters {
  std::array<Counter, statuses.size()> requests = {};
  std::array<Counter, bounds.size()> durations = {};
  std::array<Counter, end_names.size()> ended = {};
  Counter duration_microseconds = 0;
};

Metrics::Metrics() : id_(next_id()) {}
Metrics::~Metrics() = default;

Metrics::Counters& Metrics::mine() {
  // A thread meets few of these objects, and mostly one.
  thread_local std::uint64_t last_id = 0;
  thread_local Counters* last = nullptr;
  thread_local std::unordered_map<std::uint64_t, Counters*> known;
  if (last_id == id_) return *last;
  Counters*& counters = known[id_];
  if (counters == nullptr) {
    const std::lock_guard lock(mutex_);
    counters = all_.emplace_back(std::make_unique<Counters>()).get();
  }
  last_id = id_;
  last = counters;
  return *counters;
}

void Metrics::count(const RequestRecord& record) {
  Counters& counters = mine();
  const auto took = static_cast<std::uint64_t>(std::max<std::int64_t>(
      0, std::chrono::duration_cast<std::chrono::microseconds>(record.duration).count()));
  add(counters.requests[index_in(statuses, record.status)], 1);
  const auto bucket = std::ranges::lower_bound(bounds, took);
  add(counters.durations[static_cast<std::size_t>(bucket - bounds.begin())], 1);
  add(counters.duration_microseconds, took);
}

void Metrics::count_end(ErrorCode code) { add(mine().ended[end_index(code)], 1); }

std::string Metrics::text(const TunnelServer& server) const {
  std::array<std::uint64_t, statuses.size()> requests = {};
  std::array<std::uint64_t, bounds.size()> durations = {};
  std::array<std::uint64_t, end_names.size()> ended = {};
  std::uint64_t microseconds = 0;
  {
    const std::lock_guard lock(mutex_);
    const auto sum = [](auto& sums, const auto& counters) {
      for (std::size_t i = 0; i < sums.size(); ++i)
        sums[i] += counters[i].load(std::memory_order_relaxed);
    };
    for (const auto& counters : all_) {
      sum(requests, counters->requests);
      sum(durations, counters->durations);
      sum(ended, counters->ended);
      microseconds += counters->duration_microseconds.load(std::memory_order_relaxed);
    }
  }

  std::string text;
  head(text, "cordon_requests_total", "counter", "Requests that were answered, by status.");
  for (std::size_t i = 0; i < statuses.size(); ++i) {
    const std::string status = statuses[i] == 0 ? "other" : std::to_string(statuses[i]);
    line(text, "cordon_requests_total", "status=\"" + status + "\"", requests[i]);
  }
  head(text, "cordon_request_duration_seconds", "histogram",
       "From a request's head to the end of its answer.");
  std::uint64_t so_far = 0;
  for (std::size_t i = 0; i < bounds.size(); ++i) {
    so_far += durations[i];
    line(text, "cordon_request_duration_seconds_bucket",
         std::string("le=\"") + bound_names[i] + "\"", so_far);
  }
  text += "cordon_request_duration_seconds_sum " + seconds(microseconds) + "\n";
  line(text, "cordon_request_duration_seconds_count", "", so_far);
  head(text, "cordon_executions_total", "counter",
       "Executions of tasks and events, by how they ended.");
  for (std::size_t i = 0; i < end_names.size(); ++i) {
    line(text, "cordon_executions_total", "end=\"" + std::string(end_names[i]) + "\"", ended[i]);
  }

  const Engine::Figures load = server.load();
  head(text, "cordon_sandboxes", "gauge",
       "Sandboxes that run and that wait, executions that wait for one, and that sleep.");
  line(text, "cordon_sandboxes", "state=\"running\"", load.running - load.waiting);
  line(text, "cordon_sandboxes", "state=\"waiting\"", load.waiting);
  line(text, "cordon_sandboxes", "state=\"queued\"", load.queued);
  line(text, "cordon_sandboxes", "state=\"asleep\"", load.hibernated);
  one(text, "cordon_connections", "gauge", "Open connections.", server.connections());

  std::uint64_t accepted = 0;
  std::uint64_t refused = 0;
  std::uint64_t aborted = 0;
  std::uint64_t stalled = 0;
  std::uint64_t bytes_in = 0;
  std::uint64_t bytes_out = 0;
  for (const transport::http::HttpFigures* figures : server.figures()) {
    accepted += figures->connections;
    refused += figures->refused;
    aborted += figures->aborted;
    stalled += figures->stalled;
    bytes_in += figures->bytes_in;
    bytes_out += figures->bytes_out;
  }
  one(text, "cordon_connections_total", "counter", "Connections that were accepted.", accepted);
  one(text, "cordon_http_refused_total", "counter",
      "Requests refused by the HTTP layer: malformed, too large, too slow.", refused);
  one(text, "cordon_http_aborted_total", "counter",
      "Requests whose clients went before their answers.", aborted);
  one(text, "cordon_http_stalled_total", "counter",
      "Requests that were ended for making no progress.", stalled);
  one(text, "cordon_received_bytes_total", "counter", "Bytes received.", bytes_in);
  one(text, "cordon_sent_bytes_total", "counter", "Bytes sent.", bytes_out);
  if (const auto plugins = server.plugins()) write_plugins(text, plugins->figures());
  return text;
}

}  // namespace cordon::server
