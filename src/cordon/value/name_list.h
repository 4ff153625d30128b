#pragma once

// Names in their order, which are also found by name: those of the functions of a namespace. A list
// never changes, and its copies are the same list, so any number of executions share it.

#include <algorithm>
#include <cstddef>
#include <cstdint>
#include <initializer_list>
#include <memory>
#include <optional>
#include <string>
#include <string_view>
#include <vector>

namespace cordon {

class NameList {
 public:
  using value_type = std::string;
  using const_iterator = const std::string*;

  NameList() = default;
  NameList(std::vector<std::string> names);
  NameList(std::initializer_list<std::string> names) : NameList(std::vector(names)) {}

  std::size_t size() const { return table_ == nullptr ? 0 : table_->names.size(); }
  bool empty() const { return size() == 0; }
  const_iterator begin() const { return table_ == nullptr ? nullptr : table_->names.data(); }
  const_iterator end() const { return begin() + size(); }
  const std::string& operator[](std::size_t position) const { return begin()[position]; }

  // The position of the name. If several names are the same, it is the last one's.
  std::optional<std::uint32_t> find(std::string_view name) const;
  // Whether a name comes twice.
  bool has_equal_names() const;
  // Whether all names are UTF-8.
  bool is_utf8() const { return table_ == nullptr || table_->is_utf8; }

  friend bool operator==(const NameList& a, const NameList& b) {
    return a.table_ == b.table_ || std::ranges::equal(a, b);
  }

 private:
  struct Table {
    std::vector<std::string> names;
    // Where there are many: a hash table of positions plus one, half full at most.
    std::vector<std::uint32_t> slots = {};
    std::size_t longest = 0;
    bool is_utf8 = true;
    bool has_equal_names = false;  // where there are many
  };
  static std::shared_ptr<const Table> table_of(std::vector<std::string> names);

  std::shared_ptr<const Table> table_;
};

}  // namespace cordon
