#pragma once

// A multipart body on its way to a task: the manifest becomes the input, the parts become streams.
// The rules are those of tunnel::UploadSession; this reads, keeps the bytes and hands them out.
//
// The task starts as soon as its input is known, and reads while the client still sends. A file
// that is read slows its client down. One that is not holds up to `memory_bytes`; then the client
// waits, unless the task asks for another file or cannot be started yet: then the rest goes to a
// temporary file. Unexpected parts are read and dropped.

#include <cstdint>
#include <functional>
#include <memory>
#include <optional>
#include <string>
#include <unordered_map>
#include <utility>
#include <vector>

#include <boost/asio/any_io_executor.hpp>
#include <boost/asio/awaitable.hpp>

#include "cordon/base/budget.h"
#include "cordon/protocol/tunnel/refusal.h"
#include "cordon/protocol/tunnel/upload_session.h"
#include "cordon/server/async_event.h"
#include "cordon/server/request_work.h"
#include "cordon/server/work_pool.h"
#include "cordon/task_call.h"
#include "cordon/transport/http/exchange.h"

namespace cordon::server {

class UploadedFile;

struct UploadLimits {
  MultipartLimits parts = {};
  std::size_t memory_bytes = 262'144;                        // of a file that is not read
  std::uint64_t spilled_bytes = std::uint64_t{1'024} << 20;  // of a request
};

// What an upload uses of its server.
struct UploadContext {
  boost::asio::any_io_executor executor;
  PayloadReader reader;
  WorkPool& pool;
  std::string client;  // whose turn in the pool it is
  std::shared_ptr<Budget> memory;
};

// One thread.
class Upload : public std::enable_shared_from_this<Upload> {
 public:
  // Borrows the exchange until end(). `on_news` is called when one of the answers below has
  // changed.
  Upload(UploadContext context, transport::http::Exchange& exchange, const UploadLimits& limits,
         std::function<void()> on_news);
  ~Upload();

  void start(std::string boundary);

  bool is_ready() const { return is_ready_; }  // the task can be called
  bool is_done() const { return is_done_; }    // nothing more is read
  const std::optional<tunnel::Refusal>& refusal() const { return session_->refusal(); }
  const std::string& failure() const { return failure_; }  // what only the log should tell of it
  bool client_is_gone() const { return client_is_gone_; }

  // Once it is ready, once.
  Value take_input() { return session_->take_input(); }
  std::vector<TaskFile> take_files() { return std::move(task_files_); }

  // There is no reader any more. What comes is dropped.
  void discard();
  // The request is over.
  void end();

  // Only its files call this.
  void on_demand() { demand_.notify(); }

 private:
  boost::asio::awaitable<void> pump();
  boost::asio::awaitable<void> take_piece(BytesView piece);
  boost::asio::awaitable<void> give(BytesView bytes);
  bool must_go_on() const;
  boost::asio::awaitable<void> read_manifest(std::string text);
  // Tells of what the session came to.
  void settle();
  void hand_out_files();
  void fail_files();
  UploadedFile& file_of(const std::string& id);

  const UploadContext context_;
  transport::http::Exchange* exchange_;
  UploadLimits limits_;
  std::function<void()> on_news_;
  AsyncEvent demand_;
  std::optional<tunnel::UploadSession> session_;
  std::unordered_map<std::string, std::shared_ptr<UploadedFile>> files_;
  UploadedFile* current_ = nullptr;  // whose bytes come now
  std::vector<TaskFile> task_files_ = {};
  std::string failure_;
  std::uint64_t spilled_bytes_ = 0;
  bool is_ready_ = false;
  bool is_done_ = false;  // all was read, or is not wanted
  bool is_discarding_ = false;
  bool client_is_gone_ = false;
};

}  // namespace cordon::server
