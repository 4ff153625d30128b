#pragma once

// Who may call what is served over a tunnel, from which pages, and with how much. A part of
// ServerOptions; cordon.json has the same under `server`.

#include "cordon/needs_cxx23.h"

#include <cstddef>
#include <cstdint>
#include <optional>
#include <string>
#include <vector>

namespace cordon {

// Who may call.
struct AuthRules {
  std::vector<std::string> tokens = {};      // any of them lets in
  std::string header = "x-runner-token";     // the header that has the token
  bool allow_anonymous = false;              // counts where there are neither tokens nor validators
  std::vector<std::string> validators = {};  // ids of tasks that are asked after the token failed
};

// Which headers tell a browser that a page may read the answer. The default lets any page.
struct CorsRules {
  // One, sent whatever the request's is; or a list, of which the match is echoed; or neither: any,
  // or none at all where credentials are allowed.
  std::optional<std::string> origin = {};
  std::optional<std::vector<std::string>> origins = {};
  bool credentials = false;
  std::vector<std::string> methods = {};          // none: POST and OPTIONS
  std::vector<std::string> allowed_headers = {};  // none: those that the request asks for
  std::vector<std::string> exposed_headers = {};
  std::optional<std::uint64_t> max_age = {};  // seconds
};

struct MultipartLimits {
  std::uint64_t file_bytes = 20'971'520;
  std::size_t files = 10;
  std::size_t fields = 100;  // the manifest included
  std::uint64_t field_bytes = 1'048'576;
  std::size_t head_bytes = 16'384;     // the headers of one part
  std::size_t outside_bytes = 65'536;  // before the first part, and after the last one
};

// What one request and its answer may have.
struct BodyLimits {
  std::uint64_t json_bytes = 2'097'152;
  std::uint64_t response_bytes = std::uint64_t{64} << 20;  // of an answer that is not streamed
  MultipartLimits multipart = {};
};

}  // namespace cordon
