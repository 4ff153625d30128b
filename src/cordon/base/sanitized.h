#pragma once

// Whether the address or the thread sanitizer is compiled in. They have a heap of their own, which
// keeps what was freed, they reserve terabytes of addresses, and they take their time.

#if defined(__SANITIZE_ADDRESS__) || defined(__SANITIZE_THREAD__)
#define CORDON_SANITIZED 1
#elif defined(__has_feature)
#if __has_feature(address_sanitizer) || __has_feature(thread_sanitizer)
#define CORDON_SANITIZED 1
#endif
#endif
#ifndef CORDON_SANITIZED
#define CORDON_SANITIZED 0
#endif

namespace cordon {

inline constexpr bool is_sanitized = CORDON_SANITIZED != 0;

}  // namespace cordon
