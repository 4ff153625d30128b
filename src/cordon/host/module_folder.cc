#include "cordon/host/module_folder.h"

#include <algorithm>
#include <cerrno>
#include <dirent.h>
#include <fcntl.h>
#include <linux/openat2.h>
#include <memory>
#include <sys/stat.h>
#include <sys/syscall.h>
#include <system_error>
#include <unistd.h>
#include <utility>

#include "cordon/base/utf8.h"
#include "cordon/host/import_endings.h"

namespace cordon::host {
namespace {

class Descriptor {
 public:
  explicit Descriptor(int number) : number_(number) {}
  ~Descriptor() { reset(-1); }
  Descriptor(Descriptor&& other) noexcept : number_(std::exchange(other.number_, -1)) {}
  Descriptor& operator=(Descriptor&& other) noexcept {
    reset(std::exchange(other.number_, -1));
    return *this;
  }

  int number() const { return number_; }
  int release() { return std::exchange(number_, -1); }

 private:
  void reset(int number) {
    if (number_ >= 0) close(number_);
    number_ = number;
  }
  int number_;
};

// A name may lead to a pipe or a device. Opening must not wait; what it is, is checked afterwards.
constexpr int file_flags = O_RDONLY | O_CLOEXEC | O_NONBLOCK | O_NOCTTY;
constexpr int folder_flags = O_RDONLY | O_CLOEXEC | O_DIRECTORY;

std::unexpected<Error> unreachable(int why) {
  switch (why) {
    case ENOENT:
    case ENOTDIR:
    case ENAMETOOLONG:
      return fail(ErrorCode::not_found, "");
    case EXDEV:
    case ELOOP:
      return fail(ErrorCode::not_found, "it is a link out of the folder");
    default:
      return fail(ErrorCode::not_found, std::generic_category().message(why));
  }
}

// For kernels without openat2: opens part by part and follows no link, not even one that stays
// inside.
Descriptor open_by_parts(int folder, std::string_view name) {
  Descriptor at(fcntl(folder, F_DUPFD_CLOEXEC, 0));
  while (at.number() >= 0) {
    const std::size_t slash = name.find('/');
    const std::string part(name.substr(0, slash));
    if (part.empty() || part == "..") {
      errno = EXDEV;
      return Descriptor(-1);
    }
    if (slash == std::string_view::npos)
      return Descriptor(openat(at.number(), part.c_str(), file_flags | O_NOFOLLOW));
    name.remove_prefix(slash + 1);
    at = Descriptor(openat(at.number(), part.c_str(), folder_flags | O_NOFOLLOW));
  }
  return at;
}

Descriptor open_beneath(int folder, const std::string& name) {
  open_how how{};
  how.flags = file_flags;
  how.resolve = RESOLVE_BENEATH | RESOLVE_NO_MAGICLINKS;
  const long opened = syscall(SYS_openat2, folder, name.c_str(), &how, sizeof how);
  if (opened >= 0 || (errno != ENOSYS && errno != EPERM))
    return Descriptor(static_cast<int>(opened));
  return open_by_parts(folder, name);
}

bool is_hidden(std::string_view name) { return name.starts_with('.') || name.contains("/."); }

// Checks the name alone, so that a program does not learn which files exist.
Result<> check_name(std::string_view name, js::ImportKind kind) {
  if (is_hidden(name))
    return fail(ErrorCode::not_found, "a name that begins with a dot is no module");
  if (!may_import(name, kind)) return fail(ErrorCode::not_found, why_not_import(name, kind));
  return {};
}

// Compares the files themselves, since any number of names and links may lead to one.
bool is_same(const struct stat& status, const std::string& path) {
  struct stat other{};
  return !path.empty() && stat(path.c_str(), &other) == 0 && status.st_dev == other.st_dev &&
         status.st_ino == other.st_ino;
}

Result<Descriptor> open_file(const std::string& path, const std::vector<std::string>& private_files,
                             const std::string& name, js::ImportKind kind) {
  CORDON_TRY(check_name(name, kind));
  const Descriptor folder(open(path.c_str(), folder_flags));
  if (folder.number() < 0) return unreachable(errno);
  Descriptor file = open_beneath(folder.number(), name);
  if (file.number() < 0) return unreachable(errno);
  struct stat status{};
  if (fstat(file.number(), &status) != 0) return unreachable(errno);
  if (S_ISDIR(status.st_mode)) return fail(ErrorCode::not_found, "it is a folder");
  if (!S_ISREG(status.st_mode)) return fail(ErrorCode::not_found, "it is no file");
  const bool is_private = std::ranges::any_of(
      private_files, [&](const std::string& one) { return is_same(status, one); });
  if (is_private) return fail(ErrorCode::not_found, "it is kept from programs");
  return file;
}

// Reads at most `max_bytes` + 1.
Result<std::string> read_all(int file, std::size_t max_bytes) {
  constexpr std::size_t step = 64 * 1024;
  std::string text;
  while (text.size() <= max_bytes) {
    const std::size_t size = text.size();
    text.resize(std::min(size + step, max_bytes + 1));
    const ssize_t count = ::read(file, text.data() + size, text.size() - size);
    text.resize(size + (count > 0 ? static_cast<std::size_t>(count) : 0));
    if (count < 0 && errno != EINTR) return unreachable(errno);
    if (count == 0) break;
  }
  return text;
}

// The walk for some_names(). It is limited in entries and depth.
struct Walk {
  const ModuleFolder& root;
  js::ImportKind kind;
  std::size_t entries_left = 2000;
  std::size_t max_depth = 4;
  std::vector<std::string> names = {};
};

void walk(Walk& state, Descriptor folder, const std::string& prefix, std::size_t depth) {
  const std::unique_ptr<DIR, int (*)(DIR*)> listing(fdopendir(folder.number()), closedir);
  if (listing == nullptr) return;
  folder.release();
  std::vector<std::string> below;
  while (const dirent* entry = readdir(listing.get())) {
    const std::string_view name = entry->d_name;
    if (state.entries_left == 0) break;
    --state.entries_left;
    if (is_hidden(name) || name == "node_modules" || !is_utf8(name)) continue;
    if (entry->d_type == DT_DIR) {
      below.emplace_back(name);
    } else if (check_name(name, state.kind)) {
      std::string module = prefix + std::string(name);
      // A link may lead out of the folder, so not every such name can be read.
      if (state.root.find(module, state.kind)) state.names.push_back(std::move(module));
    }
  }
  if (depth == state.max_depth) return;
  std::ranges::sort(below);
  for (const std::string& name : below) {
    Descriptor inner(openat(dirfd(listing.get()), name.c_str(), folder_flags | O_NOFOLLOW));
    if (inner.number() >= 0) walk(state, std::move(inner), prefix + name + "/", depth + 1);
  }
}

}  // namespace

Result<std::string> ModuleFolder::read(const std::string& name, js::ImportKind kind,
                                       std::size_t max_bytes) const {
  const Descriptor file = CORDON_TRY(open_file(path_, private_files_, name, kind));
  std::string text = CORDON_TRY(read_all(file.number(), max_bytes));
  if (text.size() > max_bytes) {
    return fail(ErrorCode::too_large, "it is larger than " + std::to_string(max_bytes) + " bytes");
  }
  return text;
}

Result<> ModuleFolder::find(const std::string& name, js::ImportKind kind) const {
  CORDON_TRY(open_file(path_, private_files_, name, kind));
  return {};
}

std::vector<std::string> ModuleFolder::some_names(std::size_t most, js::ImportKind kind) const {
  Walk state{*this, kind};
  walk(state, Descriptor(open(path_.c_str(), folder_flags)), "", 0);
  std::ranges::sort(state.names);
  if (state.names.size() > most) state.names.resize(most);
  return std::move(state.names);
}

}  // namespace cordon::host
