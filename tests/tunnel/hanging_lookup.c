// Preloaded into a program: each lookup of a name hangs, as with a resolver that never answers.

#define _GNU_SOURCE  // strict C has no struct addrinfo

#include <unistd.h>

#include <netdb.h>

__attribute__((visibility("default"))) int getaddrinfo(const char* node, const char* service,
                                                       const struct addrinfo* hints,
                                                       struct addrinfo** result) {
  (void)node;
  (void)service;
  (void)hints;
  (void)result;
  for (;;) pause();
}
