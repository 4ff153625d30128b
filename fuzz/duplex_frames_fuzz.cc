// Any bytes as a guest's output: the frames and messages are the same wherever the bytes are cut,
// and a message that is read can be written and read again.

#include <cstddef>
#include <cstdint>
#include <string>
#include <vector>

#include "bounded.h"
#include "require.h"

#include "cordon/protocol/duplex/frame_reader.h"
#include "cordon/protocol/duplex/messages.h"

namespace {

using namespace cordon;
using namespace cordon::duplex;

using cordon::fuzz::bounded;
using cordon::fuzz::require;

constexpr Limits limits{.frame_bytes = 4096, .nesting = 50, .name_bytes = 200};

struct Seen {
  std::vector<Bytes> payloads;
  std::string end;
  bool operator==(const Seen&) const = default;
};

void take(FrameReader& reader, Seen& seen) {
  while (seen.end.empty()) {
    const auto payload = reader.next();
    if (!payload) seen.end = name_of(payload.error().code);
    if (!payload || !*payload) return;
    require((*payload)->size() <= limits.frame_bytes, "the limit of a frame");
    seen.payloads.emplace_back((*payload)->begin(), (*payload)->end());
  }
}

Seen cut(BytesView bytes, std::size_t piece) {
  FrameReader reader(limits.frame_bytes);
  Seen seen;
  for (std::size_t at = 0; at < bytes.size(); at += piece) {
    reader.feed(bytes.subspan(at, std::min(piece, bytes.size() - at)));
    take(reader, seen);
  }
  return seen;
}

void check_message(BytesView payload) {
  const Result<Message> message =
      bounded(payload.size(), [&] { return read_message(payload, limits); });
  if (!message) return;
  // It may grow when it is written: a float becomes an integer, and an id gets a longer head.
  const Limits room{.frame_bytes = 1 << 20, .nesting = 60, .name_bytes = 200};
  Bytes frame;
  require(write_message(frame, *message, room).has_value(), "what is read can be written");
  const BytesView again = BytesView(frame).subspan(frame_head_bytes);
  const Result<Message> second = read_message(again, room);
  require(second.has_value() && second->index() == message->index(), "and read again");
  Bytes third;
  require(write_message(third, *second, room).has_value() && third == frame, "as the same");
}

}  // namespace

// The name and signature are libFuzzer's.
// NOLINTNEXTLINE(readability-identifier-naming)
extern "C" int LLVMFuzzerTestOneInput(const std::uint8_t* data, std::size_t size) {
  const BytesView bytes(data, size);
  const Seen whole = cut(bytes, std::max<std::size_t>(size, 1));
  require(cut(bytes, 1) == whole, "the same frames byte by byte");
  if (size > 0) require(cut(bytes, 1 + data[size - 1]) == whole, "the same frames in pieces");
  for (const Bytes& payload : whole.payloads) check_message(payload);
  check_message(bytes);
  return 0;
}
