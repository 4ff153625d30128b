#pragma once

// Script: a task or an event of a Server that is written in JavaScript or TypeScript.
//
//   server.task("app.tasks.greet", Script{.file = "tasks/greet.ts"});
//   server.task("app.tasks.twice", Script{.code = "export default (input) => input * 2"});
//
// It is an ES module whose default export is the function; docs/tasks.md has its side. Each call
// runs in a fresh sandbox, which starts from what the module's top level left.

#include "cordon/needs_cxx23.h"

#include <chrono>
#include <functional>
#include <string>

#include "cordon/execution.h"
#include "cordon/log.h"
#include "cordon/provider.h"

namespace cordon {

struct Script {
  // Read by Server::open(). Its folder is where its imports lie, and its name stands in errors,
  // unless `execute` says otherwise.
  std::string file = {};
  // The text itself, where there is no file.
  std::string code = {};
  // The limits, providers, modules and name of each call. `input`, `program`, `values` and `origin`
  // do not count: the server sets them. Clients may be slow, so unless you say otherwise a call has
  // a limit for what it computes and none for its total time.
  ExecuteOptions execute = {
      .limits = {.time = {.total = {}, .computing = std::chrono::milliseconds(5000)}}};
  // What a call logs, as it does, and what came of it, after its answer or the end of its stream.
  // The threads of the server call them. Do not wait in them.
  std::function<void(const CallOrigin&, const LogLine&)> on_log = {};
  std::function<void(const CallOrigin&, const Report&)> on_end = {};
};

}  // namespace cordon
