/* Where points are placed: groups (maps_groups.c), each with a list of its points. To move a point takes constant time, and what its sensitive values take. What has
 * changed is counted when it is asked for, group by group; every move and every count is kept, so
 * that a trial can be taken back, in the time that it took. */
#include "search/maps/maps_inside.h"

/* ---- points --------------------------------------------------------------------------------- */

static kan_status attach(kan_maps_state *state, uint32_t point, uint32_t g) {
    kan_maps_group *group = &state->groups[g];
    state->next[point] = group->head;
    state->previous[point] = KAN_MAPS_NONE;
    if (group->head != KAN_MAPS_NONE)
        state->previous[group->head] = point;
    group->head = point;
    group->n_points++;
    group->n_rows += state->space->rows[point];
    state->group_of[point] = g;
    if (state->space->n_classes > 0)
        kan_maps_classes_add(state, g, point);
    return kan_maps_has_tallies(state->space) ? kan_maps_tally_add(state, g, point) : KAN_OK;
}

static void detach(kan_maps_state *state, uint32_t point) {
    const uint32_t g = state->group_of[point], next = state->next[point];
    kan_maps_group *group = &state->groups[g];
    if (state->previous[point] == KAN_MAPS_NONE)
        group->head = next;
    else
        state->next[state->previous[point]] = next;
    if (next != KAN_MAPS_NONE)
        state->previous[next] = state->previous[point];
    group->n_points--;
    group->n_rows -= state->space->rows[point];
    if (state->space->n_classes > 0)
        kan_maps_classes_remove(state, g, point);
    if (kan_maps_has_tallies(state->space))
        kan_maps_tally_remove(state, g, point);
}

static kan_status make_dirty(kan_maps_state *state, uint32_t g) {
    if (state->groups[g].is_dirty)
        return KAN_OK;
    KAN_TRY(kan_reserve(state->space->run, state->n_dirty + 1, sizeof *state->dirty,
                        &state->dirty_room, &state->dirty));
    state->groups[g].is_dirty = true;
    state->dirty[state->n_dirty++] = g;
    return KAN_OK;
}

/* A promise that has to be asked about sensitive values, or people, takes longer than the moves;
 * classes that are counted for the cost alone take as long. */
static uint64_t effort_of(const kan_maps_space *space, uint32_t point) {
    const size_t n_tuples = space->first_tuple[point + 1] - space->first_tuple[point];
    if (space->question->promise->needs_tallies)
        return 1 + 3 * n_tuples * space->n_tails;
    if (space->has_person)
        return 1 + 3 * n_tuples;
    return space->n_tails + space->n_classes > 0 ? 2 : 1;
}

static kan_status move_to(kan_maps_state *state, uint32_t point, uint32_t to) {
    const uint32_t from = state->group_of[point];
    if (to == from)
        return KAN_OK;
    KAN_TRY(make_dirty(state, from));
    KAN_TRY(make_dirty(state, to));
    KAN_TRY(kan_reserve(state->space->run, state->n_moves + 1, sizeof *state->moves,
                        &state->move_room, &state->moves));
    state->moves[state->n_moves++] = (struct kan_maps_move){point, from};
    state->effort += effort_of(state->space, point);
    detach(state, point);
    if (state->groups[from].n_points == 0)
        KAN_TRY(kan_maps_add_fresh(state, from));
    return attach(state, point, to);
}

kan_status kan_maps_move(kan_maps_state *state, uint32_t point, const uint32_t *nodes) {
    uint32_t to;
    KAN_TRY(kan_maps_group_at(state, nodes, &to));
    return move_to(state, point, to);
}

kan_status kan_maps_move_in(kan_maps_state *state, uint32_t point, unsigned a, uint32_t node) {
    uint32_t to;
    KAN_TRY(kan_maps_beside(state, state->group_of[point], a, node, &to));
    return move_to(state, point, to);
}

/* What the group counts is kept, once until everything is counted. */
static kan_status keep_counts(kan_maps_state *state, uint32_t g) {
    const size_t n = state->n_shifts + 1, n_classes = state->space->n_classes;
    kan_run *run = state->space->run;
    if (state->groups[g].is_dirty)
        return KAN_OK;
    KAN_TRY(kan_reserve(run, n, sizeof *state->shifts, &state->shift_room, &state->shifts));
    KAN_TRY(kan_reserve(run, n * n_classes, sizeof *state->shifted_classes, &state->shifted_room,
                        &state->shifted_classes));
    state->shifts[n - 1] = (struct kan_maps_shift){g, state->groups[g].n_rows};
    for (size_t i = 0; i < n_classes; i++)
        state->shifted_classes[(n - 1) * n_classes + i] = kan_maps_classes(state, g)[i];
    state->n_shifts = n;
    return make_dirty(state, g);
}

static void restore_counts(kan_maps_state *state) {
    const size_t n_classes = state->space->n_classes;
    while (state->n_shifts > 0) {
        const struct kan_maps_shift *shift = &state->shifts[--state->n_shifts];
        state->groups[shift->group].n_rows = shift->n_rows;
        for (size_t i = 0; i < n_classes; i++)
            kan_maps_classes(state, shift->group)[i] =
                state->shifted_classes[state->n_shifts * n_classes + i];
    }
}

kan_status kan_maps_try(kan_maps_state *state, uint32_t point, uint32_t from, uint32_t to) {
    const uint64_t n_rows = state->space->rows[point];
    if (from == to)
        return KAN_OK;
    if (kan_maps_has_tallies(state->space))
        return move_to(state, point, to);
    KAN_TRY(keep_counts(state, from));
    KAN_TRY(keep_counts(state, to));
    state->effort += effort_of(state->space, point);
    state->groups[from].n_rows -= n_rows;
    state->groups[to].n_rows += n_rows;
    if (state->space->n_classes > 0) {
        kan_maps_classes_remove(state, from, point);
        kan_maps_classes_add(state, to, point);
    }
    return KAN_OK;
}

kan_status kan_maps_try_in(kan_maps_state *state, uint32_t point, unsigned a, uint32_t node) {
    const uint32_t from = state->group_of[point];
    uint32_t to;
    KAN_TRY(kan_maps_beside(state, from, a, node, &to));
    return kan_maps_try(state, point, from, to);
}

/* ---- counting ------------------------------------------------------------------------------- */

static uint64_t majority_of(const kan_maps_state *state, uint32_t g) {
    const int tail = state->space->question->problem->class_tail;
    uint64_t most = 0;
    for (unsigned i = 0; i < state->space->n_classes; i++)
        most = kan_maps_classes(state, g)[i] > most ? kan_maps_classes(state, g)[i] : most;
    if (state->space->n_tails == 0)
        return most;
    const kan_maps_tally *tally = &kan_maps_tallies(state, g)[tail];
    for (size_t i = 0; i < tally->n; i++)
        most = tally->count[i] > most ? tally->count[i] : most;
    return most;
}

static kan_maps_sum sum_of_lost(const kan_maps_space *space, uint64_t n) {
    const kan_u128 loss = n * space->loss_lost;
    return (kan_maps_sum){.cost = space->cost == KAN_MAPS_SQUARES    ? (kan_u128)n * space->n_rows
                                  : space->cost == KAN_MAPS_MINORITY ? n
                                  : space->cost == KAN_MAPS_CELLS    ? loss
                                                                     : 0,
                          .loss = loss,
                          .n_lost = n};
}

static kan_maps_sum sum_of_released(const kan_maps_state *state, uint32_t g) {
    const kan_maps_space *space = state->space;
    const uint64_t n = state->groups[g].n_rows;
    /* what is released has at least so many rows in the end; a row that is not costs the table */
    const uint64_t least = state->mode == KAN_MAPS_BOUND ? space->question->promise->least_size : 0;
    const uint64_t size = n > least ? n : least < space->n_rows ? least : space->n_rows;
    kan_maps_sum sum = {.loss = n * state->groups[g].loss, .n_released = 1};
    sum.cost = space->cost == KAN_MAPS_SQUARES    ? (kan_u128)n * size
               : space->cost == KAN_MAPS_MINORITY ? n - majority_of(state, g)
               : space->cost == KAN_MAPS_CELLS    ? sum.loss
                                                  : 0;
    return sum;
}

static kan_maps_sum sum_of(const kan_maps_state *state, uint32_t g) {
    const uint64_t n = state->groups[g].n_rows;
    if (n == 0)
        return (kan_maps_sum){.cost = 0};
    const bool passes =
        state->mode == KAN_MAPS_BOUND ||
        (state->mode == KAN_MAPS_SIZES ? kan_maps_is_large(state, g) : kan_maps_passes(state, g));
    return passes ? sum_of_released(state, g) : sum_of_lost(state->space, n);
}

kan_status kan_maps_settle(kan_maps_state *state) {
    kan_maps_sum *total = &state->total;
    KAN_TRY(kan_reserve(state->space->run, state->n_counts + state->n_dirty, sizeof *state->counts,
                        &state->count_room, &state->counts));
    for (size_t i = 0; i < state->n_dirty; i++) {
        const uint32_t g = state->dirty[i];
        const kan_maps_sum old = state->groups[g].sum, new = sum_of(state, g);
        state->counts[state->n_counts++] = (struct kan_maps_count){g, old};
        state->groups[g].sum = new;
        state->shown[g] = new.n_released > 0 ? state->groups[g].n_rows : 0;
        state->groups[g].is_dirty = false;
        total->cost += new.cost - old.cost;
        total->loss += new.loss - old.loss;
        total->n_lost += new.n_lost - old.n_lost;
        total->n_released += new.n_released - old.n_released;
    }
    total->n_rare = state->histories.n_rare;
    state->n_dirty = 0;
    state->n_trials++;
    return KAN_OK;
}

static void drop_empty(kan_maps_state *state) {
    for (size_t i = 0; i < state->n_new; i++) {
        const uint32_t g = state->fresh[i];
        if (state->groups[g].is_used && state->groups[g].n_points == 0)
            kan_maps_give_up(state, g);
    }
    state->n_new = 0;
}

kan_status kan_maps_rollback(kan_maps_state *state, const kan_maps_mark *mark) {
    KAN_ASSERT(mark->n_moves <= state->n_moves && mark->n_counts <= state->n_counts);
    while (state->n_moves > mark->n_moves) {
        const struct kan_maps_move *move = &state->moves[--state->n_moves];
        detach(state, move->point);
        KAN_TRY(attach(state, move->point, move->from));
    }
    restore_counts(state);
    while (state->n_counts > mark->n_counts) {
        const struct kan_maps_count *count = &state->counts[--state->n_counts];
        kan_maps_group *group = &state->groups[count->group];
        group->sum = count->sum;
        state->shown[count->group] = group->sum.n_released > 0 ? group->n_rows : 0;
    }
    for (size_t i = 0; i < state->n_dirty; i++)
        state->groups[state->dirty[i]].is_dirty = false;
    state->n_dirty = 0;
    state->total = mark->total;
    if (state->n_moves == 0)
        drop_empty(state);
    return KAN_OK;
}

/* The points of a group: they say that they are there, have its rows together, and their values are below
 * its nodes. */
static bool points_are_sound(const kan_maps_state *state, uint32_t g, size_t *n_points) {
    const kan_maps_space *space = state->space;
    const kan_maps_group *group = &state->groups[g];
    uint32_t n = 0, before = KAN_MAPS_NONE;
    uint64_t n_rows = 0;
    for (uint32_t p = group->head; p != KAN_MAPS_NONE; p = state->next[p]) {
        if (n++ == group->n_points || state->group_of[p] != g || state->previous[p] != before)
            return false;
        before = p;
        n_rows += space->rows[p];
        for (unsigned a = 0; a < space->n_attributes; a++)
            if (!kan_maps_holds(&space->attributes[a], kan_maps_nodes(state, g)[a],
                                space->attributes[a].bottom[kan_maps_values(space, p)[a]]))
                return false;
    }
    *n_points += n;
    return n == group->n_points && n_rows == group->n_rows;
}

bool kan_maps_state_is_sound(const kan_maps_state *state) {
    kan_maps_sum total = {.cost = 0};
    size_t n_points = 0;
    for (uint32_t g = 0; g < state->n_groups; g++) {
        const kan_maps_sum *sum = &state->groups[g].sum;
        if (!state->groups[g].is_used)
            continue;
        if (!points_are_sound(state, g, &n_points) ||
            state->shown[g] != (sum->n_released > 0 ? state->groups[g].n_rows : 0))
            return false;
        total.cost += sum->cost;
        total.loss += sum->loss;
        total.n_lost += sum->n_lost;
        total.n_released += sum->n_released;
    }
    return n_points == state->space->n_points && total.cost == state->total.cost &&
           total.loss == state->total.loss && total.n_lost == state->total.n_lost &&
           total.n_released == state->total.n_released;
}

void kan_maps_commit(kan_maps_state *state) {
    KAN_ASSERT(state->n_dirty == 0 && state->n_shifts == 0);
    state->n_moves = state->n_counts = 0;
    drop_empty(state);
    KAN_ASSERT(kan_maps_state_is_sound(state));
}

kan_maps_worth kan_maps_worth_of(const kan_maps_space *space, const kan_maps_sum *total) {
    const kan_maps_sum gone = sum_of_lost(space, space->n_rows_gone);
    kan_maps_worth worth = {.cost = total->cost + gone.cost, .loss = total->loss + gone.loss};
    if (total->n_lost > space->limit)
        worth.excess = total->n_lost - space->limit;
    else
        worth.excess = total->n_released == 0;
    worth.excess += total->n_rare;
    /* rows per class are least where there are most classes; what is left out is one of them */
    if (space->cost == KAN_MAPS_CLASSES)
        worth.cost =
            space->n_points + 1 - total->n_released - (total->n_lost + space->n_rows_gone > 0);
    return worth;
}

/* ---- all of it ------------------------------------------------------------------------------ */

static kan_status make(kan_maps_state *state, const uint32_t *at) {
    const kan_maps_space *space = state->space;
    const size_t n = space->n_points;
    if (space->question->promise->histories && state->mode != KAN_MAPS_BOUND)
        KAN_TRY(kan_maps_histories_make(space->run, space->question->promise->k,
                                        space->question->problem->n_people, space->is_gone,
                                        &state->histories));
    KAN_TRY(kan_alloc(space->run, n, sizeof *state->group_of, &state->group_of));
    KAN_TRY(kan_alloc(space->run, n, sizeof *state->next, &state->next));
    KAN_TRY(kan_alloc(space->run, n, sizeof *state->previous, &state->previous));
    for (size_t p = 0; p < n; p++) {
        const uint32_t *nodes = at + p * space->n_attributes;
        uint32_t g;
        KAN_TRY(kan_maps_group_at(state, nodes, &g));
        KAN_TRY(make_dirty(state, g));
        KAN_TRY(attach(state, (uint32_t)p, g));
    }
    KAN_TRY(kan_maps_settle(state));
    kan_maps_commit(state);
    return KAN_OK;
}

kan_status kan_maps_state_make(const kan_maps_space *space, const uint32_t *at,
                               kan_maps_count_mode mode, kan_maps_state *out) {
    *out = (kan_maps_state){.space = space, .mode = mode, .free = KAN_MAPS_NONE, .stamp = 1};
    return make(out, at);
}

void kan_maps_state_destroy(kan_maps_state *state) {
    if (!state->space)
        return;
    kan_run *run = state->space->run;
    for (size_t i = 0; state->tallies && i < state->n_groups * state->space->n_tails; i++) {
        kan_free(run, state->tallies[i].value);
        kan_free(run, state->tallies[i].count);
    }
    kan_free(run, state->groups);
    kan_free(run, state->nodes);
    kan_free(run, state->tallies);
    kan_free(run, state->heads.slots);
    kan_maps_histories_destroy(run, &state->histories);
    kan_free(run, state->lists);
    kan_free(run, state->shown);
    kan_free(run, state->classes);
    kan_free(run, state->shifts);
    kan_free(run, state->shifted_classes);
    kan_free(run, state->buckets);
    kan_free(run, state->group_of);
    kan_free(run, state->next);
    kan_free(run, state->previous);
    kan_free(run, state->moves);
    kan_free(run, state->counts);
    kan_free(run, state->dirty);
    kan_free(run, state->fresh);
    *state = (kan_maps_state){.space = NULL};
}

void kan_maps_state_read(const kan_maps_state *state, uint32_t *at) {
    const unsigned n = state->space->n_attributes;
    for (size_t p = 0; p < state->space->n_points; p++)
        memcpy(at + p * n, kan_maps_place(state, p), n * sizeof *at);
}
