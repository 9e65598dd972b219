/* Searches over cuts of ordered domains, on the 30,162-row Adult with eight quasi-identifiers and
 * its class: the grid of the K-Optimize paper's section 7 (Figures 6a and 6b), k-optimize with and
 * without its seeding (7a), and its answers against those of its rivals as time goes by (7b). As
 * tables, as pictures (--out DIR), and as a file (--save FILE) from which both can be made again
 * (--from FILE).
 *
 * Every cell is a job of its own, with a run of its own, so that its peak of memory is its own: it
 * reads the table (some milliseconds) and searches as `kanon anonymize` does. What was found is
 * measured once more by the cost itself, and no bound may be above what another cell found, or the
 * command fails. Times are wall times of the search alone, on all cores unless --threads says
 * otherwise. */
#include <inttypes.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>
#include <sys/stat.h>
#include <unistd.h>

#include "bench.h"
#include "bench_data.h"
#include "core/text.h"
#include "cuts.h"
#include "job/solution/proof_file.h"
#include "job/solution/solution.h"

/* ---- what to measure ------------------------------------------------------------------------ */

/* Bit i: the i-th of the list. */
typedef struct cuts_choice {
    unsigned data, ks, limits, costs, searches;
} cuts_choice;

#define BIT(i) (1u << (i))
#define ALL(n) ((1u << (n)) - 1)

typedef struct cuts_part {
    const char *name;
    cuts_choice choice; /* unless the user chooses */
    void (*print)(cuts_rows *rows);
    int (*draw)(cuts_rows *rows, const char *dir);
} cuts_part;

enum { N_PARTS = 3 };
static const cuts_part parts[N_PARTS] = {
    {"grid",
     {ALL(CUTS_DATA), ALL(CUTS_KS), ALL(CUTS_LIMITS), ALL(CUTS_COSTS), BIT(CUTS_K_OPTIMIZE)},
     cuts_print_grid,
     cuts_draw_grid},
    {"seeding",
     {BIT(CUTS_COARSE), ALL(CUTS_K50 + 1), BIT(CUTS_LIMIT_ALL), ALL(CUTS_COSTS),
      BIT(CUTS_K_OPTIMIZE) | BIT(CUTS_UNSEEDED)},
     cuts_print_seeding,
     cuts_draw_seeding},
    {"race",
     {BIT(CUTS_FINE), BIT(CUTS_K50), BIT(CUTS_LIMIT_ALL), BIT(CUTS_DISCERNIBILITY),
      ALL(CUTS_SEARCHES) & ~BIT(CUTS_UNSEEDED)},
     cuts_print_race,
     cuts_draw_race},
};

/* What the whole command goes by. */
typedef struct cuts_plan {
    const bench_table *table;
    const char *threads;
    const char *save, *proofs; /* a file and a directory; NULL: none */
    char budget[32];
    double budget_s;
    unsigned parts;
    cuts_choice chosen; /* 0: what the part says */
} cuts_plan;

/* ---- one cell ------------------------------------------------------------------------------- */

/* The peak of memory at the first sign of life after a tenth of the time: what it is in the end
 * shows whether memory grows with time. */
typedef struct early_peak {
    const kan_run *run;
    double from_ms; /* 0: seen */
    uint64_t bytes;
} early_peak;

static void watch_peak(void *user, const kan_progress *progress) {
    early_peak *peak = user;
    (void)progress;
    if (peak->from_ms == 0 || kan_now_ms() < peak->from_ms)
        return;
    peak->bytes = kan_run_peak_memory(peak->run);
    peak->from_ms = 0;
}

/* Where the proof of a cell is kept, so that a later run can go on with it. */
static kan_status keep_proof(const char *dir, cuts_cell cell, kan_job *job) {
    char path[4096];
    const int size = snprintf(path, sizeof path, "%s/%s-%s-%s-%s.proof", dir, cuts_data[cell.data],
                              cuts_ks[cell.k], cuts_limits[cell.limit], cuts_costs[cell.cost]);
    if (size < 0 || (size_t)size >= sizeof path)
        return kan_fail(job->run, KAN_FAILED, "the name of the directory of --proofs is too long");
    return kan_job_set(job, "proof", path);
}

static kan_status ask(const cuts_plan *plan, cuts_cell cell, kan_job *job) {
    const bench_table *table = plan->table;
    const cuts_search *search = &cuts_searches[cell.search];
    const unsigned n_quasi = table->n_columns - 1; /* the last is the class */
    KAN_TRY(kan_job_set(job, "input", table->table));
    KAN_TRY(kan_job_set(job, "hierarchies", table->hierarchies));
    for (unsigned i = 0; i < n_quasi; i++)
        KAN_TRY(kan_job_set(job, "qi", table->columns[i]));
    KAN_TRY(kan_job_set(job, "class", table->columns[n_quasi]));
    if (cell.data == CUTS_COARSE)
        KAN_TRY(kan_job_set(job, "bins", "age=5@17"));
    KAN_TRY(kan_job_set(job, "k", cuts_ks[cell.k]));
    KAN_TRY(kan_job_set(job, "suppress", cuts_limits[cell.limit]));
    KAN_TRY(kan_job_set(job, "cost", cuts_costs[cell.cost]));
    KAN_TRY(kan_job_set(job, "algorithm", search->algorithm));
    if (search->option)
        KAN_TRY(kan_job_set(job, search->option, search->value));
    if (strcmp(plan->threads, "0") != 0)
        KAN_TRY(kan_job_set(job, "threads", plan->threads));
    if (plan->proofs)
        KAN_TRY(keep_proof(plan->proofs, cell, job));
    return kan_job_set(job, "time-limit", plan->budget);
}

/* What the cost itself says of the answer: the search must have said the same. */
static kan_status check_cost(const kan_solution *solution, const char *cost) {
    for (size_t i = 0; i < solution->n_metrics; i++)
        if (strcmp(solution->metrics[i].name, cost) == 0 && solution->metrics[i].is_known &&
            kan_score_compare(&solution->metrics[i].score, &solution->answer.score) == 0)
            return KAN_OK;
    return kan_fail(solution->setup->run, KAN_FAILED, "the %s of the answer is not what was said",
                    cost);
}

static kan_status keep(const kan_solution *solution, double budget_s, cuts_row *row) {
    const kan_answer *answer = &solution->answer;
    row->state = answer->is_optimal        ? CUTS_PROVEN
                 : row->seconds < budget_s ? CUTS_ENDED
                                           : CUTS_STOPPED;
    row->n_states = answer->n_checked;
    row->cost = (uint64_t)answer->score.whole;
    row->bound = answer->is_optimal ? row->cost : (uint64_t)answer->bound;
    row->n_suppressed = solution->groups.n_suppressed;
    row->moments = calloc(answer->n_moments + 1, sizeof *row->moments);
    if (!row->moments)
        return kan_fail(solution->setup->run, KAN_FAILED, "out of memory");
    for (size_t i = 0; i < answer->n_moments; i++) {
        const kan_moment *moment = &answer->moments[i];
        if (moment->is_found)
            row->moments[row->n_moments++] = (cuts_moment){
                moment->seconds, moment->n_states, (uint64_t)moment->cost, (uint64_t)moment->bound};
    }
    return KAN_OK;
}

/* A proof that was there already: the row is of all its runs. `before` is the row without the last
 * one; where it is not known, nor is the CPU time. How the answer got better is not told. */
static void add_runs(const kan_proof *proof, const cuts_row *before, cuts_row *row) {
    const bool is_known = before->state != CUTS_UNKNOWN;
    row->seconds = (double)proof->n_ms / 1e3;
    row->cpu_s = is_known && before->cpu_s > 0 ? before->cpu_s + row->cpu_s : 0;
    row->budget_s += before->budget_s;
    if (is_known && before->peak_bytes > row->peak_bytes)
        row->peak_bytes = before->peak_bytes;
    if (is_known)
        row->early_bytes = before->early_bytes;
    row->n_moments = 0;
}

static kan_status find(kan_job *job, const cuts_plan *plan, cuts_cell cell, const cuts_row *before,
                       cuts_row *row) {
    kan_status status;
    kan_setup setup;
    kan_run *run = job->run;
    kan_solution solution = {.setup = &setup};
    KAN_TRY(kan_job_prepare_run(job));
    KAN_TRY_DONE(kan_setup_make(job, &setup));
    const char *proof = kan_proof_path(&setup);
    const bool goes_on = proof && access(proof, F_OK) == 0;
    early_peak peak = {.run = run, .from_ms = kan_now_ms() + 100 * plan->budget_s};
    kan_run_on_progress(run, watch_peak, &peak);
    kan_run_set_time_limit(run, plan->budget_s); /* from now on */
    const double cpu = bench_cpu_ms();
    status = kan_solution_find(&setup, &(kan_solution_wants){.release = true}, &solution);
    row->cpu_s = (bench_cpu_ms() - cpu) / 1e3;
    row->seconds = solution.search_ms / 1e3;
    row->budget_s = plan->budget_s;
    row->threads = kan_run_threads(run);
    row->peak_bytes = kan_run_peak_memory(run);
    row->early_bytes = peak.from_ms == 0 ? peak.bytes : row->peak_bytes;
    kan_run_on_progress(run, NULL, NULL);
    if (status == KAN_OK)
        status = check_cost(&solution, cuts_costs[cell.cost]);
    if (status == KAN_OK)
        status = keep(&solution, plan->budget_s, row);
    if (status == KAN_OK && goes_on)
        add_runs(&solution.answer.proof, before, row);
    if (status == KAN_UNSATISFIED) {
        row->state = CUTS_NOTHING;
        status = KAN_OK;
    }
    kan_solution_destroy(&solution);
done:
    kan_setup_destroy(&setup);
    return status;
}

/* 0 on success; failures are printed. */
static int measure(const cuts_plan *plan, cuts_cell cell, const cuts_row *before, cuts_row *row) {
    kan_run *run = kan_run_create();
    kan_job *job = NULL;
    *row = (cuts_row){.is_fresh = true};
    kan_status status = run ? kan_job_create(run, &job) : KAN_FAILED;
    if (status == KAN_OK)
        status = ask(plan, cell, job);
    if (status == KAN_OK)
        status = find(job, plan, cell, before, row);
    if (status != KAN_OK) {
        fprintf(stderr, "kanon-bench: %s: %s\n", cuts_searches[cell.search].name,
                run ? kan_run_error(run) : "out of memory");
        free(row->moments);
        *row = (cuts_row){.state = CUTS_UNKNOWN};
    }
    kan_job_destroy(job);
    kan_run_destroy(run);
    return status != KAN_OK;
}

/* ---- all cells ------------------------------------------------------------------------------ */

static void report(cuts_cell cell, const cuts_row *row) {
    char states[32];
    fprintf(stderr, "%-6s k %-4s limit %-3s %-14s %-19s ", cuts_data[cell.data], cuts_ks[cell.k],
            cuts_limits[cell.limit], cuts_costs[cell.cost], cuts_searches[cell.search].name);
    if (cuts_row_is_found(row))
        fprintf(stderr, "%10" PRIu64 " %s, gap %.2f %%, %.2f s, %s states\n", row->cost,
                row->state == CUTS_PROVEN ? "proven" : "not proven", cuts_row_gap(row),
                row->seconds, kan_count_text(row->n_states, states));
    else
        fprintf(stderr, "%10s in %.2f s\n", "nothing", row->seconds);
}

/* Unless it is known already, by another part or from the file that goes on. */
static int measure_cell(const cuts_plan *plan, cuts_cell cell, cuts_rows *rows) {
    cuts_row row;
    const cuts_row *before = cuts_rows_find(rows, cell);
    if (before->is_fresh)
        return 0;
    if (measure(plan, cell, before, &row) != 0)
        return 1;
    report(cell, &row);
    int failed = plan->save ? cuts_row_save(plan->save, cell, &row) : 0;
    cuts_rows_take(rows, cell, &row);
    return failed;
}

static cuts_choice choose(const cuts_choice *chosen, const cuts_choice *otherwise) {
    return (cuts_choice){chosen->data ? chosen->data : otherwise->data,
                         chosen->ks ? chosen->ks : otherwise->ks,
                         chosen->limits ? chosen->limits : otherwise->limits,
                         chosen->costs ? chosen->costs : otherwise->costs, otherwise->searches};
}

static bool is_in(const cuts_choice *choice, cuts_cell cell) {
    return (choice->data & BIT(cell.data)) && (choice->ks & BIT(cell.k)) &&
           (choice->limits & BIT(cell.limit)) && (choice->costs & BIT(cell.cost)) &&
           (choice->searches & BIT(cell.search));
}

/* The larger k first, which are the easier ones. */
static int measure_part(const cuts_plan *plan, const cuts_part *part, cuts_rows *rows) {
    const cuts_choice choice = choose(&plan->chosen, &part->choice);
    int failed = 0;
    cuts_cell c;
    for (c.cost = 0; c.cost < CUTS_COSTS; c.cost++)
        for (c.data = 0; c.data < CUTS_DATA; c.data++)
            for (c.limit = 0; c.limit < CUTS_LIMITS; c.limit++)
                for (c.k = 0; c.k < CUTS_KS; c.k++)
                    for (c.search = 0; c.search < CUTS_SEARCHES; c.search++)
                        if (is_in(&choice, c))
                            failed |= measure_cell(plan, c, rows);
    return failed;
}

/* ---- the command ---------------------------------------------------------------------------- */

/* "1000,50" as bits of a list; false, and said, when something else is in it. */
static bool take_list(const char *option, const char *said, const char *const *names, unsigned n,
                      unsigned *out) {
    *out = 0;
    while (said && *said) {
        const size_t size = strcspn(said, ",");
        unsigned i = 0;
        while (i < n && (strlen(names[i]) != size || strncmp(names[i], said, size) != 0))
            i++;
        if (i == n) {
            fprintf(stderr, "kanon-bench cuts: %s %.*s: it is one or more of", option, (int)size,
                    said);
            for (i = 0; i < n; i++)
                fprintf(stderr, "%s %s", i ? "," : "", names[i]);
            fputc('\n', stderr);
            return false;
        }
        *out |= BIT(i);
        said += size + (said[size] == ',');
    }
    return true;
}

static bool take_plan(const bench_option *options, cuts_plan *plan) {
    const char *part_names[N_PARTS];
    uint64_t threads;
    for (unsigned i = 0; i < N_PARTS; i++)
        part_names[i] = parts[i].name;
    plan->save = bench_option_value(options, "--save");
    plan->proofs = bench_option_value(options, "--proofs");
    plan->threads = bench_option_value(options, "--threads");
    snprintf(plan->budget, sizeof plan->budget, "%s", bench_option_value(options, "--budget"));
    if (!kan_parse_real(plan->budget, strlen(plan->budget), &plan->budget_s) ||
        plan->budget_s <= 0 || !kan_parse_count(plan->threads, &threads)) {
        fputs("kanon-bench cuts: --budget is a number of seconds, --threads a number\n", stderr);
        return false;
    }
    if (!take_list("--part", bench_option_value(options, "--part"), part_names, N_PARTS,
                   &plan->parts))
        return false;
    plan->parts = plan->parts ? plan->parts : ALL(N_PARTS);
    if (plan->proofs && plan->parts != BIT(0)) {
        fputs("kanon-bench cuts: --proofs needs --part grid: the others are about the time of one "
              "run\n",
              stderr);
        return false;
    }
    return take_list("--data", bench_option_value(options, "--data"), cuts_data, CUTS_DATA,
                     &plan->chosen.data) &&
           take_list("--k", bench_option_value(options, "--k"), cuts_ks, CUTS_KS,
                     &plan->chosen.ks) &&
           take_list("--suppress", bench_option_value(options, "--suppress"), cuts_limits,
                     CUTS_LIMITS, &plan->chosen.limits) &&
           take_list("--cost", bench_option_value(options, "--cost"), cuts_costs, CUTS_COSTS,
                     &plan->chosen.costs);
}

/* A proof can always be gone on with; otherwise the time that a row was given is the same, or more
 * than it needed. */
static bool is_as_good(const cuts_plan *plan, const cuts_row *row) {
    const bool is_done = !cuts_row_is_cut_short(row);
    if (plan->proofs)
        return is_done;
    return row->budget_s == plan->budget_s || (is_done && row->seconds <= plan->budget_s);
}

/* Rows that were measured with the same means need not be measured again. */
static void mark_fresh(const cuts_plan *plan, cuts_rows *rows) {
    cuts_row *all = &rows->at[0][0][0][0][0];
    unsigned threads = (unsigned)strtoul(plan->threads, NULL, 10);
    const long cores = sysconf(_SC_NPROCESSORS_ONLN);
    threads = threads > 0 ? threads : cores > 0 ? (unsigned)cores : 1;
    for (size_t i = 0; i < sizeof *rows / sizeof *all; i++)
        all[i].is_fresh =
            all[i].state != CUTS_UNKNOWN && all[i].threads == threads && is_as_good(plan, &all[i]);
}

static int measure_all(cuts_plan *plan, cuts_rows *rows) {
    bench_table table;
    int failed = 0;
    if (bench_table_adult("adult-30162.csv", "adult", &table) != 0) {
        puts("cuts: skipped");
        return 0;
    }
    plan->table = &table;
    if (plan->proofs)
        (void)mkdir(plan->proofs, 0777); /* when it cannot be used, the first proof says so */
    for (unsigned i = 0; i < N_PARTS; i++)
        if (plan->parts & BIT(i))
            failed |= measure_part(plan, &parts[i], rows);
    return failed;
}

static int show(const cuts_plan *plan, cuts_rows *rows, const char *dir) {
    int failed = cuts_check(rows);
    for (unsigned i = 0; i < N_PARTS; i++)
        if (plan->parts & BIT(i))
            parts[i].print(rows);
    if (dir)
        (void)mkdir(dir, 0777); /* when it is there already, all the better */
    for (unsigned i = 0; dir && i < N_PARTS; i++)
        if (plan->parts & BIT(i))
            failed |= parts[i].draw(rows, dir);
    return failed;
}

int bench_cuts(int argc, char **argv) {
    bench_option options[] = {
        {"--part", "grid, seeding, race, or some of them with commas (default all)", NULL},
        {"--data", "fine (every age), coarse (ages of five years) or both", NULL},
        {"--k", "some of 1000,500,250,100,50,25,10,5", NULL},
        {"--suppress", "some of 0,100,all", NULL},
        {"--cost", "discernibility, classification or both", NULL},
        {"--budget", "seconds that each search may take (default 120)", "120"},
        {"--threads", "threads of each search (default one per core)", "0"},
        {"--save", "FILE: append what was measured, cell by cell", NULL},
        {"--resume", "yes: cells that --save FILE has, with the same means, are not run", "no"},
        {"--proofs", "DIR: keep what is proven there, and go on with it (--part grid)", NULL},
        {"--from", "FILE: measure nothing; print and draw what was saved", NULL},
        {"--out", "draw the figures as SVG files in this directory", NULL},
        {NULL, NULL, NULL}};
    cuts_plan plan = {.table = NULL};
    int status;
    if (!bench_options_read(argc, argv,
                            "Searches over cuts on Adult: Figures 6 and 7 of the K-Optimize paper.",
                            options, &status))
        return status;
    if (!take_plan(options, &plan))
        return 2;
    const char *from = bench_option_value(options, "--from");
    const bool resumes = strcmp(bench_option_value(options, "--resume"), "yes") == 0;
    if (resumes && !plan.save) {
        fputs("kanon-bench cuts: --resume needs --save FILE\n", stderr);
        return 2;
    }
    cuts_rows *rows = cuts_rows_create();
    int failed = !rows;
    if (!failed && (from || resumes))
        failed = cuts_rows_read(from ? from : plan.save, !from, rows);
    if (!failed && !from) {
        mark_fresh(&plan, rows);
        failed = measure_all(&plan, rows);
    }
    if (rows)
        failed |= show(&plan, rows, bench_option_value(options, "--out"));
    cuts_rows_destroy(rows);
    return failed;
}
