// What guests make the host do: their programs, modules, values, calls, log lines and errors.
//
// A guest's own memory and time have limits of their own. What counts here is the heap of the host,
// and the time that nobody is charged for.

#include <algorithm>
#include <memory>

#include "amplify/processor_time.h"
#include "amplify/way.h"

#include "cordon/base/writer.h"
#include "cordon/engine.h"
#include "cordon/js/image_file.h"
#include "cordon/js/value_wire.h"

namespace cordon::amplify {
namespace {

using namespace std::chrono_literals;

// One for all, as in a server. Nothing else runs on it.
Engine& engine() {
  static Engine made = [] {
    Result<Engine> engine = Engine::create({.workers = 0, .slots = 4});
    if (!engine) throw std::runtime_error(to_string(engine.error()));
    (void)engine->execute("1").get();
    (void)engine->execute("const a: number = 1", {.name = "a.ts"}).get();
    return *std::move(engine);
  }();
  return made;
}

struct Program {
  std::string code;
  ExecuteOptions options = {};
};

Attack executing(std::size_t in, Program program) {
  Engine& shared = engine();
  program.options.limits.time.total = 10s;
  program.options.limits.memory_bytes = std::uint64_t{512} << 20;
  auto kept = std::make_shared<Program>(std::move(program));
  return {.in = in, .run = [kept, &shared] {
            const double begin = processor_seconds();
            const Report report = shared.execute(kept->code, kept->options).get();
            const std::chrono::duration<double> own = report.computing_time;
            // The clocks are not the same one.
            const double seconds = std::max(processor_seconds() - begin - own.count(), 0.0);
            return Outcome{.text = report.ok() ? "done" : std::string(report.error.code_text()),
                           .seconds = seconds};
          }};
}

// A program that is nothing but the text.
Input program_text(std::string name, std::string first, std::string part, std::string last,
                   const std::string& file = "program.js") {
  return {std::move(name), [=](std::size_t size) {
            std::string text = repeated_to(size, first, part, last);
            const std::size_t in = text.size();
            return executing(in, {.code = std::move(text), .options = {.name = file}});
          }};
}

// A program in which $ stands for the size.
Input sized_program(std::string name, std::string code, const ExecuteOptions& options = {},
                    std::size_t bytes_each = 1) {
  return {std::move(name), [=](std::size_t size) {
            std::string text = code;
            for (std::size_t at = text.find('$'); at != text.npos; at = text.find('$'))
              text.replace(at, 1, std::to_string(size / bytes_each));
            return executing(size, {.code = std::move(text), .options = options});
          }};
}

Way program_way() {
  return {.name = "program text",
          .inputs = {program_text("`;;;;`", "", ";", ""), program_text("`[[[[`", "", "[", ""),
                     program_text("`0,0,…`", "0", ",0", ""),
                     program_text("`a();a();`", "function a(){}", "a();", ""),
                     program_text("one string", "'", "x", "'"),
                     program_text("one comment", "/*", "x", "*/"),
                     program_text("lines", "", "\n", "throw new Error()"),
                     program_text("`((((`", "", "(", ""),
                     program_text("a fence", "```js\n", "1\n", "```\n")},
          .fixed_bytes = std::size_t{1} << 20,
          .limited_by = "the text is kept as it is; parsed in the sandbox"};
}

Way typescript_way() {
  const std::string file = "program.ts";
  return {.name = "TypeScript",
          .inputs = {program_text("types within types", "let a: ", "A<", "", file),
                     program_text("casts", "let q: any = ", "<a>(", "", file),
                     program_text("`let a:a;`", "", "let a:a;", "", file),
                     program_text("an enum", "enum E { ", "a,", "}", file),
                     program_text("statements and an enum", "enum E {}\n", "a;", "", file),
                     program_text("blocks and an enum", "enum E {}\n", "{", "", file),
                     program_text("one union", "type A = 0", "|0", ";", file)},
          .fixed_bytes = std::size_t{2} << 20,
          .limited_by = "its text in and out; the rest is in a sandbox of its own"};
}

Way module_way() {
  const auto one = [](std::size_t size) {
    Program program{.code = "import './m.js'"};
    std::string text = repeated_to(size, "", ";", "");
    const std::size_t in = text.size();
    program.options.modules.emplace("./m.js", std::move(text));
    return executing(in, std::move(program));
  };
  const auto many = [](std::size_t size) {
    Program program{.code = "import './0.js'"};
    std::size_t in = 0;
    for (std::size_t i = 0; in < size && i < 10'000; ++i) {
      const std::string name = "./" + std::to_string(i) + ".js";
      const std::string text = "import './" + std::to_string(i + 1) + ".js'";
      in += name.size() + text.size();
      program.options.modules.emplace(name, text);
    }
    return executing(in, std::move(program));
  };
  const auto imports = [](std::size_t size) {
    std::string text = text_of_size(
        size, "", [](std::size_t i) { return "import './" + std::to_string(i) + "';"; }, "");
    const std::size_t in = text.size();
    return executing(in, {.code = std::move(text)});
  };
  return {.name = "module",
          .inputs = {{"one", one},
                     {"a chain", many},
                     {"imports of none", imports},
                     sized_program("a long specifier", "await import('./' + 'a'.repeat($))"),
                     sized_program("many specifiers",
                                   "for (let i = 0; i < $; i++) "
                                   "await import('./' + i).catch(() => {})",
                                   {}, 64)},
          .fixed_bytes = std::size_t{2} << 20,
          .limited_by = "each text is kept as it is; specifiers of 4 KiB"};
}

std::function<Attack(std::size_t)> wire(std::string head, std::size_t part_bytes, std::string part,
                                        js::WireKinds kinds) {
  return [=](std::size_t size) {
    const std::size_t count = size / part_bytes;
    auto bytes = std::make_shared<Bytes>();
    Writer out(*bytes);
    for (const char c : head) out.u8(static_cast<std::uint8_t>(c));
    out.u32(static_cast<std::uint32_t>(count));
    for (std::size_t i = 0; i < count; ++i)
      for (const char c : part) out.u8(static_cast<std::uint8_t>(c));
    return Attack{.in = bytes->size(), .run = [bytes, kinds] {
                    Reader in(*bytes);
                    const auto value = js::read_value(in, {.kinds = kinds});
                    return Outcome{.text = value ? "read" : to_string(value.error())};
                  }};
  };
}

Input wire_input(std::string name, std::string head, const std::string& part,
                 js::WireKinds kinds = js::WireKinds::rich) {
  return {std::move(name), wire(std::move(head), part.size(), part, kinds)};
}

// What a guest that was taken over can write (guest/abi.h has the tags), without the limits that
// its own half keeps to.
Way value_way() {
  using namespace std::string_literals;
  return {.name = "a guest's value, as it leaves",
          .inputs = {wire_input("nulls", "\x07", "\x01", js::WireKinds::plain),
                     wire_input("holes", "\x07", "\x14"),
                     wire_input("empty arrays", "\x07", "\x07\0\0\0\0"s, js::WireKinds::plain),
                     wire_input("empty objects", "\x07", "\x08\0\0\0\0"s, js::WireKinds::plain),
                     wire_input("empty strings", "\x07", "\x06\0\0\0\0"s, js::WireKinds::plain),
                     wire_input("equal members", "\x08", "\0\0\0\0\x01"s, js::WireKinds::plain),
                     wire_input("a Map of nulls", "\x11", "\x01\x01"s),
                     wire_input("a Set of nulls", "\x12", "\x01"s),
                     wire_input("empty Maps", "\x07", "\x11\0\0\0\0"s),
                     wire_input("the same again", "\x07", "\x09\0\0\0\0"s),
                     wire_input("empty bytes", "\x07", "\x10\x04\0\0\0\0"s)},
          .fixed_bytes = std::size_t{1} << 20,
          .limited_by = "the execution's budget; 8 Mi elements; the message's limit"};
}

Provider tools() {
  Provider made("tools");
  made.add("swallow", [](Value) -> Result<Value> { return Value(); });
  made.add("echo", [](Value input) -> Result<Value> { return input; });
  auto kept = std::make_shared<std::vector<Reply>>();
  made.add_async("hang", [kept](Value, Reply reply) {
    kept->clear();
    kept->push_back(std::move(reply));
  });
  return made;
}

Way call_way() {
  const ExecuteOptions options{.providers = {tools()}};
  ExecuteOptions rich = options;
  rich.values = ValueRule::rich;
  return {
      .name = "tool call",
      .inputs = {sized_program("nulls", "await tools.swallow(new Array($).fill(null))", options),
                 sized_program("holes", "await tools.swallow(new Array($))", options),
                 sized_program("empty arrays",
                               "await tools.swallow(Array.from({length: $}, () => []))", options,
                               5),
                 sized_program("and back", "await tools.echo(new Array($).fill(null))", options),
                 sized_program("a hundred that wait",
                               "for (let i = 0; i < 100; i++) "
                               "tools.hang(new Array($).fill(null)).catch(() => {}); 1",
                               options, 100),
                 sized_program("one part, many times",
                               "const a = new Array(1000).fill(null); "
                               "await tools.swallow(Array.from({length: $}, () => a))",
                               rich, 5),
                 sized_program("calls of nothing",
                               "for (let i = 0; i < $; i++) await tools.swallow()", options, 64)},
      .fixed_bytes = std::size_t{4} << 20,
      .limited_by = "the execution's budget; 10,000 calls in the report"};
}

Way log_way() {
  ExecuteOptions many;
  many.limits.log_lines = 100'000;
  many.limits.log_chars = 16'777'216;
  return {.name = "log",
          .inputs = {sized_program("empty lines", "for (let i = 0; i < $; i++) console.log('')",
                                   many, 2),
                     sized_program("lines of one character",
                                   "for (let i = 0; i < $; i++) console.log('x')", many, 2),
                     sized_program("one line", "console.log('x'.repeat($))", many),
                     sized_program("as many as a program has unless told otherwise",
                                   "for (let i = 0; i < $; i++) console.log('x')", {}, 2)},
          .fixed_bytes = std::size_t{16} << 20,
          .limited_by = "lines and characters: 100,000 and 16 Mi in a runner, else 100 and 64,000"};
}

Way result_way() {
  ExecuteOptions rich;
  rich.values = ValueRule::rich;
  return {.name = "result",
          .inputs = {sized_program("nulls", "new Array($).fill(null)"),
                     sized_program("holes", "new Array($)"),
                     sized_program("empty objects", "Array.from({length: $}, () => ({}))", {}, 5),
                     sized_program("members",
                                   "Object.fromEntries(Array.from({length: $}, (_, i) => "
                                   "[i.toString(36), 0]))",
                                   {}, 13),
                     sized_program("a string", "'x'.repeat($)"),
                     sized_program("a Map", "new Map(Array.from({length: $}, (_, i) => [i, 0]))",
                                   rich, 10),
                     sized_program("an error", "throw new Error('x'.repeat($))"),
                     sized_program("causes",
                                   "let e; for (let i = 0; i < 100; i++) "
                                   "e = new Error('x'.repeat($), {cause: e}); throw e",
                                   {}, 100)},
          .fixed_bytes = std::size_t{1} << 20,
          .limited_by = "the execution's budget; the message's limit"};
}

// A file of zeros, which pack well.
Way image_way() {
  const auto beside = [](std::size_t size) {
    js::Image image;
    image.memory_pages = 64;
    auto file = std::make_shared<Bytes>(js::write_image(image, Bytes(size * 16)).value_or(Bytes()));
    return Attack{.in = file->size(), .run = [file] {
                    const auto calls = Engine::pending_calls(*file);
                    return Outcome{.text = calls ? "read" : to_string(calls.error())};
                  }};
  };
  const auto runs = [](std::size_t size) {
    js::Image image;
    image.memory_pages = 64;
    image.runs.assign(size * 16, 0);
    auto file = std::make_shared<Bytes>(js::write_image(image, {}).value_or(Bytes()));
    return Attack{.in = file->size(), .run = [file] {
                    auto read = js::read_image(*file, {.memory_bytes = std::uint64_t{64} << 20,
                                                       .beside_bytes = std::uint64_t{16} << 20});
                    return Outcome{.text = read ? "read" : to_string(read.error())};
                  }};
  };
  return {.name = "image",
          .inputs = {{"zeros beside it", beside}, {"empty runs", runs}},
          .fixed_bytes = std::size_t{128} << 20,
          .limited_by = "the memory that the guest may have, and a budget for its table"};
}

}  // namespace

std::vector<Way> guest_ways() {
  return {program_way(), typescript_way(), module_way(), value_way(),
          call_way(),    log_way(),        result_way(), image_way()};
}

}  // namespace cordon::amplify
