#include "cordon/base/date_text.h"

#include <limits>

#include <gtest/gtest.h>

namespace cordon {
namespace {

struct Example {
  double ms;
  const char* text;
};

TEST(DateText, IsWhatNodePrints) {
  constexpr Example from_node[] = {
      {0, "1970-01-01T00:00:00.000Z"},
      {1, "1970-01-01T00:00:00.001Z"},
      {-1, "1969-12-31T23:59:59.999Z"},
      {999, "1970-01-01T00:00:00.999Z"},
      {1000000000000, "2001-09-09T01:46:40.000Z"},
      {1738324800123, "2025-01-31T12:00:00.123Z"},
      {-62167219200000, "0000-01-01T00:00:00.000Z"},
      {-62167219200001, "-000001-12-31T23:59:59.999Z"},
      {-62198755200000, "-000001-01-01T00:00:00.000Z"},
      {253402300799999, "9999-12-31T23:59:59.999Z"},
      {253402300800000, "+010000-01-01T00:00:00.000Z"},
      {8.64e15, "+275760-09-13T00:00:00.000Z"},
      {-8640000000000000, "-271821-04-20T00:00:00.000Z"},
      {951782400000, "2000-02-29T00:00:00.000Z"},
      {68169600000, "1972-02-29T00:00:00.000Z"},
      {-2208988800000, "1900-01-01T00:00:00.000Z"},
      {1.9, "1970-01-01T00:00:00.001Z"},
      {-1.9, "1969-12-31T23:59:59.999Z"},
      {4102444800000, "2100-01-01T00:00:00.000Z"},
      {-86400000, "1969-12-31T00:00:00.000Z"},
  };
  for (const auto& [ms, text] : from_node) {
    DateBuffer buffer;
    EXPECT_EQ(date_to_text(ms, buffer), text) << ms;
  }
}

TEST(DateText, OfAnInvalidDateIsEmpty) {
  DateBuffer buffer;
  for (const double ms :
       {std::numeric_limits<double>::quiet_NaN(), std::numeric_limits<double>::infinity(),
        8.64e15 + 1, -8.64e15 - 1, 1e300}) {
    EXPECT_EQ(date_to_text(ms, buffer), "");
  }
}

}  // namespace
}  // namespace cordon
