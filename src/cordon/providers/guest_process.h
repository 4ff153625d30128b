#pragma once

// A guest in a process of its own, with pipes for its three streams. It is killed, and everything
// it started with it, when this goes.

#include <chrono>
#include <string>
#include <sys/types.h>
#include <vector>

#include "cordon/result.h"

namespace cordon::providers {

class GuestProcess {
 public:
  // `command` is a program, looked for in PATH where it has no slash, and its arguments.
  static Result<GuestProcess> start(const std::vector<std::string>& command);
  ~GuestProcess();
  GuestProcess(GuestProcess&& other) noexcept;
  GuestProcess& operator=(GuestProcess&&) = delete;

  // Our ends; none of them waits. -1 once closed.
  int input() const { return input_; }
  int output() const { return output_; }
  int errors() const { return errors_; }
  void close_input() { close_end(input_); }
  void close_errors() { close_end(errors_); }

  void kill();
  // Waits for its end for at most this long; whether it came.
  bool wait(std::chrono::milliseconds most);
  // Asks the system.
  bool is_alive() const;
  bool has_ended() const { return has_ended_; }
  bool ended_well() const { return has_ended_ && status_ == 0; }
  // "it exited with code 3", "signal 9 ended it", "it still runs".
  std::string end_text() const;
  pid_t id() const { return id_; }

 private:
  GuestProcess(pid_t id, int input, int output, int errors)
      : id_(id), input_(input), output_(output), errors_(errors) {}
  static void close_end(int& end);

  pid_t id_;
  int input_;
  int output_;
  int errors_;
  bool has_ended_ = false;
  int status_ = 0;
};

}  // namespace cordon::providers
