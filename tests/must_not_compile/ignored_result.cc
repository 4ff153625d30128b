// Expect: nodiscard
// A program that ignores whether the server opened would run one that did not.

#include <cordon/server.h>

void use(cordon::Server& server) { server.open(); }
