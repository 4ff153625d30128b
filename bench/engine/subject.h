#pragma once

// Who is measured: Cordon and its peers. Each is a program that takes a request on its standard
// input and prints the result, so every measurement has a process of its own, and all are asked
// alike.

#include <optional>
#include <string>
#include <vector>

#include "cordon/result.h"
#include "cordon/value.h"

namespace cordon::bench {

struct Subject {
  std::string name;
  std::string version;
  std::vector<std::string> command;

  Result<Value> ask(const Value& request) const;
};

// This program itself, in the role of the one that is measured.
Subject cordon_subject();

struct Peers {
  std::string node;  // the program that runs them
  std::string node_version;
  std::vector<Subject> subjects;
};

// What lies in the folder that CORDON_PEERS names, or why there is nothing.
Result<Peers> find_peers();

}  // namespace cordon::bench
