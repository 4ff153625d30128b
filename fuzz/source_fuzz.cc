// Any text as a program in a Markdown fence, or not: what is taken away is a fence, and lines keep
// their numbers.

#include <algorithm>
#include <cstddef>
#include <cstdint>
#include <string>
#include <variant>

#include "require.h"

#include "cordon/base/bytes.h"
#include "cordon/base/utf8.h"
#include "cordon/host/fenced_program.h"
#include "cordon/host/import_specifiers.h"
#include "cordon/host/module_names.h"
#include "cordon/host/source_excerpt.h"
#include "cordon/host/source_text.h"

namespace {

using namespace cordon;

using cordon::fuzz::require;

void check_fence(std::string_view text) {
  const host::SourceText source = host::without_fence(text);
  while (text.starts_with("\xEF\xBB\xBF")) text.remove_prefix(3);
  if (source.text.data() == text.data() && source.text.size() == text.size()) {
    require(source.first_line == 1, "a text without a fence begins at its first line");
    return;
  }
  require(source.text.data() >= text.data() &&
              source.text.data() + source.text.size() <= text.data() + text.size(),
          "a program is a part of what was handed in");
  const std::string_view before =
      text.substr(0, static_cast<std::size_t>(source.text.data() - text.data()));
  const std::string_view after = text.substr(before.size() + source.text.size());
  require(before.ends_with('\n') && before.contains("```"), "a fence is a line before it");
  require(source.text.empty() || source.text.ends_with('\n'), "its last line is whole");
  require(after.contains("```") && after.find_first_not_of("` \t\r\n") == std::string_view::npos,
          "a fence is all that comes after it");
  require(source.first_line == static_cast<std::uint32_t>(std::ranges::count(before, '\n')) + 1,
          "its lines have the numbers that they had");
}

// The program in a text of Markdown: its lines are lines of the text, in their order.
void check_markdown(std::string_view text) {
  const host::FenceChoice choice = host::choose_fence(text);
  const auto* const program = std::get_if<host::FencedProgram>(&choice);
  if (host::is_surely_markdown(text)) {
    require(!std::holds_alternative<host::NoFence>(choice), "what is surely Markdown has a fence");
  }
  const auto lines = static_cast<std::uint32_t>(std::ranges::count(text, '\n')) + 1;
  if (const auto* const refusal = std::get_if<host::FenceRefusal>(&choice))
    require(refusal->line >= 1 && refusal->line <= lines, "a refusal is about a line of the text");
  if (program == nullptr) return;
  require(program->text.size() <= text.size(), "a program is no longer than its text");
  require(program->first_line >= 2 && program->first_line <= lines,
          "a program begins below its fence");
  (void)host::is_prose(text);
}

// The same text as a module's name, wherever it is imported from.
void check_name(std::string_view text) {
  static const host::ModuleTexts modules = {{"./main.js", ""}, {"lib/a.js", ""}, {"named", ""}};
  static const host::ModuleFolder no_folder{""};
  for (const char* base : {"main.js", "lib/a.js", ""}) {
    const auto name = host::resolve_module({modules, no_folder}, base, text);
    require(!name || modules.contains(*name), "a name leads to a module that was given");
    require(name.has_value() || name.error().message.size() < 1000, "an error is short");
  }
}

// What it imports are parts of it, and a number of them at most.
void check_imports(std::string_view text) {
  constexpr std::size_t most = 5;
  const host::ImportSpecifiers imports = host::import_specifiers(text, most);
  require(imports.names.size() <= most, "no more than were asked for");
  for (const std::string_view name : imports.names) {
    require(name.data() > text.data() && name.data() + name.size() < text.data() + text.size() &&
                name.data()[-1] == name.data()[name.size()],
            "a specifier is what stands between two quotes");
  }
}

// Any place in it, also one that is not there, is shown in a few short lines.
void check_excerpt(std::string_view text) {
  for (const std::uint32_t line : {1u, 2u, 5u, 4'000'000'000u}) {
    for (const std::uint32_t column : {0u, 1u, 7u, 300u}) {
      const SourceExcerpt excerpt = host::excerpt_of(text, 1, {"", line, column});
      require(excerpt.lines.size() <= 3, "an excerpt has three lines at most");
      for (const std::string& shown : excerpt.lines)
        require(shown.size() < 1000, "lines of an excerpt are short");
      require(excerpt.before.size() < 1000, "what is left of the place is short");
      require(!is_utf8(text) || excerpt.lines.empty() ||
                  excerpt.lines.back().starts_with(excerpt.before),
              "what is left of the place is on its line");
    }
  }
}

}  // namespace

// The name and signature are libFuzzer's.
// NOLINTNEXTLINE(readability-identifier-naming)
extern "C" int LLVMFuzzerTestOneInput(const std::uint8_t* data, std::size_t size) {
  check_fence(as_text({data, size}));
  check_markdown(as_text({data, size}));
  check_name(as_text({data, size}));
  check_imports(as_text({data, size}));
  check_excerpt(as_text({data, size}));
  return 0;
}
