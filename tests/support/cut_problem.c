/* Problems whose domains are cut: see cut_problem.h. */
#include "support/cut_problem.h"

#include <inttypes.h>
#include <stdlib.h>
#include <string.h>

static void *room(size_t n, size_t size) {
    void *memory = calloc(n + 1, size);
    assert_non_null(memory);
    return memory;
}

/* ---- making --------------------------------------------------------------------------------- */

/* The level-0 group of a text. */
static uint32_t leaf_of_text(const kan_hierarchy *hierarchy, const char *text) {
    for (uint32_t g = 0; g < hierarchy->levels[0].n_groups; g++)
        if (kan_slice_is(hierarchy->levels[0].label[g], text))
            return g;
    fail_msg("'%s' is not a value of its hierarchy", text);
    return 0;
}

static void make_domain(cut_problem *problem, unsigned a, unsigned per_bin) {
    const kan_hierarchy *hierarchy = problem->made.hierarchies[a];
    const uint32_t n_leaves = hierarchy->levels[0].n_groups;
    const uint32_t n_places = (n_leaves + per_bin - 1) / per_bin;
    assert_true(n_places <= CUT_PLACES);
    problem->n_places[a] = n_places;
    problem->place_of[a] = room(n_leaves, sizeof(uint32_t));
    problem->first_leaf[a] = room(n_places + 1u, sizeof(uint32_t));
    for (uint32_t leaf = 0; leaf < n_leaves; leaf++)
        problem->place_of[a][leaf] = leaf / per_bin;
    for (uint32_t place = 0; place < n_places; place++)
        problem->first_leaf[a][place] = place * per_bin;
    problem->first_leaf[a][n_places] = n_leaves;
    problem->domains[a] = (kan_domain){.run = problem->made.run,
                                       .column = &problem->made.table->columns[a],
                                       .hierarchy = hierarchy,
                                       .n_places = n_places,
                                       .place_of = problem->place_of[a],
                                       .first_leaf = problem->first_leaf[a],
                                       .has_tree = true,
                                       .has_bins = per_bin > 1};
    problem->made.problem.domains[a] = &problem->domains[a];
    problem->places[a] = room(problem->plain.n_rows, sizeof(uint32_t));
    for (size_t row = 0; row < problem->plain.n_rows; row++)
        problem->places[a][row] =
            problem->place_of[a][leaf_of_text(hierarchy, plain_cell(&problem->plain, row, a))];
}

static void find_classes(cut_problem *problem) {
    const plain_table *plain = &problem->plain;
    if (plain->class_tail == KAN_NO_TAIL)
        return;
    const unsigned column = plain->n_attributes + (unsigned)plain->class_tail;
    problem->classes = room(plain->n_rows, sizeof(uint32_t));
    for (size_t row = 0; row < plain->n_rows; row++) {
        uint32_t first = 0;
        while (strcmp(plain_cell(plain, first, column), plain_cell(plain, row, column)) != 0)
            first++;
        problem->classes[row] = first;
    }
}

void cut_problem_make(kan_run *run, plain_table *plain, const unsigned *bins, cut_problem *out) {
    memset(out, 0, sizeof *out);
    out->plain = *plain;
    assert_true(plain->n_attributes <= CUT_ATTRIBUTES);
    test_problem_make(run, &out->plain, &out->made);
    for (unsigned a = 0; a < plain->n_attributes; a++)
        make_domain(out, a, bins && bins[a] > 1 ? bins[a] : 1);
    find_classes(out);
}

void cut_problem_destroy(cut_problem *problem) {
    for (unsigned a = 0; a < CUT_ATTRIBUTES; a++) {
        free(problem->place_of[a]);
        free(problem->first_leaf[a]);
        free(problem->places[a]);
    }
    free(problem->classes);
    test_problem_destroy(&problem->made);
    plain_destroy(&problem->plain);
}

static unsigned count_choices(const cut_problem *problem) {
    unsigned n = 0;
    for (unsigned a = 0; a < problem->plain.n_attributes; a++)
        n += problem->n_places[a] - 1;
    return n;
}

/* Copies of one row take the place of others, so that it outweighs the rest or nearly does. */
static void skew(plain_table *plain, uint64_t *random) {
    const size_t n = plain->n_rows, n_columns = plain->n_attributes + plain->n_tails;
    const size_t copied = (size_t)kan_random_below(random, n);
    const uint64_t share = 2 + kan_random_below(random, 8);
    for (size_t row = 0; row < n; row++)
        if (row != copied && kan_random_below(random, share) > 0)
            memcpy(plain_cell(plain, row, 0), plain_cell(plain, copied, 0),
                   (kan_random_below(random, 2) ? n_columns : plain->n_attributes) *
                       sizeof(plain_label));
}

static void random_problem(kan_run *run, uint64_t *random, unsigned most_choices, bool has_bins,
                           bool is_skewed, cut_problem *out) {
    const random_spec spec = {.least_attributes = 1,
                              .most_attributes = 4,
                              .least_rows = 1,
                              .most_rows = 40,
                              .most_leaves = most_choices + 1 < 9 ? most_choices + 1 : 9,
                              .most_height = 3,
                              .most_tails = 2};
    for (;;) {
        plain_table plain;
        unsigned bins[CUT_ATTRIBUTES] = {0};
        random_plain(&spec, random, &plain);
        if (is_skewed)
            skew(&plain, random);
        for (unsigned a = 0; has_bins && a < plain.n_attributes; a++)
            bins[a] = (unsigned)kan_random_below(random, 4);
        cut_problem_make(run, &plain, bins, out);
        if (count_choices(out) <= most_choices)
            return;
        cut_problem_destroy(out);
    }
}

void random_cut_problem(kan_run *run, uint64_t *random, unsigned most_choices, bool has_bins,
                        cut_problem *out) {
    random_problem(run, random, most_choices, has_bins, false, out);
}

void random_skewed_cut_problem(kan_run *run, uint64_t *random, unsigned most_choices, bool has_bins,
                               cut_problem *out) {
    random_problem(run, random, most_choices, has_bins, true, out);
}

cut_question random_cut_question(const cut_problem *problem, uint64_t *random, bool is_subtree) {
    const size_t n_rows = problem->plain.n_rows;
    const uint64_t limits[] = {0, 3, UINT64_MAX, kan_random_below(random, n_rows + 1)};
    const bool counts_classes = problem->classes && kan_random_below(random, 2);
    return (cut_question){.cost =
                              counts_classes ? &kan_cost_classification : &kan_cost_discernibility,
                          .k = 1 + kan_random_below(random, n_rows < 6 ? n_rows : 6),
                          .limit = limits[kan_random_below(random, 4)],
                          .is_subtree = is_subtree,
                          .wants_release = kan_random_below(random, 2) != 0};
}

void cut_ask(const cut_problem *problem, const cut_question *question, test_asked *out) {
    const test_question asked = {.cost = question->cost,
                                 .k = question->k,
                                 .limit = question->limit,
                                 .wants_release = question->wants_release,
                                 .wants_best_alone = true};
    test_ask(&problem->made, &asked, out);
    out->question.model = question->is_subtree ? &kan_model_full_subtree : &kan_model_ordered_set;
}

/* ---- counting ------------------------------------------------------------------------------- */

/* Whether no cut separates two rows. */
static bool are_together(const cut_problem *problem, const cut_set *cuts, size_t row,
                         size_t other) {
    for (unsigned a = 0; a < problem->plain.n_attributes; a++) {
        uint32_t low = problem->places[a][row], high = problem->places[a][other];
        if (low > high) {
            const uint32_t swap = low;
            low = high;
            high = swap;
        }
        while (low < high)
            if (cuts->is_cut[a][++low])
                return false;
    }
    return true;
}

bool cut_cost(const cut_problem *problem, const cut_question *question, const cut_set *cuts,
              uint64_t *n_suppressed, uint64_t *cost) {
    const size_t n = problem->plain.n_rows;
    const bool counts_classes = question->cost->needs_class;
    uint64_t lost = 0, sum = 0;
    for (size_t row = 0; row < n; row++) {
        uint64_t size = 0, majority = 0;
        bool is_first = true;
        for (size_t other = 0; other < n; other++) {
            if (!are_together(problem, cuts, row, other))
                continue;
            size++;
            is_first &= other >= row;
        }
        if (size < question->k) {
            lost++;
            sum += counts_classes ? 1 : n;
        } else if (!counts_classes) {
            sum += size;
        } else if (is_first) {
            for (size_t other = 0; other < n; other++) {
                uint64_t same = 0;
                if (problem->classes[other] != other)
                    continue; /* one row of each class speaks for it */
                for (size_t third = 0; third < n; third++)
                    same +=
                        problem->classes[third] == other && are_together(problem, cuts, row, third);
                majority = same > majority ? same : majority;
            }
            sum += size - majority;
        }
    }
    *n_suppressed = lost;
    *cost = sum;
    return lost <= question->limit && !(question->wants_release && lost == n);
}

/* ---- what full-subtree allows --------------------------------------------------------------- */

/* The label that the value at a place has at a level, by the lines of the hierarchy. Without bins a
 * place is a value. */
static const char *label_at(const cut_problem *problem, unsigned a, uint32_t place,
                            unsigned level) {
    const plain_attribute *attribute = &problem->plain.attributes[a];
    const kan_slice value = problem->made.hierarchies[a]->levels[0].label[place];
    for (size_t i = 0; i < attribute->n_leaves; i++)
        if (kan_slice_is(value, attribute->leaves[i].at[0]))
            return attribute->leaves[i].at[level];
    fail_msg("a place without a line");
    return NULL;
}

/* Whether the places first .. last are all that some label stands for. */
static bool is_node(const cut_problem *problem, unsigned a, uint32_t first, uint32_t last) {
    for (unsigned level = 0; level <= problem->plain.attributes[a].height; level++) {
        const char *label = label_at(problem, a, first, level);
        bool is_all = true;
        for (uint32_t place = 0; place < problem->n_places[a]; place++)
            is_all &= (strcmp(label_at(problem, a, place, level), label) == 0) ==
                      (place >= first && place <= last);
        if (is_all)
            return true;
    }
    return false;
}

bool cut_is_subtree(const cut_problem *problem, const cut_set *cuts) {
    for (unsigned a = 0; a < problem->plain.n_attributes; a++)
        for (uint32_t first = 0, last; first < problem->n_places[a]; first = last + 1) {
            last = first;
            while (last + 1 < problem->n_places[a] && !cuts->is_cut[a][last + 1])
                last++;
            if (!is_node(problem, a, first, last))
                return false;
        }
    return true;
}

/* The first place that is always cut together with this one: between the children of the lowest
 * label that both neighbours share. */
static uint32_t first_of(const cut_problem *problem, unsigned a, uint32_t place) {
    unsigned level = 0;
    while (level < problem->plain.attributes[a].height &&
           strcmp(label_at(problem, a, place - 1, level), label_at(problem, a, place, level)) != 0)
        level++;
    for (uint32_t other = 1; other < place; other++) {
        unsigned meets = 0;
        while (meets < level && strcmp(label_at(problem, a, other - 1, meets),
                                       label_at(problem, a, other, meets)) != 0)
            meets++;
        if (meets == level &&
            strcmp(label_at(problem, a, other, level), label_at(problem, a, place, level)) == 0)
            return other;
    }
    return place;
}

/* ---- all sets ------------------------------------------------------------------------------- */

typedef struct {
    unsigned n;
    struct {
        unsigned attribute;
        uint32_t place, first;
    } places[CUT_CHOICES];
} place_list;

static void list_places(const cut_problem *problem, bool is_subtree, place_list *out) {
    out->n = 0;
    for (unsigned a = 0; a < problem->plain.n_attributes; a++)
        for (uint32_t place = 1; place < problem->n_places[a]; place++) {
            assert_true(out->n < CUT_CHOICES);
            out->places[out->n].attribute = a;
            out->places[out->n].place = place;
            out->places[out->n++].first = is_subtree ? first_of(problem, a, place) : place;
        }
}

/* A set as a list of its first places, ended by UINT32_MAX; other places follow from these. */
static void list_set(const place_list *places, const cut_set *cuts, uint32_t *out) {
    unsigned n = 0;
    for (unsigned i = 0; i < places->n; i++) {
        const uint32_t place = places->places[i].place;
        if (cuts->is_cut[places->places[i].attribute][place] && place == places->places[i].first)
            out[n++] = i;
    }
    out[n] = UINT32_MAX;
}

static bool list_is_less(const uint32_t *a, const uint32_t *b) {
    while (*a == *b && *a != UINT32_MAX)
        a++, b++;
    return *b != UINT32_MAX && (*a == UINT32_MAX || *a < *b);
}

static bool is_better(const place_list *places, const cut_set *cuts, uint64_t cost,
                      const cut_truth *best) {
    uint32_t here[CUT_CHOICES + 1], there[CUT_CHOICES + 1];
    if (!best->is_found || cost != best->cost)
        return !best->is_found || cost < best->cost;
    list_set(places, cuts, here);
    list_set(places, &best->cuts, there);
    return list_is_less(here, there);
}

void cut_brute(const cut_problem *problem, const cut_question *question, cut_truth *out) {
    place_list places;
    list_places(problem, question->is_subtree, &places);
    assert_true(places.n <= 20);
    *out = (cut_truth){.least_suppressed = UINT64_MAX};
    for (uint64_t bits = 0; bits < UINT64_C(1) << places.n; bits++) {
        cut_set cuts = {{{false}}};
        uint64_t lost, cost;
        for (unsigned i = 0; i < places.n; i++)
            cuts.is_cut[places.places[i].attribute][places.places[i].place] = bits >> i & 1;
        if (question->is_subtree && !cut_is_subtree(problem, &cuts))
            continue;
        out->n_sets++;
        const bool is_allowed = cut_cost(problem, question, &cuts, &lost, &cost);
        out->least_suppressed = lost < out->least_suppressed ? lost : out->least_suppressed;
        if (!is_allowed || !is_better(&places, &cuts, cost, out))
            continue;
        out->is_found = true;
        out->cost = cost;
        out->cuts = cuts;
    }
}

/* ---- answers -------------------------------------------------------------------------------- */

void cut_set_of(const cut_problem *problem, const kan_answer *answer, cut_set *out) {
    const kan_recoding *recoding = &answer->recoding;
    assert_int_equal(recoding->n_attributes, problem->plain.n_attributes);
    assert_int_equal(recoding->first_cut[0], 0);
    memset(out, 0, sizeof *out);
    for (unsigned a = 0; a < recoding->n_attributes; a++) {
        uint32_t before = 0;
        assert_true(recoding->first_cut[a] <= recoding->first_cut[a + 1]);
        for (size_t i = recoding->first_cut[a]; i < recoding->first_cut[a + 1]; i++) {
            assert_true(recoding->cuts[i] > before);
            assert_true(recoding->cuts[i] < problem->n_places[a]);
            before = recoding->cuts[i];
            out->is_cut[a][before] = true;
        }
    }
}

void expect_cuts_are_right(const cut_problem *problem, const cut_question *question,
                           const kan_answer *answer, const cut_truth *truth, bool finds) {
    cut_set cuts;
    uint64_t lost, cost;
    assert_true(truth->is_found || !answer->is_found);
    if (finds)
        assert_int_equal(answer->is_found, truth->is_found);
    if (truth->is_found)
        assert_true(answer->bound <= (double)truth->cost);
    if (!answer->is_found) {
        assert_int_equal(answer->least_suppressed, truth->least_suppressed);
        return;
    }
    assert_int_equal(answer->recoding.type,
                     question->is_subtree ? KAN_RECODING_SUBTREES : KAN_RECODING_CUTS);
    cut_set_of(problem, answer, &cuts);
    assert_true(!question->is_subtree || cut_is_subtree(problem, &cuts));
    assert_true(cut_cost(problem, question, &cuts, &lost, &cost));
    assert_true(answer->score.is_whole && answer->score.whole == cost);
    assert_true(cost >= truth->cost);
    if (answer->is_optimal)
        assert_int_equal(cost, truth->cost);
}
