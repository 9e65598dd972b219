/* Counting groups with their values: see tallies.h. */
#include "group/tallies.h"

#include <string.h>

enum { LEAST_CELLS = 1 << 12, MOST_CELLS = 1 << 18, LEAST_COUNTERS = 1 << 16 };
enum { MOST_SCATTERED = 1 << 18 };
#define MOST_NUMBERS (UINT64_C(1) << 56)

void kan_tallies_init(kan_tallies *tallies, const kan_problem *problem) {
    *tallies = (kan_tallies){.problem = problem};
}

void kan_tallies_destroy(kan_tallies *tallies) {
    if (!tallies->problem)
        return;
    kan_run *run = tallies->problem->run;
    kan_free(run, tallies->counts);
    kan_free(run, tallies->slices.tables);
    kan_free(run, tallies->numbers);
    kan_scatter_destroy(&tallies->scatter, run);
    kan_free(run, tallies->cells);
    kan_free(run, tallies->group_of);
    kan_free(run, tallies->rows);
    for (unsigned t = 0; t < KAN_MAX_TAILS; t++) {
        kan_free(run, tallies->tails[t].counters);
        kan_free(run, tallies->tails[t].start);
        kan_free(run, tallies->tails[t].value);
        kan_free(run, tallies->tails[t].count);
    }
    kan_tallies_init(tallies, tallies->problem);
}

/* ---- groups --------------------------------------------------------------------------------- */

static kan_status reserve_numbers(kan_tallies *t, size_t n_cells) {
    kan_run *run = t->problem->run;
    size_t room = LEAST_CELLS;
    if (n_cells <= t->number_room)
        return KAN_OK;
    while (room < n_cells)
        room *= 2;
    kan_free(run, t->numbers);
    t->numbers = NULL;
    t->number_room = 0;
    KAN_TRY(kan_alloc_zero(run, room, sizeof *t->numbers, &t->numbers));
    /* Written at once: fresh pages that are read first cost twice. */
    memset(t->numbers, 0, n_cells * sizeof *t->numbers);
    t->number_room = room;
    return KAN_OK;
}

/* No more groups than cells or tuples; lists are written one past their end by a tuple that brings
 * no new group. */
static kan_status reserve_groups(kan_tallies *t, size_t n_cells, bool has_cells) {
    kan_run *run = t->problem->run;
    const size_t most = (n_cells < t->from->n ? n_cells : t->from->n) + 1;
    if (has_cells)
        KAN_TRY(reserve_numbers(t, n_cells));
    else
        KAN_TRY(kan_scatter_reserve(&t->scatter, run, t->from->n));
    KAN_TRY(kan_reserve(run, most, sizeof *t->cells, &t->cell_room, &t->cells));
    KAN_TRY(kan_reserve(run, most, sizeof *t->counts, &t->count_room, &t->counts));
    return kan_reserve(run, t->from->n + 1, sizeof *t->group_of, &t->tuple_room, &t->group_of);
}

/* Numbers the groups in the order in which they come. */
static inline size_t number_tuples(const kan_bitslices *map, const kan_freqset *from,
                                   uint32_t *restrict numbers, uint64_t *restrict cells,
                                   uint32_t *restrict group_of, const unsigned n_slices) {
    const uint64_t *restrict keys = from->keys;
    struct kan_bitslice slices[KAN_MOST_BITSLICES];
    uint32_t n = 0;
    memcpy(slices, map->slices, sizeof slices);
    for (size_t i = 0; i < from->n; i++) {
        const uint64_t cell = kan_bitslices_map(slices, keys[i], n_slices);
        const uint32_t known = numbers[cell];
        cells[n] = cell;
        n += known == 0;
        const uint32_t number = known ? known : n;
        numbers[cell] = number;
        group_of[i] = number - 1;
    }
    return n;
}

static inline size_t scatter_tuples(const kan_bitslices *map, const kan_freqset *from,
                                    const kan_scatter *table, uint64_t *restrict cells,
                                    uint32_t *restrict group_of, const unsigned n_slices) {
    const uint64_t *restrict keys = from->keys;
    const kan_scatter scatter = *table;
    struct kan_bitslice slices[KAN_MOST_BITSLICES];
    uint32_t n = 0;
    memcpy(slices, map->slices, sizeof slices);
    for (size_t i = 0; i < from->n; i++) {
        const uint64_t cell = kan_bitslices_map(slices, keys[i], n_slices);
        cells[n] = cell; /* of a new group */
        group_of[i] = kan_scatter_number(&scatter, cell, &n);
    }
    return n;
}

static void count_rows(kan_tallies *t) {
    uint64_t *restrict counts = t->counts;
    const uint64_t *restrict rows = t->from->counts;
    const uint32_t *restrict group_of = t->group_of;
    memset(counts, 0, t->n * sizeof *counts);
    for (size_t i = 0; i < t->from->n; i++)
        counts[group_of[i]] += rows[i];
}

/* The digits in the order in which kan_digits_find makes them. */
static void name_digits(kan_tallies *t) {
    const kan_layout *layout = &t->from->layout;
    const kan_space *space = &t->problem->space;
    unsigned n = 0;
    for (unsigned f = layout->n_fields; f-- > 0;) {
        const unsigned d = layout->fields[f].dimension;
        if (d < space->n_attributes &&
            kan_dimension_groups(&space->dimensions[d], t->levels[d]) > 1)
            t->attribute_of[n++] = d;
    }
    KAN_ASSERT(n == t->n_digits);
}

/* Which tails are wanted and there. */
static void find_tails(kan_tallies *t, unsigned wanted) {
    const kan_space *space = &t->problem->space;
    t->n_tails = 0;
    for (unsigned f = 0; f < t->from->layout.n_fields; f++) {
        const kan_key_field *field = &t->from->layout.fields[f];
        if (field->dimension < space->n_attributes ||
            !(wanted >> (field->dimension - space->n_attributes) & 1))
            continue;
        struct kan_tally_room *tail = &t->tails[t->n_tails];
        tail->field = field;
        tail->n_values = kan_dimension_groups(&space->dimensions[field->dimension], 0);
        tail->n = 0;
        t->tail_of[t->n_tails++] = field->dimension - space->n_attributes;
    }
}

/* ---- a row of counters for every possible group ------------------------------------------------
 */

/* One tail, and not many more counters than tuples. */
static bool can_have_rows(const kan_tallies *t, size_t n_cells) {
    enum { FEW_COUNTERS = 1 << 12 };
    const uint64_t most = FEW_COUNTERS + 2 * (uint64_t)t->from->n;
    return t->n_tails == 1 && t->problem->n_rows <= UINT32_MAX && !t->problem->has_person &&
           n_cells <= most && n_cells * t->tails[0].n_values <= most;
}

static inline void count_pairs(const kan_bitslices *map, const kan_freqset *from,
                               uint32_t *restrict counters, const unsigned n_slices) {
    const uint64_t *restrict keys = from->keys, *restrict counts = from->counts;
    struct kan_bitslice slices[KAN_MOST_BITSLICES];
    memcpy(slices, map->slices, sizeof slices);
    for (size_t i = 0; i < from->n; i++)
        counters[kan_bitslices_map(slices, keys[i], n_slices)] += (uint32_t)counts[i];
}

/* The cells that have rows are the groups. */
static void list_cells(kan_tallies *t, const uint32_t *counters, size_t n_cells) {
    const uint32_t n_values = t->tails[0].n_values;
    size_t n = 0;
    for (size_t cell = 0; cell < n_cells; cell++, counters += n_values) {
        uint32_t rows = 0;
        for (uint32_t v = 0; v < n_values; v++)
            rows += counters[v];
        t->counts[n] = rows;
        t->cells[n] = cell;
        n += rows > 0;
    }
    t->n = n;
}

/* The tail is the lowest digit of a counter's number. */
static kan_status count_by_rows(kan_tallies *t, size_t n_cells, kan_workspace *workspace,
                                bool *fits) {
    kan_run *run = t->problem->run;
    struct kan_tally_room *tail = &t->tails[0];
    const size_t n_counters = (n_cells + 1) * tail->n_values;
    kan_digit digits[KAN_MAX_FIELDS + 1];
    digits[0] = kan_digit_of(&t->problem->space, tail->field, 0, 1);
    for (unsigned d = 0; d < t->n_digits; d++) {
        digits[d + 1] = t->digits[d];
        digits[d + 1].weight *= tail->n_values;
    }
    KAN_TRY(kan_bitslices_make(run, digits, t->n_digits + 1, t->from->n, &t->slices, fits));
    if (!*fits)
        return KAN_OK;
    KAN_TRY(
        kan_reserve(run, n_counters, sizeof *tail->counters, &tail->counter_room, &tail->counters));
    KAN_TRY(kan_reserve(run, n_cells + 1, sizeof *t->cells, &t->cell_room, &t->cells));
    KAN_TRY(kan_reserve(run, n_cells + 1, sizeof *t->counts, &t->count_room, &t->counts));
    uint32_t *counters = tail->counters + tail->n_values; /* the first row is nobody's */
    const kan_cell_sums sums = {.n_cells = n_cells * tail->n_values, .narrow = counters};
    bool is_divided;
    KAN_TRY(kan_count_divided(workspace, t->from, &t->slices, &sums, &is_divided));
    if (is_divided) {
        memset(tail->counters, 0, tail->n_values * sizeof *tail->counters);
    } else {
        memset(tail->counters, 0, n_counters * sizeof *tail->counters);
#define COUNT(number) count_pairs(&t->slices, t->from, counters, number)
        KAN_BITSLICES_SWITCH(t->slices.n, COUNT)
#undef COUNT
    }
    list_cells(t, counters, n_cells);
    t->n_rows = n_cells + 1;
    t->has_row_per_cell = true;
    return KAN_OK;
}

kan_status kan_tallies_count(kan_tallies *t, const kan_freqset *from, const unsigned *levels,
                             unsigned wanted, kan_workspace *workspace, bool *fits) {
    const kan_space *space = &t->problem->space;
    const uint64_t most_cells = from->n / 2 > MOST_CELLS ? from->n / 2 : MOST_CELLS;
    const bool can_scatter = from->n <= MOST_SCATTERED;
    size_t n_cells;
    t->from = from;
    t->edition++;
    t->n = t->n_listed = 0;
    t->has_row_per_cell = false;
    find_tails(t, wanted);
    memcpy(t->levels, levels, space->n_attributes * sizeof *levels);
    *fits = from->n < UINT32_MAX && kan_digits_find(space, &from->layout, levels, KAN_NO_DIGIT,
                                                    can_scatter ? MOST_NUMBERS : most_cells,
                                                    t->digits, &t->n_digits, &n_cells);
    if (!*fits)
        return KAN_OK;
    name_digits(t);
    if (can_have_rows(t, n_cells)) {
        KAN_TRY(count_by_rows(t, n_cells, workspace, fits));
        if (*fits)
            return KAN_OK;
    }
    KAN_TRY(kan_bitslices_make(space->run, t->digits, t->n_digits, from->n, &t->slices, fits));
    if (!*fits)
        return KAN_OK;
    const bool has_cells = n_cells <= most_cells;
    KAN_TRY(reserve_groups(t, n_cells, has_cells));
#define NUMBER(number)                                                                             \
    t->n = has_cells                                                                               \
               ? number_tuples(&t->slices, from, t->numbers, t->cells, t->group_of, number)        \
               : scatter_tuples(&t->slices, from, &t->scatter, t->cells, t->group_of, number)
    KAN_BITSLICES_SWITCH(t->slices.n, NUMBER)
#undef NUMBER
    if (has_cells)
        for (size_t g = 0; g < t->n; g++)
            t->numbers[t->cells[g]] = 0;
    else
        kan_scatter_clear(&t->scatter, t->n);
    count_rows(t);
    return KAN_OK;
}

/* ---- values --------------------------------------------------------------------------------- */

static void count_values(const kan_tallies *t, const struct kan_tally_room *tail) {
    const uint64_t *restrict keys = t->from->keys, *restrict counts = t->from->counts;
    const uint32_t *restrict group_of = t->group_of, *restrict rows = t->rows;
    uint32_t *restrict counters = tail->counters;
    const unsigned shift = tail->field->shift;
    const size_t n_values = tail->n_values;
    const uint64_t mask = tail->field->bits ? ~UINT64_C(0) >> (64 - tail->field->bits) : 0;
    memset(counters, 0, t->n_rows * n_values * sizeof *counters);
    for (size_t i = 0; i < t->from->n; i++)
        counters[rows[group_of[i]] * n_values + (keys[i] >> shift & mask)] += (uint32_t)counts[i];
}

static kan_status reserve_tail(kan_tallies *t, struct kan_tally_room *tail) {
    kan_run *run = t->problem->run;
    const size_t n = t->n_rows * tail->n_values;
    KAN_TRY(kan_reserve(run, n, sizeof *tail->counters, &tail->counter_room, &tail->counters));
    KAN_TRY(kan_reserve(run, t->n + 1, sizeof *tail->start, &tail->start_room, &tail->start));
    KAN_TRY(kan_reserve(run, n + 1, sizeof *tail->value, &tail->value_room, &tail->value));
    return kan_reserve(run, n + 1, sizeof *tail->count, &tail->count_room, &tail->count);
}

/* Which row of counters each group has, and how many rows there are. */
static uint64_t give_rows(kan_tallies *t, uint64_t least) {
    uint64_t n_values = 0;
    for (unsigned i = 0; i < t->n_tails; i++)
        n_values += t->tails[i].n_values;
    if (t->has_row_per_cell) {
        for (size_t g = 0; g < t->n; g++)
            t->rows[g] = t->counts[g] < least ? 0 : (uint32_t)t->cells[g] + 1;
        return 0;
    }
    t->n_rows = 1;
    for (size_t g = 0; g < t->n; g++)
        t->rows[g] = t->counts[g] < least ? 0 : (uint32_t)t->n_rows++;
    return t->n_rows * n_values;
}

kan_status kan_tallies_tell(kan_tallies *t, uint64_t least, bool *fits) {
    t->edition++;
    KAN_TRY(kan_reserve(t->problem->run, t->n + 1, sizeof *t->rows, &t->row_room, &t->rows));
    const uint64_t n_counters = give_rows(t, least);
    /* Counters that few tuples touch would cost more than a set; rows count in 32 bits. */
    *fits = !t->problem->has_person && t->problem->n_rows <= UINT32_MAX &&
            n_counters <= LEAST_COUNTERS + 8 * (uint64_t)t->from->n;
    if (!*fits)
        return KAN_OK;
    for (unsigned i = 0; i < t->n_tails; i++) {
        KAN_TRY(reserve_tail(t, &t->tails[i]));
        if (!t->has_row_per_cell)
            count_values(t, &t->tails[i]);
        t->tails[i].n = 0;
        t->tails[i].start[0] = 0;
        t->tallies[t->tail_of[i]] =
            (kan_tally){t->tails[i].start, t->tails[i].value, t->tails[i].count};
    }
    t->n_listed = 0;
    return KAN_OK;
}

static void list_tail(const kan_tallies *t, struct kan_tally_room *tail, size_t end) {
    uint32_t *restrict value = tail->value;
    uint64_t *restrict count = tail->count;
    size_t n = tail->n;
    for (size_t g = t->n_listed; g < end; g++) {
        const uint32_t *counters = tail->counters + (size_t)t->rows[g] * tail->n_values;
        for (uint32_t v = 0; t->rows[g] > 0 && v < tail->n_values; v++) {
            value[n] = v;
            count[n] = counters[v];
            n += counters[v] > 0;
        }
        tail->start[g + 1] = n;
    }
    tail->n = n;
}

void kan_tallies_list(kan_tallies *t, size_t end) {
    KAN_ASSERT(end <= t->n);
    for (unsigned i = 0; i < t->n_tails && end > t->n_listed; i++)
        list_tail(t, &t->tails[i], end);
    t->n_listed = end > t->n_listed ? end : t->n_listed;
}

/* ---- loss ----------------------------------------------------------------------------------- */

/* Adds up what the groups hold that are released, or those that are not. The number of a group's cell
 * is made of digits, the lowest first; an attribute has none where all rows are one group. */
static void sum_shares(const kan_tallies *t, const kan_groups *groups, bool released,
                       uint64_t n_rows, kan_u128 *out) {
    const kan_space *space = &t->problem->space;
    const uint64_t *shares[KAN_MAX_ATTRIBUTES];
    uint64_t radix[KAN_MAX_ATTRIBUTES];
    for (unsigned a = 0; a < space->n_attributes; a++)
        out[a] = (kan_u128)t->problem->shares[a][t->levels[a]][0] * n_rows;
    for (unsigned d = 0; d < t->n_digits; d++) {
        const unsigned a = t->attribute_of[d];
        KAN_ASSERT(t->digits[d].weight == (d ? t->digits[d - 1].weight * radix[d - 1] : 1));
        shares[d] = t->problem->shares[a][t->levels[a]];
        radix[d] = kan_dimension_groups(&space->dimensions[a], t->levels[a]);
        out[a] = 0;
    }
    for (size_t g = 0; g < t->n; g++) {
        uint64_t rest = t->cells[g];
        if ((bool)groups->is_released[g] != released)
            continue;
        for (unsigned d = 0; d < t->n_digits; d++) {
            const uint64_t above = rest / radix[d];
            out[t->attribute_of[d]] += (kan_u128)shares[d][rest - above * radix[d]] * t->counts[g];
            rest = above;
        }
    }
}

/* The fewer groups are added up: the rest is what all hold without them. */
void kan_tallies_loss(const kan_tallies *t, const kan_groups *groups, kan_cell_loss *out) {
    const kan_problem *problem = t->problem;
    const uint64_t n_released = groups->n_rows - groups->n_suppressed;
    const bool adds_released = 2 * groups->n_released_groups < t->n;
    kan_u128 shares[KAN_MAX_ATTRIBUTES];
    KAN_ASSERT(kan_groups_is_fresh(groups));
    if (groups->n_suppressed > 0)
        sum_shares(t, groups, adds_released, adds_released ? n_released : groups->n_suppressed,
                   shares);
    for (unsigned a = 0; a < problem->space.n_attributes; a++) {
        const kan_u128 all = problem->share_sums[a][t->levels[a]];
        out[a].levels = (kan_u128)n_released * t->levels[a];
        out[a].share = groups->n_suppressed == 0 ? all
                       : adds_released           ? shares[a]
                                                 : all - shares[a];
    }
}
