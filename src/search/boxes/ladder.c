/* The ladder: see ladder.h. */
#include "search/boxes/ladder.h"

#include <math.h>
#include <string.h>

#include "core/memory.h"
#include "core/pool.h"
#include "search/boxes/blocks.h"
#include "search/boxes/strict.h"
#include "search/boxes/walk.h"

/* A bound is looked for after so many waves of walks. */
enum { MAX_RUNGS = 8, N_WALKS = 4, FIRST_BOUND = 4 };

typedef struct {
    kan_promise promise, by_size;
    kan_question whole, relaxed;
    const kan_question *question; /* one of them; the other one is the strict one, if any */
    const kan_question *strict;
    uint8_t low[KAN_MAX_ATTRIBUTES], high[KAN_MAX_ATTRIBUTES]; /* for walks */
    bool has_corners;
    kan_found seed; /* what the rung below knew when the last item was over */
    kan_trail trail;
    unsigned weight;                  /* nodes that walks try for a step */
    uint64_t n_steps;                 /* made so far */
    uint64_t n_boxed, n_walked;       /* of these */
    uint64_t last_boxes, last_length; /* nodes of the last boxes; steps of the last walks */
    uint64_t n_waves;
    bool is_proven;
    kan_score bound; /* that was reached */
    bool has_bound;
} rung;

typedef struct {
    const kan_question *question;
    kan_run *run;
    kan_lattice lattice;
    unsigned n_rungs;
    rung rungs[MAX_RUNGS]; /* the last one is the question's own */
    kan_crowd crowd;
    bool has_crowd;
    const kan_ladder_pace *pace;
    uint64_t most_steps;
    bool is_stopped;
    uint64_t n_checked, least_suppressed;
    kan_effort effort;
} ladder;

/* ---- rungs ---------------------------------------------------------------------------------- */

/* Where sensitive values are looked at, sizes settle most nodes, and what they leave open is checked by
 * itself. A promise that generalizing can break is searched by sizes in any case. */
static void open_rung(rung *r, const kan_question *question, uint64_t limit) {
    r->promise = *question->promise;
    r->promise.limit = limit;
    r->whole = *question;
    r->whole.promise = &r->promise;
    r->question = &r->whole;
    if (!kan_strict_fits(&r->whole) && kan_promise_is_monotone(&r->promise))
        return;
    kan_promise_by_size(&r->promise, &r->by_size);
    r->relaxed = r->whole;
    r->relaxed.promise = &r->by_size;
    r->question = &r->relaxed;
    r->strict = &r->whole;
}

static const unsigned percents[MAX_RUNGS] = {0, 1, 2, 5, 10, 20, 50, 100};

static uint64_t limit_at(const ladder *l, unsigned i) {
    const kan_problem *problem = l->question->problem;
    const uint64_t all = l->question->promise->by_person ? problem->n_people : problem->n_rows;
    return (uint64_t)((kan_u128)all * percents[i] / 100);
}

/* Loose limits have most rungs below them, and most nodes that keep the promise: a third of the walks of any
 * question is to be its own. It follows from the limit alone. */
static unsigned weight_of(const ladder *l, uint64_t limit) {
    static const unsigned weights[MAX_RUNGS] = {1, 1, 2, 2, 3, 4, 6, 10};
    unsigned weight = weights[0];
    for (unsigned i = 0; i < MAX_RUNGS && limit_at(l, i) <= limit; i++)
        weight = weights[i];
    return weight;
}

static void add_rung(ladder *l, uint64_t limit) {
    l->rungs[l->n_rungs].weight = weight_of(l, limit);
    open_rung(&l->rungs[l->n_rungs++], l->question, limit);
}

static void open_rungs(ladder *l) {
    const uint64_t own = l->question->promise->limit;
    for (unsigned i = 0; i < MAX_RUNGS - 1; i++) {
        const uint64_t limit = limit_at(l, i);
        if (limit < own && (i == 0 || limit > l->rungs[l->n_rungs - 1].promise.limit))
            add_rung(l, limit);
    }
    add_rung(l, own);
}

static kan_found best_of(const rung *r) {
    const kan_found own = kan_trail_last(&r->trail);
    return kan_found_is_better(&r->seed, &own) ? r->seed : own;
}

static uint64_t steps_left(const ladder *l, const rung *r) {
    return l->most_steps - r->n_steps;
}

/* ---- boxes ---------------------------------------------------------------------------------- */

static kan_status search_boxes(ladder *l, rung *r, uint64_t most) {
    kan_status status;
    kan_judge judge;
    kan_trail trail = {.n = 0};
    kan_boxes boxes = {.question = r->question,
                       .lattice = &l->lattice,
                       .strict = r->strict,
                       .is_part = l->n_checked > 0,
                       .seed = best_of(r),
                       .trail = &trail,
                       .most_checked = most < steps_left(l, r) ? most : steps_left(l, r)};
    kan_judge_init(&judge, r->question);
    KAN_TRY_DONE(kan_boxes_search(&boxes, &judge));
    KAN_TRY_DONE(kan_trail_append(&r->trail, l->run, r->n_steps, &trail, UINT64_MAX));
    r->is_proven = boxes.is_proven;
    if (!r->has_bound || boxes.bound.real > r->bound.real)
        r->bound = boxes.bound;
    r->has_bound = true;
    r->n_steps += boxes.n_reached;
    r->n_boxed += boxes.n_reached;
    r->last_boxes = most;
    l->n_checked += boxes.n_checked;
    l->effort.n_scans += boxes.effort.n_scans;
    l->effort.n_rollups += boxes.effort.n_rollups;
    l->effort.n_tuples += boxes.effort.n_tuples;
    if (judge.least_suppressed < l->least_suppressed)
        l->least_suppressed = judge.least_suppressed;
done:
    kan_trail_destroy(&trail, l->run);
    kan_judge_destroy(&judge);
    return status;
}

/* The best bound that is known of the question itself. */
static kan_status raise_bound(ladder *l) {
    rung *own = &l->rungs[l->n_rungs - 1];
    kan_blocks blocks = {.question = own->question,
                         .most_nodes = l->pace->block_nodes,
                         .most_checked = l->pace->block_checked};
    KAN_TRY(kan_blocks_search(&blocks));
    l->n_checked += blocks.n_checked;
    if (blocks.has_bound && !(own->bound.real > blocks.bound))
        own->bound = kan_score_real(blocks.bound);
    return KAN_OK;
}

/* ---- walks ---------------------------------------------------------------------------------- */

/* Four walks from the same best, one after the other as steps are counted. */
typedef struct {
    rung *r;
    kan_walk walks[N_WALKS];
} wave;

typedef struct {
    ladder *l;
    unsigned n_waves;
    wave waves[MAX_RUNGS];
} slice;

static kan_status find_corners(ladder *l, rung *r) {
    uint64_t tight = 0;
    if (r->has_corners)
        return KAN_OK;
    for (unsigned a = 0; a < l->lattice.n_attributes; a++) {
        r->low[a] = (uint8_t)l->lattice.low[a];
        r->high[a] = (uint8_t)kan_lattice_high(&l->lattice, a);
    }
    r->has_corners = true;
    return kan_root_raise(r->question, r->high, r->low, &tight);
}

static kan_status make_crowd(ladder *l, const rung *r) {
    kan_status status;
    kan_probe probe;
    if (l->has_crowd)
        return KAN_OK;
    KAN_TRY_DONE(kan_probe_init(&probe, r->question));
    if (probe.counts_people) {
        KAN_TRY_DONE(kan_probe_make_crowd(&probe, &l->crowd));
        l->has_crowd = true;
    }
done:
    kan_probe_destroy(&probe);
    return status;
}

/* Most begin where something good is, the others where something good may be. */
static kan_status open_wave(ladder *l, rung *r, wave *w) {
    const uint64_t most = 32 * l->pace->first_walks;
    static const kan_walk_start first[N_WALKS] = {KAN_WALK_FROM_TOP, KAN_WALK_FRUGAL,
                                                  KAN_WALK_FROM_BEST, KAN_WALK_FROM_BEST};
    static const kan_walk_start later[N_WALKS] = {KAN_WALK_FROM_BEST, KAN_WALK_FROM_BEST,
                                                  KAN_WALK_FROM_BEST, KAN_WALK_VAGUE};
    static const unsigned temperatures[N_WALKS] = {10, 5, 20, 10};
    KAN_TRY(find_corners(l, r));
    KAN_TRY(make_crowd(l, r));
    r->last_length = r->n_waves == 0             ? l->pace->first_walks
                     : r->last_length * 2 > most ? most
                                                 : r->last_length * 2;
    w->r = r;
    for (unsigned i = 0; i < N_WALKS; i++)
        w->walks[i] = (kan_walk){.question = r->question,
                                 .strict = r->strict,
                                 .crowd = l->has_crowd ? &l->crowd : NULL,
                                 .low = r->low,
                                 .high = r->high,
                                 .best = best_of(r),
                                 .start = r->n_waves == 0 ? first[i] : later[i],
                                 .random = r->n_waves * N_WALKS + i,
                                 .n_steps = r->last_length * r->weight,
                                 .temperature = temperatures[i]};
    r->n_waves++;
    for (unsigned i = 0; i < N_WALKS; i++) {
        const uint64_t before = i * r->last_length, left = steps_left(l, r);
        const uint64_t wanted = before < left ? left - before : 0;
        w->walks[i].most_steps = (wanted < r->last_length ? wanted : r->last_length) * r->weight;
    }
    return KAN_OK;
}

static kan_status do_walk(void *context, size_t index, unsigned worker) {
    slice *s = context;
    (void)worker;
    /* The first of all rungs, then the second: what all have made counts when it is stopped. */
    return kan_walk_go(&s->waves[index % s->n_waves].walks[index / s->n_waves], s->l->run);
}

/* What is found by a part of a step counts when all of it is made. */
static kan_status take_trail(ladder *l, rung *r, const kan_trail *trail) {
    for (size_t i = 0; i < trail->n; i++)
        KAN_TRY(kan_trail_note(&r->trail, l->run,
                               r->n_steps + (trail->marks[i].step + r->weight - 1) / r->weight,
                               &trail->marks[i].found));
    return KAN_OK;
}

/* Walks in their order, until one was stopped. */
static kan_status take_wave(ladder *l, const wave *w) {
    rung *r = w->r;
    for (unsigned i = 0; i < N_WALKS; i++) {
        const kan_walk *walk = &w->walks[i];
        KAN_TRY(take_trail(l, r, &walk->trail));
        r->n_steps += walk->n_made / r->weight;
        r->n_walked += walk->n_made / r->weight;
        l->n_checked += walk->n_checked;
        l->effort.n_scans += walk->effort.n_scans;
        l->effort.n_rollups += walk->effort.n_rollups;
        l->effort.n_tuples += walk->effort.n_tuples;
        if (walk->n_made < walk->most_steps)
            break;
    }
    return KAN_OK;
}

/* Each walk has sets of its own: under a budget that does not hold those of all threads, one after the
 * other. */
static kan_status walk_all(ladder *l, slice *s) {
    const size_t n = (size_t)s->n_waves * N_WALKS;
    const kan_freqset *base = &l->question->problem->base;
    const uint64_t needed = 20 * (uint64_t)(base->n + 1) * (base->layout.n_words + 1) * 8;
    if (kan_run_memory_left(l->run) / kan_run_threads(l->run) >= needed)
        return kan_parallel(l->run, n, do_walk, s);
    for (size_t i = 0; i < n; i++)
        KAN_TRY(do_walk(s, i, 0));
    return KAN_OK;
}

static kan_status do_walks(ladder *l, slice *s) {
    kan_status status = walk_all(l, s);
    for (unsigned i = 0; i < s->n_waves; i++) {
        if (status == KAN_OK)
            status = take_wave(l, &s->waves[i]);
        for (unsigned j = 0; j < N_WALKS; j++)
            kan_trail_destroy(&s->waves[i].walks[j].trail, l->run);
    }
    return status;
}

/* ---- in turn -------------------------------------------------------------------------------- */

/* What the rungs do next: so many nodes by boxes; 0: walks. All that are not proven have made as many steps,
 * so that effort ends in the same item for each. */
static uint64_t next_boxes(const ladder *l, const rung *r) {
    if (r->n_steps == 0)
        return l->pace->first_boxes;
    return r->n_walked < l->pace->walks_per_box * r->n_boxed ? 0 : 2 * r->last_boxes;
}

static bool is_proven(const ladder *l) {
    return l->rungs[l->n_rungs - 1].is_proven;
}

/* Efforts below that of the first boxes are those of the question's own limit. */
static bool is_own_alone(const ladder *l) {
    return l->most_steps < l->pace->first_boxes;
}

/* Rungs know what the one below knew when its last item was over: the items before decide alone. */
static void pass_seeds(ladder *l) {
    for (unsigned i = l->n_rungs; i-- > 1;)
        l->rungs[i].seed = best_of(&l->rungs[i - 1]);
}

/* A rung's next item, unless it is proven. Walks are made later, together. */
static kan_status do_item(ladder *l, rung *r, slice *s) {
    if (r->is_proven || l->is_stopped || steps_left(l, r) == 0)
        return KAN_OK;
    const uint64_t n = next_boxes(l, r);
    if (n == 0)
        return open_wave(l, r, &s->waves[s->n_waves++]);
    KAN_TRY(search_boxes(l, r, n));
    l->is_stopped |= kan_should_stop(l->run);
    return KAN_OK;
}

/* Every rung does one item, the question's own first: when that is proven the others are not needed. What is
 * known to one at the beginning of an item has been found in items that were done in full, so that nothing
 * depends on how many steps are wanted. */
static kan_status do_items(ladder *l) {
    slice s = {.l = l};
    pass_seeds(l);
    for (unsigned i = l->n_rungs; i-- > 0 && !is_proven(l);)
        KAN_TRY(do_item(l, &l->rungs[i], &s));
    if (s.n_waves > 0 && !is_proven(l))
        KAN_TRY(do_walks(l, &s));
    l->is_stopped |= kan_should_stop(l->run);
    return KAN_OK;
}

/* Steps that every rung has made, or need not make. */
static uint64_t count_steps(const ladder *l) {
    uint64_t n = UINT64_MAX;
    for (unsigned i = 0; i < l->n_rungs; i++)
        if (!l->rungs[i].is_proven && l->rungs[i].n_steps < n)
            n = l->rungs[i].n_steps;
    return n;
}

static void report(const ladder *l) {
    const rung *own = &l->rungs[l->n_rungs - 1];
    const kan_found best = best_of(own);
    const uint64_t done = count_steps(l), total = l->most_steps;
    kan_report_search(l->run, "steps", done < total ? done : total, total < UINT64_MAX ? total : 0,
                      best.is_found, best.score.real, own->has_bound ? own->bound.real : 0);
}

static kan_status climb(ladder *l) {
    /* The first boxes of the question's own limit go first: most questions are answered by them. */
    rung *own = &l->rungs[l->n_rungs - 1];
    bool is_bounded = false;
    KAN_TRY(search_boxes(l, own, l->pace->first_boxes));
    l->is_stopped |= kan_should_stop(l->run);
    for (unsigned i = 0; i + 1 < l->n_rungs && !is_proven(l) && !is_own_alone(l); i++)
        KAN_TRY(do_item(l, &l->rungs[i], NULL));
    while (!is_proven(l) && !l->is_stopped && count_steps(l) < l->most_steps && !is_own_alone(l)) {
        KAN_TRY(do_items(l));
        /* A bound is worth something when good answers are there to be compared with it. */
        if (own->n_waves == FIRST_BOUND && !is_bounded && !l->is_stopped)
            KAN_TRY(raise_bound(l));
        is_bounded = own->n_waves >= FIRST_BOUND;
        report(l);
    }
    return KAN_OK;
}

/* ---- the answer ----------------------------------------------------------------------------- */

/* The best after so many steps of every rung. */
static kan_found find_best(const ladder *l, uint64_t n_steps) {
    kan_found best = {.is_found = false};
    const unsigned first = n_steps < l->pace->first_boxes ? l->n_rungs - 1 : 0;
    for (unsigned i = first; i < l->n_rungs; i++) {
        const kan_found found = kan_trail_at(&l->rungs[i].trail, n_steps);
        if (kan_found_is_better(&found, &best))
            best = found;
    }
    return best;
}

/* Steps that count: those that all rungs have made; or the question's own, as long as the first boxes
 * of the others are not over. */
static uint64_t count_reached(const ladder *l) {
    const rung *own = &l->rungs[l->n_rungs - 1];
    uint64_t n = is_proven(l) ? own->n_steps : count_steps(l);
    if (!is_proven(l) && n < l->pace->first_boxes)
        n = own->n_steps < l->pace->first_boxes ? own->n_steps : l->pace->first_boxes - 1;
    return n < l->most_steps ? n : l->most_steps;
}

/* So many steps that tables of any size take about as long: each looks at the tuples of the base, or at
 * fewer. The number tells no more of the table than how many digits its size has. */
static uint64_t share_of_work(const kan_problem *problem, uint64_t tuples, uint64_t least) {
    uint64_t n = tuples;
    for (size_t rest = problem->base.n; rest > 0; rest /= 2)
        n /= 2;
    return n < least ? least : n;
}

static bool lattice_is_huge(const kan_lattice *lattice, unsigned bits) {
    return !lattice->is_countable || lattice->n_nodes >> bits > 0;
}

/* Where the lattice is huge, boxes seldom prove soon: first comes what serves as an answer if there is
 * no time for anything else. */
kan_ladder_pace kan_ladder_default(const kan_problem *problem) {
    kan_lattice lattice;
    kan_lattice_make(&problem->space, &lattice);
    const bool is_huge = lattice_is_huge(&lattice, 26), is_vast = lattice_is_huge(&lattice, 40);
    const uint64_t most = share_of_work(problem, UINT64_C(1) << 31, 1 << 14);
    return (kan_ladder_pace){.first_boxes = is_vast   ? 8
                                            : is_huge ? 64
                                                      : 2 * most,
                             .first_walks = UINT64_C(4) * lattice.n_attributes,
                             .block_nodes = 1 << 16,
                             .block_checked = share_of_work(problem, UINT64_C(1) << 25, 128),
                             .walks_per_box = is_vast   ? 16
                                              : is_huge ? 4
                                                        : 1,
                             .most_steps = is_vast   ? most / 16
                                           : is_huge ? most
                                                     : 4 * most};
}

static void open_ladder(ladder *l, const kan_question *question, const kan_ladder_pace *pace,
                        uint64_t most_steps) {
    const kan_problem *problem = question->problem;
    l->question = question;
    l->pace = pace;
    l->run = problem->run;
    l->least_suppressed = UINT64_MAX;
    kan_lattice_make(&problem->space, &l->lattice);
    kan_crowd_init(&l->crowd, l->run);
    l->most_steps = most_steps;
    open_rungs(l);
}

static void close_ladder(ladder *l) {
    for (unsigned i = 0; i < l->n_rungs; i++)
        kan_trail_destroy(&l->rungs[i].trail, l->run);
    kan_crowd_destroy(&l->crowd);
    kan_free(l->run, l);
}

/* The first step after which there is an answer. */
static uint64_t find_first(const ladder *l) {
    uint64_t first = UINT64_MAX;
    for (unsigned i = 0; i < l->n_rungs; i++) {
        const bool is_own = i == l->n_rungs - 1;
        uint64_t step = l->rungs[i].trail.n > 0 ? l->rungs[i].trail.marks[0].step : UINT64_MAX;
        if (!is_own && step < l->pace->first_boxes)
            step = l->pace->first_boxes;
        if (step < first)
            first = step;
    }
    return first;
}

static void conclude(const ladder *l, uint64_t n_steps, kan_answer *answer) {
    const rung *own = &l->rungs[l->n_rungs - 1];
    const bool is_best = is_proven(l) && n_steps == own->n_steps;
    kan_judge judge = {.question = l->question,
                       .best = find_best(l, n_steps),
                       .least_suppressed = l->least_suppressed};
    *answer = (kan_answer){.n_nodes = 0};
    kan_judge_answer(&judge, is_best, answer);
    answer->n_nodes = l->lattice.n_nodes;
    answer->n_checked = l->n_checked;
    answer->effort = l->effort;
    answer->n_steps = n_steps;
    answer->is_out_of_steps = !is_best && !l->is_stopped;
    answer->bound = is_best ? judge.best.score.real : own->bound.real;
}

static kan_status climb_once(const kan_question *question, const kan_ladder_pace *pace,
                             uint64_t most_steps, bool is_late, kan_answer *answer) {
    kan_status status;
    ladder *l;
    KAN_TRY(kan_alloc_zero(question->problem->run, 1, sizeof *l, &l));
    open_ladder(l, question, pace, most_steps);
    KAN_TRY_DONE(climb(l));
    uint64_t n_steps = count_reached(l);
    if (is_late && find_first(l) < n_steps)
        n_steps = find_first(l);
    conclude(l, n_steps, answer);
    if (!answer->is_found && !is_proven(l))
        status = kan_check_cancel(l->run);
done:
    close_ladder(l);
    return status;
}

/* Whatever the effort, an answer is looked for until there is one, or none can be. It is then the first
 * one, so that no lower effort is better than a higher one. */
kan_status kan_ladder_search(const kan_question *question, const kan_ladder_pace *pace,
                             kan_answer *answer) {
    uint64_t most_steps = question->most_steps ? question->most_steps : pace->most_steps;
    KAN_TRY(climb_once(question, pace, most_steps, false, answer));
    while (!answer->is_found && answer->is_out_of_steps) {
        most_steps = most_steps > UINT64_MAX / 4 ? UINT64_MAX : 4 * most_steps;
        KAN_TRY(climb_once(question, pace, most_steps, true, answer));
    }
    return KAN_OK;
}

kan_status kan_boxes_find_best(const kan_question *question, kan_answer *answer) {
    const kan_ladder_pace pace = kan_ladder_default(question->problem);
    return kan_ladder_search(question, &pace, answer);
}
