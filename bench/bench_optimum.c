/* The goal to beat: ARX 3.9.2, the best tool in the field, on the 30,162-row Adult, nine columns,
 * k = 5.
 *
 * Warm: from the folded problem to the proven optimum, one thread, CPU time, for two costs and
 * three suppression limits. ARX's figures were measured with its own hierarchies, on a lattice of
 * the same 12,960 nodes; its loss cost stands beside our ncp. The goal is a twentieth of its time.
 * All searches must agree on the optimum, or the command fails.
 *
 * Cold: the program kanon as a process of its own, from CSV to verified CSV, on Adult and on a
 * table of a million rows. It comes first, because the peak memory of a child starts at its
 * parent's.
 *
 * Instructions: `--once SEARCH LIMIT COST` searches once, and --instructions yes counts with
 * valgrind what the search alone executes. */
#include <inttypes.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>
#include <unistd.h>

#include "bench.h"
#include "cold.h"
#include "trial.h"

enum { N_LIMITS = 3, N_COSTS = 2, N_SEARCHES = 3, GOAL_SHARE = 20 };

static const char *const limits[N_LIMITS] = {"0", "2%", "all"};
static const char *const costs[N_COSTS] = {"discernibility", "ncp"};
/* The first is held against the others, and against the goal. */
static const char *const searches[N_SEARCHES] = {"bisect", "exhaustive", "incognito"};

static const double arx_ms[N_COSTS][N_LIMITS] = {{40, 774, 4902}, {41, 919, 4037}};
static const unsigned arx_nodes[N_LIMITS] = {181, 1895, 9702}; /* by discernibility */
static const double MIB = 1048576;

/* ---- warm ----------------------------------------------------------------------------------- */

static bool is_same_optimum(const trial_result *a, const trial_result *b, unsigned n) {
    return a->answer.is_found == b->answer.is_found &&
           kan_score_compare(&a->answer.score, &b->answer.score) == 0 &&
           memcmp(a->answer.recoding.levels, b->answer.recoding.levels,
                  n * sizeof *a->answer.recoding.levels) == 0;
}

static void print_ratio(const trial_result *a, const trial_result *b) {
    if (a->state == TRIAL_DONE && b->state == TRIAL_DONE)
        printf(" %10.4f", a->ms / b->ms);
    else
        printf(" %10s", "-");
}

static int print_search(const char *name, const trial_result *result, const trial_result *all,
                        unsigned n_columns) {
    const trial_result *exhaustive = &all[1];
    printf("    %-12s", name);
    if (result->state != TRIAL_DONE) {
        puts(result->state == TRIAL_OVER   ? " over the budget"
             : result->state == TRIAL_NONE ? " missing"
                                           : " refused");
        return result->state == TRIAL_REFUSED;
    }
    printf(" %10.3f %8" PRIu64 " %12" PRIu64 " %7" PRIu64, result->ms, result->answer.n_checked,
           result->answer.effort.n_tuples, result->n_groups);
    print_ratio(result, exhaustive);
    print_ratio(result, &all[2]);
    printf("  [");
    for (unsigned a = 0; a < n_columns; a++)
        printf("%s%u", a ? "," : "", result->answer.recoding.levels[a]);
    printf("]%s", result->answer.is_optimal ? "" : " NOT PROVEN");
    const bool differs =
        exhaustive->state == TRIAL_DONE && !is_same_optimum(result, exhaustive, n_columns);
    puts(differs ? " DIFFERS" : "");
    return differs;
}

static int measure_limit(const trial_fold *fold, unsigned cost, unsigned limit, double budget_s) {
    const trial_question question = {.k = "5",
                                     .limit = limits[limit],
                                     .cost = costs[cost],
                                     .budget_s = budget_s,
                                     .least_runs = 3};
    const unsigned n_columns = fold->setup.problem.space.n_attributes;
    trial_result results[N_SEARCHES];
    int failed = 0;
    for (unsigned s = 0; s < N_SEARCHES; s++)
        results[s] = trial_run(fold, trial_search_find(searches[s]), &question);
    printf("  %s, limit %s\n", costs[cost], limits[limit]);
    for (unsigned s = 0; s < N_SEARCHES; s++)
        failed |= print_search(searches[s], &results[s], results, n_columns);
    const double goal = arx_ms[cost][limit] / GOAL_SHARE;
    printf("    %-12s %10.0f", "ARX 3.9.2", arx_ms[cost][limit]);
    if (cost == 0)
        printf(" %8u", arx_nodes[limit]);
    printf("   a twentieth: %.2f ms: %s\n", goal,
           results[0].state != TRIAL_DONE ? "not measured"
           : results[0].ms <= goal        ? "ok"
                                          : "MISSED");
    return failed;
}

static int measure_warm(const trial_fold *fold, double budget_s) {
    int failed = 0;
    printf("\nWarm: %" PRIu64 " rows, %zu tuples, k = 5, from the folded problem to the proven "
           "optimum, one thread\n"
           "    %-12s %10s %8s %12s %7s %10s %10s  optimum\n"
           "    %-12s %10s %8s %12s %7s %10s %10s\n",
           fold->setup.problem.n_rows, fold->setup.problem.base.n, "search", "CPU ms", "nodes",
           "tuples", "groups", "times", "times", "", "", "checked", "looked at", "", "exhaustive",
           "incognito");
    for (unsigned cost = 0; cost < N_COSTS; cost++)
        for (unsigned limit = 0; limit < N_LIMITS; limit++)
            failed |= measure_limit(fold, cost, limit, budget_s);
    return failed;
}

/* ---- instructions --------------------------------------------------------------------------- */

static int once(const char *search, const char *limit, const char *cost) {
    bench_table table;
    trial_rows rows;
    trial_fold fold = {.job = NULL};
    const kan_search_kind *kind = trial_search_find(search);
    const trial_question question = {.k = "5", .limit = limit, .cost = cost, .most_runs = 1};
    if (!kind) {
        fprintf(stderr, "kanon-bench optimum: there is no search %s\n", search);
        return 2;
    }
    if (bench_table_adult("adult-30162.csv", "adult", &table) != 0)
        return 1;
    int failed = trial_rows_read(&table, &rows) || trial_fold_make(&rows, table.n_columns, &fold);
    if (!failed) {
        trial_result result = trial_run(&fold, kind, &question);
        failed = result.state != TRIAL_DONE;
        printf("%s, limit %s, %s: %" PRIu64 " nodes checked, %" PRIu64 " tuples looked at\n",
               search, limit, cost, result.answer.n_checked, result.answer.effort.n_tuples);
    }
    trial_fold_destroy(&fold);
    trial_rows_close(&rows);
    return failed;
}

static void counting_command(const char *program, const char *search, unsigned limit, unsigned cost,
                             char *command, size_t size) {
    snprintf(command, size,
             "valgrind --tool=callgrind --callgrind-out-file=/dev/null "
             "--toggle-collect=bench_search_once '%s' optimum --once %s %s %s",
             program, search, limits[limit], costs[cost]);
}

/* What valgrind says was collected; 0 when it did not. */
static uint64_t count_instructions(const char *command) {
    char line[1500];
    uint64_t counted = 0;
    snprintf(line, sizeof line, "%s 2>&1", command);
    FILE *from = popen(line, "r");
    while (from && fgets(line, sizeof line, from)) {
        const char *found = strstr(line, "Collected : ");
        counted = found ? strtoull(found + strlen("Collected : "), NULL, 10) : counted;
    }
    if (from)
        (void)pclose(from);
    return counted;
}

static void count_all(void) {
    char program[1024], command[1400];
    if (!cold_own_path(program, sizeof program))
        return;
    puts("\nInstructions of the search alone (valgrind)");
    for (unsigned cost = 0; cost < N_COSTS; cost++)
        for (unsigned limit = 0; limit < N_LIMITS; limit++)
            for (unsigned s = 0; s < N_SEARCHES; s++) {
                if (!trial_search_find(searches[s]))
                    continue;
                counting_command(program, searches[s], limit, cost, command, sizeof command);
                uint64_t counted = count_instructions(command);
                printf("  %-15s limit %-4s %-12s ", costs[cost], limits[limit], searches[s]);
                if (counted > 0)
                    printf("%16" PRIu64 "\n", counted);
                else
                    puts("not counted: is valgrind installed?");
                fflush(stdout);
            }
}

/* ---- cold ----------------------------------------------------------------------------------- */

typedef struct {
    const char *kanon, *algorithm, *dir; /* the release is written into dir, and removed */
    const char *table, *hierarchies, *columns, *limit, *cost, *threads;
    unsigned runs;
    double goal_ms, goal_mib; /* goal_mib 0: none */
    const char *arx;          /* what ARX took */
} cold_job;

/* execvp does not change what it is given; its type is older than const. */
static char *const *mutable_arguments(const char *const *arguments) {
    return (char *const *)(uintptr_t)arguments;
}

static int measure_cold(const cold_job *job) {
    char release[400];
    snprintf(release, sizeof release, "%s/release.csv", job->dir);
    const char *const arguments[] = {job->kanon,
                                     "anonymize",
                                     job->table,
                                     "--algorithm",
                                     job->algorithm,
                                     "--hierarchies",
                                     job->hierarchies,
                                     "--qi",
                                     job->columns,
                                     "--k",
                                     "5",
                                     "--suppress",
                                     job->limit,
                                     "--cost",
                                     job->cost,
                                     "--threads",
                                     job->threads,
                                     "--time-limit",
                                     "60",
                                     "-o",
                                     release,
                                     "--force",
                                     "--quiet",
                                     NULL};
    cold_result result = cold_best(mutable_arguments(arguments), job->runs);
    (void)unlink(release);
    printf("  limit %-3s %s, %s thread%s: ", job->limit, job->cost, job->threads,
           strcmp(job->threads, "1") == 0 ? " " : "s");
    if (result.exit_status != 0) {
        printf("exit status %d after %.1f s\n", result.exit_status, result.wall_ms / 1e3);
        return result.exit_status == KAN_UNSATISFIED ? 0 : 1; /* not within the time limit */
    }
    const double mib = (double)result.peak_bytes / MIB;
    printf("%8.1f ms wall, %.1f ms CPU, goal %.0f ms: %s; %.1f MiB", result.wall_ms, result.cpu_ms,
           job->goal_ms, result.wall_ms <= job->goal_ms ? "ok" : "MISSED", mib);
    if (job->goal_mib > 0)
        printf(", goal %.0f MiB: %s", job->goal_mib, mib <= job->goal_mib ? "ok" : "MISSED");
    printf("; ARX %s\n", job->arx);
    return 0;
}

static int cold_adult(cold_job job, const bench_table *table) {
    char columns[256] = "";
    for (unsigned i = 0; i < table->n_columns; i++)
        snprintf(columns + strlen(columns), sizeof columns - strlen(columns), "%s%s", i ? "," : "",
                 table->columns[i]);
    puts("Cold: adult, 30,162 rows, k = 5, a process from CSV to verified CSV, best of 10");
    job.table = table->table;
    job.hierarchies = table->hierarchies;
    job.columns = columns;
    job.threads = "1";
    job.runs = 10;
    job.goal_ms = 50;
    job.goal_mib = 40;
    job.arx = "1790 ms and 306 MiB";
    job.limit = "0";
    int failed = measure_cold(&job);
    job.limit = "2%";
    return failed | measure_cold(&job);
}

/* Compiles and runs the generator of the data folder. 0 on success. */
static int make_million(const char *rows, const char *dir, const char *hierarchies,
                        const char *table) {
    char source[600], program[400];
    if (!bench_data_path("ihis-synthetic/generate.c", source, sizeof source))
        return 1;
    snprintf(program, sizeof program, "%s/generate", dir);
    const char *const compile[] = {"cc", "-O2", source, "-lm", "-o", program, NULL};
    const char *const generate[] = {program, rows, "1", hierarchies, NULL};
    int failed = cold_run(mutable_arguments(compile), NULL).exit_status ||
                 cold_run(mutable_arguments(generate), table).exit_status;
    (void)unlink(program);
    return failed;
}

static int cold_million(cold_job job, const char *rows) {
    char hierarchies[600], table[400];
    if (strcmp(rows, "0") == 0)
        return 0;
    printf("Cold: ihis-synthetic, %s rows, nine columns, k = 5, best of 3\n", rows);
    snprintf(table, sizeof table, "%s/table.csv", job.dir);
    int failed = 0;
    if (!bench_data_path("ihis-synthetic/hierarchies", hierarchies, sizeof hierarchies) ||
        make_million(rows, job.dir, hierarchies, table) != 0) {
        puts("  skipped: no ihis-synthetic in $KANON_DATA or ../shared/data, or no compiler cc");
    } else {
        job.table = table;
        job.hierarchies = hierarchies;
        job.columns = "YEAR,QUARTER,REGION,PERNUM,AGE,MARSTAT,SEX,RACEA,EDUC";
        job.threads = "2";
        job.runs = 3;
        job.goal_ms = 1000;
        job.arx = "12.5 s and 878 MiB";
        job.limit = "0";
        failed = measure_cold(&job);
        job.goal_ms = 3000;
        job.arx = "minutes";
        job.limit = "2%";
        failed |= measure_cold(&job);
        job.cost = "ncp";
        job.goal_mib = 270;
        job.arx = "255 s and 507 MiB";
        failed |= measure_cold(&job);
    }
    (void)unlink(table);
    return failed;
}

/* The program beside this one, unless the user names another. */
static bool find_kanon(const char *said, char *path, size_t size) {
    if (said) {
        snprintf(path, size, "%s", said);
    } else {
        if (!cold_own_path(path, size - sizeof "kanon"))
            return false;
        strcpy(strrchr(path, '/') + 1, "kanon");
    }
    return access(path, X_OK) == 0;
}

static int measure_processes(const bench_option *options, const bench_table *table) {
    char kanon[1024], dir[256];
    if (!find_kanon(bench_option_value(options, "--kanon"), kanon, sizeof kanon)) {
        puts("Cold: skipped, there is no program kanon beside kanon-bench; name it with --kanon");
        return 0;
    }
    if (bench_temporary(dir, sizeof dir) != 0)
        return 1;
    const cold_job job = {.kanon = kanon,
                          .dir = dir,
                          .algorithm = bench_option_value(options, "--algorithm"),
                          .cost = "discernibility"};
    int failed = cold_adult(job, table) | cold_million(job, bench_option_value(options, "--rows"));
    rmdir(dir);
    return failed;
}

/* ---- the command ---------------------------------------------------------------------------- */

int bench_optimum(int argc, char **argv) {
    bench_option options[] = {
        {"--kanon", "the program that is measured cold (default: beside this one)", NULL},
        {"--algorithm", "the search of these processes (default auto)", "auto"},
        {"--rows", "rows of the large table (default 1000000; 0: leave it out)", "1000000"},
        {"--budget", "seconds that each search may take (default 60)", "60"},
        {"--instructions", "yes: count them too, with valgrind, which takes minutes", "no"},
        {"--once", "SEARCH LIMIT COST: search once and nothing else, for a counter", NULL},
        {NULL, NULL, NULL}};
    bench_table table;
    trial_rows rows;
    trial_fold fold = {.job = NULL};
    char command[1400];
    int status;
    if (argc == 5 && strcmp(argv[1], "--once") == 0)
        return once(argv[2], argv[3], argv[4]);
    if (!bench_options_read(argc, argv,
                            "From the folded table to the proven optimum, and whole processes, "
                            "beside ARX 3.9.2.",
                            options, &status))
        return status;
    if (bench_option_value(options, "--once")) {
        fputs("kanon-bench optimum: --once needs SEARCH LIMIT COST, and nothing else\n", stderr);
        return 2;
    }
    if (bench_table_adult("adult-30162.csv", "adult", &table) != 0)
        return 1;
    int failed = measure_processes(options, &table);
    if (trial_rows_read(&table, &rows) == 0 && trial_fold_make(&rows, table.n_columns, &fold) == 0)
        failed |= measure_warm(&fold, strtod(bench_option_value(options, "--budget"), NULL));
    else
        failed = 1;
    trial_fold_destroy(&fold);
    trial_rows_close(&rows);
    counting_command("kanon-bench", searches[0], 1, 0, command, sizeof command);
    printf("\nTo count instructions of one search:\n  %s\n", command);
    if (strcmp(bench_option_value(options, "--instructions"), "yes") == 0)
        count_all();
    return failed;
}
