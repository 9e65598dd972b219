/* Tables of people, and promises about them by definition: see people.h. */
#include "oracle/people.h"

#include <math.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>
#include <unistd.h>

/* ---- brute force ---------------------------------------------------------------------------- */

bool people_show_alike(const people_question *q, const unsigned *levels, const people_row *a,
                       const people_row *b) {
    for (unsigned i = 0; i < q->n_quasi; i++)
        if (strncmp(a->cells[i], b->cells[i], PEOPLE_LEVELS - 1 - levels[i]) != 0)
            return false;
    return true;
}

/* The group of a row, of the rows that `is_in` has; what the whole table has in `whole`. */
people_group people_find_group(const people_question *q, const unsigned *levels, const bool *is_in,
                               unsigned row) {
    people_group group = {0};
    for (unsigned i = 0; i < q->n_rows; i++) {
        const people_row *r = &q->rows[i];
        if (!is_in[i] || (levels && !people_show_alike(q, levels, &q->rows[row], r)))
            continue;
        group.n_rows++;
        group.people |= 1u << r->person;
        group.have[r->value] |= 1u << r->person;
        group.of_class[r->class]++;
    }
    for (unsigned i = 0; i < q->n_known && levels; i++)
        if (people_show_alike(q, levels, &q->rows[row], &q->known[i]))
            group.known |= 1u << q->known[i].person;
    return group;
}

static bool has_diversity(const people_question *q, const people_group *group) {
    double pairs = 0, entropy = 0;
    unsigned n = 0, counts[PEOPLE_VALUES], rest = 0;
    for (unsigned v = 0; v < PEOPLE_VALUES; v++)
        if (group->have[v])
            counts[n++] = people_count(group->have[v]);
    for (unsigned i = 0; i < n; i++)
        for (unsigned j = i + 1; j < n; j++)
            if (counts[j] > counts[i]) {
                const unsigned other = counts[i];
                counts[i] = counts[j];
                counts[j] = other;
            }
    for (unsigned i = 0; i < n; i++)
        pairs += counts[i];
    for (unsigned i = 0; i < n; i++)
        entropy -= counts[i] / pairs * log(counts[i] / pairs);
    for (unsigned i = q->l - 1; i < n; i++)
        rest += counts[i];
    if (q->l_kind == 'e')
        return entropy >= log(q->l) - 1e-9;
    return n >= q->l && (q->l_kind == 'd' || counts[0] < 2 * rest);
}

static bool is_close(const people_question *q, const people_group *group) {
    bool all[PEOPLE_ROWS];
    unsigned n = 0, whole_n = 0;
    long long sum = 0;
    memset(all, 1, sizeof all);
    const people_group whole = people_find_group(q, NULL, all, 0);
    for (unsigned v = 0; v < PEOPLE_VALUES; v++) {
        n += people_count(group->have[v]);
        whole_n += people_count(whole.have[v]);
    }
    for (unsigned v = 0; v < PEOPLE_VALUES; v++) {
        const long long surplus = (long long)people_count(group->have[v]) * whole_n -
                                  (long long)people_count(whole.have[v]) * n;
        sum += surplus > 0 ? surplus : 0;
    }
    return sum * 10 <= (long long)q->t * n * whole_n;
}

/* Pairs of person and value: of the group, and of the whole table. */
static bool is_like(const people_question *q, const people_group *group) {
    bool all[PEOPLE_ROWS];
    unsigned n = 0, whole_n = 0;
    memset(all, 1, sizeof all);
    const people_group whole = people_find_group(q, NULL, all, 0);
    for (unsigned v = 0; v < PEOPLE_VALUES; v++) {
        n += people_count(group->have[v]);
        whole_n += people_count(whole.have[v]);
    }
    for (unsigned v = 0; v < PEOPLE_VALUES; v++) {
        const unsigned here = people_count(group->have[v]) * whole_n;
        const unsigned there = people_count(whole.have[v]) * n;
        if (q->beta && 10 * here > (10 + q->beta) * there)
            return false;
        if (q->delta && there > 0 && (here >= there << q->delta || there >= here << q->delta))
            return false;
    }
    return true;
}

bool people_pass(const people_question *q, const people_group *group) {
    const unsigned n_people = people_count(group->people);
    const unsigned n_known = people_count(group->known);
    if (n_people < q->k || n_known < q->k_map)
        return false;
    if (q->high && (10 * n_people > q->high * n_known || 10 * n_people < q->low * n_known))
        return false;
    for (unsigned v = 0; v < PEOPLE_VALUES && q->alpha; v++)
        if (10 * people_count(group->have[v]) > q->alpha * n_people)
            return false;
    return (!q->l || has_diversity(q, group)) && (!q->t || is_close(q, group)) && is_like(q, group);
}

bool people_absorb(const people_question *q) {
    return !q->high && !q->alpha && !q->t && !q->beta && !q->delta && (!q->l || q->l_kind == 'd');
}

void people_take(const people_question *q, unsigned people, bool *is_in) {
    for (unsigned i = 0; i < q->n_rows; i++)
        is_in[i] = people >> q->rows[i].person & 1;
}

unsigned people_find_failing(const people_question *q, const unsigned *levels, unsigned people,
                             unsigned least) {
    bool is_in[PEOPLE_ROWS];
    unsigned failing = 0;
    people_take(q, people, is_in);
    for (unsigned i = 0; i < q->n_rows; i++) {
        if (!is_in[i])
            continue;
        const people_group group = people_find_group(q, levels, is_in, i);
        const bool passes = people_pass(q, &group) && people_count(group.people) >= least;
        failing |= passes ? 0 : 1u << q->rows[i].person;
    }
    return failing;
}

double people_weight(const people_question *q, unsigned row) {
    unsigned n = 0;
    for (unsigned i = 0; i < q->n_rows; i++)
        n += q->rows[i].person == q->rows[row].person;
    return 1.0 / n;
}

unsigned people_left(const people_question *q, const bool *is_in) {
    unsigned left = 0;
    for (unsigned i = 0; i < q->n_rows; i++)
        left |= is_in[i] ? 0 : 1u << q->rows[i].person;
    return left;
}

bool people_are_alike(const people_question *q, const unsigned *levels, unsigned a, unsigned b) {
    for (unsigned i = 0; i < q->n_rows; i++) {
        int difference = 0;
        for (unsigned j = 0; j < q->n_rows; j++)
            if (people_show_alike(q, levels, &q->rows[i], &q->rows[j]))
                difference += (q->rows[j].person == a) - (q->rows[j].person == b);
        if (difference != 0)
            return false;
    }
    return true;
}

bool people_promise_all(const people_question *q) {
    return q->average || q->below;
}

/* 420 is divided by all sizes that there are. */
bool people_keep_all(const people_question *q, const unsigned *smallest) {
    unsigned n = 0, sum = 0, n_small = 0;
    for (unsigned p = 0; p < q->n_people; p++) {
        if (smallest[p] == 0)
            continue;
        n++;
        sum += 420 / smallest[p];
        n_small += smallest[p] < q->below;
    }
    return (!q->average || 10 * sum <= q->average * 420 * n) && 10 * n_small <= q->at_risk * n;
}

bool people_survive(const people_question *q) {
    return people_absorb(q) && (!people_promise_all(q) || q->limit == 0);
}

/* ---- the program ---------------------------------------------------------------------------- */

kan_table *people_make_table(kan_run *run, const people_question *q) {
    static const char *const names[] = {"row", "who", "dx", "class", "a", "b", "c"};
    kan_table *table;
    EXPECT_OK(run, kan_table_create(run, 4 + q->n_quasi, names, &table));
    for (unsigned i = 0; i < q->n_rows; i++) {
        char cells[4][16];
        snprintf(cells[0], sizeof cells[0], "%u", i);
        snprintf(cells[1], sizeof cells[1], "p%u", q->rows[i].person);
        snprintf(cells[2], sizeof cells[2], "v%u", q->rows[i].value);
        snprintf(cells[3], sizeof cells[3], "c%u", q->rows[i].class);
        const char *const values[] = {cells[0],
                                      cells[1],
                                      cells[2],
                                      cells[3],
                                      q->rows[i].cells[0],
                                      q->rows[i].cells[1],
                                      q->rows[i].cells[2]};
        EXPECT_OK(run, kan_table_add_row(table, values));
    }
    return table;
}

static void set_number(kan_run *run, kan_job *job, const char *name, const char *form, unsigned n) {
    char text[32];
    snprintf(text, sizeof text, form, n);
    EXPECT_OK(run, kan_job_set(job, name, text));
}

static char path[64]; /* of the population */

static void remove_known(void) {
    (void)remove(path);
}

/* Everybody of the population, in a file. */
static void set_known(kan_run *run, kan_job *job, const people_question *q) {
    char bounds[32];
    if (!path[0])
        atexit(remove_known);
    snprintf(path, sizeof path, "people-known-%ld.csv", (long)getpid());
    FILE *file = fopen(path, "w");
    assert_non_null(file);
    fprintf(file, "a,b,c,who\n");
    for (unsigned i = 0; i < q->n_known; i++)
        fprintf(file, "%s,%s,%s,q%u\n", q->known[i].cells[0], q->known[i].cells[1],
                q->known[i].cells[2], q->known[i].person);
    assert_int_equal(fclose(file), 0);
    EXPECT_OK(run, kan_job_set(job, "population", path));
    if (q->k_map)
        set_number(run, job, "k-map", "%u", q->k_map);
    snprintf(bounds, sizeof bounds, "0.%u..%s%u", q->low, q->high == 10 ? "" : "0.",
             q->high == 10 ? 1 : q->high);
    if (q->high)
        EXPECT_OK(run, kan_job_set(job, "presence", bounds));
}

kan_job *people_make_job(kan_run *run, const people_question *q, kan_table *table) {
    static const char *const quasi[] = {"a=digits:2", "b=digits:2", "c=digits:2"};
    kan_job *job;
    EXPECT_OK(run, kan_job_create(run, &job));
    EXPECT_OK(run, kan_job_use_table(job, table));
    for (unsigned i = 0; i < q->n_quasi; i++)
        EXPECT_OK(run, kan_job_set(job, "qi", quasi[i]));
    EXPECT_OK(run, kan_job_set(job, "sensitive", "dx"));
    EXPECT_OK(run, kan_job_set(job, "keep", "row"));
    if (q->has_class)
        EXPECT_OK(run, kan_job_set(job, "class", "class"));
    EXPECT_OK(run, kan_job_set(job, "person", "who"));
    EXPECT_OK(run, kan_job_set(job, "cost", q->cost));
    EXPECT_OK(run, kan_job_set(job, "suppress-by", q->by_person ? "person" : "row"));
    EXPECT_OK(run, kan_job_set(job, "person-promise", q->histories ? "histories" : "groups"));
    EXPECT_OK(run, kan_job_set(job, "count", q->of_people ? "people" : "rows"));
    set_number(run, job, "k", "%u", q->k);
    set_number(run, job, "suppress", "%u", q->limit);
    if (q->alpha)
        set_number(run, job, "alpha", q->alpha == 10 ? "1" : "0.%u", q->alpha);
    if (q->t)
        set_number(run, job, "t", "0.%u", q->t);
    if (q->beta) {
        set_number(run, job, "beta", "0.%u", q->beta);
        EXPECT_OK(run, kan_job_set(job, "beta-kind", "basic"));
    }
    if (q->delta)
        set_number(run, job, "delta-disclosure", "%u", q->delta);
    if (q->n_known)
        set_known(run, job, q);
    if (q->average)
        set_number(run, job, "average-risk", "0.%u", q->average);
    if (q->below) {
        set_number(run, job, "at-risk", "0.%u", q->at_risk);
        set_number(run, job, "below", "%u", q->below);
    }
    if (q->l) {
        set_number(run, job, "l", "%u", q->l);
        EXPECT_OK(run, kan_job_set(job, "l-kind",
                                   q->l_kind == 'd'   ? "distinct"
                                   : q->l_kind == 'e' ? "entropy"
                                                      : "recursive"));
        if (q->l_kind == 'r')
            EXPECT_OK(run, kan_job_set(job, "c", "2"));
    }
    return job;
}

json_t *people_read_result(const kan_result *result) {
    json_t *json = json_loads(kan_result_json(result), 0, NULL);
    assert_non_null(json);
    return json;
}

/* ---- releases ------------------------------------------------------------------------------- */

static bool shows_same(const people_question *q, const kan_table *table, uint64_t i, uint64_t j) {
    for (unsigned a = 0; a < q->n_quasi; a++) {
        size_t size, other_size;
        const char *text = kan_table_value(table, i, q->has_class + 2u + a, &size);
        const char *other = kan_table_value(table, j, q->has_class + 2u + a, &other_size);
        if (size != other_size || memcmp(text, other, size) != 0)
            return false;
    }
    return true;
}

static unsigned original_of(const kan_table *table, uint64_t row) {
    size_t size;
    char number[8] = "";
    const char *text = kan_table_value(table, row, 0, &size);
    memcpy(number, text, size);
    return (unsigned)atoi(number);
}

/* How far a value was moved up, by its stars; -1: it is something else than a node of digits. */
static int level_of(const people_question *q, const kan_table *table, uint64_t row, unsigned a) {
    size_t size;
    const char *text = kan_table_value(table, row, q->has_class + 2u + a, &size);
    const char *original = q->rows[original_of(table, row)].cells[a];
    if (size == 1 && text[0] == '*')
        return 2;
    if (size != 2 || text[0] != original[0])
        return -1;
    return text[1] == original[1] ? 0 : text[1] == '*' ? 1 : -1;
}

/* By people, of the rows that are there: -1 where this table does not tell. */
static double cost_of_people(const people_question *q, const kan_table *table, const bool *is_in,
                             double squares, double heads, double n_groups, double minority) {
    const unsigned n_left = people_count(people_left(q, is_in));
    double lost = 0, moved = 0;
    for (unsigned i = 0; i < q->n_rows; i++)
        lost += is_in[i] ? 0 : people_weight(q, i);
    for (uint64_t row = 0; row < kan_table_n_rows(table); row++)
        for (unsigned a = 0; a < q->n_quasi; a++) {
            const int level = level_of(q, table, row, a);
            if (level < 0)
                moved = NAN;
            moved += people_weight(q, original_of(table, row)) * level / 2 / q->n_quasi;
        }
    if (strcmp(q->cost, "discernibility") == 0)
        return squares + (double)n_left * q->n_people;
    if (strcmp(q->cost, "average-class") == 0)
        return (heads + n_left) / (n_groups + (n_left > 0)) / q->k;
    if (strcmp(q->cost, "classification") == 0)
        return minority + lost;
    return isnan(moved) || strcmp(q->cost, "height") == 0 ? -1 : (moved + lost) / q->n_people;
}

void people_expect_release(const people_question *q, const kan_table *table, double told) {
    bool is_in[PEOPLE_ROWS] = {false};
    unsigned out = 0, in = 0, n_lost = 0;
    double squares = 0, heads = 0, n_groups = 0, minority = 0, by_people = 0;
    for (uint64_t row = 0; row < kan_table_n_rows(table); row++) {
        bool is_group[PEOPLE_ROWS] = {false}, is_first = true;
        for (uint64_t other = 0; other < kan_table_n_rows(table); other++)
            if (shows_same(q, table, row, other)) {
                is_group[original_of(table, other)] = true;
                is_first &= other >= row;
            }
        const people_group group = people_find_group(q, NULL, is_group, 0);
        assert_true(people_pass(q, &group));
        const double n = q->of_people ? people_count(group.people) : group.n_rows;
        double of_class[2] = {0, 0};
        for (unsigned i = 0; i < q->n_rows && is_first; i++)
            of_class[q->rows[i].class] += is_group[i] ? people_weight(q, i) : 0;
        squares += is_first ? n * n : 0;
        heads += is_first ? n : 0;
        n_groups += is_first;
        minority += of_class[0] < of_class[1] ? of_class[0] : of_class[1];
        is_in[original_of(table, row)] = true;
    }
    for (unsigned i = 0; i < q->n_rows; i++) {
        *(is_in[i] ? &in : &out) |= 1u << q->rows[i].person;
        n_lost += !is_in[i];
    }
    assert_true(in != 0 && (!q->by_person || (in & out) == 0));
    assert_true((q->by_person ? people_count(out) : n_lost) <= q->limit);
    by_people = cost_of_people(q, table, is_in, squares, heads, n_groups, minority);
    if (q->of_people && by_people >= 0)
        assert_true(fabs(told - by_people) < 1e-6);
    if (!q->of_people && strcmp(q->cost, "discernibility") == 0)
        assert_true(fabs(told - squares - (double)n_lost * q->n_rows) < 1e-6);
}

/* ---- random tables -------------------------------------------------------------------------- */

static unsigned below(uint64_t *random, unsigned n) {
    return (unsigned)kan_random_below(random, n);
}

static void random_models(uint64_t *random, people_question *q) {
    static const char *const costs[] = {"discernibility", "average-class", "height",
                                        "precision",      "distortion",    "classification"};
    static const char kinds[] = {'d', 'd', 'e', 'r'};
    q->k = 1 + below(random, 4);
    q->k = q->k < q->n_people ? q->k : q->n_people;
    q->by_person = below(random, 3) > 0;
    q->histories = q->by_person && below(random, 4) == 0;
    q->has_class = below(random, 2);
    q->cost = costs[below(random, q->has_class ? 6 : 5)];
    q->limit = below(random, 2) ? 0 : 1 + below(random, q->by_person ? q->n_people : q->n_rows);
    if (below(random, 3) == 0) {
        q->l = 1 + below(random, PEOPLE_VALUES);
        q->l_kind = kinds[below(random, 4)];
    }
    if (below(random, 4) == 0)
        q->alpha = 4 + below(random, 7);
    if (below(random, 5) == 0)
        q->t = 1 + below(random, 6);
    if (below(random, 6) == 0)
        q->beta = 2 + below(random, 8);
    if (below(random, 6) == 0)
        q->delta = 1 + below(random, 3);
}

/* Few people have the same history by chance: here all have as many rows, which are those of one of few
 * others, but for the last character now and then. */
static void make_alike(uint64_t *random, people_question *q) {
    const unsigned n_kinds = 1 + below(random, 3), n_before = q->n_rows;
    q->n_rows = q->n_people * (1 + below(random, PEOPLE_ROWS / q->n_people));
    for (unsigned i = 0; i < q->n_rows; i++) {
        people_row *r = &q->rows[i];
        r->person = i % q->n_people;
        const unsigned like = i - r->person + r->person % n_kinds;
        const people_row from = q->rows[like == i ? below(random, n_before) : like];
        memcpy(r->cells, from.cells, sizeof r->cells);
        r->value = below(random, PEOPLE_VALUES);
        r->class = below(random, 2);
        for (unsigned a = 0; a < q->n_quasi; a++)
            if (below(random, 6) == 0)
                r->cells[a][1] = q->rows[below(random, i + 1)].cells[a][1];
    }
}

void people_random_question(uint64_t *random, people_question *q) {
    *q = (people_question){.n_rows = 4 + below(random, PEOPLE_ROWS - 3),
                           .n_quasi = 1 + below(random, 3)};
    q->n_people = 2 + below(random, PEOPLE_MOST - 1);
    if (q->n_people > q->n_rows)
        q->n_people = q->n_rows;
    const unsigned width = 1 + below(random, 3);
    const char first = below(random, 3) > 0 ? '1' : 'a'; /* numbers, or text with a tree */
    for (unsigned i = 0; i < q->n_rows; i++) {
        people_row *r = &q->rows[i];
        r->person = i < q->n_people ? i : below(random, q->n_people);
        r->value = below(random, PEOPLE_VALUES);
        r->class = below(random, 2);
        for (unsigned a = 0; a < q->n_quasi; a++)
            for (unsigned at = 0; at < 2; at++)
                r->cells[a][at] = (char)(first + (char)below(random, width));
    }
    random_models(random, q);
    if (q->histories && below(random, 4) > 0)
        make_alike(random, q);
}

void people_random_whole(uint64_t *random, people_question *q) {
    if (q->histories || below(random, 2))
        return;
    const unsigned which = 1 + below(random, 3);
    q->average = which & 1 ? 2 + below(random, 8) : 0;
    q->below = which & 2 ? 2 + below(random, 4) : 0;
    q->at_risk = which & 2 ? below(random, 7) : 0;
    q->limit = below(random, 2) ? 0 : q->limit;
}

void people_random_known(uint64_t *random, people_question *q) {
    if (q->histories || below(random, 2))
        return;
    const bool is_other = below(random, 2); /* numbered in another way */
    const unsigned n_others = below(random, PEOPLE_KNOWN - PEOPLE_ROWS);
    for (unsigned i = 0; i < q->n_rows; i++) {
        q->known[q->n_known] = q->rows[i];
        q->known[q->n_known++].person = is_other ? 20 - q->rows[i].person : q->rows[i].person;
    }
    for (unsigned i = 0; i < n_others; i++) {
        people_row *made = &q->known[q->n_known++];
        *made = q->rows[below(random, q->n_rows)];
        made->person = below(random, 22);
        for (unsigned a = 0; a < q->n_quasi; a++)
            if (below(random, 3) == 0) /* like somebody else there */
                memcpy(made->cells[a], q->rows[below(random, q->n_rows)].cells[a], 3);
    }
    const unsigned which = 1 + below(random, 3);
    q->k_map = which & 1 ? 1 + below(random, 12) : 0;
    q->high = which & 2 ? 3 + below(random, 8) : 0;
    q->low = which & 2 && below(random, 2) ? below(random, 3) : 0;
}
