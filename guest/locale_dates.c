// Date in en-US and UTC.

#include "locale.h"

enum DateParts { DATE_PARTS = 1, TIME_PARTS = 2 };

// How each part is written; 0: it is not.
enum { NUMERIC = 1, TWO_DIGITS, LONG, SHORT };
typedef struct {
  int weekday, year, month, day, hour, minute, second;
  bool is_24, joins_at;
} DateStyle;

static const char date_advice[] = "write d.toISOString(), or put the text together yourself";

static void style_names(Asked* asked, DateStyle* style, int wanted) {
  static const char* const styles[] = {"full", "long", "medium", "short", NULL};
  int date = asked_choice(asked, "dateStyle", styles),
      time = asked_choice(asked, "timeStyle", styles);
  if (!date && !time) return;
  if (style->weekday || style->year || style->month || style->day || style->hour || style->minute ||
      style->second || (date && wanted == TIME_PARTS) || (time && wanted == DATE_PARTS)) {
    if (!asked->failed) JS_ThrowTypeError(asked->ctx, "Invalid option : dateStyle or timeStyle");
    asked->failed = true;
  }
  if (date) {
    style->weekday = date == 1 ? LONG : 0;
    style->month = date <= 2 ? LONG : date == 3 ? SHORT : NUMERIC;
    style->day = NUMERIC;
    style->year = date == 4 ? TWO_DIGITS : NUMERIC;
  }
  if (time == 1 || time == 2) asked_refuse_option(asked, "timeStyle", styles[time - 1]);
  if (time) {
    style->hour = NUMERIC;
    style->minute = TWO_DIGITS;
    style->second = time == 3 ? TWO_DIGITS : 0;
  }
}

static DateStyle date_style(Asked* asked, int wanted) {
  static const char* const numbers[] = {"numeric", "2-digit", NULL};
  static const char* const months[] = {"numeric", "2-digit", "long", "short", NULL};
  static const char* const names[] = {"long", "short", NULL};
  static const char* const zones[] = {"UTC", "GMT", "Etc/UTC", "Etc/GMT", NULL};
  static const char* const unknown[] = {
      "calendar",  "numberingSystem",        "hourCycle",    "era",
      "dayPeriod", "fractionalSecondDigits", "timeZoneName", NULL};
  DateStyle style = {0};
  style.weekday = asked_choice(asked, "weekday", names);
  if (style.weekday) style.weekday += LONG - 1;
  style.year = asked_choice(asked, "year", numbers);
  style.month = asked_choice(asked, "month", months);
  style.day = asked_choice(asked, "day", numbers);
  style.hour = asked_choice(asked, "hour", numbers);
  style.minute = asked_choice(asked, "minute", numbers);
  style.second = asked_choice(asked, "second", numbers);
  asked_choice(asked, "timeZone", zones);
  style.is_24 = asked_is_false(asked, "hour12");
  asked_without(asked, unknown);
  style_names(asked, &style, wanted);

  bool has_date = style.weekday || style.year || style.month || style.day;
  bool has_time = style.hour || style.minute || style.second;
  if (!(wanted & DATE_PARTS && has_date) && !(wanted & TIME_PARTS && has_time)) {
    if (wanted & DATE_PARTS) style.year = style.month = style.day = NUMERIC;
    if (wanted & TIME_PARTS) style.hour = style.minute = style.second = NUMERIC;
    has_date = has_date || wanted & DATE_PARTS;
    has_time = has_time || wanted & TIME_PARTS;
  }
  // These combinations have an order that is plain; others have patterns of their own.
  bool is_text = style.month >= LONG;
  bool good = !has_date || !has_time || (style.month && style.day);
  good = good && (!style.weekday || (style.month && style.day) ||
                  !(style.month || style.day || style.year));
  good = good && (style.month || !(style.year && style.day));
  good = good && (is_text || !style.month || !style.day || style.month == style.day);
  good = good && (!is_text || style.day != TWO_DIGITS || style.year || !style.weekday);
  good = good && (!has_time || (style.hour && (style.minute || !style.second)));
  if (!good) asked_refuse(asked, "this combination of parts is");
  style.joins_at = style.month == LONG;
  return style;
}

static void put_digits(Buffer* out, int64_t number, int style) {
  char text[24];
  snprintf(text, sizeof text, style == TWO_DIGITS ? "%02lld" : "%lld",
           (long long)(style == TWO_DIGITS ? number % 100 : number));
  put_bytes(out, text, (uint32_t)strlen(text));
}

static void put_words(Buffer* out, const char* text) {
  put_bytes(out, text, (uint32_t)strlen(text));
}

static void put_name(Buffer* out, const char* const* names, int64_t which, int style) {
  put_bytes(out, names[which], style == SHORT ? 3 : (uint32_t)strlen(names[which]));
}

static void put_day(Buffer* out, int64_t days, const DateStyle* style) {
  static const char* const weekdays[] = {"Sunday",   "Monday", "Tuesday", "Wednesday",
                                         "Thursday", "Friday", "Saturday"};
  static const char* const months[] = {"January",   "February", "March",    "April",
                                       "May",       "June",     "July",     "August",
                                       "September", "October",  "November", "December"};
  // The Gregorian calendar, with years that begin in March (Howard Hinnant's algorithm).
  int64_t shifted = days + 719468;
  int64_t era = (shifted >= 0 ? shifted : shifted - 146096) / 146097;
  int64_t of_era = shifted - era * 146097;
  int64_t year = (of_era - of_era / 1460 + of_era / 36524 - of_era / 146096) / 365;
  int64_t of_year = of_era - (365 * year + year / 4 - year / 100);
  int64_t month = (5 * of_year + 2) / 153;
  int64_t day = of_year - (153 * month + 2) / 5 + 1;
  month = month < 10 ? month + 2 : month - 10;
  year += era * 400 + (month < 2);
  if (year <= 0) year = 1 - year;  // before our era, which is not said

  bool is_text = style->month >= LONG;
  const char* between = is_text ? " " : "/";
  bool any = false;
  if (style->weekday) {
    put_name(out, weekdays, ((days + 4) % 7 + 7) % 7, style->weekday);
    if (style->month) put_words(out, ", ");
  }
  if (is_text)
    put_name(out, months, month, style->month);
  else if (style->month)
    put_digits(out, month + 1, style->month);
  any = style->month != 0;
  if (style->day) {
    if (any) put_words(out, between);
    put_digits(out, day, style->day);
    if (is_text) between = ", ";
    any = true;
  }
  if (style->year) {
    if (any) put_words(out, between);
    put_digits(out, year, style->year);
  }
}

static void put_time(Buffer* out, int64_t seconds, const DateStyle* style) {
  int64_t hour = seconds / 3600;
  int64_t shown = style->is_24 ? hour : hour % 12 == 0 ? 12 : hour % 12;
  put_digits(out, shown, style->is_24 ? TWO_DIGITS : style->hour);
  if (style->minute) {
    put_u8(out, ':');
    put_digits(out, seconds / 60 % 60, TWO_DIGITS);
  }
  if (style->second) {
    put_u8(out, ':');
    put_digits(out, seconds % 60, TWO_DIGITS);
  }
  if (!style->is_24) put_words(out, hour < 12 ? " AM" : " PM");
}

static JSValue date_to_locale(JSContext* ctx, JSValueConst self, int argc, JSValueConst* argv,
                              int wanted) {
  static const char* const methods[] = {"", "toLocaleDateString", "toLocaleTimeString",
                                        "toLocaleString"};
  if (engine_kind(self) != KIND_DATE) return JS_ThrowTypeError(ctx, "not a Date object");
  double time = engine_date(self);
  if (time != time) return JS_NewString(ctx, "Invalid Date");
  Asked asked = asked_for(ctx, methods[wanted], date_advice, argc, argv, 0, english_locales);
  DateStyle style = date_style(&asked, wanted);
  if (asked.failed) return JS_EXCEPTION;
  enum { DAY = 86400 };
  int64_t seconds = (int64_t)time / 1000 - ((int64_t)time % 1000 < 0);
  int64_t days = seconds / DAY - (seconds % DAY < 0);
  Buffer text = {0};
  if (style.weekday || style.year || style.month || style.day) {
    put_day(&text, days, &style);
    if (style.hour) put_words(&text, style.joins_at ? " at " : ", ");
  }
  if (style.hour) put_time(&text, seconds - days * DAY, &style);
  JSValue string = JS_NewStringLen(ctx, (const char*)text.data, text.size);
  free(text.data);
  return string;
}

void locale_dates_install(JSContext* ctx, JSValueConst date) {
  static const char* const names[] = {"toLocaleDateString", "toLocaleTimeString", "toLocaleString"};
  for (int i = 0; i < 3; ++i)
    locale_set(
        ctx, date, names[i],
        JS_NewCFunctionMagic(ctx, date_to_locale, names[i], 0, JS_CFUNC_generic_magic, i + 1));
}
