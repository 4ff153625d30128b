#pragma once

// The hash index of an object with many members: an open table of slots, each the upper half of a
// key's hash and the member's position plus one. The hash is seeded anew in each process, so that a
// peer cannot choose keys that collide.

#include <cstddef>
#include <cstdint>
#include <string_view>

#include "cordon/value.h"
#include "cordon/value/arena.h"
#include "cordon/value/bodies.h"

namespace cordon {

// Up to this size a search through all members is as fast.
inline constexpr std::size_t max_unindexed_object = 16;

// Keeps the first place and the last value of each key, in `members` itself, and returns how many
// members are left. Gives `body` an index if there are many. Takes linear time. Does not set the
// body's members and size.
std::size_t drop_duplicate_keys(Member* members, std::size_t count, Arena& arena,
                                detail::MembersBody& body);

// The same for keys that are known to differ.
void index_keys(const Member* members, std::size_t count, Arena& arena, detail::MembersBody& body);

// The hash of the index, for other tables whose keys a peer chooses.
std::uint64_t hash_of_key(std::string_view key);

// The member's position, or body.size.
std::size_t find_key(const detail::MembersBody& body, std::string_view key);

}  // namespace cordon
