/* What removals change: see cut_state_groups.h.
 *
 * When a cut goes, groups merge that differ in that attribute alone and stand on its two sides. A
 * group whose neighbour is absent stays as it is. Where every choice is one place these are pairs:
 * each is found from either side by one look into the hash table, and the pairs of the groups that
 * a step touches are taken out before it and counted again after it.
 *
 * A node of a hierarchy may have many children: the groups that would merge are a line of them. All
 * lines are counted at once, by hashing where the merged group would stand. */
#include "search/cuts/cut_state_groups.h"

/* ---- pairs ---------------------------------------------------------------------------------- */

static void count_pair(kan_cut_state *state, uint32_t g, uint32_t h, unsigned choice, int sign) {
    const kan_cut_groups *groups = state->groups;
    const kan_cut_space *space = state->space;
    const unsigned n = groups->n_classes;
    const uint64_t rows = (uint64_t)groups->rows[g] + groups->rows[h];
    if (rows < space->k)
        return; /* still suppressed, at the same cost */
    const uint32_t *ours = groups->class_rows + (size_t)g * n;
    const uint32_t *theirs = groups->class_rows + (size_t)h * n;
    uint32_t most = 0;
    for (unsigned i = 0; i < n; i++)
        most = ours[i] + theirs[i] > most ? ours[i] + theirs[i] : most;
    state->remove_cost[choice] +=
        sign * (int64_t)(kan_cut_cost_of(space, rows, most) - kan_cut_group_cost(state, g) -
                         kan_cut_group_cost(state, h));
    state->remove_lost[choice] -= sign * (int64_t)(kan_cut_lost_of(space, groups->rows[g]) +
                                                   kan_cut_lost_of(space, groups->rows[h]));
}

void kan_cut_count_before(kan_cut_state *state, uint32_t g, unsigned a, int sign) {
    const kan_cut_groups *groups = state->groups;
    const uint32_t slot = groups->at[(size_t)g * groups->n_attributes + a];
    if (slot == groups->first_slot[a])
        return;
    const uint32_t h = kan_cut_group_beside(groups, g, a, groups->before[slot]);
    if (h != KAN_NO_GROUP)
        count_pair(state, g, h, (unsigned)groups->choice_of[slot], sign);
}

void kan_cut_count_after(kan_cut_state *state, uint32_t g, unsigned a, int sign) {
    const kan_cut_groups *groups = state->groups;
    const uint32_t slot = groups->after[groups->at[(size_t)g * groups->n_attributes + a]];
    if (slot == groups->n_slots)
        return;
    const uint32_t h = kan_cut_group_beside(groups, g, a, slot);
    if (h != KAN_NO_GROUP)
        count_pair(state, g, h, (unsigned)groups->choice_of[slot], sign);
}

/* ---- lines ---------------------------------------------------------------------------------- */

/* part_of[slot] for each interval of attribute a: where it would begin after the removal of the
 * choice that holds it apart from its siblings; n_slots when none can be removed. */
static void find_nodes(kan_cut_state *state, unsigned a) {
    kan_cut_groups *groups = state->groups;
    const kan_cut_space *space = state->space;
    const uint32_t first = groups->first_slot[a];
    for (uint32_t slot = first; slot < groups->first_slot[a + 1]; slot++)
        groups->part_of[slot] = groups->n_slots;
    for (uint32_t slot = groups->after[first]; slot != groups->n_slots;
         slot = groups->after[slot]) {
        const unsigned choice = (unsigned)groups->choice_of[slot];
        const uint32_t begin = first + space->choices[choice].places[0];
        if (!kan_cut_state_can_remove(state, choice))
            continue;
        groups->part_of[slot] = groups->before[begin];
        groups->part_of[groups->before[begin]] = groups->before[begin];
    }
}

static bool is_on_line(const kan_cut_groups *groups, const kan_cut_line *line, uint64_t hash,
                       uint32_t g, unsigned a) {
    const unsigned n = groups->n_attributes;
    const uint32_t *here = groups->at + (size_t)g * n;
    const uint32_t *there = groups->at + (size_t)line->group * n;
    if (line->hash != hash || groups->part_of[here[a]] != groups->part_of[there[a]])
        return false;
    for (unsigned b = 0; b < n; b++)
        if (b != a && here[b] != there[b])
            return false;
    return true;
}

static uint32_t find_line(kan_cut_groups *groups, uint32_t g, unsigned a, size_t *n_lines) {
    const uint32_t slot = groups->at[(size_t)g * groups->n_attributes + a];
    const uint64_t hash =
        groups->hash[g] ^ groups->salts[slot] ^ groups->salts[groups->part_of[slot]];
    uint32_t *bucket = &groups->line_buckets[hash & groups->bucket_mask];
    uint32_t at = *bucket;
    while (at != KAN_NO_GROUP && !is_on_line(groups, &groups->lines[at], hash, g, a))
        at = groups->lines[at].next;
    if (at != KAN_NO_GROUP)
        return at;
    at = (uint32_t)(*n_lines)++;
    groups->lines[at] = (kan_cut_line){.group = g, .hash = hash, .next = *bucket};
    *bucket = at;
    for (unsigned i = 0; i < groups->n_classes; i++)
        groups->line_classes[(size_t)at * groups->n_classes + i] = 0;
    return at;
}

static void count_line(kan_cut_state *state, uint32_t at, unsigned a) {
    const kan_cut_groups *groups = state->groups;
    const kan_cut_space *space = state->space;
    const unsigned n = groups->n_classes;
    const kan_cut_line *line = &groups->lines[at];
    /* The merged group would begin at `slot`; the choice is that of the interval after it. */
    const uint32_t slot =
        groups->part_of[groups->at[(size_t)line->group * groups->n_attributes + a]];
    const unsigned choice = (unsigned)groups->choice_of[groups->after[slot]];
    const uint32_t most = kan_cut_majority(groups->line_classes + (size_t)at * n, n);
    state->remove_cost[choice] += (int64_t)(kan_cut_cost_of(space, line->rows, most) - line->cost);
    state->remove_lost[choice] += (int64_t)(kan_cut_lost_of(space, line->rows) - line->lost);
    groups->line_buckets[line->hash & groups->bucket_mask] = KAN_NO_GROUP;
}

void kan_cut_count_removals(kan_cut_state *state) {
    kan_cut_groups *groups = state->groups;
    const unsigned n = groups->n_classes;
    for (unsigned c = 0; c < state->space->n_choices; c++)
        state->remove_cost[c] = state->remove_lost[c] = 0;
    for (unsigned a = 0; a < groups->n_attributes; a++) {
        size_t n_lines = 0;
        find_nodes(state, a);
        for (uint32_t g = 0; g < groups->n; g++) {
            const uint32_t slot = groups->at[(size_t)g * groups->n_attributes + a];
            if (groups->part_of[slot] == groups->n_slots)
                continue;
            const uint32_t at = find_line(groups, g, a, &n_lines);
            kan_cut_line *line = &groups->lines[at];
            line->rows += groups->rows[g];
            line->cost += kan_cut_group_cost(state, g);
            line->lost += kan_cut_lost_of(state->space, groups->rows[g]);
            for (unsigned i = 0; i < n; i++)
                groups->line_classes[(size_t)at * n + i] += groups->class_rows[(size_t)g * n + i];
        }
        for (uint32_t at = 0; at < n_lines; at++)
            count_line(state, at, a);
    }
}
