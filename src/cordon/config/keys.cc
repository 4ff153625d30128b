#include "cordon/config/keys.h"

#include <algorithm>
#include <limits>

#include "cordon/base/ascii.h"
#include "cordon/config/addresses.h"
#include "cordon/config/lane_form.h"
#include "cordon/config/schema_form.h"
#include "cordon/config/tunnel_form.h"
#include "cordon/limits.h"
#include "cordon/protocol/tunnel/route.h"

namespace cordon::config {
namespace {

constexpr std::uint64_t max_milliseconds = 2'147'483'647;  // 24 days
constexpr std::uint64_t max_bytes = std::uint64_t{1} << 40;
constexpr std::uint64_t max_json_bytes = std::uint64_t{1} << 30;
constexpr std::uint64_t max_count = 1'000'000;

Form<std::string> id() { return text_that(complain_about_id, "app.tasks.add"); }
Form<std::string> header_name() { return text_that(complain_about_token, "x-runner-token"); }

Form<TimePolicy> clocks() {
  return Record<TimePolicy>(no_clocks)
      .key("totalMs", &TimePolicy::total, milliseconds(1, max_milliseconds),
           "From a call's acceptance to its end, in milliseconds. All waits count.")
      .key("computingMs", &TimePolicy::computing, milliseconds(1, max_milliseconds),
           "What the script itself takes, its own timers included. Waits for the client or for a "
           "tool do not count.")
      .key("cpuMs", &TimePolicy::cpu, milliseconds(1, max_milliseconds), "Processor time.")
      .form();
}

Form<ScriptLimits> limits() {
  return Record<ScriptLimits>()
      .key("timeoutMs", &ScriptLimits::timeout, milliseconds(1, max_milliseconds),
           "A call's own time, in milliseconds. Waits for the client or for a tool do not count.")
      .key("time", &ScriptLimits::time, clocks(),
           "Limits by clock. Each goes before what timeoutMs sets.")
      .key("memoryLimitBytes", &ScriptLimits::memory_bytes,
           number<std::uint64_t>(1, max_memory_bytes), "Most memory of one sandbox.")
      .key("maxLogLines", &ScriptLimits::log_lines, number<std::size_t>(0, 10'000'000),
           "Lines that one call may log; further ones are cut.")
      .key("maxLogChars", &ScriptLimits::log_chars, number<std::size_t>(0, std::uint64_t{1} << 30),
           "Characters that one call may log.")
      .form();
}

Form<ValueRule> values() {
  const Form<std::string> words = choice({"rich", "json"});
  return {words.schema, [read = words.read](const Node& node, ValueRule& out, Reader& reader) {
            std::string word;
            read(node, word, reader);
            out = word == "json" ? ValueRule::json : ValueRule::rich;
          }};
}

Form<ToolRules> tool_rules() {
  return Record<ToolRules>()
      .key("description", &ToolRules::description, prose(), "What it does, for who calls it.")
      .key("input", &ToolRules::input, json_schema(),
           "JSON Schema (draft 2020-12) of the input. Another input fails the call with "
           "validation_error, and the function is not called.")
      .key("output", &ToolRules::output, json_schema(),
           "JSON Schema of the result. Another result fails the call with validation_error.")
      .key("timeoutMs", &ToolRules::timeout, milliseconds(1, max_milliseconds),
           "For one call, in milliseconds; a later one fails with tool_error.")
      .key("maxCalls", &ToolRules::max_calls, number<std::size_t>(0, max_count),
           "Calls that one execution may make; further ones fail with tool_error.")
      .key("concurrency", &ToolRules::concurrency, number<std::size_t>(1, max_count),
           "Calls that run at once; further ones wait.")
      .key("readOnly", &ToolRules::read_only, boolean(),
           "That it changes nothing, so that `--read-only` leaves it.")
      .form();
}

Form<ScriptProvider> provider() {
  return Record<ScriptProvider>()
      .key("script", &ScriptProvider::script, file(),
           "An ES module: the functions that it exports are the tools.", Need::required)
      .key("values", &ScriptProvider::values, values(), "In the place of values.")
      .key("tools", &ScriptProvider::tools,
           named(tool_rules(), [](std::string_view) { return std::optional<std::string>(); }),
           "By the name of an exported function: these are the tools, in this order, and no "
           "others. Without it: all, and without rules.")
      .form();
}

Form<McpServer> mcp_server() {
  return Record<McpServer>()
      .key("command", &McpServer::command, text(),
           "The program to start, which speaks on its standard streams.")
      .key("args", &McpServer::arguments, list_of(text()), "Its arguments.")
      .key("env", &McpServer::environment,
           named(secret(), [](std::string_view) { return std::optional<std::string>(); }),
           "Variables of its environment.")
      .key("url", &McpServer::url, text_that(complain_about_url, "https://example.org/mcp"),
           "In the place of a command: where the server is.")
      .and_then([](const Node& node, McpServer&, Reader& reader) {
        const bool has_command = node.find("command") != nullptr;
        if (has_command == (node.find("url") != nullptr)) {
          reader.wrong(node.offset,
                       has_command ? "has a command and a url" : "has no command and no url",
                       "one of them says where the server is");
        }
        for (const char* key : {"args", "env"}) {
          const Node* extra = node.find(key);
          if (extra != nullptr && !has_command) {
            reader.wrong(extra->offset, std::string(key) + " goes with a command");
          }
        }
      })
      .form();
}

Form<CompileLimits> plugin_compile() {
  return Record<CompileLimits>()
      .key("timeoutMs", &CompileLimits::timeout, milliseconds(1, max_milliseconds),
           "Milliseconds that compiling the module may take.")
      .key("memoryLimitBytes", &CompileLimits::memory_bytes,
           number<std::uint64_t>(1, std::uint64_t{64} << 30), "Memory that it may take.")
      .form();
}

Form<PluginEntry> plugin() {
  const auto option = [](auto member) { return at(&PluginEntry::options, member); };
  return Record<PluginEntry>()
      .key("wasm", option(&PluginOptions::wasm), file(), "A WASI module that speaks duplex-rpc.",
           Need::required)
      .key("functions", &PluginEntry::functions, list_of(text()),
           "Its functions that scripts and other plugins may call; all, unless some are listed.")
      .key("processes", option(&PluginOptions::processes), number<std::size_t>(1, 256),
           "How many processes of it run at once.")
      .key("spares", option(&PluginOptions::spares), number<std::size_t>(0, 256),
           "How many more are kept ready.")
      .key("memoryLimitBytes", option(&PluginOptions::memory_bytes),
           number<std::uint64_t>(1, max_memory_bytes), "Most memory of one process's module.")
      .key("timeoutMs", &PluginEntry::timeout, milliseconds(1, max_milliseconds),
           "Of one call, in milliseconds, in the place of limits.timeoutMs.")
      .key("callbacks", &PluginEntry::callbacks, list_of(text()),
           "The tools that it may call, as \"provider.tool\".")
      .key("maxFrameBytes", option(&PluginOptions::frame_bytes),
           number<std::size_t>(1024, max_json_bytes), "Largest message, either way.")
      .key("compile", option(&PluginOptions::compile), plugin_compile(),
           "Limits of compiling the module, which happens once.")
      .form();
}

template <class Entry>
Record<Entry> script_keys(Record<Entry> record, Need need) {
  return std::move(record)
      .key("script", &Entry::script, file(), "An ES module; its default export is called.", need)
      .key("tools", &Entry::tools, list_of(text()),
           "Names of providers, tunnels and plugins that the script may call.")
      .key("values", &Entry::values, values(), "In the place of values.")
      .key("contexts", &Entry::contexts, list_of(id()), "In the place of contexts.")
      .key("timeoutMs", &Entry::timeout, milliseconds(1, max_milliseconds),
           "In the place of limits.timeoutMs.")
      .key("time", &Entry::time, clocks(),
           "In the place of limits.time, clock by clock, and before timeoutMs.")
      .key("memoryLimitBytes", &Entry::memory_bytes, number<std::uint64_t>(1, max_memory_bytes),
           "In the place of limits.memoryLimitBytes.");
}

// A task is a script or a plugin's function.
void check_task(const Node& node, Reader& reader) {
  const bool has_script = node.find("script") != nullptr;
  const bool has_plugin = node.find("plugin") != nullptr;
  if (has_script == has_plugin) {
    reader.wrong(node.offset,
                 has_script ? "has a script and a plugin" : "has no script and no plugin",
                 has_script ? "a task has one of them: remove the other"
                            : "one of them says what the task does");
    return;
  }
  if (has_plugin && node.find("function") == nullptr) {
    reader.wrong(node.offset, "has a plugin and no function", "name the function to call");
  }
  for (const char* key : {"tools", "values", "contexts", "time", "memoryLimitBytes"}) {
    const Node* extra = node.find(key);
    if (extra != nullptr && has_plugin) {
      reader.wrong(extra->offset, std::string(key) + " goes with a script");
    }
  }
  const Node* function = node.find("function");
  if (function != nullptr && has_script) {
    reader.wrong(function->offset, "function goes with a plugin");
  }
}

Form<TaskEntry> task() {
  return script_keys(Record<TaskEntry>(), Need::optional)
      .key("plugin", &TaskEntry::plugin, text(), "In the place of a script: the name of a plugin.")
      .key("function", &TaskEntry::function, text(),
           "The plugin's function; its params are the input.")
      .key("input", &TaskEntry::input_schema, json_schema(),
           "JSON Schema (draft 2020-12) of the input. Another input is answered with 400 "
           "VALIDATION_ERROR.")
      .and_then([](const Node& node, TaskEntry&, Reader& reader) { check_task(node, reader); })
      .form();
}

Form<EventEntry> event() {
  return script_keys(Record<EventEntry>(), Need::required)
      .key("parallel", &EventEntry::is_parallel, boolean(),
           "Whether listeners may run side by side; then no payload is returned.")
      .key("payload", &EventEntry::payload_schema, json_schema(),
           "JSON Schema (draft 2020-12) of the payload.")
      .form();
}

Form<AuthRules> auth() {
  return Record<AuthRules>()
      .key("token", &AuthRules::tokens, one_or_list_of(secret()),
           "What clients must show, or a list of which any will do.")
      .key("header", &AuthRules::header, changed(header_name(), ascii_lower_case),
           "The header that has the token.")
      .key("allowAnonymous", &AuthRules::allow_anonymous, boolean(),
           "Lets everybody in where there is neither a token nor a validator.")
      .key("validators", &AuthRules::validators, list_of(id()),
           "Tasks that are asked after the token failed; one that answers {ok: true} lets in.")
      .form();
}

Form<CorsRules> cors_origin() {
  const Form<std::vector<std::string>> origins =
      one_or_list_of(text_that(complain_about_origin, "https://app.example", origin_meant_by));
  return {origins.schema, [read = origins.read](const Node& node, CorsRules& out, Reader& reader) {
            std::vector<std::string> found;
            read(node, found, reader);
            if (node.kind == Node::Kind::array) {
              out.origins = std::move(found);
            } else if (found.size() == 1) {
              out.origin = std::move(found[0]);
            }
          }};
}

// Browsers take credentials only with an origin that is named: for them "*" is no origin then. In a
// list "*" is an entry like any other, which no request's origin is equal to.
void check_cors(const Node& node, const CorsRules& rules, Reader& reader) {
  const Node* const origin = node.find("origin");
  const Node* const credentials = node.find("credentials");
  const bool has_list = rules.origins.has_value();
  const bool is_any = has_list ? std::ranges::find(*rules.origins, "*") != rules.origins->end()
                               : rules.origin && *rules.origin == "*";
  if (is_any && rules.credentials) {
    reader.warning(origin->offset,
                   reader.path() + ".origin: browsers refuse \"*\" together with credentials",
                   "name the origins, as [\"https://app.example\"], or remove credentials");
  } else if (is_any && has_list) {
    reader.warning(origin->offset, reader.path() + ".origin: in a list \"*\" matches no origin",
                   "write \"*\" in the place of the list, or name the origins");
  } else if (rules.credentials && !has_list && !rules.origin) {
    reader.warning(credentials->offset,
                   reader.path() +
                       ": without an origin no Access-Control-Allow-Origin is sent, and "
                       "browsers refuse the answers",
                   "name the origin");
  }
}

Form<CorsRules> cors() {
  return Record<CorsRules>()
      .group("origin", cors_origin(),
             "\"*\", one origin, which is sent whatever the request's is, or a list, whose match "
             "is echoed.")
      .key("credentials", &CorsRules::credentials, boolean(),
           "Whether browsers may send credentials. Needs an origin.")
      .key("methods", &CorsRules::methods, list_of(text_that(complain_about_token, "POST")),
           "Access-Control-Allow-Methods; POST, OPTIONS where it is empty.")
      .key("allowedHeaders", &CorsRules::allowed_headers, list_of(header_name()),
           "Access-Control-Allow-Headers; what the request asks for where it is empty.")
      .key("exposedHeaders", &CorsRules::exposed_headers, list_of(header_name()),
           "Access-Control-Expose-Headers.")
      .key("maxAge", &CorsRules::max_age, number<std::uint64_t>(0, 31'536'000),
           "How long a preflight may be kept, in seconds.")
      .and_then(
          [](const Node& node, CorsRules& out, Reader& reader) { check_cors(node, out, reader); })
      .form();
}

Form<MultipartLimits> multipart_limits() {
  return Record<MultipartLimits>()
      .key("fileSize", &MultipartLimits::file_bytes, number<std::uint64_t>(1, max_bytes),
           "Largest file, in bytes.")
      .key("files", &MultipartLimits::files, number<std::size_t>(0, max_count),
           "Most files of a request.")
      .key("fields", &MultipartLimits::fields, number<std::size_t>(1, max_count),
           "Most fields of a request, the manifest included.")
      .key("fieldSize", &MultipartLimits::field_bytes, number<std::uint64_t>(1, max_json_bytes),
           "Largest field, in bytes.")
      .form();
}

Form<Server> server_limits() {
  const auto limit = [](auto member) { return at(&Server::limits, member); };
  const Form<Server> json =
      Record<Server>()
          .key("maxSize", limit(&BodyLimits::json_bytes), number<std::uint64_t>(1, max_json_bytes),
               "Largest JSON body, in bytes.")
          .form();
  return Record<Server>()
      .group("json", json, "JSON bodies.")
      .key("multipart", limit(&BodyLimits::multipart), multipart_limits(), "Multipart bodies.")
      .key("response", limit(&BodyLimits::response_bytes),
           number<std::uint64_t>(1024, max_json_bytes),
           "Largest answer that is not streamed, in bytes; past it: 500 INTERNAL_ERROR.")
      .key("memory", &Server::memory_bytes, number<std::size_t>(1'048'576, max_bytes),
           "For the bodies, inputs and answers of all requests under way, in bytes; half of it for "
           "one client's. Past it: 503 OVERLOADED.")
      .form();
}

Form<TlsFiles> tls() {
  return Record<TlsFiles>()
      .key("certificate", &TlsFiles::certificate, private_file(),
           "PEM file: the certificate and its chain.", Need::required)
      .key("key", &TlsFiles::key, private_file(), "PEM file: its private key.", Need::required)
      .form();
}

Form<Server> connections() {
  constexpr std::size_t no_limit = std::numeric_limits<std::size_t>::max();
  const auto http = [](auto member) { return at(&Server::http, member); };
  return Record<Server>()
      .key("max", at(&Server::connections, &ConnectionLimits::max),
           number<std::size_t>(1, max_count), "Most connections at once.")
      .key("maxPerAddress", at(&Server::connections, &ConnectionLimits::max_per_address),
           zero_means(number<std::size_t>(0, max_count), std::optional(no_limit)),
           "Most of one client's address; 0 is no limit. Unless given: a quarter of `max`, 64 at "
           "least, and any number from loopback. Those of `trustedProxies` are not counted.")
      .key("headerBytes", http(&HttpLimits::header_bytes), number<std::size_t>(1024, 1'048'576),
           "Largest head of a request, in bytes.")
      .key("headerTimeoutMs", http(&HttpLimits::header_timeout), milliseconds(1, max_milliseconds),
           "For the head of a request, from its first byte.")
      .key("idleTimeoutMs", http(&HttpLimits::idle_timeout), milliseconds(1, max_milliseconds),
           "Between two requests.")
      .key("stallTimeoutMs", http(&HttpLimits::stall_timeout), milliseconds(1, max_milliseconds),
           "For a body or an answer that makes no progress.")
      .key("drainTimeoutMs", &Server::drain_timeout, milliseconds(0, max_milliseconds),
           "On SIGTERM: for what is under way.")
      .form();
}

Form<Expose> expose() {
  return Record<Expose>()
      .key("tasks", &Expose::tasks, list_of(id()), "Ids of tasks.")
      .key("events", &Expose::events, list_of(id()), "Ids of events.")
      .form();
}

Form<std::string> listen_address() {
  return text_that(complain_about_listen, "127.0.0.1:7070", listen_meant_by);
}

// A relative path of a socket begins where the file is.
std::string absolute_listen(const std::string& address, const Reader& reader) {
  if (!address.starts_with("unix:")) return address;
  return "unix:" + reader.absolute(address.substr(5));
}

Form<Server> listen() {
  const Form<std::vector<std::string>> addresses = one_or_list_of(listen_address());
  Value schema = addresses.schema.with("default", Server().listen.front());
  return {std::move(schema),
          [read = addresses.read](const Node& node, Server& out, Reader& reader) {
            std::vector<std::string> found;
            read(node, found, reader);
            if (node.kind == Node::Kind::array && found.empty()) {
              reader.wrong(node.offset, "is empty", "write it as \"127.0.0.1:7070\"");
              return;
            }
            for (std::string& one : found) one = absolute_listen(one, reader);
            if (!found.empty()) out.listen = std::move(found);
          }};
}

Form<Server> metrics() {
  const Form<std::string> address = listen_address();
  const Form<std::string> absolute = {
      address.schema, [read = address.read](const Node& node, std::string& out, Reader& reader) {
        read(node, out, reader);
        out = absolute_listen(out, reader);
      }};
  return Record<Server>()
      .key("listen", &Server::metrics_listen, absolute,
           "Where /healthz, /readyz and /metrics are served, apart from the tunnel.")
      .form();
}

Form<Server> log() {
  const Form<std::string> words = choice({"text", "json"});
  const Form<Server> format = {words.schema.with("default", "text"),
                               [read = words.read](const Node& node, Server& out, Reader& reader) {
                                 std::string word;
                                 read(node, word, reader);
                                 out.log_json = word == "json";
                               }};
  const std::vector<std::string> levels = {"debug", "info", "warn", "error"};
  const Form<std::string> level_words = choice(levels);
  const Form<Server> level = {
      level_words.schema.with("default", levels.front()),
      [read = level_words.read, levels](const Node& node, Server& out, Reader& reader) {
        std::string word = levels[static_cast<std::size_t>(out.log_level)];
        read(node, word, reader);
        out.log_level = static_cast<LogThreshold>(std::ranges::find(levels, word) - levels.begin());
      }};
  return Record<Server>()
      .group("level", level,
             "The least important lines that are written: those of this level and above.")
      .group("format", format, "How log lines are written to stderr.")
      .key("access", &Server::access_log, log_file(),
           "A line a request: a file, or \"-\" for stderr. None unless given.")
      .form();
}

Form<std::string> base_path() {
  const Form<std::string> written = text_that(complain_about_base_path, "/__runner");
  // Empty is the root, as "/" is.
  Value schema = Value::object({{"type", "string"}, {"examples", Value::array({"/__runner"})}});
  return {std::move(schema),
          [read = written.read](const Node& node, std::string& out, Reader& reader) {
            if (node.kind == Node::Kind::string && node.text.empty()) {
              out.clear();
              return;
            }
            read(node, out, reader);
            out = tunnel::normal_base_path(out);
          }};
}

Form<Server> server() {
  const auto engine = [](auto member) { return at(&Server::engine, member); };
  return Record<Server>()
      .group("listen", listen(),
             "HOST:PORT, [IPv6]:PORT or unix:PATH, or a list of them. Port 0 is any that is free.")
      .key("basePath", &Server::base_path, base_path(), "What all URLs of the tunnel begin with.")
      .key("auth", &Server::auth, auth(), "Who may call.")
      .key("lanes", &Server::lanes, named(lane(), complain_about_id),
           "Whose calls carry a signed token beside that of auth, as clients of Runner 6 send it, "
           "by the lane's id.")
      .key("discovery", &Server::discovery, boolean(),
           "Whether /discovery tells what may be called. Otherwise it is not there: 404.")
      .key("cors", &Server::cors, cors(), "What browsers may do. Without it, any origin.")
      .group("limits", server_limits(),
             "Of bodies, past which: 413 PAYLOAD_TOO_LARGE; and of answers and memory.")
      .key("expose", &Server::expose, expose(), "What may be called. Without it: nothing.")
      .key("dangerouslyAllowOpenExposure", &Server::allow_open_exposure, boolean(),
           "Whether all tasks and events may be called where there is no expose.")
      .key("deadlineMs", &Server::deadline, milliseconds(1, max_milliseconds),
           "For a whole request, waits included. None unless given.")
      .key("tls", &Server::tls, tls(), "Serves HTTPS.")
      .group("connections", connections(), "Of connections, whatever is asked on them.")
      .key("trustedProxies", &Server::trusted_proxies,
           list_of(text_that(complain_about_range, "10.0.0.0/8")),
           "Addresses or CIDR ranges of proxies (or \"unix\"), whose Forwarded and X-Forwarded-* "
           "headers "
           "count.")
      .key("threads", &Server::threads, zero_means(number<std::size_t>(0, 256), {}),
           "Threads that serve; 0 is one a processor.")
      .key("sandboxes", engine(&EngineOptions::slots),
           zero_means(number<std::size_t>(0, 20'000), {}),
           "Sandboxes of one thread; 0 is the default.")
      .key("queue", engine(&EngineOptions::queue), number<std::size_t>(0, max_count),
           "Calls that may wait for a sandbox; one more is answered with 503 OVERLOADED.")
      .key("asleep", engine(&EngineOptions::max_hibernated), number<std::size_t>(0, max_count),
           "Calls of one thread that may sleep while they wait, without a sandbox; those beyond "
           "keep theirs.")
      .group("metrics", metrics(), "For whoever operates the server.")
      .group("log", log(), "The log.")
      .form();
}

}  // namespace

Form<Configuration> configuration_form() {
  const Form<std::string> text_alone = text();
  const Form<Configuration> ignored = {
      text_alone.schema,
      [read = text_alone.read](const Node& node, Configuration&, Reader& reader) {
        std::string nothing;
        read(node, nothing, reader);
      }};
  return Record<Configuration>()
      .group("$schema", ignored, "For editors; says nothing to Cordon.")
      .key("limits", &Configuration::limits, limits(),
           "Of every script, unless its own entry says otherwise.")
      .key("values", &Configuration::values, values(),
           "How values leave scripts: rich keeps dates, maps, bigints and the like, json makes of "
           "them what JSON.stringify does.")
      .key("providers", &Configuration::providers, named(provider(), complain_about_identifier),
           "Tools out of scripts, by the name that guests call them.")
      .key("mcpServers", &Configuration::mcp_servers, named(mcp_server(), complain_about_id),
           "Tools of MCP servers. Accepted and checked; calls of them fail, for now.")
      .key("tunnels", &Configuration::tunnels, named(tunnel(), complain_about_id),
           "Tasks of other tunnels, as tools, by the name that guests call them.")
      .key("plugins", &Configuration::plugins, named(plugin(), complain_about_identifier),
           "Tools of WebAssembly plugins.")
      .key("contexts", at(&Configuration::server, &Server::contexts), list_of(id()),
           "Ids of the async contexts that are restored from x-runner-context.")
      .key("tasks", &Configuration::tasks, named(task(), complain_about_id), "Tasks, by their ids.")
      .key("events", &Configuration::events, named(event(), complain_about_id),
           "Events, by their ids.")
      .key("server", &Configuration::server, server(), "The tunnel itself.")
      .form();
}

}  // namespace cordon::config
