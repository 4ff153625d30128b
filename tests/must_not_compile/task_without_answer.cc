// Expect: An answer is a Result<Value> or a TaskAnswer
// At most: 1 error

#include <cordon/server.h>

void use(cordon::Server& server) {
  server.task("forgotten", [](cordon::Value) {});
}
