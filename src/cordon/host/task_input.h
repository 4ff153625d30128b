#pragma once

// A stream of a request, the body or a file, as the guest reads it. It joins the source with the
// guest's calls that wait for a piece.

#include <cstdint>
#include <deque>
#include <functional>
#include <memory>
#include <optional>
#include <variant>

#include "cordon/byte_source.h"
#include "cordon/host/execution_state.h"

namespace cordon::host {

class TaskInput : public std::enable_shared_from_this<TaskInput> {
 public:
  using Answer = std::function<void(Delivery::PortAnswer)>;
  TaskInput(std::shared_ptr<ByteSource> source, Answer answer);

  // The guest may ask for the next piece while it waits for one.
  void read(std::uint64_t call);
  // Reads nothing more and answers the calls that wait.
  void close();
  // The same without answering anyone.
  void detach();
  // Whether a call waits for the client to send.
  bool is_waiting() const { return is_reading_; }

 private:
  void serve();
  Delivery::PortAnswer next_answer();
  bool can_answer() const { return !piece_.empty() || is_over_; }
  void take(Result<Bytes> piece);
  Bytes cut();

  std::shared_ptr<ByteSource> source_;  // null once it is closed
  Answer answer_;
  std::deque<std::uint64_t> waiting_;
  Bytes piece_;  // from cut_ on it has not been delivered
  std::size_t cut_ = 0;
  std::optional<Error> error_;
  bool is_over_ = false;
  bool is_reading_ = false;
  bool is_serving_ = false;
};

}  // namespace cordon::host
