#pragma once

// Text from a guest or a stranger, made safe to show.

#include <string>
#include <string_view>

namespace cordon {

// A guest's text with its control characters, and those that turn the direction of text, made
// visible, so that it cannot move the cursor, recolour the screen or pass itself off as ours. Line
// breaks stay where `lines` says so.
enum class Lines { kept, escaped };
std::string visible(std::string_view text, Lines lines);

// JSON text with the same characters as escapes in its strings, so that it says what it said.
std::string visible_json(std::string_view json);

// `visible` for text of one or more lines. All but the first are set in, so that none can be taken
// for one of ours; or only those that are not yet, such as those of a stack are.
enum class Margin { added, ensured };
std::string visible_block(std::string_view text, Margin margin);

}  // namespace cordon
