// Any text: the quick reader and the exact one agree, and what was read survives both formats.

#include <cstddef>
#include <cstdint>
#include <string>

#include "bounded.h"
#include "require.h"
#include "url_tables.h"

#include "cordon/base/bytes.h"
#include "cordon/codec/rich/decode.h"
#include "cordon/codec/rich/registry.h"
#include "cordon/codec/rich/serializer.h"
#include "cordon/codec/rich/testing/stand_ins.h"

namespace {

using namespace cordon;

using cordon::fuzz::bounded;
using cordon::fuzz::require;

constexpr std::size_t max_output_bytes = std::size_t{1} << 20;

// Reads back whatever it wrote: a pattern may grow by its escapes, and by them become unsafe.
const rich::Serializer& writer() {
  static const rich::StandInRegExps regexps;
  static const rich::Serializer made({.max_depth = rich::unlimited,
                                      .max_regexp_pattern_length = rich::unlimited,
                                      .unsafe_regexps = rich::UnsafeRegExps::allowed,
                                      .max_output_bytes = max_output_bytes},
                                     regexps);
  return made;
}

void check(std::string_view text, const rich::Options& options) {
  static const rich::StandInRegExps regexps;
  const rich::Registry registry(options, regexps);
  json::Position failed_at;
  const auto value =
      bounded(text.size(), [&] { return rich::decode(text, registry, options, &failed_at); });
  const auto exact =
      bounded(text.size(), [&] { return rich::decode_exactly(text, registry, options, nullptr); });
  require(value.has_value() == exact.has_value(), "both ways of reading agree");
  if (!value) {
    require(value.error() == exact.error(), "both ways of reading give the same error");
    require(failed_at.offset <= text.size(), "an error lies within the text");
    return;
  }
  require(equal(*value, *exact, Sharing::compared), "both ways of reading give the same value");

  const auto graph = writer().serialize(*value);
  if (graph) {
    const auto again = writer().parse(*graph);
    require(again.has_value(), "graph text can be read");
    require(writer().serialize(*again) == *graph, "a second round trip as a graph changes nothing");
  } else {
    require(graph.error().code == ErrorCode::serialization_error ||
                graph.error().code == ErrorCode::too_large,
            "only invalid Dates are refused as a graph");
  }

  const auto tree = writer().stringify(*value);
  if (tree) {
    const auto again = writer().parse(*tree);
    require(again.has_value(), "tree text can be read");
    require(writer().stringify(*again) == *tree, "a second round trip as a tree changes nothing");
    require(graph.has_value() || graph.error().code == ErrorCode::too_large,
            "what a tree can hold, a graph can hold");
  } else {
    require(tree.error().code == ErrorCode::serialization_error ||
                tree.error().code == ErrorCode::too_large || tree.error().code == ErrorCode::cyclic,
            "a tree is refused for a known reason");
  }
}

}  // namespace

// The name and signature are libFuzzer's.
// NOLINTNEXTLINE(readability-identifier-naming)
extern "C" int LLVMFuzzerTestOneInput(const std::uint8_t* data, std::size_t size) {
  const std::string_view text = cordon::as_text({data, size});
  check(text, {});
  check(text, {.max_depth = 6,
               .max_regexp_pattern_length = 3,
               .symbol_policy = cordon::rich::SymbolPolicy::well_known_only});
  return 0;
}
