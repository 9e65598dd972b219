/* t-closeness, recounted: the earth mover's distance between the values of a group and those of the
 * whole table, as one exact fraction.
 *
 * With p_i of the group's n rows and q_i of the table's N rows at value i, the surplus of a set of
 * values is the sum of p_i N - q_i n over it. Then the distance is
 *
 *   equal          sum over values of |surplus|                           / (2 n N)
 *   ordered        sum over ranks but the last of |surplus up to there|   / ((ranks - 1) n N)
 *   hierarchical   sum over levels below the top, over their nodes,
 *                  of |surplus of the node|                               / (2 height n N)
 *
 * The last is what flows over the edges of the tree: two values whose lowest common node is at
 * level h are 2h edges apart, each of length 1 / (2 height). Values that the group does not have
 * are added up from sums over the whole table. With fewer than 2^47 rows and 2^32 values everything
 * is below 2^128. O(values of the group * log ranks), or * height. */
#include "analyze/verify/verify.h"

typedef struct {
    kan_u128 part, whole;
} fraction;

int kan_model_compare(kan_u128 a, kan_u128 b, kan_u128 c, kan_u128 d) {
    KAN_ASSERT(b != 0 && d != 0);
    /* Whole parts first, then the remainders turned over: no product that could overflow. */
    for (int sign = 1;; sign = -sign) {
        const kan_u128 left = a / b, right = c / d;
        if (left != right)
            return left > right ? sign : -sign;
        const kan_u128 left_rest = a % b, right_rest = c % d;
        if (left_rest == 0 || right_rest == 0)
            return left_rest == right_rest ? 0 : left_rest != 0 ? sign : -sign;
        a = b;
        b = left_rest;
        c = d;
        d = right_rest;
    }
}

static kan_u128 difference(kan_u128 a, kan_u128 b) {
    return a > b ? a - b : b - a;
}

/* ---- equal ---------------------------------------------------------------------------------- */

static fraction equal_distance(const kan_model_values *values, const kan_model_tally *tally) {
    const kan_u128 n = tally->total, whole = values->n_rows;
    kan_u128 sum = 0, seen = 0;
    for (size_t i = 0; i < tally->n; i++) {
        const kan_u128 rows = values->rows[tally->counts[i].place];
        sum += difference(tally->counts[i].count * whole, rows * n);
        seen += rows;
    }
    KAN_ASSERT(seen <= whole);
    return (fraction){sum + (whole - seen) * n, 2 * n * whole};
}

/* ---- ordered -------------------------------------------------------------------------------- */

/* The sum over the ranks first .. end-1 of |rows of the group so far * N - rows of the table up to
 * the rank * n|. The latter grows with the rank: first it is less, from some rank on more. */
static kan_u128 stretch(const kan_model_values *values, size_t first, size_t end, kan_u128 group,
                        kan_u128 n) {
    size_t low = first, high = end;
    if (first >= end)
        return 0;
    while (low < high) {
        const size_t middle = low + (high - low) / 2;
        if (values->up_to[middle] * n > group)
            high = middle;
        else
            low = middle + 1;
    }
    const kan_u128 *sums = values->sum_up_to;
    const kan_u128 at_first = first ? sums[first - 1] : 0;
    const kan_u128 at_turn = low ? sums[low - 1] : 0;
    const kan_u128 below = (low - first) * group - n * (at_turn - at_first);
    return below + (n * (sums[end - 1] - at_turn) - (end - low) * group);
}

static fraction ordered_distance(const kan_model_values *values, const kan_model_tally *tally) {
    const kan_claim_column *column = values->column;
    const kan_u128 n = tally->total, whole = values->n_rows;
    kan_u128 sum = 0, so_far = 0;
    size_t from = 0;
    if (column->n_ranks < 2)
        return (fraction){0, 1};
    const size_t last = column->n_ranks - 1;
    for (size_t i = 0; i < tally->n; i++) {
        const size_t rank = column->rank[values->index_of[tally->counts[i].place]];
        KAN_ASSERT(from <= rank); /* places are in the order of ranks */
        sum += stretch(values, from, rank, so_far * whole, n);
        so_far += tally->counts[i].count;
        from = rank;
    }
    return (fraction){sum + stretch(values, from, last, so_far * whole, n), last * n * whole};
}

/* ---- hierarchical --------------------------------------------------------------------------- */

static kan_u128 level_sum(const kan_model_values *values, const kan_model_tally *tally,
                          unsigned level) {
    const kan_claim_column *column = values->column;
    const uint32_t *node = column->node[level];
    const uint64_t *node_rows = values->node_rows + level * values->n_known;
    const kan_u128 n = tally->total, whole = values->n_rows;
    kan_u128 sum = 0, seen = 0;
    for (size_t i = 0; i < tally->n;) {
        const size_t place = tally->counts[i].place;
        const uint32_t this_node = node[values->index_of[place]];
        uint64_t count = 0;
        for (; i < tally->n && node[values->index_of[tally->counts[i].place]] == this_node; i++)
            count += tally->counts[i].count;
        sum += difference(count * whole, node_rows[place] * n);
        seen += node_rows[place];
    }
    return sum + (whole - seen) * n;
}

static fraction tree_distance(const kan_model_values *values, const kan_model_tally *tally) {
    const kan_u128 n = tally->total, height = values->column->height;
    kan_u128 sum = 0;
    if (height == 0)
        return (fraction){0, 1};
    for (unsigned level = 0; level < height; level++)
        sum += level_sum(values, tally, level);
    return (fraction){sum, 2 * height * n * values->n_rows};
}

/* ---- the model ------------------------------------------------------------------------------ */

static fraction distance(const kan_model_values *values, const kan_model_tally *tally) {
    /* Values stand in the order of their places: one that the table does not have comes last. */
    if (tally->counts[tally->n - 1].place >= values->n_known)
        return (fraction){1, 1};
    switch (values->settled.distance) {
    case KAN_DISTANCE_ORDERED:
        return ordered_distance(values, tally);
    case KAN_DISTANCE_HIERARCHICAL:
        return tree_distance(values, tally);
    default:
        return equal_distance(values, tally);
    }
}

static bool check(const kan_claim_model *model, const kan_model_values *values,
                  const kan_model_tally *tally, kan_model_recount *so_far) {
    const fraction found = distance(values, tally);
    if (!so_far->is_reached ||
        kan_model_compare(found.part, found.whole, so_far->part, so_far->whole) > 0) {
        so_far->is_reached = true;
        so_far->part = found.part;
        so_far->whole = found.whole;
        so_far->reached = (double)found.part / (double)found.whole;
        so_far->column = tally->column;
    }
    return kan_model_compare(found.part, found.whole, model->numerator, model->denominator) <= 0;
}

static kan_status read(kan_run *run, const kan_options *options, kan_claim_model *model) {
    return kan_recount_read_decimal(run, options, "t", model);
}

/* ---- telling -------------------------------------------------------------------------------- */

static const char *distance_name(const kan_claim_column *column) {
    static const char *const names[] = {"equal", "ordered", "hierarchical"};
    return names[column->settled->distance];
}

static void tell(const kan_claim_model *model, const kan_claim_column *column, kan_facts *facts) {
    kan_facts_add(facts, (kan_fact){"t", KAN_FACT_NUMBER, .text = model->text});
    kan_facts_add(facts, (kan_fact){"distance", KAN_FACT_WORD, .text = distance_name(column)});
}

static void say_promised(const kan_claim_model *model, const kan_claim_column *column,
                         kan_text *text) {
    kan_text_print(text, " t=%s by %s distance", model->text, distance_name(column));
}

static void say_reached(double reached, kan_text *text) {
    kan_text_print(text, ", the greatest distance is %.6g", reached);
}

static const kan_shown_fact shown[] = {{"t", KAN_SHOWN_SHARE}};

static void show(const kan_model_page *page) {
    page->say(page, "How often sensitive values occur in a group differs from the whole table by a "
                    "distance of at most ");
    page->count(page, "t");
    page->say(page, " (t-closeness: 0 is the same, 1 is as different as possible).");
    page->reached(page, " The greatest that occurs is ", false);
}

static const kan_recount_figure figures[] = {
    {.key = "t", .words = "greatest distance (t)", .model = {.numerator = 1, .denominator = 1}},
};

const kan_recount_kind kan_recount_closeness = {
    .name = "t-closeness",
    .counts_people = true,
    .uses_distance = true,
    .uses_whole = true,
    .read = read,
    .check = check,
    .tell = tell,
    .say_promised = say_promised,
    .say_reached = say_reached,
    .shown = shown,
    .n_shown = sizeof shown / sizeof *shown,
    .show = show,
    .leaves_open = "A group may still differ from the whole table as far as t allows, and then "
                   "says more about its people than the table does (attribute disclosure).",
    .strength = 3,
    .figures = figures,
    .n_figures = sizeof figures / sizeof *figures,
};
