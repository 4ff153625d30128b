#include "cordon/protocol/tunnel/refusal.h"

namespace cordon::tunnel {
namespace {

Refusal named(std::string_view what, std::string_view id, std::string_view rest, unsigned status,
              std::string_view code) {
  std::string message(what);
  message += id;
  message += rest;
  return {status, code, std::move(message)};
}

}  // namespace

Refusal invalid_json() { return {400, "INVALID_JSON", "Invalid JSON body"}; }
Refusal invalid_multipart() { return {400, "INVALID_MULTIPART", "Invalid multipart payload"}; }
Refusal invalid_manifest() { return {400, "INVALID_MULTIPART", "Invalid manifest"}; }
Refusal missing_manifest() { return {400, "MISSING_MANIFEST", "Missing manifest"}; }
Refusal parallel_event(std::string_view id) {
  return named("Event ", id, " is marked parallel; returning a payload is not supported.", 400,
               "PARALLEL_EVENT_RETURN_UNSUPPORTED");
}
Refusal validation_error(std::string_view reason) {
  return named("Input validation failed: ", reason, "", 400, "VALIDATION_ERROR");
}
Refusal unauthorized() { return {401, "UNAUTHORIZED", "Unauthorized"}; }
Refusal exposure_disabled() { return {403, "FORBIDDEN", "Exposure not enabled"}; }
Refusal task_not_exposed(std::string_view id) {
  return named("Task ", id, " not exposed", 403, "FORBIDDEN");
}
Refusal event_not_exposed(std::string_view id) {
  return named("Event ", id, " not exposed", 403, "FORBIDDEN");
}
Refusal task_not_found(std::string_view id) {
  return named("Task ", id, " not found", 404, "NOT_FOUND");
}
Refusal event_not_found(std::string_view id) {
  return named("Event ", id, " not found", 404, "NOT_FOUND");
}
Refusal not_found() { return {404, "NOT_FOUND", "Not Found"}; }
Refusal method_not_allowed() { return {405, "METHOD_NOT_ALLOWED", "Method Not Allowed"}; }
Refusal payload_too_large() { return {413, "PAYLOAD_TOO_LARGE", "Payload too large"}; }
Refusal file_too_large() { return {413, "PAYLOAD_TOO_LARGE", "File size limit exceeded"}; }
Refusal too_many_files() { return {413, "PAYLOAD_TOO_LARGE", "Files limit exceeded"}; }
Refusal too_many_fields() { return {413, "PAYLOAD_TOO_LARGE", "Fields limit exceeded"}; }
Refusal field_too_large() { return {413, "PAYLOAD_TOO_LARGE", "Field limit exceeded"}; }
Refusal request_aborted() { return {499, "REQUEST_ABORTED", "Client Closed Request"}; }
Refusal internal_error() { return {}; }
Refusal stream_error() { return {500, "STREAM_ERROR", "Internal Error"}; }
Refusal missing_file_part() { return {500, "MISSING_FILE_PART", "Internal Error"}; }
Refusal auth_not_configured() {
  return {500, "AUTH_NOT_CONFIGURED", "Authentication not configured."};
}
Refusal overloaded() { return {503, "OVERLOADED", "Server overloaded"}; }

}  // namespace cordon::tunnel
