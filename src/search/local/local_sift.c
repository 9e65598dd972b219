/* The groups of any node that have enough rows: the others are counted, and not listed.
 *
 * A tuple's key at a node is a sum of hashes, one look-up for each attribute; a second look-up finds
 * its group. So a node takes a few nanoseconds for each tuple that is left, and thousands of nodes
 * can be looked at. */
#include "search/local/local_inside.h"

static kan_status make(kan_local_sift *sift) {
    const kan_local_space *space = sift->space;
    kan_run *run = space->run;
    const size_t n = space->n_tuples;
    for (unsigned a = 0; a < space->n_attributes; a++) {
        const kan_local_attribute *attribute = &space->attributes[a];
        KAN_TRY(kan_alloc(run, attribute->n_nodes, sizeof *sift->hash[a], &sift->hash[a]));
        KAN_TRY(kan_alloc(run, attribute->first[1], sizeof *sift->at[a], &sift->at[a]));
        for (uint32_t node = 0; node < attribute->n_nodes; node++)
            sift->hash[a][node] = kan_mix(node + UINT64_C(0x9e3779b97f4a7c15),
                                          UINT64_C(0xd6e8feb86659fd93) + 2 * (uint64_t)a);
        sift->level[a] = UINT32_MAX;
    }
    for (sift->n_slots = 8; sift->n_slots < 2 * n;)
        sift->n_slots *= 2;
    KAN_TRY(kan_alloc(run, sift->n_slots, sizeof *sift->slots, &sift->slots));
    KAN_TRY(kan_alloc(run, n, sizeof *sift->slot_of, &sift->slot_of));
    return kan_alloc(run, n, sizeof *sift->grouped, &sift->grouped);
}

kan_status kan_local_sift_make(const kan_local_space *space, kan_local_sift *out) {
    memset(out, 0, sizeof *out);
    out->space = space;
    return make(out);
}

void kan_local_sift_destroy(kan_local_sift *sift) {
    kan_run *run = sift->space->run;
    for (unsigned a = 0; a < sift->space->n_attributes; a++) {
        kan_free(run, sift->hash[a]);
        kan_free(run, sift->at[a]);
    }
    kan_free(run, sift->slots);
    kan_free(run, sift->slot_of);
    kan_free(run, sift->grouped);
}

/* The hashes of leaves at other levels. */
static void move_to(kan_local_sift *sift, const uint8_t *levels) {
    for (unsigned a = 0; a < sift->space->n_attributes; a++) {
        const kan_local_attribute *attribute = &sift->space->attributes[a];
        const uint32_t *from_leaf = attribute->hierarchy->levels[levels[a]].from_leaf;
        const uint64_t *hash = sift->hash[a] + attribute->first[levels[a]];
        if (levels[a] == sift->level[a])
            continue;
        sift->level[a] = levels[a];
        for (uint32_t leaf = 0; leaf < attribute->first[1]; leaf++)
            sift->at[a][leaf] = hash[from_leaf[leaf]];
    }
}

static uint64_t key_of(const kan_local_sift *sift, uint32_t tuple) {
    const uint32_t *leaves = kan_local_leaves(sift->space, tuple);
    uint64_t key = 0;
    for (unsigned a = 0; a < sift->space->n_attributes; a++)
        key += sift->at[a][leaves[a]];
    return key;
}

/* Counts the rows of each group. */
static void count_groups(kan_local_sift *sift, const kan_local_chain *chain) {
    size_t n_slots = 8;
    while (n_slots < 2 * chain->n)
        n_slots *= 2;
    const size_t mask = n_slots - 1;
    memset(sift->slots, 0, n_slots * sizeof *sift->slots);
    for (size_t i = 0; i < chain->n; i++) {
        const uint64_t key = key_of(sift, chain->tuple[i]);
        size_t at = (size_t)(key >> 20) & mask;
        while (sift->slots[at].n_rows != 0 && sift->slots[at].key != key)
            at = (at + 1) & mask;
        sift->slots[at].key = key;
        sift->slots[at].n_rows += chain->left[chain->tuple[i]];
        sift->slot_of[i] = (uint32_t)at;
    }
}

void kan_local_sift_at(kan_local_sift *sift, kan_local_chain *chain, const uint8_t *levels,
                       uint64_t least) {
    size_t n = 0;
    for (size_t i = 0; chain->has_changed && i < chain->n; i++)
        if (chain->left[chain->tuple[i]] > 0)
            chain->tuple[n++] = chain->tuple[i];
    chain->n = chain->has_changed ? n : chain->n;
    chain->has_changed = false;
    move_to(sift, levels);
    count_groups(sift, chain);
    chain->n_groups = 0;
    chain->start[0] = chain->start[1] = 0;
    for (size_t i = 0; i < chain->n; i++) {
        struct kan_local_slot *slot = &sift->slots[sift->slot_of[i]];
        if (slot->n_rows < least)
            continue;
        if (slot->group == 0) {
            slot->group = (uint32_t)++chain->n_groups;
            chain->start[chain->n_groups + 1] = 0;
        }
        chain->start[slot->group + 1]++;
    }
    /* sizes become starts, shifted by one so that filling in puts them right */
    for (size_t g = 2; g <= chain->n_groups + 1; g++)
        chain->start[g] += chain->start[g - 1];
    for (size_t i = 0; chain->n_groups > 0 && i < chain->n; i++) {
        const struct kan_local_slot *slot = &sift->slots[sift->slot_of[i]];
        if (slot->n_rows >= least)
            sift->grouped[chain->start[slot->group]++] = chain->tuple[i];
    }
    chain->grouped = sift->grouped;
}
