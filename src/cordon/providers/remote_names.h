#pragma once

// The names that programs write for the tasks of a tunnel. A name once given stays with its task,
// whatever the tunnel lists later.

#include <optional>
#include <string>
#include <string_view>
#include <unordered_map>
#include <vector>

#include "cordon/tools/safe_name.h"

namespace cordon::providers {

// One thread at a time may use it.
class RemoteNames {
 public:
  // Without patterns all tasks are allowed. Ids among them that are no pattern are known at once:
  // the tunnel need not list them.
  explicit RemoteNames(std::optional<std::vector<std::string>> allow);

  bool allows(std::string_view id) const;
  // Takes up those that are new and allowed. What no server has for an id is left out, and so are
  // those past a limit.
  void add(const std::vector<std::string>& ids);

  std::optional<std::string> id_of(const std::string& name) const;
  struct Named {
    std::string name;
    std::string id;
  };
  // In the order in which they came.
  const std::vector<Named>& all() const { return all_; }

 private:
  std::optional<std::vector<std::string>> allow_;
  tools::SafeNames names_;
  std::vector<Named> all_;
  std::unordered_map<std::string, std::size_t> by_name_;
  std::unordered_map<std::string, std::size_t> by_id_;
};

}  // namespace cordon::providers
