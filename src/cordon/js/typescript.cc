#include "cordon/js/typescript.h"

#include <algorithm>
#include <array>
#include <cmath>
#include <cstring>
#include <utility>

#include "cordon/js/bindgen_functions.h"

extern "C" const unsigned char cordon_typescript_image[];
extern "C" const unsigned char cordon_typescript_image_end[];

namespace cordon::js {
namespace {

constexpr std::string_view mode = "strip-only";
constexpr std::string_view wrapper_start = "async()=>{";
constexpr std::string_view wrapper_end = "\n}";
constexpr std::size_t most_source_bytes = std::size_t{16} << 20;
constexpr std::uint64_t memory_bytes = std::uint64_t{512} << 20;

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

}  // namespace

TypeScript::TypeScript(sandbox::Engine engine, sandbox::Module module)
    : engine_(std::move(engine)), module_(std::move(module)) {}

Result<std::unique_ptr<TypeScript>> TypeScript::create() {
  sandbox::Engine engine = CORDON_TRY(sandbox::Engine::create({}));
  sandbox::Module module = CORDON_TRY(sandbox::Module::load_in_place(
      engine, {cordon_typescript_image, cordon_typescript_image_end}));
  std::unique_ptr<TypeScript> made(new TypeScript(std::move(engine), std::move(module)));
  made->template_ =
      CORDON_TRY(sandbox::Template::create(made->engine_, made->module_, "__wbindgen_placeholder__",
                                           BindgenFunctions::all(), sandbox::Missing::traps));
  return made;
}

StripJob::StripJob(const TypeScript& typescript, std::string_view source)
    : typescript_(typescript), source_(source), heap_(source.size() * 8 + (1 << 20)) {}

StripJob::~StripJob() = default;

Result<std::unique_ptr<StripJob>> StripJob::create(const TypeScript& typescript,
                                                   std::string_view source) {
  if (source.size() > most_source_bytes) return fail(Errc::too_large, "TypeScript text");
  std::unique_ptr<StripJob> job(new StripJob(typescript, source));
  CORDON_TRY(job->begin(std::string(source)));
  return job;
}

Result<> StripJob::begin(std::string text) {
  text_ = std::move(text);
  heap_ = BindgenHeap(source_.size() * 8 + (1 << 20));
  instance_ = CORDON_TRY(sandbox::Instance::create(
      typescript_.code(), {.memory_bytes = memory_bytes, .entry = "transformSync"}, this));
  stage_ = Stage::mode;
  return begin_stage();
}

// The two strings that the module will ask for lie in its memory before it does: while it runs, its
// allocator cannot be called.
Result<> StripJob::begin_stage() {
  using Arguments = std::array<std::int32_t, 2>;
  switch (stage_) {
    case Stage::mode:
      return instance_->begin("__wbindgen_export_2",
                              Arguments{static_cast<std::int32_t>(mode.size()), 1});
    case Stage::source:
      return instance_->begin("__wbindgen_export_2",
                              Arguments{static_cast<std::int32_t>(text_.size()), 1});
    case Stage::stack:
      return instance_->begin("__wbindgen_add_to_stack_pointer", std::array<std::int32_t, 1>{-16});
    case Stage::transform: {
      const std::uint32_t input = CORDON_TRY(heap_.add(bindgen_string(text_)));
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
    if (room.size() != text.size()) return fail(Errc::protocol_violation, "no room for the text");
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
      return put(text_);
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
      // A text that is nested too deeply for its stack, or larger than its memory.
      return Stripped(StripRefusal{StripRefusal::Kind::invalid, instance_->trap_text(), 0, 0});
    }
    const bool is_last = stage_ == Stage::transform;
    if (const Result<> ended = end_stage(); !ended) return fail(ended.error());
    if (!is_last) {
      if (const Result<> begun = begin_stage(); !begun) return fail(begun.error());
      continue;
    }
    const Result<Stripped> done = outcome();
    const StripRefusal* refusal = done ? std::get_if<StripRefusal>(&*done) : nullptr;
    // A program may `return` at its top, which the module does not know.
    const bool may_return = refusal != nullptr && !is_wrapped_ &&
                            refusal->kind == StripRefusal::Kind::invalid &&
                            refusal->message.starts_with("Return statement");
    if (!may_return) return done;
    is_wrapped_ = true;
    std::string wrapped(wrapper_start);
    wrapped += source_;
    wrapped += wrapper_end;
    if (const Result<> begun = begin(std::move(wrapped)); !begun) return fail(begun.error());
  }
}

// The module leaves three numbers: its result, its error, and which of them it is.
Result<Stripped> StripJob::outcome() {
  const auto bytes = instance_->memory_at(result_at_, 12);
  if (bytes.size() != 12) return fail(Errc::protocol_violation, "no result");
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
  refusal.column = number_of(error.member("startColumn")) + 1;
  if (text_of(error.member("code")) == "UnsupportedSyntax")
    refusal.kind = StripRefusal::Kind::unsupported;
  if (is_wrapped_ && refusal.line == 1)
    refusal.column -= std::min<std::uint32_t>(refusal.column - 1, wrapper_start.size());
  return Stripped(std::move(refusal));
}

}  // namespace cordon::js
