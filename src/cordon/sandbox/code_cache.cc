#include "cordon/sandbox/code_cache.h"

#include <algorithm>
#include <array>
#include <bit>
#include <cerrno>
#include <cstdlib>
#include <cstring>
#include <dirent.h>
#include <fcntl.h>
#include <initializer_list>
#include <sys/stat.h>
#include <system_error>
#include <unistd.h>
#include <utility>
#include <vector>

#include "cordon/base/random.h"
#include "cordon/sandbox/keyed_hash.h"

// Another user must not be able to put code into the cache, nor swap a file between a check and its
// use. So every check is made on a descriptor that is open already (fstat), files are opened
// relative to the folder's descriptor, and links are not followed. An entry appears under its name
// by a rename, when it is complete. The keyed hash covers the name as well, so that one entry
// cannot be copied over another.

namespace cordon::sandbox {
namespace {

constexpr std::size_t key_bytes = 32;
constexpr std::size_t max_entry_bytes = std::size_t{1} << 30;
constexpr std::size_t max_entries = 64;
constexpr const char* key_name = "key";
constexpr std::string_view suffix = ".code";

class Descriptor {
 public:
  explicit Descriptor(int number) : number_(number) {}
  ~Descriptor() {
    if (number_ >= 0) close(number_);
  }
  Descriptor(const Descriptor&) = delete;
  Descriptor& operator=(const Descriptor&) = delete;
  int get() const { return number_; }
  int release() { return std::exchange(number_, -1); }

 private:
  int number_;
};

std::unexpected<Error> failed(const std::string& what) {
  return fail(ErrorCode::unavailable, what + ": " + std::generic_category().message(errno));
}

BytesView bytes_of(std::string_view text) {
  return {reinterpret_cast<const std::uint8_t*>(text.data()), text.size()};
}

bool is_ours_alone(int descriptor, mode_t kind) {
  struct stat found{};
  return fstat(descriptor, &found) == 0 && (found.st_mode & S_IFMT) == kind &&
         found.st_uid == geteuid() && (found.st_mode & (S_IRWXG | S_IRWXO)) == 0;
}

void make_folders(const std::string& path) {
  for (std::size_t at = path.find('/', 1); at != std::string::npos; at = path.find('/', at + 1)) {
    mkdir(path.substr(0, at).c_str(), 0700);
  }
  mkdir(path.c_str(), 0700);
}

std::optional<Bytes> read_file(int folder, const char* name, std::size_t most) {
  const Descriptor file(openat(folder, name, O_RDONLY | O_CLOEXEC | O_NOFOLLOW | O_NONBLOCK));
  if (file.get() < 0 || !is_ours_alone(file.get(), S_IFREG)) return std::nullopt;
  struct stat found{};
  fstat(file.get(), &found);
  if (static_cast<std::uint64_t>(found.st_size) > most) return std::nullopt;
  Bytes content(static_cast<std::size_t>(found.st_size));
  std::size_t done = 0;
  while (done < content.size()) {
    const ssize_t got = read(file.get(), content.data() + done, content.size() - done);
    if (got <= 0) return std::nullopt;
    done += static_cast<std::size_t>(got);
  }
  return content;
}

// Writes a file under a temporary name and then renames it.
bool write_file(int folder, const std::string& name, std::initializer_list<BytesView> parts) {
  std::array<std::uint8_t, sizeof(std::uint64_t)> unique{};
  if (!fill_with_randomness(unique)) return false;
  const std::string draft = name + "." + std::to_string(std::bit_cast<std::uint64_t>(unique));
  const Descriptor file(
      openat(folder, draft.c_str(), O_WRONLY | O_CREAT | O_EXCL | O_CLOEXEC | O_NOFOLLOW, 0600));
  if (file.get() < 0) return false;
  bool complete = true;
  for (const BytesView part : parts) {
    for (std::size_t done = 0; complete && done < part.size();) {
      const ssize_t put = write(file.get(), part.data() + done, part.size() - done);
      complete = put > 0;
      if (complete) done += static_cast<std::size_t>(put);
    }
  }
  complete = complete && renameat(folder, draft.c_str(), folder, name.c_str()) == 0;
  if (!complete) unlinkat(folder, draft.c_str(), 0);
  return complete;
}

void make_room(int folder) {
  const int again = openat(folder, ".", O_RDONLY | O_DIRECTORY | O_CLOEXEC);
  DIR* const list = again < 0 ? nullptr : fdopendir(again);
  if (list == nullptr) return;
  std::vector<std::pair<time_t, std::string>> entries;
  while (const dirent* entry = readdir(list)) {
    const std::string name = entry->d_name;
    struct stat found{};
    if (name.find(suffix) == std::string::npos ||
        fstatat(folder, name.c_str(), &found, AT_SYMLINK_NOFOLLOW) != 0) {
      continue;
    }
    entries.emplace_back(found.st_mtime, name);
  }
  closedir(list);
  std::ranges::sort(entries);
  for (std::size_t i = 0; i + max_entries < entries.size(); ++i) {
    unlinkat(folder, entries[i].second.c_str(), 0);
  }
}

}  // namespace

Result<CodeCache> CodeCache::open(const std::string& folder) {
  if (!folder.starts_with('/'))
    return fail(ErrorCode::invalid_argument, "no folder for compiled code");
  make_folders(folder);
  Descriptor opened(::open(folder.c_str(), O_RDONLY | O_DIRECTORY | O_CLOEXEC | O_NOFOLLOW));
  if (opened.get() < 0) return failed("no folder for compiled code");
  if (!is_ours_alone(opened.get(), S_IFDIR)) {
    return fail(ErrorCode::permission_denied, "the folder for compiled code is open to others");
  }
  std::optional<Bytes> key = read_file(opened.get(), key_name, key_bytes);
  if (!key || key->size() != key_bytes) {
    Bytes fresh(key_bytes);
    if (!fill_with_randomness(fresh) || !write_file(opened.get(), key_name, {fresh})) {
      return failed("no key for compiled code");
    }
    // Another process may have been faster. The key that lies there now counts for both.
    key = read_file(opened.get(), key_name, key_bytes);
    if (!key || key->size() != key_bytes) return failed("no key for compiled code");
  }
  return CodeCache(opened.release(), *std::move(key));
}

CodeCache::CodeCache(CodeCache&& other) noexcept
    : folder_(std::exchange(other.folder_, -1)), key_(std::move(other.key_)) {}

CodeCache::~CodeCache() {
  if (folder_ >= 0) close(folder_);
}

std::string CodeCache::name_of(std::string_view kind, BytesView wasm) const {
  constexpr std::string_view digits = "0123456789abcdef";
  std::string name;
  for (const std::uint8_t byte : keyed_hash(key_, {bytes_of("name"), bytes_of(kind), wasm})) {
    name += digits[byte >> 4];
    name += digits[byte & 15];
  }
  return name.append(suffix);
}

std::optional<Bytes> CodeCache::load(const std::string& name) const {
  std::optional<Bytes> entry = read_file(folder_, name.c_str(), max_entry_bytes);
  if (!entry || entry->size() < keyed_hash_bytes) return std::nullopt;
  const BytesView code = BytesView(*entry).first(entry->size() - keyed_hash_bytes);
  const KeyedHash tag = keyed_hash(key_, {bytes_of("code"), bytes_of(name), code});
  if (!is_same_sum(tag, BytesView(*entry).subspan(code.size()))) return std::nullopt;
  entry->resize(code.size());
  return entry;
}

Result<> CodeCache::store(const std::string& name, BytesView code) const {
  const KeyedHash tag = keyed_hash(key_, {bytes_of("code"), bytes_of(name), code});
  if (!write_file(folder_, name, {code, tag})) return failed("compiled code was not kept");
  make_room(folder_);
  return {};
}

std::string default_code_cache_folder() {
  constexpr const char* below = "/cordon/plugins";
  if (const char* cache = std::getenv("XDG_CACHE_HOME"); cache != nullptr && *cache == '/') {
    return std::string(cache) + below;
  }
  if (const char* home = std::getenv("HOME"); home != nullptr && *home == '/') {
    return std::string(home) + "/.cache" + below;
  }
  return {};
}

}  // namespace cordon::sandbox
