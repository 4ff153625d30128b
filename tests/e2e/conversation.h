#pragma once

// A program that is talked to while it runs: lines in, lines out.

#include <chrono>
#include <optional>
#include <string>
#include <string_view>
#include <sys/types.h>
#include <vector>

namespace cordon::e2e {

class Conversation {
 public:
  // Its standard error goes to ours.
  Conversation(const std::string& program, std::vector<std::string> arguments);
  ~Conversation();  // ends it, if it still runs
  Conversation(const Conversation&) = delete;
  Conversation& operator=(const Conversation&) = delete;

  // A line, or bytes as they are. False where nobody reads them.
  bool send(std::string_view line);
  bool send_bytes(std::string_view bytes);
  void end_input();
  void close_output();

  // The next line without its end; nothing at the end of the output. Throws std::runtime_error
  // where none comes in time.
  std::optional<std::string> receive(std::chrono::milliseconds within = std::chrono::seconds(20));
  bool has_output(std::chrono::milliseconds within);

  // Its exit code, or minus the signal that ended it.
  int wait();
  pid_t process() const { return process_; }

 private:
  bool read_more(std::chrono::milliseconds within);

  pid_t process_ = -1;
  int input_ = -1;   // we write
  int output_ = -1;  // we read
  std::string unread_;
};

}  // namespace cordon::e2e
