#pragma once

// The body of a request on its way out: its parts, one after the other, as bytes that can be sent
// now. On the loop's thread.

#include <cstddef>
#include <cstdint>
#include <functional>
#include <memory>
#include <optional>
#include <vector>

#include "cordon/bytes.h"
#include "cordon/transport/http/http_request.h"
#include "cordon/transport/http/loop_inbox.h"

namespace cordon::transport::http {

class BodyWriter {
 public:
  // `on_ready` is called when there is more after a wait, and on no other occasion.
  BodyWriter(std::vector<HttpBodyPart> parts, std::shared_ptr<LoopInbox> inbox,
             std::function<void()> on_ready);
  ~BodyWriter();
  BodyWriter(const BodyWriter&) = delete;
  BodyWriter& operator=(const BodyWriter&) = delete;

  // The length of all parts; nothing if one of them is not known.
  std::optional<std::uint64_t> length() const { return length_; }

  enum class Status : std::uint8_t {
    ready,    // front() can be sent
    waiting,  // for a source
    done,
    failed,  // error() says why
  };
  // Asks a source for its next piece if there is nothing to send.
  Status prepare();
  BytesView front() const { return front_; }
  void consume(std::size_t bytes) { front_ = front_.subspan(bytes); }
  // All has been sent, or is not to be.
  bool is_over() const { return index_ == parts_.size() && front_.empty(); }
  const HttpError& error() const { return error_; }
  // Nothing more is sent: the sources are closed.
  void close();

 private:
  struct Reading;
  void begin_part();
  void take(Result<Bytes> piece);
  void fail(std::string message);
  void close_part();

  std::vector<HttpBodyPart> parts_;
  std::shared_ptr<LoopInbox> inbox_;
  std::function<void()> on_ready_;
  std::optional<std::uint64_t> length_ = 0;
  std::size_t index_ = 0;  // of the part that is being sent
  bool has_begun_part_ = false;
  std::optional<std::uint64_t> left_ = {};  // of the source
  Bytes piece_ = {};
  BytesView front_ = {};
  std::shared_ptr<Reading> reading_ = {};  // while a source is asked
  bool is_asking_ = false;                 // inside of the source's read()
  bool is_failed_ = false;
  HttpError error_ = {};
};

}  // namespace cordon::transport::http
