// Expect: nodiscard
// An execution that nobody holds is cancelled at once.

#include <cordon/engine.h>

void use(cordon::Engine& engine) { engine.execute("1"); }
