#include "cordon/js/typescript.h"

#include <algorithm>
#include <array>
#include <cmath>
#include <cstring>
#include <utility>

#include "cordon/js/bindgen_functions.h"

extern "C" const unsigned char cordon_typescript_code[];
extern "C" const unsigned char cordon_typescript_code_end[];

namespace cordon::js {
namespace {

constexpr std::string_view mode = "strip-only";
constexpr std::string_view wrapper_start = "async()=>{";
constexpr std::string_view wrapper_end = "\n}";
constexpr std::size_t max_source_bytes = std::size_t{16} << 20;
// The text, the text in a function, and the result twice.
constexpr std::uint64_t copies_on_host = 4;

std::uint32_t number_of(const BindgenValue& value) {
  const auto* number = std::get_if<double>(&value.content);
  return number == nullptr || !(*number >= 0 && *number < 1e9)
             ? 0
             : static_cast<std::uint32_t>(*number);
}

std::string text_of(const BindgenValue& value) {
  const std::string* text = value.as_string();
  return text == nullptr ? std::string() : *text;
}

// Takes a code point of UTF-8. Other text is taken byte by byte.
char32_t take_code_point(std::string_view& text) {
  const auto first = static_cast<unsigned char>(text[0]);
  const std::size_t size = first >= 0xF0 ? 4 : first >= 0xE0 ? 3 : first >= 0xC0 ? 2 : 1;
  char32_t point = size == 1 ? first : first & (0x7Fu >> size);
  for (std::size_t i = 1; i < std::min(size, text.size()); ++i)
    point = point << 6 | (static_cast<unsigned char>(text[i]) & 0x3Fu);
  text.remove_prefix(std::min(size, text.size()));
  return point;
}

// Two columns wide on a terminal: the scripts of East Asia, and pictures.
bool is_wide(char32_t point) {
  constexpr std::pair<char32_t, char32_t> ranges[] = {
      {0x1100, 0x115F},   {0x2E80, 0x303E},   {0x3041, 0xA4CF}, {0xAC00, 0xD7A3},
      {0xF900, 0xFAFF},   {0xFE30, 0xFE6F},   {0xFF00, 0xFF60}, {0x1F300, 0x1F64F},
      {0x1F900, 0x1F9FF}, {0x20000, 0x3FFFD},
  };
  return std::ranges::any_of(
      ranges, [point](const auto& range) { return point >= range.first && point <= range.second; });
}

bool is_combining(char32_t point) { return point >= 0x0300 && point <= 0x036F; }

std::string_view line_of(std::string_view text, std::uint32_t number) {
  for (std::uint32_t i = 1; i < number; ++i) {
    const std::size_t end = std::min(text.find_first_of("\r\n"), text.size());
    text.remove_prefix(end);
    text.remove_prefix(text.starts_with("\r\n") ? 2 : std::min<std::size_t>(1, text.size()));
  }
  return text.substr(0, text.find_first_of("\r\n"));
}

// The module counts columns as a terminal shows them, from 0. This is the same place in UTF-16
// units, from 1.
std::uint32_t utf16_column(std::string_view line, std::uint32_t shown) {
  constexpr std::uint32_t tab_width = 4;
  std::uint32_t column = 1;
  std::uint32_t width = 0;
  while (!line.empty() && width < shown) {
    const char32_t point = take_code_point(line);
    const std::uint32_t units = point > 0xFFFF ? 2 : 1;
    column += units;
    if (point == '\t') {
      width += tab_width;
    } else if (!is_combining(point)) {
      width += units + (is_wide(point) ? 1 : 0);
    }
  }
  return column;
}

}  // namespace

TypeScript::TypeScript(sandbox::Engine engine, sandbox::Module module)
    : engine_(std::move(engine)), module_(std::move(module)) {}

Result<std::unique_ptr<TypeScript>> TypeScript::create() {
  sandbox::Engine engine = CORDON_TRY(sandbox::Engine::create({}));
  sandbox::Module module = CORDON_TRY(
      sandbox::Module::load_in_place(engine, {cordon_typescript_code, cordon_typescript_code_end}));
  std::unique_ptr<TypeScript> made(new TypeScript(std::move(engine), std::move(module)));
  made->template_ =
      CORDON_TRY(sandbox::Template::create(made->engine_, made->module_, "__wbindgen_placeholder__",
                                           BindgenFunctions::all(), sandbox::Missing::traps));
  return made;
}

StripJob::StripJob(const TypeScript& typescript, std::string source, std::uint64_t sandbox_bytes)
    : typescript_(typescript),
      source_(std::move(source)),
      sandbox_bytes_(sandbox_bytes),
      heap_(0) {}

StripJob::~StripJob() = default;

Result<std::unique_ptr<StripJob>> StripJob::create(const TypeScript& typescript, std::string source,
                                                   std::uint64_t memory_bytes) {
  if (source.size() > max_source_bytes)
    return fail(ErrorCode::too_large, "TypeScript of more than 16 MiB");
  const std::uint64_t copies_bytes = copies_on_host * source.size();
  if (copies_bytes > memory_bytes) return fail(ErrorCode::memory_limit, "stripping its types");
  std::unique_ptr<StripJob> job(
      new StripJob(typescript, std::move(source), memory_bytes - copies_bytes));
  CORDON_TRY(job->begin());
  return job;
}

Result<> StripJob::begin() {
  heap_ = BindgenHeap(source_.size() * 8 + (1 << 20));
  instance_.reset();  // before the next one is made, since only one may have the memory
  instance_ = CORDON_TRY(sandbox::Instance::create(
      typescript_.code(), {.memory_bytes = sandbox_bytes_, .entry = "transformSync"}, this));
  stage_ = Stage::mode;
  return begin_stage();
}

// Puts the two strings that the module will ask for into its memory beforehand. While the module
// runs, its allocator cannot be called.
Result<> StripJob::begin_stage() {
  using Arguments = std::array<std::int32_t, 2>;
  switch (stage_) {
    case Stage::mode:
      return instance_->begin("__wbindgen_export_2",
                              Arguments{static_cast<std::int32_t>(mode.size()), 1});
    case Stage::source:
      return instance_->begin("__wbindgen_export_2",
                              Arguments{static_cast<std::int32_t>(text().size()), 1});
    case Stage::stack:
      return instance_->begin("__wbindgen_add_to_stack_pointer", std::array<std::int32_t, 1>{-16});
    case Stage::transform: {
      const std::uint32_t input = CORDON_TRY(heap_.add(bindgen_view(text())));
      const std::uint32_t options = CORDON_TRY(heap_.add(bindgen_object(
          {{"mode", bindgen_string(std::string(mode))}, {"deprecatedTsModuleAsError", {true}}})));
      return instance_->begin("transformSync",
                              std::array<std::int32_t, 3>{static_cast<std::int32_t>(result_at_),
                                                          static_cast<std::int32_t>(input),
                                                          static_cast<std::int32_t>(options)});
    }
  }
  std::unreachable();
}

Result<> StripJob::end_stage() {
  const std::uint32_t address = instance_->result();
  const auto put = [&](std::string_view text) -> Result<> {
    const auto room = instance_->memory_at(address, static_cast<std::uint32_t>(text.size()));
    if (room.size() != text.size())
      return fail(ErrorCode::protocol_violation, "no room for the text");
    std::memcpy(room.data(), text.data(), text.size());
    return {};
  };
  switch (stage_) {
    case Stage::mode:
      mode_at_ = address;
      stage_ = Stage::source;
      return put(mode);
    case Stage::source:
      source_at_ = address;
      stage_ = Stage::stack;
      return put(text());
    case Stage::stack:
      result_at_ = address;
      stage_ = Stage::transform;
      return {};
    case Stage::transform:
      return {};
  }
  std::unreachable();
}

std::optional<Result<Stripped>> StripJob::run(Instant until, const std::atomic<bool>& interrupt) {
  for (;;) {
    const sandbox::Progress progress = instance_->run(until, interrupt);
    if (progress == sandbox::Progress::yielded) return std::nullopt;
    if (progress != sandbox::Progress::returned) {
      if (instance_->was_refused_memory())
        return fail(ErrorCode::memory_limit, "stripping its types");
      // A text that is nested too deeply for its stack, or that the module did not expect.
      return Stripped(StripRefusal{StripRefusal::Kind::invalid, instance_->trap_text(), 0, 0});
    }
    const bool is_last = stage_ == Stage::transform;
    if (const Result<> ended = end_stage(); !ended) return fail(ended.error());
    if (!is_last) {
      if (const Result<> begun = begin_stage(); !begun) return fail(begun.error());
      continue;
    }
    Result<Stripped> done = outcome();
    const StripRefusal* refusal = done ? std::get_if<StripRefusal>(&*done) : nullptr;
    // A program may `return` at its top level, which the module does not know.
    const bool may_return = refusal != nullptr && !is_wrapped_ &&
                            refusal->kind == StripRefusal::Kind::invalid &&
                            refusal->message.starts_with("Return statement");
    if (!may_return) return done;
    is_wrapped_ = true;
    wrapped_.reserve(wrapper_start.size() + source_.size() + wrapper_end.size());
    wrapped_.append(wrapper_start).append(source_).append(wrapper_end);
    if (const Result<> begun = begin(); !begun) return fail(begun.error());
  }
}

// The module leaves three numbers: its result, its error, and which of the two counts.
Result<Stripped> StripJob::outcome() {
  const auto bytes = instance_->memory_at(result_at_, 12);
  if (bytes.size() != 12) return fail(ErrorCode::protocol_violation, "no result");
  std::uint32_t words[3];
  std::memcpy(words, bytes.data(), sizeof words);
  if (words[2] != 0) return refused(heap_.at(words[1]));
  std::string code = text_of(heap_.at(words[0]).member("code"));
  if (!is_wrapped_) return code;
  if (code.size() < wrapper_start.size() + wrapper_end.size() || !code.starts_with(wrapper_start) ||
      !code.ends_with(wrapper_end))
    return Stripped(StripRefusal{});
  return code.substr(wrapper_start.size(), code.size() - wrapper_start.size() - wrapper_end.size());
}

Result<Stripped> StripJob::refused(const BindgenValue& error) {
  StripRefusal refusal;
  refusal.message = text_of(error.member("message"));
  refusal.line = number_of(error.member("startLine"));
  refusal.column =
      utf16_column(line_of(text(), refusal.line), number_of(error.member("startColumn")));
  if (text_of(error.member("code")) == "UnsupportedSyntax")
    refusal.kind = StripRefusal::Kind::unsupported;
  if (is_wrapped_ && refusal.line == 1)
    refusal.column -= std::min<std::uint32_t>(refusal.column - 1, wrapper_start.size());
  return Stripped(std::move(refusal));
}

}  // namespace cordon::js
