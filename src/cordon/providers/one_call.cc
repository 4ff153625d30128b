#include "cordon/providers/one_call.h"

#include <algorithm>
#include <utility>

#include "cordon/providers/pipe_signal.h"

namespace cordon::providers {
namespace {

using namespace std::chrono_literals;
using Clock = std::chrono::steady_clock;

// After its answer a guest has this long to end; what it says meanwhile is judged like the rest.
constexpr auto time_to_leave = 250ms;
constexpr auto time_for_callbacks = 2s;

}  // namespace

OneCall::OneCall(OneCallOptions options, std::unique_ptr<PluginLink> link)
    : options_(std::move(options)), conversation_(std::move(link), options_.callbacks) {}

Result<std::unique_ptr<OneCall>> OneCall::start(OneCallOptions options) {
  Result<std::unique_ptr<PluginLink>> link = PluginLink::start(options.link);
  if (!link) return fail(ErrorCode::unavailable, link.error().message);
  options.request.deadline = options.started + options.timeout;
  return std::unique_ptr<OneCall>(new OneCall(std::move(options), *std::move(link)));
}

Result<Value> OneCall::run() {
  NoPipeSignal no_signal;
  const auto converse_to_the_end = [&]() -> Result<Value> {
    const Result<SentCall> sent = conversation_.send(options_.request);
    if (!sent) {
      // A frame is limited, also one that we write.
      const bool is_large =
          sent.error().is(ErrorCode::too_large) || sent.error().is(ErrorCode::too_deep);
      return fail(is_large ? ErrorCode::too_large : ErrorCode::invalid_argument,
                  sent.error().message);
    }
    is_stream_open_ = !sent->stream.empty();
    is_answered_ = options_.request.answer == duplex::Answer::none;
    return is_answered_ && !is_stream_open_ ? wait_for_end() : converse();
  };
  Result<Value> result = converse_to_the_end();
  if (conversation_.is_input_broken()) no_signal.came();
  return result;
}

// Until the call is answered and its stream has ended.
Result<Value> OneCall::converse() {
  while (!is_answered_ || is_stream_open_) {
    Result<std::optional<GuestEvent>> event = conversation_.next(options_.request.deadline);
    if (!event) return fail(event.error());
    if (*event) {
      CORDON_TRY(on_event(**event));
    } else if (Clock::now() >= options_.request.deadline) {
      return out_of_time();
    }
  }
  return leave();
}

Result<> OneCall::on_event(GuestEvent& event) {
  if (auto* answer = std::get_if<CallAnswer>(&event)) {
    if (!answer->result) return failed_after_end(answer->result.error());
    is_answered_ = true;
    result_ = *std::move(answer->result);
  } else if (const auto* piece = std::get_if<StreamPiece>(&event)) {
    if (options_.on_chunk) return options_.on_chunk(piece->value);
  } else {
    const StreamOver& end = std::get<StreamOver>(event);
    if (end.error) return failed_after_end(*end.error);
    is_stream_open_ = false;
  }
  return {};
}

std::unexpected<Error> OneCall::failed_after_end(Error error) {
  const Result<Value> left = leave();
  return left ? fail(std::move(error)) : fail(left.error());
}

std::unexpected<Error> OneCall::out_of_time() {
  conversation_.kill();
  return fail(ErrorCode::timeout,
              "it took longer than " + std::to_string(options_.timeout.count()) + " ms");
}

Result<Value> OneCall::leave() {
  conversation_.finish_input();
  const Instant until = std::min(options_.request.deadline, Clock::now() + time_to_leave);
  while (true) {
    const Result<std::optional<GuestEvent>> event = conversation_.next(until);
    if (!event && !event.error().is(ErrorCode::exited)) return fail(event.error());
    if (!event || (!*event && Clock::now() >= until)) break;
  }
  conversation_.kill();
  finish_callbacks();
  return result_;
}

void OneCall::finish_callbacks() {
  conversation_.finish_callbacks(
      std::min(options_.request.deadline, Clock::now() + time_for_callbacks));
}

// After a call without an answer: the guest works it off, and ends with its input.
Result<Value> OneCall::wait_for_end() {
  conversation_.finish_input();
  while (true) {
    Result<std::optional<GuestEvent>> event = conversation_.next(options_.request.deadline);
    if (!event) {
      if (!event.error().is(ErrorCode::exited) || !conversation_.ended_well())
        return fail(event.error());
      finish_callbacks();
      return Value();
    }
    if (*event) {
      CORDON_TRY(on_event(**event));
    } else if (Clock::now() >= options_.request.deadline) {
      return out_of_time();
    }
  }
}

}  // namespace cordon::providers
