// `cordon convert` as its users see it: a payload in, the other format or a reason out.

#include <string>
#include <unistd.h>
#include <vector>

#include "cordon_command.h"
#include <gmock/gmock.h>
#include <gtest/gtest.h>

namespace cordon::e2e {
namespace {

using namespace std::chrono_literals;
using testing::AllOf;
using testing::EndsWith;
using testing::HasSubstr;
using testing::IsEmpty;
using testing::StartsWith;

// `cordon convert --from FROM --to TO MORE…`
Ended convert(const std::string& from, const std::string& to, std::string input,
              std::vector<std::string> more = {}) {
  std::vector<std::string> arguments = {"convert", "--from", from, "--to", to};
  arguments.insert(arguments.end(), more.begin(), more.end());
  return cordon(Command{.arguments = std::move(arguments), .input = std::move(input)});
}

void expect_output(const Ended& ended, const std::string& output) {
  EXPECT_EQ(ended.exit_code, 0) << ended.errors;
  EXPECT_EQ(ended.output, output);
  EXPECT_THAT(ended.errors, IsEmpty());
}

void expect_bad(const Ended& ended, const std::string& reason) {
  EXPECT_EQ(ended.exit_code, 1) << ended.output;
  EXPECT_THAT(ended.output, IsEmpty());
  EXPECT_THAT(ended.errors,
              AllOf(StartsWith("cordon convert: "), HasSubstr(reason), EndsWith("\n")));
}

void expect_usage(const Ended& ended, const std::string& reason) {
  EXPECT_EQ(ended.exit_code, 64) << ended.output << ended.errors;
  EXPECT_THAT(ended.output, IsEmpty());
  EXPECT_THAT(ended.errors, HasSubstr(reason));
}

std::string typed(const std::string& type, const std::string& value) {
  return R"({"__type":")" + type + R"(","value":)" + value + "}";
}

const std::string cycle =
    R"({"__graph":true,"version":1,"root":{"__ref":"obj_1"},"nodes":{"obj_1":{"kind":"object","value":{"me":{"__ref":"obj_1"}}}}})";

// JSON.

TEST(Convert, PrintsWhatJsonStringifyPrints) {
  const std::pair<std::string, std::string> payloads[] = {
      {R"({"b":1,"a":[true,null,"x"],"10":1,"9":2})",
       R"({"9":2,"10":1,"b":1,"a":[true,null,"x"]})"},
      {R"({"a":1,"b":2,"a":3})", R"({"a":3,"b":2})"},
      {"[1.0,-0,1e21,1E400,-1e400,0.1]", "[1,0,1e+21,null,null,0.1]"},
      {R"("\ud800 é \u2028 \u0000")", "\"\\ud800 é \u2028 \\u0000\""},
      {typed("Date", R"("2024-01-01")"), R"("2024-01-01T00:00:00.000Z")"},
      {typed("Date", R"("never")"), "null"},
      {typed("NonFiniteNumber", R"("NaN")"), "null"},
      {typed("Map", R"([["a",1]])"), "{}"},
      {typed("Set", "[1]"), "{}"},
      {typed("RegExp", R"({"pattern":"a","flags":"g"})"), "{}"},
      {typed("URL", R"("HTTP://EXAMPLE.org")"), R"("http://example.org/")"},
      {typed("URLSearchParams", R"("a=1")"), "{}"},
      {typed("ArrayBuffer", "[1]"), "{}"},
      {typed("DataView", "[1]"), "{}"},
      {typed("Uint8Array", "[1,2]"), R"({"0":1,"1":2})"},
      {typed("Float32Array", "[0,0,128,63]"), R"({"0":1})"},
      {typed("BigInt64Array", "[]"), "{}"},
      {typed("Buffer", "[1,2]"), R"({"type":"Buffer","data":[1,2]})"},
      {typed("Error",
             R"({"name":"E","message":"m","stack":"s","cause":1,"customFields":{"code":7,"1":2}})"),
       R"({"1":2,"name":"E","code":7})"},
      {R"({"u":{"__type":"Undefined","value":null},"s":{"__type":"Symbol","value":{"kind":"For","key":"k"}}})",
       "{}"},
      {R"([{"__type":"Undefined","value":null},{"__type":"Symbol","value":{"kind":"For","key":"k"}}])",
       "[null,null]"},
      {R"({"$runner.escape::__type":"Date","value":1})", R"({"__type":"Date","value":1})"},
      {R"({"__proto__":1,"constructor":2,"prototype":3,"x":4})", R"({"x":4})"},
  };
  for (const auto& [payload, output] : payloads) {
    SCOPED_TRACE(payload);
    expect_output(convert("runner", "json", payload), output + "\n");
  }
}

TEST(Convert, KeepsWhatJsonParseKeeps) {
  expect_output(convert("json", "json",
                        R"( {"__proto__":1,"__type":"Date","value":0} )"
                        "\n"),
                R"({"__proto__":1,"__type":"Date","value":0})"
                "\n");
}

TEST(Convert, FailsWhereJsonStringifyThrowsOrHasNothing) {
  expect_bad(convert("runner", "json", R"({"a":[1,{"__type":"BigInt","value":"5"}]})"),
             "Do not know how to serialize a BigInt, at a[1]");
  expect_bad(convert("runner", "json", typed("BigInt64Array", "[0,0,0,0,0,0,0,0]")),
             "Do not know how to serialize a BigInt");
  expect_bad(convert("runner", "json", cycle), "Converting circular structure to JSON, at me");
  expect_bad(convert("runner", "json", typed("Undefined", "null")), "undefined has no JSON text");
  expect_bad(convert("runner", "json", typed("Symbol", R"({"kind":"For","key":"k"})")),
             "a symbol has no JSON text");
}

TEST(Convert, IndentsByTwoSpaces) {
  expect_output(convert("json", "json", R"({"a":[1,{}],"b":[]})", {"--pretty"}),
                "{\n  \"a\": [\n    1,\n    {}\n  ],\n  \"b\": []\n}\n");
  expect_output(convert("runner", "runner", "[" + typed("Set", "[1]") + "]", {"--pretty"}),
                "[\n  {\n    \"__type\": \"Set\",\n    \"value\": [\n      1\n    ]\n  }\n]\n");
}

// Runner.

TEST(Convert, WritesTreesAndGraphs) {
  const std::string tree =
      R"({"a":{"__type":"Map","value":[["k",{"__type":"BigInt","value":"12"}]]}})";
  expect_output(convert("runner", "runner", tree), tree + "\n");
  const std::string graph =
      R"({"__graph":true,"version":1,"root":{"__ref":"obj_1"},"nodes":{)"
      R"("obj_4":{"kind":"array","value":["k",{"__type":"BigInt","value":"12"}]},)"
      R"("obj_3":{"kind":"array","value":[{"__ref":"obj_4"}]},)"
      R"("obj_2":{"kind":"type","type":"Map","value":{"__ref":"obj_3"}},)"
      R"("obj_1":{"kind":"object","value":{"a":{"__ref":"obj_2"}}}}})";
  expect_output(convert("runner", "runner", tree, {"--graph"}), graph + "\n");
  expect_output(convert("runner", "runner", graph), tree + "\n");
  expect_output(convert("runner", "runner", cycle, {"--graph"}), cycle + "\n");
  expect_output(
      convert("json", "runner", R"({"__type":1,"__graph":2,"$runner.escape::x":3})"),
      R"({"$runner.escape::__type":1,"$runner.escape::__graph":2,"$runner.escape::$runner.escape::x":3})"
      "\n");
}

TEST(Convert, SaysToUseGraphForACycle) {
  expect_bad(convert("runner", "runner", cycle),
             "Cannot serialize circular structure in tree mode, at me");
  EXPECT_THAT(convert("runner", "runner", cycle).errors, HasSubstr("--graph"));
}

TEST(Convert, TellsReasonAndPositionOfABadPayload) {
  expect_bad(convert("json", "json", "{\n \"a\": nul}"), "at line 2, column 7 (byte 8)");
  expect_bad(convert("json", "json", ""), "at line 1, column 1 (byte 0)");
  expect_bad(convert("json", "json", "[\"\xff\"]"), "at line 1, column 3 (byte 2)");
  expect_bad(convert("json", "json", "1 2"), "at line 1, column 3 (byte 2)");
  expect_bad(convert("runner", "json", "[1,"), "Invalid JSON payload");
  expect_bad(convert("runner", "json", "[1,\n" + typed("Nope", "1") + "]"),
             "Unknown type: Nope at line 2, column 1");
  expect_bad(convert("runner", "json", typed("BigInt", R"("1.5")")),
             "Invalid bigint payload at line 1, column 28 (byte 27)");
  expect_bad(
      convert("runner", "json", R"({"__graph":true,"root":{"__ref":"__proto__"},"nodes":{}})"),
      R"(Unresolved reference id "__proto__" at line 1, column)");
  expect_bad(convert("runner", "json", R"({"__graph":true,"root":{"__ref":"a","b":1},"nodes":{}})"),
             "Invalid object reference payload at line 1, column");
  expect_bad(convert("msgpack", "json", "\x92\x01"), "array longer than its input at byte 0");
  expect_bad(convert("msgpack", "json", "\x01\n"), "bytes after the value at byte 1");
  expect_bad(convert("msgpack", "json", ""), "at byte 0");
  expect_bad(convert("runner", "json", typed("\\u001b[31m", "1")), "Unknown type: \\x1b[31m");
}

TEST(Convert, LimitsDepth) {
  expect_output(convert("runner", "json", "[[1]]", {"--max-depth", "2"}), "[[1]]\n");
  expect_bad(convert("runner", "json", "[[1]]", {"--max-depth", "1"}),
             "Maximum depth exceeded (1)");
  expect_output(convert("runner", "json", "1", {"--max-depth", "0"}), "1\n");
  expect_bad(convert("runner", "json", "[1]", {"--max-depth", "0"}), "Maximum depth exceeded (0)");
  expect_bad(convert("json", "runner", "[[1]]", {"--max-depth", "1"}),
             "Maximum depth exceeded (1)");
  const auto nested = [](std::size_t depth) {
    return std::string(depth, '[') + std::string(depth, ']');
  };
  expect_output(convert("runner", "json", nested(1001)), nested(1001) + "\n");
  expect_bad(convert("runner", "json", nested(1002)), "Maximum depth exceeded (1000)");
  expect_bad(convert("json", "json", nested(1002)), "nested too deeply");
  for (const char* from : {"runner", "json"}) {
    for (const char* to : {"runner", "json"}) {
      expect_output(convert(from, to, nested(100'000), {"--max-depth", "Infinity"}),
                    nested(100'000) + "\n");
    }
  }
}

TEST(Convert, ReadsTheAllowedTypesOnly) {
  expect_output(convert("runner", "json", typed("Date", "0"), {"--allowed-types", "Map,Date"}),
                "\"1970-01-01T00:00:00.000Z\"\n");
  expect_bad(convert("runner", "json", typed("Set", "[]"), {"--allowed-types", "Map,Date"}),
             R"(Type "Set" is not allowed)");
  expect_bad(convert("runner", "json", typed("Date", "0"), {"--allowed-types", ""}),
             R"(Type "Date" is not allowed)");
  expect_output(convert("runner", "json", "[1]", {"--allowed-types", ""}), "[1]\n");
}

TEST(Convert, HasAPolicyForSymbols) {
  const std::string global = typed("Symbol", R"({"kind":"For","key":"k"})");
  const std::string well_known = typed("Symbol", R"({"kind":"WellKnown","key":"iterator"})");
  for (const std::string& symbol : {global, well_known})
    expect_output(convert("runner", "runner", symbol), symbol + "\n");
  expect_bad(convert("runner", "runner", global, {"--symbol-policy", "well-known-only"}),
             "Global symbols are not allowed");
  expect_output(convert("runner", "runner", well_known, {"--symbol-policy", "well-known-only"}),
                well_known + "\n");
  expect_bad(convert("runner", "runner", well_known, {"--symbol-policy", "disabled"}),
             "Symbols are not allowed");
}

TEST(Convert, ReadsTheRegExpsThatAreAllowed) {
  const auto regexp = [](const std::string& pattern, const std::string& flags = "") {
    return typed("RegExp", R"({"pattern":")" + pattern + R"(","flags":")" + flags + R"("})");
  };
  expect_output(convert("runner", "runner", regexp("a/b", "yig")), regexp("a\\\\/b", "giy") + "\n");
  expect_bad(convert("runner", "runner", regexp("(a+)+")), "Unsafe RegExp pattern");
  expect_output(convert("runner", "runner", regexp("(a+)+"), {"--allow-unsafe-regexp"}),
                regexp("(a+)+") + "\n");
  expect_bad(convert("runner", "runner", regexp("abc"), {"--max-regexp-pattern-length", "2"}),
             "RegExp pattern exceeds limit (2)");
  expect_bad(convert("runner", "runner", regexp(std::string(1025, 'a'))),
             "RegExp pattern exceeds limit (1024)");
  expect_output(convert("runner", "runner", regexp(std::string(5000, 'a')),
                        {"--max-regexp-pattern-length", "Infinity"}),
                regexp(std::string(5000, 'a')) + "\n");
  expect_bad(convert("runner", "runner", regexp("a", "gg")), "Invalid RegExp flags");
  // Only the engine knows about these.
  expect_bad(convert("runner", "runner", regexp("(")), "Invalid RegExp payload");
  expect_bad(convert("runner", "runner", regexp("\\\\p{Nope}", "u")), "Invalid RegExp payload");
  expect_bad(convert("runner", "runner", regexp("a", "uv")), "Invalid RegExp payload");
}

// MessagePack.

TEST(Convert, ReadsAndWritesMessagePack) {
  const std::string bytes(
      "\x82\xa1"
      "a\x93\x01\xc0\xff\xa1"
      "b\xcb\x3f\xf8\x00\x00\x00\x00\x00\x00",
      18);
  expect_output(convert("json", "msgpack", R"({"a":[1,null,-1],"b":1.5})"), bytes);
  expect_output(convert("msgpack", "json", bytes), R"({"a":[1,null,-1],"b":1.5})"
                                                   "\n");
  expect_output(convert("msgpack", "msgpack", bytes), bytes);
}

TEST(Convert, OrdersKeysAsJavaScriptDoes) {
  const std::string bytes(
      "\x83\xa1"
      "b\x01\xa2"
      "10\x02\xa1"
      "9\x03",
      11);
  const std::string ordered(
      "\x83\xa1"
      "9\x03\xa2"
      "10\x02\xa1"
      "b\x01",
      11);
  expect_output(convert("msgpack", "msgpack", bytes), ordered);
  expect_output(convert("msgpack", "json", bytes), R"({"9":3,"10":2,"b":1})"
                                                   "\n");
  expect_output(convert("json", "msgpack", R"({"b":1,"10":2,"9":3})"), ordered);
}

TEST(Convert, CarriesTypesThroughMessagePack) {
  const std::pair<std::string, std::string> kept[] = {
      {typed("Date", R"("2024-01-01T00:00:00.001Z")"),
       typed("Date", R"("2024-01-01T00:00:00.001Z")")},
      {typed("BigInt", R"("18446744073709551615")"), typed("BigInt", R"("18446744073709551615")")},
      {typed("BigInt", R"("-9223372036854775808")"), typed("BigInt", R"("-9223372036854775808")")},
      {typed("Buffer", "[1,2]"), typed("Uint8Array", "[1,2]")},
      {typed("NonFiniteNumber", R"("-Infinity")"), typed("NonFiniteNumber", R"("-Infinity")")},
      {typed("Undefined", "null"), "null"},
      {typed("Map", R"([["a",1],[2,3]])"), R"({"2":3,"a":1})"},
  };
  for (const auto& [payload, again] : kept) {
    SCOPED_TRACE(payload);
    const Ended written = convert("runner", "msgpack", payload);
    EXPECT_EQ(written.exit_code, 0) << written.errors;
    expect_output(convert("msgpack", "runner", written.output), again + "\n");
  }
  expect_bad(convert("runner", "msgpack", typed("BigInt", R"("18446744073709551616")")),
             "a bigint past 64 bits");
  expect_bad(convert("runner", "msgpack", R"({"a":)" + typed("Set", "[]") + "}"),
             "set has no MessagePack form, at a");
  expect_bad(convert("runner", "msgpack", cycle), "a cycle has no MessagePack form");
  expect_bad(convert("msgpack", "json", "\xd4\x05\x01"), "unknown extension type at byte 0");
}

TEST(Convert, ShowsMessagePackOnATerminalAsHex) {
  const Ended ended = cordon(Command{.arguments = {"convert", "--from", "json", "--to", "msgpack"},
                                     .input = R"({"a":[1,null]})",
                                     .output = Stream::terminal});
  EXPECT_EQ(ended.exit_code, 0);
  EXPECT_THAT(ended.output, testing::MatchesRegex("81a1619201c0\r?\n"));
}

// Lines.

TEST(Convert, ConvertsEachLine) {
  expect_output(convert("json", "runner", "{\"a\": 1}\n\n[1, 2]\r\n\"last\"", {"--lines"}),
                "{\"a\":1}\n[1,2]\n\"last\"\n");
  expect_output(convert("json", "msgpack", "1\n[2]\n", {"--lines"}), "01\n9102\n");
  expect_output(convert("msgpack", "json", "01\n9102\n", {"--lines"}), "1\n[2]\n");
  expect_output(convert("json", "json", "", {"--lines"}), "");
}

TEST(Convert, StopsAtABadLineAndTellsWhich) {
  const Ended ended = convert("json", "json", "1\n[1,\n3\n", {"--lines"});
  EXPECT_EQ(ended.exit_code, 1);
  EXPECT_EQ(ended.output, "1\n");
  EXPECT_THAT(ended.errors, HasSubstr("at line 2, column 4"));
  EXPECT_THAT(convert("msgpack", "json", "01\n0g\n", {"--lines"}).errors,
              HasSubstr("not hexadecimal at column 2, in line 2"));
}

TEST(Convert, AnswersALineBeforeTheNextOneComes) {
  const Ended ended =
      e2e::run(cordon_program(),
               Command{.arguments = {"convert", "--from", "json", "--to", "json", "--lines"},
                       .input = "[1]\n",
                       .keeps_input_open = true,
                       .meanwhile = [ticks = 0](pid_t process) mutable {
                         if (++ticks < 120) return false;
                         kill(process, SIGKILL);
                         return true;
                       }});
  EXPECT_EQ(ended.output, "[1]\n");
}

// Limits, and what is no payload's fault.

TEST(Convert, GivesUpOnAGraphThatDoublesAsATree) {
  std::string nodes = R"("n0":{"kind":"array","value":[1]})";
  for (int i = 1; i <= 40; ++i) {
    const std::string below = R"({"__ref":"n)" + std::to_string(i - 1) + R"("})";
    nodes += R"(,"n)" + std::to_string(i) + R"(":{"kind":"array","value":[)" + below + "," + below +
             "]}";
  }
  const std::string doubling =
      R"({"__graph":true,"version":1,"root":{"__ref":"n40"},"nodes":{)" + nodes + "}}";
  for (const char* to : {"runner", "json", "msgpack"}) {
    SCOPED_TRACE(to);
    const Ended ended = convert("runner", to, doubling);
    expect_bad(ended, "past its limit");
    EXPECT_LT(ended.took, 10s);
  }
  const Ended graph = convert("runner", "runner", doubling, {"--graph"});
  EXPECT_EQ(graph.exit_code, 0) << graph.errors;
  expect_output(convert("runner", "runner", graph.output, {"--graph"}), graph.output);
}

TEST(Convert, RefusesWrongUsage) {
  expect_usage(cordon(Command{.arguments = {"convert"}}), "--from");
  expect_usage(cordon(Command{.arguments = {"convert", "--from", "json"}}), "--to");
  expect_usage(convert("yaml", "json", "1"), "--from: 'yaml' is not runner, json or msgpack");
  expect_usage(convert("json", "JSON", "1"), "--to: 'JSON' is not runner, json or msgpack");
  expect_usage(convert("json", "json", "1", {"file"}), "file");
  expect_usage(convert("json", "json", "1", {"--nope"}), "--nope");
  expect_usage(convert("json", "json", "1", {"--graph"}), "--graph");
  expect_usage(convert("json", "msgpack", "1", {"--pretty"}), "--pretty");
  expect_usage(convert("json", "json", "1", {"--pretty", "--lines"}), "--pretty");
  for (const char* depth : {"-5", "NaN", "", "1.5", "1e3", "infinity", "ten"}) {
    SCOPED_TRACE(depth);
    expect_usage(convert("runner", "json", "1", {std::string("--max-depth=") + depth}),
                 "--max-depth");
  }
  expect_usage(convert("runner", "json", "1", {"--max-regexp-pattern-length", "0"}),
               "--max-regexp-pattern-length");
  expect_usage(convert("runner", "json", "1", {"--symbol-policy", "some"}),
               "--symbol-policy: 'some'");
}

TEST(Convert, SaysSoWhereNobodyTakesItsOutput) {
  const Ended full = cordon(Command{.arguments = {"convert", "--from", "json", "--to", "json"},
                                    .input = "1",
                                    .output = Stream::full_device});
  EXPECT_EQ(full.exit_code, 70);
  EXPECT_THAT(full.errors, HasSubstr("cannot write to standard output"));
}

TEST(Convert, HasHelpWithExamples) {
  const Ended ended = cordon(Command{.arguments = {"convert", "--help"}});
  EXPECT_EQ(ended.exit_code, 0);
  EXPECT_THAT(ended.output,
              AllOf(HasSubstr("--allowed-types"), HasSubstr("cordon convert --from")));
}

}  // namespace
}  // namespace cordon::e2e
