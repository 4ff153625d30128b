// Expect: deleted

#include <cordon/server.h>

void use(const cordon::TaskReply& reply) { const cordon::TaskReply copy = reply; }
