#pragma once

// What a host tells a runner of a provider: names and types, and nothing that could be called.

#include <string>
#include <vector>

#include "cordon/value.h"

namespace cordon::execbox {

struct ManifestTool {
  std::string safe_name;
  std::string original_name;
  std::string description = {};  // left out where it is empty
};

struct HostManifest {
  std::string name;
  std::vector<ManifestTool> tools = {};
  std::string types = {};  // TypeScript
};

// {"name","tools":{SAFE:{"safeName","originalName","description"?}},"types"}
Value to_value(const HostManifest& manifest);

}  // namespace cordon::execbox
