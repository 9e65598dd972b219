/* Bringing a base home: a counted table of all values, whose rows have only those that stand for
 * others. See star.h. */
#include <stdio.h>

#include "engine/star/star_state.h"
#include "engine/tuples.h"

enum { ROWS_PER_REPORT = 1 << 13 };

typedef struct fetching {
    kan_star *star;
    const unsigned *levels; /* by dimension */
    kan_engine_tuples tuples;
    kan_table *table;
} fetching;

static kan_status take_row(void *context, const kan_slice *values) {
    fetching *const f = context;
    kan_engine *const engine = f->star->engine;
    const unsigned n = f->star->plan.n;
    uint64_t count, code;
    uint32_t *codes;
    bool is_right = kan_star_read_number(values[n], &count) && count > 0;
    engine->n_rows_received++;
    if (is_right)
        KAN_TRY(kan_engine_tuples_add(&f->tuples, count, &codes));
    for (unsigned d = 0; d < n && is_right; d++) {
        is_right = kan_star_read_number(values[d], &code) && code > 0 &&
                   code <= f->star->dimensions[d].values->n;
        codes[d] = (uint32_t)(code - 1);
    }
    if (!is_right)
        return kan_fail(
            engine->run, KAN_FAILED,
            "%s: the engine returned an invalid number of rows, or an invalid number for a value",
            kan_engine_name(engine));
    if (f->tuples.n % ROWS_PER_REPORT == 0) {
        kan_report_units(engine->run, "fold", "tuples", f->tuples.n, 0);
        KAN_TRY(kan_check_cancel(engine->run));
    }
    return KAN_OK;
}

static kan_status query_rows(fetching *f) {
    kan_star *const star = f->star;
    const kan_row_taker taker = {take_row, f};
    const char *const pattern = star->engine->table.dialect->number_text;
    unsigned attributes[KAN_MAX_STAR];
    const kan_count_order order = {
        .n = star->plan.n, .attributes = attributes, .levels = f->levels, .from = star->base};
    char column[16];
    kan_text sql;
    kan_text_init(&sql, star->engine->run);
    kan_text_print(&sql, "SELECT ");
    for (unsigned d = 0; d < star->plan.n; d++) {
        attributes[d] = d;
        (void)snprintf(column, sizeof column, "x%u", d);
        kan_sql_pattern(&sql, pattern, column);
        kan_text_print(&sql, ", ");
    }
    kan_sql_pattern(&sql, pattern, "xn");
    kan_text_print(&sql, " FROM (");
    kan_sql_roll_up(&sql, star, &order);
    kan_text_print(&sql, ") AS xs");
    return kan_engine_query(star->engine, &sql, "fetch what was counted", star->plan.n + 1, &taker);
}

/* ---- the table ------------------------------------------------------------------------------- */

static kan_status copy_dictionary(kan_run *run, const kan_dictionary *from, kan_dictionary *out) {
    const uint64_t size = from->start[from->n];
    kan_dictionary made = {.n = from->n, .type = from->type};
    kan_status status = kan_alloc(run, (size_t)size + 8, 1, &made.bytes);
    if (status == KAN_OK)
        status = kan_alloc(run, (size_t)from->n + 1, sizeof *made.start, &made.start);
    if (status != KAN_OK) {
        kan_free(run, made.bytes);
        return status;
    }
    memcpy(made.bytes, from->bytes, (size_t)size);
    memset(made.bytes + size, 0, 8);
    memcpy(made.start, from->start, ((size_t)from->n + 1) * sizeof *made.start);
    *out = made;
    return KAN_OK;
}

static kan_status fill_column(fetching *f, unsigned d) {
    const kan_star_dimension *const dimension = &f->star->dimensions[d];
    kan_column *const column = &f->table->columns[dimension->column];
    kan_run *const run = f->star->engine->run;
    KAN_TRY(copy_dictionary(run, dimension->values, &column->dictionary));
    kan_engine_tuples_give(&f->tuples, d, column);
    return kan_check_cancel(run);
}

static kan_status sort_rows(fetching *f) {
    uint32_t n_codes[KAN_MAX_STAR];
    for (unsigned d = 0; d < f->star->plan.n; d++)
        n_codes[d] = f->star->dimensions[d].values->n;
    return kan_engine_tuples_sort(&f->tuples, n_codes, NULL);
}

static kan_status make_table(fetching *f) {
    kan_engine *const engine = f->star->engine;
    KAN_TRY(sort_rows(f));
    KAN_TRY(kan_table_make(engine->run, engine->table.n_columns, engine->names, &f->table));
    for (unsigned d = 0; d < f->star->plan.n; d++)
        KAN_TRY(fill_column(f, d));
    return kan_engine_tuples_give_counts(&f->tuples, f->table);
}

/* Who stands for whom, for the release. */
static kan_status keep_stand_ins(const kan_star *star, const unsigned *levels) {
    kan_engine *const engine = star->engine;
    if (!engine->stand_ins)
        KAN_TRY(kan_arena_alloc(&engine->arena, engine->table.n_columns, sizeof *engine->stand_ins,
                                &engine->stand_ins));
    for (size_t i = 0; i < engine->table.n_columns; i++)
        engine->stand_ins[i] = NULL;
    for (unsigned d = 0; d < star->plan.n; d++) {
        const kan_star_dimension *const dimension = &star->dimensions[d];
        uint32_t *kept;
        if (!dimension->stand_in)
            continue;
        KAN_TRY(kan_arena_alloc(&engine->arena, dimension->values->n, sizeof *kept, &kept));
        memcpy(kept, dimension->stand_in[levels[d] - dimension->lowest],
               dimension->values->n * sizeof *kept);
        engine->stand_ins[dimension->column] = kept;
    }
    return KAN_OK;
}

kan_status kan_star_fetch(kan_star *star, const unsigned *levels, kan_table **out) {
    fetching f = {.star = star, .levels = levels};
    kan_status status;
    kan_engine_tuples_init(&f.tuples, star->engine->run, star->plan.n);
    KAN_TRY_DONE(query_rows(&f));
    kan_report_units(star->engine->run, "fold", "tuples", f.tuples.n, f.tuples.n);
    KAN_TRY_DONE(make_table(&f));
    KAN_TRY_DONE(keep_stand_ins(star, levels));
    *out = f.table;
    f.table = NULL;
done:
    kan_engine_tuples_destroy(&f.tuples);
    kan_table_destroy(f.table);
    return status;
}
