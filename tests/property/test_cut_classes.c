/* What a class of the branch and bound over cut sets says about itself and about open choices,
 * against all sets of choices below random nodes: its bound, and every rise of it, is never more
 * than what its rows then really cost, and never more than the bound of what it then becomes; rows
 * that are said to be lost are those that are lost. */
#include <inttypes.h>
#include <string.h>

#include "support/random_space.h"

typedef struct {
    made_space made;
    space_node node;
    kan_cut_maker maker;
    kan_cut_class *whole;
} scene;

/* A class of a node, and what its rows cost by every set below it. */
typedef struct {
    const scene *here;
    kan_cut_class *class_;
    uint8_t decision[SPACE_CHOICES]; /* when it was made */
    uint64_t head, key;              /* its tuples: above the same borders of the head */
    uint64_t costs[1 << SPACE_OPEN];
} subject;

#define EXPECT(of, condition)                                                                      \
    do {                                                                                           \
        if (!(condition)) {                                                                        \
            print_node(&(of)->here->node);                                                         \
            print_subject(of);                                                                     \
            fail_msg("%s", #condition);                                                            \
        }                                                                                          \
    } while (0)

static void print_subject(const subject *of) {
    const kan_cut_class *class_ = of->class_;
    print_error("class of %" PRIu64 " rows, bound %" PRIu64 ", tuples", class_->n_rows,
                class_->bound);
    for (size_t t = 0; t < of->here->made.space.n_tuples; t++)
        if (((of->here->made.above[t] ^ of->key) & of->head) == 0)
            print_error(" %zu", t);
    print_error("\n");
    for (unsigned i = 0; i < class_->n_effects; i++)
        print_error("  choice %u: lost %u, left %" PRIu64 " (%" PRIu64 "), made %" PRIu64
                    " (%" PRIu64 ")\n",
                    class_->effects[i].choice, class_->effects[i].n_lost, class_->effects[i].left,
                    class_->effects[i].left_part, class_->effects[i].made,
                    class_->effects[i].made_part);
}

/* ---- what a class becomes ------------------------------------------------------------------- */

/* The bound of its rows by other decisions. */
static uint64_t bound_by(const subject *of, const uint8_t *decision) {
    kan_cut_maker *maker = (kan_cut_maker *)(uintptr_t)&of->here->maker;
    const kan_cut_space *space = maker->space;
    const kan_stack_mark mark = kan_stack_here(&maker->stack);
    kan_cut_class *parts[SPACE_TUPLES * 2];
    size_t n = 0;
    uint64_t n_lost = 0;
    memcpy(maker->decision, decision, space->n_choices);
    EXPECT_OK(space->run, kan_cut_class_divide(maker, of->class_, parts, &n, &n_lost));
    uint64_t bound = kan_cut_lost_cost(space, n_lost);
    for (size_t i = 0; i < n; i++)
        bound += parts[i]->bound;
    memcpy(maker->decision, of->decision, space->n_choices);
    kan_stack_back(&maker->stack, mark);
    return bound;
}

/* The bound may rise by `rise` with further decisions, and no more than it really does. */
static void expect_rise(const subject *of, const uint8_t *decision, uint64_t rise) {
    EXPECT(of, of->class_->bound + rise <= least_cost(&of->here->node, of->costs, decision));
    EXPECT(of, of->class_->bound + rise <= bound_by(of, decision));
}

static const kan_cut_effect *say_about(const kan_cut_class *class_, unsigned choice) {
    for (unsigned i = 0; i < class_->n_effects; i++)
        if (class_->effects[i].choice == choice)
            return &class_->effects[i];
    return NULL;
}

/* ---- one choice ----------------------------------------------------------------------------- */

static void expect_choice(const subject *of, unsigned choice) {
    const made_space *made = &of->here->made;
    const kan_cut_space *space = &made->space;
    const kan_cut_effect *effect = say_about(of->class_, choice);
    const uint64_t borders = made->borders[choice];
    uint8_t decision[SPACE_CHOICES];
    bool divides = false;
    for (size_t t = 0; t < space->n_tuples; t++)
        divides |= ((made->above[t] ^ of->key) & of->head) == 0 &&
                   ((made->above[t] ^ of->key) & borders) != 0;
    EXPECT(of, divides == (effect != NULL));
    if (!effect)
        return;
    EXPECT(of, effect->n_lost == count_space(made, borders, of->head, of->key).n_lost);
    EXPECT(of, effect->divides_cells || (effect->left == 0 && effect->left_part == 0));
    EXPECT(of, effect->left_part <= effect->left && effect->made_part <= effect->made);
    EXPECT(of, of->class_->anyway >= (effect->made < effect->left ? effect->made : effect->left));
    memcpy(decision, of->decision, sizeof decision);
    if (decide(space, decision, choice, KAN_CUT_MADE))
        expect_rise(of, decision, effect->made);
    memcpy(decision, of->decision, sizeof decision);
    decision[choice] = KAN_CUT_MADE; /* the choice alone, its parents open */
    EXPECT(of, of->class_->bound + effect->made <= bound_by(of, decision));
    memcpy(decision, of->decision, sizeof decision);
    if (decide(space, decision, choice, KAN_CUT_LEFT))
        expect_rise(of, decision, effect->left);
}

/* A choice that sets nothing apart never helps: where it is made and nothing below it is, leaving
 * it costs no more and loses no more. */
static void expect_useless(const subject *of, unsigned i) {
    const space_node *node = &of->here->node;
    const kan_cut_effect *effect = say_about(of->class_, node->open[i]);
    const uint64_t own = of->here->made.borders[node->open[i]];
    if (effect && effect->apart > 0)
        return;
    for (uint32_t bits = 0; bits < 1u << node->n_open; bits++) {
        uint64_t borders = of->head;
        bool is_bare = bits >> i & 1 && of->costs[bits] < UINT64_MAX;
        for (unsigned j = 0; j < node->n_open; j++)
            if (bits >> j & 1) {
                borders |= of->here->made.borders[node->open[j]];
                is_bare &= !is_ancestor(&of->here->made.space, node->open[i], node->open[j]);
            }
        if (!is_bare || least_cost(node, of->costs, of->decision) == UINT64_MAX)
            continue;
        const uint64_t with = count_space(&of->here->made, borders, of->head, of->key).n_lost,
                       without =
                           count_space(&of->here->made, borders & ~own, of->head, of->key).n_lost;
        EXPECT(of, without <= with && of->costs[bits & ~(1u << i)] <= of->costs[bits]);
    }
}

/* ---- several choices ------------------------------------------------------------------------ */

/* Leaving any of them at once, and making one besides: the parts add up. */
static void expect_parts_add_up(const subject *of, uint64_t *random) {
    const kan_cut_space *space = &of->here->made.space;
    const uint64_t share = 1 + kan_random_below(random, 4);
    uint8_t decision[SPACE_CHOICES];
    uint64_t rise = 0;
    memcpy(decision, of->decision, sizeof decision);
    for (unsigned c = 0; c < space->n_choices; c++)
        if (decision[c] == KAN_CUT_OPEN && kan_random_below(random, share) == 0)
            (void)decide(space, decision, c, KAN_CUT_LEFT);
    for (unsigned i = 0; i < of->class_->n_effects; i++)
        if (decision[of->class_->effects[i].choice] == KAN_CUT_LEFT)
            rise += of->class_->effects[i].left_part;
    expect_rise(of, decision, rise);
    for (unsigned i = 0; i < of->class_->n_effects; i++) {
        uint8_t with[SPACE_CHOICES];
        memcpy(with, decision, sizeof with);
        if (decide(space, with, of->class_->effects[i].choice, KAN_CUT_MADE))
            expect_rise(of, with, rise + of->class_->effects[i].made_part);
    }
}

/* Every choice is made or left: the shares of those that are made, and the parts of those that are
 * left, all add up. */
static void expect_shares_add_up(const subject *of) {
    const space_node *node = &of->here->node;
    const kan_cut_class *class_ = of->class_;
    for (uint32_t bits = 0; bits < 1u << node->n_open; bits++) {
        uint8_t decision[SPACE_CHOICES];
        uint64_t rise = 0;
        bool is_below = of->costs[bits] < UINT64_MAX;
        memcpy(decision, of->decision, sizeof decision);
        for (unsigned i = 0; i < node->n_open; i++) {
            const unsigned c = node->open[i];
            const uint8_t now = bits >> i & 1 ? KAN_CUT_MADE : KAN_CUT_LEFT;
            is_below &= of->decision[c] == KAN_CUT_OPEN || of->decision[c] == now;
            decision[c] = now;
        }
        for (unsigned i = 0; i < class_->n_effects && is_below; i++)
            rise += decision[class_->effects[i].choice] == KAN_CUT_MADE
                        ? class_->effects[i].made_share
                        : class_->effects[i].left_part;
        EXPECT(of, !is_below || class_->bound + rise <= of->costs[bits]);
    }
}

/* Both are made. */
static void expect_pair(const subject *of, unsigned i, unsigned j) {
    const made_space *made = &of->here->made;
    const kan_cut_space *space = &made->space;
    const kan_cut_class *class_ = of->class_;
    const unsigned x = class_->effects[i].choice, y = class_->effects[j].choice;
    const uint32_t lost = class_->pair_lost[kan_cut_pair(i, j)];
    const uint64_t borders = made->borders[x] | made->borders[y];
    uint8_t decision[SPACE_CHOICES];
    uint64_t rise = 0;
    EXPECT(of, lost == count_space(made, borders, of->head, of->key).n_lost);
    if (space->cost == KAN_CUT_DISCERNIBILITY && space->n_rows > 2 * class_->largest)
        rise = lost * (space->n_rows - 2 * class_->largest);
    memcpy(decision, of->decision, sizeof decision);
    if (decide(space, decision, x, KAN_CUT_MADE) && decide(space, decision, y, KAN_CUT_MADE))
        expect_rise(of, decision, rise);
}

/* ---- classes -------------------------------------------------------------------------------- */

static void expect_class(const subject *of, uint64_t *random) {
    kan_cut_maker *maker = (kan_cut_maker *)(uintptr_t)&of->here->maker;
    const kan_cut_class *class_ = of->class_;
    const space_node *node = &of->here->node;
    const space_count alone = count_space(&of->here->made, 0, of->head, of->key);
    EXPECT(of, class_->n_rows == alone.n_rows && class_->cost == alone.cost);
    EXPECT(of, class_->n_rows >= maker->space->k && class_->largest >= maker->space->k);
    expect_rise(of, of->decision, 0);
    EXPECT(of, class_->bound + class_->anyway <= least_cost(node, of->costs, of->decision));
    for (unsigned i = 0; i < node->n_open; i++)
        if (of->decision[node->open[i]] == KAN_CUT_OPEN) {
            expect_choice(of, node->open[i]);
            expect_useless(of, i);
        }
    for (unsigned i = 0; i < 3; i++)
        expect_parts_add_up(of, random);
    expect_shares_add_up(of);
    if (kan_random_below(random, 3) == 0 && !class_->has_pairs)
        return; /* what is made of it then counts them again */
    EXPECT_OK(maker->space->run, kan_cut_class_pairs(maker, of->class_));
    for (unsigned j = 1; j < class_->n_effects; j++)
        for (unsigned i = 0; i < j; i++)
            expect_pair(of, i, j);
}

/* The borders that the tuples of a class stand above: its atoms may stand at lower places, but not
 * below a made border. */
static uint64_t key_of(const scene *here, const kan_cut_class *class_) {
    const kan_cut_space *space = &here->made.space;
    uint64_t key = 0;
    unsigned border = 0;
    for (unsigned a = 0; a < space->n_attributes; a++) {
        const struct kan_cut_field *field = &here->maker.fields[a];
        const uint64_t place = class_->keys[field->word] >> field->shift & field->mask;
        for (uint32_t p = 1; p < space->n_places[a]; p++, border++)
            key |= (uint64_t)(place >= p) << border;
    }
    return key;
}

static void look_at(scene *here, kan_cut_class *class_, uint64_t *random) {
    static subject of;
    const kan_cut_space *space = &here->made.space;
    of = (subject){.here = here, .class_ = class_, .head = 0};
    memcpy(of.decision, here->maker.decision, space->n_choices);
    for (unsigned c = 0; c < space->n_choices; c++)
        of.head |= of.decision[c] == KAN_CUT_MADE ? here->made.borders[c] : 0;
    of.key = key_of(here, class_) & of.head;
    for (size_t t = 0; t < space->n_tuples; t++)
        if (((here->made.above[t] ^ of.key) & of.head) == 0) {
            of.key = here->made.above[t]; /* of one of its tuples */
            break;
        }
    count_node(&here->node, of.head, of.key, false, of.costs);
    expect_class(&of, random);
}

/* Every class of k rows is there once, and the rows of all others are lost. */
static void expect_divided(scene *here, kan_cut_class **parts, size_t n, uint64_t n_lost) {
    uint64_t head = 0, n_rows = n_lost;
    for (unsigned c = 0; c < here->made.space.n_choices; c++)
        head |= here->maker.decision[c] == KAN_CUT_MADE ? here->made.borders[c] : 0;
    assert_int_equal(n_lost, count_space(&here->made, head, 0, 0).n_lost);
    for (size_t i = 0; i < n; i++) {
        n_rows += parts[i]->n_rows;
        for (size_t j = 0; j < i; j++)
            assert_true((key_of(here, parts[i]) & head) != (key_of(here, parts[j]) & head));
    }
    assert_int_equal(n_rows, here->made.space.n_rows);
}

/* Made step by step or at once, classes say the same. What pairs of cells add up to depends on
 * their order where it is not all of them. */
static void expect_same(const scene *here, kan_cut_class *const *a, kan_cut_class *const *b,
                        size_t n) {
    for (size_t i = 0; i < n; i++) {
        size_t j = 0;
        while (j < n && key_of(here, a[i]) != key_of(here, b[j]))
            j++;
        if (j == n)
            continue; /* another of its atoms is first */
        assert_int_equal(a[i]->n_rows, b[j]->n_rows);
        assert_int_equal(a[i]->bound, b[j]->bound);
        assert_int_equal(a[i]->cost, b[j]->cost);
        assert_int_equal(a[i]->n_effects, b[j]->n_effects);
        for (unsigned s = 0; s < a[i]->n_effects; s++) {
            const kan_cut_effect *x = &a[i]->effects[s], *y = &b[j]->effects[s];
            assert_true(x->choice == y->choice && x->n_lost == y->n_lost);
            assert_true(x->apart == y->apart && x->made == y->made);
            if (here->made.space.choices[x->choice].n_places == 1)
                assert_true(x->left == y->left);
        }
    }
}

static void scene_make(kan_run *run, uint64_t *random, unsigned most_open, scene *out) {
    random_space(run, random, &out->made);
    random_node(&out->made, out->made.space.limit, most_open, random, &out->node);
    EXPECT_OK(run, kan_cut_maker_create(&out->made.space, out->made.space.limit, &out->maker));
    out->maker.wants_pairs = out->maker.wants_shares = out->maker.wants_anyway = true;
    EXPECT_OK(run, kan_cut_class_whole(&out->maker, &out->whole));
}

static void scene_destroy(scene *here) {
    kan_cut_maker_destroy(&here->maker);
    made_space_destroy(&here->made);
}

/* Decides more, and divides the classes of before. */
static void go_on(scene *here, uint64_t *random, kan_cut_class **parts, size_t *n,
                  uint64_t *n_lost) {
    const kan_cut_space *space = &here->made.space;
    kan_cut_class *before[SPACE_TUPLES * 2];
    const size_t n_before = *n;
    memcpy(before, parts, n_before * sizeof *before);
    for (unsigned c = 0; c < space->n_choices; c++)
        if (here->maker.decision[c] == KAN_CUT_OPEN && kan_random_below(random, 4) == 0)
            (void)decide(space, here->maker.decision, c,
                         kan_random_below(random, 2) ? KAN_CUT_MADE : KAN_CUT_LEFT);
    *n = 0;
    for (size_t i = 0; i < n_before; i++) {
        size_t n_more = 0;
        uint64_t n_more_lost = 0;
        EXPECT_OK(space->run,
                  kan_cut_class_divide(&here->maker, before[i], parts + *n, &n_more, &n_more_lost));
        *n += n_more;
        *n_lost += n_more_lost;
    }
}

static void one_node(kan_run *run, uint64_t seed) {
    uint64_t random = seed;
    scene here;
    kan_cut_class *parts[SPACE_TUPLES * 2], *at_once[SPACE_TUPLES * 2];
    size_t n = 0, n_at_once = 0;
    uint64_t n_lost = 0, n_lost_at_once = 0;
    scene_make(run, &random, 6, &here);
    memcpy(here.maker.decision, here.node.decision, here.made.space.n_choices);
    EXPECT_OK(run, kan_cut_class_divide(&here.maker, here.whole, parts, &n, &n_lost));
    for (unsigned step = 0; step < 3; step++) {
        expect_divided(&here, parts, n, n_lost);
        for (size_t i = 0; i < n; i++)
            look_at(&here, parts[i], &random);
        EXPECT_OK(run, kan_cut_class_divide(&here.maker, here.whole, at_once, &n_at_once,
                                            &n_lost_at_once));
        assert_int_equal(n, n_at_once);
        assert_int_equal(n_lost, n_lost_at_once);
        expect_same(&here, parts, at_once, n);
        go_on(&here, &random, parts, &n, &n_lost);
    }
    scene_destroy(&here);
}

static void no_rise_of_a_bound_is_more_than_what_rows_then_cost(void **state) {
    (void)state;
    random_rounds(2000, one_node);
}

int main(void) {
    const struct CMUnitTest tests[] = {
        cmocka_unit_test_teardown(no_rise_of_a_bound_is_more_than_what_rows_then_cost,
                                  random_tear_down),
    };
    return cmocka_run_group_tests(tests, NULL, NULL);
}
