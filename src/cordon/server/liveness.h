#pragma once

// Whether threads with an event loop still get to what is posted to them.

#include <chrono>
#include <functional>
#include <vector>

namespace cordon::server {

// Calls a function by the loop's thread, later.
using PostToLoop = std::function<void(std::function<void()>)>;

// Waits until all have answered, or so long. Any thread but theirs.
bool all_answer(const std::vector<PostToLoop>& loops, std::chrono::milliseconds within);

}  // namespace cordon::server
