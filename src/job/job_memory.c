/* Hierarchies that are in memory: written as the lines of a file that is on no disk, and read by whoever reads
 * hierarchies. Linear in their cells. */
#include <string.h>

#include "data/table.h"
#include "job/settings/settings.h"

static bool takes_hierarchies(const char *setting) {
    return strcmp(setting, "qi") == 0 || strcmp(setting, "t-hierarchy") == 0;
}

/* Each cell in quotes: no reader can take it for something else. */
static void add_cell(kan_text *text, kan_slice value, char end) {
    kan_text_add(text, "\"", 1);
    for (size_t i = 0; i < value.size; i++)
        kan_text_add(text, value.bytes[i] == '"' ? "\"\"" : value.bytes + i,
                     value.bytes[i] == '"' ? 2 : 1);
    kan_text_print(text, "\"%c", end);
}

static kan_status add_lines(kan_run *run, const kan_table *lines, kan_text *text) {
    enum { LOOK_AFTER = 4096 };
    for (uint64_t row = 0; row < lines->n_rows; row++) {
        if (row % LOOK_AFTER == 0)
            KAN_TRY(kan_check_cancel(run));
        for (size_t i = 0; i < lines->n_columns; i++) {
            kan_slice value;
            value.bytes = kan_table_value(lines, row, i, &value.size);
            add_cell(text, value, i + 1 < lines->n_columns ? ';' : '\n');
        }
    }
    return kan_text_status(text);
}

/* Puts the file in front of those that the job has: the last one of a name is taken. */
static kan_status keep(kan_job *job, const char *name, const kan_text *text) {
    kan_memory_file *file;
    KAN_TRY(kan_arena_alloc(&job->arena, 1, sizeof *file, &file));
    *file = (kan_memory_file){.size = text->size, .next = job->files};
    KAN_TRY(kan_arena_copy(&job->arena, name, strlen(name), &file->name));
    KAN_TRY(kan_arena_copy(&job->arena, text->bytes ? text->bytes : "", text->size, &file->bytes));
    job->files = file;
    return KAN_OK;
}

kan_status kan_job_use_hierarchy(kan_job *job, const char *setting, const char *column,
                                 const kan_table *lines) {
    KAN_NEED(NULL, job);
    KAN_NEED(job->run, setting);
    KAN_NEED(job->run, column);
    KAN_NEED(job->run, lines);
    if (!takes_hierarchies(setting))
        return kan_fail(job->run, KAN_BAD_INPUT,
                        "%s: this setting takes no hierarchy in memory; qi and t-hierarchy do",
                        setting);
    if (lines->arrow)
        return kan_fail(job->run, KAN_BAD_INPUT,
                        "the hierarchy of %s came from Arrow; make its table of rows "
                        "(kan_table_create, kan_table_add_row)",
                        column);
    kan_text name, text;
    kan_text_init(&name, job->run);
    kan_text_init(&text, job->run);
    kan_status status;
    kan_text_print(&name, "memory:%s%s.csv", strcmp(setting, "qi") == 0 ? "" : "t-hierarchy/",
                   column);
    KAN_TRY_DONE(kan_text_status(&name));
    KAN_TRY_DONE(add_lines(job->run, lines, &text));
    KAN_TRY_DONE(kan_job_set_column(job, setting, column, name.bytes));
    KAN_TRY_DONE(keep(job, name.bytes, &text));
done:
    kan_text_destroy(&name);
    kan_text_destroy(&text);
    return status;
}
