/* Making a release: the settings of now and what was picked become a job file of its own, and the
 * command runs that file. So the file that can be downloaded is the one that made the release. What
 * a time limit would make differ from run to run is searched before, and applied. */
#include <stdlib.h>
#include <string.h>
#include <sys/stat.h>
#include <time.h>

#include "release.h"

#define SECONDS "20"

typedef struct {
    sv_request *request;
    sv_project *project;
    unsigned number;
    const char *pick, *ending;
    bool wants_certificate, wants_internal, is_best;
    json_t *registry;
    const json_t *cuts_search; /* cuts are searched before, by that one; NULL: they are not */
    const char *cuts_model;    /* of these cuts; NULL: that of the job */
    sv_text words;             /* what was picked, for people */
    sv_text *wrong;
} maker;

static bool refuse(maker *m, const char *why) {
    if (m->wrong->size == 0)
        sv_print(m->wrong, "%s", why);
    return false;
}

static bool take(maker *m, bool is_taken) {
    return is_taken || refuse(m, kan_run_error(m->project->run));
}

/* ---- what was picked ------------------------------------------------------------------------ */

static bool pick_node(maker *m, const char *name) {
    sv_text levels = {0};
    if (!sv_is_node_name(m->project, name))
        return refuse(m, "These levels do not fit the current columns. Pick again.");
    if (sv_recoding_of_levels(m->project) && !take(m, sv_set_all(m->project, "recoding", NULL, 0)))
        return false;
    if (!take(m, sv_set_all(m->project, SV_MATCHES, NULL, 0)))
        return false;
    sv_levels_text(name, &levels);
    sv_print(&m->words, "Levels %s", levels.failed ? "" : levels.bytes);
    const bool is_good =
        !levels.failed && take(m, kan_job_set(m->project->job, "levels", levels.bytes) == KAN_OK);
    sv_text_free(&levels);
    return is_good;
}

static bool apply_cuts(maker *m, const json_t *search) {
    char file[64];
    m->cuts_search = search;
    snprintf(file, sizeof file, "releases/%u/cuts.json", m->number);
    return take(m, sv_set_all(m->project, "algorithm", NULL, 0)) &&
           take(m, sv_set(m->project, "apply", file));
}

static bool pick_search(maker *m, const char *name) {
    const json_t *search = sv_search_find(m->registry, name);
    if (!search)
        return refuse(m, "There is no search of that name here.");
    sv_print(&m->words, "By %s", name);
    return sv_search_proves_cuts(m->registry, search)
               ? apply_cuts(m, search)
               : take(m, sv_set(m->project, "algorithm", name));
}

/* By the search that kanon takes for it. */
static bool pick_model(maker *m, const char *name) {
    const json_t *model = sv_recoding_find(m->registry, name);
    if (!model)
        return refuse(m, "There is no recoding model of that name here.");
    const char *chosen = sv_recoding(m->project);
    sv_print(&m->words, "As %s", name);
    if ((!chosen || strcmp(chosen, name) != 0) &&
        !take(m, sv_set_all(m->project, SV_MATCHES, NULL, 0)))
        return false;
    if (!take(m, sv_set(m->project, "recoding", name)))
        return false;
    m->cuts_model = name;
    return sv_recoding_cuts(model) ? apply_cuts(m, sv_search_of_cuts(m->registry))
                                   : take(m, sv_set_all(m->project, "algorithm", NULL, 0));
}

static bool pick_one(maker *m) {
    for (size_t i = 0; i < kan_setting_count(); i++)
        if ((kan_setting_at(i)->traits & KAN_TRAIT_ONE_RELEASE) &&
            !take(m, sv_set_all(m->project, kan_setting_at(i)->name, NULL, 0)))
            return false;
    m->is_best = strcmp(m->pick, "best") == 0;
    if (strncmp(m->pick, "node-", 5) == 0)
        return pick_node(m, m->pick + 5);
    if (strncmp(m->pick, "search-", 7) == 0)
        return pick_search(m, m->pick + 7);
    if (strncmp(m->pick, "model-", 6) == 0)
        return pick_model(m, m->pick + 6);
    sv_print(&m->words, "The best by %s", sv_cost(m->project));
    if (sv_recoding(m->project))
        sv_print(&m->words, ", as %s", sv_recoding(m->project));
    return m->is_best || refuse(m, "Pick what you want to release.");
}

static bool take_format(maker *m) {
    char output[64];
    json_t *registry = sv_registry(m->project);
    sv_release_form form;
    const bool is_there = sv_release_form_find(registry, m->ending, &form);
    json_decref(registry);
    snprintf(output, sizeof output, "releases/%u/release.%s", m->number, m->ending);
    return is_there ? take(m, sv_set(m->project, "output", output))
                    : refuse(m, "The release cannot be a file of that format.");
}

static bool take_switch(maker *m, const char *name) {
    const char *value = sv_field_of(m->request, name);
    const bool is_on = value && strcmp(value, "true") == 0;
    return take(m,
                is_on ? sv_set(m->project, name, "true") : sv_set_all(m->project, name, NULL, 0));
}

/* Names of columns, with commas between them; a page without the field leaves the setting as it is. */
static bool take_columns(maker *m, const char *name) {
    enum { MOST = 64 };
    const char *value = sv_field_of(m->request, name), *names[MOST];
    size_t n = 0;
    if (!value)
        return true;
    char *const copy = strdup(value), *rest = NULL;
    if (!copy)
        return refuse(m, "There is not enough memory.");
    for (char *at = strtok_r(copy, ",", &rest); at && n < MOST; at = strtok_r(NULL, ",", &rest)) {
        char *end;
        at += strspn(at, " ");
        end = at + strlen(at);
        while (end > at && end[-1] == ' ')
            *--end = '\0';
        if (*at)
            names[n++] = at;
    }
    const bool is_taken = take(m, sv_set_all(m->project, name, names, n));
    free(copy);
    return is_taken;
}

/* ---- files ---------------------------------------------------------------------------------- */

static bool write_job(maker *m) {
    const char *text;
    char file[48];
    snprintf(file, sizeof file, "release-%u.yaml", m->number);
    if (!take(m, kan_job_write(m->project->job, &text) == KAN_OK))
        return false;
    return sv_project_write(m->project, file, text, strlen(text)) ||
           refuse(m, "The job file could not be written.");
}

static bool write_about(maker *m, const char *key) {
    char file[64], name[32], moment[32];
    const time_t now = time(NULL);
    struct tm parts;
    snprintf(file, sizeof file, "releases/%u/about.json", m->number);
    snprintf(name, sizeof name, "release.%s", m->ending);
    strftime(moment, sizeof moment, "%Y-%m-%d %H:%M", localtime_r(&now, &parts));
    json_t *about = json_pack("{s:s, s:s, s:s, s:s, s:s, s:b}", "pick", m->pick, "words",
                              m->words.bytes ? m->words.bytes : "", "file", name, "time", moment,
                              "key", key, "shuffled", sv_setting(m->project, "shuffle", 0) != NULL);
    char *text = about ? json_dumps(about, JSON_INDENT(1)) : NULL;
    const bool is_good = text && sv_project_write(m->project, file, text, strlen(text));
    free(text);
    json_decref(about);
    return is_good || refuse(m, "The folder of the release could not be written.");
}

static bool make_folder(maker *m) {
    char folder[64];
    sv_text path = {0};
    snprintf(folder, sizeof folder, "releases/%u", m->number);
    const bool is_made =
        sv_project_path(m->project, folder, &path) && mkdir(path.bytes, S_IRWXU) == 0;
    sv_text_free(&path);
    return is_made || refuse(m, "The folder of the release could not be created.");
}

/* ---- running -------------------------------------------------------------------------------- */

static bool start(maker *m, const char *key) {
    sv_words words[3] = {{.n = 0}, {.n = 0}, {.n = 0}};
    char job[48], report[64], internal[64], json[64], certificate[64], cuts[64];
    size_t n = 0;
    snprintf(job, sizeof job, "release-%u.yaml", m->number);
    snprintf(report, sizeof report, "releases/%u/report.html", m->number);
    snprintf(internal, sizeof internal, "releases/%u/internal.html", m->number);
    snprintf(json, sizeof json, "releases/%u/result.json", m->number);
    snprintf(certificate, sizeof certificate, "releases/%u/certificate.json", m->number);
    snprintf(cuts, sizeof cuts, "releases/%u/cuts.json", m->number);
    if (m->cuts_search) {
        sv_word(&words[n], "search");
        sv_word_pair(&words[n], "--job", "kanon.yaml");
        sv_word_pair(&words[n], "--algorithm", sv_json_text(m->cuts_search, "name"));
        if (m->cuts_model)
            sv_word_pair(&words[n], "--recoding", m->cuts_model);
        const char *cost = sv_cuts_cost(m->project, m->registry);
        if (cost)
            sv_word_pair(&words[n], "--cost", cost);
        sv_word_pair(&words[n], "--time-limit", SECONDS);
        sv_word_pair(&words[n], "--json", cuts);
        sv_word(&words[n++], "--force");
    }
    sv_word(&words[n], "anonymize");
    sv_word_pair(&words[n], "--job", job);
    sv_word_pair(&words[n], "--report", m->wants_internal ? internal : report);
    if (m->wants_internal)
        sv_word(&words[n], "--report-internal");
    if (m->wants_certificate && m->is_best)
        sv_word_pair(&words[n], "--certificate", certificate);
    sv_word_pair(&words[n++], "--json", json);
    if (m->wants_internal) { /* the one to share is made of the result, which holds no more than it */
        sv_word(&words[n], "report");
        sv_word(&words[n], json);
        sv_word_pair(&words[n++], "--output", report);
    }
    const sv_step steps[3] = {{words[0].at}, {words[1].at}, {words[2].at}};
    return sv_task_start(sv_server_tasks(m->request->server), m->project, "release",
                         "making the release", key, steps, n, false, m->wrong);
}

static bool make(maker *m) {
    const char *certificate = sv_field_of(m->request, "certificate"),
               *internal = sv_field_of(m->request, "internal");
    sv_text key = {0};
    sv_project_release_key(m->project, &key); /* of the settings before a pick is added */
    m->wants_certificate = certificate && strcmp(certificate, "true") == 0;
    m->wants_internal = internal && strcmp(internal, "true") == 0;
    m->number = sv_release_free_number(m->project);
    const bool is_good = !key.failed && pick_one(m) && take_format(m) &&
                         take_switch(m, "guard-formulas") && take_switch(m, "shuffle") &&
                         take_columns(m, "calibrate") && make_folder(m) &&
                         write_about(m, key.bytes) && write_job(m) && start(m, key.bytes);
    sv_text_free(&key);
    return is_good;
}

void sv_release_start(sv_request *request, sv_reply *reply) {
    const char *pick = sv_field_of(request, "pick"), *format = sv_field_of(request, "format");
    sv_text wrong = {0};
    sv_task_state state = {0};
    sv_task_look(sv_server_tasks(request->server), request->project, "release", &state);
    const bool is_busy = sv_is_busy(&state);
    sv_task_state_free(&state);
    /* A second one would take the folder of the first away from under it. */
    if (is_busy) {
        sv_go_wrong(reply, request->project, "release",
                    "A release is being made. Wait until it is finished, or stop it first.");
        return;
    }
    maker m = {.request = request,
               .project = request->project,
               .pick = pick ? pick : "",
               .ending = format ? format : "csv",
               .registry = sv_registry(request->project),
               .wrong = &wrong};
    if (make(&m))
        sv_go(reply, request->project, "release");
    else
        sv_go_wrong(reply, request->project, "release",
                    wrong.bytes ? wrong.bytes : "Out of memory.");
    json_decref(m.registry);
    sv_text_free(&m.words);
    sv_text_free(&wrong);
}
