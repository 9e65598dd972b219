/* Values of a database that are one to kanon, such as NULL and '', and two to whoever sees the table:
 * groups that are counted by them would look larger than they are. Parquet has them, too: DuckDB looks
 * at the file as at a table. So do tables in memory. */
#include <string.h>

#include "io/arrow/arrow.h"
#include "job/inspect/verify_inside.h"

/* Who can tell values apart: one of them is NULL. */
typedef struct {
    kan_engine *engine;
    const kan_arrow *arrow;
} teller;

static const char *name_of(const teller *t, size_t column) {
    return t->engine ? kan_engine_column_name(t->engine, column)
                     : kan_arrow_names(t->arrow)[column];
}

/* The same columns, as the teller numbers them. */
static kan_status find(const kan_input *input, const teller *t, const bool *columns, bool *found) {
    const size_t n = t->engine ? kan_engine_n_columns(t->engine) : kan_arrow_n_columns(t->arrow);
    kan_run *const run = input->run;
    bool *asked = NULL, *answers = NULL;
    size_t column;
    kan_status status;
    KAN_TRY_DONE(kan_alloc_zero(run, n, sizeof *asked, &asked));
    KAN_TRY_DONE(kan_alloc_zero(run, n, sizeof *answers, &answers));
    for (size_t i = 0; i < n; i++)
        asked[i] = kan_input_find(input, kan_slice_of(name_of(t, i)), &column) && columns[column];
    KAN_TRY_DONE(t->engine ? kan_engine_find_apart(t->engine, asked, answers)
                           : kan_arrow_find_apart(t->arrow, asked, answers));
    for (size_t i = 0; i < n; i++)
        if (answers[i] && kan_input_find(input, kan_slice_of(name_of(t, i)), &column))
            found[column] = true;
done:
    kan_free(run, asked);
    kan_free(run, answers);
    return status;
}

static kan_status tell(const kan_input *input, const teller *t, const bool *columns, bool *found,
                       bool is_fault) {
    char quoted[256];
    KAN_TRY(find(input, t, columns, found));
    kan_problems_begin(input->run);
    for (size_t i = 0; i < input->n_columns; i++) {
        if (!found[i])
            continue;
        kan_quote(kan_slice_of(input->columns[i]), quoted);
        if (is_fault)
            kan_problem_add(input->run,
                            "%s: column %s has values that kanon counts as one, such as NULL and "
                            "'', and whoever sees the table can tell them apart: how many rows "
                            "look alike is not known; make them one in the table (NULL for '', a "
                            "column of texts for other types), and verify it again",
                            input->name, quoted);
        else
            kan_note(input->run,
                     "column %s has values that are counted as one, such as NULL and '', though "
                     "whoever sees the table can tell them apart: groups may be smaller than told",
                     quoted);
    }
    return kan_problems_end(input->run);
}

/* A file that can be opened once more. */
static bool is_parquet(const kan_input *input) {
    return input->source && strcmp(input->source->kind->kind.name, "parquet") == 0 &&
           strcmp(input->name, "-") != 0;
}

kan_status kan_verify_tell_apart(const kan_input *input, const bool *columns, bool is_fault) {
    teller t = {.engine = kan_input_engine(input)};
    kan_source *file = NULL;
    bool *found = NULL;
    kan_status status = KAN_OK;
    if (!t.engine && input->source && input->source->kind == &kan_source_arrow)
        t.arrow = input->source->state;
    if (!t.engine && !t.arrow && is_parquet(input)) {
        const kan_source_options options = {.given = &input->job->options};
        KAN_TRY(kan_source_open(input->run, &kan_source_duckdb, input->name, &options, &file));
        t.engine = kan_engine_of(file);
    }
    if (!t.engine && !t.arrow)
        return KAN_OK;
    KAN_TRY_DONE(kan_alloc_zero(input->run, input->n_columns, sizeof *found, &found));
    KAN_TRY_DONE(tell(input, &t, columns, found, is_fault));
done:
    kan_free(input->run, found);
    kan_source_close(file);
    return status;
}

/* Quasi-identifiers, means and sensitive columns; others may be as they were in the original. */
kan_status kan_verify_check_apart(const kan_verification *v) {
    const kan_input *const input = &v->release.input;
    const kan_options *const options = &v->job->options;
    bool *columns;
    size_t column;
    KAN_TRY(kan_alloc_zero(v->run, input->n_columns, sizeof *columns, &columns));
    for (size_t i = 0; i < v->n_quasi; i++) {
        columns[v->quasi_columns[i]] = true;
        if (v->mean_of[i].is_there && v->summary == KAN_SUMMARY_BOTH)
            columns[v->mean_of[i].column] = true;
    }
    for (size_t i = 0; i < kan_options_count_of(options, "sensitive"); i++)
        if (kan_input_find(input, kan_slice_of(kan_options_at(options, "sensitive", i)), &column))
            columns[column] = true;
    const kan_status status = kan_verify_tell_apart(input, columns, true);
    kan_free(v->run, columns);
    return status;
}
