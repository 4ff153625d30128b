#pragma once

// Error: what went wrong. The whole library uses this one type.
//
//   const Report report = engine->execute("for (;;);").get();
//   if (report.error.is(ErrorCode::timeout)) std::cout << "it took too long\n";
//
// Programs decide by the code, and people read the message. Each protocol, the exit codes and the
// metrics map the code in one table of their own.

#include "cordon/needs_cxx23.h"

#include <cstddef>
#include <cstdint>
#include <iosfwd>
#include <memory>
#include <string>
#include <string_view>
#include <utility>

#include "cordon/export.h"

namespace cordon {

// The names are stable. New ones may be added.
enum class ErrorCode : std::uint8_t {
  none,  // a report without an error
  // The caller's input.
  invalid_argument,
  not_found,
  already_exists,
  type_mismatch,
  unsupported,
  // Bytes that are not what they should be.
  malformed,
  truncated,
  invalid_utf8,
  too_large,
  too_deep,
  cyclic,
  // A peer that does not keep to its protocol.
  protocol_violation,
  bad_frame,    // bytes that cannot be decoded
  bad_version,  // a frame of another version, or no frame at all, such as a print to stdout
  bad_message,  // what was decoded is not a message of the protocol
  unauthorized_callback,
  unknown_id,
  // How a program or a call ends without a result.
  syntax_error,
  runtime_error,
  tool_error,  // Error::own_code may hold the tool's own code
  validation_error,
  serialization_error,
  timeout,
  memory_limit,
  stack_overflow,
  cancelled,
  sandbox_error,  // the guest broke the rules between guest and host, or its interpreter crashed
  // The state of this process and of others.
  overloaded,
  unavailable,
  permission_denied,
  io,
  closed,
  exited,        // the process ended, or closed its output
  runner_error,  // the runner of an execution broke its protocol, or went away
  internal_error,
};

// ErrorCode::internal_error is the last one.
inline constexpr std::size_t error_code_count =
    static_cast<std::size_t>(ErrorCode::internal_error) + 1;

// The enumerator's own name: "too_large".
CORDON_API std::string_view name_of(ErrorCode code);

// What a failure is beside its message where those who call know its type, as that of a remote task
// that threw a typed error. value.h has it.
struct FailureType;

// `message` is a sentence fragment for people, in lower case and without a full stop; if a guest
// threw it, the words are the guest's. It may reach a guest or a peer, so it holds no path, secret
// or address of the host.
struct CORDON_API Error {
  ErrorCode code = ErrorCode::none;
  std::string message = {};
  // The code that a tool gave its failure, if it has codes of its own, such as "out_of_stock". A
  // guest sees it and a report shows it; `code` is then tool_error.
  std::string own_code = {};
  // A guest sees its members as `id` and `data` of the error that it catches. Null: it has none.
  std::shared_ptr<const FailureType> typed = {};

  bool is(ErrorCode wanted) const { return code == wanted; }
  // The tool's own code, or the name of `code` if there is none.
  std::string_view code_text() const;

  friend bool operator==(const Error&, const Error&) = default;
};

// "too_large: array longer than its input".
CORDON_API std::string to_string(const Error& error);
CORDON_API std::ostream& operator<<(std::ostream& out, const Error& error);
CORDON_API std::ostream& operator<<(std::ostream& out, ErrorCode code);

}  // namespace cordon
