#include "cordon/host/image_start.h"

#include <utility>

#include "cordon/base/reader.h"
#include "cordon/base/writer.h"
#include "cordon/js/value_wire.h"

namespace cordon::host {
namespace {

const js::WireLimits value_limits{.kinds = js::WireKinds::rich};

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

Result<ProgramSources> read_sources(Reader& in) {
  ProgramSources sources;
  sources.text = CORDON_TRY(in.sized_text());
  sources.first_line = CORDON_TRY(in.u32());
  sources.import_base = CORDON_TRY(in.sized_text());
  const std::size_t modules = CORDON_TRY(in.count(2));
  for (std::size_t i = 0; i < modules; ++i) {
    const std::string_view name = CORDON_TRY(in.sized_text());
    sources.modules.emplace(name, CORDON_TRY(in.sized_text()));
  }
  return sources;
}

}  // namespace

js::Values rule_of(ValueRule rule) {
  switch (rule) {
    case ValueRule::strict:
      return js::Values::strict;
    case ValueRule::json:
      return js::Values::json;
    case ValueRule::rich:
      return js::Values::rich;
  }
  std::unreachable();
}

Result<Bytes> write_table(const GuestTable& table) {
  Bytes bytes;
  Writer out(bytes);
  out.sized_text(table.name);
  out.u8(std::to_underlying(table.values));
  out.varint(table.namespaces.size());
  for (const js::Namespace& space : table.namespaces) {
    out.sized_text(space.name);
    out.u8(space.is_open ? 1 : 0);
    out.varint(space.functions.size());
    for (const std::string& function : space.functions) out.sized_text(function);
  }
  out.varint(table.calls.size());
  for (const OpenCall& call : table.calls) {
    out.u64(call.call);
    out.u32(call.tool);
    out.sized_text(call.name);
    CORDON_TRY(js::write_value(out, call.input, value_limits));
  }
  write_sources(out, *table.sources);
  return bytes;
}

Result<GuestTable> read_table(BytesView bytes) {
  Reader in(bytes);
  GuestTable table;
  table.name = CORDON_TRY(in.sized_text());
  const std::uint8_t rule = CORDON_TRY(in.u8());
  if (rule > std::to_underlying(ValueRule::rich)) return fail(Errc::syntax, "rule of values");
  table.values = static_cast<ValueRule>(rule);
  const std::size_t spaces = CORDON_TRY(in.count(3));
  for (std::size_t i = 0; i < spaces; ++i) {
    js::Namespace& space = table.namespaces.emplace_back();
    space.name = CORDON_TRY(in.sized_text());
    space.is_open = CORDON_TRY(in.u8()) != 0;
    const std::size_t functions = CORDON_TRY(in.count());
    for (std::size_t k = 0; k < functions; ++k)
      space.functions.emplace_back(CORDON_TRY(in.sized_text()));
  }
  const std::size_t tools = tool_count(table);
  const std::size_t calls = CORDON_TRY(in.count(sizeof(std::uint64_t) + sizeof(std::uint32_t)));
  for (std::size_t i = 0; i < calls; ++i) {
    OpenCall& call = table.calls.emplace_back();
    call.call = CORDON_TRY(in.u64());
    call.tool = CORDON_TRY(in.u32());
    if (call.tool >= tools) return fail(Errc::syntax, "a call of no tool");
    call.name = CORDON_TRY(in.sized_text());
    call.input = CORDON_TRY(js::read_value(in, value_limits));
  }
  table.sources = std::make_shared<const ProgramSources>(CORDON_TRY(read_sources(in)));
  CORDON_TRY(in.end());
  return table;
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
