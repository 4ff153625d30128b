#include "cordon/host/advice.h"

#include <algorithm>
#include <string>
#include <utility>

#include "cordon/tools/global_names.h"

namespace cordon::host {
namespace {

// The line of the error from its place on. Lines are cut, and so may this be.
std::string_view text_at(const SourceExcerpt& excerpt) {
  if (excerpt.lines.empty() || !excerpt.lines.back().starts_with(excerpt.before)) return {};
  return std::string_view(excerpt.lines.back()).substr(excerpt.before.size());
}

// The specifier of `require('lodash')`, where the place of the error is at `require`.
std::string_view required_in(std::string_view text) {
  constexpr std::string_view call = "require(";
  if (!text.starts_with(call)) return {};
  text.remove_prefix(call.size());
  if (!text.starts_with('\'') && !text.starts_with('"')) return {};
  const std::size_t end = text.find(text.front(), 1);
  return end == std::string_view::npos ? std::string_view() : text.substr(1, end - 1);
}

// `gmail.send(` calls a tool of a namespace that is not there.
bool is_call_of_member(std::string_view text, std::string_view name) {
  if (!text.starts_with(name)) return false;
  text.remove_prefix(name.size());
  if (!text.starts_with('.')) return false;
  text.remove_prefix(1);
  const std::size_t end = text.find_first_of("( .;,[)=+-*/&|?:<>");
  return end != std::string_view::npos && end > 0 && text[end] == '(';
}

// Names of the program's own, such as a variable, are what was meant sooner than ours.
bool has_own_near_name(const js::Thrown& thrown) {
  return thrown.names_are_near && std::ranges::any_of(thrown.names, [](const std::string& name) {
           return !tools::is_guest_global(name);
         });
}

std::string advice_on(const js::Thrown& thrown, std::string_view text, const Given& given) {
  const std::string& name = thrown.unknown_name;
  const MissingName* const global = find_missing_global(name);
  if (global == nullptr) {
    if (!thrown.names.empty() || !is_call_of_member(text, name)) return {};
    const std::string tools = advice_on_namespace(given);
    return tools.empty() ? tools : "there is no " + name + "; " + tools;
  }
  if (global->is_common && has_own_near_name(thrown)) return {};
  if (name == "require") {
    std::string advice = advice_on_import(required_in(text), given);
    if (!advice.empty()) return advice;
  }
  return advice_on_global(*global, given);
}

}  // namespace

void advise(ExecutionError& error, const js::Thrown& thrown, std::string_view refused_import,
            const Given& given) {
  if (error.from_tool || !error.is(ErrorCode::runtime_error)) return;
  std::string advice;
  if (!refused_import.empty()) {
    advice = advice_on_import(refused_import, given);
  } else if (thrown.is_global) {
    advice = advice_on(thrown, text_at(error.excerpt), given);
  }
  if (advice.empty()) return;
  error.hint = std::move(advice);
  error.suggestions.clear();
}

}  // namespace cordon::host
