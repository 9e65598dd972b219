/* Generalizing step by step: the rows that are left go up one level of one attribute at a time, of
 * the attribute whose values have the greatest entropy (alpha-k.txt 4.1). Grouping takes one hash
 * look-up per tuple, and a step one look-up. */
#include <math.h>

#include "core/pool.h"
#include "search/local/local_inside.h"

enum { TASK_TUPLES = 1 << 14 };

static uint64_t hash_node(unsigned a, uint32_t node) {
    return kan_mix(node + UINT64_C(0x9e3779b97f4a7c15),
                   UINT64_C(0xd6e8feb86659fd93) + 2 * (uint64_t)a);
}

static kan_status hash_task(void *context, size_t task, unsigned worker) {
    kan_local_chain *chain = context;
    const unsigned n = chain->space->n_attributes;
    const size_t first = task * TASK_TUPLES, all = chain->space->n_tuples;
    const size_t end = all - first < TASK_TUPLES ? all : first + TASK_TUPLES;
    (void)worker;
    for (size_t t = first; t < end; t++) {
        chain->key[t] = 0;
        for (unsigned a = 0; a < n; a++)
            chain->key[t] += hash_node(a, chain->node[t * n + a]);
    }
    return KAN_OK;
}

static kan_status make(kan_local_chain *chain, const uint64_t *rows) {
    const kan_local_space *space = chain->space;
    kan_run *run = space->run;
    const size_t n = space->n_tuples;
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
        KAN_TRY(kan_alloc(run, space->attributes[a].n_nodes, sizeof *chain->counts[a],
                          &chain->counts[a]));
    memcpy(chain->left, rows, n * sizeof *rows);
    memcpy(chain->node, space->leaf, n * space->n_attributes * sizeof *chain->node);
    for (size_t t = 0; t < n; t++)
        if (rows[t] > 0)
            chain->tuple[chain->n++] = (uint32_t)t;
    return kan_parallel(run, (n + TASK_TUPLES - 1) / TASK_TUPLES, hash_task, chain);
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
    for (unsigned a = 0; a < chain->space->n_attributes; a++)
        kan_free(run, chain->counts[a]);
}

/* ---- groups --------------------------------------------------------------------------------- */

/* Numbers the groups in the order of their first tuple: group[i] is that of tuple[i], and
 * start[g + 2] its size. */
static void number_groups(kan_local_chain *chain, uint32_t *group) {
    enum { AHEAD = 12 };
    const size_t mask = chain->n_slots - 1;
    memset(chain->slots, 0, chain->n_slots * sizeof *chain->slots);
    chain->n_groups = 0;
    chain->start[0] = chain->start[1] = 0;
    for (size_t i = 0; i < chain->n; i++) {
        const uint64_t key = chain->key[chain->tuple[i]];
        size_t at = (size_t)kan_hash_word(key) & mask;
        if (i + AHEAD < chain->n)
            __builtin_prefetch(
                &chain->slots[(size_t)kan_hash_word(chain->key[chain->tuple[i + AHEAD]]) & mask]);
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

kan_status kan_local_chain_passes(const kan_local_chain *chain, size_t group,
                                  kan_local_tally *tally, kan_kind_rows *counted, bool *out) {
    const kan_local_space *space = chain->space;
    const bool is_soon = space->question->promise->people_decide; /* enough is enough */
    const size_t first = chain->start[group], end = chain->start[group + 1];
    *out = false;
    kan_local_tally_clear(space, tally);
    kan_kind_rows_clear(counted);
    for (size_t i = first; i < end && !*out; i++) {
        const uint32_t t = chain->grouped[i];
        if (is_soon) {
            KAN_TRY(kan_local_tally_add(space, tally, t, chain->left[t]));
            *out = kan_local_tally_passes(space, tally);
        } else {
            kan_kind_rows_add(counted, space->kind[t], chain->left[t]);
        }
    }
    if (is_soon)
        return KAN_OK;
    KAN_TRY(kan_local_tally_add_kinds(space, tally, counted));
    *out = kan_local_tally_passes(space, tally);
    return KAN_OK;
}

/* ---- steps ---------------------------------------------------------------------------------- */

static bool is_at_top(const kan_local_chain *chain, unsigned a) {
    return chain->level[a] == chain->space->attributes[a].hierarchy->height;
}

/* The entropy of an attribute's values among the rows that are left, in bits. While no row leaves,
 * only that of the attribute that went up changes. */
static kan_status count_entropy(void *context, size_t a, unsigned worker) {
    kan_local_chain *chain = context;
    const kan_local_space *space = chain->space;
    uint64_t n_rows = 0, *counts = chain->counts[a]; /* by node */
    double sum = 0;
    (void)worker;
    if (chain->is_known[a] || is_at_top(chain, (unsigned)a))
        return KAN_OK;
    memset(counts, 0, space->attributes[a].n_nodes * sizeof *counts);
    for (size_t i = 0; i < chain->n; i++) {
        const uint32_t t = chain->tuple[i];
        counts[chain->node[(size_t)t * space->n_attributes + a]] += chain->left[t];
        n_rows += chain->left[t];
    }
    for (uint32_t node = 0; node < space->attributes[a].n_nodes; node++)
        if (counts[node] > 0)
            sum += (double)counts[node] * log2((double)counts[node]);
    chain->entropy[a] = n_rows > 0 ? log2((double)n_rows) - sum / (double)n_rows : 0;
    chain->is_known[a] = true;
    return KAN_OK;
}

/* Some tuples go up one level of the attribute. */
typedef struct {
    kan_local_chain *chain;
    unsigned a;
} lifting;

static kan_status lift_task(void *context, size_t task, unsigned worker) {
    const lifting *l = context;
    kan_local_chain *chain = l->chain;
    const unsigned n = chain->space->n_attributes;
    const uint32_t *up = chain->space->attributes[l->a].up;
    const size_t first = task * TASK_TUPLES;
    const size_t end = chain->n - first < TASK_TUPLES ? chain->n : first + TASK_TUPLES;
    (void)worker;
    for (size_t i = first; i < end; i++) {
        const uint32_t t = chain->tuple[i];
        uint32_t *node = &chain->node[(size_t)t * n + l->a];
        chain->key[t] += hash_node(l->a, up[*node]) - hash_node(l->a, *node);
        *node = up[*node];
    }
    return KAN_OK;
}

kan_status kan_local_chain_step(kan_local_chain *chain, bool *is_there) {
    const kan_local_space *space = chain->space;
    unsigned best = space->n_attributes;
    double greatest = 0;
    if (chain->has_changed)
        memset(chain->is_known, 0, sizeof chain->is_known);
    chain->has_changed = false;
    KAN_TRY(kan_parallel(space->run, space->n_attributes, count_entropy, chain));
    for (unsigned a = 0; a < space->n_attributes; a++) {
        if (is_at_top(chain, a))
            continue;
        const double entropy = chain->entropy[a];
        if (best == space->n_attributes || entropy > greatest + 1e-12) {
            best = a;
            greatest = entropy;
        }
    }
    *is_there = best < space->n_attributes;
    if (!*is_there)
        return KAN_OK;
    lifting l = {chain, best};
    chain->level[best]++;
    chain->is_known[best] = false;
    return kan_parallel(space->run, (chain->n + TASK_TUPLES - 1) / TASK_TUPLES, lift_task, &l);
}
