#include "cordon/runners/child_link.h"

#include <cerrno>
#include <chrono>
#include <span>
#include <unistd.h>
#include <utility>

#include "cordon/providers/pipe_signal.h"
#include "cordon/runners/auth_line.h"

namespace cordon::runners {
namespace {

// For a process that has closed its output to tell how it ended.
constexpr std::chrono::milliseconds end_delay{100};

// What can be read now; nothing where there is nothing yet, and empty at the end.
std::optional<std::string_view> read_some(const Descriptor& from, std::span<char> buffer) {
  const ssize_t size = read(from.number(), buffer.data(), buffer.size());
  if (size < 0 && (errno == EAGAIN || errno == EINTR)) return std::nullopt;
  return std::string_view(buffer.data(), size < 0 ? 0 : static_cast<std::size_t>(size));
}

}  // namespace

ChildLink::ChildLink(Child child, LinkOptions options)
    : child_(std::move(child)),
      options_(std::move(options)),
      unsent_(options_.token.empty() ? "" : auth_line(options_.token)) {}

void ChildLink::add_waits(std::vector<pollfd>& waits, bool reads, bool writes) const {
  if (reads && !is_output_over_) waits.push_back({child_.output().number(), POLLIN, 0});
  if (child_.errors()) waits.push_back({child_.errors().number(), POLLIN, 0});
  if (!has_ended_) waits.push_back({child_.status().number(), POLLIN, 0});
  if ((writes || !unsent_.empty()) && !is_input_broken_)
    waits.push_back({child_.input().number(), POLLOUT, 0});
}

std::size_t ChildLink::send(std::string_view lines) {
  // What it does not read it does not get: it may say `done` all the same.
  const auto write_some = [this](std::string_view text) -> std::size_t {
    if (is_input_broken_) return text.size();
    providers::NoPipeSignal signal;
    const ssize_t size = write(child_.input().number(), text.data(), text.size());
    if (size >= 0) return static_cast<std::size_t>(size);
    if (errno == EAGAIN || errno == EINTR) return 0;
    if (errno == EPIPE) signal.came();
    is_input_broken_ = true;
    return text.size();
  };
  unsent_.erase(0, unsent_.empty() ? 0 : write_some(unsent_));
  return unsent_.empty() && !lines.empty() ? write_some(lines) : 0;
}

std::string_view ChildLink::receive(std::span<char> buffer) {
  if (is_output_over_) return {};
  const auto piece = read_some(child_.output(), buffer);
  if (piece && !piece->empty()) return *piece;
  show_errors();
  // A process that has ended has said all that it said, though others hold its pipes. So what it
  // said is read once more after its end is known.
  if (piece || has_ended_) is_output_over_ = true;
  has_ended_ = has_ended_ || child_.end_text().has_value();
  return {};
}

std::optional<std::string> ChildLink::over() {
  if (!is_output_over_) return std::nullopt;
  if (const auto text = child_.end_text()) return "the runner " + *text;
  const Instant now = std::chrono::steady_clock::now();
  if (!give_up_) give_up_ = now + end_delay;
  if (now < *give_up_) return std::nullopt;
  return "the runner closed its output";
}

std::optional<Instant> ChildLink::next_time() const {
  if (has_ended_ && !is_output_over_) return Instant::min();  // at once
  return give_up_;
}

void ChildLink::show_errors() {
  std::array<char, 16'384> buffer;
  while (child_.errors()) {
    const auto piece = read_some(child_.errors(), buffer);
    if (!piece) return;
    if (piece->empty()) {
      child_.close_errors();
    } else if (options_.on_errors) {
      options_.on_errors(*piece);
    }
    if (piece->size() < buffer.size()) return;
  }
}

void ChildLink::close() {
  show_errors();
  child_.begin_end();
}

}  // namespace cordon::runners
