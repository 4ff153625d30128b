// No byte from outside costs the host more than a bounded number of its own, whichever way it comes
// in: the worst known inputs of each, as `./dev bench amplify` measures them. Bytes only: how long
// it takes is the benchmark's to say.

#include <cctype>
#include <string>

#include "amplify/way.h"
#include <gtest/gtest.h>

#include "cordon/base/sanitized.h"

namespace cordon::amplify {
namespace {

// A sanitizer takes its time.
constexpr std::size_t max_sizes = is_sanitized ? 1 : 3;

class Amplify : public ::testing::TestWithParam<Way> {};

TEST_P(Amplify, StaysWithinItsBound) {
  const Way& way = GetParam();
  for (const Input& input : way.inputs) {
    for (std::size_t i = 0; i < std::min(way.sizes.size(), max_sizes); ++i) {
      const Sample sample = measure(input, way.sizes[i]);
      EXPECT_LE(sample.bytes, bound_of(way, sample))
          << way.name << ", " << input.name << ": " << sample.bytes_per_byte() << " for each "
          << way.unit << " of " << sample.in << " (" << sample.outcome << ")";
    }
  }
}

std::string name_of(const ::testing::TestParamInfo<Way>& info) {
  std::string name;
  for (const char c : info.param.name)
    name += std::isalnum(static_cast<unsigned char>(c)) ? c : '_';
  return name;
}

INSTANTIATE_TEST_SUITE_P(WayIn, Amplify, ::testing::ValuesIn(all_ways()), name_of);

}  // namespace

// For messages of the test.
void PrintTo(const Way& way, std::ostream* out) { *out << way.name; }

}  // namespace cordon::amplify
