/* Asking: the figures of a release are made once, and a model by a task of its own, so that one that is refused leaves
 * the figures. */
#include <stdlib.h>
#include <string.h>

#include "utility.h"

bool sv_utility_can_read(const sv_project *project, unsigned number, sv_text *path) {
    json_t *about = sv_release_about(project, number);
    const char *file = sv_json_text(about, "file");
    const bool is_there = about && *file && strcmp(file, "tables") != 0;
    if (is_there)
        sv_print(path, "releases/%u/%s", number, file);
    json_decref(about);
    return is_there && !path->failed && sv_project_has(project, path->bytes);
}

typedef struct {
    sv_request *request;
    const sv_project *project;
    unsigned number;
    sv_text release, job;
} plan;

/* A field that says something; NULL: it is empty. */
static const char *said(const plan *p, const char *field) {
    const char *value = sv_field_of(p->request, field);
    return value && *value && strlen(value) <= SV_MOST_FORMULA ? value : NULL;
}

static void add_command(const plan *p, sv_words *words, const char *result) {
    const char *input = sv_setting(p->project, "input", 0);
    sv_word(words, "utility");
    sv_word(words, p->release.bytes);
    sv_word_pair(words, "--original", input ? input : "");
    sv_word_pair(words, "--job", p->job.bytes);
    sv_word_pair(words, "--json", result);
    sv_word(words, "--force");
}

static bool start(const plan *p, const char *kind, const char *title, const sv_words *words,
                  const char *old, sv_text *wrong) {
    char key[32];
    const sv_step step = {words->at};
    (void)sv_project_remove(p->project, old); /* must not be taken for a result of this one */
    snprintf(key, sizeof key, "%u", p->number);
    return sv_task_start(sv_server_tasks(p->request->server), p->project, kind, title, key, &step,
                         1, false, wrong);
}

/* Whether the figures that are there are those of this release. */
static bool has_figures(const plan *p) {
    json_t *result = sv_project_json(p->project, SV_UTILITY_FIGURES);
    const bool is_it =
        strcmp(sv_json_text(json_object_get(result, "input"), "path"), p->release.bytes) == 0;
    json_decref(result);
    return is_it;
}

static bool start_figures(const plan *p, sv_text *wrong) {
    sv_words words = {.n = 0};
    add_command(p, &words, SV_UTILITY_FIGURES);
    sv_word_pair(&words, "--picture", SV_UTILITY_PICTURE);
    return start(p, "utility", "comparing", &words, SV_UTILITY_FIGURES, wrong);
}

static bool start_model(const plan *p, sv_text *wrong) {
    const char *regress = said(p, "regress"), *classify = said(p, "classify"), *as = said(p, "as");
    sv_words words = {.n = 0};
    add_command(p, &words, SV_UTILITY_MODEL);
    if (regress)
        sv_word_pair(&words, "--regress", regress);
    if (classify)
        sv_word_pair(&words, "--classify", classify);
    if (as && strcmp(as, "categories") == 0)
        sv_word_pair(&words, "--as", "categories");
    return start(p, "model", "fitting", &words, SV_UTILITY_MODEL, wrong);
}

static void ask(const plan *p, sv_text *wrong) {
    const bool wants_model = said(p, "regress") || said(p, "classify");
    /* not the job file that every task looks at: somebody else may have written it */
    if (!sv_confine_file(p->project, p->job.bytes, wrong))
        return;
    if (wants_model && !start_model(p, wrong))
        return;
    if (!wants_model || !has_figures(p))
        (void)start_figures(p, wrong);
}

void sv_utility_start(sv_request *request, sv_reply *reply) {
    const char *number = sv_field_of(request, "release");
    sv_text wrong = {0};
    plan p = {.request = request, .project = request->project};
    p.number = sv_release_number(number);
    sv_print(&p.job, "release-%u.yaml", p.number);
    if (!sv_release_is_there(p.project, p.number) ||
        !sv_utility_can_read(p.project, p.number, &p.release))
        sv_raw(&wrong, "Pick a release that is there.");
    else if (!p.job.failed)
        ask(&p, &wrong);
    if (wrong.size == 0 && !wrong.failed && !p.job.failed)
        sv_go(reply, request->project, "utility");
    else
        sv_go_wrong(reply, request->project, "utility",
                    wrong.bytes ? wrong.bytes : "Out of memory.");
    sv_text_free(&p.release);
    sv_text_free(&p.job);
    sv_text_free(&wrong);
}

/* As a picture of its own, so that nothing in it can act on the page. */
void sv_utility_picture(sv_request *request, sv_reply *reply) {
    if (!sv_project_has(request->project, SV_UTILITY_PICTURE) ||
        !sv_project_path(request->project, SV_UTILITY_PICTURE, &reply->file)) {
        sv_refuse(request, reply, 404, "There is no such picture.");
        return;
    }
    reply->type = "image/svg+xml";
    reply->is_sandboxed = true;
}
