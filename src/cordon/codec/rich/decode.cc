#include "cordon/codec/rich/decode.h"

#include <optional>
#include <string>
#include <utility>

#include "cordon/codec/json/building_sink.h"
#include "cordon/codec/json/parser.h"
#include "cordon/codec/rich/eager_sink.h"
#include "cordon/codec/rich/graph_sink.h"
#include "cordon/codec/rich/locate.h"
#include "cordon/codec/rich/resolver.h"
#include "cordon/codec/rich/reviver.h"
#include "cordon/value/value_builder.h"

namespace cordon::rich {
namespace {

// The parser takes no stack, and which nesting counts is decided later: what lies under an unsafe
// key does not count.
json::DecodeOptions json_options() { return {.max_bytes = unlimited, .max_depth = unlimited}; }

// If each payload is used once, a byte of text makes two parts at most: a letter of a
// URLSearchParams is escaped, and a Set of it reads its pairs again.
std::size_t max_parts(std::string_view text) { return 2 * text.size() + 4096; }

std::optional<Value> decode_quickly(std::string_view text, const Registry& registry,
                                    const Options& options, const std::shared_ptr<Budget>& budget,
                                    const RegExpOracle& regexps) {
  ValueBuilder builder(budget);
  Reviver reviver(builder, options, max_parts(text), regexps);
  EagerSink sink(builder, registry, options, reviver);
  json::Parser<EagerSink> parser(text, json_options(), sink);
  if (!parser.run() || sink.stopped()) return std::nullopt;
  return builder.finish(builder.since(0)[0]);
}

std::optional<Value> decode_quickly_as_graph(std::string_view text, const Registry& registry,
                                             const Options& options,
                                             const std::shared_ptr<Budget>& budget,
                                             const RegExpOracle& regexps) {
  ValueBuilder builder(budget);
  Reviver reviver(builder, options, max_parts(text), regexps);
  GraphSink sink(builder, registry, options, reviver, text.size());
  json::Parser<GraphSink> parser(text, json_options(), sink);
  if (!parser.run()) return std::nullopt;
  const auto root = sink.finish();
  if (!root) return std::nullopt;
  return builder.finish(*root);
}

}  // namespace

Result<Value> decode_exactly(std::string_view text, const Registry& registry,
                             const Options& options, json::Position* failed_at,
                             const std::shared_ptr<Budget>& budget, const RegExpOracle* regexps) {
  ValueBuilder builder(budget);
  json::BuildingSink sink(builder, KeyOrder::javascript);
  json::Parser<json::BuildingSink> parser(text, json_options(), sink);
  if (!parser.run()) {
    return json::failure(text, parser.offset(), parser.error(),
                         std::string("Invalid JSON payload: ") + parser.reason(), failed_at);
  }
  Resolver resolver(builder, registry, options, max_parts(text),
                    regexps == nullptr ? registry.regexps() : *regexps);
  if (!resolver.run(builder.since(0)[0])) {
    const Error& error = resolver.error();
    return json::failure(text, offset_of(text, resolver.path()), error.code, error.message,
                         failed_at);
  }
  return builder.finish(resolver.value());
}

Result<Value> decode(std::string_view text, const Registry& registry, const Options& options,
                     json::Position* failed_at, const std::shared_ptr<Budget>& budget,
                     const RegExpOracle* regexps) {
  if (text.size() > options.max_input_bytes) {
    return json::failure(text, options.max_input_bytes, ErrorCode::too_large,
                         "serialized text past its limit", failed_at);
  }
  const RegExpOracle& oracle = regexps == nullptr ? registry.regexps() : *regexps;
  const std::shared_ptr<Budget> bound = budget ? budget : Budget::for_message(text.size());
  try {
    auto quick = text.starts_with(GraphSink::beginning)
                     ? decode_quickly_as_graph(text, registry, options, bound, oracle)
                     : decode_quickly(text, registry, options, bound, oracle);
    if (quick) return *std::move(quick);
    return decode_exactly(text, registry, options, failed_at, bound, &oracle);
  } catch (const OverBudget&) {
    return json::over_budget(failed_at);
  }
}

}  // namespace cordon::rich
