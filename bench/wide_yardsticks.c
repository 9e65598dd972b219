/* Yardsticks for wide tables: see wide.h. */
#include "wide.h"

#include <math.h>
#include <stdlib.h>
#include <string.h>

#include "core/hash.h"
#include "core/memory.h"
#include "search/boxes/boxes.h"
#include "search/boxes/probe.h"

/* ---- what is asked -------------------------------------------------------------------------- */

/* As the ladder asks: sizes first, where sensitive values count. */
typedef struct {
    kan_promise by_size;
    kan_question relaxed;
    const kan_question *question, *strict;
} asked_question;

static void ask(const wide_trial *trial, asked_question *out) {
    const kan_question *whole = trial->question;
    *out = (asked_question){.question = whole};
    if (!kan_strict_fits(whole) && kan_promise_is_monotone(whole->promise))
        return;
    kan_promise_by_size(whole->promise, &out->by_size);
    out->relaxed = *whole;
    out->relaxed.promise = &out->by_size;
    out->question = &out->relaxed;
    out->strict = whole;
}

/* ---- looking -------------------------------------------------------------------------------- */

typedef struct {
    uint8_t levels[KAN_MAX_ATTRIBUTES];
    bool is_used, fails;
    double least; /* where it does not fail and was not found: it costs more than that */
    kan_found found;
    uint64_t n_failing;
} seen_node;

enum { MEMORY_BITS = 16, MEMORY_SIZE = 1 << MEMORY_BITS };

typedef struct {
    const wide_trial *trial;
    wide_result *result;
    asked_question asked;
    kan_probe probe;
    unsigned n_attributes;
    uint8_t low[KAN_MAX_ATTRIBUTES], high[KAN_MAX_ATTRIBUTES];
    kan_freqset lowest, near; /* the sets at `low`, and a level below a node */
    unsigned near_levels[KAN_MAX_ATTRIBUTES];
    bool has_near;
    seen_node *memory;
    double start_ms;
    uint64_t n_nodes, random;
    bool is_over;
} looker;

static void find_corners(looker *l) {
    kan_lattice lattice;
    kan_lattice_make(&l->asked.question->problem->space, &lattice);
    l->n_attributes = lattice.n_attributes;
    for (unsigned a = 0; a < l->n_attributes; a++) {
        l->low[a] = (uint8_t)lattice.low[a];
        l->high[a] = (uint8_t)kan_lattice_high(&lattice, a);
    }
}

static kan_status looker_open(const wide_trial *trial, wide_result *result, looker *l) {
    kan_run *run = trial->question->problem->run;
    unsigned levels[KAN_MAX_ATTRIBUTES];
    uint64_t tight = 0;
    *l = (looker){
        .trial = trial, .result = result, .random = trial->random, .start_ms = bench_cpu_ms()};
    *result = (wide_result){.n_nodes = {0}};
    ask(trial, &l->asked);
    find_corners(l);
    KAN_TRY(kan_root_raise(l->asked.question, l->high, l->low, &tight));
    KAN_TRY(kan_probe_init(&l->probe, l->asked.question));
    if (l->asked.strict)
        KAN_TRY(kan_probe_be_strict(&l->probe, l->asked.strict));
    KAN_TRY(kan_alloc_zero(run, MEMORY_SIZE, sizeof *l->memory, &l->memory));
    for (unsigned a = 0; a < l->n_attributes; a++)
        levels[a] = l->low[a];
    return kan_probe_scan(&l->probe, levels, &l->lowest);
}

static void looker_close(looker *l) {
    kan_run *run = l->trial->question->problem->run;
    kan_freqset_destroy(run, &l->lowest);
    kan_freqset_destroy(run, &l->near);
    kan_free(run, l->memory);
    kan_probe_destroy(&l->probe);
}

/* What was found by now counts for every mark that lies ahead. */
static void note(looker *l, const kan_found *found) {
    const double seconds = (bench_cpu_ms() - l->start_ms) / 1e3;
    for (unsigned i = 0; i < WIDE_MARKS; i++) {
        if (seconds > l->trial->seconds[i])
            continue;
        l->result->n_nodes[i] = l->n_nodes;
        if (kan_found_is_better(found, &l->result->best[i]))
            l->result->best[i] = *found;
    }
    l->is_over = seconds > l->trial->seconds[WIDE_MARKS - 1];
}

static seen_node *remember(looker *l, const unsigned *levels) {
    uint64_t key = 0;
    for (unsigned a = 0; a < l->n_attributes; a++)
        key = kan_hash_word(key ^ levels[a]);
    return &l->memory[key >> (64 - MEMORY_BITS)];
}

static bool is_known(const looker *l, const seen_node *node, const unsigned *levels, double most) {
    for (unsigned a = 0; a < l->n_attributes; a++)
        if (node->levels[a] != levels[a])
            return false;
    return node->is_used && (node->fails || node->found.is_found || node->least >= most);
}

/* Looks at a node that costs less than `most`, or need not be measured. Neighbours of one node are looked
 * at from the set below them. */
static kan_status look(looker *l, const unsigned *levels, double most, const seen_node **out) {
    seen_node *node = remember(l, levels);
    kan_groups groups;
    bool is_near = l->has_near;
    *out = node;
    if (is_known(l, node, levels, most))
        return KAN_OK;
    for (unsigned a = 0; a < l->n_attributes; a++)
        is_near &= levels[a] >= l->near_levels[a];
    const kan_freqset *from = is_near ? &l->near : &l->lowest;
    const kan_found pretence = {
        .is_found = most < INFINITY, .score = kan_score_real(most), .height = UINT32_MAX};
    l->probe.judge.best = pretence;
    l->n_nodes++;
    KAN_TRY(kan_probe_look(&l->probe, from, levels, NULL, &groups));
    KAN_TRY(kan_probe_look_strictly(&l->probe, from, &groups));
    *node = (seen_node){.is_used = true, .least = most, .n_failing = groups.n_left_out};
    for (unsigned a = 0; a < l->n_attributes; a++)
        node->levels[a] = (uint8_t)levels[a];
    node->fails = groups.n_left_out > l->trial->question->promise->limit;
    KAN_TRY(kan_probe_measure(&l->probe, from, NULL, &groups));
    if (l->probe.judge.best.is_found && l->probe.judge.best.height != UINT32_MAX)
        node->found = l->probe.judge.best;
    note(l, &node->found);
    return KAN_OK;
}

static kan_status stand_at(looker *l, const unsigned *here) {
    kan_groups groups;
    for (unsigned a = 0; a < l->n_attributes; a++)
        l->near_levels[a] = here[a] > l->low[a] ? here[a] - 1 : here[a];
    l->has_near = true;
    return kan_probe_look(&l->probe, &l->lowest, l->near_levels, &l->near, &groups);
}

/* ---- descent -------------------------------------------------------------------------------- */

/* *at is what `here` costs, or not found where it breaks the promise. */
static kan_status descend(looker *l, unsigned *here, kan_found *at) {
    for (bool is_better = true; is_better && !l->is_over;) {
        unsigned best = 0;
        is_better = false;
        KAN_TRY(stand_at(l, here));
        for (unsigned a = 0; a < l->n_attributes && !l->is_over; a++) {
            const seen_node *node;
            if (here[a] == l->low[a])
                continue;
            here[a]--;
            KAN_TRY(look(l, here, at->is_found ? at->score.real : INFINITY, &node));
            here[a]++;
            if (!kan_found_is_better(&node->found, at))
                continue;
            *at = node->found;
            best = a;
            is_better = true;
        }
        here[best] -= is_better;
    }
    return KAN_OK;
}

static kan_status descend_from_top(looker *l, unsigned *here, kan_found *at) {
    const seen_node *top;
    for (unsigned a = 0; a < l->n_attributes; a++)
        here[a] = l->high[a];
    KAN_TRY(look(l, here, INFINITY, &top));
    *at = top->found;
    return descend(l, here, at);
}

static kan_status run_descent(const wide_trial *trial, wide_result *out) {
    kan_status status;
    looker l;
    kan_found at;
    unsigned here[KAN_MAX_ATTRIBUTES] = {0};
    KAN_TRY_DONE(looker_open(trial, out, &l));
    KAN_TRY_DONE(descend_from_top(&l, here, &at));
done:
    looker_close(&l);
    return status;
}

const wide_yardstick wide_descent = {"descent", run_descent};

/* ---- local search --------------------------------------------------------------------------- */

/* One column lower, another `by` levels higher, and down from there, if that is not worse. */
static kan_status try_swap(looker *l, unsigned *here, kan_found *at, unsigned lower, unsigned upper,
                           unsigned by, bool *is_better) {
    unsigned levels[KAN_MAX_ATTRIBUTES];
    const seen_node *node;
    *is_better = false;
    if (lower == upper || here[lower] == l->low[lower] || here[upper] + by > l->high[upper])
        return KAN_OK;
    memcpy(levels, here, sizeof levels);
    levels[lower]--;
    levels[upper] += by;
    KAN_TRY(look(l, levels, at->is_found ? at->score.real : INFINITY, &node));
    if (!kan_found_is_better(&node->found, at))
        return KAN_OK;
    *is_better = true;
    *at = node->found;
    memcpy(here, levels, sizeof levels);
    return descend(l, here, at);
}

/* Until no swap is better. */
static kan_status swap_columns(looker *l, unsigned *here, kan_found *at) {
    for (bool is_better = true; is_better && !l->is_over;) {
        is_better = false;
        KAN_TRY(stand_at(l, here));
        for (unsigned i = 0; i < l->n_attributes * l->n_attributes * 2; i++) {
            const unsigned lower = i / 2 / l->n_attributes, upper = i / 2 % l->n_attributes;
            if (l->is_over || is_better)
                break;
            KAN_TRY(try_swap(l, here, at, lower, upper, 1 + i % 2, &is_better));
        }
    }
    return KAN_OK;
}

static kan_status lift_four(looker *l, unsigned *here, kan_found *at) {
    const seen_node *node;
    for (unsigned i = 0; i < 4; i++) {
        const unsigned a = (unsigned)kan_random_below(&l->random, l->n_attributes);
        here[a] = l->high[a];
    }
    KAN_TRY(look(l, here, INFINITY, &node));
    *at = node->found;
    return descend(l, here, at);
}

static kan_status search_locally(looker *l) {
    unsigned here[KAN_MAX_ATTRIBUTES] = {0}, best[KAN_MAX_ATTRIBUTES] = {0};
    kan_found at, at_best;
    KAN_TRY(descend_from_top(l, here, &at));
    KAN_TRY(swap_columns(l, here, &at));
    at_best = at;
    memcpy(best, here, sizeof best);
    /* Where everything is known already nothing is looked at: the clock is asked here, too. */
    for (uint64_t i = 0; i < 1000000 && !l->is_over; i++) {
        memcpy(here, best, sizeof here);
        KAN_TRY(lift_four(l, here, &at));
        KAN_TRY(swap_columns(l, here, &at));
        note(l, &at);
        if (!kan_found_is_better(&at, &at_best))
            continue;
        at_best = at;
        memcpy(best, here, sizeof best);
    }
    return KAN_OK;
}

static kan_status run_local(const wide_trial *trial, wide_result *out) {
    kan_status status;
    looker l;
    KAN_TRY_DONE(looker_open(trial, out, &l));
    KAN_TRY_DONE(search_locally(&l));
done:
    looker_close(&l);
    return status;
}

const wide_yardstick wide_local = {"local", run_local};

/* ---- genetic search ------------------------------------------------------------------------- */

enum { POPULATION = 60, ELITE = 10 };

typedef struct {
    unsigned levels[KAN_MAX_ATTRIBUTES];
    kan_found found;
    uint64_t n_failing;
} individual;

/* What keeps the promise by what it costs, before all others by how much they break it. */
static int compare_individuals(const void *a, const void *b) {
    const individual *x = a, *y = b;
    if (x->found.is_found || y->found.is_found)
        return kan_found_is_better(&x->found, &y->found)   ? -1
               : kan_found_is_better(&y->found, &x->found) ? 1
                                                           : 0;
    return x->n_failing < y->n_failing ? -1 : x->n_failing > y->n_failing;
}

static kan_status judge_individual(looker *l, individual *i) {
    const seen_node *node;
    KAN_TRY(look(l, i->levels, INFINITY, &node));
    i->found = node->found;
    i->n_failing = node->n_failing;
    return KAN_OK;
}

/* Fewer high ones than low ones keep nothing: each is drawn with a height of its own. */
static void draw_individual(looker *l, individual *i) {
    const uint64_t share = kan_random_below(&l->random, 101);
    for (unsigned a = 0; a < l->n_attributes; a++) {
        const unsigned height = l->high[a] - l->low[a];
        i->levels[a] = kan_random_below(&l->random, 100) < share
                           ? l->high[a]
                           : l->low[a] + (unsigned)kan_random_below(&l->random, height + 1);
    }
}

static const individual *choose(looker *l, const individual *all) {
    const uint64_t a = kan_random_below(&l->random, POPULATION),
                   b = kan_random_below(&l->random, POPULATION);
    return &all[a < b ? a : b]; /* they are sorted */
}

static void breed(looker *l, const individual *all, individual *child) {
    const individual *mother = choose(l, all), *father = choose(l, all);
    for (unsigned a = 0; a < l->n_attributes; a++) {
        child->levels[a] = (kan_random_below(&l->random, 2) ? mother : father)->levels[a];
        if (kan_random_below(&l->random, l->n_attributes) > 0)
            continue;
        child->levels[a] =
            l->low[a] + (unsigned)kan_random_below(&l->random, l->high[a] - l->low[a] + 1u);
    }
}

static kan_status evolve(looker *l, individual *now, individual *next) {
    for (unsigned i = 0; i < POPULATION && !l->is_over; i++) {
        draw_individual(l, &now[i]);
        if (i == 0)
            for (unsigned a = 0; a < l->n_attributes; a++)
                now[i].levels[a] = l->high[a];
        KAN_TRY(judge_individual(l, &now[i]));
    }
    for (uint64_t generation = 0; generation < 100000 && !l->is_over; generation++) {
        qsort(now, POPULATION, sizeof *now, compare_individuals);
        memcpy(next, now, ELITE * sizeof *now);
        for (unsigned i = ELITE; i < POPULATION && !l->is_over; i++) {
            next[i].levels[0] = 0;
            breed(l, now, &next[i]);
            KAN_TRY(judge_individual(l, &next[i]));
        }
        memcpy(now, next, POPULATION * sizeof *now);
        note(l, &now[0].found);
    }
    return KAN_OK;
}

static kan_status run_genetic(const wide_trial *trial, wide_result *out) {
    kan_run *run = trial->question->problem->run;
    individual *now = NULL, *next = NULL;
    kan_status status;
    looker l;
    KAN_TRY_DONE(looker_open(trial, out, &l));
    KAN_TRY_DONE(kan_alloc_zero(run, POPULATION, sizeof *now, &now));
    KAN_TRY_DONE(kan_alloc_zero(run, POPULATION, sizeof *next, &next));
    KAN_TRY_DONE(evolve(&l, now, next));
done:
    kan_free(run, now);
    kan_free(run, next);
    looker_close(&l);
    return status;
}

const wide_yardstick wide_genetic = {"genetic", run_genetic};

/* ---- boxes alone ---------------------------------------------------------------------------- */

static kan_status search_boxes(const wide_trial *trial, unsigned mark, const asked_question *asked,
                               const kan_lattice *lattice, wide_result *out) {
    kan_status status;
    kan_judge judge;
    kan_trail trail = {.n = 0};
    kan_boxes boxes = {.question = asked->question,
                       .lattice = lattice,
                       .strict = asked->strict,
                       .is_part = true,
                       .trail = &trail};
    kan_judge_init(&judge, asked->question);
    wide_stop_after(trial->question->problem->run, trial->seconds[mark]);
    status = kan_boxes_search(&boxes, &judge);
    /* That nothing was found in time is no failure here. */
    if (wide_stop_end(trial->question->problem->run))
        status = KAN_OK;
    out->best[mark] = kan_trail_last(&trail);
    out->n_nodes[mark] = boxes.n_checked;
    kan_trail_destroy(&trail, trial->question->problem->run);
    kan_judge_destroy(&judge);
    return status;
}

static kan_status run_boxes(const wide_trial *trial, wide_result *out) {
    kan_lattice lattice;
    asked_question asked;
    *out = (wide_result){.n_nodes = {0}};
    ask(trial, &asked);
    kan_lattice_make(&trial->question->problem->space, &lattice);
    for (unsigned i = 0; i < WIDE_MARKS; i++)
        KAN_TRY(search_boxes(trial, i, &asked, &lattice, out));
    return KAN_OK;
}

const wide_yardstick wide_boxes = {"boxes", run_boxes};
