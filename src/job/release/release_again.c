/* The release once more as a table in memory, for what an internal report says of it. */
#include "job/release/application.h"

kan_status kan_application_table(const kan_application *app, kan_table **out) {
    const kan_release *release = &app->release;
    kan_run *run = app->setup->run;
    kan_table *table = NULL;
    const char **names;
    size_t n = 0;
    KAN_TRY(kan_alloc(run, release->n_columns, sizeof *names, &names));
    for (size_t i = 0; i < release->n_columns; i++)
        if (!release->columns[i].passes_through)
            names[n++] = app->names[i];
    kan_status status = kan_table_create(run, n, names, &table);
    kan_free(run, names);
    if (status == KAN_OK)
        status = kan_application_fill(app, table);
    if (status == KAN_OK)
        *out = table;
    else
        kan_table_destroy(table);
    return status;
}

/* As kan_application_fill writes them. */
kan_status kan_application_rows(const kan_application *app, uint64_t n, uint64_t **out) {
    const kan_release *release = &app->release;
    uint64_t *rows, at = 0;
    KAN_TRY(kan_alloc(app->setup->run, (size_t)n, sizeof *rows, &rows));
    for (uint64_t i = 0; i < release->n_rows; i++) {
        const uint64_t row = release->order ? release->order[i] : i;
        if (!release->is_suppressed || !release->is_suppressed[row] || release->keeps_suppressed) {
            KAN_ASSERT(at < n);
            rows[at++] = row;
        }
    }
    KAN_ASSERT(at == n);
    *out = rows;
    return KAN_OK;
}
