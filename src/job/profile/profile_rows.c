/* The first rows of a table, for the JSON of `profile`: taken column by column while the values are
 * in memory, because a wide table never is as a whole. */
#include "job/profile/profile_inside.h"
#include "job/tell/tell.h"

enum { LONGEST_VALUE = 1000 }; /* bytes that are shown of one */

kan_status kan_profile_rows_begin(kan_profile_walk *p) {
    const char *wanted = kan_options_find(&p->job->options, "first-rows");
    p->n_first_rows = kan_options_count(&p->job->options, "first-rows", 0);
    if (!wanted)
        return KAN_OK;
    if (!p->shows_values && p->n_first_rows > 0)
        return kan_fail(p->run, KAN_BAD_INPUT,
                        "--first-rows shows values, and --no-values leaves them out; choose one of "
                        "the two");
    p->first_rows = json_array();
    return p->first_rows ? KAN_OK
                         : kan_fail(p->run, KAN_FAILED, "out of memory while rows were kept");
}

/* A long value ends in three dots, after a whole character. */
static json_t *value_json(const kan_profile_walk *p, size_t column, uint64_t row) {
    const kan_column *values = &p->input.table->columns[column];
    if (kan_profile_is_nested(p, column) || !values->is_encoded)
        return json_null();
    const kan_slice value = kan_dictionary_value(&values->dictionary, kan_column_code(values, row));
    if (value.size <= LONGEST_VALUE)
        return kan_json_slice(value);
    char room[LONGEST_VALUE + 4];
    size_t size = LONGEST_VALUE;
    while (size > LONGEST_VALUE - 4 && ((unsigned char)value.bytes[size] & 0xc0) == 0x80)
        size--;
    memcpy(room, value.bytes, size);
    memcpy(room + size, "\u2026", 3);
    return kan_json_slice((kan_slice){room, size + 3});
}

kan_status kan_profile_rows_take(kan_profile_walk *p, size_t first, size_t end) {
    const uint64_t n = p->n_first_rows < p->n_rows ? p->n_first_rows : p->n_rows;
    for (size_t c = first; p->first_rows && c < end; c++)
        for (size_t row = 0; row < n; row++) {
            if (c == 0 && json_array_append_new(p->first_rows, json_array()) != 0)
                return kan_fail(p->run, KAN_FAILED, "out of memory while rows were kept");
            if (json_array_append_new(json_array_get(p->first_rows, row), value_json(p, c, row)) !=
                0)
                return kan_fail(p->run, KAN_FAILED, "out of memory while rows were kept");
        }
    return KAN_OK;
}
