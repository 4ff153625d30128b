/* JSON Schema, draft 2020-12: what runtime/src/schema.rs offers. Values are read where they lie;
   the nesting of schemas and values is the caller's to bound. */
#pragma once

#include <stdbool.h>
#include <stddef.h>
#include <stdint.h>

#ifdef __cplusplus
extern "C" {
#endif

typedef struct cordon_schema cordon_schema_t;

/* Gets the place of a mistake, as a JSON pointer, and a sentence. */
typedef void cordon_schema_sink_t(void* data, const uint8_t* place, size_t place_length,
                                  const uint8_t* message, size_t message_length);

/* NULL where the text is no schema, after its first mistake went to `sink`. */
cordon_schema_t* cordon_schema_new(const uint8_t* json, size_t length, cordon_schema_sink_t* sink,
                                   void* sink_data);
void cordon_schema_delete(cordon_schema_t* schema);

/* Whether it has patterns that may backtrack, of which one string may take milliseconds. */
bool cordon_schema_backtracks(const cordon_schema_t* schema);

/* What a node of a value is as JSON. */
typedef enum cordon_schema_kind {
  CORDON_SCHEMA_NULL,
  CORDON_SCHEMA_FALSE,
  CORDON_SCHEMA_TRUE,
  CORDON_SCHEMA_NUMBER,   /* finite */
  CORDON_SCHEMA_STRING,   /* `data` has `size` bytes of WTF-8 */
  CORDON_SCHEMA_DATE,     /* of that `number`; its text is a string */
  CORDON_SCHEMA_ARRAY,    /* `data` has `size` nodes */
  CORDON_SCHEMA_BYTES,    /* an array of numbers: `data` has `size` bytes */
  CORDON_SCHEMA_OBJECT,   /* `data` has `size` pairs of a name and a value, both nodes */
  CORDON_SCHEMA_INDEXED,  /* an object whose names are the numbers below `size` */
  CORDON_SCHEMA_BUFFER,   /* {"type":"Buffer","data":[…]}: `data` has `size` bytes */
  CORDON_SCHEMA_LEFT_OUT, /* null, but as a member it is not there */
} cordon_schema_kind_t;

typedef struct cordon_schema_node {
  cordon_schema_kind_t kind;
  double number;
  size_t size;
  const void* data;
  const void* value;    /* the node itself */
  const void* identity; /* the same for all nodes that are one array or object; else NULL */
} cordon_schema_node_t;

/* How values are read. Nodes lie side by side in arrays and pairs, `node_bytes` each. */
typedef struct cordon_schema_values {
  void (*look)(const void* value, cordon_schema_node_t* node);
  /* The value of a member; NULL where there is none. */
  const void* (*member)(const void* object, const uint8_t* name, size_t length);
  double (*element)(const void* indexed, size_t index);
  /* Writes at most 32 bytes, and returns how many. */
  size_t (*date_text)(double date, uint8_t* buffer);
  size_t node_bytes;
} cordon_schema_values_t;

typedef struct cordon_schema_limits {
  uint64_t steps;        /* nodes looked at, pieces of text, comparisons */
  uintptr_t stack_floor; /* the stack, which grows down, stays above it */
  /* Asked every few thousand steps, and for every string where patterns may backtrack. */
  bool (*is_over)(void* data);
  void* is_over_data;
} cordon_schema_limits_t;

typedef enum cordon_schema_verdict {
  CORDON_SCHEMA_RIGHT,
  CORDON_SCHEMA_WRONG,
  CORDON_SCHEMA_GAVE_UP, /* past its limits */
} cordon_schema_verdict_t;

/* Whether a value without cycles is as the schema wants it; if not, `sink` gets at most `most`
   mistakes, and perhaps none. Any number of threads may ask the same schema. */
cordon_schema_verdict_t cordon_schema_check(const cordon_schema_t* schema,
                                            const cordon_schema_values_t* values, const void* value,
                                            const cordon_schema_limits_t* limits, size_t most,
                                            cordon_schema_sink_t* sink, void* sink_data);

#ifdef __cplusplus
}
#endif
