// JSON: our reader and writer on 1 MB of plain rows, on small messages, and on what an attacker
// would send at doubling sizes (time a byte must stay level). simdjson's DOM is the ceiling in the
// same run.

#include <string>

#include <benchmark/benchmark.h>
#include <simdjson.h>

#include "cordon/codec/json/decode.h"
#include "cordon/codec/json/encode.h"

namespace {

using cordon::Value;

// The rows of the table in docs/benchmarks.md: numbers, short strings, a flag, a small list.
std::string rows(std::size_t bytes) {
  std::string text = "[";
  for (unsigned i = 0; text.size() < bytes; ++i) {
    if (i > 0) text += ',';
    const std::string n = std::to_string(i);
    text += R"({"id":)" + n + R"(,"name":"user )" + n + R"(","email":"user)" + n +
            R"(@example.com","score":)" + std::to_string(i % 1000) + "." +
            std::to_string(i % 89 + 10) + R"(,"active":)" + (i % 2 == 0 ? "true" : "false") +
            R"(,"tags":["a","b","tag)" + std::to_string(i % 7) + R"("],"parent":null})";
  }
  return text + "]";
}

void decode_text(benchmark::State& state, const std::string& text,
                 const cordon::json::DecodeOptions& options = {}) {
  for (auto _ : state) {
    auto value = cordon::json::decode(text, options);
    benchmark::DoNotOptimize(value);
  }
  state.SetBytesProcessed(state.iterations() * static_cast<std::int64_t>(text.size()));
}

void decode_rows(benchmark::State& state) { decode_text(state, rows(1'000'000)); }
BENCHMARK(decode_rows)->Unit(benchmark::kMicrosecond);

void decode_pretty_rows(benchmark::State& state) {
  decode_text(state, *cordon::json::encode(*cordon::json::decode(rows(1'000'000)), {.indent = 2}));
}
BENCHMARK(decode_pretty_rows)->Unit(benchmark::kMicrosecond);

void decode_rows_simdjson(benchmark::State& state) {
  const simdjson::padded_string text(rows(1'000'000));
  for (auto _ : state) {
    simdjson::dom::parser parser;
    auto document = parser.parse(text);
    benchmark::DoNotOptimize(document);
  }
  state.SetBytesProcessed(state.iterations() * static_cast<std::int64_t>(text.size()));
}
BENCHMARK(decode_rows_simdjson)->Unit(benchmark::kMicrosecond);

void validate_rows(benchmark::State& state) {
  const std::string text = rows(1'000'000);
  for (auto _ : state) benchmark::DoNotOptimize(cordon::json::validate(text));
  state.SetBytesProcessed(state.iterations() * static_cast<std::int64_t>(text.size()));
}
BENCHMARK(validate_rows)->Unit(benchmark::kMicrosecond);

void encode_rows(benchmark::State& state) {
  const Value value = *cordon::json::decode(rows(1'000'000));
  std::size_t bytes = 0;
  for (auto _ : state) {
    auto text = cordon::json::encode(value);
    bytes += text->size();
    benchmark::DoNotOptimize(text);
  }
  state.SetBytesProcessed(static_cast<std::int64_t>(bytes));
}
BENCHMARK(encode_rows)->Unit(benchmark::kMicrosecond);

void decode_small(benchmark::State& state) { decode_text(state, R"({"ok":true})"); }
BENCHMARK(decode_small);

void decode_call(benchmark::State& state) {
  decode_text(
      state,
      R"({"type":"tool_call","callId":"c17","provider":"tools","tool":"add","input":{"a":1,"b":2.5}})");
}
BENCHMARK(decode_call);

void encode_call(benchmark::State& state) {
  const Value value = *cordon::json::decode(
      R"({"type":"tool_call","callId":"c17","provider":"tools","tool":"add","input":{"a":1,"b":2.5}})");
  for (auto _ : state) benchmark::DoNotOptimize(cordon::json::encode(value));
}
BENCHMARK(encode_call);

std::string repeated(std::string_view piece, std::size_t count) {
  std::string text;
  text.reserve(piece.size() * count);
  for (std::size_t i = 0; i < count; ++i) text += piece;
  return text;
}

void hostile_nesting(benchmark::State& state) {
  const auto size = static_cast<std::size_t>(state.range(0));
  decode_text(state, repeated("[", size) + repeated("]", size), {.max_depth = size});
}
BENCHMARK(hostile_nesting)
    ->RangeMultiplier(2)
    ->Range(1 << 17, 1 << 20)
    ->Unit(benchmark::kMillisecond);

void hostile_keys(benchmark::State& state) {
  std::string text = "{";
  for (std::int64_t i = 0; i < state.range(0); ++i) text += '"' + std::to_string(i) + "\":0,";
  text.back() = '}';
  decode_text(state, text);
}
BENCHMARK(hostile_keys)->RangeMultiplier(2)->Range(1 << 17, 1 << 20)->Unit(benchmark::kMillisecond);

void hostile_same_key(benchmark::State& state) {
  decode_text(state,
              "{" + repeated(R"("a":0,)", static_cast<std::size_t>(state.range(0))) + R"("a":1})");
}
BENCHMARK(hostile_same_key)
    ->RangeMultiplier(2)
    ->Range(1 << 17, 1 << 20)
    ->Unit(benchmark::kMillisecond);

void hostile_escapes(benchmark::State& state) {
  decode_text(state, '"' + repeated(R"(\ud800)", static_cast<std::size_t>(state.range(0))) + '"');
}
BENCHMARK(hostile_escapes)
    ->RangeMultiplier(2)
    ->Range(1 << 17, 1 << 20)
    ->Unit(benchmark::kMillisecond);

void hostile_digits(benchmark::State& state) {
  decode_text(state, "0." + repeated("1", static_cast<std::size_t>(state.range(0))) + "e-5");
}
BENCHMARK(hostile_digits)
    ->RangeMultiplier(2)
    ->Range(1 << 17, 1 << 20)
    ->Unit(benchmark::kMillisecond);

void hostile_empty_lists(benchmark::State& state) {
  decode_text(state, "[" + repeated("[],", static_cast<std::size_t>(state.range(0))) + "0]");
}
BENCHMARK(hostile_empty_lists)
    ->RangeMultiplier(2)
    ->Range(1 << 17, 1 << 20)
    ->Unit(benchmark::kMillisecond);

}  // namespace

BENCHMARK_MAIN();
