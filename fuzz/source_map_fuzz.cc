// Any bytes as a source map with its texts: a generated text, a NUL, a written text, a NUL, a map.
// What is read of it is sorted, lies in the texts, and is the same in both. The texts are UTF-8, as
// those are that a map is read for: columns of other bytes mean nothing.

#include <algorithm>
#include <cstddef>
#include <cstdint>
#include <string>
#include <string_view>
#include <tuple>
#include <vector>

#include "bounded.h"
#include "require.h"

#include "cordon/base/bytes.h"
#include "cordon/base/utf8.h"
#include "cordon/js/source_map.h"
#include "cordon/js/written_runs.h"

namespace {

using namespace cordon;

using cordon::fuzz::bounded;
using cordon::fuzz::require;

std::vector<std::string_view> lines_of(std::string_view text) {
  std::vector<std::string_view> lines;
  for (;;) {
    const std::size_t end = std::min(text.find_first_of("\r\n"), text.size());
    lines.push_back(text.substr(0, end));
    if (end == text.size()) return lines;
    text.remove_prefix(end + (text.substr(end).starts_with("\r\n") ? 2 : 1));
  }
}

// The bytes of a part of a line that is ASCII; other lines are not looked at so closely.
std::string_view part(const std::vector<std::string_view>& lines, std::uint32_t line,
                      std::uint32_t column, std::uint32_t length) {
  require(line < lines.size(), "a run has a line that is there");
  require(std::uint64_t{column} + length <= lines[line].size(), "and columns of it");
  return lines[line].substr(column, length);
}

bool is_ascii(std::string_view text) {
  return std::ranges::all_of(text,
                             [](char byte) { return static_cast<unsigned char>(byte) < 128; });
}

void check(std::string_view map, const js::MappedTexts& texts) {
  const std::size_t input_bytes = map.size() + texts.generated.size() + texts.written.size();
  const auto bytes =
      bounded(input_bytes, [&] { return js::read_source_map(map, texts, std::size_t{1} << 20); });
  if (!bytes) {
    require(!bytes.error().message.empty(), "a refusal says why");
    return;
  }
  const auto runs = js::read_runs(*bytes);
  require(runs.has_value(), "runs can be read");
  require(
      std::ranges::is_sorted(
          *runs, {}, [](const js::WrittenRun& run) { return std::tuple(run.line, run.column); }),
      "runs are in the order of the text");
  const auto generated = lines_of(texts.generated);
  const auto written = lines_of(texts.written);
  const bool is_plain = is_ascii(texts.generated) && is_ascii(texts.written);
  for (const js::WrittenRun& run : *runs) {
    const auto made = part(generated, run.line, run.column, run.length);
    const auto from = part(written, run.written_line, run.written_column, run.length);
    require(!is_plain || made == from, "a run is the same in both texts");
  }
}

}  // namespace

// The name and signature are libFuzzer's.
// NOLINTNEXTLINE(readability-identifier-naming)
extern "C" int LLVMFuzzerTestOneInput(const std::uint8_t* data, std::size_t size) {
  const std::string_view text = as_text({data, size});
  const std::size_t first = text.find('\0');
  if (first == std::string_view::npos) return 0;
  const std::size_t second = text.find('\0', first + 1);
  if (second == std::string_view::npos) return 0;
  const std::string generated = to_wtf8_lossy(text.substr(0, first));
  const std::string written = to_wtf8_lossy(text.substr(first + 1, second - first - 1));
  check(text.substr(second + 1), {.generated = generated, .written = written});
  return 0;
}
