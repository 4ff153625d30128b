#pragma once

// The names that programs write for the tasks of a tunnel. A name once given stays with its task,
// whatever the tunnel lists later.

#include <cstddef>
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
  static constexpr std::size_t max_tasks = 10'000;
  // Takes up those that are new and allowed. What no server has for an id is left out, and so are
  // those past the limit.
  void add(const std::vector<std::string>& ids);

  // Whether there were tasks past the limit.
  bool is_cut() const { return is_cut_; }

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
  bool is_cut_ = false;
};

}  // namespace cordon::providers
