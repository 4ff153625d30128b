// Result, Error, ErrorCode: how functions of this library fail, and how a tool says that it did.

#include <iostream>

#include <cordon/cordon.h>

using namespace cordon;

// CORDON_TRY gives the value, or returns the error from this function.
Result<Value> book(ValueView request) {
  const int seats = CORDON_TRY(request["seats"].as<int>());
  if (seats > 8) return fail(ErrorCode::invalid_argument, "more than 8 seats");
  if (seats == 8) return fail(ErrorCode::unavailable, "the booking system is closed");
  return Value::object({{"booked", seats}});
}

int main() {
  for (const Value& seats : {Value(2), Value("two"), Value(9)}) {
    const Result<Value> booked = book(Value::object({{"seats", seats}}));
    if (booked) {
      std::cout << debug_text(*booked) << '\n';
    } else {
      std::cout << booked.error() << '\n';
    }
  }

  // A guest sees the detail as the error's message, and a code: validation_error for an
  // invalid_argument or a type_mismatch, tool_error for most others.
  Provider flights("flights");
  flights.add("book", [](Value input) -> Result<Value> { return book(input); });
  constexpr std::string_view code = R"(
    const told = (error) => `${error.code}: ${error.message}`;
    await Promise.all([1, 9, 8].map((seats) => flights.book({seats}).catch(told)))
  )";
  Result<Engine> engine = Engine::create_one_shot();
  if (!engine) return 1;
  const Report report = engine->execute(code, {.providers = {flights}}).get();
  for (const ValueView item : report.result.items()) std::cout << debug_text(item) << '\n';
}

// Output:
// {"booked": 2}
// type_mismatch: expected an integer from -2147483648 to 2147483647 at seats, found a string
// invalid_argument: more than 8 seats
// {"booked": 1}
// "validation_error: more than 8 seats"
// "tool_error: the booking system is closed"
