#include "cordon/server/plugin_set.h"

#include <algorithm>
#include <array>
#include <fstream>
#include <optional>
#include <stop_token>
#include <utility>

#include "cordon/codec/expansion.h"
#include "cordon/protocol/duplex/failure_codes.h"
#include "cordon/server/request_work.h"
#include "cordon/server/work_pool.h"

namespace cordon::server {
namespace {

// Larger inputs are written by a thread that serves no connections.
constexpr std::size_t max_nodes_here = 10'000;

// Follows the call until there is an answer, or until the caller does not want it any more.
void follow(PluginCall call, const std::stop_token& unwanted,
            std::move_only_function<void(Result<Value>)> done) {
  struct Cancel {
    PluginCall call;
    void operator()() { call.cancel(); }
  };
  const auto on_stop = std::make_shared<std::optional<std::stop_callback<Cancel>>>();
  on_stop->emplace(unwanted, Cancel{call});
  call.then([on_stop, done = std::move(done)](Result<Value> answer) mutable {
    on_stop->reset();
    done(std::move(answer));
  });
}

std::string text_with_code(const Error& error) {
  return std::string(duplex::code_text(error)) + ": " + error.message;
}

// The function's own words, or what became of its process.
std::string text_of(const Error& error) {
  return error.is(ErrorCode::tool_error) ? error.message : text_with_code(error);
}

// A function of a plugin as a tool of a script or of another plugin.
void call_as_tool(Plugin& plugin, const std::string& function, const Value& input, Reply reply) {
  const std::stop_token unwanted = reply.stop_token();
  follow(plugin.start(function, input), unwanted,
         [reply = std::move(reply)](Result<Value> answer) mutable {
           if (!answer) answer = fail(ErrorCode::tool_error, text_of(answer.error()));
           reply(std::move(answer));
         });
}

TaskAnswer answer_of(Result<Value> result) {
  if (result) return *std::move(result);
  const Error& error = result.error();
  return ExecutionError(Error{error.code, text_with_code(error)});
}

class PluginTask final : public TaskHandler, public std::enable_shared_from_this<PluginTask> {
 public:
  PluginTask(std::shared_ptr<const PluginSet> set, Plugin& plugin, const config::TaskEntry& entry,
             const ShardContext& shard)
      : set_(std::move(set)), plugin_(plugin), function_(entry.function), shard_(std::move(shard)) {
    options_.timeout = entry.timeout;
  }

  void call(TaskCall call, std::function<void(TaskAnswer)> done) override {
    // Starting a call writes its params.
    if (is_short(call.input, max_nodes_here, max_text_bytes_here)) {
      start(call.input, call.aborted, std::move(done));
      return;
    }
    auto work = [self = shared_from_this(), input = std::move(call.input),
                 aborted = std::move(call.aborted), done] { self->start(input, aborted, done); };
    std::optional<WorkPool::Ticket> ticket =
        shard_.pool->submit("plugin " + function_, std::move(work));
    if (!ticket) {
      return done(ExecutionError(Error{ErrorCode::overloaded, "too much work of requests waits"}));
    }
    ticket->detach();
  }

 private:
  // Any thread.
  void start(const Value& input, const std::stop_token& aborted,
             std::function<void(TaskAnswer)> done) {
    follow(plugin_.start(function_, input, options_), aborted,
           [post = shard_.post, done = std::move(done)](Result<Value> result) {
             auto answer = std::make_shared<TaskAnswer>(answer_of(std::move(result)));
             post([done, answer] { done(std::move(*answer)); });
           });
  }

  std::shared_ptr<const PluginSet> set_;  // has the plugin
  Plugin& plugin_;
  std::string function_;
  PluginCallOptions options_;
  ShardContext shard_;
};

// Whether it is a module at all; what it imports shows when it is started.
Result<> check_module(const std::string& file) {
  std::ifstream stream(file, std::ios::binary);
  if (!stream.is_open()) return fail(ErrorCode::io, "cannot be read");
  std::array<char, 8> head{};
  stream.read(head.data(), head.size());
  if (!std::string_view(head.data(), head.size()).starts_with(std::string_view("\0asm", 4))) {
    return fail(ErrorCode::invalid_argument, "is no WebAssembly module");
  }
  if (head[6] != 0)
    return fail(ErrorCode::unsupported, "is a component, not a module of WASI preview 1");
  return {};
}

}  // namespace

std::shared_ptr<PluginSet> PluginSet::create(const config::Configuration& configuration,
                                             const ProvidersByName& tools, const PluginLog& on_log,
                                             std::vector<std::string>& mistakes) {
  auto set = std::make_shared<PluginSet>();
  for (const auto& [name, plugin] : configuration.plugins) {
    Provider callbacks = set->callbacks_of(name, configuration, plugin, tools, mistakes);
    set->add(name, plugin, plugin.timeout.value_or(configuration.limits.timeout),
             std::move(callbacks), on_log, mistakes);
  }
  return set;
}

std::map<std::string, PluginFigures> PluginSet::figures() const {
  std::map<std::string, PluginFigures> figures;
  for (const auto& [name, entry] : plugins_) figures.emplace(name, entry.plugin->figures());
  return figures;
}

void PluginSet::add(const std::string& name, const config::PluginEntry& configured,
                    std::chrono::milliseconds timeout, Provider callbacks, const PluginLog& on_log,
                    std::vector<std::string>& mistakes) {
  const auto complain = [&](const Error& error) {
    mistakes.push_back(configured.options.wasm + ": " + error.message);
  };
  if (const Result<> module = check_module(configured.options.wasm); !module) {
    return complain(module.error());
  }
  PluginOptions options = configured.options;
  options.cordon = "/proc/self/exe";
  options.timeout = timeout;
  options.callback_timeout = timeout;
  options.callbacks = std::move(callbacks);
  if (on_log) {
    options.on_error_line = [on_log, name](std::string_view line) { on_log(name, line); };
  }
  Result<Plugin> plugin = Plugin::create(std::move(options));
  if (!plugin) return complain(plugin.error());
  plugins_.emplace(name, Entry{configured, std::make_unique<Plugin>(*std::move(plugin))});
}

// By the names that the guest calls them: "provider.tool".
Provider PluginSet::callbacks_of(const std::string& name,
                                 const config::Configuration& configuration,
                                 const config::PluginEntry& configured,
                                 const ProvidersByName& tools, std::vector<std::string>& mistakes) {
  Provider callbacks = Provider::with_exact_names(name);
  for (const std::string& callback : configured.callbacks) {
    const std::size_t dot = callback.find('.');
    const std::string space = callback.substr(0, dot);
    const std::string function = callback.substr(dot + 1);
    const bool is_plugin = std::ranges::any_of(
        configuration.plugins, [&](const auto& plugin) { return plugin.first == space; });
    if (is_plugin) {
      callbacks.add_async(
          callback, [set = weak_from_this(), space, function](const Value& input, Reply reply) {
            const auto held = set.lock();
            if (!held) return reply(fail(ErrorCode::tool_error, "the plugin is gone"));
            call_as_tool(*held->plugins_.at(space).plugin, function, input, std::move(reply));
          });
      continue;
    }
    const auto provider = tools.find(space);
    if (provider == tools.end()) continue;  // it did not load, which is told already
    if (ToolFunction tool = provider->second.find(function)) {
      callbacks.add_async(callback, std::move(tool));
    } else {
      mistakes.push_back("plugins." + name + ".callbacks: there is no tool " + callback);
    }
  }
  return callbacks;
}

ProvidersByName PluginSet::providers() const {
  ProvidersByName providers;
  for (const auto& [name, entry] : plugins_) {
    Provider provider(name);
    const auto set = shared_from_this();
    Plugin& plugin = *entry.plugin;
    for (const std::string& function : entry.configured.functions) {
      provider.add_async(function, [set, &plugin, function](const Value& input, Reply reply) {
        call_as_tool(plugin, function, input, std::move(reply));
      });
    }
    if (entry.configured.functions.empty()) {
      provider.add_any(
          [set, &plugin](const std::string& function, const Value& input, Reply reply) {
            call_as_tool(plugin, function, input, std::move(reply));
          });
    }
    providers.emplace(name, std::move(provider));
  }
  return providers;
}

Result<PluginSet::Handler> PluginSet::task(const config::TaskEntry& entry) const {
  const auto found = plugins_.find(entry.plugin);
  if (found == plugins_.end())
    return fail(ErrorCode::not_found, "there is no plugin " + entry.plugin);
  return [set = shared_from_this(), &plugin = *found->second.plugin,
          entry](const ShardContext& shard) -> Result<std::shared_ptr<TaskHandler>> {
    return std::make_shared<PluginTask>(set, plugin, entry, shard);
  };
}

}  // namespace cordon::server
