#include "cordon/host/tool_table.h"

#include <algorithm>
#include <utility>

namespace cordon::host {
namespace {

std::string not_given(const std::string& provider, std::string_view tool) {
  return "the tool " + provider + "." + std::string(tool) + " was not given to this execution";
}

const Tool* find_tool(const Provider* provider, const std::string& name) {
  const Tool* found = nullptr;
  if (provider == nullptr) return found;
  for (const Tool& tool : provider->tools())
    if (tool.name == name) found = &tool;  // the last one of a name counts
  return found;
}

}  // namespace

ToolTable::ToolTable(std::vector<Provider> providers, std::vector<std::string> suspend_on)
    : providers_(std::move(providers)), suspend_on_(std::move(suspend_on)) {
  namespaces_.reserve(providers_.size());
  for (const Provider& provider : providers_) {
    js::Namespace& space = namespaces_.emplace_back(
        js::Namespace{.name = provider.name(), .is_rich = provider.takes_all_values()});
    for (const Tool& tool : provider.tools()) {
      space.functions.push_back(tool.name);
      add(provider.name(), tool);
    }
    if (const AnyToolFunction& any = provider.any_tool()) {
      space.is_open = true;
      add_any(provider.name(), any);
    }
  }
}

ToolTable::ToolTable(std::vector<Provider> providers, std::vector<std::string> suspend_on,
                     std::vector<js::Namespace> known)
    : providers_(std::move(providers)),
      suspend_on_(std::move(suspend_on)),
      namespaces_(std::move(known)) {
  for (const js::Namespace& space : namespaces_) add_known(space);
}

void ToolTable::add(const std::string& provider, const Tool& tool) {
  places_.push_back({&provider, &tool, nullptr, is_named_to_suspend_on(provider, tool.name)});
}

void ToolTable::add_any(const std::string& provider, const AnyToolFunction& any) {
  places_.push_back({&provider, nullptr, &any});
}

void ToolTable::add_known(const js::Namespace& space) {
  const auto given = std::ranges::find_if(
      providers_, [&](const Provider& one) { return one.name() == space.name; });
  const Provider* const provider = given == providers_.end() ? nullptr : &*given;
  for (const std::string& function : space.functions) {
    const Tool* found = find_tool(provider, function);
    if (found == nullptr) {
      ToolFunction stand_in = provider == nullptr ? ToolFunction() : provider->find(function);
      if (!stand_in) {
        stand_in = [message = not_given(space.name, function)](Value, Reply reply) {
          reply(cordon::fail(ErrorCode::tool_error, message));
        };
      }
      found = &stand_in_tools_.emplace_back(Tool{function, std::move(stand_in), function, {}});
    }
    add(space.name, *found);
  }
  if (!space.is_open) return;
  // The provider may not be open any more, or list tools now that it did not list then.
  const AnyToolFunction& any = stand_in_any_.emplace_back(
      [provider, &space](const std::string& tool, Value input, Reply reply) {
        const ToolFunction function = provider == nullptr ? ToolFunction() : provider->find(tool);
        if (!function)
          return reply(cordon::fail(ErrorCode::tool_error, not_given(space.name, tool)));
        function(std::move(input), std::move(reply));
      });
  add_any(space.name, any);
}

bool ToolTable::is_open(std::uint32_t number) const {
  return number < places_.size() && places_[number].any != nullptr;
}

bool ToolTable::accepts(std::uint32_t number, const std::string& name) const {
  return number < places_.size() && (places_[number].any != nullptr) == !name.empty();
}

const std::string& ToolTable::name_of(std::uint32_t number, const std::string& name) const {
  const Tool* const tool = places_[number].tool;
  return tool != nullptr ? tool->name : name;
}

bool ToolTable::is_to_suspend_on(std::uint32_t number, const std::string& name) const {
  const Place& place = places_[number];
  return place.tool != nullptr ? place.suspends : is_named_to_suspend_on(*place.provider, name);
}

bool ToolTable::is_named_to_suspend_on(const std::string& provider, const std::string& tool) const {
  if (suspend_on_.empty()) return false;
  const std::string full = provider + "." + tool;
  return std::ranges::any_of(suspend_on_,
                             [&](const std::string& name) { return name == full || name == tool; });
}

void ToolTable::call(std::uint32_t number, const std::string& name, Value input,
                     Reply reply) const {
  const Place& place = places_[number];
  if (place.tool != nullptr) {
    place.tool->function(std::move(input), std::move(reply));
  } else {
    (*place.any)(name, std::move(input), std::move(reply));
  }
}

void ToolTable::clear() {
  places_.clear();
  stand_in_tools_.clear();
  stand_in_any_.clear();
  providers_.clear();
}

}  // namespace cordon::host
