/* Rows that are counted at levels, in the engine that has them.
 *
 * First all values of each column come, with how many rows have each: hierarchies are bound to all of
 * them, as ever, and leaf_rows are known. Then rows are counted at levels (engine/star/star.h), and
 * what comes is a counted table of all values in which a value stands for its group: from there on
 * everything is as if the other values of a group had no rows. Below these levels the base knows
 * nothing, and nobody asks: what is told of released values (released.c) is counted there once more,
 * where rows were suppressed.
 *
 * The levels are the lowest that --level allows, so that a table of 10^9 rows becomes a base that fits;
 * or, with --counting engine, those of the answer: then the search itself is done by numbers that the
 * engine counts (search/counted), and no base comes before. The star that it counts in is made by one
 * scan, and stays until the solution is known: what is asked afterwards is asked of it.
 *
 * Columns whose intervals are named by what released values are need no level 0: the same count serves
 * them. What looks at single values of rows (certificates, reports, nodes, populations, treatments)
 * does: with it rows are read as ever, and --counting engine is refused. */
#include <string.h>

#include "engine/engine.h"
#include "engine/star/star.h"
#include "job/settings/settings.h"
#include "job/setup/setup.h"
#include "search/counted/counted.h"

/* ---- whether --------------------------------------------------------------------------------- */

static bool says_engine(const kan_options *options) {
    const char *counting = kan_options_find(options, "counting");
    return counting && strcmp(counting, "engine") == 0;
}

static kan_engine *engine_of(const kan_setup *setup) {
    return setup->input.source ? kan_engine_of(setup->input.source) : NULL;
}

/* The first setting that needs the values of rows themselves, or NULL. */
static const char *what_needs_values(const kan_setup *setup) {
    const char *name;
    for (size_t i = 0; (name = kan_setting_with(KAN_TRAIT_NEEDS_ROWS, NULL, i)) != NULL; i++)
        if (kan_options_find(&setup->job->options, name))
            return name;
    return setup->has_given ? (setup->given_path ? "apply" : "levels") : NULL;
}

static kan_status refuse(const kan_setup *setup, const char *needing) {
    kan_run *run = setup->run;
    if (!engine_of(setup))
        return kan_fail(
            run, KAN_BAD_INPUT,
            "--counting engine is for a table in a database, and %s is not one; leave it out",
            setup->input.name);
    if (needing)
        return kan_fail(run, KAN_BAD_INPUT,
                        "--counting engine: only numbers come here, and --%s needs the values of "
                        "rows; leave out one of them",
                        needing);
    return kan_fail(run, KAN_BAD_INPUT,
                    "--counting engine: the release is made where the rows are; -o has to be an "
                    "address in the same database, or --counting is left out");
}

/* Whether --level rules out the values themselves of some column: otherwise rows are counted as ever,
 * in fewer statements. */
static bool has_low_bound(const kan_options *options) {
    for (size_t i = 0; i < kan_options_count_of(options, "level"); i++) {
        kan_slice name;
        const char *range;
        uint64_t low, high;
        if (kan_level_parse(kan_options_at(options, "level", i), &name, &range, &low, &high) &&
            low > 0)
            return true;
    }
    return false;
}

/* Whether rows are folded at the lowest levels. Where some may be suppressed, the engine must be able to
 * count who is not (released.c): by the sizes of groups alone. */
static bool folds_low(const kan_options *options) {
    const char *text = kan_options_find(options, "suppress");
    kan_suppress_limit limit = {.rows = 0};
    size_t n_models = 0;
    bool size_decides = true;
    if (!text || !kan_suppress_parse(text, &limit) || kan_suppress_rows(&limit, INT64_MAX) == 0)
        return true;
    for (size_t i = 0; i < kan_registry_count(KAN_FAMILY_PRIVACY); i++) {
        const kan_privacy_kind *kind =
            (const kan_privacy_kind *)kan_registry_at(KAN_FAMILY_PRIVACY, i);
        if (!kan_registry_wants(&kind->kind, options))
            continue;
        n_models++;
        size_decides = size_decides && kind->size_decides;
    }
    return n_models == 1 && size_decides;
}

/* No table of ours is made where nobody said that one may be. */
static kan_status check_scratch(const kan_setup *setup, bool *out) {
    if (!*out || kan_engine_has_scratch(engine_of(setup)))
        return KAN_OK;
    if (says_engine(&setup->job->options))
        return kan_fail(
            setup->run, KAN_BAD_INPUT,
            "--counting engine: the tables to count in need a database; name one with "
            "?scratch=DATABASE in the address of the input, or make a release, in whose "
            "database they are made");
    kan_note(setup->run, "--level: rows are counted at level 0, as there is no place for tables to "
                         "count in; ?scratch=DATABASE in the address of the input names one");
    *out = false;
    return KAN_OK;
}

kan_status kan_setup_wants_values(const kan_setup *setup, bool *out) {
    const kan_options *options = &setup->job->options;
    const char *needing = what_needs_values(setup);
    const bool fits = engine_of(setup) && !needing && setup->input.takes_counts;
    const bool has_levels = !kan_search_orders(setup->search);
    if (says_engine(options) && !fits)
        return refuse(setup, needing);
    if (says_engine(options) && !has_levels)
        return kan_fail(setup->run, KAN_BAD_INPUT,
                        "--counting engine is for searches over levels, and --algorithm %s is not "
                        "one; use bisect or incognito, or leave --counting out",
                        setup->search->kind.name);
    *out = fits && has_levels &&
           (says_engine(options) || (has_low_bound(options) && folds_low(options)));
    return check_scratch(setup, out);
}

/* ---- a fold that brings nothing --------------------------------------------------------------- */

/* The lowest level of a hierarchy at which a column has at most a tenth of its values, within those that
 * are allowed; 0: none. */
static unsigned find_low(const kan_setup *setup, unsigned a) {
    const kan_hierarchy *const hierarchy = setup->hierarchies[a];
    unsigned level = 1;
    while (level <= setup->highest[a] &&
           hierarchy->levels[level].n_groups > hierarchy->levels[0].n_groups / 10)
        level++;
    return setup->lowest[a] == 0 && level <= setup->highest[a] ? level : 0;
}

void kan_setup_tell_fold(const kan_setup *setup) {
    enum { FEWEST = 10000 };
    const kan_table *const table = setup->table;
    const uint64_t n_rows = setup->values || !table->counts ? 0 : kan_table_total(table);
    unsigned most = KAN_MAX_ATTRIBUTES, low;
    char rows[32], tuples[32], fewer[32], all[32];
    if (!engine_of(setup) || n_rows < FEWEST || table->n_rows < n_rows - n_rows / 10)
        return;
    kan_count_text(n_rows, rows);
    kan_count_text(table->n_rows, tuples);
    const bool can_be_low = !what_needs_values(setup) && !kan_search_orders(setup->search) &&
                            folds_low(&setup->job->options) &&
                            kan_engine_has_scratch(engine_of(setup));
    for (unsigned a = 0; can_be_low && a < setup->n_quasi; a++)
        if (find_low(setup, a) > 0 &&
            (most == KAN_MAX_ATTRIBUTES || setup->hierarchies[a]->levels[0].n_groups >
                                               setup->hierarchies[most]->levels[0].n_groups))
            most = a;
    if (most == KAN_MAX_ATTRIBUTES) {
        kan_note(
            setup->run,
            "%s rows have %s distinct combinations, so that nearly all of the table came here; "
            "fewer columns, or columns with fewer values, let the database count more of it",
            rows, tuples);
        return;
    }
    low = find_low(setup, most);
    const kan_hierarchy *const hierarchy = setup->hierarchies[most];
    kan_note(
        setup->run,
        "%s rows have %s distinct combinations, so that nearly all of the table came here; with "
        "--level %s=%u.. the database counts them by %s values of %s in place of %s, where no "
        "release has to show more",
        rows, tuples, hierarchy->attribute, low,
        kan_count_text(hierarchy->levels[low].n_groups, fewer), hierarchy->attribute,
        kan_count_text(hierarchy->levels[0].n_groups, all));
}

/* ---- stars ----------------------------------------------------------------------------------- */

/* A star with its dimensions, in the making or open; what they point to lives as long as it does. */
typedef struct kan_setup_star {
    kan_run *run;
    kan_star *star;
    unsigned n;
    kan_star_dimension list[KAN_MAX_FIELDS + 1];
    const uint32_t **levels[KAN_MAX_FIELDS + 1];
    uint32_t *codes[KAN_MAX_FIELDS + 1];
} star_room;

static void star_destroy(star_room *d) {
    kan_star_destroy(d->star);
    for (unsigned i = 0; i < d->n; i++) {
        kan_free(d->run, d->levels[i]);
        kan_free(d->run, d->codes[i]);
    }
    *d = (star_room){.run = d->run};
}

/* A column as it is. */
static kan_star_dimension *add_column(const kan_setup *setup, size_t column, star_room *d) {
    kan_star_dimension *out = &d->list[d->n++];
    *out = (kan_star_dimension){.column = column,
                                .values = &setup->values->columns[column].dictionary};
    return out;
}

/* A quasi-identifier from one level to another. */
static kan_status add_levels(const kan_setup *setup, unsigned a, unsigned low, unsigned high,
                             star_room *d) {
    const unsigned at = d->n;
    const kan_hierarchy *hierarchy = setup->hierarchies[a];
    const size_t n_levels = high - low + 1, n_codes = hierarchy->n_codes;
    kan_star_dimension *out = add_column(setup, setup->quasi[a], d);
    out->lowest = low;
    out->highest = high;
    if (high == 0)
        return KAN_OK;
    KAN_TRY(kan_alloc(d->run, n_levels, sizeof *d->levels[at], &d->levels[at]));
    KAN_TRY(kan_alloc(d->run, n_levels * n_codes, sizeof *d->codes[at], &d->codes[at]));
    for (size_t i = 0; i < n_levels; i++) {
        kan_hierarchy_stand_ins(hierarchy, low + (unsigned)i, d->codes[at] + i * n_codes);
        d->levels[at][i] = d->codes[at] + i * n_codes;
    }
    out->stand_in = d->levels[at];
    return KAN_OK;
}

/* The columns beside the quasi-identifiers that somebody looks at. */
static void add_others(const kan_setup *setup, star_room *d) {
    for (size_t i = 0; i < setup->input.n_columns; i++)
        if (setup->input.encode[i] && setup->roles[i] != KAN_ROLE_QUASI)
            add_column(setup, i, d);
}

static kan_status open_star(const kan_setup *setup, unsigned n_counted, star_room *d) {
    const kan_star_plan plan = {
        .n = d->n, .n_counted = n_counted, .dimensions = d->list, .n_rows = setup->n_valued};
    return kan_star_create(engine_of(setup), &plan, &d->star);
}

/* ---- values ---------------------------------------------------------------------------------- */

static kan_status read_column(kan_setup *setup, size_t column, bool *encode) {
    kan_column *out = &setup->values->columns[column];
    encode[column] = true;
    const kan_status status =
        kan_source_read(setup->input.source, encode, NULL, &setup->value_tables[column]);
    encode[column] = false;
    KAN_TRY(status);
    const kan_table *table = setup->value_tables[column];
    const char *name = out->name;
    *out = table->columns[column]; /* borrowed: kan_setup_destroy_values */
    out->name = name;
    if (setup->n_valued == 0)
        setup->n_valued = kan_table_total(table);
    if (setup->n_valued != kan_table_total(table))
        return kan_fail(
            setup->run, KAN_FAILED,
            "%s: its columns do not have the same number of rows; the table was changed "
            "meanwhile: try again",
            setup->input.name);
    return KAN_OK;
}

kan_status kan_setup_read_values(kan_setup *setup) {
    const size_t n = setup->input.n_columns;
    kan_run *run = setup->run;
    bool *encode = NULL;
    kan_status status;
    setup->is_counted = says_engine(&setup->job->options);
    setup->input.source->takes_counts = true;
    KAN_TRY(kan_table_make(run, n, setup->input.columns, &setup->values));
    KAN_TRY(kan_alloc_zero(run, n, sizeof *setup->value_tables, &setup->value_tables));
    KAN_TRY(kan_alloc_zero(run, n, sizeof *encode, &encode));
    for (size_t i = 0; i < n; i++)
        if (setup->input.encode[i])
            KAN_TRY_DONE(read_column(setup, i, encode));
    setup->table = setup->input.table = setup->input.raw = setup->values;
    status = KAN_OK;
done:
    kan_free(run, encode);
    return status;
}

void kan_setup_destroy_values(kan_setup *setup) {
    if (!setup->values)
        return;
    if (setup->star)
        star_destroy(setup->star);
    kan_free(setup->run, setup->star);
    setup->star = NULL;
    for (size_t i = 0; i < setup->input.n_columns; i++) {
        const char *name = setup->values->columns[i].name;
        setup->values->columns[i] = (kan_column){.name = name}; /* it was borrowed */
        if (setup->value_tables)
            kan_table_destroy(setup->value_tables[i]);
    }
    kan_free(setup->run, setup->value_tables);
    kan_table_destroy(setup->values);
    setup->values = NULL;
}

/* ---- folding --------------------------------------------------------------------------------- */

/* Whether as many rows came with each value, or with what stands for it, as had it when values were
 * counted. */
static kan_status compare_column(const kan_setup *setup, const kan_star_dimension *d,
                                 unsigned level, const kan_table *table, bool *is_same) {
    const uint32_t *stand_in = d->stand_in ? d->stand_in[level - d->lowest] : NULL;
    const kan_column *values = &setup->values->columns[d->column];
    const kan_column *came = &table->columns[d->column];
    uint64_t *rows;
    KAN_TRY(kan_alloc_zero(setup->run, values->dictionary.n, sizeof *rows, &rows));
    for (uint64_t row = 0; row < values->n_rows; row++) {
        const uint32_t code = kan_column_code(values, row);
        rows[stand_in ? stand_in[code] : code] += kan_column_rows(values, row);
    }
    for (uint64_t row = 0; row < came->n_rows; row++)
        rows[kan_column_code(came, row)] -= kan_column_rows(came, row);
    for (uint32_t code = 0; code < values->dictionary.n; code++)
        *is_same = *is_same && rows[code] == 0;
    kan_free(setup->run, rows);
    return KAN_OK;
}

/* Engines without transactions may show another table to each statement. What values tell (costs, the
 * shares that sensitive values have in the whole table) must be about the rows that came. */
static kan_status check_rows(const kan_setup *setup, const star_room *d, const unsigned *levels,
                             const kan_table *table) {
    bool is_same = true;
    for (unsigned i = 0; i < d->n && is_same; i++)
        KAN_TRY(compare_column(setup, &d->list[i], levels[i], table, &is_same));
    return is_same ? KAN_OK : kan_setup_changed(setup);
}

kan_status kan_setup_changed(const kan_setup *setup) {
    return kan_fail(setup->run, KAN_FAILED,
                    "%s: not all of its rows are as they were counted at first; the table was "
                    "changed meanwhile: try again",
                    setup->input.name);
}

/* Out of the star that the search counted in, or of one that is made for it. */
static kan_status fetch(kan_setup *setup, const unsigned *levels, kan_table **out) {
    star_room own = {.run = setup->run};
    star_room *d = setup->star ? setup->star : &own;
    unsigned levels_of[KAN_MAX_FIELDS + 1] = {0};
    kan_table *table = NULL;
    kan_status status = KAN_OK;
    for (unsigned a = 0; a < setup->n_quasi; a++) {
        levels_of[a] = levels[a];
        if (d == &own)
            KAN_TRY_DONE(add_levels(setup, a, levels[a], levels[a], d));
    }
    if (d == &own) {
        add_others(setup, d);
        KAN_TRY_DONE(open_star(setup, 0, d));
    }
    KAN_TRY_DONE(kan_star_fetch(d->star, levels_of, &table));
    if (d == &own)
        KAN_TRY_DONE(kan_star_drop(d->star));
    KAN_TRY_DONE(check_rows(setup, d, levels_of, table));
    *out = table;
    table = NULL;
done:
    kan_table_destroy(table);
    star_destroy(&own);
    return status;
}

/* The table takes the place of the values. */
static void take_table(kan_setup *setup, kan_table *table) {
    kan_space *space = &setup->problem.space;
    for (unsigned d = 0; d < space->n_attributes + space->n_tails; d++)
        space->dimensions[d].column =
            &table->columns[space->dimensions[d].column - setup->table->columns];
    kan_table_destroy(setup->input.owned);
    setup->input.owned = table;
    setup->table = setup->input.table = setup->input.raw = table;
}

kan_status kan_setup_fold_at(kan_setup *setup, const unsigned *levels) {
    const double start = kan_now_ms();
    kan_table *table;
    KAN_TRY(fetch(setup, levels, &table));
    take_table(setup, table);
    for (unsigned a = 0; a < setup->n_quasi; a++) {
        setup->fold_levels[a] = levels[a];
        setup->is_at_levels |= levels[a] > 0;
    }
    KAN_TRY(kan_problem_fold(&setup->problem, table->n_rows));
    setup->fold_ms += kan_now_ms() - start;
    return kan_setup_count_tuples(setup);
}

kan_status kan_setup_fold_low(kan_setup *setup) {
    const kan_promise *const promise = &setup->promise;
    KAN_ASSERT(promise->limit == 0 || (promise->size_decides && promise->n_models == 1));
    return kan_setup_fold_at(setup, setup->lowest);
}

/* ---- counting -------------------------------------------------------------------------------- */

kan_status kan_setup_check_counted(const kan_setup *setup) {
    const kan_question question = {.problem = &setup->problem,
                                   .promise = &setup->promise,
                                   .objective = &setup->objective,
                                   .options = &setup->job->options};
    return kan_counted_check(setup->run, setup->search, &question);
}

kan_status kan_setup_open_counted(kan_setup *setup) {
    const double start = kan_now_ms();
    star_room *d;
    KAN_TRY(kan_alloc_zero(setup->run, 1, sizeof *d, &d));
    d->run = setup->run;
    setup->star = d; /* kan_setup_destroy_values */
    for (unsigned a = 0; a < setup->n_quasi; a++)
        KAN_TRY(add_levels(setup, a, setup->lowest[a], setup->highest[a], d));
    add_others(setup, d);
    KAN_TRY(open_star(setup, setup->n_quasi, d));
    setup->fold_ms += kan_now_ms() - start;
    return KAN_OK;
}

kan_status kan_setup_search_counted(const kan_setup *setup, const kan_question *question,
                                    kan_answer *out) {
    const kan_counter counter = kan_star_counter(setup->star->star);
    return kan_counted_search(setup->run, setup->search, question, &counter, out);
}

kan_status kan_setup_end_counted(kan_setup *setup) {
    const double start = kan_now_ms();
    if (!setup->star)
        return KAN_OK;
    const kan_status status = kan_star_drop(setup->star->star);
    star_destroy(setup->star);
    kan_free(setup->run, setup->star);
    setup->star = NULL;
    setup->fold_ms += kan_now_ms() - start;
    return status;
}

/* The star of the search knows the values of columns that may stay as they are; for others the table is
 * counted once more, by this column's values and the levels of all. */
kan_status kan_setup_count_values(const kan_setup *setup, const unsigned *levels, unsigned a,
                                  uint64_t *leaf_rows) {
    const kan_hierarchy *hierarchy = setup->hierarchies[a];
    star_room own = {.run = setup->run};
    star_room *d = setup->star && setup->lowest[a] == 0 ? setup->star : &own;
    unsigned dimension = a;
    uint64_t *rows = NULL;
    kan_status status = KAN_OK;
    if (d == &own) {
        for (unsigned b = 0; b < setup->n_quasi; b++)
            KAN_TRY_DONE(add_levels(setup, b, levels[b], levels[b], d));
        dimension = d->n;
        add_column(setup, setup->quasi[a], d);
        KAN_TRY_DONE(open_star(setup, 0, d));
    }
    KAN_TRY_DONE(kan_alloc(setup->run, hierarchy->n_codes, sizeof *rows, &rows));
    KAN_TRY_DONE(kan_star_count_large(d->star, setup->n_quasi, levels, dimension,
                                      setup->promise.least_size, rows));
    if (d == &own)
        KAN_TRY_DONE(kan_star_drop(d->star));
    for (uint32_t code = 0; code < hierarchy->n_codes; code++)
        leaf_rows[hierarchy->leaf_of[code]] = rows[code];
done:
    kan_free(setup->run, rows);
    star_destroy(&own);
    return status;
}
