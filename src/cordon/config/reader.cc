#include "cordon/config/reader.h"

#include <array>
#include <cerrno>
#include <cstdlib>
#include <filesystem>
#include <fstream>
#include <sys/stat.h>
#include <system_error>
#include <unistd.h>
#include <utility>

#include "cordon/value.h"

namespace cordon::config {
namespace {

constexpr std::size_t max_content_bytes = 65'536;
constexpr std::size_t max_names = 1000;
constexpr std::size_t max_complaints = 200;  // people do not read more

}  // namespace

std::optional<std::string> SystemSurroundings::variable(const std::string& name) const {
  const char* value = std::getenv(name.c_str());
  if (value == nullptr) return std::nullopt;
  return std::string(value);
}

Result<std::string> SystemSurroundings::content(const std::string& path) const {
  CORDON_TRY(check_file(path));
  return read_file(path, max_content_bytes);
}

Result<> SystemSurroundings::check_file(const std::string& path) const {
  struct stat found{};
  if (stat(path.c_str(), &found) != 0) {
    if (errno == ENOENT || errno == ENOTDIR) return fail(ErrorCode::not_found, "does not exist");
    return fail(ErrorCode::io, "cannot be read: " + std::generic_category().message(errno));
  }
  if (S_ISDIR(found.st_mode)) return fail(ErrorCode::invalid_argument, "is a folder");
  if (access(path.c_str(), R_OK) != 0) {
    return fail(ErrorCode::permission_denied,
                "cannot be read: " + std::generic_category().message(errno));
  }
  return {};
}

bool SystemSurroundings::has_folder(const std::string& path) const {
  std::error_code ignored;
  return std::filesystem::is_directory(path, ignored);
}

std::vector<std::string> SystemSurroundings::names_in(const std::string& folder) const {
  std::vector<std::string> names;
  std::error_code error;
  for (std::filesystem::directory_iterator at(folder, error), end;
       !error && at != end && names.size() < max_names; at.increment(error)) {
    names.push_back(at->path().filename().string());
  }
  return names;
}

Result<std::string> read_file(const std::string& path, std::size_t max_bytes) {
  std::ifstream file(path, std::ios::binary);
  if (!file.is_open()) return fail(ErrorCode::io, "cannot be read");
  std::string text;
  // A piece at a time: room for the largest file would stay with the process.
  std::array<char, 16'384> piece;
  do {
    file.read(piece.data(), piece.size());
    text.append(piece.data(), static_cast<std::size_t>(file.gcount()));
    if (text.size() > max_bytes) {
      return fail(ErrorCode::too_large, "has more than " + std::to_string(max_bytes) + " bytes");
    }
  } while (file);
  if (file.bad()) return fail(ErrorCode::io, "cannot be read");
  return text;
}

void Reader::mistake(std::size_t offset, std::string what, std::string_view suggestion) {
  add(offset, false, std::move(what), suggestion);
}

void Reader::warning(std::size_t offset, std::string what, std::string_view suggestion) {
  add(offset, true, std::move(what), suggestion);
}

void Reader::wrong(std::size_t offset, std::string_view what, std::string_view suggestion) {
  add(offset, false, path_.empty() ? std::string(what) : path_ + ": " + std::string(what),
      suggestion);
}

std::string Reader::absolute(std::string_view path) const {
  return (std::filesystem::path(folder_) / std::filesystem::path(path)).lexically_normal().string();
}

void Reader::add(std::size_t offset, bool is_warning, std::string what,
                 std::string_view suggestion) {
  if (complaints_.size() == max_complaints) return;
  if (!suggestion.empty()) what.append("; ").append(suggestion);
  complaints_.push_back({offset, is_warning, std::move(what)});
}

Reader::Step::Step(Reader& reader, std::string_view key)
    : reader_(reader), before_(reader.path_.size()) {
  append_path(reader.path_, key);
}

Reader::Step::Step(Reader& reader, std::size_t index)
    : reader_(reader), before_(reader.path_.size()) {
  append_path(reader.path_, index);
}

}  // namespace cordon::config
