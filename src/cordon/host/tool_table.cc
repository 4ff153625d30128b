#include "cordon/host/tool_table.h"

#include <algorithm>
#include <utility>

#include "cordon/tools/provider_state.h"

namespace cordon::host {
namespace {

std::string not_given(const std::string& provider, std::string_view tool) {
  return "the tool " + provider + "." + std::string(tool) + " was not given to this execution";
}

std::vector<std::string> sorted(std::vector<std::string> names) {
  std::ranges::sort(names);
  return names;
}

}  // namespace

ToolTable::ToolTable(std::vector<Provider> providers, std::vector<std::string> suspend_on)
    : providers_(std::move(providers)), suspend_on_(sorted(std::move(suspend_on))) {
  namespaces_.reserve(providers_.size());
  for (const Provider& provider : providers_) {
    namespaces_.push_back({provider.name(), detail::ProviderAccess::names(provider),
                           static_cast<bool>(provider.any_tool()), provider.takes_all_values()});
    spaces_.push_back({0, &provider});
  }
  number_them();
}

ToolTable::ToolTable(std::vector<Provider> providers, std::vector<std::string> suspend_on,
                     std::vector<js::Namespace> known)
    : providers_(std::move(providers)),
      suspend_on_(sorted(std::move(suspend_on))),
      namespaces_(std::move(known)),
      is_of_image_(true) {
  for (const js::Namespace& space : namespaces_) {
    const auto given = std::ranges::find(providers_, space.name, &Provider::name);
    spaces_.push_back({0, given == providers_.end() ? nullptr : &*given});
  }
  number_them();
}

void ToolTable::number_them() {
  for (std::size_t i = 0; i < spaces_.size(); ++i) {
    spaces_[i].first = size_;
    size_ += static_cast<std::uint32_t>(namespaces_[i].numbers());
  }
}

// Namespaces without a function share their first number with the next one, so the last counts.
ToolTable::Place ToolTable::place_of(std::uint32_t number) const {
  const auto space = std::prev(std::ranges::upper_bound(spaces_, number, {}, &Space::first));
  return {namespaces_[static_cast<std::size_t>(space - spaces_.begin())], space->provider,
          number - space->first};
}

bool ToolTable::is_open(std::uint32_t number) const {
  return number < size_ && !place_of(number).is_listed();
}

bool ToolTable::accepts(std::uint32_t number, const std::string& name) const {
  return number < size_ && place_of(number).is_listed() == name.empty();
}

const std::string& ToolTable::provider_of(std::uint32_t number) const {
  return place_of(number).space.name;
}

const std::string& ToolTable::name_of(std::uint32_t number, const std::string& name) const {
  const Place place = place_of(number);
  return place.is_listed() ? place.space.functions[place.position] : name;
}

bool ToolTable::is_to_suspend_on(std::uint32_t number, const std::string& name) const {
  return !suspend_on_.empty() && is_named_to_suspend_on(provider_of(number), name_of(number, name));
}

bool ToolTable::is_named_to_suspend_on(const std::string& provider, const std::string& tool) const {
  return std::ranges::binary_search(suspend_on_, tool) ||
         std::ranges::binary_search(suspend_on_, provider + "." + tool);
}

void ToolTable::call(std::uint32_t number, const std::string& name, Value input,
                     Reply reply) const {
  const Place place = place_of(number);
  if (!is_of_image_ && place.is_listed()) {
    if (const auto& all = detail::ProviderAccess::function_of_names(*place.provider))
      return all(name_of(number, name), std::move(input), std::move(reply));
    place.provider->tools()[place.position].function(std::move(input), std::move(reply));
  } else if (!is_of_image_) {
    place.provider->any_tool()(name, std::move(input), std::move(reply));
  } else {
    const std::string& tool = name_of(number, name);
    if (const ToolFunction function = find(place, tool)) {
      function(std::move(input), std::move(reply));
    } else {
      reply(cordon::fail(ErrorCode::tool_error, not_given(place.space.name, tool)));
    }
  }
}

// The provider may list other tools now than when the image was saved, or be open now, or not any
// more.
ToolFunction ToolTable::find(const Place& place, const std::string& tool) {
  return place.provider == nullptr ? ToolFunction() : place.provider->find(tool);
}

void ToolTable::clear() {
  size_ = 0;
  spaces_.clear();
  providers_.clear();
}

}  // namespace cordon::host
