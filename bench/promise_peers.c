/* Promises and costs beside ARX, which was measured on a quiet machine: Adult, 30,162 rows, one
 * thread, the proven optimum. That machine took 2.2 ms for our search by discernibility with k = 5
 * and nothing suppressed; what it takes here scales ARX's figures to this machine. The search has
 * become quicker since: side by side with the program of then it takes 0.88 of its time, which
 * makes OUR_UNIT_MS of the 2.2 ms. Searches
 * alone, CPU time, the best of several rounds; in each round every line runs once, so that a busy
 * moment does not hit one line alone. k alone on the same columns and with the same limit stands
 * beside each promise; with nothing suppressed also that of a k for which about as many nodes are
 * checked. */
#include "promise_peers.h"

#include <math.h>
#include <stdio.h>
#include <string.h>

#include "bench.h"
#include "job/registry/registry.h"
#include "job/setup/setup.h"
#include "trial.h"

#define OUR_UNIT_MS 1.94

enum { MOST_SETTINGS = 3, MOST_ROUNDS = 100 };

/* What a line is measured against. */
enum { AIM_PROMISE = 10, AIM_COST = 15, AIM_EXHAUSTIVE = 10, AIM_NODES = 3 };

typedef struct {
    const char *name;
    const char *sensitive; /* NULL: all nine columns are quasi-identifiers */
    struct {
        const char *name, *value;
    } settings[MOST_SETTINGS];
    const char *limit, *k, *cost;
    double arx_ms; /* 0: not measured */
} line;

#define DISTINCT(l)                                                                                \
    {                                                                                              \
        { "l", l }                                                                                 \
    }
#define ENTROPY(l)                                                                                 \
    {                                                                                              \
        {"l", l}, {                                                                                \
            "l-kind", "entropy"                                                                    \
        }                                                                                          \
    }
#define RECURSIVE(l, c)                                                                            \
    {                                                                                              \
        {"l", l}, {"l-kind", "recursive"}, {                                                       \
            "c", c                                                                                 \
        }                                                                                          \
    }
#define CLOSE(t, distance)                                                                         \
    {                                                                                              \
        {"t", t}, {                                                                                \
            "t-distance", distance                                                                 \
        }                                                                                          \
    }
#define K_ALONE                                                                                    \
    {                                                                                              \
        { 0 }                                                                                      \
    }

/* The first is the unit. */
static const line lines[] = {
    {"k alone", NULL, K_ALONE, "0", "5", "discernibility", 56},
    {"k alone", "occupation", K_ALONE, "0", "5", "ncp", 0},
    {"distinct l = 5", "occupation", DISTINCT("5"), "0", "5", "ncp", 37},
    {"entropy l = 3", "occupation", ENTROPY("3"), "0", "5", "ncp", 42},
    {"t = 0.2, equal", "occupation", CLOSE("0.2", "equal"), "0", "5", "ncp", 13},
    {"t = 0.2, hierarchical", "occupation", CLOSE("0.2", "hierarchical"), "0", "5", "ncp", 14},
    {"k alone", "age", K_ALONE, "0", "5", "ncp", 0},
    {"t = 0.1, ordered", "age", CLOSE("0.1", "ordered"), "0", "5", "ncp", 32},
    {"k alone", "occupation", K_ALONE, "0", "20", "ncp", 0},
    {"k alone", "occupation", K_ALONE, "0", "100", "ncp", 0},
    {"k alone", "occupation", K_ALONE, "0", "500", "ncp", 0},
    {"k alone", "occupation", K_ALONE, "0", "2500", "ncp", 0},
    {"k alone", "age", K_ALONE, "0", "20", "ncp", 0},
    {"k alone", "age", K_ALONE, "0", "100", "ncp", 0},
    {"k alone", "age", K_ALONE, "0", "500", "ncp", 0},
    {"k alone", "age", K_ALONE, "0", "2500", "ncp", 0},
    {"k alone", "occupation", K_ALONE, "2%", "5", "ncp", 0},
    {"distinct l = 5", "occupation", DISTINCT("5"), "2%", "5", "ncp", 484},
    {"entropy l = 3", "occupation", ENTROPY("3"), "2%", "5", "ncp", 600},
    {"recursive (4, 3)", "occupation", RECURSIVE("3", "4"), "2%", "5", "ncp", 564},
    {"t = 0.2, equal", "occupation", CLOSE("0.2", "equal"), "2%", "5", "ncp", 0},
    {"t = 0.2, hierarchical", "occupation", CLOSE("0.2", "hierarchical"), "2%", "5", "ncp", 598},
    {"k alone", "age", K_ALONE, "2%", "5", "ncp", 0},
    {"entropy l = 5", "age", ENTROPY("5"), "2%", "5", "ncp", 298},
    {"k alone", "age", K_ALONE, "all", "5", "ncp", 0},
    {"entropy l = 5", "age", ENTROPY("5"), "all", "5", "ncp", 449},
    {"k alone", "occupation", K_ALONE, "all", "5", "ncp", 0},
    {"distinct l = 5", "occupation", DISTINCT("5"), "all", "5", "ncp", 857},
    {"t = 0.2, equal", "occupation", CLOSE("0.2", "equal"), "all", "5", "ncp", 1997},
    {"k = 5", NULL, K_ALONE, "2%", "5", "discernibility", 919},
    {"k = 5", NULL, K_ALONE, "10%", "5", "discernibility", 2685},
    {"k = 5", NULL, K_ALONE, "all", "5", "discernibility", 4306},
    {"k = 5", NULL, K_ALONE, "2%", "5", "ncp", 1061},
    {"k = 5", NULL, K_ALONE, "10%", "5", "ncp", 1399},
    {"k = 5", NULL, K_ALONE, "all", "5", "ncp", 3080},
    {"k = 5", NULL, K_ALONE, "2%", "5", "average-class", 884},
    {"k = 5", NULL, K_ALONE, "10%", "5", "average-class", 2823},
    {"k = 5", NULL, K_ALONE, "all", "5", "average-class", 4285},
    {"k = 5", NULL, K_ALONE, "2%", "5", "precision", 1293},
    {"k = 5", NULL, K_ALONE, "10%", "5", "precision", 794},
    {"k = 5", NULL, K_ALONE, "all", "5", "precision", 1183},
    {"k = 2", NULL, K_ALONE, "2%", "2", "discernibility", 0},
    {"k = 2", NULL, K_ALONE, "10%", "2", "discernibility", 0},
    {"k = 2", NULL, K_ALONE, "all", "2", "discernibility", 0},
    {"k = 2", NULL, K_ALONE, "2%", "2", "ncp", 0},
    {"k = 2", NULL, K_ALONE, "10%", "2", "ncp", 0},
    {"k = 2", NULL, K_ALONE, "all", "2", "ncp", 0},
    {"k = 2", NULL, K_ALONE, "2%", "2", "average-class", 0},
    {"k = 2", NULL, K_ALONE, "10%", "2", "average-class", 0},
    {"k = 2", NULL, K_ALONE, "all", "2", "average-class", 0},
    {"k = 2", NULL, K_ALONE, "2%", "2", "precision", 1230},
    {"k = 2", NULL, K_ALONE, "10%", "2", "precision", 424},
    {"k = 2", NULL, K_ALONE, "all", "2", "precision", 540},
    {"k = 10", NULL, K_ALONE, "2%", "10", "discernibility", 0},
    {"k = 10", NULL, K_ALONE, "10%", "10", "discernibility", 0},
    {"k = 10", NULL, K_ALONE, "all", "10", "discernibility", 0},
    {"k = 10", NULL, K_ALONE, "2%", "10", "ncp", 0},
    {"k = 10", NULL, K_ALONE, "10%", "10", "ncp", 0},
    {"k = 10", NULL, K_ALONE, "all", "10", "ncp", 0},
    {"k = 10", NULL, K_ALONE, "2%", "10", "average-class", 0},
    {"k = 10", NULL, K_ALONE, "10%", "10", "average-class", 0},
    {"k = 10", NULL, K_ALONE, "all", "10", "average-class", 0},
    {"k = 10", NULL, K_ALONE, "2%", "10", "precision", 0},
    {"k = 10", NULL, K_ALONE, "10%", "10", "precision", 0},
    {"k = 10", NULL, K_ALONE, "all", "10", "precision", 0},
    {"k = 50", NULL, K_ALONE, "2%", "50", "discernibility", 0},
    {"k = 50", NULL, K_ALONE, "10%", "50", "discernibility", 0},
    {"k = 50", NULL, K_ALONE, "all", "50", "discernibility", 0},
    {"k = 50", NULL, K_ALONE, "2%", "50", "ncp", 0},
    {"k = 50", NULL, K_ALONE, "10%", "50", "ncp", 0},
    {"k = 50", NULL, K_ALONE, "all", "50", "ncp", 0},
    {"k = 50", NULL, K_ALONE, "2%", "50", "average-class", 0},
    {"k = 50", NULL, K_ALONE, "10%", "50", "average-class", 0},
    {"k = 50", NULL, K_ALONE, "all", "50", "average-class", 0},
    {"k = 50", NULL, K_ALONE, "2%", "50", "precision", 0},
    {"k = 50", NULL, K_ALONE, "10%", "50", "precision", 0},
    {"k = 50", NULL, K_ALONE, "all", "50", "precision", 0},
};

enum { N_LINES = sizeof lines / sizeof *lines };

typedef struct {
    kan_run *run;
    kan_job *job;
    kan_setup setup;
    bool is_open; /* the setup was made, or tried */
    double ms, exhaustive_ms;
    kan_answer answer; /* without its vectors */
} trial;

static bool is_promise(const line *l) {
    return l->settings[0].name != NULL;
}

static int fail(const line *l, const trial *t) {
    fprintf(stderr, "kanon-bench: %s, %s, %s: %s\n", l->name, l->limit, l->cost,
            t->run ? kan_run_error(t->run) : "out of memory");
    return 1;
}

static int open_trial(const bench_table *table, const line *l, trial *out) {
    out->run = kan_run_create();
    bool failed = !out->run || kan_job_create(out->run, &out->job) ||
                  kan_job_set(out->job, "input", table->table) ||
                  kan_job_set(out->job, "hierarchies", table->hierarchies) ||
                  kan_job_set(out->job, "k", l->k) || kan_job_set(out->job, "cost", l->cost) ||
                  kan_job_set(out->job, "suppress", l->limit) ||
                  kan_job_set(out->job, "threads", "1");
    for (unsigned i = 0; i < table->n_columns && !failed; i++) {
        const bool is_sensitive = l->sensitive && strcmp(table->columns[i], l->sensitive) == 0;
        failed = kan_job_set(out->job, is_sensitive ? "sensitive" : "qi", table->columns[i]);
    }
    for (size_t i = 0; i < MOST_SETTINGS && l->settings[i].name && !failed; i++)
        failed = kan_job_set(out->job, l->settings[i].name, l->settings[i].value);
    out->is_open = !failed;
    if (failed || kan_setup_make(out->job, &out->setup) != KAN_OK)
        return fail(l, out);
    return 0;
}

static void close_trial(trial *t) {
    if (t->is_open)
        kan_setup_destroy(&t->setup);
    kan_job_destroy(t->job);
    kan_run_destroy(t->run);
}

/* The least time so far; `out` is 0 before the first. */
static int search_once(const line *l, trial *t, const kan_search_kind *search, double *best,
                       kan_answer *out) {
    const kan_question question = {.problem = &t->setup.problem,
                                   .promise = &t->setup.promise,
                                   .objective = &t->setup.objective,
                                   .options = &t->setup.job->options,
                                   .wants_release = true};
    memset(out, 0, sizeof *out);
    const double start = bench_cpu_ms();
    const kan_status status = bench_search_once(search, t->run, &question, out);
    const double ms = bench_cpu_ms() - start;
    if (status != KAN_OK)
        return fail(l, t);
    *best = *best <= 0 || ms < *best ? ms : *best;
    kan_answer_destroy(t->run, out);
    return 0;
}

/* The same node, or neither found any. */
static bool agree(const kan_answer *a, const kan_answer *b) {
    return a->is_found == b->is_found &&
           (!a->is_found || memcmp(a->recoding.levels, b->recoding.levels,
                                   a->recoding.n_attributes * sizeof *a->recoding.levels) == 0);
}

static int compare_exhaustive(const line *l, trial *t) {
    const kan_search_kind *exhaustive =
        (const kan_search_kind *)kan_registry_find(KAN_FAMILY_SEARCH, "exhaustive");
    kan_answer answer;
    if (!exhaustive || search_once(l, t, exhaustive, &t->exhaustive_ms, &answer))
        return 1;
    if (agree(&answer, &t->answer))
        return 0;
    printf("%s, %s: DIFFERS from exhaustive\n", l->name, l->limit);
    return 1;
}

/* The last line of k alone with the same columns, limit and cost. */
static const trial *find_alone(const trial *trials, size_t at) {
    for (size_t i = at; i-- > 0;)
        if (!is_promise(&lines[i]) && lines[i].sensitive && lines[at].sensitive &&
            strcmp(lines[i].sensitive, lines[at].sensitive) == 0 &&
            strcmp(lines[i].limit, lines[at].limit) == 0 && strcmp(lines[i].k, lines[at].k) == 0)
            return &trials[i];
    return NULL;
}

/* Of k alone with the same columns and limit, whatever its k, the line that checks most nearly as many
 * nodes. */
static size_t find_as_many(const trial *trials, size_t at) {
    const double n = (double)trials[at].answer.n_checked;
    size_t best = at;
    for (size_t i = 0; i < N_LINES; i++) {
        if (is_promise(&lines[i]) || !lines[i].sensitive || !lines[at].sensitive ||
            !trials[i].is_open || strcmp(lines[i].sensitive, lines[at].sensitive) != 0 ||
            strcmp(lines[i].limit, lines[at].limit) != 0)
            continue;
        if (best == at || fabs((double)trials[i].answer.n_checked - n) <
                              fabs((double)trials[best].answer.n_checked - n))
            best = i;
    }
    return best;
}

static void print_line(const trial *trials, size_t at) {
    const line *l = &lines[at];
    const trial *t = &trials[at], *alone = is_promise(l) ? find_alone(trials, at) : NULL;
    const unsigned aim = is_promise(l) ? AIM_PROMISE : AIM_COST;
    printf("%-12s %-22s %4s  %4s  %-14s %8.2f ms %6llu nodes  %-7s",
           l->sensitive ? l->sensitive : "-", l->name, l->k, l->limit, l->cost, t->ms,
           (unsigned long long)t->answer.n_checked, t->setup.search->kind.name);
    if (alone)
        printf(" %6.1f times k, %5.1f a node", t->ms / alone->ms,
               t->ms / (double)t->answer.n_checked / (alone->ms / (double)alone->answer.n_checked));
    if (alone && strcmp(l->limit, "0") == 0) {
        const size_t same = find_as_many(trials, at);
        const double times = t->ms / trials[same].ms;
        printf(", %.1f times k = %s of %llu nodes%s", times, lines[same].k,
               (unsigned long long)trials[same].answer.n_checked,
               times > AIM_NODES ? " MISSED" : "");
    }
    if (l->arx_ms > 0) {
        const double faster = l->arx_ms * trials[0].ms / OUR_UNIT_MS / t->ms;
        printf("  ARX %6.1f times%s", faster, faster < aim ? " MISSED" : "");
    }
    if (t->exhaustive_ms > 0) {
        const double faster = t->exhaustive_ms / t->ms;
        const bool is_missed =
            is_promise(l) && strcmp(l->limit, "0") != 0 && faster < AIM_EXHAUSTIVE;
        printf("  exhaustive %7.1f ms, %5.1f times%s", t->exhaustive_ms, faster,
               is_missed ? " MISSED" : "");
    }
    putchar('\n');
    fflush(stdout);
}

/* All lines, or the unit and the one of that number. */
static bool is_wanted(uint64_t only, size_t at) {
    return only == 0 || at == only || (only != 0 && at == 0);
}

int promise_peers(const promise_peers_plan *plan) {
    static trial trials[N_LINES];
    bench_table table;
    int failed = 0;
    if (bench_table_adult("adult-30162.csv", "adult", &table) != 0) {
        puts("beside ARX: skipped");
        return 0;
    }
    memset(trials, 0, sizeof trials);
    for (size_t i = 0; i < N_LINES && !failed; i++)
        if (is_wanted(plan->only, i))
            failed = open_trial(&table, &lines[i], &trials[i]);
    for (uint64_t round = 0; round < plan->n_rounds && !failed; round++)
        for (size_t i = 0; i < N_LINES && !failed; i++)
            if (trials[i].is_open)
                failed = search_once(&lines[i], &trials[i], trials[i].setup.search, &trials[i].ms,
                                     &trials[i].answer);
    for (size_t i = 0; i < N_LINES && !failed && plan->with_exhaustive; i++)
        if (trials[i].is_open)
            failed = compare_exhaustive(&lines[i], &trials[i]);
    if (!failed)
        printf("%s, one thread, beside ARX (scaled) and k alone\n", table.name);
    for (size_t i = 0; i < N_LINES && !failed; i++)
        if (trials[i].is_open)
            print_line(trials, i);
    for (size_t i = 0; i < N_LINES; i++)
        close_trial(&trials[i]);
    bench_table_remove(&table);
    return failed;
}
