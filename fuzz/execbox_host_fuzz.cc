// Any bytes as what a runner sends to a host, with tools that answer at once: what the host says is
// the same wherever the bytes are cut, each call has one answer, and nothing follows the end.

#include <algorithm>
#include <cstddef>
#include <cstdint>
#include <set>
#include <string>
#include <string_view>

#include "bounded.h"
#include "require.h"

#include "cordon/base/bytes.h"
#include "cordon/codec/json/decode.h"
#include "cordon/protocol/execbox/host_session.h"

namespace {

using namespace cordon;

using cordon::fuzz::bounded;
using cordon::fuzz::require;

execbox::HostSession made() {
  return execbox::HostSession::create(
             {"x",
              "1",
              {},
              {execbox::HostManifest{"p", {{"t", "t"}, {"u", "u"}}, "declare namespace p {}"}}},
             {.line_bytes = 600, .unread_bytes = 2000, .pending_calls = 4, .calls = 50})
      .value();
}

class Host {
 public:
  std::string run(std::string_view first, std::string_view rest) {
    carry_out();  // the `execute`
    feed(first);
    feed(rest);
    session_.on_end_of_input("the end");
    carry_out();
    require(session_.end().has_value(), "a session ends with its input");
    check_answers();
    return said_;
  }

 private:
  // A line at a time, so that answers come between the same lines wherever the bytes are cut.
  void feed(std::string_view bytes) {
    while (!bytes.empty()) {
      const std::size_t end = std::min(bytes.find('\n'), bytes.size() - 1) + 1;
      session_.on_bytes(bytes.substr(0, end));
      bytes.remove_prefix(end);
      carry_out();
    }
  }

  void carry_out() {
    const bool is_over = session_.end().has_value();
    for (execbox::HostCall& call : session_.take_calls()) {
      require(!is_over, "no call after the end");
      require(call.provider == 0 && call.tool < 2, "a tool that there is");
      if (call.tool == 0) session_.on_answer(call.call, std::move(call.input));
    }
    said_ += session_.output();
    session_.sent(session_.output().size());
  }

  void check_answers() const {
    std::set<std::string> ids;
    std::string_view left = said_;
    while (!left.empty()) {
      const std::size_t end = left.find('\n');
      require(end != std::string_view::npos, "whole lines");
      const Result<Value> line = json::decode(left.substr(0, end), {.max_depth = 100'000});
      require(line.has_value(), "lines of JSON");
      if (line->find("type") == "tool_result")
        require(ids.emplace(line->find("callId").as_string()).second, "one answer to a call");
      left.remove_prefix(end + 1);
    }
  }

  execbox::HostSession session_ = made();
  std::string said_;
};

}  // namespace

extern "C" int LLVMFuzzerTestOneInput(const std::uint8_t* data, std::size_t size) {
  if (size == 0) return 0;
  const std::string_view wire = as_text(BytesView(data, size));
  const std::string whole = bounded(size, [&] { return Host().run(wire, {}); });
  const std::size_t cut = data[0] % wire.size();
  require(Host().run(wire.substr(0, cut), wire.substr(cut)) == whole, "wherever it is cut");
  return 0;
}
