/* `search`: the solution space and its best, without a release. The best is recounted all the same,
 * from the values that a release would show. */
#include "analyze/verify.h"
#include "job/certificate.h"
#include "job/result.h"
#include "recode/apply.h"

/* What a release would show of the quasi-identifiers. */
static kan_status apply(const kan_setup *setup, kan_solution *solution, kan_table **out) {
    kan_run *run = setup->run;
    kan_status status;
    uint8_t *is_suppressed = NULL;
    if (kan_recoding_has_regions(&solution->answer.recoding)) {
        KAN_TRY(kan_solution_find_rows(solution));
        return kan_apply_groups(run, solution->by_group.columns, solution->by_group.n_columns,
                                solution->by_group.group_of_row, setup->table->n_rows, out);
    }
    if (solution->groups.n_suppressed > 0) {
        KAN_TRY(kan_alloc(run, setup->table->n_rows, 1, &is_suppressed));
        KAN_TRY_DONE(kan_solution_mark_rows(solution, is_suppressed));
    }
    kan_apply_source source = {setup->table, setup->quasi, solution->shown, setup->n_quasi,
                               is_suppressed};
    KAN_TRY_DONE(kan_apply_shown(run, &source, out));
done:
    kan_free(run, is_suppressed);
    return status;
}

static kan_status recount(const kan_setup *setup, kan_solution *solution, bool *holds) {
    kan_status status;
    kan_run *run = setup->run;
    kan_table *release = NULL;
    kan_recount counted;
    size_t columns[KAN_MAX_GROUP_COLUMNS];
    /* A node may satisfy the promise by suppressing every row: there is nothing to recount then. */
    *holds = solution->groups.n_released_groups == 0;
    if (*holds)
        return KAN_OK;
    for (size_t i = 0; i < KAN_MAX_GROUP_COLUMNS; i++)
        columns[i] = i;
    KAN_TRY_DONE(apply(setup, solution, &release));
    uint64_t k;
    KAN_TRY_DONE(kan_setup_recounted_k(setup, &k));
    KAN_TRY_DONE(kan_verify_recount(run, release, columns, release->n_columns, k, &counted));
    *holds = kan_recount_holds(&counted, false) &&
             counted.n_rows == setup->table->n_rows - solution->groups.n_suppressed &&
             counted.n_groups == solution->groups.n_released_groups &&
             counted.smallest_group == solution->smallest_group;
    if (!*holds)
        status = kan_fail(run, KAN_FAILED,
                          "internal error: the solution failed its recount; please "
                          "report this");
done:
    kan_table_destroy(release);
    return status;
}

kan_status kan_walk_search(kan_job *job, kan_result *out) {
    kan_status status;
    kan_setup setup;
    kan_solution solution = {.setup = &setup};
    kan_outcome outcome = {.command = "search", .setup = &setup, .solution = &solution};
    kan_target *certificate = NULL;
    double start = kan_now_ms();
    KAN_TRY_DONE(kan_setup_make(job, &setup));
    status = kan_solution_find(&setup, false, &solution);
    if (status == KAN_OK) {
        double found = kan_now_ms();
        status = recount(&setup, &solution, &outcome.is_verified);
        outcome.verify_ms = kan_now_ms() - found;
    }
    if (status == KAN_OK)
        status = kan_certificate_write(&setup, &solution, false, &certificate);
    if (status == KAN_OK) {
        outcome.total_ms = kan_now_ms() - start;
        out->holds = true;
        status = kan_result_write(&outcome, out);
    }
    if (status == KAN_OK)
        status = kan_check_cancel(setup.run);
    if (status == KAN_OK)
        status = kan_certificate_commit(&setup, &solution, certificate, out);
    kan_target_close(certificate);
    kan_solution_destroy(&solution);
done:
    kan_setup_destroy(&setup);
    return status;
}
