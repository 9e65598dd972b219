/* `import`: a project of ARX becomes a folder with a job file. */
#include <inttypes.h>
#include <jansson.h>

#include "job/import/import.h"
#include "job/import/import_inside.h"

static const kan_package_words words = {
    .noun = "project",
    .damaged = "copy it again, or save it again in ARX (kanon import reads projects of ARX, .deid)",
    .hostile = "which ARX does not write; do not use it",
    .smaller = "export its table and its hierarchies in ARX as CSV"};

kan_status kan_import_clean(kan_import *import, kan_slice what, const char **out) {
    enum { MOST = 160 };
    kan_text text;
    kan_text_init(&text, import->run);
    for (size_t at = 0, size; at < what.size && text.size < MOST; at += size) {
        const size_t length = kan_utf8_length(what.bytes + at, what.size - at);
        size = length ? length : 1;
        if (length && !kan_utf8_steers(what.bytes + at, length))
            kan_text_add(&text, what.bytes + at, length);
        else
            kan_text_add(&text, "?", 1);
    }
    kan_text_add(&text, "", 0);
    kan_status status = kan_text_status(&text);
    if (status == KAN_OK)
        status = kan_arena_copy(import->arena, text.size ? text.bytes : "", text.size, out);
    kan_text_destroy(&text);
    return status;
}

kan_status kan_import_leave(kan_import *import, kan_slice what, const char *why) {
    kan_arx_left left = {.why = why};
    KAN_TRY(kan_import_clean(import, what, &left.what));
    KAN_TRY(kan_reserve(import->run, import->n_left + 1, sizeof *import->left,
                        &import->left_capacity, &import->left));
    import->left[import->n_left++] = left;
    return KAN_OK;
}

/* ---- what is told --------------------------------------------------------------------------- */

static void tell(const kan_import *import, kan_text *text) {
    kan_text_print(text, "%s → %s\n\n", import->package.stream.name, import->folder);
    kan_text_print(text, "  table       %s, %zu columns%s\n",
                   import->has_subset ? "subset.csv" : "data.csv", import->n_columns,
                   import->has_subset ? "; data.csv has all rows, as the population" : "");
    if (import->has_missing)
        kan_text_print(text,
                       "  missing     NULL, as ARX writes it; like an empty field from now on\n");
    for (size_t i = 0; i < import->n_taken; i++)
        kan_text_print(text, "  %s %s: %s\n", i ? "           " : "promise    ",
                       import->taken[i].as, import->taken[i].what);
    for (size_t i = 0; i < import->n_left; i++)
        kan_text_print(text, "%s  %s: %s\n", i ? "" : "\nnot taken over\n", import->left[i].what,
                       import->left[i].why);
    kan_text_print(text, "\n");
    const size_t before = text->size;
    kan_text_print(text, "next: kanon anonymize --job ");
    kan_text job;
    kan_text_init(&job, import->run);
    kan_text_print(&job, "%s/kanon.yaml", import->folder);
    if (kan_text_status(&job) == KAN_OK)
        kan_words_add_shell(text, job.bytes);
    kan_text_destroy(&job);
    kan_text_print(text, " -o release.csv\n");
    kan_words_check_command(text, before);
}

static json_t *left_json(const kan_import *import) {
    json_t *list = json_array();
    for (size_t i = 0; i < import->n_left; i++)
        list = kan_json_append(list,
                               json_pack("{s:o, s:o}", "what", kan_json_text(import->left[i].what),
                                         "why", kan_json_text(import->left[i].why)));
    return list;
}

static json_t *taken_json(const kan_import *import) {
    json_t *list = json_array();
    for (size_t i = 0; i < import->n_taken; i++)
        list = kan_json_append(list,
                               json_pack("{s:o, s:o}", "what", kan_json_text(import->taken[i].what),
                                         "as", kan_json_text(import->taken[i].as)));
    return list;
}

static kan_status write_result(const kan_import *import, const char *path, kan_result *out) {
    out->holds = true;
    tell(import, &out->summary);
    KAN_TRY(kan_text_status(&out->summary));
    return kan_result_set_json(
        out, json_pack("{s:s, s:s, s:o, s:o, s:s, s:I, s:b, s:o, s:o}", "kanon", KANON_VERSION,
                       "command", "import", "project", kan_json_text(path), "folder",
                       kan_json_text(import->folder), "job", "kanon.yaml", "columns",
                       (json_int_t)import->n_columns, "subset", import->has_subset, "taken",
                       taken_json(import), "left", left_json(import)));
}

/* ---- the walk ------------------------------------------------------------------------------- */

static kan_status make(kan_import *import, const char *path, kan_result *out) {
    const char *yaml;
    KAN_TRY(kan_package_open_as(&import->package, import->run, path, &words));
    import->is_open = true;
    KAN_TRY(kan_import_read(import));
    KAN_TRY(kan_import_begin(import));
    KAN_TRY(kan_import_copy(import));
    KAN_TRY(kan_job_create(import->run, &import->made));
    KAN_TRY(kan_import_make_job(import));
    KAN_TRY(kan_job_write(import->made, &yaml));
    KAN_TRY(kan_import_put(import, "kanon.yaml", yaml));
    KAN_TRY(write_result(import, path, out));
    return kan_import_commit(import);
}

kan_status kan_walk_import(kan_job *job, kan_result *out) {
    kan_import import = {
        .run = job->run, .arena = &job->arena, .folder = kan_options_find(&job->options, "output")};
    const kan_status status = make(&import, kan_options_find(&job->options, "input"), out);
    kan_import_discard(&import);
    kan_job_destroy(import.made);
    if (import.is_open)
        kan_package_close(&import.package);
    kan_free(job->run, import.columns);
    kan_free(job->run, import.weights);
    kan_free(job->run, import.criteria);
    kan_free(job->run, import.left);
    kan_free(job->run, import.taken);
    return status;
}
