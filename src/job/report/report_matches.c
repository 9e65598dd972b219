/* --missing-matches: which cells of released rows are hidden or missing. Anybody can count them who has
 * the release. */
#include "job/report/report_data.h"

static json_t *count_column(const kan_release *release, const kan_release_column *column) {
    uint64_t n_hidden = 0, n_missing = 0;
    for (uint64_t row = 0; row < release->n_rows; row++) {
        if (release->is_suppressed && release->is_suppressed[row])
            continue;
        const kan_slice shown = column->labels[kan_release_code(release, column, row)];
        n_hidden += kan_slice_is(shown, "*") ? kan_release_count(release, row) : 0;
        n_missing += shown.size == 0 ? kan_release_count(release, row) : 0;
    }
    return json_pack("{s:o, s:o, s:o}", "column", kan_json_text(column->name), "hidden",
                     kan_json_count(n_hidden), "missing", kan_json_count(n_missing));
}

kan_status kan_report_hidden_cells(const kan_report_source *source, json_t **out) {
    const kan_setup *setup = source->outcome->setup;
    const kan_release *release = source->release;
    if (!setup->matches_missing)
        return kan_report_json(setup->run, json_null(), out);
    json_t *list = json_array();
    for (size_t c = 0; c < release->n_columns; c++)
        if (release->columns[c].is_quasi && !kan_release_keeps(&release->columns[c]))
            list = kan_json_append(list, count_column(release, &release->columns[c]));
    return kan_report_json(setup->run, list, out);
}
