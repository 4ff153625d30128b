// Expect: acquiring mutex .* that is already held
// Only: clang
// Flags: -Wthread-safety

#include "cordon/base/thread_annotations.h"

void use(cordon::Mutex& mutex) {
  const cordon::MutexLock one(mutex);
  const cordon::MutexLock other(mutex);
}
