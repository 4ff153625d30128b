// Report, ExecutionError, SourceLocation, ErrorCause: what is known of a program that failed. Logs
// and calls up to its end are always there.

#include <iostream>

#include <cordon/cordon.h>

using namespace cordon;

void show(const Report& report) {
  const ExecutionError& error = report.error;
  std::cout << error.code << ": " << error.message << '\n';
  if (!error.place.empty()) std::cout << "  " << error.reason << " at " << error.place << '\n';
  if (error.location) {
    std::cout << "  at " << error.location->file << ':' << error.location->line << '\n';
  }
  for (const ErrorCause& cause : error.causes) std::cout << "  by " << cause.message << '\n';
  for (const LogLine& line : report.logs) std::cout << "  log " << line.text << '\n';
  for (const CallRecord& call : report.calls) {
    std::cout << "  call " << call.tool << (call.ok ? " ok" : " failed") << '\n';
  }
}

int main() {
  Provider bank("bank");
  bank.add("balance", [](Value) -> Result<Value> { return 100; });
  bank.add("pay", [](Value) -> Result<Value> {
    return fail(ErrorCode::permission_denied, "account is frozen");
  });
  const ExecuteOptions options{.providers = {bank}, .name = "pay.js"};
  Result<Engine> engine = Engine::create_one_shot();
  if (!engine) return 1;

  // An error of the program's own, with its cause.
  constexpr std::string_view code = R"(console.log("balance", await bank.balance());
    try {
      await bank.pay({amount: 30});
    } catch (cause) {
      throw new Error("not paid", {cause});
    })";
  show(engine->execute(code, options).get());

  // An uncaught failure of a tool: the code and the message are the tool's.
  show(engine->execute("await bank.pay({amount: 30})", options).get());

  // A result that may not leave the sandbox, and where it is.
  show(engine->execute("({rows: [1, {when: new Date()}]})", options).get());

  // What the author of the program should read, a model or a person.
  const Report wrong = engine->execute("await bank.pya({amount: 30})", options).get();
  std::cout << describe(wrong.error) << '\n';

  // What it probably did not mean, although it came to its end.
  const Report hasty = engine->execute("bank.balance(); const total = 1", options).get();
  for (const Warning& warning : hasty.warnings) {
    std::cout << name_of(warning.code) << ": " << describe(warning) << '\n';
  }

  // What it took: report.duration, report.computing_time, report.memory_bytes, report.call_count.
}

// clang-format off
// Output:
// runtime_error: not paid
//   at pay.js:5
//   by account is frozen
//   log balance 100
//   call balance ok
//   call pay failed
// tool_error: account is frozen
//   at pay.js:1
//   call pay failed
// serialization_error: Guest code returned a non-serializable value
//   an object of class Date at rows[1].when
// error: runtime_error: TypeError: bank.pya is not a function
//   at pay.js:1:12
//     1 | await bank.pya({amount: 30})
//       |            ^
//   hint: there is no pya; did you mean pay?
// no_result: the program ends in the declaration of total, so it has no result; write `total` as its last line
// unawaited_call: a call of bank.balance was not awaited; write `await bank.balance(…)`, or await the function that calls it (pay.js:1:6)
