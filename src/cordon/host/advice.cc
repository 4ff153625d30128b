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
    if (std::string tool = advice_on_bare_tool(name, given); !tool.empty()) return tool;
    if (!thrown.names.empty() || !is_call_of_member(text, name)) return {};
    const std::string tools = advice_on_namespace(given);
    return tools.empty() ? tools : "there is no " + name + "; " + tools;
  }
  if (text.starts_with("process.exit"))
    return "a program ends after its last statement, or with `return` outside of all functions";
  if (global->is_common && has_own_near_name(thrown)) return {};
  if (name == "require") {
    std::string advice = advice_on_import(required_in(text), given);
    if (!advice.empty()) return advice;
  }
  return advice_on_global(*global, given);
}

// `user.name` in `const n = user.name.`: what stands before the name that is not there. Empty if it
// is more than names and dots.
std::string_view expression_before(std::string_view before) {
  constexpr std::string_view letters =
      "abcdefghijklmnopqrstuvwxyzABCDEFGHIJKLMNOPQRSTUVWXYZ0123456789_$.";
  if (!before.ends_with('.')) return {};
  before.remove_suffix(before.ends_with("?.") ? 2 : 1);
  const std::size_t end = before.find_last_not_of(letters);
  const std::string_view name = end == std::string_view::npos ? before : before.substr(end + 1);
  const bool is_whole = end == std::string_view::npos || (before[end] != ')' && before[end] != ']');
  return is_whole && !name.starts_with('.') ? name : std::string_view();
}

struct MissingMember {
  std::string_view name;
  std::string_view of_list;
  std::string_view of_text;
};

// What other languages and packages call it.
constexpr MissingMember missing_members[] = {
    {"append", "push", "+"},
    {"chunk", "slice in a loop", ""},
    {"contains", "includes", "includes"},
    {"count", "filter(…).length", "split(part).length - 1"},
    {"distinct", "[...new Set(list)]", ""},
    {"each", "forEach", ""},
    {"extend", "push(...other)", ""},
    {"first", "at(0)", "at(0)"},
    {"flatten", "flat", ""},
    {"groupBy", "Object.groupBy(list, f)", ""},
    {"isEmpty", "length === 0", "length === 0"},
    {"last", "at(-1)", "at(-1)"},
    {"lower", "", "toLowerCase"},
    {"max", "Math.max(...list)", ""},
    {"min", "Math.min(...list)", ""},
    {"remove", "filter or splice", "replace"},
    {"reject", "filter", ""},
    {"select", "map or filter", ""},
    {"size", "length", "length"},
    {"sortBy", "toSorted((a, b) => …)", ""},
    {"strip", "", "trim"},
    {"sum", "reduce((a, b) => a + b, 0)", ""},
    {"toArray", "the array itself", "[...text]"},
    {"uniq", "[...new Set(list)]", ""},
    {"unique", "[...new Set(list)]", ""},
    {"upper", "", "toUpperCase"},
    {"where", "filter", ""},
};

std::string advice_on_member(const js::Thrown& thrown, const SourceExcerpt& excerpt,
                             const Given& given) {
  const std::string& name = thrown.unknown_name;
  std::string_view owner = expression_before(excerpt.before);
  if (const MissingName* const of_node = owner == "crypto" ? find_missing_global(name) : nullptr)
    return advice_on_global(*of_node, given);
  // In `rows.data.length` the place is that of `length`, and `data` is not there.
  if (owner.ends_with("." + name)) owner.remove_suffix(name.size() + 1);
  if (thrown.is_in_promise) {
    if (owner.empty()) return "a promise has no " + name + "; await it first";
    return std::string(owner) + " is a promise, and has no " + name + "; write (await " +
           std::string(owner) + ")." + name;
  }
  if (!thrown.is_in_list && !thrown.is_in_text) return {};
  const auto member = std::ranges::find(missing_members, name, &MissingMember::name);
  if (member != std::ranges::end(missing_members)) {
    const std::string_view instead = thrown.is_in_list ? member->of_list : member->of_text;
    if (!instead.empty()) return "there is no " + name + "; write " + std::string(instead);
  }
  if (thrown.names_are_near) return {};
  const std::string what = thrown.is_in_list ? "an array" : "a string";
  return (owner.empty() ? what : std::string(owner) + " is " + what + ", and") + " has no " + name;
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
  } else if (!thrown.unknown_name.empty()) {
    advice = advice_on_member(thrown, error.excerpt, given);
  }
  if (advice.empty()) return;
  error.hint = std::move(advice);
  error.suggestions.clear();
}

}  // namespace cordon::host
