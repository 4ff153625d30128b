// Any text as TypeScript: stripped, written anew, or refused at a place that it has. Where it is
// stripped nothing moves, so that errors are where the text as it was written has them. Where it is
// written anew, its parts have the places that they were written at.

#include <algorithm>
#include <atomic>
#include <chrono>
#include <cstddef>
#include <cstdint>
#include <optional>
#include <string>
#include <string_view>
#include <vector>

#include "require.h"

#include "cordon/base/bytes.h"
#include "cordon/base/utf8.h"
#include "cordon/host/source_text.h"
#include "cordon/host/typescript_service.h"
#include "cordon/js/written_runs.h"

namespace {

using namespace cordon;

using cordon::fuzz::require;

std::size_t utf16_units(std::string_view text) {
  std::size_t units = 0;
  for (const char byte : text) {
    const auto value = static_cast<unsigned char>(byte);
    if ((value & 0xC0) != 0x80) units += value >= 0xF0 ? 2 : 1;
  }
  return units;
}

// The UTF-16 units of each line.
std::vector<std::size_t> line_lengths(std::string_view text) {
  std::vector<std::size_t> lengths;
  for (;;) {
    const std::size_t end = std::min(text.find('\n'), text.size());
    lengths.push_back(utf16_units(text.substr(0, end)));
    if (end == text.size()) return lengths;
    text.remove_prefix(end + 1);
  }
}

bool is_blank(std::string_view text) {
  return text.find_first_not_of(" \t\r\n") == std::string_view::npos;
}

std::optional<Result<js::Stripped>> strip(host::TypeScriptService& service, std::string_view text) {
  const std::atomic<bool> never = false;
  constexpr std::uint64_t memory_bytes = std::uint64_t{512} << 20;
  const auto job = service.begin(std::string(text), memory_bytes);
  require(job.has_value(), "a text is begun");
  return service.run(**job, std::chrono::steady_clock::now() + std::chrono::seconds(20), never);
}

void check(std::string_view text) {
  static host::TypeScriptService service(1);
  const auto done = strip(service, text);
  require(done.has_value(), "it comes to an end");
  require(done->has_value(), "our half of it does what the module asks");
  if (const auto* refusal = std::get_if<js::StripRefusal>(&**done)) {
    const auto breaks =
        std::ranges::count_if(text, [](char byte) { return byte == '\n' || byte == '\r'; });
    if (refusal->kind == js::StripRefusal::Kind::unsupported)
      require(refusal->line > 0 && refusal->line <= static_cast<std::size_t>(breaks) + 1,
              "what is refused has its line");
    return;
  }
  const auto& made = std::get<js::JavaScript>(**done);
  require(is_utf8(made.text), "what is left is text");
  if (made.runs.empty()) {
    // What has nothing left has no places either.
    require(line_lengths(made.text) == line_lengths(text) || is_blank(made.text),
            "nothing has moved");
    return;
  }
  const std::vector<std::size_t> lines = line_lengths(made.text);
  const auto runs = js::read_runs(made.runs);
  require(runs.has_value(), "runs can be read");
  for (const js::WrittenRun& run : *runs) {
    require(run.line < lines.size() && run.column + run.length <= lines[run.line],
            "a run is a part of a line");
  }
}

}  // namespace

// The name and signature are libFuzzer's.
// NOLINTNEXTLINE(readability-identifier-naming)
extern "C" int LLVMFuzzerTestOneInput(const std::uint8_t* data, std::size_t size) {
  const std::string_view text = as_text({data, size});
  if (!is_utf8(text)) return 0;  // as the program's own reader has it
  check(host::without_fence(text).text);
  return 0;
}
