/* Whole jobs on random tables in memory, by each recoding model and by the searches that make it: a
 * model that contains another is never worse. What a release costs is counted from the texts that a
 * reader sees, by the plain definitions. */
#include <jansson.h>
#include <kanon.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>
#include <unistd.h>

#include "support/random_problem.h"

enum { MOST_ROWS = 120, MOST_COLUMNS = 8, PATH = 64, SHOWN = 128 };

/* What is compared; each after what it contains. */
enum { LEVELS, SUBTREES, PROVEN_SUBTREES, UNRESTRICTED, FULL_SUBGRAPH, UNRESTRICTED_MULTI, N_WAYS };

static const struct {
    const char *recoding, *algorithm; /* NULL: what it takes by itself */
    bool cuts;                        /* it takes two costs alone */
    unsigned contains;                /* a bit for each */
} ways[N_WAYS] = {
    {"full-domain", NULL, false, 0},
    {"full-subtree", NULL, true, 0},
    {"full-subtree", "k-optimize", true, 1u << SUBTREES},
    {"unrestricted", NULL, false, 1u << LEVELS | 1u << SUBTREES | 1u << PROVEN_SUBTREES},
    {"full-subgraph", NULL, false, 1u << LEVELS | 1u << SUBTREES | 1u << PROVEN_SUBTREES},
    {"unrestricted-multi", NULL, false,
     1u << LEVELS | 1u << SUBTREES | 1u << PROVEN_SUBTREES | 1u << UNRESTRICTED |
         1u << FULL_SUBGRAPH},
};

typedef struct {
    kan_run *run;
    uint64_t random;
    plain_table plain;
    uint64_t k, limit;
    char path[MOST_COLUMNS][PATH];
    const char *cost, *prove;
    kan_table *table;
} world;

static size_t below(world *w, size_t bound) {
    return (size_t)kan_random_below(&w->random, bound);
}

/* ---- making --------------------------------------------------------------------------------- */

static void put_hierarchy(world *w, unsigned a) {
    plain_attribute *attribute = &w->plain.attributes[a];
    if (attribute->height == 0) {
        attribute->height = 1;
        for (size_t leaf = 0; leaf < attribute->n_leaves; leaf++)
            strcpy(attribute->leaves[leaf].at[1], "*");
    }
    strcpy(w->path[a], "/tmp/kanon-contain-XXXXXX");
    FILE *file = fdopen(mkstemp(w->path[a]), "w");
    assert_non_null(file);
    for (size_t leaf = 0; leaf < attribute->n_leaves; leaf++) {
        plain_label *labels = attribute->leaves[leaf].at;
        fputs(labels[0], file);
        for (unsigned level = 1; level < attribute->height; level++)
            fprintf(file, ";%u:%s", level, labels[level]); /* no two levels have one in common */
        fprintf(file, ";%s\n", labels[attribute->height]);
    }
    assert_int_equal(fclose(file), 0);
}

static void make_table(world *w) {
    const unsigned n = w->plain.n_attributes + w->plain.n_tails;
    char names[MOST_COLUMNS][16];
    const char *cells[MOST_COLUMNS];
    assert_true(n < MOST_COLUMNS);
    for (unsigned c = 0; c < n; c++) {
        snprintf(names[c], sizeof names[c], "c%u", c);
        cells[c] = names[c];
    }
    EXPECT_OK(w->run, kan_table_create(w->run, n, cells, &w->table));
    for (size_t row = 0; row < w->plain.n_rows; row++) {
        for (unsigned c = 0; c < n; c++)
            cells[c] = plain_cell(&w->plain, row, c);
        EXPECT_OK(w->run, kan_table_add_row(w->table, cells));
    }
}

static world *world_begin(kan_run *run, uint64_t seed) {
    static const char *const costs[] = {"discernibility", "ncp", "discernibility",
                                        "classification"};
    world *w = calloc(1, sizeof *w);
    random_spec spec = random_small;
    assert_non_null(w);
    w->run = run;
    w->random = seed * 104729;
    spec.least_rows = 4;
    spec.most_rows = seed % 3 == 0 ? 12 : MOST_ROWS;
    spec.most_attributes = 4;
    random_plain(&spec, &w->random, &w->plain);
    for (unsigned a = 0; a < w->plain.n_attributes; a++)
        put_hierarchy(w, a);
    make_table(w);
    w->k = 2 + below(w, w->plain.n_rows < 10 ? 2 : 6);
    w->limit = below(w, 2) ? 0 : below(w, w->plain.n_rows);
    w->cost = costs[below(w, w->plain.class_tail == KAN_NO_TAIL ? 3 : 4)];
    w->prove = below(w, 2) ? "2000" : "0";
    return w;
}

static void world_end(world *w) {
    for (unsigned a = 0; a < w->plain.n_attributes; a++)
        unlink(w->path[a]);
    kan_table_destroy(w->table);
    plain_destroy(&w->plain);
    free(w);
}

/* ---- the job -------------------------------------------------------------------------------- */

static void set(world *w, kan_job *job, const char *name, const char *value) {
    EXPECT_OK(w->run, kan_job_set(job, name, value));
}

static void set_number(world *w, kan_job *job, const char *name, uint64_t number) {
    char text[24];
    snprintf(text, sizeof text, "%llu", (unsigned long long)number);
    set(w, job, name, text);
}

static kan_status run_job(world *w, unsigned way, kan_result **out) {
    kan_job *job;
    EXPECT_OK(w->run, kan_job_create(w->run, &job));
    EXPECT_OK(w->run, kan_job_use_table(job, w->table));
    for (unsigned c = 0; c < w->plain.n_attributes + w->plain.n_tails; c++) {
        char name[PATH + 32];
        snprintf(name, sizeof name, c < w->plain.n_attributes ? "c%u=%s" : "c%u", c, w->path[c]);
        if (c < w->plain.n_attributes)
            set(w, job, "qi", name);
        else if ((int)(c - w->plain.n_attributes) == w->plain.class_tail)
            set(w, job, "class", name);
    }
    set(w, job, "others", "keep");
    set_number(w, job, "k", w->k);
    set_number(w, job, "suppress", w->limit);
    set(w, job, "recoding", ways[way].recoding);
    if (ways[way].algorithm)
        set(w, job, "algorithm", ways[way].algorithm);
    if (way >= UNRESTRICTED)
        set(w, job, "prove", w->prove);
    set(w, job, "cost", w->cost);
    const kan_status status = kan_job_run(job, "anonymize", out);
    kan_job_destroy(job);
    return status;
}

/* ---- what a release costs ------------------------------------------------------------------- */

static void copy_cell(const kan_table *table, uint64_t row, size_t column, char *out) {
    size_t size;
    const char *value = kan_table_value(table, row, column, &size);
    assert_true(size < SHOWN);
    memcpy(out, value, size);
    out[size] = '\0';
}

static bool show_the_same(const world *w, const kan_table *release, uint64_t x, uint64_t y) {
    for (unsigned a = 0; a < w->plain.n_attributes; a++) {
        char one[SHOWN], other[SHOWN];
        copy_cell(release, x, a, one);
        copy_cell(release, y, a, other);
        if (strcmp(one, other) != 0)
            return false;
    }
    return true;
}

static bool has_same_class(const world *w, const kan_table *release, uint64_t x, uint64_t y) {
    const size_t column = w->plain.n_attributes + (size_t)w->plain.class_tail;
    char one[SHOWN], other[SHOWN];
    copy_cell(release, x, column, one);
    copy_cell(release, y, column, other);
    return strcmp(one, other) == 0;
}

/* The rows that show the same as row `i`; `most`: the most of them that have one class. Each group
 * is counted at its first row: *is_first. */
static size_t group_at(const world *w, const kan_table *release, uint64_t i, bool by_class,
                       size_t *most, bool *is_first) {
    const uint64_t n = kan_table_n_rows(release);
    size_t size = 0;
    *is_first = true;
    *most = 0;
    for (uint64_t j = 0; j < n; j++) {
        size_t n_alike = 0;
        if (!show_the_same(w, release, i, j))
            continue;
        *is_first &= j >= i;
        size++;
        for (uint64_t l = 0; by_class && l < n; l++)
            n_alike += show_the_same(w, release, j, l) && has_same_class(w, release, j, l);
        *most = n_alike > *most ? n_alike : *most;
    }
    return size;
}

static double count_cost(const world *w, const kan_table *release) {
    const bool by_class = strcmp(w->cost, "classification") == 0;
    const double n_rows = (double)w->plain.n_rows;
    const double n_lost = n_rows - (double)kan_table_n_rows(release);
    double cost = n_lost * (by_class ? 1 : n_rows);
    for (uint64_t i = 0; i < kan_table_n_rows(release); i++) {
        size_t most;
        bool is_first;
        const size_t size = group_at(w, release, i, by_class, &most, &is_first);
        assert_true(size >= w->k);
        if (is_first)
            cost += by_class ? (double)(size - most) : (double)size * (double)size;
    }
    assert_true(n_lost <= (double)w->limit);
    return cost;
}

/* ---- rounds --------------------------------------------------------------------------------- */

static size_t n_compared, n_better, n_unsatisfied;

/* Shares of leaves are counted by others (`oracle.costs`); what the result says is compared. */
static double cost_of(const world *w, const kan_result *result) {
    if (strcmp(w->cost, "ncp") != 0)
        return count_cost(w, kan_result_table(result));
    json_t *root = json_loads(kan_result_json(result), 0, NULL);
    const json_t *ncp = json_object_get(json_object_get(root, "metrics"), "ncp");
    assert_true(json_is_number(ncp));
    const double cost = json_number_value(ncp);
    json_decref(root);
    return cost;
}

static void one_table(kan_run *run, uint64_t seed) {
    world *w = world_begin(run, seed);
    double costs[N_WAYS];
    bool is_there[N_WAYS] = {false};
    for (unsigned way = 0; way < N_WAYS; way++) {
        kan_result *result;
        if (ways[way].cuts && strcmp(w->cost, "ncp") == 0)
            continue;
        const kan_status status = run_job(w, way, &result);
        if (status != KAN_OK && status != KAN_UNSATISFIED)
            fail_msg("%s", kan_run_error(run));
        is_there[way] = status == KAN_OK;
        n_unsatisfied += status != KAN_OK;
        if (status != KAN_OK)
            continue;
        costs[way] = cost_of(w, result);
        kan_result_destroy(result);
    }
    for (unsigned way = 0; way < N_WAYS; way++)
        for (unsigned other = 0; other < way; other++) {
            if (!(ways[way].contains & 1u << other) || !is_there[other] ||
                (ways[way].cuts && !is_there[way] && strcmp(w->cost, "ncp") == 0))
                continue;
            if (!is_there[way] || costs[way] > costs[other] + 1e-9)
                fail_msg("%s: %s %g, %s %s %g", w->cost, ways[way].recoding,
                         is_there[way] ? costs[way] : -1, ways[other].recoding,
                         ways[other].algorithm ? ways[other].algorithm : "", costs[other]);
            n_compared++;
            n_better += costs[way] < costs[other] - 1e-9;
        }
    world_end(w);
}

static void a_model_is_never_worse_than_what_it_contains(void **state) {
    (void)state;
    random_rounds(450, one_table);
    print_message("%zu pairs, %zu of them better; %zu not possible\n", n_compared, n_better,
                  n_unsatisfied);
    if (!getenv("KANON_TEST_SEED") && !getenv("KANON_TEST_ROUNDS"))
        assert_true(n_compared > 1000 && n_better > 300);
}

int main(void) {
    const struct CMUnitTest tests[] = {
        cmocka_unit_test_teardown(a_model_is_never_worse_than_what_it_contains, random_tear_down),
    };
    return cmocka_run_group_tests(tests, NULL, NULL);
}
