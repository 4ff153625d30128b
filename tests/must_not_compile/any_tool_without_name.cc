// Expect: the function behind all names has the form

#include <cordon/provider.h>

void use(cordon::Provider& provider) {
  provider.add_any_blocking(
      [](cordon::Value input) -> cordon::Result<cordon::Value> { return input; });
}
