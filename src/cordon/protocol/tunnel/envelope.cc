#include "cordon/protocol/tunnel/envelope.h"

#include <optional>
#include <vector>

#include "cordon/builder.h"
#include "cordon/codec/expansion.h"
#include "cordon/codec/json/encode.h"

namespace cordon::tunnel {
namespace {

// For values that are made of text alone, only memory can fail.
void append_json(std::string& out, const Value& value) {
  if (!json::encode_to(out, value)) out += "null";
}

std::string error_text(std::string_view message, std::string_view code, std::string_view rest) {
  std::string out = R"({"ok":false,"error":{"message":)";
  append_json(out, Value(message));
  out += R"(,"code":)";
  append_json(out, Value(code));
  out += rest;
  out += "}}";
  return out;
}

ValueView ids_of(Builder& builder, std::span<const std::string> ids) {
  std::vector<ValueView> items;
  items.reserve(ids.size());
  for (const std::string& id : ids) items.push_back(builder.string(id));
  return builder.array(items);
}

// As large as this many graphs are trees that are not sent.
constexpr std::uint64_t graph_from = 4;

Result<std::string> graph_text(const rich::Serializer& serializer, const Value& result,
                               std::size_t max_bytes) {
  Builder builder;
  const ValueView envelope = builder.object({{"ok", true}, {"result", builder.part(result)}});
  std::string out;
  CORDON_TRY(serializer.serialize_to(out, builder.finish(envelope), max_bytes));
  return out;
}

}  // namespace

Result<std::string> result_text(const rich::Serializer& serializer, const Value& result,
                                std::size_t max_bytes) {
  std::string out = R"({"ok":true,"result":)";
  const Result<> written = serializer.stringify_to(out, result, max_bytes);
  if (written) {
    out += '}';
    return out;
  }
  if (written.error().code != ErrorCode::cyclic) return fail(written.error());
  return graph_text(serializer, result, max_bytes);
}

Result<std::string> large_result_text(const rich::Serializer& serializer, const Value& result,
                                      std::size_t max_bytes) {
  const std::optional<Expansion> expansion = expansion_of(result, MapsAndSets::written);
  const bool is_shared = expansion && expansion->written > expansion->distinct;
  if (is_shared && expansion->tree_bytes / graph_from > expansion->graph_bytes)
    return graph_text(serializer, result, max_bytes);
  Result<std::string> tree = result_text(serializer, result, max_bytes);
  if (tree || tree.error().code != ErrorCode::too_large || !is_shared) return tree;
  return graph_text(serializer, result, max_bytes);
}

std::string_view event_text() { return R"({"ok":true})"; }

std::string refusal_text(const Refusal& refusal) {
  return error_text(refusal.message, refusal.code, {});
}

Result<std::string> typed_error_text(const rich::Serializer& serializer, std::string_view id,
                                     std::string_view message, const Value& data,
                                     std::size_t max_bytes, std::optional<unsigned> http_code) {
  // A character takes six at most.
  if (id.size() + message.size() > max_bytes / 6)
    return fail(ErrorCode::too_large, "error message");
  std::string rest = R"(,"id":)";
  append_json(rest, Value(id));
  if (!data.is_undefined()) {
    const std::size_t before = rest.size();
    rest += R"(,"data":)";
    const Result<> written = serializer.stringify_to(rest, data, max_bytes);
    if (!written && written.error().code == ErrorCode::too_large) return fail(written.error());
    if (!written) rest.resize(before);
  }
  if (http_code) rest += R"(,"httpCode":)" + std::to_string(*http_code);
  return error_text(message, "INTERNAL_ERROR", rest);
}

std::string discovery_text(bool enabled, std::span<const std::string> tasks,
                           std::span<const std::string> events) {
  Builder builder;
  const ValueView list = builder.object({{"enabled", enabled},
                                         {"tasks", ids_of(builder, tasks)},
                                         {"events", ids_of(builder, events)}});
  const ValueView result = builder.object({{"allowList", list}});
  std::string out;
  append_json(out, builder.finish(builder.object({{"ok", true}, {"result", result}})));
  return out;
}

}  // namespace cordon::tunnel
