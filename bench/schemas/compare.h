#pragma once

// JSON Schemas checked by our own checker and by Ajv, each as quickly as it can.

#include <optional>
#include <string>
#include <vector>

namespace cordon::bench {

struct SchemaTimes {
  double compile = 0;  // seconds
  double check = 0;
};

struct SchemaComparison {
  std::string what;
  SchemaTimes ours;
  std::optional<SchemaTimes> ajv = {};
};

// `ajv` is the command of bench/peers/schemas.mjs; empty where there is none. Throws if the two
// disagree about a value.
std::vector<SchemaComparison> compare_schemas(const std::vector<std::string>& ajv);

}  // namespace cordon::bench
