// What the guest and the host say to each other; src/cordon/js includes this file too. The host
// does not trust the guest's bytes.
//
// Messages are little-endian. A string is a u32 length and that many bytes of UTF-8 that may hold
// lone surrogates as three-byte sequences (WTF-8), since JavaScript strings do. A value is a tag
// byte followed by what the tag says.
#pragma once

#include <stdint.h>

// Messages up to this size arrive in the exported `cordon_inbox`; larger ones ask for room first.
enum { INBOX_BYTES = 4096 };

// Into the guest: enter(operation, size of the message in the inbox). It returns when the guest's
// next timer is due: tenths of a millisecond from now, plus one; 0 means that there is none.
enum Operation {
  OP_RESERVE = 0,  // size bytes are coming: returns where to write them
  OP_RUN = 1,      // RunMessage: a program, from its text to its result
  OP_SETTLE = 2,   // u64 call, u8 Settled, then what belongs to it
  OP_INVOKE = 3,   // u64 call, u8 InvokeFlags, name of an exported function, u32 count, arguments;
                   // of a task what TaskRequest says
  OP_TIMER = 4,    // nothing: a timer is due
  OP_RESUME = 5,   // u64 and 5 u32 of seeds, i64 by how many nanoseconds the steady clock has moved
                   // since it was saved, u8 Resume: first into a guest made from an image
  // Only where a function of the module is called as a task:
  OP_FEED = 6,   // u64 call, 8 bytes of nothing, then bytes to the message's end: an answer that is
                 // a Uint8Array of them, made where they lie
  OP_ABORT = 7,  // nothing: the task's answer is not wanted any more
};

// The most arguments of a function, without a task's context.
enum { MAX_ARGUMENTS = 8 };

// A task is a call with a port: it may read streams, and its result may be a stream. Its context is
// an additional last argument. TaskRequest: u32 size and four values, read when the task asks for
// one of them: method, url, headers and contexts; a value: undefined, or an array with the place of
// each uploaded file in the first argument (an array of keys and indices).
enum InvokeFlags {
  INVOKE_TASK = 1,      // a TaskRequest follows the arguments. The others only with it:
  INVOKE_HAS_BODY = 2,  // the request's body is stream 0; files are streams from 1 on
  INVOKE_IS_EVENT = 4,  // if it returns undefined, the result is its first argument
};

// How a call ended.
enum Settled {
  SETTLED_FAILURE = 0,        // code, message
  SETTLED_VALUE = 1,          // a value, by the program's rule of values
  SETTLED_RICH_VALUE = 2,     // a value, as under VALUES_RICH: of a tool that takes such values
  SETTLED_TYPED_FAILURE = 3,  // code, message, id, and a value as under VALUES_RICH: its data
};

// What a namespace of tools is.
enum SpaceFlags {
  SPACE_IS_OPEN = 1,  // any name is a tool
  SPACE_IS_RICH =
      2,  // its tools take and give what VALUES_RICH has, whatever the program's rule is
  SPACE_IS_ASKED = 4,  // its names stay with the host: STAGE_FIND_TOOL, STAGE_TOOL_NAMES
};

enum Resume {
  RESUME_GO_ON = 0,  // as if it had not been saved
  RESUME_START =
      1,  // an execution begins: OP_INVOKE with the call 0 comes next, and is the program
};

// What a guest asks the host for with stage(): a module, or a part of the Encoding Standard.
enum StageKind {
  STAGE_RESOLVE = 0,   // what a specifier means when it is imported from a module
  STAGE_LOAD = 1,      // the text of a resolved name: u32 size, text, NUL, WrittenRuns
  STAGE_ENCODING = 2,  // of a label: how it is decoded (u8 kind, u8 table, u8 table), and its name
  STAGE_TABLE = 3,     // a table, by one byte that is its number
  // As the first two, for what is imported with { type: 'text' } or { type: 'bytes' }.
  STAGE_RESOLVE_TEXT = 4,
  STAGE_LOAD_TEXT = 5,
  STAGE_RESOLVE_BYTES = 6,
  STAGE_LOAD_BYTES = 7,
  // The names of a namespace that has many: of its position among all, u32. u32 size, text and NUL
  // of each.
  STAGE_TOOL_NAMES = 8,
  // A name and such a position, u32: answers the position of the name in the namespace, or -1.
  // Nothing is staged.
  STAGE_FIND_TOOL = 9,
};

// A program uses few of many tools, so the names of more than these stay with the host until the
// program touches them.
enum { FEW_TOOLS = 16 };

// Out of the guest: emit(kind, address, size).
enum Emission {
  EMIT_FINISH = 0,      // u8 Outcome, then what belongs to it: the program is over
  EMIT_CALL = 1,        // u64 call, u32 tool, value
  EMIT_LOG = 2,         // u8 level, text
  EMIT_READY = 3,       // u32 count, names of the functions the module exports: OP_INVOKE may come
  EMIT_REPLY = 4,       // u64 call, then as EMIT_FINISH
  EMIT_BYTES = 5,       // bytes: they belong to the EMIT_CALL of PORT_WRITE that comes next
  EMIT_CALL_NAMED = 6,  // u64 call, u32 tool, name, value: of an open namespace
  // Only after EMIT_FINISH of a program that is not FORM_EXECBOX, and each at most once:
  EMIT_LOOSE_ENDS = 7,  // u8 NoResult, name; then three times u32 count and that many LooseCalls:
                        // calls that nobody waited for, those that the result did not wait for,
                        // and those with more than one argument
  EMIT_OPEN_TIMER = 8,  // no call is pending, and the program would miss what a timer is to do
  EMIT_LATE_ERROR = 9,  // as OUTCOME_THROWN, after its u8: an error that nobody has handled
};

// What EMIT_LOOSE_ENDS says of calls of one tool. LooseCalls: u32 tool, name (of a function of an
// open namespace, or empty), u32 how many, the first one's place as a line of a stack.
enum { MOST_LOOSE_CALLS = 16 };

// Why the result is undefined, with the name of what the program ends in.
enum NoResult {
  NO_RESULT_AS_MEANT = 0,  // or there is a result
  NO_RESULT_VARIABLE = 1,  // its last statement declares a variable
  NO_RESULT_FUNCTION = 2,  // or a function that nobody calls
  NO_RESULT_EXPORT = 3,    // it only exports
  NO_RESULT_BLOCK = 4,     // a value is a statement in its last condition, loop or `try`
};

// In an open namespace any name is a function, if it is no longer than this, in UTF-16 units, and
// has no control characters and no lone surrogates.
enum { MOST_OPEN_NAME_UNITS = 256 };

// What a task asks of its host is a call (EMIT_CALL) of one of these in place of a tool.
enum Port {
  PORT_FIRST = 0xFFFFFF00,
  PORT_READ = PORT_FIRST,  // u32 as a number, the stream: answers OP_FEED, or undefined at its end
  PORT_CLOSE,   // the same: it wants no more of the stream. No answer (and the call is 0)
  PORT_STREAM,  // the result is a stream: its content type, undefined, or its head. No answer (0)
  PORT_WRITE,   // undefined: the next bytes of the result; answers when there is room for more
  PORT_FAIL,  // {id, message, data, httpCode?}: the error that EMIT_FINISH will tell is a typed one
              // (0)
};

// Takes the place of a call in OUTCOME_THROWN if its input could not leave, so that there was no
// call. Real call numbers are larger.
enum { CALL_REFUSED = 1 };

enum Outcome {
  OUTCOME_VALUE = 0,  // value
  // u64 host call whose failure this is (0: none); name, message and stack; u32 count of causes,
  // each with its own three; u32 size and the content of OUTCOME_SERIALIZATION where a tool's input
  // was refused; the name of a property that was not there, u8 UnknownName, u32 count, names that
  // are there
  OUTCOME_THROWN = 1,
  OUTCOME_SYNTAX = 2,         // as OUTCOME_THROWN
  OUTCOME_SERIALIZATION = 3,  // u8 Refusal, where (text), more (text)
};

// A property that was not there, bit by bit.
enum UnknownName {
  UNKNOWN_HAS_NEAR = 1,   // the names that are there are nearly the same
  UNKNOWN_IS_GLOBAL = 2,  // it was looked for as a variable or on the global object
  UNKNOWN_IN_PROMISE = 4,
  UNKNOWN_IN_LIST = 8,  // of an array
  UNKNOWN_IN_TEXT = 16,
};

// Why a value cannot leave. The host has the sentences.
enum Refusal {
  REFUSED_BIGINT = 1,
  REFUSED_FUNCTION = 2,
  REFUSED_SYMBOL = 3,
  REFUSED_NUMBER = 4,
  REFUSED_CYCLE = 5,
  REFUSED_OBJECT = 6,  // more: the name of its class
  REFUSED_DEPTH = 7,
  REFUSED_SIZE = 8,
  REFUSED_GETTER = 9,     // more: what it threw
  REFUSED_INSTANCE = 10,  // more: anything if it has enumerable members of its own
};

enum ValueTag {
  TAG_UNDEFINED = 0,
  TAG_NULL = 1,
  TAG_FALSE = 2,
  TAG_TRUE = 3,
  TAG_INT32 = 4,   // i32
  TAG_DOUBLE = 5,  // f64
  TAG_STRING = 6,  // string
  TAG_ARRAY = 7,   // u32 count, values
  TAG_OBJECT = 8,  // u32 count, pairs of string and value
  // The rest leaves only under VALUES_RICH, and comes in under all but VALUES_STRICT; for tools of
  // a rich namespace they cross both ways. Values with identity (arrays, objects, maps, sets,
  // errors, bytes) are numbered from 0 in the order in which they begin, and TAG_SAME refers to
  // them by number.
  TAG_SAME = 9,                // u32 number
  TAG_BIGINT = 10,             // string of decimal digits, with a minus sign or not
  TAG_SYMBOL = 11,             // u8 SymbolSort, string
  TAG_DATE = 12,               // f64 milliseconds
  TAG_REGEXP = 13,             // source, flags
  TAG_URL = 14,                // string
  TAG_URL_SEARCH_PARAMS = 15,  // string
  TAG_BYTES = 16,              // u8 BytesSort, u32 size, bytes
  TAG_MAP = 17,                // u32 count, pairs of values
  TAG_SET = 18,                // u32 count, values
  TAG_ERROR = 19,  // name, message; value (its stack, or undefined); u8 whether there is a cause,
                   // and its value; u32 count, pairs of string and value
  TAG_HOLE = 20,   // an element that was never set; holes of a guest leave as undefined
};

enum SymbolSort { SYMBOL_GLOBAL = 0, SYMBOL_WELL_KNOWN = 1 };

enum BytesSort {
  BYTES_ARRAY_BUFFER = 0,
  BYTES_DATA_VIEW = 1,
  BYTES_BUFFER = 2,  // Node's Buffer, which a guest has as a Uint8Array
  BYTES_INT8 = 3,
  BYTES_UINT8 = 4,
  BYTES_UINT8_CLAMPED = 5,
  BYTES_INT16 = 6,
  BYTES_UINT16 = 7,
  BYTES_INT32 = 8,
  BYTES_UINT32 = 9,
  BYTES_FLOAT32 = 10,
  BYTES_FLOAT64 = 11,
  BYTES_BIGINT64 = 12,
  BYTES_BIGUINT64 = 13,
};

// How the text of a program is read.
enum Form {
  FORM_PROGRAM = 0,  // statements with top-level await, one function, a body with `return`, or a
                     // module: the engine's parser finds out which
  FORM_MODULE = 1,   // an ES module: the default export is the result, called if it is a function
  FORM_EXPORTS = 2,  // an ES module whose exported functions are tools: EMIT_READY, then OP_INVOKE
  // As FORM_PROGRAM, but a lone function is only called if it is a declaration or an async arrow
  // function; any other function is a value. Unhandled rejections are ignored.
  FORM_EXECBOX = 3,
};

// A text that was made from another comes with runs: parts of it, and where the same parts stand in
// that text as it was written. WrittenRun: u32 line, u32 column, u32 written line, u32 written
// column (all from 0; columns are UTF-16 units), u32 length. A run lies in one line. Runs are
// sorted by line and column.

// What may leave the guest.
enum Values {
  VALUES_STRICT = 0,     // null, booleans, finite numbers, strings, arrays, plain objects
  VALUES_JSON = 1,       // what JSON.stringify makes of a value, unless that would lose something
  VALUES_RICH = 2,       // JavaScript's own kinds too, shared references and cycles
  VALUES_STRINGIFY = 3,  // what JSON.stringify makes of a value, as execbox's own hosts have it
};
