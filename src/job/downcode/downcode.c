/* Order of calls: the job and both tables are read, the job is run once, and what it makes is held against the
 * release; labels are read; then cells, tables and records are counted, each with as many probes as --probes
 * says. */
#include "job/downcode/downcode.h"

#include <stdio.h>
#include <string.h>

#include "job/downcode/downcode_inside.h"

/* Probes for each figure where nobody says how many: so many cells of rows are made in all. */
enum { PROBES = 2000, LEAST_PROBES = 100, ROWS_OF_PROBES = 2000000 };

/* ---- the original ----------------------------------------------------------------------------- */

/* It is read as the job reads its input. */
static kan_status read_original(kan_downcode *d) {
    const char *path = kan_options_find(&d->job->options, "original");
    d->made->table = kan_job_table(d->job, "original");
    if (path)
        KAN_TRY(kan_options_add(&d->made->options, "input", path));
    const kan_status status = kan_input_open(d->made, "input", false, &d->original);
    if (path)
        d->made->options.n--;
    KAN_TRY(status);
    for (size_t i = 0; i < d->original.n_columns; i++)
        d->original.encode[i] = true;
    KAN_TRY(kan_input_read(&d->original));
    d->table = d->original.raw ? d->original.raw : d->original.table;
    d->n_rows = d->table->n_rows;
    return d->n_rows > 0 ? KAN_OK
                         : kan_fail(d->run, KAN_BAD_INPUT, "%s has no rows: nothing is hidden",
                                    d->original.name);
}

/* A name that no column has. */
static kan_status name_columns(kan_downcode *d) {
    char name[32] = "row";
    const size_t n = d->table->n_columns;
    d->n_columns = n + 1;
    KAN_TRY(kan_arena_alloc(&d->arena, n + 1, sizeof *d->names, &d->names));
    for (size_t i = 0; i < n; i++)
        d->names[i] = d->table->columns[i].name;
    for (unsigned i = 2; kan_table_find(d->table, name, NULL); i++)
        snprintf(name, sizeof name, "row %u", i);
    return kan_arena_copy(&d->arena, name, strlen(name), &d->names[n]);
}

static kan_status copy_column(kan_downcode *d, size_t c) {
    const kan_column *column = &d->table->columns[c];
    const char **texts;
    KAN_TRY(kan_alloc(d->run, column->dictionary.n, sizeof *texts, &texts));
    kan_status status = KAN_OK;
    for (uint32_t code = 0; code < column->dictionary.n && status == KAN_OK; code++) {
        const kan_slice value = kan_dictionary_value(&column->dictionary, code);
        status = kan_arena_copy(&d->arena, value.bytes, value.size, &texts[code]);
    }
    for (uint64_t row = 0; row < d->n_rows && status == KAN_OK; row++)
        *kan_downcode_cell(d, c, row) = texts[kan_column_code(column, row)];
    kan_free(d->run, texts);
    return status;
}

static kan_status copy_cells(kan_downcode *d) {
    char number[32];
    KAN_TRY(name_columns(d));
    KAN_TRY(
        kan_arena_alloc(&d->arena, d->n_columns * (size_t)d->n_rows, sizeof *d->cells, &d->cells));
    for (size_t c = 0; c < d->table->n_columns; c++)
        KAN_TRY(copy_column(d, c));
    for (uint64_t row = 0; row < d->n_rows; row++) {
        const int size = snprintf(number, sizeof number, "%llu", (unsigned long long)row + 1);
        KAN_TRY(kan_arena_copy(&d->arena, number, (size_t)size,
                               kan_downcode_cell(d, d->n_columns - 1, row)));
    }
    return KAN_OK;
}

/* ---- the release ------------------------------------------------------------------------------ */

static kan_status make_reference(kan_downcode *d) {
    kan_status status = kan_downcode_make(d, &d->reference);
    char why[512];
    if (status == KAN_UNSATISFIED || status == KAN_BAD_INPUT) {
        snprintf(why, sizeof why, "%s", kan_run_error(d->run));
        return kan_fail(d->run, KAN_BAD_INPUT, "%s makes no release of %s: %s",
                        d->job->origins->path, d->original.name, why);
    }
    KAN_TRY(status);
    const size_t n = d->reference->n_columns;
    KAN_TRY(kan_arena_alloc(&d->arena, n, sizeof *d->shown, &d->shown));
    for (size_t c = 0; c < n; c++)
        d->shown[c] = c;
    KAN_TRY(kan_downcode_show(d->reference, d->shown, n, &d->as_rows));
    return kan_downcode_show(d->reference, d->shown, n - 1, &d->as_set);
}

static kan_status fail_other(const kan_downcode *d, const char *what) {
    return kan_fail(
        d->run, KAN_BAD_INPUT,
        "%s makes another release of %s than %s: %s; name the job file, with all "
        "settings in it, and the original that it was made with, and use the same version "
        "of kanon",
        d->job->origins->path, d->original.name, d->release.name, what);
}

static kan_status read_release(kan_downcode *d) {
    const kan_options *options = &d->job->options;
    KAN_TRY(kan_input_open_release(d->job, "input", kan_options_switch(options, "guard-formulas"),
                                   &d->release));
    for (size_t i = 0; i < d->release.n_columns; i++)
        d->release.encode[i] = true;
    return kan_input_read_release(&d->release, &d->original);
}

/* The release is what the job makes, in whatever order the rows stand. */
static kan_status check_release(kan_downcode *d) {
    char what[256];
    const size_t n = d->reference->n_columns - 1;
    kan_downcode_shown shown;
    size_t *columns;
    const kan_table *release = d->release.table;
    for (size_t c = 0; c < n; c++)
        if (!kan_table_find(release, d->reference->columns[c].name, NULL)) {
            snprintf(what, sizeof what, "it has a column '%.128s'", d->reference->columns[c].name);
            return fail_other(d, what);
        }
    if (release->n_columns != n)
        return fail_other(d, "it has fewer columns");
    if (release->n_rows != d->reference->n_rows)
        return fail_other(d, "it has more or fewer rows");
    KAN_TRY(kan_arena_alloc(&d->arena, n, sizeof *columns, &columns));
    for (size_t c = 0; c < n; c++)
        (void)kan_table_find(release, d->reference->columns[c].name, &columns[c]);
    KAN_TRY(kan_downcode_show(release, columns, n, &shown));
    const bool is_same = kan_downcode_shows_same(&shown, &d->as_set);
    kan_downcode_shown_destroy(d->run, &shown);
    return is_same ? KAN_OK : fail_other(d, "its rows show something else");
}

/* ---- columns ---------------------------------------------------------------------------------- */

/* What is changed before anybody looks at it is not what a label is of. */
static kan_status check_treatments(const kan_downcode *d, const kan_setup *setup) {
    for (size_t i = 0; i < setup->input.n_treatments; i++) {
        const kan_treatment *t = &setup->input.treatments[i];
        bool is_quasi = false;
        for (unsigned a = 0; a < setup->n_quasi; a++)
            is_quasi = is_quasi || setup->quasi[a] == t->column;
        if (t->is_pseudonym || t->is_shifted)
            return kan_fail(
                d->run, KAN_BAD_INPUT,
                "column '%s' is released as a secret makes it, and no job makes the same "
                "release without it; make the release without this column, and attack "
                "that",
                t->name);
        if (is_quasi)
            return kan_fail(
                d->run, KAN_BAD_INPUT,
                "quasi-identifier '%s' is rounded or capped before it is generalized, and "
                "--knowing-method only knows what its hierarchy hides; use intervals in "
                "its place",
                t->name);
    }
    return KAN_OK;
}

static kan_status list_sensitive(kan_downcode *d, const kan_setup *setup) {
    KAN_TRY(kan_arena_alloc(&d->arena, d->n_columns, sizeof *d->sensitive, &d->sensitive));
    for (size_t c = 0; c < d->table->n_columns; c++)
        if (setup->roles[c] == KAN_ROLE_SENSITIVE)
            d->sensitive[d->n_sensitive++] = c;
    return KAN_OK;
}

static kan_status take_setup(kan_downcode *d, const kan_setup *setup) {
    KAN_TRY(check_treatments(d, setup));
    KAN_TRY(make_reference(d));
    KAN_TRY(read_release(d));
    KAN_TRY(check_release(d));
    KAN_TRY(list_sensitive(d, setup));
    return kan_downcode_read_labels(d, setup);
}

/* Columns and hierarchies as the job binds them; its notes were told when the release was made. */
static kan_status read_columns(kan_downcode *d) {
    const kan_listeners before = kan_run_listeners(d->run);
    kan_job *job;
    kan_setup setup;
    KAN_TRY(kan_downcode_job(d, &job));
    job->table = d->table;
    job->is_table_taken = true;
    job->tables = d->job->tables;
    job->options.n--; /* the number of the row is no column of the original */
    kan_run_on_note(d->run, NULL, NULL);
    kan_status status = kan_setup_read(job, &setup);
    if (status == KAN_OK)
        status = kan_downcode_find_files(d, &setup);
    if (status == KAN_OK)
        status = kan_setup_bind(&setup);
    kan_run_on_note(d->run, before.on_note, before.note_user);
    if (status == KAN_OK)
        status = take_setup(d, &setup);
    kan_setup_destroy(&setup);
    kan_job_destroy(job);
    return status;
}

/* ---- the walk --------------------------------------------------------------------------------- */

static void take_probes(kan_downcode *d) {
    const char *probes = kan_options_find(&d->job->options, "probes");
    const uint64_t fit = ROWS_OF_PROBES / d->n_rows;
    d->most_probes = fit > PROBES ? PROBES : fit < LEAST_PROBES ? LEAST_PROBES : fit;
    d->has_no_limit = probes && strcmp(probes, "all") == 0;
    if (probes && !d->has_no_limit)
        (void)kan_parse_count(probes, &d->most_probes); /* it was checked when it was set */
}

static kan_status open(kan_downcode *d) {
    KAN_TRY(kan_downcode_take_job(d));
    kan_run_set_seed(d->run, kan_options_count(&d->made->options, "seed", 1));
    KAN_TRY(read_original(d));
    take_probes(d);
    KAN_TRY(copy_cells(d));
    return read_columns(d);
}

kan_status kan_downcode_open(kan_job *job, kan_downcode **out) {
    kan_downcode *d;
    KAN_TRY(kan_alloc_zero(job->run, 1, sizeof *d, &d));
    d->job = job;
    d->run = job->run;
    d->seed = kan_run_seed(job->run);
    d->start_ms = kan_now_ms();
    kan_arena_init(&d->arena, job->run);
    const kan_status status = open(d);
    kan_run_set_seed(d->run, d->seed);
    if (status == KAN_OK)
        *out = d;
    else
        kan_downcode_close(d);
    return status;
}

static kan_status measure(kan_downcode *d) {
    KAN_TRY(kan_downcode_count_cells(d));
    KAN_TRY(kan_downcode_count_tables(d));
    return kan_downcode_count_records(d);
}

kan_status kan_downcode_measure(kan_downcode *d) {
    kan_run_set_seed(d->run, kan_options_count(&d->made->options, "seed", 1));
    const kan_status status = measure(d);
    kan_run_set_seed(d->run, d->seed);
    d->is_interrupted = status == KAN_CANCELLED && d->of_cells.n_tried > 0;
    return d->is_interrupted ? KAN_OK : status;
}

bool kan_downcode_was_interrupted(const kan_downcode *d) {
    return d->is_interrupted;
}

void kan_downcode_close(kan_downcode *d) {
    if (!d)
        return;
    kan_downcode_forget_labels(d);
    kan_downcode_shown_destroy(d->run, &d->as_rows);
    kan_downcode_shown_destroy(d->run, &d->as_set);
    kan_table_destroy(d->reference);
    kan_input_close(&d->release);
    kan_input_close(&d->original);
    kan_job_destroy(d->made);
    kan_arena_destroy(&d->arena);
    kan_free(d->run, d);
}
