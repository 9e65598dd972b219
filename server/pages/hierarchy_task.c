/* The commands that look at hierarchies, check them and write them out. */
#include <stdio.h>
#include <string.h>
#include <sys/stat.h>

#include "hierarchy_parts.h"
#include "pages.h"
#include "server/projects/projects.h"
#include "values.h"

#define MOST_LABELS "200" /* of a level that a page shows */

void sv_hierarchy_path(const sv_quasi *quasi, const char *ending, sv_text *out) {
    sv_hierarchy_file(quasi->number, quasi->name, out);
    sv_raw(out, ending);
}

void sv_work_path(size_t number, const char *kind, const char *ending, sv_text *out) {
    sv_print(out, "work/%s-%zu%s", kind, number, ending);
}

/* What the look of a hierarchy depends on. */
static void add_key(const sv_request *request, const sv_quasi *quasi, const char *spec,
                    sv_text *out) {
    sv_text path = {0};
    struct stat seen;
    sv_project_key(request->project, false, out);
    sv_print(out, "column: %s\nhierarchy: %s\n", quasi->name, spec);
    if (sv_spec_is_file(spec) && sv_project_path(request->project, spec, &path) &&
        lstat(path.bytes, &seen) == 0)
        sv_print(out, "%lld %lld.%09ld\n", (long long)seen.st_size, (long long)seen.st_mtim.tv_sec,
                 seen.st_mtim.tv_nsec);
    sv_text_free(&path);
}

/* The name of a column as a word of --column: in quotes where a list would be seen in it. */
static void add_column_word(sv_text *out, const char *name) {
    if (strpbrk(name, ",=\""))
        sv_print(out, "\"%s\"", name);
    else
        sv_raw(out, name);
}

static const char *kind_of(bool is_draft) {
    return is_draft ? "draft" : "hierarchy";
}

/* ---- previews ------------------------------------------------------------------------------- */

/* A column without a hierarchy: the value, or nothing of it. */
static const char *spec_or_suppress(const char *spec) {
    return *spec ? spec : "suppress";
}

void sv_show_words(const sv_quasi *quasi, const char *spec, bool is_draft, sv_text room[3],
                   const char *words[SV_SHOW_WORDS]) {
    add_column_word(&room[0], quasi->name);
    sv_work_path(quasi->number, kind_of(is_draft), ".json", &room[1]);
    sv_raw(&room[2], spec_or_suppress(spec));
    const char *const all[SV_SHOW_WORDS] = {"hierarchy",  "show",     room[2].bytes, "--job",
                                            "kanon.yaml", "--column", room[0].bytes, "--list",
                                            MOST_LABELS,  "--json",   room[1].bytes, "--force",
                                            NULL};
    memcpy(words, all, sizeof all);
}

static bool start_task(const sv_request *request, const sv_quasi *quasi, const char *kind,
                       const char *title, const char *spec, const sv_step *steps, size_t n,
                       sv_text *error) {
    sv_text key = {0}, name = {0};
    add_key(request, quasi, spec, &key);
    sv_print(&name, "%s-%zu", kind, quasi->number);
    const bool is_good = !key.failed && !name.failed &&
                         sv_task_start(sv_server_tasks(request->server), request->project,
                                       name.bytes, title, key.bytes, steps, n, false, error);
    sv_text_free(&key);
    sv_text_free(&name);
    return is_good;
}

static void open_found(const sv_request *request, const sv_quasi *quasi, const char *kind,
                       const char *spec, sv_found *out) {
    sv_text key = {0}, name = {0}, path = {0};
    add_key(request, quasi, spec, &key);
    sv_print(&name, "%s-%zu", kind, quasi->number);
    sv_work_path(quasi->number, kind, ".json", &path);
    *out = (sv_found){0};
    if (!key.failed && !name.failed && !path.failed)
        sv_found_open(request, name.bytes, path.bytes, key.bytes, out);
    sv_text_free(&key);
    sv_text_free(&name);
    sv_text_free(&path);
}

bool sv_preview_start(const sv_request *request, const sv_quasi *quasi, const char *spec,
                      bool is_draft, sv_text *error) {
    sv_text room[3] = {{0}}, found = {0};
    const char *show[SV_SHOW_WORDS];
    if (*spec && !sv_spec_is_builder(spec) && !sv_spec_is_file(spec)) {
        sv_raw(error, "The hierarchy is a file outside of this project, which is not read here.");
        return false;
    }
    sv_show_words(quasi, spec, is_draft, room, show);
    sv_work_path(quasi->number, kind_of(is_draft), ".check.json", &found);
    const char *const check[] = {"hierarchy",  "check",    spec,          "--job",
                                 "kanon.yaml", "--column", room[0].bytes, "--json",
                                 found.bytes,  "--force",  NULL};
    /* nothing was chosen: what would suit the values? */
    const char *const propose[] = {"hierarchy",   "build",  "--job",       "kanon.yaml", "--column",
                                   room[0].bytes, "--json", room[1].bytes, "--force",    NULL};
    const sv_step both[] = {{check}, {*spec ? show : propose}};
    const bool is_file = sv_spec_is_file(spec),
               has_failed = room[0].failed || room[1].failed || room[2].failed || found.failed;
    const bool is_good =
        !has_failed && start_task(request, quasi, kind_of(is_draft), "looking at the hierarchy",
                                  spec, is_file ? both : both + 1, is_file ? 2 : 1, error);
    for (size_t i = 0; i < 3; i++)
        sv_text_free(&room[i]);
    sv_text_free(&found);
    return is_good;
}

void sv_preview_open(const sv_request *request, const sv_quasi *quasi, const char *spec,
                     bool is_draft, sv_found *out) {
    open_found(request, quasi, kind_of(is_draft), spec, out);
}

json_t *sv_preview_warnings(const sv_request *request, const sv_quasi *quasi, bool is_draft) {
    sv_text path = {0};
    sv_work_path(quasi->number, kind_of(is_draft), ".check.json", &path);
    json_t *json = path.failed ? NULL : sv_project_json(request->project, path.bytes);
    json_t *file = json_array_get(json_object_get(json, "hierarchies"), 0);
    json_t *warnings = json_incref(json_object_get(file, "warnings"));
    json_decref(json);
    sv_text_free(&path);
    return warnings;
}

/* ---- written out ---------------------------------------------------------------------------- */

void sv_made_open(const sv_request *request, const sv_quasi *quasi, const char *kind,
                  const char *spec, sv_found *out) {
    open_found(request, quasi, kind, spec, out);
}

bool sv_made_start(const sv_request *request, const sv_quasi *quasi, const char *kind,
                   const char *spec, sv_text *error) {
    sv_text column = {0}, json = {0}, made = {0};
    add_column_word(&column, quasi->name);
    sv_print(&column, "=%s", spec_or_suppress(spec));
    sv_work_path(quasi->number, kind, ".json", &json);
    sv_work_path(quasi->number, kind, strcmp(kind, "tree") == 0 ? ".made.txt" : ".made.csv", &made);
    const char *const build[] = {"hierarchy", "build",      "--job",   "kanon.yaml",
                                 "--column",  column.bytes, "-o",      made.bytes,
                                 "--json",    json.bytes,   "--force", NULL};
    const char *const convert[] = {"hierarchy",  "convert", spec,       "--job",
                                   "kanon.yaml", "-o",      made.bytes, "--json",
                                   json.bytes,   "--force", NULL};
    const sv_step step = {sv_spec_is_file(spec) ? convert : build};
    bool is_good = !column.failed && !json.failed && !made.failed;
    if (is_good && *spec && !sv_spec_is_builder(spec) && !sv_spec_is_file(spec)) {
        sv_raw(error, "The hierarchy is a file outside of this project, which is not read here.");
        is_good = false;
    }
    is_good =
        is_good && start_task(request, quasi, kind, "writing the hierarchy", spec, &step, 1, error);
    sv_text_free(&column);
    sv_text_free(&json);
    sv_text_free(&made);
    return is_good;
}
