#include "cordon/cli/transfer_progress.h"

#include <algorithm>
#include <array>
#include <cstdlib>
#include <string_view>
#include <sys/ioctl.h>
#include <unistd.h>

#include "cordon/cli/terminal.h"

namespace cordon::cli {
namespace {

using std::chrono::milliseconds;

constexpr std::size_t bar_columns = 20;
constexpr std::size_t usual_columns = 80;

std::string one_decimal(std::uint64_t tenths) {
  return std::to_string(tenths / 10) + "." + std::to_string(tenths % 10);
}

std::uint64_t bytes_a_second(std::uint64_t bytes, milliseconds took) {
  const double seconds = std::max(1.0, static_cast<double>(took.count())) / 1000;
  return static_cast<std::uint64_t>(static_cast<double>(bytes) / seconds);
}

// "1:02:03", "0:05"
std::string clock_text(std::uint64_t seconds) {
  const auto two = [](std::uint64_t number) {
    return (number < 10 ? "0" : "") + std::to_string(number);
  };
  const std::uint64_t minutes = seconds / 60;
  if (minutes < 60) return std::to_string(minutes) + ":" + two(seconds % 60);
  return std::to_string(minutes / 60) + ":" + two(minutes % 60) + ":" + two(seconds % 60);
}

std::string bar(double part) {
  const auto filled = static_cast<std::size_t>(part * static_cast<double>(bar_columns));
  std::string text = "[" + std::string(filled, '=');
  if (filled < bar_columns) text += '>' + std::string(bar_columns - filled - 1, ' ');
  return text + "]";
}

std::string sent_text(const TransferFigures& figures) {
  const std::uint64_t speed = bytes_a_second(figures.sent_bytes, figures.took);
  const std::string rate = "  " + shown_bytes(speed) + "/s";
  if (!figures.bytes_to_send || *figures.bytes_to_send == 0)
    return "sent  " + shown_bytes(figures.sent_bytes) + rate;
  const std::uint64_t whole = *figures.bytes_to_send;
  const std::uint64_t sent = std::min(figures.sent_bytes, whole);
  const double part = static_cast<double>(sent) / static_cast<double>(whole);
  const std::string percent = std::to_string(static_cast<int>(part * 100));
  std::string text = "sent  " + bar(part) + "  " +
                     std::string(percent.size() < 3 ? 3 - percent.size() : 0, ' ') + percent +
                     "%  " + shown_bytes(sent) + " of " + shown_bytes(whole) + rate;
  if (speed > 0 && sent < whole) text += "  " + clock_text((whole - sent) / speed) + " left";
  return text;
}

}  // namespace

std::string shown_bytes(std::uint64_t bytes) {
  constexpr std::array units = {"B", "KiB", "MiB", "GiB", "TiB", "PiB", "EiB"};
  std::size_t unit = 0;
  std::uint64_t rest = 0;
  while (bytes >= 1024 && unit + 1 < units.size()) {
    rest = bytes % 1024;
    bytes /= 1024;
    ++unit;
  }
  if (unit == 0) return std::to_string(bytes) + " B";
  return one_decimal(bytes * 10 + rest * 10 / 1024) + " " + units[unit];
}

std::string progress_line(const TransferFigures& figures, std::size_t columns) {
  const bool is_sending = figures.sent_bytes > 0;
  const bool is_all_sent = figures.bytes_to_send && figures.sent_bytes >= *figures.bytes_to_send;
  std::string line;
  if (is_sending && !(is_all_sent && figures.received_bytes > 0)) line = sent_text(figures);
  if (figures.received_bytes > 0) {
    if (!line.empty()) line += "  ";
    line += "received  " + shown_bytes(figures.received_bytes) + "  " +
            shown_bytes(bytes_a_second(figures.received_bytes, figures.took)) + "/s";
  }
  if (line.size() > columns) line.resize(columns);
  return line;
}

ProgressLine::ProgressLine(int descriptor) : descriptor_(descriptor) {
  // NOLINTNEXTLINE(concurrency-mt-unsafe): nothing changes the environment.
  const char* const kind = std::getenv("TERM");
  can_be_seen_ = isatty(descriptor) == 1 && kind != nullptr && std::string_view(kind) != "dumb";
}

void ProgressLine::draw(const TransferFigures& figures) {
  if (!can_be_seen_) return;
  winsize size{};
  const bool is_known = ioctl(descriptor_, TIOCGWINSZ, &size) == 0 && size.ws_col > 0;
  // The last column stays free: some terminals break the line there.
  const std::string line = progress_line(figures, (is_known ? size.ws_col : usual_columns) - 1);
  if (line.empty()) return;
  is_drawn_ = true;
  write_all(descriptor_, "\r\x1b[K" + line);
}

void ProgressLine::clear() {
  if (!is_drawn_) return;
  is_drawn_ = false;
  write_all(descriptor_, "\r\x1b[K");
}

}  // namespace cordon::cli
