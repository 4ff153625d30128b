#include "cordon/base/date_text.h"

#include <chrono>
#include <cmath>
#include <cstdint>

namespace cordon {
namespace {

constexpr double max_ms = 8.64e15;

char* write_padded(std::int64_t number, int digits, char* out) {
  for (int i = digits - 1; i >= 0; --i) {
    out[i] = static_cast<char>('0' + number % 10);
    number /= 10;
  }
  return out + digits;
}

}  // namespace

std::string_view date_to_text(double ms_since_epoch, DateBuffer& buffer) {
  if (!(std::fabs(ms_since_epoch) <= max_ms)) return {};
  constexpr std::int64_t ms_per_day = 86'400'000;
  const auto ms = static_cast<std::int64_t>(ms_since_epoch);
  const std::int64_t days = ms >= 0 ? ms / ms_per_day : (ms + 1) / ms_per_day - 1;
  std::int64_t rest = ms - days * ms_per_day;

  // std::chrono's year stops at 32767 and JavaScript's at 275760. The calendar repeats every 400
  // years, which are 146097 days, so the year is found within one such era.
  constexpr std::int64_t days_per_era = 146'097;
  const std::int64_t era = days >= 0 ? days / days_per_era : (days + 1) / days_per_era - 1;
  const std::chrono::year_month_day date(
      std::chrono::sys_days(std::chrono::days(days - era * days_per_era)));
  const std::int64_t year = static_cast<int>(date.year()) + era * 400;

  char* out = buffer.data();
  if (year < 0 || year > 9999) {
    *out++ = year < 0 ? '-' : '+';
    out = write_padded(std::abs(year), 6, out);
  } else {
    out = write_padded(year, 4, out);
  }
  const auto put = [&out](char mark, std::int64_t number, int digits) {
    *out++ = mark;
    out = write_padded(number, digits, out);
  };
  put('-', static_cast<unsigned>(date.month()), 2);
  put('-', static_cast<unsigned>(date.day()), 2);
  put('T', rest / 3'600'000, 2);
  rest %= 3'600'000;
  put(':', rest / 60'000, 2);
  rest %= 60'000;
  put(':', rest / 1000, 2);
  put('.', rest % 1000, 3);
  *out++ = 'Z';
  return {buffer.data(), out};
}

}  // namespace cordon
