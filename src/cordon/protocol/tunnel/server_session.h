#pragma once

// The server's side of one request to a tunnel: news of the client, of the task and of the server's
// own work go in, orders come out. It does no I/O, owns no thread and reads no clock.
//
//   ServerSession session(policy, serializer, head, random);
//   Order order = session.on_head(now);
//   while (!session.is_over()) order = carry_out(order, session);  // tells what came of it
//
// Each order says which calls it waits for. There is exactly one order at a time; the last one is
// Respond, FinishStream or Leave. A client that goes and a deadline that passes may be told at any
// time before that, instead of what the order waits for.
//
// The order of checks is that of the protocol: method, authentication, allow-list, the token of a
// lane, body.

#include <cstdint>
#include <optional>
#include <random>
#include <string>
#include <string_view>
#include <utility>
#include <variant>
#include <vector>

#include "cordon/bytes.h"
#include "cordon/codec/rich/serializer.h"
#include "cordon/error.h"
#include "cordon/protocol/http_head.h"
#include "cordon/protocol/tunnel/body_hash.h"
#include "cordon/protocol/tunnel/policy.h"
#include "cordon/protocol/tunnel/refusal.h"
#include "cordon/protocol/tunnel/route.h"
#include "cordon/protocol/tunnel/stream_head.h"
#include "cordon/value.h"

namespace cordon::tunnel {

// Calls a task that says whether the client is let in: on_verdict.
struct AskValidator {
  const Endpoint* validator = nullptr;
  Value input = {};
  Value headers = {};
};
// Reads the next piece of the body: on_body, on_body_end, on_body_failure, on_refusal.
struct ReadBody {};
// Begins to read a multipart body (UploadSession): on_parts, on_refusal.
struct ReadParts {
  std::string boundary = {};
};
// Makes an input of what was read, checks it, and reads the contexts: on_input, on_refusal.
enum class InputForm : std::uint8_t {
  task,   // `text` is the body of a task
  event,  // `text` is the body of an event
  parts,  // it was made of a manifest
  none,   // the task reads the body itself
};
struct ReadInput {
  const Endpoint* endpoint = nullptr;
  InputForm form = InputForm::task;
  std::string text = {};
  std::string_view parallel_event = {};         // refused where it is to give its payload back
  const std::string* context_header = nullptr;  // null: there are none to read
  const std::vector<std::string>* contexts = nullptr;  // ids of those that count
};
// Calls a task that takes its input alone: on_result, on_typed_error, on_failure, on_stream.
struct Invoke {
  const Endpoint* endpoint = nullptr;
  Value input = {};
};
// The same for any other, with what else it may want to know.
enum class Attachment : std::uint8_t { none, body, files };
struct Call {
  const Endpoint* endpoint = nullptr;
  Value input = {};
  Value contexts = {};
  Value headers = {};
  Attachment attachment = Attachment::none;
};
// The result is known. Reads and drops the rest of a multipart body, which may yet turn out to be
// wrong: on_parts_end, on_refusal.
struct AwaitParts {};
// Writes an answer that takes long: on_text, on_refusal.
struct TypedFailure {
  std::string id = {};
  std::string message = {};
  Value data = {};  // undefined where there is none
  std::optional<unsigned> http_code = {};
};
struct WriteAnswer {
  std::variant<Value, TypedFailure> answer = {};
};
// Reads the next piece of the streamed result: on_piece, on_piece_failure.
struct ReadPiece {};
// Begins the answer: on_sent.
struct StartStream {
  HttpResponseHead head = {};
};
// Sends the piece that was read last: on_sent.
struct WritePiece {};

// Ends. A whole answer; the end of a streamed one; or nothing more: what was begun stays
// unfinished, so that the client knows that there is something missing, and what was not begun is
// answered by the connection itself.
struct Respond {
  HttpResponseHead head = {};
  std::string body = {};
};
struct FinishStream {};
struct Leave {};

using Order =
    std::variant<Leave, AskValidator, ReadBody, ReadParts, ReadInput, Invoke, Call, AwaitParts,
                 WriteAnswer, ReadPiece, StartStream, WritePiece, Respond, FinishStream>;

// One thread at a time.
class ServerSession {
 public:
  // All but the random numbers are borrowed until the session is over.
  ServerSession(const Policy& policy, const rich::Serializer& serializer,
                const HttpRequestHead& head, std::mt19937_64& random);
  ServerSession(const ServerSession&) = delete;
  ServerSession& operator=(const ServerSession&) = delete;

  // First, once. Tokens of lanes count at certain times.
  Order on_head(LaneTime now);

  // What a validator answered; anything but an object with `ok: true` is a no.
  Order on_verdict(const Value& answer);
  Order on_body(BytesView piece);
  Order on_body_end();
  // ErrorCode::closed: the client went away; malformed; timeout: no more of it comes.
  Order on_body_failure(ErrorCode code);
  Order on_parts() { return read_input(InputForm::parts); }
  Order on_parts_end() { return conclude(std::exchange(result_, {})); }

  struct Input {
    Value input = {};
    Value contexts = {};
    bool returns_payload = false;  // of an event
  };
  Order on_input(Input input);
  // What the server's own work came to; `failure` is what only the log should tell.
  Order on_refusal(const Refusal& refusal, std::string failure = {});
  // The server has no memory or no thread for it.
  Order on_overload(std::string failure) { return on_refusal(overloaded(), std::move(failure)); }

  Order on_result(Value result);
  Order on_typed_error(TypedFailure error);
  enum class Client : std::uint8_t { is_there, is_gone };
  Order on_failure(ErrorCode code, std::string message, std::string stack, Client client);
  Order on_stream(StreamHead head);
  Order on_text(std::string text) { return respond(answer_status_, std::move(text)); }

  // The size of the piece; 0 is the end.
  Order on_piece(std::size_t bytes);
  Order on_piece_failure(const Error& error);
  Order on_sent(Client client);

  Order on_client_gone();
  Order on_deadline();

  bool is_over() const { return state_ == State::over; }

  // For the code that calls the task.
  const std::string& request_id() const { return request_id_; }
  const std::string& traceparent() const { return traceparent_; }  // empty where there is none
  // For logs and figures.
  const std::string& id() const { return id_; }  // of the task or event, once it is let in
  unsigned status() const { return status_; }    // 0: there was no answer
  std::string_view code() const { return code_; }
  const std::string& failure() const { return failure_; }  // what the client was not told
  const std::string& stack() const { return stack_; }

 private:
  enum class State : std::uint8_t {
    open,
    streaming,  // the head of the answer was sent
    over,
  };

  Order ask_next_validator();
  Order admit();
  Order admit_lane();
  Order admit_task();
  Order read_whole();
  Order read_text();
  Order read_input(InputForm form);
  Order conclude(Value result);
  Order refuse(const Refusal& refusal);
  Order respond(unsigned status, std::string body);
  Order leave();
  HttpResponseHead stream_answer_head();
  Value headers();

  const Policy& policy_;
  const rich::Serializer& serializer_;
  const HttpRequestHead& head_;
  State state_ = State::open;
  Route route_ = {};
  std::string request_id_;
  std::string traceparent_ = {};
  std::size_t validators_asked_ = 0;
  std::string id_ = {};
  const Endpoint* endpoint_ = nullptr;
  LaneTime now_ = {};
  std::optional<std::string> claimed_hash_ = {};  // by the token of a lane
  std::optional<BodyHash> body_hash_ = {};        // where that is to be looked at
  std::string text_ = {};                         // of the body, as far as it has come
  Attachment attachment_ = Attachment::none;
  bool returns_payload_ = false;
  std::optional<Value> headers_ = {};
  Value result_ = {};  // waits for the rest of the body
  unsigned answer_status_ = 200;
  StreamHead stream_head_ = {};
  bool piece_is_last_ = false;

  unsigned status_ = 0;
  std::string_view code_ = {};
  std::string failure_ = {};
  std::string stack_ = {};
};

}  // namespace cordon::tunnel
