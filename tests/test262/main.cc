// test262 DIR [PART…]: runs the suite in DIR and compares its failures with the list of known ones.
// Run it in the root of the checkout; `./dev test262` does.

#include <chrono>
#include <cstdio>

#include "known_failures.h"
#include "suite.h"

namespace {

using namespace cordon::test262;

std::map<std::string, std::string> list(const char* path) {
  return parse_list(read_file(path).value_or(""));
}

int report(const SuiteResult& result, const std::map<std::string, std::string>& known) {
  std::set<std::string> failed;
  for (const auto& [test, failure] : result.failed) failed.insert(test);
  const Comparison comparison = compare(result.ran, failed, known);
  for (const std::string& test : comparison.new_failures)
    std::printf("FAILED %s: %s\n", test.c_str(), result.failed.at(test).c_str());
  for (const std::string& test : comparison.to_remove)
    std::printf("PASSES %s: remove it from tests/test262/known_failures.txt\n", test.c_str());
  std::size_t left_out = 0;
  for (const auto& [reason, count] : result.left_out) left_out += count;
  std::printf("%zu passed, %zu failed (%zu of them known), %zu left out\n",
              result.ran.size() - failed.size(), failed.size(),
              failed.size() - comparison.new_failures.size(), left_out);
  return comparison.good() ? 0 : 1;
}

}  // namespace

int main(int argc, char** argv) {
  if (argc < 2) {
    std::fputs("usage: test262 DIR [PART OF A NAME…]\n", stderr);
    return 64;
  }
  SuiteOptions options{.folder = argv[1],
                       .filters = {argv + 2, argv + argc},
                       .left_out = list("tests/test262/left_out.txt")};
  const auto start = std::chrono::steady_clock::now();
  options.on_progress = [start](std::size_t done, std::size_t all) {
    const auto seconds =
        std::chrono::duration_cast<std::chrono::seconds>(std::chrono::steady_clock::now() - start);
    std::fprintf(stderr, "%zu of %zu tests, %lld s\n", done, all,
                 static_cast<long long>(seconds.count()));
  };
  const cordon::Result<SuiteResult> result = run_suite(options);
  if (!result) {
    std::fprintf(stderr, "test262: %s\n", result.error().message.c_str());
    return 70;
  }
  if (result->ran.empty() && result->left_out.empty()) {
    std::fprintf(stderr, "test262: no tests in %s/test\n", argv[1]);
    return 66;
  }
  return report(*result, list("tests/test262/known_failures.txt"));
}
