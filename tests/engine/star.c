/* Counting at levels inside of an engine, against memory, on random tables.
 *
 *   engine.star ADDRESS    of a table that is there; tables of the test are made beside it, under
 *                          names that begin with kanon_star
 *
 * The engine's own connection makes and loads them, so that any engine of the registry will do. */
#include <stdio.h>
#include <stdlib.h>
#include <string.h>

#include "engine/engine_state.h"
#include "engine/star/star.h"
#include "job/registry/registry.h"
#include "search/counted/counted.h"
#include "support/plain_counter.h"
#include "support/question.h"
#include "support/random_problem.h"

static const char *address;

static const kan_source_kind *kind_of(const char *path) {
    for (size_t i = 0; i < kan_registry_count(KAN_FAMILY_SOURCE); i++) {
        const kan_source_kind *kind =
            (const kan_source_kind *)kan_registry_at(KAN_FAMILY_SOURCE, i);
        if (kind->takes && kind->takes(path))
            return kind;
    }
    fail_msg("nobody opens %s", path);
    return NULL;
}

static kan_engine *open_engine(kan_run *run, const char *path, kan_source **source) {
    const kan_source_options options = {.separator = 0};
    EXPECT_OK(run, kan_source_open(run, kind_of(path), path, &options, source));
    assert_non_null(kan_engine_of(*source));
    return kan_engine_of(*source);
}

static void execute(kan_engine *engine, const char *sql) {
    EXPECT_OK(engine->run,
              engine->transport->execute(engine->connection, 0,
                                         &(kan_statement){.sql = sql, .what = "test"}));
}

/* ---- the table in the engine ----------------------------------------------------------------- */

/* Texts that SQL could take for something else. Numbers stay what they are. */
static void make_nasty(plain_table *plain) {
    static const char *const pieces[] = {"';--", "\"", "\\", "`", "%s", " ", "\xc3\xa9", "?"};
    for (unsigned a = 0; a < plain->n_attributes; a++)
        for (size_t i = 0; i < plain->attributes[a].n_leaves; i++) {
            char *value = plain->attributes[a].leaves[i].at[0], old[sizeof(plain_label)];
            if (value[0] != 'v')
                continue;
            snprintf(old, sizeof old, "%s", value);
            snprintf(value, sizeof(plain_label), "%.40s%.4s", old, pieces[i % 8]);
            for (size_t row = 0; row < plain->n_rows; row++)
                if (strcmp(plain_cell(plain, row, a), old) == 0)
                    snprintf(plain_cell(plain, row, a), sizeof(plain_label), "%s", value);
        }
}

typedef struct {
    const plain_table *plain;
    size_t row;
} giving;

static kan_status give(void *context, kan_slice *values, bool *is_row) {
    giving *g = context;
    *is_row = g->row < g->plain->n_rows;
    for (unsigned c = 0; *is_row && c < g->plain->n_attributes + g->plain->n_tails; c++)
        values[c] = kan_slice_of(plain_cell(g->plain, g->row, c));
    g->row++;
    return KAN_OK;
}

static void load_table(kan_run *run, const plain_table *plain) {
    kan_source *source;
    kan_engine *engine = open_engine(run, address, &source);
    const kan_dialect *dialect = engine->table.dialect;
    const unsigned n = plain->n_attributes + plain->n_tails;
    kan_text sql;
    kan_text_init(&sql, run);
    kan_text_print(&sql, "%skanon_star", dialect->drop);
    EXPECT_OK(run, kan_text_status(&sql));
    execute(engine, sql.bytes);
    kan_text_destroy(&sql);
    kan_text_init(&sql, run);
    kan_text_print(&sql, "%skanon_star (", dialect->create);
    for (unsigned c = 0; c < n; c++)
        kan_text_print(&sql, "%sq%u %s", c ? ", " : "", c, dialect->label_type);
    kan_text_print(&sql, ")%s", dialect->create_tail);
    EXPECT_OK(run, kan_text_status(&sql));
    execute(engine, sql.bytes);
    kan_text_destroy(&sql);
    giving g = {.plain = plain};
    EXPECT_OK(run, engine->transport->load(engine->connection, 0, "kanon_star", n,
                                           &(kan_row_giver){give, &g}));
    if (dialect->commit)
        execute(engine, dialect->commit);
    engine->is_in_transaction = false;
    kan_source_close(source);
}

/* The same address with another table: the last "seed" of it is the name. */
static void name_table(char *out, size_t size) {
    const char *at = NULL;
    for (const char *next = strstr(address, "seed"); next; next = strstr(next + 1, "seed"))
        at = next;
    assert_non_null(at);
    snprintf(out, size, "%.*skanon_star%s", (int)(at - address), address, at + 4);
}

/* ---- a scene --------------------------------------------------------------------------------- */

enum { MOST_COLUMNS = 16 };

typedef struct {
    uint64_t random;
    plain_table plain;
    test_problem made;
    kan_source *source;
    kan_engine *engine;
    unsigned n_columns;
    kan_table *columns[MOST_COLUMNS]; /* each by itself, counted */
    uint32_t *stand_in[MOST_COLUMNS][PLAIN_LEVELS];
    kan_star_dimension dimensions[MOST_COLUMNS];
} scene;

static void expect_dictionary(const kan_dictionary *a, const kan_dictionary *b) {
    assert_int_equal(a->n, b->n);
    for (uint32_t code = 0; code < a->n; code++)
        assert_true(kan_slice_equal(kan_dictionary_value(a, code), kan_dictionary_value(b, code)));
}

static void read_columns(scene *here) {
    bool encode[MOST_COLUMNS] = {false};
    for (unsigned c = 0; c < here->n_columns; c++) {
        encode[c] = true;
        EXPECT_OK(here->made.run, kan_engine_fold(here->engine, encode, &here->columns[c]));
        encode[c] = false;
        assert_int_equal(kan_table_total(here->columns[c]), here->plain.n_rows);
        expect_dictionary(&here->columns[c]->columns[c].dictionary,
                          &here->made.table->columns[c].dictionary);
    }
}

/* Any levels from which any may be asked for. */
static void make_dimensions(scene *here, bool is_one) {
    for (unsigned c = 0; c < here->n_columns; c++) {
        here->dimensions[c] =
            (kan_star_dimension){.column = c, .values = &here->columns[c]->columns[c].dictionary};
        if (c >= here->plain.n_attributes)
            continue;
        kan_dimension *d = &here->made.problem.space.dimensions[c];
        d->lowest = (unsigned)between(&here->random, 0, d->height);
        d->highest = is_one ? d->lowest : (unsigned)between(&here->random, d->lowest, d->height);
        here->dimensions[c].lowest = d->lowest;
        here->dimensions[c].highest = d->highest;
        for (unsigned level = d->lowest; level <= d->highest; level++)
            kan_hierarchy_stand_ins(d->hierarchy, level, here->stand_in[c][level]);
        here->dimensions[c].stand_in = (const uint32_t *const *)&here->stand_in[c][d->lowest];
    }
}

static void scene_make(kan_run *run, uint64_t seed, scene *here) {
    static const random_spec spec = {.least_attributes = 1,
                                     .most_attributes = 4,
                                     .least_rows = 1,
                                     .most_rows = 120,
                                     .most_leaves = 9,
                                     .most_height = 3,
                                     .most_tails = 2,
                                     .most_nodes = 60};
    char path[512];
    memset(here, 0, sizeof *here);
    here->random = seed;
    random_plain(&spec, &here->random, &here->plain);
    make_nasty(&here->plain);
    test_problem_make(run, &here->plain, &here->made);
    here->n_columns = here->plain.n_attributes + here->plain.n_tails;
    assert_true(here->n_columns <= MOST_COLUMNS);
    load_table(run, &here->plain);
    name_table(path, sizeof path);
    here->engine = open_engine(run, path, &here->source);
    read_columns(here);
    for (unsigned a = 0; a < here->plain.n_attributes; a++)
        for (unsigned level = 0; level < PLAIN_LEVELS; level++) {
            here->stand_in[a][level] =
                calloc(here->made.table->columns[a].dictionary.n, sizeof(uint32_t));
            assert_non_null(here->stand_in[a][level]);
        }
}

static void scene_destroy(scene *here) {
    for (unsigned c = 0; c < here->n_columns; c++)
        kan_table_destroy(here->columns[c]);
    for (unsigned a = 0; a < here->plain.n_attributes; a++)
        for (unsigned level = 0; level < PLAIN_LEVELS; level++)
            free(here->stand_in[a][level]);
    kan_source_close(here->source);
    test_problem_destroy(&here->made);
    plain_destroy(&here->plain);
}

static kan_star *open_star(scene *here, unsigned n) {
    kan_star *star;
    const kan_star_plan plan = {.n = n,
                                .n_counted = here->plain.n_attributes,
                                .dimensions = here->dimensions,
                                .n_rows = here->plain.n_rows,
                                .fetches_sizes = once_in(&here->random, 3)};
    EXPECT_OK(here->made.run, kan_star_create(here->engine, &plan, &star));
    return star;
}

/* ---- counting -------------------------------------------------------------------------------- */

/* Asks both, and expects the same numbers. */
typedef struct {
    kan_counter star, plain;
    uint32_t plain_of[4096]; /* by set of the star */
    size_t n_asked;
    const scene *here;
} both_counters;

static kan_status count_both(void *context, const kan_count_order *order, kan_counted *out) {
    both_counters *both = context;
    kan_counted expected;
    kan_count_order other = *order;
    both->n_asked++;
    KAN_TRY(both->star.count(both->star.context, order, out));
    other.from = both->plain_of[order->from];
    KAN_TRY(both->plain.count(both->plain.context, &other, &expected));
    assert_int_equal(out->n_groups, expected.n_groups);
    assert_int_equal(out->n_small_rows, expected.n_small_rows);
    assert_int_equal(out->n_large_groups, expected.n_large_groups);
    assert_true(out->squares == expected.squares);
    assert_int_equal(out->smallest, expected.smallest);
    if (order->keeps) {
        assert_true(out->set > 0 && out->set < 4096);
        both->plain_of[out->set] = expected.set;
    }
    return KAN_OK;
}

static kan_status count_small_both(void *context, const kan_count_order *order, unsigned place,
                                   uint64_t *rows) {
    both_counters *both = context;
    const uint32_t n = both->here->made.table->columns[order->attributes[place]].dictionary.n;
    uint64_t *expected = calloc(n, sizeof *expected);
    kan_count_order other = *order;
    assert_non_null(expected);
    KAN_TRY(both->star.count_small(both->star.context, order, place, rows));
    other.from = both->plain_of[order->from];
    KAN_TRY(both->plain.count_small(both->plain.context, &other, place, expected));
    assert_memory_equal(rows, expected, n * sizeof *rows);
    free(expected);
    return KAN_OK;
}

static kan_status drop_both(void *context, uint32_t set) {
    both_counters *both = context;
    KAN_TRY(both->star.drop(both->star.context, set));
    return both->plain.drop(both->plain.context, both->plain_of[set]);
}

static void search_on_one_table(kan_run *run, uint64_t seed) {
    static const kan_search_kind *const kinds[] = {&kan_search_bisect, &kan_search_incognito,
                                                   &kan_search_incognito_superroots,
                                                   &kan_search_incognito_cube};
    static const kan_cost_kind *const costs[] = {&kan_cost_discernibility, &kan_cost_ncp,
                                                 &kan_cost_height};
    scene here;
    scene_make(run, seed, &here);
    make_dimensions(&here, false);
    kan_star *star = open_star(&here, here.plain.n_attributes);
    const uint64_t limits[] = {0, kan_random_below(&here.random, here.plain.n_rows / 4 + 1)};
    const test_question question = {
        .k = 1 + kan_random_below(&here.random, here.plain.n_rows < 6 ? here.plain.n_rows : 6),
        .limit = limits[seed % 2],
        .cost = costs[kan_random_below(&here.random, 3)],
        .wants_release = true};
    for (unsigned i = 0; i < 4; i++) {
        test_asked asked;
        kan_answer counted, memory;
        plain_counter plain;
        both_counters both = {.star = kan_star_counter(star), .here = &here};
        const kan_counter by = {&both, count_both, count_small_both, drop_both};
        const uint64_t before = kan_engine_rows_received(here.engine);
        test_ask(&here.made, &question, &asked);
        plain_counter_open(&here.made, &plain);
        both.plain = plain_counter_of(&plain);
        EXPECT_OK(run, kan_counted_search(run, kinds[i], &asked.question, &by, &counted));
        plain_counter_close(&plain);
        EXPECT_OK(run, kinds[i]->search(run, &asked.question, &memory));
        assert_int_equal(counted.is_found, memory.is_found);
        assert_int_equal(counted.n_anonymous, memory.n_anonymous);
        if (counted.is_found)
            assert_memory_equal(counted.recoding.levels, memory.recoding.levels,
                                here.plain.n_attributes * sizeof *counted.recoding.levels);
        /* one row of numbers for a check, and where sizes come home one for each size */
        const uint64_t received = kan_engine_rows_received(here.engine) - before;
        assert_true(received >= both.n_asked);
        assert_true(received <= both.n_asked * 40 * here.plain.n_attributes);
        kan_answer_destroy(run, &counted);
        kan_answer_destroy(run, &memory);
        test_asked_destroy(&asked);
    }
    EXPECT_OK(run, kan_star_drop(star));
    kan_star_destroy(star);
    scene_destroy(&here);
}

static void an_engine_counts_what_memory_counts(void **state) {
    (void)state;
    random_rounds(30, search_on_one_table);
}

/* ---- fetching -------------------------------------------------------------------------------- */

static bool row_is(const kan_table *table, uint64_t row, const uint32_t *codes, unsigned n) {
    for (unsigned c = 0; c < n; c++)
        if (kan_column_code(&table->columns[c], row) != codes[c])
            return false;
    return true;
}

/* Any levels that the star has. */
static void draw_levels(scene *here, unsigned *levels) {
    for (unsigned c = 0; c < here->n_columns; c++)
        levels[c] = (unsigned)between(&here->random, here->dimensions[c].lowest,
                                      here->dimensions[c].highest);
}

/* What stands for the value of a row at a level. */
static uint32_t code_at(const scene *here, uint64_t row, unsigned c, unsigned level) {
    const uint32_t code = kan_column_code(&here->made.table->columns[c], row);
    const kan_star_dimension *d = &here->dimensions[c];
    return d->stand_in ? d->stand_in[level - d->lowest][code] : code;
}

/* The values of rows whose group has at least so many, by counting each row's group anew. */
static void expect_large(scene *here, kan_star *star, const unsigned *levels) {
    const uint64_t least = 1 + kan_random_below(&here->random, 5);
    const unsigned n = here->plain.n_attributes;
    for (unsigned c = 0; c < here->n_columns; c++) {
        const uint32_t n_codes = here->made.table->columns[c].dictionary.n;
        uint64_t *rows = calloc(n_codes, sizeof *rows), *expected = calloc(n_codes, sizeof *rows);
        assert_true(rows && expected);
        EXPECT_OK(here->made.run, kan_star_count_large(star, n, levels, c, least, rows));
        for (uint64_t row = 0; row < here->made.table->n_rows; row++) {
            uint64_t size = 0;
            for (uint64_t other = 0; other < here->made.table->n_rows; other++) {
                unsigned a = 0;
                while (a < n &&
                       code_at(here, row, a, levels[a]) == code_at(here, other, a, levels[a]))
                    a++;
                size += a == n;
            }
            expected[code_at(here, row, c, here->dimensions[c].lowest)] += size >= least;
        }
        assert_memory_equal(rows, expected, n_codes * sizeof *rows);
        free(rows);
        free(expected);
    }
}

static void fetch_on_one_table(kan_run *run, uint64_t seed) {
    unsigned levels[MOST_COLUMNS];
    scene here;
    kan_table *table;
    scene_make(run, seed, &here);
    make_dimensions(&here, seed % 2);
    draw_levels(&here, levels);
    kan_star *star = open_star(&here, here.n_columns);
    const uint64_t before = kan_engine_rows_received(here.engine);
    EXPECT_OK(run, kan_star_fetch(star, levels, &table));
    assert_int_equal(kan_engine_rows_received(here.engine) - before, table->n_rows);
    expect_large(&here, star, levels);
    EXPECT_OK(run, kan_star_drop(star));
    kan_star_destroy(star);
    assert_int_equal(kan_table_total(table), here.plain.n_rows);
    for (unsigned c = 0; c < here.n_columns; c++)
        expect_dictionary(&table->columns[c].dictionary, &here.made.table->columns[c].dictionary);
    for (uint64_t row = 0; row < here.made.table->n_rows; row++) { /* each is taken off its group */
        uint32_t codes[MOST_COLUMNS];
        uint64_t at = 0;
        for (unsigned c = 0; c < here.n_columns; c++)
            codes[c] = code_at(&here, row, c, levels[c]);
        while (at < table->n_rows && !row_is(table, at, codes, here.n_columns))
            at++;
        assert_true(at < table->n_rows && table->counts[at] > 0);
        table->counts[at]--;
    }
    for (uint64_t at = 0; at < table->n_rows; at++) {
        assert_int_equal(table->counts[at], 0);
        table->counts[at] = 1; /* what is destroyed is whole */
    }
    kan_table_destroy(table);
    scene_destroy(&here);
}

static void a_base_comes_home_at_any_levels(void **state) {
    (void)state;
    random_rounds(30, fetch_on_one_table);
}

/* ---- changes --------------------------------------------------------------------------------- */

static void a_value_that_no_dimension_has_is_found_out(void **state) {
    (void)state;
    scene here;
    kan_run *run = kan_run_create();
    scene_make(run, 4, &here);
    make_dimensions(&here, true);
    kan_star *star;
    const kan_star_plan plan = {
        .n = here.n_columns, .dimensions = here.dimensions, .n_rows = here.plain.n_rows + 1};
    assert_int_equal(kan_star_create(here.engine, &plan, &star), KAN_FAILED);
    assert_non_null(strstr(kan_run_error(run), "changed"));
    scene_destroy(&here);
    kan_run_destroy(run);
}

int main(int argc, char **argv) {
    const struct CMUnitTest tests[] = {
        cmocka_unit_test_teardown(an_engine_counts_what_memory_counts, random_tear_down),
        cmocka_unit_test_teardown(a_base_comes_home_at_any_levels, random_tear_down),
        cmocka_unit_test(a_value_that_no_dimension_has_is_found_out),
    };
    if (argc != 2) {
        fprintf(stderr, "usage: engine.star ADDRESS\n");
        return 2;
    }
    address = argv[1];
    return cmocka_run_group_tests(tests, NULL, NULL);
}
