#pragma once

// A program run to its end, with what it wrote and how it ended.

#include <chrono>
#include <functional>
#include <map>
#include <string>
#include <sys/types.h>
#include <vector>

namespace cordon::e2e {

enum class Stream {
  pipe,
  terminal,     // a pseudo terminal
  closed_pipe,  // a pipe that nobody reads
  closed,       // no descriptor at all
  full_device,  // /dev/full
};

struct Command {
  std::vector<std::string> arguments;
  std::string input = {};         // on standard input
  bool keeps_input_open = false;  // no end of file comes after it
  Stream output = Stream::pipe;
  Stream errors = Stream::pipe;
  std::map<std::string, std::string> environment = {};  // added to ours
  std::string folder = {};                              // to run in
  std::chrono::milliseconds time_limit{20'000};
  // Called whenever more has come on standard error, with the process and all that came so far.
  std::function<void(pid_t, const std::string&)> on_errors = {};
  // Called again and again while it runs, until it says that it has done its part.
  std::function<bool(pid_t)> meanwhile = {};
};

struct Ended {
  int exit_code = -1;      // where it exited
  int signal = 0;          // where a signal ended it
  bool timed_out = false;  // our time limit passed, and it was killed
  std::string output;
  std::string errors;
  std::chrono::milliseconds took{};
};

Ended run(const std::string& program, const Command& command);

// Whether the process has blocked a signal, to take it when it likes.
bool blocks(pid_t process, int signal);

// The program `cordon` of this build: $CORDON_PROGRAM, or ../bin/cordon seen from this test.
std::string cordon_program();

// A folder of its own, gone at the end.
class Folder {
 public:
  Folder();
  ~Folder();
  Folder(const Folder&) = delete;
  Folder& operator=(const Folder&) = delete;

  // Writes a file and gives its path.
  std::string file(const std::string& name, const std::string& content) const;
  const std::string& path() const { return path_; }

 private:
  std::string path_;
};

}  // namespace cordon::e2e
