/* The promise, the search, and who is left out. */
#include <inttypes.h>
#include <string.h>

#include "job/tables/tables_inside.h"

uint64_t kan_clan_limit(const kan_job *job, uint64_t n_people) {
    const char *text = kan_options_find(&job->options, "suppress");
    kan_suppress_limit limit = {.rows = 0};
    if (text)
        (void)kan_suppress_parse(text, &limit);
    return kan_suppress_rows(&limit, n_people);
}

uint64_t kan_clan_k(const kan_job *job) {
    return kan_options_count(&job->options, "k", 1);
}

/* What was posed goes with the items. */
void kan_clan_forget(kan_clan *clan) {
    kan_kin_parts_destroy(clan->question.parts);
    kan_kin_heads_destroy(clan->question.heads);
    clan->question.parts = NULL;
    clan->question.heads = NULL;
    clan->question.kin = NULL;
}

static kan_status search(kan_clan *clan) {
    enum { MOST_STEPS = 20000 };
    const char *effort = kan_options_find(&clan->job->options, "effort");
    kan_trees_question *q = &clan->question;
    kan_kin_folded folded = {.run = NULL};
    kan_status status;
    q->k = kan_clan_k(clan->job);
    q->limit = kan_clan_limit(clan->job, clan->n_people);
    q->most_steps = MOST_STEPS;
    if (effort)
        (void)kan_effort_parse(effort, &q->most_steps);
    kan_report_progress(clan->run, "fold", 0, 0);
    KAN_TRY_DONE(kan_kin_fold(clan->run, &clan->kin, q->lowest, &folded));
    KAN_TRY_DONE(kan_clan_pose(clan, &folded.kin, folded.item_of, q));
    status = kan_trees_search(clan->run, q, &clan->answer);
    if (status == KAN_OK)
        kan_run_set_time_limit(clan->run, 0); /* the rest is not a search */
done:
    kan_clan_forget(clan);
    kan_kin_folded_destroy(&folded);
    return status;
}

/* Models may hold at other levels than the highest: nothing is said of single nodes. */
static kan_status fail_with_models(const kan_clan *clan) {
    char left[32], all[32], limit[32];
    return kan_fail(
        clan->run, KAN_UNSATISFIED,
        "nothing within the limits keeps the promise: at the highest levels %s of %s people share "
        "their tree with fewer than %" PRIu64
        ", or a model of sensitive values does not hold for those who share it; %s may be left "
        "out; leave more out with --suppress, lower --k, or promise less of the sensitive columns",
        kan_count_text(clan->answer.n_left, left), kan_count_text(clan->n_people, all),
        clan->question.k, kan_count_text(clan->question.limit, limit));
}

static kan_status fail_by_groups(const kan_clan *clan) {
    char left[32], all[32], limit[32];
    return kan_fail(
        clan->run, KAN_UNSATISFIED,
        "nothing within the limits keeps the promise: even at the highest levels %s of %s people "
        "would have to be left out so that every group of every table has %" PRIu64
        " people, and nobody with a row in some table may be left; %s may be left out; leave more "
        "out with --suppress, lower --k, or leave out a table",
        kan_count_text(clan->answer.n_left, left), kan_count_text(clan->n_people, all),
        clan->question.k, kan_count_text(clan->question.limit, limit));
}

static kan_status fail_unfound(const kan_clan *clan) {
    char left[32], all[32], limit[32];
    if (!clan->answer.is_proven)
        return kan_fail(clan->run, KAN_UNSATISFIED,
                        "no levels that keep the promise were found within --effort %llu nodes, "
                        "which proves nothing; look at more with --effort N",
                        (unsigned long long)clan->question.most_steps);
    if (clan->has_models)
        return fail_with_models(clan);
    if (clan->by_groups)
        return fail_by_groups(clan);
    if (clan->answer.n_left <= clan->question.limit)
        return kan_fail(
            clan->run, KAN_UNSATISFIED,
            "even at the highest levels nobody who has a row in one of the tables would "
            "be released: their trees are shared by fewer than %" PRIu64
            " people each; how many rows somebody has is a part of her tree: lower --k, "
            "or leave out a table that few people have rows in",
            clan->question.k);
    return kan_fail(
        clan->run, KAN_UNSATISFIED,
        "nothing within the limits keeps the promise: even at the highest levels the trees of %s "
        "of "
        "%s people are shared by fewer than %" PRIu64
        " people, and %s may be left out; how many rows somebody has is a part of her tree: leave "
        "more out with --suppress, lower --k, or leave out a table",
        kan_count_text(clan->answer.n_left, left), kan_count_text(clan->n_people, all),
        clan->question.k, kan_count_text(clan->question.limit, limit));
}

/* Rows of people who are left out, in every table. */
static kan_status mark_rows(kan_clan *clan) {
    kan_status status;
    for (size_t t = 0; t < clan->n; t++)
        KAN_TRY(kan_alloc(clan->run, (size_t)clan->tables[t].setup.table->n_rows, 1,
                          &clan->tables[t].is_left));
    KAN_TRY_DONE(kan_clan_pose(clan, &clan->kin, NULL, &clan->question));
    KAN_TRY_DONE(kan_trees_leave(clan->run, &clan->question, clan->answer.levels,
                                 clan->tables[0].is_left, &clan->n_left));
    if (clan->n_left != clan->answer.n_left)
        KAN_TRY_DONE(kan_fail(clan->run, KAN_FAILED,
                              "internal error: the search counted other people than its rows have; "
                              "please report it"));
    for (size_t t = 0; t < clan->n; t++) {
        kan_clan_table *table = &clan->tables[t];
        for (uint64_t row = 0; row < table->setup.table->n_rows; row++) {
            if (t > 0)
                table->is_left[row] = clan->tables[table->parent].is_left[table->parent_row[row]];
            table->n_left += table->is_left[row];
        }
        clan->n_released[t] = table->setup.table->n_rows - table->n_left;
    }
done:
    kan_clan_forget(clan);
    return status;
}

/* Intervals are called as the values of released rows make them, whatever others have. */
static kan_status fit_name(kan_clan *clan, size_t t, unsigned q) {
    const kan_clan_table *table = &clan->tables[t];
    kan_hierarchy *h = table->setup.hierarchies[q];
    const kan_kin_column *column = &clan->kin.tables[t].columns[q];
    if (!kan_hierarchy_has_open_names(h))
        return KAN_OK;
    for (uint32_t row = 0; row < clan->kin.tables[t].n; row++) {
        const kan_slice value = h->levels[0].label[column->codes[row]];
        if (!table->is_left[row] && !kan_value_is_unknown(value) && !kan_value_is_whole(value))
            return KAN_OK;
    }
    return kan_hierarchy_name_whole(h);
}

kan_status kan_clan_solve(kan_clan *clan) {
    const double start = kan_now_ms();
    KAN_TRY(search(clan));
    if (!clan->answer.is_found)
        return fail_unfound(clan);
    KAN_TRY(mark_rows(clan));
    for (size_t t = 0; t < clan->n; t++)
        for (unsigned q = 0; q < clan->tables[t].setup.n_quasi; q++) {
            clan->tables[t].levels[q] = clan->answer.levels[clan->tables[t].attribute[q]];
            KAN_TRY(fit_name(clan, t, q));
        }
    KAN_TRY(kan_clan_measure(clan));
    clan->search_ms = kan_now_ms() - start;
    return KAN_OK;
}
