#include "cordon/base/process_figures.h"

#include <array>
#include <charconv>
#include <cstdio>
#include <ctime>
#include <dirent.h>
#include <fcntl.h>
#include <string_view>
#include <sys/resource.h>
#include <unistd.h>

#include <malloc.h>

namespace cordon {
namespace {

using Buffer = std::array<char, 1024>;

// A file of the kernel's, which is short.
std::string_view read_text(const char* path, Buffer& buffer) {
  const int file = open(path, O_RDONLY | O_CLOEXEC);
  if (file < 0) return {};
  const ssize_t got = read(file, buffer.data(), buffer.size());
  close(file);
  return got < 0 ? std::string_view()
                 : std::string_view(buffer.data(), static_cast<std::size_t>(got));
}

// The number at a place of a list that blanks separate.
std::uint64_t number_at(std::string_view text, int index) {
  for (; index > 0; --index) {
    const std::size_t blank = text.find(' ');
    if (blank == text.npos) return 0;
    text.remove_prefix(blank + 1);
  }
  std::uint64_t number = 0;
  std::from_chars(text.data(), text.data() + text.size(), number);
  return number;
}

std::size_t count_open_files() {
  DIR* const folder = opendir("/proc/self/fd");
  if (folder == nullptr) return 0;
  std::size_t count = 0;
  while (const dirent* const entry = readdir(folder)) {
    if (entry->d_name[0] != '.') ++count;
  }
  closedir(folder);
  return count - 1;  // without the folder itself
}

// The kernel tells when a process began, counted from its own start.
double seconds_of_start(std::uint64_t ticks) {
  timespec since_boot{};
  timespec now{};
  clock_gettime(CLOCK_BOOTTIME, &since_boot);
  clock_gettime(CLOCK_REALTIME, &now);
  const auto seconds = [](const timespec& time) {
    return static_cast<double>(time.tv_sec) + static_cast<double>(time.tv_nsec) / 1e9;
  };
  const auto began = static_cast<double>(ticks) / static_cast<double>(sysconf(_SC_CLK_TCK));
  return seconds(now) - seconds(since_boot) + began;
}

std::size_t page_bytes() { return static_cast<std::size_t>(sysconf(_SC_PAGESIZE)); }

}  // namespace

std::size_t resident_bytes() {
  Buffer buffer;
  return number_at(read_text("/proc/self/statm", buffer), 1) * page_bytes();
}

ProcessFigures process_figures() {
  ProcessFigures figures;
  Buffer buffer;
  const std::string_view pages = read_text("/proc/self/statm", buffer);
  figures.virtual_bytes = number_at(pages, 0) * page_bytes();
  figures.resident_bytes = number_at(pages, 1) * page_bytes();
  // The name of the program is in parentheses and may have blanks in it. Behind it come the state
  // and numbers (proc(5)): threads are the 20th of all, the start is the 22nd.
  std::string_view stat = read_text("/proc/self/stat", buffer);
  const std::size_t name_end = stat.rfind(") ");
  if (name_end != stat.npos) {
    stat.remove_prefix(name_end + 2);
    figures.threads = number_at(stat, 17);
    figures.start_seconds = seconds_of_start(number_at(stat, 19));
  }
  timespec cpu{};
  clock_gettime(CLOCK_PROCESS_CPUTIME_ID, &cpu);
  figures.cpu_seconds = static_cast<double>(cpu.tv_sec) + static_cast<double>(cpu.tv_nsec) / 1e9;
  figures.open_files = count_open_files();
  rlimit limit{};
  if (getrlimit(RLIMIT_NOFILE, &limit) == 0) figures.max_files = limit.rlim_cur;
  return figures;
}

void give_heap_back() {
#ifdef __GLIBC__
  malloc_trim(0);
#endif
}

}  // namespace cordon
