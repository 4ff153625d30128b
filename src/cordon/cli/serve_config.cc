#include "cordon/cli/serve_config.h"

#include <algorithm>
#include <filesystem>
#include <utility>

#include "cordon/cli/terminal.h"
#include "cordon/codec/json/encode.h"
#include "cordon/config/addresses.h"
#include "cordon/value.h"

namespace cordon::cli {
namespace {

std::string counted(std::size_t count, std::string_view one) {
  return std::to_string(count) + " " + std::string(one) + (count == 1 ? "" : "s");
}

// A path on the command line begins where the user is, not where the file is.
Result<std::string> listen_of(const std::string& text) {
  if (const auto why = config::complain_about_listen(text)) {
    const std::string meant = config::listen_meant_by(text);
    return fail(ErrorCode::invalid_argument,
                "--listen: '" + visible(text, Lines::escaped) + "': " + *why +
                    (meant.empty() ? "" : "; write it as " + visible(meant, Lines::escaped)));
  }
  if (!text.starts_with("unix:")) return text;
  return "unix:" + std::filesystem::absolute(text.substr(5)).string();
}

std::string exposed_of(const config::Configuration& configuration, std::size_t count,
                       const std::vector<std::string> config::Expose::* ids) {
  const config::Server& server = configuration.server;
  const std::size_t exposed = server.expose                ? ((*server.expose).*ids).size()
                              : server.allow_open_exposure ? count
                                                           : 0;
  return " (" + std::to_string(exposed) + " exposed)";
}

}  // namespace

Result<config::Loaded> load_for_serving(const std::string& file,
                                        const std::vector<std::string>& listen) {
  std::vector<std::string> addresses;
  for (const std::string& text : listen) addresses.push_back(CORDON_TRY(listen_of(text)));
  Result<config::Loaded> loaded = config::load_configuration(file);
  if (!loaded) {
    return fail(loaded.error().code, "the configuration '" + visible(file, Lines::escaped) + "' " +
                                         loaded.error().message);
  }
  if (!addresses.empty()) {
    loaded->configuration.server.listen = std::move(addresses);
  }
  return loaded;
}

config::Configuration loadable_part_of(const config::Loaded& loaded) {
  config::Configuration part = loaded.configuration;
  if (loaded.is_right()) return part;
  const config::SystemSurroundings surroundings;
  const auto is_unreadable = [&](const auto& entry) {
    return entry.second.script.empty() || !surroundings.check_file(entry.second.script);
  };
  std::erase_if(part.providers, is_unreadable);
  std::erase_if(part.tasks, is_unreadable);
  std::erase_if(part.events, is_unreadable);
  // What is wrong with these has been told.
  for (auto& [id, task] : part.tasks) {
    task.input_schema.reset();
    task.plugin.clear();
  }
  for (auto& [id, event] : part.events) event.payload_schema.reset();
  part.plugins.clear();
  part.tunnels.clear();
  const std::optional<TlsFiles> tls = std::exchange(part.server, {}).tls;
  if (tls && surroundings.check_file(tls->certificate) && surroundings.check_file(tls->key))
    part.server.tls = tls;
  return part;
}

void add_mistakes_of_files(config::Loaded& loaded, const std::vector<std::string>& lines,
                           Severity severity) {
  for (const std::string& line : lines) {
    config::Mistake mistake{.is_warning = severity == Severity::warning, .text = line};
    const auto place = std::ranges::find_if(loaded.files, [&](const config::NamedFile& named) {
      return line.starts_with(named.file + ": ");
    });
    if (place != loaded.files.end()) {
      mistake.line = place->line;
      mistake.column = place->column;
    }
    // Two tasks may have one script.
    std::vector<config::Mistake>& all = loaded.mistakes;
    if (std::ranges::find(all, line, &config::Mistake::text) != all.end()) continue;
    const auto place_of = [](const config::Mistake& one) {
      return std::pair(one.line, one.column);
    };
    all.insert(std::ranges::upper_bound(all, place_of(mistake), {}, place_of), mistake);
  }
}

std::string lines_of(const config::Loaded& loaded) {
  std::string lines;
  for (const config::Mistake& mistake : loaded.mistakes) {
    lines += visible(config::to_text(mistake, loaded.configuration.file), Lines::escaped) + "\n";
  }
  return lines;
}

std::string summary_of(const config::Configuration& configuration) {
  const config::Server& server = configuration.server;
  std::string text = configuration.file + ": ok\n";
  text += "  " + counted(configuration.tasks.size(), "task") +
          exposed_of(configuration, configuration.tasks.size(), &config::Expose::tasks) + ", " +
          counted(configuration.events.size(), "event") +
          exposed_of(configuration, configuration.events.size(), &config::Expose::events) + ", " +
          counted(configuration.providers.size(), "provider") + ", " +
          counted(configuration.plugins.size(), "plugin") + "\n";
  text += "  listens on ";
  for (const std::string& address : server.listen)
    text += (&address == server.listen.data() ? "" : ", ") + address;
  text += ", base path " + (server.base_path.empty() ? "/" : server.base_path);
  text += server.tls ? ", TLS\n" : "\n";
  return visible(text, Lines::kept);
}

std::string json_of(const config::Loaded& loaded) {
  std::vector<Value> mistakes;
  for (const config::Mistake& one : loaded.mistakes) {
    mistakes.push_back(Value::object({{"line", one.line},
                                      {"column", one.column},
                                      {"severity", one.is_warning ? "warning" : "error"},
                                      {"message", one.text}}));
  }
  const Value whole = Value::object({{"ok", loaded.is_right()},
                                     {"file", loaded.configuration.file},
                                     {"mistakes", Value::array_from(mistakes)}});
  return json::encode(whole).value_or("{}") + "\n";
}

}  // namespace cordon::cli
