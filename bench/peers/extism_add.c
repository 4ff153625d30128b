// The function `add` of tests/duplex/guest.c as a plugin of Extism: "[40,2]" in, "42" out.
//
//   clang-19 --target=wasm32 -nostdlib -O2 -Wl,--no-entry -o extism_add.wasm extism_add.c

#include <stdint.h>

#define HOST(name) __attribute__((import_module("extism:host/env"), import_name(name)))

HOST("input_length") uint64_t input_length(void);
HOST("input_load_u8") uint32_t input_load_u8(uint64_t offset);
HOST("alloc") uint64_t host_alloc(uint64_t size);
HOST("store_u8") void host_store_u8(uint64_t address, uint32_t byte);
HOST("output_set") void output_set(uint64_t address, uint64_t size);

__attribute__((export_name("add"))) int32_t add(void) {
  uint64_t size = input_length();
  int64_t sum = 0, number = 0;
  for (uint64_t i = 0; i < size; ++i) {
    uint32_t letter = input_load_u8(i);
    if (letter >= '0' && letter <= '9') {
      number = number * 10 + (letter - '0');
    } else {
      sum += number;
      number = 0;
    }
  }
  sum += number;
  char digits[20];
  uint64_t count = 0;
  do {
    digits[count++] = (char)('0' + sum % 10);
    sum /= 10;
  } while (sum > 0);
  uint64_t out = host_alloc(count);
  for (uint64_t i = 0; i < count; ++i) host_store_u8(out + i, (uint8_t)digits[count - 1 - i]);
  output_set(out, count);
  return 0;
}
