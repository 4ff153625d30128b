#include "cordon/protocol/execbox/manifest.h"

namespace cordon::execbox {

Value to_value(const HostManifest& manifest) {
  std::vector<Value::Field> tools;
  for (const ManifestTool& tool : manifest.tools) {
    std::vector<Value::Field> fields = {{"safeName", tool.safe_name},
                                        {"originalName", tool.original_name}};
    if (!tool.description.empty()) fields.push_back({"description", tool.description});
    tools.push_back({tool.safe_name, Value::object_from(fields)});
  }
  return Value::object(
      {{"name", manifest.name}, {"tools", Value::object_from(tools)}, {"types", manifest.types}});
}

}  // namespace cordon::execbox
