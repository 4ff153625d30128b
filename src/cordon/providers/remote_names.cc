#include "cordon/providers/remote_names.h"

#include <algorithm>
#include <array>
#include <utility>

#include "cordon/base/utf8.h"
#include "cordon/providers/id_pattern.h"

namespace cordon::providers {
namespace {

// With a number behind it, a safe name is one that a manifest may have.
constexpr std::size_t max_id_bytes = 500;

bool is_id(std::string_view text) {
  return !text.empty() && text.size() <= max_id_bytes && valid_utf8_prefix(text) == text.size() &&
         std::ranges::none_of(
             text, [](char c) { return static_cast<unsigned char>(c) < ' ' || c == '\x7f'; });
}

// Names that JavaScript looks up on any object when it awaits, prints or compares one. A program
// would call such a task by mistake.
bool is_looked_up(std::string_view name) {
  static constexpr std::array names = std::to_array<std::string_view>(
      {"then", "toJSON", "constructor", "prototype", "valueOf", "toString", "toLocaleString",
       "hasOwnProperty", "isPrototypeOf", "propertyIsEnumerable"});
  return std::ranges::find(names, name) != names.end();
}

std::string name_of(std::string_view id) {
  std::string name = tools::safe_name(id);
  if (is_looked_up(name)) name += '_';
  return name;
}

}  // namespace

RemoteNames::RemoteNames(std::optional<std::vector<std::string>> allow) : allow_(std::move(allow)) {
  if (!allow_) return;
  std::vector<std::string> exact = *allow_;
  std::erase_if(exact, [](const std::string& id) { return is_pattern(id); });
  add(exact);
}

bool RemoteNames::allows(std::string_view id) const { return !allow_ || matches_any(*allow_, id); }

void RemoteNames::add(const std::vector<std::string>& ids) {
  for (const std::string& id : ids) {
    if (by_id_.contains(id) || !is_id(id) || !allows(id)) continue;
    is_cut_ = all_.size() >= max_tasks;
    if (is_cut_) return;
    std::string name = names_.take_identifier(name_of(id));
    by_id_.emplace(id, all_.size());
    by_name_.emplace(name, all_.size());
    all_.push_back({std::move(name), id});
  }
}

std::optional<std::string> RemoteNames::id_of(const std::string& name) const {
  const auto found = by_name_.find(name);
  if (found != by_name_.end()) return all_[found->second].id;
  // An id itself is a name too, as in remote["app.tasks.add"].
  if (by_id_.contains(name)) return name;
  return std::nullopt;
}

}  // namespace cordon::providers
