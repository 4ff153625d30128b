// Expect: a task that may wait is a function of one of these forms
// At most: 1 error

#include <cordon/server.h>

void use(cordon::Server& server) {
  server.task_blocking("later", [](cordon::TaskCall, cordon::TaskReply) {});
}
