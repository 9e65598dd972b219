/* A table that was counted where it is gives what its rows give: the same solution, the same
 * figures, field by field, and the same released rows.
 *
 * Random tables are written as CSV files and read twice: row by row, and by a source that counts
 * (source_counted.c). Over all searches, costs, limits and models. Rows stand in any order in the
 * file, for a database has none. */
#include <setjmp.h>
#include <stdarg.h>
#include <stddef.h>
#include <stdint.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>
#include <sys/stat.h>
#include <unistd.h>

#include <cmocka.h>
#include <jansson.h>
#include <kanon.h>

#include "core/hash.h"
#include "io/source.h"
#include "job/settings/registry.h"
#include "search/search.h"

extern const kan_source_kind kan_source_counted;

enum { MOST_TUPLES = 40, MOST_SET = 24, TEXT = 64 };
enum { NUMBER, WORD, DAY, ILL, WAGE, GROUP, NOTE, N_COLUMNS };

static const char *const names[] = {"number", "word", "day", "ill", "wage", "group", "note"};

typedef struct {
    uint64_t random;
    size_t n_tuples;
    char cells[MOST_TUPLES][N_COLUMNS][TEXT];
    uint64_t times[MOST_TUPLES];
    uint64_t n_rows;
    bool keeps_note; /* which rows of a tuple go where can be seen: they stand in order then */
    const kan_search_kind *search;
    struct {
        const char *name;
        char value[TEXT];
    } set[MOST_SET];
    size_t n_set;
} world;

/* What was compared. */
static struct { size_t n_same, n_refused, n_unsatisfied, n_suppressed, n_divided, n_regions; } seen;

static char home[] = "/tmp/kanon-counted-XXXXXX";

static size_t below(world *w, size_t bound) {
    return (size_t)kan_random_below(&w->random, bound);
}

static size_t skewed(world *w, size_t bound) {
    return below(w, below(w, bound) + 1);
}

/* ---- tables --------------------------------------------------------------------------------- */

static void put_value(world *w, size_t column, char *out) {
    static const char *const odd[] = {"", "-7", "30.5", "123"};
    static const char *const words[] = {"aa", "ab", "ba", "bb", "", "ca"};
    const size_t n = skewed(w, 9);
    switch (column) {
    case NUMBER:
        if (below(w, 15) == 0)
            snprintf(out, TEXT, "%s", odd[below(w, 4)]);
        else
            snprintf(out, TEXT, "%zu", 20 + n);
        break;
    case WORD:
        snprintf(out, TEXT, "%s", words[skewed(w, 6)]);
        break;
    case DAY:
        snprintf(out, TEXT, "200%zu-0%zu-11", skewed(w, 4), 1 + below(w, 2));
        break;
    case ILL:
        snprintf(out, TEXT, "i%zu", skewed(w, 4));
        break;
    case WAGE:
        snprintf(out, TEXT, "%zu", 1000 + 250 * skewed(w, 5));
        break;
    case GROUP:
        snprintf(out, TEXT, "g%zu", skewed(w, 3));
        break;
    default:
        snprintf(out, TEXT, "n%zu", below(w, 6));
    }
}

static void make_tuples(world *w) {
    w->n_tuples = 2 + below(w, MOST_TUPLES - 2);
    w->n_rows = 0;
    for (size_t t = 0; t < w->n_tuples; t++) {
        for (size_t c = 0; c < N_COLUMNS; c++)
            put_value(w, c, w->cells[t][c]);
        w->times[t] = 1 + (below(w, 3) == 0 ? below(w, 9) : 0);
        w->n_rows += w->times[t];
    }
}

static void write_row(const world *w, FILE *file, size_t tuple) {
    for (size_t c = 0; c < N_COLUMNS; c++)
        fprintf(file, "%s%s", c > 0 ? "," : "", w->cells[tuple][c]);
    fputc('\n', file);
}

/* All rows, in any order, or those of a tuple one after the other. */
static void write_table(world *w, const char *path) {
    size_t rows[MOST_TUPLES * 10], n = 0;
    FILE *file = fopen(path, "w");
    assert_non_null(file);
    for (size_t c = 0; c < N_COLUMNS; c++)
        fprintf(file, "%s%s", c > 0 ? "," : "", names[c]);
    fputc('\n', file);
    for (size_t t = 0; t < w->n_tuples; t++)
        for (uint64_t i = 0; i < w->times[t]; i++)
            rows[n++] = t;
    for (size_t i = n; i > 1; i--) {
        const size_t other = below(w, i), row = rows[other];
        rows[other] = rows[i - 1];
        rows[i - 1] = row;
    }
    for (size_t i = 0; i < n; i++)
        write_row(w, file, rows[i]);
    fclose(file);
}

/* ---- settings ------------------------------------------------------------------------------- */

static void add(world *w, const char *name, const char *value) {
    assert_true(w->n_set < MOST_SET);
    w->set[w->n_set].name = name;
    snprintf(w->set[w->n_set++].value, TEXT, "%s", value);
}

static void add_one(world *w, const char *name, const char *const *values, size_t n) {
    add(w, name, values[below(w, n)]);
}

#define ADD_ONE(w, name, ...)                                                                      \
    add_one(w, name, (const char *const[]){__VA_ARGS__},                                           \
            sizeof((const char *const[]){__VA_ARGS__}) / sizeof(const char *))

static void choose_models(world *w) {
    ADD_ONE(w, "k", "1", "2", "2", "3", "5");
    if (below(w, 2) == 0)
        ADD_ONE(w, "suppress", "2", "20%", "50%", "all");
    if (below(w, 3) == 0)
        add(w, "sensitive", below(w, 2) ? "ill" : "ill,wage");
    else if (below(w, 3) == 0)
        add(w, "sensitive", "wage");
    else
        return;
    switch (w->search->cuts ? 6 : below(w, 6)) {
    case 0:
        ADD_ONE(w, "l", "2", "3");
        break;
    case 1:
        ADD_ONE(w, "l", "1.5", "2");
        add(w, "l-kind", "entropy");
        break;
    case 2:
        add(w, "l", "2");
        add(w, "l-kind", "recursive");
        ADD_ONE(w, "c", "1", "2.5");
        break;
    case 3:
        ADD_ONE(w, "t", "0.2", "0.4", "0.7");
        break;
    case 4:
        ADD_ONE(w, "beta", "1", "3");
        break;
    case 5:
        ADD_ONE(w, "alpha", "0.5", "0.8");
        break;
    default: /* released as it is */
        break;
    }
}

static bool has(const world *w, const char *name, const char *part) {
    for (size_t i = 0; i < w->n_set; i++)
        if (strcmp(w->set[i].name, name) == 0 && strstr(w->set[i].value, part))
            return true;
    return false;
}

static void choose_settings(world *w) {
    const size_t n = kan_registry_count(KAN_FAMILY_SEARCH);
    const size_t n_costs = kan_registry_count(KAN_FAMILY_COST);
    w->n_set = 0;
    w->search = (const kan_search_kind *)kan_registry_at(KAN_FAMILY_SEARCH, below(w, n));
    add(w, "algorithm", w->search->kind.name);
    const char *const numbers[] = {"number=intervals:5,10", "number=quantiles:4,2", "number",
                                   "number=frequency:3"};
    add(w, "qi", numbers[below(w, 4)]);
    if (below(w, 4) > 0)
        add(w, "qi", below(w, 2) ? "word=digits:2" : "word=frequency:2,4");
    if (below(w, 3) == 0)
        add(w, "qi", "day=date:month,year");
    if (below(w, 3) == 0)
        add(w, "class", "group");
    choose_models(w);
    if (below(w, 3) == 0 && !w->search->cuts)
        add(w, "cost", kan_registry_at(KAN_FAMILY_COST, below(w, n_costs))->name);
    if (below(w, 4) == 0 && !w->search->cuts && !w->search->regions)
        add(w, "average-risk", "0.5");
    if (below(w, 2) == 0 && has(w, "sensitive", "wage"))
        add(w, "round", "wage=500");
    if (below(w, 6) == 0)
        add(w, "cap", "number=..25");
}

static void set(kan_run *run, kan_job *job, const char *name, const char *value) {
    if (kan_job_set(job, name, value) != KAN_OK)
        fail_msg("%s=%s: %s", name, value, kan_run_error(run));
}

/* ---- runs ----------------------------------------------------------------------------------- */

typedef struct {
    kan_status status;
    char *error, *json, *summary;
    char **rows; /* released ones, sorted; NULL: there is no release */
    size_t n_rows;
} outcome;

/* Takes what a clock and a memory tell out of a value. */
static void forget_times(json_t *value) {
    static const char *const keys[] = {"time_ms", "seconds", "peak_memory_bytes", "ms"};
    const char *key;
    json_t *member;
    size_t i;
    for (size_t k = 0; json_is_object(value) && k < sizeof keys / sizeof *keys; k++)
        json_object_del(value, keys[k]);
    json_object_foreach(value, key, member) forget_times(member);
    json_array_foreach(value, i, member) forget_times(member);
}

static char *timeless(const char *text) {
    json_error_t where;
    json_t *object = json_loads(text, 0, &where);
    assert_non_null(object);
    forget_times(object);
    char *dump = json_dumps(object, JSON_PRESERVE_ORDER | JSON_REAL_PRECISION(17) | JSON_INDENT(1));
    json_decref(object);
    return dump;
}

static int compare_texts(const void *a, const void *b) {
    return strcmp(*(char *const *)a, *(char *const *)b);
}

/* The rows of a release, each as often as it stands there. */
static void take_rows(const kan_table *table, outcome *out) {
    out->rows = calloc(kan_table_total(table) + 1, sizeof *out->rows);
    assert_non_null(out->rows);
    for (uint64_t row = 0; row < table->n_rows; row++)
        for (uint64_t i = 0; i < kan_table_count(table, row); i++) {
            char text[1024] = "";
            size_t at = 0, size;
            for (size_t c = 0; c < table->n_columns; c++) {
                const char *value = kan_table_value(table, row, c, &size);
                at += (size_t)snprintf(text + at, sizeof text - at, "%.*s;", (int)size, value);
            }
            out->rows[out->n_rows++] = strdup(text);
        }
    qsort(out->rows, out->n_rows, sizeof *out->rows, compare_texts);
}

static kan_table *read_table(kan_run *run, const char *path, bool is_counted) {
    const kan_source_options options = {0};
    bool encode[N_COLUMNS];
    kan_source *source;
    kan_table *table;
    for (size_t c = 0; c < N_COLUMNS; c++)
        encode[c] = true;
    assert_int_equal(kan_source_open(run, is_counted ? &kan_source_counted : &kan_source_csv, path,
                                     &options, &source),
                     KAN_OK);
    source->takes_counts = true;
    assert_int_equal(kan_source_read(source, encode, NULL, &table), KAN_OK);
    kan_source_close(source);
    return table;
}

static void run_job(const world *w, const char *command, const char *path, bool is_counted,
                    bool is_in_memory, outcome *out) {
    kan_run *run = kan_run_create();
    kan_job *job;
    kan_result *result = NULL;
    kan_table *table = NULL;
    *out = (outcome){0};
    assert_int_equal(kan_job_create(run, &job), KAN_OK);
    for (size_t i = 0; i < w->n_set; i++)
        set(run, job, w->set[i].name, w->set[i].value);
    if (is_in_memory) {
        table = read_table(run, path, is_counted);
        assert_int_equal(kan_job_use_table(job, table), KAN_OK);
    } else {
        set(run, job, "input", path);
        if (is_counted)
            set(run, job, "format", "counted");
    }
    out->status = kan_job_run(job, command, &result);
    if (out->status == KAN_OK) {
        out->json = timeless(kan_result_json(result));
        out->summary = strdup(kan_result_summary(result));
        if (kan_result_table(result))
            take_rows(kan_result_table(result), out);
    } else {
        out->error = strdup(kan_run_error(run));
    }
    kan_result_destroy(result);
    kan_job_destroy(job);
    kan_table_destroy(table);
    kan_run_destroy(run);
}

static void outcome_destroy(outcome *old) {
    for (size_t i = 0; i < old->n_rows; i++)
        free(old->rows[i]);
    free(old->rows);
    free(old->error);
    free(old->json);
    free(old->summary);
}

static void tell(const world *w, uint64_t seed, const char *command) {
    fprintf(stderr, "seed %llu: kanon %s", (unsigned long long)seed, command);
    for (size_t i = 0; i < w->n_set; i++)
        fprintf(stderr, " --%s %s", w->set[i].name, w->set[i].value);
    fprintf(stderr, "\n");
}

static void expect_same(const world *w, uint64_t seed, const char *command, const outcome *plain,
                        const outcome *counted) {
    const char *left = plain->error ? plain->error : plain->json;
    const char *right = counted->error ? counted->error : counted->json;
    if (plain->status != counted->status || strcmp(left, right) != 0) {
        size_t at = 0;
        while (left[at] && left[at] == right[at])
            at++;
        at = at < 40 ? 0 : at - 40;
        tell(w, seed, command);
        fail_msg("rows gave %d\n...%.300s\ncounts gave %d\n...%.300s", plain->status, left + at,
                 counted->status, right + at);
    }
    if (plain->n_rows != counted->n_rows) {
        tell(w, seed, command);
        fail_msg("%zu rows instead of %zu", counted->n_rows, plain->n_rows);
    }
    for (size_t i = 0; i < plain->n_rows; i++)
        if (strcmp(plain->rows[i], counted->rows[i]) != 0) {
            tell(w, seed, command);
            fail_msg("another release: %s instead of %s", counted->rows[i], plain->rows[i]);
        }
    seen.n_same += plain->status == KAN_OK;
    seen.n_refused += plain->status == KAN_BAD_INPUT;
    seen.n_unsatisfied += plain->status == KAN_UNSATISFIED;
    seen.n_regions += plain->status == KAN_OK && w->search && w->search->regions;
    if (plain->json && strstr(plain->json, "\"suppression\"")) {
        const char *rows = strstr(strstr(plain->json, "\"suppression\""), "\"rows\": ");
        seen.n_suppressed += rows && rows[8] != '0';
    }
}

static size_t n_rounds(size_t most) {
    const char *rounds = getenv("KANON_TEST_ROUNDS");
    const size_t n = rounds ? (size_t)strtoul(rounds, NULL, 10) : most;
    return n < most ? n : most;
}

/* ---- claims --------------------------------------------------------------------------------- */

static void compare_runs(const char *command, bool is_in_memory, size_t n) {
    memset(&seen, 0, sizeof seen);
    for (uint64_t seed = 1; seed <= n_rounds(n); seed++) {
        world w = {.random = seed * 7919};
        outcome plain, counted;
        (void)kan_random(&w.random);
        make_tuples(&w);
        choose_settings(&w);
        write_table(&w, "people.csv");
        run_job(&w, command, "people.csv", false, is_in_memory, &plain);
        run_job(&w, command, "people.csv", true, is_in_memory, &counted);
        expect_same(&w, seed, command, &plain, &counted);
        outcome_destroy(&plain);
        outcome_destroy(&counted);
    }
    print_message("%s: %zu the same, %zu of them with suppressed rows, %zu by regions; %zu without "
                  "a solution, %zu refused\n",
                  command, seen.n_same, seen.n_suppressed, seen.n_regions, seen.n_unsatisfied,
                  seen.n_refused);
    assert_true(seen.n_same > n_rounds(n) / 4);
}

static void a_search_on_counts_is_one_on_rows(void **state) {
    (void)state;
    compare_runs("search", false, 200);
}

static void a_release_of_counts_is_one_of_rows(void **state) {
    (void)state;
    compare_runs("anonymize", true, 200);
}

static char *take_file(const char *path) {
    struct stat info;
    FILE *file = fopen(path, "r");
    if (!file)
        return strdup("none");
    assert_int_equal(fstat(fileno(file), &info), 0);
    char *text = calloc(1, (size_t)info.st_size + 1);
    assert_non_null(text);
    assert_int_equal(fread(text, 1, (size_t)info.st_size, file), info.st_size);
    fclose(file);
    return text;
}

/* Also from another order of the rows. */
static void certificates_are_the_same_bytes(void **state) {
    size_t n_made = 0;
    (void)state;
    for (uint64_t seed = 1; seed <= n_rounds(120); seed++) {
        world w = {.random = seed * 104729};
        outcome plain, counted;
        (void)kan_random(&w.random);
        make_tuples(&w);
        add(&w, "qi", below(&w, 2) ? "number=intervals:5,10" : "number=frequency:3");
        add(&w, "qi", "word=digits:2");
        ADD_ONE(&w, "algorithm", "bisect", "exhaustive", "incognito");
        ADD_ONE(&w, "k", "2", "2", "3", "5");
        if (below(&w, 2) == 0)
            ADD_ONE(&w, "suppress", "2", "20%", "50%", "all");
        if (below(&w, 3) == 0)
            ADD_ONE(&w, "cost", "ncp", "average-class", "precision");
        add(&w, "certificate", "proof.json");
        add(&w, "force", "true");
        write_table(&w, "people.csv");
        unlink("proof.json");
        run_job(&w, "search", "people.csv", false, false, &plain);
        char *rows = take_file("proof.json");
        write_table(&w, "people.csv");
        unlink("proof.json");
        run_job(&w, "search", "people.csv", true, false, &counted);
        char *counts = take_file("proof.json");
        expect_same(&w, seed, "search", &plain, &counted);
        if (strcmp(rows, counts) != 0) {
            tell(&w, seed, "search");
            fail_msg("another certificate:\n%s\n%s", rows, counts);
        }
        if (plain.status == KAN_OK) {
            outcome checked[2];
            n_made++;
            for (int i = 0; i < 2; i++) {
                run_job(&w, "verify", "people.csv", i == 1, false, &checked[i]);
                assert_int_equal(checked[i].status, KAN_OK);
                assert_non_null(strstr(checked[i].json, "\"status\": \"verified\""));
            }
            assert_string_equal(checked[0].json, checked[1].json);
            outcome_destroy(&checked[0]);
            outcome_destroy(&checked[1]);
        }
        free(rows);
        free(counts);
        outcome_destroy(&plain);
        outcome_destroy(&counted);
    }
    print_message("%zu certificates\n", n_made);
    assert_true(n_made > n_rounds(120) / 2);
}

/* ---- verify --------------------------------------------------------------------------------- */

/* Changes a cell of the release now and then, takes a row out, puts one in twice. */
static void tamper(world *w, const char *from, const char *to) {
    FILE *in = fopen(from, "r"), *out = fopen(to, "w");
    char line[1024];
    assert_non_null(in);
    assert_non_null(out);
    for (size_t i = 0; fgets(line, sizeof line, in); i++) {
        const size_t what = i == 0 ? 99 : below(w, 30);
        if (what == 1)
            continue;
        if (what == 2 && line[0] >= '1' && line[0] < '9')
            line[0]++;
        fputs(line, out);
        if (what == 3)
            fputs(line, out);
    }
    fclose(in);
    fclose(out);
}

static void drop_key(char **json, const char *outer, const char *inner) {
    json_error_t where;
    json_t *all = json_loads(*json, 0, &where);
    json_object_del(json_object_get(all, outer), inner);
    free(*json);
    *json = json_dumps(all, JSON_PRESERVE_ORDER | JSON_REAL_PRECISION(17) | JSON_INDENT(1));
    json_decref(all);
}

static void verify_on_counts_says_what_it_says_of_rows(void **state) {
    size_t n_verified = 0, n_failed = 0;
    (void)state;
    for (uint64_t seed = 1; seed <= n_rounds(120); seed++) {
        world w = {.random = seed * 15485863};
        outcome made, said[2];
        (void)kan_random(&w.random);
        make_tuples(&w);
        choose_settings(&w);
        write_table(&w, "people.csv");
        const size_t n_set = w.n_set;
        add(&w, "output", "whole.csv");
        add(&w, "force", "true");
        run_job(&w, "anonymize", "people.csv", false, false, &made);
        const kan_status status = made.status;
        outcome_destroy(&made);
        if (status != KAN_OK)
            continue;
        w.n_set = n_set;
        if (below(&w, 2) == 0)
            tamper(&w, "whole.csv", "release.csv");
        else
            assert_int_equal(rename("whole.csv", "release.csv"), 0);
        if (below(&w, 5) > 0)
            add(&w, "original", "people.csv");
        for (size_t i = 0; i < w.n_set; i++)
            if (strcmp(w.set[i].name, "k") == 0 && below(&w, 4) == 0)
                w.set[i].value[0]++;
        for (int i = 0; i < 2; i++) {
            run_job(&w, "verify", "release.csv", i == 1, false, &said[i]);
            if (said[i].json)
                drop_key(&said[i].json, "original", "in_order");
        }
        expect_same(&w, seed, "verify", &said[0], &said[1]);
        if (said[0].json)
            *(strstr(said[0].json, "\"verified\": true") ? &n_verified : &n_failed) += 1;
        outcome_destroy(&said[0]);
        outcome_destroy(&said[1]);
    }
    print_message("%zu verified, %zu not\n", n_verified, n_failed);
    assert_true(n_verified > n_rounds(120) / 8 && n_failed > n_rounds(120) / 8);
}

/* ---- risk ----------------------------------------------------------------------------------- */

/* Of tables as they are, and of releases with rows of nothing but *, whose other columns are looked
 * at only to find these. */
static void risk_of_counts_is_that_of_rows(void **state) {
    size_t n_blank = 0, n_seen = 0;
    (void)state;
    for (uint64_t seed = 1; seed <= n_rounds(120); seed++) {
        world w = {.random = seed * 32452843};
        outcome said[2];
        (void)kan_random(&w.random);
        make_tuples(&w);
        if (below(&w, 2) == 0) /* suppressed ones; some of them show something, */
            for (size_t t = 0; t < w.n_tuples; t++)
                for (size_t c = 0; c < N_COLUMNS && t % 4 == 0; c++)
                    if (c < ILL || below(&w, 4) > 0)
                        snprintf(w.cells[t][c], TEXT, "*");
        write_table(&w, "people.csv");
        for (size_t t = 0; t < w.n_tuples; t++)
            for (size_t c = 0; c < N_COLUMNS; c++)
                if (below(&w, 2) == 0)
                    put_value(&w, c, w.cells[t][c]);
        add(&w, "qi", "number");
        if (below(&w, 3) > 0)
            add(&w, "qi", "word");
        if (below(&w, 3) == 0)
            add(&w, "sensitive", below(&w, 2) ? "ill" : "ill,wage");
        if (below(&w, 3) == 0)
            add(&w, "suda-columns", "3");
        if (below(&w, 3) == 0)
            add(&w, "missing-matches", "true");
        if (below(&w, 3) == 0)
            add(&w, "population-size", "5000");
        if (below(&w, 3) == 0) {
            write_table(&w, "before.csv");
            add(&w, "original", "before.csv");
        } else if (below(&w, 3) == 0 && !has(&w, "missing-matches", "true")) {
            add(&w, "population", "people.csv");
        }
        for (int i = 0; i < 2; i++)
            run_job(&w, "risk", "people.csv", i == 1, false, &said[i]);
        expect_same(&w, seed, "risk", &said[0], &said[1]);
        if (said[0].status == KAN_OK) {
            n_seen++;
            n_blank += strstr(said[0].json, "\"suppressed\": 0") == NULL;
        }
        outcome_destroy(&said[0]);
        outcome_destroy(&said[1]);
    }
    print_message("%zu of the same risk, %zu with rows of nothing but *\n", n_seen, n_blank);
    assert_true(n_seen > n_rounds(120) / 2 && n_blank > n_rounds(120) / 20);
}

/* ---- profile and compare --------------------------------------------------------------------- */

static void profile_of_counts_is_that_of_rows(void **state) {
    (void)state;
    for (uint64_t seed = 1; seed <= n_rounds(40); seed++) {
        world w = {.random = seed * 49979687};
        outcome said[2];
        (void)kan_random(&w.random);
        make_tuples(&w);
        write_table(&w, "people.csv");
        if (below(&w, 3) == 0)
            add(&w, "subsets", "5");
        for (int i = 0; i < 2; i++)
            run_job(&w, "profile", "people.csv", i == 1, false, &said[i]);
        expect_same(&w, seed, "profile", &said[0], &said[1]);
        assert_int_equal(said[0].status, KAN_OK);
        outcome_destroy(&said[0]);
        outcome_destroy(&said[1]);
    }
}

static void comparisons_of_counts_are_those_of_rows(void **state) {
    (void)state;
    for (uint64_t seed = 1; seed <= n_rounds(12); seed++) {
        world w = {.random = seed * 86028121};
        outcome said[2];
        (void)kan_random(&w.random);
        make_tuples(&w);
        write_table(&w, "people.csv");
        add(&w, "qi", "number=intervals:5,10");
        add(&w, "qi", "word=digits:2");
        add(&w, "ks", "2,3");
        add(&w, "suppressions", "0,20%");
        add(&w, "algorithms", "auto,mondrian,mondrian-relaxed,k-optimize,progressive");
        add(&w, "output", "cells.csv");
        add(&w, "force", "true");
        for (int i = 0; i < 2; i++)
            run_job(&w, "compare", "people.csv", i == 1, false, &said[i]);
        for (int i = 0; i < 2; i++) /* a command says how its input is read */
            for (char *at = said[i].json; at && (at = strstr(at, " --format counted"));)
                memmove(at, at + strlen(" --format counted"),
                        strlen(at + strlen(" --format counted")) + 1);
        expect_same(&w, seed, "compare", &said[0], &said[1]);
        outcome_destroy(&said[0]);
        outcome_destroy(&said[1]);
    }
    assert_true(seen.n_same > 5);
}

/* ---- more rows than anybody can write down --------------------------------------------------- */

#define BILLION UINT64_C(1000000000)

static void write_times(const char *path, const char *const *lines, size_t n) {
    FILE *file = fopen(path, "w");
    assert_non_null(file);
    fprintf(file, "number,word,ill,times\n");
    for (size_t i = 0; i < n; i++)
        fprintf(file, "%s\n", lines[i]);
    fclose(file);
}

static json_t *run_times(const world *w, const char *command, const char *path, outcome *out) {
    json_error_t where;
    run_job(w, command, path, true, strcmp(command, "anonymize") == 0, out);
    if (out->status != KAN_OK)
        fail_msg("%s: %s", command, out->error);
    return json_loads(out->json, 0, &where);
}

static double number_at(const json_t *object, const char *outer, const char *inner) {
    return json_number_value(json_object_get(json_object_get(object, outer), inner));
}

static void five_billion_rows_are_counted_right(void **state) {
    static const char *const lines[] = {"20,aa,i1,5000000000", "20,aa,i2,5000000000", "21,aa,i1,1",
                                        "30,bb,i1,7000000000", "31,bb,i2,7000000001", "45,cc,i1,1"};
    (void)state;
    write_times("big.times.csv", lines, 6);
    world w = {.random = 1};
    outcome out;
    add(&w, "qi", "number=intervals:10");
    add(&w, "qi", "word=suppress");
    add(&w, "k", "2");
    add(&w, "suppress", "1");
    json_t *json = run_times(&w, "search", "big.times.csv", &out);
    assert_true(number_at(json, "input", "rows") == 24e9 + 3);
    assert_true(number_at(json, "solution", "smallest_group") == 1e10 + 1);
    assert_true(number_at(json, "suppression", "rows") == 1);
    /* the squares of 10^10 + 1 and 1.4 * 10^10 + 1, and all rows for the one that is left out */
    const double discernibility = number_at(json, "metrics", "discernibility");
    assert_true(discernibility > 2.96000000071999e20 && discernibility < 2.96000000072001e20);
    json_decref(json);
    outcome_destroy(&out);
}

/* The table with `factor` times as many rows. */
static void write_scaled(const world *w, const char *path, uint64_t factor) {
    FILE *file = fopen(path, "w");
    assert_non_null(file);
    for (size_t c = 0; c < N_COLUMNS; c++)
        fprintf(file, "%s,", names[c]);
    fprintf(file, "times\n");
    for (size_t t = 0; t < w->n_tuples; t++) {
        for (size_t c = 0; c < N_COLUMNS; c++)
            fprintf(file, "%s,", w->cells[t][c]);
        fprintf(file, "%llu\n", (unsigned long long)(w->times[t] * factor));
    }
    fclose(file);
}

/* What must not depend on the size of a table of the same shape. */
static char *shape_of(const char *text, double factor) {
    json_error_t where;
    json_t *all = json_loads(text, 0, &where), *metrics = json_object_get(all, "metrics");
    const double n = number_at(all, "input", "rows") / factor;
    json_t *shape = json_pack("{s:O, s:O, s:f, s:f, s:f, s:f}", "levels",
                              json_object_get(json_object_get(all, "solution"), "levels"), "cuts",
                              json_object_get(json_object_get(all, "solution"), "cuts"), "rows", n,
                              "smallest", number_at(all, "solution", "smallest_group") / factor,
                              "suppressed", number_at(all, "suppression", "rows") / factor,
                              "groups", number_at(all, "solution", "groups"));
    const double ncp = json_number_value(json_object_get(metrics, "ncp"));
    const double squares = json_number_value(json_object_get(metrics, "discernibility"));
    json_object_set_new(shape, "ncp", json_real(ncp));
    json_object_set_new(shape, "discernibility", json_real(squares / factor / factor));
    char *dump = json_dumps(shape, JSON_SORT_KEYS | JSON_REAL_PRECISION(9));
    json_decref(all);
    json_decref(shape);
    return dump;
}

/* Every search, on tables of up to 10^12 rows: levels and cuts must be those of the small table,
 * regions a release that keeps its promise, which the recount decides. */
static void large_counts_change_nothing_but_their_size(void **state) {
    size_t n_same = 0, n_regions = 0;
    (void)state;
    for (uint64_t seed = 1; seed <= n_rounds(120); seed++) {
        world w = {.random = seed * 6700417};
        outcome small, large;
        char k[32];
        uint64_t factor = 5 * BILLION;
        (void)kan_random(&w.random);
        make_tuples(&w);
        for (uint64_t least = 2 + below(&w, 3), i = 0; i == 0; i++) {
            const size_t n = kan_registry_count(KAN_FAMILY_SEARCH);
            w.search = (const kan_search_kind *)kan_registry_at(KAN_FAMILY_SEARCH, below(&w, n));
            if (w.search->cuts) /* they take fewer than 2^31 rows, and say so */
                factor = UINT64_C(4000000);
            if (w.search->regions) /* fewer than 2^32 rows that are alike, the same */
                factor = UINT64_C(10000000);
            add(&w, "algorithm", w.search->kind.name);
            add(&w, "qi", "number=intervals:5,10");
            add(&w, "qi", "word=digits:2");
            if (below(&w, 2) == 0)
                add(&w, "suppress", "all");
            /* local searches move rows one by one until a model of values holds */
            if (!w.search->cuts && !w.search->local && below(&w, 2) == 0) {
                add(&w, "sensitive", "ill");
                ADD_ONE(&w, "t", "0.3", "0.6");
            }
            snprintf(k, sizeof k, "%llu", (unsigned long long)least);
            add(&w, "k", k);
            write_scaled(&w, "small.times.csv", 1);
            run_job(&w, "search", "small.times.csv", true, false, &small);
            snprintf(w.set[w.n_set - 1].value, TEXT, "%llu", (unsigned long long)(least * factor));
            write_scaled(&w, "large.times.csv", factor);
            run_job(&w, "search", "large.times.csv", true, false, &large);
        }
        if (strcmp(w.search->kind.name, "hash-minimal") == 0) { /* a bucket for each size below k */
            outcome_destroy(&small);
            outcome_destroy(&large);
            continue;
        }
        if (small.status != large.status) {
            tell(&w, seed, "search");
            fail_msg("%d %s, and %d %s", small.status, small.error ? small.error : "", large.status,
                     large.error ? large.error : "");
        }
        if (small.status == KAN_OK && !w.search->regions) {
            char *left = shape_of(small.json, 1), *right = shape_of(large.json, (double)factor);
            if (strcmp(left, right) != 0) {
                tell(&w, seed, "search");
                fail_msg("%s\n%s", left, right);
            }
            free(left);
            free(right);
            n_same++;
        }
        n_regions += small.status == KAN_OK && w.search->regions;
        outcome_destroy(&small);
        outcome_destroy(&large);
    }
    print_message("%zu of the same shape, %zu by regions\n", n_same, n_regions);
    assert_true(n_same > n_rounds(120) / 4);
}

static int make_home(void **state) {
    (void)state;
    return mkdtemp(home) && chdir(home) == 0 ? 0 : -1;
}

static int remove_home(void **state) {
    char command[128];
    (void)state;
    snprintf(command, sizeof command, "rm -rf %s", home);
    return chdir("/") == 0 && system(command) == 0 ? 0 : -1;
}

int main(void) {
    const struct CMUnitTest tests[] = {
        cmocka_unit_test(a_search_on_counts_is_one_on_rows),
        cmocka_unit_test(a_release_of_counts_is_one_of_rows),
        cmocka_unit_test(certificates_are_the_same_bytes),
        cmocka_unit_test(verify_on_counts_says_what_it_says_of_rows),
        cmocka_unit_test(risk_of_counts_is_that_of_rows),
        cmocka_unit_test(profile_of_counts_is_that_of_rows),
        cmocka_unit_test(comparisons_of_counts_are_those_of_rows),
        cmocka_unit_test(five_billion_rows_are_counted_right),
        cmocka_unit_test(large_counts_change_nothing_but_their_size),
    };
    return cmocka_run_group_tests_name("property: counted tables", tests, make_home, remove_home);
}
