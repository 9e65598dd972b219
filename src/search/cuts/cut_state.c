/* The cut state: see cut_state.h; its groups are described in cut_state_groups.h.
 *
 * A step touches the groups of one interval of one attribute: those that stand in it are split by
 * an addition, those of neighbouring intervals are merged by a removal. Tuples hang on their groups
 * in lists, so that merging is joining two lists and splitting is a walk along one. Groups are
 * found by a hash that changes with one exclusive or when they move along an attribute.
 *
 * Cost: a set takes one pass over the tuples. A step takes the groups that it touches times the
 * attributes, and the tuples of those that are released and change. Memory: for each tuple about
 * 40 bytes, and 8 for each attribute. */
#include "search/cuts/cut_state.h"

#include <string.h>

#include "search/cuts/cut_people.h"
#include "search/cuts/cut_state_groups.h"

/* ---- groups --------------------------------------------------------------------------------- */

void kan_cut_group_link(kan_cut_groups *groups, uint32_t g) {
    uint32_t *bucket = &groups->buckets[groups->hash[g] & groups->bucket_mask];
    groups->chain[g] = *bucket;
    *bucket = g;
}

void kan_cut_group_unlink(kan_cut_groups *groups, uint32_t g) {
    uint32_t *link = &groups->buckets[groups->hash[g] & groups->bucket_mask];
    while (*link != g) {
        KAN_ASSERT(*link != KAN_NO_GROUP);
        link = &groups->chain[*link];
    }
    *link = groups->chain[g];
}

void kan_cut_group_move(kan_cut_groups *groups, uint32_t g, unsigned a, uint32_t slot) {
    uint32_t *at = &groups->at[(size_t)g * groups->n_attributes + a];
    groups->hash[g] ^= groups->salts[*at] ^ groups->salts[slot];
    *at = slot;
}

uint32_t kan_cut_group_beside(const kan_cut_groups *groups, uint32_t g, unsigned a, uint32_t slot) {
    const unsigned n = groups->n_attributes;
    const uint32_t *at = groups->at + (size_t)g * n;
    const uint64_t hash = groups->hash[g] ^ groups->salts[at[a]] ^ groups->salts[slot];
    uint32_t h = groups->buckets[hash & groups->bucket_mask];
    for (; h != KAN_NO_GROUP; h = groups->chain[h]) {
        if (groups->hash[h] != hash)
            continue;
        const uint32_t *there = groups->at + (size_t)h * n;
        bool is_it = true;
        for (unsigned b = 0; b < n; b++)
            is_it &= there[b] == (b == a ? slot : at[b]);
        if (is_it)
            return h;
    }
    return KAN_NO_GROUP;
}

static void push_tuple(kan_cut_state *state, uint32_t g, uint32_t t) {
    kan_cut_groups *groups = state->groups;
    const unsigned n = groups->n_classes;
    if (groups->first[g] == KAN_NO_GROUP)
        groups->last[g] = t;
    groups->next[t] = groups->first[g];
    groups->first[g] = t;
    groups->rows[g] += state->space->rows[t];
    for (unsigned i = 0; i < n; i++)
        groups->class_rows[(size_t)g * n + i] += state->space->class_rows[(size_t)t * n + i];
}

static void clear_group(kan_cut_groups *groups, uint32_t g) {
    groups->first[g] = groups->last[g] = KAN_NO_GROUP;
    groups->rows[g] = 0;
    memset(groups->class_rows + (size_t)g * groups->n_classes, 0,
           groups->n_classes * sizeof *groups->class_rows);
}

/* Joins h to g; h is left without rows. */
static void join_groups(kan_cut_groups *groups, uint32_t g, uint32_t h) {
    const unsigned n = groups->n_classes;
    KAN_ASSERT(g != h && groups->rows[g] > 0 && groups->rows[h] > 0);
    groups->next[groups->last[g]] = groups->first[h];
    groups->last[g] = groups->last[h];
    groups->rows[g] += groups->rows[h];
    for (unsigned i = 0; i < n; i++)
        groups->class_rows[(size_t)g * n + i] += groups->class_rows[(size_t)h * n + i];
    groups->rows[h] = 0;
}

/* The last group takes the place of one without rows, which is not linked. */
static void drop_group(kan_cut_groups *groups, uint32_t g) {
    KAN_ASSERT(groups->n > 0 && groups->rows[g] == 0);
    const uint32_t last = (uint32_t)--groups->n;
    const unsigned n = groups->n_attributes, n_classes = groups->n_classes;
    if (g == last)
        return;
    kan_cut_group_unlink(groups, last);
    memcpy(groups->at + (size_t)g * n, groups->at + (size_t)last * n, n * sizeof *groups->at);
    memcpy(groups->class_rows + (size_t)g * n_classes,
           groups->class_rows + (size_t)last * n_classes, n_classes * sizeof *groups->class_rows);
    groups->hash[g] = groups->hash[last];
    groups->rows[g] = groups->rows[last];
    groups->first[g] = groups->first[last];
    groups->last[g] = groups->last[last];
    kan_cut_group_link(groups, g);
}

/* ---- a whole set ---------------------------------------------------------------------------- */

/* Where intervals begin; part_of becomes the beginning of each slot's interval. */
static void find_intervals(kan_cut_state *state) {
    kan_cut_groups *groups = state->groups;
    for (unsigned a = 0; a < groups->n_attributes; a++) {
        uint32_t begin = groups->first_slot[a];
        groups->before[begin] = groups->after[begin] = groups->n_slots;
        groups->part_of[begin] = begin;
        for (uint32_t slot = begin + 1; slot < groups->first_slot[a + 1]; slot++) {
            groups->before[slot] = groups->after[slot] = groups->n_slots;
            if (state->is_made[groups->choice_of[slot]]) {
                groups->before[slot] = begin;
                groups->after[begin] = slot;
                begin = slot;
            }
            groups->part_of[slot] = begin;
        }
    }
}

static void place_tuples(kan_cut_state *state) {
    kan_cut_groups *groups = state->groups;
    const unsigned n = groups->n_attributes;
    groups->n = 0;
    memset(groups->buckets, 0xff, (groups->bucket_mask + 1) * sizeof *groups->buckets);
    for (uint32_t t = 0; t < state->space->n_tuples; t++) {
        /* The tuple alone is a group of its own, until one is found that stands there. */
        const uint32_t g = (uint32_t)groups->n;
        groups->hash[g] = 0;
        for (unsigned a = 0; a < n; a++) {
            const uint32_t slot = groups->part_of[groups->slots[(size_t)t * n + a]];
            groups->at[(size_t)g * n + a] = slot;
            groups->hash[g] ^= groups->salts[slot];
        }
        uint32_t found = n ? kan_cut_group_beside(groups, g, 0, groups->at[(size_t)g * n])
                           : (g ? 0 : KAN_NO_GROUP);
        if (found == KAN_NO_GROUP) {
            found = g;
            clear_group(groups, g);
            kan_cut_group_link(groups, g);
            groups->n++;
        }
        push_tuple(state, found, t);
    }
}

static void count_choices(kan_cut_state *state, const uint8_t *is_made) {
    const kan_cut_space *space = state->space;
    state->n_made = 0;
    memset(state->n_wanted, 0, space->n_choices * sizeof *state->n_wanted);
    for (unsigned c = 0; c < space->n_choices; c++) {
        state->is_made[c] = is_made && is_made[c];
        state->n_made += state->is_made[c];
        if (state->is_made[c] && space->choices[c].parent >= 0)
            state->n_wanted[space->choices[c].parent]++;
        state->add_cost[c] = state->add_lost[c] = 0;
        state->remove_cost[c] = state->remove_lost[c] = 0;
    }
}

/* What people make of the set, in place of groups. */
static void measure_people(kan_cut_state *state) {
    kan_cut_counter_measure(state->counter, state->is_made);
    state->cost = state->counter->cost;
    state->n_lost = state->counter->n_lost;
    state->edition++;
}

void kan_cut_state_look_at_people(kan_cut_state *state, unsigned choice) {
    kan_cut_counter *counter = state->counter;
    const bool adds = !state->is_made[choice];
    if (state->looked[choice] == state->edition)
        return;
    state->looked[choice] = state->edition;
    state->is_made[choice] = adds;
    kan_cut_counter_measure(counter, state->is_made);
    state->is_made[choice] = !adds;
    (adds ? state->add_cost : state->remove_cost)[choice] = (int64_t)(counter->cost - state->cost);
    (adds ? state->add_lost : state->remove_lost)[choice] =
        (int64_t)(counter->n_lost - state->n_lost);
}

void kan_cut_state_group(kan_cut_state *state, const uint8_t *is_made) {
    const kan_cut_groups *groups = state->groups;
    count_choices(state, is_made);
    if (state->counter) {
        measure_people(state);
        return;
    }
    find_intervals(state);
    place_tuples(state);
    state->cost = state->n_lost = 0;
    for (uint32_t g = 0; g < groups->n; g++) {
        state->cost += kan_cut_group_cost(state, g);
        state->n_lost += kan_cut_lost_of(state->space, groups->rows[g]);
    }
}

void kan_cut_state_set(kan_cut_state *state, const uint8_t *is_made) {
    kan_cut_groups *groups = state->groups;
    const bool has_pairs = state->space->recoding == KAN_RECODING_CUTS;
    kan_cut_state_group(state, is_made);
    for (uint32_t g = 0; groups && g < groups->n; g++) {
        kan_cut_count_additions(state, &g, 1, 0, 0, 1);
        for (unsigned a = 0; has_pairs && a < groups->n_attributes; a++)
            kan_cut_count_before(state, g, a, 1);
    }
    if (!groups)
        return;
    groups->is_stale = !has_pairs;
    KAN_ASSERT(kan_cut_groups_are_sound(state) && kan_cut_tuples_are_sound(state));
}

void kan_cut_state_refresh(kan_cut_state *state) {
    if (!state->groups)
        return;
    if (state->groups->is_stale)
        kan_cut_count_removals(state);
    state->groups->is_stale = false;
}

/* ---- single steps --------------------------------------------------------------------------- */

/* Takes the touched groups out of the sums, or puts them back: their cost, and the pairs of each
 * with the group before it. In the attributes that the step is not about that one is touched too,
 * so that each pair is counted once. */
static void count_touched(kan_cut_state *state, size_t n_touched, int sign) {
    kan_cut_groups *groups = state->groups;
    const bool has_pairs = state->space->recoding == KAN_RECODING_CUTS;
    for (size_t i = 0; i < n_touched; i++) {
        const uint32_t g = groups->touched[i];
        const int64_t cost = (int64_t)kan_cut_group_cost(state, g);
        state->cost += (uint64_t)(sign * cost);
        state->n_lost += (uint64_t)(sign * (int64_t)kan_cut_lost_of(state->space, groups->rows[g]));
        for (unsigned b = 0; has_pairs && b < groups->n_attributes; b++)
            kan_cut_count_before(state, g, b, sign);
    }
}

/* The pairs of touched groups with those after the last touched interval, which begins at slot. */
static void count_behind(kan_cut_state *state, size_t n_touched, unsigned a, uint32_t slot,
                         int sign) {
    const kan_cut_groups *groups = state->groups;
    if (state->space->recoding != KAN_RECODING_CUTS || groups->after[slot] == groups->n_slots)
        return;
    for (size_t i = 0; i < n_touched; i++)
        if (groups->at[(size_t)groups->touched[i] * groups->n_attributes + a] == slot)
            kan_cut_count_after(state, groups->touched[i], a, sign);
}

/* The groups whose interval of attribute a begins at a slot from `begin` on, and before `end`. */
static size_t touch(kan_cut_groups *groups, unsigned a, uint32_t begin, uint32_t end) {
    const unsigned n = groups->n_attributes;
    size_t n_touched = 0;
    for (uint32_t g = 0; g < groups->n; g++) {
        const uint32_t at = groups->at[(size_t)g * n + a];
        if (at >= begin && at < end)
            groups->touched[n_touched++] = g;
    }
    return n_touched;
}

/* A new group without tuples that stands where g does; not linked. */
static uint32_t copy_group(kan_cut_groups *groups, uint32_t g) {
    const unsigned n = groups->n_attributes;
    const uint32_t copy = (uint32_t)groups->n++;
    memcpy(groups->at + (size_t)copy * n, groups->at + (size_t)g * n, n * sizeof *groups->at);
    groups->hash[copy] = groups->hash[g];
    clear_group(groups, copy);
    return copy;
}

/* Splits g by part_of, the beginnings of the new intervals of attribute a; they are linked. */
static void split_group(kan_cut_state *state, uint32_t g, unsigned a, uint32_t begin) {
    kan_cut_groups *groups = state->groups;
    const unsigned n = groups->n_attributes;
    uint32_t t = groups->first[g], next;
    size_t n_parts = 0;
    kan_cut_group_unlink(groups, g);
    clear_group(groups, g);
    for (; t != KAN_NO_GROUP; t = next) {
        const uint32_t slot = groups->part_of[groups->slots[(size_t)t * n + a]];
        next = groups->next[t];
        if (groups->part_at[slot] == KAN_NO_GROUP) {
            const uint32_t part = n_parts ? copy_group(groups, g) : g;
            kan_cut_group_move(groups, part, a, slot);
            groups->part_at[slot] = part;
            groups->parts[n_parts++] = part;
        }
        push_tuple(state, groups->part_at[slot], t);
    }
    for (size_t i = 0; i < n_parts; i++) {
        kan_cut_group_link(groups, groups->parts[i]);
        groups->part_at[groups->at[(size_t)groups->parts[i] * n + a]] = KAN_NO_GROUP;
    }
    if (n_parts > 1)
        kan_cut_count_additions(state, groups->parts, n_parts, a, begin, 1);
}

/* Where the interval begins that holds the places on both sides of a choice's cuts. */
static uint32_t find_begin(const kan_cut_groups *groups, const kan_choice *choice) {
    const uint32_t first = groups->first_slot[choice->attribute];
    uint32_t slot = first + choice->places[0] - 1;
    while (slot != first && groups->before[slot] == groups->n_slots)
        slot--;
    return slot;
}

/* Makes the cuts of a choice in the list of intervals, and part_of for the slots between. */
static void cut_interval(kan_cut_groups *groups, const kan_choice *choice, uint32_t begin) {
    const uint32_t first = groups->first_slot[choice->attribute], end = groups->after[begin];
    uint32_t slot = begin, part = begin;
    for (uint32_t i = 0; i < choice->n_places; i++) {
        const uint32_t cut = first + choice->places[i];
        for (; slot < cut; slot++)
            groups->part_of[slot] = part;
        groups->before[cut] = part;
        groups->after[part] = cut;
        part = cut;
    }
    for (; slot < groups->first_slot[choice->attribute + 1] && slot != end; slot++)
        groups->part_of[slot] = part;
    groups->after[part] = end;
    if (end != groups->n_slots)
        groups->before[end] = part;
}

static void mark_made(kan_cut_state *state, unsigned choice, bool is_made) {
    const int parent = state->space->choices[choice].parent;
    state->is_made[choice] = is_made;
    state->n_made += is_made ? 1u : -1u;
    if (parent >= 0)
        state->n_wanted[parent] += is_made ? 1u : -1u;
    if (state->groups)
        state->groups->is_stale = state->space->recoding != KAN_RECODING_CUTS;
    else
        measure_people(state);
}

static void add_to_groups(kan_cut_state *state, unsigned choice) {
    kan_cut_groups *groups = state->groups;
    const kan_choice *added = &state->space->choices[choice];
    const unsigned a = added->attribute;
    const uint32_t begin = find_begin(groups, added);
    const uint32_t last = groups->first_slot[a] + added->places[added->n_places - 1];
    size_t n_touched = touch(groups, a, begin, begin + 1);
    count_touched(state, n_touched, -1);
    count_behind(state, n_touched, a, begin, -1);
    cut_interval(groups, added, begin);
    const uint32_t n_before = (uint32_t)groups->n;
    for (size_t i = 0; i < n_touched; i++)
        split_group(state, groups->touched[i], a, begin);
    for (uint32_t g = n_before; g < groups->n; g++)
        groups->touched[n_touched++] = g;
    mark_made(state, choice, true);
    count_touched(state, n_touched, 1);
    count_behind(state, n_touched, a, last, 1);
    KAN_ASSERT(kan_cut_groups_are_sound(state));
}

void kan_cut_state_add(kan_cut_state *state, unsigned choice) {
    if (state->counter)
        mark_made(state, choice, true);
    else
        add_to_groups(state, choice);
}

/* Moves the touched groups to the interval that begins at `begin`; where one stands there, they
 * become one. */
static void merge_touched(kan_cut_state *state, size_t n_touched, unsigned a, uint32_t begin,
                          const kan_choice *removed) {
    kan_cut_groups *groups = state->groups;
    const uint32_t first = groups->first_slot[a];
    for (size_t i = 0; i < n_touched; i++) {
        const uint32_t g = groups->touched[i];
        if (groups->rows[g] == 0)
            continue; /* has become part of one before */
        size_t n_parts = 0;
        groups->parts[n_parts++] = g;
        for (uint32_t p = 0; p <= removed->n_places; p++) {
            const uint32_t slot = p ? first + removed->places[p - 1] : begin;
            const uint32_t h = kan_cut_group_beside(groups, g, a, slot);
            if (h != KAN_NO_GROUP && h != g)
                groups->parts[n_parts++] = h;
        }
        if (n_parts > 1)
            kan_cut_count_additions(state, groups->parts, n_parts, a, begin, -1);
        for (size_t p = 1; p < n_parts; p++) {
            kan_cut_group_unlink(groups, groups->parts[p]);
            join_groups(groups, g, groups->parts[p]);
        }
        kan_cut_group_unlink(groups, g);
        kan_cut_group_move(groups, g, a, begin);
        kan_cut_group_link(groups, g);
    }
}

/* Takes the cuts of a choice out of the list of intervals. */
static void join_intervals(kan_cut_groups *groups, const kan_choice *removed, uint32_t begin) {
    const uint32_t first = groups->first_slot[removed->attribute];
    const uint32_t end = groups->after[first + removed->places[removed->n_places - 1]];
    for (uint32_t i = 0; i < removed->n_places; i++) {
        const uint32_t slot = first + removed->places[i];
        groups->before[slot] = groups->after[slot] = groups->n_slots;
    }
    groups->after[begin] = end;
    if (end != groups->n_slots)
        groups->before[end] = begin;
}

static void remove_from_groups(kan_cut_state *state, unsigned choice) {
    kan_cut_groups *groups = state->groups;
    const kan_choice *removed = &state->space->choices[choice];
    const unsigned a = removed->attribute;
    const uint32_t first = groups->first_slot[a];
    const uint32_t begin = groups->before[first + removed->places[0]];
    const uint32_t last = first + removed->places[removed->n_places - 1];
    size_t n_touched = touch(groups, a, begin, last + 1);
    count_touched(state, n_touched, -1);
    count_behind(state, n_touched, a, last, -1);
    merge_touched(state, n_touched, a, begin, removed);
    join_intervals(groups, removed, begin);
    for (size_t i = n_touched; i-- > 0;)
        if (groups->rows[groups->touched[i]] == 0)
            drop_group(groups, groups->touched[i]);
    mark_made(state, choice, false);
    n_touched = touch(groups, a, begin, begin + 1);
    count_touched(state, n_touched, 1);
    count_behind(state, n_touched, a, begin, 1);
    KAN_ASSERT(kan_cut_groups_are_sound(state));
}

void kan_cut_state_remove(kan_cut_state *state, unsigned choice) {
    if (state->counter)
        mark_made(state, choice, false);
    else
        remove_from_groups(state, choice);
}

void kan_cut_state_go_to(kan_cut_state *state, const uint8_t *is_made) {
    const unsigned n = state->space->n_choices;
    enum { FEW_STEPS = 12 }; /* up to here single steps are quicker than grouping anew */
    unsigned n_steps = 0;
    for (unsigned c = 0; c < n; c++)
        n_steps += (is_made[c] != 0) != (state->is_made[c] != 0);
    if (n_steps > FEW_STEPS || state->counter) {
        kan_cut_state_set(state, is_made);
        return;
    }
    /* Children go before their parents, and come after them: again until all are done. */
    while (n_steps > 0)
        for (unsigned c = 0; c < n; c++)
            if (is_made[c] && kan_cut_state_can_add(state, c)) {
                kan_cut_state_add(state, c);
                n_steps--;
            } else if (!is_made[c] && kan_cut_state_can_remove(state, c)) {
                kan_cut_state_remove(state, c);
                n_steps--;
            }
    KAN_ASSERT(kan_cut_tuples_are_sound(state));
}
