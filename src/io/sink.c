/* The frame of all sinks: a target, what its kind writes into it, and how that is read back. */
#include "io/sink.h"

#include <stdlib.h>

#include "io/sink_columns.h"

/* One of the tables of a target. */
typedef struct {
    kan_sink_columns columns;
    kan_spellings spellings;
} sink_table;

struct kan_sink {
    kan_run *run;
    const kan_sink_kind *kind;
    kan_target *target;
    size_t n; /* tables */
    sink_table *tables;
    kan_sink_plan *plans;          /* of each */
    kan_source_options *readbacks; /* of each */
    kan_formulas formulas;
    kan_arena arena; /* of all that */
};

static kan_status check_order(kan_run *run, const kan_sink_order *order) {
    const kan_release *release = order->release;
    const kan_source *source = order->source;
    if (release->counts)
        return kan_fail(run, KAN_FAILED,
                        "internal error: a file needs rows, and these are counts; please report "
                        "this");
    if (release->n_columns == 0)
        return kan_fail(run, KAN_BAD_INPUT, "no column would be released; leave out fewer columns");
    for (size_t i = 0; i < release->n_columns; i++)
        if (release->columns[i].passes_through &&
            !(source && order->kind->passes && order->kind->passes(source->kind)))
            return kan_fail(run, KAN_FAILED,
                            "internal error: column '%s' passes through, and its rows were not "
                            "read; please report this",
                            release->columns[i].name);
    return KAN_OK;
}

static bool is_spelled(const kan_sink_kind *kind) {
    return !kind->is_typed || kind->is_spelled;
}

/* A label that was made up may be called what stands for a missing value. */
static kan_status check_labels(kan_run *run, const kan_release *release) {
    for (size_t i = 0; i < release->n_columns; i++) {
        const kan_release_column *column = &release->columns[i];
        for (uint32_t code = 0; column->spelling && code < column->n_labels; code++) {
            char quoted[2][256];
            if (!kan_spelling_holds(column->spelling, column->labels[code]))
                return kan_fail(run, KAN_BAD_INPUT,
                                "column %s of the release would show %s, which stands for a "
                                "missing value, too; leave it out of --missing, or give the column "
                                "a hierarchy with other labels",
                                kan_quote(kan_slice_of(column->name), quoted[0]),
                                kan_quote(column->labels[code], quoted[1]));
        }
    }
    return KAN_OK;
}

/* How the columns of the release are read back. */
static kan_status list_spellings(kan_sink *sink, size_t t, const kan_release *release) {
    kan_spellings *spellings = &sink->tables[t].spellings;
    KAN_TRY(kan_arena_alloc(&sink->arena, release->n_columns, sizeof *spellings->columns,
                            &spellings->columns));
    for (size_t i = 0; i < release->n_columns; i++)
        if (release->columns[i].spelling)
            spellings->columns[spellings->n++] = (struct kan_column_spelling){
                release->columns[i].name, *release->columns[i].spelling};
    sink->readbacks[t].spellings = spellings;
    return KAN_OK;
}

static kan_status plan_table(kan_sink *sink, size_t t, const kan_sink_order *order) {
    sink_table *table = &sink->tables[t];
    sink->readbacks[t] = (kan_source_options){.is_guarded = order->release->guards_formulas,
                                              .encoding = order->encoding,
                                              .given = order->given,
                                              .schema = order->schema};
    if (is_spelled(sink->kind))
        KAN_TRY(list_spellings(sink, t, order->release));
    if (sink->kind->is_typed)
        KAN_TRY(kan_sink_columns_make(sink->run, order->release, is_spelled(sink->kind),
                                      sink->kind->has_codebook, &table->columns));
    sink->plans[t] = (kan_sink_plan){.release = order->release,
                                     .columns = table->columns.columns,
                                     .source = order->source,
                                     .given = order->given,
                                     .encoding = order->encoding};
    return KAN_OK;
}

static kan_status write_target(kan_sink *sink, const kan_sink_order *order,
                               const char *const *names) {
    kan_run *run = sink->run;
    if (sink->kind->in_memory)
        return sink->kind->write(run, sink->plans, NULL, sink->readbacks, &sink->formulas);
    if (sink->kind->in_engine)
        return sink->kind->write_several(run, sink->plans, names, sink->n, NULL, sink->readbacks);
    KAN_TRY(kan_target_open(run, order->target, order->overwrite,
                            order->is_private ? KAN_TARGET_PRIVATE : KAN_TARGET_SHARED,
                            &sink->target));
    KAN_TRY(names ? sink->kind->write_several(run, sink->plans, names, sink->n, sink->target,
                                              sink->readbacks)
                  : sink->kind->write(run, sink->plans, sink->target, sink->readbacks,
                                      &sink->formulas));
    return kan_target_finish(sink->target);
}

static kan_status make_sink(kan_run *run, const kan_sink_kind *kind, size_t n, kan_sink **out) {
    kan_sink *sink;
    kan_status status;
    KAN_TRY(kan_alloc_zero(run, 1, sizeof *sink, &sink));
    sink->run = run;
    sink->kind = kind;
    kan_arena_init(&sink->arena, run);
    KAN_TRY_DONE(kan_arena_alloc(&sink->arena, n, sizeof *sink->tables, &sink->tables));
    KAN_TRY_DONE(kan_arena_alloc(&sink->arena, n, sizeof *sink->plans, &sink->plans));
    KAN_TRY_DONE(kan_arena_alloc(&sink->arena, n, sizeof *sink->readbacks, &sink->readbacks));
    memset(sink->readbacks, 0, n * sizeof *sink->readbacks);
    for (; sink->n < n; sink->n++) {
        sink->tables[sink->n] = (sink_table){.spellings = {.n = 0}};
        kan_sink_columns_init(&sink->tables[sink->n].columns, run);
    }
    *out = sink;
    sink = NULL;
done:
    kan_sink_close(sink);
    return status;
}

static kan_status write_orders(kan_run *run, const kan_sink_order *orders, const char *const *names,
                               size_t n, kan_sink **out) {
    kan_sink *sink;
    kan_status status;
    for (size_t t = 0; t < n; t++) {
        KAN_TRY(check_order(run, &orders[t]));
        if (is_spelled(orders[t].kind))
            KAN_TRY(check_labels(run, orders[t].release));
    }
    KAN_TRY(make_sink(run, orders[0].kind, n, &sink));
    for (size_t t = 0; t < n; t++)
        KAN_TRY_DONE(plan_table(sink, t, &orders[t]));
    KAN_TRY_DONE(write_target(sink, &orders[0], names));
    *out = sink;
    sink = NULL;
done:
    kan_sink_close(sink);
    return status;
}

kan_status kan_sink_write(kan_run *run, const kan_sink_order *order, kan_sink **out) {
    return write_orders(run, order, NULL, 1, out);
}

kan_status kan_sink_write_several(kan_run *run, const kan_sink_order *orders,
                                  const char *const *names, size_t n, kan_sink **out) {
    return write_orders(run, orders, names, n, out);
}

uint64_t kan_sink_formulas(const kan_sink *sink, const char **column) {
    *column = sink->formulas.column;
    return sink->formulas.n;
}

const char *kan_sink_path(const kan_sink *sink) {
    return sink->target ? kan_target_path(sink->target) : NULL;
}

const kan_source_kind *kan_sink_reader(const kan_sink *sink) {
    return sink->kind->reader;
}

kan_source_options kan_sink_options(const kan_sink *sink) {
    return sink->readbacks[0];
}

kan_source_options kan_sink_options_of(const kan_sink *sink, size_t table) {
    return sink->readbacks[table];
}

kan_status kan_sink_sync(kan_sink *sink) {
    return kan_target_sync(sink->target);
}

kan_status kan_sink_commit(kan_sink *sink) {
    return kan_target_commit(sink->target);
}

struct kan_arrow *kan_sink_take(kan_sink *sink) {
    struct kan_arrow *arrow = sink->readbacks[0].arrow;
    sink->readbacks[0].arrow = NULL;
    return arrow;
}

void kan_sink_close(kan_sink *sink) {
    if (!sink)
        return;
    kan_target_close(sink->target);
    if (sink->kind->forget && sink->n > 0 && sink->readbacks[0].arrow)
        sink->kind->forget(sink->readbacks[0].arrow);
    for (size_t t = 0; t < sink->n; t++)
        kan_sink_columns_destroy(&sink->tables[t].columns);
    kan_arena_destroy(&sink->arena);
    kan_free(sink->run, sink);
}

kan_status kan_sink_each_row(kan_run *run, const kan_release *release, kan_sink_row_fn fn,
                             void *context) {
    enum { ROWS_BETWEEN_CHECKS = 1 << 14 };
    for (uint64_t i = 0; i < release->n_rows; i++) {
        const uint64_t row = release->order ? release->order[i] : i;
        if (i % ROWS_BETWEEN_CHECKS == 0) {
            KAN_TRY(kan_check_cancel(run));
            kan_report_progress(run, "write", i, release->n_rows);
        }
        if (!release->is_suppressed || !release->is_suppressed[row] || release->keeps_suppressed)
            KAN_TRY(fn(context, row));
    }
    return KAN_OK;
}

static int compare_codes(const void *a, const void *b, void *values) {
    const uint32_t x = *(const uint32_t *)a, y = *(const uint32_t *)b;
    const int compared =
        kan_slice_compare(((const kan_slice *)values)[x], ((const kan_slice *)values)[y]);
    return compared ? compared : x < y ? -1 : x > y;
}

kan_status kan_sink_order_shown(kan_arena *arena, const kan_sink_column *column, uint32_t **codes,
                                uint32_t *n) {
    const uint32_t n_codes = column->column->n_labels;
    uint32_t n_shown = 0;
    KAN_TRY(kan_arena_alloc(arena, n_codes, sizeof **codes, codes));
    for (uint32_t code = 0; code < n_codes; code++)
        if (column->is_shown[code])
            (*codes)[n_shown++] = code;
    if (n_shown > 0)
        qsort_r(*codes, n_shown, sizeof **codes, compare_codes,
                (void *)(uintptr_t)(const void *)column->values);
    *n = n_shown;
    return KAN_OK;
}
