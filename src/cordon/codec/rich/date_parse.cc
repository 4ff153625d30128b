#include "cordon/codec/rich/date_parse.h"

#include <cmath>
#include <cstddef>
#include <cstdint>
#include <limits>

namespace cordon::rich {
namespace {

constexpr double invalid = std::numeric_limits<double>::quiet_NaN();
constexpr double max_ms = 8.64e15;

struct Fields {
  std::int64_t year = 0;
  unsigned month = 1;
  unsigned day = 1;
  std::int64_t hour = 0;
  std::int64_t minute = 0;
  std::int64_t second = 0;
  std::int64_t ms = 0;
  std::int64_t offset_minutes = 0;
};

// The 30th of February is the first or second of March, as in V8.
double time_of(const Fields& fields) {
  // Years that begin in March put the leap day last; the calendar repeats every 400 of them, which
  // are 146097 days. 719468 is the distance from the first of March of the year 0 to 1970.
  const std::int64_t year = fields.year - (fields.month <= 2 ? 1 : 0);
  const std::int64_t era = (year >= 0 ? year : year - 399) / 400;
  const std::int64_t year_of_era = year - era * 400;
  const std::int64_t month = (fields.month + 9) % 12;
  const std::int64_t day_of_year = (153 * month + 2) / 5 + fields.day - 1;
  const std::int64_t day_of_era =
      year_of_era * 365 + year_of_era / 4 - year_of_era / 100 + day_of_year;
  const std::int64_t days = era * 146'097 + day_of_era - 719'468;
  const std::int64_t minutes = (days * 24 + fields.hour) * 60 + fields.minute;
  const std::int64_t seconds = (minutes - fields.offset_minutes) * 60 + fields.second;
  return date_from_number(static_cast<double>(seconds * 1000 + fields.ms));
}

class Scanner {
 public:
  explicit Scanner(std::string_view text) : rest_(text) {}

  bool at_end() const { return rest_.empty(); }
  bool sees_digit() const { return !rest_.empty() && rest_[0] >= '0' && rest_[0] <= '9'; }
  bool take(char c) {
    if (!rest_.starts_with(c)) return false;
    rest_.remove_prefix(1);
    return true;
  }
  bool take(std::string_view word) {
    if (!rest_.starts_with(word)) return false;
    rest_.remove_prefix(word.size());
    return true;
  }
  // Takes exactly this many digits.
  template <class T>
  bool digits(std::size_t count, T& number) {
    if (rest_.size() < count) return false;
    std::int64_t read = 0;
    for (const char c : rest_.substr(0, count)) {
      if (c < '0' || c > '9') return false;
      read = read * 10 + (c - '0');
    }
    number = static_cast<T>(read);
    rest_.remove_prefix(count);
    return true;
  }
  void blanks() {
    while (take(' ')) {
    }
  }
  std::string_view rest() const { return rest_; }
  void skip(std::size_t count) { rest_.remove_prefix(count); }

 private:
  std::string_view rest_;
};

bool offset(Scanner& in, std::int64_t& minutes) {
  const bool west = in.take('-');
  if (!west && !in.take('+')) return false;
  std::int64_t hour = 0;
  std::int64_t minute = 0;
  if (!in.digits(2, hour)) return false;
  in.take(':');
  if (!in.digits(2, minute) || hour > 23 || minute > 59) return false;
  minutes = hour * 60 + minute;
  if (west) minutes = -minutes;
  return true;
}

// YYYY, YYYY-MM, YYYY-MM-DD, ±YYYYYY in place of the year, and a time after T.
bool iso(std::string_view text, Fields& fields) {
  Scanner in(text);
  const bool before_zero = in.take('-');
  if (before_zero || in.take('+')) {
    if (!in.digits(6, fields.year) || (before_zero && fields.year == 0)) return false;
    if (before_zero) fields.year = -fields.year;
  } else if (!in.digits(4, fields.year)) {
    return false;
  }
  if (in.take('-')) {
    if (!in.digits(2, fields.month) || fields.month < 1 || fields.month > 12) return false;
    if (in.take('-') && (!in.digits(2, fields.day) || fields.day < 1 || fields.day > 31)) {
      return false;
    }
  }
  if (in.at_end()) return true;
  if (!in.take('T') && !in.take('t') && !in.take(' ')) return false;
  if (!in.digits(2, fields.hour) || !in.take(':') || !in.digits(2, fields.minute)) return false;
  if (in.take(':')) {
    if (!in.digits(2, fields.second)) return false;
    if (in.take('.')) {
      if (!in.sees_digit()) return false;
      // Three digits count.
      std::int64_t scale = 100;
      while (in.sees_digit()) {
        std::int64_t digit = 0;
        in.digits(1, digit);
        fields.ms += digit * scale;
        scale /= 10;
      }
    }
  }
  if (fields.hour > 24 || fields.minute > 59 || fields.second > 59) return false;
  if (fields.hour == 24 && (fields.minute > 0 || fields.second > 0 || fields.ms > 0)) return false;
  if (in.at_end() || in.take('Z') || in.take('z')) return in.at_end();
  return offset(in, fields.offset_minutes) && in.at_end();
}

bool is_full_iso(std::string_view text, Fields& fields) {
  constexpr std::string_view form = "0000-00-00T00:00:00.000Z";
  if (text.size() != form.size()) return false;
  // Digits where the form has them, and the same marks elsewhere.
  unsigned wrong = 0;
  const auto digits = [&](std::size_t at, std::size_t count) {
    unsigned number = 0;
    for (std::size_t i = at; i < at + count; ++i) {
      const unsigned digit = static_cast<unsigned char>(text[i]) - unsigned{'0'};
      wrong |= static_cast<unsigned>(digit > 9);
      number = number * 10 + digit;
    }
    return number;
  };
  for (const std::size_t mark : {4u, 7u, 10u, 13u, 16u, 19u, 23u}) {
    wrong |= static_cast<unsigned>(text[mark] != form[mark]);
  }
  fields.year = digits(0, 4);
  fields.month = digits(5, 2);
  fields.day = digits(8, 2);
  fields.hour = digits(11, 2);
  fields.minute = digits(14, 2);
  fields.second = digits(17, 2);
  fields.ms = digits(20, 3);
  return wrong == 0 && fields.month >= 1 && fields.month <= 12 && fields.day >= 1 &&
         fields.day <= 31 && fields.hour <= 23 && fields.minute <= 59 && fields.second <= 59;
}

bool month_name(Scanner& in, unsigned& month) {
  constexpr std::string_view names[] = {"Jan", "Feb", "Mar", "Apr", "May", "Jun",
                                        "Jul", "Aug", "Sep", "Oct", "Nov", "Dec"};
  for (unsigned i = 0; i < 12; ++i) {
    if (in.take(names[i])) {
      month = i + 1;
      return true;
    }
  }
  return false;
}

bool day_of_month(Scanner& in, unsigned& day) {
  return (in.digits(2, day) || in.digits(1, day)) && day >= 1 && day <= 31;
}

// "Thu, 01 Jan 1970 00:00:00 GMT" and "Thu Jan 01 1970 00:00:00 GMT+0000 (…)".
bool printed(std::string_view text, Fields& fields) {
  Scanner in(text);
  for (const std::string_view name : {"Mon", "Tue", "Wed", "Thu", "Fri", "Sat", "Sun"}) {
    if (in.take(name)) break;
  }
  in.take(',');
  in.blanks();
  if (in.sees_digit()) {
    if (!day_of_month(in, fields.day)) return false;
    in.blanks();
    if (!month_name(in, fields.month)) return false;
  } else {
    if (!month_name(in, fields.month)) return false;
    in.blanks();
    if (!day_of_month(in, fields.day)) return false;
    in.take(',');
  }
  in.blanks();
  const bool before_zero = in.take('-');
  std::size_t year_digits = 0;
  while (year_digits < in.rest().size() && in.rest()[year_digits] >= '0' &&
         in.rest()[year_digits] <= '9') {
    ++year_digits;
  }
  if (year_digits < 4 || year_digits > 6 || !in.digits(year_digits, fields.year)) return false;
  if (before_zero) fields.year = -fields.year;
  in.blanks();
  if (in.sees_digit()) {
    if (!in.digits(2, fields.hour) || !in.take(':') || !in.digits(2, fields.minute)) return false;
    if (in.take(':') && !in.digits(2, fields.second)) return false;
    if (fields.hour > 23 || fields.minute > 59 || fields.second > 59) return false;
    in.blanks();
  }
  if (in.take("GMT") || in.take("UTC") || in.take('Z')) in.blanks();
  if (!in.at_end() && in.rest()[0] != '(' && !offset(in, fields.offset_minutes)) return false;
  in.blanks();
  return in.at_end() || (in.rest().starts_with('(') && in.rest().ends_with(')'));
}

}  // namespace

double date_from_number(double number) {
  if (!(std::fabs(number) <= max_ms)) return invalid;
  return std::trunc(number) + 0.0;
}

double date_from_full_iso_text(std::string_view text) {
  Fields fields;
  return is_full_iso(text, fields) ? time_of(fields) : invalid;
}

double date_from_text(std::string_view text) {
  Fields fields;
  if (iso(text, fields)) return time_of(fields);
  fields = {};
  if (printed(text, fields)) return time_of(fields);
  return invalid;
}

}  // namespace cordon::rich
