// `cordon call` and `cordon guest` as their users see them, with guests that do what they should,
// break the protocol in every way, or attack what is outside of their sandbox.

#include <algorithm>
#include <fcntl.h>
#include <fstream>
#include <signal.h>
#include <string>
#include <sys/stat.h>
#include <thread>
#include <unistd.h>

#include "cordon_command.h"
#include "costly_modules.h"
#include <gmock/gmock.h>
#include <gtest/gtest.h>

#include "cordon/base/sanitized.h"
#include "cordon/codec/json/decode.h"
#include "cordon/value.h"

namespace cordon::e2e {
namespace {

using namespace std::chrono_literals;
using testing::AllOf;
using testing::HasSubstr;
using testing::IsEmpty;
using testing::Not;

const std::string wasm = CORDON_TEST_GUEST_WASM;
const std::string program = CORDON_TEST_GUEST_PROGRAM;

class DuplexCall : public testing::Test {
 protected:
  Ended cordon(std::vector<std::string> arguments, std::string input = {}) const {
    Command command{.arguments = std::move(arguments), .input = std::move(input)};
    command.environment["XDG_CACHE_HOME"] = folder_.path();
    return e2e::cordon(command);
  }

  // cordon call guest.wasm ARGUMENTS…
  Ended call(std::vector<std::string> arguments) const {
    arguments.insert(arguments.begin(), {"call", wasm});
    return cordon(std::move(arguments));
  }

  static Value json_of(const std::string& text) {
    const Result<Value> value = json::decode(text);
    EXPECT_TRUE(value.has_value()) << text;
    return value.value_or(Value());
  }

  std::string code_of(std::vector<std::string> arguments) const {
    arguments.insert(arguments.begin(), {"call", wasm});
    return code_of_command(std::move(arguments));
  }

  std::string code_of_command(std::vector<std::string> arguments) const {
    arguments.emplace_back("--json");
    const Ended ended = cordon(std::move(arguments));
    EXPECT_EQ(ended.exit_code, 2) << ended.output << ended.errors;
    EXPECT_EQ(std::ranges::count(ended.output, '\n'), 1);
    const Value object = json_of(ended.output);
    EXPECT_EQ(object["ok"], Value(false));
    EXPECT_TRUE(object["error"]["message"].is_string());
    return std::string(object["error"]["code"].as_string());
  }

  std::string callbacks() const {
    return folder_.file("callbacks.js",
                        "export function price(p) { return {name: 'Broccoli', id: p.productId}; }\n"
                        "export async function boom() { throw new Error('out of stock'); }\n"
                        "export function forever() { for (;;); }\n"
                        "export async function log() { await null; console.log('was here'); }\n");
  }

  Folder folder_;
};

TEST_F(DuplexCall, PrintsTheResult) {
  const Ended ended = call({"add", "[1,2]"});
  EXPECT_EQ(ended.exit_code, 0) << ended.errors;
  EXPECT_EQ(ended.output, "3\n");
  EXPECT_EQ(ended.errors, "");
}

TEST_F(DuplexCall, WorksWithAnyProgramThatSpeaksTheProtocol) {
  const Ended ended =
      cordon({"call", "--command", "'" + program + "' \"unused argument\"", "add", "[40, 2]"});
  EXPECT_EQ(ended.exit_code, 0) << ended.errors;
  EXPECT_EQ(ended.output, "42\n");
}

TEST_F(DuplexCall, JsonTellsSuccessAndFailure) {
  EXPECT_EQ(call({"add", "[1,2]", "--json"}).output, "{\"ok\":true,\"result\":3}\n");
  const Ended ended = call({"divide", "[10,0]", "--json"});
  EXPECT_EQ(ended.exit_code, 1);
  EXPECT_EQ(
      ended.output,
      "{\"ok\":false,\"error\":{\"code\":\"function_error\",\"message\":\"Division by zero\"}}\n");
}

TEST_F(DuplexCall, AFunctionErrorIsOneOnStderr) {
  const Ended ended = call({"divide", "[10,0]"});
  EXPECT_EQ(ended.exit_code, 1);
  EXPECT_EQ(ended.output, "");
  EXPECT_THAT(ended.errors, HasSubstr("Division by zero"));
}

TEST_F(DuplexCall, ValuesComeBackAsTheyWent) {
  for (const char* text :
       {"18446744073709551615", "-9223372036854775808", "9007199254740993", "-5", "1.5", "null",
        "\"\\u0000é\"", "[]", "{\"a\":{\"$bytes\":\"AAEC\"},\"__type\":\"Date\"}", "true"}) {
    const Ended ended = call({"echo", text});
    EXPECT_EQ(ended.output, std::string(text) + "\n") << ended.errors;
  }
}

TEST_F(DuplexCall, AMissingResultPrintsNothing) {
  const Ended ended = call({"nothing"});
  EXPECT_EQ(ended.exit_code, 0);
  EXPECT_EQ(ended.output, "");
}

TEST_F(DuplexCall, AStreamIsALineAChunk) {
  const Ended ended = call({"listItems", "{\"category\":\"tools\"}", "--stream", "toolStreamId"});
  EXPECT_EQ(ended.exit_code, 0) << ended.errors;
  EXPECT_EQ(ended.output, "\"Hammer\"\n\"Wrench\"\n");
}

TEST_F(DuplexCall, AStreamErrorIsAFailure) {
  const Ended ended = call({"lostItems", "--stream", "toolStreamId"});
  EXPECT_EQ(ended.exit_code, 1);
  EXPECT_EQ(ended.output, "\"Hammer\"\n");
  EXPECT_THAT(ended.errors, HasSubstr("Connection lost"));
}

TEST_F(DuplexCall, AStreamEndsWithItsReader) {
  const std::string command = cordon_program() + " call --stream stream --timeout 60000 " + wasm +
                              " chunks '{\"count\":1000000000}' | head -c 9";
  Command shell{.arguments = {"-c", command}};
  shell.environment["XDG_CACHE_HOME"] = folder_.path();
  const auto start = std::chrono::steady_clock::now();
  EXPECT_EQ(run("/bin/sh", shell).output, "{\"$bytes\"");
  EXPECT_LT(std::chrono::steady_clock::now() - start, 30s);
}

TEST_F(DuplexCall, NoResponseWaitsForTheGuestsEnd) {
  const Ended ended = call({"logEvent", "{\"event\":\"started\"}", "--no-response"});
  EXPECT_EQ(ended.exit_code, 0) << ended.errors;
  EXPECT_EQ(ended.output, "");
  EXPECT_EQ(ended.errors, "logged\n");
}

TEST_F(DuplexCall, NoResponseTakesNone) {
  EXPECT_EQ(code_of({"answerLogged", "--no-response"}), "unknown_id");
  EXPECT_EQ(code_of({"exit", "[3]", "--no-response"}), "exited");
}

TEST_F(DuplexCall, StatsAreALineOfNumbers) {
  const Ended ended = call({"add", "[1,2]", "--stats"});
  EXPECT_EQ(ended.output, "3\n");
  const Value stats = json_of(ended.errors);
  EXPECT_EQ(stats["restarts"], Value(0));
  EXPECT_EQ(stats["frames"], Value(2));
  EXPECT_GT(stats["bytes"].as_number(), 50);
  EXPECT_GT(stats["ms"].as_number(), 0);
}

TEST_F(DuplexCall, CallbacksRunIfTheFileHasThemAndTheyAreAllowed) {
  const std::string file = callbacks();
  const char* price = R"({"name":"price","params":{"productId":"p-42"}})";
  const Ended ended = call({"callBack", price, "--callbacks", file, "--allow", "price"});
  EXPECT_EQ(ended.exit_code, 0) << ended.errors;
  EXPECT_EQ(ended.output, "{\"name\":\"Broccoli\",\"id\":\"p-42\"}\n");
  EXPECT_EQ(code_of({"callBack", price, "--callbacks", file}), "unauthorized_callback");
  EXPECT_EQ(code_of({"callBack", price, "--callbacks", file, "--allow", "boom"}),
            "unauthorized_callback");
  EXPECT_EQ(code_of({"callBack", price, "--allow", "price"}), "unauthorized_callback");
  EXPECT_EQ(
      code_of({"callBack", "{\"name\":\"toString\"}", "--callbacks", file, "--allow", "toString"}),
      "unauthorized_callback");
}

TEST_F(DuplexCall, CallbacksGetBytesAndAllOfAnInteger) {
  const std::string file = folder_.file("exact.js",
                                        "export const kind = p => [p[0] instanceof Uint8Array, "
                                        "p[0].length, typeof p[1], typeof p[2]];\n"
                                        "export const same = p => p;\n");
  const auto back = [&](const std::string& name) {
    return call({"callBack",
                 "{\"name\":\"" + name +
                     "\",\"params\":[{\"$bytes\":\"AP8=\"},18446744073709551615,9007199254740991]}",
                 "--callbacks", file, "--allow", name});
  };
  EXPECT_EQ(back("kind").output, "[true,2,\"bigint\",\"number\"]\n");
  EXPECT_EQ(back("same").output, "[{\"$bytes\":\"AP8=\"},18446744073709551615,9007199254740991]\n");
}

TEST_F(DuplexCall, CallbacksImportFromTheirFolder) {
  folder_.file("prices.js", "export const price = 7;\n");
  const std::string file = folder_.file(
      "shop.js", "import { price } from './prices.js'; export const total = n => n * price;\n");
  const Ended ended = call(
      {"callBack", "{\"name\":\"total\",\"params\":6}", "--callbacks", file, "--allow", "total"});
  EXPECT_EQ(ended.output, "42\n") << ended.errors;
}

TEST_F(DuplexCall, AFailedCallbackIsTheGuestsToHandle) {
  const std::string file = callbacks();
  const Ended ended =
      call({"callBack", "{\"name\":\"boom\"}", "--callbacks", file, "--allow", "boom"});
  EXPECT_EQ(ended.exit_code, 1);
  EXPECT_THAT(ended.errors, HasSubstr("the callback failed"));
}

TEST_F(DuplexCall, ACallbackWithoutAnAnswerIsAllowedToo) {
  const Ended ended =
      call({"notify", "{\"name\":\"price\"}", "--callbacks", callbacks(), "--allow", "price"});
  EXPECT_EQ(ended.exit_code, 0) << ended.errors;
}

TEST_F(DuplexCall, ACallbackWithoutAnAnswerIsDoneBeforeTheEnd) {
  const Ended ended =
      call({"notify", "{\"name\":\"log\"}", "--callbacks", callbacks(), "--allow", "log"});
  EXPECT_EQ(ended.exit_code, 0);
  EXPECT_EQ(ended.errors, "was here\n");
}

TEST_F(DuplexCall, ACallbackThatLoopsDoesNotStopTheClock) {
  EXPECT_EQ(code_of({"callBack", "{\"name\":\"forever\"}", "--callbacks", callbacks(), "--allow",
                     "forever", "--timeout", "300"}),
            "timeout");
}

TEST_F(DuplexCall, EveryWayToBreakTheProtocolHasItsCode) {
  const std::pair<const char*, const char*> ways[] = {
      {"print", "bad_version"},       {"printAfter", "bad_version"},
      {"version", "bad_version"},     {"badFrame", "bad_frame"},
      {"hostileCount", "bad_frame"},  {"trailingByte", "bad_frame"},
      {"emptyFrame", "bad_frame"},    {"noMap", "bad_message"},
      {"extension", "bad_message"},   {"hugeFrame", "too_large"},
      {"answerTwice", "unknown_id"},  {"answerUnasked", "unknown_id"},
      {"chunkUnasked", "unknown_id"}, {"halfFrame", "exited"},
      {"closeOutput", "exited"},      {"exit", "exited"},
  };
  for (const auto& [function, code] : ways) {
    EXPECT_EQ(code_of({function, "[3]"}), code) << function;
  }
  EXPECT_EQ(code_of({"endTwice", "--stream", "toolStreamId"}), "unknown_id");
  EXPECT_EQ(code_of({"chunkAfterError", "--stream", "toolStreamId"}), "unknown_id");
  EXPECT_EQ(code_of({"sameIdTwice", "{\"name\":\"price\"}", "--callbacks", callbacks(), "--allow",
                     "price"}),
            "bad_message");
}

TEST_F(DuplexCall, AFrameMayBeLimited) {
  const std::string text = "\"" + std::string(2000, 'x') + "\"";
  EXPECT_EQ(call({"echo", text, "--max-frame", "4KiB"}).exit_code, 0);
  const Ended ended = call({"echo", text, "--max-frame", "1KiB"});
  EXPECT_EQ(ended.exit_code, 2) << "our own message is too large";
  EXPECT_THAT(ended.errors, HasSubstr("too_large: "));
}

TEST_F(DuplexCall, ATimeoutEndsWhateverTheGuestDoes) {
  for (const char* function : {"hang", "spin"}) {
    const std::string code = code_of({function, "--timeout", "300"});
    EXPECT_EQ(code, "timeout") << function;
  }
}

TEST_F(DuplexCall, TheGuestGetsNothingFromOutside) {
  for (const char* function : {"doors", "secrets", "clocks", "outside"}) {
    const Ended ended = call({function});
    EXPECT_EQ(ended.output, "0\n") << function << ended.errors;
  }
}

TEST_F(DuplexCall, MemoryEndsAtItsLimit) {
  const int all = std::stoi(call({"grow"}).output);
  EXPECT_GT(all, 240);
  EXPECT_LT(all, 256);
  const int few = std::stoi(call({"grow", "--memory", "16MiB"}).output);
  EXPECT_GT(few, 8);
  EXPECT_LT(few, 16);
}

TEST_F(DuplexCall, TrapsAreAnEndWithAWord) {
  for (const char* function : {"trap", "deep"}) {
    const Ended ended = call({function});
    EXPECT_EQ(ended.exit_code, 2);
    EXPECT_THAT(ended.errors, AllOf(HasSubstr("trap: "), HasSubstr("exited: ")));
  }
}

TEST_F(DuplexCall, WrongUsageIs64) {
  const std::vector<std::string> wrong[] = {
      {"call"},
      {"call", wasm},
      {"call", wasm, "add", "[1,"},
      {"call", wasm, "add", "1", "2"},
      {"call", "no-such-file.wasm", "add"},
      {"call", "/", "add"},
      {"call", wasm, "add", "--timeout", "0"},
      {"call", wasm, "add", "--timeout", "x"},
      {"call", wasm, "add", "--callbacks", "no-such-file.js"},
      {"call", wasm, "add", "[1]", "--stream", "s"},
      {"call", "--command", "'open", "add"},
      {"call", "--command", "", "add"},
      {"call", wasm, "add", "[1,2]", "--max-frame", ""},
      {"call", wasm, "add", "[1,2]", "--stream", ""},
      {"call", wasm, "add", "[1,2]", "--callbacks="},
      {"call", wasm, "add", "[1,2]", "--allow", ""},
      {"call", "--command", "no-such-program-at-all", "add"},
      {"guest"},
      {"guest", "no-such-file.wasm"},
      {"guest", "--memory", "5GiB", wasm},
      {"guest", "--timeout", "", wasm},
      {"guest", "--cache", "", wasm},
      {"guest", "--compile-timeout", "0", wasm},
      {"guest", "--compile-memory", "much", wasm},
      {"guest", "--lifeline", "2", wasm},
      {"guest", "--lifeline", "77", wasm},
      {"call", "--compile-timeout", "0", wasm, "add"},
      {"call", "--compile-memory", "", wasm, "add"},
      {"guest", "--cache", "folder", wasm},
  };
  for (const auto& arguments : wrong) {
    const Ended ended = cordon(arguments);
    EXPECT_EQ(ended.exit_code, 64) << testing::PrintToString(arguments);
    EXPECT_EQ(ended.output, "");
    EXPECT_THAT(ended.errors, Not(IsEmpty()));
  }
}

TEST_F(DuplexCall, NothingIsLeftRunning) {
  const std::string file = folder_.path() + "/child";
  // The shell's child outlives it, in its group.
  const std::string script =
      folder_.file("guest.sh", "sleep 60 & echo $! > " + file + "; printf 'noise'; exec sleep 60");
  const Ended ended = cordon({"call", "--command", "sh " + script, "f"});
  EXPECT_EQ(ended.exit_code, 2);
  pid_t child = 0;
  std::ifstream(file) >> child;
  ASSERT_GT(child, 0);
  for (int i = 0; i < 100 && ::kill(child, 0) == 0; ++i) {
    // A zombie that nobody has waited for yet is as good as gone.
    std::ifstream stat("/proc/" + std::to_string(child) + "/stat");
    std::string text;
    std::getline(stat, text);
    if (text.find(") Z") != std::string::npos) return;
    usleep(10'000);
  }
  EXPECT_NE(::kill(child, 0), 0) << "its child still runs";
}

class DuplexGuest : public DuplexCall {
 protected:
  std::string cached() const { return folder_.path() + "/cordon/plugins"; }

  std::string code_file() const {
    std::string found;
    const Ended list = run("/bin/sh", {.arguments = {"-c", "ls " + cached() + "/*.code"}});
    found = list.output;
    while (found.ends_with('\n')) found.pop_back();
    EXPECT_EQ(found.find('\n'), std::string::npos) << "one entry";
    return found;
  }
};

TEST_F(DuplexGuest, ExitsWithZeroAtTheEndOfItsInput) {
  const Ended ended = cordon({"guest", wasm});
  EXPECT_EQ(ended.exit_code, 0);
  EXPECT_EQ(ended.output, "");
}

TEST_F(DuplexGuest, RefusedModulesSayWhy) {
  using namespace std::string_literals;
  const std::pair<std::string, const char*> modules[] = {
      {"hello", "not WebAssembly"},
      {"", "not WebAssembly"},
      {"\0asm\x0d\0\1\0"s, "component"},
      {"\0asm\1\0\0\0"s, "_start"},
      {"\0asm\1\0\0\0\xff"s, "refused"},
      // (import "env" "f" (func))
      {"\0asm\1\0\0\0\1\4\1\x60\0\0\2\x09\1\3env\1f\0\0"s, "env.f"},
      // (import "wasi_snapshot_preview1" "no_such" (func))
      {"\0asm\1\0\0\0\1\4\1\x60\0\0\2\x22\1\x16wasi_snapshot_preview1\7no_such\0\0"s, "no_such"},
  };
  int number = 0;
  for (const auto& [bytes, word] : modules) {
    const std::string file = folder_.file(std::to_string(++number) + ".wasm", bytes);
    const Ended ended = cordon({"guest", file});
    EXPECT_EQ(ended.exit_code, 2) << word;
    EXPECT_EQ(ended.output, "");
    EXPECT_THAT(ended.errors, HasSubstr(word));
  }
}

std::string sized(const std::string& content) {
  std::string size;
  std::size_t left = content.size();
  for (; left > 127; left >>= 7) size += static_cast<char>((left & 127) | 128);
  return size + static_cast<char>(left) + content;
}

// A module that imports these functions of preview 1, each with its parameters (i32 or I64) and an
// error number as its result, and whose _start does nothing.
std::string module_with_imports(const std::vector<std::pair<std::string, std::string>>& functions) {
  using namespace std::string_literals;
  const auto count = static_cast<char>(functions.size());
  std::string types = {static_cast<char>(count + 1)};
  std::string imports = {count};
  for (std::size_t i = 0; i < functions.size(); ++i) {
    const auto& [name, parameters] = functions[i];
    types += "\x60" + std::string(1, static_cast<char>(parameters.size()));
    for (const char kind : parameters) types += kind == 'I' ? '\x7e' : '\x7f';
    types += name == "proc_exit" ? "\0"s : "\1\x7f"s;
    imports += sized("wasi_snapshot_preview1") + sized(name) + '\0' + static_cast<char>(i);
  }
  types += "\x60\0\0"s;
  return "\0asm\1\0\0\0"s + "\1" + sized(types) + "\2" + sized(imports) + "\3" +
         sized("\1"s + count) + "\7" + sized("\1"s + sized("_start") + '\0' + count) + "\x0a" +
         sized("\1"s + sized("\0\x0b"s));
}

TEST_F(DuplexGuest, EveryFunctionOfPreview1CanBeLinked) {
  const std::vector<std::pair<std::string, std::string>> all = {
      {"args_get", "ii"},
      {"args_sizes_get", "ii"},
      {"clock_res_get", "ii"},
      {"clock_time_get", "iIi"},
      {"environ_get", "ii"},
      {"environ_sizes_get", "ii"},
      {"fd_advise", "iIIi"},
      {"fd_allocate", "iII"},
      {"fd_close", "i"},
      {"fd_datasync", "i"},
      {"fd_fdstat_get", "ii"},
      {"fd_fdstat_set_flags", "ii"},
      {"fd_fdstat_set_rights", "iII"},
      {"fd_filestat_get", "ii"},
      {"fd_filestat_set_size", "iI"},
      {"fd_filestat_set_times", "iIIi"},
      {"fd_pread", "iiiIi"},
      {"fd_prestat_dir_name", "iii"},
      {"fd_prestat_get", "ii"},
      {"fd_pwrite", "iiiIi"},
      {"fd_read", "iiii"},
      {"fd_readdir", "iiiIi"},
      {"fd_renumber", "ii"},
      {"fd_seek", "iIii"},
      {"fd_sync", "i"},
      {"fd_tell", "ii"},
      {"fd_write", "iiii"},
      {"path_create_directory", "iii"},
      {"path_filestat_get", "iiiii"},
      {"path_filestat_set_times", "iiiiIIi"},
      {"path_link", "iiiiiii"},
      {"path_open", "iiiiiIIii"},
      {"path_readlink", "iiiiii"},
      {"path_remove_directory", "iii"},
      {"path_rename", "iiiiii"},
      {"path_symlink", "iiiii"},
      {"path_unlink_file", "iii"},
      {"poll_oneoff", "iiii"},
      {"proc_raise", "i"},
      {"random_get", "ii"},
      {"sched_yield", ""},
      {"sock_accept", "iii"},
      {"sock_recv", "iiiiii"},
      {"sock_send", "iiiii"},
      {"sock_shutdown", "ii"},
      {"proc_exit", "i"},
  };
  EXPECT_EQ(all.size(), 46u);
  const Ended linked = cordon({"guest", folder_.file("all.wasm", module_with_imports(all))});
  EXPECT_EQ(linked.exit_code, 0) << linked.errors;
  const std::string twice =
      folder_.file("twice.wasm", module_with_imports({{"fd_close", "i"}, {"fd_close", "i"}}));
  EXPECT_EQ(cordon({"guest", twice}).exit_code, 0);
  const std::string other = folder_.file("other.wasm", module_with_imports({{"fd_close", "I"}}));
  const Ended refused = cordon({"guest", other});
  EXPECT_EQ(refused.exit_code, 2);
  EXPECT_THAT(refused.errors, HasSubstr("incompatible import type"));
}

// Whether there is such a process, and it is not only its exit code that is left.
bool is_running(pid_t process) {
  std::ifstream file("/proc/" + std::to_string(process) + "/stat");
  std::string text;
  std::getline(file, text);
  const std::size_t state = text.rfind(") ");
  return state != std::string::npos && text[state + 2] != 'Z';
}

TEST_F(DuplexGuest, EndsWithItsHostEvenWhereItDoesNotLook) {
  for (const char* function : {"spin", "sleep"}) {
    pid_t guest = 0;
    Command command{.arguments = {"call", "--timeout", "60000", wasm, function}};
    command.environment["XDG_CACHE_HOME"] = folder_.path();
    command.meanwhile = [&](pid_t host) {
      const std::string id = std::to_string(host);
      std::ifstream children("/proc/" + id + "/task/" + id + "/children");
      if (!(children >> guest)) return false;
      std::this_thread::sleep_for(500ms);  // until it is at it
      ::kill(host, SIGKILL);
      return true;
    };
    EXPECT_EQ(run(cordon_program(), command).signal, SIGKILL);
    ASSERT_GT(guest, 0);
    for (int i = 0; i < 600 && is_running(guest); ++i) std::this_thread::sleep_for(50ms);
    EXPECT_FALSE(is_running(guest)) << function;
  }
}

TEST_F(DuplexGuest, WhatCannotBeSentIsWrongUsage) {
  const Ended ended = call({"echo", "[1e400]"});
  EXPECT_EQ(ended.exit_code, 64);
  EXPECT_EQ(ended.output, "");
  EXPECT_THAT(ended.errors, HasSubstr("invalid_params: a number that is not finite, at [0]"));
}

TEST_F(DuplexGuest, CompiledCodeIsKeptPrivately) {
  EXPECT_EQ(cordon({"guest", wasm}).exit_code, 0);
  struct stat found{};
  ASSERT_EQ(stat(cached().c_str(), &found), 0);
  EXPECT_EQ(found.st_mode & 0777, 0700u);
  ASSERT_EQ(stat(code_file().c_str(), &found), 0);
  EXPECT_EQ(found.st_mode & 0777, 0600u);
}

TEST_F(DuplexGuest, CodeThatWasChangedIsNotRun) {
  EXPECT_EQ(call({"add", "[1,2]"}).output, "3\n");
  const std::string file = code_file();
  for (const long at : {0L, 5000L, -1L}) {
    const int code = open(file.c_str(), O_RDWR);
    ASSERT_GE(code, 0);
    const off_t size = lseek(code, 0, SEEK_END);
    const off_t place = at < 0 ? size + at : at;
    char byte = 0;
    ASSERT_EQ(pread(code, &byte, 1, place), 1);
    byte = static_cast<char>(byte ^ 0x55);
    ASSERT_EQ(pwrite(code, &byte, 1, place), 1);
    close(code);
    EXPECT_EQ(call({"add", "[1,2]"}).output, "3\n");
  }
  EXPECT_EQ(truncate(file.c_str(), 10), 0);
  EXPECT_EQ(call({"add", "[1,2]"}).output, "3\n");
}

TEST_F(DuplexGuest, AFolderThatIsOpenToOthersIsNotUsed) {
  EXPECT_EQ(mkdir((folder_.path() + "/cordon").c_str(), 0700), 0);
  EXPECT_EQ(mkdir(cached().c_str(), 0700), 0);
  EXPECT_EQ(chmod(cached().c_str(), 0755), 0);
  EXPECT_EQ(call({"add", "[1,2]"}).output, "3\n");
  const Ended list = run("/bin/ls", {.arguments = {cached()}});
  EXPECT_EQ(list.output, "");
}

// Nobody waits for what is left of it.
TEST_F(DuplexGuest, AModuleThatAsksTooMuchOfTheCompilerIsRefusedAtOnce) {
  const std::pair<std::string, const char*> modules[] = {
      {module_of(1, 10, joining_code((1 << 20) + 1, 10)), "bytes, where 1048576 are allowed"},
      {module_of(1, 30'001, ""), "30001 locals, where 30000 are allowed"},
      {module_of(1, 0, table_code(20'001)), "20001 targets, where 20000 are allowed"},
      {module_of(100'001, 0, ""), "100001 functions, where 100000 are allowed"},
      {module_of(1, 1000, joining_code(600'000, 1000)), "branches over 1000 locals"},
      {std::string("\0asm\1\0\0\0", 8) + std::string(64 << 20, '\0'), "larger than 64MiB"},
  };
  for (const auto& [bytes, word] : modules) {
    const std::string file = folder_.file("costly.wasm", bytes);
    const Ended ended = cordon({"guest", file});
    EXPECT_THAT(ended.errors, HasSubstr(word));
    EXPECT_EQ(ended.exit_code, bytes.size() > (64 << 20) ? 64 : 2);
  }
  EXPECT_EQ(cordon({"guest", folder_.file("many.wasm", module_of(2000, 100, ""))}).exit_code, 0);
}

// Each function of it is one that a compiler could write.
TEST_F(DuplexGuest, CompilingHasALimitOfTimeAndMemory) {
  const std::string file =
      folder_.file("costly.wasm", module_of(1000, 200, joining_code(50'000, 200)));
  const Ended late = cordon({"guest", "--compile-timeout", "200", file});
  EXPECT_EQ(late.exit_code, 2);
  EXPECT_THAT(late.errors, AllOf(HasSubstr("longer than 200 ms"), HasSubstr("--compile-timeout")));
  // What the plugin itself has goes before.
  const Ended over = cordon({"guest", "--timeout", "200", file});
  EXPECT_EQ(over.exit_code, 124);
  EXPECT_THAT(over.errors, HasSubstr("timeout: the plugin ran out of time"));
  EXPECT_EQ(code_of_command({"call", "--timeout", "300", file, "f"}), "timeout");
  const Ended exited = cordon({"call", "--compile-timeout", "200", file, "f"});
  EXPECT_EQ(exited.exit_code, 2);
  EXPECT_THAT(exited.errors, AllOf(HasSubstr("longer than 200 ms"), HasSubstr("exited: ")));
  if (is_sanitized) return;  // whose memory has no limit
  const Ended large = cordon({"guest", "--compile-memory", "8MiB", file});
  EXPECT_EQ(large.exit_code, 2);
  EXPECT_THAT(large.errors,
              AllOf(HasSubstr("more than 8388608 bytes"), HasSubstr("--compile-memory")));
}

TEST_F(DuplexGuest, TimeAndFuelHaveLimits) {
  const std::string frame(
      "\x01\0\0\0\x1f\x83\xa4type\0\xa2id\xa1"
      "1\xac"
      "functionName\xa4spin",
      36);
  const Ended late = cordon({"guest", "--timeout", "300", wasm}, frame);
  EXPECT_EQ(late.exit_code, 124);
  EXPECT_THAT(late.errors, HasSubstr("timeout"));
  const Ended empty = cordon({"guest", "--fuel", "1000000", wasm}, frame);
  EXPECT_EQ(empty.exit_code, 134);
  EXPECT_THAT(empty.errors, HasSubstr("fuel"));
}

}  // namespace
}  // namespace cordon::e2e
