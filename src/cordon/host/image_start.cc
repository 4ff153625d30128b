#include "cordon/host/image_start.h"

#include <utility>

#include "cordon/base/budget.h"
#include "cordon/base/reader.h"
#include "cordon/base/writer.h"
#include "cordon/js/value_wire.h"

namespace cordon::host {
namespace {

// For the text of the program and those of its modules.
constexpr std::size_t texts_bytes = std::size_t{64} << 20;
// What each element of the table costs, with the overhead of the allocator.
constexpr std::size_t element_bytes = 64;
// The flags of a namespace.
constexpr std::uint8_t is_open_flag = 1;
constexpr std::uint8_t is_rich_flag = 2;

js::WireLimits value_limits(const TableLimits& limits, std::shared_ptr<Budget> budget = {}) {
  return {.bytes = limits.bytes, .kinds = js::WireKinds::rich, .budget = std::move(budget)};
}

std::unexpected<Error> too_many(const char* what, std::size_t most) {
  return fail(ErrorCode::too_large, "the image has more than " + std::to_string(most) + " " + what);
}

std::size_t tool_count(const GuestTable& table) {
  std::size_t count = 0;
  for (const js::Namespace& space : table.namespaces) count += space.numbers();
  return count;
}

void write_sources(Writer& out, const ProgramSources& sources) {
  out.sized_text(sources.text);
  out.u32(sources.first_line);
  out.sized_text(sources.import_base);
  out.varint(sources.modules.size());
  for (const auto& [name, text] : sources.modules) {
    out.sized_text(name);
    out.sized_text(text);
  }
}

// Reads a table and takes its cost from a budget.
class TableReader {
 public:
  TableReader(BytesView bytes, const TableLimits& limits)
      : in_(bytes),
        limits_(limits),
        cost_(std::make_shared<Budget>(Budget::Limits{.bytes = limits.bytes})) {}

  Result<GuestTable> read() {
    GuestTable table;
    table.name = CORDON_TRY(text());
    const std::uint8_t rule = CORDON_TRY(in_.u8());
    if (rule > std::to_underlying(ValueRule::rich))
      return fail(ErrorCode::malformed, "rule of values");
    table.values = static_cast<ValueRule>(rule);
    CORDON_TRY(read_namespaces(table));
    CORDON_TRY(read_calls(table));
    table.sources = std::make_shared<const ProgramSources>(CORDON_TRY(read_sources()));
    CORDON_TRY(in_.end());
    return table;
  }

 private:
  // Takes the cost of an element before the element is made.
  Result<> take(std::size_t bytes) {
    if (cost_.add(bytes)) return {};
    return over();
  }

  std::unexpected<Error> over() const {
    return fail(ErrorCode::too_large, "what the image has beside its memory takes more than " +
                                          std::to_string(limits_.bytes) + " bytes");
  }

  Result<std::string> text() {
    const std::string_view text = CORDON_TRY(in_.sized_text());
    CORDON_TRY(take(text.size()));
    return std::string(text);
  }

  Result<> read_namespaces(GuestTable& table) {
    const std::size_t spaces = CORDON_TRY(in_.count(3));
    if (spaces > limits_.tools) return too_many("namespaces of tools", limits_.tools);
    std::size_t tools = 0;
    for (std::size_t i = 0; i < spaces; ++i) {
      CORDON_TRY(take(sizeof(js::Namespace) + element_bytes));
      js::Namespace& space = table.namespaces.emplace_back();
      std::vector<std::string> names;
      space.name = CORDON_TRY(text());
      const std::uint8_t flags = CORDON_TRY(in_.u8());
      space.is_open = (flags & is_open_flag) != 0;
      space.is_rich = (flags & is_rich_flag) != 0;
      const std::size_t functions = CORDON_TRY(in_.count());
      // An open namespace has one more number, for the names that it does not list.
      tools += functions + (space.is_open ? 1 : 0);
      if (tools > limits_.tools) return too_many("tools", limits_.tools);
      for (std::size_t k = 0; k < functions; ++k) {
        CORDON_TRY(take(sizeof(std::string) + element_bytes));
        names.push_back(CORDON_TRY(text()));
      }
      space.functions = NameList(std::move(names));
    }
    return {};
  }

  Result<> read_calls(GuestTable& table) {
    const std::size_t tools = tool_count(table);
    const std::size_t calls = CORDON_TRY(in_.count(sizeof(std::uint64_t) + sizeof(std::uint32_t)));
    if (calls > limits_.calls) return too_many("calls under way", limits_.calls);
    for (std::size_t i = 0; i < calls; ++i) {
      CORDON_TRY(take(sizeof(OpenCall) + element_bytes));
      OpenCall& call = table.calls.emplace_back();
      call.call = CORDON_TRY(in_.u64());
      call.tool = CORDON_TRY(in_.u32());
      if (call.tool >= tools) return fail(ErrorCode::malformed, "a call of no tool");
      call.name = CORDON_TRY(text());
      Result<Value> input = js::read_value(in_, value_limits(limits_, cost_.budget()));
      if (!input && input.error().code == ErrorCode::memory_limit) return over();
      call.input = CORDON_TRY(std::move(input));
    }
    return {};
  }

  Result<ProgramSources> read_sources() {
    ProgramSources sources;
    sources.text = CORDON_TRY(text());
    sources.first_line = CORDON_TRY(in_.u32());
    sources.import_base = CORDON_TRY(text());
    const std::size_t modules = CORDON_TRY(in_.count(2));
    if (modules > limits_.modules) return too_many("modules", limits_.modules);
    for (std::size_t i = 0; i < modules; ++i) {
      CORDON_TRY(take(2 * sizeof(std::string) + element_bytes));
      std::string name = CORDON_TRY(text());
      sources.modules.emplace(std::move(name), CORDON_TRY(text()));
    }
    return sources;
  }

  Reader in_;
  const TableLimits& limits_;
  Charge cost_;  // for what is made here; at the end the table belongs to its owner
};

}  // namespace

TableLimits table_limits(const Limits& limits) {
  return {.calls = limits.pending_calls,
          .bytes = static_cast<std::size_t>(limits.memory_bytes) + texts_bytes};
}

Result<Bytes> write_table(const GuestTable& table, const TableLimits& limits) {
  if (tool_count(table) > limits.tools) return too_many("tools", limits.tools);
  if (table.calls.size() > limits.calls) return too_many("calls under way", limits.calls);
  if (table.sources->modules.size() > limits.modules) return too_many("modules", limits.modules);
  Bytes bytes;
  Writer out(bytes);
  out.sized_text(table.name);
  out.u8(std::to_underlying(table.values));
  out.varint(table.namespaces.size());
  for (const js::Namespace& space : table.namespaces) {
    out.sized_text(space.name);
    out.u8(static_cast<std::uint8_t>((space.is_open ? is_open_flag : 0) |
                                     (space.is_rich ? is_rich_flag : 0)));
    out.varint(space.functions.size());
    for (const std::string& function : space.functions) out.sized_text(function);
  }
  out.varint(table.calls.size());
  for (const OpenCall& call : table.calls) {
    out.u64(call.call);
    out.u32(call.tool);
    out.sized_text(call.name);
    CORDON_TRY(js::write_value(out, call.input, value_limits(limits)));
  }
  write_sources(out, *table.sources);
  // Read it back, so that what is saved can be resumed under the same limits.
  CORDON_TRY(read_table(bytes, limits));
  return bytes;
}

Result<GuestTable> read_table(BytesView bytes, const TableLimits& limits) {
  return TableReader(bytes, limits).read();
}

std::vector<PendingCall> pending_calls(const GuestTable& table) {
  std::vector<std::pair<const std::string*, const std::string*>> names;
  for (const js::Namespace& space : table.namespaces) {
    for (const std::string& function : space.functions) names.emplace_back(&space.name, &function);
    if (space.is_open) names.emplace_back(&space.name, nullptr);
  }
  std::vector<PendingCall> pending;
  for (const OpenCall& call : table.calls) {
    const auto& [provider, tool] = names[call.tool];
    pending.push_back({call.call, *provider, tool == nullptr ? call.name : *tool, call.input});
  }
  return pending;
}

}  // namespace cordon::host
