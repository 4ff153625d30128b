#include "cordon/host/fenced_program.h"

#include <algorithm>
#include <span>
#include <vector>

#include "cordon/base/ascii.h"
#include "cordon/base/utf8.h"
#include "cordon/host/markdown_fences.h"

namespace cordon::host {
namespace {

constexpr std::size_t max_fences = 1000;
constexpr std::size_t max_lines_listed = 5;
constexpr std::size_t max_language = 30;

constexpr std::string_view ours[] = {"js",   "javascript", "mjs",        "cjs", "jsx",
                                     "node", "es6",        "ecmascript", "ts",  "typescript",
                                     "mts",  "cts",        "tsx"};

// What else models write in fences. Any other word is taken for a name of the program.
constexpr std::string_view others[] = {
    "bash",   "c",      "c++",      "console", "cpp",     "cs",     "csharp", "css",   "csv",
    "diff",   "go",     "html",     "http",    "ini",     "java",   "json",   "jsonc", "jsonl",
    "kotlin", "lua",    "markdown", "md",      "mermaid", "output", "perl",   "php",   "powershell",
    "py",     "python", "r",        "rb",      "ruby",    "rs",     "rust",   "sh",    "shell",
    "sql",    "swift",  "text",     "toml",    "txt",     "xml",    "yaml",   "yml",   "zsh",
};

bool is_one_of(std::string_view language, std::span<const std::string_view> words) {
  return std::ranges::find(words, ascii_lower_case(std::string(language))) != words.end();
}

using Fences = std::vector<const MarkdownFence*>;

// The fences that name our languages, or else those that may be a program.
Fences candidates_of(const std::vector<MarkdownFence>& fences) {
  Fences named;
  Fences unnamed;
  for (const MarkdownFence& fence : fences) {
    if (is_one_of(fence.language, ours)) {
      named.push_back(&fence);
    } else if (!is_one_of(fence.language, others)) {
      unnamed.push_back(&fence);
    }
  }
  return named.empty() ? unnamed : named;
}

// "lines 3, 9 and 12"
std::string lines_of(const Fences& fences) {
  const std::size_t listed = std::min(fences.size(), max_lines_listed);
  std::string text = "lines ";
  for (std::size_t i = 0; i < listed; ++i) {
    const bool is_last = i + 1 == listed && listed == fences.size();
    if (i > 0) text += is_last ? " and " : ", ";
    text += std::to_string(fences[i]->line);
  }
  return listed < fences.size() ? text + ", …" : text;
}

FenceRefusal refuse_other(const MarkdownFence& fence) {
  return {"the code fence in line " + std::to_string(fence.line) + " is " +
              to_utf8_lossy(fence.language.substr(0, max_language)) +
              ", and a program is JavaScript or TypeScript",
          fence.line};
}

// Its lines lie as deep as their fence; in a list, for example.
std::string without_indent(std::string_view text, std::size_t indent) {
  if (indent == 0) return std::string(text);
  std::string lines;
  lines.reserve(text.size());
  while (!text.empty()) {
    const std::size_t end = std::min(text.find('\n'), text.size() - 1) + 1;
    const std::size_t blanks = std::min(text.find_first_not_of(" \t"), end);
    lines += text.substr(std::min(blanks, indent), end - std::min(blanks, indent));
    text.remove_prefix(end);
  }
  return lines;
}

// Follows whether text is in a `/* comment */`. Markdown has such signs too, as in `src/**/*.js`,
// but not after a blank.
class CommentScan {
 public:
  bool is_inside_after(std::string_view text) {
    while (!text.empty()) {
      const std::size_t at = text.find(is_inside_ ? "*/" : "/*");
      if (at == std::string_view::npos) break;
      const bool counts =
          is_inside_ || at == 0 || std::string_view(" \t\r\n;{}(").contains(text[at - 1]);
      if (counts) is_inside_ = !is_inside_;
      text.remove_prefix(at + 2);
    }
    return is_inside_;
  }

 private:
  bool is_inside_ = false;
};

// In a program that does not parse, a fence in a comment is no program.
std::vector<MarkdownFence> outside_comments(std::string_view text,
                                            std::vector<MarkdownFence> fences) {
  CommentScan scan;
  std::size_t end_of_last = 0;
  std::erase_if(fences, [&](const MarkdownFence& fence) {
    const bool is_inside =
        scan.is_inside_after(text.substr(end_of_last, fence.begin - end_of_last));
    end_of_last = static_cast<std::size_t>(fence.text.data() - text.data()) + fence.text.size();
    return is_inside;
  });
  return fences;
}

// Whether JavaScript that stands before a fence may go on in it: in a comment, or in a template,
// which begins on a line with an odd number of backticks.
bool may_hide_fence(std::string_view head) {
  if (head.contains("/*") || head.contains('\\')) return true;
  while (!head.empty()) {
    const std::size_t end = std::min(head.find('\n'), head.size() - 1) + 1;
    if (std::ranges::count(head.substr(0, end), '`') % 2 != 0) return true;
    head.remove_prefix(end);
  }
  return false;
}

bool is_word(std::string_view word) {
  while (!word.empty() && std::string_view(".,:;!?)").contains(word.back())) word.remove_suffix(1);
  return !word.empty() && std::ranges::all_of(word, [](char byte) {
    return (byte >= 'a' && byte <= 'z') || (byte >= 'A' && byte <= 'Z') || byte == '\'' ||
           (byte & 0x80) != 0;
  });
}

bool begins_statement(std::string_view word) {
  constexpr std::string_view words[] = {
      "async",   "await",     "break",    "class",    "const", "continue",  "delete",
      "do",      "export",    "for",      "function", "if",    "import",    "let",
      "new",     "return",    "static",   "switch",   "throw", "try",       "type",
      "typeof",  "using",     "var",      "void",     "while", "interface", "enum",
      "declare", "namespace", "abstract", "yield",    "else",  "case"};
  return std::ranges::find(words, word) != std::ranges::end(words);
}

}  // namespace

FenceChoice choose_fence(std::string_view text) {
  const std::vector<MarkdownFence> fences = outside_comments(text, fences_in(text, max_fences));
  if (fences.empty()) return NoFence();
  const Fences candidates = candidates_of(fences);
  if (candidates.empty()) return refuse_other(fences.front());
  const MarkdownFence& fence = *candidates.front();
  if (candidates.size() > 1) {
    const std::string_view or_more = fences.size() == max_fences ? " or more" : "";
    return FenceRefusal{"the text has " + std::to_string(candidates.size()) + std::string(or_more) +
                            " code fences (" + lines_of(candidates) + "); give one program",
                        candidates[1]->line};
  }
  if (!fence.is_closed) {
    return FenceRefusal{"the code fence that begins in line " + std::to_string(fence.line) +
                            " has no end, so the program may be cut off",
                        fence.line};
  }
  return FencedProgram{without_indent(fence.text, fence.indent), fence.line + 1,
                       ascii_lower_case(std::string(fence.language))};
}

bool is_surely_markdown(std::string_view text) {
  if (!text.contains("```")) return false;
  const std::vector<MarkdownFence> fences = fences_in(text, 1);
  return !fences.empty() && fences[0].mark == '`' &&
         !may_hide_fence(text.substr(0, fences[0].begin));
}

bool is_prose(std::string_view text) {
  constexpr std::string_view blanks = " \t\r\n";
  text.remove_prefix(std::min(text.find_first_not_of(blanks), text.size()));
  for (const std::string_view mark : {"# ", "## ", "**", "> "})
    if (text.starts_with(mark)) return true;
  for (const std::string_view mark : {"- ", "* ", "1. "})
    if (text.starts_with(mark)) text.remove_prefix(mark.size());
  text = text.substr(0, text.find('\n'));
  std::size_t words = 0;
  for (; words < 3; ++words) {
    const std::size_t end = std::min(text.find_first_of(blanks), text.size());
    if (!is_word(text.substr(0, end))) return false;
    if (words == 0 && begins_statement(text.substr(0, end))) return false;
    text.remove_prefix(end);
    text.remove_prefix(std::min(text.find_first_not_of(blanks), text.size()));
  }
  return true;
}

}  // namespace cordon::host
