#include "cordon/value/name_list.h"

#include <algorithm>
#include <bit>
#include <utility>

#include "cordon/base/utf8.h"
#include "cordon/value/key_index.h"

namespace cordon {
namespace {

// Up to this size a search through all names is as fast.
constexpr std::size_t max_unindexed = 16;

// The slot of the name, or the free one where it would be. The hash is secret, so a peer cannot
// choose names that collide.
std::size_t slot_of(std::string_view name, const std::vector<std::string>& names,
                    const std::vector<std::uint32_t>& slots) {
  const std::size_t mask = slots.size() - 1;
  std::size_t at = hash_of_key(name) & mask;
  while (slots[at] != 0 && names[slots[at] - 1] != name) at = (at + 1) & mask;
  return at;
}

}  // namespace

NameList::NameList(std::vector<std::string> names)
    : table_(names.empty() ? nullptr : table_of(std::move(names))) {}

std::shared_ptr<const NameList::Table> NameList::table_of(std::vector<std::string> names) {
  Table table{std::move(names)};
  for (const std::string& name : table.names) {
    table.longest = std::max(table.longest, name.size());
    table.is_utf8 = table.is_utf8 && cordon::is_utf8(name);
  }
  if (table.names.size() > max_unindexed) {
    table.slots.resize(std::bit_ceil(2 * table.names.size()));
    std::uint32_t position = 0;
    for (const std::string& name : table.names) {
      std::uint32_t& slot = table.slots[slot_of(name, table.names, table.slots)];
      table.has_equal_names = table.has_equal_names || slot != 0;
      slot = ++position;
    }
  }
  return std::make_shared<const Table>(std::move(table));
}

bool NameList::has_equal_names() const {
  if (size() > max_unindexed) return table_->has_equal_names;
  for (const std::string* name = begin(); name != end(); ++name)
    if (std::find(begin(), name, *name) != name) return true;
  return false;
}

std::optional<std::uint32_t> NameList::find(std::string_view name) const {
  // A guest may ask for names that are longer than any.
  if (table_ == nullptr || name.size() > table_->longest) return std::nullopt;
  const std::vector<std::string>& names = table_->names;
  const std::vector<std::uint32_t>& slots = table_->slots;
  if (!slots.empty()) {
    const std::uint32_t found = slots[slot_of(name, names, slots)];
    return found == 0 ? std::nullopt : std::optional(found - 1);
  }
  const auto found = std::ranges::find(names.rbegin(), names.rend(), name);
  if (found == names.rend()) return std::nullopt;
  return static_cast<std::uint32_t>(names.rend() - found - 1);
}

}  // namespace cordon
