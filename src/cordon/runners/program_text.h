#pragma once

// A program as a runner gets it that knows less than our own engine does: without types, with its
// input, and with the call of a program that is one function.

#include <cstddef>
#include <expected>
#include <optional>
#include <string>
#include <string_view>
#include <vector>

#include "cordon/base/thread_annotations.h"
#include "cordon/engine.h"
#include "cordon/result.h"
#include "cordon/runners/written_places.h"
#include "cordon/value.h"

namespace cordon::runners {

struct ProgramToSend {
  std::string_view code;
  std::string_view file = {};  // by whose name it may be TypeScript
  std::optional<Value> input = {};
};

// What a program is, as far as its host must know.
struct ProgramReading {
  bool is_body = false;  // of an async function
  bool is_strict = false;
  std::optional<std::string> lone = {};  // one expression that begins as a function does
};

// Readings of the last few programs, since hosts run one program again and again. Any thread may
// use it.
class ProgramMemo {
 public:
  std::optional<ProgramReading> find(std::string_view text) const;
  // Long programs are not kept.
  void keep(std::string text, const ProgramReading& reading);

 private:
  struct Entry {
    std::string text;
    ProgramReading reading;
  };
  mutable Mutex mutex_;
  std::vector<Entry> entries_ CORDON_GUARDED_BY(mutex_);
  std::size_t oldest_ CORDON_GUARDED_BY(mutex_) = 0;
};

struct SentProgram {
  std::string code;
  WrittenPlaces places;  // of errors in it
};

// Lines stay where they are. `engine` reads the text and runs none of it. Text that is no program
// is sent as it is: the runner says what is wrong with it. Fails where the host knows that it
// cannot run: of what types cannot be stripped, and Markdown of which it is not clear which fence
// is the program.
std::expected<SentProgram, ExecutionError> text_for_runner(const ProgramToSend& program,
                                                           Engine& engine,
                                                           ProgramMemo* memo = nullptr);

// Whether text_for_runner() would be quick with this memo: nothing has to be read.
bool is_read(const ProgramToSend& program, const ProgramMemo& memo);

}  // namespace cordon::runners
