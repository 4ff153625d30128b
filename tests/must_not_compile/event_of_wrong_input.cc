// Expect: is a Script, or a function of one of these forms: Value -> answer
// At most: 1 error

#include <cordon/server.h>

void use(cordon::Server& server) {
  server.event("seen", [](int) {});
}
