/* Values of JSON, one at a time, as the library hands them over: valid JSON without white space. */
#ifndef KANON_IO_DUCKDB_DUCK_JSON_H
#define KANON_IO_DUCKDB_DUCK_JSON_H

#include "core/text.h"
#include "data/encoder.h"

/* Encodes the text of a value: a string's own bytes, a number as io/field.h has it, true, false,
 * and "" for null. Lists and objects are told by *is_nested. Eight bytes must be readable at the
 * beginning, and one byte later. */
KAN_MUST_USE kan_status kan_duck_json_add(kan_encoder *encoder, kan_slice json, uint32_t *out,
                                          bool *is_nested);
/* Adds a text as JSON: in quotes, with escapes. It is UTF-8. */
void kan_duck_json_quote(kan_text *out, kan_slice text);
/* Whether a text can stand in JSON as a number. */
bool kan_duck_json_is_number(kan_slice text);

#endif
