// Any bytes as what a client sends on a WebSocket: what is seen in them is the same wherever they
// are cut, and what is let in keeps to the rules.

#include <algorithm>
#include <cstddef>
#include <cstdint>
#include <span>
#include <string>
#include <variant>
#include <vector>

#include "bounded.h"
#include "require.h"

#include "cordon/base/utf8.h"
#include "cordon/transport/websocket/frames.h"

namespace {

using namespace cordon;
using namespace cordon::transport::websocket;
using cordon::fuzz::bounded;
using cordon::fuzz::require;

constexpr std::uint64_t max_message = 300;

class Reader {
 public:
  std::string run(BytesView bytes, std::size_t piece) {
    for (std::size_t at = 0; at < bytes.size() && !is_over_; at += piece) {
      const BytesView part = bytes.subspan(at, std::min(piece, bytes.size() - at));
      std::vector<std::uint8_t> copy(part.begin(), part.end());
      std::span<std::uint8_t> input(copy);
      while (!is_over_ && step(input)) {
      }
      require(is_over_ || input.empty(), "all is taken");
    }
    return seen_;
  }

 private:
  // False where it needs more.
  bool step(std::span<std::uint8_t>& input) {
    const FrameReader::Event event = reader_.next(input);
    if (std::holds_alternative<FrameReader::NeedsMore>(event)) return false;
    if (const auto* const data = std::get_if<FrameReader::Data>(&event)) {
      message_.append(data->bytes.begin(), data->bytes.end());
      require(message_.size() <= max_message, "a message within its limit");
      if (data->ends_message) {
        seen_ += "message " + message_ + "\n";
        message_.clear();
      }
    } else if (const auto* const ping = std::get_if<FrameReader::Ping>(&event)) {
      require(ping->payload.size() <= max_control_bytes, "a short ping");
      seen_ += "ping " + std::string(ping->payload.begin(), ping->payload.end()) + "\n";
    } else if (const auto* const close = std::get_if<FrameReader::Close>(&event)) {
      seen_ += "close " + std::to_string(static_cast<unsigned>(close->code)) + "\n";
      is_over_ = true;
    } else if (const auto* const wrong = std::get_if<FrameReader::Fault>(&event)) {
      require(close_frame(wrong->code, wrong->why).size() <= 2 + max_control_bytes, "a reason");
      seen_ += "wrong " + std::string(wrong->why) + "\n";
      is_over_ = true;
    } else {
      seen_ += "pong\n";
    }
    return true;
  }

  FrameReader reader_{max_message};
  std::string message_;
  std::string seen_;
  bool is_over_ = false;
};

// In pieces, a text is UTF-8 where it is as a whole.
void check_text(BytesView bytes, std::size_t piece) {
  const std::string_view text(reinterpret_cast<const char*>(bytes.data()), bytes.size());
  Utf8Check check;
  bool is_good = true;
  for (std::size_t at = 0; at < text.size() && is_good; at += piece)
    is_good = check.feed(text.substr(at, piece));
  require((is_good && check.is_whole()) == is_utf8(text), "the same text");
}

}  // namespace

extern "C" int LLVMFuzzerTestOneInput(const std::uint8_t* data, std::size_t size) {
  const BytesView bytes(data, size);
  const std::string whole =
      bounded(size, [&] { return Reader().run(bytes, std::max<std::size_t>(size, 1)); });
  for (const std::size_t piece : {1uz, 2uz, 3uz, 7uz})
    require(Reader().run(bytes, piece) == whole, "the same events wherever it is cut");
  for (const std::size_t piece : {1uz, 2uz, 5uz}) check_text(bytes, piece);
  return 0;
}
