/* Values of a database that are one to kanon, such as NULL and '', and two to whoever sees the table:
 * groups that are counted by them would look larger than they are. */
#include "job/inspect/verify_inside.h"

static kan_status tell(const kan_input *input, kan_engine *engine, const bool *columns, bool *found,
                       bool is_fault) {
    char quoted[256];
    KAN_TRY(kan_engine_find_apart(engine, columns, found));
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

kan_status kan_verify_tell_apart(const kan_input *input, const bool *columns, bool is_fault) {
    kan_engine *const engine = kan_input_engine(input);
    bool *found;
    if (!engine)
        return KAN_OK;
    KAN_TRY(kan_alloc_zero(input->run, input->n_columns, sizeof *found, &found));
    const kan_status status = tell(input, engine, columns, found, is_fault);
    kan_free(input->run, found);
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
