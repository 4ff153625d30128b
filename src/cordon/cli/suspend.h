#pragma once

// `cordon run --sleep-on TOOL --save FILE` and `--resume FILE --result JSON`: the files of
// executions that sleep.

#include <string>
#include <string_view>
#include <vector>

#include "cordon/engine.h"
#include "cordon/result.h"

namespace cordon::cli {

// Sees to it that the program has the tool "provider.tool" or "tool" to call: where no provider has
// it, one is made that does (`tools`, where only a tool is named).
Result<> add_sleep_tool(std::vector<Provider>& providers, const std::string& name);

// Whether it can be written, before a program runs for it.
Result<> check_writable(const std::string& path);
Result<> save_image(const std::string& path, BytesView image);

struct SavedImage {
  Bytes image;
  std::vector<Result<Value>> answers;
};
// With an answer for each call that it waits for, for an execution with these limits.
Result<SavedImage> read_saved(const std::string& path, const std::vector<std::string>& results,
                              const Limits& limits, BytesView key);

// All bytes of the file, 16 to 4096. Warns on standard error where others may read it too.
Result<Bytes> read_image_key(const std::string& path);

// "saved FILE (2.9 KiB): it waits for tools.ask({"n":1})"
std::string saved_text(const Suspended& suspended, const std::string& path);
Value saved_as_value(const Suspended& suspended, const std::string& path);

}  // namespace cordon::cli
