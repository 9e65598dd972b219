/* `search`: the solution space and its best, without a release. The best is recounted anyway, from
 * the values that a release would show. `compare` asks for each of its cells in the same way. */
#include "analyze/verify/verify.h"
#include "job/outcome/outcome.h"
#include "job/release/application.h"
#include "job/release/calibrate.h"
#include "job/release/certificate.h"
#include "job/release/nodes_file.h"
#include "job/release/release.h"
#include "job/release/release_ledger.h"
#include "recode/apply.h"

/* What a release by regions would show; rows that are left out are in no group of it. */
static kan_status apply_groups(const kan_setup *setup, kan_solution *solution, kan_table **out) {
    kan_run *run = setup->run;
    const kan_group_release *by_group = &solution->by_group;
    uint32_t *kept = NULL;
    uint64_t *counts = NULL;
    uint64_t n_kept = 0;
    kan_status status;
    KAN_TRY(kan_solution_find_rows(solution));
    const uint64_t n_rows = setup->table->n_rows; /* only now: it may have divided some */
    if (solution->groups.n_suppressed == 0)
        return kan_apply_groups(run, by_group->columns, by_group->n_columns, by_group->group_of_row,
                                setup->table->counts, n_rows, out);
    KAN_TRY_DONE(kan_alloc(run, (size_t)n_rows, sizeof *kept, &kept));
    if (setup->table->counts)
        KAN_TRY_DONE(kan_alloc(run, (size_t)n_rows, sizeof *counts, &counts));
    for (uint64_t row = 0; row < n_rows; row++) {
        if (!kan_solution_groups(solution)->is_released[by_group->group_of_row[row]])
            continue;
        if (counts)
            counts[n_kept] = setup->table->counts[row];
        kept[n_kept++] = by_group->group_of_row[row];
    }
    KAN_TRY_DONE(
        kan_apply_groups(run, by_group->columns, by_group->n_columns, kept, counts, n_kept, out));
done:
    kan_free(run, kept);
    kan_free(run, counts);
    return status;
}

/* What a release would show of the quasi-identifiers. */
static kan_status apply(const kan_setup *setup, kan_solution *solution, kan_table **out) {
    kan_run *run = setup->run;
    kan_status status;
    uint8_t *is_suppressed = NULL;
    if (kan_recoding_has_regions(&solution->answer.recoding))
        return apply_groups(setup, solution, out);
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

/* The released rows of a column that is released as it is: its values, and codes in `out`. */
static kan_status keep_released(const kan_setup *setup, const kan_solution *solution,
                                const kan_column *column, uint64_t n_released, kan_column *out) {
    kan_run *run = setup->run;
    const uint64_t n_rows = setup->table->n_rows;
    uint8_t *is_suppressed;
    uint32_t *codes;
    uint64_t n = 0;
    *out = *column;
    out->codes = NULL;
    out->counts = NULL; /* the recount takes those of what is shown beside it */
    KAN_TRY(kan_alloc(run, n_released, sizeof *codes, &codes));
    out->codes = codes;
    out->width = sizeof *codes;
    KAN_TRY(kan_alloc(run, n_rows, 1, &is_suppressed));
    kan_status status = kan_solution_mark_rows(solution, is_suppressed);
    for (uint64_t row = 0; status == KAN_OK && row < n_rows; row++) {
        if (is_suppressed[row])
            continue;
        if (n < n_released)
            codes[n] = kan_column_code(column, row);
        n++;
    }
    kan_free(run, is_suppressed);
    if (status == KAN_OK && n != n_released)
        status = kan_fail(run, KAN_FAILED,
                          "internal error: the rows of the solution do not add up; please report "
                          "this");
    return status;
}

/* What the rows of the solution show of the sensitive columns. */
typedef struct {
    kan_column *made; /* with codes of our own, where rows are left out */
    const kan_column **columns;
} sensitive_columns;

static kan_status find_sensitive(const kan_setup *setup, const kan_solution *solution,
                                 const kan_claim *claim, uint64_t n_released,
                                 sensitive_columns *out) {
    const size_t n = claim->n_columns;
    KAN_TRY(kan_alloc_zero(setup->run, n, sizeof *out->made, &out->made));
    KAN_TRY(kan_alloc_zero(setup->run, n, sizeof *out->columns, &out->columns));
    for (size_t i = 0; i < n; i++) {
        const kan_column *column = kan_table_find(setup->table, claim->columns[i].name, NULL);
        if (!column || !column->is_encoded)
            return kan_fail(setup->run, KAN_FAILED,
                            "internal error: a sensitive column was not read; please report this");
        out->columns[i] = column;
        if (n_released == setup->table->n_rows)
            continue;
        KAN_TRY(keep_released(setup, solution, column, n_released, &out->made[i]));
        out->columns[i] = &out->made[i];
    }
    return KAN_OK;
}

static void sensitive_destroy(const kan_setup *setup, size_t n, sensitive_columns *sensitive) {
    for (size_t i = 0; sensitive->made && i < n; i++)
        kan_free(setup->run, sensitive->made[i].codes);
    kan_free(setup->run, sensitive->made);
    kan_free(setup->run, sensitive->columns);
}

/* Which rows are released, where people are counted, weights are summed, or there are strata: kan_release_check.row_of. */
static kan_status list_rows(const kan_setup *setup, const kan_solution *solution, uint64_t **out) {
    kan_run *run = setup->run;
    const uint64_t n_rows = setup->table->n_rows;
    uint64_t at = 0, behind = n_rows - solution->groups.n_suppressed, *row_of = NULL;
    uint8_t *is_suppressed = NULL;
    kan_status status;
    KAN_TRY_DONE(kan_alloc(run, n_rows, sizeof *row_of, &row_of));
    KAN_TRY_DONE(kan_alloc_zero(run, n_rows, 1, &is_suppressed));
    KAN_TRY_DONE(kan_solution_mark_rows(solution, is_suppressed));
    for (uint64_t row = 0; row < n_rows; row++)
        row_of[is_suppressed[row] ? behind++ : at++] = row;
    *out = row_of;
    row_of = NULL;
done:
    kan_free(run, row_of);
    kan_free(run, is_suppressed);
    return status;
}

/* The same together with earlier releases. */
static kan_status check_past(const kan_setup *setup, const kan_table *release, size_t n_quasi,
                             const kan_column *const *sensitive, const kan_outcome *outcome,
                             const uint64_t *row_of) {
    size_t quasi[KAN_MAX_ATTRIBUTES];
    if (kan_setup_n_earlier(setup) == 0) /* after it there are levels alone, a column each */
        return KAN_OK;
    for (size_t a = 0; a < n_quasi; a++)
        quasi[a] = a;
    const kan_models_question question = {.release = release,
                                          .quasi = quasi,
                                          .n_quasi = n_quasi,
                                          .claim = &outcome->claim,
                                          .sensitive = sensitive};
    return kan_release_recount_past(setup, &question, row_of);
}

/* What the release would be: what it shows of the quasi-identifiers, and the sensitive columns. */
static kan_status check(const kan_setup *setup, const kan_table *shown,
                        const kan_column *const *sensitive, kan_outcome *outcome) {
    const size_t n_sensitive = outcome->claim.n_columns, n = shown->n_columns + n_sensitive;
    kan_table release = *shown; /* its columns are borrowed */
    const char **names = NULL;
    uint64_t *row_of = NULL;
    uint8_t *is_suppressed = NULL;
    kan_status status;
    release.columns = NULL;
    release.n_columns = n;
    KAN_TRY_DONE(kan_alloc(setup->run, n, sizeof *release.columns, &release.columns));
    KAN_TRY_DONE(kan_alloc(setup->run, n, sizeof *names, &names));
    for (size_t i = 0; i < n; i++) {
        release.columns[i] =
            i < shown->n_columns ? shown->columns[i] : *sensitive[i - shown->n_columns];
        names[i] = release.columns[i].name;
    }
    if (setup->person || setup->weight || setup->household || setup->stratum || setup->past)
        KAN_TRY_DONE(list_rows(setup, outcome->solution, &row_of));
    if (setup->matches_missing) {
        KAN_TRY_DONE(kan_alloc_zero(setup->run, setup->table->n_rows, 1, &is_suppressed));
        KAN_TRY_DONE(kan_solution_mark_rows(outcome->solution, is_suppressed));
    }
    const kan_release_check question = {
        .table = &release,
        .person = setup->person,
        .weight = setup->weight,
        .strata = setup->stratum,
        .household = kan_setup_leaves_households(setup) ? setup->household : NULL,
        .row_of = row_of,
        .columns = names,
        .n_columns = n,
        .n_rows = kan_table_total(shown),
        .claim = &outcome->claim,
        .quasi = names,
        .n_quasi = shown->n_columns,
        .people = setup->matches_missing ? setup->table : NULL,
        .has_left = is_suppressed,
        .raw = setup->input.raw,
        .treated = setup->table,
        .treatments = setup->input.treatments,
        .n_treatments = setup->input.n_treatments};
    kan_release_report report;
    KAN_TRY_DONE(kan_verify_release(setup->run, &question, &report));
    outcome->recounted = report.models;
    status = check_past(setup, &release, shown->n_columns, sensitive, outcome, row_of);
done:
    kan_free(setup->run, release.columns);
    kan_free(setup->run, names);
    kan_free(setup->run, row_of);
    kan_free(setup->run, is_suppressed);
    return status;
}

static kan_status count(const kan_setup *setup, const kan_solution *solution,
                        const kan_table *shown, kan_outcome *outcome) {
    sensitive_columns sensitive = {0};
    kan_status status = find_sensitive(setup, solution, &outcome->claim, shown->n_rows, &sensitive);
    if (status == KAN_OK)
        status = check(setup, shown, sensitive.columns, outcome);
    sensitive_destroy(setup, outcome->claim.n_columns, &sensitive);
    return status;
}

static kan_status recount(const kan_setup *setup, kan_solution *solution, kan_outcome *outcome) {
    kan_status status;
    kan_table *release = NULL;
    const kan_recount *counted = &outcome->recounted.groups;
    KAN_TRY(kan_recounted_claim(setup->job, &setup->promise, setup->table, false, &outcome->claim));
    outcome->claim.population = setup->has_people ? &setup->claimed : NULL;
    /* A node may satisfy the promise by suppressing every row: there is nothing to recount then. */
    outcome->is_verified = solution->groups.n_released_groups == 0;
    if (outcome->is_verified)
        return KAN_OK;
    KAN_TRY(apply(setup, solution, &release));
    KAN_TRY_DONE(count(setup, solution, release, outcome));
    outcome->is_recounted = true;
    outcome->is_verified =
        counted->n_rows == setup->problem.n_rows - solution->groups.n_suppressed &&
        counted->n_groups == solution->groups.n_released_groups &&
        counted->smallest_group ==
            (setup->person ? solution->fewest_people : solution->smallest_group);
    if (!outcome->is_verified)
        status = kan_fail(setup->run, KAN_FAILED,
                          "internal error: the solution failed its recount; please "
                          "report this");
done:
    kan_table_destroy(release);
    return status;
}

/* What `anonymize` would refuse, though the solution satisfies. */
static kan_status tell_calibration(const kan_setup *setup, const kan_solution *solution) {
    kan_run *run = setup->run;
    kan_calibration calibration = {.codes = NULL};
    uint8_t *is_suppressed;
    if (setup->n_strata == 0 || solution->groups.n_suppressed == 0 ||
        solution->groups.n_released_groups == 0)
        return KAN_OK;
    KAN_TRY(kan_alloc_zero(run, setup->table->n_rows, 1, &is_suppressed));
    kan_status status = kan_solution_mark_rows(solution, is_suppressed);
    if (status == KAN_OK)
        status = kan_calibration_make(setup, is_suppressed, &calibration);
    if (status == KAN_UNSATISFIED) {
        kan_note(run, "kanon anonymize would refuse this solution: %s", kan_run_error(run));
        status = KAN_OK;
    }
    kan_calibration_destroy(run, &calibration);
    kan_free(run, is_suppressed);
    return status;
}

/* Where nothing satisfies, the nodes tell how far each is from it: they are written all the same,
 * and the error stays what it is. */
static kan_status tell_nodes(const kan_setup *setup, kan_result *out) {
    kan_target *nodes;
    kan_nodes_listed listed;
    kan_status status = kan_nodes_file_write(setup, &listed, &nodes);
    if (status == KAN_OK)
        status = kan_check_cancel(setup->run);
    if (status == KAN_OK)
        status = kan_nodes_file_commit(setup, &listed, nodes, out);
    kan_target_close(nodes);
    return status == KAN_OK ? KAN_UNSATISFIED : status;
}

kan_status kan_walk_solution(kan_job *job, bool wants_release, kan_result *out) {
    kan_status status;
    kan_setup setup;
    kan_solution solution = {.setup = &setup};
    kan_outcome outcome = {.command = "search", .setup = &setup, .solution = &solution};
    kan_target *certificate = NULL, *nodes = NULL;
    kan_nodes_listed listed = {.n_written = 0};
    double start = kan_now_ms();
    KAN_TRY_DONE(kan_setup_make(job, &setup));
    const kan_solution_wants wants = {.release = wants_release,
                                      .certificate = kan_certificate_is_wanted(&setup),
                                      .nodes = kan_options_switch(&job->options, "all-nodes")};
    KAN_TRY_DONE(kan_certificate_is_possible(&setup));
    if (!wants_release)
        KAN_TRY_DONE(kan_nodes_file_is_possible(&setup));
    status = kan_solution_find(&setup, &wants, &solution);
    if (status == KAN_OK)
        status = kan_ledger_check(&solution);
    if (status == KAN_OK) {
        double found = kan_now_ms();
        status = recount(&setup, &solution, &outcome);
        outcome.verify_ms = kan_now_ms() - found;
        if (status == KAN_OK && !wants_release)
            status = tell_calibration(&setup, &solution);
    }
    if (!wants_release && status == KAN_UNSATISFIED)
        status = tell_nodes(&setup, out);
    else if (!wants_release && status == KAN_OK)
        status = kan_nodes_file_write(&setup, &listed, &nodes);
    if (status == KAN_OK)
        status = kan_released_make(&solution, &outcome.released);
    if (status == KAN_OK && wants_release)
        status = kan_release_measure(&setup, &solution, &outcome);
    if (status == KAN_OK)
        status = kan_certificate_write(&setup, &solution, &certificate);
    if (status == KAN_OK) {
        outcome.total_ms = kan_now_ms() - start;
        out->holds = true;
        out->is_interrupted = solution.is_interrupted || listed.is_interrupted;
        outcome.nodes = nodes ? &listed : NULL;
        status = kan_result_write(&outcome, out);
    }
    if (status == KAN_OK)
        status = kan_check_cancel(setup.run);
    if (status == KAN_OK)
        status = kan_nodes_file_commit(&setup, &listed, nodes, out);
    if (status == KAN_OK) {
        status = kan_certificate_commit(&setup, &solution, certificate, out);
        if (status != KAN_OK && nodes)
            kan_target_withdraw(kan_options_find(&job->options, "nodes"));
    }
    kan_target_close(certificate);
    kan_target_close(nodes);
    json_decref(outcome.utility);
    json_decref(outcome.models);
    kan_released_destroy(&outcome.released);
    kan_solution_destroy(&solution);
done:
    kan_setup_destroy(&setup);
    return status;
}

kan_status kan_walk_search(kan_job *job, kan_result *out) {
    return kan_walk_solution(job, false, out);
}
