#include "cordon/codec/rich/keys.h"

#include <algorithm>
#include <iterator>

namespace cordon::rich {

bool is_reserved_error_field(std::string_view key) {
  constexpr std::string_view reserved[] = {"name",
                                           "message",
                                           "stack",
                                           "cause",
                                           "toString",
                                           "toLocaleString",
                                           "valueOf",
                                           "hasOwnProperty",
                                           "isPrototypeOf",
                                           "propertyIsEnumerable",
                                           "toJSON",
                                           "__defineGetter__",
                                           "__defineSetter__",
                                           "__lookupGetter__",
                                           "__lookupSetter__"};
  return is_unsafe_key(key) || std::ranges::find(reserved, key) != std::end(reserved);
}

bool is_known_symbol(std::string_view key) {
  static constexpr std::string_view well_known_symbols[] = {
      "asyncIterator", "hasInstance", "isConcatSpreadable",
      "iterator",      "match",       "matchAll",
      "observable",    "replace",     "search",
      "species",       "split",       "toPrimitive",
      "toStringTag",   "unscopables"};
  return std::ranges::find(well_known_symbols, key) != std::end(well_known_symbols);
}

}  // namespace cordon::rich
