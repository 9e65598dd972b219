/* Trials of searches: a table is read once, folded once for each prefix of its columns, and
 * searches are asked questions about it, one thread, CPU time of the search alone. */
#ifndef KANON_BENCH_TRIAL_H
#define KANON_BENCH_TRIAL_H

#include "bench_data.h"
#include "io/csv/csv.h"

typedef struct trial_rows {
    kan_run *run;
    const bench_table *where;
    kan_csv_source *source;
    kan_table *table;
} trial_rows;

/* Reads all columns. 0 on success; failures are printed. Close it in either case. */
int trial_rows_read(const bench_table *where, trial_rows *out);
void trial_rows_close(trial_rows *rows);

typedef struct trial_fold {
    kan_job *job;
    kan_setup setup;
} trial_fold;

/* The problem of the first `n_columns` columns. 0 on success; destroy it in either case. */
int trial_fold_make(const trial_rows *rows, unsigned n_columns, trial_fold *out);
void trial_fold_destroy(trial_fold *fold);

typedef struct trial_question {
    const char *k, *limit, *cost; /* as the user would write them: "5", "2%", "ncp" */
    const char *marking;          /* NULL: the search's own */
    bool wants_all;
    double budget_s;                /* wall time; 0: as long as it takes */
    unsigned least_runs, most_runs; /* 0: as many as tell the time of a short one */
} trial_question;

/* Short searches run again until that many runs or that much CPU time. */
enum { TRIAL_MOST_RUNS = 25, TRIAL_ENOUGH_MS = 400 };

/* The question as searches understand it, with all that it borrows. */
typedef struct trial_asked {
    kan_arena arena;
    kan_options options;
    kan_promise promise;
    kan_objective objective;
    kan_question question;
} trial_asked;

/* Destroy it in either case. */
KAN_MUST_USE kan_status trial_ask(const trial_fold *fold, const trial_question *wanted,
                                  trial_asked *out);
void trial_asked_destroy(trial_asked *asked);

typedef enum trial_state {
    TRIAL_NONE,    /* there is no such search, or it was not tried */
    TRIAL_DONE,    /* the members below hold */
    TRIAL_OVER,    /* it took longer than the budget */
    TRIAL_REFUSED, /* it could not do it: the text of the run was printed */
} trial_state;

typedef struct trial_result {
    trial_state state;
    double ms;         /* CPU time, the best of several runs where they are short */
    kan_answer answer; /* without its vectors */
    uint64_t n_groups; /* released by the answer's node; 0 when nothing was found */
} trial_result;

/* NULL when no search of that name is registered. */
const kan_search_kind *trial_search_find(const char *name);
trial_result trial_run(const trial_fold *fold, const kan_search_kind *search,
                       const trial_question *question);

/* Calls the search, once. A function of its own so that an instruction counter can be told to count
 * only while it runs. */
kan_status bench_search_once(const kan_search_kind *search, kan_run *run,
                             const kan_question *question, kan_answer *out);

/* CPU time of building the cube of incognito-cube, the part of it before the search. Below 0 when
 * that failed. */
double trial_cube_ms(const trial_fold *fold, const trial_question *question);

#endif
