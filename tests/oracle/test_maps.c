/* The searches of the room search/maps against brute force: every recoding of the model is made,
 * row by row on texts, on hundreds of tiny tables; with several promises, costs and limits. What is
 * proven is the optimum. What is not is never better, keeps the promise, obeys the model, and is
 * never worse than the levels that it began with.
 *
 * On every other table people are counted. By person every set of people who may leave is tried. */
#include <stdio.h>
#include <stdlib.h>
#include <string.h>

#include "support/plain_local.h"
#include "support/question.h"
#include "support/random_problem.h"

enum { ROWS = 10, CHAIN = PLAIN_LEVELS, MOST_PEOPLE = 6 };

typedef enum { UNRESTRICTED, FULL_SUBGRAPH, UNRESTRICTED_MULTI, N_MODELS } model;

static const kan_search_kind *const searches[N_MODELS] = {
    &kan_search_unrestricted, &kan_search_full_subgraph, &kan_search_unrestricted_multi};

/* ---- the table ------------------------------------------------------------------------------ */

typedef struct {
    plain_table plain;
    test_problem made;
    plain_privacy models;
    test_asked asked;
    uint64_t limit;
    bool has_people, by_person, histories;
    unsigned n_people, person[ROWS]; /* by row */
    unsigned l, alpha;               /* of people; alpha in tenths; 0: not promised */
    size_t n_points, point_of[ROWS], example[ROWS]; /* rows that are alike in all attributes */
    size_t n_values[ORACLE_ATTRIBUTES];             /* that rows have */
    size_t value_of[ROWS][ORACLE_ATTRIBUTES], some_row[ORACLE_ATTRIBUTES][ROWS];
    /* By value: the levels whose node has more of the rows' values than the one before. */
    unsigned n_levels[ORACLE_ATTRIBUTES][ROWS], levels[ORACLE_ATTRIBUTES][ROWS][CHAIN];
    int passes[1 << ROWS]; /* by set of rows; -1: not known yet */
} world;

static bool is_alike(const world *w, size_t row, size_t other, unsigned a, unsigned level) {
    return strcmp(plain_label_at(&w->plain, row, a, level),
                  plain_label_at(&w->plain, other, a, level)) == 0;
}

static size_t count_alike(const world *w, size_t row, unsigned a, unsigned level) {
    size_t n = 0;
    for (size_t value = 0; value < w->n_values[a]; value++)
        n += is_alike(w, row, w->some_row[a][value], a, level);
    return n;
}

static void list_values(world *w, unsigned a) {
    for (size_t row = 0; row < w->plain.n_rows; row++) {
        size_t value = 0;
        while (value < w->n_values[a] && !is_alike(w, row, w->some_row[a][value], a, 0))
            value++;
        if (value == w->n_values[a])
            w->some_row[a][w->n_values[a]++] = row;
        w->value_of[row][a] = value;
    }
    for (size_t value = 0; value < w->n_values[a]; value++) {
        const size_t row = w->some_row[a][value];
        size_t n_before = 0;
        for (unsigned level = 0; level <= w->plain.attributes[a].height; level++) {
            const size_t n = count_alike(w, row, a, level);
            if (n > n_before)
                w->levels[a][value][w->n_levels[a][value]++] = level;
            n_before = n;
        }
    }
}

static void list_points(world *w) {
    for (size_t row = 0; row < w->plain.n_rows; row++) {
        size_t p = 0;
        for (; p < w->n_points; p++) {
            bool is_same = true;
            for (unsigned a = 0; a < w->plain.n_attributes; a++)
                is_same &= w->value_of[row][a] == w->value_of[w->example[p]][a];
            if (is_same)
                break;
        }
        if (p == w->n_points)
            w->example[w->n_points++] = row;
        w->point_of[row] = p;
    }
}

/* ---- what a recoding is worth --------------------------------------------------------------- */

/* Levels of each row, by attribute. */
typedef unsigned placing[ROWS][ORACLE_ATTRIBUTES];

static bool show_same(const world *w, placing at, size_t row, size_t other) {
    for (unsigned a = 0; a < w->plain.n_attributes; a++)
        if (at[row][a] != at[other][a] || !is_alike(w, row, other, a, at[row][a]))
            return false;
    return true;
}

/* The different people of a set of rows. */
static unsigned people_of(const world *w, unsigned set) {
    unsigned people = 0;
    for (size_t row = 0; row < w->plain.n_rows; row++)
        people |= set >> row & 1 ? 1u << w->person[row] : 0;
    return people;
}

/* The rows of a set that have the sensitive value of a row. */
static unsigned have_value(const world *w, unsigned set, size_t row) {
    const unsigned column = w->plain.n_attributes + 1;
    unsigned have = 0;
    for (size_t other = 0; other < w->plain.n_rows; other++)
        if (set >> other & 1 &&
            strcmp(plain_cell(&w->plain, row, column), plain_cell(&w->plain, other, column)) == 0)
            have |= 1u << other;
    return have;
}

static unsigned count_bits(unsigned bits) {
    return (unsigned)__builtin_popcount(bits);
}

/* Whether people keep the promise; a value counts once, at the first row that has it. */
static bool people_pass(const world *w, unsigned set) {
    const unsigned n = count_bits(people_of(w, set));
    unsigned n_values = 0;
    if (n < w->models.k)
        return false;
    for (size_t row = 0; (w->l > 0 || w->alpha > 0) && row < w->plain.n_rows; row++) {
        const unsigned have = set >> row & 1 ? have_value(w, set, row) : 0;
        n_values += have != 0 && (have & -have) == 1u << row;
        if (w->alpha > 0 && 10 * count_bits(people_of(w, have)) > w->alpha * n)
            return false;
    }
    return n_values >= w->l;
}

static bool set_passes(world *w, unsigned set) {
    size_t rows[ROWS], n = 0;
    if (w->passes[set] >= 0)
        return w->passes[set];
    if (w->has_people) {
        w->passes[set] = people_pass(w, set);
        return w->passes[set];
    }
    for (size_t row = 0; row < w->plain.n_rows; row++)
        if (set >> row & 1)
            rows[n++] = row;
    w->passes[set] =
        plain_privacy_passes(&w->models, &(oracle_group){.n_rows = n, .rows = rows}) ? 1 : 0;
    return w->passes[set];
}

static void add_loss(const world *w, placing at, size_t row, kan_cell_loss *loss) {
    for (unsigned a = 0; a < w->plain.n_attributes; a++) {
        const kan_hierarchy *h = w->made.hierarchies[a];
        const uint32_t code = kan_column_code(&w->made.table->columns[a], row);
        const uint32_t group = h->levels[at[row][a]].from_leaf[h->leaf_of[code]];
        loss[a].levels += at[row][a];
        loss[a].share += w->made.problem.shares[a][at[row][a]][group];
    }
}

typedef struct {
    uint64_t count[ROWS];
    uint8_t is_released[ROWS]; /* what is left out is a group */
    size_t start[ROWS + 1];
    uint32_t value[ROWS];
    uint64_t value_count[ROWS];
    unsigned sets[ROWS];
    size_t n;
} groups_of_rows;

static void count_classes(const world *w, groups_of_rows *g) {
    const unsigned column = w->plain.n_attributes + (unsigned)w->plain.class_tail;
    size_t n = 0;
    for (size_t i = 0; i < g->n; i++) {
        g->start[i] = n;
        for (uint32_t code = 0; code < ROWS; code++) {
            uint64_t count = 0;
            for (size_t row = 0; row < w->plain.n_rows; row++)
                count += g->sets[i] >> row & 1 &&
                         kan_column_code(&w->made.table->columns[column], row) == code;
            if (count > 0) {
                g->value[n] = code;
                g->value_count[n++] = count;
            }
        }
    }
    g->start[g->n] = n;
}

static unsigned rows_lost(const groups_of_rows *g) {
    unsigned lost = 0;
    for (size_t i = 0; i < g->n; i++)
        lost |= g->is_released[i] ? 0 : g->sets[i];
    return lost;
}

static unsigned people_lost(const world *w, const groups_of_rows *g) {
    return people_of(w, rows_lost(g));
}

/* Rows, or people, that are left out. */
static uint64_t count_lost(const world *w, const groups_of_rows *g) {
    return count_bits(w->by_person ? people_lost(w, g) : rows_lost(g));
}

/* Of a person's rows how many are shown like a row. */
static unsigned shown_like(const world *w, placing at, unsigned person, size_t row) {
    unsigned n = 0;
    for (size_t other = 0; other < w->plain.n_rows; other++)
        n += w->person[other] == person && show_same(w, at, row, other);
    return n;
}

static bool has_same_history(const world *w, placing at, unsigned person, unsigned other) {
    for (size_t row = 0; row < w->plain.n_rows; row++)
        if (shown_like(w, at, person, row) != shown_like(w, at, other, row))
            return false;
    return true;
}

/* Of those who are not gone: whose history fewer than k of them have. */
static unsigned rare_people(const world *w, placing at, unsigned gone) {
    unsigned rare = 0;
    for (unsigned person = 0; person < w->n_people; person++) {
        unsigned n = 0;
        for (unsigned other = 0; other < w->n_people; other++)
            n += !(gone >> other & 1) && has_same_history(w, at, person, other);
        rare |= !(gone >> person & 1) && n < w->models.k ? 1u << person : 0;
    }
    return rare;
}

/* False: it is not within the limit, or nothing is released. is_lost, by row: it must be left out,
 * and all else released; or NULL: who fails is. */
static bool measure(world *w, placing at, const bool *is_lost, kan_score *out) {
    groups_of_rows g = {.n = 0};
    kan_cell_loss loss[ORACLE_ATTRIBUTES] = {{0, 0}};
    kan_tally tallies[KAN_MAX_TAILS];
    bool is_in[ROWS] = {false};
    kan_groups groups = {.n_rows = w->plain.n_rows, .loss = loss, .tallies = tallies};
    for (size_t row = 0; row < w->plain.n_rows; row++) {
        if (is_in[row])
            continue;
        for (size_t other = row; other < w->plain.n_rows; other++)
            if (!is_in[other] && (is_lost && is_lost[row] ? is_lost[other]
                                                          : show_same(w, at, row, other) &&
                                                                !(is_lost && is_lost[other]))) {
                g.sets[g.n] |= 1u << other;
                g.count[g.n]++;
                is_in[other] = true;
            }
        g.is_released[g.n] = !(is_lost && is_lost[row]) && set_passes(w, g.sets[g.n]);
        if (is_lost && !is_lost[row] && !g.is_released[g.n])
            return false;
        groups.n_released_groups += g.is_released[g.n];
        groups.n_suppressed += g.is_released[g.n] ? 0 : g.count[g.n];
        for (size_t other = row; g.is_released[g.n] && other < w->plain.n_rows; other++)
            if (g.sets[g.n] >> other & 1)
                add_loss(w, at, other, loss);
        g.n++;
    }
    if (groups.n_released_groups == 0 || count_lost(w, &g) > w->limit)
        return false;
    if (w->histories && rare_people(w, at, people_lost(w, &g)) != 0)
        return false;
    groups.n_groups = g.n;
    groups.count = g.count;
    groups.is_released = g.is_released;
    if (w->plain.class_tail != KAN_NO_TAIL) {
        count_classes(w, &g);
        tallies[w->plain.class_tail] = (kan_tally){g.start, g.value, g.value_count};
    }
    *out = w->asked.objective.kind->measure(w->asked.objective.state, &groups);
    return true;
}

/* ---- all recodings of a model --------------------------------------------------------------- */

typedef struct {
    world *w;
    model model;
    bool is_found;
    kan_score best;
    placing at;
    uint64_t n;
} brute;

static void look_without(brute *b, const bool *is_lost) {
    kan_score score;
    if (!measure(b->w, b->at, is_lost, &score) ||
        (b->is_found && kan_score_compare(&score, &b->best) >= 0))
        return;
    b->is_found = true;
    b->best = score;
}

static void mark_rows(const world *w, unsigned people, bool *is_lost) {
    for (size_t row = 0; row < w->plain.n_rows; row++)
        is_lost[row] = people >> w->person[row] & 1;
}

/* By person whoever may leave does. */
static void look(brute *b) {
    b->n++;
    if (!b->w->by_person)
        look_without(b, NULL);
    for (unsigned people = 0; b->w->by_person && people < 1u << b->w->n_people; people++) {
        bool is_lost[ROWS];
        if (count_bits(people) > b->w->limit)
            continue;
        mark_rows(b->w, people, is_lost);
        look_without(b, is_lost);
    }
}

/* Whether leaves of the whole hierarchy are below both nodes. */
static bool nodes_meet(const world *w, unsigned a, size_t row, unsigned level, size_t other,
                       unsigned other_level) {
    const plain_attribute *attribute = &w->plain.attributes[a];
    for (size_t leaf = 0; leaf < attribute->n_leaves; leaf++)
        if (strcmp(attribute->leaves[leaf].at[level], plain_label_at(&w->plain, row, a, level)) ==
                0 &&
            strcmp(attribute->leaves[leaf].at[other_level],
                   plain_label_at(&w->plain, other, a, other_level)) == 0)
            return true;
    return false;
}

/* The definition: boxes are the same, or have no tuple of the domain in common. */
static bool are_apart(const world *w, placing at, size_t row, size_t other) {
    if (show_same(w, at, row, other))
        return true;
    for (unsigned a = 0; a < w->plain.n_attributes; a++)
        if (!nodes_meet(w, a, row, at[row][a], other, at[other][a]))
            return true;
    return false;
}

static bool all_are_apart(const world *w, placing at) {
    for (size_t p = 0; p < w->n_points; p++)
        for (size_t q = 0; q < p; q++)
            if (!are_apart(w, at, w->example[p], w->example[q]))
                return false;
    return true;
}

static void place_values(brute *b, unsigned a, size_t value) {
    const world *w = b->w;
    if (a == w->plain.n_attributes) {
        look(b);
        return;
    }
    if (value == w->n_values[a]) {
        place_values(b, a + 1, 0);
        return;
    }
    for (unsigned i = 0; i < w->n_levels[a][value]; i++) {
        for (size_t row = 0; row < w->plain.n_rows; row++)
            if (w->value_of[row][a] == value)
                b->at[row][a] = w->levels[a][value][i];
        place_values(b, a, value + 1);
    }
}

static void place_points(brute *b, size_t point, unsigned a) {
    const world *w = b->w;
    if (point == w->n_points) {
        if (b->model != FULL_SUBGRAPH || all_are_apart(w, b->at))
            look(b);
        return;
    }
    if (a == w->plain.n_attributes) {
        place_points(b, point + 1, 0);
        return;
    }
    const size_t value = w->value_of[w->example[point]][a];
    for (unsigned i = 0; i < w->n_levels[a][value]; i++) {
        for (size_t row = 0; row < w->plain.n_rows; row++)
            if (w->point_of[row] == point)
                b->at[row][a] = w->levels[a][value][i];
        place_points(b, point, a + 1);
    }
}

/* How many recodings there are, at most. */
static double count_recodings(const world *w, model m) {
    double n = 1;
    for (unsigned a = 0; a < w->plain.n_attributes; a++)
        for (size_t i = 0; i < (m == UNRESTRICTED ? w->n_values[a] : w->n_points); i++)
            n *= w->n_levels[a][m == UNRESTRICTED ? i : w->value_of[w->example[i]][a]];
    return n;
}

/* By person: whoever has a row in a group that fails leaves, until none does; or whoever has a rare
 * history. */
static bool measure_levels(world *w, placing at, kan_score *out) {
    unsigned gone = w->histories ? rare_people(w, at, 0) : 0;
    bool is_lost[ROWS];
    if (!w->by_person)
        return measure(w, at, NULL, out);
    for (unsigned before = ~gone; gone != before && !w->histories;) {
        before = gone;
        for (size_t row = 0; row < w->plain.n_rows; row++) {
            unsigned set = 0;
            for (size_t other = 0; other < w->plain.n_rows; other++)
                if (!(before >> w->person[other] & 1) && show_same(w, at, row, other))
                    set |= 1u << other;
            if (!(before >> w->person[row] & 1) && !set_passes(w, set))
                gone |= 1u << w->person[row];
        }
    }
    mark_rows(w, gone, is_lost);
    return measure(w, at, is_lost, out);
}

/* The best levels; false: none keep the promise. */
static bool best_levels(world *w, unsigned *levels, kan_score *best) {
    unsigned here[ORACLE_ATTRIBUTES] = {0};
    bool is_found = false;
    for (unsigned a = 0; a < w->plain.n_attributes;) {
        placing at;
        kan_score score;
        for (size_t row = 0; row < w->plain.n_rows; row++)
            memcpy(at[row], here, sizeof here);
        if (measure_levels(w, at, &score) && (!is_found || kan_score_compare(&score, best) < 0)) {
            is_found = true;
            *best = score;
            memcpy(levels, here, sizeof here);
        }
        for (a = 0; a < w->plain.n_attributes && here[a] == w->plain.attributes[a].height; a++)
            here[a] = 0;
        if (a < w->plain.n_attributes)
            here[a]++;
    }
    return is_found;
}

/* ---- answers -------------------------------------------------------------------------------- */

static void read_answer(const world *w, const kan_answer *answer, placing at, bool *is_lost) {
    const kan_regions *regions = answer->recoding.regions;
    assert_int_equal(answer->recoding.type, KAN_RECODING_LOCAL);
    assert_int_equal(regions->n_splits, 0);
    for (size_t t = 0; t < regions->n_tuples; t++)
        for (size_t row = 0; row < w->plain.n_rows; row++) {
            if (!plain_is_of_tuple(&w->made, t, row))
                continue;
            const uint32_t r = regions->region_of[t];
            assert_true(r < regions->n_regions);
            is_lost[row] = r >= kan_regions_released(regions);
            for (unsigned a = 0; a < regions->n_attributes; a++) {
                const kan_cell cell =
                    regions->cells[a].cells[regions->cell_of[r * regions->n_attributes + a]];
                const kan_hierarchy *h = w->made.hierarchies[a];
                const uint32_t code = kan_column_code(&w->made.table->columns[a], row);
                at[row][a] = is_lost[row] ? 0 : cell.a;
                if (!is_lost[row])
                    assert_int_equal(h->levels[cell.a].from_leaf[h->leaf_of[code]], cell.b);
            }
        }
}

static bool has_same_values(const world *w, size_t row, size_t other) {
    return w->point_of[row] == w->point_of[other];
}

/* What the release shows obeys the model. By person a row may be left out for another one. */
static void expect_model(const world *w, model m, placing at, const bool *is_lost) {
    for (size_t row = 0; row < w->plain.n_rows; row++)
        for (size_t other = 0; other < row; other++) {
            if (has_same_values(w, row, other))
                assert_true((is_lost[row] == is_lost[other] || w->by_person) &&
                            (is_lost[row] || is_lost[other] || show_same(w, at, row, other)));
            if (w->person[row] == w->person[other])
                assert_true(!w->by_person || is_lost[row] == is_lost[other]);
            if (is_lost[row] || is_lost[other])
                continue;
            for (unsigned a = 0; m == UNRESTRICTED && a < w->plain.n_attributes; a++)
                if (w->value_of[row][a] == w->value_of[other][a])
                    assert_int_equal(at[row][a], at[other][a]);
            if (m == FULL_SUBGRAPH)
                assert_true(are_apart(w, at, row, other));
        }
    /* what is left out lies in no box that is released: it stands at its values */
    for (size_t row = 0; m == FULL_SUBGRAPH && row < w->plain.n_rows; row++)
        for (size_t other = 0; is_lost[row] && other < w->plain.n_rows; other++)
            if (!is_lost[other] && !w->by_person)
                assert_true(are_apart(w, at, row, other));
}

static size_t n_proven, n_found, n_lost, n_better[N_MODELS], n_asked, n_optimal, n_tried,
    n_of_people, n_histories;

static bool ask(world *w, model m, kan_score *score, bool *is_optimal) {
    placing at;
    bool is_lost[ROWS];
    kan_answer answer;
    kan_run *run = w->made.run;
    EXPECT_OK(run, searches[m]->search(run, &w->asked.question, &answer));
    const bool is_found = answer.is_found;
    *is_optimal = answer.is_optimal;
    if (is_found) {
        read_answer(w, &answer, at, is_lost);
        expect_model(w, m, at, is_lost);
        assert_true(measure(w, at, is_lost, score));
        n_lost += answer.recoding.regions->has_lost;
    }
    kan_answer_destroy(run, &answer);
    return is_found;
}

/* ---- one table ------------------------------------------------------------------------------ */

/* The first tail is the person; the class is another one. */
static void add_people(world *w, uint64_t *random) {
    plain_table *plain = &w->plain;
    const unsigned most = (unsigned)between(random, 1, MOST_PEOPLE);
    if (plain->class_tail == 0)
        plain->class_tail = plain->n_tails > 1 ? 1 : KAN_NO_TAIL;
    for (size_t row = 0; row < plain->n_rows; row++) {
        const bool is_new = w->n_people < most && (w->n_people == 0 || once_in(random, 2));
        w->person[row] = is_new ? w->n_people++ : (unsigned)kan_random_below(random, w->n_people);
        snprintf(plain_cell(plain, row, plain->n_attributes), PLAIN_LABEL, "p%u", w->person[row]);
    }
}

/* Two tails: the other one is sensitive, unless it is the class. */
static void promise_people(world *w, uint64_t *random) {
    const bool is_sensitive = w->plain.n_tails > 1 && w->plain.class_tail == KAN_NO_TAIL;
    w->made.problem.has_person = true;
    w->made.problem.n_people = w->n_people;
    plain_privacy_init(&w->models, &w->plain);
    w->models.k = 1 + kan_random_below(random, w->n_people < 3 ? w->n_people : 3);
    w->by_person = !once_in(random, 3);
    w->histories = w->by_person && once_in(random, 3);
    if (is_sensitive && !w->histories && once_in(random, 2))
        w->l = (unsigned)between(random, 2, 3);
    if (is_sensitive && !w->histories && once_in(random, 3))
        w->alpha = (unsigned)between(random, 5, 9);
    w->limit = once_in(random, 2)
                   ? 0
                   : kan_random_below(random, w->by_person ? w->n_people : w->plain.n_rows);
}

static void make_world(kan_run *run, uint64_t *random, world *w) {
    static const random_spec spec = {.least_attributes = 1,
                                     .most_attributes = 3,
                                     .least_rows = 3,
                                     .most_rows = ROWS,
                                     .most_leaves = 5,
                                     .most_height = 3,
                                     .most_tails = 2};
    memset(w, 0, sizeof *w);
    w->has_people = once_in(random, 2);
    do {
        random_plain(&spec, random, &w->plain);
        if (w->has_people ? w->plain.n_tails > 0 : plain_is_sensitive(&w->plain))
            break;
        plain_destroy(&w->plain);
    } while (true);
    plain_confuse_labels(&w->plain, random);
    if (w->has_people)
        add_people(w, random);
    test_problem_make(run, &w->plain, &w->made);
    if (w->has_people) {
        promise_people(w, random);
    } else {
        random_privacy(&w->plain, random, &w->made, &w->models);
        if (once_in(random, 3)) {
            plain_promise_k_alone(&w->models);
            w->models.k = 2 + kan_random_below(random, 2);
        }
        w->limit = once_in(random, 2) ? 0 : kan_random_below(random, w->plain.n_rows);
    }
    for (unsigned a = 0; a < w->plain.n_attributes; a++)
        list_values(w, a);
    list_points(w);
    memset(w->passes, -1, sizeof w->passes);
}

static void ask_about(world *w, uint64_t *random) {
    static const kan_cost_kind *const costs[] = {&kan_cost_ncp,           &kan_cost_discernibility,
                                                 &kan_cost_precision,     &kan_cost_distortion,
                                                 &kan_cost_average_class, &kan_cost_classification};
    char l[8], alpha[8];
    snprintf(l, sizeof l, "%u", w->l);
    snprintf(alpha, sizeof alpha, "0.%u", w->alpha);
    const kan_privacy_kind *more[3] = {NULL};
    const char *const options[] = {"l", l, "l-kind", "distinct", "alpha", alpha, NULL};
    more[0] = w->l > 0 ? &kan_privacy_l_diversity : w->alpha > 0 ? &kan_privacy_alpha : NULL;
    more[1] = w->l > 0 && w->alpha > 0 ? &kan_privacy_alpha : NULL;
    const test_question question = {
        .models = &w->models,
        .more = more,
        .more_options = options,
        .cost = costs[kan_random_below(random, w->plain.class_tail == KAN_NO_TAIL ? 5 : 6)],
        .k = w->models.k,
        .limit = w->limit,
        .wants_best_alone = true};
    test_ask(&w->made, &question, &w->asked);
    w->asked.promise.by_person = w->by_person;
    w->asked.promise.histories = w->histories;
}

static void end_world(world *w) {
    test_asked_destroy(&w->asked);
    plain_privacy_destroy(&w->models, &w->made);
    test_problem_destroy(&w->made);
    plain_destroy(&w->plain);
    free(w);
}

/* With a proof, and without one. */
static void compare(world *w, model m, kan_recoding *levels, bool has_levels,
                    const kan_score *by_levels) {
    brute *b = calloc(1, sizeof *b);
    kan_score score;
    bool is_optimal;
    assert_non_null(b);
    b->w = w;
    b->model = m;
    if (m == UNRESTRICTED)
        place_values(b, 0, 0);
    else
        place_points(b, 0, 0);
    w->asked.question.seed = has_levels ? levels : NULL;
    EXPECT_OK(w->made.run, kan_options_add(&w->asked.options, "prove", "1000000000"));
    /* who leaves by person is not tried */
    const bool is_proven = !w->by_person || w->limit == 0;
    const bool is_found = ask(w, m, &score, &is_optimal);
    assert_int_equal(is_optimal, is_proven);
    assert_true(is_proven ? is_found == b->is_found : b->is_found || !is_found);
    n_proven += is_proven;
    n_of_people += w->has_people;
    n_histories += w->histories && is_found;
    n_found += b->is_found;
    if (is_found)
        assert_true(is_proven ? kan_score_compare(&score, &b->best) == 0
                              : kan_score_compare(&score, &b->best) >= 0);
    EXPECT_OK(w->made.run, kan_options_add(&w->asked.options, "prove", "0"));
    if (ask(w, m, &score, &is_optimal)) {
        assert_true(b->is_found && kan_score_compare(&score, &b->best) >= 0);
        n_optimal += kan_score_compare(&score, &b->best) == 0;
        n_tried++;
        if (has_levels) {
            assert_true(kan_score_compare(&score, by_levels) <= 0);
            n_better[m] += kan_score_compare(&score, by_levels) < 0;
        }
    } else {
        assert_false(has_levels);
    }
    free(b);
}

static void one_table(kan_run *run, uint64_t seed) {
    uint64_t random = seed * 104729;
    world *w = malloc(sizeof *w);
    kan_recoding levels = {.type = KAN_RECODING_LEVELS};
    kan_score by_levels = {.is_whole = false};
    assert_non_null(w);
    make_world(run, &random, w);
    ask_about(w, &random);
    levels.n_attributes = w->plain.n_attributes;
    const bool has_levels = best_levels(w, levels.levels, &by_levels);
    for (model m = 0; m < N_MODELS; m++)
        if (count_recodings(w, m) <=
            (is_slow_here() || (w->by_person && w->limit > 0) ? 500 : 20000)) {
            n_asked++;
            compare(w, m, &levels, has_levels, &by_levels);
        }
    end_world(w);
}

static void what_is_proven_is_the_best_of_all_recodings(void **state) {
    (void)state;
    random_rounds(600, one_table);
    print_message("%zu "
                  "questions, %zu of people, %zu answers by histories, %zu with an answer, %zu "
                  "answers with rows left out; "
                  "without a proof %zu of %zu are the best; better than levels: %zu, %zu, %zu\n",
                  n_asked, n_of_people, n_histories, n_found, n_lost, n_optimal, n_tried,
                  n_better[0], n_better[1], n_better[2]);
    if (!getenv("KANON_TEST_SEED") && !getenv("KANON_TEST_ROUNDS"))
        assert_true(n_proven > 500 && n_found > 300 && n_lost > 50 && n_better[0] > 10 &&
                    n_better[1] > 5 && n_better[2] > 10);
}

int main(void) {
    const struct CMUnitTest tests[] = {
        cmocka_unit_test_teardown(what_is_proven_is_the_best_of_all_recodings, random_tear_down),
    };
    return cmocka_run_group_tests(tests, NULL, NULL);
}
