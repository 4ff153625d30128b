#pragma once

// Configurations in a folder that there is only in a test, and what is wrong with them.

#include <map>
#include <optional>
#include <string>
#include <string_view>
#include <vector>

#include "cordon/config/load.h"

namespace cordon::config {

// A folder /etc/app and an environment that a test makes up.
class Imagined : public Surroundings {
 public:
  std::map<std::string, std::string> files = {{"/etc/app/add.js", ""},
                                              {"/etc/app/notify.js", ""},
                                              {"/etc/app/tools.js", ""},
                                              {"/etc/app/rank.wasm", ""},
                                              {"/etc/app/cert.pem", ""},
                                              {"/etc/app/key.pem", ""},
                                              {"/etc/app/token", "from file\r\n"},
                                              {"/etc/app/empty", "\n"}};
  std::map<std::string, std::string> variables = {{"TOKEN", "from environment"}, {"NOTHING", ""}};

  std::optional<std::string> variable(const std::string& name) const override {
    const auto found = variables.find(name);
    if (found == variables.end()) return std::nullopt;
    return found->second;
  }
  Result<std::string> content(const std::string& path) const override {
    CORDON_TRY(check_file(path));
    return files.at(path);
  }
  Result<> check_file(const std::string& path) const override {
    if (!files.contains(path)) return fail(ErrorCode::not_found, "does not exist");
    return {};
  }
  bool has_folder(const std::string& path) const override { return path == "/etc/app"; }
  std::vector<std::string> names_in(const std::string& folder) const override {
    std::vector<std::string> names;
    for (const auto& [path, content] : files) {
      if (path.starts_with(folder + "/")) names.push_back(path.substr(folder.size() + 1));
    }
    return names;
  }
};

inline Loaded loaded(std::string_view text) {
  return read_configuration(text, "/etc/app/cordon.json", Imagined());
}

inline std::vector<std::string> mistakes(std::string_view text) {
  std::vector<std::string> texts;
  for (const Mistake& one : loaded(text).mistakes) texts.push_back(to_text(one, "cordon.json"));
  return texts;
}

// For a rule about the server alone.
inline std::vector<std::string> server_mistakes(std::string_view server) {
  return mistakes("{\"server\": " + std::string(server) + "}");
}

}  // namespace cordon::config
