// What compile_ahead() leaves unchecked must not let any code run on: each way to go on for ever is
// interrupted.

#include <algorithm>
#include <thread>

#include <fmt/format.h>
#include <gtest/gtest.h>

#include "cordon/sandbox/instance.h"

namespace cordon::sandbox {
namespace {

using namespace std::chrono_literals;

constexpr auto mark = "i32.const 0x63646368 drop";

// The calls among functions are a tree of 2^60: too many to finish, not deep enough for the stack.
constexpr std::string_view interpreter = R"((module
  (memory (export "memory") 1)
  (table 1 funcref)
  (elem (i32.const 0) $into_table)
  (func $direct (param i32)
    (if (local.get 0) (then (call $other (i32.sub (local.get 0) (i32.const 1)))
                            (call $other (i32.sub (local.get 0) (i32.const 1))))))
  (func $other (param i32) (call $direct (local.get 0)))
  (func $through_table (param i32)
    (if (local.get 0) (then
      (call_indirect (param i32) (i32.sub (local.get 0) (i32.const 1)) (i32.const 0))
      (call_indirect (param i32) (i32.sub (local.get 0) (i32.const 1)) (i32.const 0)))))
  (func $into_table (param i32) (call $through_table (local.get 0)))
  (func $inner_loop (loop $forever br $forever))
  (func (export "enter") (param $start i32) (param i32) (result i32)
    (local $at i32)
    (local.set $at (local.get $start))
    (loop $next
      (block $other (block $loops (block $tables (block $calls (block $return (block $jump (block $step
        (i32.load8_u (local.get $at))
        (local.set $at (i32.add (local.get $at) (i32.const 1)))
        br_table $step $jump $return $calls $tables $loops {0})
        br $next)
        (local.set $at (local.get $start)) {1} br $next)
        (return (local.get $at)))
        (call $direct (i32.const 60)) br $next)
        (call $into_table (i32.const 60)) br $next)
        call $inner_loop br $next)
      br $next)
    (i32.const 0))))";

enum Opcode : std::uint8_t { step, jump, leave, call_direct, call_table, loop_inside };

class CompileAhead : public testing::Test {
 protected:
  void SetUp() override {
    std::string others;
    for (int i = 0; i < 250; ++i) others += "$other ";
    const auto text = fmt::format(fmt::runtime(interpreter), others, mark);
    const auto wasm = from_text(text);
    ASSERT_TRUE(wasm) << to_string(wasm.error());
    const auto compiled = compile_ahead(engine_, *wasm);
    ASSERT_TRUE(compiled) << to_string(compiled.error());
    const Module module = *Module::load(engine_, *compiled);
    template_ = *Template::create(engine_, module, "test", {});
  }

  // Runs the opcodes for a while under a clock that ticks.
  Progress run(std::initializer_list<Opcode> program) {
    instance_ = *Instance::create(template_, {}, nullptr);
    std::ranges::copy(program, instance_->memory().begin());
    std::atomic<bool> over = false;
    std::thread ticker([&] {
      for (; !over; std::this_thread::sleep_for(1ms)) engine_.tick();
    });
    instance_->begin(0, 0);
    const std::atomic<bool> never = false;
    const Progress progress = instance_->run(std::chrono::steady_clock::now() + 3ms, never);
    over = true;
    ticker.join();
    return progress;
  }

  Engine engine_ = *Engine::create({});
  Template template_;
  std::unique_ptr<Instance> instance_;
};

TEST_F(CompileAhead, KeepsTheMeaningOfTheModule) {
  EXPECT_EQ(run({step, step, leave}), Progress::returned);
  EXPECT_EQ(instance_->result(), 3u);
}

TEST_F(CompileAhead, InterruptsTheLoopOfOpcodesAtItsMarks) {
  EXPECT_EQ(run({step, jump}), Progress::yielded);
}

TEST_F(CompileAhead, InterruptsFunctionsThatCallEachOther) {
  EXPECT_EQ(run({call_direct}), Progress::yielded);
}

TEST_F(CompileAhead, InterruptsCallsThroughATable) {
  EXPECT_EQ(run({call_table}), Progress::yielded);
}

TEST_F(CompileAhead, InterruptsEveryOtherLoop) { EXPECT_EQ(run({loop_inside}), Progress::yielded); }

TEST_F(CompileAhead, RefusesMarksWithoutALoopOfOpcodes) {
  const auto text = fmt::format("(module (func (loop {} br 0)))", mark);
  EXPECT_FALSE(compile_ahead(engine_, *from_text(text)));
}

TEST_F(CompileAhead, RefusesALoopThatCanTurnRoundBeforeItsTable) {
  std::string targets;
  for (int i = 0; i < 256; ++i) targets += "0 ";
  const auto text = fmt::format(
      "(module (memory 1) (func (param i32) (loop (br_if 0 (local.get 0)) "
      "(block (i32.load8_u (local.get 0)) br_table {}) {} br 0)))",
      targets, mark);
  EXPECT_FALSE(compile_ahead(engine_, *from_text(text)));
}

TEST_F(CompileAhead, ChecksEverywhereWhereThereAreNoMarks) {
  const auto text = R"((module (memory (export "memory") 1)
    (func (export "enter") (param i32 i32) (result i32) (loop $forever br $forever) (i32.const 0))))";
  const Module module = *Module::load(engine_, *compile_ahead(engine_, *from_text(text)));
  template_ = *Template::create(engine_, module, "test", {});
  EXPECT_EQ(run({}), Progress::yielded);
}

}  // namespace
}  // namespace cordon::sandbox
