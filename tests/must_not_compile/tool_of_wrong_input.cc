// Expect: the function of a tool has one of these forms: Value -> Result<Value>
// At most: 1 error

#include <cordon/provider.h>

void use(cordon::Provider& provider) {
  provider.add("length", [](const char* text) { return text[0]; });
}
