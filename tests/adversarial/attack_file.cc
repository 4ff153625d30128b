#include "attack_file.h"

#include <algorithm>
#include <fstream>
#include <iterator>
#include <sstream>
#include <stdexcept>
#include <string_view>

#include "cordon/codec/json/decode.h"

namespace cordon::adversarial {
namespace {

std::uint64_t whole_number(const std::string& text, std::string_view unit) {
  std::size_t used = 0;
  const std::uint64_t number = std::stoull(text, &used);
  if (text.substr(used) != unit)
    throw std::runtime_error("a number in " + std::string(unit) + " was expected: " + text);
  return number;
}

Value json_of(const std::string& text) {
  Result<Value> value = json::decode(text);
  if (!value) throw std::runtime_error("not JSON: " + text);
  return *std::move(value);
}

void take_expectation(AttackFile& attack, const std::string& text) {
  attack.code.clear();
  attack.result.reset();
  if (text.starts_with("code=")) {
    attack.code = text.substr(5);
  } else if (text == "ok=undefined") {
    attack.result = Value();
  } else if (text.starts_with("ok=")) {
    attack.result = json_of(text.substr(3));
  } else {
    throw std::runtime_error("unknown expectation: " + text);
  }
}

// True for a line of the form `// key: text` with a key that is known.
bool take_directive(AttackFile& attack, RunBy by, const std::string& line) {
  const std::size_t colon = line.find(": ");
  if (!line.starts_with("// ") || colon == std::string::npos) return false;
  const std::string key = line.substr(3, colon - 3);
  const std::string text = line.substr(colon + 2);
  if (key == "expect") {
    take_expectation(attack, text);
  } else if (key == "runner") {
    if (by == RunBy::engine) return true;
    take_expectation(attack, text);
    attack.has_end_of_runner = true;
  } else if (key == "timeout") {
    attack.timeout = std::chrono::milliseconds(whole_number(text, ""));
  } else if (key == "memory") {
    attack.memory_bytes = whole_number(text, "MiB") << 20;
  } else if (key == "log") {
    attack.log.push_back(text.starts_with('"') ? std::string(json_of(text).as_string()) : text);
  } else if (key == "runner-log") {
    if (by == RunBy::engine) return true;
    attack.log = {text};
  } else if (key == "message") {
    attack.message = text;
  } else {
    return false;
  }
  return true;
}

}  // namespace

AttackFile read_attack(const std::filesystem::path& path, RunBy by) {
  std::ifstream file(path, std::ios::binary);
  AttackFile attack;
  attack.path = path;
  attack.source.assign(std::istreambuf_iterator<char>(file), {});
  std::istringstream lines(attack.source);
  for (std::string line; std::getline(lines, line) && line.starts_with("//");)
    take_directive(attack, by, line);
  if (attack.has_end_of_runner) attack.message.clear();  // it is of the other end
  if (attack.code.empty() == !attack.result.has_value()) {
    throw std::runtime_error(path.string() + " says not, or twice, what must come of it");
  }
  return attack;
}

std::vector<std::filesystem::path> attack_paths() {
  std::vector<std::filesystem::path> paths;
  for (const auto& entry : std::filesystem::directory_iterator("tests/adversarial")) {
    if (entry.path().extension() == ".js") paths.push_back(entry.path());
  }
  std::ranges::sort(paths);
  return paths;
}

}  // namespace cordon::adversarial
