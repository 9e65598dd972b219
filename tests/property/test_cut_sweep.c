/* The sweep over all spans of the axis, by classification, on random tables with axes long enough
 * for several blocks of first places and several stages: no span costs more than its own node says,
 * nor more than the best of its completions; none costs less than what a count of the table alone
 * allows; and where no class of a span can be divided to any use, the cost is that of its classes.
 * What a span is compared with is counted from places and rows, tuple by tuple. */
#include <inttypes.h>
#include <string.h>

#include "search/k_optimize/cut_node.h"
#include "search/k_optimize/cut_sweep.h"
#include "support/random_space.h"

enum {
    MOST_AXIS = 24,
    MOST_OTHER = 8, /* places of another attribute */
    MOST_CHOICES = 80,
    MOST_TUPLES = 400,
    MOST_VALUES = 4,
    MOST_TRIED = 5, /* open choices, for all of their completions to be tried */
    SPANS = MOST_AXIS * (MOST_AXIS + 1)
};

typedef struct {
    kan_cut_space space;
    unsigned attribute; /* of the axis */
    kan_cut_maker maker;
    kan_cut_axis whole; /* as it was made */
    kan_cut_axis axis;  /* and joined, or not */
    kan_cut_sweep sweep;
    kan_stack stack;
} scene;

/* ---- choices -------------------------------------------------------------------------------- */

typedef struct {
    int node_at[MOST_AXIS]; /* by place: the choice that it belongs to, or -1 */
    int parent[MOST_AXIS];
    int n;
} division;

/* Every place for itself; of an axis all, of others most. */
static void divide_singly(scene *here, unsigned a, uint64_t *random, division *out) {
    for (uint32_t place = 1; place < here->space.n_places[a]; place++)
        if (a == here->attribute || !once_in(random, 12)) {
            out->node_at[place] = out->n;
            out->parent[out->n++] = -1;
        }
}

/* Takes places first..end-1 apart, into two parts or more each of which goes on so. */
static void divide_by_tree(uint64_t *random, uint32_t first, uint32_t end, int parent,
                           division *out) {
    if (end - first < 2)
        return;
    const int node = out->n++;
    const uint32_t sure = (uint32_t)between(random, first + 1, end - 1);
    uint32_t from = first;
    out->parent[node] = parent;
    for (uint32_t place = first + 1; place <= end; place++) {
        if (place < end && place != sure && !once_in(random, 3))
            continue;
        if (place < end)
            out->node_at[place] = node;
        divide_by_tree(random, from, place, node, out);
        from = place;
    }
}

static void add_choices(scene *here, unsigned a, const division *by) {
    kan_cut_space *space = &here->space;
    int number[MOST_AXIS];
    const unsigned first = space->n_choices;
    memset(number, -1, sizeof number);
    for (uint32_t place = 1; place < space->n_places[a]; place++)
        if (by->node_at[place] >= 0 && number[by->node_at[place]] < 0)
            number[by->node_at[place]] = (int)space->n_choices++;
    assert_true(space->n_choices <= MOST_CHOICES);
    for (int node = 0; node < by->n; node++) {
        uint32_t *places = space_room(space, MOST_AXIS, sizeof *places), n = 0;
        for (uint32_t place = 1; place < space->n_places[a]; place++)
            if (by->node_at[place] == node) {
                space->choice_at[a][place] = number[node];
                places[n++] = place;
            }
        assert_true(n > 0 && number[node] >= (int)first);
        space->choices[number[node]] =
            (kan_choice){a, n, places, by->parent[node] < 0 ? -1 : number[by->parent[node]]};
    }
}

static void add_all_choices(scene *here, uint64_t *random) {
    kan_cut_space *space = &here->space;
    space->choices = space_room(space, MOST_CHOICES, sizeof *space->choices);
    for (unsigned a = 0; a < space->n_attributes; a++) {
        division by = {.n = 0};
        memset(by.node_at, -1, sizeof by.node_at);
        space->choice_at[a] = space_room(space, space->n_places[a], sizeof(int));
        for (uint32_t place = 0; place < space->n_places[a]; place++)
            space->choice_at[a][place] = -1;
        if (a == here->attribute || space->recoding == KAN_RECODING_CUTS)
            divide_singly(here, a, random, &by);
        else
            divide_by_tree(random, 0, space->n_places[a], -1, &by);
        add_choices(here, a, &by);
    }
}

/* ---- rows ----------------------------------------------------------------------------------- */

static size_t tuple_of(kan_cut_space *space, const uint32_t *row) {
    const size_t found = find_tuple(space, row);
    if (found < space->n_tuples)
        return found;
    assert_true(space->n_tuples < MOST_TUPLES);
    for (unsigned a = 0; a < space->n_attributes; a++)
        space->places[a][space->n_tuples] = row[a];
    return space->n_tuples++;
}

/* The value of a row goes by two of its places, or by chance; some values may be rare. */
static void add_rows(scene *here, uint64_t *random) {
    kan_cut_space *space = &here->space;
    const uint64_t n = between(random, MOST_AXIS, once_in(random, 3) ? 60 : MOST_TUPLES - 50);
    const uint64_t most = once_in(random, 2) ? 1 : 3, noise = between(random, 1, 8);
    const uint64_t spread = between(random, 1, 4), rare = once_in(random, 2) ? n : 6;
    const unsigned x = (unsigned)kan_random_below(random, space->n_attributes),
                   y = (unsigned)kan_random_below(random, space->n_attributes);
    uint32_t row[KAN_MAX_ATTRIBUTES];
    for (uint64_t i = 0; i < n; i++) {
        for (unsigned a = 0; a < space->n_attributes; a++) /* no place is empty */
            row[a] = i < space->n_places[a] ? (uint32_t)((i + a) % space->n_places[a])
                     : a == here->attribute || once_in(random, spread)
                         ? (uint32_t)kan_random_below(random, space->n_places[a])
                         : a % space->n_places[a];
        const size_t t = tuple_of(space, row);
        for (uint64_t j = between(random, 1, most); j > 0; j--) {
            unsigned value = once_in(random, noise)
                                 ? (unsigned)kan_random_below(random, space->n_classes)
                                 : (row[x] + row[y] / 2) % space->n_classes;
            value = rare < n && !once_in(random, rare) ? 0 : value;
            space->class_rows[t * space->n_classes + value]++;
            space->rows[t]++;
            space->n_rows++;
        }
    }
}

/* ---- the scene ------------------------------------------------------------------------------ */

/* One to four attributes beside the axis, or so many that keys have two words. */
static void scene_make(kan_run *run, uint64_t *random, scene *here) {
    kan_cut_space *space = &here->space;
    const bool is_wide = once_in(random, 12);
    memset(here, 0, sizeof *here);
    space->run = run;
    kan_arena_init(&space->arena, run);
    kan_stack_init(&here->stack, run);
    space->recoding = once_in(random, 2) ? KAN_RECODING_SUBTREES : KAN_RECODING_CUTS;
    space->cost = KAN_CUT_CLASSIFICATION;
    space->n_classes = (unsigned)between(random, 2, MOST_VALUES);
    space->k = between(random, 1, 20);
    space->limit = UINT64_MAX;
    space->n_attributes = is_wide ? 40 : (unsigned)between(random, 2, 5);
    here->attribute = (unsigned)kan_random_below(random, space->n_attributes);
    space->rows = space_room(space, MOST_TUPLES, sizeof *space->rows);
    space->class_rows =
        space_room(space, MOST_TUPLES * (size_t)space->n_classes, sizeof *space->class_rows);
    for (unsigned a = 0; a < space->n_attributes; a++) {
        const uint64_t most = is_wide ? 2 : MOST_OTHER;
        space->places[a] = space_room(space, MOST_TUPLES, sizeof *space->places[a]);
        space->n_places[a] =
            (uint32_t)(a == here->attribute ? between(random, 2, MOST_AXIS)
                                            : between(random, once_in(random, 8) ? 1 : 2, most));
    }
    add_rows(here, random);
    add_all_choices(here, random);
    assert_true(kan_cut_is_by_place(space, here->attribute));
    EXPECT_OK(run, kan_cut_maker_create(space, space->limit, &here->maker));
    EXPECT_OK(run,
              kan_cut_axis_make(&here->maker, (int)here->attribute, &space->arena, &here->whole));
    EXPECT_OK(run, kan_cut_sweep_create(&here->maker, &here->whole, &space->arena, &here->sweep));
}

static void scene_destroy(scene *here) {
    kan_stack_destroy(&here->stack);
    kan_cut_maker_destroy(&here->maker);
    kan_cut_space_destroy(&here->space);
}

static unsigned count_open(const scene *here) {
    unsigned n = 0;
    for (unsigned c = 0; c < here->space.n_choices; c++)
        n += here->maker.decision[c] == KAN_CUT_OPEN;
    return n;
}

/* Those of the axis are left: a span is not divided by it. */
static void draw_decisions(scene *here, unsigned most_open, uint64_t *random) {
    const kan_cut_space *space = &here->space;
    const uint64_t makes = between(random, 2, 25), leaves = between(random, 2, 25);
    uint8_t *decision = here->maker.decision;
    memset(decision, KAN_CUT_OPEN, space->n_choices);
    for (unsigned c = 0; c < space->n_choices; c++)
        if (space->choices[c].attribute == here->attribute)
            decision[c] = KAN_CUT_LEFT;
        else if (decision[c] == KAN_CUT_OPEN && once_in(random, makes))
            (void)decide(space, decision, c, KAN_CUT_MADE);
        else if (decision[c] == KAN_CUT_OPEN && once_in(random, leaves))
            (void)decide(space, decision, c, KAN_CUT_LEFT);
    while (count_open(here) > most_open) {
        const unsigned c = (unsigned)kan_random_below(random, space->n_choices);
        if (decision[c] == KAN_CUT_OPEN)
            (void)decide(space, decision, c, once_in(random, 4) ? KAN_CUT_MADE : KAN_CUT_LEFT);
    }
}

static void draw_last(scene *here, uint64_t *random) {
    const uint64_t shortens = between(random, 1, 6), drops = between(random, 2, 8);
    const uint32_t n = here->axis.n;
    const bool is_full = once_in(random, 2);
    for (uint32_t from = 0; from < n; from++) {
        uint32_t *last = &here->sweep.last[from];
        *last = n;
        if (!is_full && once_in(random, shortens))
            *last = (uint32_t)between(random, from + 1, n);
        if (!is_full && once_in(random, drops))
            *last = 0;
    }
}

/* ---- groups --------------------------------------------------------------------------------- */

typedef struct {
    uint32_t n, of[MOST_TUPLES]; /* by tuple */
} groups;

/* Tuples that some choices, by the group that they are in already, do not divide. */
static void divide(const scene *here, const groups *within, uint8_t (*cuts)[MOST_CHOICES],
                   groups *out) {
    static uint64_t codes[MOST_TUPLES];
    const kan_cut_space *space = &here->space;
    out->n = 0;
    for (size_t t = 0; t < space->n_tuples; t++) {
        uint64_t code = within->of[t];
        uint32_t g = 0;
        for (unsigned a = 0; a < space->n_attributes; a++) {
            uint32_t part = 0;
            for (uint32_t place = 1; place <= space->places[a][t]; place++) {
                const int c = space->choice_at[a][place];
                part += c >= 0 && cuts[within->of[t]][c];
            }
            if (a != here->attribute)
                code = code * space->n_places[a] + part;
        }
        while (g < out->n && codes[g] != code)
            g++;
        codes[g] = code;
        out->n += g == out->n;
        out->of[t] = g;
    }
}

static void find_classes(const scene *here, groups *out) {
    static const groups all = {.n = 1};
    uint8_t cuts[1][MOST_CHOICES] = {{0}};
    for (unsigned c = 0; c < here->space.n_choices; c++)
        cuts[0][c] = here->maker.decision[c] == KAN_CUT_MADE;
    divide(here, &all, cuts, out);
}

/* Whether two parts at least of a class, with all places of the axis, have k rows. */
static bool is_good(const scene *here, const groups *classes, uint32_t number, unsigned choice) {
    const kan_cut_space *space = &here->space;
    const kan_choice *by = &space->choices[choice];
    uint64_t rows[MOST_OTHER] = {0};
    unsigned n_kept = 0;
    for (size_t t = 0; t < space->n_tuples; t++) {
        uint32_t part = 0;
        for (uint32_t i = 0; i < by->n_places; i++)
            part += space->places[by->attribute][t] >= by->places[i];
        if (classes->of[t] == number)
            rows[part] += space->rows[t];
    }
    for (uint32_t i = 0; i <= by->n_places; i++)
        n_kept += rows[i] >= space->k;
    return n_kept > 1;
}

/* Cells that are parts of those of every span: what is good in a span is good in the whole. */
static void find_cells(const scene *here, const groups *classes, groups *out) {
    static uint8_t cuts[MOST_TUPLES][MOST_CHOICES];
    for (uint32_t i = 0; i < classes->n; i++)
        for (unsigned c = 0; c < here->space.n_choices; c++)
            cuts[i][c] = here->maker.decision[c] == KAN_CUT_OPEN && is_good(here, classes, i, c);
    divide(here, classes, cuts, out);
}

/* ---- spans ---------------------------------------------------------------------------------- */

/* Rows of some span, by group. */
typedef struct {
    uint64_t rows[MOST_TUPLES], of[MOST_TUPLES][MOST_VALUES];
} counts;

static void add_place(const scene *here, const groups *by, uint32_t place, counts *x) {
    const kan_cut_space *space = &here->space;
    for (size_t t = 0; t < space->n_tuples; t++) {
        if (space->places[here->attribute][t] != place)
            continue;
        x->rows[by->of[t]] += space->rows[t];
        for (unsigned v = 0; v < space->n_classes; v++)
            x->of[by->of[t]][v] += space->class_rows[t * space->n_classes + v];
    }
}

/* Rows of the value with the most of them, and of the next. */
static void two_most(const kan_cut_space *space, const uint64_t *of, uint64_t *most,
                     uint64_t *next) {
    *most = *next = 0;
    for (unsigned v = 0; v < space->n_classes; v++)
        if (of[v] > *most) {
            *next = *most;
            *most = of[v];
        } else if (of[v] > *next) {
            *next = of[v];
        }
}

/* What the classes of a span cost as they are. *is_settled: dividing them is of no use. */
static uint64_t cost_of_class(const kan_cut_space *space, const counts *x, uint32_t i,
                              bool *is_settled) {
    uint64_t most, next;
    two_most(space, x->of[i], &most, &next);
    *is_settled = x->rows[i] < 2 * space->k || next * space->n_classes < space->k;
    return x->rows[i] < space->k ? x->rows[i] : x->rows[i] - most;
}

typedef struct {
    uint64_t n_lost, whole, floor;
    bool is_settled; /* all classes are */
} truth;

static truth look_at_span(const kan_cut_space *space, const groups *classes, const groups *cells,
                          const uint32_t *class_of_cell, const counts *x, const counts *fine) {
    static uint64_t minorities[MOST_TUPLES];
    truth out = {.is_settled = true};
    memset(minorities, 0, classes->n * sizeof *minorities);
    for (uint32_t i = 0; i < cells->n; i++) {
        uint64_t most, next;
        two_most(space, fine->of[i], &most, &next);
        minorities[class_of_cell[i]] += fine->rows[i] - most;
    }
    for (uint32_t i = 0; i < classes->n; i++) {
        bool is_settled;
        const uint64_t whole = cost_of_class(space, x, i, &is_settled);
        out.n_lost += x->rows[i] < space->k ? x->rows[i] : 0;
        out.whole += whole;
        out.floor += is_settled ? whole : minorities[i];
        out.is_settled &= is_settled;
    }
    return out;
}

#define EXPECT(of, from, to, condition)                                                            \
    do {                                                                                           \
        if (!(condition)) {                                                                        \
            print_span(of, from, to);                                                              \
            fail_msg("%s", #condition);                                                            \
        }                                                                                          \
    } while (0)

static void print_span(const scene *here, uint32_t from, uint32_t to) {
    const size_t at = kan_cut_sweep_at(&here->axis, from, to);
    print_error("k %" PRIu64 ", %" PRIu64 " rows, %zu tuples (joined: %zu), %u values; axis %u of "
                "%u places; span %u..%u, last %u: cost %" PRId64 ", lost %" PRId64 "\n",
                here->space.k, here->space.n_rows, here->space.n_tuples, here->axis.whole->n_atoms,
                here->space.n_classes, here->attribute, here->axis.n, from, to,
                here->sweep.last[from], here->sweep.cost[at], here->sweep.n_lost[at]);
}

static void expect_counts(const scene *here) {
    static groups classes, cells;
    static counts x, fine;
    uint32_t class_of_cell[MOST_TUPLES];
    find_classes(here, &classes);
    find_cells(here, &classes, &cells);
    for (size_t t = 0; t < here->space.n_tuples; t++)
        class_of_cell[cells.of[t]] = classes.of[t];
    for (uint32_t from = 0; from < here->axis.n; from++) {
        memset(&x, 0, sizeof x);
        memset(&fine, 0, sizeof fine);
        for (uint32_t to = from + 1; to <= here->sweep.last[from]; to++) {
            const size_t at = kan_cut_sweep_at(&here->axis, from, to);
            const int64_t cost = here->sweep.cost[at], n_lost = here->sweep.n_lost[at];
            add_place(here, &classes, to - 1, &x);
            add_place(here, &cells, to - 1, &fine);
            const truth of = look_at_span(&here->space, &classes, &cells, class_of_cell, &x, &fine);
            EXPECT(here, from, to, n_lost == (int64_t)of.n_lost);
            EXPECT(here, from, to, cost >= (int64_t)of.floor && cost <= (int64_t)of.whole);
            EXPECT(here, from, to, !of.is_settled || cost == (int64_t)of.whole);
        }
    }
}

/* Of some spans only: each has to be worked out. */
static void expect_nodes(scene *here, uint64_t *random) {
    const uint64_t share = kan_cut_n_spans(&here->axis) / 10 + 1;
    for (uint32_t from = 0; from < here->axis.n; from++)
        for (uint32_t to = from + 1; to <= here->sweep.last[from]; to++) {
            const kan_stack_mark mark = kan_stack_here(&here->maker.stack);
            const size_t at = kan_cut_sweep_at(&here->axis, from, to);
            kan_cut_slice slice;
            kan_cut_node node;
            if (!once_in(random, share))
                continue;
            kan_cut_axis_slice(&here->maker, &here->axis, from, to, &slice);
            EXPECT_OK(here->space.run, kan_cut_node_build(&here->maker, &slice.class_, &node));
            EXPECT(here, from, to, here->sweep.n_lost[at] == (int64_t)node.n_lost);
            EXPECT(here, from, to, here->sweep.cost[at] <= (int64_t)node.bound);
            kan_stack_back(&here->maker.stack, mark);
        }
}

static void draw_sweep(scene *here, unsigned most_open, uint64_t *random) {
    const kan_stack_mark bottom = {0, 0, 0};
    draw_decisions(here, most_open, random);
    kan_stack_back(&here->stack, bottom);
    here->axis = here->whole;
    if (!once_in(random, 3))
        EXPECT_OK(here->space.run,
                  kan_cut_axis_join(&here->maker, &here->whole, &here->stack, &here->axis));
    draw_last(here, random);
    kan_cut_sweep_all(&here->sweep, &here->axis);
}

static void one_table(kan_run *run, uint64_t seed) {
    uint64_t random = seed;
    scene here;
    scene_make(run, &random, &here);
    for (unsigned i = 0; i < 3; i++) {
        draw_sweep(&here, MOST_CHOICES, &random);
        expect_counts(&here);
        expect_nodes(&here, &random);
    }
    scene_destroy(&here);
}

static void a_sweep_costs_no_more_than_nodes_and_no_less_than_cells(void **state) {
    (void)state;
    random_rounds(600, one_table);
}

/* ---- completions ---------------------------------------------------------------------------- */

/* Makes some of the open choices too; false when they need others that are not made. */
static bool complete(const scene *here, uint32_t bits, uint8_t *cuts) {
    const kan_cut_space *space = &here->space;
    unsigned i = 0;
    for (unsigned c = 0; c < space->n_choices; c++) {
        cuts[c] = here->maker.decision[c] == KAN_CUT_MADE;
        if (here->maker.decision[c] == KAN_CUT_OPEN)
            cuts[c] = bits >> i++ & 1;
    }
    for (unsigned c = 0; c < space->n_choices; c++)
        if (cuts[c] && space->choices[c].parent >= 0 && !cuts[space->choices[c].parent])
            return false;
    return true;
}

/* Lowers what each span costs at least to what it costs by these groups. */
static void try_groups(const scene *here, const groups *by, uint64_t *least) {
    static counts x;
    for (uint32_t from = 0; from < here->axis.n; from++) {
        memset(&x, 0, sizeof x);
        for (uint32_t to = from + 1; to <= here->sweep.last[from]; to++) {
            uint64_t cost = 0;
            bool is_settled;
            add_place(here, by, to - 1, &x);
            for (uint32_t i = 0; i < by->n; i++)
                cost += cost_of_class(&here->space, &x, i, &is_settled);
            uint64_t *at = &least[kan_cut_sweep_at(&here->axis, from, to)];
            *at = cost < *at ? cost : *at;
        }
    }
}

static void expect_completions(const scene *here) {
    static const groups all = {.n = 1};
    static groups by;
    static uint64_t least[SPANS + 1];
    memset(least, 0xff, sizeof least);
    for (uint32_t bits = 0; bits < 1u << count_open(here); bits++) {
        uint8_t cuts[1][MOST_CHOICES];
        if (!complete(here, bits, cuts[0]))
            continue;
        divide(here, &all, cuts, &by);
        try_groups(here, &by, least);
    }
    for (uint32_t from = 0; from < here->axis.n; from++)
        for (uint32_t to = from + 1; to <= here->sweep.last[from]; to++) {
            const size_t at = kan_cut_sweep_at(&here->axis, from, to);
            EXPECT(here, from, to, (uint64_t)here->sweep.cost[at] <= least[at]);
        }
}

static void one_small_node(kan_run *run, uint64_t seed) {
    uint64_t random = seed + 1000000;
    scene here;
    scene_make(run, &random, &here);
    for (unsigned i = 0; i < 2; i++) {
        draw_sweep(&here, MOST_TRIED, &random);
        expect_completions(&here);
    }
    scene_destroy(&here);
}

static void no_completion_of_a_span_costs_less_than_the_sweep_says(void **state) {
    (void)state;
    random_rounds(150, one_small_node);
}

int main(void) {
    const struct CMUnitTest tests[] = {
        cmocka_unit_test_teardown(a_sweep_costs_no_more_than_nodes_and_no_less_than_cells,
                                  random_tear_down),
        cmocka_unit_test_teardown(no_completion_of_a_span_costs_less_than_the_sweep_says,
                                  random_tear_down),
    };
    return cmocka_run_group_tests(tests, NULL, NULL);
}
