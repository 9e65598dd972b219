/* What a release is together with earlier ones: see outcome_ledger.h. */
#include "job/outcome/outcome_ledger.h"

#include <inttypes.h>
#include <string.h>

#include "job/outcome/outcome_json.h"

/* Where each person's past is known: released people of each, and of the smallest cell, by history. */
static kan_status count_stayers(const kan_solution *solution, uint64_t *released,
                                uint64_t *smallest) {
    const kan_problem *problem = solution->problem;
    const kan_leavers *leavers = &solution->leavers;
    uint64_t *n_of;
    KAN_TRY(kan_alloc_zero(problem->run, leavers->histories.n_classes, sizeof *n_of, &n_of));
    for (size_t p = 0; p < problem->n_people; p++) {
        if (leavers->is_gone[p])
            continue;
        released[problem->pasts->of_person[p]]++;
        n_of[leavers->histories.class_of[p]]++;
    }
    for (size_t c = 0; c < leavers->histories.n_classes; c++)
        if (n_of[c] > 0 && !leavers->histories.fails[c] && /* else they are hidden */
            (*smallest == 0 || n_of[c] < *smallest))
            *smallest = n_of[c];
    kan_free(problem->run, n_of);
    return KAN_OK;
}

/* Newcomers who are not in this release were in none. Pasts that somebody in the table has are counted from 0,
 * where no more is known of people. */
static void count_leavers(const kan_setup *setup, const uint64_t *released,
                          kan_ledger_figures *out) {
    const kan_ledger_classes *classes = &setup->past->classes;
    const uint64_t k = setup->promise.k;
    uint32_t number = classes->n_here[0] > 0;
    for (uint32_t c = 1; c < classes->n; c++) {
        const uint64_t n = classes->n_here[c] + classes->n_gone[c];
        uint64_t n_out = classes->n_gone[c];
        if (setup->problem.pasts)
            n_out += classes->n_here[c] - released[c];
        else if (classes->n_here[c] > 0)
            n_out += classes->n_here[c] - released[number++];
        const bool is_short = n >= k && n_out > 0 && n_out < k;
        out->n_cells += is_short;
        out->n_leavers += is_short ? n_out : 0;
        out->n_stranded += n < k ? n : 0;
    }
}

kan_status kan_ledger_measure(const kan_solution *solution, kan_ledger_figures *out) {
    const kan_setup *setup = solution->setup;
    uint64_t *released;
    *out = (kan_ledger_figures){.n_earlier = kan_setup_n_earlier(setup),
                                .smallest = setup->person ? solution->fewest_people
                                                          : solution->smallest_group};
    if (out->n_earlier == 0)
        return KAN_OK;
    out->smallest = 0;
    KAN_TRY(kan_alloc_zero(setup->run, setup->past->classes.n, sizeof *released, &released));
    const kan_status status = setup->problem.pasts
                                  ? count_stayers(solution, released, &out->smallest)
                                  : kan_solution_count_pasts(solution, released, &out->smallest);
    if (status == KAN_OK)
        count_leavers(setup, released, out);
    out->n_hidden = setup->problem.pasts ? solution->leavers.newcomers.n_hidden : 0;
    out->n_repaired = setup->problem.pasts ? solution->leavers.repair.n_gone : 0;
    kan_free(setup->run, released);
    return status;
}

kan_status kan_ledger_check(const kan_solution *solution) {
    const kan_setup *setup = solution->setup;
    kan_ledger_figures figures;
    char people[32], cells[32];
    const char *leavers = kan_options_find(&setup->job->options, "leavers");
    if (!setup->past || !leavers || strcmp(leavers, "refuse") != 0)
        return KAN_OK;
    KAN_TRY(kan_ledger_measure(solution, &figures));
    if (figures.n_leavers == 0)
        return KAN_OK;
    return kan_fail(
        setup->run, KAN_UNSATISFIED,
        "--leavers refuse: %s %s out with fewer than %" PRIu64
        " of those with whom they were together in all earlier releases (in %s %s); "
        "--leavers repair leaves out others of these until they are enough, coarser groups "
        "may keep more of them, and --leavers count releases without a promise for them",
        kan_count_text(figures.n_leavers, people),
        kan_plural(figures.n_leavers, "person would be", "people would be"), setup->promise.k,
        kan_count_text(figures.n_cells, cells), kan_plural(figures.n_cells, "case", "cases"));
}

json_t *kan_ledger_json(const kan_setup *setup, const kan_ledger_figures *figures) {
    if (!kan_setup_wants_ledger(setup))
        return json_null();
    return json_pack(
        "{s:o, s:o, s:o, s:o, s:o, s:o, s:o}", "earlier", kan_json_count(figures->n_earlier),
        "smallest", kan_json_count(figures->smallest), "leavers",
        kan_json_count(figures->n_leavers), "cells", kan_json_count(figures->n_cells), "stranded",
        kan_json_count(figures->n_stranded), "repaired", kan_json_count(figures->n_repaired),
        "hidden", kan_json_count(figures->n_hidden));
}

void kan_ledger_tell(const kan_setup *setup, const kan_ledger_figures *figures) {
    char people[32], cells[32];
    if (figures->n_leavers > 0)
        kan_note(
            setup->run,
            "%s %s out of this release with fewer than %" PRIu64
            " of those with whom they were together in all earlier ones (in %s %s): whoever "
            "knows that somebody is out may find her rows in the earlier releases. That is for "
            "you alone; the promise is stated without them",
            kan_count_text(figures->n_leavers, people),
            kan_plural(figures->n_leavers, "person is", "people are"), setup->promise.k,
            kan_count_text(figures->n_cells, cells), kan_plural(figures->n_cells, "case", "cases"));
    if (figures->n_repaired > 0)
        kan_note(setup->run,
                 "--leavers repair: %s %s left out so that those who are out of this release are "
                 "%" PRIu64 " or more of those with whom they were together in all earlier ones",
                 kan_count_text(figures->n_repaired, people),
                 kan_plural(figures->n_repaired, "person is", "people are"), setup->promise.k);
    if (figures->n_hidden > 0)
        kan_note(setup->run,
                 "--attacker knows-if: %s %s with fewer than %" PRIu64
                 " newcomers in a group that hides them; whoever knows that they are new finds "
                 "them among these",
                 kan_count_text(figures->n_hidden, people),
                 kan_plural(figures->n_hidden, "newcomer is", "newcomers are"), setup->promise.k);
    if (figures->n_stranded > 0)
        kan_note(setup->run,
                 "%s %s together with fewer than %" PRIu64
                 " in the earlier releases, and can be in no release any more. That is for you "
                 "alone; the promise is stated without them",
                 kan_count_text(figures->n_stranded, people),
                 kan_plural(figures->n_stranded, "person was", "people were"), setup->promise.k);
}

void kan_ledger_add(const kan_setup *setup, const char *lead, kan_text *text) {
    const size_t n = kan_setup_n_earlier(setup);
    if (!kan_setup_wants_ledger(setup))
        return;
    if (n == 0) {
        kan_text_print(text,
                       "%sthe first release of its ledger: later ones keep the promise "
                       "together with it\n",
                       lead);
        return;
    }
    const char *attacker = kan_options_find(&setup->job->options, "attacker");
    kan_text_print(text, "%swith %zu earlier %s: holds %s\n", lead, n,
                   kan_plural(n, "release", "releases"),
                   attacker && strcmp(attacker, "knows-if") == 0
                       ? "against whoever does not know since when somebody is in them"
                       : "among those who were together in all of them");
}
