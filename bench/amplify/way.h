#pragma once

// Ways into the host, the worst inputs that are known for each, and what they may cost.
//
// `amplify_bench` prints what they do cost (docs/reliability.md), and a test holds their bytes to
// their bounds.

#include <cstddef>
#include <functional>
#include <optional>
#include <string>
#include <vector>

namespace cordon::amplify {

// What came of an input, in words: "read", or why not. Bytes and seconds where the work is done by
// another process; else they are measured in this one.
struct Outcome {
  std::string text;
  std::optional<std::size_t> bytes = {};
  std::optional<double> seconds = {};
};

// An input of some size. It exists before the measuring begins, so it does not count itself.
struct Attack {
  std::size_t in = 0;  // bytes that the attacker sends
  std::function<Outcome()> run;
};

struct Input {
  std::string name;
  std::function<Attack(std::size_t size)> make;
};

struct Way {
  std::string name;
  std::vector<Input> inputs;
  // More than this for each byte in, and more than `fixed_bytes` at all, is too much.
  std::size_t bytes_per_byte = 24;
  std::size_t fixed_bytes = 0;
  // 64 KiB, 512 KiB and 4 MiB, or whatever else is counted.
  std::vector<std::size_t> sizes = {std::size_t{64} << 10, std::size_t{512} << 10,
                                    std::size_t{4} << 20};
  std::string unit = "byte";
  std::string limited_by;  // what caps it, in words for the table
};

struct Sample {
  std::size_t in = 0;
  std::size_t bytes = 0;  // of the host's memory, at once
  double seconds = 0;     // of the host's processors
  std::string outcome;

  double bytes_per_byte() const { return static_cast<double>(bytes) / static_cast<double>(in); }
  double seconds_per_byte() const { return seconds / static_cast<double>(in); }
};

Sample measure(const Input& input, std::size_t size);
// How many bytes this sample may have taken.
std::size_t bound_of(const Way& way, const Sample& sample);

std::vector<Way> all_ways();

// Each part of them, in files of their own.
std::vector<Way> codec_ways();
std::vector<Way> guest_ways();
std::vector<Way> http_ways();
std::vector<Way> tunnel_ways();
std::vector<Way> runner_ways();
std::vector<Way> plugin_ways();

// A text of about `size` bytes: `first`, then as many parts as fit, then `last`.
std::string text_of_size(std::size_t size, std::string_view first,
                         const std::function<std::string(std::size_t index)>& part,
                         std::string_view last);
// The same part over and over.
std::string repeated_to(std::size_t size, std::string_view first, std::string_view part,
                        std::string_view last);

}  // namespace cordon::amplify
