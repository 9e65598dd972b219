/* Whether the parts of a cut keep the promise where rows have pasts (search/pasts.h), and who can be in no region.
 *
 * Where rows with the same values may be in several regions (is_relaxed), a cut need not wait for one that divides no past
 * badly: rows of a past that would fail on a side all go to the side that has most of them. They kept the promise
 * together, and do there.
 *
 * Of one past, a cut divides the rows by their place. Walked from both ends, with a counter for each past, the places of a
 * dimension tell at which cuts some past has rows and too few of them: one pass for all cuts. */
#include <string.h>

#include "search/pasts.h"
#include "search/regions/partition.h"

typedef struct kan_partition_pasts {
    kan_past_piles piles;
    size_t rows_room, start_room, place_room;
    kan_past_rows *rows; /* of the parts of a cut, or of a region in the order of places */
    size_t *start;       /* by part, or by counted place */
    uint32_t *index;     /* by place: where it stands among those counted */
    uint64_t *n_rows;    /* by past; all 0 between uses */
    uint8_t *is_good;    /* by counted place: the cut behind it */
    uint32_t *
        to; /* by past of the cut that was looked at last: the part that all of it goes to, or BY_PLACE */
} kan_partition_pasts;

#define BY_PLACE UINT32_MAX

kan_status kan_partition_pasts_make(const kan_partition_space *space, kan_partition_pasts **out) {
    const kan_question *question = space->question;
    kan_partition_pasts *made;
    KAN_TRY(kan_alloc_zero(space->run, 1, sizeof *made, &made));
    *out = made; /* freed with the worker, whatever follows */
    KAN_TRY(kan_past_piles_make(question->problem, question->promise->needs_tallies, &made->piles));
    KAN_TRY(kan_alloc(space->run, space->most_places, sizeof *made->index, &made->index));
    KAN_TRY(
        kan_alloc(space->run, (size_t)question->problem->n_people, sizeof *made->to, &made->to));
    return kan_alloc_zero(space->run, (size_t)question->problem->n_people, sizeof *made->n_rows,
                          &made->n_rows);
}

void kan_partition_pasts_destroy(const kan_partition_space *space, kan_partition_pasts *pasts) {
    kan_run *run = space->run;
    if (!pasts)
        return;
    kan_past_piles_destroy(&pasts->piles);
    kan_free(run, pasts->rows);
    kan_free(run, pasts->start);
    kan_free(run, pasts->index);
    kan_free(run, pasts->n_rows);
    kan_free(run, pasts->is_good);
    kan_free(run, pasts->to);
    kan_free(run, pasts);
}

static kan_past_rows rows_of(const kan_partition_space *space, const unsigned char *record,
                             uint64_t n_rows) {
    const uint32_t tuple = kan_partition_tuple(record);
    return (kan_past_rows){tuple, space->owners.person[tuple], n_rows};
}

static kan_status reserve(const kan_partition_space *space, kan_partition_pasts *pasts,
                          size_t n_rows, size_t n_starts) {
    KAN_TRY(
        kan_reserve(space->run, n_rows + 1, sizeof *pasts->rows, &pasts->rows_room, &pasts->rows));
    return kan_reserve(space->run, n_starts + 2, sizeof *pasts->start, &pasts->start_room,
                       &pasts->start);
}

/* ---- the parts of a cut ---------------------------------------------------------------------- */

/* The rows of each part, by place alone: no record is in two. Numbers stand two places further on at first, so that
 * filling in leaves each start in its own place. */
static kan_status list_parts(kan_partition_worker *worker, const kan_partition_region *region,
                             const kan_partition_cut *cut) {
    const kan_partition_space *space = worker->space;
    kan_partition_pasts *pasts = worker->pasts;
    KAN_TRY(reserve(space, pasts, region->n, cut->n_parts));
    memset(pasts->start, 0, (cut->n_parts + 2u) * sizeof *pasts->start);
    for (unsigned fills = 0; fills < 2; fills++) {
        const unsigned char *at = kan_partition_record(space, region->first);
        uint64_t to_share = UINT64_MAX; /* all, with the first part */
        for (size_t p = 0; fills && p < cut->n_parts; p++)
            pasts->start[p + 2] += pasts->start[p + 1];
        for (size_t i = 0; i < region->n; i++, at += space->stride) {
            const size_t p = kan_partition_sides_of(worker, cut, at, &to_share).first;
            if (fills)
                pasts->rows[pasts->start[p + 1]++] = rows_of(space, at, kan_partition_rows(at));
            else
                pasts->start[p + 2]++;
        }
    }
    return KAN_OK;
}

/* Of each past the part with most of its rows, the first of such; to[]: that, where one of its parts fails. */
static void choose_parts(kan_partition_pasts *pasts, const kan_partition_cut *cut,
                         const kan_groups *parts, const uint8_t *passes) {
    const size_t n = pasts->start[cut->n_parts];
    for (size_t i = 0; i < n; i++)
        pasts->to[pasts->rows[i].past] = BY_PLACE;
    for (size_t i = 0; i < n; i++)
        if (!passes[pasts->piles.part_of[i]])
            pasts->to[pasts->rows[i].past] = 0;
    for (uint32_t p = 0; p < cut->n_parts; p++)
        for (size_t i = pasts->start[p]; i < pasts->start[p + 1]; i++) {
            const uint32_t past = pasts->rows[i].past;
            const uint64_t n_rows = parts->count[pasts->piles.part_of[i]];
            if (pasts->to[past] == BY_PLACE || n_rows <= pasts->n_rows[past])
                continue;
            pasts->to[past] = p;
            pasts->n_rows[past] = n_rows;
        }
    for (size_t i = 0; i < n; i++)
        pasts->n_rows[pasts->rows[i].past] = 0;
}

/* Whether each part has a row then. */
static bool have_rows(const kan_partition_pasts *pasts, const kan_partition_cut *cut,
                      uint8_t *has_rows) {
    memset(has_rows, 0, cut->n_parts);
    for (uint32_t p = 0; p < cut->n_parts; p++)
        for (size_t i = pasts->start[p]; i < pasts->start[p + 1]; i++) {
            const uint32_t to = pasts->to[pasts->rows[i].past];
            has_rows[to == BY_PLACE ? p : to] = 1;
        }
    return memchr(has_rows, 0, cut->n_parts) == NULL;
}

kan_status kan_partition_pasts_keep(kan_partition_worker *worker,
                                    const kan_partition_region *region,
                                    const kan_partition_cut *cut, bool *out) {
    kan_partition_pasts *pasts = worker->pasts;
    kan_run *run = worker->space->run;
    kan_groups parts;
    uint8_t *passes = NULL, *has_rows = NULL;
    kan_status status;
    KAN_TRY_DONE(list_parts(worker, region, cut));
    KAN_TRY_DONE(
        kan_past_piles_count(&pasts->piles, pasts->rows, pasts->start, cut->n_parts, &parts));
    KAN_TRY_DONE(kan_alloc(run, parts.n_groups, 1, &passes));
    KAN_TRY_DONE(kan_alloc(run, cut->n_parts, 1, &has_rows));
    memset(passes, 1, parts.n_groups);
    kan_promise_check_some(worker->space->question->promise, &parts, 0, parts.n_groups, passes);
    choose_parts(pasts, cut, &parts, passes);
    *out = have_rows(pasts, cut, has_rows);
done:
    kan_free(run, passes);
    kan_free(run, has_rows);
    return status;
}

unsigned kan_partition_pasts_part(const kan_partition_worker *worker, const unsigned char *record,
                                  unsigned part) {
    const uint32_t past = worker->space->owners.person[kan_partition_tuple(record)];
    const uint32_t to = worker->pasts->to[past];
    return to == BY_PLACE ? part : to;
}

kan_status kan_partition_pasts_allow(kan_partition_worker *worker,
                                     const kan_partition_region *region,
                                     const kan_partition_cut *cut, bool *out) {
    kan_partition_pasts *pasts = worker->pasts;
    if (kan_partition_keeps_pasts(worker, cut))
        return kan_partition_pasts_keep(worker, region, cut, out);
    KAN_TRY(list_parts(worker, region, cut));
    return kan_pasts_allow(&pasts->piles, worker->space->question->promise, pasts->rows,
                           pasts->start, cut->n_parts, out);
}

/* ---- beside every cut ------------------------------------------------------------------------ */

/* The rows of a region in the order of the places that were counted. */
static void order_by_place(kan_partition_worker *worker, const kan_partition_region *region,
                           unsigned d) {
    const kan_partition_space *space = worker->space;
    const kan_partition_counts *counts = &worker->counts;
    kan_partition_pasts *pasts = worker->pasts;
    for (uint32_t i = 0; i < counts->n; i++)
        pasts->index[counts->place[i]] = i;
    memset(pasts->start, 0, (counts->n + 2u) * sizeof *pasts->start);
    const unsigned char *at = kan_partition_record(space, region->first);
    for (size_t i = 0; i < region->n; i++, at += space->stride)
        pasts->start[pasts->index[kan_partition_lane(at, space->is_wide, d)] + 2]++;
    for (uint32_t i = 0; i < counts->n; i++)
        pasts->start[i + 2] += pasts->start[i + 1];
    at = kan_partition_record(space, region->first);
    for (size_t i = 0; i < region->n; i++, at += space->stride) {
        const uint32_t index = pasts->index[kan_partition_lane(at, space->is_wide, d)];
        pasts->rows[pasts->start[index + 1]++] = rows_of(space, at, kan_partition_rows(at));
    }
}

/* Rows come to one side of the cut; *n_few: pasts that have some there, and fewer than `least`. */
static void move_rows(kan_partition_pasts *pasts, uint32_t place, uint64_t least, size_t *n_few) {
    for (size_t i = pasts->start[place]; i < pasts->start[place + 1]; i++) {
        uint64_t *n_rows = &pasts->n_rows[pasts->rows[i].past];
        *n_few -= *n_rows > 0 && *n_rows < least;
        *n_rows += pasts->rows[i].n_rows;
        *n_few += *n_rows < least;
    }
}

static void forget(kan_partition_pasts *pasts, size_t n) {
    for (size_t i = 0; i < n; i++)
        pasts->n_rows[pasts->rows[i].past] = 0;
}

kan_status kan_partition_pasts_beside(kan_partition_worker *worker,
                                      const kan_partition_region *region, unsigned dimension,
                                      const uint8_t **is_good) {
    const kan_partition_space *space = worker->space;
    kan_partition_pasts *pasts = worker->pasts;
    const uint32_t n = worker->counts.n;
    size_t n_few = 0;
    KAN_TRY(reserve(space, pasts, region->n, n));
    KAN_TRY(kan_reserve(space->run, n + (size_t)1, 1, &pasts->place_room, &pasts->is_good));
    order_by_place(worker, region, dimension);
    for (uint32_t i = 0; i < n; i++) {
        move_rows(pasts, i, space->least_size, &n_few);
        pasts->is_good[i] = n_few == 0;
    }
    forget(pasts, region->n);
    n_few = 0;
    for (uint32_t i = n; i-- > 0;) {
        pasts->is_good[i] &= n_few == 0; /* what stands behind it */
        move_rows(pasts, i, space->least_size, &n_few);
    }
    forget(pasts, region->n);
    *is_good = pasts->is_good;
    return KAN_OK;
}

/* ---- who is left out ------------------------------------------------------------------------- */

static size_t list_roots(const kan_partition_space *space, const kan_partition_regions *roots,
                         kan_past_rows *rows, size_t *start) {
    size_t n = 0;
    for (size_t r = 0; r < roots->n; r++) {
        const kan_partition_region *root = &roots->regions[r];
        start[r] = n;
        for (size_t i = 0; i < root->n; i++, n++) {
            const unsigned char *record = kan_partition_record(space, root->first + i);
            rows[n] = rows_of(space, record, kan_partition_rows(record));
        }
    }
    start[roots->n] = n;
    return n;
}

/* Records that stay close ranks; those that leave are listed. */
static void take_out(const kan_partition_space *space, kan_partition_regions *roots,
                     const uint8_t *stays, kan_partition_lost *out) {
    size_t at = 0, n_roots = 0;
    for (size_t r = 0; r < roots->n; r++) {
        kan_partition_region root = roots->regions[r];
        const size_t n = root.n;
        root.n = 0;
        for (size_t i = 0; i < n; i++, at++) {
            const unsigned char *record = kan_partition_record(space, root.first + i);
            if (stays[at]) {
                memmove(kan_partition_record(space, root.first + root.n), record, space->stride);
                root.n++;
                continue;
            }
            root.n_rows -= kan_partition_rows(record);
            out->tuples[out->n++] = kan_partition_tuple(record);
        }
        if (root.n > 0)
            roots->regions[n_roots++] = root;
    }
    roots->n = n_roots;
}

kan_status kan_partition_pasts_leave(const kan_partition_space *space, kan_partition_regions *roots,
                                     kan_partition_lost *out) {
    kan_run *run = space->run;
    const kan_question *question = space->question;
    kan_past_rows *rows = NULL;
    size_t *start = NULL;
    uint8_t *stays = NULL;
    kan_status status;
    KAN_TRY_DONE(kan_alloc(run, space->n_records, sizeof *rows, &rows));
    KAN_TRY_DONE(kan_alloc(run, roots->n + 1, sizeof *start, &start));
    KAN_TRY_DONE(kan_alloc(run, space->n_records, 1, &stays));
    const size_t n = list_roots(space, roots, rows, start);
    KAN_ASSERT(n == space->n_records);
    KAN_TRY_DONE(kan_pasts_find_stayers(question->problem, question->promise, rows, start, roots->n,
                                        stays, &out->n_rows));
    if (out->n_rows == 0)
        goto done;
    KAN_TRY_DONE(kan_alloc(run, n, sizeof *out->tuples, &out->tuples));
    take_out(space, roots, stays, out);
done:
    kan_free(run, rows);
    kan_free(run, start);
    kan_free(run, stays);
    return status;
}
