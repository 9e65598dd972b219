/* See repair.h. */
#include "search/repair.h"

#include <stdlib.h>
#include <string.h>

#include "group/pasts.h"

void kan_repair_destroy(kan_repair *repair) {
    kan_run *run = repair->problem->run;
    kan_free(run, repair->n_out);
    kan_free(run, repair->n_all);
    kan_free(run, repair->stayers);
    kan_free(run, repair->parts);
    kan_free(run, repair->cells);
    kan_repair_init(repair, repair->problem);
}

/* ---- cells that need it --------------------------------------------------------------------- */

static kan_status count_out(kan_repair *r, const uint8_t *is_gone) {
    const kan_pasts *pasts = r->problem->pasts;
    if (!r->n_out)
        KAN_TRY(kan_alloc(r->problem->run, pasts->n, sizeof *r->n_out, &r->n_out));
    if (!r->n_all)
        KAN_TRY(kan_alloc(r->problem->run, pasts->n, sizeof *r->n_all, &r->n_all));
    memcpy(r->n_out, pasts->n_gone, pasts->n * sizeof *r->n_out);
    memcpy(r->n_all, pasts->n_gone, pasts->n * sizeof *r->n_all);
    for (size_t p = 0; p < r->problem->n_people; p++) {
        r->n_out[pasts->of_person[p]] += is_gone[p];
        r->n_all[pasts->of_person[p]]++;
    }
    return KAN_OK;
}

/* A cell that fewer than k were in before cannot be helped. */
static bool needs_repair(const kan_repair *r, uint32_t past, uint64_t k) {
    return past != KAN_NEWCOMERS && r->n_all[past] >= k && r->n_out[past] > 0 && r->n_out[past] < k;
}

static int compare_stayers(const void *a, const void *b) {
    const struct kan_repair_stayer *x = a, *y = b;
    if (x->past != y->past)
        return x->past < y->past ? -1 : 1;
    if (x->class != y->class)
        return x->class < y->class ? -1 : 1;
    return (x->rank > y->rank) - (x->rank < y->rank);
}

static kan_status list_stayers(kan_repair *r, const kan_histories *histories, uint64_t k,
                               const uint8_t *is_gone) {
    const kan_pasts *pasts = r->problem->pasts;
    kan_run *run = r->problem->run;
    r->n_stayers = 0;
    for (uint32_t p = 0; p < r->problem->n_people; p++) {
        const uint32_t past = pasts->of_person[p];
        if (is_gone[p] || !needs_repair(r, past, k))
            continue;
        KAN_TRY(
            kan_reserve(run, r->n_stayers + 1, sizeof *r->stayers, &r->stayer_room, &r->stayers));
        r->stayers[r->n_stayers++] =
            (struct kan_repair_stayer){past, histories->class_of[p], pasts->rank[p], p};
    }
    if (r->n_stayers > 0)
        qsort(r->stayers, r->n_stayers, sizeof *r->stayers, compare_stayers);
    return kan_check_cancel(run);
}

static kan_status list_parts(kan_repair *r) {
    kan_run *run = r->problem->run;
    r->n_parts = r->n_cells = 0;
    for (size_t i = 0; i < r->n_stayers; i++) {
        const struct kan_repair_stayer *one = &r->stayers[i], *before = one - 1;
        const bool is_new_cell = i == 0 || one->past != before->past;
        if (is_new_cell) {
            KAN_TRY(kan_reserve(run, r->n_cells + 1, sizeof *r->cells, &r->cell_room, &r->cells));
            r->cells[r->n_cells++] = (struct kan_repair_cell){.first = r->n_parts};
        }
        if (is_new_cell || one->class != before->class) {
            KAN_TRY(kan_reserve(run, r->n_parts + 1, sizeof *r->parts, &r->part_room, &r->parts));
            r->parts[r->n_parts++] = (struct kan_repair_part){.first = i};
        }
        r->parts[r->n_parts - 1].n_before = ++r->parts[r->n_parts - 1].n;
        r->cells[r->n_cells - 1].end = r->n_parts;
    }
    return KAN_OK;
}

/* ---- who leaves ----------------------------------------------------------------------------- */

static uint32_t least_rank(const kan_repair *r, const struct kan_repair_part *part) {
    return r->stayers[part->first].rank;
}

static void take_largest(kan_repair *r, const struct kan_repair_cell *cell, uint8_t *is_gone) {
    struct kan_repair_part *largest = &r->parts[cell->first];
    for (size_t p = cell->first + 1; p < cell->end; p++) {
        struct kan_repair_part *part = &r->parts[p];
        if (part->n > largest->n ||
            (part->n == largest->n && least_rank(r, part) < least_rank(r, largest)))
            largest = part;
    }
    is_gone[r->stayers[largest->first + --largest->n].person] = 1;
}

static void take_smallest(kan_repair *r, const struct kan_repair_cell *cell, uint8_t *is_gone) {
    struct kan_repair_part *smallest = &r->parts[cell->first];
    for (size_t p = cell->first + 1; p < cell->end; p++) {
        struct kan_repair_part *part = &r->parts[p];
        if (part->n < smallest->n ||
            (part->n == smallest->n && least_rank(r, part) < least_rank(r, smallest)))
            smallest = part;
    }
    while (smallest->n > 0)
        is_gone[r->stayers[smallest->first + --smallest->n].person] = 1;
}

static void repair_cell(kan_repair *r, struct kan_repair_cell *cell, uint64_t k, uint8_t *is_gone) {
    const uint64_t needed = k - r->n_out[r->stayers[r->parts[cell->first].first].past];
    uint64_t spare = 0;
    for (size_t p = cell->first; p < cell->end; p++)
        spare += r->parts[p].n - k;
    cell->is_thinned = spare >= needed;
    for (uint64_t i = 0; cell->is_thinned && i < needed; i++)
        take_largest(r, cell, is_gone);
    if (!cell->is_thinned)
        take_smallest(r, cell, is_gone);
}

/* Whether all models hold in what is left of its parts. */
static bool is_good(const kan_repair *r, const struct kan_repair_cell *cell,
                    const kan_histories *histories) {
    bool is = true;
    for (size_t p = cell->first; p < cell->end; p++)
        is &= !histories->fails[r->stayers[r->parts[p].first].class];
    return is;
}

static void take_back(kan_repair *r, const struct kan_repair_cell *cell, kan_histories *histories,
                      uint8_t *is_gone) {
    for (size_t p = cell->first; p < cell->end; p++) {
        struct kan_repair_part *part = &r->parts[p];
        for (; part->n < part->n_before; part->n++)
            is_gone[r->stayers[part->first + part->n].person] = 0;
        histories->fails[r->stayers[part->first].class] = 0;
    }
}

static kan_status check_thinned(kan_repair *r, kan_histories *histories,
                                const kan_head_count *heads, const kan_promise *promise,
                                uint8_t *is_gone) {
    bool has_thinned = false;
    for (size_t c = 0; c < r->n_cells; c++)
        has_thinned |= r->cells[c].is_thinned;
    if (!has_thinned)
        return KAN_OK;
    KAN_TRY(kan_histories_check_parts(histories, heads, promise, is_gone));
    for (size_t c = 0; c < r->n_cells; c++) {
        const struct kan_repair_cell *cell = &r->cells[c];
        if (!cell->is_thinned || is_good(r, cell, histories))
            continue;
        take_back(r, cell, histories, is_gone);
        take_smallest(r, cell, is_gone);
    }
    return KAN_OK;
}

kan_status kan_repair_leave(kan_repair *repair, kan_histories *histories,
                            const kan_head_count *heads, const kan_promise *promise,
                            uint8_t *is_gone) {
    repair->n_gone = 0;
    KAN_TRY(count_out(repair, is_gone));
    KAN_TRY(list_stayers(repair, histories, promise->k, is_gone));
    KAN_TRY(list_parts(repair));
    for (size_t c = 0; c < repair->n_cells; c++)
        repair_cell(repair, &repair->cells[c], promise->k, is_gone);
    if (!kan_histories_of_size(promise))
        KAN_TRY(check_thinned(repair, histories, heads, promise, is_gone));
    for (size_t p = 0; p < repair->n_parts; p++)
        repair->n_gone += repair->parts[p].n_before - repair->parts[p].n;
    return KAN_OK;
}
