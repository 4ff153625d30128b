#pragma once

// Drives a ServerSession as a server does, without one: for tests and fuzz targets. What is served:
//
//   task  plain     a function of its input
//   task  full      gets a whole call
//   task  hidden    is not on the allow-list
//   event note, parallel
//   task  first, second: validators, where they are asked for

#include <algorithm>
#include <cstddef>
#include <functional>
#include <memory>
#include <optional>
#include <random>
#include <string>
#include <string_view>
#include <utility>
#include <variant>
#include <vector>

#include "cordon/base/bytes.h"
#include "cordon/codec/rich/testing/stand_ins.h"
#include "cordon/protocol/tunnel/body.h"
#include "cordon/protocol/tunnel/context_header.h"
#include "cordon/protocol/tunnel/envelope.h"
#include "cordon/protocol/tunnel/server_session.h"
#include "cordon/protocol/tunnel/upload_session.h"

namespace cordon::tunnel::testing {

inline const rich::Serializer& stand_in_serializer() {
  static const rich::StandInRegExps regexps;
  static const rich::Serializer serializer({}, regexps);
  return serializer;
}

inline PolicyOptions usual_options() {
  PolicyOptions options;
  options.base_path = "/r";
  options.auth.tokens = {"secret"};
  options.contexts = {"user"};
  options.exposed = ExposedIds{{"plain", "full"}, {"note", "parallel"}};
  return options;
}

inline std::unique_ptr<Policy> policy_of(PolicyOptions options) {
  auto policy = std::make_unique<Policy>(std::make_shared<const PolicyOptions>(std::move(options)));
  using Kind = Policy::Kind;
  policy->add(Kind::task, "plain", {.number = 0, .takes_input_alone = true});
  policy->add(Kind::task, "full", {.number = 1});
  policy->add(Kind::task, "hidden", {.number = 2});
  policy->add(Kind::event, "note", {.number = 3});
  policy->add(Kind::event, "parallel", {.number = 4, .is_parallel = true});
  policy->add(Kind::task, "first", {.number = 5});
  policy->add(Kind::task, "second", {.number = 6});
  for (const std::string& id : policy->options().auth.validators) policy->add_validator(id);
  return policy;
}

inline HttpRequestHead post(std::string target, std::vector<HttpHeader> headers = {}) {
  HttpRequestHead head;
  head.method = "POST";
  head.target = std::move(target);
  head.headers = std::move(headers);
  head.headers.push_back({"x-runner-token", "secret"});
  return head;
}

inline std::string text_of(const Value& value) {
  return stand_in_serializer().stringify(value).value_or("?");
}

class ServerDriver {
 public:
  // What happens to the request. The answer of a task is its input unless another is given.
  struct Echo {};
  using Pieces = std::vector<std::string>;
  std::string body = {};
  std::size_t piece_bytes = 1'000'000;
  std::optional<ErrorCode> body_failure = {};  // after all of `body` has come
  std::variant<Echo, Value, TypedFailure, Error, Pieces> answer = Echo{};
  std::optional<Error> stream_failure = {};  // after all pieces
  StreamHead stream_head = {.content_type = "text/plain"};
  std::vector<bool> verdicts = {};
  bool input_is_refused = false;
  // The order, counted from 0, in whose place the client goes or the deadline passes.
  std::optional<std::size_t> client_goes_at = {};
  std::optional<std::size_t> deadline_at = {};
  ServerSession::Client client = ServerSession::Client::is_there;  // when the task fails
  LaneTime now{std::chrono::seconds(1'800'000'000)};
  // The client goes while the answer is sent.
  std::optional<std::size_t> sent_pieces = {};

  // What the session ordered, a line each, and what it leaves for the log. Reads of the body are
  // left out, since they depend on how it was cut.
  std::string run(const Policy& policy, const HttpRequestHead& head) {
    std::mt19937_64 random(1);
    ServerSession session(policy, stand_in_serializer(), head, random);
    session_ = &session;
    policy_ = &policy;
    left_ = as_bytes(body);
    bool is_last = false;
    for (Order order = session.on_head(now); !is_last;) {
      is_last = session.is_over();
      if (!is_last && count_ == client_goes_at) {
        order = session.on_client_gone();
      } else if (!is_last && count_ == deadline_at) {
        order = session.on_deadline();
      } else {
        std::visit([&](auto& current) { follow(current); }, order);
        order = std::move(next_);
      }
      ++count_;
    }
    return seen + "log " + std::to_string(session.status()) + " " + std::string(session.code()) +
           (session.failure().empty() ? "" : " (" + session.failure() + ")") + "\n";
  }

  // What came of it.
  std::size_t count() const { return count_; }  // of orders, the last one included
  std::string seen = {};
  std::vector<HttpHeader> headers = {};  // of the answer
  std::string answered = {};             // its body
  unsigned status = 0;
  int answers = 0;
  std::string request_id = {};
  std::string traceparent = {};
  Value task_headers = {};

 private:
  void say(const std::string& line) { seen += line + "\n"; }

  void follow(AskValidator& ask) {
    say("ask " + std::to_string(ask.validator->number));
    const bool is_let_in = asked_ < verdicts.size() && verdicts[asked_];
    ++asked_;
    next_ = session_->on_verdict(Value::object({{"ok", is_let_in}}));
  }

  void follow(ReadBody&) {
    if (left_.empty() && body_failure) {
      next_ = session_->on_body_failure(*body_failure);
    } else if (left_.empty()) {
      next_ = session_->on_body_end();
    } else {
      const BytesView piece = left_.first(std::min(piece_bytes, left_.size()));
      left_ = left_.subspan(piece.size());
      next_ = session_->on_body(piece);
    }
  }

  void follow(ReadParts& read) {
    say("parts");
    upload_ = std::make_shared<UploadSession>(read.boundary, policy_->options().limits.multipart);
    while (!upload_->is_ready() && !upload_->refusal()) read_part();
    next_ = upload_->refusal() ? session_->on_refusal(*upload_->refusal()) : session_->on_parts();
  }

  void follow(AwaitParts&) {
    say("rest");
    while (!upload_->is_complete() && !upload_->refusal()) read_part();
    next_ =
        upload_->refusal() ? session_->on_refusal(*upload_->refusal()) : session_->on_parts_end();
  }

  // One step, so that the session is asked between any two of them.
  void read_part() {
    if (needs_more_) {
      if (left_.empty()) return body_failure ? upload_->on_lost() : upload_->on_end();
      part_ = left_.first(std::min(piece_bytes, left_.size()));
      left_ = left_.subspan(part_.size());
    }
    const UploadOrder order = upload_->next(part_);
    // Before that, what is wrong with a piece that was read may still be to be told.
    needs_more_ = std::holds_alternative<NeedMore>(order);
    const auto* const manifest = std::get_if<ReadManifest>(&order);
    if (manifest == nullptr) return;
    auto read = Manifest::parse(stand_in_serializer(), manifest->text);
    if (read) {
      upload_->on_manifest(*std::move(read));
    } else {
      upload_->refuse(read.error());
    }
  }

  void follow(ReadInput& read) {
    say("input " + std::to_string(static_cast<int>(read.form)) + " " + read.text);
    static const std::vector<std::string> none;
    const std::vector<std::string>& ids = read.contexts == nullptr ? none : *read.contexts;
    ServerSession::Input input;
    const std::string_view contexts = read.context_header == nullptr
                                          ? std::string_view()
                                          : std::string_view(*read.context_header);
    input.contexts = contexts_of(stand_in_serializer(), contexts, ids);
    std::optional<Refusal> refusal;
    if (read.form == InputForm::parts) {
      input.input = upload_->take_input();
    } else if (read.form == InputForm::task) {
      const Result<Value> value = task_input(stand_in_serializer(), read.text);
      if (value) input.input = *value;
      if (!value) refusal = invalid_json();
    } else if (read.form == InputForm::event) {
      const Result<EventBody> event = event_body(stand_in_serializer(), read.text);
      if (event) input.input = event->payload;
      if (event) input.returns_payload = event->returns_payload;
      if (!event) refusal = invalid_json();
      if (event && event->returns_payload && !read.parallel_event.empty())
        refusal = parallel_event(read.parallel_event);
    }
    if (input_is_refused) refusal = validation_error("it is odd");
    next_ = refusal ? session_->on_refusal(*refusal) : session_->on_input(std::move(input));
  }

  void follow(Invoke& invoke) {
    say("invoke " + std::to_string(invoke.endpoint->number) + " " + text_of(invoke.input));
    conclude(std::move(invoke.input));
  }

  void follow(Call& call) {
    request_id = session_->request_id();
    traceparent = session_->traceparent();
    task_headers = call.headers;
    say("call " + std::to_string(call.endpoint->number) + " " + text_of(call.input) + " contexts=" +
        text_of(call.contexts) + (call.attachment == Attachment::body ? " body" : "") +
        (call.attachment == Attachment::files ? " files" : ""));
    conclude(std::move(call.input));
  }

  void conclude(Value input) {
    if (const auto* const value = std::get_if<Value>(&answer)) {
      next_ = session_->on_result(*value);
    } else if (const auto* const typed = std::get_if<TypedFailure>(&answer)) {
      next_ = session_->on_typed_error(*typed);
    } else if (const auto* const error = std::get_if<Error>(&answer)) {
      next_ = session_->on_failure(error->code, error->message, "a stack", client);
    } else if (std::holds_alternative<Pieces>(answer)) {
      next_ = session_->on_stream(stream_head);
    } else {
      next_ = session_->on_result(std::move(input));
    }
  }

  void follow(WriteAnswer& write) {
    say("write");
    const std::size_t limit = policy_->options().limits.response_bytes;
    const auto* const value = std::get_if<Value>(&write.answer);
    Result<std::string> text = fail(ErrorCode::too_large, "an error");
    if (value != nullptr) text = large_result_text(stand_in_serializer(), *value, limit);
    next_ =
        text ? session_->on_text(*std::move(text)) : session_->on_refusal(internal_error(), "?");
  }

  void follow(ReadPiece&) {
    const Pieces& pieces = std::get<Pieces>(answer);
    if (pieces_ < pieces.size()) {
      next_ = session_->on_piece(pieces[pieces_++].size());
    } else {
      next_ = stream_failure ? session_->on_piece_failure(*stream_failure) : session_->on_piece(0);
    }
  }

  void follow(StartStream& start) {
    begin_answer(start.head);
    say("start " + std::to_string(status));
    send();
  }
  void follow(WritePiece&) {
    say("piece " + std::get<Pieces>(answer).at(pieces_ - 1));
    send();
  }
  void send() {
    const bool is_there = !sent_pieces || sent_++ < *sent_pieces;
    using Client = ServerSession::Client;
    next_ = session_->on_sent(is_there ? Client::is_there : Client::is_gone);
  }

  void follow(Respond& respond) {
    begin_answer(respond.head);
    answered = respond.body;
    say("respond " + std::to_string(status) + " " + answered);
  }
  void follow(FinishStream&) { say("finish"); }
  void follow(Leave&) { say("leave"); }

  void begin_answer(const HttpResponseHead& head) {
    ++answers;
    status = head.status;
    headers = head.headers;
  }

  const Policy* policy_ = nullptr;
  ServerSession* session_ = nullptr;
  Order next_ = {};
  BytesView left_ = {};
  BytesView part_ = {};
  bool needs_more_ = true;
  std::shared_ptr<UploadSession> upload_ = {};  // so that a driver that has not run can be copied
  std::size_t count_ = 0;
  std::size_t asked_ = 0;
  std::size_t pieces_ = 0;
  std::size_t sent_ = 0;
};

}  // namespace cordon::tunnel::testing
