#include "cordon/cli/arguments.h"

#include <algorithm>
#include <array>
#include <cerrno>
#include <charconv>
#include <climits>
#include <cstring>
#include <fcntl.h>
#include <poll.h>
#include <sys/stat.h>
#include <unistd.h>

#include "cordon/base/utf8.h"
#include "cordon/config/spelling.h"

namespace cordon::cli {
namespace {

struct Descriptor {
  int number;
  ~Descriptor() {
    if (number > STDERR_FILENO) close(number);
  }
};

std::unexpected<Error> unreadable(const std::string& what, int why) {
  return fail(why == ETIME ? ErrorCode::timeout : ErrorCode::io,
              "cannot read " + what + ": " + std::strerror(why));
}

// One read at the end of the text; errno where it failed. `got` gets how much it was.
int append_some(std::string& text, int descriptor, std::size_t max_bytes, std::size_t& got) {
  constexpr std::size_t step = 64 * 1024;
  const std::size_t size = text.size();
  text.resize(size + std::min(step, max_bytes));
  ssize_t count = 0;
  do count = ::read(descriptor, text.data() + size, text.size() - size);
  while (count < 0 && errno == EINTR);
  const int failed = count < 0 ? errno : 0;
  got = count < 0 ? 0 : static_cast<std::size_t>(count);
  text.resize(size + got);
  return failed;
}

// Whether there is something to read, or an end or an error, before then.
bool becomes_readable(int descriptor, Instant until) {
  for (;;) {
    const auto left =
        std::chrono::ceil<std::chrono::milliseconds>(until - std::chrono::steady_clock::now());
    pollfd watched = {.fd = descriptor, .events = POLLIN, .revents = 0};
    const auto wait = static_cast<int>(std::clamp<std::int64_t>(left.count(), 0, INT_MAX));
    const int ready = poll(&watched, 1, wait);
    if (ready > 0) return true;
    if (ready == 0 && left.count() <= 0) return false;
  }
}

int append_up_to(std::string& text, int descriptor, std::size_t max_bytes,
                 std::optional<Instant> until = {}) {
  for (std::size_t got = 1; got > 0 && text.size() < max_bytes;) {
    if (until && !becomes_readable(descriptor, *until)) return ETIME;
    if (const int failed = append_some(text, descriptor, max_bytes - text.size(), got)) {
      return failed;
    }
  }
  return 0;
}

}  // namespace

Result<std::string> read_up_to(int descriptor, std::size_t max_bytes) {
  std::string text;
  if (const int failed = append_up_to(text, descriptor, max_bytes)) {
    return unreadable("standard input", failed);
  }
  return text;
}

Result<std::string> read_some(int descriptor) {
  std::string text;
  std::size_t got = 0;
  if (const int failed = append_some(text, descriptor, std::string::npos, got)) {
    return unreadable("standard input", failed);
  }
  return text;
}

Result<std::uint64_t> positive(std::string_view text) {
  std::uint64_t number = 0;
  const char* end = text.data() + text.size();
  const auto parsed = std::from_chars(text.data(), end, number);
  if (parsed.ec == std::errc::result_out_of_range) {
    return fail(ErrorCode::too_large, "'" + std::string(text) + "' is too large");
  }
  if (parsed.ec != std::errc() || parsed.ptr != end || number == 0) {
    return fail(ErrorCode::invalid_argument,
                "'" + std::string(text) + "' is not a positive whole number");
  }
  return number;
}

Result<std::chrono::milliseconds> milliseconds(std::string_view text) {
  const Result<std::uint64_t> number = positive(text);
  if (!number && number.error().is(ErrorCode::invalid_argument)) {
    return fail(ErrorCode::invalid_argument, "'" + std::string(text) +
                                                 "' is no number of milliseconds; write 5000 for "
                                                 "five seconds");
  }
  constexpr std::uint64_t most = std::uint64_t{1000} * 60 * 60 * 24 * 365;
  if (!number || *number > most) {
    return fail(ErrorCode::too_large, "'" + std::string(text) + "' ms is more than a year");
  }
  return std::chrono::milliseconds(*number);
}

Result<std::uint64_t> byte_size(std::string_view text) {
  struct Unit {
    std::string_view name;
    int shift;
  };
  int shift = 0;
  std::string_view digits = text;
  for (const Unit unit : {Unit{"KiB", 10}, Unit{"MiB", 20}, Unit{"GiB", 30}}) {
    if (text.ends_with(unit.name)) {
      shift = unit.shift;
      digits = text.substr(0, text.size() - unit.name.size());
    }
  }
  const Result<std::uint64_t> number = positive(digits);
  if (!number) {
    return fail(ErrorCode::invalid_argument,
                "'" + std::string(text) +
                    "' is not a size: write bytes, or a number with KiB, MiB or GiB, as 64MiB");
  }
  if (*number > (std::uint64_t{1} << 62) >> shift) {
    return fail(ErrorCode::invalid_argument, "'" + std::string(text) + "' is too large");
  }
  return *number << shift;
}

std::string size_text(std::uint64_t bytes) {
  constexpr std::array units = {"", "KiB", "MiB", "GiB"};
  std::size_t unit = 0;
  while (bytes > 0 && bytes % 1024 == 0 && unit + 1 < units.size()) {
    bytes /= 1024;
    ++unit;
  }
  return std::to_string(bytes) + units[unit];
}

std::string no_choice_text(const std::string& text, const std::vector<std::string>& choices) {
  std::string words;
  for (std::size_t i = 0; i < choices.size(); ++i) {
    if (i > 0) words += i + 1 == choices.size() ? " or " : ", ";
    words += choices[i];
  }
  std::string complaint = "'" + text + "' is not " + words;
  if (const auto near = config::nearest(text, choices))
    complaint += "; did you mean " + *near + "?";
  return complaint;
}

Result<std::string> read_text(const std::string& path, std::size_t max_bytes,
                              std::optional<Instant> until) {
  const std::string shown = path == "-" ? "standard input" : path;
  // With a time limit, opening a pipe that nobody writes to must not wait.
  const int flags = O_RDONLY | O_CLOEXEC | (until ? O_NONBLOCK : 0);
  const Descriptor file{path == "-" ? STDIN_FILENO : open(path.c_str(), flags)};
  if (file.number < 0) return unreadable(shown, errno);
  std::string text;
  if (const int failed = append_up_to(text, file.number, max_bytes + 1, until)) {
    return unreadable(shown, failed);
  }
  if (text.size() > max_bytes) {
    return fail(ErrorCode::too_large,
                shown + " is larger than " + std::to_string(max_bytes) + " bytes");
  }
  const std::size_t valid = valid_utf8_prefix(text);
  if (valid != text.size()) {
    return fail(ErrorCode::invalid_utf8,
                shown + " is not UTF-8: see the byte at " + std::to_string(valid));
  }
  return text;
}

std::string folder_of(const std::string& file) {
  struct stat status{};
  // Standard input by another name lies in no folder.
  if (stat(file.c_str(), &status) != 0 || !S_ISREG(status.st_mode)) return {};
  const std::size_t slash = file.rfind('/');
  if (slash == std::string::npos) return ".";
  return file.substr(0, slash + 1);
}

std::vector<std::string> private_files_in(const std::string& folder) {
  if (folder.empty()) return {};
  return {folder + "/cordon.json"};
}

}  // namespace cordon::cli
