/* k-optimize: the best set of cuts, proven (k-optimize.txt, with bounds that go further).
 *
 * It begins with short hill climbs, whose best it improves by windows (cut_window.h), and a look at
 * what costs least when nothing is suppressed; then it explores all sets of choices by branch and
 * bound (cut_waves.h, cut_tree.h, cut_class.h). At any time it has a best set and a bound that
 * nothing costs less than. Between waves it goes on climbing, the less the longer that has not
 * helped: a good answer early, and a quicker proof. docs/papers/k-optimize.md has the proofs.
 *
 * Where people are counted there is neither recutting nor windows, which count rows, and the tree is
 * another one (search/cuts/cut_people_tree.h).
 *
 * All is counted in climbs and tuples, not in time: without a limit the same question has the same
 * answer, on any number of threads. */
#include <string.h>

#include "core/hash.h"
#include "search/cuts/cuts.h"
#include "search/k_optimize/cut_axis.h"
#include "search/k_optimize/cut_proof.h"
#include "search/k_optimize/cut_waves.h"
#include "search/k_optimize/cut_window.h"
#include "search/k_optimize/k_optimize.h"

enum {
    FIRST_CLIMBS = 64,   /* before the first windows */
    PEOPLE_CLIMBS = 16,  /* where people are counted, which takes longer */
    FEW_CHOICES = 24,    /* all of them are decided in no time: no windows */
    MANY_GROUPS = 1200,  /* that a release can have: then the proof takes long, and this may, too */
    FIRST_PATIENCE = 96, /* climbs without effect, beside those that it took: then it explores */
    WORK_PER_CLIMB = 1 << 18, /* tuples that the branch and bound looks at, while climbing helps */
    PATIENCE = 512, /* the same: half of the climbs begin anew; at once if there are many groups */
    MOST_ERAS = 16, /* new beginnings without effect: then it climbs */
    SELDOM = 64,    /* so many times less */
    MANY_STATES = 1 << 14,  /* of a proof that is continued: it has climbed enough */
    UNSUPPRESSED = 1 << 23, /* tuples that the look at no suppression may take */
    KEEP_MS = 60000         /* between two times that what is proven so far is kept */
};

#define NEVER_TIRED (UINT64_MAX / 2)

/* One landscape to climb in. */
typedef struct {
    kan_cut_record *record;
    uint64_t seed;
    kan_climb_tally tally;
    /* By attributes of a window: the cost of the best when these had last improved it. */
    uint64_t looked_through[KAN_CUT_MOST_OPEN + 1];
} climber;

typedef struct {
    kan_cut_record *record;
    climber own;
    /* The same table without a limit: the best there is often within the limit, or nearly, and the
     * way to it is shorter. */
    bool is_relaxed;
    kan_cut_space relaxed;
    kan_cut_record relaxed_record;
    climber free;
    /* A climb from elsewhere, when near the best there is nothing better: its best is its own. */
    bool has_fresh;
    kan_cut_record fresh_record;
    climber fresh;
    uint64_t n_eras, n_useless;
} seeds;

static kan_status climb(climber *c, uint64_t n) {
    const kan_climb_plan plan = {
        .seed = c->seed, .n_climbs = n, .from_the_best = true, .recuts = !c->record->space->people};
    return n == 0 ? KAN_OK : kan_climb(&plan, &c->tally, c->record);
}

static bool has_many_groups(const kan_cut_space *space) {
    return space->n_rows / space->k >= MANY_GROUPS;
}

/* A new best is improved by windows. */
static kan_status look_through(climber *c, unsigned n_open) {
    kan_cut_record *record = c->record;
    if (!record->is_found || record->space->people || record->cost == c->looked_through[n_open] ||
        record->space->n_choices <= FEW_CHOICES || (n_open > 2 && !has_many_groups(record->space)))
        return KAN_OK;
    const uint64_t before = record->cost;
    KAN_TRY(kan_cut_windows(record, n_open));
    c->looked_through[n_open] = record->cost;
    if (record->cost < before)
        c->tally.n_at_best = c->tally.n_climbs;
    return KAN_OK;
}

/* Goes from the best without a limit to one within it. */
static kan_status tighten(seeds *s) {
    const kan_cut_space *space = s->record->space;
    kan_cut_state *state;
    kan_climb_watch watch = {.run = space->run};
    if (!s->relaxed_record.is_found ||
        (s->record->is_found && s->relaxed_record.cost >= s->record->cost))
        return KAN_OK;
    KAN_TRY(kan_cut_state_create(space, &state));
    kan_cut_state_go_to(state, s->relaxed_record.is_made);
    kan_climb_down(state, &watch);
    kan_status status = KAN_OK;
    const kan_cut_score score = kan_cut_state_score(state);
    if (kan_cut_score_is_allowed(score))
        status = kan_cut_record_offer(s->record, state->is_made, (uint64_t)score);
    kan_cut_state_destroy(state);
    return status;
}

/* Half of the climbs go where there is no limit, unless one of the two no longer pays. */
static kan_status climb_both(seeds *s, uint64_t n, uint64_t patience) {
    if (!kan_climb_is_tired(&s->own.tally, patience))
        KAN_TRY(climb(&s->own, s->is_relaxed ? n / 2 : n));
    if (!s->is_relaxed || kan_climb_is_tired(&s->free.tally, patience))
        return KAN_OK;
    KAN_TRY(climb(&s->free, n / 2));
    return tighten(s);
}

static kan_status look_through_both(seeds *s) {
    if (s->is_relaxed) {
        KAN_TRY(look_through(&s->free, 2));
        KAN_TRY(tighten(s));
    }
    return look_through(&s->own, 2);
}

static kan_status climb_on(seeds *s, uint64_t n) {
    KAN_TRY(climb_both(s, n, NEVER_TIRED));
    return look_through_both(s);
}

static bool is_tired(const seeds *s, uint64_t patience) {
    return kan_climb_is_tired(&s->own.tally, patience) &&
           (!s->is_relaxed || kan_climb_is_tired(&s->free.tally, patience));
}

/* Climbs as long as that helps, so that a search which only climbs is not better. */
static kan_status climb_first(seeds *s) {
    const kan_cut_space *space = s->record->space;
    if (space->people)
        return space->n_choices == 0 ? KAN_OK : climb(&s->own, PEOPLE_CLIMBS);
    const int axis = kan_cut_axis_choose(space, space->limit);
    /* Where the proof takes its time, so may this. */
    const uint64_t more = axis < 0 ? 0 : space->n_places[axis];
    if (space->n_choices == 0)
        return KAN_OK; /* the empty set is all there is */
    KAN_TRY(climb(&s->own, FIRST_CLIMBS));
    KAN_TRY(look_through(&s->own, 2));
    if (s->is_relaxed)
        KAN_TRY(climb(&s->free, FIRST_CLIMBS));
    KAN_TRY(look_through_both(s));
    while (!is_tired(s, FIRST_PATIENCE + more) && !kan_should_stop(space->run))
        KAN_TRY(climb_both(s, FIRST_CLIMBS, FIRST_PATIENCE + more));
    KAN_TRY(look_through_both(s));
    return look_through(&s->own, 3);
}

static void end_era(seeds *s) {
    if (s->has_fresh)
        kan_cut_record_destroy(&s->fresh_record);
    s->has_fresh = false;
}

/* Climbs from a new beginning, for as long as that helps; what it finds is offered. */
static kan_status climb_anew(seeds *s, uint64_t n) {
    climber *known = s->is_relaxed ? &s->free : &s->own;
    const kan_cut_space *space = known->record->space;
    if (!s->has_fresh) {
        KAN_TRY(kan_cut_record_make(space, &s->fresh_record));
        s->has_fresh = s->fresh_record.is_aside = true;
        s->fresh = (climber){.record = &s->fresh_record,
                             .seed = kan_hash_word(kan_run_seed(space->run) + ++s->n_eras)};
    }
    KAN_TRY(climb(&s->fresh, n));
    const bool is_at_its_end = kan_climb_is_tired(&s->fresh.tally, FIRST_PATIENCE);
    if (is_at_its_end)
        KAN_TRY(look_through(&s->fresh, 2));
    if (s->fresh_record.is_found &&
        (!known->record->is_found || s->fresh_record.cost < known->record->cost)) {
        KAN_TRY(kan_cut_record_offer(known->record, s->fresh_record.is_made, s->fresh_record.cost));
        known->tally.n_at_best = known->tally.n_climbs;
        s->n_useless = 0;
    }
    if (is_at_its_end) {
        end_era(s);
        s->n_useless++;
    }
    return s->is_relaxed ? tighten(s) : KAN_OK;
}

static kan_status between(void *context, uint64_t n_work) {
    seeds *s = context;
    const bool is_in_vain = s->n_useless >= MOST_ERAS;
    const uint64_t n = n_work / WORK_PER_CLIMB / (is_in_vain ? SELDOM : 1);
    if (!is_tired(s, has_many_groups(s->record->space) ? FIRST_PATIENCE : PATIENCE))
        return climb_on(s, n);
    KAN_TRY(look_through(&s->own, 3));
    KAN_TRY(climb_on(s, n / 2));
    return climb_anew(s, n - n / 2);
}

static kan_status seeds_begin(seeds *s) {
    const kan_cut_space *space = s->record->space;
    s->own = (climber){.record = s->record, .seed = kan_run_seed(space->run)};
    /* By classification lost rows cost so little that the best without a limit says nothing about
     * the best without loss. */
    s->is_relaxed =
        !space->people && space->limit < space->n_rows &&
        (space->cost == KAN_CUT_DISCERNIBILITY || (space->limit > 0 && has_many_groups(space)));
    if (s->is_relaxed) {
        s->relaxed = *space;
        s->relaxed.limit = space->n_rows;
        KAN_TRY(kan_cut_record_make(&s->relaxed, &s->relaxed_record));
        s->relaxed_record.is_aside = true;
        s->free = (climber){.record = &s->relaxed_record, .seed = s->own.seed};
    }
    /* A proof that is continued has its best already. */
    if (space->question->proof) {
        if (space->question->proof->n_states >= MANY_STATES)
            s->n_useless = MOST_ERAS;
        return KAN_OK;
    }
    KAN_TRY(climb_first(s));
    if (space->limit == 0 || space->people)
        return KAN_OK;
    bool is_complete;
    const kan_cut_waves_plan plan = {.limit = 0,
                                     .axis = kan_cut_axis_choose(space, 0),
                                     .n_work = UNSUPPRESSED,
                                     .below = UINT64_MAX,
                                     .between = between,
                                     .context = s};
    return kan_cut_waves_explore(&plan, s->record, &is_complete);
}

/* What is proven so far, for a run that does not come to its end. */
typedef struct {
    const kan_cut_record *record;
    uint64_t below;
} keeper;

static kan_status keep(void *context, kan_proof *proof) {
    const keeper *k = context;
    const kan_question *question = k->record->space->question;
    kan_cut_proof_conclude(k->record, question->proof, k->below, proof);
    return question->keep_proof ? question->keep_proof(question->keep_context, proof) : KAN_OK;
}

/* The cost may be that of an earlier run of the proof, which cannot be had back. */
static kan_status fail_without_solution(kan_run *run, const kan_proof *before, uint64_t seed_cost) {
    const bool is_old = before && before->below == seed_cost + 1;
    return kan_fail(run, KAN_UNSATISFIED, "no set of cuts costs %llu or less; %s%s",
                    (unsigned long long)seed_cost,
                    is_old ? "the proof was begun with this --seed-cost: name another file with "
                             "--proof, and "
                           : "",
                    "give a --seed-cost that is known to be possible, or none");
}

static kan_status explore_people(kan_cut_record *record, uint64_t below, keeper *k,
                                 bool *is_complete) {
    const kan_question *question = record->space->question;
    const kan_cut_people_plan plan = {.n_work = question->most_work,
                                      .below = below,
                                      .from = question->proof,
                                      .to = question->wants_proof ? &record->proof : NULL,
                                      .keep = keep,
                                      .keep_context = k,
                                      .keep_ms = KEEP_MS};
    return kan_cut_people_explore(&plan, record, is_complete);
}

static kan_status explore_rows(kan_cut_record *record, seeds *s, uint64_t below, keeper *k,
                               bool *is_complete) {
    const kan_question *question = record->space->question;
    const kan_cut_waves_plan plan = {.limit = record->space->limit,
                                     .axis =
                                         kan_cut_axis_choose(record->space, record->space->limit),
                                     .n_work = question->most_work,
                                     .below = below,
                                     .is_whole = true,
                                     .between = s ? between : NULL,
                                     .context = s,
                                     .from = question->proof,
                                     .to = question->wants_proof ? &record->proof : NULL,
                                     .keep = keep,
                                     .keep_context = k,
                                     .keep_ms = KEEP_MS};
    return kan_cut_waves_explore(&plan, record, is_complete);
}

static kan_status explore(kan_cut_record *record, seeds *s, uint64_t seed_cost) {
    const kan_question *question = record->space->question;
    const uint64_t below = seed_cost == UINT64_MAX ? seed_cost : seed_cost + 1;
    keeper k = {record, below};
    bool is_complete;
    KAN_TRY(record->space->people ? explore_people(record, below, &k, &is_complete)
                                  : explore_rows(record, s, below, &k, &is_complete));
    if (question->wants_proof)
        kan_cut_proof_conclude(record, question->proof, below, &record->proof);
    const bool is_good = record->is_found && record->cost <= seed_cost;
    if (is_complete && !is_good && seed_cost != UINT64_MAX) {
        if (question->wants_proof && (!question->proof || question->proof->n_open > 0))
            KAN_TRY(keep(&k, &record->proof));
        return fail_without_solution(record->space->run, question->proof, seed_cost);
    }
    record->is_optimal = is_complete && is_good;
    return KAN_OK;
}

static kan_status prove_best(kan_cut_record *record) {
    const kan_options *options = record->space->question->options;
    const kan_proof *proof = record->space->question->proof;
    uint64_t seed_cost = kan_options_count(options, "seed-cost", UINT64_MAX);
    record->counts_nodes = true;
    if (proof) {
        KAN_TRY(kan_cut_proof_resume(proof, record));
        /* What an earlier run did not look for is not found here either. */
        if (proof->below != UINT64_MAX && proof->below <= seed_cost)
            seed_cost = proof->below - 1;
    }
    if (kan_options_switch(options, "unseeded"))
        return explore(record, NULL, seed_cost);
    seeds s = {.record = record};
    kan_status status = seeds_begin(&s);
    if (status == KAN_OK)
        status = explore(record, &s, seed_cost);
    end_era(&s);
    if (s.is_relaxed)
        kan_cut_record_destroy(&s.relaxed_record);
    return status;
}

static kan_status search(kan_run *run, const kan_question *question, kan_answer *out) {
    return kan_cut_search(run, question, prove_best, out);
}

static const kan_option_spec options[] = {
    KAN_CUT_SEED_OPTION,
    KAN_CUT_SOLUTION_OPTION,
    {.name = "proof",
     .argument = "FILE",
     .summary = "what is proven is kept in FILE; if it exists, the proof continues from it",
     .type = KAN_OPTION_PATH,
     .traits = KAN_TRAIT_SHOWN,
     .file = KAN_FILE_EXTENDED},
    {.name = "unseeded",
     .summary = "prove without climbing for good cuts first and in between; for comparison",
     .type = KAN_OPTION_SWITCH,
     .traits = KAN_TRAIT_SHOWN},
};

const kan_search_kind kan_search_k_optimize = {
    .kind =
        {.name = "k-optimize",
         .summary =
             "cuts values into intervals: the best cuts, proven; stopped early, the best so far",
         .options = options,
         .n_options = sizeof options / sizeof *options,
         .paper = "Bayardo, Agrawal 2005 (K-Optimize), 5",
         .is_everyday = true},
    .models = {&kan_model_ordered_set, &kan_model_full_subtree},
    .costs = &kan_cut_costs,
    .cuts = true,
    .counts_people = true,
    .counts_pasts = true,
    .is_anytime = true,
    .finds_best = true,
    .search = search,
};
