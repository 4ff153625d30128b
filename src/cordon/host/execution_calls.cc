// The part of ExecutionState for calls in both directions: the guest calls tools and the port of a
// task, and others call the functions of a module.
//
// An answer reaches the guest in one of two ways. A tool that answers before its call returns is
// answered in the same turn (TurnAnswers). Any other answer, from any thread, is a delivery: it
// lies in the Scheduler's inbox until the next turn begins. Both end in settle(). CallLedger::close
// makes sure that a call ends once for observers, and the guest ignores an answer to a call that it
// has closed.
//
// What is held for a guest that does not take its answers is bounded. No further calls are made
// while much is queued for it, and an answer that the budget does not cover becomes an error.

#include <utility>

#include "cordon/host/execution_state.h"
#include "cordon/host/failure.h"
#include "cordon/host/scheduler.h"

namespace cordon::host {
namespace {

std::unexpected<Error> too_much_data() {
  return cordon::fail(ErrorCode::runtime_error, "Too much data in pending tool calls");
}

std::string text_of(const js::Unserializable& refused) {
  ExecutionError error = error_of(refused);
  error.message = "the tool returned a non-serializable value";
  return tool_refusal_text(error);
}

}  // namespace

// Any thread.

void ExecutionState::answer(std::uint64_t call, Result<Value> result) {
  if (!result) result = cordon::fail(failure_of(std::move(result).error()));
  take_answer({call, std::move(result)});
}

void ExecutionState::take_answer(Delivery::Answer answer) {
  if (!answers_.keep(answer)) scheduler_->deliver(*this, {std::move(answer)});
}

void ExecutionState::answer_port(Delivery::PortAnswer answer) {
  if (!answers_.keep(answer)) scheduler_->deliver(*this, {std::move(answer)});
}

// In a turn: the guest's calls of others.

bool ExecutionState::act_on_notes(Instant end) {
  for (const LogLine& line : std::exchange(notes_.logs, {})) options_.on_log(line);
  if (notes_.ready) tell_ready();
  if (notes_.has_violated) return false;
  for (NotedReply& noted : std::exchange(notes_.replies, {})) reply_to(std::move(noted));
  const bool answered = act_on_calls(end);
  return act_on_port_calls() || answered;
}

void ExecutionState::tell_ready() {
  auto* const kept = std::get_if<KeptFromImage>(&start_);
  if (is_ready_ || (kept == nullptr && !is_to_prepare())) {
    notes_.has_violated = true;
    return;
  }
  is_ready_ = true;
  clocks_.measure_calls();
  functions_ = *std::exchange(notes_.ready, std::nullopt);
  if (kept == nullptr) return;
  // From here on it lives until it is dropped.
  clocks_.drop_deadline();
  std::exchange(kept->ready, {})({});
}

// A guest that does not take its answers makes no more calls, since the answers would pile up here.
// The time that tools compute is part of the turn, so calls that are left are made in the next one.
bool ExecutionState::act_on_calls(Instant end) {
  bool answered = false;
  std::size_t called = 0;
  bool in_time = true;
  std::vector<NotedCall>& calls = notes_.calls;
  while (called < calls.size() && !notes_.has_violated && in_time &&
         guest_->queued_bytes() <= budget_->limits().bytes / 4) {
    call_tool(std::move(calls[called++]));
    for (Delivery::Answer& answer : answers_.take()) {
      const Instant now = std::chrono::steady_clock::now();
      settle(std::move(answer), now);
      answered = true;
      in_time = now < end;
    }
  }
  calls.erase(calls.begin(), calls.begin() + static_cast<std::ptrdiff_t>(called));
  return answered || !calls.empty();
}

void ExecutionState::call_tool(NotedCall noted) {
  if (!tools_.accepts(noted.tool, noted.name) ||
      calls_.open_count() >= options_.limits.pending_calls) {
    notes_.has_violated = true;
    return;
  }
  const CallRecord record = calls_.open(noted.call, tools_.provider_of(noted.tool),
                                        tools_.name_of(noted.tool, noted.name), noted.bytes,
                                        noted.input ? *noted.input : Value(), clocks_.accepted(),
                                        std::chrono::steady_clock::now(), noted.tool);
  if (options_.on_call) options_.on_call(record);
  if (!noted.input) {
    answers_.add({noted.call, too_much_data()});
    return;
  }
  if (tools_.is_to_suspend_on(noted.tool, noted.name)) {
    suspended_calls_.push_back(
        {noted.call, noted.tool, *std::move(noted.input), std::move(noted.name)});
    return;
  }
  const TurnAnswers::Calling calling(answers_);
  try {
    tools_.call(noted.tool, noted.name, *std::move(noted.input),
                Reply(shared_from_this(), noted.call));
  } catch (...) {
    // The Reply was dropped, which has answered the call.
  }
}

// Puts an answer into the guest's queue and closes the call. The value goes in first, because only
// that shows whether it fits. If it does not, the call fails in its place.
void ExecutionState::settle(Delivery::Answer answer, Instant now) {
  auto& [call, result] = answer;
  const std::size_t queued = guest_->queued_bytes();
  const bool is_taken = !has_failed();  // otherwise the guest does not run any more
  if (!is_taken) {
    // The answer ends the call, and that is all.
  } else if (result) {
    const Result<> settled = guest_->settle(call, *result, calls_.tool_of(call));
    // Slow tools answer at any time, and a guest that computes meanwhile takes no answers.
    if (!settled && settled.error().code == ErrorCode::memory_limit) {
      result = too_much_data();
    } else if (!settled) {
      result = std::unexpected(failure_of(settled.error()));
    }
  } else if (result.error().own_code.size() + result.error().message.size() > budget_->left()) {
    result = too_much_data();
  }
  const Error* failure = result ? nullptr : &result.error();
  const auto record = calls_.close(call, guest_->queued_bytes() - queued, failure, now);
  if (!record) return;
  if (failure != nullptr && is_taken) guest_->settle(call, *failure);
  if (options_.on_answer) options_.on_answer(*record);
}

// Acts on all of them at once: the guest's end may be among the notes too, and what it wrote before
// its end counts.
bool ExecutionState::act_on_port_calls() {
  bool answered = false;
  for (js::PortCall& call : notes_.take_port_calls()) {
    {
      const TurnAnswers::Calling calling(answers_);
      if (!port()->take(std::move(call))) notes_.has_violated = true;
    }
    for (Delivery::PortAnswer& answer : answers_.take_of_port()) {
      settle_port(std::move(answer));
      answered = true;
    }
  }
  return answered;
}

void ExecutionState::settle_port(Delivery::PortAnswer answer) {
  if (auto* bytes = std::get_if<Bytes>(&answer.content)) {
    guest_->feed(answer.call, std::move(*bytes));
  } else if (const auto* failure = std::get_if<Error>(&answer.content)) {
    guest_->settle(answer.call, *failure);
  } else if (!guest_->settle(answer.call, ValueView())) {
    notes_.has_violated = true;  // undefined fits any guest
  }
}

// In a turn: calls of others to the guest.

void ExecutionState::deliver(std::vector<Delivery> deliveries) {
  const Instant now = std::chrono::steady_clock::now();
  for (Delivery& delivery : deliveries) {
    if (auto* answer = std::get_if<Delivery::Answer>(&delivery.content)) {
      settle(std::move(*answer), now);
    } else if (auto* port_answer = std::get_if<Delivery::PortAnswer>(&delivery.content)) {
      settle_port(std::move(*port_answer));
    } else if (std::holds_alternative<Delivery::Abort>(delivery.content)) {
      begin_abort(now);
    } else if (auto* place = std::get_if<StripPlaces::Place>(&delivery.content)) {
      source_.take_place(std::move(*place));
    } else {
      take_invocation(std::move(std::get<Delivery::Invocation>(delivery.content)));
    }
  }
}

void ExecutionState::begin_abort(Instant now) {
  if (guest_ == nullptr) {
    cancel_requested_ = true;
    return;
  }
  guest_->abort_task();
  clocks_.begin_abort(now);
}

void ExecutionState::take_invocation(Delivery::Invocation invocation) {
  const std::uint64_t call = ++last_invocation_;
  const Result<> invoked = guest_->invoke(
      {.call = call, .function = invocation.function, .arguments = {&invocation.input, 1}});
  if (invoked) {
    replies_.emplace(call, std::move(invocation.reply));
  } else {
    invocation.reply(cordon::fail(invoked.error()));
  }
}

void ExecutionState::reply_to(NotedReply noted) {
  const auto found = replies_.find(noted.call);
  if (found == replies_.end()) return;
  Reply reply = std::move(found->second);
  replies_.erase(found);
  if (auto* value = std::get_if<Value>(&noted.outcome)) {
    reply(std::move(*value));
  } else if (const auto* thrown = std::get_if<js::Thrown>(&noted.outcome)) {
    reply(cordon::fail(ErrorCode::tool_error, thrown->error.message));
  } else {
    reply(cordon::fail(ErrorCode::serialization_error,
                       text_of(std::get<js::Unserializable>(noted.outcome))));
  }
}

// The callbacks get told after their members are emptied: they may come back here.
void ExecutionState::fail_service(const ExecutionError& error) {
  auto* const kept = std::get_if<KeptFromImage>(&start_);
  if (kept == nullptr) return;
  const Error told = told_outside(error, ErrorCode::tool_error);
  if (kept->ready) std::exchange(kept->ready, {})(cordon::fail(told));
  for (auto& [call, reply] : std::exchange(replies_, {})) reply(cordon::fail(told));
}

}  // namespace cordon::host
