#include "cordon/server/request_watch.h"

#include <utility>
#include <variant>

namespace cordon::server {

void RequestWatch::end() {
  on_abort_.reset();
  if (deadline_) deadline_->cancel();
  if (signals_) {
    signals_->is_over = true;
    if (signals_->answer) close_unused(*signals_->answer);
    signals_->answer.reset();
  }
  request_stop();
}

const std::shared_ptr<RequestSignals>& RequestWatch::signals() {
  if (!signals_) signals_ = std::make_shared<RequestSignals>(executor_);
  return signals_;
}

void RequestWatch::begin() {
  signals();
  if (on_abort_) return;
  on_abort_.emplace(exchange_.aborted(), [this] {
    signals_->client_is_gone = true;
    request_stop();
    signals_->event.notify();
  });
}

void RequestWatch::begin_deadline(std::chrono::milliseconds within) {
  make_stop();
  begin();
  deadline_.emplace(executor_, within);
  deadline_->async_wait([signals = signals_, stop = *stop_](const auto& error) mutable {
    if (error || signals->is_over) return;
    signals->is_late = true;
    stop.request_stop();
    signals->event.notify();
  });
}

bool RequestWatch::client_is_gone() const {
  return (signals_ && signals_->client_is_gone) || exchange_.aborted().stop_requested();
}

std::stop_token RequestWatch::stop_token() {
  return stop_ ? stop_->get_token() : exchange_.aborted();
}

void RequestWatch::make_stop() {
  if (!stop_) stop_.emplace();
}

void RequestWatch::request_stop() {
  if (stop_) stop_->request_stop();
}

void close_unused(TaskAnswer& answer) {
  if (auto* const streamed = std::get_if<StreamedResult>(&answer)) streamed->bytes->close();
}

}  // namespace cordon::server
