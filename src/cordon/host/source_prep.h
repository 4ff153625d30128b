#pragma once

// The texts of one execution: the program and the modules that it imports, as they were written and
// as the guest's parser gets them. TypeScript is stripped of its types on the way, in the turns of
// the execution and under its limits. One thread at a time.
//
// A program's own text is stripped before the guest starts where it is known to be TypeScript, and
// else after the guest's parser has refused it: no code of the program has run by then, so it can
// begin again. A module is stripped while the guest waits in the import.

#include <atomic>
#include <cstdint>
#include <memory>
#include <optional>
#include <string>
#include <string_view>
#include <variant>

#include "cordon/base/instant.h"
#include "cordon/execution.h"
#include "cordon/host/call_ledger.h"
#include "cordon/host/image_start.h"
#include "cordon/host/module_folder.h"
#include "cordon/host/module_names.h"
#include "cordon/host/start.h"
#include "cordon/host/stripping.h"
#include "cordon/host/typescript_service.h"
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
    // What an image brought along. Then there is no text, and nothing to strip but imports.
    std::shared_ptr<const ProgramSources> saved = {};
  };

  SourcePrep(ProgramText text, Setting setting);

  const std::string& name() const { return setting_.name; }
  // What the guest gets.
  const ProgramText& text() const { return text_; }
  // What was written, with the modules that it may import.
  ProgramSources sources() const;
  // Of the program or of a module; empty where there is no such place.
  SourceExcerpt excerpt_at(const SourceLocation& location) const;

  // As those of js::GuestEvents.
  Result<std::string> resolve(std::string_view base, std::string_view specifier) const;
  std::optional<Result<js::Stripped>> load(std::string_view name);

  // Whether the program is to be stripped before a guest sees it.
  bool is_to_strip() const { return text_.is_typescript && !looked_for_types_; }
  // Whether this end of the guest may be due to types in the program. Such an end is given to
  // refuse(), and shown if there are none.
  bool may_have_types(const js::Outcome& outcome) const;
  void refuse(js::Outcome outcome) { refused_ = std::move(outcome); }

  // Begins with the module that load() did not answer for, or else with the program. The sandbox
  // that it is stripped in has what the guest's own has left of the limit: while it is there, the
  // guest does not run.
  void begin_strip(TypeScriptService& service, std::uint64_t guest_bytes, StripPlaces::Offer offer);
  bool is_stripping() const { return strip_ != nullptr; }
  bool waits_for_place() const { return strip_ != nullptr && strip_->waits_for_place(); }
  void take_place(StripPlaces::Place place);
  // After the end: lets go of all texts.
  void clear();

  struct ProgramReady {};
  struct ModuleReady {
    Result<js::Stripped> module;  // for js::Guest::give_module
  };
  // An ExecutionError ends the execution.
  using Done = std::variant<ProgramReady, ModuleReady, ExecutionError>;
  // Nothing: its slice is over. `calls` tell what a failure of the guest was about.
  std::optional<Done> strip(Instant until, const std::atomic<bool>& interrupt,
                            const CallLedger& calls);

  // What follows from the answer of the stripper: parts of strip() that tests call.
  Done end_program(Result<js::Stripped> stripped, const CallLedger& calls);
  Done end_module(Result<js::Stripped> stripped);

 private:
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

  Setting setting_;
  ProgramText text_;
  std::string unstripped_;  // the text before its types were stripped; empty: they were not
  bool looked_for_types_ = false;
  std::optional<js::Outcome> refused_;  // what the JavaScript parser said of the program
  std::optional<ModuleText> wanted_;    // what the guest waits for in an import
  std::unique_ptr<Stripping> strip_;
};

}  // namespace cordon::host
