#pragma once

// Reads a source map (revision 3 of the format), and joins it with both texts: it says only where
// some parts of a generated text come from, and the texts say how far both are the same from there
// on. The map comes from a sandbox that has read untrusted text, so nothing in it is trusted.

#include <cstddef>
#include <cstdint>
#include <string_view>

#include "cordon/base/bytes.h"
#include "cordon/result.h"

namespace cordon::js {

struct MappedTexts {
  std::string_view generated;
  std::string_view written;
  // How much of the first line of each is left out: what stands in it is in no run, and the columns
  // behind it are counted from its end.
  std::uint32_t generated_start = 0;
  std::uint32_t written_start = 0;
};

// The runs of the generated text, as the guest reads them. `map` is the JSON of a map with one
// source, and the texts have less than 4 GiB. What points outside of a text or goes back in the
// generated one is left out. Fails with ErrorCode::malformed if there are no mappings to read, and
// with ErrorCode::memory_limit if the runs took more than `max_bytes`.
Result<Bytes> read_source_map(std::string_view map, const MappedTexts& texts,
                              std::size_t max_bytes);

}  // namespace cordon::js
