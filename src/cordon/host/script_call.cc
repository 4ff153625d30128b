#include "cordon/host/script_call.h"

#include <utility>

#include "cordon/host/log_book.h"
#include "cordon/host/warnings.h"

namespace cordon::host {
namespace {

// How far a guest may be ahead of its reader. More would make the heap grow and shrink with each
// turn.
constexpr std::size_t max_ahead_bytes = std::size_t{64} << 10;

class ResultStream final : public ByteSource {
 public:
  explicit ResultStream(std::shared_ptr<ScriptCall> call) : call_(std::move(call)) {}
  ~ResultStream() override { call_->close(); }
  ResultStream(const ResultStream&) = delete;
  ResultStream& operator=(const ResultStream&) = delete;

  void read(Next next) override { call_->read(std::move(next)); }
  void close() override { call_->close(); }

 private:
  std::shared_ptr<ScriptCall> call_;
};

Value places_of(const std::vector<TaskFile>& files) {
  if (files.empty()) return {};
  std::vector<Value> places;
  for (const TaskFile& file : files) {
    std::vector<Value> steps;
    for (const auto& step : file.path) {
      if (const auto* key = std::get_if<std::string>(&step)) {
        steps.emplace_back(*key);
      } else {
        steps.emplace_back(std::get<std::size_t>(step));
      }
    }
    places.push_back(Value::array_from(steps));
  }
  return Value::array_from(places);
}

}  // namespace

// All of this runs on the thread that drives the engine, so there is no lock. But most functions
// here call others: the reader of the result, the source of an input, the handler's answer. Each of
// these may drop the last reference to this call or come back into it. So a function that calls out
// takes a reference to itself first (`self`), and empties a member before it calls what was in it.
//
// Lifetime. The execution holds the call, as its port and as the receiver of its report. A streamed
// result holds it too, until its reader is done. The inputs point back to the call without owning
// it; finish() detaches them, and the call lives until then. `state_` is null once the execution
// ended.
//
// The answer is given once. A value or an error is given at the end. A stream is given when its
// first piece is written, or when the task waits for its client to send: a client may wait for the
// answer to begin before it sends more. From then on an error can only end the stream.
//
// Backpressure. A guest writes one piece and waits for its answer, which comes when less than
// max_ahead_bytes wait for the reader. So a slow reader slows its guest down.
ScriptCall::ScriptCall(std::shared_ptr<const ScriptTaskOptions> options, TaskCall call,
                       std::function<void(TaskAnswer)> done)
    : options_(std::move(options)),
      origin_{std::move(call.request_id), std::move(call.traceparent)},
      method_(call.method),
      url_(call.url),
      headers_(std::move(call.headers)),
      contexts_(std::move(call.contexts)),
      files_(places_of(call.files)),
      has_body_(call.body != nullptr),
      done_(std::move(done)),
      aborted_(std::move(call.aborted)) {
  const auto add = [this](std::shared_ptr<ByteSource> source) {
    inputs_.push_back(
        source == nullptr
            ? nullptr
            : std::make_shared<TaskInput>(std::move(source), [this](Delivery::PortAnswer answer) {
                answer_port(std::move(answer));
              }));
  };
  if (has_body_ || !call.files.empty()) add(std::move(call.body));
  for (TaskFile& file : call.files) add(std::move(file.stream));
}

void ScriptCall::set_up(ExecuteOptions& options) {
  options.origin = origin_;
  if (!options_->on_log) return;
  options.on_log = [self = weak_from_this()](const LogLine& line) {
    if (const auto call = self.lock()) call->options_->on_log(call->origin_, line);
  };
}

void ScriptCall::run(std::shared_ptr<ExecutionState> state) {
  state_ = std::move(state);
  state_->then([self = shared_from_this()](Report report) { self->finish(std::move(report)); });
}

void ScriptCall::watch_client() {
  if (state_ != nullptr && aborted_.stop_possible()) {
    on_abort_.emplace(aborted_, std::function<void()>([self = weak_from_this()] {
                        if (const auto call = self.lock()) call->abort();
                      }));
  }
}

js::TaskRequest ScriptCall::request() const {
  return {.method = method_,
          .url = url_,
          .headers = headers_,
          .contexts = contexts_,
          .files = files_,
          .has_body = has_body_,
          .is_event = options_->kind == ScriptKind::event};
}

bool ScriptCall::take(js::PortCall call) {
  using Kind = js::PortCall::Kind;
  if (call.kind == Kind::stream) return take_stream(call.value);
  if (call.kind == Kind::write) return take_write(call.call, std::move(call.bytes));
  if (call.kind == Kind::fail) return take_failure(call.value);
  const double number = call.value.as_number();
  const auto index = static_cast<std::size_t>(number >= 0 && number < 1e6 ? number : 1e6);
  if (!call.value.is_number() || index >= inputs_.size() || inputs_[index] == nullptr) return false;
  if (call.kind == Kind::close) {
    inputs_[index]->close();
    return true;
  }
  inputs_[index]->read(call.call);
  // Its client may wait for the answer to begin before it sends more.
  if (stream_ && is_reading()) answer_with_stream();
  return true;
}

bool ScriptCall::waits_for_client() const { return waiting_write_ != 0 || is_reading(); }

bool ScriptCall::is_reading() const {
  for (const auto& input : inputs_)
    if (input != nullptr && input->is_waiting()) return true;
  return false;
}

// Text is the content type alone, an object {contentType, status, headers: [[name, value], …]}.
bool ScriptCall::take_stream(ValueView head) {
  if (stream_) return false;
  StreamedResult& made = stream_.emplace();
  const ValueView type = head.is_object() ? head.find("contentType") : head;
  if (type.is_string()) made.content_type = type.as_string();
  if (head.is_object()) {
    made.status = static_cast<unsigned>(head.find("status").value_or(200));
    for (const ValueView& pair : head.find("headers").items())
      made.headers.emplace_back(pair.at(0).as_string(), pair.at(1).as_string());
  }
  if (is_reading()) answer_with_stream();
  return true;
}

bool ScriptCall::take_write(std::uint64_t call, Bytes bytes) {
  if (!stream_ || waiting_write_ != 0) return false;
  if (is_closed_ || is_aborted_) {
    waiting_write_ = call;
    refuse_write({ErrorCode::closed, "the client went away"});
    return true;
  }
  piece_bytes_ += bytes.size();
  pieces_.push_back(std::move(bytes));
  waiting_write_ = call;
  if (!is_streaming_) answer_with_stream();
  serve_reader();
  return true;
}

bool ScriptCall::take_failure(ValueView parts) {
  const ValueView id = parts.find("id");
  const ValueView message = parts.find("message");
  if (!id.is_string() || !message.is_string()) return false;
  typed_error_.emplace(std::string(id.as_string()), std::string(message.as_string()),
                       Value::copy_of(parts.find("data")));
  const ValueView http_code = parts.find("httpCode");
  if (http_code.is_number()) typed_error_->http_code = static_cast<unsigned>(http_code.value_or(0));
  return true;
}

void ScriptCall::answer_port(Delivery::PortAnswer answer) {
  if (state_ != nullptr) state_->answer_port(std::move(answer));
}

void ScriptCall::answer(TaskAnswer answer) {
  if (const auto done = std::exchange(done_, {})) done(std::move(answer));
}

void ScriptCall::answer_with_stream() {
  if (std::exchange(is_streaming_, true)) return;
  stream_->bytes = std::make_shared<ResultStream>(shared_from_this());
  answer(*std::exchange(stream_, StreamedResult()));
}

void ScriptCall::serve_reader() {
  if (next_) {
    if (!pieces_.empty()) {
      Bytes piece = std::move(pieces_.front());
      pieces_.pop_front();
      piece_bytes_ -= piece.size();
      std::exchange(next_, {})(std::move(piece));
    } else if (stream_error_) {
      std::exchange(next_, {})(fail(*stream_error_));
    } else if (state_ == nullptr) {
      std::exchange(next_, {})(Bytes());
    }
  }
  if (waiting_write_ != 0 && piece_bytes_ < max_ahead_bytes)
    answer_port({std::exchange(waiting_write_, 0), std::monostate()});
}

void ScriptCall::read(ByteSource::Next next) {
  if (is_closed_) {
    next(fail(ErrorCode::cancelled, "the stream was closed"));
    return;
  }
  const auto self = shared_from_this();
  next_ = std::move(next);
  serve_reader();
}

void ScriptCall::close() {
  if (std::exchange(is_closed_, true)) return;
  const auto self = shared_from_this();
  pieces_.clear();
  piece_bytes_ = 0;
  abort();
  if (next_) std::exchange(next_, {})(fail(ErrorCode::cancelled, "the stream was closed"));
}

void ScriptCall::refuse_write(const Error& why) {
  if (waiting_write_ == 0) return;
  answer_port(
      {std::exchange(waiting_write_, 0), Error{ErrorCode::tool_error, why.message, "aborted"}});
}

void ScriptCall::abort() {
  if (state_ == nullptr || std::exchange(is_aborted_, true)) return;
  const auto self = shared_from_this();
  // Tell the task first, so that it knows why its streams fail.
  state_->abort();
  for (const auto& input : inputs_)
    if (input != nullptr) input->close();
  refuse_write({ErrorCode::closed, "the client went away"});
}

void ScriptCall::finish(Report report) {
  const auto self = shared_from_this();
  state_.reset();
  // However the task reacted, this is why it ended.
  if (is_aborted_ && !report.ok()) report.error.code = ErrorCode::cancelled;
  on_abort_.reset();
  for (const auto& input : inputs_)
    if (input != nullptr) input->detach();
  if (!is_streaming_) {
    if (report.ok() && stream_) {
      answer_with_stream();
    } else {
      answer(answer_of(report));
    }
  } else if (!report.ok()) {
    stream_error_ =
        Error{is_aborted_ ? ErrorCode::cancelled : ErrorCode::runtime_error, report.error.message};
  }
  serve_reader();
  if (options_->on_log) {
    if (const auto note = note_on_cut_logs(report)) options_->on_log(origin_, *note);
    for (const LogLine& line : lines_of_warnings(report)) options_->on_log(origin_, line);
  }
  if (options_->on_end) options_->on_end(origin_, report);
}

TaskAnswer ScriptCall::answer_of(Report& report) const {
  if (report.ok()) return std::move(report.result);
  if (typed_error_ && !is_aborted_ && report.error.is(ErrorCode::runtime_error))
    return *typed_error_;
  return failure_of(report.error);
}

ExecutionError ScriptCall::failure_of(const ExecutionError& error) const {
  ExecutionError failure = error;
  if (is_aborted_) {
    failure.code = ErrorCode::cancelled;
  } else if (error.is(ErrorCode::serialization_error)) {
    // If no particular part was refused, the input as a whole did not fit.
    if (error.reason.empty())
      failure.code = ErrorCode::invalid_argument;
    else
      failure.message += ": " + error.reason;
    if (!error.place.empty()) failure.message += " at " + error.place;
  }
  return failure;
}

}  // namespace cordon::host
