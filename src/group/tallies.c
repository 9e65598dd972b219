/* Counting groups with their values: see tallies.h. */
#include "group/tallies.h"

#include <string.h>

enum { LEAST_CELLS = 1 << 12, MOST_CELLS = 1 << 18, LEAST_COUNTERS = 1 << 16 };

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
    t->number_room = room;
    return KAN_OK;
}

/* No more groups than cells or tuples; lists are written one past their end by a tuple that brings
 * no new group. */
static kan_status reserve_groups(kan_tallies *t, size_t n_cells) {
    kan_run *run = t->problem->run;
    const size_t most = (n_cells < t->from->n ? n_cells : t->from->n) + 1;
    KAN_TRY(reserve_numbers(t, n_cells));
    KAN_TRY(kan_reserve(run, most, sizeof *t->cells, &t->cell_room, &t->cells));
    KAN_TRY(kan_reserve(run, most, sizeof *t->counts, &t->count_room, &t->counts));
    return kan_reserve(run, t->from->n + 1, sizeof *t->group_of, &t->tuple_room, &t->group_of);
}

/* Numbers the groups in the order in which they come. */
static inline size_t number_tuples(const kan_bitslices *map, const kan_freqset *from,
                                   uint32_t *restrict numbers, uint32_t *restrict cells,
                                   uint32_t *restrict group_of, const unsigned n_slices) {
    const uint64_t *restrict keys = from->keys;
    struct kan_bitslice slices[KAN_MOST_BITSLICES];
    uint32_t n = 0;
    memcpy(slices, map->slices, sizeof slices);
    for (size_t i = 0; i < from->n; i++) {
        const uint64_t cell = kan_bitslices_map(slices, keys[i], n_slices);
        const uint32_t known = numbers[cell];
        cells[n] = (uint32_t)cell;
        n += known == 0;
        const uint32_t number = known ? known : n;
        numbers[cell] = number;
        group_of[i] = number - 1;
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

kan_status kan_tallies_count(kan_tallies *t, const kan_freqset *from, const unsigned *levels,
                             bool *fits) {
    const kan_space *space = &t->problem->space;
    const uint64_t most_cells = from->n / 2 > MOST_CELLS ? from->n / 2 : MOST_CELLS;
    size_t n_cells;
    t->from = from;
    t->n = t->n_listed = 0;
    t->n_tails = 0;
    memcpy(t->levels, levels, space->n_attributes * sizeof *levels);
    *fits = from->n < UINT32_MAX && kan_digits_find(space, &from->layout, levels, KAN_NO_DIGIT,
                                                    most_cells, t->digits, &t->n_digits, &n_cells);
    if (*fits)
        KAN_TRY(kan_bitslices_make(space->run, t->digits, t->n_digits, from->n, &t->slices, fits));
    if (!*fits)
        return KAN_OK;
    KAN_TRY(reserve_groups(t, n_cells));
#define NUMBER(number)                                                                             \
    t->n = number_tuples(&t->slices, from, t->numbers, t->cells, t->group_of, number)
    KAN_BITSLICES_SWITCH(t->slices.n, NUMBER)
#undef NUMBER
    for (size_t g = 0; g < t->n; g++)
        t->numbers[t->cells[g]] = 0;
    count_rows(t);
    name_digits(t);
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

/* Which tails the set has, and how many counters they need. People are not tallied here. */
static uint64_t find_tails(kan_tallies *t) {
    const kan_space *space = &t->problem->space;
    uint64_t n_values = 0;
    t->n_tails = 0;
    for (unsigned f = 0; f < t->from->layout.n_fields; f++) {
        const kan_key_field *field = &t->from->layout.fields[f];
        if (field->dimension < space->n_attributes)
            continue;
        struct kan_tally_room *tail = &t->tails[t->n_tails];
        tail->field = field;
        tail->n_values = kan_dimension_groups(&space->dimensions[field->dimension], 0);
        tail->n = 0;
        t->tail_of[t->n_tails++] = field->dimension - space->n_attributes;
        n_values += tail->n_values;
    }
    return n_values;
}

static kan_status reserve_tail(kan_tallies *t, struct kan_tally_room *tail) {
    kan_run *run = t->problem->run;
    const size_t n = t->n_rows * tail->n_values;
    KAN_TRY(kan_reserve(run, n, sizeof *tail->counters, &tail->counter_room, &tail->counters));
    KAN_TRY(kan_reserve(run, t->n + 1, sizeof *tail->start, &tail->start_room, &tail->start));
    KAN_TRY(kan_reserve(run, n + 1, sizeof *tail->value, &tail->value_room, &tail->value));
    return kan_reserve(run, n + 1, sizeof *tail->count, &tail->count_room, &tail->count);
}

kan_status kan_tallies_tell(kan_tallies *t, uint64_t least, bool *fits) {
    const uint64_t n_values = find_tails(t);
    KAN_TRY(kan_reserve(t->problem->run, t->n + 1, sizeof *t->rows, &t->row_room, &t->rows));
    t->n_rows = 1;
    for (size_t g = 0; g < t->n; g++)
        t->rows[g] = t->counts[g] < least ? 0 : (uint32_t)t->n_rows++;
    /* Counters that few tuples touch would cost more than a set; rows count in 32 bits. */
    *fits = !t->problem->has_person && t->problem->n_rows <= UINT32_MAX &&
            t->n_rows * n_values <= LEAST_COUNTERS + 8 * (uint64_t)t->from->n;
    if (!*fits)
        return KAN_OK;
    for (unsigned i = 0; i < t->n_tails; i++) {
        KAN_TRY(reserve_tail(t, &t->tails[i]));
        count_values(t, &t->tails[i]);
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

/* Takes what the suppressed groups hold in one attribute away. The number of a group's cell is made
 * of digits; the attribute has none where all rows are one group. */
static void subtract_suppressed(const kan_tallies *t, const kan_groups *groups, unsigned attribute,
                                kan_cell_loss *out) {
    const kan_dimension *dimension = &t->problem->space.dimensions[attribute];
    const unsigned level = t->levels[attribute];
    const uint64_t *shares = t->problem->shares[attribute][level];
    const uint32_t n_groups = kan_dimension_groups(dimension, level);
    uint64_t weight = 0;
    for (unsigned d = 0; d < t->n_digits; d++)
        if (t->attribute_of[d] == attribute)
            weight = t->digits[d].weight;
    for (size_t g = 0; g < t->n; g++) {
        if (groups->is_released[g])
            continue;
        const uint64_t share = shares[weight ? t->cells[g] / weight % n_groups : 0];
        out->share -= (kan_u128)share * t->counts[g];
    }
}

void kan_tallies_loss(const kan_tallies *t, const kan_groups *groups, kan_cell_loss *out) {
    const kan_problem *problem = t->problem;
    for (unsigned a = 0; a < problem->space.n_attributes; a++) {
        const unsigned level = t->levels[a];
        out[a] =
            (kan_cell_loss){.levels = (kan_u128)(groups->n_rows - groups->n_suppressed) * level,
                            .share = problem->share_sums[a][level]};
        if (groups->n_suppressed > 0)
            subtract_suppressed(t, groups, a, &out[a]);
    }
}
