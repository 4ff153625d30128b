#include "cordon/runners/program_text.h"

#include <algorithm>
#include <array>
#include <atomic>
#include <chrono>
#include <utility>

#include "cordon/codec/json/encode.h"
#include "cordon/host/fenced_program.h"
#include "cordon/host/source_text.h"
#include "cordon/host/typescript_service.h"
#include "cordon/js/stripped.h"
#include "cordon/js/written_runs.h"

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
  const exported = input.replace(/^((?:\s|\/\/[^\n]*\n|\/\*[^]*?\*\/)*)export\s+default\b/, "$1");
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

// The stripper declares the variables of namespaces in a last line of its own, and a program's last
// statement is its result. So that line becomes the first: what begins in no run is not the
// program's (docs/internals/typescript.md).
std::string with_variables_first(const js::JavaScript& stripped) {
  const std::string_view text(stripped.text);
  const std::size_t end = text.find_last_not_of('\n');
  if (stripped.runs.empty() || end == std::string_view::npos) return stripped.text;
  const std::size_t start = text.rfind('\n', end) + 1;
  const std::string_view last = text.substr(start, end + 1 - start);
  if (!last.starts_with("var ")) return stripped.text;

  const Result<std::vector<js::WrittenRun>> runs = js::read_runs(stripped.runs);
  if (!runs) return stripped.text;
  const auto line = static_cast<std::uint32_t>(std::ranges::count(text.substr(0, start), '\n'));
  const bool is_written = std::ranges::any_of(
      *runs, [line](const js::WrittenRun& run) { return run.line == line && run.column == 0; });
  if (is_written) return stripped.text;
  return std::string(last) + " " + std::string(text.substr(0, start));
}

// Nothing where the text has none, or is no TypeScript either.
Result<std::optional<std::string>> without_types(const std::string& text) {
  host::TypeScriptService service(1);
  constexpr std::uint64_t memory_bytes = std::uint64_t{1} << 30;
  const std::unique_ptr<js::StripJob> job = CORDON_TRY(service.begin(text, memory_bytes));
  const std::atomic<bool> interrupt = false;
  const auto until = std::chrono::steady_clock::now() + std::chrono::seconds(10);
  std::optional<Result<js::Stripped>> stripped = service.run(*job, until, interrupt);
  if (!stripped) return fail(ErrorCode::timeout, "stripping its types takes too long");
  if (!*stripped) return fail(stripped->error());
  if (auto* const refusal = std::get_if<js::StripRefusal>(&**stripped)) {
    if (refusal->kind != js::StripRefusal::Kind::unsupported) return std::nullopt;
    return fail(ErrorCode::syntax_error, refusal->message);
  }
  return with_variables_first(std::get<js::JavaScript>(**stripped));
}

// Takes the types out of the text, where it has some.
Result<ProgramReading> read_typed(std::string& text, bool is_typescript, Engine& engine,
                                  ProgramMemo* memo) {
  if (!is_typescript) {
    ProgramReading reading = CORDON_TRY(read(text, engine, memo));
    if (reading.is_body) return reading;
    std::optional<std::string> stripped = CORDON_TRY(without_types(text));
    if (!stripped) return reading;
    text = *std::move(stripped);
  } else if (std::optional<std::string> stripped = CORDON_TRY(without_types(text))) {
    text = *std::move(stripped);
  } else {
    return ProgramReading();
  }
  return read(text, engine, memo);
}

// As data: `__proto__` in an object literal would set the prototype. Void: a program that is only
// comments has no result.
std::string assignment_of(const Value& input) {
  constexpr json::EncodeOptions options{.max_bytes = std::size_t{1} << 28, .max_depth = 1010};
  const std::string text = json::encode(input, options).value_or("null");
  return "void (globalThis.input = JSON.parse(" + json::encode(Value(text), options).value_or("") +
         ")); ";
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

Result<std::string> text_for_runner(const ProgramToSend& program, Engine& engine,
                                    ProgramMemo* memo) {
  const host::SourceText source = host::without_fence(program.code);
  // Lines are those of the program as it was written.
  std::string text = std::string(source.first_line - 1, '\n') + std::string(source.text);
  const bool is_typescript_file = host::is_typescript_name(program.file);
  ProgramReading reading = CORDON_TRY(read_typed(
      text, is_typescript_file || host::is_typescript_language(source.language), engine, memo));
  if (!reading.is_body && !reading.lone && host::is_surely_markdown(text)) {
    const host::FenceChoice choice = host::choose_fence(text);
    if (const auto* const fenced = std::get_if<host::FencedProgram>(&choice)) {
      text = std::string(fenced->first_line - 1, '\n') + fenced->text;
      reading = CORDON_TRY(
          read_typed(text, is_typescript_file || host::is_typescript_language(fenced->language),
                     engine, memo));
    }
  }
  if (text.starts_with("#!")) text.replace(0, 2, "//");
  std::string prefix = program.input ? assignment_of(*program.input) : "";
  // A directive counts only at the front.
  if (reading.is_strict && !prefix.empty()) prefix.insert(0, "'use strict'; ");
  if (!reading.lone) return prefix + text;
  return prefix + "await (async () => { const program = (" + *reading.lone +
         "\n); return typeof program === \"function\" ? program(globalThis.input) : program; })()";
}

}  // namespace cordon::runners
