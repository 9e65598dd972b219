/* Classes of a local recoding, and the regions that they become. */
#include <stdlib.h>

#include "search/local/local_inside.h"

kan_status kan_bundles_add(const kan_local_space *space, kan_bundles *bundles, uint32_t tuple,
                           uint64_t n_rows) {
    if (n_rows == 0)
        return KAN_OK;
    KAN_TRY(kan_reserve(space->run, bundles->n + 1, sizeof *bundles->bundles, &bundles->room,
                        &bundles->bundles));
    bundles->bundles[bundles->n++] = (kan_bundle){tuple, n_rows};
    return KAN_OK;
}

/* Leaves are numbered in the preorder of the tree: what covers the least and the greatest covers
 * all between them. */
void kan_bundles_cover(const kan_local_space *space, const kan_bundles *bundles, uint32_t *nodes) {
    const unsigned n = space->n_attributes;
    uint32_t least[KAN_MAX_ATTRIBUTES], most[KAN_MAX_ATTRIBUTES];
    KAN_ASSERT(bundles->n > 0);
    memcpy(least, kan_local_leaves(space, bundles->bundles[0].tuple), n * sizeof *least);
    memcpy(most, least, n * sizeof *most);
    for (size_t i = 1; i < bundles->n; i++) {
        const uint32_t *leaves = kan_local_leaves(space, bundles->bundles[i].tuple);
        for (unsigned a = 0; a < n; a++) {
            least[a] = leaves[a] < least[a] ? leaves[a] : least[a];
            most[a] = leaves[a] > most[a] ? leaves[a] : most[a];
        }
    }
    for (unsigned a = 0; a < n; a++)
        nodes[a] = kan_local_shown(&space->attributes[a],
                                   kan_local_join(&space->attributes[a], least[a], most[a]));
}

void kan_local_classes_init(kan_local_classes *classes, const kan_local_space *space) {
    *classes = (kan_local_classes){.space = space};
}

static void class_destroy(const kan_local_space *space, kan_local_class *class) {
    kan_free(space->run, class->members.bundles);
    kan_free(space->run, class->node);
    kan_census_destroy(space, &class->census);
}

void kan_local_classes_destroy(kan_local_classes *classes) {
    const kan_local_space *space = classes->space;
    for (size_t c = 0; c < classes->n; c++)
        class_destroy(space, &classes->classes[c]);
    kan_free(space->run, classes->classes);
    kan_free(space->run, classes->lost.bundles);
}

kan_status kan_local_classes_add(kan_local_classes *classes, size_t *out) {
    const kan_local_space *space = classes->space;
    kan_local_class class = {.node = NULL};
    KAN_TRY(
        kan_reserve(space->run, classes->n + 1, sizeof class, &classes->room, &classes->classes));
    kan_status status = kan_alloc(space->run, space->n_attributes, sizeof *class.node, &class.node);
    if (status == KAN_OK)
        status = kan_census_make(space, &class.census);
    if (status != KAN_OK) {
        class_destroy(space, &class);
        return status;
    }
    *out = classes->n;
    classes->classes[classes->n++] = class;
    return KAN_OK;
}

static void cover(const kan_local_space *space, uint32_t *nodes, const uint32_t *leaves) {
    for (unsigned a = 0; a < space->n_attributes; a++)
        nodes[a] = kan_local_join(&space->attributes[a], nodes[a], leaves[a]);
}

kan_status kan_local_class_add(kan_local_classes *classes, size_t c, uint32_t tuple,
                               uint64_t n_rows) {
    const kan_local_space *space = classes->space;
    kan_local_class *class = &classes->classes[c];
    const uint32_t *leaves = kan_local_leaves(space, tuple);
    if (n_rows == 0)
        return KAN_OK;
    for (unsigned a = 0; class->census.n_rows == 0 && a < space->n_attributes; a++)
        class->node[a] = kan_local_shown(&space->attributes[a], leaves[a]);
    if (class->census.n_rows > 0)
        cover(space, class->node, leaves);
    KAN_TRY(kan_bundles_add(space, &class->members, tuple, n_rows));
    return kan_census_add(space, &class->census, tuple, n_rows);
}

void kan_local_class_remove(kan_local_classes *classes, size_t c, size_t i, uint64_t n_rows) {
    kan_local_class *class = &classes->classes[c];
    kan_bundle *bundle = &class->members.bundles[i];
    KAN_ASSERT(i < class->members.n && n_rows <= bundle->n_rows);
    kan_census_remove(classes->space, &class->census, bundle->tuple, n_rows);
    bundle->n_rows -= n_rows;
    if (bundle->n_rows == 0)
        *bundle = class->members.bundles[--class->members.n];
}

static int compare_bundles(const void *a, const void *b) {
    const kan_bundle *x = a, *y = b;
    return x->tuple < y->tuple ? -1 : x->tuple > y->tuple;
}

void kan_local_class_tighten(kan_local_classes *classes, size_t c) {
    kan_local_class *class = &classes->classes[c];
    kan_bundle *bundles = class->members.bundles;
    size_t n = 0;
    if (class->members.n == 0)
        return;
    qsort(bundles, class->members.n, sizeof *bundles, compare_bundles);
    for (size_t i = 0; i < class->members.n; i++)
        if (n > 0 && bundles[n - 1].tuple == bundles[i].tuple)
            bundles[n - 1].n_rows += bundles[i].n_rows;
        else
            bundles[n++] = bundles[i];
    class->members.n = n;
    kan_bundles_cover(classes->space, &class->members, class->node);
}

kan_status kan_local_class_merge(kan_local_classes *classes, size_t to, size_t from) {
    const kan_local_space *space = classes->space;
    kan_local_class *source = &classes->classes[from], *target = &classes->classes[to];
    KAN_ASSERT(to != from);
    if (source->census.n_rows == 0)
        return KAN_OK;
    if (target->census.n_rows == 0)
        memcpy(target->node, source->node, space->n_attributes * sizeof *target->node);
    else
        cover(space, target->node, source->node);
    KAN_TRY(kan_reserve(space->run, target->members.n + source->members.n, sizeof(kan_bundle),
                        &target->members.room, &target->members.bundles));
    KAN_TRY(kan_census_add_all(space, &target->census, &source->census));
    memcpy(target->members.bundles + target->members.n, source->members.bundles,
           source->members.n * sizeof(kan_bundle));
    target->members.n += source->members.n;
    source->members.n = 0;
    kan_census_clear(space, &source->census);
    return KAN_OK;
}

kan_status kan_local_classes_take(kan_local_classes *classes, kan_local_classes *other) {
    KAN_TRY(kan_reserve(classes->space->run, classes->n + other->n, sizeof *classes->classes,
                        &classes->room, &classes->classes));
    for (size_t c = 0; c < other->n; c++)
        classes->classes[classes->n++] = other->classes[c];
    other->n = 0;
    for (size_t i = 0; i < other->lost.n; i++)
        KAN_TRY(kan_bundles_add(classes->space, &classes->lost, other->lost.bundles[i].tuple,
                                other->lost.bundles[i].n_rows));
    classes->n_lost += other->n_lost;
    other->lost.n = 0;
    other->n_lost = 0;
    return KAN_OK;
}

/* ---- classes that show the same ------------------------------------------------------------- */

static kan_status unite(kan_local_classes *classes, uint32_t *slots, size_t n_slots) {
    const kan_local_space *space = classes->space;
    const size_t size = space->n_attributes * sizeof(uint32_t);
    for (size_t c = 0; c < classes->n; c++) {
        const kan_local_class *class = &classes->classes[c];
        if (class->census.n_rows == 0)
            continue;
        size_t at = (size_t)kan_hash_bytes(class->node, size) & (n_slots - 1);
        while (slots[at] != 0 &&
               memcmp(classes->classes[slots[at] - 1].node, class->node, size) != 0)
            at = (at + 1) & (n_slots - 1);
        if (slots[at] == 0)
            slots[at] = (uint32_t)c + 1;
        else
            KAN_TRY(kan_local_class_merge(classes, slots[at] - 1, c));
    }
    return KAN_OK;
}

static void drop_empty(kan_local_classes *classes) {
    size_t n = 0;
    for (size_t c = 0; c < classes->n; c++)
        if (classes->classes[c].census.n_rows > 0)
            classes->classes[n++] = classes->classes[c];
        else
            class_destroy(classes->space, &classes->classes[c]);
    classes->n = n;
}

kan_status kan_local_classes_unite(kan_local_classes *classes) {
    kan_run *run = classes->space->run;
    size_t n_slots = 8;
    uint32_t *slots;
    while (n_slots < 2 * classes->n)
        n_slots *= 2;
    /* two that are tight and show the same are so together */
    for (size_t c = 0; c < classes->n; c++)
        kan_local_class_tighten(classes, c);
    KAN_TRY(kan_alloc_zero(run, n_slots, sizeof *slots, &slots));
    const kan_status status = unite(classes, slots, n_slots);
    kan_free(run, slots);
    KAN_TRY(status);
    drop_empty(classes);
    return KAN_OK;
}

double kan_local_classes_loss(const kan_local_classes *classes) {
    const kan_local_space *space = classes->space;
    double loss = 0, most = 0;
    for (unsigned a = 0; a < space->n_attributes; a++)
        most += space->attributes[a].loss[space->attributes[a].n_nodes - 1];
    for (size_t c = 0; c < classes->n; c++)
        if (classes->classes[c].census.n_rows > 0)
            loss += (double)classes->classes[c].census.n_rows *
                    kan_local_loss(space, classes->classes[c].node);
    return loss + (double)classes->n_lost * most;
}

/* ---- the answer ----------------------------------------------------------------------------- */

/* Rows of a tuple in a region; by tuple, then region. */
typedef struct {
    uint32_t tuple, region;
    uint64_t n_rows;
} share;

/* The most exact classes first: the rows of a tuple that come first in the table are shown most
 * exactly. */
typedef struct {
    double loss;
    uint32_t class;
} ranked;

static int compare_ranked(const void *a, const void *b) {
    const ranked *x = a, *y = b;
    if (x->loss != y->loss)
        return x->loss < y->loss ? -1 : 1;
    return x->class < y->class ? -1 : x->class > y->class;
}

typedef struct {
    const kan_local_classes *classes;
    ranked *order;
    size_t n_shares;
    share *shares;
    kan_regions *regions;
} answering;

static kan_status rank_classes(answering *w) {
    const kan_local_classes *classes = w->classes;
    KAN_TRY(kan_alloc(classes->space->run, classes->n, sizeof *w->order, &w->order));
    for (size_t c = 0; c < classes->n; c++)
        w->order[c] =
            (ranked){kan_local_loss(classes->space, classes->classes[c].node), (uint32_t)c};
    qsort(w->order, classes->n, sizeof *w->order, compare_ranked);
    return KAN_OK;
}

/* Counts the bundles of each tuple, two places further on, so that filling in leaves each start in
 * its own place. */
static void count_bundles(const kan_bundles *bundles, size_t *start) {
    for (size_t i = 0; i < bundles->n; i++)
        start[bundles->bundles[i].tuple + 2]++;
}

static void place_bundles(answering *w, const kan_bundles *bundles, uint32_t region,
                          size_t *start) {
    for (size_t i = 0; i < bundles->n; i++)
        w->shares[start[bundles->bundles[i].tuple + 1]++] =
            (share){bundles->bundles[i].tuple, region, bundles->bundles[i].n_rows};
}

/* By tuple, then region, which is the order in which regions are gone through. */
static void place_all(answering *w, size_t *start) {
    const kan_local_classes *classes = w->classes;
    for (size_t t = 0; t < classes->space->n_tuples; t++)
        start[t + 2] += start[t + 1];
    for (size_t r = 0; r < classes->n; r++)
        place_bundles(w, &classes->classes[w->order[r].class].members, (uint32_t)r, start);
    place_bundles(w, &classes->lost, (uint32_t)classes->n, start);
}

static kan_status list_shares(answering *w) {
    const kan_local_classes *classes = w->classes;
    kan_run *run = classes->space->run;
    size_t *start, n = classes->lost.n;
    for (size_t c = 0; c < classes->n; c++)
        n += classes->classes[c].members.n;
    KAN_TRY(kan_alloc(run, n, sizeof *w->shares, &w->shares));
    KAN_TRY(kan_alloc_zero(run, classes->space->n_tuples + 2, sizeof *start, &start));
    for (size_t c = 0; c < classes->n; c++)
        count_bundles(&classes->classes[c].members, start);
    count_bundles(&classes->lost, start);
    place_all(w, start);
    kan_free(run, start);
    size_t kept = 0;
    for (size_t i = 0; i < n; i++)
        if (kept > 0 && w->shares[kept - 1].tuple == w->shares[i].tuple &&
            w->shares[kept - 1].region == w->shares[i].region)
            w->shares[kept - 1].n_rows += w->shares[i].n_rows;
        else
            w->shares[kept++] = w->shares[i];
    w->n_shares = kept;
    return KAN_OK;
}

/* The nodes that regions show of an attribute, without repetition. */
static kan_status list_cells(answering *w, unsigned a) {
    const kan_local_classes *classes = w->classes;
    const kan_local_attribute *attribute = &classes->space->attributes[a];
    kan_regions *regions = w->regions;
    kan_run *run = classes->space->run;
    uint32_t *cell_of; /* by node: cell + 1 */
    kan_cells *cells = &regions->cells[a];
    cells->type = KAN_CELL_NODE;
    KAN_TRY(kan_alloc(run, attribute->n_nodes, sizeof *cells->cells, &cells->cells));
    KAN_TRY(kan_alloc_zero(run, attribute->n_nodes, sizeof *cell_of, &cell_of));
    for (size_t r = 0; r < regions->n_regions; r++) {
        const uint32_t node =
            r < classes->n ? classes->classes[w->order[r].class].node[a] : attribute->n_nodes - 1;
        if (cell_of[node] == 0) {
            const unsigned level = attribute->level[node];
            cells->cells[cells->n++] = (kan_cell){level, node - attribute->first[level]};
            cell_of[node] = cells->n;
        }
        regions->cell_of[r * regions->n_attributes + a] = cell_of[node] - 1;
    }
    kan_free(run, cell_of);
    return KAN_OK;
}

static kan_status hand_out(answering *w) {
    kan_regions *regions = w->regions;
    kan_run *run = regions->run;
    size_t n_portions = 0, n_splits = 0;
    for (size_t i = 0, end; i < w->n_shares; i = end) {
        for (end = i + 1; end < w->n_shares && w->shares[end].tuple == w->shares[i].tuple; end++)
            ;
        n_splits += end > i + 1;
        n_portions += end > i + 1 ? end - i : 0;
    }
    KAN_TRY(kan_alloc(run, regions->n_tuples, sizeof *regions->region_of, &regions->region_of));
    KAN_TRY(kan_alloc(run, n_splits + 1, sizeof *regions->split_start, &regions->split_start));
    KAN_TRY(kan_alloc(run, n_portions, sizeof *regions->portions, &regions->portions));
    n_portions = 0;
    for (size_t i = 0, end; i < w->n_shares; i = end) {
        for (end = i + 1; end < w->n_shares && w->shares[end].tuple == w->shares[i].tuple; end++)
            ;
        if (end == i + 1) {
            regions->region_of[w->shares[i].tuple] = w->shares[i].region;
            continue;
        }
        regions->region_of[w->shares[i].tuple] = KAN_REGION_SPLIT | (uint32_t)regions->n_splits;
        regions->split_start[regions->n_splits++] = n_portions;
        for (size_t j = i; j < end; j++)
            regions->portions[n_portions++] =
                (kan_portion){w->shares[j].region, w->shares[j].n_rows};
    }
    regions->split_start[regions->n_splits] = n_portions;
    return KAN_OK;
}

static kan_status make_regions(answering *w) {
    const kan_local_classes *classes = w->classes;
    kan_regions *regions = w->regions;
    kan_run *run = classes->space->run;
    regions->n_attributes = classes->space->n_attributes;
    regions->n_tuples = classes->space->n_tuples;
    regions->has_lost = classes->n_lost > 0;
    if (classes->n >= KAN_REGION_SPLIT - 1)
        return kan_fail(run, KAN_FAILED, "too many classes for a local recoding: 2^31 or more");
    regions->n_regions = (uint32_t)(classes->n + regions->has_lost);
    KAN_TRY(rank_classes(w));
    KAN_TRY(list_shares(w));
    KAN_TRY(kan_alloc(run, regions->n_regions, sizeof *regions->n_rows, &regions->n_rows));
    KAN_TRY(kan_alloc(run, (size_t)regions->n_regions * regions->n_attributes,
                      sizeof *regions->cell_of, &regions->cell_of));
    for (size_t r = 0; r < classes->n; r++)
        regions->n_rows[r] = classes->classes[w->order[r].class].census.n_rows;
    if (regions->has_lost)
        regions->n_rows[classes->n] = classes->n_lost;
    for (unsigned a = 0; a < regions->n_attributes; a++)
        KAN_TRY(list_cells(w, a));
    return hand_out(w);
}

kan_status kan_local_classes_answer(const kan_local_classes *classes, kan_answer *out) {
    kan_run *run = classes->space->run;
    answering w = {.classes = classes};
    for (size_t c = 0; c < classes->n; c++)
        KAN_ASSERT(kan_census_passes(classes->space, &classes->classes[c].census));
    KAN_TRY(kan_alloc_zero(run, 1, sizeof *w.regions, &w.regions));
    w.regions->run = run;
    const kan_status status = make_regions(&w);
    kan_free(run, w.order);
    kan_free(run, w.shares);
    if (status != KAN_OK) {
        kan_regions_destroy(w.regions);
        return status;
    }
    out->is_found = true;
    out->recoding.type = KAN_RECODING_LOCAL;
    out->recoding.n_attributes = classes->space->n_attributes;
    out->recoding.regions = w.regions;
    return KAN_OK;
}
