#include "known_failures.h"

#include <fstream>
#include <sstream>
#include <utility>

namespace cordon::test262 {

std::optional<std::string> read_file(const std::string& path) {
  std::ifstream file(path, std::ios::binary);
  if (!file) return std::nullopt;
  std::ostringstream text;
  text << file.rdbuf();
  return std::move(text).str();
}

std::map<std::string, std::string> parse_list(std::string_view text) {
  std::map<std::string, std::string> entries;
  std::string reason;
  bool goes_on = false;  // the line before was of the same comment
  while (!text.empty()) {
    const std::size_t end = text.find('\n');
    std::string_view line = text.substr(0, end);
    text.remove_prefix(end == std::string_view::npos ? text.size() : end + 1);
    if (line.starts_with('#')) {
      line.remove_prefix(line.starts_with("# ") ? 2 : 1);
      reason = goes_on ? reason + " " + std::string(line) : std::string(line);
      goes_on = true;
      continue;
    }
    goes_on = false;
    const std::size_t comment = line.find(" # ");
    const std::string_view name = line.substr(0, comment);
    if (name.empty()) continue;
    entries.emplace(
        name, comment == std::string_view::npos ? reason : std::string(line.substr(comment + 3)));
  }
  return entries;
}

Comparison compare(const std::set<std::string>& ran, const std::set<std::string>& failed,
                   const std::map<std::string, std::string>& known) {
  Comparison result;
  for (const std::string& test : failed) {
    if (!known.contains(test)) result.new_failures.push_back(test);
  }
  for (const auto& [test, reason] : known) {
    if (ran.contains(test) && !failed.contains(test)) result.to_remove.push_back(test);
  }
  return result;
}

}  // namespace cordon::test262
