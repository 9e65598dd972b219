#include <inttypes.h>
#include <stdio.h>

#include "job/input/whose.h"

kan_status kan_input_take_whose(kan_input *input, kan_slice name, size_t *column) {
    char quoted[256];
    if (!kan_input_find(input, name, column))
        return kan_fail(input->run, KAN_BAD_INPUT,
                        "%s: no column %s (--person), so that nobody knows whether two rows of it "
                        "are one person's; add that column to it: any number that each of its "
                        "people has alone, such as the number of the row where each row is "
                        "somebody else",
                        input->name, kan_quote(name, quoted));
    input->encode[*column] = true;
    return KAN_OK;
}

/* ---- rows of nobody ------------------------------------------------------------------------- */

enum { MOST_NAMED = 5 };

typedef struct {
    uint64_t n;
    char rows[128]; /* the first of them */
} nobodys;

static nobodys find_nobodys(const kan_column *whose, const uint64_t *row_of) {
    nobodys found = {0};
    size_t used = 0;
    for (uint64_t row = 0; row < whose->n_rows; row++) {
        if (!kan_value_is_unknown(kan_column_value(whose, row)) || found.n++ >= MOST_NAMED)
            continue;
        const int size = snprintf(found.rows + used, sizeof found.rows - used, "%s%" PRIu64,
                                  found.n > 1 ? ", " : "", (row_of ? row_of[row] : row) + 1);
        used += size > 0 ? (size_t)size : 0;
    }
    return found;
}

static kan_status check(const kan_input *input, const kan_column *whose, const uint64_t *row_of,
                        const char *setting, const char *noun, const char *purpose) {
    const nobodys found = find_nobodys(whose, row_of);
    char quoted[256];
    if (found.n == 0)
        return KAN_OK;
    return kan_fail(input->run, KAN_BAD_INPUT,
                    "%s: column %s (--%s) is empty or unknown in %" PRIu64
                    " %s, row%s %s%s; the %s must be known to %s: leave such rows out, or give "
                    "each %s a number",
                    input->name, kan_quote(kan_slice_of(whose->name), quoted), setting, found.n,
                    kan_plural(found.n, "row", "rows"), found.n == 1 ? "" : "s", found.rows,
                    found.n > MOST_NAMED ? ", ..." : "", noun, purpose, noun);
}

kan_status kan_input_check_person(const kan_input *input, const kan_column *person,
                                  const uint64_t *row_of) {
    return check(input, person, row_of, "person", "person", "count people");
}

kan_status kan_input_check_household(const kan_input *input, const kan_column *household,
                                     const char *purpose, const uint64_t *row_of) {
    return check(input, household, row_of, "household", "household", purpose);
}

kan_status kan_input_check_id(const kan_input *input, const kan_column *id) {
    return check(input, id, NULL, "id", "person", "find out who was in an earlier release");
}
