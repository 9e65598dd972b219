#include "found.h"

#include <string.h>

#include "pages.h"
#include "server/projects/projects.h"
#include "values.h"

void sv_found_open(const sv_request *request, const char *kind, const char *path, const char *key,
                   sv_found *out) {
    *out = (sv_found){0};
    sv_task_look(sv_server_tasks(request->server), request->project, kind, &out->task);
    const sv_task_status status = out->task.status;
    const bool is_of_key = out->task.key && key && strcmp(out->task.key, key) == 0;
    out->is_busy = is_of_key && (status == SV_WAITING || status == SV_RUNNING);
    if (status == SV_DONE)
        out->json = sv_project_json(request->project, path);
    /* Made again it would be as large. */
    out->is_large =
        is_of_key && status == SV_DONE && !out->json && sv_project_is_large(request->project, path);
    out->has_failed = out->is_large || (is_of_key && (status == SV_FAILED || status == SV_STOPPED));
    out->is_fresh = is_of_key && out->json;
}

void sv_found_close(sv_found *found) {
    sv_task_state_free(&found->task);
    json_decref(found->json);
}

bool sv_found_is_wanted(const sv_found *found) {
    return !found->is_fresh && !found->is_busy && !found->has_failed;
}

/* ---- the profile ---------------------------------------------------------------------------- */

#define PROFILE "work/profile.json"

/* --subsets of the job is part of its promise. */
static const char *const profile_words[] = {
    "profile",      "--job", "kanon.yaml", "--json", PROFILE, "--force",
    "--first-rows", "10",    "--subsets",  "5000",   NULL};

const char *const *sv_profile_words(void) {
    return profile_words;
}

bool sv_profile_start(const sv_request *request, sv_text *error) {
    const sv_step step = {profile_words};
    sv_text key = {0};
    sv_project_key(request->project, false, &key);
    const bool is_good =
        !key.failed &&
        sv_task_start(sv_server_tasks(request->server), request->project, "profile",
                      "looking at the table", key.bytes ? key.bytes : "", &step, 1, false, error);
    sv_text_free(&key);
    return is_good;
}

void sv_found_profile(const sv_request *request, sv_found *out) {
    sv_text key = {0}, error = {0};
    sv_project_key(request->project, false, &key);
    const char *of = key.bytes ? key.bytes : "";
    sv_found_open(request, "profile", PROFILE, of, out);
    if (sv_found_is_wanted(out) && sv_setting(request->project, "input", 0) &&
        sv_profile_start(request, &error)) {
        sv_found_close(out);
        sv_found_open(request, "profile", PROFILE, of, out);
    }
    sv_text_free(&key);
    sv_text_free(&error);
}

json_t *sv_found_columns(const sv_found *found) {
    return found->json ? sv_profile_columns(found->json) : NULL;
}

uint64_t sv_columns_stamp(const json_t *columns) {
    uint64_t stamp = 0xcbf29ce484222325u; /* FNV-1a */
    for (size_t i = 0; i < json_array_size(columns); i++) {
        const char *name = sv_json_text(json_array_get(columns, i), "name");
        for (size_t at = 0, n = strlen(name); at <= n; at++) /* the zero byte ends a name */
            stamp = (stamp ^ (unsigned char)name[at]) * 0x100000001b3u;
    }
    return stamp;
}

void sv_profile_page(const sv_request *request, sv_text *out, const sv_found *found) {
    if (request->project->error)
        sv_html(out,
                "<section class=\"verdict open\"><div><h2>The settings of this project cannot be "
                "read</h2><pre>%s</pre></div></section>",
                request->project->error);
    sv_page_task(request, out, "profile");
    if (found->is_busy) {
        sv_raw(out, "<p class=\"soft\">The table is being read. This page updates by itself.</p>");
        return;
    }
    if (found->is_large)
        sv_raw(out, "<p class=\"note careful\">The table was read, and what was found is too large "
                    "to be shown here: it has too many columns, or values that are too long. Use "
                    "kanon on the command line.</p>");
    if (!sv_setting(request->project, "qi", 0))
        sv_html(
            out,
            "<form method=\"post\" action=\"/p/%s/delete\"><p><button class=\"stop\">Delete this "
            "project, and choose another file</button></p></form>",
            request->project->name);
    sv_form(request, out, "table");
    sv_raw(out, "<p><button name=\"action\" value=\"again\">Look at the table again</button></p>"
                "</form>");
}
