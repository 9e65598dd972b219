/* The regions that groups become: one for each that is released, in the order of their first
 * points, and one for all rows that are left out. Linear in points and groups. */
#include "search/maps/maps_inside.h"

typedef struct {
    const kan_maps_state *state;
    kan_regions *regions;
    uint32_t *region_of; /* by group, + 1; 0: none yet, or left out */
    uint32_t *group_of;  /* by region */
} answering;

static uint64_t n_left_out(const kan_maps_state *state) {
    return state->total.n_lost + state->space->n_rows_gone;
}

static kan_status number_regions(answering *w) {
    const kan_maps_state *state = w->state;
    kan_run *run = state->space->run;
    kan_regions *regions = w->regions;
    KAN_TRY(kan_alloc_zero(run, state->n_groups, sizeof *w->region_of, &w->region_of));
    KAN_TRY(kan_alloc(run, state->n_groups, sizeof *w->group_of, &w->group_of));
    for (size_t p = 0; p < state->space->n_points; p++) {
        const uint32_t g = state->group_of[p];
        if (w->region_of[g] != 0 || state->groups[g].sum.n_released == 0)
            continue;
        w->group_of[regions->n_regions++] = g;
        w->region_of[g] = regions->n_regions;
    }
    regions->has_lost = n_left_out(state) > 0;
    regions->n_regions += regions->has_lost;
    return KAN_OK;
}

/* The nodes that regions show of an attribute, without repetition. Those of rows that are left out
 * mean nothing. */
static kan_status list_cells(answering *w, unsigned a) {
    const kan_maps_attribute *attribute = &w->state->space->attributes[a];
    kan_run *run = w->state->space->run;
    kan_regions *regions = w->regions;
    kan_cells *cells = &regions->cells[a];
    uint32_t *cell_of; /* by node: cell + 1 */
    cells->type = KAN_CELL_NODE;
    KAN_TRY(kan_alloc(run, attribute->n_nodes, sizeof *cells->cells, &cells->cells));
    KAN_TRY(kan_alloc_zero(run, attribute->n_nodes, sizeof *cell_of, &cell_of));
    for (uint32_t r = 0; r < regions->n_regions; r++) {
        const uint32_t node = r < kan_regions_released(regions)
                                  ? kan_maps_nodes(w->state, w->group_of[r])[a]
                                  : attribute->n_nodes - 1;
        if (cell_of[node] == 0) {
            cells->cells[cells->n++] = attribute->cell[node];
            cell_of[node] = cells->n;
        }
        regions->cell_of[(size_t)r * regions->n_attributes + a] = cell_of[node] - 1;
    }
    kan_free(run, cell_of);
    return KAN_OK;
}

static kan_status place_tuples(answering *w) {
    const kan_maps_space *space = w->state->space;
    kan_regions *regions = w->regions;
    KAN_TRY(
        kan_alloc(space->run, regions->n_tuples, sizeof *regions->region_of, &regions->region_of));
    KAN_TRY(kan_alloc_zero(space->run, 1, sizeof *regions->split_start, &regions->split_start));
    KAN_TRY(kan_alloc(space->run, 0, sizeof *regions->portions, &regions->portions));
    for (size_t p = 0; p < space->n_points; p++) {
        const uint32_t region = w->region_of[w->state->group_of[p]];
        for (size_t t = space->first_tuple[p]; t < space->first_tuple[p + 1]; t++)
            regions->region_of[t] =
                region > 0 && !kan_maps_is_gone(space, t) ? region - 1 : regions->n_regions - 1;
    }
    return KAN_OK;
}

static kan_status make_regions(answering *w) {
    const kan_maps_state *state = w->state;
    kan_run *run = state->space->run;
    kan_regions *regions = w->regions;
    regions->n_attributes = state->space->n_attributes;
    regions->n_tuples = state->space->first_tuple[state->space->n_points];
    KAN_TRY(number_regions(w));
    KAN_TRY(kan_alloc(run, regions->n_regions, sizeof *regions->n_rows, &regions->n_rows));
    KAN_TRY(kan_alloc(run, (size_t)regions->n_regions * regions->n_attributes,
                      sizeof *regions->cell_of, &regions->cell_of));
    for (uint32_t r = 0; r < kan_regions_released(regions); r++)
        regions->n_rows[r] = state->groups[w->group_of[r]].n_rows;
    if (regions->has_lost)
        regions->n_rows[regions->n_regions - 1] = n_left_out(state);
    for (unsigned a = 0; a < regions->n_attributes; a++)
        KAN_TRY(list_cells(w, a));
    return place_tuples(w);
}

kan_status kan_maps_answer(const kan_maps_state *state, kan_answer *out) {
    kan_run *run = state->space->run;
    answering w = {.state = state};
    if (kan_maps_worth_of(state->space, &state->total).excess > 0)
        return KAN_OK;
    KAN_TRY(kan_alloc_zero(run, 1, sizeof *w.regions, &w.regions));
    w.regions->run = run;
    const kan_status status = make_regions(&w);
    kan_free(run, w.region_of);
    kan_free(run, w.group_of);
    if (status != KAN_OK) {
        kan_regions_destroy(w.regions);
        return status;
    }
    out->is_found = true;
    out->recoding.type = KAN_RECODING_LOCAL;
    out->recoding.n_attributes = state->space->n_attributes;
    out->recoding.regions = w.regions;
    return KAN_OK;
}
