#include "cordon/server/runner_execution.h"

#include <utility>

#include "cordon/protocol/execbox/failure_codes.h"
#include "cordon/tools/provider_state.h"

namespace cordon::server {
namespace {

Error error_of(const ExecutionError& error) {
  // What ends an execution is the protocol's seven, whatever the host called its tool's failure.
  const bool is_known =
      error.own_code.empty() && execbox::code_of_end(error.code) == name_of(error.code);
  if (error.from_tool && !is_known) return {ErrorCode::runtime_error, error.message};
  if (error.is(ErrorCode::cancelled))
    return {ErrorCode::timeout, std::string(execbox::timed_out_text)};
  return {error.code, error.message};
}

execbox::Diagnostics diagnostics_of(ExecutionError& error) {
  execbox::Diagnostics known{.name = std::move(error.name),
                             .hint = std::move(error.hint),
                             .reason = std::move(error.reason),
                             .place = std::move(error.place),
                             .stack = std::move(error.stack),
                             .suggestions = std::move(error.suggestions)};
  if (error.location) {
    known.file = std::move(error.location->file);
    known.line = error.location->line;
    known.column = error.location->column;
  }
  for (ErrorCause& cause : error.causes)
    known.causes.push_back(
        {std::move(cause.name), std::move(cause.message), std::move(cause.stack)});
  return known;
}

ExecuteOptions options_of(const execbox::Options& options, ValueRule values) {
  return {
      .limits = {.time = {.total = options.timeout},
                 .memory_bytes = options.memory_limit_bytes,
                 .log_lines = options.max_log_lines,
                 .log_chars = options.max_log_chars},
      .program = ProgramRule::execbox,
      .values = values,
  };
}

}  // namespace

execbox::End end_of(Report report) {
  execbox::End end;
  end.duration = std::chrono::floor<std::chrono::milliseconds>(report.duration);
  end.logs.reserve(report.logs.size());
  for (LogLine& line : report.logs) end.logs.push_back(std::move(line.text));
  if (report.ok()) {
    end.outcome = std::move(report.result);
  } else {
    end.outcome = error_of(report.error);
    end.diagnostics = diagnostics_of(report.error);
  }
  return end;
}

RunnerExecution::RunnerExecution(Engine& engine, const RunnerSettings& settings,
                                 execbox::KnownManifests* known)
    : engine_(engine), settings_(settings), session_(settings.limits, known) {}

void RunnerExecution::act() {
  while (session_.has_orders()) {
    for (execbox::Order& order : session_.take_orders()) {
      if (auto* begin = std::get_if<execbox::Start>(&order)) {
        start(begin->execute);
      } else if (auto* answer = std::get_if<execbox::Settle>(&order)) {
        settle(std::move(*answer));
      } else if (execution_) {
        execution_->cancel();
      }
    }
  }
}

void RunnerExecution::start(const execbox::Execute& execute) {
  ExecuteOptions options = options_of(execute.options, settings_.values);
  for (const execbox::ProviderManifest& manifest : execute.providers)
    options.providers.push_back(provider_of(manifest));
  options.on_wait = [weak = weak_from_this()] {
    const auto self = weak.lock();
    if (self == nullptr) return;
    self->session_.on_wait();
    self->tell();
  };
  execution_ = engine_.execute(execute.code, std::move(options));
  execution_->then([self = shared_from_this()](Report report) {
    self->session_.on_end(end_of(std::move(report)));
    self->replies_.clear();
    self->tell();
  });
}

Provider RunnerExecution::provider_of(const execbox::ProviderManifest& manifest) {
  return detail::ProviderAccess::of_names(
      manifest.name, manifest.safe_names,
      [weak = weak_from_this(), name = manifest.name](const std::string& tool, const Value& input,
                                                      Reply reply) {
        if (const auto self = weak.lock()) self->call(name, tool, input, std::move(reply));
      });
}

void RunnerExecution::call(const std::string& provider, const std::string& tool, const Value& input,
                           Reply reply) {
  // What the host has not read yet waits here, in the runner's memory.
  if (session_.output().size() > 2 * settings_.limits.message_bytes) {
    reply(fail(ErrorCode::runtime_error, "Too much data in pending tool calls"));
    return;
  }
  const std::optional<std::uint64_t> number = session_.on_tool_call(provider, tool, input);
  if (!number) {
    reply(fail(ErrorCode::serialization_error, std::string(execbox::not_serializable_text)));
    return;
  }
  replies_.emplace(*number, std::move(reply));
  tell();
}

void RunnerExecution::settle(execbox::Settle settle) {
  const auto found = replies_.find(settle.call);
  if (found == replies_.end()) return;
  Reply reply = std::move(found->second);
  replies_.erase(found);
  if (auto* value = std::get_if<Value>(&settle.outcome)) {
    reply(std::move(*value));
  } else {
    reply(fail(std::get<Error>(std::move(settle.outcome))));
  }
}

void RunnerExecution::drop() {
  on_news_ = {};
  if (execution_) execution_->cancel();
}

}  // namespace cordon::server
