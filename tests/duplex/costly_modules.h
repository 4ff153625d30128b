#pragma once

// WebAssembly modules that are small, valid, and cost a compiler much. Each has a `_start`.

#include <cstddef>
#include <cstdint>
#include <string>
#include <vector>

namespace cordon::e2e {

class ModuleWriter {
 public:
  // Code of one function, without its `end`; it has so many locals, all i32.
  void add_function(std::size_t locals, const std::string& code) {
    std::string body;
    body += locals == 0 ? std::string(1, '\0') : '\1' + number(locals) + '\x7f';
    body += code;
    body += '\x0b';
    bodies_ += number(body.size()) + body;
    ++functions_;
  }

  std::string module() const {
    using namespace std::string_literals;
    return "\0asm\1\0\0\0"s + section(1, "\1\x60\0\0"s) +
           section(3, number(functions_) + std::string(functions_, '\0')) + section(5, "\1\0\1"s) +
           section(7, "\1\6_start\0\0"s) + section(10, number(functions_) + bodies_);
  }

  // As LEB128.
  static std::string number(std::size_t value) {
    std::string bytes;
    for (; value > 127; value >>= 7) bytes += static_cast<char>(value | 128);
    return bytes + static_cast<char>(value);
  }

 private:
  static std::string section(char id, const std::string& content) {
    return id + number(content.size()) + content;
  }

  std::string bodies_;
  std::size_t functions_ = 0;
};

// One `if` after the other in a loop, each of which sets a local: the compiler joins every local
// everywhere.
inline std::string joining_code(std::size_t bytes, std::size_t locals) {
  using namespace std::string_literals;
  std::string code = "\3\x40"s;
  for (std::size_t i = 0; code.size() < bytes; ++i) {
    code += '\x20' + ModuleWriter::number(i % locals) + "\4\x40\x41"s + static_cast<char>(i % 64) +
            '\x21' + ModuleWriter::number(i * 7 % locals) + '\x0b';
  }
  return code + "\x20\0\x0d\0\x0b"s;
}

inline std::string module_of(std::size_t functions, std::size_t locals, const std::string& code) {
  ModuleWriter writer;
  for (std::size_t i = 0; i < functions; ++i) writer.add_function(locals, code);
  return writer.module();
}

// A jump table of so many targets, all of them the function itself.
inline std::string table_code(std::size_t targets) {
  using namespace std::string_literals;
  return "\x41\0\x0e"s + ModuleWriter::number(targets) + std::string(targets + 1, '\0');
}

}  // namespace cordon::e2e
