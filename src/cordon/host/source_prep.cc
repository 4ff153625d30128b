#include "cordon/host/source_prep.h"

#include <algorithm>
#include <utility>

#include "cordon/host/failure.h"
#include "cordon/host/fenced_program.h"
#include "cordon/host/foreign_text.h"
#include "cordon/host/reachable_modules.h"
#include "cordon/host/source_excerpt.h"

namespace cordon::host {
namespace {

// Whether JavaScript's parser may have refused this text because of a type. A string, a number, a
// comment or a regular expression is the same in both languages.
bool may_begin_type(std::string_view text) {
  constexpr std::string_view others = "\"'`/\\0123456789";
  return text.empty() || !others.contains(text[0]);
}

}  // namespace

SourcePrep::SourcePrep(ProgramText text, Setting setting)
    : setting_(std::move(setting)), text_(std::move(text)) {
  if (setting_.saved != nullptr) {
    looked_for_types_ = true;
  } else {
    text_.is_typescript = text_.is_typescript || is_typescript_name(setting_.name);
    if (text_.form == js::Form::program && is_surely_markdown(text_.source)) unwrap_fence();
  }
}

void SourcePrep::clear() {
  strip_.reset();
  wanted_.reset();
  setting_.modules.clear();
  setting_.saved.reset();
  text_ = {};
  unstripped_ = {};
  fence_refusal_.reset();
  runs_ = {};
  refused_import_ = {};
}

// Texts and modules.

ModuleSources SourcePrep::module_sources() const {
  return {setting_.modules, setting_.folder,
          setting_.saved == nullptr ? nullptr : &setting_.saved->modules};
}

// With a folder the program itself may have any name: what it imports lies in that folder.
std::string SourcePrep::import_base() const {
  if (setting_.folder.exists()) return {};
  return setting_.saved == nullptr ? setting_.name : setting_.saved->import_base;
}

SourcePrep::Written SourcePrep::written() const {
  if (setting_.saved != nullptr) return {setting_.saved->text, setting_.saved->first_line};
  return {unstripped_.empty() ? text_.source : unstripped_, text_.first_line};
}

ProgramSources SourcePrep::sources() const {
  const Written text = written();
  std::string base = import_base();
  ModuleTexts modules = reachable_modules(module_sources(), base, text.text);
  return {std::string(text.text), text.first_line, std::move(base), std::move(modules)};
}

SourceExcerpt SourcePrep::excerpt_at(const SourceLocation& location) const {
  if (location.file == setting_.name) {
    const Written text = written();
    return excerpt_of(text.text, text.first_line, location);
  }
  const Result<std::string> text =
      load_module(module_sources(), location.file, setting_.limits.message_bytes);
  return text ? excerpt_of(*text, 1, location) : SourceExcerpt();
}

ExecutionError SourcePrep::with_excerpt(ExecutionError error) const {
  if (error.location) error.excerpt = excerpt_at(*error.location);
  return error;
}

Result<std::string> SourcePrep::resolve(std::string_view base, std::string_view specifier,
                                        js::ImportKind kind) {
  Result<std::string> name = resolve_module(
      module_sources(), base == setting_.name ? import_base() : std::string(base), specifier, kind);
  if (!name && specifier.size() <= js::max_module_name_bytes)
    refused_import_ = {std::string(specifier), name.error().message};
  return name;
}

std::string_view SourcePrep::refused_import(std::string_view message) const {
  return message == refused_import_.message ? refused_import_.specifier : std::string_view();
}

std::optional<Result<js::Stripped>> SourcePrep::load(std::string_view name, js::ImportKind kind) {
  Result<std::string> text =
      load_module(module_sources(), name, setting_.limits.message_bytes, kind);
  if (!text) return cordon::fail(text.error());
  if (kind != js::ImportKind::module || !is_typescript_name(name))
    return js::Stripped(js::JavaScript{*std::move(text)});
  wanted_ = {std::string(name), *std::move(text)};
  return std::nullopt;
}

// Fences.

bool SourcePrep::unwrap_fence() {
  if (std::exchange(looked_for_fence_, true)) return false;
  FenceChoice choice = choose_fence(written().text);
  if (auto* const program = std::get_if<FencedProgram>(&choice)) {
    text_.source = std::move(program->text);
    text_.first_line = program->first_line;
    text_.is_typescript =
        is_typescript_language(program->language) || is_typescript_name(setting_.name);
    unstripped_.clear();
    looked_for_types_ = false;
  } else if (auto* const refusal = std::get_if<FenceRefusal>(&choice)) {
    ExecutionError error = Error{ErrorCode::syntax_error, std::move(refusal->message)};
    error.name = "SyntaxError";
    error.location = SourceLocation{setting_.name, refusal->line, 1};
    fence_refusal_ = with_excerpt(std::move(error));
  } else {
    return false;
  }
  return true;
}

bool SourcePrep::take_fence() {
  return setting_.saved == nullptr && text_.form == js::Form::program && unwrap_fence();
}

bool SourcePrep::take_fence(const js::Outcome& outcome) {
  const auto* thrown = std::get_if<js::Thrown>(&outcome);
  if (thrown == nullptr || !thrown->is_syntax_error || thrown->error.name != "SyntaxError")
    return false;
  // A module that it imports may be at fault.
  const auto location = js::location_of(thrown->error.stack);
  return location && location->file == setting_.name && take_fence();
}

std::string SourcePrep::hint_on_syntax(const ExecutionError& error) const {
  const bool is_program = setting_.saved == nullptr && text_.form == js::Form::program;
  // A module that it imports may be at fault.
  if (!is_program || !error.location || error.location->file != setting_.name) return {};
  std::string above;
  for (std::size_t i = 0; i + 1 < error.excerpt.lines.size(); ++i)
    above += error.excerpt.lines[i] + "\n";
  WrongPlace place;
  if (!error.excerpt.lines.empty() && error.excerpt.lines.back().starts_with(error.excerpt.before))
    place = {above, error.excerpt.lines.back(), error.excerpt.before.size()};
  const std::string_view foreign = advice_on_foreign_text(written().text, place);
  if (!foreign.empty()) return std::string(foreign);
  if (!is_prose(written().text)) return {};
  return "it looks like prose and not like a program: give JavaScript, or Markdown with the "
         "program "
         "in one code fence";
}

// Types.

// Whether the refusal of a text that is TypeScript is its error.
bool SourcePrep::is_told(const js::StripRefusal& refusal) {
  return refusal.kind != js::StripRefusal::Kind::unread;
}

// The same for a text that JavaScript's parser has refused before. That parser stops at the first
// type, so the other may have come further.
bool SourcePrep::is_nearer(const js::StripRefusal& refusal, const js::Outcome& refused) const {
  if (refusal.kind != js::StripRefusal::Kind::invalid) return is_told(refusal);
  const auto* const thrown = std::get_if<js::Thrown>(&refused);
  const auto javascript = thrown == nullptr ? std::nullopt : js::location_of(thrown->error.stack);
  if (!javascript || std::pair(refusal.line + text_.first_line - 1, refusal.column) <=
                         std::pair(javascript->line, javascript->column))
    return false;
  const Written text = written();
  const SourceExcerpt excerpt =
      excerpt_of(text.text, text.first_line, {setting_.name, javascript->line, javascript->column});
  return excerpt.lines.empty() ||
         may_begin_type(std::string_view(excerpt.lines.back()).substr(excerpt.before.size()));
}

bool SourcePrep::may_have_types(const js::Outcome& outcome) const {
  const auto* thrown = std::get_if<js::Thrown>(&outcome);
  if (thrown == nullptr || !thrown->is_syntax_error || looked_for_types_ ||
      thrown->error.name != "SyntaxError")
    return false;
  const auto location = js::location_of(thrown->error.stack);
  return !location || location->file == setting_.name;  // and not in what it imports
}

void SourcePrep::begin_strip(TypeScriptService& service, std::uint64_t guest_bytes,
                             StripPlaces::Offer offer) {
  const std::uint64_t limit = setting_.limits.memory_bytes;
  if (!wanted_) looked_for_types_ = true;
  strip_ = std::make_unique<Stripping>(service, wanted_ ? wanted_->source : text_.source,
                                       limit - std::min(limit, guest_bytes), std::move(offer));
}

void SourcePrep::take_place(StripPlaces::Place place) {
  if (strip_ != nullptr) strip_->take_place(std::move(place));
}

std::optional<SourcePrep::Done> SourcePrep::strip(Instant until, const std::atomic<bool>& interrupt,
                                                  const CallLedger& calls) {
  std::optional<Result<js::Stripped>> stripped = strip_->run(until, interrupt);
  if (!stripped) return std::nullopt;
  strip_.reset();
  return wanted_ ? end_module(*std::move(stripped)) : end_program(*std::move(stripped), calls);
}

SourcePrep::Done SourcePrep::end_program(Result<js::Stripped> stripped, const CallLedger& calls) {
  const std::optional<js::Outcome> refused = std::exchange(refused_, std::nullopt);
  const bool lacked_memory = !stripped && stripped.error().code == ErrorCode::memory_limit;
  if (lacked_memory && !refused) return types_past_memory_limit(setting_.name, setting_.limits);
  if (!stripped && stripped.error().code != ErrorCode::too_large && !refused)
    return internal_error(stripped.error().message);
  auto* const made = stripped ? std::get_if<js::JavaScript>(&*stripped) : nullptr;
  const auto* const refusal = stripped ? std::get_if<js::StripRefusal>(&*stripped) : nullptr;
  if (refusal != nullptr && refusal->kind == js::StripRefusal::Kind::unsupported)
    return with_excerpt(error_of(*refusal, setting_.name, text_.first_line));
  const bool has_types = made != nullptr && made->text != text_.source;
  const bool is_wrong = refused ? !has_types : refusal != nullptr && is_told(*refusal);
  if (is_wrong) {
    if (refused ? take_fence(*refused) : take_fence()) {
      if (!fence_refusal_) return ProgramReady();
      return *fence_refusal_;
    }
    // If it is unknown whether there are types, show the JavaScript error: only that suggested
    // them.
    const bool tells_types = refusal != nullptr && (!refused || is_nearer(*refusal, *refused));
    ExecutionError error =
        with_excerpt(tells_types ? error_of(*refusal, setting_.name, text_.first_line)
                                 : error_of(std::get<js::Thrown>(*refused), calls));
    error.hint = hint_on_syntax(error);
    if (lacked_memory && error.hint.empty())
      error.hint = "it may be TypeScript: stripping its types takes more than the memory limit";
    return error;
  }
  if (made != nullptr) {
    unstripped_ = std::exchange(text_.source, std::move(made->text));
    runs_ = std::move(made->runs);
  }
  return ProgramReady();
}

// Text that nobody could read as TypeScript goes to the JavaScript parser as it is. As with its own
// memory, a program cannot catch that memory ran out here.
SourcePrep::Done SourcePrep::end_module(Result<js::Stripped> stripped) {
  ModuleText module = *std::exchange(wanted_, std::nullopt);
  if (!stripped && stripped.error().code == ErrorCode::memory_limit)
    return types_past_memory_limit(module.name, setting_.limits);
  if (!stripped) {
    return ModuleReady{cordon::fail(stripped.error().code, "Cannot load module '" + module.name +
                                                               "': " + stripped.error().message)};
  }
  const auto* const refusal = std::get_if<js::StripRefusal>(&*stripped);
  if (refusal != nullptr && !is_told(*refusal))
    return ModuleReady{js::Stripped(js::JavaScript{std::move(module.source)})};
  return ModuleReady{std::move(stripped)};
}

}  // namespace cordon::host
