#pragma once

// A runner in a process of its own. A keeper stands between it and us: a fork of ours that starts
// it, tells how it ended, and kills it with everything that it started, once we say so or are gone,
// whichever way that came. It adopts what the runner leaves behind.

#include <chrono>
#include <cstdint>
#include <optional>
#include <string>
#include <sys/types.h>
#include <vector>

#include "cordon/base/descriptor.h"
#include "cordon/result.h"

namespace cordon::runners {

enum class Confinement : std::uint8_t { none, jail };

// What any program may need of our environment, as NAME=VALUE.
std::vector<std::string> environment_of_runners();

class Child {
 public:
  // `words` are a program, looked for in PATH where it has no slash, and its arguments. Returns
  // once the program runs. Fails with ErrorCode::unavailable where it cannot be started.
  // Also where it cannot be jailed as it is told.
  static Result<Child> start(const std::vector<std::string>& words,
                             const std::vector<std::string>& environment,
                             Confinement confinement = Confinement::none);
  ~Child() { end(); }
  Child(Child&& other) noexcept = default;
  Child& operator=(Child&&) = delete;

  // Our ends; none of them waits.
  const Descriptor& input() const { return input_; }
  const Descriptor& output() const { return output_; }
  const Descriptor& errors() const { return errors_; }
  // Can be read once the process has ended, though others may hold its pipes.
  const Descriptor& status() const { return status_; }
  void close_errors() { errors_.close(); }

  // "exited with code 3", "was ended by signal 9 (Killed)"; nothing while it runs.
  std::optional<std::string> end_text();
  // Has all of it killed. What was written to its pipes can still be read.
  void begin_end();
  // Waits for that, too.
  void end();

 private:
  struct Keeper {
    explicit Keeper(pid_t number) : id(number) {}
    Keeper(Keeper&& other) noexcept : id(std::exchange(other.id, -1)) {}
    pid_t id;
  };
  Child(pid_t keeper, Descriptor input, Descriptor output, Descriptor errors, Descriptor status,
        Descriptor lifeline);

  Keeper keeper_;
  Descriptor input_;
  Descriptor output_;
  Descriptor errors_;
  Descriptor status_;
  Descriptor lifeline_;  // the keeper works until it is closed
  std::optional<int> wait_status_;
};

}  // namespace cordon::runners
