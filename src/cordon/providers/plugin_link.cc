#include "cordon/providers/plugin_link.h"

#include <algorithm>
#include <array>
#include <cerrno>
#include <poll.h>
#include <stdexcept>
#include <unistd.h>
#include <utility>

#include "cordon/base/random.h"

namespace cordon::providers {
namespace {

using duplex::Message;

constexpr std::size_t read_bytes = std::size_t{256} << 10;
// A process whose output has ended is mostly about to end itself, and then its code is worth
// telling.
constexpr std::chrono::milliseconds time_to_end{200};
// Output that was written is kept until there is this much of it, since moving the rest costs.
constexpr std::size_t kept_bytes = std::size_t{1} << 20;

}  // namespace

void random_bytes(std::span<std::uint8_t> bytes) {
  // Ids that a guest could guess are worse than none.
  if (!fill_with_randomness(bytes)) throw std::runtime_error("the system has no randomness");
}

PluginLink::PluginLink(LinkOptions options, GuestProcess process)
    : options_(std::move(options)),
      process_(std::move(process)),
      session_(options_.limits, random_bytes) {}

Result<std::unique_ptr<PluginLink>> PluginLink::start(LinkOptions options) {
  GuestProcess process = CORDON_TRY(GuestProcess::start(options.command, options.lifeline));
  return std::unique_ptr<PluginLink>(new PluginLink(std::move(options), std::move(process)));
}

Result<std::optional<Message>> PluginLink::next(std::optional<Instant> until, int wake, More more) {
  while (true) {
    flush();
    Result<std::optional<Message>> message = session_.next();
    if (!message) kill();
    if (!message || *message) return message;
    if (output_over_) return std::unexpected(on_end_of_output());
    if (more == More::when_written && session_.output().empty()) return std::nullopt;

    std::optional<Instant> earliest = session_.deadline();
    if (until) earliest = std::min(earliest.value_or(*until), *until);
    timespec time{};
    if (earliest) {
      const Instant now = std::chrono::steady_clock::now();
      if (Result<> in_time = session_.on_time(now); !in_time) {
        kill();
        return std::unexpected(std::move(in_time).error());
      }
      if (until && now >= *until) return std::nullopt;
      const auto left = std::chrono::duration_cast<std::chrono::nanoseconds>(*earliest - now);
      time.tv_sec = left.count() / 1'000'000'000;
      time.tv_nsec = left.count() % 1'000'000'000;
    }
    // Negative descriptors are passed over.
    const bool writes = written_ < session_.output().size();
    std::array<pollfd, 5> ends{{{process_.output(), POLLIN, 0},
                                {process_.errors(), POLLIN, 0},
                                {writes ? process_.input() : -1, POLLOUT, 0},
                                {wake, POLLIN, 0},
                                {process_.end_of_process(), POLLIN, 0}}};
    if (ppoll(ends.data(), ends.size(), earliest ? &time : nullptr, nullptr) < 0) continue;
    if (ends[1].revents != 0) read_errors();
    if (ends[0].revents != 0) {
      output_over_ = !read_output();
    } else if (ends[4].revents != 0) {
      // It is gone and all that it wrote was read. What it started may hold its output open for
      // ever.
      output_over_ = true;
    }
    if (ends[3].revents != 0) return std::nullopt;
  }
}

void PluginLink::flush() {
  Bytes& output = session_.output();
  // A violation throws the output away.
  written_ = std::min(written_, output.size());
  while (written_ < output.size() && process_.input() >= 0) {
    const ssize_t put = write(process_.input(), output.data() + written_, output.size() - written_);
    if (put >= 0) {
      written_ += static_cast<std::size_t>(put);
    } else if (errno == EAGAIN) {
      break;
    } else if (errno != EINTR) {
      // The guest does not read any more. Its output tells what becomes of the calls.
      input_broken_ = true;
      process_.close_input();
    }
  }
  if (written_ == output.size() || process_.input() < 0) {
    output.clear();
    if (output.capacity() > kept_bytes) output.shrink_to_fit();
    written_ = 0;
    if (finishing_) process_.close_input();
  } else if (written_ > kept_bytes && written_ > output.size() / 2) {
    output.erase(output.begin(), output.begin() + static_cast<std::ptrdiff_t>(written_));
    written_ = 0;
  }
}

void PluginLink::finish_input() {
  finishing_ = true;
  flush();
}

bool PluginLink::read_output() {
  const std::span<std::uint8_t> space = session_.space(read_bytes);
  const ssize_t got = read(process_.output(), space.data(), space.size());
  if (got < 0) return errno == EAGAIN || errno == EINTR;
  session_.received(static_cast<std::size_t>(got));
  return got > 0;
}

void PluginLink::read_errors() {
  char buffer[16 * 1024];
  const ssize_t got = read(process_.errors(), buffer, sizeof buffer);
  if (got == 0 || (got < 0 && errno != EAGAIN && errno != EINTR)) process_.close_errors();
  if (got <= 0 || error_bytes_ >= options_.error_bytes) return;
  const std::size_t taken =
      std::min(static_cast<std::size_t>(got), options_.error_bytes - error_bytes_);
  error_bytes_ += taken;
  if (options_.on_errors) options_.on_errors({buffer, taken});
}

Error PluginLink::on_end_of_output() {
  const bool ended = process_.wait(time_to_end);
  // What it said last is mostly the reason.
  for (int i = 0; i < 64 && process_.errors() >= 0; ++i) {
    pollfd waiting{.fd = process_.errors(), .events = POLLIN, .revents = 0};
    if (poll(&waiting, 1, 0) <= 0) break;
    read_errors();
  }
  const std::string detail = ended ? process_.end_text() : "it closed its output";
  kill();
  return session_.on_exit(detail);
}

void PluginLink::kill() { process_.kill(); }

Result<std::vector<std::string>> split_words(std::string_view line) {
  std::vector<std::string> words;
  std::string word;
  bool inside = false;
  for (std::size_t i = 0; i < line.size(); ++i) {
    const char letter = line[i];
    if (letter == ' ' || letter == '\t' || letter == '\n') {
      if (inside) words.push_back(std::exchange(word, {}));
      inside = false;
    } else if (letter == '\\') {
      if (++i == line.size())
        return fail(ErrorCode::malformed, "a backslash with nothing behind it");
      inside = true;
      if (line[i] != '\n') word += line[i];
    } else if (letter == '\'' || letter == '"') {
      inside = true;
      while (true) {
        if (++i == line.size()) return fail(ErrorCode::malformed, "a quote that is not closed");
        if (line[i] == letter) break;
        // Within double quotes a backslash stands for itself before most characters.
        constexpr std::string_view special = "\"\\$`";
        if (letter == '"' && line[i] == '\\' && i + 1 < line.size() &&
            special.contains(line[i + 1])) {
          ++i;
        }
        word += line[i];
      }
    } else {
      inside = true;
      word += letter;
    }
  }
  if (inside) words.push_back(std::move(word));
  return words;
}

}  // namespace cordon::providers
