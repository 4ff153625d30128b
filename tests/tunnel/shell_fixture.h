#pragma once

// `cordon serve` with small tasks, and `cordon call`, `emit` and `discover` to ask it.

#include <string>
#include <utility>
#include <vector>

#include "../e2e/conversation.h"
#include "../e2e/cordon_command.h"
#include "../e2e/process.h"
#include <gtest/gtest.h>

namespace cordon::e2e {

inline constexpr const char* shell_configuration = R"({
  "tasks": { "add": { "script": "add.js" }, "with/slash and ü": { "script": "add.js" },
             "same": { "script": "same.js" }, "fail": { "script": "fail.js" },
             "stream": { "script": "stream.js", "timeoutMs": 60000 },
             "odd": { "script": "odd.js" }, "echo": { "script": "echo.js", "timeoutMs": 60000 },
             "count": { "script": "count.js", "timeoutMs": 60000 },
             "names": { "script": "names.js" },
             "slow": { "script": "slow.js", "timeoutMs": 60000 } },
  "events": { "notify": { "script": "notify.js" },
              "parallel": { "script": "notify.js", "parallel": true } },
  "server": { "listen": "127.0.0.1:0", "auth": { "token": "secret" },
              "dangerouslyAllowOpenExposure": true TLS }
})";

class ShellTunnel : public testing::Test {
 protected:
  ShellTunnel() {
    write_configuration("");
    folder_.file("add.js", "export default ({ a, b }) => a + b;");
    folder_.file("same.js", "export default (input) => input;");
    folder_.file(
        "fail.js",
        "import { TaskError } from 'cordon:task';\n"
        "export default (input) => {\n"
        "  if (input) throw new TaskError('app.errors.funds', 'too little\\u001b[2J', {need: 7});\n"
        "  throw new Error('a secret');\n"
        "};\n");
    folder_.file("stream.js",
                 "export default async function* (n) {\n"
                 "  for (let i = 0; i < n; ++i) yield new Uint8Array(50_000).fill(65 + (i % 26));\n"
                 "};\n");
    folder_.file("odd.js",
                 "export default (kind) => {\n"
                 "  const cycle = {}; cycle.self = cycle;\n"
                 "  return { bigint: 1n, cycle, date: { when: new Date(0), map: new Map([[1, 2]]) "
                 "} }[kind];\n"
                 "};\n");
    folder_.file("echo.js", "export default async function* (input, { body }) { yield* body; }");
    folder_.file("count.js",
                 "export default async (input, { body }) => {\n"
                 "  let bytes = 0;\n"
                 "  for await (const piece of body) bytes += piece.length;\n"
                 "  return bytes;\n"
                 "};\n");
    folder_.file("names.js",
                 "export default async (input) => {\n"
                 "  const text = async ({ name, type, size, resolve }) => {\n"
                 "    let bytes = 0;\n"
                 "    for await (const piece of (await resolve()).stream) bytes += piece.length;\n"
                 "    return [name, type, size, bytes].join(' ');\n"
                 "  };\n"
                 "  return typeof input.resolve === 'function' ? text(input) : text(input.file);\n"
                 "};\n");
    folder_.file("slow.js",
                 "export default () => new Promise((done) => setTimeout(done, 60_000));");
    folder_.file("notify.js", "export default (payload) => { if (payload) payload.seen = true; };");
    folder_.file("token", "secret\n");
  }

  void write_configuration(const std::string& tls) const {
    std::string text = shell_configuration;
    text.replace(text.find(" TLS"), 4, tls);
    folder_.file("cordon.json", text);
  }

  Conversation serve(std::vector<std::string> more = {}) const {
    more.insert(more.begin(), {"serve", "--config", folder_.path() + "/cordon.json"});
    return {cordon_program(), std::move(more)};
  }

  std::vector<std::string> with_token(const std::string& command,
                                      std::vector<std::string> words) const {
    words.insert(words.begin(), {command, "--token-file", folder_.path() + "/token"});
    return words;
  }
  Ended ask(const std::string& command, std::vector<std::string> words) const {
    return cordon({.arguments = with_token(command, std::move(words))});
  }
  Ended call(std::vector<std::string> words) const { return ask("call", std::move(words)); }

  Folder folder_;
};

}  // namespace cordon::e2e
