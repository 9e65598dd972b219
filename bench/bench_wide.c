/* Many quasi-identifiers: what is known after 2 and after 10 CPU seconds of one thread, by kanon and by the
 * yardsticks of wide.h, all on the same probe.
 *
 * k = 5. Tables: `wide-census`, of which the first 15, 20, 24 or 30 columns are taken; answers to
 * questions, twenty-four columns that are all alike, made here; and credit (24 columns) where it is
 * there. kanon is asked with `--effort all` and stopped; the steps that it tells repeat the answer. */
#include <math.h>
#include <signal.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>
#include <sys/stat.h>
#include <sys/time.h>
#include <unistd.h>

#include "bench.h"
#include "bench_data.h"
#include "core/hash.h"
#include "generate/wide_census_model.h"
#include "job/registry/registry.h"
#include "job/setup/setup.h"
#include "wide.h"

/* ---- stopping by CPU time ------------------------------------------------------------------- */

static kan_run *stopped;

static void stop(int number) {
    (void)number;
    kan_run_interrupt(stopped);
}

static void set_timer(double seconds) {
    const double whole = floor(seconds);
    const struct itimerval timer = {
        .it_value = {.tv_sec = (time_t)whole, .tv_usec = (suseconds_t)((seconds - whole) * 1e6)}};
    setitimer(ITIMER_PROF, &timer, NULL);
}

void wide_stop_after(kan_run *run, double seconds) {
    stopped = run;
    signal(SIGPROF, stop);
    kan_anytime_begin(run);
    set_timer(seconds);
}

bool wide_stop_end(kan_run *run) {
    set_timer(0);
    return kan_anytime_end(run);
}

/* ---- tables --------------------------------------------------------------------------------- */

enum { N_ANSWERS = 24, ANSWER_ROWS = 40000 };

static const char *const credit_columns[] = {
    "LIMIT_BAL", "SEX",       "EDUCATION", "MARRIAGE",  "AGE",       "PAY_0",
    "PAY_2",     "PAY_3",     "PAY_4",     "PAY_5",     "PAY_6",     "BILL_AMT1",
    "BILL_AMT2", "BILL_AMT3", "BILL_AMT4", "BILL_AMT5", "BILL_AMT6", "PAY_AMT1",
    "PAY_AMT2",  "PAY_AMT3",  "PAY_AMT4",  "PAY_AMT5",  "PAY_AMT6",  "default-payment-next-month"};

static const char *const answer_columns[] = {"a1", "a2", "a3", "a4", "a5", "a6", "a7", "a8",
                                             "b1", "b2", "b3", "b4", "b5", "b6", "b7", "b8",
                                             "c1", "c2", "c3", "c4", "c5", "c6", "c7", "c8"};

static const char *census_columns[KAN_WIDE_COLUMNS];

/* Somebody answers questions of one kind alike, more or less. */
static int write_answers(const char *path, uint64_t n_rows) {
    FILE *file = fopen(path, "w");
    if (!file)
        return 1;
    for (unsigned i = 0; i < N_ANSWERS; i++)
        fprintf(file, "%s%c", answer_columns[i], i + 1 < N_ANSWERS ? ',' : '\n');
    for (uint64_t row = 0; row < n_rows; row++) {
        uint64_t random = kan_hash_word(row), traits[3];
        for (unsigned t = 0; t < 3; t++)
            traits[t] = kan_random_below(&random, 4) + kan_random_below(&random, 4);
        for (unsigned i = 0; i < N_ANSWERS; i++) {
            const uint64_t draw = traits[i / 8] + kan_random_below(&random, 3),
                           answer = draw < 1   ? 1
                                    : draw > 7 ? 7
                                               : draw;
            fprintf(file, "%u%c", (unsigned)answer, i + 1 < N_ANSWERS ? ',' : '\n');
        }
    }
    return fclose(file) != 0;
}

static int write_scale(const char *path) {
    FILE *file = fopen(path, "w");
    if (!file)
        return 1;
    fputs("1;1-2;1-3;*\n2;1-2;1-3;*\n3;3;1-3;*\n4;4;4;*\n5;5;5-7;*\n6;6-7;5-7;*\n7;6-7;5-7;*\n",
          file);
    return fclose(file) != 0;
}

static int make_answers(uint64_t n_rows, bench_table *out) {
    char path[800];
    *out = (bench_table){.columns = answer_columns, .n_columns = N_ANSWERS};
    if (bench_temporary(out->dir, sizeof out->dir) != 0)
        return 1;
    snprintf(out->table, sizeof out->table, "%s/answers.csv", out->dir);
    snprintf(out->hierarchies, sizeof out->hierarchies, "%s/hierarchies", out->dir);
    int failed = mkdir(out->hierarchies, 0700) != 0 ||
                 write_answers(out->table, n_rows ? n_rows : ANSWER_ROWS);
    for (unsigned i = 0; i < N_ANSWERS && !failed; i++) {
        snprintf(path, sizeof path, "%s/%s.csv", out->hierarchies, answer_columns[i]);
        failed = write_scale(path);
    }
    if (failed)
        fprintf(stderr, "kanon-bench: %s could not be written\n", out->dir);
    return failed;
}

static int make_census(uint64_t n_rows, bench_table *out) {
    if (bench_table_generate("wide-census", n_rows, out) != 0)
        return 1;
    for (unsigned i = 0; i < KAN_WIDE_COLUMNS; i++)
        census_columns[i] = kan_wide_domains[i].name;
    out->columns = census_columns;
    out->n_columns = KAN_WIDE_COLUMNS;
    return 0;
}

static int find_credit(uint64_t n_rows, bench_table *out) {
    (void)n_rows;
    *out = (bench_table){.columns = credit_columns,
                         .n_columns = sizeof credit_columns / sizeof(char *)};
    if (bench_data_path("credit/credit.csv.gz", out->table, sizeof out->table) &&
        bench_data_path("credit/hierarchies", out->hierarchies, sizeof out->hierarchies))
        return 0;
    puts("no credit/credit.csv.gz in $KANON_DATA or ../shared/data: left out");
    out->n_columns = 0;
    return 0;
}

static const struct {
    const char *name;
    int (*make)(uint64_t n_rows, bench_table *out);
    unsigned n_columns[4]; /* first ones that are quasi-identifiers; 0 ends */
    const char *sensitive; /* of questions about values; it is no quasi-identifier there */
} tables[] = {
    {"wide-census", make_census, {15, 20, 24, 30}, "diagnosis"},
    {"answers", make_answers, {24}, "c8"},
    {"credit", find_credit, {24}, "default-payment-next-month"},
};

enum { N_TABLES = sizeof tables / sizeof *tables };

/* ---- questions ------------------------------------------------------------------------------ */

typedef struct {
    const char *limit, *cost;
    const char *setting, *value; /* NULL: k alone */
} wide_question;

static const wide_question questions[] = {
    {"0", "ncp", NULL, NULL},
    {"2%", "ncp", NULL, NULL},
    {"10%", "ncp", NULL, NULL},
    {"all", "ncp", NULL, NULL},
    {"0", "discernibility", NULL, NULL},
    {"2%", "discernibility", NULL, NULL},
    {"10%", "discernibility", NULL, NULL},
    {"all", "discernibility", NULL, NULL},
    {"2%", "ncp", "l", "2"},
    {"2%", "ncp", "t", "0.3"},
    {"2%", "average-class", NULL, NULL},
};

enum { N_QUESTIONS = sizeof questions / sizeof *questions };

typedef struct {
    const char *name, *limit, *cost; /* NULL: all */
    uint64_t n_rows, n_columns;
    bool is_alone; /* without yardsticks */
    double seconds[WIDE_MARKS];
} wide_plan;

static kan_job *make_job(kan_run *run, const bench_table *table, unsigned n_columns,
                         const char *sensitive, const wide_question *q) {
    kan_job *job = NULL;
    bool failed = kan_job_create(run, &job) || kan_job_set(job, "input", table->table) ||
                  kan_job_set(job, "hierarchies", table->hierarchies) ||
                  kan_job_set(job, "k", "5") || kan_job_set(job, "suppress", q->limit) ||
                  kan_job_set(job, "cost", q->cost) || kan_job_set(job, "threads", "1");
    for (unsigned i = 0; i < n_columns && !failed; i++)
        if (!q->setting || strcmp(table->columns[i], sensitive) != 0)
            failed = kan_job_set(job, "qi", table->columns[i]) != KAN_OK;
    if (q->setting)
        failed = failed || kan_job_set(job, "sensitive", sensitive) ||
                 kan_job_set(job, q->setting, q->value);
    if (!failed)
        return job;
    fprintf(stderr, "kanon-bench: %s\n", kan_run_error(run));
    kan_job_destroy(job);
    return NULL;
}

/* ---- answers -------------------------------------------------------------------------------- */

typedef struct {
    wide_result result;
    uint64_t n_steps[WIDE_MARKS];
    double bound[WIDE_MARKS];
    bool is_proven[WIDE_MARKS];
} kanon_result;

static kan_status run_kanon(const kan_setup *setup, const kan_question *question,
                            const wide_trial *trial, kanon_result *out) {
    for (unsigned i = 0; i < WIDE_MARKS; i++) {
        kan_answer answer = {.n_nodes = 0};
        wide_stop_after(setup->run, trial->seconds[i]);
        kan_status status = setup->search->search(setup->run, question, &answer);
        if (wide_stop_end(setup->run) && status == KAN_CANCELLED)
            status = KAN_OK; /* it had found nothing */
        KAN_TRY(status);
        out->result.best[i] = (kan_found){.is_found = answer.is_found, .score = answer.score};
        out->result.n_nodes[i] = answer.n_checked;
        out->n_steps[i] = answer.n_steps;
        out->bound[i] = answer.bound;
        out->is_proven[i] = answer.is_optimal;
        kan_answer_destroy(setup->run, &answer);
    }
    return KAN_OK;
}

/* It ends by itself, in less than a second. Not for every promise. */
static void run_datafly(const kan_setup *setup, const kan_question *question, wide_result *out) {
    kan_answer answer = {.n_nodes = 0};
    const kan_search_kind *search =
        (const kan_search_kind *)kan_registry_find(KAN_FAMILY_SEARCH, "datafly");
    if (!search || search->search(setup->run, question, &answer) != KAN_OK)
        return;
    for (unsigned i = 0; i < WIDE_MARKS; i++)
        out->best[i] = (kan_found){.is_found = answer.is_found, .score = answer.score};
    kan_answer_destroy(setup->run, &answer);
}

static void print_value(const kan_found *found) {
    if (!found->is_found)
        printf("-");
    else if (found->score.real < 10)
        printf("%.4f", found->score.real);
    else if (found->score.real < 1e6)
        printf("%.2f", found->score.real);
    else
        printf("%.5g", found->score.real);
}

static void print_values(const wide_result *result, bool is_one) {
    printf(" | ");
    print_value(&result->best[0]);
    if (is_one)
        return;
    printf(" / ");
    print_value(&result->best[WIDE_MARKS - 1]);
}

static void print_kanon(const kanon_result *kanon) {
    const unsigned last = WIDE_MARKS - 1;
    const double value = kanon->result.best[last].score.real;
    print_values(&kanon->result, false);
    printf(" | %llu / %llu | %llu / %llu", (unsigned long long)kanon->n_steps[0],
           (unsigned long long)kanon->n_steps[last], (unsigned long long)kanon->result.n_nodes[0],
           (unsigned long long)kanon->result.n_nodes[last]);
    if (kanon->is_proven[last])
        printf(" | proven | 0");
    else if (kanon->bound[last] > 0 && kanon->result.best[last].is_found)
        printf(" | %.4g | %.1f %%", kanon->bound[last], 100 * (1 - kanon->bound[last] / value));
    else
        printf(" | - | -");
}

/* ---- in all --------------------------------------------------------------------------------- */

static const wide_yardstick *const yardsticks[] = {&wide_boxes, &wide_descent, &wide_local,
                                                   &wide_genetic};

enum { N_YARDSTICKS = sizeof yardsticks / sizeof *yardsticks };

static unsigned n_asked, n_behind[WIDE_MARKS];

/* At which marks something else is better. */
static void print_behind(const kanon_result *kanon, const wide_result *others, unsigned n_others) {
    printf(" | ");
    n_asked++;
    for (unsigned i = 0; i < WIDE_MARKS; i++) {
        bool is_behind = false;
        for (unsigned y = 0; y < n_others; y++)
            is_behind |= others[y].best[i].is_found && (!kanon->result.best[i].is_found ||
                                                        others[y].best[i].score.real * (1 + 1e-12) <
                                                            kanon->result.best[i].score.real);
        n_behind[i] += is_behind;
        printf("%s", is_behind ? i == 0 ? "first " : "last" : "");
    }
    printf(" |\n");
    fflush(stdout);
}

static kan_status compare(const kan_setup *setup, const wide_plan *plan) {
    const kan_question question = {.problem = &setup->problem,
                                   .model = setup->model,
                                   .promise = &setup->promise,
                                   .objective = &setup->objective,
                                   .options = &setup->job->options,
                                   .wants_release = true,
                                   .most_steps = UINT64_MAX};
    wide_trial trial = {.question = &question, .random = 1};
    memcpy(trial.seconds, plan->seconds, sizeof trial.seconds);
    kanon_result kanon = {.n_steps = {0}};
    wide_result others[N_YARDSTICKS + 1] = {{.n_nodes = {0}}};
    KAN_TRY(run_kanon(setup, &question, &trial, &kanon));
    print_kanon(&kanon);
    fflush(stdout);
    run_datafly(setup, &question, &others[N_YARDSTICKS]);
    print_values(&others[N_YARDSTICKS], true);
    for (unsigned y = 0; y < N_YARDSTICKS && !plan->is_alone; y++) {
        KAN_TRY(yardsticks[y]->run(&trial, &others[y]));
        print_values(&others[y], yardsticks[y] == &wide_descent);
        fflush(stdout);
    }
    print_behind(&kanon, others, N_YARDSTICKS + 1);
    return KAN_OK;
}

static int ask(const bench_table *table, unsigned n_columns, const char *sensitive,
               const wide_question *q, const wide_plan *plan) {
    kan_setup setup;
    kan_run *run = kan_run_create();
    kan_job *job = run ? make_job(run, table, n_columns, sensitive, q) : NULL;
    if (!job) {
        kan_run_destroy(run);
        return 1;
    }
    int failed = kan_setup_make(job, &setup) != KAN_OK;
    if (!failed) {
        printf("| %u | %s%s%s | %s | %s", setup.n_quasi, q->setting ? q->setting : "k alone",
               q->setting ? " = " : "", q->setting ? q->value : "", q->limit, q->cost);
        failed = compare(&setup, plan) != KAN_OK;
    }
    if (failed)
        fprintf(stderr, "kanon-bench: %s\n", kan_run_error(run));
    kan_setup_destroy(&setup);
    kan_job_destroy(job);
    kan_run_destroy(run);
    return failed;
}

static bool is_wanted(const char *wanted, const char *name) {
    return !wanted || strcmp(wanted, name) == 0;
}

static int ask_all(const bench_table *table, size_t t, const wide_plan *plan) {
    int failed = 0;
    printf("\n%s\n\n| columns | promise | limit | cost | kanon | steps | nodes | bound | gap | "
           "datafly",
           tables[t].name);
    for (unsigned y = 0; y < N_YARDSTICKS; y++)
        printf(" | %s", yardsticks[y]->name);
    printf(" | behind |\n");
    for (unsigned i = 0; i < 4 && tables[t].n_columns[i] > 0; i++) {
        const unsigned n = tables[t].n_columns[i];
        for (size_t q = 0; q < N_QUESTIONS && !failed; q++)
            if ((plan->n_columns == 0 || plan->n_columns == n) &&
                is_wanted(plan->limit, questions[q].limit) &&
                is_wanted(plan->cost, questions[q].cost))
                failed = ask(table, n, tables[t].sensitive, &questions[q], plan);
    }
    return failed;
}

static int measure(const wide_plan *plan) {
    int failed = 0;
    for (size_t t = 0; t < N_TABLES && !failed; t++) {
        bench_table table = {.n_columns = 0};
        if (!is_wanted(plan->name, tables[t].name))
            continue;
        failed = tables[t].make(plan->n_rows, &table);
        if (!failed && table.n_columns > 0)
            failed = ask_all(&table, t, plan);
        bench_table_remove(&table);
    }
    printf("\n%u questions; something else is better at %u of them after %g s, at %u after %g s\n",
           n_asked, n_behind[0], plan->seconds[0], n_behind[1], plan->seconds[1]);
    return failed;
}

static bool parse_seconds(const char *text, double *out) {
    char *end;
    *out = strtod(text, &end);
    return end != text && *end == '\0' && *out > 0 && *out < 1e6;
}

int bench_wide(int argc, char **argv) {
    bench_option options[] = {
        {"--table", "only wide-census, answers or credit", NULL},
        {"--columns", "only with so many columns (default: 15, 20, 24 and 30)", "0"},
        {"--limit", "only the limit 0, 2%, 10% or all", NULL},
        {"--cost", "only that cost", NULL},
        {"--rows", "rows of the tables that are made (default: 50,000 and 40,000)", "0"},
        {"--yardsticks", "no: kanon and datafly alone", "yes"},
        {"--first", "CPU seconds after which is asked what is known (default 2)", "2"},
        {"--last", "and again (default 10)", "10"},
        {NULL, NULL, NULL}};
    int status;
    if (!bench_options_read(argc, argv,
                            "Many quasi-identifiers: what is known after so many CPU seconds, "
                            "beside yardsticks.",
                            options, &status))
        return status;
    wide_plan plan = {.name = bench_option_value(options, "--table"),
                      .limit = bench_option_value(options, "--limit"),
                      .cost = bench_option_value(options, "--cost"),
                      .is_alone = strcmp(bench_option_value(options, "--yardsticks"), "no") == 0};
    if (!kan_parse_count(bench_option_value(options, "--columns"), &plan.n_columns) ||
        !kan_parse_count(bench_option_value(options, "--rows"), &plan.n_rows) ||
        !parse_seconds(bench_option_value(options, "--first"), &plan.seconds[0]) ||
        !parse_seconds(bench_option_value(options, "--last"), &plan.seconds[1])) {
        fputs(
            "kanon-bench wide: --columns and --rows are whole numbers, --first and --last numbers "
            "of seconds\n",
            stderr);
        return 2;
    }
    return measure(&plan);
}
