/* The files of a release. */
#include <stdlib.h>
#include <string.h>

#include "release.h"

/* The path of a file that a release has, below the project; false: it has none such. */
static bool find_file(const sv_project *project, unsigned number, const char *file, sv_text *out) {
    json_t *about = sv_release_about(project, number), *registry = sv_registry(project);
    sv_release_form form;
    bool is_known =
        strcmp(file, "report.html") == 0 || strcmp(file, "internal.html") == 0 ||
        strcmp(file, "result.json") == 0 || strcmp(file, "certificate.json") == 0 ||
        strcmp(file, "job.yaml") == 0 ||
        (strncmp(file, "release.", 8) == 0 && sv_release_form_find(registry, file + 8, &form));
    if (strcmp(file, "job.yaml") == 0)
        sv_print(out, "release-%u.yaml", number);
    else
        sv_print(out, "releases/%u/%s", number, file);
    is_known = is_known && about && !out->failed && sv_project_has(project, out->bytes);
    json_decref(about);
    json_decref(registry);
    return is_known;
}

void sv_release_file(sv_request *request, sv_reply *reply) {
    const char *digits = request->rest[0], *file = request->rest[1];
    sv_text relative = {0};
    const size_t size = strlen(digits);
    const unsigned number =
        size < 6 && strspn(digits, "0123456789") == size ? (unsigned)strtoul(digits, NULL, 10) : 0;
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
