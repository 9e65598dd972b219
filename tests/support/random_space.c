/* Random spaces of choices: see random_space.h. */
#include "support/random_space.h"

#include <inttypes.h>
#include <string.h>

enum { MOST_PLACES = 8, MOST_CLASSES = 4 };

void *space_room(kan_cut_space *space, size_t n, size_t size) {
    void *memory;
    EXPECT_OK(space->run, kan_arena_alloc(&space->arena, n + 1, size, &memory));
    memset(memory, 0, (n + 1) * size);
    return memory;
}

/* ---- choices -------------------------------------------------------------------------------- */

static void add_single_choices(made_space *made, unsigned a) {
    kan_cut_space *space = &made->space;
    uint32_t *places = space_room(space, space->n_places[a], sizeof *places);
    for (uint32_t place = 1; place < space->n_places[a]; place++) {
        places[place] = place;
        space->choice_at[a][place] = (int)space->n_choices;
        space->choices[space->n_choices++] = (kan_choice){a, 1, &places[place], -1};
    }
}

typedef struct {
    int node_at[MOST_PLACES]; /* by place: the node whose children it divides */
    int parent[MOST_PLACES];
    int n;
} tree;

/* Takes the places first .. end-1 apart, into two to four children each of which goes on so. */
static void grow(tree *t, uint64_t *random, uint32_t first, uint32_t end, int parent) {
    if (end - first < 2)
        return;
    const int node = t->n++;
    const uint64_t share = 1 + kan_random_below(random, 4);
    uint32_t from = first;
    t->parent[node] = parent;
    const uint32_t sure = (uint32_t)between(random, first + 1, end - 1);
    for (uint32_t place = first + 1; place <= end; place++) {
        if (place < end && place != sure && !once_in(random, share))
            continue;
        if (place < end)
            t->node_at[place] = node;
        grow(t, random, from, place, node);
        from = place;
    }
}

/* Choices are numbered by their first place; a child may come before its parent. */
static void add_tree_choices(made_space *made, unsigned a, uint64_t *random) {
    kan_cut_space *space = &made->space;
    tree t = {.n = 0};
    int number[MOST_PLACES];
    const unsigned first = space->n_choices;
    memset(number, -1, sizeof number);
    grow(&t, random, 0, space->n_places[a], -1);
    for (uint32_t place = 1; place < space->n_places[a]; place++) {
        int *choice = &number[t.node_at[place]];
        if (*choice < 0) {
            *choice = (int)space->n_choices;
            space->choices[space->n_choices++] =
                (kan_choice){a, 0, space_room(space, MOST_PLACES, sizeof(uint32_t)), -1};
        }
        space->choice_at[a][place] = *choice;
    }
    assert_int_equal(space->n_choices - first, (unsigned)t.n);
    for (int node = 0; node < t.n; node++)
        space->choices[number[node]].parent = t.parent[node] < 0 ? -1 : number[t.parent[node]];
    for (uint32_t place = 1; place < space->n_places[a]; place++) {
        kan_choice *choice = &space->choices[space->choice_at[a][place]];
        uint32_t *places;
        memcpy(&places, &choice->places, sizeof places); /* its own, except for the const */
        places[choice->n_places++] = place;
    }
}

static void add_choices(made_space *made, uint64_t *random) {
    kan_cut_space *space = &made->space;
    unsigned border = 0;
    space->choices = space_room(space, SPACE_CHOICES, sizeof *space->choices);
    for (unsigned a = 0; a < space->n_attributes; a++) {
        space->choice_at[a] = space_room(space, space->n_places[a], sizeof(int));
        for (uint32_t place = 0; place < space->n_places[a]; place++)
            space->choice_at[a][place] = -1;
        if (space->recoding == KAN_RECODING_CUTS)
            add_single_choices(made, a);
        else
            add_tree_choices(made, a, random);
        for (uint32_t place = 1; place < space->n_places[a]; place++, border++) {
            const uint64_t bit = UINT64_C(1) << border;
            assert_true(border < 64);
            made->borders[space->choice_at[a][place]] |= bit;
            for (size_t t = 0; t < space->n_tuples; t++)
                if (space->places[a][t] >= place)
                    made->above[t] |= bit;
        }
    }
}

/* ---- tuples --------------------------------------------------------------------------------- */

typedef struct {
    uint32_t n_places[KAN_MAX_ATTRIBUTES];
    uint32_t favourite[KAN_MAX_ATTRIBUTES];
    unsigned share[KAN_MAX_ATTRIBUTES]; /* one in so many is not the favourite; 1: all alike */
} habits;

static void draw_row(const kan_cut_space *space, const habits *of, uint64_t *random,
                     uint32_t *row) {
    for (unsigned a = 0; a < space->n_attributes; a++)
        row[a] = once_in(random, of->share[a]) ? (uint32_t)kan_random_below(random, of->n_places[a])
                                               : of->favourite[a];
}

size_t find_tuple(const kan_cut_space *space, const uint32_t *row) {
    for (size_t t = 0; t < space->n_tuples; t++) {
        bool is_same = true;
        for (unsigned a = 0; a < space->n_attributes; a++)
            is_same &= space->places[a][t] == row[a];
        if (is_same)
            return t;
    }
    return space->n_tuples;
}

static size_t tuple_of(kan_cut_space *space, const uint32_t *row) {
    const size_t found = find_tuple(space, row);
    if (found < space->n_tuples)
        return found;
    if (space->n_tuples == SPACE_TUPLES)
        return 0;
    for (unsigned a = 0; a < space->n_attributes; a++)
        space->places[a][space->n_tuples] = row[a];
    return space->n_tuples++;
}

/* The class goes by the places of a row, or by chance. */
static unsigned class_of(const kan_cut_space *space, const uint32_t *row, uint64_t *random) {
    const unsigned by_place = (row[0] + row[space->n_attributes - 1]) % space->n_classes;
    return once_in(random, 3) ? (unsigned)kan_random_below(random, space->n_classes) : by_place;
}

static void add_rows(kan_cut_space *space, const uint32_t *row, uint32_t n, uint64_t *random) {
    const size_t t = tuple_of(space, row);
    space->rows[t] += n;
    space->n_rows += n;
    if (space->n_classes == 0)
        return;
    const unsigned usual = class_of(space, row, random);
    for (uint32_t i = 0; i < n; i++) {
        const unsigned class = n > 1 && once_in(random, 4)
                                   ? (unsigned)kan_random_below(random, space->n_classes)
                                   : usual;
        space->class_rows[t * space->n_classes + class]++;
    }
}

/* Places that no tuple has are none. */
static void drop_empty_places(kan_cut_space *space, const habits *of) {
    for (unsigned a = 0; a < space->n_attributes; a++) {
        uint32_t number[MOST_PLACES] = {0}, n = 0;
        for (size_t t = 0; t < space->n_tuples; t++)
            number[space->places[a][t]] = 1;
        for (uint32_t place = 0; place < of->n_places[a]; place++) {
            const uint32_t here = number[place];
            number[place] = n;
            n += here;
        }
        for (size_t t = 0; t < space->n_tuples; t++)
            space->places[a][t] = number[space->places[a][t]];
        space->n_places[a] = n;
    }
}

static void add_tuples(made_space *made, const habits *of, uint64_t *random) {
    kan_cut_space *space = &made->space;
    uint32_t row[KAN_MAX_ATTRIBUTES];
    const uint64_t n = between(random, 1, once_in(random, 4) ? 12 : 90);
    const uint32_t most = once_in(random, 2) ? 1 : (uint32_t)between(random, 2, 5);
    space->rows = space_room(space, SPACE_TUPLES, sizeof *space->rows);
    if (space->n_classes > 0)
        space->class_rows =
            space_room(space, SPACE_TUPLES * space->n_classes, sizeof *space->class_rows);
    for (unsigned a = 0; a < space->n_attributes; a++)
        space->places[a] = space_room(space, SPACE_TUPLES, sizeof *space->places[a]);
    for (uint64_t i = 0; i < n; i++) {
        draw_row(space, of, random, row);
        add_rows(space, row, (uint32_t)between(random, 1, most), random);
    }
    if (once_in(random, 4)) { /* a tuple that outweighs many others, or all */
        draw_row(space, of, random, row);
        add_rows(space, row, (uint32_t)between(random, 1, 2 * space->n_rows), random);
    }
    drop_empty_places(space, of);
}

/* ---- the space ------------------------------------------------------------------------------ */

/* At most 64 borders: of few attributes with several places, or of many with two. */
static void draw_places(kan_cut_space *space, uint64_t *random, habits *of) {
    const bool is_wide = once_in(random, 6);
    const unsigned usual = (unsigned)between(random, 1, 5);
    space->n_attributes =
        is_wide ? (unsigned)between(random, 33, KAN_MAX_ATTRIBUTES < 48 ? KAN_MAX_ATTRIBUTES : 48)
                : (unsigned)between(random, 1, 5);
    for (unsigned a = 0; a < space->n_attributes; a++) {
        of->n_places[a] = (uint32_t)(is_wide ? 2 : between(random, 1, MOST_PLACES));
        of->favourite[a] = (uint32_t)kan_random_below(random, of->n_places[a]);
        of->share[a] = once_in(random, 3) ? 1 : usual;
    }
}

void random_space(kan_run *run, uint64_t *random, made_space *out) {
    kan_cut_space *space = &out->space;
    habits of;
    memset(out, 0, sizeof *out);
    space->run = run;
    kan_arena_init(&space->arena, run);
    space->recoding = once_in(random, 2) ? KAN_RECODING_SUBTREES : KAN_RECODING_CUTS;
    space->cost = once_in(random, 2) ? KAN_CUT_CLASSIFICATION : KAN_CUT_DISCERNIBILITY;
    if (space->cost == KAN_CUT_CLASSIFICATION)
        space->n_classes = (unsigned)between(random, 1, MOST_CLASSES);
    space->wants_release = once_in(random, 2);
    draw_places(space, random, &of);
    add_tuples(out, &of, random);
    add_choices(out, random);
    const uint64_t n = space->n_rows;
    const uint64_t limits[] = {0, 3, UINT64_MAX, kan_random_below(random, n + 1)};
    space->limit = limits[kan_random_below(random, 4)];
    space->k = once_in(random, 10)  ? between(random, 1, n + 2)
               : once_in(random, 4) ? between(random, 1, n / 3 + 1)
                                    : between(random, 1, 6);
}

void made_space_destroy(made_space *made) {
    kan_cut_space_destroy(&made->space);
}

/* ---- counting ------------------------------------------------------------------------------- */

space_count count_space(const made_space *made, uint64_t borders, uint64_t head, uint64_t key) {
    const kan_cut_space *space = &made->space;
    bool is_counted[SPACE_TUPLES] = {false};
    space_count all = {0, 0, 0};
    for (size_t t = 0; t < space->n_tuples; t++) {
        uint64_t rows = 0, majority = 0, of_class[MOST_CLASSES] = {0};
        if (is_counted[t] || (made->above[t] & head) != (key & head))
            continue;
        for (size_t u = t; u < space->n_tuples; u++) {
            if (((made->above[u] ^ made->above[t]) & (borders | head)) != 0)
                continue;
            is_counted[u] = true;
            rows += space->rows[u];
            for (unsigned c = 0; c < space->n_classes; c++)
                of_class[c] += space->class_rows[u * space->n_classes + c];
        }
        for (unsigned c = 0; c < space->n_classes; c++)
            majority = of_class[c] > majority ? of_class[c] : majority;
        all.n_rows += rows;
        if (rows < space->k) {
            all.n_lost += rows;
            all.cost += space->n_classes > 0 ? rows : rows * space->n_rows;
        } else {
            all.cost += space->n_classes > 0 ? rows - majority : rows * rows;
        }
    }
    return all;
}

/* ---- nodes ---------------------------------------------------------------------------------- */

bool is_ancestor(const kan_cut_space *space, unsigned upper, unsigned choice) {
    for (int c = space->choices[choice].parent; c >= 0; c = space->choices[c].parent)
        if ((unsigned)c == upper)
            return true;
    return false;
}

bool decide(const kan_cut_space *space, uint8_t *decision, unsigned choice,
            kan_cut_decision as_what) {
    const kan_cut_decision other = as_what == KAN_CUT_MADE ? KAN_CUT_LEFT : KAN_CUT_MADE;
    for (unsigned i = 0; i < 2; i++) /* first a look, then the deed */
        for (unsigned c = 0; c < space->n_choices; c++) {
            const bool follows =
                c == choice || (as_what == KAN_CUT_MADE ? is_ancestor(space, c, choice)
                                                        : is_ancestor(space, choice, c));
            if (follows && decision[c] == other)
                return false;
            if (follows && i == 1)
                decision[c] = (uint8_t)as_what;
        }
    return true;
}

static unsigned count_open(const kan_cut_space *space, const uint8_t *decision) {
    unsigned n = 0;
    for (unsigned c = 0; c < space->n_choices; c++)
        n += decision[c] == KAN_CUT_OPEN;
    return n;
}

void random_node(const made_space *made, uint64_t limit, unsigned most_open, uint64_t *random,
                 space_node *out) {
    const kan_cut_space *space = &made->space;
    const uint64_t makes = between(random, 2, 25), leaves = between(random, 2, 25);
    *out = (space_node){.made = made, .limit = limit};
    for (unsigned c = 0; c < space->n_choices; c++)
        if (out->decision[c] == KAN_CUT_OPEN && once_in(random, makes))
            (void)decide(space, out->decision, c, KAN_CUT_MADE);
        else if (out->decision[c] == KAN_CUT_OPEN && once_in(random, leaves))
            (void)decide(space, out->decision, c, KAN_CUT_LEFT);
    while (count_open(space, out->decision) > most_open)
        (void)decide(space, out->decision, (unsigned)kan_random_below(random, space->n_choices),
                     once_in(random, makes) ? KAN_CUT_MADE : KAN_CUT_LEFT);
    for (unsigned c = 0; c < space->n_choices; c++)
        if (out->decision[c] == KAN_CUT_OPEN)
            out->open[out->n_open++] = c;
        else if (out->decision[c] == KAN_CUT_MADE)
            out->head |= made->borders[c];
    count_node(out, 0, 0, true, out->costs);
}

/* Whether the parents of all that is made are made. */
static bool is_closed(const space_node *node, uint32_t bits) {
    const kan_cut_space *space = &node->made->space;
    for (unsigned i = 0; i < node->n_open; i++) {
        const int parent = space->choices[node->open[i]].parent;
        bool is_made = parent < 0 || node->decision[parent] == KAN_CUT_MADE;
        for (unsigned j = 0; j < node->n_open && !is_made; j++)
            is_made = (int)node->open[j] == parent && (bits >> j & 1);
        if ((bits >> i & 1) && !is_made)
            return false;
    }
    return true;
}

void count_node(const space_node *node, uint64_t head, uint64_t key, bool is_limited,
                uint64_t *costs) {
    const kan_cut_space *space = &node->made->space;
    for (uint32_t bits = 0; bits < 1u << node->n_open; bits++) {
        uint64_t borders = node->head;
        costs[bits] = UINT64_MAX;
        if (!is_closed(node, bits))
            continue;
        for (unsigned i = 0; i < node->n_open; i++)
            borders |= bits >> i & 1 ? node->made->borders[node->open[i]] : 0;
        const space_count count = count_space(node->made, borders, head, key);
        if (is_limited &&
            (count.n_lost > node->limit || (space->wants_release && count.n_lost == space->n_rows)))
            continue;
        costs[bits] = count.cost;
    }
}

void random_whole(kan_run *run, uint64_t *random, made_space *made, space_node *out) {
    for (;;) {
        random_space(run, random, made);
        if (made->space.n_choices <= SPACE_OPEN)
            break;
        made_space_destroy(made);
    }
    *out = (space_node){.made = made, .limit = made->space.limit};
    for (unsigned c = 0; c < made->space.n_choices; c++)
        out->open[out->n_open++] = c;
    count_node(out, 0, 0, true, out->costs);
}

uint64_t least_cost(const space_node *node, const uint64_t *costs, const uint8_t *decision) {
    uint32_t made = 0, left = 0;
    uint64_t least = UINT64_MAX;
    for (unsigned c = 0; c < node->made->space.n_choices; c++)
        assert_true(node->decision[c] == KAN_CUT_OPEN || decision[c] == node->decision[c]);
    for (unsigned i = 0; i < node->n_open; i++) {
        made |= (uint32_t)(decision[node->open[i]] == KAN_CUT_MADE) << i;
        left |= (uint32_t)(decision[node->open[i]] == KAN_CUT_LEFT) << i;
    }
    for (uint32_t bits = 0; bits < 1u << node->n_open; bits++)
        if ((bits & made) == made && (bits & left) == 0 && costs[bits] < least)
            least = costs[bits];
    return least;
}

uint64_t cost_of_set(const space_node *node, const uint8_t *is_made) {
    uint32_t bits = 0;
    for (unsigned c = 0; c < node->made->space.n_choices; c++)
        assert_true(node->decision[c] == KAN_CUT_OPEN ||
                    is_made[c] == (node->decision[c] == KAN_CUT_MADE));
    for (unsigned i = 0; i < node->n_open; i++)
        bits |= (uint32_t)(is_made[node->open[i]] != 0) << i;
    return node->costs[bits];
}

/* ---- for people ----------------------------------------------------------------------------- */

void print_node(const space_node *node) {
    const kan_cut_space *space = &node->made->space;
    print_error("%s, %s, k %" PRIu64 ", limit %" PRIu64 " (%" PRIu64 "), %" PRIu64 " rows%s\n",
                space->cost == KAN_CUT_DISCERNIBILITY ? "discernibility" : "classification",
                space->recoding == KAN_RECODING_CUTS ? "ordered-set" : "full-subtree", space->k,
                space->limit, node->limit, space->n_rows,
                space->wants_release ? ", a release is wanted" : "");
    for (size_t t = 0; t < space->n_tuples; t++) {
        print_error("  tuple %zu:", t);
        for (unsigned a = 0; a < space->n_attributes; a++)
            print_error(" %u", space->places[a][t]);
        print_error(", %u rows", space->rows[t]);
        for (unsigned c = 0; c < space->n_classes; c++)
            print_error(" %u", space->class_rows[t * space->n_classes + c]);
        print_error("\n");
    }
    for (unsigned c = 0; c < space->n_choices; c++) {
        static const char *const words[] = {"open", "made", "left"};
        const kan_choice *choice = &space->choices[c];
        print_error("  choice %u: attribute %u, parent %d, %s, places", c, choice->attribute,
                    choice->parent, words[node->decision[c]]);
        for (uint32_t p = 0; p < choice->n_places; p++)
            print_error(" %u", choice->places[p]);
        print_error("\n");
    }
    print_error("  least cost %" PRIu64 "\n", least_cost(node, node->costs, node->decision));
}

int random_axis(const made_space *made, uint64_t *random) {
    const unsigned a = (unsigned)kan_random_below(random, made->space.n_attributes + 1);
    return a < made->space.n_attributes && kan_cut_is_by_place(&made->space, a) ? (int)a
                                                                                : KAN_CUT_NO_AXIS;
}

bool random_allowed_set(const kan_cut_space *space, uint64_t *random, uint8_t *is_made) {
    for (unsigned tries = 0; tries < 12; tries++) {
        const uint64_t share = 1 + kan_random_below(random, 2 + tries);
        uint64_t cost;
        for (unsigned c = 0; c < space->n_choices; c++)
            is_made[c] = kan_random_below(random, share) == 0;
        for (unsigned c = 0; c < space->n_choices; c++)
            for (int up = (int)c; is_made[c] && up >= 0; up = space->choices[up].parent)
                is_made[up] = 1;
        EXPECT_OK(space->run, kan_cut_space_cost(space, is_made, NULL, &cost));
        if (cost < UINT64_MAX)
            return true;
    }
    return false;
}
