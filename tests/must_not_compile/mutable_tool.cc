// Expect: It is called as const: a lambda is not mutable
// At most: 1 error
// Several threads may call a tool at once.

#include <cordon/provider.h>

void use(cordon::Provider& provider) {
  provider.add("count",
               [n = 0](cordon::Value) mutable -> cordon::Result<cordon::Value> { return ++n; });
}
