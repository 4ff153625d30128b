// AES-GCM (FIPS 197, NIST SP 800-38D).
#pragma once

#include <stdbool.h>
#include <stdint.h>

typedef struct {
  const uint8_t* bytes;
  uint32_t size;
} GcmBytes;

enum { GCM_TAG_SIZE = 16 };

// Writes as many bytes as `data` has to `out`, and the tag of what is encrypted to `tag`. The key
// has 16, 24 or 32 bytes.
void gcm_crypt(GcmBytes key, GcmBytes iv, GcmBytes more, GcmBytes data, bool encrypts, uint8_t* out,
               uint8_t tag[GCM_TAG_SIZE]);
