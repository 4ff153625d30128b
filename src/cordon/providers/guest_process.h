#pragma once

// A guest in a process of its own, with pipes for its three streams. It is killed, and everything
// it started with it, when this goes.

#include <chrono>
#include <cstdint>
#include <string>
#include <sys/types.h>
#include <vector>

#include "cordon/result.h"

namespace cordon::providers {

// A lifeline is a pipe that we never write to: its end is ours. The process finds the other end as
// this descriptor, and can have the kernel kill it when we are gone, whichever way that came.
inline constexpr int lifeline_descriptor = 3;
enum class Lifeline : std::uint8_t { none, given };

class GuestProcess {
 public:
  // `command` is a program, looked for in PATH where it has no slash, and its arguments.
  static Result<GuestProcess> start(const std::vector<std::string>& command,
                                    Lifeline lifeline = Lifeline::none);
  ~GuestProcess();
  GuestProcess(GuestProcess&& other) noexcept;
  GuestProcess& operator=(GuestProcess&&) = delete;

  // Our ends; none of them waits. -1 once closed.
  int input() const { return input_; }
  int output() const { return output_; }
  int errors() const { return errors_; }
  // Can be read once the process has ended, though others may hold its pipes; -1 where the system
  // has no such thing.
  int end_of_process() const { return handle_; }
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
  GuestProcess(pid_t id, int input, int output, int errors, int lifeline)
      : id_(id), input_(input), output_(output), errors_(errors), lifeline_(lifeline) {}
  static void close_end(int& end);

  pid_t id_;
  int input_;
  int output_;
  int errors_;
  int lifeline_;     // -1: it has none
  int handle_ = -1;  // pidfd_open(2)
  bool has_ended_ = false;
  int status_ = 0;
};

}  // namespace cordon::providers
