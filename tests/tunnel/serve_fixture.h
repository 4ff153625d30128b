#pragma once

// `cordon serve` with a configuration that tests may change, and curl to ask it.

#include <chrono>
#include <fstream>
#include <functional>
#include <iterator>
#include <string>
#include <thread>
#include <utility>
#include <vector>

#include "../e2e/process.h"
#include <gtest/gtest.h>

namespace cordon::e2e {

inline constexpr const char* configuration = R"({
  // What most of these tests serve.
  "providers": { "shop": { "script": "shop.js" } },
  "tasks": {
    "app.tasks.add": { "script": "add.js",
      "input": { "type": "object", "required": ["a", "b"], "properties": { "a": { "type": "number" } } } },
    "app.tasks.buy": { "script": "buy.js", "tools": ["shop"] },
    "app.tasks.fail": { "script": "fail.js" },
    "app.auth": { "script": "auth.js" }
  },
  "server": {
    "listen": "127.0.0.1:0",
    "auth": { "token": "secret", "validators": ["app.auth"] },
    "expose": { "tasks": ["app.tasks.add", "app.tasks.buy", "app.tasks.fail"] },
    "log": { "format": "json", "access": "access.log" },
    "metrics": { "listen": "unix:operations.sock" }
  }
})";

// The configuration above in a folder of its own, for `cordon serve`.
class Serve : public testing::Test {
 protected:
  Serve() {
    folder_.file("cordon.json", configuration);
    folder_.file("add.js", "export default ({ a, b }) => a + b;");
    folder_.file("shop.js",
                 "let count = 0;\n"
                 "export function price({ id }) {\n"
                 "  if (id === 'none') throw new Error('there is no such thing');\n"
                 "  return { count: ++count, at: new Date(0) };\n"
                 "}\n");
    folder_.file("buy.js",
                 "export default async ({ id }) => {\n"
                 "  try { return [await shop.price({ id }), await shop.price({ id })]; }\n"
                 "  catch (error) { return { code: error.code, message: error.message }; }\n"
                 "};\n");
    folder_.file("fail.js",
                 "export default () => { console.warn('careful'); throw new Error('hunter2'); };");
    folder_.file("auth.js", "export default ({ headers }) => ({ ok: headers['x-key'] === '1' });");
  }

  // curl's output: the body and the status behind it.
  static std::string curl(std::vector<std::string> arguments) {
    arguments.insert(arguments.begin(), {"-s", "-m", "10", "-w", " %{http_code}"});
    return run("/usr/bin/curl", {.arguments = std::move(arguments)}).output;
  }

  std::string call(const std::string& url, const std::string& id, const std::string& body,
                   const std::string& header = "x-runner-token: secret") const {
    return curl({url + "/task/" + id, "-H", header, "-d", body});
  }

  std::string config() const { return folder_.path() + "/cordon.json"; }
  std::string access_log() const {
    std::ifstream file(folder_.path() + "/access.log");
    return {std::istreambuf_iterator<char>(file), std::istreambuf_iterator<char>()};
  }

  // Asks again until the answer is right, or for too long.
  static bool becomes(const std::function<bool()>& is_right) {
    for (int i = 0; i < 200; ++i) {
      if (is_right()) return true;
      std::this_thread::sleep_for(std::chrono::milliseconds(25));
    }
    return false;
  }

  Folder folder_;
};

}  // namespace cordon::e2e
