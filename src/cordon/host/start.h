#pragma once

// What an execution begins with. Each kind is a type of its own, so that what only one kind has (a
// line number, a port, a callback) does not exist in the others.

#include <cstdint>
#include <functional>
#include <memory>
#include <string>
#include <variant>
#include <vector>

#include "cordon/host/image_start.h"
#include "cordon/host/task_port.h"
#include "cordon/js/guest.h"
#include "cordon/result.h"

namespace cordon::host {

// A program, or a body with `return`, as js::Form says. It runs once and has a result.
struct ProgramText {
  std::string source = {};
  js::Form form = js::Form::program;
  std::uint32_t first_line = 1;
  bool is_typescript = false;  // it is known to be; its name may also say so
};

// A module whose top level runs once; the execution ends as a PreparedModule.
struct ModuleToPrepare {
  std::string source = {};
};

// A module that is kept: its functions are called from outside until it is cancelled.
struct KeptFromImage {
  ImageStart image;
  // Called once, when the sandbox is ready or with the reason why it is not.
  std::move_only_function<void(Result<>)> ready;
};

// A call of a task: the module comes from an image, its input and streams from the port.
struct TaskFromImage {
  ImageStart image;
  std::shared_ptr<TaskPort> port;
};

using Start = std::variant<ProgramText, ModuleToPrepare, ImageStart, KeptFromImage, TaskFromImage>;

// The image that it begins from, or null.
inline ImageStart* image_of(Start& start) {
  if (auto* kept = std::get_if<KeptFromImage>(&start)) return &kept->image;
  if (auto* task = std::get_if<TaskFromImage>(&start)) return &task->image;
  return std::get_if<ImageStart>(&start);
}
inline const ImageStart* image_of(const Start& start) {
  if (const auto* kept = std::get_if<KeptFromImage>(&start)) return &kept->image;
  if (const auto* task = std::get_if<TaskFromImage>(&start)) return &task->image;
  return std::get_if<ImageStart>(&start);
}

// The text that it begins with; empty for an image.
inline ProgramText text_of(Start& start) {
  if (auto* program = std::get_if<ProgramText>(&start)) return std::move(*program);
  if (auto* module = std::get_if<ModuleToPrepare>(&start))
    return {.source = std::move(module->source), .form = js::Form::exports};
  return {};
}

}  // namespace cordon::host
