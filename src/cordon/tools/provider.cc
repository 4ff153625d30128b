#include "cordon/provider.h"

#include <algorithm>
#include <exception>

#include "cordon/tools/provider_state.h"
#include "cordon/tools/ruled_tool.h"
#include "cordon/tools/safe_name.h"

namespace cordon {
namespace detail {

Result<Value> failed_with(std::exception_ptr exception) {
  try {
    std::rethrow_exception(std::move(exception));
  } catch (const std::exception& error) {
    return fail(ErrorCode::tool_error, error.what());
  } catch (...) {
    return fail(ErrorCode::tool_error, "the tool threw");
  }
}

}  // namespace detail

const CallOrigin& CallSink::origin() const {
  static const CallOrigin unknown;
  return unknown;
}

Reply::~Reply() {
  if (sink_ != nullptr)
    sink_->answer(call_, cordon::fail(ErrorCode::tool_error, "the tool gave no answer"));
}

void Reply::operator()(Result<Value> result) {
  const std::shared_ptr<CallSink> sink = std::move(sink_);
  sink_ = nullptr;
  if (sink != nullptr) sink->answer(call_, std::move(result));
}

void Provider::State::add(Tool tool, ToolFunction plain_function) {
  ++revision;
  tools.push_back(std::move(tool));
  plain.push_back(std::move(plain_function));
}

Tool* Provider::State::find(std::string_view tool) {
  // If several tools have the name, the last one counts.
  const auto found = std::ranges::find(tools.rbegin(), tools.rend(), tool, &Tool::name);
  return found == tools.rend() ? nullptr : &*found;
}

Result<ToolFunction> Provider::State::with_rules(const std::string& tool, ToolFunction function,
                                                 const ToolRules& rules) {
  if (rules.timeout && timer == nullptr) timer = std::make_shared<tools::CallTimer>();
  return tools::with_rules(tool, std::move(function), rules, timer);
}

NameList Provider::State::listed() const {
  const MutexLock lock(mutex);
  if (!of_names && list.size() != tools.size()) {
    std::vector<std::string> all;
    all.reserve(tools.size());
    for (const Tool& tool : tools) all.push_back(tool.name);
    list = NameList(std::move(all));
  }
  return list;
}

void Provider::State::set_list(NameList exact_names) {
  const MutexLock lock(mutex);
  list = std::move(exact_names);
}

Provider detail::ProviderAccess::of_names(std::string_view name, NameList names,
                                          AnyToolFunction function) {
  Provider provider = Provider::with_exact_names(name);
  provider.state_->set_list(std::move(names));
  provider.state_->of_names = std::move(function);
  return provider;
}

Provider::Provider(std::string_view name) : state_(std::make_shared<State>()) {
  state_->name = tools::safe_name(name);
}

Provider Provider::with_exact_names(std::string_view name) {
  Provider provider(name);
  provider.state_->name = name;
  provider.state_->exact = true;
  return provider;
}

Provider::~Provider() = default;
Provider::Provider(const Provider&) = default;
Provider::Provider(Provider&&) noexcept = default;
Provider& Provider::operator=(const Provider&) = default;
Provider& Provider::operator=(Provider&&) noexcept = default;

Provider& Provider::add_async(std::string_view name, ToolFunction function) {
  std::string unique = state_->exact ? std::string(name) : state_->names.take(name);
  state_->add({std::move(unique), function, std::string(name), {}}, function);
  return *this;
}

Result<> Provider::add_async(std::string_view name, ToolFunction function, ToolRules rules) {
  const std::string unique = state_->exact ? std::string(name) : state_->names.next(name);
  ToolFunction ruled = CORDON_TRY(state_->with_rules(std::string(name), function, rules));
  add_async(name, std::move(function));
  Tool& tool = state_->tools.back();
  tool.function = std::move(ruled);
  tool.rules = std::move(rules);
  return {};
}

Provider& Provider::add_any(AnyToolFunction function) {
  state_->any = std::move(function);
  return *this;
}

Provider& Provider::describe(std::string_view tool, std::string_view text) {
  ++state_->revision;
  for (Tool& candidate : state_->tools) {
    if (candidate.name == tool) candidate.rules.description = text;
  }
  return *this;
}

Result<> Provider::set_rules(std::string_view tool, ToolRules rules) {
  Tool* const found = state_->find(tool);
  if (found == nullptr)
    return fail(ErrorCode::not_found, state_->name + " has no tool " + std::string(tool));
  const ToolFunction& plain = state_->plain[static_cast<std::size_t>(found - state_->tools.data())];
  found->function = CORDON_TRY(state_->with_rules(found->original_name, plain, rules));
  if (rules.description.empty()) rules.description = std::move(found->rules.description);
  found->rules = std::move(rules);
  ++state_->revision;
  return {};
}

Provider Provider::read_only() const {
  Provider view = with_exact_names(state_->name);
  for (std::size_t i = 0; i < state_->tools.size(); ++i)
    if (state_->tools[i].rules.read_only) view.state_->add(state_->tools[i], state_->plain[i]);
  view.state_->kept = state_->kept;
  view.state_->takes_all_values = state_->takes_all_values;
  if (view.tools().size() == tools().size()) view.state_->types = state_->types;
  return view;
}

Provider& Provider::take_all_values() {
  state_->takes_all_values = true;
  return *this;
}

bool Provider::takes_all_values() const { return state_->takes_all_values; }

void Provider::keep(std::shared_ptr<void> resource) { state_->kept.push_back(std::move(resource)); }

const std::string& Provider::name() const { return state_->name; }
const std::vector<Tool>& Provider::tools() const { return state_->tools; }

const std::string& Provider::types() const { return state_->types; }

const AnyToolFunction& Provider::any_tool() const { return state_->any; }

ToolFunction Provider::find(std::string_view tool) const {
  const auto position = state_->listed().find(tool);
  if (position && !state_->of_names) return state_->tools[*position].function;
  const AnyToolFunction& all = position ? state_->of_names : state_->any;
  if (!all) return {};
  return [any = all, name = std::string(tool)](Value input, Reply reply) {
    any(name, std::move(input), std::move(reply));
  };
}

Provider::Runner Provider::runner() {
  if (state_->threads == nullptr) {
    state_->threads = std::make_shared<tools::BlockingThreads>();
  }
  // The threads outlive the provider's handle only while one of their calls runs.
  return [threads = state_->threads](std::move_only_function<void()> work) {
    threads->run(std::move(work));
  };
}

}  // namespace cordon
