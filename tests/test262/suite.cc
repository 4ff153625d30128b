#include "suite.h"

#include <algorithm>
#include <condition_variable>
#include <filesystem>
#include <mutex>
#include <optional>
#include <utility>

#include "known_failures.h"

namespace cordon::test262 {
namespace {

namespace fs = std::filesystem;
using namespace std::chrono_literals;

constexpr std::size_t max_at_once = 64;
constexpr std::size_t tests_between_progress = 1000;

// What the suite wants of its host, as far as a program can provide it. A second realm and agents
// are left out by their features.
constexpr std::string_view host_hooks = R"(
var print = (text) => console.log(String(text));
var $262 = {
  global: globalThis,
  gc: () => {},
  evalScript: (text) => (0, eval)(text),
  detachArrayBuffer: (buffer) => { buffer.transfer(); },
  createRealm: () => { throw new Error('there is one realm'); },
  agent: {},
};
)";

struct Test {
  std::string name;  // below test/
  fs::path path;
};

std::vector<Test> find_tests(const SuiteOptions& options) {
  const fs::path root = fs::path(options.folder) / "test";
  std::vector<Test> tests;
  std::error_code error;
  for (fs::recursive_directory_iterator at(root, error), end; at != end; at.increment(error)) {
    const fs::path& path = at->path();
    if (path.extension() != ".js" || path.stem().string().contains("_FIXTURE")) continue;
    std::string name = path.lexically_relative(root).generic_string();
    const bool is_wanted =
        options.filters.empty() ||
        std::ranges::any_of(options.filters, [&](const auto& part) { return name.contains(part); });
    if (is_wanted) tests.push_back({.name = std::move(name), .path = path});
  }
  std::ranges::sort(tests, {}, &Test::name);
  return tests;
}

// Text as a literal of JavaScript.
std::string literal_of(std::string_view text) {
  std::string literal = "\"";
  for (const char c : text) {
    if (c == '"' || c == '\\') literal += '\\';
    literal += c;
  }
  return literal + '"';
}

class Run {
 public:
  Run(const SuiteOptions& options, Engine engine)
      : options_(options),
        harness_(fs::path(options.folder) / "harness"),
        engine_(std::move(engine)) {}

  Result<SuiteResult> all() {
    const std::vector<Test> tests = find_tests(options_);
    for (std::size_t i = 0; i < tests.size(); ++i) {
      if (Result<> started = start(tests[i]); !started) return std::unexpected(started.error());
      if (options_.on_progress && (i + 1) % tests_between_progress == 0)
        options_.on_progress(i + 1, tests.size());
    }
    std::unique_lock lock(mutex_);
    changed_.wait(lock, [&] { return at_once_ == 0; });
    return std::move(result_);
  }

 private:
  Result<> start(const Test& test) {
    const std::optional<std::string> text = read_file(test.path);
    if (!text) return fail(ErrorCode::invalid_argument, "cannot read " + test.path.string());
    const FrontMatter matter = parse_front_matter(*text);
    if (const std::string reason = left_out(test, matter); !reason.empty()) {
      const std::lock_guard lock(mutex_);
      ++result_.left_out[reason];
      return {};
    }
    {
      const std::lock_guard lock(mutex_);
      result_.ran.insert(test.name);
    }
    if (matter.has_flag("module")) return run_module(test, matter);
    const bool is_raw = matter.has_flag("raw");
    if (!matter.has_flag("onlyStrict")) CORDON_TRY(run_script(test, matter, *text, is_raw, ""));
    if (!matter.has_flag("noStrict") && !is_raw)
      CORDON_TRY(run_script(test, matter, *text, is_raw, "\"use strict\";\n"));
    return {};
  }

  std::string left_out(const Test& test, const FrontMatter& matter) const {
    for (const std::string& feature : matter.features) {
      if (options_.left_out.contains(feature)) return feature;
    }
    for (const auto& [name, reason] : options_.left_out) {
      if (name.ends_with('/') && test.name.starts_with(name)) return name;
    }
    return {};
  }

  Result<std::string> prelude(const FrontMatter& matter) {
    std::string all(host_hooks);
    std::vector<std::string> names = {"assert.js", "sta.js"};
    if (matter.has_flag("async")) names.emplace_back("doneprintHandle.js");
    names.insert(names.end(), matter.includes.begin(), matter.includes.end());
    for (const std::string& name : names) {
      auto known = harness_texts_.find(name);
      if (known == harness_texts_.end()) {
        std::optional<std::string> text = read_file(harness_ / name);
        if (!text) return fail(ErrorCode::invalid_argument, "no harness/" + name);
        known = harness_texts_.emplace(name, *std::move(text)).first;
      }
      all += known->second;
      all += '\n';
    }
    return all;
  }

  Result<> run_script(const Test& test, const FrontMatter& matter, const std::string& text,
                      bool is_raw, std::string_view directive) {
    ExecuteOptions options = limits();
    options.module_folder = test.path.parent_path().string();
    // A program is a script and a little more: it may await and return at its top, and be a module.
    // What must not parse is therefore given to eval, which takes scripts alone.
    if (matter.negative_phase == "parse") {
      options.input = Value(std::string(directive) + text);
      begin(test, matter, "(0, eval)(input); 0", std::move(options));
      return {};
    }
    const std::string before = is_raw ? std::string() : CORDON_TRY(prelude(matter));
    // The value of a program is that of its last statement; this one may leave.
    begin(test, matter, std::string(directive) + before + text + "\n;0;", std::move(options));
    return {};
  }

  // The program imports the test, so that the test may import itself.
  Result<> run_module(const Test& test, const FrontMatter& matter) {
    ExecuteOptions options = limits();
    options.module_folder = test.path.parent_path().string();
    options.input = Value(CORDON_TRY(prelude(matter)));
    options.modules.emplace("./harness of test262.js", "(0, eval)(input);");
    std::string program = "import './harness of test262.js';\nimport ";
    program += literal_of("./" + test.path.filename().string()) + ";\n";
    begin(test, matter, program, std::move(options));
    return {};
  }

  static ExecuteOptions limits() {
    ExecuteOptions options;
    options.limits.time = {.total = {}, .computing = 20s, .cpu = {}};
    options.limits.memory_bytes = std::uint64_t{512} << 20;
    options.program = ProgramRule::execbox;  // a rejection that nothing handles is no failure
    return options;
  }

  void begin(const Test& test, const FrontMatter& matter, const std::string& program,
             ExecuteOptions options) {
    {
      std::unique_lock lock(mutex_);
      changed_.wait(lock, [&] { return at_once_ < max_at_once; });
      ++at_once_;
    }
    engine_.execute(program, std::move(options))
        .then([this, name = test.name, matter](const Report& report) {
          std::string failure = judge(matter, report);
          const std::lock_guard lock(mutex_);
          if (!failure.empty()) result_.failed.emplace(name, std::move(failure));
          --at_once_;
          changed_.notify_one();
        });
  }

  const SuiteOptions& options_;
  fs::path harness_;
  std::map<std::string, std::string> harness_texts_;
  std::mutex mutex_;
  std::condition_variable changed_;
  std::size_t at_once_ = 0;
  SuiteResult result_;
  Engine engine_;  // goes first: its threads use what is above
};

}  // namespace

std::string judge(const FrontMatter& matter, const Report& report) {
  // A program whose value may not leave has run to its end.
  const bool ended = report.ok() || report.error.code == ErrorCode::serialization_error;
  const std::string what = report.error.name + ": " + report.error.message;
  if (matter.is_negative()) {
    if (ended) return "did not fail";
    // The suite's own error is no Error and has no name.
    const bool is_right = report.error.name == matter.negative_type ||
                          (matter.negative_type == "Test262Error" && report.error.name.empty());
    return is_right ? "" : "failed differently: " + what;
  }
  if (!ended) return what;
  if (!matter.has_flag("async")) return {};
  std::string first = "$DONE was not called";
  for (const LogLine& line : report.logs) {
    if (line.text == "Test262:AsyncTestComplete") return {};
    if (line.text.starts_with("Test262:")) first = line.text;
  }
  return first;
}

Result<SuiteResult> run_suite(const SuiteOptions& options) {
  Engine engine = CORDON_TRY(Engine::create({.slots = 8}));
  return Run(options, std::move(engine)).all();
}

}  // namespace cordon::test262
