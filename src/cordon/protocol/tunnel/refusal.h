#pragma once

// The errors that a tunnel answers: HTTP status, code and text, as clients know them.

#include <string>
#include <string_view>

namespace cordon::tunnel {

struct Refusal {
  unsigned status = 500;
  std::string_view code = "INTERNAL_ERROR";  // a literal
  std::string message = "Internal Error";

  friend bool operator==(const Refusal&, const Refusal&) = default;
};

Refusal invalid_json();
Refusal invalid_multipart();
Refusal invalid_manifest();
Refusal missing_manifest();
Refusal parallel_event(std::string_view id);
Refusal validation_error(std::string_view reason);
Refusal unauthorized();
Refusal exposure_disabled();
Refusal task_not_exposed(std::string_view id);
Refusal event_not_exposed(std::string_view id);
Refusal task_not_found(std::string_view id);
Refusal event_not_found(std::string_view id);
Refusal not_found();
Refusal method_not_allowed();
Refusal payload_too_large();
Refusal file_too_large();
Refusal too_many_files();
Refusal too_many_fields();
Refusal field_too_large();
Refusal request_aborted();
Refusal internal_error();
Refusal stream_error();
Refusal missing_file_part();
Refusal auth_not_configured();
Refusal overloaded();

}  // namespace cordon::tunnel
