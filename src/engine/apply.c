/* The release, made in the engine: the tables of apply_sql.h are made and loaded, on each node that
 * has rows, then one statement makes the release under a name that nobody knows. */
#include <inttypes.h>
#include <stdio.h>

#include "engine/apply_sql.h"
#include "engine/map_reader.h"

enum { NUMBER_ROOM = 24, NAME_ROOM = 64 };

typedef struct applying {
    kan_engine *engine;
    kan_apply_plan plan;
    kan_apply_places places;
} applying;

/* ---- rows that are loaded ------------------------------------------------------------------- */

/* A row: numbers get their text here, in order. */
typedef struct loading {
    const applying *a;
    size_t source;         /* of a map */
    kan_map_needs needs;   /* the same */
    kan_map_reader reader; /* the same */
    uint64_t next;         /* row */
    uint64_t n_taken;      /* of the rows of a tuple that are divided, by the outcomes before */
    uint32_t *codes;       /* of a tuple, or numbers of labels */
    char (*numbers)[NUMBER_ROOM];
    char *joined; /* room for as many numbers */
    size_t n_numbers, n_values;
    kan_slice *values;
} loading;

static void give_text(loading *l, kan_slice text) {
    l->values[l->n_values++] = text;
}

static void give_number(loading *l, uint64_t number) {
    char *const room = l->numbers[l->n_numbers++];
    const int size = snprintf(room, NUMBER_ROOM, "%" PRIu64, number);
    give_text(l, (kan_slice){room, (size_t)size});
}

static void begin_row(loading *l, kan_slice *values) {
    l->values = values;
    l->n_values = l->n_numbers = 0;
}

/* The one row of the key. */
static kan_status give_secret(void *context, kan_slice *values, bool *is_row) {
    loading *const l = context;
    begin_row(l, values);
    *is_row = l->next++ == 0;
    if (*is_row)
        give_text(l, kan_slice_of(l->a->plan.order->shuffle));
    return KAN_OK;
}

static kan_status give_map_row(void *context, kan_slice *values, bool *is_row) {
    loading *const l = context;
    const kan_apply_plan *const plan = &l->a->plan;
    kan_slice text;
    uint32_t code;
    begin_row(l, values);
    *is_row = kan_map_read(&l->reader, &text, &code);
    if (!*is_row)
        return KAN_OK;
    give_text(l, text);
    if (l->needs.has_code)
        give_number(l, (uint64_t)code + 1);
    if (l->needs.label_of != SIZE_MAX) {
        const kan_apply_column *const column = &plan->columns[l->needs.label_of];
        give_text(l, kan_encoder_value(&column->texts, column->number_of_value[code]));
    }
    if (l->needs.test_of != SIZE_MAX) {
        const kan_apply_column *const column = &plan->columns[l->needs.test_of];
        give_number(
            l, (uint64_t)(column->way == KAN_APPLY_RAW ? code : column->number_of_value[code]) + 1);
    }
    return KAN_OK;
}

static const uint32_t *read_codes(loading *l, const kan_engine_tuples *tuples, uint64_t row) {
    for (size_t i = 0; i < tuples->n_columns; i++)
        l->codes[i] = kan_engine_tuples_code(tuples, row, i);
    return l->codes;
}

static kan_status give_suppressed_row(void *context, kan_slice *values, bool *is_row) {
    loading *const l = context;
    const kan_apply_plan *const plan = &l->a->plan;
    begin_row(l, values);
    while (l->next < plan->suppressed.n &&
           !kan_engine_tuples_code(&plan->suppressed, l->next, plan->n_tested))
        l->next++;
    *is_row = l->next < plan->suppressed.n;
    if (!*is_row)
        return KAN_OK;
    const uint32_t *const codes = read_codes(l, &plan->suppressed, l->next++);
    for (size_t i = 0; i < plan->n_tested; i++) {
        const kan_apply_column *const column = &plan->columns[plan->tested[i]];
        if (kan_apply_tests_text(plan, column))
            give_text(l,
                      kan_dictionary_value(&plan->order->table->columns[column->source].dictionary,
                                           codes[i] - 1));
        else
            give_number(l, codes[i]);
    }
    return KAN_OK;
}

/* The key of a tuple as apply_transform.c computes it. */
static void give_tuple_key(loading *l, const uint32_t *codes) {
    const kan_apply_plan *const plan = &l->a->plan;
    uint64_t number = 0, factor = 1;
    if (kan_apply_key_is_number(plan)) {
        for (size_t i = 0; i < plan->n_keys; i++) {
            number += factor * ((uint64_t)codes[i] + 1);
            factor *= (uint64_t)plan->order->table->columns[plan->keys[i]].dictionary.n + 1;
        }
        give_number(l, number);
        return;
    }
    size_t size = 0;
    for (size_t i = 0; i < plan->n_keys; i++)
        size +=
            (size_t)snprintf(l->joined + size, NUMBER_ROOM, "%" PRIu64 ",", (uint64_t)codes[i] + 1);
    give_text(l, (kan_slice){l->joined, size});
}

static kan_status give_outcome_row(void *context, kan_slice *values, bool *is_row) {
    loading *const l = context;
    const kan_apply_plan *const plan = &l->a->plan;
    begin_row(l, values);
    *is_row = l->next < plan->outcomes.n;
    if (!*is_row)
        return KAN_OK;
    const uint64_t at = l->next++;
    const uint32_t *const codes = read_codes(l, &plan->outcomes, at);
    if (plan->input->dialect->maps == KAN_MAP_TRANSFORM)
        give_tuple_key(l, codes);
    else
        for (size_t i = 0; i < plan->n_keys; i++)
            give_number(l, (uint64_t)codes[i] + 1);
    if (plan->divides) {
        const bool is_same =
            at > 0 && kan_engine_tuples_are_alike(&plan->outcomes, at - 1, at, plan->n_keys);
        l->n_taken = is_same ? l->n_taken : 0;
        give_number(l, l->n_taken + 1);
        l->n_taken += plan->outcomes.counts[at];
        give_number(l, l->n_taken);
    }
    give_number(l, codes[plan->n_keys]);
    return KAN_OK;
}

static kan_status give_group_row(void *context, kan_slice *values, bool *is_row) {
    loading *const l = context;
    const kan_apply_plan *const plan = &l->a->plan;
    begin_row(l, values);
    *is_row = l->next < plan->groups.n;
    if (!*is_row)
        return KAN_OK;
    const uint32_t outcome = KAN_OUTCOME_FIRST + (uint32_t)l->next++;
    const uint32_t *const numbers = kan_apply_plan_group(plan, outcome, l->codes);
    give_number(l, outcome);
    for (size_t i = 0; i < plan->n_grouped; i++)
        give_text(l, kan_encoder_value(&plan->columns[plan->grouped[i]].texts, numbers[i]));
    return KAN_OK;
}

/* ---- tables --------------------------------------------------------------------------------- */

/* A table of ours: its name, columns and rows. */
typedef struct made_table {
    char name[NAME_ROOM];
    kan_text columns;
    size_t n_columns;
    kan_status (*give)(void *, kan_slice *, bool *);
    size_t source; /* of a map */
} made_table;

static kan_status begin_loading(loading *l, const applying *a, const made_table *table) {
    const kan_apply_plan *const plan = &a->plan;
    const size_t n = plan->n_keys + plan->n_tested + plan->n_grouped + 8;
    *l = (loading){.a = a, .source = table->source};
    KAN_TRY(kan_alloc(plan->run, n, sizeof *l->codes, &l->codes));
    KAN_TRY(kan_alloc(plan->run, n, sizeof *l->numbers, &l->numbers));
    KAN_TRY(kan_alloc(plan->run, n, NUMBER_ROOM, &l->joined));
    if (table->source != SIZE_MAX) {
        l->needs = kan_apply_map_needs(plan, table->source);
        l->reader = kan_map_reader_begin(a->engine, plan, table->source,
                                         l->needs.label_of != SIZE_MAX ? l->needs.label_of
                                                                       : l->needs.test_of);
    }
    return KAN_OK;
}

static void end_loading(loading *l) {
    kan_run *const run = l->a->engine->run;
    kan_free(run, l->codes);
    kan_free(run, l->numbers);
    kan_free(run, l->joined);
}

static kan_status load_node(const applying *a, size_t node, const char *place,
                            const made_table *table) {
    kan_engine *const engine = a->engine;
    loading l;
    kan_status status = begin_loading(&l, a, table);
    if (status == KAN_OK) {
        const kan_row_giver giver = {table->give, &l};
        status = engine->transport->load(engine->connection, node, place, table->n_columns, &giver);
    }
    end_loading(&l);
    return status;
}

/* Makes and loads the table where rows are. */
static kan_status make_table(const applying *a, made_table *table, const char **place) {
    kan_engine *const engine = a->engine;
    const kan_dialect *const dialect = engine->table.dialect;
    const size_t n_parts = kan_engine_n_parts(engine);
    kan_text sql;
    KAN_TRY(kan_text_status(&table->columns));
    KAN_TRY(kan_engine_own_place(engine, table->name, dialect->create_temporary != NULL, place));
    kan_text_init(&sql, engine->run);
    kan_text_print(&sql, "%s%s (%s)%s",
                   dialect->create_temporary ? dialect->create_temporary : dialect->create, *place,
                   table->columns.bytes, dialect->create_tail);
    KAN_TRY(kan_engine_execute_parts(engine, &sql, "make the table that maps values"));
    for (size_t node = n_parts > 0; node <= n_parts; node++)
        KAN_TRY(load_node(a, node, *place, table));
    if (!dialect->analyze)
        return KAN_OK;
    kan_text_init(&sql, engine->run);
    kan_text_print(&sql, "%s%s", dialect->analyze, *place);
    return kan_engine_execute_parts(engine, &sql, "read the table that maps values");
}

static size_t count_columns(const kan_text *columns) {
    size_t n = 1;
    for (size_t i = 0; i < columns->size; i++)
        n += columns->bytes[i] == ',';
    return n;
}

/* As make_table, for columns that `list` writes; own names and types have no comma. */
static kan_status make_listed(const applying *a, const char *suffix, size_t source,
                              void (*list)(kan_text *, const kan_apply_plan *),
                              kan_status (*give)(void *, kan_slice *, bool *), const char **place) {
    made_table table = {.give = give, .source = source};
    kan_status status;
    (void)snprintf(table.name, sizeof table.name, "%s_%s", a->engine->release.name, suffix);
    kan_text_init(&table.columns, a->engine->run);
    kan_text_add(&table.columns, "", 0);
    if (list)
        list(&table.columns, &a->plan);
    else
        kan_sql_map_columns(&table.columns, &a->plan, source);
    table.n_columns = count_columns(&table.columns);
    status = make_table(a, &table, place);
    kan_text_destroy(&table.columns);
    return status;
}

static kan_status make_maps(applying *a) {
    const kan_engine *const engine = a->engine;
    const size_t n = engine->table.n_columns;
    KAN_TRY(kan_alloc_zero(engine->run, n, sizeof *a->places.maps, &a->places.maps));
    for (size_t i = 0; i < n; i++) {
        const kan_map_needs needs = kan_apply_map_needs(&a->plan, i);
        char suffix[32];
        if (!kan_map_is_needed(&needs) || kan_map_is_transform(engine, &a->plan, i))
            continue;
        (void)snprintf(suffix, sizeof suffix, "m%zu", i);
        KAN_TRY(make_listed(a, suffix, i, NULL, give_map_row, &a->places.maps[i]));
    }
    return KAN_OK;
}

static kan_status make_tables(applying *a) {
    KAN_TRY(make_maps(a));
    if (a->plan.order->shuffle)
        KAN_TRY(
            make_listed(a, "k", SIZE_MAX, kan_sql_secret_columns, give_secret, &a->places.secret));
    if (a->plan.has_suppressed)
        KAN_TRY(make_listed(a, "s", SIZE_MAX, kan_sql_suppressed_columns, give_suppressed_row,
                            &a->places.suppressed));
    if (a->plan.has_outcomes)
        KAN_TRY(make_listed(a, "u", SIZE_MAX, kan_sql_outcome_columns, give_outcome_row,
                            &a->places.outcomes));
    if (a->plan.has_outcomes && a->plan.n_grouped)
        KAN_TRY(make_listed(a, "g", SIZE_MAX, kan_sql_group_columns, give_group_row,
                            &a->places.groups));
    return KAN_OK;
}

static kan_status drop_table(kan_engine *engine, const char *place) {
    kan_text sql;
    if (!place)
        return KAN_OK;
    kan_text_init(&sql, engine->run);
    kan_sql_drop(&sql, engine->table.dialect, place);
    KAN_TRY(kan_engine_execute_parts(engine, &sql, "drop the table that maps values"));
    kan_engine_forget(engine, place);
    return KAN_OK;
}

/* They hold values of the input, and are of no more use. */
static kan_status drop_tables(const applying *a) {
    for (size_t i = 0; i < a->engine->table.n_columns; i++)
        KAN_TRY(drop_table(a->engine, a->places.maps[i]));
    KAN_TRY(drop_table(a->engine, a->places.secret));
    KAN_TRY(drop_table(a->engine, a->places.suppressed));
    KAN_TRY(drop_table(a->engine, a->places.outcomes));
    return drop_table(a->engine, a->places.groups);
}

/* ---- the release ---------------------------------------------------------------------------- */

/* On each node that has rows, at once. */
static kan_status make_parts(const applying *a, const char *from) {
    kan_engine *const engine = a->engine;
    const kan_dialect *const dialect = engine->table.dialect;
    kan_text sql;
    kan_text_init(&sql, engine->run);
    if (!engine->release.is_file)
        kan_text_print(&sql, "%s%s%s", dialect->create, engine->release.part, dialect->create_as);
    if (dialect->maps == KAN_MAP_TRANSFORM)
        kan_sql_apply_transform(&sql, engine, &a->plan, &a->places, from);
    else
        kan_sql_apply(&sql, &a->plan, &a->places, from);
    if (!engine->release.is_file)
        return kan_engine_execute_parts(engine, &sql, "make the release");
    kan_status status = kan_text_status(&sql);
    if (status == KAN_OK)
        status = engine->transport->file->write(engine->connection, sql.bytes);
    kan_text_destroy(&sql);
    return status;
}

/* One table that shows the parts of all nodes. */
static kan_status gather_parts(const applying *a) {
    kan_engine *const engine = a->engine;
    kan_engine_release *const release = &engine->release;
    KAN_TRY(
        kan_arena_alloc(&engine->arena, a->plan.n_columns, sizeof *release->kept, &release->kept));
    release->n_kept = 0;
    for (size_t i = 0; i < a->plan.n_columns; i++)
        if (a->plan.columns[i].passes || a->plan.columns[i].way == KAN_APPLY_RAW)
            KAN_TRY(kan_arena_copy(&engine->arena, a->plan.columns[i].release->name,
                                   strlen(a->plan.columns[i].release->name),
                                   &release->kept[release->n_kept++]));
    const kan_gathering gathering = {.part = release->part_name,
                                     .whole = release->place,
                                     .kept = release->kept,
                                     .n_kept = release->n_kept};
    return engine->transport->gather(engine->connection, &gathering);
}

/* What of the release is counted, and how its columns become text. */
static kan_status describe(const applying *a) {
    kan_engine *const engine = a->engine;
    const kan_dialect *const dialect = engine->table.dialect;
    kan_sql_column *columns;
    size_t n = 0;
    KAN_TRY(kan_arena_alloc(&engine->arena, a->plan.n_columns, sizeof *columns, &columns));
    for (size_t i = 0; i < a->plan.n_columns; i++) {
        const kan_apply_column *const column = &a->plan.columns[i];
        if (column->passes)
            continue;
        if (column->way == KAN_APPLY_RAW)
            columns[n] = engine->table.columns[column->source];
        else
            columns[n] = (kan_sql_column){.type = dialect->label_type,
                                          .form = kan_dialect_label_form(dialect),
                                          .may_be_null = true};
        KAN_TRY(kan_arena_copy(&engine->arena, column->release->name, strlen(column->release->name),
                               &columns[n++].name));
    }
    engine->release.counted =
        (kan_sql_table){.dialect = dialect, .n_columns = n, .columns = columns};
    return kan_sql_prefix(&engine->arena, n, columns, &engine->release.counted.prefix);
}

static kan_status make_release(const applying *a) {
    kan_engine *const engine = a->engine;
    const size_t n_parts = kan_engine_n_parts(engine);
    KAN_TRY(kan_engine_begin_release(engine));
    if (n_parts == 0) {
        KAN_TRY(make_parts(a, engine->rows ? engine->rows : engine->table.place));
    } else {
        KAN_TRY(kan_engine_check_parts(engine, kan_table_total(a->plan.order->table)));
        KAN_TRY(make_parts(a, engine->transport->part(engine->connection)));
        KAN_TRY(kan_engine_check_parts(engine, kan_table_total(a->plan.order->table)));
        KAN_TRY(gather_parts(a));
    }
    return describe(a);
}

static kan_status check_windows(const applying *a) {
    if (!a->plan.divides || kan_engine_can_divide(a->engine))
        return KAN_OK;
    return kan_engine_refuse_division(a->engine);
}

kan_status kan_engine_apply(kan_engine *engine, const kan_engine_order *order) {
    applying a = {.engine = engine};
    kan_status status;
    kan_report_progress(engine->run, "apply", 0, 0);
    KAN_TRY(kan_engine_aim(engine, order->target, order->overwrite));
    if (order->shuffle)
        KAN_TRY(kan_engine_check_shuffle(engine));
    KAN_TRY(kan_apply_plan_make(engine, order, &a.plan));
    KAN_TRY_DONE(check_windows(&a));
    KAN_TRY_DONE(make_tables(&a));
    KAN_TRY_DONE(make_release(&a));
    KAN_TRY_DONE(drop_tables(&a));
done:
    kan_free(engine->run, a.places.maps);
    kan_apply_plan_destroy(&a.plan);
    return status;
}
