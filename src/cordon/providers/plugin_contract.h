#pragma once

// What is asked of a plugin's functions and callbacks: their schemas, compiled.

#include <chrono>
#include <map>
#include <optional>
#include <string>
#include <string_view>

#include "cordon/plugin.h"
#include "cordon/result.h"
#include "cordon/schema/schema.h"

namespace cordon::providers {

struct FunctionContract {
  std::optional<schema::Schema> params = {};
  std::optional<schema::Schema> result = {};
  std::optional<std::chrono::milliseconds> timeout = {};
};

class PluginContract {
 public:
  static Result<PluginContract> create(const PluginOptions& options);

  // Nothing where nothing is asked. They live as long as this does.
  const FunctionContract* function(std::string_view name) const { return find(functions_, name); }
  const FunctionContract* callback(std::string_view name) const { return find(callbacks_, name); }

 private:
  using Contracts = std::map<std::string, FunctionContract, std::less<>>;
  static Result<Contracts> compile(
      const std::map<std::string, PluginFunction, std::less<>>& functions);
  static const FunctionContract* find(const Contracts& contracts, std::string_view name) {
    const auto found = contracts.find(name);
    return found == contracts.end() ? nullptr : &found->second;
  }

  Contracts functions_;
  Contracts callbacks_;
};

// What is wrong with a value in the eyes of a schema, as one sentence; nothing where it is right.
std::optional<std::string> complaint(const std::optional<schema::Schema>& schema,
                                     const ValueView& value);

}  // namespace cordon::providers
