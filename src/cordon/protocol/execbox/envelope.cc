#include "cordon/protocol/execbox/envelope.h"

#include <utility>

#include "cordon/codec/json/decode.h"
#include "cordon/protocol/execbox/limits.h"

namespace cordon::execbox {
namespace {

bool is_blank(char c) { return c == ' ' || c == '\t' || c == '\n' || c == '\r'; }

std::optional<std::string> text_of(std::string_view quoted) {
  const Result<Value> value = json::decode(quoted);
  if (!value || !value->is_string()) return std::nullopt;
  return std::string(value->as_string());
}

}  // namespace

void EnvelopeScanner::feed(std::string_view text) {
  for (const char c : text) take(c);
}

void EnvelopeScanner::take(char c) {
  if (place_ == Place::broken) return;
  if (in_string_) {
    take_in_string(c);
  } else if (!is_blank(c)) {
    take_outside(c);
  }
}

void EnvelopeScanner::take_in_string(char c) {
  if (keeps_) {
    kept_ += c;
    if (kept_.size() > max_envelope_text_bytes) keeps_ = false;
  }
  if (escaped_) {
    escaped_ = false;
  } else if (c == '\\') {
    escaped_ = true;
  } else if (c == '"') {
    in_string_ = false;
    string_ended();
  }
}

void EnvelopeScanner::string_ended() {
  if (depth_ != 1) return;
  const std::optional<std::string> text = keeps_ ? text_of(std::exchange(kept_, {})) : std::nullopt;
  if (place_ == Place::key) {
    key_ = text.value_or(std::string());
    place_ = Place::colon;
    return;
  }
  place_ = Place::comma;
  if (key_ == "type") envelope_.type = text.value_or(std::string());
  if (key_ == "id") envelope_.id = text;
  if (key_ == "callId") envelope_.call_id = text;
}

void EnvelopeScanner::take_outside(char c) {
  const bool is_outermost = depth_ == 1;
  switch (c) {
    case '{':
    case '[':
      if (depth_ == 0 && (c == '[' || place_ != Place::before)) {
        place_ = Place::broken;
      } else {
        open();
      }
      return;
    case '}':
    case ']':
      close();
      return;
    case '"':
      if (depth_ == 0 || (is_outermost && place_ != Place::key && place_ != Place::value)) {
        place_ = Place::broken;
        return;
      }
      in_string_ = true;
      keeps_ = is_outermost;
      kept_.assign(1, '"');
      return;
    case ':':
      if (is_outermost) place_ = place_ == Place::colon ? Place::value : Place::broken;
      return;
    case ',':
      if (is_outermost) place_ = place_ == Place::comma ? Place::key : Place::broken;
      return;
    default:
      // A number or a word.
      if (depth_ == 0) place_ = Place::broken;
      if (is_outermost) {
        const bool fits = place_ == Place::value || place_ == Place::comma;
        place_ = fits ? Place::comma : Place::broken;
      }
  }
}

void EnvelopeScanner::open() {
  if (depth_ == 1 && place_ != Place::value) {
    place_ = Place::broken;
    return;
  }
  if (++depth_ == 1) place_ = Place::key;
}

void EnvelopeScanner::close() {
  if (depth_ == 0) {
    place_ = Place::broken;
    return;
  }
  --depth_;
  if (depth_ == 1) place_ = Place::comma;
  if (depth_ == 0) place_ = Place::after;
}

std::optional<Envelope> EnvelopeScanner::finish() {
  if (place_ != Place::after || in_string_ || envelope_.type.empty()) return std::nullopt;
  return std::move(envelope_);
}

}  // namespace cordon::execbox
