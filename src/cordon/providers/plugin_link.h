#pragma once

// One guest process and the conversation with it: moves the bytes of a duplex::HostSession, keeps
// its time and ends the process where the session says so.
//
// One thread at a time may use it. The thread that waits for an answer drives it, so a call needs
// no other thread.

#include <chrono>
#include <functional>
#include <memory>
#include <optional>
#include <string>
#include <string_view>
#include <vector>

#include "cordon/base/instant.h"
#include "cordon/protocol/duplex/host_session.h"
#include "cordon/providers/guest_process.h"
#include "cordon/result.h"

namespace cordon::providers {

struct LinkOptions {
  std::vector<std::string> command;
  Lifeline lifeline = Lifeline::none;
  duplex::Limits limits = {};
  std::size_t error_bytes = std::size_t{1} << 20;  // of standard error; the rest is dropped
  std::function<void(std::string_view)> on_errors = {};
};

class PluginLink {
 public:
  static Result<std::unique_ptr<PluginLink>> start(LinkOptions options);

  duplex::HostSession& session() { return session_; }
  GuestProcess& process() { return process_; }

  // The guest's next message; nothing when `until` has passed, `wake` can be read, or, for one that
  // has more to write, all is written. After a violation the process is gone.
  enum class More : std::uint8_t { no, when_written };
  Result<std::optional<duplex::Message>> next(std::optional<Instant> until, int wake = -1,
                                              More more = More::no);

  // No more comes from us: the guest reads an end of file after what is still to be written.
  void finish_input();
  // Whether a write found the other end closed, which raises SIGPIPE.
  bool is_input_broken() const { return input_broken_; }
  void kill();

 private:
  PluginLink(LinkOptions options, GuestProcess process);
  void flush();
  bool read_output();
  void read_errors();
  Error on_end_of_output();

  LinkOptions options_;
  GuestProcess process_;
  duplex::HostSession session_;
  std::size_t written_ = 0;  // of the session's output
  std::size_t error_bytes_ = 0;
  bool finishing_ = false;
  bool output_over_ = false;
  bool input_broken_ = false;
};

// The words of a command line as a shell splits them, with quotes and backslashes and nothing else:
// no variables, no patterns, no operators.
Result<std::vector<std::string>> split_words(std::string_view line);

// From the system.
void random_bytes(std::span<std::uint8_t> bytes);

}  // namespace cordon::providers
