// The hashes of crypto.subtle, of bytes that come in parts.
#pragma once

#include <stdint.h>

enum HashName { SHA_1 = 0, SHA_256 = 1, SHA_384 = 2, SHA_512 = 3 };
enum { MAX_HASH_SIZE = 64, MAX_HASH_BLOCK = 128 };

typedef union {
  uint32_t words[8];
  uint64_t longs[8];
} HashState;

typedef struct {
  enum HashName which;
  uint64_t size;
  HashState state;
  uint8_t held[MAX_HASH_BLOCK];  // what does not fill a block yet
} Hash;

uint32_t hash_size(enum HashName which);
uint32_t hash_block_size(enum HashName which);

void hash_begin(Hash* hash, enum HashName which);
void hash_add(Hash* hash, const uint8_t* bytes, uint32_t size);
void hash_end(Hash* hash, uint8_t* out);  // hash_size() bytes
