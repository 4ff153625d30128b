#pragma once

// The library that reads URLs unpacks its tables once, for the first host that is not ASCII. No
// input pays for that, so it is done before the first.

#include "require.h"

#include "cordon/codec/rich/serializer.h"
#include "cordon/codec/rich/testing/stand_ins.h"

namespace cordon::fuzz {

inline const bool has_url_tables = [] {
  const rich::StandInRegExps regexps;
  const rich::Serializer serializer({}, regexps);
  const auto url = serializer.parse(R"({"__type":"URL","value":"http://\u00e9/"})");
  require(url.has_value(), "a host may be of any letters");
  return true;
}();

}  // namespace cordon::fuzz
