#pragma once

// The start of an execution from an image, with the names by which its guest knows its tools.

#include <cstdint>
#include <expected>
#include <memory>
#include <optional>
#include <string>
#include <vector>

#include "cordon/execution.h"
#include "cordon/host/module_names.h"
#include "cordon/image.h"
#include "cordon/js/guest.h"
#include "cordon/js/image.h"
#include "cordon/result.h"
#include "cordon/value.h"

namespace cordon::host {

// A call that the host has to answer. The tool is a number that counts through all namespaces. For
// an open namespace the name is needed as well.
struct OpenCall {
  std::uint64_t call = 0;
  std::uint32_t tool = 0;
  Value input = {};
  std::string name = {};
};

// The texts that may be needed later: for the lines that errors show, and for imports that have not
// happened yet.
struct ProgramSources {
  std::string text = {};  // the text of the program as it was given
  std::uint32_t first_line = 1;
  std::string import_base = {};  // its imports are relative to this name
  ModuleTexts modules = {};      // the modules that it may import
};

// What the host knows about a guest beside its memory.
struct GuestTable {
  std::string name = {};  // the program's name
  ValueRule values = ValueRule::strict;
  std::vector<js::Namespace> namespaces = {};
  std::vector<OpenCall> calls = {};
  std::shared_ptr<const ProgramSources> sources = std::make_shared<const ProgramSources>();
};

// Limits of a table. A table that is read may come from an attacker, so a budget pays for what it
// costs here.
struct TableLimits {
  std::size_t tools = 16'384;
  std::size_t calls = 10'000;
  std::size_t modules = 16'384;
  std::size_t bytes = std::size_t{128} << 20;
};
// The limits for an execution with these limits. The texts of programs lie beside the guest's
// memory.
TableLimits table_limits(const Limits& limits);

// Fails with ErrorCode::too_large past a limit.
Result<Bytes> write_table(const GuestTable& table, const TableLimits& limits = {});
Result<GuestTable> read_table(BytesView bytes, const TableLimits& limits = {});

// The pending calls with the names of their tools.
std::vector<PendingCall> pending_calls(const GuestTable& table);

struct ImageStart {
  std::shared_ptr<const js::Image> image;
  GuestTable table;
  js::Guest::Resumed how = js::Guest::Resumed::goes_on;
  std::vector<Result<Value>> answers = {};  // one per call of the table
  // For `starts`: the exported function that is called, and its arguments.
  std::string function = {};
  std::vector<Value> arguments = {};
};

struct PreparedModule {
  std::shared_ptr<const js::Image> image;
  GuestTable table;
  std::vector<std::string> functions;  // the names of exported functions
};

}  // namespace cordon::host
