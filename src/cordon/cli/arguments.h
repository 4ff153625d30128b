#pragma once

// What stands on the command line, read strictly. Errors are sentences for the user.

#include <chrono>
#include <cstdint>
#include <expected>
#include <optional>
#include <string>
#include <string_view>
#include <vector>

#include "cordon/base/instant.h"
#include "cordon/result.h"

namespace cordon::cli {

// What is wrong with an option: "--timeout: 'x' is not a positive whole number".
inline std::unexpected<Error> wrong(const std::string& option, const Error& error) {
  return fail(error.code, option + ": " + error.message);
}

// A positive decimal integer.
Result<std::uint64_t> positive(std::string_view text);
// Milliseconds, as one.
Result<std::chrono::milliseconds> milliseconds(std::string_view text);
// Bytes: a number, or one with KiB, MiB or GiB behind it.
Result<std::uint64_t> byte_size(std::string_view text);
// As byte_size reads it, with the largest unit that fits: "64MiB".
std::string size_text(std::uint64_t bytes);
// "'xml' is not json, runner or msgpack", or what was meant: "'jsn' is …; did you mean json?".
std::string no_choice_text(const std::string& text, const std::vector<std::string>& choices);

// What comes on the descriptor up to its end, or the first `max_bytes` of it.
Result<std::string> read_up_to(int descriptor, std::size_t max_bytes);
// What has come on it, once there is something; empty at its end.
Result<std::string> read_some(int descriptor);

// The whole of a file, or of standard input for "-". At most `max_bytes`, and UTF-8. What has not
// come until then is ErrorCode::timeout.
Result<std::string> read_text(const std::string& path, std::size_t max_bytes,
                              std::optional<Instant> until = {});

// The folder that a program may import from: that of its file.
std::string folder_of(const std::string& file);
// What it may not import from there: a server's configuration, which has tokens in it.
std::vector<std::string> private_files_in(const std::string& folder);

}  // namespace cordon::cli
