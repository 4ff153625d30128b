#include "codec/attacks.h"

namespace cordon::bench {
namespace {

std::string repeated(std::string_view piece, std::size_t count) {
  std::string text;
  text.reserve(piece.size() * count);
  for (std::size_t i = 0; i < count; ++i) text += piece;
  return text;
}

std::string joined(std::size_t count, const std::function<std::string(std::size_t)>& part) {
  std::string text;
  for (std::size_t i = 0; i < count; ++i) {
    if (i > 0) text += ',';
    text += part(i);
  }
  return text;
}

std::string graph(const std::string& root, const std::string& nodes) {
  return R"({"__graph":true,"version":1,"root":)" + root + R"(,"nodes":{)" + nodes + "}}";
}

std::string number(std::size_t i) { return std::to_string(i); }

std::string big_endian(std::size_t count) {
  std::string bytes;
  for (int shift = 24; shift >= 0; shift -= 8) {
    bytes += static_cast<char>(static_cast<unsigned char>(count >> shift));
  }
  return bytes;
}

// A map of so many keys, each of eight bytes.
std::string msgpack_map(std::size_t count, const std::function<std::string(std::size_t)>& key) {
  std::string bytes = "\xdf" + big_endian(count);
  for (std::size_t i = 0; i < count; ++i) bytes += "\xa8" + key(i) + "\xc0";
  return bytes;
}

}  // namespace

std::vector<Attack> json_attacks() {
  const auto object = [](std::size_t n, const std::function<std::string(std::size_t)>& key) {
    return "{" + joined(n, [&](std::size_t i) { return "\"" + key(i) + "\":0"; }) + "}";
  };
  return {
      {"nested arrays", [](std::size_t n) { return repeated("[", n) + repeated("]", n); }},
      {"nested objects",
       [](std::size_t n) { return repeated(R"({"a":)", n) + "0" + repeated("}", n); }},
      {"never closed", [](std::size_t n) { return repeated("[{\"a\":", n); }},
      {"keys", [=](std::size_t n) { return object(n, [](auto i) { return "k" + number(i); }); }},
      {"equal keys", [=](std::size_t n) { return object(n, [](auto) { return "k"; }); }},
      {"index keys, descending",
       [=](std::size_t n) { return object(n, [=](auto i) { return number(n - i); }); }},
      {"escaped keys",
       [=](std::size_t n) { return object(n, [](auto i) { return "\\u006b" + number(i); }); }},
      {"escapes", [](std::size_t n) { return "\"" + repeated("\\n\\u00e9", n) + "\""; }},
      {"lone surrogates", [](std::size_t n) { return "\"" + repeated("\\ud83d", n) + "\""; }},
      {"digits", [](std::size_t n) { return "0." + repeated("123456789", n); }},
      {"numbers past doubles",
       [](std::size_t n) { return "[" + joined(n, [](auto) { return "1e400"; }) + "]"; }},
      {"blanks", [](std::size_t n) { return repeated(" \n", n) + "0"; }},
  };
}

std::vector<Attack> msgpack_attacks() {
  const auto eight = [](std::size_t i) {
    const std::string digits = number(i);
    return repeated("0", 8 - digits.size()) + digits;
  };
  return {
      {"nested arrays", [](std::size_t n) { return repeated("\x91", n) + "\xc0"; }},
      {"nested maps", [](std::size_t n) { return repeated("\x81\xa1k", n) + "\xc0"; }},
      {"keys", [=](std::size_t n) { return msgpack_map(n, eight); }},
      {"equal keys", [](std::size_t n) { return msgpack_map(n, [](auto) { return "01234567"; }); }},
      {"nils", [](std::size_t n) { return "\xdd" + big_endian(n) + repeated("\xc0", n); }},
      {"large integers",
       [](std::size_t n) {
         return "\xdd" + big_endian(n) + repeated("\xcf\xff\xff\xff\xff\xff\xff\xff\xff", n);
       }},
      {"lengths that lie", [](std::size_t n) { return repeated("\xdd\x7f\xff\xff\xff", n); }},
  };
}

std::vector<Attack> runner_attacks() {
  return {
      {"nested arrays", [](std::size_t n) { return repeated("[", n) + repeated("]", n); }},
      {"nested records",
       [](std::size_t n) {
         return repeated(R"({"__type":"Undefined","value":)", n) + "0" + repeated("}", n);
       }},
      {"nested Maps",
       [](std::size_t n) {
         return repeated(R"({"__type":"Map","value":[[0,)", n) + "0" + repeated("]]}", n);
       }},
      {"keys",
       [](std::size_t n) {
         return "{" + joined(n, [](std::size_t i) { return "\"k" + number(i) + "\":0"; }) + "}";
       }},
      {"index keys, descending",
       [](std::size_t n) {
         return "{" + joined(n, [n](std::size_t i) { return "\"" + number(n - i) + "\":0"; }) + "}";
       }},
      {"escaped keys",
       [](std::size_t n) {
         return "{" +
                joined(n, [](std::size_t i) { return "\"$runner.escape::" + number(i) + "\":0"; }) +
                "}";
       }},
      {"escape prefixes",
       [](std::size_t n) { return "{\"" + repeated("$runner.escape::", n) + "\":0}"; }},
      {"unsafe keys",
       [](std::size_t n) {
         return "{" + joined(n, [](std::size_t) { return R"("__proto__":{"a":[]})"; }) + "}";
       }},
      {"Map entries",
       [](std::size_t n) {
         return R"({"__type":"Map","value":[)" +
                joined(n, [](std::size_t i) { return "[" + number(i) + ",0]"; }) + "]}";
       }},
      {"equal Set elements",
       [](std::size_t n) {
         return R"({"__type":"Set","value":[)" + joined(n, [](std::size_t) { return "\"a\""; }) +
                "]}";
       }},
      {"references to one node",
       [](std::size_t n) {
         return graph("[" + joined(n, [](std::size_t) { return R"({"__ref":"a"})"; }) + "]",
                      R"("a":{"kind":"object","value":{}})");
       }},
      {"a chain of nodes",
       [](std::size_t n) {
         return graph(R"({"__ref":"0"})", joined(n, [n](std::size_t i) {
                        return "\"" + number(i) + R"(":{"kind":"array","value":[{"__ref":")" +
                               number(i + 1 == n ? 0 : i + 1) + "\"}]}";
                      }));
       }},
      {"Sets of one payload",
       [](std::size_t n) {
         return graph(
             "[" +
                 joined(n,
                        [](std::size_t) { return R"({"__type":"Set","value":{"__ref":"a"}})"; }) +
                 "]",
             R"("a":{"kind":"array","value":[)" + joined(n, number) + "]}");
       }},
      {"alternatives",
       [](std::size_t n) {
         return R"({"__type":"RegExp","value":{"pattern":"()" +
                joined(n, [](std::size_t i) { return number(i) + "x|"; }) + R"(y)+","flags":""}})";
       }},
      {"an error behind all",
       [](std::size_t n) {
         return repeated(R"({"a":)", n) + R"({"__type":"Nope","value":0})" + repeated("}", n);
       }},
  };
}

}  // namespace cordon::bench
