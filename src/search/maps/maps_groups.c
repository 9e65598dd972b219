/* The groups of a state by their vector of nodes: a hash table, and while somebody wants that, lists
 * by the node of one attribute. To find, make or give up a group takes constant time. */
#include "search/maps/maps_inside.h"

static uint64_t hash_of(const kan_maps_space *space, const uint32_t *nodes) {
    uint64_t hash = 0;
    for (unsigned a = 0; a < space->n_attributes; a++)
        hash ^= space->attributes[a].salt[nodes[a]];
    return hash;
}

static kan_status grow_buckets(kan_maps_state *state) {
    const size_t n = state->n_buckets > 0 ? 4 * state->n_buckets : 64;
    uint32_t *buckets;
    KAN_TRY(kan_alloc(state->space->run, n, sizeof *buckets, &buckets));
    for (size_t i = 0; i < n; i++)
        buckets[i] = KAN_MAPS_NONE;
    for (uint32_t g = 0; g < state->n_groups; g++) {
        kan_maps_group *group = &state->groups[g];
        if (!group->is_used)
            continue;
        group->next = buckets[group->hash & (n - 1)];
        buckets[group->hash & (n - 1)] = g;
    }
    kan_free(state->space->run, state->buckets);
    state->buckets = buckets;
    state->n_buckets = n;
    return KAN_OK;
}

/* A group that nobody uses; its tallies are empty. */
static kan_status take_group(kan_maps_state *state, uint32_t *out) {
    const kan_maps_space *space = state->space;
    const size_t n = state->n_groups + 1;
    if (state->free != KAN_MAPS_NONE) {
        *out = state->free;
        state->free = state->groups[*out].next;
        return KAN_OK;
    }
    KAN_TRY(kan_reserve(space->run, n, sizeof *state->groups, &state->group_room, &state->groups));
    KAN_TRY(kan_reserve(space->run, n * space->n_attributes, sizeof *state->nodes,
                        &state->node_room, &state->nodes));
    KAN_TRY(kan_reserve(space->run, n * space->n_tails, sizeof *state->tallies, &state->tally_room,
                        &state->tallies));
    KAN_TRY(kan_reserve(space->run, n, sizeof *state->shown, &state->shown_room, &state->shown));
    KAN_TRY(kan_reserve(space->run, n * space->n_classes, sizeof *state->classes,
                        &state->class_room, &state->classes));
    for (unsigned i = 0; i < space->n_tails; i++)
        state->tallies[(n - 1) * space->n_tails + i] = (kan_maps_tally){.n = 0};
    for (unsigned i = 0; i < space->n_classes; i++)
        state->classes[(n - 1) * space->n_classes + i] = 0;
    state->shown[n - 1] = 0;
    *out = (uint32_t)state->n_groups++;
    return KAN_OK;
}

kan_status kan_maps_add_fresh(kan_maps_state *state, uint32_t group) {
    KAN_TRY(kan_reserve(state->space->run, state->n_new + 1, sizeof *state->fresh, &state->new_room,
                        &state->fresh));
    state->fresh[state->n_new++] = group;
    return KAN_OK;
}

static kan_u128 loss_at(const kan_maps_space *space, const uint32_t *nodes) {
    kan_u128 loss = 0;
    for (unsigned a = 0; a < space->n_attributes; a++)
        loss += space->attributes[a].loss[nodes[a]];
    return loss;
}

static bool has_nodes(const kan_maps_state *state, uint32_t group, const uint32_t *nodes) {
    const uint32_t *own = kan_maps_nodes(state, group);
    for (unsigned a = 0; a < state->space->n_attributes; a++)
        if (own[a] != nodes[a])
            return false;
    return true;
}

/* KAN_MAPS_NONE: there is none. */
static uint32_t look_up(const kan_maps_state *state, const uint32_t *nodes, uint64_t hash) {
    if (state->n_buckets == 0)
        return KAN_MAPS_NONE;
    uint32_t g = state->buckets[hash & (state->n_buckets - 1)];
    while (g != KAN_MAPS_NONE && (state->groups[g].hash != hash || !has_nodes(state, g, nodes)))
        g = state->groups[g].next;
    return g;
}

uint32_t kan_maps_find(const kan_maps_state *state, const uint32_t *nodes) {
    const uint32_t g = look_up(state, nodes, hash_of(state->space, nodes));
    return g != KAN_MAPS_NONE && state->groups[g].n_points > 0 ? g : KAN_MAPS_NONE;
}

/* ---- groups by a node ------------------------------------------------------------------------ */

static void enlist(kan_maps_state *state, uint32_t g) {
    uint32_t *first = &state->lists[kan_maps_nodes(state, g)[state->listed]];
    state->groups[g].listed_next = *first;
    state->groups[g].listed_previous = KAN_MAPS_NONE;
    if (*first != KAN_MAPS_NONE)
        state->groups[*first].listed_previous = g;
    *first = g;
}

static void strike(kan_maps_state *state, uint32_t g) {
    const kan_maps_group *group = &state->groups[g];
    if (group->listed_next != KAN_MAPS_NONE)
        state->groups[group->listed_next].listed_previous = group->listed_previous;
    if (group->listed_previous != KAN_MAPS_NONE)
        state->groups[group->listed_previous].listed_next = group->listed_next;
    else
        state->lists[kan_maps_nodes(state, g)[state->listed]] = group->listed_next;
}

kan_status kan_maps_list(kan_maps_state *state, unsigned a) {
    const uint32_t n_nodes = state->space->attributes[a].n_nodes;
    KAN_ASSERT(!state->lists);
    KAN_TRY(kan_alloc(state->space->run, n_nodes, sizeof *state->lists, &state->lists));
    for (uint32_t node = 0; node < n_nodes; node++)
        state->lists[node] = KAN_MAPS_NONE;
    state->listed = a;
    for (uint32_t g = (uint32_t)state->n_groups; g-- > 0;)
        if (state->groups[g].is_used)
            enlist(state, g);
    return KAN_OK;
}

void kan_maps_unlist(kan_maps_state *state) {
    kan_free(state->space->run, state->lists);
    state->lists = NULL;
}

/* ---- coming and going ------------------------------------------------------------------------ */

static kan_status find_group(kan_maps_state *state, const uint32_t *nodes, uint64_t hash,
                             uint32_t *out) {
    const unsigned n = state->space->n_attributes;
    uint32_t vector[KAN_MAX_ATTRIBUTES], g = look_up(state, nodes, hash);
    *out = g;
    if (g != KAN_MAPS_NONE)
        return KAN_OK;
    memcpy(vector, nodes, n * sizeof *vector);
    if (state->n_used >= state->n_buckets)
        KAN_TRY(grow_buckets(state));
    KAN_TRY(take_group(state, &g));
    uint32_t *bucket = &state->buckets[hash & (state->n_buckets - 1)];
    state->groups[g] = (kan_maps_group){.next = *bucket,
                                        .head = KAN_MAPS_NONE,
                                        .is_used = true,
                                        .hash = hash,
                                        .loss = loss_at(state->space, vector)};
    memcpy(state->nodes + (size_t)g * n, vector, n * sizeof *vector);
    *bucket = g;
    if (state->lists)
        enlist(state, g);
    state->n_used++;
    *out = g;
    return kan_maps_add_fresh(state, g);
}

kan_status kan_maps_group_at(kan_maps_state *state, const uint32_t *nodes, uint32_t *out) {
    return find_group(state, nodes, hash_of(state->space, nodes), out);
}

void kan_maps_give_up(kan_maps_state *state, uint32_t g) {
    kan_maps_group *group = &state->groups[g];
    uint32_t *link = &state->buckets[group->hash & (state->n_buckets - 1)];
    while (*link != g)
        link = &state->groups[*link].next;
    *link = group->next;
    if (state->lists)
        strike(state, g);
    group->is_used = false;
    group->next = state->free;
    state->free = g;
    state->n_used--;
    state->stamp++;
}

kan_status kan_maps_beside(kan_maps_state *state, uint32_t g, unsigned a, uint32_t node,
                           uint32_t *out) {
    const kan_maps_group *group = &state->groups[g];
    const uint64_t *salt = state->space->attributes[a].salt;
    uint32_t nodes[KAN_MAX_ATTRIBUTES];
    if (group->stamp == state->stamp && group->beside_node == node &&
        group->beside_attribute == a) {
        *out = group->beside;
        return KAN_OK;
    }
    memcpy(nodes, kan_maps_nodes(state, g), state->space->n_attributes * sizeof *nodes);
    const uint64_t hash = group->hash ^ salt[nodes[a]] ^ salt[node];
    nodes[a] = node;
    KAN_TRY(find_group(state, nodes, hash, out));
    state->groups[g].stamp = state->stamp;
    state->groups[g].beside = *out;
    state->groups[g].beside_node = node;
    state->groups[g].beside_attribute = a;
    return KAN_OK;
}
