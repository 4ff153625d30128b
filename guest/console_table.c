// console.table: rows and columns between lines, as Node draws them.

#include "console.h"
#include "inspect.h"

enum {
  MAX_ROWS = 1000,
  MAX_COLUMNS = 50,
  MAX_CELL_BYTES = 1000,
  MAX_TEXT_BYTES = 1 << 20,
  NO_CELL = 0,
};

typedef struct {
  uint32_t start, size, width;  // in Table.text; the width in characters
} Cell;

typedef struct {
  JSContext* ctx;
  Buffer text;  // of all cells
  Cell* cells;  // cells[0] is the empty one
  uint32_t cell_count;
  JSAtom names[MAX_COLUMNS];  // of the members that are columns
  uint32_t name_count;
  uint32_t* grid;  // of each row: the index, the members, the value
  uint32_t row_count;
  uint32_t left_out;  // rows
  bool has_values;    // rows that are no objects have their value in a column of its own
} Table;

static const InspectRule cell_rule = {.depth = 0, .items = 3, .is_alone = false};
static const InspectRule wide_cell_rule = {.depth = -1, .items = 3, .is_alone = false};

static void forget(JSContext* ctx) { JS_FreeValue(ctx, JS_GetException(ctx)); }

static bool is_continuation(uint8_t byte) { return (byte & 0xC0) == 0x80; }

// What was written behind `start` becomes a cell, on one line and cut short.
static uint32_t end_cell(Table* table, uint32_t start) {
  uint32_t end = table->text.size;
  if (end - start > MAX_CELL_BYTES) {
    end = start + MAX_CELL_BYTES;
    while (end > start && is_continuation(table->text.data[end])) --end;
    table->text.size = end;
  }
  uint32_t width = 0;
  for (uint32_t i = start; i < end; ++i) {
    uint8_t* byte = &table->text.data[i];
    if (*byte == '\n' || *byte == '\r') *byte = ' ';
    if (!is_continuation(*byte)) ++width;
  }
  table->cells[table->cell_count] = (Cell){start, end - start, width};
  return table->cell_count++;
}

static uint32_t text_cell(Table* table, const char* text) {
  uint32_t start = table->text.size;
  put_bytes(&table->text, text, (uint32_t)strlen(text));
  return end_cell(table, start);
}

static uint32_t key_cell(Table* table, JSAtom key) {
  uint32_t start = table->text.size;
  inspect_key(&table->text, table->ctx, key);
  return end_cell(table, start);
}

static uint32_t number_cell(Table* table, uint32_t number) {
  char digits[12];
  int at = sizeof digits - 1;
  digits[at] = 0;
  do digits[--at] = (char)('0' + number % 10);
  while (number /= 10);
  return text_cell(table, digits + at);
}

static bool has_many_members(Table* table, JSValueConst value) {
  enum { MANY = 3 };
  JSValueConst object = engine_unproxied(value);
  if (!JS_IsObject(object) || engine_look(object) != LOOK_OBJECT) return false;
  JSPropertyEnum* keys = NULL;
  uint32_t count = 0;
  if (JS_GetOwnPropertyNames(table->ctx, &keys, &count, object,
                             JS_GPN_STRING_MASK | JS_GPN_ENUM_ONLY)) {
    forget(table->ctx);
    return false;
  }
  JS_FreePropertyEnum(table->ctx, keys, count);
  return count >= MANY;
}

static uint32_t value_cell(Table* table, JSValueConst value) {
  uint32_t start = table->text.size;
  inspect(&table->text, table->ctx, value,
          has_many_members(table, value) ? &wide_cell_rule : &cell_rule);
  return end_cell(table, start);
}

// NO_CELL if the object has no such property.
static uint32_t member_cell(Table* table, JSValueConst object, JSAtom name) {
  JSPropertyDescriptor descriptor;
  int found = JS_GetOwnProperty(table->ctx, &descriptor, object, name);
  if (found < 0) forget(table->ctx);
  if (found <= 0) return NO_CELL;
  uint32_t cell = descriptor.flags & JS_PROP_GETSET ? text_cell(table, "[Getter]")
                                                    : value_cell(table, descriptor.value);
  JS_FreeValue(table->ctx, descriptor.value);
  JS_FreeValue(table->ctx, descriptor.getter);
  JS_FreeValue(table->ctx, descriptor.setter);
  return cell;
}

// Columns.

static void add_name(Table* table, JSAtom name) {
  for (uint32_t i = 0; i < table->name_count; ++i)
    if (table->names[i] == name) return;
  if (table->name_count < MAX_COLUMNS)
    table->names[table->name_count++] = JS_DupAtom(table->ctx, name);
}

static void add_names_of(Table* table, JSValueConst row) {
  JSPropertyEnum* keys = NULL;
  uint32_t count = 0;
  if (JS_GetOwnPropertyNames(table->ctx, &keys, &count, row,
                             JS_GPN_STRING_MASK | JS_GPN_ENUM_ONLY)) {
    forget(table->ctx);
    return;
  }
  for (uint32_t i = 0; i < count && table->name_count < MAX_COLUMNS; ++i)
    add_name(table, keys[i].atom);
  JS_FreePropertyEnum(table->ctx, keys, count);
}

static bool add_named_columns(Table* table, JSValueConst columns) {
  if (!JS_IsObject(columns)) return false;
  JSValueConst list = engine_unproxied(columns);
  if (!JS_IsObject(list) || engine_look(list) != LOOK_ARRAY) return false;
  for (uint32_t i = 0; i < MAX_COLUMNS; ++i) {
    JSAtom index = JS_NewAtomUInt32(table->ctx, i);
    JSPropertyDescriptor descriptor;
    int found = JS_GetOwnProperty(table->ctx, &descriptor, list, index);
    JS_FreeAtom(table->ctx, index);
    if (found < 0) forget(table->ctx);
    if (found <= 0) break;
    if (JS_IsString(descriptor.value) || JS_IsNumber(descriptor.value)) {
      JSAtom name = JS_ValueToAtom(table->ctx, descriptor.value);
      add_name(table, name);
      JS_FreeAtom(table->ctx, name);
    }
    JS_FreeValue(table->ctx, descriptor.value);
    JS_FreeValue(table->ctx, descriptor.getter);
    JS_FreeValue(table->ctx, descriptor.setter);
  }
  return true;
}

// Rows.

static uint32_t grid_width(const Table* table) { return table->name_count + 2; }

static void make_room(Table* table, uint32_t rows) {
  uint32_t places = rows * grid_width(table);
  table->grid = calloc(places + 1, sizeof *table->grid);
  table->cells = calloc(places + MAX_COLUMNS + 8, sizeof *table->cells);
  if (!table->grid || !table->cells) __builtin_trap();
  table->cell_count = NO_CELL + 1;
}

static uint32_t* new_row(Table* table) {
  return &table->grid[table->row_count++ * grid_width(table)];
}

static bool is_full(const Table* table) { return table->text.size > MAX_TEXT_BYTES; }

static JSValueConst row_object(JSValueConst value) {
  if (!JS_IsObject(value)) return JS_UNDEFINED;
  JSValueConst object = engine_unproxied(value);
  bool has_members = JS_IsObject(object) && engine_look(object) != LOOK_FUNCTION;
  return has_members ? object : JS_UNDEFINED;
}

static void fill_row(Table* table, uint32_t* row, JSValueConst value) {
  JSValueConst object = row_object(value);
  if (!JS_IsObject(object)) {
    row[grid_width(table) - 1] = value_cell(table, value);
    table->has_values = true;
    return;
  }
  for (uint32_t i = 0; i < table->name_count; ++i)
    row[i + 1] = member_cell(table, object, table->names[i]);
}

// An own data property of the table's object; undefined for a getter.
static JSValue own_value(Table* table, JSValueConst object, JSAtom key) {
  JSPropertyDescriptor descriptor;
  int found = JS_GetOwnProperty(table->ctx, &descriptor, object, key);
  if (found < 0) forget(table->ctx);
  if (found <= 0) return JS_UNDEFINED;
  JS_FreeValue(table->ctx, descriptor.getter);
  JS_FreeValue(table->ctx, descriptor.setter);
  return descriptor.value;
}

static void fill_from_members(Table* table, JSValueConst object, JSValueConst columns) {
  JSPropertyEnum* keys = NULL;
  uint32_t count = 0;
  if (JS_GetOwnPropertyNames(table->ctx, &keys, &count, object,
                             JS_GPN_STRING_MASK | JS_GPN_ENUM_ONLY)) {
    forget(table->ctx);
    count = 0;
  }
  uint32_t rows = count < MAX_ROWS ? count : MAX_ROWS;
  if (!add_named_columns(table, columns)) {
    for (uint32_t i = 0; i < rows; ++i) {
      JSValue value = own_value(table, object, keys[i].atom);
      JSValueConst row = row_object(value);
      if (JS_IsObject(row)) add_names_of(table, row);
      JS_FreeValue(table->ctx, value);
    }
  }
  make_room(table, rows);
  for (uint32_t i = 0; i < rows && !is_full(table); ++i) {
    JSValue value = own_value(table, object, keys[i].atom);
    uint32_t* row = new_row(table);
    row[0] = key_cell(table, keys[i].atom);
    fill_row(table, row, value);
    JS_FreeValue(table->ctx, value);
  }
  table->left_out = count - table->row_count;
  if (keys) JS_FreePropertyEnum(table->ctx, keys, count);
}

// A Map has a column of keys, which takes the place of a member's.
static void fill_from_entries(Table* table, JSValueConst collection) {
  uint32_t count;
  bool in_pairs;
  JSValue* entries = malloc(2 * MAX_ROWS * sizeof(JSValue));
  if (!entries) __builtin_trap();
  uint32_t written = engine_some_entries(collection, entries, MAX_ROWS, &count, &in_pairs);
  if (in_pairs) add_name(table, JS_ATOM_NULL);
  uint32_t step = in_pairs ? 2 : 1;
  make_room(table, written / step);
  table->has_values = true;
  for (uint32_t i = 0; i < written; i += step) {
    if (!is_full(table)) {
      uint32_t* row = new_row(table);
      row[0] = number_cell(table, i / step);
      if (in_pairs) row[1] = value_cell(table, entries[i]);
      row[grid_width(table) - 1] = value_cell(table, entries[i + step - 1]);
    }
    for (uint32_t j = 0; j < step; ++j) JS_FreeValue(table->ctx, entries[i + j]);
  }
  free(entries);
  table->left_out = count - table->row_count;
}

// Drawing.

static void put(Buffer* out, const char* text) { put_bytes(out, text, (uint32_t)strlen(text)); }

static uint32_t shown_columns(const Table* table) {
  return grid_width(table) - (table->has_values ? 0 : 1);
}

static void put_rule(Buffer* out, const uint32_t* widths, uint32_t columns, const char* left,
                     const char* cross, const char* right) {
  put(out, left);
  for (uint32_t i = 0; i < columns; ++i) {
    if (i > 0) put(out, cross);
    for (uint32_t j = 0; j < widths[i] + 2; ++j) put(out, "─");
  }
  put(out, right);
}

static void put_row(Buffer* out, const Table* table, const uint32_t* cells, const uint32_t* widths,
                    uint32_t columns) {
  put(out, "\n│");
  for (uint32_t i = 0; i < columns; ++i) {
    const Cell* cell = &table->cells[cells[i]];
    put(out, " ");
    if (cell->size > 0) put_bytes(out, table->text.data + cell->start, cell->size);
    for (uint32_t j = cell->width; j < widths[i] + 1; ++j) put(out, " ");
    put(out, "│");
  }
}

static void draw(Buffer* out, Table* table, const char* index_name) {
  uint32_t heads[MAX_COLUMNS + 2];
  uint32_t widths[MAX_COLUMNS + 2];
  uint32_t columns = shown_columns(table);
  heads[0] = text_cell(table, index_name);
  for (uint32_t i = 0; i < table->name_count; ++i)
    heads[i + 1] = table->names[i] == JS_ATOM_NULL ? text_cell(table, "Key")
                                                   : key_cell(table, table->names[i]);
  heads[table->name_count + 1] = text_cell(table, "Values");
  for (uint32_t i = 0; i < columns; ++i) {
    widths[i] = table->cells[heads[i]].width;
    for (uint32_t row = 0; row < table->row_count; ++row) {
      uint32_t width = table->cells[table->grid[row * grid_width(table) + i]].width;
      if (width > widths[i]) widths[i] = width;
    }
  }
  put_rule(out, widths, columns, "┌", "┬", "┐");
  put_row(out, table, heads, widths, columns);
  put(out, "\n");
  put_rule(out, widths, columns, "├", "┼", "┤");
  for (uint32_t row = 0; row < table->row_count && out->size < 4 * MAX_TEXT_BYTES; ++row)
    put_row(out, table, &table->grid[row * grid_width(table)], widths, columns);
  put(out, "\n");
  put_rule(out, widths, columns, "└", "┴", "┘");
  if (table->left_out > 0) {
    uint32_t more = number_cell(table, table->left_out);
    put(out, "\n... ");
    put_bytes(out, table->text.data + table->cells[more].start, table->cells[more].size);
    put(out, table->left_out > 1 ? " more rows" : " more row");
  }
}

bool console_put_table(Buffer* out, JSContext* ctx, JSValueConst data, JSValueConst columns) {
  JSValueConst object = JS_IsObject(data) ? engine_unproxied(data) : JS_UNDEFINED;
  if (!JS_IsObject(object)) return false;
  enum EngineLook look = engine_look(object);
  if (look == LOOK_FUNCTION) return false;
  Table* table = calloc(1, sizeof *table);
  if (!table) __builtin_trap();
  table->ctx = ctx;
  bool is_collection = look == LOOK_MAP || look == LOOK_SET || look == LOOK_MAP_ITERATOR ||
                       look == LOOK_SET_ITERATOR;
  if (is_collection)
    fill_from_entries(table, object);
  else
    fill_from_members(table, object, columns);
  draw(out, table, is_collection ? "(iteration index)" : "(index)");
  for (uint32_t i = 0; i < table->name_count; ++i) JS_FreeAtom(ctx, table->names[i]);
  free(table->text.data);
  free(table->cells);
  free(table->grid);
  free(table);
  return true;
}
