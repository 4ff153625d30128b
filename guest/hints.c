// Hints for an uncaught error about a name that does not exist: similar names that do.

#include "guest.h"

enum {
  MOST_NAME_BYTES = 64,  // longer names are not typing errors
  MOST_NAMES = 3,
  MOST_LISTED = 8,
  MOST_SEEN = 10000,
};

typedef struct {
  char wanted[MOST_NAME_BYTES + 1];  // in lower case
  uint32_t wanted_size;
  uint32_t seen;
  uint32_t count;
  struct {
    uint32_t distance;
    char text[MOST_NAME_BYTES + 1];
  } best[MOST_NAMES];
  bool lists;  // what there is, whatever it is like
  char listed[MOST_LISTED][MOST_NAME_BYTES + 1];
  uint32_t listed_count;
} Search;

static char lower(char c) { return c >= 'A' && c <= 'Z' ? (char)(c + ('a' - 'A')) : c; }

static uint32_t least(uint32_t a, uint32_t b) { return a < b ? a : b; }

// How many letters must be inserted, left out, changed, or swapped with their neighbour.
static uint32_t distance(const char* a, uint32_t a_size, const char* b, uint32_t b_size) {
  uint32_t rows[3][MOST_NAME_BYTES + 1];
  for (uint32_t j = 0; j <= b_size; ++j) rows[0][j] = j;
  for (uint32_t i = 1; i <= a_size; ++i) {
    uint32_t* row = rows[i % 3];
    const uint32_t* above = rows[(i + 2) % 3];
    const uint32_t* twice_above = rows[(i + 1) % 3];
    row[0] = i;
    for (uint32_t j = 1; j <= b_size; ++j) {
      char other = lower(b[j - 1]);
      row[j] = least(least(above[j], row[j - 1]) + 1, above[j - 1] + (a[i - 1] != other));
      if (i > 1 && j > 1 && a[i - 1] == lower(b[j - 2]) && a[i - 2] == other)
        row[j] = least(row[j], twice_above[j - 2] + 1);
    }
  }
  return rows[a_size % 3][b_size];
}

static bool is_known(const Search* search, const char* name) {
  for (uint32_t i = 0; i < search->count; ++i)
    if (strcmp(search->best[i].text, name) == 0) return true;
  return false;
}

static bool see(void* opaque, const char* name, bool is_own) {
  Search* search = opaque;
  uint32_t size = (uint32_t)strlen(name);
  if (++search->seen > MOST_SEEN) return false;
  if (size == 0 || size > MOST_NAME_BYTES) return true;
  if (search->lists && is_own && search->listed_count < MOST_LISTED)
    memcpy(search->listed[search->listed_count++], name, size + 1);

  uint32_t most = search->wanted_size < 5 ? 1 : search->wanted_size < 9 ? 2 : 3;
  uint32_t far = distance(search->wanted, search->wanted_size, name, size);
  if (far > most || far >= search->wanted_size || is_known(search, name)) return true;
  uint32_t place = search->count;
  while (place > 0 && search->best[place - 1].distance > far) --place;
  if (place == MOST_NAMES) return true;
  if (search->count < MOST_NAMES) ++search->count;
  memmove(&search->best[place + 1], &search->best[place],
          (search->count - 1 - place) * sizeof search->best[0]);
  search->best[place].distance = far;
  memcpy(search->best[place].text, name, size + 1);
  return true;
}

static void put_c_text(Buffer* buffer, const char* text) {
  uint32_t size = (uint32_t)strlen(text);
  put_u32(buffer, size);
  put_bytes(buffer, text, size);
}

void hints_put(Buffer* buffer, JSContext* ctx, JSValueConst thrown) {
  static Search search;  // too large for the stack of a program that ran out of it
  JSValue object;
  JSValue name;
  if (!engine_lacking(ctx, thrown, &object, &name)) {
    put_u32(buffer, 0);
    put_u8(buffer, 0);
    put_u32(buffer, 0);
    return;
  }
  memset(&search, 0, sizeof search);
  const char* wanted = JS_ToCString(ctx, name);
  size_t size = wanted ? strlen(wanted) : 0;
  bool is_global = false;
  put_c_text(buffer, wanted && size <= MOST_NAME_BYTES ? wanted : "");
  if (wanted && size > 0 && size <= MOST_NAME_BYTES) {
    search.wanted_size = (uint32_t)size;
    for (size_t i = 0; i < size; ++i) search.wanted[i] = lower(wanted[i]);
    JSValue global = JS_GetGlobalObject(ctx);
    is_global = JS_IsObject(object) && JS_VALUE_GET_PTR(object) == JS_VALUE_GET_PTR(global);
    search.lists = JS_IsObject(object) && !is_global;
    JS_FreeValue(ctx, global);
    engine_each_name(ctx, object, see, &search);
  }
  bool is_near = search.count > 0;
  uint32_t how = (is_near ? UNKNOWN_HAS_NEAR : 0u) | (is_global ? UNKNOWN_IS_GLOBAL : 0u);
  if (JS_IsPromise(object)) how |= UNKNOWN_IN_PROMISE;
  if (engine_kind(object) == KIND_ARRAY) how |= UNKNOWN_IN_LIST;
  if (JS_IsString(object)) how |= UNKNOWN_IN_TEXT;
  put_u8(buffer, (uint8_t)how);
  put_u32(buffer, is_near ? search.count : search.listed_count);
  for (uint32_t i = 0; i < (is_near ? search.count : search.listed_count); ++i)
    put_c_text(buffer, is_near ? search.best[i].text : search.listed[i]);
  JS_FreeCString(ctx, wanted);
  JS_FreeValue(ctx, object);
  JS_FreeValue(ctx, name);
}
