#include "cordon/runners/program_text.h"

#include <algorithm>
#include <array>
#include <atomic>
#include <chrono>
#include <utility>

#include "cordon/base/utf8.h"
#include "cordon/codec/json/encode.h"
#include "cordon/host/failure.h"
#include "cordon/host/fenced_program.h"
#include "cordon/host/source_excerpt.h"
#include "cordon/host/source_text.h"
#include "cordon/host/typescript_service.h"
#include "cordon/js/stripped.h"
#include "cordon/js/written_runs.h"
#include "cordon/runners/plain_program.h"

namespace cordon::runners {
namespace {

// Tells of a text whether it is the body of an async function, whether it is strict, and whether it
// is one expression that begins as a function does, also as a default export; then without what
// stands around it. Nothing of it runs.
constexpr std::string_view reader = R"js((() => {
  const AsyncFunction = (async () => {}).constructor;
  const parses = (text) => {
    try { AsyncFunction(text); return true; } catch { return false; }
  };
  const begins = /^(?:\s|\/\/[^\n]*\n|\/\*[^]*?\*\/)*(?:async\b|function\b|\(|[\p{ID_Start}$_][\p{ID_Continue}$]*\s*=>)/u;
  const isFunction = (text) => begins.test(text) && parses("return (" + text + "\n)");
  const isEmpty = (text) => /^(?:[;\s]|\/\/[^\n]*(?:\n|$)|\/\*[^]*?\*\/)*$/.test(text);
  // A comment may stand behind the last semicolon, with others in it.
  const lone = (text) => {
    if (isFunction(text)) return text;
    for (let end = text.length, left = 16; left > 0; --left) {
      end = text.lastIndexOf(";", end - 1);
      if (end < 0) break;
      if (isEmpty(text.slice(end)) && isFunction(text.slice(0, end))) return text.slice(0, end);
    }
    return null;
  };
  // Columns stay where they are.
  const exported = input.replace(/^((?:\s|\/\/[^\n]*\n|\/\*[^]*?\*\/)*)(export\s+default\b)/,
      (all, before, words) => before + words.replace(/[^\s]/g, " "));
  return { isBody: parses(input), lone: lone(exported),
           isStrict: /^(?:\s|\/\/[^\n]*\n|\/\*[^]*?\*\/)*("|')use strict\1\s*(?:;|\n|$)/.test(input) };
})())js";

// The half of it that most programs need. The other takes three times as long.
constexpr std::string_view short_reader = R"js((() => {
  const AsyncFunction = (async () => {}).constructor;
  try { AsyncFunction(input); return { isBody: true }; } catch { return { isBody: false }; }
})())js";

// False only where the short one tells all: nothing is strict, and no expression begins as a
// function does. Words of the language have no escapes.
bool needs_all(std::string_view text) {
  const std::size_t first = text.find_first_not_of("\t\n\v\f\r ");
  if (first == std::string_view::npos) return false;
  // A parenthesis, a comment, or a space of Unicode that one may follow.
  if (text[first] == '(' || text[first] == '/' || static_cast<unsigned char>(text[first]) >= 0x80)
    return true;
  return std::ranges::any_of(std::array{"function", "async", "=>", "export", "use strict"},
                             [text](std::string_view word) { return text.contains(word); });
}

Result<ProgramReading> read_afresh(const std::string& text, Engine& engine) {
  if (is_plain_program(text)) return ProgramReading{.is_body = true};
  ExecuteOptions options;
  options.input = Value(text);
  options.limits.memory_bytes = std::uint64_t{1} << 30;
  options.name = "reader.js";
  const Report report =
      engine.execute(needs_all(text) ? reader : short_reader, std::move(options)).get();
  if (!report.ok()) return fail(report.error);
  ProgramReading reading{.is_body = report.result.find("isBody").as_bool(),
                         .is_strict = report.result.find("isStrict").as_bool(),
                         .lone = {}};
  const ValueView lone = report.result.find("lone");
  if (lone.is_string()) reading.lone = lone.as_string();
  return reading;
}

Result<ProgramReading> read(const std::string& text, Engine& engine, ProgramMemo* memo) {
  if (memo == nullptr) return read_afresh(text, engine);
  if (auto known = memo->find(text)) return *std::move(known);
  ProgramReading reading = CORDON_TRY(read_afresh(text, engine));
  memo->keep(text, reading);
  return reading;
}

// A program's text on its way to the runner.
struct Text {
  std::string text;
  std::string variables = {};  // goes before it, on its first line
  Bytes runs = {};             // js::WrittenRuns of it
};

// The stripper declares the variables of namespaces in a last line of its own, and a program's last
// statement is its result. So that line becomes the first: what begins in no run is not the
// program's (docs/internals/typescript.md).
Text with_variables_first(js::JavaScript stripped) {
  Text all{std::move(stripped.text), {}, std::move(stripped.runs)};
  const std::string_view text(all.text);
  const std::size_t end = text.find_last_not_of('\n');
  if (all.runs.empty() || end == std::string_view::npos) return all;
  const std::size_t start = text.rfind('\n', end) + 1;
  const std::string_view last = text.substr(start, end + 1 - start);
  if (!last.starts_with("var ")) return all;

  const Result<std::vector<js::WrittenRun>> runs = js::read_runs(all.runs);
  if (!runs) return all;
  const auto line = static_cast<std::uint32_t>(std::ranges::count(text.substr(0, start), '\n'));
  const bool is_written = std::ranges::any_of(
      *runs, [line](const js::WrittenRun& run) { return run.line == line && run.column == 0; });
  if (is_written) return all;
  all.variables = std::string(last) + " ";
  all.text.resize(start);
  return all;
}

// A program as it was written, or what is left of it.
struct Source {
  Text text;
  bool is_typescript = false;
  std::string file = {};
};

ExecutionError with_excerpt(const Source& source, ExecutionError error) {
  if (error.location) error.excerpt = host::excerpt_of(source.text.text, 1, *error.location);
  return error;
}

// Takes the types out. False where the text is no TypeScript, but might be JavaScript.
std::expected<bool, ExecutionError> strip(Source& source) {
  host::TypeScriptService service(1);
  constexpr std::uint64_t memory_bytes = std::uint64_t{1} << 30;
  const std::unique_ptr<js::StripJob> job =
      CORDON_TRY(service.begin(source.text.text, memory_bytes));
  const std::atomic<bool> interrupt = false;
  const auto until = std::chrono::steady_clock::now() + std::chrono::seconds(10);
  std::optional<Result<js::Stripped>> stripped = service.run(*job, until, interrupt);
  if (!stripped) return fail(ErrorCode::timeout, "stripping its types takes too long");
  if (!*stripped) return fail(stripped->error());
  if (auto* const refusal = std::get_if<js::StripRefusal>(&**stripped)) {
    const bool is_known =
        refusal->kind == js::StripRefusal::Kind::unsupported ||
        (refusal->kind == js::StripRefusal::Kind::invalid && source.is_typescript);
    if (!is_known) return false;
    return std::unexpected(with_excerpt(source, host::error_of(*refusal, source.file, 1)));
  }
  source.text = with_variables_first(std::get<js::JavaScript>(*std::move(*stripped)));
  return true;
}

// Takes the types out of the text, where it has some.
std::expected<ProgramReading, ExecutionError> read_typed(Source& source, Engine& engine,
                                                         ProgramMemo* memo) {
  ProgramReading reading;
  if (!source.is_typescript) reading = CORDON_TRY(read(source.text.text, engine, memo));
  if (reading.is_body) return reading;
  const auto is_stripped = strip(source);
  if (!is_stripped) return std::unexpected(is_stripped.error());
  if (!*is_stripped) return reading;
  return CORDON_TRY(read(source.text.text, engine, memo));
}

// Takes the program out of Markdown. False where there is none.
std::expected<bool, ExecutionError> take_fence(Source& source) {
  const host::FenceChoice choice = host::choose_fence(source.text.text);
  if (const auto* const refusal = std::get_if<host::FenceRefusal>(&choice)) {
    ExecutionError error = Error{ErrorCode::syntax_error, refusal->message};
    error.name = "SyntaxError";
    error.location = SourceLocation{source.file, refusal->line, 1};
    return std::unexpected(with_excerpt(source, std::move(error)));
  }
  const auto* const fenced = std::get_if<host::FencedProgram>(&choice);
  if (fenced == nullptr) return false;
  source.text = {std::string(fenced->first_line - 1, '\n') + fenced->text};
  source.is_typescript =
      host::is_typescript_name(source.file) || host::is_typescript_language(fenced->language);
  return true;
}

// Lines are those of the program as it was written.
std::string lines_of(const host::SourceText& source) {
  return std::string(source.first_line - 1, '\n') + std::string(source.text);
}

// As data: `__proto__` in an object literal would set the prototype. Void: a program that is only
// comments has no result. As here, the global is not listed; what the program itself declares at
// its top by that name stands already, and a function stays.
std::string definition_of(const Value& input) {
  constexpr json::EncodeOptions options{.max_bytes = std::size_t{1} << 28, .max_depth = 1010};
  const std::string text = json::encode(input, options).value_or("null");
  return "void ((value) => { const own = Object.getOwnPropertyDescriptor(globalThis, \"input\"); "
         "if (!own) Object.defineProperty(globalThis, \"input\", "
         "{ value, writable: true, configurable: true }); "
         "else if (typeof own.value !== \"function\") globalThis.input = value; })(JSON.parse(" +
         json::encode(Value(text), options).value_or("") + ")); ";
}

}  // namespace

std::optional<ProgramReading> ProgramMemo::find(std::string_view text) const {
  const MutexLock lock(mutex_);
  const auto found = std::ranges::find(entries_, text, &Entry::text);
  if (found == entries_.end()) return std::nullopt;
  return found->reading;
}

void ProgramMemo::keep(std::string text, const ProgramReading& reading) {
  constexpr std::size_t max_bytes = 64 << 10;
  constexpr std::size_t max_entries = 16;
  if (text.size() > max_bytes) return;
  const MutexLock lock(mutex_);
  Entry entry{std::move(text), reading};
  if (entries_.size() < max_entries) {
    entries_.push_back(std::move(entry));
  } else {
    entries_[oldest_++ % max_entries] = std::move(entry);
  }
}

bool is_read(const ProgramToSend& program, const ProgramMemo& memo) {
  const host::SourceText source = host::without_fence(program.code);
  if (host::is_typescript_name(program.file) || host::is_typescript_language(source.language))
    return false;
  const std::string text = lines_of(source);
  if (host::is_surely_markdown(text)) return false;
  constexpr std::size_t max_bytes_of_quick = 64 << 10;
  if (text.size() <= max_bytes_of_quick && is_plain_program(text)) return true;
  const auto reading = memo.find(text);
  return reading && (reading->is_body || reading->lone);
}

std::expected<SentProgram, ExecutionError> text_for_runner(const ProgramToSend& program,
                                                           Engine& engine, ProgramMemo* memo) {
  const host::SourceText given = host::without_fence(program.code);
  Source source{.text = {lines_of(given)},
                .is_typescript = host::is_typescript_name(program.file) ||
                                 host::is_typescript_language(given.language),
                .file = std::string(program.file)};
  // Prose may be a program by accident: `Result:` before a fence is a label before a template.
  const bool is_markdown = host::is_surely_markdown(source.text.text);
  std::expected<bool, ExecutionError> is_fenced = is_markdown ? take_fence(source) : false;
  if (!is_fenced) return std::unexpected(is_fenced.error());
  auto reading = read_typed(source, engine, memo);
  if (reading && !reading->is_body && !reading->lone && !is_markdown) {
    is_fenced = take_fence(source);
    if (!is_fenced) return std::unexpected(is_fenced.error());
    if (*is_fenced) reading = read_typed(source, engine, memo);
  }
  if (!reading) return std::unexpected(reading.error());
  Text& text = source.text;
  if (text.text.starts_with("#!")) text.text.replace(0, 2, "//");
  std::string before = text.variables + (program.input ? definition_of(*program.input) : "");
  // A directive counts only at the front.
  if (reading->is_strict && !before.empty()) before.insert(0, "'use strict'; ");
  std::string after;
  if (reading->lone) {
    // The comma keeps the function without a name where it has none.
    before += "await (async () => { const program = (0, (";
    after =
        "\n)); return typeof program === \"function\" ? program(globalThis.input) : program; })()";
    text.text = *reading->lone;
  }
  const auto lines = static_cast<std::uint32_t>(std::ranges::count(text.text, '\n') + 1);
  return SentProgram{.code = before + text.text + after,
                     .places = {.file = std::move(source.file),
                                .written = std::string(program.code),
                                .units_before = utf16_length(before),
                                .runs = std::move(text.runs),
                                .lines = lines}};
}

}  // namespace cordon::runners
