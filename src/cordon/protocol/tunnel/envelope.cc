#include "cordon/protocol/tunnel/envelope.h"

#include "cordon/builder.h"
#include "cordon/codec/json/encode.h"

namespace cordon::tunnel {
namespace {

// Of values that are made of text alone, nothing can fail but memory.
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

}  // namespace

Result<std::string> result_text(const rich::Serializer& serializer, const Value& result) {
  std::string out = R"({"ok":true,"result":)";
  const Result<> written = serializer.stringify_to(out, result);
  if (written) {
    out += '}';
    return out;
  }
  if (written.error().code != Errc::cyclic) return fail(written.error());
  Builder builder;
  const ValueView envelope = builder.object({{"ok", true}, {"result", builder.part(result)}});
  return serializer.serialize(builder.finish(envelope));
}

std::string_view event_text() { return R"({"ok":true})"; }

std::string refusal_text(const Refusal& refusal) {
  return error_text(refusal.message, refusal.code, {});
}

std::string typed_error_text(const rich::Serializer& serializer, std::string_view id,
                             std::string_view message, const Value& data) {
  std::string rest = R"(,"id":)";
  append_json(rest, Value(id));
  if (!data.is_undefined()) {
    const std::size_t before = rest.size();
    rest += R"(,"data":)";
    if (!serializer.stringify_to(rest, data)) rest.resize(before);
  }
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
