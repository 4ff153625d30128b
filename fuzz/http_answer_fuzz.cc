// Any bytes as what a server sends to a client: the answers and their bodies are the same wherever
// the bytes are cut, what is kept is bounded, and what is let in has one meaning.

#include <algorithm>
#include <cstddef>
#include <cstdint>
#include <string>
#include <string_view>
#include <utility>

#include "bounded.h"
#include "require.h"

#include "cordon/base/bytes.h"
#include "cordon/transport/http/answer_reader.h"
#include "cordon/transport/http/characters.h"

namespace {

using namespace cordon;
using namespace cordon::transport::http;
using cordon::fuzz::bounded;
using cordon::fuzz::require;

constexpr HeadLimits limits{.bytes = 600, .count = 12};

// Answers one after the other, as a connection that is kept reads them, and what was seen of them.
class Reader {
 public:
  explicit Reader(AnswerReader::To to) : to_(to), reader_(limits, to) {}

  std::string run(std::string_view bytes, std::size_t piece) {
    for (; !bytes.empty() && !is_over_; bytes.remove_prefix(std::min(piece, bytes.size()))) {
      buffer_ += bytes.substr(0, piece);
      while (!is_over_ && step()) {
      }
    }
    if (is_over_) return seen_;
    seen_ += body_;
    if (reader_.is_done()) return seen_ + (reader_.keeps_alive() ? "done, kept" : "done, closed");
    const HttpResult<void> ended = reader_.on_end(AnswerReader::End::closed);
    return seen_ + (ended ? "closed" : "cut: " + ended.error().message);
  }

 private:
  // False where it needs more.
  bool step() {
    if (reader_.is_done()) return begin_next();
    if (buffer_.empty()) return false;
    HttpResult<AnswerReader::Step> step =
        reader_.read({reinterpret_cast<std::uint8_t*>(buffer_.data()), buffer_.size()});
    if (!step) {
      seen_ += "\nfailed: " + step.error().message;
      is_over_ = true;
      return false;
    }
    require(step->used <= buffer_.size(), "no more is used than there is");
    if (step->head) see(*step->head);
    body_ += as_text(step->piece);
    buffer_.erase(0, step->used);
    require(step->used > 0 || buffer_.size() < limits.bytes, "a head within its limit");
    return step->used > 0 || reader_.is_done();
  }

  bool begin_next() {
    if (buffer_.empty()) return false;
    seen_ += std::exchange(body_, {});
    if (!reader_.keeps_alive()) {
      seen_ += "done, closed";
      is_over_ = true;
      return false;
    }
    seen_ += "done, kept\n";
    reader_ = AnswerReader(limits, to_);
    return true;
  }

  void see(const HttpResponseHead& head) {
    require(head.status >= 200 && head.status <= 599, "a final status");
    require(head.headers.size() <= limits.count, "headers within their limit");
    seen_ += std::to_string(head.status) + "\n";
    for (const HttpHeader& header : head.headers) {
      require(is_token(header.name) && is_value(header.value), "headers that can stand in a head");
      seen_ += header.name + ": " + header.value + "\n";
    }
  }

  const AnswerReader::To to_;
  AnswerReader reader_;
  std::string buffer_;
  std::string seen_;
  // The part of this answer. Before a failure it may be given or not, as the bytes were cut.
  std::string body_;
  bool is_over_ = false;
};

}  // namespace

// The name and signature are libFuzzer's.
// NOLINTNEXTLINE(readability-identifier-naming)
extern "C" int LLVMFuzzerTestOneInput(const std::uint8_t* data, std::size_t size) {
  if (size == 0) return 0;
  const auto to = data[0] % 8 == 7 ? AnswerReader::To::head : AnswerReader::To::other;
  const std::string_view text = as_text(BytesView(data + 1, size - 1));
  const std::string whole =
      bounded(text.size(), [&] { return Reader(to).run(text, text.size() + 1); });
  for (const std::size_t piece : {1u, 3u, 64u})
    require(Reader(to).run(text, piece) == whole, "the same answers wherever they are cut");
  return 0;
}
