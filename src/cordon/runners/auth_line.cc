#include "cordon/runners/auth_line.h"

#include "cordon/codec/json/encode.h"
#include "cordon/value.h"

namespace cordon::runners {

std::string auth_line(std::string_view token) {
  const Value line = Value::object({{"type", "auth"}, {"token", token}});
  return json::encode(line).value_or("") + "\n";
}

}  // namespace cordon::runners
