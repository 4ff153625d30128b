#include "cordon/tools/global_names.h"

#include <algorithm>
#include <array>

namespace cordon::tools {
namespace {

// A test of cli compares these with what a guest has.
constexpr auto names = std::to_array<std::string_view>({
    // The language.
    "AggregateError",
    "Array",
    "ArrayBuffer",
    "AsyncDisposableStack",
    "Atomics",
    "BigInt",
    "BigInt64Array",
    "BigUint64Array",
    "Boolean",
    "DataView",
    "Date",
    "DisposableStack",
    "Error",
    "EvalError",
    "FinalizationRegistry",
    "Float16Array",
    "Float32Array",
    "Float64Array",
    "Function",
    "Infinity",
    "Int16Array",
    "Int32Array",
    "Int8Array",
    "InternalError",
    "Intl",
    "Iterator",
    "JSON",
    "Map",
    "Math",
    "NaN",
    "Number",
    "Object",
    "Promise",
    "Proxy",
    "RangeError",
    "ReferenceError",
    "Reflect",
    "RegExp",
    "Set",
    "SharedArrayBuffer",
    "String",
    "SuppressedError",
    "Symbol",
    "SyntaxError",
    "TypeError",
    "URIError",
    "Uint16Array",
    "Uint32Array",
    "Uint8Array",
    "Uint8ClampedArray",
    "WeakMap",
    "WeakRef",
    "WeakSet",
    "decodeURI",
    "decodeURIComponent",
    "encodeURI",
    "encodeURIComponent",
    "escape",
    "eval",
    "globalThis",
    "isFinite",
    "isNaN",
    "parseFloat",
    "parseInt",
    "undefined",
    "unescape",
    // The web.
    "AbortController",
    "AbortSignal",
    "Blob",
    "ByteLengthQueuingStrategy",
    "CountQueuingStrategy",
    "Crypto",
    "CustomEvent",
    "DOMException",
    "Event",
    "EventTarget",
    "File",
    "Headers",
    "ReadableByteStreamController",
    "ReadableStream",
    "ReadableStreamBYOBReader",
    "ReadableStreamDefaultController",
    "ReadableStreamDefaultReader",
    "SubtleCrypto",
    "TextDecoder",
    "TextDecoderStream",
    "TextEncoder",
    "TextEncoderStream",
    "TransformStream",
    "TransformStreamDefaultController",
    "URL",
    "URLSearchParams",
    "WritableStream",
    "WritableStreamDefaultController",
    "WritableStreamDefaultWriter",
    "atob",
    "btoa",
    "clearInterval",
    "clearTimeout",
    "console",
    "crypto",
    "performance",
    "queueMicrotask",
    "setInterval",
    "setTimeout",
    "structuredClone",
    // Ours: what `--input` gives.
    "input",
});

// A program that finds one of them takes it for what it is elsewhere.
constexpr auto elsewhere = std::to_array<std::string_view>(
    {"WebAssembly", "fetch", "global", "process", "require", "self", "window"});

}  // namespace

bool is_guest_global(std::string_view name) {
  return std::ranges::find(names, name) != names.end();
}

bool is_global_name(std::string_view name) {
  return is_guest_global(name) || std::ranges::find(elsewhere, name) != elsewhere.end();
}

}  // namespace cordon::tools
