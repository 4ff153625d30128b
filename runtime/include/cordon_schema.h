/* JSON Schema, draft 2020-12: what runtime/src/schema.rs offers. The nesting of the texts is the
   caller's to bound. */
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

/* Whether the text is as the schema wants it; if not, `sink` gets at most `most` mistakes. Any
   number of threads may ask the same schema. */
bool cordon_schema_check(const cordon_schema_t* schema, const uint8_t* json, size_t length,
                         size_t most, cordon_schema_sink_t* sink, void* sink_data);

#ifdef __cplusplus
}
#endif
