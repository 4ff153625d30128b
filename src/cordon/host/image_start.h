#pragma once

// How an execution begins that is no text: from an image, with the names that its guest knows tools
// by.

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

// A call whose answer is the host's to give. The tool is a number, through all namespaces; of an
// open one it takes the name as well.
struct OpenCall {
  std::uint64_t call = 0;
  std::uint32_t tool = 0;
  Value input = {};
  std::string name = {};
};

// What was written, as far as somebody may want it later: for the lines that errors show, and for
// imports that have not happened yet.
struct ProgramSources {
  std::string text = {};  // of the program, as it was given
  std::uint32_t first_line = 1;
  std::string import_base = {};  // the name that its imports are relative to
  ModuleTexts modules = {};      // those that it may import
};

// What the host knows of a guest that its memory does not say.
struct GuestTable {
  std::string name = {};  // of the program
  ValueRule values = ValueRule::strict;
  std::vector<js::Namespace> namespaces = {};
  std::vector<OpenCall> calls = {};
  std::shared_ptr<const ProgramSources> sources = std::make_shared<const ProgramSources>();
};

// What a table may have. One that was read may be a stranger's: its bytes are taken from a budget,
// in what they cost here.
struct TableLimits {
  std::size_t tools = 16'384;
  std::size_t calls = 10'000;
  std::size_t modules = 16'384;
  std::size_t bytes = std::size_t{128} << 20;
};
// Of an execution with these limits. Texts of programs are not in a guest's memory, but beside it.
TableLimits table_limits(const Limits& limits);

// ErrorCode::too_large past a limit.
Result<Bytes> write_table(const GuestTable& table, const TableLimits& limits = {});
Result<GuestTable> read_table(BytesView bytes, const TableLimits& limits = {});

// With the names of the calls' tools.
std::vector<PendingCall> pending_calls(const GuestTable& table);

struct ImageStart {
  std::shared_ptr<const js::Image> image;
  GuestTable table;
  js::Guest::Resumed how = js::Guest::Resumed::goes_on;
  std::vector<Result<Value>> answers = {};  // one a call of the table
  // Of one that `starts`: the exported function that is the program, and what it is called with.
  std::string function = {};
  std::vector<Value> arguments = {};
};

struct PreparedModule {
  std::shared_ptr<const js::Image> image;
  GuestTable table;
  std::vector<std::string> functions;  // names of the exports that are functions
};

}  // namespace cordon::host
