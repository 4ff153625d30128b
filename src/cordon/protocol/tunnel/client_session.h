#pragma once

// The client's side of one request to a tunnel, without its I/O: writes the request, then reads the
// answer and says what it means.
//
//   ClientSession session(options, serializer);
//   Result<OutgoingRequest> request = session.request({.id = "app.tasks.add", .input = input});
//   // Send it, and hand the answer's head to on_head() and its pieces to on_piece().
//   ClientOutcome outcome = session.on_end();
//
// Wherever the answer is cut into pieces, the outcome is the same. What the connection itself makes
// fail is its driver's to tell.

#include <chrono>
#include <cstddef>
#include <cstdint>
#include <optional>
#include <string>
#include <string_view>
#include <utility>
#include <variant>
#include <vector>

#include "cordon/codec/rich/serializer.h"
#include "cordon/protocol/http_head.h"
#include "cordon/protocol/tunnel/outgoing_form.h"
#include "cordon/result.h"
#include "cordon/value.h"

namespace cordon::tunnel {

struct ClientOptions {
  std::string base_path = {};                   // as normal_base_path gives it
  std::string token = {};                       // empty: none is sent
  std::string token_header = "x-runner-token";  // `authorization` sends it as Bearer
  // The largest envelope, and the largest stream that is collected.
  std::size_t max_answer_bytes = std::size_t{64} << 20;
  // What becomes of a task's streamed result: the driver takes the pieces, or the outcome has them
  // all. What events and discovery answer is never a stream.
  enum class Streams : std::uint8_t { passed_on, collected };
  Streams streams = Streams::passed_on;
};

// What is sent with a call.
struct InputText {
  std::string text;  // as the serializer writes it; it goes as it stands
};
struct OctetBody {
  std::optional<std::uint64_t> bytes = {};  // nothing if it is not known yet
};
struct FormBody {
  Value input = {};  // with file_placeholder() where the files are
  std::vector<OutgoingFile> files = {};
  std::string boundary = {};  // random, so that no file contains it
};

struct ClientCall {
  enum class Target : std::uint8_t { task, event, discovery };
  Target target = Target::task;
  std::string id = {};
  std::variant<Value, InputText, OctetBody, FormBody> input = {};  // of an event: its payload
  bool returns_payload = false;                                    // of an event
  std::string request_id = {};                                     // empty: the server makes one
  std::string traceparent = {};                                    // empty: none
  std::vector<std::pair<std::string, Value>> contexts = {};
  // The caller's own. They replace those that the session would write under their names; names that
  // belong to the framing, such as content-length, are refused.
  std::vector<HttpHeader> headers = {};
};

// Whether a caller may send it. ErrorCode::invalid_argument says why not.
Result<> check_own_header(const HttpHeader& header);

struct OutgoingRequest {
  std::string method = "POST";
  std::string target = {};
  std::vector<HttpHeader> headers = {};  // without those of framing and of the connection
  std::vector<BodyPart> body = {};
  std::optional<std::uint64_t> content_length = {};  // nothing: it is not known yet
};

// What came of a request.
struct TaskResult {
  Value value = {};  // undefined where there is none
};
struct StreamedAnswer {
  std::string content_type = {};
  std::string bytes = {};  // where streams are collected
};
// What the server says, in its own words.
struct AnsweredFailure {
  unsigned status = 0;
  std::optional<unsigned> http_code = {};  // where the envelope names one
  std::string code = {};                   // empty where it says none
  std::optional<std::string> id = {};      // of a typed error
  std::string message = {};
  Value data = {};              // for a typed error; may be undefined
  std::string request_id = {};  // empty where the answer names none
  // It did not begin with the request, so that sending it again does no harm.
  bool may_be_repeated = false;
  std::optional<std::chrono::seconds> retry_after = {};
};
// Never followed: a token goes nowhere but where its owner sent it.
struct Redirect {
  unsigned status = 0;
  std::string location = {};  // as the answer has it; empty where it has none
  std::string request_id = {};

  // "status 302 to http://elsewhere/, which is not followed"
  std::string message() const;
};
// What no tunnel answers.
struct BadAnswer {
  enum class Why : std::uint8_t { no_envelope, malformed, too_large };
  Why why = Why::malformed;
  unsigned status = 0;
  std::string message = {};
  std::string request_id = {};
};
using ClientOutcome =
    std::variant<TaskResult, StreamedAnswer, AnsweredFailure, Redirect, BadAnswer>;

// One request; one thread at a time.
class ClientSession {
 public:
  // Borrows all three. Without an oracle of its own the serializer's is asked.
  ClientSession(const ClientOptions& options, const rich::Serializer& serializer,
                const rich::RegExpOracle* regexps = nullptr)
      : options_(options), serializer_(serializer), regexps_(regexps) {}

  // ErrorCode::invalid_argument for what cannot stand in a head; else what the serializer says of
  // an input that it cannot write.
  Result<OutgoingRequest> request(const ClientCall& call);

  enum class Next : std::uint8_t {
    read_on,
    pass_on,  // the pieces are the result: on_piece need not be called with them
    stop,     // nothing more is worth reading
  };
  Next on_head(const HttpResponseHead& head);
  Next on_piece(std::string_view piece);
  // The answer has come to its end, or is to be read no further.
  ClientOutcome on_end();

  // What the head said, for those who tell of an answer that broke off. 0 and empty: nothing.
  unsigned status() const { return status_; }
  const std::string& request_id() const { return request_id_; }

 private:
  Next stop(BadAnswer::Why why, std::string message);
  Next stop_without_envelope(std::string_view why);
  ClientOutcome bad(std::string message) const;
  ClientOutcome result_of(const Value& envelope) const;
  ClientOutcome read_envelope() const;
  ClientOutcome read_failure(const Value& envelope) const;

  const ClientOptions& options_;
  const rich::Serializer& serializer_;
  const rich::RegExpOracle* const regexps_;
  ClientCall::Target target_ = ClientCall::Target::task;
  bool needs_result_ = false;  // an answer without one is none
  unsigned status_ = 0;        // 0: the head has not come
  bool is_stream_ = false;
  std::string request_id_ = {};
  std::string content_type_ = {};
  std::optional<std::chrono::seconds> retry_after_ = {};
  std::string body_ = {};
  std::optional<ClientOutcome> stopped_ = {};  // why the answer is not read on
};

}  // namespace cordon::tunnel
