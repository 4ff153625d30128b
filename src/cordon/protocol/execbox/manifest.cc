#include "cordon/protocol/execbox/manifest.h"

#include <array>
#include <cstddef>
#include <span>
#include <vector>

#include "cordon/builder.h"
#include "cordon/codec/json/encode.h"

namespace cordon::execbox {

// One value made in one go: thousands of tools are no rarity, and each execution is told of them.
Value to_value(const HostManifest& manifest) {
  Builder builder;
  std::vector<Builder::Field> tools;
  tools.reserve(manifest.tools.size());
  for (const ManifestTool& tool : manifest.tools) {
    std::array<Builder::Field, 3> fields = {{{"safeName", builder.string(tool.safe_name)},
                                             {"originalName", builder.string(tool.original_name)},
                                             {"description", {}}}};
    std::size_t count = 2;
    if (!tool.description.empty()) fields[count++].value = builder.string(tool.description);
    tools.push_back({tool.safe_name, builder.object(std::span(fields).first(count))});
  }
  return builder.finish(builder.object({{"name", builder.string(manifest.name)},
                                        {"tools", builder.object(tools)},
                                        {"types", builder.string(manifest.types)}}));
}

WrittenManifest::WrittenManifest(const HostManifest& manifest) {
  std::vector<std::string> names;
  names.reserve(manifest.tools.size());
  for (const ManifestTool& tool : manifest.tools) names.push_back(tool.safe_name);
  // It consists of texts and is not deep: it has a form, however large it is.
  constexpr json::EncodeOptions options{.max_bytes = std::size_t{1} << 40};
  content_ = std::make_shared<const Content>(
      Content{manifest.name, NameList(std::move(names)),
              json::encode(to_value(manifest), options).value_or("{}")});
}

}  // namespace cordon::execbox
