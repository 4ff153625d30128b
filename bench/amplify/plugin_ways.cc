// The modules of plugins: compiled in a process of their own, whose memory and time count here.

#include <algorithm>
#include <array>
#include <cstdio>
#include <cstdlib>
#include <fcntl.h>
#include <filesystem>
#include <fstream>
#include <memory>
#include <stdexcept>
#include <string>
#include <sys/resource.h>
#include <sys/wait.h>
#include <unistd.h>
#include <vector>

#include "amplify/way.h"

namespace cordon::amplify {
namespace {

// Beside the folder that this program is in.
std::string cordon_program() {
  const std::filesystem::path own = std::filesystem::read_symlink("/proc/self/exe");
  return (own.parent_path().parent_path() / "bin" / "cordon").string();
}

struct Cost {
  int exit_code = 0;
  std::size_t bytes = 0;
  double seconds = 0;
};

double seconds_of(const timeval& time) {
  return static_cast<double>(time.tv_sec) + static_cast<double>(time.tv_usec) * 1e-6;
}

// `cordon guest`, to its end. Nothing that it may do harms this machine: it has little memory and
// little time.
Cost run_guest(const char* program, const char* file) {
  const pid_t child = fork();
  if (child < 0) return {.exit_code = 127};
  if (child == 0) {
    const rlimit memory{.rlim_cur = std::size_t{3} << 30, .rlim_max = std::size_t{3} << 30};
    setrlimit(RLIMIT_DATA, &memory);
    const rlimit time{.rlim_cur = 60, .rlim_max = 60};
    setrlimit(RLIMIT_CPU, &time);
    const int nothing = open("/dev/null", O_RDWR);
    for (const int stream : {0, 1, 2}) dup2(nothing, stream);
    execl(program, "cordon", "guest", "--no-cache", "--memory", "16MiB", "--timeout", "10000",
          "--compile-memory", "256MiB", "--compile-timeout", "10000", file, nullptr);
    _exit(127);
  }
  int status = 0;
  rusage usage{};
  if (wait4(child, &status, 0, &usage) != child) return {.exit_code = 127};
  return {.exit_code = WIFEXITED(status) ? WEXITSTATUS(status) : -WTERMSIG(status),
          .bytes = static_cast<std::size_t>(usage.ru_maxrss) * 1024,
          .seconds = seconds_of(usage.ru_utime) + seconds_of(usage.ru_stime)};
}

// Starts guests for this process. The most memory that a process has had includes what its parent
// had when it forked, so that must be a small one: this is made before anything else runs.
class Starter {
 public:
  Starter() : program_(cordon_program()) {
    if (pipe2(orders_, O_CLOEXEC) != 0 || pipe2(costs_, O_CLOEXEC) != 0)
      throw std::runtime_error("no pipe");
    process_ = fork();
    if (process_ < 0) throw std::runtime_error("cannot fork");
    if (process_ > 0) {
      close(orders_[0]);
      close(costs_[1]);
      return;
    }
    close(orders_[1]);
    close(costs_[0]);
    std::array<char, max_path> file = {};
    while (read(orders_[0], file.data(), file.size()) == static_cast<ssize_t>(file.size())) {
      const Cost cost = run_guest(program_.c_str(), file.data());
      if (write(costs_[1], &cost, sizeof cost) != sizeof cost) break;
    }
    _exit(0);
  }
  ~Starter() {
    close(orders_[1]);
    close(costs_[0]);
    waitpid(process_, nullptr, 0);
  }
  Starter(const Starter&) = delete;
  Starter& operator=(const Starter&) = delete;

  Cost run(const std::string& path) {
    std::array<char, max_path> file = {};
    Cost cost;
    if (path.size() >= file.size()) throw std::runtime_error("a long path");
    std::ranges::copy(path, file.begin());
    const bool is_told =
        write(orders_[1], file.data(), file.size()) == static_cast<ssize_t>(file.size()) &&
        read(costs_[0], &cost, sizeof cost) == sizeof cost;
    if (!is_told) throw std::runtime_error("whoever starts guests is gone");
    return cost;
  }

 private:
  static constexpr std::size_t max_path = 1024;  // below what a pipe takes at once

  const std::string program_;
  int orders_[2] = {};
  int costs_[2] = {};
  pid_t process_ = -1;
};

Starter& starter() {
  static Starter made;
  return made;
}

class ModuleFile {
 public:
  explicit ModuleFile(std::string_view bytes) {
    static int count = 0;
    path_ = (std::filesystem::temp_directory_path() /
             ("amplify_" + std::to_string(getpid()) + "_" + std::to_string(count++) + ".wasm"))
                .string();
    std::ofstream(path_, std::ios::binary) << bytes;
  }
  ~ModuleFile() { std::remove(path_.c_str()); }
  ModuleFile(const ModuleFile&) = delete;
  ModuleFile& operator=(const ModuleFile&) = delete;
  const std::string& path() const { return path_; }

 private:
  std::string path_;
};

// WebAssembly's numbers.
std::string leb(std::size_t number) {
  std::string text;
  do {
    const std::size_t low = number % 128;
    number /= 128;
    text += static_cast<char>(number > 0 ? low + 128 : low);
  } while (number > 0);
  return text;
}

std::string section(char id, const std::string& content) {
  return std::string(1, id) + leb(content.size()) + content;
}

// A command with so many functions beside `_start`, each with this body.
std::string module_of(const std::string& body, std::size_t count) {
  const std::string start = {'\x02', '\0', '\x0b'};
  std::string bytes("\0asm\1\0\0\0", 8);
  bytes += section(1, {'\x01', '\x60', '\0', '\0'});                   // () -> ()
  bytes += section(3, leb(count + 1) + std::string(count + 1, '\0'));  // all of that type
  bytes += section(5, {'\x01', '\0', '\x01'});                         // a memory of one page
  bytes += section(7, std::string("\x02\x06memory\x02\0\x06_start\0\0", 19));  // exports
  std::string code = leb(count + 1) + start;
  const std::string function = leb(body.size()) + body;
  for (std::size_t i = 0; i < count; ++i) code += function;
  return bytes + section(10, code);
}

Attack compiling(std::string_view bytes) {
  static const Cost bare = starter().run(ModuleFile(module_of("", 0)).path());
  auto file = std::make_shared<const ModuleFile>(bytes);
  return {.in = bytes.size(), .run = [file] {
            const Cost cost = starter().run(file->path());
            return Outcome{.text = "exit code " + std::to_string(cost.exit_code),
                           .bytes = cost.bytes > bare.bytes ? cost.bytes - bare.bytes : 0,
                           .seconds = std::max(cost.seconds - bare.seconds, 0.0)};
          }};
}

// Functions with the same body.
Input functions(std::string name, std::string body) {
  return {std::move(name), [=](std::size_t size) {
            const std::size_t each = body.size() + leb(body.size()).size() + 1;
            return compiling(module_of(body, std::max<std::size_t>(1, size / each)));
          }};
}

// One function, whose body has a part over and over.
Input one_function(std::string name, std::string first, std::string part, std::string last) {
  return {std::move(name), [=](std::size_t size) {
            return compiling(module_of(repeated_to(size, first, part, last), 1));
          }};
}

Way module_way() {
  using namespace std::string_literals;
  const std::string end = "\x0b";
  return {
      .name = "plugin module",
      .inputs = {functions("empty functions", "\0\x0b"s),
                 functions("functions of 50,000 locals", "\x01\xd0\x86\x03\x7f\x0b"s),
                 functions("functions that load and store",
                           "\0\x41\0\x41\0\x28\x02\0\x36\x02\0\x0b"s),
                 one_function("one of constants", "\0"s, "\x41\0\x1a"s, end),
                 one_function("one of loads and stores", "\0"s, "\x41\0\x41\0\x28\x02\0\x36\x02\0"s,
                              end),
                 one_function("one of branches", "\x01\x01\x7f"s, "\x02\x40\x20\0\x0d\0\x0b"s, end),
                 one_function("one of divisions", "\x01\x01\x7e"s, "\x20\0\x20\0\x7f\x21\0"s, end),
                 one_function("one of calls", "\0"s, "\x10\0"s, end)},
      .fixed_bytes = std::size_t{320} << 20,
      .limited_by =
          "its process: `--compile-memory` (256 MiB here) and `--compile-timeout` (10 s); "
          "numbers and sizes of functions, locals and branches"};
}

}  // namespace

std::vector<Way> plugin_ways() {
  (void)starter();
  return {module_way()};
}

}  // namespace cordon::amplify
