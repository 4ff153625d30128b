#pragma once

// Makes JavaScript from TypeScript; nothing is checked. Types become blanks, so lines and columns
// stay. Only a text that has more than types (an enum, a namespace, …) is written anew, and then
// comes with the places of its parts. The parser is a WebAssembly module of its own (npm
// @swc/wasm-typescript) that reads untrusted text, so each attempt has a fresh sandbox.

#include <atomic>
#include <cstdint>
#include <memory>
#include <optional>
#include <string>
#include <string_view>
#include <vector>

#include "cordon/base/instant.h"
#include "cordon/js/bindgen_heap.h"
#include "cordon/js/stripped.h"
#include "cordon/result.h"
#include "cordon/sandbox/engine.h"
#include "cordon/sandbox/instance.h"
#include "cordon/sandbox/module.h"

namespace cordon::js {

// The module, loaded. Safe to use from many threads. Its engine has an epoch of its own, which the
// caller must advance while jobs run.
class TypeScript {
 public:
  static Result<std::unique_ptr<TypeScript>> create();

  const sandbox::Engine& engine() const { return engine_; }
  const sandbox::Template& code() const { return template_; }

 private:
  TypeScript(sandbox::Engine engine, sandbox::Module module);

  sandbox::Engine engine_;
  sandbox::Module module_;
  sandbox::Template template_;
};

// One text that is being stripped. One thread at a time may use it, not always the same one.
class StripJob {
 public:
  // `typescript` must outlive the job. `memory_bytes` covers the sandbox and what the host holds.
  // Fails with ErrorCode::too_large if the text is larger than any that is stripped, and with
  // ErrorCode::memory_limit.
  static Result<std::unique_ptr<StripJob>> create(const TypeScript& typescript, std::string source,
                                                  std::uint64_t memory_bytes);
  ~StripJob();

  // Runs until the text is done, or until `until`, or until the tick after `interrupt` became true.
  // Returns nothing if the slice is over. Fails with ErrorCode::memory_limit if the module asked
  // for more memory.
  std::optional<Result<Stripped>> run(Instant until, const std::atomic<bool>& interrupt);

  const std::string& source() const { return source_; }

 private:
  friend struct BindgenFunctions;
  enum class Stage { inputs, stack, transform };
  enum class Mode { strip, transform };
  // A string that the module will ask for. It is put into the module's memory beforehand.
  struct Input {
    const std::string* text;
    std::uint32_t address = 0;  // 0: not there, or given away
  };

  StripJob(const TypeScript& typescript, std::string source, std::uint64_t memory_bytes);
  Result<> begin();
  Result<> begin_stage();
  Result<> end_stage();
  // Whether the text is worth another attempt. Then begin() makes it.
  bool set_up_retry(const StripRefusal& refusal);
  BindgenValue options() const;
  Result<Stripped> outcome();
  Result<Stripped> transformed(const BindgenValue& result);
  Stripped refused(const BindgenValue& error) const;
  // The text that the module gets.
  const std::string& text() const { return is_wrapped_ ? wrapped_ : source_; }

  const TypeScript& typescript_;
  const std::string source_;
  const std::uint64_t memory_bytes_;
  std::uint64_t sandbox_bytes_ = 0;  // of them, in this attempt
  Mode mode_ = Mode::strip;
  bool is_wrapped_ = false;  // the text is inside of a function, where `return` is allowed
  std::string wrapped_;
  BindgenHeap heap_;
  std::unique_ptr<sandbox::Instance> instance_;
  Stage stage_ = Stage::inputs;
  std::vector<Input> inputs_;
  std::size_t next_input_ = 0;
  std::uint32_t result_at_ = 0;
};

}  // namespace cordon::js
