#pragma once

// What an attacker would send to a reader, at any size: the time a byte must stay level.

#include <cstddef>
#include <functional>
#include <string>
#include <string_view>
#include <vector>

namespace cordon::bench {

struct Attack {
  std::string_view name;
  std::function<std::string(std::size_t)> payload;  // of so many parts
};

std::vector<Attack> json_attacks();
std::vector<Attack> msgpack_attacks();
std::vector<Attack> runner_attacks();

}  // namespace cordon::bench
