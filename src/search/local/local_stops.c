/* The nodes of the lattice, the cheapest first: what all rows give up there.
 *
 * A lattice of very many nodes is thinned out: two attributes that have the fewest levels go up
 * together from then on, the one first that gives up less of what it can, until there are not too
 * many. The lowest node and the highest one are always there.
 *
 * Linear in tuples for each level, and n log n in nodes. */
#include <stdlib.h>

#include "search/local/local_inside.h"

enum { MOST_STOPS = 1 << 17 };

/* Levels that are taken one after the other, of one attribute or of several. */
typedef struct {
    unsigned n;
    struct step {
        double loss;  /* what rows give up there, as a share of what they can */
        double added; /* to all that rows give up */
        unsigned attribute, level;
    } * steps;
} track;

typedef struct {
    const kan_local_space *space;
    unsigned n;
    track tracks[KAN_MAX_ATTRIBUTES];
    kan_arena arena;
} tracks;

/* What all rows give up at a level of an attribute. */
static double weigh_level(const kan_local_space *space, const uint64_t *rows, unsigned a,
                          unsigned level) {
    const kan_local_attribute *attribute = &space->attributes[a];
    const uint32_t *from_leaf = attribute->hierarchy->levels[level].from_leaf;
    const double *loss = attribute->loss + attribute->first[level];
    double sum = 0;
    for (size_t t = 0; t < space->n_tuples; t++)
        sum += (double)rows[t] * loss[from_leaf[kan_local_leaves(space, t)[a]]];
    return sum;
}

static kan_status add_track(tracks *all, const uint64_t *rows, unsigned a) {
    const kan_dimension *d = &all->space->question->problem->space.dimensions[a];
    track *t = &all->tracks[all->n++];
    double before = weigh_level(all->space, rows, a, d->lowest);
    const double most = weigh_level(all->space, rows, a, d->highest);
    t->n = 0;
    KAN_TRY(kan_arena_alloc(&all->arena, d->highest - d->lowest + 1u, sizeof *t->steps, &t->steps));
    for (unsigned level = d->lowest + 1; level <= d->highest; level++) {
        const double loss = weigh_level(all->space, rows, a, level);
        t->steps[t->n++] = (struct step){most > 0 ? loss / most : 0, loss - before, a, level};
        before = loss;
    }
    return KAN_OK;
}

static double count_nodes(const tracks *all) {
    double n = 1;
    for (unsigned i = 0; i < all->n; i++)
        n *= all->tracks[i].n + 1.0;
    return n;
}

static int compare_steps(const void *a, const void *b) {
    const struct step *x = a, *y = b;
    if (x->attribute == y->attribute)
        return x->level < y->level ? -1 : 1;
    if (x->loss != y->loss)
        return x->loss < y->loss ? -1 : 1;
    return x->attribute < y->attribute ? -1 : 1;
}

static int compare_tracks(const void *a, const void *b) {
    const track *x = a, *y = b;
    if (x->n != y->n)
        return x->n > y->n ? -1 : 1;
    return x->n == 0 ? 0 : x->steps[0].attribute < y->steps[0].attribute ? -1 : 1;
}

/* The two shortest become one. */
static kan_status join_tracks(tracks *all) {
    qsort(all->tracks, all->n, sizeof *all->tracks, compare_tracks);
    track *to = &all->tracks[all->n - 2];
    const track *from = &all->tracks[--all->n];
    struct step *steps;
    KAN_TRY(kan_arena_alloc(&all->arena, to->n + from->n + 1u, sizeof *steps, &steps));
    memcpy(steps, to->steps, to->n * sizeof *steps);
    memcpy(steps + to->n, from->steps, from->n * sizeof *steps);
    to->n += from->n;
    to->steps = steps;
    qsort(to->steps, to->n, sizeof *to->steps, compare_steps);
    return KAN_OK;
}

typedef struct {
    double loss;
    uint32_t number;
} ranked;

static int compare_ranked(const void *a, const void *b) {
    const ranked *x = a, *y = b;
    if (x->loss != y->loss)
        return x->loss < y->loss ? -1 : 1;
    return x->number < y->number ? -1 : x->number > y->number;
}

/* The levels of a node, and what rows give up there beyond the lowest one. */
static double levels_of(const tracks *all, uint32_t number, uint8_t *levels) {
    double loss = 0;
    for (unsigned a = 0; a < all->space->n_attributes; a++)
        levels[a] = (uint8_t)all->space->attributes[a].lowest;
    for (unsigned i = 0; i < all->n; i++) {
        const track *t = &all->tracks[i];
        for (unsigned j = 0; j < number % (t->n + 1); j++) {
            levels[t->steps[j].attribute] = (uint8_t)t->steps[j].level;
            loss += t->steps[j].added;
        }
        number /= t->n + 1;
    }
    return loss;
}

static kan_status rank_nodes(const tracks *all, kan_local_stops *out) {
    const kan_local_space *space = all->space;
    uint8_t levels[KAN_MAX_ATTRIBUTES];
    ranked *order;
    out->n = (size_t)count_nodes(all);
    KAN_TRY(kan_alloc(space->run, out->n * space->n_attributes, sizeof *out->levels, &out->levels));
    KAN_TRY(kan_alloc(space->run, out->n, sizeof *order, &order));
    for (size_t i = 0; i < out->n; i++)
        order[i] = (ranked){levels_of(all, (uint32_t)i, levels), (uint32_t)i};
    qsort(order, out->n, sizeof *order, compare_ranked);
    for (size_t i = 0; i < out->n; i++)
        levels_of(all, order[i].number, out->levels + i * space->n_attributes);
    kan_free(space->run, order);
    return KAN_OK;
}

kan_status kan_local_stops_make(const kan_local_space *space, const uint64_t *rows,
                                kan_local_stops *out) {
    tracks all = {.space = space};
    kan_status status;
    *out = (kan_local_stops){.n = 0};
    kan_arena_init(&all.arena, space->run);
    for (unsigned a = 0; a < space->n_attributes; a++)
        KAN_TRY_DONE(add_track(&all, rows, a));
    while (all.n > 1 && count_nodes(&all) > MOST_STOPS)
        KAN_TRY_DONE(join_tracks(&all));
    KAN_TRY_DONE(rank_nodes(&all, out));
done:
    kan_arena_destroy(&all.arena);
    return status;
}

void kan_local_stops_destroy(const kan_local_space *space, kan_local_stops *stops) {
    kan_free(space->run, stops->levels);
}
