#pragma once

// One call of a task or event that a Server serves, and its answer.

#include "cordon/needs_cxx23.h"

#include <cstdint>
#include <functional>
#include <memory>
#include <optional>
#include <stop_token>
#include <string>
#include <variant>
#include <vector>

#include "cordon/byte_source.h"
#include "cordon/execution.h"
#include "cordon/export.h"
#include "cordon/value.h"

namespace cordon {

// An uploaded file. The input has an object of what is known about it ({name, type, size?,
// lastModified?, extra?}) where `path` leads: keys of objects and indices of arrays.
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
  Value input = {};              // undefined where there is none; of an event: its payload
  std::string traceparent = {};  // W3C, of this call; empty where there is none
  std::vector<TaskFile> files = {};
  std::shared_ptr<ByteSource> body = {};  // of an octet-stream request, else null
  std::stop_token aborted = {};           // the client went away, or the server's deadline passed
};

struct StreamedResult {
  std::shared_ptr<ByteSource> bytes;
  std::string content_type = "application/octet-stream";
};

// An error that the client may see as it is.
struct TypedError {
  std::string id;
  std::string message;
  Value data = {};  // undefined where there is none
};

// Any other failure is an ExecutionError. Clients learn that the task failed, was refused because
// of its input (invalid_argument) or because the server has too much to do (overloaded); the
// message and the stack are for the log.
using TaskAnswer = std::variant<Value, StreamedResult, TypedError, ExecutionError>;

// What is behind the id of a task or event. It answers once, at once or later, by the thread that
// called it. A streamed result may be answered while the task still runs.
class CORDON_API TaskHandler {
 public:
  virtual ~TaskHandler() = default;
  virtual void call(TaskCall call, std::function<void(TaskAnswer)> done) = 0;
};

}  // namespace cordon
