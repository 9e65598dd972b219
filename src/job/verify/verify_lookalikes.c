/* Values that are one to kanon, such as NULL and '', and two to whoever sees the table: groups that are
 * counted by them would look larger than they are. Who read the table knows of them (find_apart of
 * io/source.h); DuckDB looks at a file of Parquet as at a table; and what --missing, --decimal,
 * --thousands and --date-format made one is known of the columns. */
#include "engine/engine.h"
#include "job/verify/verify_inside.h"

static const kan_apart_words spelled = {
    "an empty field and a word of --missing, or a date or a number that is written in two ways",
    "write each value in one way"};

/* The same columns, as the source that looks at them numbers them. */
static kan_status find(const kan_input *input, const kan_source *source, const bool *columns,
                       bool *found) {
    const size_t n = kan_source_n_columns(source);
    kan_run *const run = input->run;
    bool *asked = NULL, *answers = NULL;
    size_t column;
    kan_status status;
    KAN_TRY_DONE(kan_alloc_zero(run, n, sizeof *asked, &asked));
    KAN_TRY_DONE(kan_alloc_zero(run, n, sizeof *answers, &answers));
    for (size_t i = 0; i < n; i++)
        asked[i] =
            kan_input_find(input, kan_slice_of(kan_source_column_name(source, i)), &column) &&
            columns[column];
    KAN_TRY_DONE(source->kind->find_apart(source->state, asked, answers));
    for (size_t i = 0; i < n; i++)
        if (answers[i] &&
            kan_input_find(input, kan_slice_of(kan_source_column_name(source, i)), &column))
            found[column] = true;
done:
    kan_free(run, asked);
    kan_free(run, answers);
    return status;
}

static void tell(const kan_input *input, size_t column, const kan_apart_words *words,
                 bool is_fault) {
    char quoted[256];
    kan_quote(kan_slice_of(input->columns[column]), quoted);
    if (is_fault)
        kan_problem_add(input->run,
                        "%s: column %s has values that kanon counts as one, such as %s, and "
                        "whoever sees the table can tell them apart: how many rows look alike is "
                        "not known; make them one in the table (%s), and verify it again",
                        input->name, quoted, words->examples, words->remedy);
    else
        kan_note(input->run,
                 "column %s has values that are counted as one, such as %s, though whoever sees "
                 "the table can tell them apart: groups may be smaller than told",
                 quoted, words->examples);
}

static kan_status tell_all(const kan_input *input, const kan_source *looker, const bool *columns,
                           bool *found, bool is_fault) {
    const kan_table *const table = input->raw;
    if (looker->kind->find_apart)
        KAN_TRY(find(input, looker, columns, found));
    kan_problems_begin(input->run);
    for (size_t i = 0; i < input->n_columns; i++)
        if (found[i])
            tell(input, i, &looker->kind->apart, is_fault);
        else if (columns[i] && table && table->columns[i].joins_values)
            tell(input, i, &spelled, is_fault);
    return kan_problems_end(input->run);
}

kan_status kan_verify_tell_apart(const kan_input *input, const bool *columns, bool is_fault) {
    kan_source *file = NULL;
    bool *found = NULL;
    kan_status status;
    if (!input->source)
        return KAN_OK;
    KAN_TRY(kan_engine_open_parquet(input->source, &input->job->options, &file));
    KAN_TRY_DONE(kan_alloc_zero(input->run, input->n_columns, sizeof *found, &found));
    KAN_TRY_DONE(tell_all(input, file ? file : input->source, columns, found, is_fault));
done:
    kan_free(input->run, found);
    kan_source_close(file);
    return status;
}

/* Quasi-identifiers, means and sensitive columns; others may be as they were in the original. */
kan_status kan_verify_check_apart(const kan_verification *v) {
    const kan_input *const input = &v->release.input;
    const kan_role_list *const sensitive = &v->roles.named[KAN_ROLE_SENSITIVE];
    bool *columns;
    KAN_TRY(kan_alloc_zero(v->run, input->n_columns, sizeof *columns, &columns));
    for (size_t i = 0; i < v->n_quasi; i++) {
        columns[v->quasi_columns[i]] = true;
        if (v->mean_of[i].is_there && v->summary == KAN_SUMMARY_BOTH)
            columns[v->mean_of[i].column] = true;
    }
    for (size_t i = 0; i < sensitive->n; i++)
        columns[sensitive->columns[i].at[KAN_VERIFY_RELEASE]] = true;
    const kan_status status = kan_verify_tell_apart(input, columns, true);
    kan_free(v->run, columns);
    return status;
}
