// Any text as the target of a request, as its context header, body and ids: what is found keeps its
// limits, and is found again however it is written.

#include <cstddef>
#include <cstdint>
#include <string>
#include <vector>

#include "bounded.h"
#include "require.h"
#include "url_tables.h"

#include "cordon/base/bytes.h"
#include "cordon/base/utf8.h"
#include "cordon/codec/rich/testing/stand_ins.h"
#include "cordon/protocol/tunnel/body.h"
#include "cordon/protocol/tunnel/context_header.h"
#include "cordon/protocol/tunnel/envelope.h"
#include "cordon/protocol/tunnel/limits.h"
#include "cordon/protocol/tunnel/request_id.h"
#include "cordon/protocol/tunnel/route.h"

namespace {

using namespace cordon;
using namespace cordon::tunnel;

using cordon::fuzz::bounded;
using cordon::fuzz::require;

std::string encoded(std::string_view id) {
  constexpr std::string_view digits = "0123456789abcdef";
  std::string out;
  for (const char c : id) {
    const auto byte = static_cast<unsigned char>(c);
    out += '%';
    out += digits[byte >> 4];
    out += digits[byte & 15];
  }
  return out;
}

void check_route(std::string_view target) {
  const Route route = route_of(target, "/r");
  const bool has_id = route.kind == Route::Kind::task || route.kind == Route::Kind::event;
  require(has_id == !route.id.empty(), "tasks and events have ids");
  if (!has_id) return;
  require(is_utf8(route.id) && route.id.size() <= max_id_bytes, "an id is text, and bounded");
  const std::string again =
      (route.kind == Route::Kind::task ? "/r/task/" : "/r/event/") + encoded(route.id);
  require(route_of(again, "/r") == route, "an id is found by its encoded form");
  // The answer that names it can be read.
  static const rich::StandInRegExps regexps;
  static const rich::Serializer serializer({}, regexps);
  const auto answer = serializer.parse(refusal_text(task_not_exposed(route.id)));
  require(answer.has_value() && !answer->find("ok").as_bool(), "an answer is well formed");
}

void check_contexts(std::string_view text) {
  static const rich::StandInRegExps regexps;
  static const rich::Serializer serializer({}, regexps);
  static const std::vector<std::string> ids = {"a", "b"};
  const Value contexts = bounded(text.size(), [&] { return contexts_of(serializer, text, ids); });
  require(contexts.is_object() && contexts.size() <= ids.size(), "an object of known ids");
  for (const auto [key, value] : contexts.members())
    require(key == "a" || key == "b", "of known ids alone");
  (void)bounded(text.size(), [&] { return task_input(serializer, text); });
  (void)bounded(text.size(), [&] { return event_body(serializer, text); });
}

}  // namespace

// The name and signature are libFuzzer's.
// NOLINTNEXTLINE(readability-identifier-naming)
extern "C" int LLVMFuzzerTestOneInput(const std::uint8_t* data, std::size_t size) {
  const std::string_view text = as_text(BytesView(data, size));
  check_route(text);
  check_contexts(text);
  if (const auto parent = parse_traceparent(text)) {
    const auto child = parse_traceparent(child_traceparent(*parent, size));
    require(child && child->trace_id == parent->trace_id, "a child is of the same trace");
  }
  (void)is_request_id(text);
  (void)mode_of(text);
  return 0;
}
