// What a byte from outside costs inside, at worst: bytes of the host's memory and time of its
// processors, for every way in, at three sizes. docs/reliability.md has the table and explains it.
//
//   build/release/bench/amplify_bench [--all] [WAY]
//
// Prints Markdown: of each way the input that took most memory for each byte, and the one that took
// most time; with --all every input, and what came of it.

#include <algorithm>
#include <iostream>
#include <string>
#include <string_view>
#include <vector>

#include "amplify/way.h"
#include <fmt/format.h>

namespace cordon::amplify {
namespace {

struct Measured {
  std::string input;
  std::vector<Sample> samples;  // by size
};

std::string bytes_text(double bytes) {
  if (bytes < 0.05) return "0";
  return bytes < 100 ? fmt::format("{:.1f}", bytes) : fmt::format("{:.0f}", bytes);
}

std::string time_text(double nanoseconds) {
  return nanoseconds < 100 ? fmt::format("{:.1f}", nanoseconds)
                           : fmt::format("{:.0f}", nanoseconds);
}

std::string cell(const Sample& sample) {
  return fmt::format("{} B, {} ns", bytes_text(sample.bytes_per_byte()),
                     time_text(sample.seconds_per_byte() * 1e9));
}

// What a byte costs at the largest size, next to the smallest: one means that it grows with the
// input and no faster.
std::string growth(const Measured& measured, double (Sample::*cost)() const) {
  const double first = (measured.samples.front().*cost)();
  const double last = (measured.samples.back().*cost)();
  return first <= 0 ? "-" : fmt::format("{:.2f}", last / first);
}

void print_row(const Way& way, const Measured& measured, std::string_view note) {
  std::cout << "| " << way.name << " | " << measured.input << note << " |";
  for (const Sample& sample : measured.samples) std::cout << " " << cell(sample) << " |";
  std::cout << " " << growth(measured, &Sample::bytes_per_byte) << ", "
            << growth(measured, &Sample::seconds_per_byte) << " | "
            << fmt::format("{} B", way.bytes_per_byte);
  if (way.fixed_bytes > 0)
    std::cout << fmt::format(" or {:.0f} MiB", static_cast<double>(way.fixed_bytes) / 1048576.0);
  std::cout << "; " << way.limited_by << " |\n" << std::flush;
}

// By the largest size: the smaller ones have what is made once in them.
const Measured& worst(const std::vector<Measured>& all, double (Sample::*cost)() const) {
  return *std::ranges::max_element(
      all, {}, [cost](const Measured& measured) { return (measured.samples.back().*cost)(); });
}

bool is_within(const Way& way, const Measured& measured) {
  return std::ranges::all_of(measured.samples, [&](const Sample& sample) {
    return sample.bytes <= bound_of(way, sample);
  });
}

bool run(const Way& way, bool shows_all) {
  std::vector<Measured> all;
  bool is_fine = true;
  for (const Input& input : way.inputs) {
    Measured measured{.input = input.name, .samples = {}};
    for (const std::size_t size : way.sizes) measured.samples.push_back(measure(input, size));
    const bool fits = is_within(way, measured);
    is_fine = is_fine && fits;
    if (shows_all) {
      print_row(way, measured,
                " (" + measured.samples.back().outcome + (fits ? ")" : ") **too much**"));
    }
    all.push_back(std::move(measured));
  }
  if (shows_all) return is_fine;
  const Measured& hungry = worst(all, &Sample::bytes_per_byte);
  const Measured& slow = worst(all, &Sample::seconds_per_byte);
  print_row(way, hungry, is_within(way, hungry) ? "" : " **too much**");
  if (&slow != &hungry) print_row(way, slow, is_within(way, slow) ? "" : " **too much**");
  return is_fine;
}

int run_all(bool shows_all, std::string_view only) {
  std::cout << "| way in | worst known input | 64 KiB | 512 KiB | 4 MiB | growth | bound |\n"
               "| --- | --- | --- | --- | --- | --- | --- |\n";
  bool is_fine = true;
  for (const Way& way : all_ways()) {
    if (only.empty() || way.name.contains(only)) is_fine = run(way, shows_all) && is_fine;
  }
  return is_fine ? 0 : 1;
}

}  // namespace
}  // namespace cordon::amplify

int main(int argc, char** argv) {
  bool shows_all = false;
  std::string only;
  for (int i = 1; i < argc; ++i) {
    const std::string_view argument = argv[i];
    if (argument == "--all") {
      shows_all = true;
    } else {
      only = argument;
    }
  }
  return cordon::amplify::run_all(shows_all, only);
}
