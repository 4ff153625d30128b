#pragma once

// Ids that a guest cannot guess: 90 random bits as fifteen characters, which a std::string holds
// without an allocation. A guest that could guess an id might answer before it is asked.

#include <array>
#include <cstddef>
#include <cstdint>
#include <functional>
#include <span>
#include <string>

namespace cordon::duplex {

// Fills the span with random bytes. Sessions do no I/O, so their caller provides randomness.
using RandomSource = std::function<void(std::span<std::uint8_t>)>;

class IdSource {
 public:
  explicit IdSource(RandomSource random) : random_(std::move(random)) {}

  std::string next() {
    constexpr char letters[] = "ABCDEFGHIJKLMNOPQRSTUVWXYZabcdefghijklmnopqrstuvwxyz0123456789-_";
    constexpr std::size_t size = 15;
    if (used_ + size > pool_.size()) {
      random_(pool_);
      used_ = 0;
    }
    std::string id(size, '\0');
    for (char& letter : id) letter = letters[pool_[used_++] & 63u];
    return id;
  }

 private:
  RandomSource random_;
  std::array<std::uint8_t, 960> pool_{};
  std::size_t used_ = pool_.size();
};

}  // namespace cordon::duplex
