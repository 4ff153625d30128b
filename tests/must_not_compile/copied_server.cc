// Expect: deleted

#include <cordon/server.h>

void use(const cordon::Server& server) { const cordon::Server copy = server; }
