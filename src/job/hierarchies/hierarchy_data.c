/* What the hierarchy commands look at: the table, and hierarchies as checked trees. */
#include <errno.h>
#include <string.h>
#include <sys/stat.h>

#include "core/signs.h"
#include "io/side_files/side_files.h"
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

kan_slice kan_hierarchy_column_name(const char *value) {
    const char *end = kan_quoted_end(value, "");
    return end && !end[1] ? (kan_slice){value + 1, (size_t)(end - value) - 1} : kan_slice_of(value);
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
        KAN_TRY(kan_hierarchy_read_lines(run, origin, column ? column->spelling : NULL, &lines));
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
    return kan_ends_with(path, ".txt");
}
