#include "cordon/config/references.h"

#include <algorithm>
#include <initializer_list>
#include <map>
#include <string>
#include <utility>
#include <vector>

#include "cordon/config/addresses.h"
#include "cordon/config/spelling.h"
#include "cordon/tools/safe_name.h"

namespace cordon::config {
namespace {

template <class T>
std::vector<std::string> names_of(const Named<T>& entries) {
  std::vector<std::string> names;
  for (const auto& [name, entry] : entries) names.push_back(name);
  return names;
}

bool has(const std::vector<std::string>& names, std::string_view name) {
  return std::ranges::find(names, name) != names.end();
}

const Node* find(const Node& root, std::initializer_list<std::string_view> keys) {
  const Node* at = &root;
  for (const std::string_view key : keys) {
    at = at->find(key);
    if (at == nullptr) return nullptr;
  }
  return at;
}

// The strings of a list; anything else in it is told elsewhere.
template <class Act>
void each_text(const Node* list, Act act) {
  if (list == nullptr) return;
  for (const Node& item : list->items) {
    if (item.kind == Node::Kind::string && !item.text.empty()) act(item);
  }
}

class References {
 public:
  References(const Node& root, const Configuration& configuration, Reader& reader)
      : root_(root),
        configuration_(configuration),
        reader_(reader),
        providers_(names_of(configuration.providers)),
        mcp_servers_(names_of(configuration.mcp_servers)),
        tunnels_(names_of(configuration.tunnels)),
        plugins_(names_of(configuration.plugins)),
        tasks_(names_of(configuration.tasks)),
        events_(names_of(configuration.events)) {
    for (const auto* names : {&providers_, &tunnels_, &plugins_}) {
      callable_.insert(callable_.end(), names->begin(), names->end());
    }
  }

  void check() {
    check_names_are_apart();
    check_tools("tasks");
    check_tools("events");
    check_plugins_of_tasks();
    check_callbacks();
    check_ids({"server", "expose", "tasks"}, tasks_, "task", "tasks");
    check_ids({"server", "expose", "events"}, events_, "event", "events");
    check_validators();
    check_lanes();
    check_listeners();
    warn_about_exposure();
  }

 private:
  // A name in `tools` must mean one thing, and so must the name that programs write for it.
  void check_names_are_apart() {
    std::vector<std::string> seen;
    std::map<std::string, std::string> by_safe_name;
    for (const char* kind : {"providers", "mcpServers", "tunnels", "plugins"}) {
      const Node* entries = root_.find(kind);
      if (entries == nullptr) continue;
      const std::vector<std::string> before = seen;
      for (const KeyedNode& member : entries->members) {
        if (has(before, member.key)) {
          reader_.mistake(member.key_offset,
                          std::string(kind) + ": the name \"" + member.key +
                              "\" is taken by another kind of provider",
                          "choose another");
        }
        seen.push_back(member.key);
        const auto [first, is_new] =
            by_safe_name.try_emplace(tools::safe_name(member.key), member.key);
        if (!is_new && first->second != member.key) {
          reader_.mistake(member.key_offset,
                          std::string(kind) + ": programs write \"" + first->first + "\" for \"" +
                              member.key + "\", and for \"" + first->second + "\" too",
                          "choose another");
        }
      }
    }
  }

  void check_tools(const char* kind) {
    const Node* entries = root_.find(kind);
    if (entries == nullptr) return;
    for (const KeyedNode& entry : entries->members) {
      each_text(entry.value.find("tools"), [&](const Node& tool) { check_tool(tool); });
    }
  }

  void check_tool(const Node& tool) {
    if (has(callable_, tool.text)) return;
    const std::string name = "\"" + tool.text + "\"";
    if (has(mcp_servers_, tool.text)) {
      reader_.warning(tool.offset, "tools: " + name +
                                       " is an MCP server, which cannot be called yet: its calls "
                                       "will fail");
      return;
    }
    reader_.mistake(tool.offset, "tools: there is no provider, tunnel or plugin " + name,
                    suggestion(tool.text, callable_, "providers, tunnels and plugins"));
  }

  void check_plugins_of_tasks() {
    const Node* tasks = root_.find("tasks");
    if (tasks == nullptr) return;
    for (const KeyedNode& task : tasks->members) {
      const Node* const plugin = task.value.find("plugin");
      if (plugin == nullptr || plugin->kind != Node::Kind::string || plugin->text.empty()) continue;
      // With a script beside it, which of the two is meant is asked first.
      if (has(plugins_, plugin->text) || task.value.find("script") != nullptr) continue;
      reader_.mistake(plugin->offset, "plugin: there is no plugin \"" + plugin->text + "\"",
                      suggestion(plugin->text, plugins_, "plugins"));
    }
  }

  // A plugin that lists its functions has no others.
  void check_function_of_plugin(const Node& callback, const std::string& name,
                                const std::string& function) {
    for (const auto& [plugin, entry] : configuration_.plugins) {
      if (plugin != name || entry.functions.empty() || has(entry.functions, function)) continue;
      reader_.mistake(callback.offset,
                      "callbacks: the plugin \"" + name + "\" does not list \"" + function + "\"",
                      suggestion(function, entry.functions, "functions"));
    }
  }

  void check_callbacks() {
    const Node* plugins = root_.find("plugins");
    if (plugins == nullptr) return;
    for (const KeyedNode& plugin : plugins->members) {
      each_text(plugin.value.find("callbacks"), [&](const Node& callback) {
        const std::size_t dot = callback.text.find('.');
        if (dot == 0 || dot == std::string::npos || dot + 1 == callback.text.size()) {
          reader_.mistake(callback.offset, "callbacks: \"" + callback.text + "\" names no tool",
                          "write it as \"provider.tool\"");
          return;
        }
        const std::string provider = callback.text.substr(0, dot);
        if (has(providers_, provider) || has(tunnels_, provider)) return;
        if (has(mcp_servers_, provider)) {
          reader_.warning(callback.offset, "callbacks: tools of \"" + provider +
                                               "\" cannot be called yet: its calls will fail");
          return;
        }
        if (has(plugins_, provider)) {
          check_function_of_plugin(callback, provider, callback.text.substr(dot + 1));
          return;
        }
        reader_.mistake(callback.offset,
                        "callbacks: there is no provider, tunnel or plugin \"" + provider + "\"",
                        suggestion(provider, callable_, "providers, tunnels and plugins"));
      });
    }
  }

  void check_ids(std::initializer_list<std::string_view> place,
                 const std::vector<std::string>& known, const std::string& one,
                 std::string_view many) {
    each_text(find(root_, place), [&](const Node& id) {
      if (has(known, id.text)) return;
      std::string path;
      for (const std::string_view key : place) {
        path.append(path.empty() ? "" : ".").append(key);
      }
      reader_.mistake(id.offset, path + ": there is no " + one + " \"" + id.text + "\"",
                      suggestion(id.text, known, many));
    });
  }

  // A missing validator refuses every request, so the server may start without it.
  void check_validators() {
    each_text(find(root_, {"server", "auth", "validators"}), [&](const Node& id) {
      if (has(tasks_, id.text)) return;
      reader_.warning(
          id.offset,
          "server.auth.validators: there is no task \"" + id.text + "\", so it lets nobody in",
          suggestion(id.text, tasks_, "tasks"));
    });
  }

  // Which of two lanes a call is of would be a guess.
  void check_lanes() {
    const Node* const lanes = find(root_, {"server", "lanes"});
    if (lanes == nullptr) return;
    for (const auto& [key, known] : {std::pair("tasks", &tasks_), std::pair("events", &events_)}) {
      const std::string one(key == std::string_view("tasks") ? "task" : "event");
      std::map<std::string, std::string> lane_of;
      for (const KeyedNode& lane : lanes->members) {
        const std::string place = "server.lanes." + lane.key + "." + key;
        each_text(lane.value.find(key), [&](const Node& id) {
          if (!has(*known, id.text)) {
            reader_.mistake(id.offset, place + ": there is no " + one + " \"" + id.text + "\"",
                            suggestion(id.text, *known, key));
          }
          const auto [first, is_new] = lane_of.try_emplace(id.text, lane.key);
          if (is_new) return;
          reader_.mistake(id.offset,
                          place + ": the " + one + " \"" + id.text + "\" is of the lane \"" +
                              first->second + "\" already",
                          "remove one of them");
        });
      }
    }
    check_headers_of_lanes(*lanes);
  }

  // A header has one token, and calls of a lane carry two.
  void check_headers_of_lanes(const Node& lanes) {
    const Server& server = configuration_.server;
    if (server.auth.tokens.empty() || !server.auth.validators.empty()) return;
    for (const auto& [name, lane] : server.lanes) {
      if (lane.header != server.auth.header) continue;
      const Node* const entry = lanes.find(name);
      const Node* const header = entry == nullptr ? nullptr : entry->find("header");
      const std::size_t offset = header != nullptr  ? header->offset
                                 : entry != nullptr ? entry->offset
                                                    : lanes.offset;
      reader_.mistake(offset,
                      "server.lanes." + name + ".header: server.auth.token is in the header " +
                          lane.header + " too, so no call could carry both",
                      "choose another header for one of them");
    }
  }

  void check_listeners() {
    const Server& server = configuration_.server;
    const Node* metrics = find(root_, {"server", "metrics", "listen"});
    if (metrics == nullptr || server.metrics_listen.empty()) return;
    if (has(server.listen, server.metrics_listen) && !server.metrics_listen.ends_with(":0")) {
      reader_.mistake(metrics->offset, "server.metrics.listen: the tunnel listens there",
                      "choose another port");
    }
  }

  // None of these is a mistake: the server then refuses by itself, or does as it was told.
  void warn_about_exposure() {
    const Server& server = configuration_.server;
    const Node* at = root_.find("server");
    const std::size_t offset = at == nullptr ? root_.offset : at->offset;
    const bool is_exposed = server.expose
                                ? !server.expose->tasks.empty() || !server.expose->events.empty()
                                : server.allow_open_exposure;
    if (!is_exposed && !(tasks_.empty() && events_.empty())) {
      reader_.warning(offset, "nothing is exposed, so every call is refused with 403",
                      "list ids in server.expose");
    }
    const Node* token = find(root_, {"server", "auth", "token"});
    const bool has_auth = token != nullptr || !server.auth.validators.empty();
    if (is_exposed && !has_auth && !server.auth.allow_anonymous) {
      reader_.warning(offset,
                      "there is no auth, so every call is refused with 500 AUTH_NOT_CONFIGURED",
                      "set server.auth.token, validators or allowAnonymous");
    }
    if (is_exposed && !has_auth && server.auth.allow_anonymous &&
        !is_local(server.listen.front())) {
      reader_.warning(offset, "everybody who reaches " + server.listen.front() + " may call",
                      "set server.auth.token");
    }
    if (server.expose && server.allow_open_exposure) {
      reader_.warning(find(root_, {"server", "dangerouslyAllowOpenExposure"})->offset,
                      "server.dangerouslyAllowOpenExposure does nothing beside server.expose",
                      "remove one of them");
    }
  }

  const Node& root_;
  const Configuration& configuration_;
  Reader& reader_;
  std::vector<std::string> providers_;
  std::vector<std::string> mcp_servers_;
  std::vector<std::string> tunnels_;
  std::vector<std::string> plugins_;
  std::vector<std::string> tasks_;
  std::vector<std::string> events_;
  std::vector<std::string> callable_;
};

}  // namespace

void check_references(const Node& root, const Configuration& configuration, Reader& reader) {
  if (root.kind != Node::Kind::object) return;
  References(root, configuration, reader).check();
}

}  // namespace cordon::config
