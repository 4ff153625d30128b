#include "cordon/provider.h"

#include <exception>

#include "cordon/tools/blocking_threads.h"
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

struct Provider::State {
  std::string name;
  bool exact = false;
  std::vector<Tool> tools;
  AnyToolFunction any;
  tools::SafeNames names;
  std::vector<std::shared_ptr<void>> kept;
  std::shared_ptr<tools::BlockingThreads> threads;
};

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
  if (state_->exact) {
    state_->tools.push_back({std::string(name), std::move(function), {}});
    return *this;
  }
  state_->tools.push_back({state_->names.take(name), std::move(function), {}});
  return *this;
}

Provider& Provider::add_any(AnyToolFunction function) {
  state_->any = std::move(function);
  return *this;
}

Provider& Provider::describe(std::string_view tool, std::string_view text) {
  for (Tool& candidate : state_->tools) {
    if (candidate.name == tool) candidate.description = text;
  }
  return *this;
}

void Provider::keep(std::shared_ptr<void> resource) { state_->kept.push_back(std::move(resource)); }

const std::string& Provider::name() const { return state_->name; }
const std::vector<Tool>& Provider::tools() const { return state_->tools; }

const AnyToolFunction& Provider::any_tool() const { return state_->any; }

ToolFunction Provider::find(std::string_view tool) const {
  // If several tools have the name, the last one counts.
  for (auto at = state_->tools.rbegin(); at != state_->tools.rend(); ++at) {
    if (at->name == tool) return at->function;
  }
  if (!state_->any) return {};
  return [any = state_->any, name = std::string(tool)](Value input, Reply reply) {
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
