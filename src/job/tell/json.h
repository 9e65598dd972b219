/* Values as the JSON of results shows them, through jansson. An allocation that fails inside
 * jansson shows as a NULL object at the end: json_pack and the functions here hand it on. */
#ifndef KANON_JOB_TELL_JSON_H
#define KANON_JOB_TELL_JSON_H

#include <jansson.h>

#include "core/hash.h"
#include "core/text.h"
#include "data/domain/domain.h"

/* Adding to an array or an object: NULL, and everything released, when there is no memory.
 * Unchecked, jansson would drop the value silently. */
json_t *kan_json_append(json_t *array, json_t *value);
json_t *kan_json_set(json_t *object, const char *key, json_t *value);

/* A name or a path, which may hold any bytes, while JSON only takes UTF-8: others are shown as
 * U+FFFD. NULL when memory runs out. */
json_t *kan_json_text(const char *text);
json_t *kan_json_slice(kan_slice value);

/* A value of a column: a number where JSON and its readers see the same one, else the text. */
json_t *kan_json_value(const kan_domain *domain, kan_slice text);

/* A count, and a time in milliseconds, as results show them. */
json_t *kan_json_count(kan_u128 count);
json_t *kan_json_time(double ms);

/* A number, or null where it is infinite or NaN: JSON has no word for these. All numbers go through
 * here or through kan_json_count. */
json_t *kan_json_real(double number);

#endif
