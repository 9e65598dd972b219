/* Improving a local recoding: beyond the paper.
 *
 * The loss is the sum of what every row gives up at the nodes of its class. Three changes lower it,
 * and each is made only when every class that it touches still keeps the promise:
 *   move      rows of a tuple go to the class where they, and what the class must be lifted by to
 *             take them in, cost least; the class that they leave is lowered where that is possible
 *   divide    rows of a class that are near each other become a class of their own
 *   dissolve  all rows of a class move
 * Classes are visited again and again, those that give up most first, until no change lowers the
 * loss, or until the time is up. The loss never rises. All is decided in a fixed order, so that
 * what comes out is the same in every run that comes to its end in time.
 *
 * A row is held against classes in blocks of neighbours: a look-up and an addition for each class
 * and attribute of those blocks that may hold the best. */
#include <math.h>
#include <stdlib.h>

#include "search/local/local_inside.h"

/* Gains below this are noise of rounding. */
#define LEAST_GAIN 1e-9

/* ---- classes side by side ------------------------------------------------------------------- */

enum { BLOCK = 32 };

/* A block takes in what stands at a place. */
static void widen_block(kan_local_improver *im, size_t place) {
    const size_t block = place / BLOCK;
    for (unsigned a = 0; a < im->space->n_attributes; a++) {
        const kan_local_attribute *attribute = &im->space->attributes[a];
        const uint32_t node = im->node[a][place];
        const double loss = attribute->loss[node];
        uint32_t *covers = &im->block_node[a][block];
        *covers = *covers == UINT32_MAX ? node : kan_local_join(attribute, *covers, node);
        if (loss < im->block_loss[a][block])
            im->block_loss[a][block] = loss;
    }
}

void kan_local_improver_follow(kan_local_improver *im, size_t c) {
    const kan_local_class *class = &im->classes->classes[c];
    const size_t place = im->place_of[c];
    im->n_rows[place] = (double)class->census.n_rows;
    im->is_settled[c] = false;
    if (class->census.n_rows == 0)
        return;
    for (unsigned a = 0; a < im->space->n_attributes; a++)
        im->node[a][place] = class->node[a];
    im->loss[place] = kan_local_loss(im->space, class->node);
    widen_block(im, place);
}

static kan_status reserve(kan_local_improver *im, size_t n) {
    kan_run *run = im->space->run;
    if (n <= im->room)
        return KAN_OK;
    const size_t room = n + n / 2, n_blocks = room / BLOCK + 1;
    for (unsigned a = 0; a < im->space->n_attributes; a++) {
        KAN_TRY(kan_resize(run, room, sizeof *im->node[a], &im->node[a]));
        KAN_TRY(kan_resize(run, n_blocks, sizeof *im->block_node[a], &im->block_node[a]));
        KAN_TRY(kan_resize(run, n_blocks, sizeof *im->block_loss[a], &im->block_loss[a]));
    }
    KAN_TRY(kan_resize(run, room, sizeof *im->class_at, &im->class_at));
    KAN_TRY(kan_resize(run, room, sizeof *im->place_of, &im->place_of));
    KAN_TRY(kan_resize(run, room, sizeof *im->loss, &im->loss));
    KAN_TRY(kan_resize(run, room, sizeof *im->n_rows, &im->n_rows));
    KAN_TRY(kan_resize(run, room, sizeof *im->is_settled, &im->is_settled));
    im->room = room;
    return KAN_OK;
}

/* Puts a class at the next place; a new block covers nothing yet. */
static void place_class(kan_local_improver *im, size_t c) {
    const size_t place = im->n++;
    im->class_at[place] = (uint32_t)c;
    im->place_of[c] = (uint32_t)place;
    im->n_rows[place] = im->loss[place] = 0;
    for (unsigned a = 0; a < im->space->n_attributes; a++) {
        im->node[a][place] = 0;
        if (place % BLOCK == 0) {
            im->block_node[a][place / BLOCK] = UINT32_MAX;
            im->block_loss[a][place / BLOCK] = INFINITY;
        }
    }
    kan_local_improver_follow(im, c);
}

kan_status kan_local_improver_add(kan_local_improver *im, size_t *out) {
    KAN_TRY(reserve(im, im->n + 1));
    KAN_TRY(kan_local_classes_add(im->classes, out));
    place_class(im, *out);
    return KAN_OK;
}

bool kan_local_improver_is_over(const kan_local_improver *im) {
    return kan_now_ms() > im->deadline_ms || kan_should_stop(im->space->run);
}

static kan_status tabulate(kan_local_improver *im) {
    enum { MOST_ENTRIES = 1 << 22 };
    for (unsigned a = 0; a < im->space->n_attributes; a++) {
        const kan_local_attribute *attribute = &im->space->attributes[a];
        const size_t n_leaves = attribute->first[1], n_nodes = attribute->n_nodes;
        if (n_leaves > MOST_ENTRIES / n_nodes)
            continue;
        KAN_TRY(kan_alloc(im->space->run, n_leaves * n_nodes, sizeof(double), &im->join_loss[a]));
        for (uint32_t leaf = 0; leaf < n_leaves; leaf++)
            for (uint32_t node = 0; node < n_nodes; node++)
                im->join_loss[a][leaf * n_nodes + node] =
                    attribute->loss[kan_local_join(attribute, leaf, node)];
    }
    return KAN_OK;
}

/* ---- where rows cost least ------------------------------------------------------------------ */

/* What a row gives up at least in any class of a block that takes it in. Outside of what covers the
 * block, it is joined with any of its classes at the same node. */
static double block_bound(const kan_local_improver *im, size_t block, const uint32_t *leaves) {
    double bound = 0;
    for (unsigned a = 0; a < im->space->n_attributes; a++) {
        const uint32_t covers = im->block_node[a][block];
        if (covers == UINT32_MAX)
            return INFINITY;
        const double joined = kan_local_joined_loss(im, a, leaves[a], covers);
        bound += joined > im->space->attributes[a].loss[covers] ? joined : im->block_loss[a][block];
    }
    return bound;
}

static kan_status passes_with(kan_local_improver *im, size_t c, uint32_t tuple, uint64_t n_rows,
                              bool *out) {
    kan_census *census = &im->classes->classes[c].census;
    KAN_TRY(kan_census_add(im->space, census, tuple, n_rows));
    *out = kan_census_passes(im->space, census);
    kan_census_remove(im->space, census, tuple, n_rows);
    return KAN_OK;
}

/* Looks at one block; `most` and `best` are those so far. */
static kan_status find_in_block(kan_local_improver *im, size_t block, const kan_bundle *bundle,
                                size_t except, double *most, size_t *best) {
    const uint32_t *leaves = kan_local_leaves(im->space, bundle->tuple);
    const size_t first = block * BLOCK, end = im->n - first < BLOCK ? im->n : first + BLOCK;
    const double n = (double)bundle->n_rows;
    double joined[BLOCK] = {0};
    for (unsigned a = 0; a < im->space->n_attributes; a++) {
        const uint32_t *node = im->node[a] + first;
        for (size_t i = 0; i < end - first; i++)
            joined[i] += kan_local_joined_loss(im, a, leaves[a], node[i]);
    }
    for (size_t p = first; p < end; p++) {
        const double more = (im->n_rows[p] + n) * joined[p - first] - im->n_rows[p] * im->loss[p];
        bool passes = true;
        if (more >= *most || im->class_at[p] == except || im->n_rows[p] == 0)
            continue;
        if (!im->space->question->promise->absorbs_any)
            KAN_TRY(passes_with(im, im->class_at[p], bundle->tuple, bundle->n_rows, &passes));
        if (passes) {
            *most = more;
            *best = im->class_at[p];
        }
    }
    return KAN_OK;
}

kan_status kan_local_improver_find(kan_local_improver *im, uint32_t tuple, uint64_t n_rows,
                                   size_t except, double most, size_t *out, double *added) {
    const kan_bundle bundle = {tuple, n_rows};
    const uint32_t *leaves = kan_local_leaves(im->space, tuple);
    *out = SIZE_MAX;
    for (size_t block = 0; block * BLOCK < im->n; block++)
        if ((double)n_rows * block_bound(im, block, leaves) < most)
            KAN_TRY(find_in_block(im, block, &bundle, except, &most, out));
    *added = most;
    return KAN_OK;
}

/* ---- moves ---------------------------------------------------------------------------------- */

static double loss_of(const kan_local_improver *im, size_t c) {
    return im->loss[im->place_of[c]];
}

/* What the rows of a class lose without those of bundle `i`; of large classes the nodes hardly
 * change and are not looked at again. */
static double loss_without(const kan_local_improver *im, size_t c, size_t i) {
    enum { MOST_BUNDLES = 256 };
    const kan_local_space *space = im->space;
    const kan_local_class *class = &im->classes->classes[c];
    uint32_t nodes[KAN_MAX_ATTRIBUTES];
    bool is_first = true;
    if (class->members.n > MOST_BUNDLES || class->members.n == 1)
        return loss_of(im, c);
    for (size_t j = 0; j < class->members.n; j++) {
        const uint32_t *leaves = kan_local_leaves(space, class->members.bundles[j].tuple);
        if (j == i)
            continue;
        for (unsigned a = 0; a < space->n_attributes; a++)
            nodes[a] =
                is_first ? leaves[a] : kan_local_join(&space->attributes[a], nodes[a], leaves[a]);
        is_first = false;
    }
    return kan_local_loss(space, nodes);
}

/* How many rows of a bundle can leave: all, or as many as the class can spare. */
static kan_status count_spare(kan_local_improver *im, size_t c, size_t i, uint64_t *out) {
    const kan_local_space *space = im->space;
    kan_local_class *class = &im->classes->classes[c];
    const kan_bundle bundle = class->members.bundles[i];
    const uint64_t least = space->question->promise->least_size;
    *out = 0;
    if (class->census.n_rows <= least)
        return KAN_OK;
    uint64_t n = class->census.n_rows - least;
    for (n = n < bundle.n_rows ? n : bundle.n_rows; n > 0 && *out == 0; n /= 2) {
        kan_census_remove(space, &class->census, bundle.tuple, n);
        if (kan_census_passes(space, &class->census))
            *out = n;
        KAN_TRY(kan_census_add(space, &class->census, bundle.tuple, n));
    }
    return KAN_OK;
}

static kan_status move_part(kan_local_improver *im, size_t c, size_t i, bool *is_done) {
    kan_local_class *class = &im->classes->classes[c];
    const kan_bundle bundle = class->members.bundles[i];
    uint64_t n;
    size_t to;
    double added;
    *is_done = false;
    KAN_TRY(count_spare(im, c, i, &n));
    if (n == 0)
        return KAN_OK;
    const double n_rows = (double)class->census.n_rows, left = n_rows - (double)n;
    const double gain = n_rows * loss_of(im, c) -
                        left * (n == bundle.n_rows ? loss_without(im, c, i) : loss_of(im, c));
    KAN_TRY(kan_local_improver_find(im, bundle.tuple, n, c, gain - LEAST_GAIN, &to, &added));
    if (to == SIZE_MAX)
        return KAN_OK;
    KAN_TRY(kan_local_class_add(im->classes, to, bundle.tuple, n));
    kan_local_class_remove(im->classes, c, i, n);
    if (n == bundle.n_rows)
        kan_local_class_tighten(im->classes, c);
    kan_local_improver_follow(im, to);
    kan_local_improver_follow(im, c);
    im->n_moves++;
    *is_done = true;
    return KAN_OK;
}

/* Removing a bundle puts another in its place, so the bundles are visited from the last to the
 * first; the class may be lowered, and its bundles are in another order then: it is visited again.
 */
static kan_status move_parts(kan_local_improver *im, size_t c, bool *is_done) {
    bool has_moved = false, is_moved;
    for (size_t i = im->classes->classes[c].members.n; i-- > 0;) {
        if (i >= im->classes->classes[c].members.n)
            continue;
        KAN_TRY(move_part(im, c, i, &is_moved));
        has_moved |= is_moved;
        if (kan_local_improver_is_over(im))
            break;
    }
    *is_done = has_moved;
    return KAN_OK;
}

/* ---- visits --------------------------------------------------------------------------------- */

typedef struct {
    double loss;
    size_t class;
} visit;

static int compare_visits(const void *a, const void *b) {
    const visit *x = a, *y = b;
    if (x->loss != y->loss)
        return x->loss > y->loss ? -1 : 1;
    return x->class < y->class ? -1 : x->class > y->class;
}

static bool is_open(const kan_local_improver *im, size_t c) {
    return im->classes->classes[c].census.n_rows > 0 && loss_of(im, c) > 0;
}

/* One class: all that can be done with it. */
static kan_status visit_class(kan_local_improver *im, size_t c, bool *is_better) {
    bool moved = false, divided = false, dissolved = false;
    if (is_open(im, c) && !im->is_settled[c]) {
        KAN_TRY(kan_local_divide(im, c, &divided));
        im->is_settled[c] = true;
    }
    if (is_open(im, c))
        KAN_TRY(move_parts(im, c, &moved));
    if (is_open(im, c))
        KAN_TRY(kan_local_dissolve(im, c, &dissolved));
    *is_better |= moved || divided || dissolved;
    return KAN_OK;
}

/* All classes once, those whose rows give up most first. */
static kan_status visit_all(kan_local_improver *im, bool *is_better) {
    kan_run *run = im->space->run;
    const size_t n = im->n;
    kan_status status = KAN_OK;
    visit *visits;
    *is_better = false;
    KAN_TRY(kan_alloc(run, n, sizeof *visits, &visits));
    for (size_t c = 0; c < n; c++)
        visits[c] = (visit){is_open(im, c) ? loss_of(im, c) : 0, c};
    qsort(visits, n, sizeof *visits, compare_visits);
    for (size_t v = 0; v < n && status == KAN_OK && !kan_local_improver_is_over(im); v++) {
        kan_report_progress(run, "search", v, n);
        status = visit_class(im, visits[v].class, is_better);
    }
    kan_free(run, visits);
    return status;
}

/* Neighbours: classes in the order of their nodes. */
typedef struct {
    const kan_local_space *space;
    const uint32_t *node;
    size_t class;
} neighbour;

static int compare_neighbours(const void *a, const void *b) {
    const neighbour *x = a, *y = b;
    for (unsigned i = 0; i < x->space->n_attributes; i++) {
        const kan_local_attribute *attribute = &x->space->attributes[i];
        /* by the first leaf below, so that nodes stand beside what is below them */
        const unsigned lx = attribute->level[x->node[i]], ly = attribute->level[y->node[i]];
        const uint32_t fx =
            kan_hierarchy_first_leaf(attribute->hierarchy, lx, x->node[i] - attribute->first[lx]);
        const uint32_t fy =
            kan_hierarchy_first_leaf(attribute->hierarchy, ly, y->node[i] - attribute->first[ly]);
        if (fx != fy)
            return fx < fy ? -1 : 1;
        if (lx != ly)
            return lx < ly ? -1 : 1;
    }
    return x->class < y->class ? -1 : x->class > y->class;
}

static kan_status place_classes(kan_local_improver *im) {
    const kan_local_classes *classes = im->classes;
    kan_run *run = im->space->run;
    neighbour *order;
    KAN_TRY(reserve(im, classes->n));
    KAN_TRY(kan_alloc(run, classes->n, sizeof *order, &order));
    for (size_t c = 0; c < classes->n; c++)
        order[c] = (neighbour){im->space, classes->classes[c].node, c};
    qsort(order, classes->n, sizeof *order, compare_neighbours);
    im->n = 0;
    for (size_t i = 0; i < classes->n; i++)
        place_class(im, order[i].class);
    kan_free(run, order);
    return KAN_OK;
}

static kan_status improve(kan_local_improver *im) {
    bool is_better = true;
    KAN_TRY(tabulate(im));
    while (is_better && !kan_local_improver_is_over(im)) {
        KAN_TRY(place_classes(im));
        KAN_TRY(visit_all(im, &is_better));
    }
    return KAN_OK;
}

kan_status kan_local_improve(kan_local_classes *classes, double seconds) {
    kan_run *run = classes->space->run;
    kan_local_improver im = {
        .classes = classes, .space = classes->space, .deadline_ms = kan_now_ms() + 1000 * seconds};
    const kan_status status = improve(&im);
    for (unsigned a = 0; a < classes->space->n_attributes; a++) {
        kan_free(run, im.node[a]);
        kan_free(run, im.block_node[a]);
        kan_free(run, im.block_loss[a]);
        kan_free(run, im.join_loss[a]);
    }
    kan_free(run, im.class_at);
    kan_free(run, im.place_of);
    kan_free(run, im.loss);
    kan_free(run, im.n_rows);
    kan_free(run, im.is_settled);
    return status == KAN_OK ? kan_local_classes_unite(classes) : status;
}
