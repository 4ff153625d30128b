#pragma once

// The guest of tests/duplex as a program, for tests of what talks to a guest. It lies beside the
// program of these tests.

#include <string>
#include <unistd.h>
#include <vector>

#include "cordon/provider.h"
#include "cordon/providers/plugin_link.h"

namespace cordon::providers {

inline std::string guest_program() {
  std::string path(4096, '\0');
  const ssize_t size = readlink("/proc/self/exe", path.data(), path.size());
  path.resize(size > 0 ? static_cast<std::size_t>(size) : 0);
  return path.substr(0, path.rfind('/') + 1) + "duplex_guest";
}

inline LinkOptions guest_link(duplex::Limits limits = {}) {
  return {.command = {guest_program()}, .limits = limits};
}

// A tool that answers with its input.
inline Tool echo_tool(std::string name) {
  return {std::move(name), [](Value input, Reply reply) { reply(std::move(input)); }};
}

}  // namespace cordon::providers
