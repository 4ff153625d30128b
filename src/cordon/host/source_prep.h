#pragma once

// The texts of one execution: the program and the modules that it imports, as they were written and
// as the guest's parser gets them. TypeScript becomes JavaScript on the way, in the turns of the
// execution and under its limits; here this is called stripping, though a text that has more than
// types is written anew. One thread at a time may use it.
//
// A program may stand in a fence of a Markdown text. It is looked for at the beginning where the
// text cannot be JavaScript, and otherwise after the text was refused, as JavaScript and as
// TypeScript.
//
// A program that is known to be TypeScript is stripped before the guest starts. Any other is
// stripped after the guest's parser has refused it: none of its code has run by then, so it can
// begin again. A module is stripped while the guest waits in the import.

#include <atomic>
#include <cstdint>
#include <memory>
#include <optional>
#include <string>
#include <string_view>
#include <utility>
#include <variant>
#include <vector>

#include "cordon/base/bytes.h"
#include "cordon/base/instant.h"
#include "cordon/execution.h"
#include "cordon/host/call_ledger.h"
#include "cordon/host/image_start.h"
#include "cordon/host/module_folder.h"
#include "cordon/host/module_names.h"
#include "cordon/host/start.h"
#include "cordon/host/stripping.h"
#include "cordon/host/typescript_service.h"
#include "cordon/js/import_kind.h"
#include "cordon/js/outcome.h"
#include "cordon/js/stripped.h"
#include "cordon/result.h"

namespace cordon::host {

class SourcePrep {
 public:
  struct Setting {
    std::string name = {};  // of the program
    ModuleTexts modules = {};
    ModuleFolder folder = ModuleFolder({});
    Limits limits = {};
    // The texts of an image. Then there is no program text, and only imports are stripped.
    std::shared_ptr<const ProgramSources> saved = {};
  };

  SourcePrep(ProgramText text, Setting setting);

  const std::string& name() const { return setting_.name; }
  // The text for the guest, and where its parts were written if it was written anew. The runs are
  // given away.
  const ProgramText& text() const { return text_; }
  Bytes take_runs() { return std::exchange(runs_, {}); }
  // The text as it was written, with the modules that it may import.
  ProgramSources sources() const;
  // The lines of the program or of a module around a place; empty if there is no such place.
  SourceExcerpt excerpt_at(const SourceLocation& location) const;

  // See js::GuestEvents.
  Result<std::string> resolve(std::string_view base, std::string_view specifier,
                              js::ImportKind kind);
  // The last specifier that was refused with this message; empty if there is none.
  std::string_view refused_import(std::string_view message) const;
  // Up to `max` of the modules that may be imported.
  std::vector<std::string> some_modules(std::size_t max) const {
    return host::some_modules(module_sources(), max);
  }
  std::optional<Result<js::Stripped>> load(std::string_view name, js::ImportKind kind);

  // Why there is no program to run, if the text is Markdown.
  const std::optional<ExecutionError>& refusal() const { return fence_refusal_; }
  // After a syntax error of a text that has no types: whether the program stands in a fence. It is
  // then what text() gives, or refusal() says why there is none.
  bool take_fence(const js::Outcome& outcome);
  // For a syntax error that has no other hint.
  std::string hint_on_syntax(const ExecutionError& error) const;

  // Whether the program is to be stripped before a guest sees it.
  bool is_to_strip() const { return text_.is_typescript && !looked_for_types_; }
  // Whether the guest may have ended because the program has types. Pass such an outcome to
  // refuse(); it is shown if there are no types.
  bool may_have_types(const js::Outcome& outcome) const;
  void refuse(js::Outcome outcome) { refused_ = std::move(outcome); }

  // Begins with the module that load() did not answer, or with the program. The sandbox for
  // stripping gets what the guest's own memory has left of the limit, and the guest does not run
  // meanwhile.
  void begin_strip(TypeScriptService& service, std::uint64_t guest_bytes, StripPlaces::Offer offer);
  bool is_stripping() const { return strip_ != nullptr; }
  bool waits_for_place() const { return strip_ != nullptr && strip_->waits_for_place(); }
  void take_place(StripPlaces::Place place);
  // Frees all texts, after the end.
  void clear();

  struct ProgramReady {};
  struct ModuleReady {
    Result<js::Stripped> module;  // for js::Guest::give_module
  };
  // An ExecutionError ends the execution.
  using Done = std::variant<ProgramReady, ModuleReady, ExecutionError>;
  // Returns nothing if the slice is over. `calls` explain a failure of the guest.
  std::optional<Done> strip(Instant until, const std::atomic<bool>& interrupt,
                            const CallLedger& calls);

  // What follows from the stripper's answer. These are parts of strip() that tests call.
  Done end_program(Result<js::Stripped> stripped, const CallLedger& calls);
  Done end_module(Result<js::Stripped> stripped);

 private:
  // True if the text was Markdown.
  bool take_fence();
  bool unwrap_fence();

  struct Written {
    std::string_view text;
    std::uint32_t first_line;
  };
  struct ModuleText {
    std::string name;
    std::string source;
  };

  ModuleSources module_sources() const;
  std::string import_base() const;
  Written written() const;
  ExecutionError with_excerpt(ExecutionError error) const;
  static bool is_told(const js::StripRefusal& refusal);
  bool is_nearer(const js::StripRefusal& refusal, const js::Outcome& refused) const;

  Setting setting_;
  ProgramText text_;
  std::string unstripped_;  // the text before its types were stripped; empty if they were not
  Bytes runs_;
  bool looked_for_types_ = false;
  bool looked_for_fence_ = false;
  std::optional<ExecutionError> fence_refusal_;
  std::optional<js::Outcome> refused_;  // what the JavaScript parser said about the program
  std::optional<ModuleText> wanted_;    // the module that the guest waits for
  std::unique_ptr<Stripping> strip_;
  struct RefusedImport {
    std::string specifier;
    std::string message;
  };
  RefusedImport refused_import_;
};

}  // namespace cordon::host
