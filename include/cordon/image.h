#pragma once

// Guests at rest: executions that sleep until somebody has an answer for them, and modules that
// were loaded once to be started many times.

#include <cstdint>
#include <memory>
#include <string>
#include <vector>

#include "cordon/bytes.h"
#include "cordon/export.h"
#include "cordon/value.h"

namespace cordon {

namespace host {
struct PreparedModule;
}

// A call that a sleeping execution waits for.
struct PendingCall {
  std::uint64_t id = 0;
  std::string provider = {};
  std::string tool = {};
  Value input = {};
};

// An execution that was put to sleep (ExecuteOptions::sleep_on). Engine::resume goes on with its
// image: in this process or in another one, by the same version of Cordon.
struct Sleeping {
  Bytes image = {};
  std::vector<PendingCall> calls = {};  // in the order of calling
};

// A module as it was once its top level had run; Engine::prepare makes it. A handle: copies mean
// the same module, and any thread may use it, with any engine of this process.
class CORDON_API Prepared {
 public:
  explicit Prepared(std::shared_ptr<const host::PreparedModule> module);

  // What an execution has at its start that a fresh one has not: it is copied, or mapped where it
  // is large, and then costs what the execution touches of it.
  std::size_t bytes() const;
  const host::PreparedModule& module() const { return *module_; }

 private:
  std::shared_ptr<const host::PreparedModule> module_;
};

}  // namespace cordon
