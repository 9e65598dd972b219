/* t-closeness: the shares of the sensitive values in a group are near those in the whole table: the
 * earth mover's distance between both is at most t (Li, Li, Venkatasubramanian).
 *
 * Let a group of n rows have a_v rows of the value v, the table of N rows b_v. In units of 1/(nN)
 * a share differs by the whole number a_v N - b_v n, its surplus. The distances are
 *
 *   equal          values are 1 apart: the sum of all surpluses above 0
 *   ordered        values are neighbours 1/(m-1) apart, m ranks: the sum over ranks of the surplus
 *                  up to there, whatever its sign, over m - 1
 *   hierarchical   values are apart the level of the lowest node that holds both, over the height H
 *                  of the hierarchy. A path between them goes along two edges per level, of 1/(2H)
 *                  each, so the distance is the sum of surpluses above 0 of the nodes of each level
 *                  below the top, over H: the mean of the equal distance of H levels.
 *
 * With t = T/D the comparison D * sum <= T * parts * n * N is one of whole numbers of 128 bits;
 * create() refuses a table and a t with which these could overflow. The distance is convex in the
 * shares, so a merged group is no farther than the farther of its parts; a failing group can spoil
 * a passing one. The table as a whole has distance 0.
 *
 * A group costs: equal, its values; ordered, its values times log m; hierarchical, its values and
 * the nodes above them, of more than 64 values m log m. */
#include <string.h>

#include "privacy/largest_part.h"
#include "privacy/privacy.h"
#include "privacy/sensitive.h"

typedef enum { EQUAL, ORDERED, HIERARCHICAL } distance;

typedef struct {
    distance distance;
    unsigned tail;
    uint64_t parts;       /* what the sum is divided by: 1, m - 1, or H */
    const uint64_t *rows; /* b_v */
    uint64_t all;         /* N: rows, or with --person the pairs of person and value */
    uint32_t n_values;
    /* Ordered: the rank of each value; of each rank the rows up to it, and the sum of these. */
    const uint32_t *rank;
    uint32_t n_ranks;
    const uint64_t *rows_to;
    const kan_u128 *sum_to; /* n_ranks + 1: of the ranks before */
    /* Hierarchical: b by level and node; the leaf of each value, and back, where a leaf is one. */
    const kan_hierarchy *tree;
    const uint64_t **node_rows;
    const uint32_t *leaf_of, *value_of;
    kan_part_shares part; /* equal */
} column_state;

typedef struct {
    kan_fraction t;
    unsigned n;
    column_state columns[KAN_MAX_TAILS];
} model_state;

static const kan_option_spec options[] = {
    {.name = "t",
     .argument = "[NAME=]T",
     .summary = "the shares of sensitive values in a group are at most this far from those of the "
                "whole table, 0 to 1",
     .is_per_column = true,
     .type = KAN_OPTION_REAL,
     .traits = KAN_TRAIT_SHOWN | KAN_TRAIT_EVERYDAY | KAN_TRAITS_OF_VALUES,
     .least = 0,
     .most = 1,
     .words = "how far a group may be from the whole table, 0 to 1"},
    {.name = "t-distance",
     .argument = "[NAME=]KIND",
     .summary = "how the distance between values is measured: equal (all the same), ordered (by "
                "rank), hierarchical (by the hierarchy) or auto. auto is hierarchical for columns "
                "with one, ordered for other numbers and dates, else equal",
     .is_per_column = true,
     .type = KAN_OPTION_CHOICE,
     .traits = KAN_TRAIT_SHOWN | KAN_TRAITS_OF_VALUES,
     .choices = "auto|equal|ordered|hierarchical",
     .fallback = "auto",
     .words = "how far two values are apart"},
    {.name = "t-hierarchy",
     .argument = "NAME=FILE",
     .summary = "the hierarchy that says how far apart values of a sensitive column are; text uses "
                "the one in --hierarchies DIR if there is one",
     .type = KAN_OPTION_PATH,
     .traits = KAN_TRAIT_SHOWN | KAN_TRAITS_OF_VALUES,
     .repeats = true},
};

/* ---- creating ------------------------------------------------------------------------------- */

/* Numbers that are written differently and are equal, 7 and 07, have one rank. Values stand in the
 * order of their dictionary. */
static kan_status rank_values(kan_arena *arena, const kan_dimension *tail, column_state *column) {
    const kan_type type = tail->column->dictionary.type;
    uint32_t *rank;
    uint64_t *rows_to;
    kan_u128 *sum_to;
    kan_slice before = {NULL, 0};
    KAN_TRY(kan_arena_alloc(arena, tail->n_values, sizeof *rank, &rank));
    KAN_TRY(kan_arena_alloc(arena, tail->n_values, sizeof *rows_to, &rows_to));
    KAN_TRY(kan_arena_alloc(arena, (size_t)tail->n_values + 1, sizeof *sum_to, &sum_to));
    uint32_t n_ranks = 0;
    for (uint32_t value = 0; value < tail->n_values; value++) {
        const kan_slice here = kan_dimension_text(tail, value);
        double unused;
        const bool is_number = kan_value_exact(type, here, &unused);
        if (!is_number || !before.bytes || kan_value_order(type, before, here) != 0) {
            rows_to[n_ranks] = n_ranks > 0 ? rows_to[n_ranks - 1] : 0;
            n_ranks++;
        }
        before = is_number ? here : (kan_slice){NULL, 0};
        rank[value] = n_ranks - 1;
        rows_to[n_ranks - 1] += column->rows[value];
    }
    for (uint32_t r = 0; r < n_ranks; r++)
        sum_to[r + 1] = sum_to[r] + rows_to[r];
    column->rank = rank;
    column->n_ranks = n_ranks;
    column->rows_to = rows_to;
    column->sum_to = sum_to;
    column->parts = n_ranks > 1 ? n_ranks - 1 : 1;
    return KAN_OK;
}

/* Leaves are codes: of several that spell one number the first stands for all. They have the same
 * nodes above them, or the hierarchy would have been refused (job/setup/setup_sensitive.c). */
static kan_status place_leaves(kan_arena *arena, const kan_dimension *tail, column_state *column) {
    const kan_hierarchy *tree = column->tree;
    uint32_t *leaf_of, *value_of;
    KAN_TRY(kan_arena_alloc(arena, tail->n_values, sizeof *leaf_of, &leaf_of));
    KAN_TRY(kan_arena_alloc(arena, tree->n_codes, sizeof *value_of, &value_of));
    for (uint32_t code = 0; code < tree->n_codes; code++)
        value_of[tree->leaf_of[code]] = kan_dimension_value(tail, code);
    for (uint32_t value = 0; value < tail->n_values; value++)
        leaf_of[value] = tree->leaf_of[tail->code_of ? tail->code_of[value] : value];
    column->leaf_of = leaf_of;
    column->value_of = value_of;
    return KAN_OK;
}

static kan_status count_nodes(kan_arena *arena, const kan_dimension *tail, column_state *column) {
    const kan_hierarchy *tree = column->tree;
    KAN_TRY(place_leaves(arena, tail, column));
    KAN_TRY(kan_arena_alloc(arena, (size_t)tree->height + 1, sizeof *column->node_rows,
                            &column->node_rows));
    for (unsigned l = 1; l < tree->height; l++) {
        uint64_t *rows;
        KAN_TRY(kan_arena_alloc(arena, tree->levels[l].n_groups, sizeof *rows, &rows));
        for (uint32_t value = 0; value < column->n_values; value++)
            rows[tree->levels[l].from_leaf[column->leaf_of[value]]] += column->rows[value];
        column->node_rows[l] = rows;
    }
    return KAN_OK;
}

static kan_status choose_distance(kan_run *run, const char *wanted, const kan_dimension *tail,
                                  column_state *out) {
    char quoted[256];
    const kan_column *column = tail->column;
    const bool has_order = tail->is_ordered || column->dictionary.type != KAN_TYPE_TEXT;
    kan_quote(kan_slice_of(column->name), quoted);
    if (strcmp(wanted, "equal") == 0)
        out->distance = EQUAL;
    else if (strcmp(wanted, "ordered") == 0)
        out->distance = ORDERED;
    else if (strcmp(wanted, "hierarchical") == 0)
        out->distance = HIERARCHICAL;
    else
        out->distance = out->tree ? HIERARCHICAL : tail->is_ordered ? ORDERED : EQUAL;
    if (out->distance == ORDERED && !has_order)
        return kan_fail(run, KAN_BAD_INPUT,
                        "--t-distance ordered: column %s is text, which has no order; leave it to "
                        "auto, or give it a hierarchy with --t-hierarchy",
                        quoted);
    if (out->distance == HIERARCHICAL && !out->tree)
        return kan_fail(run, KAN_BAD_INPUT,
                        "--t-distance hierarchical: column %s has no hierarchy; name one with "
                        "--t-hierarchy %s=FILE",
                        quoted, column->name);
    return KAN_OK;
}

static unsigned bits_of(uint64_t number) {
    unsigned bits = 0;
    for (; number; number >>= 1)
        bits++;
    return bits;
}

/* Sums are at most parts * n * N, n <= N, times D; T <= D. */
static kan_status check_room(kan_run *run, const model_state *state, const column_state *column,
                             const char *name) {
    char quoted[256];
    if (bits_of(state->t.denominator) + bits_of(column->parts + 1) + 2 * bits_of(column->all) <=
        127)
        return KAN_OK;
    return kan_fail(run, KAN_BAD_INPUT,
                    "--t: distances in column %s cannot be counted exactly for so many rows and "
                    "values; write t with fewer digits, or use --t-distance equal",
                    kan_quote(kan_slice_of(name), quoted));
}

/* Of Y rows with y_v of each value the surpluses are Y N less the sum of min(y_v N, b_v Y): that sum
 * is at least (1 - t) Y N. */
static kan_status share_parts(kan_arena *arena, const model_state *state, column_state *column) {
    const kan_u128 most = (kan_u128)1 << 62, all = (kan_u128)state->t.denominator * column->all;
    uint64_t *share;
    if (all > most || state->t.numerator > state->t.denominator)
        return KAN_OK;
    KAN_TRY(kan_arena_alloc(arena, column->n_values, sizeof *share, &share));
    for (uint32_t value = 0; value < column->n_values; value++)
        share[value] = state->t.denominator * column->rows[value];
    column->part =
        (kan_part_shares){.share = share,
                          .unit = (uint64_t)all,
                          .whole = (state->t.denominator - state->t.numerator) * column->all};
    return KAN_OK;
}

static kan_status create(kan_run *run, kan_arena *arena, const kan_options *given,
                         const kan_problem *problem, void **out) {
    model_state *made;
    kan_sensitive sensitive;
    const char *wanted = kan_options_find(given, "t-distance");
    KAN_TRY(kan_arena_alloc(arena, 1, sizeof *made, &made));
    KAN_TRY(kan_fraction_read(run, given, "t", &made->t));
    if (made->t.numerator > made->t.denominator)
        return kan_fail(run, KAN_BAD_INPUT, "--t: %s is too large; the maximum is 1",
                        kan_options_find(given, "t"));
    KAN_TRY(kan_sensitive_find(run, problem, "t", &sensitive));
    for (; made->n < sensitive.n; made->n++) {
        column_state *column = &made->columns[made->n];
        const unsigned tail = sensitive.tails[made->n];
        const kan_dimension *from = kan_sensitive_tail(problem, tail);
        *column = (column_state){.tail = tail,
                                 .parts = 1,
                                 .rows = problem->tail_rows[tail],
                                 .all = kan_problem_tail_total(problem, tail),
                                 .n_values = from->n_values,
                                 .tree = problem->tail_trees[tail]};
        KAN_TRY(choose_distance(run, wanted ? wanted : "auto", from, column));
        if (column->distance == ORDERED)
            KAN_TRY(rank_values(arena, from, column));
        if (column->distance == HIERARCHICAL)
            KAN_TRY(count_nodes(arena, from, column));
        if (column->distance == HIERARCHICAL && column->tree->height > 0)
            column->parts = column->tree->height;
        KAN_TRY(check_room(run, made, column, from->name));
        if (column->distance == EQUAL)
            KAN_TRY(share_parts(arena, made, column));
    }
    *out = made;
    return KAN_OK;
}

/* ---- distances, times parts * n * N --------------------------------------------------------- */

typedef struct {
    const uint32_t *value;
    const uint64_t *count;
    size_t n_values;
    uint64_t n, all; /* n, N */
} group;

static kan_u128 above_0(uint64_t here, uint64_t whole, const group *g) {
    const kan_u128 has = (kan_u128)here * g->all, due = (kan_u128)whole * g->n;
    return has > due ? has - due : 0;
}

static kan_u128 equal_sum(const column_state *column, const group *g) {
    kan_u128 sum = 0;
    for (size_t i = 0; i < g->n_values; i++)
        sum += above_0(g->count[i], column->rows[g->value[i]], g);
    return sum;
}

/* The sum over the ranks first .. end-1, up to each of which the group has `here` rows. What is due
 * up to a rank grows with it: below some rank it is less than what the group has, from there on
 * not. */
static kan_u128 run_sum(const column_state *column, const group *g, uint32_t first, uint32_t end,
                        uint64_t here) {
    const kan_u128 has = (kan_u128)here * g->all;
    uint32_t low = first, high = end;
    while (low < high) {
        const uint32_t middle = low + (high - low) / 2;
        if ((kan_u128)column->rows_to[middle] * g->n < has)
            low = middle + 1;
        else
            high = middle;
    }
    const kan_u128 below = (column->sum_to[low] - column->sum_to[first]) * g->n;
    const kan_u128 behind = (column->sum_to[end] - column->sum_to[low]) * g->n;
    return (has * (low - first) - below) + (behind - has * (end - low));
}

static kan_u128 ordered_sum(const column_state *column, const group *g) {
    kan_u128 sum = 0;
    uint64_t here = 0;
    uint32_t done = 0; /* ranks that are summed */
    for (size_t i = 0; i < g->n_values; i++) {
        const uint32_t rank = column->rank[g->value[i]];
        if (rank > done) {
            sum += run_sum(column, g, done, rank, here);
            done = rank;
        }
        here += g->count[i];
    }
    return sum + run_sum(column, g, done, column->n_ranks, here);
}

/* The rows of a value in the group, whose values are in order. */
static uint64_t rows_of(const group *g, uint32_t value) {
    size_t low = 0, high = g->n_values;
    while (low < high) {
        const size_t middle = low + (high - low) / 2;
        if (g->value[middle] < value)
            low = middle + 1;
        else
            high = middle;
    }
    return low < g->n_values && g->value[low] == value ? g->count[low] : 0;
}

/* The nodes of each level that hold the last leaf, and the group's rows below them. */
typedef struct {
    kan_u128 sum; /* over nodes that are done with */
    uint32_t node[KAN_HEIGHT_MOST];
    uint64_t here[KAN_HEIGHT_MOST];
} climb;

/* Leaves come in preorder, so those of a node are neighbours at every level: a node is done with
 * when another one begins. Only then its rows count one level higher. */
static inline void add_leaf(const column_state *column, const group *g, uint32_t leaf,
                            uint64_t rows, climb *c) {
    uint64_t done = 0;
    for (unsigned l = 1; l < column->tree->height; l++) {
        const uint32_t node = column->tree->levels[l].from_leaf[leaf];
        c->here[l] += done;
        if (node == c->node[l]) {
            c->here[l] += l == 1 ? rows : 0;
            return;
        }
        done = c->here[l];
        c->sum += above_0(done, column->node_rows[l][c->node[l]], g);
        c->node[l] = node;
        c->here[l] = l == 1 ? rows : 0;
    }
}

/* Values that the group does not have add nothing. */
static void add_leaves(const column_state *column, const group *g, climb *c) {
    enum { FEW = 64 };
    uint64_t rows[FEW], has = 0;
    if (column->tree->n_codes > FEW) {
        for (uint32_t leaf = 0; leaf < column->tree->n_codes; leaf++) {
            const uint32_t value = column->value_of[leaf];
            const uint64_t here = column->leaf_of[value] == leaf ? rows_of(g, value) : 0;
            if (here > 0)
                add_leaf(column, g, leaf, here, c);
        }
        return;
    }
    for (size_t i = 0; i < g->n_values; i++) {
        const uint32_t leaf = column->leaf_of[g->value[i]];
        rows[leaf] = g->count[i];
        has |= UINT64_C(1) << leaf;
    }
    for (; has; has &= has - 1) {
        const uint32_t leaf = (uint32_t)__builtin_ctzll(has);
        add_leaf(column, g, leaf, rows[leaf], c);
    }
}

/* The levels above the lowest. */
static kan_u128 sum_above(const column_state *column, const group *g) {
    const unsigned height = column->tree->height;
    climb c;
    uint64_t done = 0;
    if (height < 2)
        return 0;
    c.sum = 0;
    memset(c.node, 0, height * sizeof *c.node);
    memset(c.here, 0, height * sizeof *c.here);
    add_leaves(column, g, &c);
    for (unsigned l = 1; l < height; l++) {
        c.here[l] += done;
        done = c.here[l];
        c.sum += above_0(done, column->node_rows[l][c.node[l]], g);
    }
    return c.sum;
}

/* The lowest level of a hierarchy, where nodes are values, has the equal distance. */
static kan_u128 sum_of(const column_state *column, const group *g) {
    return column->distance == ORDERED
               ? ordered_sum(column, g)
               : equal_sum(column, g) +
                     (column->distance == HIERARCHICAL ? sum_above(column, g) : 0);
}

/* No level has a greater sum than the one below: surplus and lack of nodes cancel out where they
 * become one. So the lowest level often settles the hierarchical distance. */
static bool is_close(const model_state *state, const column_state *column, const group *g) {
    const kan_u128 may = (kan_u128)column->parts * g->n * g->all * state->t.numerator;
    if (column->distance != HIERARCHICAL)
        return sum_of(column, g) * state->t.denominator <= may;
    const kan_u128 lowest = equal_sum(column, g), times = state->t.denominator;
    if (lowest * times > may || lowest * times * column->parts <= may)
        return lowest * times <= may;
    return (lowest + sum_above(column, g)) * times <= may;
}

static group group_at(const kan_groups *groups, const column_state *column, size_t g) {
    const kan_tally *tally = &groups->tallies[column->tail];
    const size_t start = tally->start[g];
    return (group){tally->value + start, tally->count + start, tally->start[g + 1] - start,
                   kan_groups_total(groups, column->tail, g), column->all};
}

static void check(const void *opaque, const kan_groups *groups, size_t first, size_t end,
                  uint8_t *ok) {
    const model_state *state = opaque;
    for (unsigned i = 0; i < state->n; i++) {
        const column_state *column = &state->columns[i];
        for (size_t g = first; g < end; g++) {
            const group here = group_at(groups, column, g);
            ok[g] = ok[g] && is_close(state, column, &here);
        }
    }
}

/* The distance is convex in the shares and at most 1. So a group of n rows with distance d that
 * loses s rows has at least (n d - s) / (n - s), which is above t while s (1 - t) < n (d - t). In
 * whole numbers: the sum is parts * n * N * d. */
static uint64_t excess_by_distance(const model_state *state, const column_state *column,
                                   const group *g) {
    const kan_u128 has = sum_of(column, g) * state->t.denominator;
    const kan_u128 may = (kan_u128)column->parts * g->n * g->all * state->t.numerator;
    const kan_u128 per_row =
        (kan_u128)column->parts * g->all * (state->t.denominator - state->t.numerator);
    return has <= may || per_row == 0 ? 0 : (uint64_t)((has - may + per_row - 1) / per_row);
}

/* What values are missing says more, where it does not matter which others are in their place. */
static uint64_t excess(const void *opaque, const kan_groups *groups, size_t g) {
    const model_state *state = opaque;
    uint64_t most = 0;
    for (unsigned i = 0; i < state->n; i++) {
        const column_state *column = &state->columns[i];
        const group here = group_at(groups, column, g);
        const uint64_t rows = column->part.share
                                  ? here.n - kan_largest_part(&column->part, here.value, here.count,
                                                              here.n_values, here.n)
                                  : excess_by_distance(state, column, &here);
        most = rows > most ? rows : most;
    }
    return most;
}

static uint64_t least_size(const void *state) {
    (void)state;
    return 1;
}

const kan_privacy_kind kan_privacy_t_closeness = {
    .kind = {.name = "t-closeness",
             .summary =
                 "the shares of sensitive values in a group are near those of the whole table",
             .options = options,
             .n_options = sizeof options / sizeof *options,
             .paper = "Li, Li, Venkatasubramanian 2007",
             .is_everyday = true},
    .title = "A group is a small picture of the whole",
    .words = "The sensitive values of a group must be spread nearly as in the whole table. 0 means "
             "exactly so, 1 means no limit. It is strong, and it costs: finding somebody’s group "
             "then reveals little.",
    .tries = {"t 0.5", "t 0.3", "t 0.15"},
    .survives_merge = true,
    .counts_people = true,
    .is_relative = true,
    .needs_tallies = true,
    .needs_trees = true,
    .create = create,
    .least_size = least_size,
    .check = check,
    .excess = excess,
};
