// Part of engine.c, which includes it after quickjs.c: String.prototype.localeCompare.
//
// Texts are ordered as people expect and as other engines do by default (CLDR's root order): first
// white space and punctuation, then symbols, digits, letters; accents count only where the letters
// are the same, and case only where those are too. That is exact for what is written in Latin
// letters of the languages below. Other scripts follow Latin in the order of their code points.
// What we do not have, a locale with an order of its own or a further option, is a RangeError and
// never another order without a word.

// An element of a text: its primary weight, the accent's weight, and whether it is a capital.
// Compared one level at a time. An element without a primary weight is an accent.
enum {
  WEIGHT_PUNCTUATION = 0x01000,
  WEIGHT_SYMBOL = 0x02000,
  WEIGHT_OTHER_SYMBOL = 0x03000,  // with the code point, below 0x20000
  WEIGHT_CURRENCY = 0x24000,
  WEIGHT_NUMBER = 0x25000,  // numeric: with the number of digits, before them
  WEIGHT_DIGIT = 0x26000,
  WEIGHT_LATIN = 0x27000,        // sixteen for each letter
  WEIGHT_OTHER_LATIN = 0x27200,  // with the code point, below 0x300
  WEIGHT_OTHER = 0x28000,        // with the code point
  PER_LETTER = 16,
  MOST_DIGITS = 0xFFF,
  TERTIARY_BITS = 2,
  SECONDARY_BITS = 8,
  COMMON_SECONDARY = 1,
  CAPITAL = 1,
};
#define ELEMENT(primary, secondary, tertiary)                \
  ((uint32_t)(primary) << (SECONDARY_BITS + TERTIARY_BITS) | \
   (uint32_t)(secondary) << TERTIARY_BITS | (uint32_t)(tertiary))
#define PRIMARY(element) ((element) >> (SECONDARY_BITS + TERTIARY_BITS))
#define SECONDARY(element) ((element) >> TERTIARY_BITS & ((1u << SECONDARY_BITS) - 1))
#define TERTIARY(element) ((element) & ((1u << TERTIARY_BITS) - 1))

typedef struct {
  bool numeric;
  bool capitals_first;
  bool accents;  // whether they count
  bool capitals;
  bool spanish;
} Collation;

typedef struct {
  uint32_t* data;
  uint32_t size;
  uint32_t capacity;
} Elements;

// The place of a character in a list that ends with 0, from `base` on.
static uint32_t weight_in(const uint16_t* list, uint32_t c, uint32_t base) {
  for (uint32_t i = 0; list[i]; ++i)
    if (list[i] == c) return base + i;
  return 0;
}

static uint32_t weight_of_sign(uint32_t c) {
  static const uint16_t punctuation[] = {
      '\t', '\n',   0x0B,   '\f',   '\r', 0x85, 0x2028, 0x2029, ' ',  '_', 0x203F,
      '-',  0x2010, 0x2013, 0x2014, ',',  ';',  ':',    '!',    0xA1, '?', 0xBF,
      '.',  0xB7,   '\'',   '"',    0xAB, 0xBB, '(',    ')',    '[',  ']', '{',
      '}',  0xA7,   0xB6,   '@',    '*',  '/',  '\\',   '&',    '#',  '%', 0};
  static const uint16_t symbols[] = {'`',  0xB4, 0xA8, '^', 0xAF, 0xB8, 0xB0, 0xA9, 0xAE, '+', 0xB1,
                                     0xF7, 0xD7, '<',  '=', '>',  0xAC, '|',  0xA6, '~',  0};
  static const uint16_t currencies[] = {0xA4, 0xA2, '$', 0xA3, 0xA5, 0};
  uint32_t weight = weight_in(punctuation, c, WEIGHT_PUNCTUATION);
  if (!weight) weight = weight_in(symbols, c, WEIGHT_SYMBOL);
  if (!weight) weight = weight_in(currencies, c, WEIGHT_CURRENCY);
  if (weight) return weight;
  if (c >= 0x20A0 && c < 0x20D0) return WEIGHT_CURRENCY + 8 + (c - 0x20A0);
  if ((c >= 0x2010 && c < 0x2060) || (c >= 0x2E00 && c < 0x2E80))
    return WEIGHT_PUNCTUATION + 0x100 + (c & 0xFFF);
  if ((c >= 0x2100 && c < 0x2C00) || (c >= 0x3001 && c < 0x3040) || (c >= 0x1F000 && c < 0x1FB00))
    return WEIGHT_OTHER_SYMBOL + c;
  return 0;
}

static bool is_ignored(uint32_t c) {
  return c < 9 || (c > 13 && c < 32) || (c >= 0x7F && c < 0xA0 && c != 0x85) || c == 0xAD ||
         (c >= 0x200B && c < 0x2010) || (c >= 0x202A && c < 0x202F) ||
         (c >= 0x2060 && c < 0x2070) || (c >= 0xFE00 && c < 0xFE10) || c == 0xFEFF ||
         (c >= 0xE0000 && c < 0xE1000);
}

static uint32_t weight_of_accent(uint32_t c) {
  static const uint16_t common[] = {0x301, 0x300, 0x306, 0x302, 0x30C, 0x30A, 0x308, 0x30B,
                                    0x303, 0x307, 0x338, 0x327, 0x328, 0x304, 0};
  if (c < 0x300) return 0;
  const uint32_t weight = weight_in(common, c, COMMON_SECONDARY + 1);
  if (weight) return weight;
  const bool is_accent = c < 0x370 || (c >= 0x483 && c < 0x48A) || (c >= 0x591 && c < 0x5BE) ||
                         (c >= 0x64B && c < 0x660) || (c >= 0x1AB0 && c < 0x1B00) ||
                         (c >= 0x1DC0 && c < 0x1E00) || (c >= 0x20D0 && c < 0x2100) ||
                         c == 0x3099 || c == 0x309A || (c >= 0xFE20 && c < 0xFE30);
  return is_accent ? 0x20 + c % 0xC0 : 0;
}

static void put_element(JSContext* ctx, Elements* out, uint32_t element) {
  if (out->size == out->capacity) {
    out->capacity = out->capacity ? out->capacity * 2 : 32;
    out->data = given(js_realloc(ctx, out->data, out->capacity * sizeof(uint32_t)));
  }
  out->data[out->size++] = element;
}

static void put_latin(JSContext* ctx, Elements* out, char letter, uint32_t after, uint32_t accent,
                      uint32_t capital) {
  const uint32_t primary = WEIGHT_LATIN + (uint32_t)(letter - 'a') * PER_LETTER + after;
  put_element(ctx, out, ELEMENT(primary, COMMON_SECONDARY, capital));
  if (accent) put_element(ctx, out, ELEMENT(0, accent, 0));
}

// Letters that no decomposition leads to the alphabet.
static bool put_special(JSContext* ctx, Elements* out, uint32_t c, uint32_t capital) {
  static const struct {
    uint16_t letter;
    char first, second;
    uint8_t after, accent;
  } specials[] = {
      {0xDF, 's', 's', 0, 0x1F}, {0xE6, 'a', 'e', 0, 0x1F}, {0x153, 'o', 'e', 0, 0x1F},
      {0xF8, 'o', 0, 0, 12},     {0xF0, 'd', 0, 0, 0x1E},   {0x111, 'd', 0, 0, 0x1F},
      {0x127, 'h', 0, 0, 0x1F},  {0x142, 'l', 0, 0, 0x1F},  {0x131, 'i', 0, 1, 0},
      {0x14B, 'n', 0, 1, 0},     {0x167, 't', 0, 1, 0},     {0x138, 'q', 0, 1, 0},
      {0x259, 'e', 0, 2, 0},     {0x192, 'f', 0, 1, 0},     {0xFE, 'z', 0, 15, 0},
  };
  for (uint32_t i = 0; i < countof(specials); ++i) {
    if (specials[i].letter != c) continue;
    put_latin(ctx, out, specials[i].first, specials[i].after, specials[i].accent, capital);
    if (specials[i].second) put_latin(ctx, out, specials[i].second, 0, 0, capital);
    return true;
  }
  return false;
}

static void put_character(JSContext* ctx, Elements* out, uint32_t c, const Collation* rule) {
  if (is_ignored(c)) return;
  uint32_t weight = weight_of_accent(c);
  if (weight) {
    uint32_t* last = out->size > 0 ? &out->data[out->size - 1] : NULL;
    // In Spanish ñ is a letter of its own.
    if (rule->spanish && c == 0x303 && last &&
        PRIMARY(*last) == WEIGHT_LATIN + ('n' - 'a') * PER_LETTER)
      *last += ELEMENT(2, 0, 0);
    else
      put_element(ctx, out, ELEMENT(0, weight, 0));
    return;
  }
  const bool is_quote = c >= 0x2018 && c < 0x2020;  // one of ours with an accent
  weight = weight_of_sign(!is_quote ? c : c < 0x201C ? '\'' : '"');
  if (!weight && c >= '0' && c <= '9') weight = WEIGHT_DIGIT + (c - '0');
  if (weight) {
    put_element(ctx, out, ELEMENT(weight, COMMON_SECONDARY, 0));
    if (is_quote) put_element(ctx, out, ELEMENT(0, 0x10 + (c & 3), 0));
    return;
  }
  uint32_t lower[LRE_CC_RES_LEN_MAX];
  uint32_t capital = 0;
  if (lre_case_conv(lower, c, 1) == 1 && lower[0] != c) {
    c = lower[0];
    capital = CAPITAL;
  }
  if (c >= 'a' && c <= 'z') {
    put_latin(ctx, out, (char)c, 0, 0, capital);
    return;
  }
  if (put_special(ctx, out, c, capital)) return;
  if (c >= 0x30A1 && c <= 0x30F6) {  // Katakana, as the Hiragana
    c -= 0x60;
    capital = CAPITAL;
  }
  put_element(
      ctx, out,
      ELEMENT(c < 0x300 ? WEIGHT_OTHER_LATIN + c : WEIGHT_OTHER + c, COMMON_SECONDARY, capital));
}

// A number is its length and then its digits, so the longer one is the greater.
static uint32_t put_number(JSContext* ctx, Elements* out, const uint32_t* text, uint32_t size) {
  uint32_t end = 0;
  while (end < size && text[end] >= '0' && text[end] <= '9') ++end;
  uint32_t from = 0;
  while (from + 1 < end && text[from] == '0') ++from;
  uint32_t length = end - from < MOST_DIGITS ? end - from : MOST_DIGITS;
  put_element(ctx, out, ELEMENT(WEIGHT_NUMBER + length, COMMON_SECONDARY, 0));
  for (uint32_t i = from; i < end; ++i)
    put_element(ctx, out, ELEMENT(WEIGHT_DIGIT + (text[i] - '0'), COMMON_SECONDARY, 0));
  return end;
}

static bool put_text(JSContext* ctx, Elements* out, JSString* text, const Collation* rule) {
  uint32_t* written;
  uint32_t* plain = NULL;
  int size = to_utf32_buf(ctx, text, &written);
  if (size >= 0) {
    size =
        unicode_normalize(&plain, written, size, UNICODE_NFKD, ctx, (DynBufReallocFunc*)js_realloc);
    js_free(ctx, written);
  }
  if (size < 0) return false;
  for (uint32_t i = 0; i < (uint32_t)size;) {
    if (rule->numeric && plain[i] >= '0' && plain[i] <= '9')
      i += put_number(ctx, out, plain + i, (uint32_t)size - i);
    else
      put_character(ctx, out, plain[i++], rule);
  }
  js_free(ctx, plain);
  return true;
}

static int order_of(uint32_t a, uint32_t b) { return a < b ? -1 : a > b; }

enum Level { LEVEL_PRIMARY, LEVEL_SECONDARY, LEVEL_CASE };

// The next weight of a level from `*at` on; 0 at the end.
static uint32_t next_weight(const Elements* text, uint32_t* at, enum Level level) {
  while (*at < text->size) {
    const uint32_t element = text->data[(*at)++];
    if (level == LEVEL_SECONDARY) return SECONDARY(element);
    if (!PRIMARY(element)) continue;
    return level == LEVEL_PRIMARY ? PRIMARY(element) : TERTIARY(element) + 1;
  }
  return 0;
}

static int compare_level(const Elements* a, const Elements* b, enum Level level) {
  uint32_t i = 0, j = 0;
  for (;;) {
    const uint32_t left = next_weight(a, &i, level), right = next_weight(b, &j, level);
    if (left != right) return order_of(left, right);
    if (!left) return 0;
  }
}

static int compare_elements(const Elements* a, const Elements* b, const Collation* rule) {
  int order = compare_level(a, b, LEVEL_PRIMARY);
  if (!order && rule->accents) order = compare_level(a, b, LEVEL_SECONDARY);
  if (!order && rule->capitals) {
    order = compare_level(a, b, LEVEL_CASE);
    if (rule->capitals_first) order = -order;
  }
  return order;
}

// Most texts are ASCII on both sides: no memory is taken for them.
static bool compare_ascii(JSString* a, JSString* b, const Collation* rule, int* order) {
  static uint32_t weights[128];  // 0: ignored
  if (a->is_wide_char || b->is_wide_char || rule->numeric) return false;
  if (!weights['a']) {
    for (uint32_t c = 0; c < 128; ++c) {
      const uint32_t letter = c | 0x20;
      if (is_ignored(c)) continue;
      weights[c] = letter >= 'a' && letter <= 'z' ? WEIGHT_LATIN + (letter - 'a') * PER_LETTER
                   : c >= '0' && c <= '9'         ? WEIGHT_DIGIT + (c - '0')
                                                  : weight_of_sign(c);
    }
  }
  const uint8_t *left = str8(a), *right = str8(b);
  const uint32_t left_size = a->len, right_size = b->len;
  int by_case = 0;
  uint32_t i = 0, j = 0;
  for (;;) {
    while (i < left_size && left[i] < 128 && !weights[left[i]]) ++i;
    while (j < right_size && right[j] < 128 && !weights[right[j]]) ++j;
    if ((i < left_size && left[i] >= 128) || (j < right_size && right[j] >= 128)) return false;
    const uint32_t x = i < left_size ? weights[left[i]] : 0;
    const uint32_t y = j < right_size ? weights[right[j]] : 0;
    if (x != y) {
      // An accent further on does not change that.
      *order = order_of(x, y);
      return true;
    }
    if (!x) break;
    if (!by_case && left[i] != right[j]) by_case = left[i] > right[j] ? -1 : 1;
    ++i, ++j;
  }
  *order = !rule->capitals ? 0 : rule->capitals_first ? -by_case : by_case;
  return true;
}

static JSValue refuse(JSContext* ctx, const char* what, const char* text) {
  return JS_ThrowRangeError(
      ctx, "localeCompare has no %s '%.64s'; leave it out, or sort by a key of your own", what,
      text);
}

// False: an exception.
static bool read_locale(JSContext* ctx, JSValueConst locales, Collation* rule) {
  // The languages that are sorted as the root, or as below.
  static const char known[][4] = {"en", "de", "fr", "it", "nl", "pt",
                                  "es", "ga", "id", "ms", "sw", "und"};
  if (JS_IsUndefined(locales)) return true;
  JSValue first = JS_DupValue(ctx, locales);
  if (JS_IsObject(locales)) {
    JS_FreeValue(ctx, first);
    first = JS_GetPropertyUint32(ctx, locales, 0);
    if (JS_IsUndefined(first)) return true;
  }
  if (JS_IsException(first)) return false;
  if (!JS_IsString(first)) {
    JS_FreeValue(ctx, first);
    JS_ThrowTypeError(ctx, "a locale is a string, such as 'en'");
    return false;
  }
  const char* tag = JS_ToCString(ctx, first);
  JS_FreeValue(ctx, first);
  if (!tag) return false;
  const size_t size = strcspn(tag, "-");
  const char* extension = strstr(tag, "-u-");
  bool is_known = false;
  for (uint32_t i = 0; i < countof(known) && !is_known; ++i)
    is_known = strlen(known[i]) == size && strncasecmp(known[i], tag, size) == 0;
  if (is_known && extension) {
    is_known = strcmp(extension, "-u-kn") == 0 || strcmp(extension, "-u-kn-true") == 0;
    rule->numeric = is_known;
  }
  // In French of Canada accents are compared from the end.
  if (is_known && strcasecmp(tag, "fr-CA") == 0) is_known = false;
  rule->spanish = is_known && size == 2 && strncasecmp(tag, "es", 2) == 0;
  if (!is_known) refuse(ctx, "rules of the locale", tag);
  JS_FreeCString(ctx, tag);
  return is_known;
}

// The text of an option, or NULL: it is not there, or an exception.
static const char* read_option(JSContext* ctx, JSValueConst options, const char* name,
                               bool* failed) {
  JSValue value = JS_GetPropertyStr(ctx, options, name);
  *failed = JS_IsException(value);
  if (*failed || JS_IsUndefined(value)) return NULL;
  const char* text = JS_ToCString(ctx, value);
  JS_FreeValue(ctx, value);
  *failed = !text;
  return text;
}

static bool read_rule(JSContext* ctx, JSValueConst locales, JSValueConst options, Collation* rule) {
  if (!read_locale(ctx, locales, rule)) return false;
  if (JS_IsUndefined(options)) return true;
  if (JS_IsNull(options)) {
    JS_ThrowTypeError(ctx, "the options of localeCompare are null");
    return false;
  }
  JSValue numeric = JS_GetPropertyStr(ctx, options, "numeric");
  if (JS_IsException(numeric)) return false;
  if (!JS_IsUndefined(numeric)) rule->numeric = JS_ToBool(ctx, numeric);
  JS_FreeValue(ctx, numeric);

  // The value, and what it does; the other values are not there.
  static const char* const names[] = {"sensitivity", "caseFirst", "ignorePunctuation", "collation"};
  for (uint32_t i = 0; i < countof(names); ++i) {
    bool failed;
    const char* text = read_option(ctx, options, names[i], &failed);
    if (failed) return false;
    if (!text) continue;
    bool is_known = true;
    if (i == 0) {
      rule->accents = strcmp(text, "accent") == 0 || strcmp(text, "variant") == 0;
      rule->capitals = strcmp(text, "case") == 0 || strcmp(text, "variant") == 0;
      is_known = rule->accents || rule->capitals || strcmp(text, "base") == 0;
    } else if (i == 1) {
      rule->capitals_first = strcmp(text, "upper") == 0;
      is_known = rule->capitals_first || strcmp(text, "lower") == 0 || strcmp(text, "false") == 0;
    } else {
      is_known = strcmp(text, i == 2 ? "false" : "default") == 0;
    }
    if (!is_known) refuse(ctx, names[i], text);
    JS_FreeCString(ctx, text);
    if (!is_known) return false;
  }
  return true;
}

// Our patch of QuickJS calls it.
static JSValue cordon_locale_compare(JSContext* ctx, JSString* a, JSString* b, JSValueConst locales,
                                     JSValueConst options) {
  Collation rule = {.accents = true, .capitals = true};
  if (!read_rule(ctx, locales, options, &rule)) return JS_EXCEPTION;
  int order = 0;
  if (!compare_ascii(a, b, &rule, &order)) {
    Elements left = {0}, right = {0};
    const bool good = put_text(ctx, &left, a, &rule) && put_text(ctx, &right, b, &rule);
    if (good) order = compare_elements(&left, &right, &rule);
    js_free(ctx, left.data);
    js_free(ctx, right.data);
    if (!good) return JS_EXCEPTION;
  }
  return js_int32(order);
}
