/* Generalizing step by step: the rows that are left go up one level of one attribute at a time, of
 * the attribute whose values have the greatest entropy (alpha-k.txt 4.1). Grouping takes one hash
 * look-up per tuple, and a step one look-up. */
#include <math.h>

#include "search/local/local_inside.h"

static uint64_t hash_node(unsigned a, uint32_t node) {
    return kan_mix(node + UINT64_C(0x9e3779b97f4a7c15),
                   UINT64_C(0xd6e8feb86659fd93) + 2 * (uint64_t)a);
}

static kan_status make(kan_local_chain *chain, const uint64_t *rows) {
    const kan_local_space *space = chain->space;
    kan_run *run = space->run;
    const size_t n = space->n_tuples;
    uint32_t most = 0;
    KAN_TRY(kan_alloc(run, n, sizeof *chain->tuple, &chain->tuple));
    KAN_TRY(kan_alloc(run, n, sizeof *chain->left, &chain->left));
    KAN_TRY(kan_alloc(run, n * space->n_attributes, sizeof *chain->node, &chain->node));
    KAN_TRY(kan_alloc(run, n, sizeof *chain->key, &chain->key));
    KAN_TRY(kan_alloc(run, n + 2, sizeof *chain->start, &chain->start));
    KAN_TRY(kan_alloc(run, 2 * n, sizeof *chain->scratch, &chain->scratch));
    for (chain->n_slots = 8; chain->n_slots < 2 * n;)
        chain->n_slots *= 2;
    KAN_TRY(kan_alloc(run, chain->n_slots, sizeof *chain->slots, &chain->slots));
    for (unsigned a = 0; a < space->n_attributes; a++)
        if (space->attributes[a].n_nodes > most)
            most = space->attributes[a].n_nodes;
    KAN_TRY(kan_alloc(run, most, sizeof *chain->counts, &chain->counts));
    memcpy(chain->left, rows, n * sizeof *rows);
    memcpy(chain->node, space->leaf, n * space->n_attributes * sizeof *chain->node);
    for (size_t t = 0; t < n; t++) {
        chain->key[t] = 0;
        for (unsigned a = 0; a < space->n_attributes; a++)
            chain->key[t] += hash_node(a, chain->node[t * space->n_attributes + a]);
        if (rows[t] > 0)
            chain->tuple[chain->n++] = (uint32_t)t;
    }
    return KAN_OK;
}

kan_status kan_local_chain_make(const kan_local_space *space, const uint64_t *rows,
                                kan_local_chain *out) {
    memset(out, 0, sizeof *out);
    out->space = space;
    return make(out, rows);
}

void kan_local_chain_destroy(kan_local_chain *chain) {
    kan_run *run = chain->space->run;
    kan_free(run, chain->tuple);
    kan_free(run, chain->left);
    kan_free(run, chain->node);
    kan_free(run, chain->key);
    kan_free(run, chain->start);
    kan_free(run, chain->scratch);
    kan_free(run, chain->slots);
    kan_free(run, chain->counts);
}

/* ---- groups --------------------------------------------------------------------------------- */

/* Numbers the groups in the order of their first tuple: group[i] is that of tuple[i], and
 * start[g + 2] its size. */
static void number_groups(kan_local_chain *chain, uint32_t *group) {
    const size_t mask = chain->n_slots - 1;
    memset(chain->slots, 0, chain->n_slots * sizeof *chain->slots);
    chain->n_groups = 0;
    chain->start[0] = chain->start[1] = 0;
    for (size_t i = 0; i < chain->n; i++) {
        const uint64_t key = chain->key[chain->tuple[i]];
        size_t at = (size_t)kan_hash_word(key) & mask;
        /* a slot holds the place + 1 of the first tuple of a group */
        while (chain->slots[at] != 0 && chain->key[chain->tuple[chain->slots[at] - 1]] != key)
            at = (at + 1) & mask;
        if (chain->slots[at] == 0) {
            chain->slots[at] = (uint32_t)i + 1;
            group[i] = (uint32_t)chain->n_groups++;
            chain->start[chain->n_groups + 1] = 0;
        } else {
            group[i] = group[chain->slots[at] - 1];
        }
        chain->start[group[i] + 2]++;
    }
}

void kan_local_chain_group(kan_local_chain *chain) {
    uint32_t *group = chain->scratch, *sorted = chain->scratch + chain->space->n_tuples;
    size_t n = 0;
    for (size_t i = 0; i < chain->n; i++)
        if (chain->left[chain->tuple[i]] > 0)
            chain->tuple[n++] = chain->tuple[i];
    chain->n = n;
    number_groups(chain, group);
    /* sizes become starts, shifted by one so that filling in puts them right */
    for (size_t g = 2; g <= chain->n_groups + 1; g++)
        chain->start[g] += chain->start[g - 1];
    for (size_t i = 0; i < chain->n; i++)
        sorted[chain->start[group[i] + 1]++] = chain->tuple[i];
    KAN_ASSERT(chain->start[0] == 0 && chain->start[chain->n_groups] == chain->n);
    memcpy(chain->tuple, sorted, chain->n * sizeof *sorted);
    chain->grouped = chain->tuple;
}

/* ---- steps ---------------------------------------------------------------------------------- */

/* The entropy of an attribute's values among the rows that are left, in bits. */
static double count_entropy(kan_local_chain *chain, unsigned a) {
    const kan_local_space *space = chain->space;
    uint64_t n_rows = 0;
    double sum = 0;
    memset(chain->counts, 0, space->attributes[a].n_nodes * sizeof *chain->counts);
    for (size_t i = 0; i < chain->n; i++) {
        const uint32_t t = chain->tuple[i];
        chain->counts[chain->node[(size_t)t * space->n_attributes + a]] += chain->left[t];
        n_rows += chain->left[t];
    }
    for (uint32_t node = 0; node < space->attributes[a].n_nodes; node++)
        if (chain->counts[node] > 0)
            sum += (double)chain->counts[node] * log2((double)chain->counts[node]);
    return n_rows > 0 ? log2((double)n_rows) - sum / (double)n_rows : 0;
}

/* While no row leaves, only that of the attribute that went up changes. */
static double entropy_of(kan_local_chain *chain, unsigned a) {
    if (!chain->is_known[a])
        chain->entropy[a] = count_entropy(chain, a);
    chain->is_known[a] = true;
    return chain->entropy[a];
}

bool kan_local_chain_step(kan_local_chain *chain) {
    const kan_local_space *space = chain->space;
    unsigned best = space->n_attributes;
    double greatest = 0;
    if (chain->has_changed)
        memset(chain->is_known, 0, sizeof chain->is_known);
    chain->has_changed = false;
    for (unsigned a = 0; a < space->n_attributes; a++) {
        if (chain->level[a] == space->attributes[a].hierarchy->height)
            continue;
        const double entropy = entropy_of(chain, a);
        if (best == space->n_attributes || entropy > greatest + 1e-12) {
            best = a;
            greatest = entropy;
        }
    }
    if (best == space->n_attributes)
        return false;
    const uint32_t *up = space->attributes[best].up;
    chain->level[best]++;
    chain->is_known[best] = false;
    for (size_t i = 0; i < chain->n; i++) {
        const uint32_t t = chain->tuple[i];
        uint32_t *node = &chain->node[(size_t)t * space->n_attributes + best];
        chain->key[t] += hash_node(best, up[*node]) - hash_node(best, *node);
        *node = up[*node];
    }
    return true;
}
