#include "inspector.h"

static const char lower_hex[] = "0123456789abcdef";

static void put_empty_items(Inspector* in, Braces* braces, uint32_t count) {
  inspect_begin_member(in, braces);
  put(in, "<");
  inspect_number(in, count);
  put(in, count > 1 ? " empty items>" : " empty item>");
}

uint32_t inspect_length(Inspector* in, JSValueConst array) {
  JSValue value = engine_data(in->ctx, array, "length", false);
  uint32_t length = 0;
  if (JS_IsNumber(value) && JS_ToUint32(in->ctx, &length, value)) forget(in->ctx);
  JS_FreeValue(in->ctx, value);
  return length;
}

// Where elements are missing, those that are not enumerable count as missing too.
static uint32_t put_leading(Inspector* in, Braces* braces, JSValueConst array, uint32_t length) {
  uint32_t index = 0;
  for (; index < length && index < in->rule.items && !is_full(in); ++index) {
    JSAtom key = JS_NewAtomUInt32(in->ctx, index);
    JSPropertyDescriptor descriptor;
    int found = JS_GetOwnProperty(in->ctx, &descriptor, array, key);
    if (found > 0) {
      descriptor_free(in->ctx, &descriptor);
      inspect_begin_member(in, braces);
      inspect_property(in, array, key);
    }
    JS_FreeAtom(in->ctx, key);
    if (found < 0) forget(in->ctx);
    if (found <= 0) break;
  }
  return index;
}

void inspect_sparse(Inspector* in, Braces* braces, JSValueConst array, const Keys* keys,
                    uint32_t length) {
  uint32_t next = put_leading(in, braces, array, length);
  uint32_t written = next;
  for (uint32_t i = 0; i < keys->count && written < in->rule.items; ++i) {
    uint32_t index;
    if (!engine_index(in->ctx, keys->list[i].atom, &index) || index < next) continue;
    if (index > next) {
      put_empty_items(in, braces, index - next);
      next = index;
      if (++written == in->rule.items) break;
    }
    if (is_full(in)) break;
    inspect_begin_member(in, braces);
    inspect_property(in, array, keys->list[i].atom);
    ++next;
    ++written;
  }
  if (next >= length) return;
  if (written < in->rule.items && !is_full(in)) {
    put_empty_items(in, braces, length - next);
  } else {
    inspect_begin_member(in, braces);
    inspect_more(in, length - next, "item");
  }
}

void inspect_dense(Inspector* in, Braces* braces, JSValueConst array, uint32_t length) {
  uint32_t shown = 0;
  for (; shown < length && shown < in->rule.items && !is_full(in); ++shown) {
    JSValue element = JS_GetPropertyUint32(in->ctx, array, shown);
    inspect_begin_member(in, braces);
    inspect_value(in, element);
    JS_FreeValue(in->ctx, element);
  }
  if (shown == length) return;
  inspect_begin_member(in, braces);
  inspect_more(in, length - shown, "item");
}

void inspect_entries(Inspector* in, Braces* braces, JSValueConst collection, bool is_map) {
  JSValue entries[2 * MAX_ITEMS];
  uint32_t count;
  bool in_pairs;
  uint32_t written = engine_some_entries(collection, entries, in->rule.items, &count, &in_pairs);
  uint32_t step = in_pairs ? 2 : 1;
  uint32_t shown = 0;
  for (uint32_t i = 0; i < written; i += step) {
    if (!is_full(in)) {
      ++shown;
      inspect_begin_member(in, braces);
      if (in_pairs && !is_map) put(in, "[ ");
      inspect_value(in, entries[i]);
      if (in_pairs) {
        put(in, is_map ? " => " : ", ");
        inspect_value(in, entries[i + 1]);
        if (!is_map) put(in, " ]");
      }
    }
    for (uint32_t j = 0; j < step; ++j) JS_FreeValue(in->ctx, entries[i + j]);
  }
  if (shown == count) return;
  inspect_begin_member(in, braces);
  inspect_more(in, count - shown, "item");
}

uint32_t inspect_size(JSValueConst collection) {
  uint32_t count;
  bool in_pairs;
  engine_some_entries(collection, NULL, 0, &count, &in_pairs);
  return count;
}

void inspect_bytes(Inspector* in, Braces* braces, JSValueConst buffer) {
  enum { MAX_SHOWN = 100 };
  uint8_t* bytes;
  uint32_t size = 0;
  inspect_begin_member(in, braces);
  if (!engine_bytes(buffer, &bytes, &size)) {
    put(in, "(detached)");
    size = 0;
  } else {
    put(in, "[Uint8Contents]: <");
    for (uint32_t i = 0; i < size && i < MAX_SHOWN; ++i) {
      if (i > 0) put(in, " ");
      inspect_hex(in->out, bytes[i], 2, lower_hex);
    }
    if (size > MAX_SHOWN) {
      put(in, " ");
      inspect_more(in, size - MAX_SHOWN, "byte");
    }
    put(in, ">");
  }
  inspect_begin_member(in, braces);
  put(in, "[byteLength]: ");
  inspect_number(in, size);
}

void inspect_view(Inspector* in, Braces* braces, JSValueConst view) {
  uint8_t* bytes;
  uint32_t size = 0;
  uint32_t offset;
  JSValue buffer = engine_view_buffer(view, &offset);
  if (!engine_bytes(view, &bytes, &size)) size = offset = 0;
  inspect_begin_member(in, braces);
  put(in, "[byteLength]: ");
  inspect_number(in, size);
  inspect_begin_member(in, braces);
  put(in, "[byteOffset]: ");
  inspect_number(in, offset);
  inspect_internal(in, braces, "[buffer]", buffer);
  JS_FreeValue(in->ctx, buffer);
}

void inspect_promise(Inspector* in, Braces* braces, JSValueConst promise) {
  JSPromiseStateEnum state = JS_PromiseState(in->ctx, promise);
  inspect_begin_member(in, braces);
  if (state == JS_PROMISE_PENDING) {
    put(in, "<pending>");
    return;
  }
  if (state == JS_PROMISE_REJECTED) put(in, "<rejected> ");
  JSValue result = JS_PromiseResult(in->ctx, promise);
  inspect_value(in, result);
  JS_FreeValue(in->ctx, result);
}
