/* Which node a label is, where its text alone does not say.
 *
 * A hierarchy may name a group like one of its members (ages rounded down: 4 and 5 are "4"). Who
 * releases values beside groups then calls the group by what it holds, [4-5], and such a range or
 * list is the node whose values it has: those of released rows, as others name nothing. A label
 * that could be several nodes is one of those that stand above all rows that show it; the lowest of
 * them, or in a second reading the highest. Where the row of each is known, the lowest will do: it
 * is what a release may mean that shows it. Where some are not, the first reading favours the
 * release in all that is open, and takes ranges for nodes that may be; the second favours it in
 * nothing. What both say is certain, and nothing else is.
 *
 * O(values * levels^2 + what ranges hold * levels), and the rows once where a label is ambiguous. */
#include "analyze/recodings/labels.h"

typedef struct {
    const kan_shape_question *question;
    const kan_hierarchy *hierarchy; /* NULL: none */
    kan_labels *l;
    bool is_wide;
    uint64_t *apart; /* by label: levels at which some value has it that has it not at others */
    uint8_t *is_met; /* by value: a row that is known, and is not left out, has it */
} reading;

static uint64_t level_bit(unsigned level) {
    return UINT64_C(1) << (level < 63 ? level : 63);
}

/* At which levels a value is shown by the label. */
static uint64_t levels_of(const kan_relation *relation, uint32_t value, uint32_t code) {
    const uint32_t *shown_as = relation->shown_as + (size_t)value * relation->n_levels;
    uint64_t bits = 0;
    for (unsigned level = 0; level < relation->n_levels; level++)
        bits |= shown_as[level] == code ? level_bit(level) : 0;
    return bits;
}

/* ---- labels of several nodes ---------------------------------------------------------------- */

static bool find_ambiguous(const reading *r) {
    const kan_relation *relation = &r->l->relation;
    bool is_any = false;
    for (uint32_t value = 0; value < r->l->n_values; value++)
        for (unsigned level = 0; level < relation->n_levels; level++) {
            const uint32_t code = relation->shown_as[value * (size_t)relation->n_levels + level];
            if (code == KAN_NO_CODE || code == relation->star)
                continue;
            r->apart[code] |= r->l->levels[code] & ~levels_of(relation, value, code);
            is_any |= r->apart[code] != 0;
        }
    return is_any;
}

/* Leaves the levels that stand above each row that shows the label. */
static void ask_rows(const reading *r, uint64_t *levels) {
    const kan_shape_question *q = r->question;
    for (uint64_t row = 0; q->row_of && row < q->release->n_rows; row++) {
        const uint32_t code = kan_column_code(r->l->column, row);
        if (q->row_of[row] == KAN_NO_ROW || r->apart[code] == 0)
            continue;
        const uint32_t value = kan_column_code(r->l->relation.original, q->row_of[row]);
        levels[code] &= levels_of(&r->l->relation, value, code);
    }
}

/* Takes one of its nodes: that of the lowest level, or of the highest. */
static void take_node(const reading *r, uint32_t code, uint64_t levels) {
    kan_relation *relation = &r->l->relation;
    const unsigned level =
        r->is_wide ? 63 - (unsigned)__builtin_clzll(levels) : (unsigned)__builtin_ctzll(levels);
    const uint64_t taken = level_bit(level);
    uint64_t same = levels; /* levels at which it is the same values */
    for (uint32_t value = 0; value < r->l->n_values; value++) {
        const uint64_t here = levels_of(relation, value, code);
        same &= here & taken ? here : ~here;
        if (here & taken)
            r->l->leaf[code] = value;
    }
    for (uint32_t value = 0; value < r->l->n_values; value++)
        for (unsigned at = 0; at < relation->n_levels; at++) {
            uint32_t *shown = &relation->shown_as[value * (size_t)relation->n_levels + at];
            if (*shown == code && !(same & level_bit(at)))
                *shown = KAN_NO_CODE;
        }
    r->l->is_unsure |= same != levels && !r->question->knows_all;
    r->l->levels[code] = same;
    r->l->any_levels[code] = levels;
}

static kan_status read_ambiguous(const reading *r, kan_run *run) {
    const kan_labels *l = r->l;
    uint64_t *levels;
    if (!find_ambiguous(r))
        return KAN_OK;
    KAN_TRY(kan_alloc(run, l->n, sizeof *levels, &levels));
    memcpy(levels, l->levels, l->n * sizeof *levels);
    ask_rows(r, levels);
    /* a label above no single node of its rows stays all of them */
    for (uint32_t code = 0; code < l->n; code++)
        if (r->apart[code] != 0 && levels[code] != 0)
            take_node(r, code, levels[code]);
    kan_free(run, levels);
    return KAN_OK;
}

/* ---- ranges and lists ----------------------------------------------------------------------- */

static void find_met(const reading *r, const kan_shape *shape) {
    const kan_shape_question *q = r->question;
    for (uint64_t row = 0; q->row_of && row < q->release->n_rows; row++)
        if (q->row_of[row] != KAN_NO_ROW && !kan_shape_leaves_out(shape, row))
            r->is_met[kan_column_code(r->l->relation.original, q->row_of[row])] = 1;
}

static uint32_t node_of(const reading *r, uint32_t value, unsigned level) {
    return r->hierarchy->levels[level].from_leaf[r->hierarchy->leaf_of[value]];
}

/* Values of each node of a level: all, and those that are met. */
typedef struct {
    uint32_t n, n_met;
} node_size;

/* The range is a node of that level when it lacks no value of it that a released row has. */
static void read_range(const reading *r, uint32_t code, unsigned level, const node_size *sizes) {
    const kan_relation *relation = &r->l->relation;
    const size_t first = relation->run_start[code], end = relation->run_start[code + 1];
    node_size held = {0};
    if (first == end)
        return;
    const uint32_t node = node_of(r, relation->runs[first].first, level);
    for (size_t i = first; i < end; i++)
        for (uint32_t v = relation->runs[i].first; v < relation->runs[i].end; v++) {
            if (node_of(r, v, level) != node)
                return;
            held.n++;
            held.n_met += r->is_met[v];
        }
    const bool is_whole = held.n == sizes[node].n;
    if (!is_whole && held.n_met < sizes[node].n_met)
        return;
    /* which values released rows have is not known; the root is called * */
    if (!is_whole && !r->question->knows_all && r->l->levels[code] == 0) {
        if (level + 1 == relation->n_levels)
            return;
        r->l->is_unsure = true;
        if (r->is_wide)
            return;
    }
    if (r->l->levels[code] == 0)
        r->l->leaf[code] = relation->runs[first].first;
    r->l->levels[code] |= level_bit(level);
    r->l->any_levels[code] = r->l->levels[code];
    for (size_t i = first; i < end; i++)
        for (uint32_t v = relation->runs[i].first; v < relation->runs[i].end; v++) {
            uint32_t *shown = &relation->shown_as[v * (size_t)relation->n_levels + level];
            if (*shown == KAN_NO_CODE)
                *shown = code;
        }
}

static kan_status read_ranges(const reading *r, kan_run *run) {
    const kan_labels *l = r->l;
    for (unsigned level = 0; level < l->relation.n_levels; level++) {
        node_size *sizes;
        KAN_TRY(kan_alloc_zero(run, r->hierarchy->levels[level].n_groups, sizeof *sizes, &sizes));
        for (uint32_t value = 0; value < l->n_values; value++) {
            sizes[node_of(r, value, level)].n++;
            sizes[node_of(r, value, level)].n_met += r->is_met[value];
        }
        for (uint32_t code = 0; code < l->n; code++)
            read_range(r, code, level, sizes);
        kan_free(run, sizes);
    }
    return KAN_OK;
}

kan_status kan_labels_read(const kan_shape *shape, size_t c, bool is_wide) {
    kan_run *run = shape->run;
    kan_labels *l = &shape->labels[c];
    reading r = {.question = shape->question,
                 .hierarchy = shape->question->columns[c].hierarchy,
                 .l = l,
                 .is_wide = is_wide};
    kan_status status;
    KAN_TRY_DONE(kan_alloc_zero(run, l->n, sizeof *r.apart, &r.apart));
    KAN_TRY_DONE(read_ambiguous(&r, run));
    if (l->relation.run_start && r.hierarchy) {
        KAN_TRY_DONE(kan_alloc_zero(run, l->n_values, sizeof *r.is_met, &r.is_met));
        find_met(&r, shape);
        KAN_TRY_DONE(read_ranges(&r, run));
    }
done:
    kan_free(run, r.apart);
    kan_free(run, r.is_met);
    return status;
}
