#include "cordon/server/request_work.h"

#include <algorithm>
#include <utility>

#include "cordon/protocol/tunnel/body.h"
#include "cordon/protocol/tunnel/context_header.h"
#include "cordon/protocol/tunnel/envelope.h"

namespace cordon::server {
namespace {

// Nodes that a check looks at in a millisecond or two.
constexpr std::uint64_t max_check_steps_here = 20'000;
constexpr std::string_view short_of_memory = "requests under way take all memory that they may";

host::PayloadRegExps regexps_of(const PayloadReader& reader, WorkPlace place) {
  using Asking = host::PayloadRegExps::Asking;
  return host::PayloadRegExps(reader.regexps, {},
                              place == WorkPlace::here ? Asking::nobody : Asking::sandboxes);
}

}  // namespace

void RequestWork::refuse(tunnel::Refusal refusal, std::string failure) {
  refusal_ = std::move(refusal);
  failure_ = std::move(failure);
}

void RequestWork::refuse_text(const Error& error, const Budget* budget, tunnel::Refusal otherwise) {
  if (budget != nullptr && budget->was_refused_by_whole())
    return refuse(tunnel::overloaded(), std::string(short_of_memory));
  // What a client wrote wrong is its own to find; a limit is something to know here too.
  refuse(std::move(otherwise), error.code == ErrorCode::too_large ? error.message : std::string());
}

// Inputs.

void InputWork::set_body(Form form, std::string text, Charge charge) {
  form_ = form;
  text_ = std::move(text);
  charge_ = std::move(charge);
}

void InputWork::set_input(Value input) { input_ = std::move(input); }

void InputWork::set_contexts(std::string header,
                             std::shared_ptr<const std::vector<std::string>> ids) {
  header_ = std::move(header);
  ids_ = std::move(ids);
}

bool InputWork::run(WorkPlace place) {
  if (text_) {
    if (!read(place)) return false;
    text_.reset();
    charge_.reset();
  }
  if (refusal()) return true;
  if (!is_checked_ && options_.schema) {
    if (!check(place)) return false;
    is_checked_ = true;
  }
  if (refusal()) return true;
  if (!has_contexts_) {
    if (!read_contexts(place)) return false;
    has_contexts_ = true;
  }
  return true;
}

bool InputWork::read(WorkPlace place) {
  if (place == WorkPlace::here && text_->size() > max_text_bytes_here) return false;
  const host::PayloadRegExps regexps = regexps_of(options_.reader, place);
  const rich::ParseOptions parsing{.budget = options_.budget, .regexps = &regexps};
  const auto wrong = [&](const Error& error) {
    if (regexps.has_met_new()) return false;
    refuse_text(error, options_.budget.get(), tunnel::invalid_json());
    return true;
  };
  if (form_ == Form::task) {
    Result<Value> input = tunnel::task_input(options_.reader.serializer, *text_, parsing);
    if (!input) return wrong(input.error());
    input_ = *std::move(input);
    return true;
  }
  Result<tunnel::EventBody> body = tunnel::event_body(options_.reader.serializer, *text_, parsing);
  if (!body) return wrong(body.error());
  if (body->returns_payload && !no_return_of_.empty()) {
    refuse(tunnel::parallel_event(no_return_of_));
    return true;
  }
  input_ = std::move(body->payload);
  returns_payload_ = body->returns_payload;
  return true;
}

bool InputWork::check(WorkPlace place) {
  const bool is_here = place == WorkPlace::here;
  if (is_here && options_.schema->backtracks()) return false;
  schema::CheckOptions options = options_.check;
  if (is_here) options.max_steps = std::min(options.max_steps, max_check_steps_here);
  const auto mistakes = options_.schema->try_check(input_, options);
  if (!mistakes && is_here) return false;
  if (!mistakes) {
    refuse(tunnel::validation_error("takes too much to check"),
           "the check of an input took too long");
  } else if (!mistakes->empty()) {
    refuse(tunnel::validation_error(schema::to_text(*mistakes)));
  }
  return true;
}

bool InputWork::read_contexts(WorkPlace place) {
  static const std::vector<std::string> none;
  const host::PayloadRegExps regexps = regexps_of(options_.reader, place);
  contexts_ = tunnel::contexts_of(options_.reader.serializer, header_, ids_ ? *ids_ : none,
                                  {.regexps = &regexps});
  return !regexps.has_met_new();
}

// Manifests.

bool ManifestWork::run(WorkPlace place) {
  if (place == WorkPlace::here && text_.size() > max_text_bytes_here) return false;
  const host::PayloadRegExps regexps = regexps_of(reader_, place);
  std::string failure;
  auto manifest = tunnel::Manifest::parse(reader_.serializer, text_,
                                          {.budget = budget_, .regexps = &regexps}, &failure);
  if (manifest) {
    manifest_ = *std::move(manifest);
    return true;
  }
  if (regexps.has_met_new()) return false;
  if (budget_ != nullptr && budget_->was_refused_by_whole()) {
    refuse(tunnel::overloaded(), std::string(short_of_memory));
  } else {
    refuse(std::move(manifest).error(), std::move(failure));
  }
  return true;
}

// Answers.

Result<std::string> AnswerWork::text(WorkPlace place) const {
  const std::size_t max_bytes =
      place == WorkPlace::here ? std::min(max_bytes_, tunnel::max_quick_answer_bytes) : max_bytes_;
  if (const auto* const error = std::get_if<TypedError>(&answer_)) {
    return tunnel::typed_error_text(serializer_, error->id, error->message, error->data, max_bytes,
                                    error->http_code);
  }
  const Value& result = std::get<Value>(answer_);
  return place == WorkPlace::here ? tunnel::result_text(serializer_, result, max_bytes)
                                  : tunnel::large_result_text(serializer_, result, max_bytes);
}

// For what is written, and for what it moves to as it grows, or for the two parts of a graph.
bool AnswerWork::take_room() {
  std::shared_ptr<Budget> memory = memory_.for_request(client_, RequestMemory::large_bytes + 1);
  const std::size_t room = std::min(2 * max_bytes_, memory->limits().bytes / 2);
  charge_ = Charge(std::move(memory));
  return charge_.add(room);
}

bool AnswerWork::run(WorkPlace place) {
  const bool is_away = place == WorkPlace::away;
  if (is_away && !take_room()) {
    refuse(tunnel::overloaded(), std::string(short_of_memory));
    return true;
  }
  Result<std::string> written = text(place);
  if (!written && written.error().code == ErrorCode::too_large && !is_away &&
      max_bytes_ > tunnel::max_quick_answer_bytes)
    return false;
  if (!written) {
    refuse(tunnel::internal_error(), "the answer cannot be written: " + to_string(written.error()));
    return true;
  }
  text_ = *std::move(written);
  if (is_away) {
    text_.shrink_to_fit();
    charge_.give_back(charge_.bytes() - std::min(charge_.bytes(), text_.size()));
  }
  return true;
}

}  // namespace cordon::server
