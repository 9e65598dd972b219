/* kanon-bench local: local recoding under (alpha,k)-anonymity, as in the paper's section 5; beside
 * other programs; and what its improvement is worth. See local.h. */
#include <stdio.h>
#include <stdlib.h>
#include <string.h>
#include <sys/stat.h>

#include "bench.h"
#include "local.h"

static const struct {
    const char *name;
    int (*run)(const local_plan *plan);
} parts[] = {{"figures", local_figures},
             {"peers", local_peers},
             {"promises", local_promises},
             {"improve", local_improve}};

static bool take_runs(const char *said, local_plan *plan) {
    uint64_t n;
    if (!kan_parse_count(said, &n) || n == 0 || n > 1000) {
        fputs("kanon-bench local: --runs is a number of runs, 1 to 1000\n", stderr);
        return false;
    }
    plan->n_runs = (unsigned)n;
    return true;
}

static bool take_k(const char *said, local_plan *plan) {
    bool is_known = said == NULL;
    for (unsigned k = 0; k < LOCAL_KS; k++) {
        plan->has_k[k] = !said || strcmp(said, local_ks[k]) == 0;
        is_known |= plan->has_k[k];
    }
    if (!is_known)
        fprintf(stderr, "kanon-bench local: --k %s: it is 2 or 10\n", said);
    return is_known;
}

/* "1,5" */
static bool take_budgets(const char *said, local_plan *plan) {
    double seconds, before = 0;
    while (*said) {
        const size_t size = strcspn(said, ",");
        if (plan->n_budgets == LOCAL_MOST_BUDGETS || size >= sizeof *plan->budgets ||
            !kan_parse_real(said, size, &seconds) || seconds <= before) {
            fprintf(stderr,
                    "kanon-bench local: --seconds is up to %d numbers above 0, ascending, with "
                    "commas\n",
                    LOCAL_MOST_BUDGETS);
            return false;
        }
        memcpy(plan->budgets[plan->n_budgets], said, size);
        plan->budgets[plan->n_budgets++][size] = '\0';
        before = seconds;
        said += size + (said[size] == ',');
    }
    return true;
}

int bench_local(int argc, char **argv) {
    bench_option options[] = {
        {"--part", "figures, peers, promises or improve (default all)", NULL},
        {"--k", "2 or 10 alone, of figures and improve", NULL},
        {"--runs", "runs of each search, of which the median is printed (default 5)", "5"},
        {"--seconds", "of improvement, with commas (default 1,5)", "1,5"},
        {"--out", "draw the figures as SVG files in this directory", NULL},
        {NULL, NULL, NULL}};
    local_plan plan = {.out = NULL};
    int status, failed = 0;
    if (!bench_options_read(argc, argv,
                            "Local recoding: Figures 5 and 6 of the (alpha,k) paper, other "
                            "programs, what promises cost, and what improving is worth.",
                            options, &status))
        return status;
    if (!take_runs(bench_option_value(options, "--runs"), &plan) ||
        !take_k(bench_option_value(options, "--k"), &plan) ||
        !take_budgets(bench_option_value(options, "--seconds"), &plan))
        return 2;
    const char *part = bench_option_value(options, "--part");
    bool is_known = part == NULL;
    plan.out = bench_option_value(options, "--out");
    if (plan.out)
        (void)mkdir(plan.out, 0777); /* when it is there already, all the better */
    for (size_t i = 0; i < sizeof parts / sizeof *parts; i++)
        if (!part || strcmp(part, parts[i].name) == 0) {
            failed |= parts[i].run(&plan);
            is_known = true;
        }
    if (!is_known) {
        fprintf(stderr, "kanon-bench local: --part %s: it is figures, peers, promises or improve\n",
                part);
        return 2;
    }
    return failed;
}
