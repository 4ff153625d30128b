#include "aes.h"

#include <string.h>

// The S-box is computed: in the memory of all guests it would lie for the few that encrypt.
typedef struct {
  uint8_t box[256];
  uint32_t round_keys[60];  // big-endian columns
  int rounds;
} Aes;

static uint8_t doubled(uint8_t value) { return (uint8_t)(value << 1 ^ (value >> 7) * 0x1B); }

// Walks the field by its generator 3 and by the inverse of 3 at once, so both are inverses.
static void make_box(uint8_t box[256]) {
  uint8_t p = 1, q = 1;
  do {
    p = (uint8_t)(p ^ doubled(p));
    q = (uint8_t)(q ^ q << 1);
    q = (uint8_t)(q ^ q << 2);
    q = (uint8_t)(q ^ q << 4);
    if (q & 0x80) q ^= 0x09;
    uint8_t x = q;
    for (int i = 1; i < 5; ++i) x = (uint8_t)(x ^ (q << i | q >> (8 - i)));
    box[p] = x ^ 0x63;
  } while (p != 1);
  box[0] = 0x63;
}

static uint32_t load(const uint8_t* from) {
  uint32_t value;
  memcpy(&value, from, 4);
  return __builtin_bswap32(value);
}
static void store(uint8_t* to, uint32_t value) {
  value = __builtin_bswap32(value);
  memcpy(to, &value, 4);
}

static uint32_t through_box(const uint8_t box[256], uint32_t a, uint32_t b, uint32_t c,
                            uint32_t d) {
  return (uint32_t)box[a >> 24] << 24 | (uint32_t)box[b >> 16 & 0xFF] << 16 |
         (uint32_t)box[c >> 8 & 0xFF] << 8 | box[d & 0xFF];
}

static void set_key(Aes* aes, GcmBytes key) {
  make_box(aes->box);
  const int words = (int)(key.size / 4);
  aes->rounds = words + 6;
  uint32_t* keys = aes->round_keys;
  for (int i = 0; i < words; ++i) keys[i] = load(key.bytes + 4 * i);
  uint8_t constant = 1;
  for (int i = words; i < 4 * (aes->rounds + 1); ++i) {
    uint32_t next = keys[i - 1];
    if (i % words == 0) {
      next = next << 8 | next >> 24;
      next = through_box(aes->box, next, next, next, next) ^ (uint32_t)constant << 24;
      constant = doubled(constant);
    } else if (words > 6 && i % words == 4) {
      next = through_box(aes->box, next, next, next, next);
    }
    keys[i] = keys[i - words] ^ next;
  }
}

// Four bytes of a column doubled in their field, side by side.
static uint32_t doubled_column(uint32_t column) {
  return (column & 0x7F7F7F7F) << 1 ^ (column >> 7 & 0x01010101) * 0x1B;
}
static uint32_t turned(uint32_t value, int by) { return value << by | value >> (32 - by); }
static uint32_t mixed(uint32_t column) {
  uint32_t rest = turned(column, 8);
  return doubled_column(column ^ rest) ^ rest ^ turned(column, 16) ^ turned(column, 24);
}

static void encrypt_block(const Aes* aes, const uint8_t in[16], uint8_t out[16]) {
  const uint32_t* key = aes->round_keys;
  uint32_t s[4], t[4];
  for (int i = 0; i < 4; ++i) s[i] = load(in + 4 * i) ^ key[i];
  for (int round = 1; round < aes->rounds; ++round) {
    key += 4;
    for (int i = 0; i < 4; ++i)
      t[i] = mixed(through_box(aes->box, s[i], s[(i + 1) & 3], s[(i + 2) & 3], s[(i + 3) & 3])) ^
             key[i];
    memcpy(s, t, sizeof s);
  }
  key += 4;
  for (int i = 0; i < 4; ++i)
    store(out + 4 * i,
          through_box(aes->box, s[i], s[(i + 1) & 3], s[(i + 2) & 3], s[(i + 3) & 3]) ^ key[i]);
}

// An element of GHASH's field; the first bit of a block is the highest of `high`.
typedef struct {
  uint64_t high, low;
} Element;

typedef struct {
  Element multiples[16];  // of the key, by four bits
  Element sum;
} Ghash;

static Element element(const uint8_t* block) {
  uint64_t halves[2];
  memcpy(halves, block, 16);
  return (Element){__builtin_bswap64(halves[0]), __builtin_bswap64(halves[1])};
}

static Element times_x(Element value) {
  const uint64_t carry = value.low & 1;
  return (Element){value.high >> 1 ^ ((0 - carry) & 0xE100000000000000),
                   value.high << 63 | value.low >> 1};
}

static Element plus(Element a, Element b) { return (Element){a.high ^ b.high, a.low ^ b.low}; }

static void ghash_begin(Ghash* ghash, const uint8_t key[16]) {
  memset(ghash, 0, sizeof *ghash);
  ghash->multiples[8] = element(key);
  for (int i = 4; i > 0; i /= 2) ghash->multiples[i] = times_x(ghash->multiples[2 * i]);
  for (int i = 3; i < 16; ++i) {
    int highest = i >= 8 ? 8 : i >= 4 ? 4 : 2;
    if (i != highest)
      ghash->multiples[i] = plus(ghash->multiples[highest], ghash->multiples[i - highest]);
  }
}

static void ghash_block(Ghash* ghash, const uint8_t block[16]) {
  const Element value = plus(ghash->sum, element(block));
  Element sum = {0, 0};
  for (int i = 0; i < 32; ++i) {
    const uint64_t half = i < 16 ? value.low : value.high;
    for (int bit = 0; i > 0 && bit < 4; ++bit) sum = times_x(sum);
    sum = plus(sum, ghash->multiples[half >> 4 * (i % 16) & 15]);
  }
  ghash->sum = sum;
}

static void ghash_padded(Ghash* ghash, GcmBytes data) {
  uint32_t at = 0;
  for (; data.size - at >= 16; at += 16) ghash_block(ghash, data.bytes + at);
  if (at == data.size) return;
  uint8_t block[16] = {0};
  memcpy(block, data.bytes + at, data.size - at);
  ghash_block(ghash, block);
}

static void ghash_sizes(Ghash* ghash, uint64_t first, uint64_t second) {
  uint64_t bits[2] = {__builtin_bswap64(first * 8), __builtin_bswap64(second * 8)};
  ghash_block(ghash, (const uint8_t*)bits);
}

static void ghash_end(const Ghash* ghash, uint8_t out[16]) {
  uint64_t halves[2] = {__builtin_bswap64(ghash->sum.high), __builtin_bswap64(ghash->sum.low)};
  memcpy(out, halves, 16);
}

void gcm_crypt(GcmBytes key, GcmBytes iv, GcmBytes more, GcmBytes data, bool encrypts, uint8_t* out,
               uint8_t tag[GCM_TAG_SIZE]) {
  Aes aes;
  set_key(&aes, key);
  uint8_t hash_key[16] = {0};
  encrypt_block(&aes, hash_key, hash_key);
  Ghash start, ghash;
  ghash_begin(&start, hash_key);

  uint8_t counter[16] = {0};
  if (iv.size == 12) {
    memcpy(counter, iv.bytes, 12);
    counter[15] = 1;
  } else {
    ghash = start;
    ghash_padded(&ghash, iv);
    ghash_sizes(&ghash, 0, iv.size);
    ghash_end(&ghash, counter);
  }
  uint8_t mask[16];
  encrypt_block(&aes, counter, mask);

  ghash = start;
  ghash_padded(&ghash, more);
  if (!encrypts) ghash_padded(&ghash, data);
  uint8_t stream[16];
  for (uint32_t at = 0; at < data.size; at += 16) {
    store(counter + 12, load(counter + 12) + 1);
    encrypt_block(&aes, counter, stream);
    const uint32_t size = data.size - at < 16 ? data.size - at : 16;
    for (uint32_t i = 0; i < size; ++i) out[at + i] = data.bytes[at + i] ^ stream[i];
  }
  if (encrypts) ghash_padded(&ghash, (GcmBytes){out, data.size});
  ghash_sizes(&ghash, more.size, data.size);
  ghash_end(&ghash, tag);
  for (int i = 0; i < 16; ++i) tag[i] ^= mask[i];
}
