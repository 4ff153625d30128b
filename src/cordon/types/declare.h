#pragma once

// TypeScript declarations of tools, made from their JSON Schemas. docs/run.md shows some.
//
// A declaration is never narrower than its schema: what the schema accepts, the type accepts.
// Keywords that TypeScript cannot express are left out, and a part past the limits is `unknown`.
// No text of a schema can end the comment or the string that it is written into.

#include <optional>
#include <string>
#include <vector>

#include "cordon/value.h"

namespace cordon::types {

struct Function {
  std::string name;  // an identifier, as a program calls it
  std::string description = {};
  std::optional<Value> input = {};   // a JSON Schema
  std::optional<Value> output = {};  // a JSON Schema
};

struct Namespace {
  std::string name;                      // an identifier
  std::vector<Function> functions = {};  // each name once
};

// One `declare namespace NAME { … }`, with a line end. Types that schemas refer to by `$ref` become
// type aliases within it.
std::string declare(const Namespace& space);

}  // namespace cordon::types
