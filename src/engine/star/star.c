/* Opening a star: its dimensions are loaded, and its base is made by one scan. See star.h. */
#include "engine/star/star.h"

#include <inttypes.h>
#include <stdio.h>

#include "core/secret.h"
#include "engine/star/star_state.h"

/* "kanon_" and 16 digits that nobody guesses. */
static kan_status draw_stem(kan_star *star) {
    char stem[32] = "kanon_";
    kan_secret secret;
    KAN_TRY(kan_secret_draw(star->engine->run, &secret));
    for (unsigned i = 6; i < 22; i++)
        stem[i] = "0123456789abcdef"[kan_secret_below(&secret, 16)];
    kan_secret_forget(&secret);
    return kan_arena_copy(&star->engine->arena, stem, 22, &star->stem);
}

static kan_status copy_plan(kan_star *star, const kan_star_plan *plan) {
    const uint64_t most =
        UINT64_C(3037000499); /* its square fits 63 bits, and so do sums of those */
    star->plan = *plan;
    star->plan.fetches_sizes |= plan->n_rows > most;
    KAN_TRY(kan_arena_alloc(&star->engine->arena, plan->n, sizeof *star->dimensions,
                            &star->dimensions));
    for (unsigned d = 0; d < plan->n; d++)
        star->dimensions[d] = plan->dimensions[d];
    star->plan.dimensions = star->dimensions;
    return KAN_OK;
}

static kan_status load(kan_star *star) {
    for (unsigned d = 0; d < star->plan.n && !kan_star_maps(star); d++) {
        kan_report_units(star->engine->run, "fold", "columns", d, star->plan.n);
        KAN_TRY(kan_star_load_keys(star, d));
        KAN_TRY(kan_star_load_levels(star, d));
    }
    return KAN_OK;
}

static kan_status make_base(kan_star *star) {
    kan_run *const run = star->engine->run;
    unsigned attributes[KAN_MAX_STAR];
    kan_star_set base = {.is_open = true};
    kan_text columns, sql;
    for (unsigned d = 0; d < star->plan.n; d++) {
        attributes[d] = d;
        base.levels[d] = star->dimensions[d].lowest;
        *(d < 64 ? &base.mask : &base.mask_more) |= UINT64_C(1) << d % 64;
    }
    const kan_count_order order = {.n = star->plan.n, .attributes = attributes};
    KAN_TRY(kan_reserve(run, 1, sizeof *star->sets, &star->set_capacity, &star->sets));
    kan_text_init(&columns, run);
    kan_sql_set_columns(&columns, star, &order);
    kan_status status = kan_text_status(&columns);
    if (status == KAN_OK)
        status = kan_star_make_table(star, columns.bytes, &base.place);
    kan_text_destroy(&columns);
    KAN_TRY(status);
    star->sets[star->n_sets++] = base;
    kan_text_init(&sql, run);
    kan_text_print(&sql, "INSERT INTO %s ", base.place);
    kan_sql_base(&sql, star);
    KAN_TRY(kan_engine_execute(star->engine, 0, &sql, "count the rows of the table"));
    return kan_star_analyze(star, base.place);
}

static kan_status take_total(void *context, const kan_slice *values) {
    if (!kan_star_read_number(values[0], context))
        *(uint64_t *)context = 0;
    return KAN_OK;
}

/* "sum(..)" of the rows whose values all dimensions know. */
static void add_known(kan_text *sql, const kan_star *star) {
    kan_text sum;
    kan_text_init(&sum, sql->run);
    kan_text_print(&sum, "sum(CASE WHEN ");
    for (unsigned d = 0; d < star->plan.n; d++)
        kan_text_print(&sum, "%sc%u > 0", d ? " AND " : "", d);
    kan_text_print(&sum, " THEN n ELSE 0 END)");
    if (kan_text_status(&sum) == KAN_OK)
        kan_sql_pattern(sql, star->engine->table.dialect->number_text, sum.bytes);
    else
        sql->failed = true;
    kan_text_destroy(&sum);
}

/* Each row must be in the base, with a value that its dimension knows. */
static kan_status check_base(kan_star *star) {
    kan_engine *const engine = star->engine;
    uint64_t total = 0;
    const kan_row_taker taker = {take_total, &total};
    kan_text sql;
    kan_text_init(&sql, engine->run);
    kan_text_print(&sql, "SELECT ");
    add_known(&sql, star);
    kan_text_print(&sql, " FROM %s", star->sets[0].place);
    KAN_TRY(kan_engine_query(engine, &sql, "sum up what was counted", 1, &taker));
    engine->n_rows_received++;
    if (total == star->plan.n_rows)
        return KAN_OK;
    return kan_fail(engine->run, KAN_FAILED,
                    "%s: %" PRIu64 " rows were counted at first, and %" PRIu64
                    " of their values are found now; the table was changed meanwhile: try again",
                    kan_engine_name(engine), star->plan.n_rows, total);
}

/* Where not all dimensions are counted, nodes are counted from a set of those that are. */
static kan_status make_first(kan_star *star) {
    unsigned attributes[KAN_MAX_STAR], levels[KAN_MAX_STAR];
    const kan_count_order order = {
        .n = star->plan.n_counted, .attributes = attributes, .levels = levels};
    if (star->plan.n_counted == star->plan.n || star->plan.n_counted == 0)
        return KAN_OK;
    for (unsigned d = 0; d < order.n; d++) {
        attributes[d] = d;
        levels[d] = star->dimensions[d].lowest;
    }
    KAN_TRY(kan_star_keep(star, &order, &star->base));
    const kan_star_set base = star->sets[0];
    star->sets[0] = star->sets[star->base];
    star->sets[star->base] = base;
    return KAN_OK;
}

/* The texts of dimensions are needed once, for the base. */
static kan_status drop_keys(kan_star *star) {
    for (unsigned d = 0; d < star->plan.n; d++)
        if (star->keys[d])
            KAN_TRY(kan_star_drop_table(star, star->keys[d]));
    return KAN_OK;
}

kan_status kan_star_create(kan_engine *engine, const kan_star_plan *plan, kan_star **out) {
    kan_star *star;
    kan_status status;
    KAN_ASSERT(plan->n > 0 && plan->n <= KAN_MAX_STAR);
    KAN_TRY(kan_alloc_zero(engine->run, 1, sizeof *star, &star));
    star->engine = engine;
    KAN_TRY_DONE(copy_plan(star, plan));
    KAN_TRY_DONE(draw_stem(star));
    KAN_TRY_DONE(load(star));
    KAN_TRY_DONE(make_base(star));
    KAN_TRY_DONE(check_base(star));
    KAN_TRY_DONE(drop_keys(star));
    KAN_TRY_DONE(make_first(star));
    *out = star;
    star = NULL;
done:
    if (star) {
        kan_free(engine->run, star->sets);
        kan_free(engine->run, star);
    }
    return status;
}

kan_status kan_star_drop(kan_star *star) {
    for (size_t i = 0; i < star->n_sets; i++)
        if (star->sets[i].is_open)
            KAN_TRY(kan_star_drop_table(star, star->sets[i].place));
    for (unsigned d = 0; d < star->plan.n; d++)
        if (star->levels[d])
            KAN_TRY(kan_star_drop_table(star, star->levels[d]));
    return star->large ? kan_star_drop_table(star, star->large) : KAN_OK;
}

void kan_star_destroy(kan_star *star) {
    if (!star)
        return;
    kan_run *const run = star->engine->run;
    kan_free(run, star->sets);
    kan_free(run, star);
}
