// A plugin in C with two functions. Build it with
//
//   clang-19 --target=wasm32-wasi -O2 -o rank.wasm rank.c
//
// and try it with `cordon call rank.wasm rank '[3, 1, 2]'`. Standard output is the protocol's, so
// it prints to stderr.

#include "kit.h"

static int ascending(const void* a, const void* b) {
  int64_t left = *(const int64_t*)a, right = *(const int64_t*)b;
  return (left > right) - (left < right);
}

// [3, 1, 2] -> [1, 2, 3]
static void rank(const Incoming* call) {
  int64_t numbers[15];
  uint32_t count = 0;
  while (count < 15 && element(call->params, count).size > 0) {
    numbers[count] = integer_of(element(call->params, count));
    ++count;
  }
  qsort(numbers, count, sizeof numbers[0], ascending);
  Buffer* frame = begin(1, 1, call->id);
  put_text(frame, text("result"));
  put_byte(frame, (int)(0x90 | count));
  for (uint32_t i = 0; i < count; ++i) put_integer(frame, numbers[i]);
  finish();
}

// {toolStreamId}: answers at once, and sends what it has on that stream.
static void list_items(const Incoming* call) {
  Slice stream = text_of(member(call->params, "toolStreamId"));
  send_raw(1, call->id, "result", (Slice){NULL, 0});
  send_text(3, stream, "chunk", "Hammer");
  send_text(3, stream, "chunk", "Wrench");
  send_raw(4, stream, "", (Slice){NULL, 0});
}

int main(void) {
  Incoming call;
  while (receive(&call)) {
    if (is_text(call.name, "rank")) {
      rank(&call);
    } else if (is_text(call.name, "listItems")) {
      list_items(&call);
    } else {
      send_text(2, call.id, "error", "no such function");
    }
  }
  return 0;
}
