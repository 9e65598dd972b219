/* genetic: a genetic algorithm over sets of cuts (Iyengar's representation; a rival in
 * k-optimize.txt 7.3).
 *
 * An individual is a string of bits, one for each choice. The population begins at random. In the
 * steady state two parents are drawn, each the better of two individuals; their child takes the
 * bits of one between two points and those of the other elsewhere, a few bits are flipped, and
 * choices without their parent in the hierarchy are dropped. It replaces the worst individual if it
 * is better than that and not there yet. A generation is as many children as there are individuals.
 *
 * Cost: one grouping of all tuples for each child. */
#include <string.h>

#include "search/cuts/climb.h"
#include "search/cuts/cuts.h"

enum { GENERATIONS = 100, POPULATION = 50, LEAST_POPULATION = 4 };

typedef struct {
    kan_cut_record *record;
    kan_cut_state *state;
    kan_climb_watch watch;
    uint64_t random;
    size_t n; /* individuals */
    uint8_t *strings;
    kan_cut_score *scores;
    uint8_t *child;
} population;

static uint8_t *string_of(const population *all, size_t i) {
    return all->strings + i * all->record->space->n_choices;
}

/* Counts what a set of choices is worth, and takes it if it is the best. */
static kan_status weigh(population *all, const uint8_t *string, kan_cut_score *score) {
    kan_cut_state_group(all->state, string);
    *score = kan_cut_state_score(all->state);
    all->record->n_states++;
    if (!kan_cut_score_is_allowed(*score))
        return KAN_OK;
    return kan_cut_record_offer(all->record, string, all->state->cost);
}

/* Strings of all densities, with up to half of the choices made, or 64 on average: nobody knows how
 * many cuts are good. */
static kan_status draw_all(population *all) {
    const kan_cut_space *space = all->record->space;
    const uint64_t of = space->n_choices > 128 ? space->n_choices / 2 : 64;
    for (size_t i = 0; i < all->n; i++) {
        kan_climb_draw(space, 1 + kan_random_below(&all->random, 32), of, &all->random,
                       string_of(all, i));
        all->scores[i] = ~(kan_cut_score)0;
        if (!kan_climb_is_over(&all->watch))
            KAN_TRY(weigh(all, string_of(all, i), &all->scores[i]));
    }
    return KAN_OK;
}

/* ---- children ------------------------------------------------------------------------------- */

static size_t draw_parent(population *all) {
    const size_t a = (size_t)kan_random_below(&all->random, all->n);
    const size_t b = (size_t)kan_random_below(&all->random, all->n);
    return all->scores[b] < all->scores[a] ? b : a;
}

static void make_child(population *all) {
    const kan_cut_space *space = all->record->space;
    const unsigned n = space->n_choices;
    const uint8_t *one = string_of(all, draw_parent(all));
    const uint8_t *other = string_of(all, draw_parent(all));
    unsigned from = (unsigned)kan_random_below(&all->random, n);
    unsigned to = (unsigned)kan_random_below(&all->random, n);
    if (from > to) {
        const unsigned swap = from;
        from = to;
        to = swap;
    }
    memcpy(all->child, other, n);
    memcpy(all->child + from, one + from, to - from + 1);
    for (uint64_t flips = kan_random_below(&all->random, 4); flips-- > 0;) {
        const unsigned c = (unsigned)kan_random_below(&all->random, n);
        all->child[c] = !all->child[c];
    }
    kan_climb_close(space, all->child);
}

/* The worst goes, unless the child is no better or is there already. */
static void replace_worst(population *all, kan_cut_score score) {
    const unsigned n = all->record->space->n_choices;
    size_t worst = 0;
    for (size_t i = 0; i < all->n; i++) {
        if (all->scores[i] == score && memcmp(string_of(all, i), all->child, n) == 0)
            return;
        worst = all->scores[i] > all->scores[worst] ? i : worst;
    }
    if (score >= all->scores[worst])
        return;
    memcpy(string_of(all, worst), all->child, n);
    all->scores[worst] = score;
}

static kan_status evolve(population *all, uint64_t n_generations) {
    KAN_TRY(draw_all(all));
    for (uint64_t g = 0; n_generations == 0 || g < n_generations; g++) {
        for (size_t i = 0; i < all->n; i++) {
            kan_cut_score score;
            if (kan_climb_is_over(&all->watch))
                return KAN_OK;
            make_child(all);
            KAN_TRY(weigh(all, all->child, &score));
            replace_worst(all, score);
            kan_cut_record_report(all->record);
        }
    }
    return KAN_OK;
}

static kan_status breed(kan_cut_record *record) {
    kan_status status;
    const kan_cut_space *space = record->space;
    const kan_options *options = space->question->options;
    const bool is_timed = kan_options_real(options, "time-limit", 0) > 0;
    population all = {.record = record,
                      .watch = {.run = space->run},
                      .random = kan_hash_word(kan_run_seed(space->run)),
                      .n = (size_t)kan_options_count(options, "individuals", POPULATION)};
    if (space->n_choices == 0)
        return KAN_OK;
    KAN_TRY(kan_cut_state_create(space, &all.state));
    KAN_TRY_DONE(kan_alloc(space->run, all.n, space->n_choices, &all.strings));
    KAN_TRY_DONE(kan_alloc(space->run, all.n, sizeof *all.scores, &all.scores));
    KAN_TRY_DONE(kan_alloc(space->run, space->n_choices, 1, &all.child));
    KAN_TRY_DONE(
        evolve(&all, kan_options_count(options, "generations", is_timed ? 0 : GENERATIONS)));
done:
    kan_free(space->run, all.strings);
    kan_free(space->run, all.scores);
    kan_free(space->run, all.child);
    kan_cut_state_destroy(all.state);
    return status;
}

static kan_status search(kan_run *run, const kan_question *question, kan_answer *out) {
    return kan_cut_search(run, question, breed, out);
}

static const kan_option_spec options[] = {
    {.name = "generations",
     .argument = "N",
     .summary = "how long to breed (default: 100, or as long as the time limit allows)",
     .type = KAN_OPTION_COUNT,
     .traits = KAN_TRAIT_SHOWN,
     .least = 1},
    {.name = "individuals",
     .argument = "N",
     .summary = "sets of cuts that are kept at a time",
     .type = KAN_OPTION_COUNT,
     .traits = KAN_TRAIT_SHOWN,
     .fallback = "50",
     .least = LEAST_POPULATION,
     .most = 1000000},
};

const kan_search_kind kan_search_genetic = {
    .kind = {.name = "genetic",
             .summary =
                 "cuts values into intervals: breeds sets of cuts, the better ones more often",
             .options = options,
             .n_options = sizeof options / sizeof *options,
             .paper = "Iyengar 2002; Bayardo, Agrawal 2005, 7.3"},
    .models = {&kan_model_ordered_set, &kan_model_full_subtree},
    .costs = &kan_cut_costs,
    .cuts = true,
    .counts_people = true,
    .counts_pasts = true,
    .is_anytime = true,
    .search = search,
};
