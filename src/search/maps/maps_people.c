/* The table of who is in which group: open addressing, a slot after the other; what stands behind
 * one that becomes free moves up, so that nothing marks where something was. At most half full. */
#include "search/maps/maps_inside.h"

/* ---- the table ------------------------------------------------------------------------------ */

static size_t slot_of(const kan_maps_heads *heads, uint32_t group, unsigned tail, uint32_t id) {
    uint64_t key = (uint64_t)group << 32 | id;
    key = (key ^ (uint64_t)tail * UINT64_C(0xc2b2ae3d27d4eb4f)) * UINT64_C(0x9e3779b97f4a7c15);
    return (size_t)((key ^ key >> 29) * UINT64_C(0xbf58476d1ce4e5b9) >> 20) & (heads->n_slots - 1);
}

/* Where it is, or the free slot where it belongs. */
static size_t find(const kan_maps_heads *heads, uint32_t group, unsigned tail, uint32_t id) {
    size_t at = slot_of(heads, group, tail, id);
    for (;; at = (at + 1) & (heads->n_slots - 1)) {
        const kan_maps_head *head = &heads->slots[at];
        if (head->n == 0 || (head->group == group && head->id == id && head->tail == tail))
            return at;
    }
}

kan_status kan_maps_heads_reserve(kan_run *run, kan_maps_heads *heads, size_t n) {
    kan_maps_heads grown = {.n = heads->n, .n_slots = heads->n_slots > 0 ? heads->n_slots : 64};
    if (2 * n <= heads->n_slots)
        return KAN_OK;
    while (grown.n_slots < 2 * n)
        grown.n_slots *= 2;
    KAN_TRY(kan_alloc_zero(run, grown.n_slots, sizeof *grown.slots, &grown.slots));
    for (size_t i = 0; i < heads->n_slots; i++) {
        const kan_maps_head *head = &heads->slots[i];
        if (head->n > 0)
            grown.slots[find(&grown, head->group, head->tail, head->id)] = *head;
    }
    kan_free(run, heads->slots);
    *heads = grown;
    return KAN_OK;
}

uint32_t kan_maps_heads_put(kan_maps_heads *heads, uint32_t group, unsigned tail, uint32_t id) {
    kan_maps_head *head = &heads->slots[find(heads, group, tail, id)];
    KAN_ASSERT(2 * heads->n < heads->n_slots);
    if (head->n == 0) {
        *head = (kan_maps_head){group, id, tail, 0};
        heads->n++;
    }
    return ++head->n;
}

kan_status kan_maps_heads_add(kan_run *run, kan_maps_heads *heads, uint32_t group, unsigned tail,
                              uint32_t id, bool *is_new) {
    KAN_TRY(kan_maps_heads_reserve(run, heads, heads->n + 1));
    *is_new = kan_maps_heads_put(heads, group, tail, id) == 1;
    return KAN_OK;
}

uint32_t kan_maps_heads_count(const kan_maps_heads *heads, uint32_t group, unsigned tail,
                              uint32_t id) {
    return heads->slots[find(heads, group, tail, id)].n;
}

/* What stands behind the free slot, and was sent there because that was taken, moves up. */
static void close_gap(kan_maps_heads *heads, size_t gap) {
    const size_t mask = heads->n_slots - 1;
    for (size_t at = (gap + 1) & mask; heads->slots[at].n > 0; at = (at + 1) & mask) {
        const kan_maps_head *head = &heads->slots[at];
        const size_t home = slot_of(heads, head->group, head->tail, head->id);
        if (((at - home) & mask) < ((at - gap) & mask))
            continue;
        heads->slots[gap] = *head;
        heads->slots[at].n = 0;
        gap = at;
    }
}

bool kan_maps_heads_remove(kan_maps_heads *heads, uint32_t group, unsigned tail, uint32_t id) {
    const size_t at = find(heads, group, tail, id);
    KAN_ASSERT(heads->slots[at].n > 0);
    if (--heads->slots[at].n > 0)
        return false;
    heads->n--;
    close_gap(heads, at);
    return true;
}

/* ---- who is left out ------------------------------------------------------------------------ */

void kan_maps_space_leave(kan_maps_space *space, const uint8_t *is_gone) {
    space->is_gone = is_gone;
    space->n_rows_gone = 0;
    for (size_t p = 0; p < space->n_points; p++) {
        space->rows[p] = 0;
        for (size_t t = space->first_tuple[p]; t < space->first_tuple[p + 1]; t++) {
            const uint64_t n = kan_problem_tuple_rows(space->question->problem, t);
            *(kan_maps_is_gone(space, t) ? &space->n_rows_gone : &space->rows[p]) += n;
        }
    }
}

/* Everybody with a history that is too rare leaves. */
static uint64_t leave_rare(const kan_maps_state *state, uint8_t *is_gone) {
    uint64_t n = 0;
    for (uint32_t p = 0; p < state->space->question->problem->n_people; p++)
        if (!is_gone[p] && kan_maps_histories_is_rare(&state->histories, p)) {
            is_gone[p] = 1;
            n++;
        }
    return n;
}

/* Everybody with a row in a group that fails leaves; how many do. */
static uint64_t leave(const kan_maps_state *state, uint8_t *is_gone) {
    const kan_maps_space *space = state->space;
    uint64_t n = 0;
    if (space->question->promise->histories)
        return leave_rare(state, is_gone);
    for (size_t p = 0; p < space->n_points; p++) {
        if (state->groups[state->group_of[p]].sum.n_released > 0)
            continue;
        for (size_t t = space->first_tuple[p]; t < space->first_tuple[p + 1]; t++) {
            uint8_t *gone = &is_gone[space->owners.person[t]];
            n += !*gone;
            *gone = 1;
        }
    }
    return n;
}

kan_status kan_maps_find_gone(kan_maps_space *space, const uint32_t *at, uint8_t *is_gone,
                              uint64_t *n_gone) {
    kan_status status = KAN_OK;
    *n_gone = 0;
    memset(is_gone, 0, (size_t)space->question->problem->n_people);
    for (uint64_t n = 1; n > 0 && status == KAN_OK;) {
        kan_maps_state state;
        kan_maps_space_leave(space, is_gone);
        status = kan_maps_state_make(space, at, KAN_MAPS_COUNT, &state);
        n = status == KAN_OK ? leave(&state, is_gone) : 0;
        *n_gone += n;
        kan_maps_state_destroy(&state);
    }
    return status;
}
