#pragma once

// A task that takes its input, answers at once, and wants to know nothing else of the request. Most
// C++ tasks are that, and they are called without a TaskCall being made for them.

#include <functional>
#include <utility>

#include "cordon/task_call.h"

namespace cordon::server {

class PlainFunction final : public TaskHandler {
 public:
  using Function = std::function<TaskAnswer(Value input)>;
  explicit PlainFunction(Function function) : function_(std::move(function)) {}

  TaskAnswer invoke(Value input) const { return function_(std::move(input)); }
  void call(TaskCall call, std::function<void(TaskAnswer)> done) override {
    done(invoke(std::move(call.input)));
  }

 private:
  Function function_;
};

}  // namespace cordon::server
