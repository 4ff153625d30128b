// A program of someone else's: it sees nothing of Cordon but the installed package.

#include <cstdio>

#include <cordon/value.h>
#include <cordon/version.h>

int main() {
  const cordon::Value value;
  std::printf("cordon %s, a value of %zu bytes\n", CORDON_VERSION, sizeof(value));
  return 0;
}
