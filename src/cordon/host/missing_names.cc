#include "cordon/host/missing_names.h"

#include <algorithm>
#include <array>
#include <utility>

#include "cordon/base/ascii.h"
#include "cordon/base/utf8.h"

namespace cordon::host {
namespace {

constexpr std::string_view of_network = "{network}";
constexpr std::string_view of_files = "{files}";
constexpr std::string_view of_tools = "{tools}";
constexpr std::string_view of_values = "{values}";
constexpr std::string_view of_console = "use console.log";
constexpr std::string_view of_page =
    "there is no browser and no DOM: read text with string methods and regular expressions";
constexpr std::string_view of_storage =
    "nothing is kept from run to run: use variables, and return what is to be kept";
constexpr std::string_view of_threads =
    "there is one thread: write async functions, and await "
    "them with Promise.all";
constexpr std::string_view of_processes = "there are no other processes; {tools}";
constexpr std::string_view of_package = "packages cannot be imported; {modules}";
constexpr std::string_view of_collections =
    "packages cannot be imported: arrays and objects have map, filter, reduce, flatMap, toSorted, "
    "Object.groupBy and structuredClone; {modules}";
constexpr std::string_view of_dates =
    "packages cannot be imported: use Date, such as new Date(text).toISOString(); {modules}";
constexpr std::string_view of_checks =
    "packages cannot be imported: check values with typeof and Array.isArray; {modules}";
constexpr std::string_view of_ids = "use crypto.randomUUID()";
constexpr std::string_view of_bytes =
    "use Uint8Array: new TextEncoder().encode(text), new TextDecoder().decode(bytes), "
    "bytes.toBase64(), Uint8Array.fromBase64(text), and toHex and fromHex";
constexpr std::string_view of_global = "the global object is globalThis";
constexpr std::string_view of_exports =
    "write `export default value`, or end the program with the value";
constexpr std::string_view of_timers = "use setTimeout(f, 0) or queueMicrotask(f)";
constexpr std::string_view of_sleep = "write await new Promise((done) => setTimeout(done, ms))";
constexpr std::string_view of_memory = "there is no shared memory: there is one thread";
constexpr std::string_view of_events = "use EventTarget and CustomEvent";
constexpr std::string_view of_paths =
    "there are no files: join the parts of a name with "
    "[a, b].join('/')";
constexpr std::string_view of_digests =
    "use the global crypto: randomUUID, getRandomValues, subtle.digest; for HMAC subtle.importKey "
    "and subtle.sign";
constexpr std::string_view of_compression = "nothing compresses or expands data here; {tools}";
constexpr std::string_view of_locales =
    "there are no locales yet: write numbers with toFixed, dates with toISOString or getUTCDate "
    "and its kin, and sort texts with localeCompare";
constexpr std::string_view of_assertions = "write if (!condition) throw new Error(message)";

constexpr auto globals = std::to_array<MissingName>({
    // The network.
    {"fetch", of_network},
    {"XMLHttpRequest", of_network},
    {"WebSocket", of_network},
    {"EventSource", of_network},
    {"Request", of_network},
    {"Response", of_network},
    {"FormData", "use URLSearchParams, or an object"},
    {"axios", of_network},
    {"got", of_network, true},
    {"ky", of_network, true},
    {"request", of_network, true},
    {"superagent", of_network},
    {"http", of_network, true},
    {"https", of_network, true},
    {"net", of_network, true},
    {"express", of_network},
    {"puppeteer", of_network},
    {"playwright", of_network},
    // Files.
    {"fs", of_files},
    {"fsp", of_files},
    {"readFile", of_files},
    {"readFileSync", of_files},
    {"writeFile", of_files},
    {"writeFileSync", of_files},
    {"path", of_paths, true},
    {"__dirname", of_files},
    {"__filename", of_files},
    {"FileReader", "use await blob.text() or await blob.arrayBuffer()"},
    {"XLSX", of_package},
    {"Papa", "packages cannot be imported: split the text into lines and cells; {modules}"},
    // The process.
    {"process", of_values},
    {"env", of_values, true},
    {"argv", of_values, true},
    {"args", of_values, true},
    {"os", of_processes, true},
    {"child_process", of_processes},
    {"exec", of_processes, true},
    {"execSync", of_processes},
    {"spawn", of_processes, true},
    {"readline", of_values},
    {"stdin", of_values, true},
    {"stdout", of_console, true},
    {"input", of_values},
    {"Deno", "this is not Deno: {values}; {tools}"},
    {"Bun", "this is not Bun: {values}; {tools}"},
    // Modules.
    {"require", of_package},
    {"module", of_exports, true},
    {"exports", of_exports, true},
    {"define", of_exports, true},
    {"createRequire", of_package},
    {"importScripts", of_package},
    // Node's other globals.
    {"Buffer", of_bytes},
    {"global", of_global, true},
    {"setImmediate", of_timers},
    {"clearImmediate", "use setTimeout and clearTimeout"},
    {"util", "use console.log, JSON.stringify and structuredClone", true},
    {"assert", of_assertions, true},
    {"events", of_events, true},
    {"EventEmitter", of_events},
    {"createHash", of_digests},
    {"createHmac", of_digests},
    {"zlib", of_compression},
    // Browsers.
    {"window", of_global, true},
    {"self", of_global, true},
    {"document", of_page, true},
    {"DOMParser", of_page},
    {"XMLSerializer", of_page},
    {"Element", of_page, true},
    {"HTMLElement", of_page},
    {"MutationObserver", of_page},
    {"Image", of_page, true},
    {"Audio", of_page, true},
    {"$", of_page, true},
    {"jQuery", of_page},
    {"cheerio", of_page},
    {"alert", of_console},
    {"print", of_console, true},
    {"prompt", "nobody can be asked while a program runs; {values}", true},
    {"confirm", "nobody can be asked while a program runs; {values}", true},
    {"localStorage", of_storage},
    {"sessionStorage", of_storage},
    {"indexedDB", of_storage},
    {"caches", of_storage, true},
    {"navigator", of_page},
    {"location", of_page, true},
    {"history", of_page, true},
    {"screen", of_page, true},
    {"requestAnimationFrame", of_timers},
    {"cancelAnimationFrame", "use setTimeout and clearTimeout"},
    {"requestIdleCallback", of_timers},
    {"reportError", "throw the error, or use console.error"},
    {"CompressionStream", of_compression},
    {"DecompressionStream", of_compression},
    // Threads and machine code.
    {"Worker", of_threads},
    {"SharedWorker", of_threads},
    {"MessageChannel", of_threads},
    {"MessagePort", of_threads},
    {"BroadcastChannel", of_threads},
    {"postMessage", of_threads},
    {"Atomics", of_memory},
    {"SharedArrayBuffer", of_memory},
    {"WebAssembly", "there is no WebAssembly: write it in JavaScript"},
    // Locales.
    {"Intl", of_locales},
    {"Temporal", "there is no Temporal yet: use Date, in UTC"},
    // Packages.
    {"_", of_collections, true},
    {"lodash", of_collections},
    {"underscore", of_collections},
    {"R", of_collections, true},
    {"moment", of_dates, true},
    {"dayjs", of_dates},
    {"luxon", of_dates},
    {"DateTime", of_dates, true},
    {"dateFns", of_dates},
    {"z", of_checks, true},
    {"zod", of_checks},
    {"Joi", of_checks},
    {"yup", of_checks},
    {"Ajv", of_checks},
    {"uuid", of_ids, true},
    {"uuidv4", of_ids},
    {"nanoid", of_ids},
    {"chalk", of_console},
    {"CryptoJS", of_digests},
    {"sleep", of_sleep, true},
    {"delay", of_sleep, true},
    // Other languages.
    {"None", "write null"},
    {"nil", "write null"},
    {"NULL", "write null"},
    {"True", "write true"},
    {"False", "write false"},
    {"len", "write value.length", true},
    {"str", "write String(value)", true},
    {"int", "write Number(text), or Math.trunc(number)", true},
    {"float", "write Number(text)", true},
    {"dict", "write {}, or Object.fromEntries(pairs)", true},
    {"range", "write Array.from({length: n}, (_, i) => i)", true},
    {"sorted", "write list.toSorted((a, b) => …)", true},
    {"enumerate", "write list.entries()", true},
    {"isinstance", "write typeof value === '…', or value instanceof Class"},
    {"datetime", "use Date, in UTC", true},
    {"re", "use regular expressions: text.match(/…/)", true},
    {"echo", of_console, true},
    {"printf", of_console, true},
    {"puts", of_console, true},
    // What hosts of other kinds call their tools.
    {"tools", of_tools, true},
    {"tool", of_tools, true},
    {"functions", of_tools, true},
    {"callTool", of_tools},
    {"codemode", of_tools},
    {"mcp", of_tools},
});

constexpr auto packages = std::to_array<MissingName>({
    // Node's own.
    {"assert", of_assertions},
    {"buffer", of_bytes},
    {"child_process", of_processes},
    {"cluster", of_processes},
    {"console", "console is there without an import"},
    {"crypto", of_digests},
    {"dgram", of_network},
    {"dns", of_network},
    {"events", of_events},
    {"fs", of_files},
    {"http", of_network},
    {"http2", of_network},
    {"https", of_network},
    {"module", of_package},
    {"net", of_network},
    {"os", of_processes},
    {"path", of_paths},
    {"perf_hooks", "performance is there without an import"},
    {"process", of_values},
    {"querystring", "use URLSearchParams, which is there without an import"},
    {"readline", of_values},
    {"stream", "ReadableStream, WritableStream and TransformStream are there without an import"},
    {"string_decoder", "use TextDecoder, which is there without an import"},
    {"test", of_assertions},
    {"timers",
     "setTimeout and setInterval are there without an import; to wait, "
     "await new Promise((done) => setTimeout(done, ms))"},
    {"tls", of_network},
    {"url", "URL and URLSearchParams are there without an import"},
    {"util",
     "structuredClone, TextEncoder and TextDecoder are there without an import; "
     "console.log shows values"},
    {"vm", "use new Function, or eval"},
    {"worker_threads", of_threads},
    {"zlib", of_compression},
    // Packages.
    {"axios", of_network},
    {"cheerio", of_page},
    {"cross-fetch", of_network},
    {"date-fns", of_dates},
    {"dayjs", of_dates},
    {"got", of_network},
    {"jsdom", of_page},
    {"ky", of_network},
    {"lodash", of_collections},
    {"lodash-es", of_collections},
    {"luxon", of_dates},
    {"moment", of_dates},
    {"nanoid", of_ids},
    {"node-fetch", of_network},
    {"papaparse", "packages cannot be imported: split the text into lines and cells; {modules}"},
    {"ramda", of_collections},
    {"underscore", of_collections},
    {"undici", of_network},
    {"uuid", of_ids},
    {"ws", of_network},
    {"zod", of_checks},
});

// Tools whose names have one of these words come first, those with an earlier word before others.
constexpr auto network_words = std::to_array<std::string_view>(
    {"http", "fetch", "request", "url", "web", "download", "api", "browse", "search", "get"});
constexpr auto file_words = std::to_array<std::string_view>(
    {"file", "read", "write", "folder", "director", "path", "document", "storage", "load", "save"});

constexpr std::size_t max_tools_named = 6;
constexpr std::size_t max_tools_read = 10'000;  // there may be more; these are ranked
constexpr std::size_t max_modules_named = 5;
constexpr std::size_t max_name_bytes = 60;

std::string shortened(std::string_view name) {
  if (name.size() <= max_name_bytes) return std::string(name);
  return std::string(cut_before(name, max_name_bytes)) + "…";
}

struct RankedTool {
  std::size_t rank;
  std::string name;
};

std::size_t rank_of(std::string_view name, std::span<const std::string_view> words) {
  const std::string lower = ascii_lower_case(std::string(name));
  const auto found =
      std::ranges::find_if(words, [&](std::string_view word) { return lower.contains(word); });
  return static_cast<std::size_t>(found - words.begin());
}

// "its tools are api.httpGet, mail.send (and 12 more)"
std::string tools_text(std::span<const js::Namespace> spaces,
                       std::span<const std::string_view> words = {}) {
  std::vector<RankedTool> best;
  std::size_t count = 0;
  const auto add = [&](const std::string& space, std::string_view function) {
    if (++count > max_tools_read) return;
    const std::size_t rank =
        words.empty() ? 0 : rank_of(space + "." + std::string(function), words);
    const auto place = std::ranges::upper_bound(best, rank, {}, &RankedTool::rank);
    if (place - best.begin() == max_tools_named) return;
    best.insert(place, {rank, shortened(space) + "." + shortened(function)});
    if (best.size() > max_tools_named) best.pop_back();
  };
  for (const js::Namespace& space : spaces) {
    for (const std::string& function : space.functions) add(space.name, function);
    if (space.is_open) add(space.name, "*");
  }
  if (count == 0) return "this program was given no tools";
  std::string text = count == 1 ? "its tool is" : "its tools are";
  for (const RankedTool& tool : best) text += (&tool == best.data() ? " " : ", ") + tool.name;
  if (count > best.size()) text += " (and " + std::to_string(count - best.size()) + " more)";
  return text;
}

std::string values_text(InputGiven input) {
  switch (input) {
    case InputGiven::yes:
      return "values come in `input`";
    case InputGiven::no:
      return "values come in `input`, and this program was given none (`cordon run --input JSON` "
             "gives it)";
    case InputGiven::as_argument:
      return "values come as the argument of the function that is called";
    case InputGiven::never:
      return "values come from its tools, or stand in the program";
  }
  std::unreachable();
}

std::string modules_text(const Given& given) {
  const std::vector<std::string> modules =
      given.modules ? given.modules(max_modules_named + 1) : std::vector<std::string>();
  if (modules.empty()) return "this program has no files to import";
  std::string text = "this program has";
  for (std::size_t i = 0; i < std::min(modules.size(), max_modules_named); ++i)
    text += (i == 0 ? " " : ", ") + shortened(modules[i]);
  return modules.size() > max_modules_named ? text + ", …" : text;
}

std::string text_for(std::string_view placeholder, const Given& given) {
  if (placeholder == of_network)
    return "there is no network; " + tools_text(given.tools, network_words);
  if (placeholder == of_files) return "there are no files; " + tools_text(given.tools, file_words);
  if (placeholder == of_tools) return tools_text(given.tools);
  if (placeholder == of_values) return values_text(given.input);
  return modules_text(given);
}

std::string filled_in(std::string_view advice, const Given& given) {
  std::string text;
  for (std::size_t open = advice.find('{'); open != std::string_view::npos;
       open = advice.find('{')) {
    const std::size_t end = advice.find('}', open) + 1;
    text += advice.substr(0, open);
    text += text_for(advice.substr(open, end - open), given);
    advice.remove_prefix(end);
  }
  return text.append(advice);
}

const MissingName* find(std::span<const MissingName> rows, std::string_view name) {
  const auto found = std::ranges::find(rows, name, &MissingName::name);
  return found == rows.end() ? nullptr : &*found;
}

// "npm:lodash@4/get" is lodash, "@scope/name/part" is @scope/name.
std::string_view package_of(std::string_view specifier) {
  for (const std::string_view scheme : {"npm:", "jsr:", "node:", "bun:"})
    if (specifier.starts_with(scheme)) specifier.remove_prefix(scheme.size());
  const std::size_t scope = specifier.starts_with('@') ? specifier.find('/') : 0;
  if (scope == std::string_view::npos) return specifier;
  return specifier.substr(0, specifier.find_first_of("/@", scope + 1));
}

bool is_url(std::string_view specifier) {
  return specifier.starts_with("https://") || specifier.starts_with("http://") ||
         specifier.starts_with("//") || specifier.starts_with("data:") ||
         specifier.starts_with("blob:");
}

bool is_file(std::string_view specifier) {
  return specifier.empty() || specifier.starts_with('.') || specifier.starts_with('/') ||
         specifier.starts_with("file:") || specifier.starts_with("cordon:");
}

}  // namespace

std::span<const MissingName> missing_globals() { return globals; }
std::span<const MissingName> missing_packages() { return packages; }

const MissingName* find_missing_global(std::string_view name) { return find(globals, name); }

std::string advice_on_global(const MissingName& global, const Given& given) {
  return filled_in(global.advice, given);
}

std::string advice_on_import(std::string_view specifier, const Given& given) {
  if (is_url(specifier)) return "addresses cannot be imported; " + modules_text(given);
  if (is_file(specifier)) return {};
  if (const MissingName* const known = find(packages, package_of(specifier)))
    return filled_in(known->advice, given);
  if (specifier.starts_with("node:"))
    return "Node's modules cannot be imported; " + modules_text(given);
  return filled_in(of_package, given);
}

std::string advice_on_namespace(const Given& given) {
  if (given.tools.empty()) return {};
  return tools_text(given.tools);
}

std::string advice_on_bare_tool(std::string_view name, const Given& given) {
  std::string text;
  std::size_t named = 0;
  for (const js::Namespace& space : given.tools) {
    if (std::ranges::find(space.functions, name) == space.functions.end()) continue;
    if (++named > max_tools_named) break;
    text += (named == 1 ? "write " : " or ") + shortened(space.name) + "." + shortened(name);
  }
  return text;
}

}  // namespace cordon::host
