/* Attacking: each attack is a command, and one that is refused leaves the others. */
#include <stdlib.h>
#include <string.h>

#include "attack.h"

static const sv_attack_kind kinds[] = {
    {"prosecutor", "Who has the table", true},
    {"neighbour", "Who knows three columns of it", true},
    {"insider", "Who knows all columns but one", true},
    {SV_OTHERS, "Who has other releases", false},
    {SV_UNDONE, "Who knows how it was made", false},
};

enum { KINDS = sizeof kinds / sizeof *kinds };

const sv_attack_kind *sv_attack_kind_at(size_t index) {
    return index < KINDS ? &kinds[index] : NULL;
}

void sv_attack_file(const sv_attack_kind *kind, sv_text *out) {
    sv_print(out, "work/attack-%s.json", kind->name);
}

bool sv_attack_can_read(const sv_project *project, unsigned number, sv_text *path) {
    json_t *about = sv_release_about(project, number);
    const char *file = sv_json_text(about, "file");
    const bool is_there = about && *file && strcmp(file, "tables") != 0;
    if (is_there)
        sv_print(path, "releases/%u/%s", number, file);
    json_decref(about);
    return is_there && !path->failed && sv_project_has(project, path->bytes);
}

/* ---- the commands ----------------------------------------------------------------------------- */

typedef struct {
    sv_request *request;
    const sv_project *project;
    unsigned number;
    sv_text release, job, others[SV_MOST_OTHERS];
    size_t n_others;
    sv_text files[KINDS];
    sv_words words[KINDS];
    sv_step steps[KINDS];
    size_t n;
} plan;

static bool is_on(const plan *p, const char *field) {
    const char *value = sv_field_of(p->request, field);
    return value && strcmp(value, "true") == 0;
}

static void find_others(plan *p) {
    const unsigned n = sv_release_last(p->project);
    for (unsigned i = n; i > 0 && p->n_others < SV_MOST_OTHERS; i--) {
        char field[32];
        snprintf(field, sizeof field, "with-%u", i);
        if (i != p->number && is_on(p, field) &&
            sv_attack_can_read(p->project, i, &p->others[p->n_others]))
            p->n_others++;
    }
}

static bool is_wanted(const plan *p, const sv_attack_kind *kind) {
    if (kind->is_profile)
        return is_on(p, "table") && (strcmp(kind->name, "insider") != 0 ||
                                     sv_setting(p->project, "sensitive", 0) != NULL);
    return strcmp(kind->name, SV_OTHERS) == 0 ? p->n_others > 0 : is_on(p, "method");
}

static void add_command(plan *p, const sv_attack_kind *kind, size_t at) {
    const char *input = sv_setting(p->project, "input", 0);
    sv_words *words = &p->words[p->n];
    sv_attack_file(kind, &p->files[at]);
    sv_word(words, "attack");
    sv_word(words, p->release.bytes);
    sv_word_pair(words, "--job", p->job.bytes);
    if (kind->is_profile || strcmp(kind->name, SV_UNDONE) == 0)
        sv_word_pair(words, "--original", input ? input : "");
    if (kind->is_profile) {
        sv_word_pair(words, "--register", input ? input : "");
        sv_word_pair(words, "--as", kind->name);
    } else if (strcmp(kind->name, SV_UNDONE) == 0) {
        sv_word(words, "--knowing-method");
    } else {
        for (size_t i = 0; i < p->n_others; i++)
            sv_word_pair(words, "--with", p->others[i].bytes);
    }
    sv_word_pair(words, "--json", p->files[at].bytes);
    sv_word(words, "--force");
    p->steps[p->n++].words = words->at;
}

/* What an earlier run left must not be taken for a result of this one. */
static void remove_old(const sv_project *project) {
    for (size_t i = 0; i < KINDS; i++) {
        sv_text file = {0};
        sv_attack_file(&kinds[i], &file);
        if (!file.failed)
            (void)sv_project_remove(project, file.bytes);
        sv_text_free(&file);
    }
}

static void plan_free(plan *p) {
    sv_text_free(&p->release);
    sv_text_free(&p->job);
    for (size_t i = 0; i < SV_MOST_OTHERS; i++)
        sv_text_free(&p->others[i]);
    for (size_t i = 0; i < KINDS; i++)
        sv_text_free(&p->files[i]);
}

static bool start(plan *p, sv_text *wrong) {
    char key[32];
    find_others(p);
    sv_print(&p->job, "release-%u.yaml", p->number);
    for (size_t i = 0; i < KINDS; i++)
        if (is_wanted(p, &kinds[i]))
            add_command(p, &kinds[i], i);
    if (p->n == 0) {
        sv_raw(wrong, "Say what somebody has: the table, another release, or the method.");
        return false;
    }
    /* Not the job file that every task looks at: somebody else may have written it. */
    if (p->job.failed || !sv_confine_file(p->project, p->job.bytes, wrong))
        return false;
    remove_old(p->project);
    snprintf(key, sizeof key, "%u", p->number);
    return sv_task_start(sv_server_tasks(p->request->server), p->project, "attack", "attacking",
                         key, p->steps, p->n, true, wrong);
}

void sv_attack_start(sv_request *request, sv_reply *reply) {
    const char *number = sv_field_of(request, "release");
    sv_text wrong = {0};
    plan p = {.request = request, .project = request->project};
    p.number = sv_release_number(number);
    if (!sv_release_is_there(p.project, p.number) ||
        !sv_attack_can_read(p.project, p.number, &p.release))
        sv_raw(&wrong, "Pick a release that is there.");
    else
        (void)start(&p, &wrong);
    if (wrong.size == 0 && !wrong.failed)
        sv_go(reply, request->project, "attack");
    else
        sv_go_wrong(reply, request->project, "attack",
                    wrong.bytes ? wrong.bytes : "Out of memory.");
    plan_free(&p);
    sv_text_free(&wrong);
}
