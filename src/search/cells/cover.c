/* The greedy cover of Meyerson and Williams, On the Complexity of Optimal K-Anonymity (2004),
 * section 4: of all sets of k to 2k - 1 rows the one is taken whose extent, divided by the rows
 * that it covers for the first time, is least, until all rows are covered; then sets that overlap
 * are made disjoint (their procedure Reduce).
 *
 * Sets are balls, as in the paper's second algorithm, which is not exponential in k: a row that is
 * not covered yet, and rows around it; the extent is the radius. Other than there a ball has no
 * more than 2k - 1 rows. So the factor is that of the paper's first algorithm, over all sets:
 * (2k - 1)(2k - 2) / k times 1 + 1/2 + ... + 1/(2k - 1): docs/papers/cell-suppression.md. The first
 * algorithm itself is in cover_all.c.
 *
 * What a centre offers never gets better while rows are covered, so that it is measured again only
 * when it comes first. Rows of a tuple with k of them or more are covered by themselves, at no
 * cost. Time: centres, each as often as it comes first, times tuples that are not covered, times
 * attributes. Memory: a few words per tuple. */
#include <math.h>
#include <string.h>

#include "core/pool.h"
#include "search/cells/cells.h"
#include "search/cells/cells_inside.h"
#include "search/neighbours.h"

/* Centres are measured some ten times each. */
#define MOST_PAIRS (UINT64_C(1) << 31)
enum { TASK_PLACES = 64 };

/* What a thread needs to look around a centre. */
typedef struct {
    kan_cell_ruler ruler;
    kan_neighbours nearest; /* places that are not covered, as many as 2k - 1 rows need */
} looker;

/* The best ball of a centre. */
typedef struct {
    double price;    /* radius over the rows that it covers */
    uint64_t n_rows; /* those */
    uint32_t place;
    uint32_t round; /* in which it was measured */
} offer;

typedef struct {
    uint32_t group;
    uint32_t next; /* of the same place; NO_ENTRY */
} entry;

#define NO_ENTRY UINT32_MAX

typedef struct {
    const kan_cell_tuples *tuples;
    kan_run *run;
    looker *lookers; /* by worker */
    uint64_t *left;  /* by place: rows that are not covered */
    double *least;   /* by place: the radius within which there are k rows, covered or not */
    uint32_t *open;  /* places with such rows */
    uint32_t *at;    /* by place: where it stands in `open` */
    size_t n_open;
    offer *offers; /* a heap, the best first */
    size_t n_offers;
    uint32_t round;
    uint64_t n_covered;
    /* Groups; the tuples of their bundles are places. */
    kan_bundles *groups;
    uint64_t *n_rows; /* by group */
    size_t n_groups, group_room, row_room;
    entry *entries; /* groups by place */
    uint32_t *first_entry;
    size_t n_entries, entry_room;
} covering;

/* ---- groups ---------------------------------------------------------------------------------- */

static kan_status add_group(covering *c, uint32_t *out) {
    KAN_TRY(kan_reserve(c->run, c->n_groups + 1, sizeof *c->groups, &c->group_room, &c->groups));
    KAN_TRY(kan_reserve(c->run, c->n_groups + 1, sizeof *c->n_rows, &c->row_room, &c->n_rows));
    c->groups[c->n_groups] = (kan_bundles){.n = 0};
    c->n_rows[c->n_groups] = 0;
    *out = (uint32_t)c->n_groups++;
    return KAN_OK;
}

static kan_status add_rows(covering *c, uint32_t group, uint32_t place, uint64_t n_rows) {
    if (c->n_entries >= NO_ENTRY)
        return kan_fail(c->run, KAN_FAILED, "too many groups for --algorithm cover");
    KAN_TRY(kan_bundles_add(c->tuples->space, &c->groups[group], place, n_rows));
    KAN_TRY(kan_reserve(c->run, c->n_entries + 1, sizeof *c->entries, &c->entry_room, &c->entries));
    c->entries[c->n_entries] = (entry){group, c->first_entry[place]};
    c->first_entry[place] = (uint32_t)c->n_entries++;
    c->n_rows[group] += n_rows;
    return KAN_OK;
}

/* Rows of a place that are covered now. */
static void cover_rows(covering *c, uint32_t place, uint64_t n_rows) {
    c->n_covered += n_rows;
    c->left[place] -= n_rows;
    if (c->left[place] > 0)
        return;
    const uint32_t last = c->open[--c->n_open];
    c->open[c->at[place]] = last;
    c->at[last] = c->at[place];
}

/* ---- balls ----------------------------------------------------------------------------------- */

/* The nearest of a list of places, as many as `most` rows need; distances are measured. No list:
 * all places. */
static kan_status find_near(looker *l, const uint32_t *list, size_t n, const uint64_t *rows,
                            uint64_t most) {
    kan_neighbours_begin(&l->nearest, most);
    for (size_t i = 0; i < n; i++) {
        const uint32_t place = list ? list[i] : (uint32_t)i;
        const kan_near near = {l->ruler.distance[i], place, place, rows[place]};
        KAN_TRY(kan_neighbours_offer(&l->nearest, &near));
    }
    kan_neighbours_end(&l->nearest);
    return KAN_OK;
}

static uint64_t most_rows(const covering *c) {
    return 2 * c->tuples->least_size - 1;
}

/* The best ball around a place, of rows that are not covered; l->nearest has them. */
static kan_status look(const covering *c, looker *l, uint32_t place, offer *out) {
    const kan_near *near;
    uint64_t n_rows = 0;
    *out = (offer){.price = HUGE_VAL, .place = place, .round = c->round};
    kan_cell_measure_some(&l->ruler, place, c->open, c->n_open);
    KAN_TRY(find_near(l, c->open, c->n_open, c->left, most_rows(c)));
    for (size_t i = 0; i < l->nearest.n; i++) {
        near = &l->nearest.near[i];
        const double radius = fmax(near->distance, c->least[place]);
        n_rows += near->n_rows;
        if (n_rows > most_rows(c))
            n_rows = most_rows(c);
        if (radius / (double)n_rows <= out->price) {
            out->price = radius / (double)n_rows;
            out->n_rows = n_rows;
        }
    }
    return KAN_OK;
}

/* ---- offers ---------------------------------------------------------------------------------- */

static bool is_better(const offer *a, const offer *b) {
    return a->price != b->price ? a->price < b->price : a->place < b->place;
}

static void sink_offer(covering *c, size_t i) {
    const offer moved = c->offers[i];
    for (size_t child; (child = 2 * i + 1) < c->n_offers; i = child) {
        if (child + 1 < c->n_offers && is_better(&c->offers[child + 1], &c->offers[child]))
            child++;
        if (!is_better(&c->offers[child], &moved))
            break;
        c->offers[i] = c->offers[child];
    }
    c->offers[i] = moved;
}

/* The radius with k rows, and the first offer, of some centres. */
static kan_status look_first(void *context, size_t task, unsigned worker) {
    covering *c = context;
    looker *l = &c->lookers[worker];
    const size_t first = task * TASK_PLACES;
    KAN_TRY(kan_check_cancel(c->run));
    for (size_t i = first; i < c->n_open && i < first + TASK_PLACES; i++) {
        const uint32_t place = c->open[i];
        kan_cell_measure(&l->ruler, place);
        KAN_TRY(find_near(l, NULL, c->tuples->n, c->tuples->rows, c->tuples->least_size));
        c->least[place] = l->nearest.near[l->nearest.n - 1].distance;
        KAN_TRY(look(c, l, place, &c->offers[i]));
    }
    return KAN_OK;
}

/* The best offer, measured anew until it is first; its ball is in lookers[0]. */
static kan_status find_best(covering *c, offer *out) {
    for (;;) {
        const offer *top = &c->offers[0];
        KAN_ASSERT(c->n_offers > 0);
        if (c->left[top->place] == 0) {
            c->offers[0] = c->offers[--c->n_offers];
            sink_offer(c, 0);
            continue;
        }
        const bool is_new = top->round == c->round;
        KAN_TRY(kan_check_cancel(c->run));
        KAN_TRY(look(c, &c->lookers[0], top->place, out));
        c->offers[0] = *out;
        if (is_new)
            return KAN_OK;
        sink_offer(c, 0);
        if (c->offers[0].place == out->place)
            return KAN_OK;
    }
}

/* ---- taking ---------------------------------------------------------------------------------- */

/* Rows of a covered place for a group that has too few; *is_joined: it went to one of theirs
 * instead, which had none to spare. */
static kan_status take_covered(covering *c, uint32_t group, uint32_t place, bool *is_joined) {
    const uint64_t k = c->tuples->least_size;
    for (uint32_t e = c->first_entry[place]; e != NO_ENTRY && c->n_rows[group] < k;
         e = c->entries[e].next) {
        const uint32_t other = c->entries[e].group;
        kan_bundles *bundles = &c->groups[other];
        if (other == group)
            continue;
        for (size_t i = 0; i < bundles->n && c->n_rows[group] < k; i++) {
            if (bundles->bundles[i].tuple != place || bundles->bundles[i].n_rows == 0)
                continue;
            if (c->n_rows[other] <= k) {
                const kan_bundles *own = &c->groups[group];
                for (size_t j = 0; j < own->n; j++)
                    KAN_TRY(add_rows(c, other, own->bundles[j].tuple, own->bundles[j].n_rows));
                c->groups[group].n = 0;
                c->n_rows[group] = 0;
                *is_joined = true;
                return KAN_OK;
            }
            const uint64_t spare = c->n_rows[other] - k, lacks = k - c->n_rows[group];
            uint64_t n = bundles->bundles[i].n_rows;
            n = n < spare ? n : spare;
            n = n < lacks ? n : lacks;
            bundles->bundles[i].n_rows -= n;
            c->n_rows[other] -= n;
            KAN_TRY(add_rows(c, group, place, n));
            bundles = &c->groups[other];
            i--; /* what is left of it may have to be joined with */
        }
    }
    return KAN_OK;
}

/* A ball that has fewer than k rows of its own gets covered ones, the nearest first. */
static kan_status fill(covering *c, uint32_t group, uint32_t centre) {
    looker *l = &c->lookers[0];
    const size_t n = c->tuples->n;
    bool is_joined = false;
    kan_cell_measure(&l->ruler, centre);
    while (c->n_rows[group] < c->tuples->least_size && !is_joined) {
        size_t best = n;
        for (size_t p = 0; p < n; p++)
            if (c->left[p] < c->tuples->rows[p] &&
                l->ruler.distance[p] < (best == n ? HUGE_VAL : l->ruler.distance[best]))
                best = p;
        KAN_ASSERT(best < n);
        KAN_TRY(take_covered(c, group, (uint32_t)best, &is_joined));
        l->ruler.distance[best] = HUGE_VAL;
    }
    return KAN_OK;
}

static kan_status take(covering *c, const offer *best) {
    const looker *l = &c->lookers[0];
    uint64_t lacks = best->n_rows;
    uint32_t group;
    KAN_TRY(add_group(c, &group));
    for (size_t i = 0; lacks > 0; i++) {
        const uint32_t place = l->nearest.near[i].id;
        const uint64_t n = c->left[place] < lacks ? c->left[place] : lacks;
        KAN_TRY(add_rows(c, group, place, n));
        cover_rows(c, place, n);
        lacks -= n;
    }
    c->round++;
    return c->n_rows[group] < c->tuples->least_size ? fill(c, group, best->place) : KAN_OK;
}

static kan_status take_whole_tuples(covering *c) {
    uint32_t group;
    for (uint32_t p = 0; p < c->tuples->n; p++)
        if (c->tuples->rows[p] >= c->tuples->least_size) {
            KAN_TRY(add_group(c, &group));
            KAN_TRY(add_rows(c, group, p, c->tuples->rows[p]));
            cover_rows(c, p, c->tuples->rows[p]);
        }
    return KAN_OK;
}

/* ---- the search ------------------------------------------------------------------------------ */

static kan_status check_size(const covering *c) {
    char pairs[32], most[32];
    uint64_t n_small = 0;
    for (size_t p = 0; p < c->tuples->n; p++)
        n_small += c->tuples->rows[p] < c->tuples->least_size;
    if (n_small == 0 || c->tuples->n <= MOST_PAIRS / n_small)
        return KAN_OK;
    return kan_fail(c->run, KAN_BAD_INPUT,
                    "--algorithm cover compares every tuple of fewer than k rows with all others, "
                    "again and again, %s pairs here, and takes at most %s; use --algorithm "
                    "forest, top-down or progressive, or make columns coarser first",
                    kan_count_text(n_small * c->tuples->n, pairs),
                    kan_count_text(MOST_PAIRS, most));
}

static kan_status begin(covering *c) {
    const size_t n = c->tuples->n;
    const unsigned n_workers = kan_run_threads(c->run);
    KAN_TRY(kan_alloc_zero(c->run, n_workers, sizeof *c->lookers, &c->lookers));
    for (unsigned i = 0; i < n_workers; i++) {
        kan_neighbours_init(&c->lookers[i].nearest, c->run);
        KAN_TRY(kan_cell_ruler_make(c->tuples, &c->lookers[i].ruler));
    }
    KAN_TRY(kan_alloc(c->run, n, sizeof *c->left, &c->left));
    KAN_TRY(kan_alloc(c->run, n, sizeof *c->least, &c->least));
    KAN_TRY(kan_alloc(c->run, n, sizeof *c->open, &c->open));
    KAN_TRY(kan_alloc(c->run, n, sizeof *c->at, &c->at));
    KAN_TRY(kan_alloc(c->run, n, sizeof *c->first_entry, &c->first_entry));
    for (uint32_t p = 0; p < n; p++) {
        c->left[p] = c->tuples->rows[p];
        c->open[p] = c->at[p] = p;
        c->first_entry[p] = NO_ENTRY;
    }
    c->n_open = n;
    return KAN_OK;
}

static void end(covering *c) {
    for (unsigned i = 0; c->lookers && i < kan_run_threads(c->run); i++) {
        kan_cell_ruler_destroy(&c->lookers[i].ruler);
        if (c->lookers[i].ruler.tuples)
            kan_neighbours_destroy(&c->lookers[i].nearest);
    }
    for (size_t g = 0; g < c->n_groups; g++)
        kan_free(c->run, c->groups[g].bundles);
    kan_free(c->run, c->lookers);
    kan_free(c->run, c->left);
    kan_free(c->run, c->least);
    kan_free(c->run, c->open);
    kan_free(c->run, c->at);
    kan_free(c->run, c->offers);
    kan_free(c->run, c->groups);
    kan_free(c->run, c->n_rows);
    kan_free(c->run, c->entries);
    kan_free(c->run, c->first_entry);
}

static kan_status cover_all(covering *c) {
    KAN_TRY(take_whole_tuples(c));
    KAN_TRY(kan_alloc(c->run, c->n_open, sizeof *c->offers, &c->offers));
    c->n_offers = c->n_open;
    KAN_TRY(kan_parallel(c->run, (c->n_open + TASK_PLACES - 1) / TASK_PLACES, look_first, c));
    for (size_t i = c->n_offers / 2; i-- > 0;)
        sink_offer(c, i);
    while (c->n_covered < c->tuples->n_rows) {
        offer best;
        kan_report_progress(c->run, "search", c->n_covered, c->tuples->n_rows);
        KAN_TRY(find_best(c, &best));
        KAN_TRY(take(c, &best));
    }
    return KAN_OK;
}

static kan_status make_cluster(const covering *c, const kan_bundles *group,
                               kan_local_clusters *clusters) {
    size_t made;
    KAN_TRY(kan_local_clusters_add(clusters, &made));
    for (size_t i = 0; i < group->n; i++)
        if (group->bundles[i].n_rows > 0)
            KAN_TRY(kan_local_cluster_add(clusters, made, c->tuples->tuple[group->bundles[i].tuple],
                                          group->bundles[i].n_rows));
    return KAN_OK;
}

static kan_status make_cover(const kan_cell_tuples *tuples, kan_local_clusters *clusters) {
    covering c = {.tuples = tuples, .run = tuples->space->run};
    kan_status status;
    KAN_TRY(check_size(&c));
    KAN_TRY_DONE(begin(&c));
    KAN_TRY_DONE(cover_all(&c));
    for (size_t g = 0; g < c.n_groups; g++)
        if (c.n_rows[g] > 0)
            KAN_TRY_DONE(make_cluster(&c, &c.groups[g], clusters));
done:
    end(&c);
    return status;
}

static kan_status make_clusters(kan_local_clusters *clusters, const uint64_t *rows, bool passes) {
    const char *sets = kan_options_find(clusters->space->question->options, "sets");
    kan_cell_tuples tuples;
    (void)passes; /* clusters that fail a model beyond k are joined later */
    kan_status status = kan_cell_tuples_make(clusters->space, rows, &tuples);
    if (status == KAN_OK && tuples.n_rows < tuples.least_size)
        status = kan_cell_tuples_join(&tuples, clusters);
    else if (status == KAN_OK)
        status = sets && strcmp(sets, "all") == 0 ? kan_cover_by_all_sets(&tuples, clusters)
                                                  : make_cover(&tuples, clusters);
    kan_cell_tuples_destroy(&tuples);
    return status;
}

static kan_status search(kan_run *run, const kan_question *question, kan_answer *out) {
    const kan_local_method method = {.make = make_clusters, .follows = KAN_FOLLOWS_CELLS};
    return kan_local_search(run, question, &method, out);
}

static const kan_option_spec options[] = {
    {.name = "sets",
     .argument = "NAME",
     .summary = "which sets cover rows: balls, around a row; or all, by their diameter, for small "
                "tables",
     .type = KAN_OPTION_CHOICE,
     .traits = KAN_TRAIT_SHOWN,
     .fallback = "balls",
     .choices = "balls|all"},
    KAN_LOCAL_OPTIONS};

const kan_search_kind kan_search_cover = {
    .kind = {.name = "cover",
             .summary = "covers rows by balls of k to 2k-1, within a proven factor of the best",
             .options = options,
             .n_options = sizeof options / sizeof *options,
             .paper = "Meyerson and Williams 2004, 4"},
    .models = {&kan_model_cell_generalization, &kan_model_cell_suppression},
    .costs = &kan_local_costs,
    .regions = true,
    .local = true,
    .divides = true,
    .is_anytime = true,
    .search = search,
};
