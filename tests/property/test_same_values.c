/* Sensitive numbers and dates are counted by what they are, however they are spelled.
 *
 * Random tables whose sensitive values are spelled in several ways, with words, codes and unknown
 * values among them, against the plain definitions of all models: `verify` finds a promise true
 * exactly when it is, `search` generalizes exactly when it has to, `risk` counts the same values, and
 * what `anonymize` releases keeps the promise by what the released values are, whatever was
 * suppressed. Cells are written as they were spelled. Also where a person has several rows. */
#include <math.h>
#include <setjmp.h>
#include <stdarg.h>
#include <stddef.h>
#include <stdint.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>
#include <unistd.h>

#include <cmocka.h>
#include <kanon.h>

#include "core/hash.h"
#include "support/random_problem.h"

enum { MOST_ROWS = 14, SPELLINGS = 4, TEXT = 32, PATH = 80 };
enum { WORD, CODE, UNKNOWN, NUMBER, DATE };

/* Values with their spellings; numbers and dates in their order. */
static const struct {
    int type;
    const char *spelled[SPELLINGS];
} pool[] = {
    {UNKNOWN, {"?"}},
    {WORD, {"unknown"}},
    {WORD, {"1e400"}}, /* no number has so many digits */
    {CODE, {"007"}},
    {DATE, {"2001-01-01", "2001-01-01 00:00:00", "2001-01-01 00:00:00.0"}},
    {DATE, {"2001-01-02", "2001-01-02 00:00:00+00"}},
    {NUMBER, {"-1.50", "-1.5", "-15e-1"}},
    {NUMBER, {"0", "-0", "0.0", "0e5"}},
    {NUMBER, {"1e-400", "10e-401"}},
    {NUMBER, {"0.1", "0.10", ".1"}},
    {NUMBER, {"1", "1.0", "+1", "1e0"}},
    {NUMBER, {"7", "7.00"}},
    {NUMBER, {"1000", "1e3", "1000."}},
    {NUMBER, {"9007199254740992", "9007199254740992.0"}},
    {NUMBER, {"9007199254740993", "9007199254740993.00"}},
};
enum { N_POOL = sizeof pool / sizeof *pool, FIRST_DATE = 4, FIRST_NUMBER = 6 };

typedef struct {
    size_t value, spelling; /* of the pool */
    size_t group, person;
} row;

typedef enum {
    DISTINCT,
    ENTROPY,
    RECURSIVE,
    ALPHA,
    NAMED,
    EQUAL,
    ORDERED,
    AUTO,
    BASIC,
    ENHANCED,
    DELTA,
    N_MODELS
} model;

typedef struct {
    kan_run *run;
    uint64_t random;
    size_t n;
    row rows[MOST_ROWS];
    bool has_person;
    model model;
    double bound;
    char text[TEXT]; /* of the bound */
    size_t named;    /* value of the pool */
    char named_text[TEXT];
    char dir[48], input[PATH], output[PATH];
} world;

static struct {
    size_t n, n_near, n_holds, n_fails, n_searched, n_released, n_suppressed, by_model[N_MODELS];
} seen;

static size_t below(world *w, size_t bound) {
    return (size_t)kan_random_below(&w->random, bound);
}

static const char *spelled(const row *r) {
    return pool[r->value].spelled[r->spelling];
}

/* ---- the definitions ------------------------------------------------------------------------ */

/* What a column is by some of its rows: counted by value, or by its texts. */
static bool is_by_value(const world *w, const bool *is_in) {
    bool has[DATE + 1] = {false};
    for (size_t i = 0; i < w->n; i++)
        if (!is_in || is_in[i])
            has[pool[w->rows[i].value].type] = true;
    return !has[WORD] && !has[CODE] && !(has[NUMBER] && has[DATE]);
}

static size_t id_of(const row *r, bool by_value) {
    return r->value * SPELLINGS + (by_value ? 0 : r->spelling);
}

typedef struct {
    double count[N_POOL * SPELLINGS]; /* rows of each value, or people who have it */
    double total, n;                  /* the sum of these; rows, or different people */
} counts;

/* Of the rows of a group, -1 being all of them. */
static counts count(const world *w, const bool *is_in, const int *group_of, int group,
                    bool by_value) {
    counts c = {.n = 0};
    for (size_t i = 0; i < w->n; i++) {
        if ((is_in && !is_in[i]) || (group >= 0 && group_of[i] != group))
            continue;
        bool is_new = true, is_new_pair = true;
        for (size_t j = 0; j < i && w->has_person; j++) {
            if ((is_in && !is_in[j]) || (group >= 0 && group_of[j] != group) ||
                w->rows[j].person != w->rows[i].person)
                continue;
            is_new = false;
            is_new_pair =
                is_new_pair && id_of(&w->rows[j], by_value) != id_of(&w->rows[i], by_value);
        }
        c.n += is_new;
        c.total += is_new_pair;
        c.count[id_of(&w->rows[i], by_value)] += is_new_pair;
    }
    return c;
}

static double distance(const world *w, const counts *c, const counts *whole, bool is_ordered) {
    double sum = 0, so_far = 0;
    size_t n_ranks = 0;
    (void)w;
    for (size_t v = 0; v < N_POOL * SPELLINGS; v++) {
        if (whole->count[v] <= 0)
            continue;
        const double surplus = c->count[v] / c->total - whole->count[v] / whole->total;
        so_far += surplus;
        sum += is_ordered ? fabs(so_far) : fmax(surplus, 0);
        n_ranks++;
    }
    return is_ordered ? (n_ranks > 1 ? sum / (double)(n_ranks - 1) : 0) : sum;
}

static int by_falling(const void *a, const void *b) {
    const double x = *(const double *)a, y = *(const double *)b;
    return (x < y) - (x > y);
}

/* How much of its promise a group has left: below 0 it fails; near 0 nothing is said. */
static double margin(const world *w, const counts *c, const counts *whole, bool by_value) {
    double n_values = 0, most = 0, named = 0, entropy = 0, least = INFINITY;
    double sorted[N_POOL * SPELLINGS];
    memcpy(sorted, c->count, sizeof sorted);
    for (size_t v = 0; v < N_POOL * SPELLINGS; v++) {
        const double p = c->count[v] / c->total, q = whole->count[v] / whole->total;
        n_values += c->count[v] > 0;
        most = fmax(most, c->count[v] / c->n);
        named = v / SPELLINGS == w->named ? fmax(named, c->count[v] / c->n) : named;
        entropy -= p > 0 ? p * log(p) : 0;
        if (w->model == BASIC && p > q)
            least = fmin(least, w->bound - (p - q) / q);
        if (w->model == ENHANCED && p > q)
            least = fmin(least, fmin(w->bound, -log(q)) - (p - q) / q);
        if (w->model == DELTA && q > 0)
            least = fmin(least, p > 0 ? w->bound - fabs(log2(p / q)) : -1);
    }
    switch (w->model) {
    case DISTINCT:
        return n_values >= w->bound ? 1 : -1;
    case ENTROPY:
        return n_values < w->bound ? -1 : entropy - log(w->bound);
    case RECURSIVE: { /* l = bound, c = 2 */
        double rest = 0;
        qsort(sorted, N_POOL * SPELLINGS, sizeof *sorted, by_falling);
        for (size_t i = (size_t)w->bound - 1; i < N_POOL * SPELLINGS; i++)
            rest += sorted[i];
        return sorted[0] < 2 * rest ? 1 : -1;
    }
    case ALPHA:
        return w->bound - most;
    case NAMED:
        return w->bound - named;
    case EQUAL:
        return w->bound - distance(w, c, whole, false);
    case ORDERED:
    case AUTO:
        return w->bound - distance(w, c, whole, by_value);
    default:
        return least;
    }
}

/* The least margin of all groups of the rows that are in. */
static double least_margin(const world *w, const bool *is_in, const int *group_of, int n_groups,
                           bool by_value) {
    const counts whole = count(w, NULL, NULL, -1, by_value);
    double least = INFINITY;
    for (int g = 0; g < n_groups; g++) {
        const counts c = count(w, is_in, group_of, g, by_value);
        if (c.n > 0)
            least = fmin(least, margin(w, &c, &whole, by_value));
    }
    return least;
}

static bool is_near(double margin) {
    return fabs(margin) < 1e-6;
}

/* ---- tables and jobs ------------------------------------------------------------------------ */

static void make_table(world *w) {
    const size_t mixture = below(w, 6), n_values = 2 + below(w, 3);
    size_t values[4];
    for (size_t i = 0; i < n_values; i++)
        values[i] = mixture == 0 ? FIRST_DATE + below(w, FIRST_NUMBER - FIRST_DATE)
                                 : FIRST_NUMBER + below(w, N_POOL - FIRST_NUMBER);
    if (mixture >= 3)
        values[0] = mixture == 5 ? below(w, N_POOL) : below(w, FIRST_DATE);
    w->n = 4 + below(w, MOST_ROWS - 3);
    for (size_t i = 0; i < w->n; i++) {
        size_t n_spelled = 0;
        /* what makes a column text is rare, so that it can be suppressed */
        const size_t value = mixture >= 3 && below(w, 4) > 0 ? values[1 + below(w, n_values - 1)]
                                                             : values[below(w, n_values)];
        while (n_spelled < SPELLINGS && pool[value].spelled[n_spelled])
            n_spelled++;
        w->rows[i] = (row){value, below(w, n_spelled), below(w, 3), below(w, 5)};
    }
    w->named = values[below(w, n_values)];
}

static void write_table(const world *w) {
    FILE *file = fopen(w->input, "w");
    assert_non_null(file);
    fprintf(file, "q,row,s,p\n");
    for (size_t i = 0; i < w->n; i++)
        fprintf(file, "%c,r%zu,%s,p%zu\n", (char)('a' + w->rows[i].group), i, spelled(&w->rows[i]),
                w->rows[i].person);
    assert_int_equal(fclose(file), 0);
}

static void choose_model(world *w) {
    static const char *const bounds[] = {"2",   "1.8",  "2",   "0.5", "0.4", "0.3",
                                         "0.2", "0.35", "0.9", "0.7", "1.3"};
    static const char *const others[] = {"3",    "1.5",  "3",   "0.7", "0.6", "0.5",
                                         "0.35", "0.25", "0.4", "1.3", "0.8"};
    w->model = (model)below(w, N_MODELS);
    snprintf(w->text, sizeof w->text, "%s", (below(w, 2) ? bounds : others)[w->model]);
    w->bound = strtod(w->text, NULL);
    size_t n_spelled = 0;
    while (n_spelled < SPELLINGS && pool[w->named].spelled[n_spelled])
        n_spelled++;
    snprintf(w->named_text, sizeof w->named_text, "%s",
             pool[w->named].spelled[below(w, n_spelled)]);
    w->has_person = below(w, 4) == 0;
}

static void set_model(world *w, kan_job *job) {
    static const char *const options[] = {"l", "l", "l",    "alpha", "alpha",           "t",
                                          "t", "t", "beta", "beta",  "delta-disclosure"};
    EXPECT_OK(w->run, kan_job_set(job, options[w->model], w->text));
    if (w->model == ENTROPY || w->model == RECURSIVE)
        EXPECT_OK(w->run,
                  kan_job_set(job, "l-kind", w->model == ENTROPY ? "entropy" : "recursive"));
    if (w->model == RECURSIVE)
        EXPECT_OK(w->run, kan_job_set(job, "c", "2"));
    if (w->model == NAMED)
        EXPECT_OK(w->run, kan_job_set(job, "alpha-value", w->named_text));
    if (w->model == EQUAL || w->model == ORDERED)
        EXPECT_OK(w->run, kan_job_set(job, "t-distance", w->model == EQUAL ? "equal" : "ordered"));
    if (w->model == BASIC || w->model == ENHANCED)
        EXPECT_OK(w->run, kan_job_set(job, "beta-kind", w->model == BASIC ? "basic" : "enhanced"));
}

/* The status of a command; its JSON is the caller's to free. */
static kan_status run_job(world *w, const char *command, const char *suppress, char **json) {
    kan_job *job;
    kan_result *result = NULL;
    *json = NULL;
    EXPECT_OK(w->run, kan_job_create(w->run, &job));
    EXPECT_OK(w->run, kan_job_set(job, "input", w->input));
    EXPECT_OK(w->run, kan_job_set(job, "sensitive", "s"));
    EXPECT_OK(w->run, kan_job_set(job, "threads", "1"));
    const bool searches = strcmp(command, "search") == 0 || strcmp(command, "anonymize") == 0;
    EXPECT_OK(w->run, kan_job_set(job, "qi", searches ? "q=suppress" : "q"));
    if (strcmp(command, "risk") != 0) {
        set_model(w, job);
        EXPECT_OK(w->run, kan_job_set(job, "k", "1"));
    }
    if (searches) {
        EXPECT_OK(w->run, kan_job_set(job, "keep", "row"));
        EXPECT_OK(w->run, kan_job_set(job, "suppress", suppress));
        EXPECT_OK(w->run, kan_job_set(job, w->has_person ? "person" : "drop", "p"));
    }
    if (strcmp(command, "anonymize") == 0) {
        EXPECT_OK(w->run, kan_job_set(job, "output", w->output));
        EXPECT_OK(w->run, kan_job_set(job, "force", NULL));
    }
    kan_status status = kan_job_run(job, command, &result);
    if (status == KAN_OK && !kan_result_holds(result))
        status = KAN_UNSATISFIED;
    if (result && kan_result_json(result))
        *json = strdup(kan_result_json(result));
    kan_result_destroy(result);
    kan_job_destroy(job);
    return status;
}

static void fail_with(const world *w, const char *what) {
    for (size_t i = 0; i < w->n; i++)
        print_error("  %c %s p%zu\n", (char)('a' + w->rows[i].group), spelled(&w->rows[i]),
                    w->rows[i].person);
    fail_msg("model %d %s, named %s, %s: %s (%s)", (int)w->model, w->text, w->named_text,
             w->has_person ? "people" : "rows", what, kan_run_error(w->run));
}

/* ---- what is claimed ------------------------------------------------------------------------ */

static int groups_of(const world *w, int *group_of) {
    for (size_t i = 0; i < w->n; i++)
        group_of[i] = (int)w->rows[i].group;
    return 3;
}

/* `verify` of the table as it is, and what `risk` counts. */
static void check_verify(world *w) {
    int group_of[MOST_ROWS];
    const int n_groups = groups_of(w, group_of);
    const bool by_value = is_by_value(w, NULL);
    const double least = least_margin(w, NULL, group_of, n_groups, by_value);
    char *json;
    if (w->has_person || is_near(least))
        return;
    const kan_status status = run_job(w, "verify", "0", &json);
    seen.n_holds += least > 0;
    seen.n_fails += least < 0;
    if (status != (least > 0 ? KAN_OK : KAN_UNSATISFIED))
        fail_with(w, least > 0 ? "holds, and verify refutes it" : "fails, and verify takes it");
    free(json);
    double fewest = INFINITY;
    for (int g = 0; g < n_groups; g++) {
        const counts c = count(w, NULL, group_of, g, by_value);
        double n_values = 0;
        for (size_t v = 0; v < N_POOL * SPELLINGS; v++)
            n_values += c.count[v] > 0;
        fewest = c.n > 0 ? fmin(fewest, n_values) : fewest;
    }
    EXPECT_OK(w->run, run_job(w, "risk", "0", &json));
    const char *l = strstr(json, "\"l\": ");
    assert_non_null(l);
    if (strtod(strchr(l, ':') + 1, NULL) != fewest)
        fail_with(w, "risk counts other values");
    free(json);
}

/* With nothing to suppress: the values stay, or become one, or it is said that nothing can be done. */
static void check_search(world *w) {
    int group_of[MOST_ROWS], one[MOST_ROWS] = {0};
    const int n_groups = groups_of(w, group_of);
    const bool by_value = is_by_value(w, NULL);
    const double low = least_margin(w, NULL, group_of, n_groups, by_value);
    const double high = least_margin(w, NULL, one, 1, by_value);
    char *json;
    if (is_near(low) || is_near(high))
        return;
    seen.n_searched++;
    const kan_status status = run_job(w, "search", "0", &json);
    if (status != (low > 0 || high > 0 ? KAN_OK : KAN_UNSATISFIED))
        fail_with(w, "search finds what is not there, or does not find what is");
    if (status == KAN_OK) {
        const char *levels = strstr(json, "\"levels\": [");
        assert_non_null(levels);
        levels = strchr(levels, '[') + 1;
        if (strtol(levels, NULL, 10) != (low > 0 ? 0 : 1))
            fail_with(w, "search generalizes when it need not, or does not");
    }
    free(json);
}

/* What is released keeps the promise by what it is, and is spelled as it was. */
static void check_release(world *w) {
    int group_of[MOST_ROWS];
    bool is_in[MOST_ROWS] = {false};
    char line[256], *json;
    size_t n = 0;
    const kan_status status = run_job(w, "anonymize", below(w, 2) ? "30%" : "2", &json);
    free(json);
    if (status == KAN_FAILED)
        fail_with(w, "the release was refuted");
    if (status != KAN_OK)
        return;
    FILE *file = fopen(w->output, "r");
    assert_non_null(file);
    assert_non_null(fgets(line, sizeof line, file));
    while (fgets(line, sizeof line, file)) {
        char shown[TEXT], text[64];
        size_t at;
        assert_int_equal(sscanf(line, "%31[^,],r%zu,%63[^\n]", shown, &at, text), 3);
        assert_true(at < w->n && !is_in[at]);
        assert_string_equal(text, spelled(&w->rows[at]));
        is_in[at] = true;
        group_of[at] = shown[0] == '*' ? 0 : shown[0] - 'a';
        n++;
    }
    fclose(file);
    seen.n_released++;
    seen.n_suppressed += n < w->n;
    const double least = least_margin(w, is_in, group_of, 3, is_by_value(w, is_in));
    if (n > 0 && least < 0 && !is_near(least))
        fail_with(w, "the release does not keep its promise");
}

static void one(kan_run *run, uint64_t seed) {
    world w = {.run = run, .random = seed, .dir = "/tmp/kanon-same-XXXXXX"};
    assert_non_null(mkdtemp(w.dir));
    snprintf(w.input, sizeof w.input, "%s/in.csv", w.dir);
    snprintf(w.output, sizeof w.output, "%s/out.csv", w.dir);
    make_table(&w);
    write_table(&w);
    for (size_t i = 0; i < 6; i++) {
        choose_model(&w);
        /* text has no order */
        if (w.model == ORDERED && !is_by_value(&w, NULL))
            continue;
        bool has_named = false;
        for (size_t r = 0; r < w.n; r++)
            has_named = has_named ||
                        (w.rows[r].value == w.named &&
                         (is_by_value(&w, NULL) || strcmp(spelled(&w.rows[r]), w.named_text) == 0));
        if (w.model == NAMED && !has_named)
            continue;
        seen.n++;
        seen.by_model[w.model]++;
        check_verify(&w);
        check_search(&w);
        check_release(&w);
    }
    unlink(w.input);
    unlink(w.output);
    assert_int_equal(rmdir(w.dir), 0);
}

static void sensitive_values_are_counted_by_what_they_are(void **state) {
    (void)state;
    memset(&seen, 0, sizeof seen);
    random_rounds(300, one);
    print_message("%zu questions; verify: %zu hold, %zu fail; %zu searches; %zu releases, %zu of "
                  "them with suppressed rows\n",
                  seen.n, seen.n_holds, seen.n_fails, seen.n_searched, seen.n_released,
                  seen.n_suppressed);
    if (seen.n < 1000)
        return; /* fewer were asked for */
    assert_true(seen.n_holds > 150 && seen.n_fails > 150 && seen.n_searched > 500);
    assert_true(seen.n_suppressed > 100);
    for (size_t m = 0; m < N_MODELS; m++)
        assert_true(seen.by_model[m] > 30);
}

int main(void) {
    const struct CMUnitTest tests[] = {
        cmocka_unit_test_teardown(sensitive_values_are_counted_by_what_they_are, random_tear_down),
    };
    return cmocka_run_group_tests(tests, NULL, NULL);
}
