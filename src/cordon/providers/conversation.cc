#include "cordon/providers/conversation.h"

#include <algorithm>
#include <poll.h>

namespace cordon::providers {
namespace {

// A stream to the guest is read on while less than this waits to be written.
constexpr std::size_t max_unwritten_bytes = std::size_t{256} << 10;
// A process that said something just now is taken to be there, which spares a system call.
constexpr std::chrono::milliseconds time_to_ask{2};

Instant now() { return std::chrono::steady_clock::now(); }

}  // namespace

Conversation::Conversation(std::unique_ptr<PluginLink> link, const CallbackRules& rules)
    : link_(std::move(link)),
      rules_(rules),
      held_(std::make_shared<Budget>(
          Budget::Limits{.bytes = link_->session().limits().memory_bytes()})) {
  for (const Tool& tool : rules_.tools) link_->session().allow(tool.name);
}

Conversation::~Conversation() {
  // The process first: an answer of a callback that hears of the end has nowhere to go.
  link_.reset();
  inbox_->stop();
}

Result<SentCall> Conversation::send(const CallRequest& request) {
  duplex::HostSession& session = link_->session();
  Value params = request.params;
  const bool has_members =
      !request.stream_param.empty() || !request.callbacks.empty() || !request.streams.empty();
  if (has_members && params.is_undefined()) params = Value::object({});
  if (has_members && !params.is_object()) {
    return fail(ErrorCode::invalid_argument, "params have no members for a stream or a callback");
  }
  std::vector<std::string> names;
  for (const auto& [member, function] : request.callbacks) {
    names.push_back("cb_" + session.new_id());
    params = params.with(member, Value(names.back()));
  }
  std::vector<Source> sources;
  for (const auto& [member, next] : request.streams) {
    sources.push_back({session.new_id(), next});
    params = params.with(member, Value(sources.back().id));
  }
  SentCall sent;
  if (!request.stream_param.empty()) {
    sent.stream = session.new_id();
    params = params.with(request.stream_param, Value(sent.stream));
  }

  sent.id = CORDON_TRY(
      session.call(request.function, params,
                   {.answer = request.answer, .deadline = request.deadline, .references = names}));
  ++calls_made_;
  for (std::size_t i = 0; i < names.size(); ++i) {
    references_[names[i]] = request.callbacks[i].second;
  }
  if (request.answer == duplex::Answer::expected && !names.empty()) {
    references_of_[sent.id] = std::move(names);
  }
  for (Source& source : sources) {
    if (session.open_outgoing(source.id)) sources_.push_back(std::move(source));
  }
  if (!sent.stream.empty()) (void)session.open_incoming(sent.stream);
  return sent;
}

// Callbacks are answered after the wait, for two reasons. Answering empties the event of wake(): a
// wake() that came before the wait ends it, and one that came later is followed by our return. And
// what the guest has sent already is judged first, such as a second callback under an open id.
Result<std::optional<GuestEvent>> Conversation::next(std::optional<Instant> until) {
  pump_sources();
  if (const std::optional<Instant> late = inbox_->deadline()) {
    until = std::min(until.value_or(*late), *late);
  }
  // Who has more to write than the pipe takes wants to know when it is written.
  const bool has_more = !sources_.empty() || is_held_back();
  Result<std::optional<duplex::Message>> message =
      link_->next(until, inbox_->descriptor(),
                  has_more ? PluginLink::More::when_written : PluginLink::More::no);
  if (!message) return std::unexpected(std::move(message).error());
  answer_callbacks();
  if (!*message) return std::nullopt;
  last_heard_ = now();
  return event_of(**message);
}

Result<std::optional<GuestEvent>> Conversation::event_of(duplex::Message& message) {
  if (auto* call = std::get_if<duplex::FunctionCall>(&message)) {
    CORDON_TRY(start_callback(*call));
    return std::nullopt;
  }
  if (auto* response = std::get_if<duplex::FunctionResponse>(&message)) {
    forget_references(response->id);
    return CallAnswer{std::move(response->id), std::move(response->result)};
  }
  if (auto* error = std::get_if<duplex::FunctionError>(&message)) {
    forget_references(error->id);
    return CallAnswer{std::move(error->id), fail(ErrorCode::tool_error, std::move(error->error))};
  }
  if (auto* chunk = std::get_if<duplex::StreamChunk>(&message)) {
    return StreamPiece{std::move(chunk->id), std::move(chunk->chunk),
                       link_->session().message_memory()};
  }
  if (auto* failure = std::get_if<duplex::StreamError>(&message)) {
    return StreamOver{std::move(failure->id), Error{ErrorCode::io, std::move(failure->error)}};
  }
  return StreamOver{std::move(std::get<duplex::StreamEnd>(message).id), std::nullopt};
}

void Conversation::forget_references(const std::string& call) {
  has_answered_ = true;
  const auto found = references_of_.find(call);
  if (found == references_of_.end()) return;
  for (const std::string& name : found->second) references_.erase(name);
  references_of_.erase(found);
}

void Conversation::answer_callbacks() {
  duplex::HostSession& session = link_->session();
  for (const CallbackAnswer& answer : inbox_->take()) {
    if (answer.result) {
      const Result<> written = session.respond(answer.id, *answer.result);
      if (!written) (void)session.respond_error(answer.id, written.error().message);
    } else {
      (void)session.respond_error(answer.id, answer.result.error().message);
    }
  }
}

void Conversation::pump_sources() {
  duplex::HostSession& session = link_->session();
  while (!sources_.empty() && session.output().size() < max_unwritten_bytes) {
    for (std::size_t i = 0; i < sources_.size();) {
      const std::string id = sources_[i].id;
      const Result<std::optional<Value>> chunk = sources_[i].next();
      bool is_over = true;
      if (!chunk) {
        (void)session.send_error(id, chunk.error().message);
      } else if (!*chunk) {
        (void)session.send_end(id);
      } else if (const Result<> sent = session.send_chunk(id, **chunk); !sent) {
        (void)session.send_error(id, sent.error().message);
      } else {
        is_over = false;
      }
      if (is_over) {
        sources_.erase(sources_.begin() + static_cast<std::ptrdiff_t>(i));
      } else {
        ++i;
      }
    }
  }
}

Conversation::Callback Conversation::find_callback(std::string_view name) const {
  const auto reference = references_.find(std::string(name));
  if (reference != references_.end()) return {reference->second};
  // The session lets no other name through.
  const auto tool = std::ranges::find(rules_.tools, name, &Tool::name);
  return {tool->function, rules_.contract == nullptr ? nullptr : rules_.contract->callback(name)};
}

std::unexpected<Error> Conversation::end(ErrorCode code, std::string message) {
  link_->kill();
  return fail(code, std::move(message));
}

Result<> Conversation::start_callback(duplex::FunctionCall& call) {
  // The session counts those that it will answer. A guest may ask for things without wanting to
  // hear of them, and they are work all the same.
  const std::size_t most = link_->session().limits().open_callbacks;
  if (inbox_->open() >= most) {
    return end(ErrorCode::too_large, "more than " + std::to_string(most) + " open callbacks");
  }
  Charge held(held_);
  if (!held.add(link_->session().message_memory())) {
    return end(ErrorCode::too_large, "callbacks that are open take more than " +
                                         std::to_string(held_->limits().bytes) +
                                         " bytes of memory");
  }
  const auto [function, contract] = find_callback(call.function_name);
  std::optional<std::string> id;
  if (call.expects_response) id = std::move(call.id);
  std::optional<std::chrono::milliseconds> timeout = rules_.timeout;
  CallbackInbox::Check check;
  if (contract != nullptr) {
    if (const auto wrong = complaint(contract->params, call.params)) {
      if (id) (void)link_->session().respond_error(*id, "params: " + *wrong);
      return {};
    }
    if (contract->timeout) timeout = contract->timeout;
    if (contract->result) {
      // What is wrong with it is the host's affair.
      check = [contract](Value result) -> Result<Value> {
        if (!complaint(contract->result, result)) return result;
        return fail(ErrorCode::tool_error, "the result is not what its schema asks for");
      };
    }
  }
  std::optional<Instant> deadline;
  if (timeout) deadline = now() + *timeout;
  Reply reply = inbox_->reply_for(std::move(id), std::move(held), deadline, std::move(check));
  function(std::move(call.params), std::move(reply));
  return {};
}

void Conversation::finish_callbacks(Instant until) {
  constexpr int wait_ms = 10;
  while (inbox_->open() > 0 && now() < until) {
    pollfd waiting{.fd = inbox_->descriptor(), .events = POLLIN, .revents = 0};
    poll(&waiting, 1, wait_ms);
    (void)inbox_->take();
  }
}

bool Conversation::is_held_back() const {
  return link_->session().output().size() >= max_unwritten_bytes;
}

bool Conversation::has_ended_quietly() const {
  return now() - last_heard_ > time_to_ask && !link_->process().is_alive();
}

}  // namespace cordon::providers
