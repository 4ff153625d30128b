#pragma once

// What is wrong with a text that should be an address, a name or an id; nothing where it is one.

#include <optional>
#include <string>
#include <string_view>

namespace cordon::config {

// HOST:PORT, [IPv6]:PORT or unix:PATH.
std::optional<std::string> complain_about_listen(std::string_view text);
// The address that the author of a URL meant: "127.0.0.1:7070" for "http://127.0.0.1:7070/".
// Empty where it is not clear.
std::string listen_meant_by(std::string_view text);
// Whether it can be reached from this machine alone.
bool is_local(std::string_view listen);
// An IP address or a CIDR range.
std::optional<std::string> complain_about_range(std::string_view text);
// http://… or https://….
std::optional<std::string> complain_about_url(std::string_view text);
// For the name of a header or a method.
std::optional<std::string> complain_about_token(std::string_view text);
// https://app.example: a scheme, a host, perhaps a port, and nothing else.
std::optional<std::string> complain_about_origin(std::string_view text);
// The origin of a URL: "https://app.example" for "https://app.example/". Empty if there is none.
std::string origin_meant_by(std::string_view text);
std::optional<std::string> complain_about_base_path(std::string_view text);
// For the id of a task or an event, as a URL can name it.
std::optional<std::string> complain_about_id(std::string_view text);
// A name that JavaScript can write: `files.read()`.
std::optional<std::string> complain_about_identifier(std::string_view text);

}  // namespace cordon::config
