/* Who has to leave: see rare_sets.h. */
#include "search/rare_sets.h"

#include <string.h>

enum {
    FEW_PARTS = 4
}; /* that many times the groups are numbered by a table of all that could be */

typedef struct {
    kan_rare_sets *rare;
    const kan_groups *groups;
    unsigned n;                           /* attributes of the set */
    uint32_t n_codes[KAN_MAX_ATTRIBUTES]; /* of each, one more than the greatest */
    uint64_t
        k[KAN_MAX_ATTRIBUTES + 1]; /* of sets of so many attributes; 0: nothing is asked of them */
    unsigned most;                 /* the largest of these numbers */
    uint64_t enough;
    uint64_t n_left; /* rows that left */
    bool has_left;   /* some in this round */
    uint8_t *is_released;
} leaving;

void kan_rare_sets_init(kan_rare_sets *rare, const kan_problem *problem) {
    *rare = (kan_rare_sets){.problem = problem};
}

void kan_rare_sets_destroy(kan_rare_sets *rare) {
    kan_run *run = rare->problem->run;
    kan_free(run, rare->codes);
    kan_free(run, rare->parts);
    kan_free(run, rare->rows);
    kan_free(run, rare->part_of);
    kan_free(run, rare->slots);
    kan_rare_sets_init(rare, rare->problem);
}

/* ---- before --------------------------------------------------------------------------------- */

/* What is asked of sets of each number of attributes. A set has at most all that there are, and what is
 * asked of a larger set, which is at least as much, is asked of its parts. */
static void find_sizes(const kan_column_sets *subsets, leaving *l) {
    for (unsigned i = 0; i < subsets->n; i++) {
        const uint64_t m = subsets->sizes[i].m < l->n ? subsets->sizes[i].m : l->n;
        if (subsets->sizes[i].k > l->k[m])
            l->k[m] = subsets->sizes[i].k;
    }
    uint64_t above = 1; /* one row is always there */
    for (unsigned m = l->n; m > 0; m--) {
        if (l->k[m] <= above)
            l->k[m] = 0;
        else
            above = l->k[m];
        l->most = l->most < m && l->k[m] > 0 ? m : l->most;
    }
}

static kan_status take_codes(leaving *l, const kan_freqset *set) {
    kan_rare_sets *rare = l->rare;
    const kan_groups *groups = l->groups;
    const size_t n_groups = groups->n_groups;
    const unsigned n_attributes = rare->problem->space.n_attributes;
    const kan_key_field *fields[KAN_MAX_ATTRIBUTES];
    for (unsigned f = 0; f < set->layout.n_fields; f++)
        if (set->layout.fields[f].dimension < n_attributes)
            fields[l->n++] = &set->layout.fields[f];
    KAN_TRY(kan_reserve(rare->problem->run, n_groups * l->n + 1, sizeof *rare->codes,
                        &rare->code_room, &rare->codes));
    for (unsigned a = 0; a < l->n; a++) {
        uint32_t *codes = rare->codes + a * n_groups, most = 0;
        for (size_t g = 0; g < n_groups; g++) {
            const size_t tuple = groups->first_tuple ? groups->first_tuple[g] : g;
            codes[g] = kan_key_field_value(fields[a], set->keys + tuple * set->layout.n_words);
            most = codes[g] > most ? codes[g] : most;
        }
        l->n_codes[a] = most + 1;
    }
    return KAN_OK;
}

/* ---- parts ---------------------------------------------------------------------------------- */

static uint64_t mix(uint64_t key) {
    key = (key ^ (key >> 32)) * UINT64_C(0x9e3779b97f4a7c15);
    return key ^ (key >> 29);
}

/* Numbers the different keys by a table of all that could be. */
static kan_status number_by_table(leaving *l, const uint32_t *above, unsigned attribute,
                                  size_t n_keys, uint32_t *parts, uint32_t *n_parts) {
    kan_rare_sets *rare = l->rare;
    const uint32_t *codes = rare->codes + attribute * l->groups->n_groups;
    const uint64_t n_codes = l->n_codes[attribute];
    KAN_TRY(kan_reserve(rare->problem->run, n_keys, sizeof *rare->part_of, &rare->part_of_room,
                        &rare->part_of));
    memset(rare->part_of, 0xff, n_keys * sizeof *rare->part_of);
    *n_parts = 0;
    for (size_t g = 0; g < l->groups->n_groups; g++) {
        uint32_t *part = &rare->part_of[(above ? above[g] * n_codes : 0) + codes[g]];
        *part = *part == UINT32_MAX ? (*n_parts)++ : *part;
        parts[g] = *part;
    }
    return KAN_OK;
}

/* The same by open addressing. */
static kan_status number_by_slots(leaving *l, const uint32_t *above, unsigned attribute,
                                  uint32_t *parts, uint32_t *n_parts) {
    kan_rare_sets *rare = l->rare;
    const uint32_t *codes = rare->codes + attribute * l->groups->n_groups;
    const uint64_t n_codes = l->n_codes[attribute];
    size_t n_slots = 16;
    while (n_slots < 2 * l->groups->n_groups)
        n_slots *= 2;
    KAN_TRY(kan_reserve(rare->problem->run, n_slots, sizeof *rare->slots, &rare->slot_room,
                        &rare->slots));
    memset(rare->slots, 0xff, n_slots * sizeof *rare->slots);
    *n_parts = 0;
    for (size_t g = 0; g < l->groups->n_groups; g++) {
        const uint64_t key = (above ? above[g] * n_codes : 0) + codes[g];
        size_t at = (size_t)mix(key) & (n_slots - 1);
        while (rare->slots[at].part != UINT32_MAX && rare->slots[at].key != key)
            at = (at + 1) & (n_slots - 1);
        if (rare->slots[at].part == UINT32_MAX)
            rare->slots[at] = (struct kan_rare_slot){.key = key, .part = (*n_parts)++};
        parts[g] = rare->slots[at].part;
    }
    return KAN_OK;
}

/* The parts of the set with one attribute more. */
static kan_status number(leaving *l, const uint32_t *above, uint32_t n_above, unsigned attribute,
                         uint32_t *parts, uint32_t *n_parts) {
    const uint64_t n_keys = (uint64_t)n_above * l->n_codes[attribute];
    return n_keys <= (uint64_t)FEW_PARTS * (l->groups->n_groups + 64)
               ? number_by_table(l, above, attribute, (size_t)n_keys, parts, n_parts)
               : number_by_slots(l, above, attribute, parts, n_parts);
}

/* ---- rounds --------------------------------------------------------------------------------- */

/* Groups in a part of fewer than k rows leave. */
static kan_status leave(leaving *l, const uint32_t *parts, uint32_t n_parts, uint64_t k) {
    kan_rare_sets *rare = l->rare;
    const uint64_t *count = l->groups->count;
    KAN_TRY(
        kan_reserve(rare->problem->run, n_parts, sizeof *rare->rows, &rare->row_room, &rare->rows));
    memset(rare->rows, 0, n_parts * sizeof *rare->rows);
    for (size_t g = 0; g < l->groups->n_groups; g++)
        rare->rows[parts[g]] += l->is_released[g] ? count[g] : 0;
    for (size_t g = 0; g < l->groups->n_groups; g++) {
        const bool leaves = l->is_released[g] && rare->rows[parts[g]] < k;
        l->n_left += leaves ? count[g] : 0;
        l->has_left |= leaves;
        l->is_released[g] &= !leaves;
    }
    return kan_check_cancel(rare->problem->run);
}

/* All sets that begin with those of `depth` attributes whose parts are given, and go on with `first` or
 * a later one. */
static kan_status visit(leaving *l, unsigned depth, unsigned first, const uint32_t *above,
                        uint32_t n_above) {
    const size_t n_groups = l->groups->n_groups;
    uint32_t *parts = l->rare->parts + depth * n_groups, n_parts;
    for (unsigned a = first; a < l->n && l->n_left <= l->enough; a++) {
        KAN_TRY(number(l, above, n_above, a, parts, &n_parts));
        if (l->k[depth + 1] > 0)
            KAN_TRY(leave(l, parts, n_parts, l->k[depth + 1]));
        if (depth + 1 < l->most)
            KAN_TRY(visit(l, depth + 1, a + 1, parts, n_parts));
    }
    return KAN_OK;
}

kan_status kan_rare_sets_leave(kan_rare_sets *rare, const kan_column_sets *subsets,
                               const kan_freqset *set, const kan_groups *groups, uint64_t enough,
                               uint8_t *is_released) {
    leaving l = {.rare = rare, .groups = groups, .enough = enough, .is_released = is_released};
    KAN_ASSERT(kan_groups_is_fresh(groups));
    KAN_TRY(take_codes(&l, set));
    find_sizes(subsets, &l);
    for (size_t g = 0; g < groups->n_groups; g++)
        l.n_left += is_released[g] ? 0 : groups->count[g];
    if (l.most == 0) /* one row is enough in every set, and is always there */
        return KAN_OK;
    KAN_TRY(kan_reserve(rare->problem->run, groups->n_groups * l.most + 1, sizeof *rare->parts,
                        &rare->part_room, &rare->parts));
    do {
        l.has_left = false;
        KAN_TRY(visit(&l, 0, 0, NULL, 1));
    } while (l.has_left && l.n_left <= enough);
    return KAN_OK;
}
