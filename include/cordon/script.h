#pragma once

// Script: a task or an event of a Server that is written in JavaScript or TypeScript.
//
//   server.task("app.tasks.greet", Script{.file = "tasks/greet.ts"});
//   server.task("app.tasks.twice", Script{.code = "export default (input) => input * 2"});
//
// It is an ES module whose default export is the function; docs/tasks.md describes what it may do.
// Each call runs in a fresh sandbox that starts from the state after the module's top level.

#include "cordon/needs_cxx23.h"

#include <chrono>
#include <functional>
#include <string>

#include "cordon/execution.h"
#include "cordon/log.h"
#include "cordon/provider.h"

namespace cordon {

struct Script {
  // Server::open() reads it. Imports come from its folder, and errors show its name, unless
  // `execute` says otherwise.
  std::string file = {};
  // The text itself, if there is no file.
  std::string code = {};
  // The limits, providers, modules and name of each call. `input`, `program` and `origin` are
  // ignored, because the server sets them, and `values` unless it is ValueRule::json: the rule is
  // ValueRule::rich otherwise. Clients may be slow, so by default a call has a limit for its
  // computing time and none for its total time.
  ExecuteOptions execute = {
      .limits = {.time = {.total = {}, .computing = std::chrono::milliseconds(5000)}}};
  // on_log gets each line that a call logs. on_end gets the report of a call, after its answer or
  // the end of its stream. The threads of the server call them, so do not wait in them.
  std::function<void(const CallOrigin&, const LogLine&)> on_log = {};
  std::function<void(const CallOrigin&, const Report&)> on_end = {};
};

}  // namespace cordon
