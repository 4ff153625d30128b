#include "cordon/protocol/execbox/messages.h"

#include <algorithm>
#include <array>
#include <cmath>
#include <span>
#include <unordered_set>

#include "cordon/base/utf8.h"
#include "cordon/codec/json/encode.h"
#include "cordon/codec/json/quote.h"
#include "cordon/protocol/execbox/failure_codes.h"

namespace cordon::execbox {
namespace {

// Room for a value of the deepest nesting and the levels around it. The largest line is as long as
// one from the host may be, since escapes can make six bytes of one.
const json::EncodeOptions encoding{.max_bytes = std::size_t{64} << 20, .max_depth = 1010};

std::unexpected<Error> wrong(std::string text) {
  return fail(ErrorCode::invalid_argument, "Invalid execute message: " + std::move(text));
}

// Any number is accepted. One that is out of range becomes the nearest in range.
double clamped(double number, double least, double most) {
  return std::min(std::max(number, least), most);
}

Result<double> number_option(ValueView options, std::string_view key) {
  const ValueView value = options.find(key);
  if (!value.is_number()) return wrong("options." + std::string(key) + " must be a number");
  return value.as_number();
}

Result<Options> read_options(ValueView options, const Ceilings& ceilings) {
  if (!options.is_object()) return wrong("options must be an object");
  const double timeout = CORDON_TRY(number_option(options, "timeoutMs"));
  const double memory = CORDON_TRY(number_option(options, "memoryLimitBytes"));
  const double lines = CORDON_TRY(number_option(options, "maxLogLines"));
  const double chars = CORDON_TRY(number_option(options, "maxLogChars"));
  const auto max_ms = static_cast<double>(ceilings.timeout.count());
  return Options{
      .timeout = std::chrono::milliseconds(
          static_cast<std::int64_t>(clamped(std::ceil(timeout), 1, max_ms))),
      .memory_limit_bytes = static_cast<std::uint64_t>(
          clamped(std::floor(memory), 0, static_cast<double>(ceilings.memory_bytes))),
      .max_log_lines = static_cast<std::size_t>(
          clamped(std::floor(lines), 0, static_cast<double>(ceilings.log_lines))),
      .max_log_chars = static_cast<std::size_t>(
          clamped(std::floor(chars), 0, static_cast<double>(ceilings.log_chars))),
  };
}

bool is_string_or_absent(ValueView value) { return value.is_undefined() || value.is_string(); }

Result<ProviderManifest> read_provider(ValueView provider, const std::string& place,
                                       std::size_t& tool_count) {
  if (!provider.is_object()) return wrong(place + " must be an object");
  const ValueView name = provider.find("name");
  if (!name.is_string()) return wrong(place + ".name must be a string");
  if (name.as_string().size() > max_name_bytes) return wrong(place + ".name is too long");
  if (!is_string_or_absent(provider.find("types"))) {
    return wrong(place + ".types must be a string");
  }
  const ValueView tools = provider.find("tools");
  if (!tools.is_object()) return wrong(place + ".tools must be an object");

  tool_count += tools.size();
  if (tool_count > max_tools) return wrong("more than " + std::to_string(max_tools) + " tools");
  std::vector<std::string> safe_names;
  std::unordered_set<std::string_view> seen;
  for (const auto [key, tool] : tools.members()) {
    // The key means something to the host only. The guest uses safeName.
    const ValueView safe_name = tool.find("safeName");
    if (!safe_name.is_string() || !is_string_or_absent(tool.find("originalName")) ||
        !is_string_or_absent(tool.find("description"))) {
      std::string tool_place = place + ".tools";
      append_path(tool_place, key);
      return wrong(tool_place + " must have the string safeName, and strings beside it");
    }
    if (safe_name.as_string().size() > max_name_bytes)
      return wrong(place + ".tools has a safeName that is too long");
    if (seen.insert(safe_name.as_string()).second) safe_names.emplace_back(safe_name.as_string());
  }
  return ProviderManifest{std::string(name.as_string()), NameList(std::move(safe_names))};
}

Result<Execute> read_execute(const Value& message, const Ceilings& ceilings) {
  Execute execute;
  execute.id = message.find("id").as_string();
  const ValueView code = message.find("code");
  if (!code.is_string()) return wrong("code must be a string");
  execute.options = CORDON_TRY(read_options(message.find("options"), ceilings));
  const ValueView providers = message.find("providers");
  if (!providers.is_array()) return wrong("providers must be an array");
  if (providers.size() > max_providers) {
    return wrong("more than " + std::to_string(max_providers) + " providers");
  }
  std::size_t tool_count = 0;
  for (std::size_t i = 0; i < providers.size(); ++i) {
    std::string place = "providers";
    append_path(place, i);
    execute.providers.push_back(CORDON_TRY(read_provider(providers.items()[i], place, tool_count)));
  }
  execute.code = code.as_string();
  return execute;
}

HostMessage read_tool_result(const Value& message) {
  const ValueView call_id = message.find("callId");
  const ValueView ok = message.find("ok");
  if (!call_id.is_string() || !ok.is_bool()) return Noise{};
  ToolResult result{std::string(call_id.as_string()), Value()};
  if (ok.as_bool()) {
    // A missing result is undefined, which JSON cannot express otherwise.
    result.outcome = message.share(message.find("result"));
    return result;
  }
  const ValueView error = message.find("error");
  const ValueView code = error.find("code");
  const ValueView text = error.find("message");
  if (!code.is_string() || !text.is_string()) return Noise{};
  result.outcome = read_error(code.as_string(), std::string(text.as_string()));
  return result;
}

void quote(std::string& out, std::string_view text) {
  constexpr std::size_t max_escape = 6;
  json::TextBuffer buffer(out, text.size() * max_escape + 2);
  if (json::write_quoted(buffer, text)) buffer.finish();
}

// A line that is written whole or not at all. If memory runs out in the middle, the beginning is
// removed; otherwise the next message would become part of it.
class Line {
 public:
  explicit Line(std::string& out) : out_(out), start_(out.size()) {}
  ~Line() {
    if (!is_whole_) out_.resize(start_);
  }
  Line(const Line&) = delete;
  Line& operator=(const Line&) = delete;

  void restart() { out_.resize(start_); }
  void finish() { is_whole_ = true; }

 private:
  std::string& out_;
  const std::size_t start_;
  bool is_whole_ = false;
};

enum class Ok : std::uint8_t { no, yes };

// Writes a `done` up to `result` or `error`.
void write_end(std::string& out, const Done& done, Ok ok) {
  out += R"({"type":"done","id":)";
  quote(out, done.id);
  out += ok == Ok::yes ? ",\"ok\":true" : ",\"ok\":false";
  out += ",\"durationMs\":" + std::to_string(done.duration.count());
  out += ",\"logs\":[";
  for (std::size_t i = 0; i < done.logs.size(); ++i) {
    if (i > 0) out += ',';
    quote(out, done.logs[i]);
  }
  out += ']';
}

constexpr std::size_t max_diagnostic_bytes = 1000;
constexpr std::size_t max_stack_bytes = 4000;
constexpr std::size_t max_suggestions = 8;

void quote_shortened(std::string& out, std::string_view text,
                     std::size_t max_bytes = max_diagnostic_bytes) {
  if (text.size() <= max_bytes) return quote(out, text);
  quote(out, std::string(cut_before(text, max_bytes)) + "…");
}

constexpr std::size_t max_causes = 8;

// Each is a member of the one before it.
void write_causes(std::string& out, std::span<const Diagnostics::Cause> causes) {
  causes = causes.first(std::min(causes.size(), max_causes));
  for (const Diagnostics::Cause& cause : causes) {
    out += ",\"cause\":{\"message\":";
    quote_shortened(out, cause.message);
    if (!cause.name.empty()) {
      out += ",\"name\":";
      quote_shortened(out, cause.name);
    }
    if (!cause.stack.empty()) {
      out += ",\"stack\":";
      quote_shortened(out, cause.stack, max_stack_bytes);
    }
  }
  out.append(causes.size(), '}');
}

// Writes what is known.
void write_diagnostics(std::string& out, const Diagnostics& known) {
  const auto write = [&out](std::string_view key, std::string_view text,
                            std::size_t max_bytes = max_diagnostic_bytes) {
    if (text.empty()) return;
    out += ",\"" + std::string(key) + "\":";
    quote_shortened(out, text, max_bytes);
  };
  write("name", known.name);
  if (known.line > 0) {
    out += ",\"location\":{\"file\":";
    quote_shortened(out, known.file);
    out += ",\"line\":" + std::to_string(known.line);
    out += ",\"column\":" + std::to_string(known.column) + "}";
  }
  write("hint", known.hint);
  write("reason", known.reason);
  write("place", known.place);
  write("stack", known.stack, max_stack_bytes);
  write_causes(out, known.causes);
  if (known.suggestions.empty()) return;
  out += ",\"suggestions\":[";
  for (std::size_t i = 0; i < std::min(known.suggestions.size(), max_suggestions); ++i) {
    if (i > 0) out += ',';
    quote_shortened(out, known.suggestions[i]);
  }
  out += ']';
}

void write_error(std::string& out, std::string_view code, std::string_view message,
                 const Diagnostics& diagnostics = {}) {
  out += ",\"error\":{\"code\":";
  quote(out, code);
  out += ",\"message\":";
  quote(out, message);
  write_diagnostics(out, diagnostics);
  out += "}}\n";
}

std::string shortened(ValueView text, std::size_t max_bytes = max_diagnostic_bytes) {
  if (!text.is_string()) return {};
  return std::string(cut_before(text.as_string(), max_bytes));
}

// 0 if it is not a position.
std::uint32_t read_position(ValueView value) {
  if (!value.is_number()) return 0;
  const double number = value.as_number();
  const bool is_position = number >= 1 && number <= 1e9 && std::floor(number) == number;
  return is_position ? static_cast<std::uint32_t>(number) : 0;
}

}  // namespace

Diagnostics read_diagnostics(ValueView error) {
  Diagnostics known{.name = shortened(error.find("name")),
                    .hint = shortened(error.find("hint")),
                    .reason = shortened(error.find("reason")),
                    .place = shortened(error.find("place")),
                    .stack = shortened(error.find("stack"), max_stack_bytes)};
  const ValueView location = error.find("location");
  known.column = read_position(location.find("column"));
  if (known.column > 0) known.line = read_position(location.find("line"));
  known.file = shortened(location.find("file"));
  for (ValueView cause = error.find("cause");
       cause.find("message").is_string() && known.causes.size() < max_causes;
       cause = cause.find("cause"))
    known.causes.push_back({shortened(cause.find("name")), shortened(cause.find("message")),
                            shortened(cause.find("stack"), max_stack_bytes)});
  const ValueView suggestions = error.find("suggestions");
  if (!suggestions.is_array()) return known;
  for (const ValueView one : suggestions.items()) {
    if (known.suggestions.size() == max_suggestions) break;
    if (one.is_string()) known.suggestions.push_back(shortened(one));
  }
  return known;
}

HostMessage read_message(const Value& message, const Ceilings& ceilings) {
  const ValueView type = message.find("type");
  if (type == "tool_result") return read_tool_result(message);
  const ValueView id = message.find("id");
  if (!id.is_string()) return Noise{};
  if (type == "cancel") return Cancel{std::string(id.as_string())};
  if (type != "execute") return Noise{};
  Result<Execute> execute = read_execute(message, ceilings);
  if (!execute) return MalformedExecute{std::string(id.as_string()), execute.error().message};
  return *std::move(execute);
}

void write_started(std::string& out, std::string_view id) {
  Line line(out);
  out += R"({"type":"started","id":)";
  quote(out, id);
  out += "}\n";
  line.finish();
}

Result<> write_tool_call(std::string& out, std::string_view call_id, std::string_view provider_name,
                         std::string_view safe_tool_name, const ValueView& input) {
  Line line(out);
  out += R"({"type":"tool_call","callId":)";
  quote(out, call_id);
  out += ",\"providerName\":";
  quote(out, provider_name);
  out += ",\"safeToolName\":";
  quote(out, safe_tool_name);
  if (!input.is_undefined()) {
    out += ",\"input\":";
    CORDON_TRY(json::encode_to(out, input, encoding));
  }
  out += "}\n";
  line.finish();
  return {};
}

void write_done(std::string& out, const Done& done) {
  Line line(out);
  if (const auto* error = std::get_if<Error>(&done.outcome)) {
    write_end(out, done, Ok::no);
    write_error(out, code_of_end(error->code), error->message, done.diagnostics);
    line.finish();
    return;
  }
  const Value& result = std::get<Value>(done.outcome);
  write_end(out, done, Ok::yes);
  if (!result.is_undefined()) {
    out += ",\"result\":";
    if (!json::encode_to(out, result, encoding)) {
      line.restart();
      write_end(out, done, Ok::no);
      write_error(out, "serialization_error", not_serializable_text);
      line.finish();
      return;
    }
  }
  out += "}\n";
  line.finish();
}

}  // namespace cordon::execbox
