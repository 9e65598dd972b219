/* Searches that count people, against brute force over small tables in which people have several
 * rows: by person and by row, with a limit and without, under k alone and with alpha, l and t, and
 * histories. The brute force knows nothing of frequency sets: it takes rows. Where a promise absorbs
 * what is merged with it, who stays is found by trying every set of people. */
#include <jansson.h>
#include <math.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>

#include "job/registry/registry.h"
#include "oracle/people.h"
#include "search/search.h"

/* ---- brute force ---------------------------------------------------------------------------- */

/* Whoever shares her history with others with whom each of her rows passes. */
static unsigned people_with_history(const people_question *q, const unsigned *levels) {
    unsigned stay = 0;
    for (unsigned a = 0; a < q->n_people; a++) {
        unsigned alike = 0;
        for (unsigned b = 0; b < q->n_people; b++)
            alike |= people_are_alike(q, levels, a, b) ? 1u << b : 0;
        stay |= people_find_failing(q, levels, alike, 0) ? 0 : 1u << a;
    }
    return stay;
}

/* Whether the rows that are there keep what is promised of the whole table. */
static bool keeps_all(const people_question *q, const unsigned *levels, const bool *is_in) {
    unsigned smallest[PEOPLE_MOST] = {0};
    bool is_empty = true;
    for (unsigned i = 0; i < q->n_rows; i++) {
        if (!is_in[i])
            continue;
        const people_group group = people_find_group(q, levels, is_in, i);
        unsigned *least = &smallest[q->rows[i].person];
        *least =
            *least && *least < people_count(group.people) ? *least : people_count(group.people);
        is_empty = false;
    }
    return is_empty || people_keep_all(q, smallest);
}

/* Of the people of `stay` the largest set with which all groups pass, and have so many people; for
 * promises that merging can break, what is left when those who must leave have left, again and
 * again. */
static unsigned those_who_stay(const people_question *q, const unsigned *levels, unsigned stay,
                               unsigned least) {
    const unsigned all = (1u << q->n_people) - 1;
    unsigned best = 0;
    for (unsigned set = 1; set <= all && people_absorb(q); set++)
        if (people_count(set) > people_count(best) && !people_find_failing(q, levels, set, least))
            best = set;
    if (people_absorb(q))
        return best;
    for (unsigned failing; (failing = people_find_failing(q, levels, stay, least)) != 0;)
        stay &= ~failing;
    return stay;
}

/* While what is promised of the whole table does not hold, groups must be larger. */
static unsigned people_who_stay(const people_question *q, const unsigned *levels) {
    unsigned stay = (1u << q->n_people) - 1;
    if (q->histories)
        return people_with_history(q, levels);
    for (unsigned least = 0; least <= q->n_people + 1; least++) {
        bool is_in[PEOPLE_ROWS];
        stay = those_who_stay(q, levels, stay, least);
        people_take(q, stay, is_in);
        if (keeps_all(q, levels, is_in))
            return stay;
    }
    return 0;
}

static void rows_that_stay(const people_question *q, const unsigned *levels, bool *is_in) {
    bool all[PEOPLE_ROWS];
    memset(all, 1, sizeof all);
    for (unsigned least = 0; least <= q->n_people + 1; least++) {
        for (unsigned i = 0; i < q->n_rows; i++) {
            const people_group group = people_find_group(q, levels, all, i);
            is_in[i] = people_pass(q, &group) && people_count(group.people) >= least;
        }
        if (keeps_all(q, levels, is_in))
            return;
    }
}

typedef struct {
    bool is_in[PEOPLE_ROWS];
    unsigned n_left_out, n_suppressed, n_groups;
    double cost;
    unsigned height;
} node_of;

/* The cost of a node by people, each row by 1 / the rows of its person, or people in place of rows. */
static double cost_of_people(const people_question *q, const unsigned *levels,
                             const node_of *node) {
    const unsigned n_left = people_count(people_left(q, node->is_in));
    double squares = 0, heads = 0, minority = 0, lost = 0, moved = 0;
    for (unsigned i = 0; i < q->n_rows; i++) {
        double of_class[2] = {0, 0};
        bool is_first = node->is_in[i];
        lost += node->is_in[i] ? 0 : people_weight(q, i);
        moved += node->is_in[i] ? people_weight(q, i) * node->height : 0;
        for (unsigned j = 0; j < q->n_rows; j++) {
            if (!node->is_in[j] || !people_show_alike(q, levels, &q->rows[i], &q->rows[j]))
                continue;
            is_first &= j >= i;
            of_class[q->rows[j].class] += people_weight(q, j);
        }
        if (!is_first)
            continue;
        const double n = people_count(people_find_group(q, levels, node->is_in, i).people);
        squares += n * n;
        heads += n;
        minority += of_class[0] < of_class[1] ? of_class[0] : of_class[1];
    }
    return strcmp(q->cost, "height") == 0           ? node->height
           : strcmp(q->cost, "discernibility") == 0 ? squares + (double)n_left * q->n_people
           : strcmp(q->cost, "average-class") == 0
               ? (heads + n_left) / (node->n_groups + (n_left > 0)) / q->k
           : strcmp(q->cost, "classification") == 0
               ? minority + lost
               : (moved / (PEOPLE_LEVELS - 1) / q->n_quasi + lost) / q->n_people;
}

static void measure_node(const people_question *q, const unsigned *levels, node_of *out) {
    double discernibility = 0, minority = 0;
    *out = (node_of){.n_groups = 0};
    if (q->by_person) {
        const unsigned stay = people_who_stay(q, levels);
        people_take(q, stay, out->is_in);
        out->n_left_out = q->n_people - people_count(stay);
    } else {
        rows_that_stay(q, levels, out->is_in);
    }
    for (unsigned i = 0; i < q->n_rows; i++) {
        bool is_first = out->is_in[i];
        out->n_suppressed += !out->is_in[i];
        for (unsigned j = 0; j < i && is_first; j++)
            is_first = !out->is_in[j] || !people_show_alike(q, levels, &q->rows[i], &q->rows[j]);
        if (!is_first)
            continue;
        const people_group group = people_find_group(q, levels, out->is_in, i);
        out->n_groups++;
        discernibility += (double)group.n_rows * group.n_rows;
        minority += group.of_class[0] < group.of_class[1] ? group.of_class[0] : group.of_class[1];
    }
    if (!q->by_person)
        out->n_left_out = out->n_suppressed;
    const unsigned n_classes = out->n_groups + (out->n_suppressed > 0);
    for (unsigned i = 0; i < q->n_quasi; i++)
        out->height += levels[i];
    /* every column has as many levels: precision and distortion are the same */
    const double moved =
        (double)(q->n_rows - out->n_suppressed) * out->height / (PEOPLE_LEVELS - 1) / q->n_quasi;
    out->cost = strcmp(q->cost, "height") == 0 ? out->height
                : strcmp(q->cost, "precision") == 0 || strcmp(q->cost, "distortion") == 0
                    ? (moved + out->n_suppressed) / q->n_rows
                : strcmp(q->cost, "discernibility") == 0
                    ? discernibility + (double)out->n_suppressed * q->n_rows
                : strcmp(q->cost, "average-class") == 0 ? (double)q->n_rows / n_classes / q->k
                                                        : minority + out->n_suppressed;
    if (q->of_people)
        out->cost = cost_of_people(q, levels, out);
}

typedef struct {
    unsigned n_nodes, n_satisfying, best[PEOPLE_QUASI];
    bool is_found;    /* `best`, which releases a row */
    bool is_monotone; /* no satisfying node has a failing one above it */
    bool has_left;    /* somebody who stays at a node leaves at one above it */
    double cost;
} truth_of;

static bool next_levels(const people_question *q, unsigned *levels) {
    for (unsigned i = q->n_quasi; i-- > 0;) {
        if (++levels[i] < PEOPLE_LEVELS)
            return true;
        levels[i] = 0;
    }
    return false;
}

static void find_truth(const people_question *q, truth_of *out) {
    unsigned levels[PEOPLE_QUASI] = {0}, height = 0;
    *out = (truth_of){.is_monotone = true};
    do {
        node_of node, above;
        measure_node(q, levels, &node);
        const bool satisfies = node.n_left_out <= q->limit;
        out->n_nodes++;
        out->n_satisfying += satisfies;
        if (satisfies && node.n_groups > 0 &&
            (!out->is_found || node.cost < out->cost - 1e-9 ||
             (node.cost < out->cost + 1e-9 && node.height < height))) {
            out->is_found = true;
            out->cost = node.cost;
            height = node.height;
            memcpy(out->best, levels, sizeof levels);
        }
        for (unsigned i = 0; i < q->n_quasi; i++) {
            if (++levels[i] < PEOPLE_LEVELS) {
                measure_node(q, levels, &above);
                out->is_monotone &= !satisfies || above.n_left_out <= q->limit;
                for (unsigned row = 0; row < q->n_rows; row++)
                    out->has_left |= node.is_in[row] && !above.is_in[row];
            }
            levels[i]--;
        }
    } while (next_levels(q, levels));
}

/* ---- the program ---------------------------------------------------------------------------- */

static void read_levels(const json_t *json, const people_question *q, unsigned *levels) {
    const json_t *array = json_object_get(json_object_get(json, "solution"), "levels");
    for (unsigned i = 0; i < q->n_quasi; i++)
        levels[i] = (unsigned)json_integer_value(json_array_get(array, i));
}

static struct {
    size_t n_questions, n_found, n_refused, n_holes, n_lost_above, n_releases;
    size_t n_known, n_known_kept, n_known_holes; /* of a population */
    size_t n_whole, n_whole_holes, n_whole_kept; /* promises of the whole table */
    size_t n_of_histories;                       /* answers with models of sensitive values */
} seen;

static void expect_node(const json_t *json, const people_question *q) {
    unsigned levels[PEOPLE_QUASI];
    node_of node;
    read_levels(json, q, levels);
    measure_node(q, levels, &node);
    assert_true(node.n_left_out <= q->limit);
    const json_t *suppression = json_object_get(json, "suppression");
    assert_int_equal(json_integer_value(json_object_get(suppression, "rows")), node.n_suppressed);
    assert_int_equal(json_integer_value(json_object_get(suppression, "limit")), q->limit);
    const double cost =
        json_number_value(json_object_get(json_object_get(json, "metrics"), q->cost));
    assert_true(fabs(cost - node.cost) < 1e-6);
}

static void expect_search(kan_run *run, kan_job *job, const people_question *q,
                          const truth_of *truth, const kan_search_kind *search, bool is_monotone) {
    kan_result *result;
    unsigned levels[PEOPLE_QUASI];
    EXPECT_OK(run, kan_job_set(job, "algorithm", search->kind.name));
    if (search->counts_people) /* regions: oracle.people_regions */
        return;
    const kan_status status = kan_job_run(job, "search", &result);
    if (search->cuts || search->regions || (search->needs_monotone && !is_monotone)) {
        assert_int_equal(status, KAN_BAD_INPUT);
        assert_non_null(strstr(kan_run_error(run), "exhaustive"));
        seen.n_refused++;
        return;
    }
    if (status == KAN_UNSATISFIED) {
        assert_true(!truth->is_found || (!search->finds_all && !is_monotone));
        return;
    }
    EXPECT_OK(run, status);
    json_t *json = people_read_result(result);
    expect_node(json, q);
    if (search->finds_all)
        assert_int_equal(
            json_integer_value(json_object_get(json_object_get(json, "lattice"), "anonymous")),
            truth->n_satisfying);
    if (search->finds_best) {
        read_levels(json, q, levels);
        assert_memory_equal(levels, truth->best, q->n_quasi * sizeof *levels);
    }
    assert_true(json_is_true(json_object_get(json, "verified")));
    json_decref(json);
    kan_result_destroy(result);
    seen.n_found++;
    seen.n_of_histories += q->histories && (q->l || q->alpha || q->t || q->beta || q->delta);
}

/* The release itself, by its own values: who has which row is told by the row's number. */
static void expect_release(kan_run *run, kan_job *job, const people_question *q,
                           const truth_of *truth, const char *algorithm) {
    kan_result *result;
    EXPECT_OK(run, kan_job_set(job, "algorithm", algorithm));
    const kan_status status = kan_job_run(job, "anonymize", &result);
    assert_int_equal(status != KAN_UNSATISFIED, truth->is_found);
    if (status == KAN_UNSATISFIED)
        return;
    EXPECT_OK(run, status);
    json_t *json = people_read_result(result);
    unsigned levels[PEOPLE_QUASI];
    node_of node;
    bool is_in[PEOPLE_ROWS] = {false};
    read_levels(json, q, levels);
    assert_memory_equal(levels, truth->best, q->n_quasi * sizeof *levels);
    measure_node(q, levels, &node);
    const kan_table *table = kan_result_table(result);
    for (uint64_t row = 0; row < kan_table_n_rows(table); row++) {
        size_t size;
        char number[8] = "";
        const char *text = kan_table_value(table, row, 0, &size);
        memcpy(number, text, size);
        const unsigned original = (unsigned)atoi(number);
        is_in[original] = true;
        for (unsigned a = 0; a < q->n_quasi; a++) {
            const char *shown = kan_table_value(table, row, q->has_class + 2 + a, &size);
            const size_t n_kept = PEOPLE_LEVELS - 1 - levels[a];
            assert_memory_equal(shown, q->rows[original].cells[a], n_kept);
            assert_true(size == (n_kept ? 2 : 1));
        }
    }
    for (size_t c = 0; c < kan_table_n_columns(table); c++)
        assert_string_not_equal(kan_table_column_name(table, c), "who");
    assert_memory_equal(is_in, node.is_in, sizeof is_in);
    json_decref(json);
    kan_result_destroy(result);
    seen.n_releases++;
}

/* ---- all of it ------------------------------------------------------------------------------ */

static void people_on_one_table(kan_run *run, uint64_t seed) {
    uint64_t random = seed * 9176 + 3;
    people_question q;
    truth_of truth;
    people_random_question(&random, &q);
    people_random_whole(&random, &q);
    people_random_known(&random, &q);
    q.of_people = seed % 3 == 0;
    find_truth(&q, &truth);
    kan_run_set_threads(run, 1 + (unsigned)(seed % 2));
    seen.n_questions++;
    seen.n_holes += !truth.is_monotone;
    seen.n_lost_above += truth.has_left;
    /* what is said to be absorbing must be so: nobody leaves on the way up */
    assert_false(people_absorb(&q) && !people_promise_all(&q) && truth.has_left);
    assert_true(truth.is_monotone || !people_survive(&q));
    seen.n_known += q.n_known > 0;
    seen.n_known_kept += q.n_known > 0 && truth.n_satisfying > 0;
    seen.n_known_holes += q.high > 0 && q.limit == 0 && !truth.is_monotone;
    seen.n_whole += people_promise_all(&q);
    seen.n_whole_holes += people_promise_all(&q) && people_absorb(&q) && !truth.is_monotone;
    seen.n_whole_kept += people_promise_all(&q) && people_absorb(&q) && truth.n_satisfying > 0;
    kan_table *table = people_make_table(run, &q);
    kan_job *job = people_make_job(run, &q, table);
    for (size_t i = 0; i < kan_registry_count(KAN_FAMILY_SEARCH); i++)
        expect_search(run, job, &q, &truth,
                      (const kan_search_kind *)kan_registry_at(KAN_FAMILY_SEARCH, i),
                      people_survive(&q));
    expect_release(run, job, &q, &truth, "auto");
    for (size_t i = 0; i < kan_registry_count(KAN_FAMILY_SEARCH); i++) {
        const kan_search_kind *search =
            (const kan_search_kind *)kan_registry_at(KAN_FAMILY_SEARCH, i);
        if (search->finds_best && !search->cuts && !search->regions &&
            (people_survive(&q) || !search->needs_monotone) && kan_random_below(&random, 4) == 0)
            expect_release(run, job, &q, &truth, search->kind.name);
    }
    kan_job_destroy(job);
    kan_table_destroy(table);
}

static void every_search_counts_people_as_brute_force_does(void **state) {
    (void)state;
    memset(&seen, 0, sizeof seen);
    random_rounds(400, people_on_one_table);
    print_message("%zu questions, %zu answers, %zu refused, %zu with holes, %zu lose more above, "
                  "%zu releases; %zu answers with models of histories\n",
                  seen.n_questions, seen.n_found, seen.n_refused, seen.n_holes, seen.n_lost_above,
                  seen.n_releases, seen.n_of_histories);
    print_message("%zu of a population, %zu of them kept, %zu with holes\n", seen.n_known,
                  seen.n_known_kept, seen.n_known_holes);
    print_message("%zu of the whole table, %zu of them kept, %zu with holes\n", seen.n_whole,
                  seen.n_whole_kept, seen.n_whole_holes);
    if (getenv("KANON_TEST_SEED") || getenv("KANON_TEST_ROUNDS"))
        return;
    assert_true(seen.n_found > 500 && seen.n_refused > 500 && seen.n_releases > 100);
    assert_true(seen.n_holes > 0 && seen.n_lost_above > 0 && seen.n_of_histories > 50);
    assert_true(seen.n_known_kept > 50 && seen.n_known_holes > 0 && seen.n_whole_kept > 20);
}

/* ---- costs that bounds prune by ------------------------------------------------------------- */

/* What bounds leave out must not be better: bisect against exhaustive, by every cost. */
static void bounds_on_one_table(kan_run *run, uint64_t seed) {
    uint64_t random = seed * 7411 + 5;
    people_question q;
    people_random_question(&random, &q);
    people_random_whole(&random, &q);
    people_random_known(&random, &q);
    q.k_map = q.high || q.n_known == 0 ? q.k_map + (q.high > 0) : q.k_map;
    q.high = 0;                                     /* bisect prunes */
    q.limit = people_promise_all(&q) ? 0 : q.limit; /* bisect prunes */
    q.alpha = q.t = q.beta = q.delta = 0;
    q.l = q.l_kind == 'd' ? q.l : 0;
    q.has_class = true;
    q.of_people = seed % 2;
    kan_table *table = people_make_table(run, &q);
    for (size_t i = 0; i < kan_registry_count(KAN_FAMILY_COST); i++) {
        char *answers[2] = {NULL, NULL};
        kan_job *job = people_make_job(run, &q, table);
        EXPECT_OK(run, kan_job_set(job, "cost", kan_registry_at(KAN_FAMILY_COST, i)->name));
        for (unsigned s = 0; s < 2; s++) {
            kan_result *result;
            EXPECT_OK(run, kan_job_set(job, "algorithm", s ? "bisect" : "exhaustive"));
            const kan_status status = kan_job_run(job, "search", &result);
            if (status == KAN_UNSATISFIED)
                continue;
            EXPECT_OK(run, status);
            json_t *json = people_read_result(result);
            answers[s] = json_dumps(json_object_get(json, "solution"), 0);
            json_decref(json);
            kan_result_destroy(result);
        }
        assert_int_equal(!answers[0], !answers[1]);
        if (answers[0])
            assert_string_equal(answers[0], answers[1]);
        free(answers[0]);
        free(answers[1]);
        kan_job_destroy(job);
    }
    kan_table_destroy(table);
}

static void bounds_never_hide_the_best_where_people_are_counted(void **state) {
    (void)state;
    random_rounds(150, bounds_on_one_table);
}

/* ---- rows that are repeated ----------------------------------------------------------------- */

static unsigned common_divisor(unsigned a, unsigned b) {
    return b ? common_divisor(b, a % b) : a;
}

/* Each row as often as makes the rows of all people equally many, up to a common factor of them. */
static kan_table *repeat_rows(kan_run *run, const people_question *q) {
    static const char *const names[] = {"row", "who", "dx", "class", "a", "b", "c"};
    unsigned n_rows[PEOPLE_MOST] = {0}, all = 1;
    kan_table *table;
    for (unsigned i = 0; i < q->n_rows; i++)
        n_rows[q->rows[i].person]++;
    for (unsigned p = 0; p < q->n_people; p++)
        all *= n_rows[p] / common_divisor(all, n_rows[p]);
    EXPECT_OK(run, kan_table_create(run, 4 + q->n_quasi, names, &table));
    for (unsigned i = 0; i < q->n_rows; i++)
        for (unsigned n = 0; n < all / n_rows[q->rows[i].person]; n++) {
            const people_row *r = &q->rows[i];
            char cells[3][16];
            snprintf(cells[0], sizeof cells[0], "p%u", r->person);
            snprintf(cells[1], sizeof cells[1], "v%u", r->value);
            snprintf(cells[2], sizeof cells[2], "c%u", r->class);
            const char *const values[] = {"0",         cells[0],    cells[1],   cells[2],
                                          r->cells[0], r->cells[1], r->cells[2]};
            EXPECT_OK(run, kan_table_add_row(table, values));
        }
    return table;
}

static size_t n_compared;

/* The levels, and what the release costs; whether there is one. */
static bool ask_levels(kan_run *run, const people_question *q, kan_table *table,
                       const char *algorithm, unsigned *levels, double *cost) {
    kan_result *result;
    kan_job *job = people_make_job(run, q, table);
    EXPECT_OK(run, kan_job_set(job, "algorithm", algorithm));
    const kan_status status = kan_job_run(job, "search", &result);
    kan_job_destroy(job);
    if (status == KAN_UNSATISFIED)
        return false;
    EXPECT_OK(run, status);
    json_t *json = people_read_result(result);
    read_levels(json, q, levels);
    *cost = json_number_value(json_object_get(json_object_get(json, "metrics"), q->cost));
    assert_string_equal(json_string_value(json_object_get(json, "count")),
                        q->of_people ? "people" : "rows");
    json_decref(json);
    kan_result_destroy(result);
    return true;
}

/* A row of a person with m of D stands for D / m rows, and no promise about groups of people sees how
 * often a row is there. So each search finds the same, ties and all. */
static void repeating_on_one_table(kan_run *run, uint64_t seed) {
    static const char *const costs[] = {"ncp", "ncp", "precision", "distortion"};
    static const char *const searches[] = {"exhaustive", "bisect", "incognito", "samarati",
                                           "bottom-up"};
    uint64_t random = seed * 5113 + 7;
    people_question q;
    people_random_question(&random, &q);
    q.histories = false;
    q.limit = q.by_person ? q.limit : 0; /* of rows it would be of more of them */
    q.cost = costs[seed % 4];
    kan_table *table = people_make_table(run, &q), *repeated = repeat_rows(run, &q);
    for (size_t s = 0; s < (people_survive(&q) ? 5 : 1); s++) {
        unsigned levels[2][PEOPLE_QUASI] = {{0}};
        double cost[2] = {0, 0};
        q.of_people = true;
        const bool is_found = ask_levels(run, &q, table, searches[s], levels[0], &cost[0]);
        q.of_people = false;
        assert_true(is_found == ask_levels(run, &q, repeated, searches[s], levels[1], &cost[1]));
        assert_memory_equal(levels[0], levels[1], sizeof levels[0]);
        assert_true(fabs(cost[0] - cost[1]) < 1e-9);
        n_compared += is_found;
    }
    kan_table_destroy(table);
    kan_table_destroy(repeated);
}

static void costs_by_people_are_those_of_rows_that_are_repeated(void **state) {
    (void)state;
    n_compared = 0;
    random_rounds(150, repeating_on_one_table);
    print_message("%zu answers\n", n_compared);
    if (!getenv("KANON_TEST_SEED") && !getenv("KANON_TEST_ROUNDS"))
        assert_true(n_compared > 100);
}

/* ---- weights that are rounded ---------------------------------------------------------------- */

/* 45 people with 1 to 45 rows: what all these numbers divide, as often as there are people, is above 2^62. */
static void weights_are_rounded_where_no_number_of_parts_fits(void **state) {
    enum { MOST = 45, VALUES = 4 };
    static const char *const names[] = {"who", "a", "class"};
    kan_run *run = kan_run_create();
    kan_table *table;
    kan_job *job;
    kan_result *result;
    double weights[VALUES][2] = {{0}}, expected = 0;
    (void)state;
    EXPECT_OK(run, kan_table_create(run, 3, names, &table));
    for (unsigned p = 0; p < MOST; p++)
        for (unsigned i = 0; i <= p; i++) {
            char who[8], a[8], class[8];
            const unsigned value = (p + i) % VALUES, of_class = (p * i + i) % 5 < 2;
            snprintf(who, sizeof who, "p%u", p);
            snprintf(a, sizeof a, "v%u", value);
            snprintf(class, sizeof class, "c%u", of_class);
            EXPECT_OK(run, kan_table_add_row(table, (const char *[]){who, a, class}));
            weights[value][of_class] += 1.0 / (p + 1);
        }
    for (unsigned v = 0; v < VALUES; v++)
        expected += weights[v][0] < weights[v][1] ? weights[v][0] : weights[v][1];
    EXPECT_OK(run, kan_job_create(run, &job));
    EXPECT_OK(run, kan_job_use_table(job, table));
    const char *const settings[] = {"qi",     "a=suppress", "class", "class",  "k",      "2",
                                    "person", "who",        "count", "people", "levels", "0"};
    for (size_t i = 0; i < sizeof settings / sizeof *settings; i += 2)
        EXPECT_OK(run, kan_job_set(job, settings[i], settings[i + 1]));
    EXPECT_OK(run, kan_job_run(job, "search", &result));
    json_t *json = people_read_result(result);
    const double told =
        json_number_value(json_object_get(json_object_get(json, "metrics"), "classification"));
    assert_true(expected > 1 && fabs(told - expected) < 1e-12 * expected);
    json_decref(json);
    kan_result_destroy(result);
    kan_job_destroy(job);
    kan_table_destroy(table);
    kan_run_destroy(run);
}

/* ---- by hand -------------------------------------------------------------------------------- */

static kan_status run_rows(kan_run *run, const char *const (*rows)[4], size_t n_rows,
                           const char *const *settings, kan_result **out) {
    static const char *const names[] = {"who", "a", "b", "dx"};
    kan_table *table;
    kan_job *job;
    EXPECT_OK(run, kan_table_create(run, 4, names, &table));
    for (size_t i = 0; i < n_rows; i++)
        EXPECT_OK(run, kan_table_add_row(table, rows[i]));
    EXPECT_OK(run, kan_job_create(run, &job));
    EXPECT_OK(run, kan_job_use_table(job, table));
    for (; settings[0]; settings += 2)
        EXPECT_OK(run, kan_job_set(job, settings[0], settings[1]));
    const kan_status status = kan_job_run(job, "search", out);
    kan_job_destroy(job);
    kan_table_destroy(table);
    return status;
}

/* The groups {1,2} with the value at 1, and {2,3} with it at 3: one in two each; together it is two
 * of three. So no search that prunes may take alpha with people, suppressed or not. */
static void alpha_by_people_does_not_survive_merging(void **state) {
    static const char *const rows[][4] = {{"1", "x", "u", "flu"},
                                          {"2", "x", "u", "none"},
                                          {"2", "y", "u", "none"},
                                          {"3", "y", "u", "flu"}};
    const char *settings[] = {"qi",     "a=suppress",  "sensitive", "dx",         "alpha",
                              "0.5",    "alpha-value", "flu",       "k",          "1",
                              "person", "who",         "algorithm", "exhaustive", NULL};
    kan_run *run = kan_run_create();
    kan_result *result;
    (void)state;
    EXPECT_OK(run, run_rows(run, rows, 4, settings, &result));
    json_t *json = people_read_result(result);
    const json_t *lattice = json_object_get(json, "lattice");
    assert_int_equal(json_integer_value(json_object_get(lattice, "anonymous")), 1);
    assert_int_equal(json_integer_value(
                         json_array_get(json_array_get(json_object_get(lattice, "minimal"), 0), 0)),
                     0);
    json_decref(json);
    kan_result_destroy(result);
    settings[13] = "bisect";
    assert_int_equal(run_rows(run, rows, 4, settings, &result), KAN_BAD_INPUT);
    assert_non_null(strstr(kan_run_error(run), "exhaustive"));
    kan_run_destroy(run);
}

/* All of 1 and 2 have the history {x, y}: in x 1 has the value, in y 2 has it, one in two each. One
 * step up both rows of each show the same, and both have it. */
static void alpha_of_histories_does_not_survive_merging(void **state) {
    static const char *const rows[][4] = {{"1", "x", "u", "flu"},
                                          {"1", "y", "u", "none"},
                                          {"2", "x", "u", "none"},
                                          {"2", "y", "u", "flu"}};
    const char *settings[] = {"qi",
                              "a=suppress",
                              "sensitive",
                              "dx",
                              "alpha",
                              "0.5",
                              "k",
                              "2",
                              "alpha-value",
                              "flu",
                              "person-promise",
                              "histories",
                              "person",
                              "who",
                              "algorithm",
                              "exhaustive",
                              NULL};
    kan_run *run = kan_run_create();
    kan_result *result;
    (void)state;
    EXPECT_OK(run, run_rows(run, rows, 4, settings, &result));
    json_t *json = people_read_result(result);
    const json_t *lattice = json_object_get(json, "lattice");
    assert_int_equal(json_integer_value(json_object_get(lattice, "anonymous")), 1);
    assert_int_equal(json_integer_value(
                         json_array_get(json_array_get(json_object_get(lattice, "minimal"), 0), 0)),
                     0);
    json_decref(json);
    kan_result_destroy(result);
    kan_run_destroy(run);
}

/* k = 2. The group z has 4 alone, who leaves; then y has 3 alone, who leaves; then x has 2 alone
 * with 1: both stay. By row only the row in z leaves. */
static void leaving_makes_others_leave(void **state) {
    static const char *const rows[][4] = {{"1", "x", "u", "flu"}, {"2", "x", "u", "flu"},
                                          {"3", "x", "u", "flu"}, {"3", "y", "u", "flu"},
                                          {"4", "y", "u", "flu"}, {"4", "z", "u", "flu"}};
    const char *settings[] = {"qi",          "a=suppress", "qi",   "b=suppress", "k",
                              "2",           "person",     "who",  "suppress",   "2",
                              "suppress-by", "person",     "cost", "height",     NULL};
    kan_run *run = kan_run_create();
    kan_result *result;
    json_t *json;
    (void)state;
    EXPECT_OK(run, run_rows(run, rows, 6, settings, &result));
    json = people_read_result(result);
    const json_t *person = json_object_get(json, "person");
    assert_int_equal(json_integer_value(json_object_get(person, "people")), 4);
    assert_int_equal(json_integer_value(json_object_get(person, "suppressed")), 2);
    assert_int_equal(json_integer_value(json_object_get(person, "fewest_in_group")), 2);
    assert_int_equal(
        json_integer_value(json_object_get(json_object_get(json, "suppression"), "rows")), 4);
    json_decref(json);
    kan_result_destroy(result);
    settings[9] = "1"; /* one person is not enough at the bottom: the column goes up */
    EXPECT_OK(run, run_rows(run, rows, 6, settings, &result));
    json = people_read_result(result);
    assert_int_equal(
        json_integer_value(json_object_get(json_object_get(json, "solution"), "height")), 1);
    json_decref(json);
    kan_result_destroy(result);
    settings[11] = "row";
    EXPECT_OK(run, run_rows(run, rows, 6, settings, &result));
    json = people_read_result(result);
    assert_int_equal(
        json_integer_value(json_object_get(json_object_get(json, "suppression"), "rows")), 1);
    json_decref(json);
    kan_result_destroy(result);
    kan_run_destroy(run);
}

/* k = 2, an average of 0.4, two people may leave. At the bottom {1,2} and {3,4,5} have 2/5, without 6 and
 * 7, who are alone. Without b they are two, and all have 3/7: to bring that down four must leave. */
static void an_average_over_people_may_break_where_people_are_left_out(void **state) {
    static const char *const rows[][4] = {
        {"1", "x", "c", "v"}, {"2", "x", "c", "v"}, {"3", "y", "c", "v"}, {"4", "y", "c", "v"},
        {"5", "y", "c", "v"}, {"6", "z", "c", "v"}, {"7", "z", "d", "v"}};
    const char *settings[] = {"qi",     "a=suppress",   "qi",        "b=suppress", "k",
                              "2",      "person",       "who",       "suppress",   "2",
                              "drop",   "dx",           "algorithm", "exhaustive", "cost",
                              "height", "average-risk", "0.4",       NULL};
    kan_run *run = kan_run_create();
    kan_result *result;
    (void)state;
    EXPECT_OK(run, run_rows(run, rows, 7, settings, &result));
    json_t *json = people_read_result(result);
    const json_t *lattice = json_object_get(json, "lattice");
    assert_int_equal(json_integer_value(json_object_get(lattice, "anonymous")), 3);
    json_decref(json);
    kan_result_destroy(result);
    settings[13] = "bisect";
    assert_int_equal(run_rows(run, rows, 7, settings, &result), KAN_BAD_INPUT);
    assert_non_null(strstr(kan_run_error(run), "exhaustive"));
    settings[9] = "0";
    EXPECT_OK(run, run_rows(run, rows, 7, settings, &result));
    kan_result_destroy(result);
    kan_run_destroy(run);
}

int main(void) {
    const struct CMUnitTest tests[] = {
        cmocka_unit_test_teardown(every_search_counts_people_as_brute_force_does, random_tear_down),
        cmocka_unit_test_teardown(bounds_never_hide_the_best_where_people_are_counted,
                                  random_tear_down),
        cmocka_unit_test_teardown(costs_by_people_are_those_of_rows_that_are_repeated,
                                  random_tear_down),
        cmocka_unit_test(weights_are_rounded_where_no_number_of_parts_fits),
        cmocka_unit_test(alpha_by_people_does_not_survive_merging),
        cmocka_unit_test(alpha_of_histories_does_not_survive_merging),
        cmocka_unit_test(leaving_makes_others_leave),
        cmocka_unit_test(an_average_over_people_may_break_where_people_are_left_out),
    };
    return cmocka_run_group_tests(tests, NULL, NULL);
}
