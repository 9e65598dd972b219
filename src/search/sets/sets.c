/* From the regions of a local recoding to units and what they show, and back: see sets.h. */
#include "search/sets/sets.h"

#include <string.h>

#include "search/sets/sets_inside.h"

#define MOST_STEPS   (UINT64_C(1) << 27)
#define MOST_NUMBERS (UINT64_C(1) << 25) /* units times sets: more stays as it is */

enum { NUMBER_BYTES = 64 }; /* about, of a unit in a set */

typedef struct {
    kan_sets sets;
    const kan_regions *regions;
    uint32_t *first; /* by tuple, one more at the end: its units */
} improvement;

/* ---- in ------------------------------------------------------------------------------------- */

static kan_status number_nodes(kan_sets *sets) {
    for (unsigned a = 0; a < sets->n_columns; a++) {
        const kan_hierarchy *h = sets->problem->space.dimensions[a].hierarchy;
        KAN_TRY(kan_alloc(sets->run, (size_t)h->height + 1, sizeof **sets->first_node,
                          &sets->first_node[a]));
        for (unsigned level = 0; level <= h->height; level++) {
            sets->first_node[a][level] = sets->n_nodes[a];
            sets->n_nodes[a] += h->levels[level].n_groups;
        }
        sets->first_of[a] = a > 0 ? sets->first_of[a - 1] + sets->n_nodes[a - 1] : 0;
    }
    return KAN_OK;
}

/* The sets of `m` columns, of which the first `n` are chosen and the next is `from` or later. */
static kan_status list_sets(kan_sets *sets, uint64_t m, kan_sets_set *chosen, unsigned from,
                            size_t *room) {
    if (chosen->n == m) {
        KAN_TRY(kan_reserve(sets->run, sets->n_sets + 1, sizeof *sets->sets, room, &sets->sets));
        sets->sets[sets->n_sets++] = *chosen;
        return KAN_OK;
    }
    for (unsigned a = from; a < sets->n_columns; a++) {
        chosen->columns[chosen->n++] = (uint8_t)a;
        KAN_TRY(list_sets(sets, m, chosen, a + 1, room));
        chosen->n--;
    }
    return KAN_OK;
}

static uint64_t count_sets(unsigned n, const kan_column_sets *subsets) {
    double all = 0;
    for (unsigned i = 0; i < subsets->n; i++) {
        double ways = 1;
        for (uint64_t j = 0; j < subsets->sizes[i].m; j++)
            ways *= (double)(n - j) / (double)(j + 1);
        all += ways;
    }
    return all < 1e15 ? (uint64_t)(all + 1) : UINT64_MAX;
}

static kan_status take_sets(kan_sets *sets, const kan_column_sets *subsets) {
    size_t room = 0;
    for (unsigned i = 0; i < subsets->n; i++) {
        kan_sets_set chosen = {.n = 0, .k = subsets->sizes[i].k};
        KAN_TRY(list_sets(sets, subsets->sizes[i].m, &chosen, 0, &room));
    }
    for (unsigned a = 0; a < sets->n_columns; a++)
        KAN_TRY(kan_alloc(sets->run, sets->n_sets, sizeof **sets->of, &sets->of[a]));
    for (size_t s = 0; s < sets->n_sets; s++)
        for (unsigned i = 0; i < sets->sets[s].n; i++) {
            const unsigned a = sets->sets[s].columns[i];
            sets->of[a][sets->n_of[a]++] = (uint32_t)s;
        }
    return KAN_OK;
}

static size_t portions_of(const improvement *m, size_t tuple, kan_portion *single,
                          const kan_portion **out) {
    return kan_regions_portions(m->regions, tuple, kan_problem_tuple_rows(m->sets.problem, tuple),
                                single, out);
}

static bool is_released(const improvement *m, const kan_portion *portion) {
    return portion->region < kan_regions_released(m->regions);
}

static size_t count_units(const improvement *m) {
    size_t n = 0;
    kan_portion single;
    const kan_portion *portions;
    for (size_t t = 0; t < m->regions->n_tuples; t++) {
        const size_t n_of = portions_of(m, t, &single, &portions);
        for (size_t i = 0; i < n_of; i++)
            n += is_released(m, &portions[i]);
    }
    return n;
}

static void take_unit(improvement *m, size_t t, const kan_portion *portion, size_t unit) {
    kan_sets *sets = &m->sets;
    sets->n_rows[unit] = portion->n_rows;
    sets->region[unit] = portion->region;
    for (unsigned a = 0; a < sets->n_columns; a++) {
        const uint32_t cell = m->regions->cell_of[(size_t)portion->region * sets->n_columns + a];
        sets->leaf[unit * sets->n_columns + a] = kan_problem_tuple_value(sets->problem, t, a);
        sets->level[unit * sets->n_columns + a] = (uint8_t)m->regions->cells[a].cells[cell].a;
    }
}

static kan_status take_units(improvement *m) {
    kan_sets *sets = &m->sets;
    const size_t n_cells = sets->n_units * sets->n_columns;
    kan_portion single;
    const kan_portion *portions;
    uint32_t unit = 0;
    KAN_TRY(kan_alloc(sets->run, sets->n_units, sizeof *sets->n_rows, &sets->n_rows));
    KAN_TRY(kan_alloc(sets->run, sets->n_units, sizeof *sets->region, &sets->region));
    KAN_TRY(kan_alloc(sets->run, n_cells, sizeof *sets->leaf, &sets->leaf));
    KAN_TRY(kan_alloc(sets->run, n_cells, sizeof *sets->level, &sets->level));
    KAN_TRY(kan_alloc(sets->run, m->regions->n_tuples + 1, sizeof *m->first, &m->first));
    for (size_t t = 0; t < m->regions->n_tuples; t++) {
        const size_t n = portions_of(m, t, &single, &portions);
        m->first[t] = unit;
        for (size_t i = 0; i < n; i++)
            if (is_released(m, &portions[i]))
                take_unit(m, t, &portions[i], unit++);
    }
    m->first[m->regions->n_tuples] = unit;
    return KAN_OK;
}

/* ---- out ------------------------------------------------------------------------------------ */

/* The cells of a column that units show, by the numbers of their nodes. */
static kan_status list_cells(const kan_sets *sets, unsigned a, kan_regions *out) {
    const kan_hierarchy *h = sets->problem->space.dimensions[a].hierarchy;
    kan_cells *cells = &out->cells[a];
    uint32_t *cell_of; /* by node: its cell, and 1 */
    KAN_TRY(kan_alloc_zero(out->run, sets->n_nodes[a], sizeof *cell_of, &cell_of));
    for (size_t unit = 0; unit < sets->n_units; unit++) {
        uint32_t *cell = &cell_of[kan_sets_node(sets, unit, a)];
        *cell = *cell > 0 ? *cell : ++cells->n;
    }
    cells->type = KAN_CELL_NODE;
    kan_status status = kan_alloc(out->run, cells->n, sizeof *cells->cells, &cells->cells);
    for (unsigned level = 0; level <= h->height && status == KAN_OK; level++)
        for (uint32_t g = 0; g < h->levels[level].n_groups; g++) {
            const uint32_t cell = cell_of[sets->first_node[a][level] + g];
            if (cell > 0)
                cells->cells[cell - 1] = (kan_cell){level, g};
        }
    for (size_t unit = 0; unit < sets->n_units && status == KAN_OK; unit++)
        out->cell_of[unit * sets->n_columns + a] = cell_of[kan_sets_node(sets, unit, a)] - 1;
    kan_free(out->run, cell_of);
    return status;
}

/* The portions of a tuple: its units, which are regions by their numbers, and what is left out. */
static size_t hand_out(const improvement *m, kan_regions *out, size_t t, kan_portion *portions) {
    const uint64_t n_rows = kan_problem_tuple_rows(m->sets.problem, t);
    uint64_t n_released = 0;
    size_t n = 0;
    for (uint32_t unit = m->first[t]; unit < m->first[t + 1]; unit++) {
        portions[n++] = (kan_portion){unit, m->sets.n_rows[unit]};
        n_released += m->sets.n_rows[unit];
    }
    if (n_rows > n_released)
        portions[n++] = (kan_portion){out->n_regions - 1, n_rows - n_released};
    for (size_t i = 0; i < n; i++)
        out->n_rows[portions[i].region] += portions[i].n_rows;
    return n;
}

static kan_status fill(const improvement *m, kan_regions *out) {
    const unsigned n = out->n_attributes;
    size_t n_portions = 0;
    for (unsigned a = 0; a < n; a++)
        KAN_TRY(list_cells(&m->sets, a, out));
    if (out->has_lost) /* means nothing: as the first */
        memcpy(out->cell_of + (size_t)(out->n_regions - 1) * n, out->cell_of,
               n * sizeof *out->cell_of);
    for (size_t t = 0; t < out->n_tuples; t++) {
        kan_portion *portions = out->portions + n_portions;
        const size_t n_of = hand_out(m, out, t, portions);
        if (n_of == 1) {
            out->region_of[t] = portions[0].region;
            continue;
        }
        out->region_of[t] = KAN_REGION_SPLIT | (uint32_t)out->n_splits;
        n_portions += n_of;
        out->split_start[++out->n_splits] = n_portions;
    }
    return KAN_OK;
}

static kan_status make_room(const improvement *m, kan_regions *out) {
    out->n_attributes = m->sets.n_columns;
    out->n_tuples = m->regions->n_tuples;
    out->has_lost = m->regions->has_lost;
    out->n_regions = (uint32_t)m->sets.n_units + out->has_lost;
    KAN_TRY(kan_alloc_zero(out->run, out->n_regions, sizeof *out->n_rows, &out->n_rows));
    KAN_TRY(kan_alloc_zero(out->run, (size_t)out->n_regions * out->n_attributes,
                           sizeof *out->cell_of, &out->cell_of));
    KAN_TRY(kan_alloc(out->run, out->n_tuples, sizeof *out->region_of, &out->region_of));
    KAN_TRY(
        kan_alloc_zero(out->run, out->n_tuples + 1, sizeof *out->split_start, &out->split_start));
    return kan_alloc(out->run, (size_t)out->n_regions + out->n_tuples, sizeof *out->portions,
                     &out->portions);
}

static kan_status replace(const improvement *m, kan_answer *answer) {
    kan_regions *made;
    KAN_TRY(kan_alloc_zero(m->sets.run, 1, sizeof *made, &made));
    made->run = m->sets.run;
    kan_status status = make_room(m, made);
    if (status == KAN_OK)
        status = fill(m, made);
    if (status != KAN_OK) {
        kan_regions_destroy(made);
        return status;
    }
    kan_regions_destroy(answer->recoding.regions);
    answer->recoding.regions = made;
    return KAN_OK;
}

/* ---- all ------------------------------------------------------------------------------------ */

static kan_status improve(improvement *m, const kan_column_sets *subsets, kan_answer *answer) {
    kan_sets *sets = &m->sets;
    sets->n_columns = m->regions->n_attributes;
    sets->n_units = count_units(m);
    const uint64_t n_sets = count_sets(sets->n_columns, subsets);
    if (sets->n_units == 0)
        return KAN_OK;
    const uint64_t room = kan_run_memory_left(sets->run) / 2 / NUMBER_BYTES;
    const uint64_t most = room < MOST_NUMBERS ? room : MOST_NUMBERS;
    if (n_sets > most || sets->n_units > most / n_sets) {
        kan_note(sets->run, "--subsets: so many rows stay as groups by all columns show them");
        return KAN_OK;
    }
    KAN_TRY(number_nodes(sets));
    KAN_TRY(take_sets(sets, subsets));
    KAN_TRY(take_units(m));
    KAN_TRY(kan_sets_count(sets));
    KAN_TRY(kan_sets_search(sets));
    return replace(m, answer);
}

kan_status kan_sets_improve(kan_run *run, const kan_question *question,
                            const kan_column_sets *subsets, kan_answer *answer) {
    improvement m = {.sets = {.run = run, .problem = question->problem, .most_steps = MOST_STEPS},
                     .regions = answer->recoding.regions};
    KAN_ASSERT(answer->recoding.type == KAN_RECODING_LOCAL);
    kan_report_progress(run, "sets of columns", 0, 0);
    const kan_status status = improve(&m, subsets, answer);
    kan_sets_destroy(&m.sets);
    kan_free(run, m.first);
    return status;
}
