#pragma once

// What a host tells a runner of a provider: names and types, and nothing that could be called.

#include <memory>
#include <string>
#include <vector>

#include "cordon/value.h"
#include "cordon/value/name_list.h"

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

// A manifest as it is sent: written once, for any number of executions.
class WrittenManifest {
 public:
  WrittenManifest(const HostManifest& manifest);

  const std::string& name() const { return content_->name; }
  const NameList& safe_names() const { return content_->safe_names; }
  const std::string& json() const { return content_->json; }

 private:
  struct Content {
    std::string name;
    NameList safe_names;
    std::string json;
  };
  std::shared_ptr<const Content> content_;
};

}  // namespace cordon::execbox
