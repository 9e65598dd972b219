/* Leaps over the lattice: see walk.h.
 *
 * All arithmetic is exact or a single operation of doubles, so that every machine walks the same way:
 * no logarithm and no power of a library is asked. */
#include "search/boxes/walk.h"

#include <math.h>
#include <string.h>

#include "core/hash.h"
#include "core/memory.h"

/* What a node that was looked at costs. */
typedef struct {
    uint8_t levels[KAN_MAX_ATTRIBUTES];
    bool is_used;
    /* It fails; or it costs more than `least`, by how much nobody asked; else it is `found`. */
    bool fails;
    double least;
    kan_found found;
    uint64_t n_failing;
} memory_of_node;

enum { MEMORY_BITS = 12, MEMORY_SIZE = 1 << MEMORY_BITS };

typedef struct {
    kan_walk *walk;
    kan_probe probe;
    unsigned n_attributes;
    unsigned here[KAN_MAX_ATTRIBUTES];
    kan_found at_here;       /* not found where it does not satisfy */
    uint64_t n_failing_here; /* on the way down */
    kan_found best;
    kan_freqset lowest,
        near; /* the sets at walk->low, and a level below all attributes of some node */
    unsigned near_levels[KAN_MAX_ATTRIBUTES];
    bool has_near, is_stopped;
    bool is_vague;  /* on the way down: what brings most is a guess */
    bool is_frugal; /* on the way down: what brings most for the rows that it loses is best */
    memory_of_node *memory;
    uint64_t random;
} walker;

/* ---- looking -------------------------------------------------------------------------------- */

static bool is_over(walker *w) {
    w->is_stopped |= kan_should_stop(w->probe.run);
    return w->is_stopped || w->walk->n_made >= w->walk->most_steps;
}

static bool is_above_near(const walker *w, const unsigned *levels) {
    if (!w->has_near)
        return false;
    for (unsigned a = 0; a < w->n_attributes; a++)
        if (levels[a] < w->near_levels[a])
            return false;
    return true;
}

/* Nodes around `here` are looked at from a set that is not much larger than theirs. */
static kan_status make_near(walker *w, const unsigned *levels) {
    kan_groups groups;
    for (unsigned a = 0; a < w->n_attributes; a++) {
        const unsigned least = w->here[a] < levels[a] ? w->here[a] : levels[a];
        w->near_levels[a] = least > w->walk->low[a] ? least - 1 : least;
    }
    w->has_near = true;
    return kan_probe_look(&w->probe, &w->lowest, w->near_levels, &w->near, &groups);
}

static memory_of_node *remember(walker *w, const unsigned *levels) {
    uint64_t key = 0;
    for (unsigned a = 0; a < w->n_attributes; a++)
        key = kan_hash_word(key ^ levels[a]);
    return &w->memory[key >> (64 - MEMORY_BITS)];
}

static bool is_memory_of(const walker *w, const memory_of_node *m, const unsigned *levels) {
    for (unsigned a = 0; a < w->n_attributes; a++)
        if (m->levels[a] != levels[a])
            return false;
    return m->is_used;
}

/* Looks at a node, which takes a step. *out is not found where the node fails or costs more than
 * `most`. */
static kan_status look(walker *w, const unsigned *levels, double most, kan_found *out) {
    kan_judge *judge = &w->probe.judge;
    memory_of_node *m = remember(w, levels);
    kan_groups groups;
    w->walk->n_made++;
    if (!is_memory_of(w, m, levels) || (!m->fails && !m->found.is_found && m->least < most)) {
        if (!is_above_near(w, levels))
            KAN_TRY(make_near(w, levels));
        /* A pretence of something known, so that what costs more is not measured. */
        const kan_found pretence = {
            .is_found = most < INFINITY, .score = kan_score_real(most), .height = UINT32_MAX};
        judge->best = pretence;
        KAN_TRY(kan_probe_look(&w->probe, &w->near, levels, NULL, &groups));
        KAN_TRY(kan_probe_look_strictly(&w->probe, &w->near, &groups));
        *m = (memory_of_node){.is_used = true, .least = most};
        m->n_failing = groups.n_left_out;
        m->fails = groups.n_left_out > w->walk->question->promise->limit;
        KAN_TRY(kan_probe_measure(&w->probe, &w->near, NULL, &groups));
        for (unsigned a = 0; a < w->n_attributes; a++)
            m->levels[a] = (uint8_t)levels[a];
        if (judge->best.is_found && judge->best.height != UINT32_MAX)
            m->found = judge->best;
    }
    *out = m->found;
    if (!kan_found_is_better(out, &w->best))
        return KAN_OK;
    w->best = *out;
    return kan_trail_note(&w->walk->trail, w->probe.run, w->walk->n_made, &w->best);
}

static void move_to(walker *w, const kan_found *found) {
    w->at_here = *found;
    for (unsigned a = 0; a < w->n_attributes; a++)
        w->here[a] = found->levels[a];
}

/* ---- where it begins ------------------------------------------------------------------------ */

/* Distributed nearly as exponentials are, with mean 1.44: the zeros before the first bit, and a line
 * between them. */
static double draw_exponential(uint64_t *random) {
    const uint64_t bits = kan_random(random);
    if (bits == 0)
        return 64;
    const int zeros = __builtin_clzll(bits);
    const uint64_t rest = zeros == 63 ? 0 : bits << (zeros + 1);
    return zeros + 1 - (double)(rest >> 11) / 9007199254740992.0;
}

/* How much a node brings beside the one above it. */
static double gain_of(walker *w, const kan_found *found, uint64_t n_failing) {
    double gain = w->at_here.score.real - found->score.real;
    if (w->is_vague)
        gain *= draw_exponential(&w->random);
    return w->is_frugal ? gain / (double)(n_failing - w->n_failing_here + 1) : gain;
}

/* A level less of one attribute, as it was when that was looked at last. */
typedef struct {
    kan_found found;
    uint64_t n_failing;
    double gain;     /* infinite before it is known, below 0 where nothing is gained */
    bool is_of_here; /* nothing has fallen since */
    bool is_out;     /* it stands at its lowest, or fails, as it then always will */
} way_down;

/* The way that promises most; of equal ones the first. NULL where all are out. */
static way_down *choose_way(way_down *ways, unsigned n) {
    way_down *best = NULL;
    for (unsigned a = 0; a < n; a++)
        if (!ways[a].is_out && (!best || ways[a].gain > best->gain))
            best = &ways[a];
    /* Nothing is gained any more as far as is known: what is not known of here is looked at. */
    for (unsigned a = 0; best && best->is_of_here && best->gain < 0 && a < n; a++)
        if (!ways[a].is_out && !ways[a].is_of_here)
            best = &ways[a];
    return best;
}

static kan_status look_down(walker *w, unsigned a, way_down *way) {
    unsigned levels[KAN_MAX_ATTRIBUTES];
    way->is_out = w->here[a] == w->walk->low[a];
    if (way->is_out)
        return KAN_OK;
    memcpy(levels, w->here, sizeof levels);
    levels[a]--;
    KAN_TRY(look(w, levels, w->at_here.is_found ? w->at_here.score.real : INFINITY, &way->found));
    const memory_of_node *m = remember(w, levels);
    way->is_out = m->fails;
    way->n_failing = m->n_failing;
    way->is_of_here = true;
    way->gain = -1;
    if (kan_found_is_better(&way->found, &w->at_here))
        way->gain = w->at_here.is_found ? gain_of(w, &way->found, way->n_failing) : 0;
    return KAN_OK;
}

/* Down from `here`, each time by the one level that brings most. What one brought before another fell is
 * taken for what it still brings until it is the best that is left: few are looked at anew for
 * each fall, all of them before it ends. */
static kan_status descend(walker *w) {
    way_down ways[KAN_MAX_ATTRIBUTES];
    for (unsigned a = 0; a < w->n_attributes; a++)
        ways[a] = (way_down){.gain = INFINITY};
    while (!is_over(w)) {
        way_down *way = choose_way(ways, w->n_attributes);
        if (!way || (way->is_of_here && way->gain < 0))
            return KAN_OK;
        if (!way->is_of_here) {
            KAN_TRY(look_down(w, (unsigned)(way - ways), way));
            continue;
        }
        move_to(w, &way->found);
        w->n_failing_here = way->n_failing;
        for (unsigned a = 0; a < w->n_attributes; a++)
            ways[a].is_of_here = false;
    }
    return KAN_OK;
}

static kan_status begin_at_top(walker *w) {
    kan_found found;
    for (unsigned a = 0; a < w->n_attributes; a++)
        w->here[a] = w->walk->high[a];
    KAN_TRY(look(w, w->here, INFINITY, &found));
    w->at_here = found;
    w->n_failing_here = remember(w, w->here)->n_failing;
    return descend(w);
}

/* The way down may have come to an end there before it was over. */
static kan_status begin_at_best(walker *w) {
    kan_found found;
    move_to(w, &w->best);
    KAN_TRY(look(w, w->here, INFINITY, &found));
    w->n_failing_here = remember(w, w->here)->n_failing;
    return descend(w);
}

/* ---- walking -------------------------------------------------------------------------------- */

/* Halves six times on the way, straight in between. */
static double temperature_at(const kan_walk *walk, uint64_t done, uint64_t length) {
    enum { N_HALVINGS = 6 };
    const double at = (double)done * N_HALVINGS / (double)length;
    const int halvings = (int)at;
    const double first = (double)walk->temperature / 1000;
    return first / (double)(1u << halvings) * (1 - (at - halvings) / 2);
}

/* One attribute a level lower or higher, or one lower and another one or two higher. False where that
 * is not in the lattice. */
static bool draw_neighbour(walker *w, unsigned *levels) {
    const uint64_t kind = kan_random_below(&w->random, 10);
    const unsigned a = (unsigned)kan_random_below(&w->random, w->n_attributes);
    const unsigned b = (unsigned)kan_random_below(&w->random, w->n_attributes);
    memcpy(levels, w->here, sizeof w->here);
    const bool falls = kind < 3 || kind >= 5, rises = kind >= 3;
    const unsigned riser = kind < 5 ? a : b, by = kind >= 8 ? 2 : 1;
    if ((falls && levels[a] == w->walk->low[a]) || (falls && rises && a == b) ||
        (rises && levels[riser] == w->walk->high[riser]))
        return false;
    if (falls)
        levels[a]--;
    if (rises)
        levels[riser] += levels[riser] + by <= w->walk->high[riser] ? by : 1;
    return true;
}

/* Where nothing is known that satisfies: anywhere until something does, then as annealing does. */
static kan_status stray(walker *w) {
    const uint64_t first = w->walk->n_made, length = w->walk->n_steps - first;
    while (!is_over(w)) { /* then length is not 0 */
        unsigned levels[KAN_MAX_ATTRIBUTES];
        kan_found found;
        double most = INFINITY;
        if (!draw_neighbour(w, levels)) {
            w->walk->n_made++;
            continue;
        }
        if (w->at_here.is_found)
            most =
                w->at_here.score.real + temperature_at(w->walk, w->walk->n_made - first, length) *
                                            fabs(w->best.score.real) * draw_exponential(&w->random);
        KAN_TRY(look(w, levels, most, &found));
        /* What does not satisfy is left for anything. */
        if (!w->at_here.is_found || (found.is_found && found.score.real <= most)) {
            memcpy(w->here, levels, sizeof levels);
            w->at_here = found;
        }
    }
    return KAN_OK;
}

/* Some attributes rise, anywhere; then down, now by gain, now by gain for what is lost. What is not
 * much worse is where it goes on from. Up to half of the attributes rise: where few of many do, the way
 * down mostly ends where the leap began. */
static kan_status leap(walker *w) {
    enum { LEAST_RISING = 4 };
    const unsigned half = w->n_attributes / 2;
    const unsigned most_rising = half > LEAST_RISING ? half : LEAST_RISING;
    const uint64_t first = w->walk->n_made, length = w->walk->n_steps - first;
    while (!is_over(w)) {
        const kan_found from = w->at_here;
        const uint64_t n_rising = 1 + kan_random_below(&w->random, most_rising);
        unsigned levels[KAN_MAX_ATTRIBUTES];
        kan_found found;
        if (!from.is_found)
            return stray(w);
        memcpy(levels, w->here, sizeof levels);
        for (uint64_t i = 0; i < n_rising; i++) {
            const unsigned a = (unsigned)kan_random_below(&w->random, w->n_attributes);
            levels[a] += (unsigned)kan_random_below(&w->random, w->walk->high[a] - levels[a] + 1u);
        }
        w->is_frugal = kan_random_below(&w->random, 2);
        KAN_TRY(look(w, levels, INFINITY, &found));
        if (!found.is_found)
            continue;
        move_to(w, &found);
        w->n_failing_here = remember(w, w->here)->n_failing;
        KAN_TRY(descend(w));
        const double most =
            from.score.real + temperature_at(w->walk, w->walk->n_made - first, length) *
                                  fabs(w->best.score.real) * draw_exponential(&w->random);
        if (w->at_here.score.real > most)
            move_to(w, &from);
    }
    return KAN_OK;
}

static kan_status begin(walker *w) {
    unsigned levels[KAN_MAX_ATTRIBUTES];
    w->best = w->walk->best;
    w->is_vague = w->walk->start == KAN_WALK_VAGUE;
    w->is_frugal = w->walk->start == KAN_WALK_FRUGAL || w->is_vague;
    for (unsigned a = 0; a < w->n_attributes; a++)
        levels[a] = w->walk->low[a];
    KAN_TRY(kan_probe_scan(&w->probe, levels, &w->lowest));
    if (w->walk->start != KAN_WALK_FROM_BEST || !w->best.is_found)
        return begin_at_top(w);
    return begin_at_best(w);
}

static kan_status open_walker(walker *w, kan_run *run) {
    KAN_TRY(kan_probe_init(&w->probe, w->walk->question));
    if (w->walk->strict)
        KAN_TRY(kan_probe_be_strict(&w->probe, w->walk->strict));
    if (w->probe.counts_people)
        KAN_TRY(kan_probe_use_crowd(&w->probe, w->walk->crowd));
    return kan_alloc_zero(run, MEMORY_SIZE, sizeof *w->memory, &w->memory);
}

kan_status kan_walk_go(kan_walk *walk, kan_run *run) {
    kan_status status;
    walker w = {.walk = walk,
                .n_attributes = walk->question->problem->space.n_attributes,
                .random = walk->random};
    KAN_TRY_DONE(open_walker(&w, run));
    KAN_TRY_DONE(begin(&w));
    KAN_TRY_DONE(leap(&w));
done:
    walk->n_checked += w.probe.n_checked;
    walk->effort = w.probe.effort;
    kan_freqset_destroy(run, &w.lowest);
    kan_freqset_destroy(run, &w.near);
    kan_free(run, w.memory);
    kan_probe_destroy(&w.probe);
    return status;
}
