/* The gains that the paper claims, held against what was measured: see figures.h.
 *
 * A claim is a pair of searches that differ in one idea. A gain shows where the second takes less
 * time than the first. Where it does not, the counters of both say why: how many sets were made
 * from the base and how many from other sets, how many tuples that took, and what a tuple cost. */
#include <inttypes.h>
#include <stdio.h>
#include <string.h>

#include "figures.h"

static const double GAIN = 1.05; /* less is within what two runs differ by */

typedef struct {
    const char *idea, *without, *with;
    const char *paper; /* what it says, in our words */
} paper_claim;

static const paper_claim claims[] = {
    {"Roll-up", "bottom-up", "bottom-up-rollup",
     "4.2.1: bottom-up is substantially faster on Adults when it rolls frequency sets up"},
    {"A-priori pruning", "bottom-up-rollup", "incognito",
     "4.2.1: pruning by subsets leaves far fewer nodes, with smaller frequency sets, and less "
     "time"},
    {"A-priori pruning and super-roots", "bottom-up-rollup", "incognito-superroots",
     "4.2: Incognito is faster than bottom-up search with roll-up"},
    {"Super-roots", "incognito", "incognito-superroots",
     "4.2.2: up to 4 or 5 scans fewer for a family of roots; most visible on the larger table"},
    {"The cube, building included", "incognito", "incognito-cube",
     "4.2.3: faster than basic on Adults; slower on Lands End, where only the marginal cost is "
     "less"},
    {"Our own search", "incognito", "bisect", "not of the paper; the same optimum, with proof"},
};

static bool is_measured(const trial_result *a, const trial_result *b) {
    return a->state == TRIAL_DONE && b->state == TRIAL_DONE;
}

static double ns_per_tuple(const trial_result *result) {
    return result->answer.effort.n_tuples > 0
               ? result->ms * 1e6 / (double)result->answer.effort.n_tuples
               : 0;
}

static void print_effort(const char *name, const trial_result *result) {
    const kan_effort *effort = &result->answer.effort;
    printf("      %-22s %.3f ms: %" PRIu64 " nodes checked; sets made: %" PRIu64
           " from the base, %" PRIu64 " from other sets, %" PRIu64 " of the cube; %" PRIu64
           " tuples looked at, %.1f ns each\n",
           name, result->ms, result->answer.n_checked, effort->n_scans, effort->n_rollups,
           effort->n_cube, effort->n_tuples, ns_per_tuple(result));
}

/* Sets that no check was made on: super-roots, sets of the cube, sets that only measure a node. */
static uint64_t n_besides(const trial_result *result) {
    const kan_effort *effort = &result->answer.effort;
    const uint64_t n_sets = effort->n_scans + effort->n_rollups + effort->n_cube;
    return n_sets > result->answer.n_checked ? n_sets - result->answer.n_checked : 0;
}

/* From the counters alone. */
static void print_why(const figure_data *figures, unsigned size, const trial_result *without,
                      const trial_result *with) {
    const kan_effort *a = &without->answer.effort, *b = &with->answer.effort;
    const double nodes = (double)without->answer.n_checked / (double)with->answer.n_checked;
    const double tuples = b->n_tuples > 0 ? (double)a->n_tuples / (double)b->n_tuples : 0;
    const double cost = ns_per_tuple(without) > 0 ? ns_per_tuple(with) / ns_per_tuple(without) : 0;
    if (nodes != 1)
        printf("      Nodes: %.2f times as many are checked with it as without.\n", 1 / nodes);
    printf("      Scans: %" PRIu64 " %s; one looks at the %zu tuples of the folded base, where the "
           "paper's reads %" PRIu64 " rows.\n",
           a->n_scans > b->n_scans ? a->n_scans - b->n_scans : b->n_scans - a->n_scans,
           a->n_scans > b->n_scans ? "fewer" : "more", figures->n_tuples[size], figures->n_rows);
    printf("      Beside the checks: %" PRIu64 " sets without it and %" PRIu64
           " with it, to roll up "
           "from or to find the best node, which the paper's searches do not look for.\n",
           n_besides(without), n_besides(with));
    if (tuples > 0)
        printf("      Tuples: %.2f times as many are looked at with it as without, and each costs "
               "%.2f times as much%s.\n",
               1 / tuples, cost,
               cost > GAIN ? ": sets that are kept are made and sorted, others only counted" : "");
    if (with->ms < 0.5)
        puts("      It takes less than half a millisecond: much of that is preparing.");
}

static void print_ratios(const figure_data *figures, unsigned k, const paper_claim *claim) {
    printf("  k = %-2s  times as fast at %u to %u columns:", figures_ks[k], FIGURES_FIRST,
           FIGURES_FIRST + figures->n_sizes - 1);
    for (unsigned size = 0; size < figures->n_sizes; size++) {
        const trial_result *without = figures_find(figures, size, k, claim->without);
        const trial_result *with = figures_find(figures, size, k, claim->with);
        if (is_measured(without, with))
            printf(" %.2f", without->ms / with->ms);
        else if (without->state == TRIAL_OVER && with->state == TRIAL_DONE)
            printf(" >%.1f", figures->budget_s * 1e3 / with->ms);
        else
            printf(" -");
    }
    putchar('\n');
}

/* Without the building: what remains is the marginal cost of another search on the same cube. */
static void print_marginal(const figure_data *figures, unsigned k) {
    printf("  k = %-2s  once the cube is built:         ", figures_ks[k]);
    for (unsigned size = 0; size < figures->n_sizes; size++) {
        const trial_result *basic = figures_find(figures, size, k, "incognito");
        const trial_result *cube = figures_find(figures, size, k, "incognito-cube");
        double rest = cube->ms - figures->cube_ms[size];
        if (is_measured(basic, cube) && figures->cube_ms[size] >= 0 && rest > 0)
            printf(" %.2f", basic->ms / rest);
        else
            printf(" -");
    }
    putchar('\n');
}

/* In a sentence, and why for the largest size without a gain. */
static void print_verdict(const figure_data *figures, unsigned k, const paper_claim *claim) {
    unsigned n_gains = 0, n_known = 0, worst = 0, n_less = 0;
    for (unsigned size = 0; size < figures->n_sizes; size++) {
        const trial_result *without = figures_find(figures, size, k, claim->without);
        const trial_result *with = figures_find(figures, size, k, claim->with);
        bool is_over = without->state == TRIAL_OVER && with->state == TRIAL_DONE;
        if (!is_over && !is_measured(without, with))
            continue;
        bool is_gain = is_over || without->ms / with->ms >= GAIN;
        n_known++;
        n_gains += is_gain;
        n_less += !is_gain;
        worst = is_gain ? worst : size;
    }
    if (n_known == 0) {
        puts("           nothing to compare.");
        return;
    }
    printf("           It gains at %u of %u sizes.\n", n_gains, n_known);
    if (n_less == 0)
        return;
    const trial_result *without = figures_find(figures, worst, k, claim->without);
    const trial_result *with = figures_find(figures, worst, k, claim->with);
    printf("    Why not at %u columns:\n", FIGURES_FIRST + worst);
    print_effort(claim->without, without);
    print_effort(claim->with, with);
    print_why(figures, worst, without, with);
}

void figures_print_findings(const figure_data *figures) {
    puts("\nFindings, from the numbers above");
    for (size_t i = 0; i < sizeof claims / sizeof *claims; i++) {
        const paper_claim *claim = &claims[i];
        printf("%s: %s against %s. (%s)\n", claim->idea, claim->without, claim->with, claim->paper);
        if (!trial_search_find(claim->without) || !trial_search_find(claim->with)) {
            printf("  missing: %s\n",
                   trial_search_find(claim->without) ? claim->with : claim->without);
            continue;
        }
        static const unsigned ks[] = {FIGURES_K2, FIGURES_K10};
        for (unsigned j = 0; j < 2; j++) {
            print_ratios(figures, ks[j], claim);
            if (strcmp(claim->with, "incognito-cube") == 0)
                print_marginal(figures, ks[j]);
            print_verdict(figures, ks[j], claim);
        }
    }
}
