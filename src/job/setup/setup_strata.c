/* --strata and --importance, of a release in which hidden cells match anything (docs/papers/matching.md). */
#include <string.h>

#include "job/settings/settings.h"
#include "job/setup/setup.h"

/* ---- strata --------------------------------------------------------------------------------- */

bool kan_setup_is_stratum(const kan_setup *setup, size_t column) {
    const char *name = kan_options_find(&setup->job->options, "strata");
    return name && strcmp(name, setup->input.columns[column]) == 0;
}

/* Who leaves out a stratum of too few rows says so. */
static kan_status check_sizes(const kan_setup *setup) {
    const kan_column *column = setup->stratum;
    const uint64_t k = setup->promise.k;
    uint64_t *rows, n_small = 0, n_rows = 0;
    char small[32], needed[32];
    KAN_TRY(kan_alloc_zero(setup->run, column->dictionary.n, sizeof *rows, &rows));
    for (uint64_t row = 0; row < setup->table->n_rows; row++)
        rows[kan_column_code(column, row)] += setup->table->counts ? setup->table->counts[row] : 1;
    for (uint32_t code = 0; code < column->dictionary.n; code++)
        if (rows[code] > 0 && rows[code] < k) {
            n_small++;
            n_rows += rows[code];
        }
    kan_free(setup->run, rows);
    if (n_rows <= setup->promise.limit)
        return KAN_OK;
    return kan_fail(setup->run, KAN_UNSATISFIED,
                    "--strata %s: %s %s fewer than %llu rows, %s together, which match too few of "
                    "their own whatever is hidden; allow them to be left out with --suppress %llu, "
                    "join strata, or ask for less",
                    column->name, kan_count_text(n_small, small),
                    kan_plural(n_small, "stratum has", "strata have"), (unsigned long long)k,
                    kan_count_text(n_rows, needed), (unsigned long long)n_rows);
}

static kan_status check_role(const kan_setup *setup, size_t column, const char *quoted) {
    const kan_role role = setup->roles[column];
    if (role == KAN_ROLE_QUASI)
        return kan_fail(setup->run, KAN_BAD_INPUT,
                        "--strata: column %s is a quasi-identifier, whose cells may be hidden; "
                        "leave it out of --qi, or in place of --strata keep it shown with --level "
                        "%s=0, and rows match within its values",
                        quoted, setup->input.columns[column]);
    if (role != KAN_ROLE_KEEP && role != KAN_ROLE_OTHER && role != KAN_ROLE_DROP &&
        role != KAN_ROLE_SENSITIVE && role != KAN_ROLE_CLASS)
        return kan_fail(setup->run, KAN_BAD_INPUT,
                        "--strata: column %s plays another part; strata are the values of a column "
                        "that is kept, sensitive, or left out",
                        quoted);
    if (kan_input_treatment(&setup->input, column))
        return kan_fail(setup->run, KAN_BAD_INPUT,
                        "--strata: column %s is also changed, and strata are of the values before; "
                        "leave one of the two out",
                        quoted);
    return KAN_OK;
}

kan_status kan_setup_take_strata(kan_setup *setup) {
    const char *name = kan_options_find(&setup->job->options, "strata");
    kan_space *space = &setup->problem.space;
    char quoted[256];
    size_t column;
    if (!name)
        return KAN_OK;
    if (kan_options_switch(&setup->job->options, "keep-suppressed"))
        return kan_fail(
            setup->run, KAN_BAD_INPUT,
            "--strata: a row of nothing but * that was kept (--keep-suppressed) is of no "
            "stratum that anybody could tell; leave one of the two out");
    kan_quote(kan_slice_of(name), quoted);
    if (!kan_input_find(&setup->input, kan_slice_of(name), &column)) {
        kan_problems_begin(setup->run);
        kan_input_add_unknown(&setup->input, "strata", kan_slice_of(name));
        return kan_problems_end(setup->run);
    }
    KAN_TRY(check_role(setup, column, quoted));
    setup->stratum = &setup->table->columns[column];
    KAN_TRY(check_sizes(setup));
    if (space->n_tails == KAN_MAX_TAILS)
        return kan_fail(setup->run, KAN_BAD_INPUT,
                        "--strata: beside so many sensitive columns there is no room for strata; "
                        "keep some of them with --keep instead");
    setup->stratum_dimension = space->n_attributes + space->n_tails;
    return kan_space_add_tail(space, setup->stratum);
}

/* ---- importance ----------------------------------------------------------------------------- */

static kan_status find_named(const kan_setup *setup, const char *name, unsigned *out) {
    char quoted[256];
    for (*out = 0; *out < setup->n_quasi; ++*out)
        if (strcmp(name, setup->table->columns[setup->quasi[*out]].name) == 0)
            return KAN_OK;
    return kan_fail(setup->run, KAN_BAD_INPUT,
                    "--importance: %s is not one of the quasi-identifiers, and only their cells "
                    "are hidden",
                    kan_quote(kan_slice_of(name), quoted));
}

kan_status kan_setup_take_importance(kan_setup *setup) {
    const kan_options *options = &setup->job->options;
    const size_t n = kan_options_count_of(options, "importance");
    const char *both = kan_options_find(options, "cost")     ? "--cost"
                       : kan_options_find(options, "weight") ? "--weight"
                                                             : NULL;
    bool is_named[KAN_MAX_ATTRIBUTES] = {false};
    char quoted[256];
    if (n == 0)
        return KAN_OK;
    if (both)
        return kan_fail(setup->run, KAN_BAD_INPUT,
                        "--importance counts the hidden cells of each column, in place of %s; "
                        "leave one of the two out",
                        both);
    for (size_t i = 0; i < n; i++) {
        const char *name = kan_options_at(options, "importance", i);
        unsigned a;
        KAN_TRY(find_named(setup, name, &a));
        if (is_named[a])
            return kan_fail(setup->run, KAN_BAD_INPUT, "--importance: column %s is named twice",
                            kan_quote(kan_slice_of(name), quoted));
        is_named[a] = true;
        setup->rank[a] = (uint8_t)i;
    }
    for (unsigned a = 0; a < setup->n_quasi; a++)
        if (!is_named[a])
            setup->rank[a] = (uint8_t)n;
    setup->n_ranks = (unsigned)n + (n < setup->n_quasi);
    return KAN_OK;
}
