#include "cordon/host/value_advice.h"

#include <algorithm>
#include <span>
#include <string_view>

namespace cordon::host {
namespace {

using js::RefusedAs;

// What to write for an object of a class. `$` is the object.
struct ClassAdvice {
  std::string_view name;
  std::string_view instead;
};

constexpr ClassAdvice of_classes[] = {
    {"ArrayBuffer", "Array.from(new Uint8Array($))"},
    {"AsyncGenerator", "await Array.fromAsync($)"},
    {"Arguments", "[...$]"},
    {"Boolean", "$.valueOf()"},
    {"DOMException", "$.message"},
    {"DataView", "Array.from(new Uint8Array($.buffer))"},
    {"Date", "$.toISOString()"},
    {"Error", "$.message"},
    {"Generator", "[...$]"},
    {"Map", "Object.fromEntries($)"},
    {"Number", "$.valueOf()"},
    {"RegExp", "String($)"},
    {"Set", "[...$]"},
    {"String", "$.valueOf()"},
    {"URL", "$.href"},
    {"URLSearchParams", "Object.fromEntries($)"},
    {"WeakRef", "$.deref()"},
};

std::string filled(std::string_view text, std::string_view expression) {
  std::string filled;
  for (const char byte : text) {
    if (byte == '$') {
      filled += expression;
    } else {
      filled += byte;
    }
  }
  return filled;
}

// What the program would write for the part at `place`: "rows[1].when".
std::string expression_at(const std::string& place, Leaving leaving) {
  const std::string whole = leaving == Leaving::as_result ? "result" : "argument";
  if (place.empty()) return whole;
  return place.starts_with('[') ? whole + place : place;
}

// `rows` for "rows[1]"; empty if the part is no element of an array.
std::string_view array_around(std::string_view expression) {
  if (!expression.ends_with(']') || expression.ends_with("\"]")) return {};
  return expression.substr(0, expression.rfind('['));
}

std::string advice_on_promise(std::string_view expression) {
  const std::string_view array = array_around(expression);
  if (!array.empty()) return "write await Promise.all(" + std::string(array) + ")";
  return "it is a promise: write await " + std::string(expression);
}

std::string advice_on_object(const std::string& class_name, std::string_view expression) {
  if (class_name == "Promise") return advice_on_promise(expression);
  const auto row = std::ranges::find(of_classes, class_name, &ClassAdvice::name);
  if (row != std::ranges::end(of_classes)) return "write " + filled(row->instead, expression);
  if (class_name.ends_with("Array"))
    return "write " +
           filled(class_name.starts_with("Big") ? "Array.from($, String)" : "Array.from($)",
                  expression);
  if (class_name.ends_with("Iterator") || class_name == "Iterator Helper")
    return "write " + filled("[...$]", expression);
  return "write a plain object with what is wanted of " + std::string(expression);
}

}  // namespace

std::string advice_on_value(const js::Unserializable& refused, Leaving leaving) {
  const std::string expression = expression_at(refused.place, leaving);
  switch (refused.why) {
    case RefusedAs::bigint:
      return filled("write String($), or Number($) if it is below 2 ** 53", expression);
    case RefusedAs::function:
      return filled("write what it returns, as in $(), or leave it out", expression);
    case RefusedAs::symbol:
      return filled("write $.description", expression);
    case RefusedAs::number:
      return filled("write Number.isFinite($) ? $ : null", expression);
    case RefusedAs::cycle:
      return filled("leave out $, which leads back to an object that it is part of", expression);
    case RefusedAs::object:
      return advice_on_object(refused.class_name, expression);
    case RefusedAs::instance:
      if (refused.has_members) return filled("write {...$}", expression);
      return filled("write an object with what is wanted of it, as in {name: $.name}", expression);
    case RefusedAs::depth:
      return "write a list in place of objects that are nested so deeply";
    case RefusedAs::size:
      return "write less of it, such as a part or a summary";
    case RefusedAs::getter:
    case RefusedAs::other:
      return {};
  }
  return {};
}

bool may_leave_as_json(const js::Unserializable& refused) {
  if (refused.why == RefusedAs::instance) return refused.has_members;
  if (refused.why != RefusedAs::object) return false;
  constexpr std::string_view classes[] = {"Date", "URL", "Number", "String", "Boolean"};
  return std::ranges::find(classes, refused.class_name) != std::ranges::end(classes);
}

}  // namespace cordon::host
