/* Tables and releases as Arrow: what kanon_arrow.h promises. */
#include "data/table.h"
#include "io/arrow/arrow.h"
#include "job/settings/settings.h"
#include "job/tell/tell.h"

kan_status kan_table_from_arrow(kan_run *run, struct ArrowArrayStream *stream, kan_table **out) {
    kan_arrow *arrow;
    kan_table *table;
    if (!run || !out) { /* the stream is taken in any case */
        if (stream && stream->release)
            stream->release(stream);
        return kan_fail_null(run, __func__, run ? "out" : "run");
    }
    KAN_TRY(kan_arrow_import(run, stream, &arrow));
    const kan_status status =
        kan_table_make(run, kan_arrow_n_columns(arrow), kan_arrow_names(arrow), &table);
    if (status != KAN_OK) {
        kan_arrow_destroy(arrow);
        return status;
    }
    table->n_rows = kan_arrow_n_rows(arrow);
    table->arrow = arrow;
    table->arrow_free = kan_arrow_destroy;
    *out = table;
    return KAN_OK;
}

void kan_job_want_arrow(kan_job *job) {
    if (job)
        job->wants_arrow = true;
}

kan_status kan_result_to_arrow(kan_result *result, struct ArrowArrayStream *out) {
    KAN_NEED(NULL, result);
    KAN_NEED(result->run, out);
    if (!result->arrow)
        return kan_fail(result->run, KAN_BAD_INPUT,
                        "there are no released rows to hand over as Arrow: they were handed over "
                        "before, the job had another output, or it made no release");
    KAN_TRY(kan_arrow_export(result->arrow, out));
    kan_arrow_destroy(result->arrow);
    result->arrow = NULL;
    return KAN_OK;
}
