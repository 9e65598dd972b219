/* The table, its columns and their levels.
 *
 * What can be wrong with settings is found from the header alone, before a row is read. A separator is not
 * found out, as it is elsewhere: which one it is would be decided by rows as well. */
#include <stdlib.h>
#include <string.h>
#include <sys/stat.h>

#include "io/csv/csv.h"
#include "job/epsilon/epsilon_inside.h"

/* ---- header --------------------------------------------------------------------------------- */

static kan_status open_table(kan_epsilon_job *e) {
    kan_setup *setup = &e->setup;
    const kan_options *options = &e->job->options;
    const kan_source_options as = {.separator = ',',
                                   .encoding = kan_options_find(options, "encoding")};
    setup->job = e->job;
    setup->run = setup->problem.run = e->run;
    setup->problem.class_tail = KAN_NO_TAIL;
    kan_space_init(&setup->problem.space, e->run);
    e->is_open = true;
    KAN_TRY(kan_input_open_as(e->job, kan_options_find(options, "input"), &kan_source_csv, &as,
                              &setup->input));
    /* one row more or less must not be the difference between a release and none */
    kan_csv_take_empty(setup->input.source->state);
    return kan_setup_take_roles(setup);
}

static int quasi_of(const kan_setup *setup, size_t column) {
    for (unsigned a = 0; a < setup->n_quasi; a++)
        if (setup->quasi[a] == column)
            return (int)a;
    return -1;
}

static kan_status list_columns(kan_epsilon_job *e) {
    kan_setup *setup = &e->setup;
    KAN_TRY(
        kan_arena_alloc(&e->arena, setup->input.n_columns + 1, sizeof *e->columns, &e->columns));
    for (size_t i = 0; i < setup->input.n_columns; i++) {
        setup->input.encode[i] = kan_setup_releases(setup, i);
        if (setup->input.encode[i])
            e->columns[e->n_columns++] = (kan_epsilon_column){
                .name = setup->input.columns[i], .column = i, .quasi = quasi_of(setup, i)};
    }
    if (e->n_columns == 0)
        return kan_fail(e->run, KAN_BAD_INPUT,
                        "--epsilon: no column is released; name some with --qi or --keep");
    return KAN_OK;
}

static kan_status find_rules(kan_epsilon_job *e) {
    for (unsigned a = 0; a < e->setup.n_quasi; a++) {
        e->n_rules = a + 1;
        KAN_TRY(kan_epsilon_rule_find(e->job, e->setup.input.columns[e->setup.quasi[a]],
                                      e->setup.specs[a], &e->rules[a]));
    }
    return KAN_OK;
}

/* ---- levels --------------------------------------------------------------------------------- */

static bool is_same_file(const char *a, const char *b) {
    struct stat of_a, of_b;
    return strcmp(a, b) == 0 || (stat(a, &of_a) == 0 && stat(b, &of_b) == 0 &&
                                 of_a.st_dev == of_b.st_dev && of_a.st_ino == of_b.st_ino);
}

/* Levels that were chosen by looking at this table would tell of it. */
static kan_status check_given(const kan_epsilon_job *e) {
    const kan_setup *setup = &e->setup;
    const char *input = kan_options_find(&e->job->options, "input");
    const char *from =
        json_string_value(json_object_get(json_object_get(setup->given_result, "input"), "path"));
    if (!setup->has_given)
        return setup->n_quasi == 0
                   ? KAN_OK
                   : kan_fail(e->run, KAN_BAD_INPUT,
                              "--epsilon: at which levels? A search would choose them by the "
                              "table, and tell of it; write --levels N,N with a level for each "
                              "quasi-identifier that was chosen without the table, or --apply a "
                              "result of another one");
    if (setup->given.type != KAN_RECODING_LEVELS)
        return kan_fail(e->run, KAN_BAD_INPUT,
                        "%s: it has no levels, and with --epsilon these are taken alone: cuts are "
                        "placed by values of a table; write --levels N,N",
                        setup->given_path);
    if (from && is_same_file(from, input))
        return kan_fail(e->run, KAN_BAD_INPUT,
                        "%s: its levels were chosen by looking at %s itself, and would tell of it; "
                        "apply a result of another table, or write --levels that were chosen "
                        "without this one",
                        setup->given_path, from);
    return KAN_OK;
}

/* Names of columns are looked up in a table, which has no rows yet. */
static kan_status take_levels(kan_epsilon_job *e) {
    kan_setup *setup = &e->setup;
    kan_table *header = NULL;
    KAN_TRY(kan_setup_read_given(setup));
    KAN_TRY(check_given(e));
    if (!setup->has_given)
        return KAN_OK;
    KAN_TRY(kan_table_make(e->run, setup->input.n_columns, setup->input.columns, &header));
    setup->table = header;
    for (unsigned a = 0; a < setup->n_quasi; a++) {
        e->heights[a].height = setup->highest[a] = e->rules[a].height;
        setup->hierarchies[a] = &e->heights[a];
    }
    const kan_status status = kan_setup_take_given(setup);
    for (unsigned a = 0; a < setup->n_quasi; a++) {
        e->rules[a].level = setup->given.levels[a];
        setup->hierarchies[a] = NULL; /* it is not theirs to free */
    }
    setup->table = NULL;
    kan_table_destroy(header);
    return status;
}

/* ---- what is shown -------------------------------------------------------------------------- */

typedef struct {
    kan_slice label;
    uint32_t code;
} shown_code;

static int compare_shown(const void *a, const void *b) {
    return kan_slice_compare(((const shown_code *)a)->label, ((const shown_code *)b)->label);
}

static kan_status label_codes(kan_epsilon_job *e, const kan_epsilon_column *c,
                              const kan_dictionary *values, shown_code *codes) {
    enum { LOOK_UP = 1 << 12 };
    for (uint32_t code = 0; code < values->n; code++) {
        if (code % LOOK_UP == 0)
            KAN_TRY(kan_check_cancel(e->run));
        codes[code] = (shown_code){kan_dictionary_value(values, code), code};
        if (c->quasi >= 0)
            KAN_TRY(kan_epsilon_label(e->run, &e->rules[c->quasi], codes[code].label, &e->arena,
                                      &codes[code].label));
    }
    return KAN_OK;
}

static kan_status number_labels(kan_epsilon_job *e, kan_epsilon_column *c) {
    const kan_dictionary *values = &e->setup.table->columns[c->column].dictionary;
    shown_code *codes;
    kan_status status;
    KAN_TRY(kan_alloc(e->run, (size_t)values->n + 1, sizeof *codes, &codes));
    KAN_TRY_DONE(label_codes(e, c, values, codes));
    KAN_TRY_DONE(kan_alloc(e->run, (size_t)values->n + 1, sizeof *c->labels, &c->labels));
    KAN_TRY_DONE(kan_alloc(e->run, (size_t)values->n + 1, sizeof *c->shown, &c->shown));
    qsort(codes, values->n, sizeof *codes, compare_shown);
    for (uint32_t i = 0; i < values->n; i++) {
        if (i == 0 || !kan_slice_equal(codes[i].label, codes[i - 1].label))
            c->labels[c->n_labels++] = codes[i].label;
        c->shown[codes[i].code] = c->n_labels - 1;
    }
done:
    kan_free(e->run, codes);
    return status;
}

kan_status kan_epsilon_read(kan_epsilon_job *e) {
    kan_setup *setup = &e->setup;
    KAN_TRY(open_table(e));
    KAN_TRY(list_columns(e));
    KAN_TRY(find_rules(e));
    KAN_TRY(take_levels(e));
    kan_setup_tell_others(setup);
    KAN_TRY(kan_input_read(&setup->input));
    setup->table = setup->input.table;
    for (size_t i = 0; i < e->n_columns; i++)
        KAN_TRY(number_labels(e, &e->columns[i]));
    return KAN_OK;
}
