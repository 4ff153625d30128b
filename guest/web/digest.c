// SHA-1, SHA-256, SHA-384 and SHA-512 (FIPS 180-4).

#include "digest.h"

#include <string.h>

static uint32_t left32(uint32_t value, int by) { return value << by | value >> (32 - by); }
static uint32_t right32(uint32_t value, int by) { return value >> by | value << (32 - by); }
static uint64_t right64(uint64_t value, int by) { return value >> by | value << (64 - by); }

static uint32_t load32(const uint8_t* from) {
  uint32_t value;
  memcpy(&value, from, 4);
  return __builtin_bswap32(value);
}
static uint64_t load64(const uint8_t* from) {
  uint64_t value;
  memcpy(&value, from, 8);
  return __builtin_bswap64(value);
}

static void sha1_block(uint32_t* state, const uint8_t* block) {
  uint32_t w[80];
  for (int i = 0; i < 16; ++i) w[i] = load32(block + 4 * i);
  for (int i = 16; i < 80; ++i) w[i] = left32(w[i - 3] ^ w[i - 8] ^ w[i - 14] ^ w[i - 16], 1);
  uint32_t a = state[0], b = state[1], c = state[2], d = state[3], e = state[4];
  for (int i = 0; i < 80; ++i) {
    uint32_t f = i < 20   ? ((b & c) | (~b & d)) + 0x5A827999
                 : i < 40 ? (b ^ c ^ d) + 0x6ED9EBA1
                 : i < 60 ? ((b & c) | (b & d) | (c & d)) + 0x8F1BBCDC
                          : (b ^ c ^ d) + 0xCA62C1D6;
    uint32_t next = left32(a, 5) + f + e + w[i];
    e = d, d = c, c = left32(b, 30), b = a, a = next;
  }
  state[0] += a, state[1] += b, state[2] += c, state[3] += d, state[4] += e;
}

// The first 64 bits of the fractional parts of the cube roots of the first primes; SHA-256 takes
// their upper halves.
static const uint64_t roots[80] = {
    0x428a2f98d728ae22, 0x7137449123ef65cd, 0xb5c0fbcfec4d3b2f, 0xe9b5dba58189dbbc,
    0x3956c25bf348b538, 0x59f111f1b605d019, 0x923f82a4af194f9b, 0xab1c5ed5da6d8118,
    0xd807aa98a3030242, 0x12835b0145706fbe, 0x243185be4ee4b28c, 0x550c7dc3d5ffb4e2,
    0x72be5d74f27b896f, 0x80deb1fe3b1696b1, 0x9bdc06a725c71235, 0xc19bf174cf692694,
    0xe49b69c19ef14ad2, 0xefbe4786384f25e3, 0x0fc19dc68b8cd5b5, 0x240ca1cc77ac9c65,
    0x2de92c6f592b0275, 0x4a7484aa6ea6e483, 0x5cb0a9dcbd41fbd4, 0x76f988da831153b5,
    0x983e5152ee66dfab, 0xa831c66d2db43210, 0xb00327c898fb213f, 0xbf597fc7beef0ee4,
    0xc6e00bf33da88fc2, 0xd5a79147930aa725, 0x06ca6351e003826f, 0x142929670a0e6e70,
    0x27b70a8546d22ffc, 0x2e1b21385c26c926, 0x4d2c6dfc5ac42aed, 0x53380d139d95b3df,
    0x650a73548baf63de, 0x766a0abb3c77b2a8, 0x81c2c92e47edaee6, 0x92722c851482353b,
    0xa2bfe8a14cf10364, 0xa81a664bbc423001, 0xc24b8b70d0f89791, 0xc76c51a30654be30,
    0xd192e819d6ef5218, 0xd69906245565a910, 0xf40e35855771202a, 0x106aa07032bbd1b8,
    0x19a4c116b8d2d0c8, 0x1e376c085141ab53, 0x2748774cdf8eeb99, 0x34b0bcb5e19b48a8,
    0x391c0cb3c5c95a63, 0x4ed8aa4ae3418acb, 0x5b9cca4f7763e373, 0x682e6ff3d6b2b8a3,
    0x748f82ee5defb2fc, 0x78a5636f43172f60, 0x84c87814a1f0ab72, 0x8cc702081a6439ec,
    0x90befffa23631e28, 0xa4506cebde82bde9, 0xbef9a3f7b2c67915, 0xc67178f2e372532b,
    0xca273eceea26619c, 0xd186b8c721c0c207, 0xeada7dd6cde0eb1e, 0xf57d4f7fee6ed178,
    0x06f067aa72176fba, 0x0a637dc5a2c898a6, 0x113f9804bef90dae, 0x1b710b35131c471b,
    0x28db77f523047d84, 0x32caab7b40c72493, 0x3c9ebe0a15c9bebc, 0x431d67c49c100d4c,
    0x4cc5d4becb3e42b6, 0x597f299cfc657e2a, 0x5fcb6fab3ad6faec, 0x6c44198c4a475817};

static void sha256_block(uint32_t* state, const uint8_t* block) {
  uint32_t w[64];
  for (int i = 0; i < 16; ++i) w[i] = load32(block + 4 * i);
  for (int i = 16; i < 64; ++i) {
    uint32_t s0 = right32(w[i - 15], 7) ^ right32(w[i - 15], 18) ^ w[i - 15] >> 3;
    uint32_t s1 = right32(w[i - 2], 17) ^ right32(w[i - 2], 19) ^ w[i - 2] >> 10;
    w[i] = w[i - 16] + s0 + w[i - 7] + s1;
  }
  uint32_t s[8];
  memcpy(s, state, sizeof s);
  for (int i = 0; i < 64; ++i) {
    uint32_t e = right32(s[4], 6) ^ right32(s[4], 11) ^ right32(s[4], 25);
    uint32_t choice = (s[4] & s[5]) ^ (~s[4] & s[6]);
    uint32_t first = s[7] + e + choice + (uint32_t)(roots[i] >> 32) + w[i];
    uint32_t a = right32(s[0], 2) ^ right32(s[0], 13) ^ right32(s[0], 22);
    uint32_t second = a + ((s[0] & s[1]) ^ (s[0] & s[2]) ^ (s[1] & s[2]));
    memmove(s + 1, s, 7 * sizeof *s);
    s[4] += first;
    s[0] = first + second;
  }
  for (int i = 0; i < 8; ++i) state[i] += s[i];
}

static void sha512_block(uint64_t* state, const uint8_t* block) {
  uint64_t w[80];
  for (int i = 0; i < 16; ++i) w[i] = load64(block + 8 * i);
  for (int i = 16; i < 80; ++i) {
    uint64_t s0 = right64(w[i - 15], 1) ^ right64(w[i - 15], 8) ^ w[i - 15] >> 7;
    uint64_t s1 = right64(w[i - 2], 19) ^ right64(w[i - 2], 61) ^ w[i - 2] >> 6;
    w[i] = w[i - 16] + s0 + w[i - 7] + s1;
  }
  uint64_t s[8];
  memcpy(s, state, sizeof s);
  for (int i = 0; i < 80; ++i) {
    uint64_t e = right64(s[4], 14) ^ right64(s[4], 18) ^ right64(s[4], 41);
    uint64_t choice = (s[4] & s[5]) ^ (~s[4] & s[6]);
    uint64_t first = s[7] + e + choice + roots[i] + w[i];
    uint64_t a = right64(s[0], 28) ^ right64(s[0], 34) ^ right64(s[0], 39);
    uint64_t second = a + ((s[0] & s[1]) ^ (s[0] & s[2]) ^ (s[1] & s[2]));
    memmove(s + 1, s, 7 * sizeof *s);
    s[4] += first;
    s[0] = first + second;
  }
  for (int i = 0; i < 8; ++i) state[i] += s[i];
}

static const HashState starts[4] = {
    {.words = {0x67452301, 0xefcdab89, 0x98badcfe, 0x10325476, 0xc3d2e1f0}},
    {.words = {0x6a09e667, 0xbb67ae85, 0x3c6ef372, 0xa54ff53a, 0x510e527f, 0x9b05688c, 0x1f83d9ab,
               0x5be0cd19}},
    {.longs = {0xcbbb9d5dc1059ed8, 0x629a292a367cd507, 0x9159015a3070dd17, 0x152fecd8f70e5939,
               0x67332667ffc00b31, 0x8eb44a8768581511, 0xdb0c2e0d64f98fa7, 0x47b5481dbefa4fa4}},
    {.longs = {0x6a09e667f3bcc908, 0xbb67ae8584caa73b, 0x3c6ef372fe94f82b, 0xa54ff53a5f1d36f1,
               0x510e527fade682d1, 0x9b05688c2b3e6c1f, 0x1f83d9abfb41bd6b, 0x5be0cd19137e2179}},
};
static void add_block(Hash* hash, const uint8_t* block) {
  if (hash->which == SHA_1)
    sha1_block(hash->state.words, block);
  else if (hash->which == SHA_256)
    sha256_block(hash->state.words, block);
  else
    sha512_block(hash->state.longs, block);
}

uint32_t hash_size(enum HashName which) {
  return which == SHA_1 ? 20 : which == SHA_256 ? 32 : which == SHA_384 ? 48 : 64;
}
uint32_t hash_block_size(enum HashName which) { return which >= SHA_384 ? 128 : 64; }

void hash_begin(Hash* hash, enum HashName which) {
  hash->which = which;
  hash->size = 0;
  hash->state = starts[which];
}

void hash_add(Hash* hash, const uint8_t* bytes, uint32_t size) {
  const uint32_t block = hash_block_size(hash->which);
  uint32_t held = (uint32_t)(hash->size % block);
  hash->size += size;
  if (held > 0) {
    uint32_t more = size < block - held ? size : block - held;
    memcpy(hash->held + held, bytes, more);
    if (held + more < block) return;
    add_block(hash, hash->held);
    bytes += more, size -= more;
  }
  for (; size >= block; bytes += block, size -= block) add_block(hash, bytes);
  if (size > 0) memcpy(hash->held, bytes, size);
}

void hash_end(Hash* hash, uint8_t* out) {
  // A one, zeros, and the size in bits at the end of the last block.
  const uint32_t block = hash_block_size(hash->which);
  const uint64_t bits = __builtin_bswap64(hash->size * 8);
  uint32_t held = (uint32_t)(hash->size % block);
  hash->held[held++] = 0x80;
  if (held > block - block / 8) {
    memset(hash->held + held, 0, block - held);
    add_block(hash, hash->held);
    held = 0;
  }
  memset(hash->held + held, 0, block - held);
  memcpy(hash->held + block - 8, &bits, 8);
  add_block(hash, hash->held);

  if (hash->which >= SHA_384)
    for (int i = 0; i < 8; ++i) hash->state.longs[i] = __builtin_bswap64(hash->state.longs[i]);
  else
    for (int i = 0; i < 8; ++i) hash->state.words[i] = __builtin_bswap32(hash->state.words[i]);
  memcpy(out, &hash->state, hash_size(hash->which));
}
