#pragma once

// What a request has its server do that may take long: reading what the client sent, checking it,
// and writing the answer.
//
// It is tried first where the request is, by a thread that serves others as well, with limits that
// keep it below a slice. What does not end within them is done, or gone on with, by a thread of the
// WorkPool. Work owns or shares everything that it needs, since its request may be gone when it
// runs.

#include <cstddef>
#include <cstdint>
#include <memory>
#include <optional>
#include <string>
#include <utility>
#include <variant>
#include <vector>

#include "cordon/base/budget.h"
#include "cordon/codec/rich/serializer.h"
#include "cordon/host/payload_regexps.h"
#include "cordon/protocol/tunnel/manifest.h"
#include "cordon/protocol/tunnel/refusal.h"
#include "cordon/protocol/tunnel/server_session.h"
#include "cordon/schema/schema.h"
#include "cordon/server/request_memory.h"
#include "cordon/task_call.h"
#include "cordon/value.h"

namespace cordon::server {

// How text becomes values; the server's, and there as long as it is.
struct PayloadReader {
  const rich::Serializer& serializer;
  const host::SandboxRegExps& regexps;
};

enum class WorkPlace : std::uint8_t {
  here,  // others wait meanwhile
  away,
};

// Larger texts are not read here.
inline constexpr std::size_t max_text_bytes_here = 65'536;

class RequestWork {
 public:
  virtual ~RequestWork() = default;

  // Tries it here, and gets it done elsewhere.
  void begin() { is_done_ = run(WorkPlace::here); }
  void finish() { is_done_ = run(WorkPlace::away); }
  bool is_done() const { return is_done_; }
  bool is_fine() const { return is_done_ && !refusal_; }

  // Once it is done: why the request is refused, if it is, and what only the log should tell.
  const std::optional<tunnel::Refusal>& refusal() const { return refusal_; }
  const std::string& failure() const { return failure_; }

 protected:
  // False where it is too much for this place; never so for WorkPlace::away.
  virtual bool run(WorkPlace place) = 0;

  void refuse(tunnel::Refusal refusal, std::string failure = {});
  // A text that could not be read: as the protocol has it, or 503 where the server is short of
  // memory.
  void refuse_text(const Error& error, const Budget* budget, tunnel::Refusal otherwise);

 private:
  bool is_done_ = false;
  std::optional<tunnel::Refusal> refusal_ = {};
  std::string failure_ = {};
};

// The input of a task or the payload of an event.
class InputWork final : public RequestWork {
 public:
  using Form = tunnel::InputForm;
  struct Options {
    PayloadReader reader;
    std::optional<schema::Schema> schema = {};  // without it everything is right
    schema::CheckOptions check = {};
    std::shared_ptr<Budget> budget = {};
  };

  explicit InputWork(Options options) : options_(std::move(options)) {}

  // One of them, before run().
  void set_body(Form form, std::string text, Charge charge);
  void set_input(Value input);
  // An event that cannot give its payload back, by its id.
  void refuse_return_of(std::string id) { no_return_of_ = std::move(id); }
  // The header, and which of its ids are wanted; they live as long as the work.
  void set_contexts(std::string header, std::shared_ptr<const std::vector<std::string>> ids);

  Value take_input() { return std::move(input_); }
  Value take_contexts() { return std::move(contexts_); }
  bool returns_payload() const { return returns_payload_; }

 private:
  bool run(WorkPlace place) override;
  bool read(WorkPlace place);
  bool check(WorkPlace place);
  bool read_contexts(WorkPlace place);

  const Options options_;
  Form form_ = Form::task;
  std::optional<std::string> text_ = {};
  Charge charge_ = {};  // of the text
  std::string no_return_of_ = {};
  std::string header_ = {};
  std::shared_ptr<const std::vector<std::string>> ids_ = {};
  bool is_checked_ = false;
  bool has_contexts_ = false;
  bool returns_payload_ = false;
  Value input_ = {};
  Value contexts_ = {};
};

class ManifestWork final : public RequestWork {
 public:
  ManifestWork(const PayloadReader& reader, std::string text, std::shared_ptr<Budget> budget)
      : reader_(reader), text_(std::move(text)), budget_(std::move(budget)) {}

  std::optional<tunnel::Manifest> take_manifest() { return std::move(manifest_); }

 private:
  bool run(WorkPlace place) override;

  const PayloadReader reader_;
  const std::string text_;
  const std::shared_ptr<Budget> budget_;
  std::optional<tunnel::Manifest> manifest_ = {};
};

// The text of a result or of a typed error.
class AnswerWork final : public RequestWork {
 public:
  // The serializer and the memory are the server's, and there as long as it is.
  AnswerWork(const rich::Serializer& serializer, std::variant<Value, TypedError> answer,
             std::size_t max_bytes, RequestMemory& memory, std::string client)
      : serializer_(serializer),
        answer_(std::move(answer)),
        max_bytes_(max_bytes),
        memory_(memory),
        client_(std::move(client)) {}

  std::string take_text() { return std::move(text_); }
  // Keeps the memory until the text is gone.
  Charge take_charge() { return std::move(charge_); }

 private:
  bool run(WorkPlace place) override;
  Result<std::string> text(WorkPlace place) const;
  bool take_room();

  const rich::Serializer& serializer_;
  const std::variant<Value, TypedError> answer_;
  const std::size_t max_bytes_;
  RequestMemory& memory_;
  const std::string client_;
  Charge charge_ = {};  // of a large one
  std::string text_ = {};
};

}  // namespace cordon::server
