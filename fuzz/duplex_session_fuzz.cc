// Any messages of a guest, with a host that calls, streams and answers: what comes out of the
// session belongs to something that is open, and the first violation is its end.

#include <algorithm>
#include <cstddef>
#include <cstdint>
#include <cstdlib>
#include <set>
#include <string>

#include "require.h"

#include "cordon/protocol/duplex/host_session.h"

namespace {

using namespace cordon;
using namespace cordon::duplex;

using cordon::fuzz::require;

constexpr Limits small{.frame_bytes = 4096, .nesting = 50, .open_callbacks = 4};

// Ids that a fuzzer can hit: fifteen times one letter.
RandomSource guessable() {
  return [next = std::uint8_t{0}](std::span<std::uint8_t> bytes) mutable {
    for (std::size_t i = 0; i < bytes.size(); ++i) {
      bytes[i] = static_cast<std::uint8_t>(next + i / 15);
    }
    next = static_cast<std::uint8_t>(next + bytes.size() / 15);
  };
}

class Host {
 public:
  void run(BytesView bytes, std::size_t piece) {
    session_.allow("f");
    for (int i = 0; i < 3; ++i) pending_.insert(*session_.call("g", Value(i)));
    streams_ = {"s", session_.new_id()};
    for (const std::string& id : streams_) require(session_.open_incoming(id).has_value(), "open");
    for (std::size_t at = 0; at < bytes.size() && !session_.violation(); at += piece) {
      session_.receive(bytes.subspan(at, std::min(piece, bytes.size() - at)));
      while (step()) {
      }
    }
    if (!session_.violation()) {
      require(session_.pending_calls() == pending_.size(), "nothing is forgotten");
      require(session_.on_exit("end").code == ErrorCode::exited, "an exit is an exit");
    }
    require(session_.pending_calls() == 0 && session_.output().empty(), "the end of all calls");
  }

  std::string trace;

 private:
  bool step() {
    const auto message = session_.next();
    if (!message) {
      trace += name_of(message.error().code);
      return false;
    }
    if (!*message) return false;
    trace += static_cast<char>('0' + (*message)->index());
    if (const auto* call = std::get_if<FunctionCall>(&**message)) {
      require(call->function_name == "f", "only what is allowed");
      const std::size_t before = session_.output().size();
      require(session_.respond(call->id, call->params).has_value() ||
                  session_.respond_error(call->id, "too large").has_value(),
              "an answer");
      require((session_.output().size() > before) == call->expects_response, "one if expected");
    } else if (const auto* response = std::get_if<FunctionResponse>(&**message)) {
      require(pending_.erase(response->id) == 1, "a pending call");
    } else if (const auto* error = std::get_if<FunctionError>(&**message)) {
      require(pending_.erase(error->id) == 1, "a pending call");
    } else if (const auto* chunk = std::get_if<StreamChunk>(&**message)) {
      require(streams_.contains(chunk->id), "an open stream");
    } else if (const auto* end = std::get_if<StreamEnd>(&**message)) {
      require(streams_.erase(end->id) == 1, "an open stream");
    } else {
      require(streams_.erase(std::get<StreamError>(**message).id) == 1, "an open stream");
    }
    return true;
  }

  HostSession session_{small, guessable()};
  std::set<std::string> pending_;
  std::set<std::string> streams_;
};

}  // namespace

// The name and signature are libFuzzer's.
// NOLINTNEXTLINE(readability-identifier-naming)
extern "C" int LLVMFuzzerTestOneInput(const std::uint8_t* data, std::size_t size) {
  const BytesView bytes(data, size);
  Host whole;
  whole.run(bytes, std::max<std::size_t>(size, 1));
  Host pieces;
  pieces.run(bytes, 3);
  require(whole.trace == pieces.trace, "the same messages wherever the bytes are cut");
  return 0;
}
