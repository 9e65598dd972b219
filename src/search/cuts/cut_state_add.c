/* What additions change: see cut_state_groups.h.
 *
 * Only a group that is released is changed by a further cut: the parts of one that is suppressed
 * are suppressed too, at the same cost. The rows of a group by place, for all attributes at once,
 * take one pass over its tuples; sums along the places are the two sides of every cut there is.
 *
 * A choice of several places has several parts: its tally holds what the cuts so far made of it.
 *
 * Cost: the tuples of the group times the attributes, and the places of its intervals. */
#include "search/cuts/cut_state_groups.h"

/* Adds the rows of a group's tuples by slot. */
static void pour_tuples(const kan_cut_state *state, uint32_t g, uint32_t *counts,
                        uint32_t *class_counts) {
    const kan_cut_groups *groups = state->groups;
    const kan_cut_space *space = state->space;
    const unsigned n = groups->n_attributes, n_classes = groups->n_classes;
    for (uint32_t t = groups->first[g]; t != KAN_NO_GROUP; t = groups->next[t]) {
        const uint32_t *slots = groups->slots + (size_t)t * n;
        const uint32_t rows = space->rows[t];
        for (unsigned a = 0; a < n; a++)
            counts[slots[a]] += rows;
        if (n_classes == 0)
            continue;
        const uint32_t *class_rows = space->class_rows + (size_t)t * n_classes;
        for (unsigned a = 0; a < n; a++)
            for (unsigned i = 0; i < n_classes; i++)
                class_counts[(size_t)slots[a] * n_classes + i] += class_rows[i];
    }
}

/* A group as rows by slot. */
typedef struct {
    uint32_t *counts, *class_counts; /* set to 0 as they are read */
    bool adds_to_totals;
    uint64_t rows;
    const uint32_t *class_rows; /* of all of it */
    uint64_t cost;              /* of all of it, which is released */
    int sign;
} poured;

/* Takes the rows of a slot out of the counts, and adds the classes to the sums. */
static inline uint32_t take_slot(kan_cut_groups *groups, const poured *from, uint32_t slot,
                                 const bool by_class) {
    const unsigned n = groups->n_classes;
    const uint32_t rows = from->counts[slot];
    from->counts[slot] = 0;
    if (from->adds_to_totals)
        groups->totals[slot] += rows;
    for (unsigned i = 0; by_class && i < n; i++) {
        uint32_t *count = &from->class_counts[(size_t)slot * n + i];
        groups->sums[i] += *count;
        if (from->adds_to_totals)
            groups->class_totals[(size_t)slot * n + i] += *count;
        *count = 0;
    }
    return rows;
}

static void clear_sums(kan_cut_groups *groups) {
    for (unsigned i = 0; i < groups->n_classes; i++)
        groups->sums[i] = 0;
}

/* Every choice is one place: both sides of each cut. Called with a constant. */
static inline void scan_places(kan_cut_state *state, const poured *from, uint32_t slot,
                               const bool by_class) {
    kan_cut_groups *groups = state->groups;
    const uint64_t k = state->space->k, n_rows = state->space->n_rows, rows = from->rows;
    const int64_t sign = from->sign;
    uint64_t left = 0;
    clear_sums(groups);
    for (;; slot++) {
        left += take_slot(groups, from, slot, by_class);
        if (left == rows)
            return;
        if (left == 0)
            continue;
        const uint64_t right = rows - left;
        uint64_t left_most = 0, right_most = 0, cost;
        for (unsigned i = 0; by_class && i < groups->n_classes; i++) {
            const uint32_t here = groups->sums[i], there = from->class_rows[i] - here;
            left_most = here > left_most ? here : left_most;
            right_most = there > right_most ? there : right_most;
        }
        if (by_class)
            cost = left - (left >= k ? left_most : 0) + right - (right >= k ? right_most : 0);
        else
            cost = left * (left >= k ? left : n_rows) + right * (right >= k ? right : n_rows);
        const int choice = groups->choice_of[slot + 1];
        state->add_cost[choice] += sign * (int64_t)(cost - from->cost);
        state->add_lost[choice] +=
            sign * (int64_t)((left < k ? left : 0) + (right < k ? right : 0));
    }
}

/* ---- choices of several places -------------------------------------------------------------- */

/* Closes the part of a choice that ends here: `rows` and `class_rows` are sums up to here. */
static void tally_part(kan_cut_state *state, unsigned choice, uint32_t rows,
                       const uint32_t *class_rows) {
    kan_cut_groups *groups = state->groups;
    kan_cut_tally *tally = &groups->tallies[choice];
    uint32_t *before = groups->tally_classes + (size_t)choice * groups->n_classes, most = 0;
    for (unsigned i = 0; i < groups->n_classes; i++) {
        const uint32_t here = class_rows[i] - before[i];
        most = here > most ? here : most;
        before[i] = class_rows[i];
    }
    tally->cost += kan_cut_cost_of(state->space, rows - tally->rows, most);
    tally->lost += kan_cut_lost_of(state->space, rows - tally->rows);
    tally->rows = rows;
}

static void open_tally(kan_cut_groups *groups, unsigned choice) {
    groups->tallies[choice] = (kan_cut_tally){.is_open = true};
    for (unsigned i = 0; i < groups->n_classes; i++)
        groups->tally_classes[(size_t)choice * groups->n_classes + i] = 0;
}

static void scan_nodes(kan_cut_state *state, const poured *from, uint32_t slot) {
    kan_cut_groups *groups = state->groups;
    uint32_t left = 0;
    size_t n = 0;
    clear_sums(groups);
    for (;; slot++) {
        left += take_slot(groups, from, slot, true);
        if (left == from->rows)
            break;
        if (left == 0)
            continue;
        const unsigned choice = (unsigned)groups->choice_of[slot + 1];
        if (!groups->tallies[choice].is_open) {
            open_tally(groups, choice);
            groups->tallied[n++] = choice;
        }
        tally_part(state, choice, left, groups->sums);
    }
    while (n-- > 0) {
        const unsigned choice = groups->tallied[n];
        kan_cut_tally *tally = &groups->tallies[choice];
        tally_part(state, choice, (uint32_t)from->rows, from->class_rows);
        state->add_cost[choice] += from->sign * (int64_t)(tally->cost - from->cost);
        state->add_lost[choice] += from->sign * (int64_t)tally->lost;
        tally->is_open = false;
    }
}

/* ---- parts and wholes ----------------------------------------------------------------------- */

static void scan(kan_cut_state *state, const poured *from, uint32_t slot) {
    if (state->space->recoding != KAN_RECODING_CUTS)
        scan_nodes(state, from, slot);
    else if (state->groups->n_classes > 0)
        scan_places(state, from, slot, true);
    else
        scan_places(state, from, slot, false);
}

static void count_part(kan_cut_state *state, uint32_t g, bool adds_to_totals, int sign) {
    kan_cut_groups *groups = state->groups;
    const poured part = {.counts = groups->counts,
                         .class_counts = groups->class_counts,
                         .adds_to_totals = adds_to_totals,
                         .rows = groups->rows[g],
                         .class_rows = groups->class_rows + (size_t)g * groups->n_classes,
                         .cost = kan_cut_group_cost(state, g),
                         .sign = sign};
    pour_tuples(state, g, groups->counts, groups->class_counts);
    for (unsigned a = 0; a < groups->n_attributes; a++)
        scan(state, &part, groups->at[(size_t)g * groups->n_attributes + a]);
}

void kan_cut_count_additions(kan_cut_state *state, const uint32_t *parts, size_t n_parts,
                             unsigned a, uint32_t start, int sign) {
    kan_cut_groups *groups = state->groups;
    const kan_cut_space *space = state->space;
    const unsigned n = groups->n_attributes, n_classes = groups->n_classes;
    uint32_t *all = groups->sums + n_classes; /* the other half of the scratch */
    uint64_t rows = 0;
    for (size_t i = 0; i < n_parts; i++)
        rows += groups->rows[parts[i]];
    if (rows < space->k)
        return;
    if (n_parts == 1) {
        count_part(state, parts[0], false, sign);
        return;
    }
    for (unsigned i = 0; i < n_classes; i++)
        all[i] = 0;
    for (size_t i = 0; i < n_parts; i++) {
        for (unsigned c = 0; c < n_classes; c++)
            all[c] += groups->class_rows[(size_t)parts[i] * n_classes + c];
        if (groups->rows[parts[i]] >= space->k)
            count_part(state, parts[i], true, sign);
        else
            pour_tuples(state, parts[i], groups->totals, groups->class_totals);
    }
    const poured whole = {.counts = groups->totals,
                          .class_counts = groups->class_totals,
                          .rows = rows,
                          .class_rows = all,
                          .cost = kan_cut_cost_of(space, rows, kan_cut_majority(all, n_classes)),
                          .sign = -sign};
    for (unsigned b = 0; b < n; b++)
        scan(state, &whole, b == a ? start : groups->at[(size_t)parts[0] * n + b]);
}
