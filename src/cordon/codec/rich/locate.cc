#include "cordon/codec/rich/locate.h"

#include <vector>

#include "cordon/codec/json/decode.h"

namespace cordon::rich {
namespace {

// One pass over text that is known to be JSON. A container lies on the path if all steps so far
// lead to it; others are passed over, so that no more is kept than the path is long.
class Search {
 public:
  Search(std::string_view text, std::span<const PathStep> path) : text_(text), path_(path) {}

  std::size_t run() {
    value(true);
    while (!open_.empty()) {
      blanks();
      if (at_ >= text_.size()) break;
      if (text_[at_] == ',') {
        ++at_;
        ++open_.back().index;
        blanks();
      }
      if (text_[at_] == ']' || text_[at_] == '}') {
        ++at_;
        open_.pop_back();
        continue;
      }
      element();
    }
    return found_;
  }

 private:
  struct Open {
    bool object;
    std::size_t index = 0;
  };

  void element() {
    const Open open = open_.back();
    const PathStep& step = path_[open_.size() - 1];
    bool matches = step.is_index && step.index == open.index;
    if (open.object) {
      const std::string_view key = string();
      matches = !step.is_index && is_text_of(key, step.key);
      blanks();
      ++at_;  // the colon
    }
    value(matches);
  }

  void value(bool on_path) {
    blanks();
    if (on_path && open_.size() == path_.size()) {
      found_ = at_;
      on_path = false;
    }
    if (at_ >= text_.size()) return;
    const char c = text_[at_];
    if (c == '"') {
      string();
    } else if (c == '{' || c == '[') {
      if (!on_path) return pass_container();
      ++at_;
      open_.push_back({c == '{'});
    } else {
      while (at_ < text_.size() && !std::string_view(",]} \t\r\n").contains(text_[at_])) ++at_;
    }
  }

  void pass_container() {
    std::size_t depth = 0;
    do {
      const char c = text_[at_];
      if (c == '"') {
        string();
        continue;
      }
      if (c == '{' || c == '[') ++depth;
      if (c == '}' || c == ']') --depth;
      ++at_;
    } while (depth > 0 && at_ < text_.size());
  }

  // Past a string, and returns it with its quotes.
  std::string_view string() {
    const std::size_t start = at_++;
    while (at_ < text_.size() && text_[at_] != '"') at_ += text_[at_] == '\\' ? 2U : 1U;
    ++at_;
    return text_.substr(start, at_ - start);
  }

  static bool is_text_of(std::string_view quoted, std::string_view key) {
    if (!quoted.contains('\\')) return quoted.substr(1, quoted.size() - 2) == key;
    const auto read = json::decode(quoted);
    return read && read->as_string() == key;
  }

  void blanks() {
    while (at_ < text_.size() && std::string_view(" \t\r\n").contains(text_[at_])) ++at_;
  }

  std::string_view text_;
  std::span<const PathStep> path_;
  std::size_t at_ = 0;
  std::size_t found_ = 0;
  std::vector<Open> open_;
};

}  // namespace

std::size_t offset_of(std::string_view json, std::span<const PathStep> path) {
  return Search(json, path).run();
}

}  // namespace cordon::rich
