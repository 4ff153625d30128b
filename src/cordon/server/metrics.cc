#include "cordon/server/metrics.h"

#include <algorithm>
#include <iterator>
#include <map>
#include <unordered_map>

#include "cordon/base/process_figures.h"
#include "cordon/js/versions.h"
#include "cordon/server/execution_ends.h"
#include "cordon/server/metrics_text.h"
#include "cordon/server/plugin_set.h"
#include "cordon/server/tunnel_server.h"
#include "cordon/version.h"

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

// The figures of the current configuration's plugins. A reload begins with new processes, and at 0.
void write_plugins(MetricsText& text, const std::map<std::string, PluginFigures>& plugins) {
  if (plugins.empty()) return;
  const auto write = [&](std::string_view name, std::string_view help,
                         std::uint64_t PluginFigures::* figure) {
    text.head(name, "counter", help);
    for (const auto& [plugin, figures] : plugins)
      text.line(name, label("plugin", plugin), figures.*figure);
  };
  write("cordon_plugin_calls_total", "Calls of functions of plugins.", &PluginFigures::calls);
  write("cordon_plugin_failures_total", "Calls that failed otherwise than by their function.",
        &PluginFigures::failures);
  write("cordon_plugin_starts_total", "Processes that were started.", &PluginFigures::starts);
  write("cordon_plugin_restarts_total", "Processes that were ended for what they did.",
        &PluginFigures::restarts);
}

void write_connections(MetricsText& text, const TunnelServer& server) {
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
  text.one("cordon_connections", "gauge", "Open connections.", std::uint64_t{server.connections()});
  text.one("cordon_connections_total", "counter", "Connections that were accepted.", accepted);
  text.one("cordon_http_refused_total", "counter",
           "Requests refused by the HTTP layer: malformed, too large, too slow.", refused);
  text.one("cordon_http_aborted_total", "counter",
           "Requests whose clients went before their answers.", aborted);
  text.one("cordon_http_stalled_total", "counter",
           "Requests that were ended for making no progress.", stalled);
  text.one("cordon_received_bytes_total", "counter", "Bytes received.", bytes_in);
  text.one("cordon_sent_bytes_total", "counter", "Bytes sent.", bytes_out);
}

// Under the names that all of Prometheus' clients use.
void write_process(MetricsText& text) {
  const js::Versions versions = js::versions();
  text.head("cordon_build_info", "gauge", "What this program was built from.");
  text.line("cordon_build_info",
            label("version", CORDON_VERSION) + "," + label("wasmtime", versions.wasmtime) + "," +
                label("quickjs", versions.quickjs),
            std::uint64_t{1});
  const ProcessFigures figures = process_figures();
  text.one("process_cpu_seconds_total", "counter", "Processor time, of the kernel too.",
           figures.cpu_seconds);
  text.one("process_resident_memory_bytes", "gauge", "Memory that is resident.",
           std::uint64_t{figures.resident_bytes});
  text.one("process_virtual_memory_bytes", "gauge",
           "Address space; most of it is set aside for sandboxes and takes no memory.",
           std::uint64_t{figures.virtual_bytes});
  text.one("process_open_fds", "gauge", "Open file descriptors.",
           std::uint64_t{figures.open_files});
  text.one("process_max_fds", "gauge", "How many there may be.", std::uint64_t{figures.max_files});
  text.one("process_threads", "gauge", "Threads.", std::uint64_t{figures.threads});
  text.one("process_start_time_seconds", "gauge", "When it was started, since 1970.",
           figures.start_seconds);
}

// Counts only clients that were let in and asked for something that exists.
bool is_call(unsigned status) {
  return status != 401 && status != 403 && status != 404 && status != 405;
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

void Metrics::set_names(const TunnelRules& rules) {
  std::vector<std::string> ids;
  for (const Served& task : rules.tasks) ids.push_back(task.id);
  for (const Served& event : rules.events) ids.push_back(event.id);
  tasks_.set_names(ids);
  tools_.set_names(rules.tools);
}

void Metrics::count(const RequestRecord& record) {
  Counters& counters = mine();
  const auto duration = std::chrono::duration_cast<std::chrono::microseconds>(record.duration);
  const auto took = static_cast<std::uint64_t>(std::max<std::int64_t>(0, duration.count()));
  add(counters.requests[index_in(statuses, record.status)], 1);
  const auto bucket = std::ranges::lower_bound(bounds, took);
  add(counters.durations[static_cast<std::size_t>(bucket - bounds.begin())], 1);
  add(counters.duration_microseconds, took);
  if (is_call(record.status))
    tasks_.count(record.task, record.status < 400 ? CallEnd::ok : CallEnd::failed, duration);
}

void Metrics::count(const Report& report) {
  add(mine().ended[end_index(report.error.code)], 1);
  for (const CallRecord& call : report.calls) {
    const CallEnd end = call.ok ? CallEnd::ok : CallEnd::failed;
    if (!tools_.count(call.provider + "." + call.tool, end, call.took))
      tools_.count(call.provider + ".*", end, call.took);
  }
}

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

  MetricsText text;
  text.head("cordon_requests_total", "counter", "Requests that were answered, by status.");
  for (std::size_t i = 0; i < statuses.size(); ++i) {
    const std::string status = statuses[i] == 0 ? "other" : std::to_string(statuses[i]);
    text.line("cordon_requests_total", label("status", status), requests[i]);
  }
  text.head("cordon_request_duration_seconds", "histogram",
            "From a request's head to the end of its answer.");
  std::uint64_t so_far = 0;
  for (std::size_t i = 0; i < bounds.size(); ++i) {
    so_far += durations[i];
    text.line("cordon_request_duration_seconds_bucket", label("le", bound_names[i]), so_far);
  }
  text.line("cordon_request_duration_seconds_sum", "", static_cast<double>(microseconds) / 1e6);
  text.line("cordon_request_duration_seconds_count", "", so_far);
  text.head("cordon_executions_total", "counter",
            "Executions of tasks and events, by how they ended.");
  for (std::size_t i = 0; i < end_names.size(); ++i)
    text.line("cordon_executions_total", label("end", end_names[i]), ended[i]);
  tasks_.write(text, {.errors = "cordon_task_errors_total",
                      .duration = "cordon_task_duration_seconds",
                      .label = "task"});
  tools_.write(text, {.errors = "cordon_tool_errors_total",
                      .duration = "cordon_tool_duration_seconds",
                      .label = "tool"});

  const Engine::Figures load = server.load();
  text.head("cordon_sandboxes", "gauge",
            "Sandboxes that run and that wait, executions that wait for one, and that sleep.");
  const auto write_state = [&](std::string_view state, std::uint64_t count) {
    text.line("cordon_sandboxes", label("state", state), count);
  };
  // The two are not read at one moment.
  write_state("running", load.running - std::min(load.running, load.waiting));
  write_state("waiting", load.waiting);
  write_state("queued", load.queued);
  write_state("asleep", load.hibernated);
  write_connections(text, server);
  if (const auto plugins = server.plugins()) write_plugins(text, plugins->figures());
  write_process(text);
  return text.take();
}

}  // namespace cordon::server
