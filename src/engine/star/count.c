/* The counter of a star: frequency sets are tables in the engine, and one row of numbers comes home
 * from each; or the sizes of its groups, where sums of squares could be too large there. */
#include <inttypes.h>
#include <stdio.h>

#include "engine/star/star_state.h"

bool kan_star_read_number(kan_slice text, uint64_t *out) {
    uint64_t number = 0;
    if (!text.bytes || text.size == 0)
        return false;
    for (size_t i = 0; i < text.size; i++) {
        const unsigned digit = (unsigned)(unsigned char)text.bytes[i] - '0';
        if (digit > 9 || __builtin_mul_overflow(number, (uint64_t)10, &number) ||
            __builtin_add_overflow(number, (uint64_t)digit, &number))
            return false;
    }
    *out = number;
    return true;
}

/* Signed numbers of 64 bits are what all engines have; no group is larger. */
static uint64_t least_of(const kan_count_order *order) {
    return order->least_size < INT64_MAX ? order->least_size : INT64_MAX;
}

/* Whether the node is the very one of the set that it is counted from. */
static bool is_same(const kan_star *star, const kan_count_order *order) {
    const kan_star_set *const set = &star->sets[order->from];
    unsigned n =
        (unsigned)__builtin_popcountll(set->mask) + (unsigned)__builtin_popcountll(set->mask_more);
    bool same = n == order->n;
    for (unsigned i = 0; i < order->n; i++)
        same &= set->levels[order->attributes[i]] == order->levels[i];
    return same;
}

/* ---- what comes home ------------------------------------------------------------------------- */

enum { N_NUMBERS = 6 };

typedef struct taking {
    kan_star *star;
    const kan_count_order *order;
    kan_counted *out;
    uint64_t n_rows;  /* of all groups */
    uint64_t *groups; /* count_small: by code */
} taking;

static kan_status no_number(const taking *t) {
    return kan_fail(t->star->engine->run, KAN_FAILED,
                    "%s: the engine returned an invalid number of rows",
                    kan_engine_name(t->star->engine));
}

static kan_status take_sums(void *context, const kan_slice *values) {
    taking *const t = context;
    uint64_t numbers[N_NUMBERS];
    t->star->engine->n_rows_received++;
    for (unsigned i = 0; i < N_NUMBERS; i++)
        if (!kan_star_read_number(values[i], &numbers[i]))
            return no_number(t);
    t->n_rows = numbers[1];
    t->out->n_groups = numbers[0];
    t->out->n_small_rows = numbers[2];
    t->out->n_large_groups = numbers[3];
    t->out->squares = numbers[4];
    t->out->smallest = numbers[3] > 0 ? numbers[5] : 0;
    return KAN_OK;
}

static kan_status take_size(void *context, const kan_slice *values) {
    taking *const t = context;
    kan_counted *const out = t->out;
    uint64_t size, n;
    t->star->engine->n_rows_received++;
    if (!kan_star_read_number(values[0], &size) || !kan_star_read_number(values[1], &n))
        return no_number(t);
    out->n_groups += n;
    t->n_rows += size * n;
    if (size < t->order->least_size) {
        out->n_small_rows += size * n;
        return KAN_OK;
    }
    out->n_large_groups += n;
    out->squares += (kan_u128)size * size * n;
    out->smallest = out->smallest == 0 || size < out->smallest ? size : out->smallest;
    return KAN_OK;
}

static void add_number(kan_text *sql, const kan_star *star, const char *expression) {
    kan_sql_pattern(sql, star->engine->table.dialect->number_text, expression);
}

/* Sums over groups whose rows are called `n`. */
static void add_sums(kan_text *sql, const kan_star *star, const kan_count_order *order,
                     const char *n) {
    const uint64_t least = least_of(order);
    char piece[160];
    add_number(sql, star, "count(*)");
    (void)snprintf(piece, sizeof piece, "sum(%s)", n);
    kan_text_print(sql, ", ");
    add_number(sql, star, piece);
    (void)snprintf(piece, sizeof piece, "sum(CASE WHEN %s < %" PRIu64 " THEN %s ELSE 0 END)", n,
                   least, n);
    kan_text_print(sql, ", ");
    add_number(sql, star, piece);
    (void)snprintf(piece, sizeof piece, "sum(CASE WHEN %s < %" PRIu64 " THEN 0 ELSE 1 END)", n,
                   least);
    kan_text_print(sql, ", ");
    add_number(sql, star, piece);
    (void)snprintf(piece, sizeof piece, "sum(CASE WHEN %s < %" PRIu64 " THEN 0 ELSE %s * %s END)",
                   n, least, n, n);
    kan_text_print(sql, ", ");
    add_number(sql, star, piece);
    (void)snprintf(piece, sizeof piece,
                   "min(CASE WHEN %s < %" PRIu64 " THEN %" PRId64 " ELSE %s END)", n, least,
                   INT64_MAX, n);
    kan_text_print(sql, ", ");
    add_number(sql, star, piece);
}

static void add_sizes(kan_text *sql, const kan_star *star, const char *n) {
    add_number(sql, star, n);
    kan_text_print(sql, ", ");
    add_number(sql, star, "count(*)");
}

/* The numbers of the groups in a set, or of those that are rolled up just for that. */
static kan_status query_numbers(taking *t, const char *set) {
    kan_star *const star = t->star;
    const bool by_sizes = star->plan.fetches_sizes;
    const char *const n = set ? "n" : "xn";
    const kan_row_taker taker = {by_sizes ? take_size : take_sums, t};
    kan_text sql;
    kan_text_init(&sql, star->engine->run);
    kan_text_print(&sql, "SELECT ");
    if (by_sizes)
        add_sizes(&sql, star, n);
    else
        add_sums(&sql, star, t->order, n);
    if (set) {
        kan_text_print(&sql, " FROM %s", set);
    } else {
        kan_text_print(&sql, " FROM (");
        kan_sql_roll_up(&sql, star, t->order);
        kan_text_print(&sql, ") AS xs");
    }
    if (by_sizes)
        kan_text_print(&sql, " GROUP BY %s", n);
    KAN_TRY(kan_engine_query(star->engine, &sql, "count groups", by_sizes ? 2 : N_NUMBERS, &taker));
    if (t->n_rows == star->plan.n_rows)
        return KAN_OK;
    return kan_fail(star->engine->run, KAN_FAILED,
                    "%s: groups of %" PRIu64 " rows were counted, and there are %" PRIu64,
                    kan_engine_name(star->engine), t->n_rows, star->plan.n_rows);
}

/* ---- sets that are kept ---------------------------------------------------------------------- */

/* Sets that were dropped are used again, so that there are no more than are open at a time. */
static kan_status find_number(kan_star *star, size_t *out) {
    size_t at = 1;
    while (at < star->n_sets && star->sets[at].is_open)
        at++;
    if (at == star->n_sets) {
        KAN_TRY(kan_reserve(star->engine->run, star->n_sets + 1, sizeof *star->sets,
                            &star->set_capacity, &star->sets));
        star->sets[star->n_sets++] = (kan_star_set){.is_open = false};
    }
    *out = at;
    return KAN_OK;
}

static kan_status fill_set(kan_star *star, const kan_count_order *order, const char *place) {
    kan_text sql;
    kan_text_init(&sql, star->engine->run);
    kan_text_print(&sql, "INSERT INTO %s ", place);
    kan_sql_roll_up(&sql, star, order);
    KAN_TRY(kan_engine_execute(star->engine, 0, &sql, "make a frequency set"));
    return kan_star_analyze(star, place);
}

kan_status kan_star_keep(kan_star *star, const kan_count_order *order, uint32_t *out) {
    kan_star_set made = {.is_open = true};
    kan_text columns;
    size_t number;
    KAN_TRY(find_number(star, &number));
    for (unsigned i = 0; i < order->n; i++) {
        const unsigned d = order->attributes[i];
        *(d < 64 ? &made.mask : &made.mask_more) |= UINT64_C(1) << d % 64;
        made.levels[d] = order->levels[i];
    }
    kan_text_init(&columns, star->engine->run);
    kan_sql_set_columns(&columns, star, order);
    kan_status status = kan_text_status(&columns);
    if (status == KAN_OK)
        status = kan_star_make_table(star, columns.bytes, &made.place);
    kan_text_destroy(&columns);
    KAN_TRY(status);
    KAN_TRY(fill_set(star, order, made.place));
    star->sets[number] = made;
    *out = (uint32_t)number;
    return KAN_OK;
}

static kan_status count(void *context, const kan_count_order *order, kan_counted *out) {
    kan_star *const star = context;
    taking t = {.star = star, .order = order, .out = out};
    *out = (kan_counted){.set = KAN_COUNTER_BASE};
    KAN_ASSERT(order->from < star->n_sets && star->sets[order->from].is_open);
    if (!order->keeps)
        return query_numbers(&t, is_same(star, order) ? star->sets[order->from].place : NULL);
    KAN_TRY(kan_star_keep(star, order, &out->set));
    return query_numbers(&t, star->sets[out->set].place);
}

static kan_status take_small(void *context, const kan_slice *values) {
    const taking *const t = context;
    uint64_t code, n;
    t->star->engine->n_rows_received++;
    if (!kan_star_read_number(values[0], &code) || !kan_star_read_number(values[1], &n) ||
        code == 0 || code > t->n_rows)
        return no_number(t);
    t->groups[code - 1] += n;
    return KAN_OK;
}

static kan_status count_small(void *context, const kan_count_order *order, unsigned place,
                              uint64_t *rows) {
    kan_star *const star = context;
    const unsigned d = order->attributes[place];
    taking t = {.star = star,
                .order = order,
                .n_rows = star->dimensions[d].values->n, /* as many codes */
                .groups = rows};
    const kan_row_taker taker = {take_small, &t};
    char column[16];
    kan_text sql;
    KAN_ASSERT(is_same(star, order));
    (void)snprintf(column, sizeof column, "c%u", d);
    kan_text_init(&sql, star->engine->run);
    kan_text_print(&sql, "SELECT ");
    add_number(&sql, star, column);
    kan_text_print(&sql, ", ");
    add_number(&sql, star, "sum(n)");
    kan_text_print(&sql, " FROM %s WHERE n < %" PRIu64 " GROUP BY %s",
                   star->sets[order->from].place, least_of(order), column);
    return kan_engine_query(star->engine, &sql, "count small groups", 2, &taker);
}

/* A table of all dimensions, which may be asked for each of them. */
static kan_status keep_large(kan_star *star, const kan_count_order *order) {
    unsigned attributes[KAN_MAX_STAR];
    const kan_count_order all = {.n = star->plan.n, .attributes = attributes};
    kan_text columns, sql;
    for (unsigned d = 0; d < all.n; d++)
        attributes[d] = d;
    kan_text_init(&columns, star->engine->run);
    kan_sql_set_columns(&columns, star, &all);
    kan_status status = kan_text_status(&columns);
    if (status == KAN_OK)
        status = kan_star_make_table(star, columns.bytes, &star->large);
    kan_text_destroy(&columns);
    KAN_TRY(status);
    kan_text_init(&sql, star->engine->run);
    kan_text_print(&sql, "INSERT INTO %s ", star->large);
    kan_sql_large(&sql, star, order);
    return kan_engine_execute(star->engine, 0, &sql, "find the rows of large groups");
}

kan_status kan_star_count_large(kan_star *star, unsigned n, const unsigned *levels,
                                unsigned dimension, uint64_t least_size, uint64_t *rows) {
    taking t = {.star = star, .n_rows = star->dimensions[dimension].values->n, .groups = rows};
    const kan_row_taker taker = {take_small, &t};
    unsigned attributes[KAN_MAX_STAR];
    const kan_count_order order = {.n = n,
                                   .attributes = attributes,
                                   .levels = levels,
                                   .least_size = least_size,
                                   .from = star->base};
    char column[16];
    kan_text sql;
    for (unsigned d = 0; d < n; d++)
        attributes[d] = d;
    if (!star->large)
        KAN_TRY(keep_large(star, &order));
    memset(rows, 0, (size_t)t.n_rows * sizeof *rows);
    (void)snprintf(column, sizeof column, "c%u", dimension);
    kan_text_init(&sql, star->engine->run);
    kan_text_print(&sql, "SELECT ");
    add_number(&sql, star, column);
    kan_text_print(&sql, ", ");
    add_number(&sql, star, "sum(n)");
    kan_text_print(&sql, " FROM %s GROUP BY %s", star->large, column);
    return kan_engine_query(star->engine, &sql, "count values of large groups", 2, &taker);
}

static kan_status drop(void *context, uint32_t set) {
    kan_star *const star = context;
    KAN_ASSERT(set != KAN_COUNTER_BASE && set != star->base && set < star->n_sets &&
               star->sets[set].is_open);
    star->sets[set].is_open = false;
    return kan_star_drop_table(star, star->sets[set].place);
}

kan_counter kan_star_counter(kan_star *star) {
    return (kan_counter){star, count, count_small, drop};
}
