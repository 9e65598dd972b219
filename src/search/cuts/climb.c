/* Climbing: see climb.h.
 *
 * Starting near the best so far: the cuts of one attribute are drawn anew, which gets it out of
 * minima that need another attribute to be cut instead; or a few choices are changed, some by
 * moving a cut to a place nearby, which no single step can do. The climb from there ends in the
 * same minimum, in a worse one, which is forgotten, or in a better one. A task is a short chain of
 * such climbs.
 *
 * Recutting gets a climb further: where no single step helps, the best cuts of a whole attribute
 * may, and then those of another one. */
#include "search/cuts/climb.h"

#include <string.h>

#include "core/pool.h"
#include "search/cuts/cut_recut.h"

enum {
    FIRST_TASKS = 4, /* climbs before those that begin near the best */
    TASKS = 8,       /* climbs, or chains of them, between two looks at what the others found */
    CHAIN = 4,       /* climbs of a chain */
    EARLY = 32,      /* climbs, when recutting: chains of one, that what they find is known soon */
    MANY_CUTS = 128, /* more are not drawn, on average: a climb would take ages to remove them */
    OFTEN = 3, /* times out of 4, an attribute is changed before a climb; else a few choices, */
    MOST_CHANGES = 6 /* up to so many */
};

/* ---- one climb ------------------------------------------------------------------------------ */

bool kan_climb_is_over(const kan_climb_watch *watch) {
    return kan_should_stop(watch->run) || (watch->until_ms > 0 && kan_now_ms() > watch->until_ms);
}

/* One phase: always the step that improves most, until none does. */
static void climb_phase(kan_cut_state *state, kan_climb_watch *watch, const bool adds) {
    const unsigned n = state->space->n_choices;
    while (!kan_climb_is_over(watch)) {
        kan_cut_score best = kan_cut_state_score(state);
        unsigned chosen = n;
        if (!adds)
            kan_cut_state_refresh(state);
        for (unsigned c = 0; c < n; c++) {
            if (adds ? !kan_cut_state_can_add(state, c) : !kan_cut_state_can_remove(state, c))
                continue;
            kan_cut_state_look_at(state, c);
            const kan_cut_score score =
                adds ? kan_cut_state_after_add(state, c) : kan_cut_state_after_remove(state, c);
            watch->n_states++;
            if (score < best) {
                best = score;
                chosen = c;
            }
        }
        if (chosen == n)
            return;
        if (adds)
            kan_cut_state_add(state, chosen);
        else
            kan_cut_state_remove(state, chosen);
    }
}

void kan_climb_add(kan_cut_state *state, kan_climb_watch *watch) {
    climb_phase(state, watch, true);
}

void kan_climb_down(kan_cut_state *state, kan_climb_watch *watch) {
    kan_cut_score before;
    do {
        before = kan_cut_state_score(state);
        climb_phase(state, watch, false);
        climb_phase(state, watch, true);
    } while (kan_cut_state_score(state) < before && !kan_climb_is_over(watch));
}

/* ---- where climbs begin --------------------------------------------------------------------- */

void kan_climb_close(const kan_cut_space *space, uint8_t *is_made) {
    for (unsigned c = 0; c < space->n_choices; c++)
        is_made[c] |= kan_cut_is_forced(space, c);
    for (bool is_closed = false; !is_closed;) {
        is_closed = true;
        for (unsigned c = 0; c < space->n_choices; c++)
            if (is_made[c] && space->choices[c].parent >= 0 && !is_made[space->choices[c].parent]) {
                is_made[c] = 0;
                is_closed = false;
            }
    }
}

void kan_climb_draw(const kan_cut_space *space, uint64_t odds, uint64_t of, uint64_t *random,
                    uint8_t *is_made) {
    for (unsigned c = 0; c < space->n_choices; c++)
        is_made[c] = kan_random_below(random, of) < odds;
    kan_climb_close(space, is_made);
}

void kan_climb_draw_any(const kan_cut_space *space, uint64_t of, uint64_t *random,
                        uint8_t *is_made) {
    const uint64_t many = space->n_choices / MANY_CUTS;
    kan_climb_draw(space, 1, many > of ? many : of, random, is_made);
}

/* Moves the cut to a place nearby of the same attribute, where there is none yet. */
static void move_cut(kan_cut_state *state, unsigned choice, uint64_t *random) {
    const kan_cut_space *space = state->space;
    const unsigned by = 1 + (unsigned)kan_random_below(random, 3);
    const bool is_up = kan_random(random) & 1;
    const unsigned to = is_up ? choice + by : choice - by;
    kan_cut_state_remove(state, choice);
    if (to < space->n_choices && space->choices[to].attribute == space->choices[choice].attribute &&
        kan_cut_state_can_add(state, to))
        kan_cut_state_add(state, to);
}

/* Draws the cuts of an attribute anew, few or many; of another one too in a third of the cases. */
static void change_attributes(kan_cut_state *state, uint64_t *random, uint8_t *is_made) {
    const kan_cut_space *space = state->space;
    const uint64_t many = space->n_choices / (MANY_CUTS / 4), of = many > 8 ? many : 8;
    memcpy(is_made, state->is_made, space->n_choices);
    do {
        const unsigned a = space->choices[kan_random_below(random, space->n_choices)].attribute;
        const uint64_t odds = kan_random_below(random, 5); /* up to half */
        for (unsigned c = 0; c < space->n_choices; c++)
            if (space->choices[c].attribute == a)
                is_made[c] = kan_random_below(random, of) < odds;
    } while (kan_random_below(random, 3) == 0);
    kan_climb_close(space, is_made);
    kan_cut_state_go_to(state, is_made);
}

static void change_a_few(kan_cut_state *state, uint64_t *random) {
    const unsigned n = state->space->n_choices;
    for (uint64_t i = 1 + kan_random_below(random, MOST_CHANGES); i-- > 0;) {
        const unsigned choice = (unsigned)kan_random_below(random, n);
        const bool moves = kan_random(random) & 1;
        if (kan_cut_state_can_remove(state, choice) && moves)
            move_cut(state, choice, random);
        else if (kan_cut_state_can_remove(state, choice))
            kan_cut_state_remove(state, choice);
        else if (kan_cut_state_can_add(state, choice))
            kan_cut_state_add(state, choice);
    }
}

/* ---- many climbs ---------------------------------------------------------------------------- */

/* What one task found. */
typedef struct {
    kan_cut_score score;
    uint64_t n_states;
    bool is_done;
    uint8_t *is_made;
} finding;

typedef struct {
    kan_cut_state *state;
    uint8_t *start;             /* scratch */
    kan_cut_recutter *recutter; /* or NULL */
} climber;

typedef struct {
    const kan_climb_plan *plan;
    const kan_cut_record *record;
    climber *climbers; /* by worker */
    finding findings[TASKS];
    kan_climb_tally *tally;
    uint64_t n_chain; /* climbs of a task */
} expedition;

/* No single attribute can be cut better afterwards. */
static void recut(climber *by, const kan_climb_watch *watch) {
    const kan_cut_space *space = by->state->space;
    const unsigned n = space->n_attributes;
    unsigned n_useless = 0;
    for (unsigned a = 0; n_useless < n && !kan_climb_is_over(watch); a = (a + 1) % n) {
        const bool helps =
            kan_cut_is_by_place(space, a) && kan_cut_recut(by->recutter, by->state, a);
        n_useless = helps ? 1 : n_useless + 1;
    }
}

static void keep(finding *found, const kan_cut_state *state) {
    const kan_cut_score score = kan_cut_state_score(state);
    if (found->is_done && score >= found->score)
        return;
    found->is_done = true;
    found->score = score;
    memcpy(found->is_made, state->is_made, state->space->n_choices * sizeof *state->is_made);
}

/* A climb from where the state is; others follow from near where it ended. */
static void climb_chain(climber *by, uint64_t n_climbs, bool recuts, uint64_t *random,
                        kan_climb_watch *watch, finding *found) {
    kan_cut_state *state = by->state;
    for (uint64_t i = 0; i < n_climbs; i++) {
        if (i > 0 && kan_random_below(random, 4) < OFTEN)
            change_attributes(state, random, by->start);
        else if (i > 0)
            change_a_few(state, random);
        kan_climb_down(state, watch);
        if (recuts && kan_cut_score_is_allowed(kan_cut_state_score(state)))
            recut(by, watch);
        const bool is_worse = found->is_done && kan_cut_state_score(state) > found->score;
        keep(found, state);
        if (kan_climb_is_over(watch))
            return;
        if (is_worse)
            kan_cut_state_go_to(state, found->is_made);
    }
}

static bool is_first(const expedition *all) {
    return all->tally->n_climbs == 0;
}

static bool is_early(const expedition *all) {
    return all->plan->recuts && all->tally->n_climbs < EARLY;
}

/* Where the chain of a task begins: near the best, or anywhere, or at the best itself. */
static void begin_chain(climber *by, const expedition *all, size_t task, uint64_t *random) {
    kan_cut_state *state = by->state;
    /* After the first climbs, which are not recut, the best of them is. */
    const bool is_recut = all->plan->recuts && all->tally->n_climbs == FIRST_TASKS && task == 0;
    if (!all->plan->from_the_best || (is_first(all) && task > 0) ||
        (!is_early(all) && task == TASKS - 1)) {
        /* Every set with equal odds; where it is only to be improved upon, one with fewer cuts,
         * from which it is a shorter way. */
        kan_climb_draw_any(state->space, all->plan->from_the_best ? 4 : 2, random, by->start);
        kan_cut_state_set(state, by->start);
        return;
    }
    kan_cut_state_go_to(state, all->record->is_made);
    if (is_first(all) || is_recut)
        return;
    if (kan_random_below(random, 4) < OFTEN)
        change_attributes(state, random, by->start);
    else
        change_a_few(state, random);
}

static kan_status prepare(const expedition *all, climber *by) {
    const kan_cut_space *space = all->record->space;
    if (by->state)
        return KAN_OK;
    KAN_TRY(kan_alloc(space->run, space->n_choices, 1, &by->start));
    if (all->plan->recuts)
        KAN_TRY(kan_cut_recutter_create(space, &by->recutter));
    return kan_cut_state_create(space, &by->state);
}

static kan_status climb_task(void *context, size_t task, unsigned worker) {
    expedition *all = context;
    climber *by = &all->climbers[worker];
    kan_climb_watch watch = {.run = all->record->space->run, .until_ms = all->plan->until_ms};
    finding *found = &all->findings[task];
    const uint64_t number = all->tally->n_climbs + task * all->n_chain;
    uint64_t random = kan_hash_word(all->plan->seed) ^ kan_hash_word(~number);
    if (kan_climb_is_over(&watch))
        return KAN_OK;
    KAN_TRY(prepare(all, by));
    begin_chain(by, all, task, &random);
    climb_chain(by, all->n_chain, all->plan->recuts && !is_first(all), &random, &watch, found);
    found->n_states = watch.n_states;
    return KAN_OK;
}

static kan_status take_findings(expedition *all, size_t n_tasks, kan_cut_record *record) {
    for (size_t task = 0; task < n_tasks; task++) {
        finding *found = &all->findings[task];
        record->n_states += record->counts_nodes ? 0 : found->n_states;
        if (found->is_done && kan_cut_score_is_allowed(found->score))
            KAN_TRY(kan_cut_record_offer(record, found->is_made, (uint64_t)found->score));
        found->is_done = false;
        found->n_states = 0;
    }
    kan_cut_record_report(record);
    return KAN_OK;
}

static kan_status climb_batches(expedition *all, kan_cut_record *record) {
    kan_run *run = record->space->run;
    const kan_climb_plan *plan = all->plan;
    kan_climb_tally *tally = all->tally;
    const kan_climb_watch watch = {.run = run, .until_ms = plan->until_ms};
    uint64_t left = plan->n_climbs ? plan->n_climbs : UINT64_MAX;
    while (left > 0 && !kan_climb_is_over(&watch)) {
        /* The first climb near the best goes down from it, a few begin anywhere; all others begin
         * where the best of these ended. */
        const bool are_first = plan->from_the_best && is_first(all);
        const bool are_single = !plan->from_the_best || are_first || is_early(all);
        all->n_chain = are_single ? 1 : left < CHAIN ? left : CHAIN;
        const uint64_t most = left / all->n_chain, wanted = are_first ? FIRST_TASKS : TASKS;
        const size_t n_tasks = (size_t)(most < wanted ? most : wanted);
        kan_status status = kan_parallel(run, n_tasks, climb_task, all);
        if (status != KAN_OK && !kan_should_stop(run))
            return status;
        const uint64_t before = record->is_found ? record->cost : UINT64_MAX;
        KAN_TRY(take_findings(all, n_tasks, record));
        tally->n_climbs += n_tasks * all->n_chain;
        if (record->is_found && record->cost < before)
            tally->n_at_best = tally->n_climbs;
        if (plan->patience && kan_climb_is_tired(tally, plan->patience))
            return KAN_OK;
        left -= plan->n_climbs ? n_tasks * all->n_chain : 0;
    }
    return KAN_OK;
}

static kan_status climb_all(expedition *all, kan_cut_record *record) {
    kan_run *run = record->space->run;
    const unsigned n_workers = kan_run_threads(run);
    for (unsigned i = 0; i < TASKS; i++)
        KAN_TRY(kan_alloc(run, record->space->n_choices, 1, &all->findings[i].is_made));
    KAN_TRY(kan_alloc_zero(run, n_workers, sizeof *all->climbers, &all->climbers));
    return climb_batches(all, record);
}

bool kan_climb_is_tired(const kan_climb_tally *tally, uint64_t patience) {
    return tally->n_climbs > 2 * tally->n_at_best + patience;
}

kan_status kan_climb(const kan_climb_plan *plan, kan_climb_tally *tally, kan_cut_record *record) {
    kan_run *run = record->space->run;
    const unsigned n_workers = kan_run_threads(run);
    expedition all = {.plan = plan, .record = record, .tally = tally};
    if (record->space->n_choices == 0)
        return KAN_OK; /* the empty set is all there is */
    kan_status status = climb_all(&all, record);
    for (unsigned i = 0; i < n_workers && all.climbers; i++) {
        kan_cut_state_destroy(all.climbers[i].state);
        kan_cut_recutter_destroy(all.climbers[i].recutter);
        kan_free(run, all.climbers[i].start);
    }
    for (unsigned i = 0; i < TASKS; i++)
        kan_free(run, all.findings[i].is_made);
    kan_free(run, all.climbers);
    return status;
}
