/* The files of a release. */
#include <stdio.h>
#include <stdlib.h>
#include <string.h>

#include "release.h"

bool sv_release_find_table(const sv_project *project, unsigned number, const char *file,
                           sv_text *out) {
    for (size_t t = 0; t < kan_job_n_tables(project->tables); t++) {
        const char *name = kan_job_table_get(project->tables, t, "name", 0);
        const size_t size = strlen(name);
        if (strncmp(file, name, size) == 0 && strcmp(file + size, ".csv") == 0) {
            sv_print(out, "releases/%u/tables/%s", number, file);
            return true;
        }
    }
    return false;
}

/* The path of a file that a release has, below the project; false: it has none such. */
static bool find_file(const sv_project *project, unsigned number, const char *file, sv_text *out) {
    json_t *about = sv_release_about(project, number), *registry = sv_registry(project);
    sv_release_form form;
    bool is_known =
        strcmp(file, "report.html") == 0 || strcmp(file, "internal.html") == 0 ||
        strcmp(file, "result.json") == 0 || strcmp(file, "certificate.json") == 0 ||
        strcmp(file, "job.yaml") == 0 ||
        (strncmp(file, "release.", 8) == 0 && sv_release_form_find(registry, file + 8, &form));
    if (sv_release_find_table(project, number, file, out))
        is_known = true;
    else if (strcmp(file, "job.yaml") == 0)
        sv_print(out, "release-%u.yaml", number);
    else
        sv_print(out, "releases/%u/%s", number, file);
    is_known = is_known && about && !out->failed && sv_project_has(project, out->bytes);
    json_decref(about);
    json_decref(registry);
    return is_known;
}

/* ---- the job file --------------------------------------------------------------------------- */

static bool begins_with(const char *line, const char *word) {
    return strncmp(line, word, strlen(word)) == 0;
}

/* Settings stand at the beginning of a line, one each. */
static void put_effort(const char *job, long long effort, sv_text *out) {
    for (const char *end; *job; job = end) {
        end = strchr(job, '\n');
        end = end ? end + 1 : job + strlen(job);
        if (!begins_with(job, "effort:") && !begins_with(job, "time-limit:"))
            sv_bytes(out, job, (size_t)(end - job));
    }
    sv_print(out, "effort: %lld\n", effort);
}

void sv_release_keep_effort(const sv_project *project, unsigned number, const json_t *result) {
    const json_t *effort = json_object_get(result, "effort");
    char file[48];
    sv_text text = {0};
    if (!json_is_integer(effort) || !json_is_false(json_object_get(result, "optimal")))
        return;
    snprintf(file, sizeof file, "release-%u.yaml", number);
    char *job = sv_project_text(project, file, &(size_t){0});
    if (job)
        put_effort(job, (long long)json_integer_value(effort), &text);
    if (job && !text.failed && strcmp(job, text.bytes) != 0)
        (void)sv_project_write(project, file, text.bytes, text.size);
    sv_text_free(&text);
    free(job);
}

/* ---- what is sent --------------------------------------------------------------------------- */

void sv_release_file(sv_request *request, sv_reply *reply) {
    const char *digits = request->rest[0], *file = request->rest[1];
    sv_text relative = {0};
    const unsigned number = sv_release_number(digits);
    if (number == 0 || !find_file(request->project, number, file, &relative) ||
        !sv_project_path(request->project, relative.bytes, &reply->file)) {
        sv_refuse(request, reply, 404, "There is no such file.");
    } else if (strcmp(file, "report.html") == 0 || strcmp(file, "internal.html") == 0) {
        reply->is_sandboxed = true;
    } else {
        reply->type = "application/octet-stream";
        sv_print(&reply->download, "%s-%u-%s", request->project->name, number, file);
    }
    sv_text_free(&relative);
}
