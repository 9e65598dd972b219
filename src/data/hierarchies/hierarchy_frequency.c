/* Builder `frequency`: rare values become one.
 *
 * frequency:10,100 shows a value that fewer than 10 rows have as "other" at level 1, one that fewer
 * than 100 have at level 2, and everything as * at the top. What is rare at a level is rare at the
 * next, so each level is a function of the one below. A level at which nothing more, or everything,
 * would be "other" is left out. One pass over codes. */
#include <inttypes.h>
#include <stdio.h>

#include "data/hierarchies/hierarchy_build.h"
#include "data/hierarchies/hierarchy_tree.h"
#include "data/spelling.h"

typedef struct {
    uint64_t least[KAN_HEIGHT_MOST]; /* rows that a value needs to stay, by level that is kept */
    unsigned n;
} thresholds;

static kan_status parse_spec(const kan_hierarchy_plan *plan, thresholds *out) {
    const char *rest = plan->arguments;
    kan_slice piece;
    while (kan_plan_next(&rest, &piece)) {
        char quoted[256];
        uint64_t least = 0;
        if (out->n == KAN_HEIGHT_MOST - 1 || !kan_plan_count(piece, 2, UINT64_MAX, &least) ||
            (out->n > 0 && least <= out->least[out->n - 1])) {
            kan_problem_add(plan->run,
                            "%s (column %s): %s is not a number of rows; write rising whole "
                            "numbers, each at least 2, such as frequency:10,100",
                            plan->spec, plan->column->name, kan_quote(piece, quoted));
            return KAN_BAD_INPUT;
        }
        out->least[out->n++] = least;
    }
    return KAN_OK;
}

/* What is missing is a category of its own, however rare it is. */
static bool is_rare(const kan_column *column, uint32_t code, const uint64_t *counts,
                    uint64_t least) {
    return counts[code] < least && kan_dictionary_value(&column->dictionary, code).size > 0;
}

/* Leaves out the levels that would show nothing new; says so unless `is_quiet`. */
static void drop_idle(const kan_hierarchy_plan *plan, const uint64_t *counts, bool is_quiet,
                      thresholds *t) {
    const uint32_t n_values = plan->column->dictionary.n;
    uint32_t n_before = 0;
    unsigned kept = 0;
    for (unsigned i = 0; i < t->n; i++) {
        uint32_t n_rare = 0;
        for (uint32_t code = 0; code < n_values; code++)
            n_rare += is_rare(plan->column, code, counts, t->least[i]);
        if (is_quiet && (n_rare < 2 || n_rare == n_before || n_rare == n_values))
            continue;
        /* one value renamed merges nothing */
        if (n_rare < 2 || n_rare == n_before || n_rare == n_values) {
            kan_note(plan->run,
                     "%s (column %s): %s values have fewer than %" PRIu64
                     " rows; that level is left out",
                     plan->spec, plan->column->name,
                     n_rare == n_values   ? "all"
                     : n_rare == n_before ? "no more"
                                          : "fewer than two",
                     t->least[i]);
            continue;
        }
        t->least[kept++] = t->least[i];
        n_before = n_rare;
    }
    t->n = kept;
}

/* "other", in as many brackets as it takes to be none of the values, missing ones included. */
static kan_slice name_rare(const kan_column *column, char room[64]) {
    for (size_t n_brackets = 0;; n_brackets++) {
        memset(room, '(', n_brackets);
        memcpy(room + n_brackets, "other", 5);
        memset(room + n_brackets + 5, ')', n_brackets);
        const kan_slice name = {room, 2 * n_brackets + 5};
        uint32_t code;
        const bool is_taken = kan_dictionary_find(&column->dictionary, name, &code) ||
                              !kan_spelling_holds(column->spelling, name);
        if (2 * n_brackets + 7 > 64 || !is_taken)
            return name;
    }
}

kan_status kan_build_frequency(const kan_hierarchy_plan *plan) {
    const uint32_t n_values = plan->column->dictionary.n;
    thresholds t = {0};
    uint64_t *counts;
    char room[64];
    KAN_TRY(parse_spec(plan, &t));
    KAN_TRY(kan_alloc(plan->run, n_values, sizeof *counts, &counts));
    kan_status status;
    KAN_TRY_DONE(kan_column_count(plan->run, plan->column, counts));
    drop_idle(plan, counts, false, &t);
    if (t.n > 0)
        kan_note(plan->run,
                 "%s (column %s): which values are grouped depends on the data, and reveals which "
                 "are rare in it; a hierarchy file does not",
                 plan->spec, plan->column->name);
    const kan_slice rare = name_rare(plan->column, room);
    for (uint32_t code = 0; code < n_values; code++) {
        kan_slice labels[KAN_HEIGHT_MOST];
        for (unsigned i = 0; i < t.n; i++)
            labels[i] = is_rare(plan->column, code, counts, t.least[i])
                            ? rare
                            : kan_dictionary_value(&plan->column->dictionary, code);
        KAN_TRY_DONE(kan_plan_add(plan, code, labels, t.n, true));
    }
done:
    kan_free(plan->run, counts);
    return status;
}

kan_status kan_frequency_trim(kan_run *run, const kan_column *column, char spec[KAN_SPEC_BYTES]) {
    const kan_hierarchy_plan plan = {
        .run = run, .spec = spec, .arguments = strchr(spec, ':') + 1, .column = column};
    thresholds t = {0};
    uint64_t *counts;
    KAN_TRY(parse_spec(&plan, &t));
    KAN_TRY(kan_alloc(run, column->dictionary.n, sizeof *counts, &counts));
    const kan_status status = kan_column_count(run, column, counts);
    if (status == KAN_OK) {
        drop_idle(&plan, counts, true, &t);
        size_t size = (size_t)snprintf(spec, KAN_SPEC_BYTES, t.n ? "frequency:" : "suppress");
        for (unsigned i = 0; i < t.n; i++)
            size += (size_t)snprintf(spec + size, KAN_SPEC_BYTES - size, "%s%" PRIu64, i ? "," : "",
                                     t.least[i]);
    }
    kan_free(run, counts);
    return status;
}
