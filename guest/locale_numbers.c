// Number and BigInt in en-US.

#include "locale.h"

static const char number_advice[] = "write n.toFixed(2), or put the text together yourself";

typedef struct {
  const char* before;  // a currency's sign
  const char* behind;
  int least, most;  // digits of the fraction
  int shift;        // by so many powers of ten
  bool grouped;
} NumberStyle;

static int own_digits(const char* currency) { return strcmp(currency, "JPY") == 0 ? 0 : 2; }

static NumberStyle number_style(Asked* asked) {
  static const char* const styles[] = {"decimal", "percent", "currency", NULL};
  static const char* const currencies[] = {"USD", "EUR", "GBP", "JPY", NULL};
  static const char* const signs[] = {"$", "€", "£", "¥"};
  static const char* const unknown[] = {"numberingSystem",
                                        "unit",
                                        "unitDisplay",
                                        "currencyDisplay",
                                        "currencySign",
                                        "notation",
                                        "compactDisplay",
                                        "signDisplay",
                                        "minimumIntegerDigits",
                                        "roundingMode",
                                        "roundingIncrement",
                                        "minimumSignificantDigits",
                                        "maximumSignificantDigits",
                                        "roundingPriority",
                                        "trailingZeroDisplay",
                                        NULL};
  NumberStyle style = {"", "", 0, 3, 0, true};
  int kind = asked_choice(asked, "style", styles);
  if (kind == 2) style.behind = "%", style.most = 0, style.shift = 2;
  if (kind == 3) {
    int currency = asked_choice(asked, "currency", currencies);
    if (currency == 0 && !asked->failed) {
      JS_ThrowTypeError(asked->ctx, "Currency code is required with currency style.");
      asked->failed = true;
    }
    if (currency > 0) {
      style.before = signs[currency - 1];
      style.least = style.most = own_digits(currencies[currency - 1]);
    }
  }
  int least = asked_count(asked, "minimumFractionDigits");
  int most = asked_count(asked, "maximumFractionDigits");
  if (least >= 0 && most >= 0 && least > most && !asked->failed) {
    JS_ThrowRangeError(asked->ctx, "maximumFractionDigits value is out of range.");
    asked->failed = true;
  }
  if (least >= 0) style.most = most >= 0 ? most : least > style.most ? least : style.most;
  if (least < 0 && most >= 0) style.most = most;
  style.least = least >= 0 ? least : style.least < style.most ? style.least : style.most;
  style.grouped = !asked_is_false(asked, "useGrouping");
  JSValue grouping = asked_option(asked, "useGrouping");
  if (JS_IsString(grouping)) {
    static const char* const groupings[] = {"always", "auto", "true", "false", NULL};
    asked_choice(asked, "useGrouping", groupings);
  }
  JS_FreeValue(asked->ctx, grouping);
  asked_without(asked, unknown);
  return style;
}

// A digit before the first one that counts, for what rounding carries over, and the digits;
// `point` of them stand before the point.
typedef struct {
  char* digits;
  int32_t count, point;
} Decimal;

static void round_to(Decimal* number, int most) {
  int64_t kept = (int64_t)number->point + most;
  if (kept >= number->count) return;
  if (kept < 0) kept = 0, number->digits[1] = '0';
  bool up = number->digits[1 + kept] >= '5';
  number->count = (int32_t)kept;
  if (!up) return;
  int32_t at = (int32_t)kept;
  while (number->digits[at] == '9') number->digits[at--] = '0';
  ++number->digits[at];
  if (at > 0) return;
  --number->digits;  // it needs the digit before; the caller knows where its room begins
  ++number->count, ++number->point;
}

static void put_number(Buffer* out, Decimal number, const NumberStyle* style) {
  if (number.count > 1 || number.digits[1] != '0') number.point += style->shift;
  round_to(&number, style->most);
  for (int32_t i = 0; i < number.point || i == 0; ++i) {
    int32_t left = number.point - i;
    if (i > 0 && left % 3 == 0 && style->grouped) put_u8(out, ',');
    put_u8(out, number.point > 0 && i < number.count ? (uint8_t)number.digits[1 + i] : '0');
  }
  int32_t digits = number.count - number.point;
  while (digits > 0 && (number.count == 0 || number.digits[number.count] == '0'))
    --number.count, --digits;
  if (number.count <= 0) digits = 0;
  if (digits < style->least) digits = style->least;
  if (digits > 0) put_u8(out, '.');
  for (int32_t i = 0; i < digits; ++i) {
    int32_t at = number.point + i;
    put_u8(out, at >= 0 && at < number.count ? (uint8_t)number.digits[1 + at] : '0');
  }
}

// Reads what String() makes of a number: `-1.5e-7`, `123`.
static void put_decimal_text(Buffer* out, const char* text, bool negative,
                             const NumberStyle* style) {
  if (*text == '-') ++text, negative = true;
  if (negative) put_u8(out, '-');
  put_bytes(out, style->before, (uint32_t)strlen(style->before));
  if (*text == 'N') {
    put_bytes(out, "NaN", 3);
  } else if (*text == 'I') {
    put_bytes(out, "∞", 3);
  } else {
    char* room = malloc(strlen(text) + 4);
    if (!room) __builtin_trap();
    room[0] = room[1] = '0';
    Decimal number = {room + 1, 0, -1};
    const char* at = text;
    for (; *at && *at != 'e'; ++at) {
      if (*at == '.')
        number.point = number.count;
      else
        number.digits[1 + number.count++] = *at;
    }
    if (number.point < 0) number.point = number.count;
    if (*at == 'e') number.point += atoi(at + 1);
    int32_t zeros = 0;
    while (zeros < number.count - 1 && number.digits[1 + zeros] == '0') ++zeros;
    memmove(number.digits + 1, number.digits + 1 + zeros, (size_t)(number.count - zeros));
    number.count -= zeros, number.point -= zeros;
    number.digits[1 + number.count] = '0';
    number.digits[0] = '0';
    put_number(out, number, style);
    free(room);
  }
  put_bytes(out, style->behind, (uint32_t)strlen(style->behind));
}

static JSValue finished(JSContext* ctx, Buffer* text) {
  JSValue string = JS_NewStringLen(ctx, (const char*)text->data, text->size);
  free(text->data);
  return string;
}

static JSValue number_to_locale(JSContext* ctx, JSValueConst self, int argc, JSValueConst* argv) {
  double number = 0;
  if (!JS_IsNumber(self) && engine_kind(self) != KIND_NUMBER)
    return JS_ThrowTypeError(ctx, "not a number");
  if (JS_ToFloat64(ctx, &number, self)) return JS_EXCEPTION;
  Asked asked = asked_for(ctx, "toLocaleString", number_advice, argc, argv, 0, english_locales);
  NumberStyle style = number_style(&asked);
  if (asked.failed) return JS_EXCEPTION;
  JSValue plain = JS_NewFloat64(ctx, number);
  const char* digits = JS_ToCString(ctx, plain);
  if (!digits) return JS_EXCEPTION;
  Buffer text = {0};
  put_decimal_text(&text, digits, number == 0 && 1 / number < 0, &style);
  JS_FreeCString(ctx, digits);
  return finished(ctx, &text);
}

static JSValue bigint_to_locale(JSContext* ctx, JSValueConst self, int argc, JSValueConst* argv) {
  if (!JS_IsBigInt(self) && engine_kind(self) != KIND_BIGINT)
    return JS_ThrowTypeError(ctx, "not a BigInt");
  Asked asked = asked_for(ctx, "toLocaleString", number_advice, argc, argv, 0, english_locales);
  NumberStyle style = number_style(&asked);
  const char* digits = asked.failed ? NULL : JS_ToCString(ctx, self);
  if (!digits) return JS_EXCEPTION;
  Buffer text = {0};
  put_decimal_text(&text, digits, false, &style);
  JS_FreeCString(ctx, digits);
  return finished(ctx, &text);
}

void locale_numbers_install(JSContext* ctx, JSValueConst number, JSValueConst bigint) {
  locale_set(ctx, number, "toLocaleString",
             JS_NewCFunction(ctx, number_to_locale, "toLocaleString", 0));
  locale_set(ctx, bigint, "toLocaleString",
             JS_NewCFunction(ctx, bigint_to_locale, "toLocaleString", 0));
}
