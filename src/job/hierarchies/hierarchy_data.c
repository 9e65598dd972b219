/* What the hierarchy commands look at: the table, and hierarchies as checked trees. */
#include <errno.h>
#include <string.h>
#include <sys/stat.h>

#include "io/hierarchy_file.h"
#include "job/hierarchies/hierarchy_inside.h"
#include "job/settings/settings.h"

/* ---- complete ------------------------------------------------------------------------------- */

void kan_hierarchy_check_file(kan_job *job) {
    const char *hierarchy = kan_options_find(&job->options, "hierarchy");
    if (hierarchy && kan_hierarchy_is_spec(hierarchy))
        kan_problem_add(job->run,
                        "'%s' is built from data, not a file; kanon hierarchy build writes one",
                        hierarchy);
}

void kan_hierarchy_check_builder(kan_job *job) {
    const kan_options *options = &job->options;
    const char *hierarchy = kan_options_find(options, "hierarchy");
    const bool has_data = job->table || kan_options_find(options, "input");
    if (hierarchy && kan_hierarchy_is_spec(hierarchy) &&
        !(has_data && kan_options_find(options, "column")))
        kan_problem_add(job->run,
                        "'%s' is built from data; write --input DATA --column NAME as well",
                        hierarchy);
}

/* ---- the table ------------------------------------------------------------------------------ */

kan_status kan_hierarchy_data_open(kan_job *job, kan_hierarchy_data *data) {
    const char *path = kan_options_find(&job->options, "input");
    *data = (kan_hierarchy_data){.run = job->run, .table = job->table, .name = "the table"};
    if (!job->table && !path) {
        data->name = NULL;
        return KAN_OK;
    }
    if (!job->table) {
        const char *text = kan_options_find(&job->options, "separator");
        char separator = 0;
        if (text)
            (void)kan_separator_parse(text, &separator);
        KAN_TRY(kan_csv_open(job->run, path, separator, &data->source));
        data->name = kan_csv_path(data->source);
    }
    data->n_columns = data->source ? kan_csv_n_columns(data->source) : data->table->n_columns;
    KAN_TRY(kan_alloc(job->run, data->n_columns, sizeof *data->columns, &data->columns));
    for (size_t i = 0; i < data->n_columns; i++)
        data->columns[i] =
            data->source ? kan_csv_column_name(data->source, i) : data->table->columns[i].name;
    return kan_alloc_zero(job->run, data->n_columns, sizeof *data->encode, &data->encode);
}

bool kan_hierarchy_data_has(const kan_hierarchy_data *data, kan_slice name, size_t *column) {
    for (size_t i = 0; i < data->n_columns; i++)
        if (kan_slice_is(name, data->columns[i])) {
            *column = i;
            return true;
        }
    return false;
}

bool kan_hierarchy_data_check(const kan_hierarchy_data *data, kan_slice name, size_t *column) {
    if (kan_hierarchy_data_has(data, name, column))
        return true;
    char quoted[256], text[64];
    const char *near = NULL;
    if (name.size < sizeof text) {
        memcpy(text, name.bytes, name.size);
        text[name.size] = '\0';
        near = kan_nearest(text, data->columns, data->n_columns);
    }
    kan_problem_add(data->run, "%s: no column %s; %s%s%s", data->name, kan_quote(name, quoted),
                    near ? "did you mean " : "the first line of the file names the columns",
                    near ? near : "", near ? "?" : "");
    return false;
}

bool kan_hierarchy_data_find(kan_hierarchy_data *data, kan_slice name, size_t *column) {
    if (!kan_hierarchy_data_check(data, name, column))
        return false;
    data->encode[*column] = true;
    return true;
}

kan_status kan_hierarchy_data_read(kan_hierarchy_data *data) {
    if (!data->source)
        return KAN_OK;
    KAN_TRY(kan_csv_read(data->source, data->encode, &data->owned));
    data->table = data->owned;
    return KAN_OK;
}

void kan_hierarchy_data_close(kan_hierarchy_data *data) {
    kan_table_destroy(data->owned);
    kan_free(data->run, data->columns);
    kan_free(data->run, data->encode);
    kan_csv_close(data->source);
}

/* ---- hierarchies ---------------------------------------------------------------------------- */

kan_status kan_known_hierarchy_load(kan_run *run, const char *origin, const kan_column *column,
                                    kan_known_hierarchy *out) {
    const size_t before = kan_problems_count(run);
    kan_hierarchy_lines *lines;
    *out = (kan_known_hierarchy){0};
    if (column && kan_hierarchy_is_spec(origin))
        KAN_TRY(kan_hierarchy_build_lines(run, origin, column, &lines));
    else
        KAN_TRY(kan_hierarchy_read_lines(run, origin, &lines));
    out->lines = lines;
    if (column)
        KAN_TRY(kan_alloc(run, lines->values.n, sizeof *out->code_of_node, &out->code_of_node));
    KAN_TRY(kan_hierarchy_lines_check(lines, column, out->code_of_node));
    /* a malformed line was skipped: the tree would not be what the file says */
    if (kan_problems_count(run) > before)
        return KAN_BAD_INPUT;
    return kan_hierarchy_tree_make(lines, column, &out->tree);
}

void kan_known_hierarchy_destroy(kan_run *run, kan_known_hierarchy *known) {
    kan_hierarchy_tree_destroy(known->tree);
    kan_hierarchy_lines_destroy(known->lines);
    kan_free(run, known->code_of_node);
    *known = (kan_known_hierarchy){0};
}

/* ---- targets -------------------------------------------------------------------------------- */

bool kan_hierarchy_is_text_name(const char *path) {
    const size_t size = strlen(path);
    return size >= 4 && strcmp(path + size - 4, ".txt") == 0;
}
