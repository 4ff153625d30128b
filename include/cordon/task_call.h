#pragma once

// One call of a task or event that a Server serves, and its answer.

#include "cordon/needs_cxx23.h"

#include <cstdint>
#include <functional>
#include <memory>
#include <optional>
#include <stop_token>
#include <string>
#include <utility>
#include <variant>
#include <vector>

#include "cordon/byte_source.h"
#include "cordon/execution.h"
#include "cordon/export.h"
#include "cordon/value.h"

namespace cordon {

// An uploaded file. `path` leads to its place in the input, by keys of objects and indices of
// arrays. There the input has an object that describes the file: {name, type, size?, lastModified?,
// extra?}.
struct TaskFile {
  std::vector<std::variant<std::string, std::size_t>> path = {};
  std::shared_ptr<ByteSource> stream = {};
};

struct TaskCall {
  std::string request_id = {};
  std::string method = {};
  std::string url = {};          // the request's target, with its query
  Value headers = {};            // an object; names in lower case
  Value contexts = {};           // an object: id -> restored value
  Value input = {};              // undefined if there is none; for an event its payload
  std::string traceparent = {};  // W3C Trace Context of this call; may be empty
  std::vector<TaskFile> files = {};
  std::shared_ptr<ByteSource> body = {};  // for an octet-stream request; otherwise null
  std::stop_token aborted = {};           // the client went away, or the server's deadline passed
};

// The answer fails if its head is none that a server could send: docs/tasks.md.
struct StreamedResult {
  std::shared_ptr<ByteSource> bytes;
  std::string content_type = "application/octet-stream";
  unsigned status = 200;  // 200 to 599, and one that allows a body
  std::vector<std::pair<std::string, std::string>> headers = {};  // none that are the server's own
};

// An error that the client may see as it is.
struct TypedError {
  std::string id;
  std::string message;
  Value data = {};  // may be undefined
  // The status of the answer, 400 to 599, which clients are told too. Without it: 500.
  std::optional<unsigned> http_code = {};
};

// Any other failure is an ExecutionError. Clients only learn that the task failed, or that it was
// refused because of its input (invalid_argument) or because the server has too much to do
// (overloaded). The message and the stack are for the log.
using TaskAnswer = std::variant<Value, StreamedResult, TypedError, ExecutionError>;

// The implementation of a task or event. It answers once, at once or later, on the thread that
// called it. It may answer with a stream while the task still runs.
class CORDON_API TaskHandler {
 public:
  virtual ~TaskHandler() = default;
  virtual void call(TaskCall call, std::function<void(TaskAnswer)> done) = 0;
};

}  // namespace cordon
