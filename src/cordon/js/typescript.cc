#include "cordon/js/typescript.h"

#include <algorithm>
#include <array>
#include <cmath>
#include <cstring>
#include <utility>

#include "cordon/js/bindgen_functions.h"
#include "cordon/js/source_map.h"

extern "C" const unsigned char cordon_typescript_code[];
extern "C" const unsigned char cordon_typescript_code_end[];

namespace cordon::js {
namespace {

constexpr std::string_view wrapper_start = "async()=>{";
constexpr std::string_view wrapper_end = "\n}";
// What they have become in a text that was written anew.
constexpr std::string_view printed_start = "async ()=>{";
constexpr char printed_end = '}';
constexpr std::size_t max_source_bytes = std::size_t{16} << 20;
// The text, the text in a function, and the result twice.
constexpr std::uint64_t copies_on_host = 4;
// What is written anew has a source map, which has the text in it. Its runs are made when the
// sandbox is gone, and may take as much as that had.
constexpr std::uint64_t copies_of_transformed = 12;
constexpr std::size_t max_heap_copies = 8;
constexpr std::size_t max_heap_bytes_besides = std::size_t{1} << 20;

const std::string strip_mode = "strip-only";
const std::string transform_mode = "transform";
// How a text is written anew, as Node's --experimental-transform-types has it: fields stay fields,
// and an import of what is only a type is written `import type`. `import x = require(…)` and
// `export =` are refused, since there is nothing that they could mean.
const std::string keeps_imports = "verbatimModuleSyntax";
const std::string keeps_fields = "nativeClassProperties";
const std::string stays_script = "noEmptyExport";
const std::string assignments = "importExportAssignConfig";
const std::string refused_assignments = "EsNext";

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

// What the module says to people who can choose its options, and what a program's author can do.
struct Rewording {
  std::string_view begins;
  StripRefusal::Kind kind;
  std::string_view message;
};
constexpr Rewording rewordings[] = {
    {"Import assignment", StripRefusal::Kind::unsupported,
     "`import x = require(…)` is not supported: write `import x from …`"},
    {"Export assignment", StripRefusal::Kind::unsupported,
     "`export =` is not supported: write `export default`"},
    // A module with a `return` at its top, which only the engine's own parser knows.
    {"'import', and 'export' cannot be used outside", StripRefusal::Kind::unread, ""},
};

Stripped unread(std::string why) {
  return StripRefusal{StripRefusal::Kind::unread, std::move(why), 0, 0};
}

// A carriage return alone can only be in a comment, or behind a backslash at the end of a line. It
// means the same there, but the engine does not count it as the end of a line everywhere.
void make_line_feeds(std::string& code) {
  for (std::size_t at = code.find('\r'); at != std::string::npos; at = code.find('\r', at + 1)) {
    if (at + 1 == code.size() || code[at + 1] != '\n') code[at] = '\n';
  }
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

StripJob::StripJob(const TypeScript& typescript, std::string source, std::uint64_t memory_bytes)
    : typescript_(typescript), source_(std::move(source)), memory_bytes_(memory_bytes), heap_(0) {}

StripJob::~StripJob() = default;

Result<std::unique_ptr<StripJob>> StripJob::create(const TypeScript& typescript, std::string source,
                                                   std::uint64_t memory_bytes) {
  if (source.size() > max_source_bytes)
    return fail(ErrorCode::too_large, "TypeScript of more than 16 MiB");
  std::unique_ptr<StripJob> job(new StripJob(typescript, std::move(source), memory_bytes));
  CORDON_TRY(job->begin());
  return job;
}

// Begins an attempt.
Result<> StripJob::begin() {
  const std::uint64_t copies_bytes =
      source_.size() * (mode_ == Mode::strip ? copies_on_host : copies_of_transformed);
  if (copies_bytes > memory_bytes_) return fail(ErrorCode::memory_limit, "stripping its types");
  sandbox_bytes_ = memory_bytes_ - copies_bytes;
  heap_ = BindgenHeap(source_.size() * max_heap_copies + max_heap_bytes_besides);
  instance_.reset();  // before the next one is made, since only one may have the memory
  instance_ = CORDON_TRY(sandbox::Instance::create(
      typescript_.code(), {.memory_bytes = sandbox_bytes_, .entry = "transformSync"}, this));
  inputs_ = {{mode_ == Mode::strip ? &strip_mode : &transform_mode}, {&text()}};
  if (mode_ == Mode::transform) {
    for (const std::string* text :
         {&keeps_imports, &keeps_fields, &stays_script, &assignments, &refused_assignments})
      inputs_.push_back({text});
  }
  next_input_ = 0;
  stage_ = Stage::inputs;
  return begin_stage();
}

BindgenValue StripJob::options() const {
  const bool is_transform = mode_ == Mode::transform;
  BindgenObject options = {{"mode", bindgen_view(is_transform ? transform_mode : strip_mode)},
                           {"deprecatedTsModuleAsError", {true}}};
  if (is_transform) {
    options["sourceMap"] = {true};
    options["transform"] = bindgen_object({{keeps_imports, {true}},
                                           {keeps_fields, {true}},
                                           {stays_script, {true}},
                                           {assignments, bindgen_view(refused_assignments)}});
  }
  return bindgen_object(std::move(options));
}

// Puts the strings that the module will ask for into its memory beforehand. While the module runs,
// its allocator cannot be called.
Result<> StripJob::begin_stage() {
  using Arguments = std::array<std::int32_t, 2>;
  switch (stage_) {
    case Stage::inputs:
      return instance_->begin(
          "__wbindgen_export_2",
          Arguments{static_cast<std::int32_t>(inputs_[next_input_].text->size()), 1});
    case Stage::stack:
      return instance_->begin("__wbindgen_add_to_stack_pointer", std::array<std::int32_t, 1>{-16});
    case Stage::transform: {
      const std::uint32_t input = CORDON_TRY(heap_.add(bindgen_view(text())));
      const std::uint32_t with = CORDON_TRY(heap_.add(options()));
      return instance_->begin("transformSync",
                              std::array<std::int32_t, 3>{static_cast<std::int32_t>(result_at_),
                                                          static_cast<std::int32_t>(input),
                                                          static_cast<std::int32_t>(with)});
    }
  }
  std::unreachable();
}

Result<> StripJob::end_stage() {
  const std::uint32_t address = instance_->result();
  switch (stage_) {
    case Stage::inputs: {
      Input& input = inputs_[next_input_++];
      const auto room =
          instance_->memory_at(address, static_cast<std::uint32_t>(input.text->size()));
      if (room.size() != input.text->size())
        return fail(ErrorCode::protocol_violation, "no room for the text");
      std::memcpy(room.data(), input.text->data(), room.size());
      input.address = address;
      if (next_input_ == inputs_.size()) stage_ = Stage::stack;
      return {};
    }
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
      if (instance_->was_refused_memory() || heap_.is_full())
        return fail(ErrorCode::memory_limit, "stripping its types");
      // A text that is nested too deeply for its stack, or that the module did not expect.
      return unread(instance_->trap_text());
    }
    const bool is_last = stage_ == Stage::transform;
    if (const Result<> ended = end_stage(); !ended) return fail(ended.error());
    if (!is_last) {
      if (const Result<> begun = begin_stage(); !begun) return fail(begun.error());
      continue;
    }
    Result<Stripped> done = outcome();
    const StripRefusal* refusal = done ? std::get_if<StripRefusal>(&*done) : nullptr;
    if (refusal == nullptr || !set_up_retry(*refusal)) return done;
    if (const Result<> begun = begin(); !begun) return fail(begun.error());
  }
}

bool StripJob::set_up_retry(const StripRefusal& refusal) {
  if (refusal.kind == StripRefusal::Kind::unsupported)
    return std::exchange(mode_, Mode::transform) == Mode::strip;
  // A program may `return` at its top level, which the module does not know.
  if (is_wrapped_ || !refusal.message.starts_with("Return statement")) return false;
  is_wrapped_ = true;
  wrapped_.reserve(wrapper_start.size() + source_.size() + wrapper_end.size());
  wrapped_.append(wrapper_start).append(source_).append(wrapper_end);
  return true;
}

// The module leaves three numbers: its result, its error, and which of the two counts.
Result<Stripped> StripJob::outcome() {
  const auto bytes = instance_->memory_at(result_at_, 12);
  if (bytes.size() != 12) return fail(ErrorCode::protocol_violation, "no result");
  std::uint32_t words[3];
  std::memcpy(words, bytes.data(), sizeof words);
  if (words[2] != 0) return refused(heap_.at(words[1]));
  if (mode_ == Mode::transform) return transformed(BindgenValue(heap_.at(words[0])));
  std::string code = heap_.at(words[0]).member("code").take_string();
  if (!is_wrapped_) return Stripped(JavaScript{std::move(code)});
  if (code.size() < wrapper_start.size() + wrapper_end.size() || !code.starts_with(wrapper_start) ||
      !code.ends_with(wrapper_end))
    return unread({});
  const std::size_t inner_bytes = code.size() - wrapper_start.size() - wrapper_end.size();
  return Stripped(JavaScript{code.substr(wrapper_start.size(), inner_bytes)});
}

// What is not needed any more is freed before more is made.
Result<Stripped> StripJob::transformed(const BindgenValue& result) {
  instance_.reset();
  std::string code = result.member("code").take_string();
  const BindgenValue map = result.member("map");
  heap_ = BindgenHeap(0);
  if (map.as_string() == nullptr) return fail(ErrorCode::protocol_violation, "no source map");
  if (is_wrapped_ && !code.starts_with(printed_start)) return unread({});
  make_line_feeds(code);
  MappedTexts texts{.generated = code, .written = text()};
  if (is_wrapped_) {
    code.erase(code.rfind(printed_end));
    texts.generated = code;
    texts.generated_start = printed_start.size();
    texts.written_start = wrapper_start.size();
  }
  Bytes runs = CORDON_TRY(read_source_map(*map.as_string(), texts, sandbox_bytes_));
  if (is_wrapped_) code.erase(0, printed_start.size());
  return Stripped(JavaScript{std::move(code), std::move(runs)});
}

Stripped StripJob::refused(const BindgenValue& error) const {
  StripRefusal refusal;
  refusal.message = text_of(error.member("message"));
  refusal.line = number_of(error.member("startLine"));
  refusal.column =
      utf16_column(line_of(text(), refusal.line), number_of(error.member("startColumn")));
  for (const Rewording& rewording : rewordings) {
    if (!refusal.message.starts_with(rewording.begins)) continue;
    refusal.message = rewording.message;
    refusal.kind = rewording.kind;
    return refusal;
  }
  // It would go on with all that may begin a type, from "an identifier, void, yield" on.
  if (const std::size_t list = refusal.message.find(". Expected an identifier, void");
      list != std::string::npos)
    refusal.message.erase(list);
  if (text_of(error.member("code")) == "UnsupportedSyntax")
    refusal.kind = StripRefusal::Kind::unsupported;
  if (is_wrapped_ && refusal.line == 1)
    refusal.column -= std::min<std::uint32_t>(refusal.column - 1, wrapper_start.size());
  return refusal;
}

}  // namespace cordon::js
