#pragma once

// The versions of what a guest runs on.

#include <string_view>

namespace cordon::js {

struct Versions {
  std::string_view wasmtime;
  std::string_view quickjs;
};

Versions versions();

}  // namespace cordon::js
