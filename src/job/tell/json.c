#include "job/tell/json.h"
#include "core/signs.h"

#include <math.h>
#include <stdlib.h>
#include <string.h>

/* Counts above 2^63 do not occur; should one, it is told as a real number rather than a wrong one.
 */
json_t *kan_json_count(kan_u128 count) {
    return count <= INT64_MAX ? json_integer((json_int_t)count) : json_real((double)count);
}

/* jansson answers infinity and NaN with NULL, and that would be taken for memory that ran out. */
json_t *kan_json_real(double number) {
    return isfinite(number) ? json_real(number) : json_null();
}

json_t *kan_json_append(json_t *array, json_t *value) {
    if (json_array_append_new(array, value) == 0)
        return array;
    json_decref(array);
    return NULL;
}

json_t *kan_json_set(json_t *object, const char *key, json_t *value) {
    if (json_object_set_new(object, key, value) == 0)
        return object;
    json_decref(object);
    return NULL;
}

json_t *kan_json_slice(kan_slice value) {
    static const char unknown[] = "\xef\xbf\xbd"; /* U+FFFD */
    const char *text = value.bytes;
    size_t size = value.size, out = 0;
    char *clean = malloc(size * 3 + 1);
    if (!clean)
        return NULL;
    for (size_t i = 0; i < size;) {
        size_t n = kan_utf8_length(text + i, size - i);
        memcpy(clean + out, n ? text + i : unknown, n ? n : 3);
        out += n ? n : 3;
        i += n ? n : 1;
    }
    json_t *string = json_stringn(clean, out);
    free(clean);
    return string;
}

json_t *kan_json_text(const char *text) {
    return kan_json_slice(kan_slice_of(text));
}

/* Whether JSON writes numbers this way: no sign + and no zero or point in front, no point behind.
 */
static bool is_json_number(kan_slice text, bool *is_whole) {
    size_t at = text.size > 0 && text.bytes[0] == '-', n_digits = 0;
    const size_t first = at;
    for (; at < text.size && kan_is_digit(text.bytes[at]); at++)
        n_digits++;
    if (n_digits == 0 || (n_digits > 1 && text.bytes[first] == '0'))
        return false;
    *is_whole = at == text.size;
    return *is_whole || (kan_is_digit(text.bytes[text.size - 1]) &&
                         (text.bytes[at] != '.' || kan_is_digit(text.bytes[at + 1])));
}

json_t *kan_json_value(const kan_domain *domain, kan_slice text) {
    enum { SAFE_SIZE = 15 };
    double number;
    bool is_whole;
    if (domain->column->dictionary.type != KAN_TYPE_NUMBER || text.size > SAFE_SIZE ||
        !is_json_number(text, &is_whole) || !kan_parse_real(text.bytes, text.size, &number))
        return kan_json_slice(text);
    return is_whole ? json_integer((json_int_t)number) : kan_json_real(number);
}

/* Milliseconds with three decimals: a clock tells no more. */
json_t *kan_json_time(double ms) {
    return kan_json_real(round(ms * 1000) / 1000);
}
