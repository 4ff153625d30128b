#pragma once

// The containers that a writer is inside of, to notice one that contains itself.

#include <cstddef>
#include <unordered_set>
#include <vector>

namespace cordon {

class OpenNodes {
 public:
  // False if the node is open already.
  bool enter(const void* identity) {
    for (std::size_t i = 0; i < open_.size() && i < searched_plainly; ++i) {
      if (open_[i] == identity) return false;
    }
    if (open_.size() >= searched_plainly && !deep_.insert(identity).second) return false;
    open_.push_back(identity);
    return true;
  }

  // The one that was entered last.
  void leave() {
    if (open_.size() > searched_plainly) deep_.erase(open_.back());
    open_.pop_back();
  }

 private:
  // Up to this depth a look through all of them is quicker than a set.
  static constexpr std::size_t searched_plainly = 32;

  std::vector<const void*> open_;
  std::unordered_set<const void*> deep_;
};

}  // namespace cordon
