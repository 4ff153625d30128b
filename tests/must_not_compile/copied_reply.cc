// Expect: deleted
// The right to answer a call exists once.

#include <cordon/provider.h>

void use(const cordon::Reply& reply) { const cordon::Reply copy = reply; }
