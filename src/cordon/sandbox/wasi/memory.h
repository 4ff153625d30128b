#pragma once

// A guest's memory as its WASI functions see it: every address that the guest names is checked.

#include <cstdint>
#include <cstring>
#include <optional>
#include <span>

namespace cordon::sandbox::wasi {

class Memory {
 public:
  explicit Memory(std::span<std::uint8_t> bytes) : bytes_(bytes) {}

  // The bytes at an address, or nothing if some of them are outside.
  std::optional<std::span<std::uint8_t>> at(std::uint32_t address, std::uint64_t size) const {
    if (size > bytes_.size() || address > bytes_.size() - size) return std::nullopt;
    return bytes_.subspan(address, static_cast<std::size_t>(size));
  }

  // Numbers are little-endian there, as they are on every machine that we build for.
  template <class T>
  std::optional<T> read(std::uint32_t address) const {
    const auto from = at(address, sizeof(T));
    if (!from) return std::nullopt;
    T number;
    std::memcpy(&number, from->data(), sizeof(T));
    return number;
  }

  template <class T>
  bool write(std::uint32_t address, T number) const {
    const auto to = at(address, sizeof(T));
    if (to) std::memcpy(to->data(), &number, sizeof(T));
    return to.has_value();
  }

 private:
  std::span<std::uint8_t> bytes_;
};

}  // namespace cordon::sandbox::wasi
