#pragma once

// The configuration of `cordon serve`, read and reported.

#include <cstdint>
#include <optional>
#include <string>
#include <vector>

#include "cordon/config/configuration.h"
#include "cordon/config/load.h"
#include "cordon/result.h"

namespace cordon::cli {

// The file, with the addresses of the command line instead of its own. Fails if the file cannot be
// read, or if an address is invalid.
Result<config::Loaded> load_for_serving(const std::string& file,
                                        const std::vector<std::string>& listen);

// What of a wrong configuration can be loaded all the same, so that what is wrong in its scripts is
// told as well. Of a right one, all.
config::Configuration loadable_part_of(const config::Loaded& loaded);

// What is wrong in the files that it names, lines as "FILE: what", where it names them.
enum class Severity : std::uint8_t { error, warning };
void add_mistakes_of_files(config::Loaded& loaded, const std::vector<std::string>& lines,
                           Severity severity = Severity::error);

// A line each: FILE:LINE:COLUMN: what; suggestion. Safe to show on a terminal.
std::string lines_of(const config::Loaded& loaded);

// "FILE: ok", and what is in it.
std::string summary_of(const config::Configuration& configuration);

// {"ok","file","mistakes":[{"line","column","severity","message"}]}
std::string json_of(const config::Loaded& loaded);

}  // namespace cordon::cli
