#include "cordon/protocol/tunnel/context_header.h"

#include <vector>

#include "cordon/builder.h"
#include "cordon/protocol/tunnel/limits.h"
#include "cordon/protocol/tunnel/text_encoding.h"

namespace cordon::tunnel {

Value contexts_of(const rich::Serializer& serializer, std::string_view header,
                  std::span<const std::string> ids, const rich::ParseOptions& options) {
  static const Value none = Value::object({});
  if (ids.empty() || header.empty() || header.size() > max_context_bytes) return none;
  const Result<Value> map = serializer.parse(header_text(header), options);
  if (!map || !map->is_object()) return none;

  Builder builder;
  std::vector<Builder::Field> fields;
  for (const std::string& id : ids) {
    const ValueView text = map->find(id);
    if (!text.is_string()) continue;
    const Result<Value> value = serializer.parse(text.as_string(), options);
    if (value) fields.push_back({id, builder.part(*value)});
  }
  return builder.finish(builder.object(fields));
}

}  // namespace cordon::tunnel
