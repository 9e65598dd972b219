/* anneal: simulated annealing over sets of cuts (an idea that Winkler brought to k-anonymity;
 * a rival in k-optimize.txt 7.3).
 *
 * It begins in the minimum below a random set of cuts (search/cuts/climb.h). A choice is drawn, to
 * be added or removed. A change for the better is always taken, one for the worse by `d` with the
 * odds exp(-d / temperature); the temperature falls geometrically until hardly any is taken. Rows
 * beyond the limit cost twice what suppressed rows cost. At the end the best set climbs down to its
 * minimum.
 *
 * What every step would change is known (search/cuts/cut_state.h), so a step that is not taken
 * costs next to nothing. With --time-limit, and no --steps, the temperature falls with the time
 * that has passed; otherwise the answer depends on the seed alone. */
#include <math.h>
#include <string.h>

#include "search/cuts/climb.h"
#include "search/cuts/cuts.h"

enum {
    STEPS = 1000000,
    PEOPLE_STEPS = 20000, /* where people are counted, which takes longer */
    LOOK = 1024           /* steps at one temperature */
};

typedef struct {
    kan_cut_state *state;
    kan_cut_record *record;
    kan_climb_watch watch;
    uint64_t random;
    uint64_t n_steps;        /* 0: as many as the time allows */
    double seconds;          /* that the time allows */
    double first, last;      /* temperatures */
    bool has_best, is_there; /* a best set is known; the state is at it, and it is not copied */
    uint64_t cost;           /* of the best */
    uint8_t *is_made;
} annealing;

/* What a change is worth, the limit being a matter of price. */
static double change_of(const annealing *all, unsigned choice) {
    const kan_cut_state *state = all->state;
    const kan_cut_space *space = state->space;
    const bool adds = !state->is_made[choice];
    const double cost = (double)(adds ? state->add_cost[choice] : state->remove_cost[choice]);
    const double lost = (double)(adds ? state->add_lost[choice] : state->remove_lost[choice]);
    const double beyond = (double)state->n_lost - (double)space->limit;
    const double price = space->cost == KAN_CUT_DISCERNIBILITY ? (double)space->n_rows : 1;
    const double excess = fmax(beyond + lost, 0) - fmax(beyond, 0);
    return cost + excess * price;
}

static bool can_step(const kan_cut_state *state, unsigned choice) {
    return kan_cut_state_can_add(state, choice) || kan_cut_state_can_remove(state, choice);
}

/* The best is copied when it is left behind. */
static void leave_best(annealing *all) {
    if (all->is_there)
        memcpy(all->is_made, all->state->is_made, all->state->space->n_choices);
    all->is_there = false;
}

static void notice_best(annealing *all) {
    const kan_cut_state *state = all->state;
    if (!kan_cut_score_is_allowed(kan_cut_state_score(state)) ||
        (all->has_best && state->cost >= all->cost))
        return;
    all->has_best = all->is_there = true;
    all->cost = state->cost;
}

static void take_step(annealing *all, unsigned choice) {
    kan_cut_state *state = all->state;
    leave_best(all);
    if (state->is_made[choice])
        kan_cut_state_remove(state, choice);
    else
        kan_cut_state_add(state, choice);
    kan_cut_state_refresh(state);
    notice_best(all);
}

/* A number from 0 up to, not including, 1. */
static double random_share(uint64_t *random) {
    return (double)(kan_random(random) >> 11) * 0x1p-53;
}

/* Whether it was taken. */
static bool try_step(annealing *all, double temperature) {
    const unsigned n = all->state->space->n_choices;
    const unsigned choice = (unsigned)kan_random_below(&all->random, n);
    if (!can_step(all->state, choice))
        return false;
    kan_cut_state_look_at(all->state, choice);
    const double change = change_of(all, choice);
    all->watch.n_states++;
    if (change > 0 && random_share(&all->random) >= exp(-change / temperature))
        return false;
    take_step(all, choice);
    return true;
}

/* ---- the temperature ------------------------------------------------------------------------ */

/* Shares of the cost of the first minimum, that were found to do well. */
static void find_temperatures(annealing *all) {
    const double cost = (double)all->state->cost;
    all->first = fmax(cost * 0.3, 1);
    all->last = fmax(cost * 1e-4, 0.05);
}

/* How much of the way is done, 0 to 1. */
static double share_done(const annealing *all, uint64_t step) {
    if (all->n_steps)
        return (double)step / (double)all->n_steps;
    return (kan_now_ms() - all->state->space->start_ms) / 1000 / all->seconds;
}

static kan_status tell(annealing *all) {
    kan_cut_record *record = all->record;
    record->n_states += all->watch.n_states;
    all->watch.n_states = 0;
    if (all->has_best) {
        if (all->is_there)
            memcpy(all->is_made, all->state->is_made, record->space->n_choices);
        KAN_TRY(kan_cut_record_offer(record, all->is_made, all->cost));
    }
    kan_cut_record_report(record);
    return KAN_OK;
}

static kan_status cool_down(annealing *all) {
    for (uint64_t step = 0;; step += LOOK) {
        const double done = share_done(all, step);
        if (done >= 1 || kan_climb_is_over(&all->watch))
            break;
        const double temperature = all->first * pow(all->last / all->first, done);
        for (uint64_t i = 0; i < LOOK && (!all->n_steps || step + i < all->n_steps); i++)
            if (try_step(all, temperature) && kan_climb_is_over(&all->watch))
                break; /* steps that are taken take their time */
        KAN_TRY(tell(all));
    }
    if (all->has_best) {
        leave_best(all);
        kan_cut_state_go_to(all->state, all->is_made);
        kan_climb_down(all->state, &all->watch);
        notice_best(all);
    }
    return tell(all);
}

static kan_status anneal(kan_cut_record *record) {
    kan_status status;
    const kan_cut_space *space = record->space;
    const kan_options *options = space->question->options;
    const double seconds = kan_options_real(options, "time-limit", 0);
    const uint64_t most = space->people ? PEOPLE_STEPS : STEPS;
    annealing all = {.record = record,
                     .watch = {.run = space->run},
                     .random = kan_hash_word(kan_run_seed(space->run)),
                     .n_steps = kan_options_count(options, "steps", seconds > 0 ? 0 : most),
                     .seconds = seconds};
    if (space->n_choices == 0)
        return KAN_OK;
    KAN_TRY(kan_cut_state_create(space, &all.state));
    KAN_TRY_DONE(kan_alloc_zero(space->run, space->n_choices, 1, &all.is_made));
    kan_climb_draw_any(space, 2, &all.random, all.is_made);
    kan_cut_state_set(all.state, all.is_made);
    kan_climb_down(all.state, &all.watch);
    kan_cut_state_refresh(all.state);
    notice_best(&all);
    find_temperatures(&all);
    KAN_TRY_DONE(cool_down(&all));
done:
    kan_free(space->run, all.is_made);
    kan_cut_state_destroy(all.state);
    return status;
}

static kan_status search(kan_run *run, const kan_question *question, kan_answer *out) {
    return kan_cut_search(run, question, anneal, out);
}

static const kan_option_spec options[] = {
    {.name = "steps",
     .argument = "N",
     .summary = "steps to try (default: 1000000, with --person 20000, or as many as the time limit "
                "allows)",
     .type = KAN_OPTION_COUNT,
     .traits = KAN_TRAIT_SHOWN,
     .least = 1},
};

const kan_search_kind kan_search_anneal = {
    .kind = {.name = "anneal",
             .summary =
                 "cuts values into intervals: random steps that get choosier as it cools down",
             .options = options,
             .n_options = sizeof options / sizeof *options,
             .paper = "Winkler 2002; Bayardo, Agrawal 2005, 7.3"},
    .models = {&kan_model_ordered_set, &kan_model_full_subtree},
    .costs = &kan_cut_costs,
    .cuts = true,
    .counts_people = true,
    .counts_pasts = true,
    .is_anytime = true,
    .search = search,
};
