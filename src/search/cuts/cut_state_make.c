/* Making and freeing a cut state: see cut_state.h. All its memory is taken here. */
#include <string.h>

#include "search/cuts/cut_people.h"
#include "search/cuts/cut_state_groups.h"

static kan_status make_choice_room(kan_cut_state *state, size_t n) {
    kan_run *run = state->space->run;
    KAN_TRY(kan_alloc_zero(run, n, sizeof *state->is_made, &state->is_made));
    KAN_TRY(kan_alloc_zero(run, n, sizeof *state->n_wanted, &state->n_wanted));
    KAN_TRY(kan_alloc_zero(run, n, sizeof *state->add_cost, &state->add_cost));
    KAN_TRY(kan_alloc_zero(run, n, sizeof *state->add_lost, &state->add_lost));
    KAN_TRY(kan_alloc_zero(run, n, sizeof *state->remove_cost, &state->remove_cost));
    return kan_alloc_zero(run, n, sizeof *state->remove_lost, &state->remove_lost);
}

static kan_status make_slot_room(kan_run *run, kan_cut_groups *groups) {
    const size_t n = groups->n_slots + 1u, n_classes = groups->n_classes;
    KAN_TRY(kan_alloc(run, n, sizeof *groups->choice_of, &groups->choice_of));
    KAN_TRY(kan_alloc(run, n, sizeof *groups->before, &groups->before));
    KAN_TRY(kan_alloc(run, n, sizeof *groups->after, &groups->after));
    KAN_TRY(kan_alloc(run, n, sizeof *groups->salts, &groups->salts));
    KAN_TRY(kan_alloc(run, n, sizeof *groups->parts, &groups->parts));
    KAN_TRY(kan_alloc(run, n, sizeof *groups->part_of, &groups->part_of));
    KAN_TRY(kan_alloc(run, n, sizeof *groups->part_at, &groups->part_at));
    KAN_TRY(kan_alloc_zero(run, n, sizeof *groups->counts, &groups->counts));
    KAN_TRY(kan_alloc_zero(run, n, sizeof *groups->totals, &groups->totals));
    KAN_TRY(kan_alloc_zero(run, n * n_classes, sizeof *groups->counts, &groups->class_counts));
    KAN_TRY(kan_alloc_zero(run, n * n_classes, sizeof *groups->totals, &groups->class_totals));
    return kan_alloc_zero(run, 2 * n_classes, sizeof *groups->sums, &groups->sums);
}

static kan_status make_group_room(kan_run *run, kan_cut_groups *groups, size_t n) {
    size_t n_buckets = 16;
    while (n_buckets < 2 * n)
        n_buckets *= 2;
    groups->bucket_mask = n_buckets - 1;
    KAN_TRY(kan_alloc(run, n * groups->n_attributes, sizeof *groups->slots, &groups->slots));
    KAN_TRY(kan_alloc(run, n, sizeof *groups->next, &groups->next));
    KAN_TRY(kan_alloc(run, n * groups->n_attributes, sizeof *groups->at, &groups->at));
    KAN_TRY(kan_alloc(run, n, sizeof *groups->hash, &groups->hash));
    KAN_TRY(kan_alloc(run, n, sizeof *groups->rows, &groups->rows));
    KAN_TRY(kan_alloc(run, n * groups->n_classes, sizeof *groups->rows, &groups->class_rows));
    KAN_TRY(kan_alloc(run, n, sizeof *groups->first, &groups->first));
    KAN_TRY(kan_alloc(run, n, sizeof *groups->last, &groups->last));
    KAN_TRY(kan_alloc(run, n, sizeof *groups->chain, &groups->chain));
    KAN_TRY(kan_alloc(run, n, sizeof *groups->touched, &groups->touched));
    return kan_alloc(run, n_buckets, sizeof *groups->buckets, &groups->buckets);
}

/* What only choices of several places need. */
static kan_status make_node_room(const kan_cut_space *space, kan_cut_groups *groups) {
    kan_run *run = space->run;
    const size_t n = space->n_choices, n_classes = groups->n_classes, n_tuples = space->n_tuples;
    KAN_TRY(kan_alloc_zero(run, n, sizeof *groups->tallies, &groups->tallies));
    KAN_TRY(kan_alloc(run, n * n_classes, sizeof *groups->tally_classes, &groups->tally_classes));
    KAN_TRY(kan_alloc(run, n, sizeof *groups->tallied, &groups->tallied));
    KAN_TRY(kan_alloc(run, n_tuples, sizeof *groups->lines, &groups->lines));
    KAN_TRY(
        kan_alloc(run, n_tuples * n_classes, sizeof *groups->line_classes, &groups->line_classes));
    KAN_TRY(kan_alloc(run, groups->bucket_mask + 1, sizeof *groups->line_buckets,
                      &groups->line_buckets));
    memset(groups->line_buckets, 0xff, (groups->bucket_mask + 1) * sizeof *groups->line_buckets);
    return KAN_OK;
}

static void fill_slots(const kan_cut_space *space, kan_cut_groups *groups) {
    uint64_t random = 0x6b616e6f6e;
    for (unsigned a = 0; a < groups->n_attributes; a++) {
        for (uint32_t place = 0; place < space->n_places[a]; place++) {
            const uint32_t slot = groups->first_slot[a] + place;
            groups->choice_of[slot] = space->choice_at[a][place];
            groups->before[slot] = groups->after[slot] = groups->n_slots;
            groups->salts[slot] = kan_random(&random);
            groups->part_at[slot] = KAN_NO_GROUP;
        }
        for (size_t t = 0; t < space->n_tuples; t++)
            groups->slots[t * groups->n_attributes + a] =
                groups->first_slot[a] + space->places[a][t];
    }
}

static kan_status make_groups(kan_cut_state *state) {
    const kan_cut_space *space = state->space;
    KAN_TRY(kan_alloc_zero(space->run, 1, sizeof *state->groups, &state->groups));
    kan_cut_groups *groups = state->groups;
    groups->n_attributes = space->n_attributes;
    groups->n_classes = space->n_classes;
    for (unsigned a = 0; a < space->n_attributes; a++)
        groups->first_slot[a + 1] = groups->first_slot[a] + space->n_places[a];
    groups->n_slots = groups->first_slot[space->n_attributes];
    KAN_TRY(make_slot_room(space->run, groups));
    KAN_TRY(make_group_room(space->run, groups, space->n_tuples));
    if (space->recoding != KAN_RECODING_CUTS)
        KAN_TRY(make_node_room(space, groups));
    fill_slots(space, groups);
    return KAN_OK;
}

static kan_status make_counter(kan_cut_state *state) {
    const kan_cut_space *space = state->space;
    KAN_TRY(kan_alloc_zero(space->run, space->n_choices, sizeof *state->looked, &state->looked));
    return kan_cut_counter_create(space, &state->counter);
}

kan_status kan_cut_state_create(const kan_cut_space *space, kan_cut_state **out) {
    kan_status status;
    kan_cut_state *state;
    KAN_TRY(kan_alloc_zero(space->run, 1, sizeof *state, &state));
    state->space = space;
    KAN_TRY_DONE(make_choice_room(state, space->n_choices));
    KAN_TRY_DONE(space->people ? make_counter(state) : make_groups(state));
    kan_cut_state_set(state, space->is_forced);
    *out = state;
done:
    if (status != KAN_OK)
        kan_cut_state_destroy(state);
    return status;
}

static void free_groups(kan_run *run, kan_cut_groups *groups) {
    if (!groups)
        return;
    const void *const all[] = {
        groups->choice_of,     groups->before,       groups->after,   groups->salts,
        groups->slots,         groups->next,         groups->at,      groups->hash,
        groups->rows,          groups->class_rows,   groups->first,   groups->last,
        groups->chain,         groups->buckets,      groups->touched, groups->parts,
        groups->part_of,       groups->part_at,      groups->counts,  groups->class_counts,
        groups->totals,        groups->class_totals, groups->sums,    groups->tallies,
        groups->tally_classes, groups->tallied,      groups->lines,   groups->line_classes,
        groups->line_buckets};
    for (size_t i = 0; i < sizeof all / sizeof *all; i++)
        kan_free(run, all[i]);
    kan_free(run, groups);
}

void kan_cut_state_destroy(kan_cut_state *state) {
    if (!state)
        return;
    kan_run *run = state->space->run;
    free_groups(run, state->groups);
    kan_cut_counter_destroy(state->counter);
    kan_free(run, state->looked);
    kan_free(run, state->is_made);
    kan_free(run, state->n_wanted);
    kan_free(run, state->add_cost);
    kan_free(run, state->add_lost);
    kan_free(run, state->remove_cost);
    kan_free(run, state->remove_lost);
    kan_free(run, state);
}
