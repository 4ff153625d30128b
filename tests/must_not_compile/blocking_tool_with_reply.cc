// Expect: the function of a tool that may wait has one of these forms
// At most: 1 error
// One that answers through its Reply needs no thread to wait in.

#include <cordon/provider.h>

void use(cordon::Provider& provider) {
  provider.add_blocking("later", [](cordon::Value, cordon::Reply) {});
}
