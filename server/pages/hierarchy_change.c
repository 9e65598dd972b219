/* What is done with a hierarchy: saved, shown first, brought as a file, written out. */
#include <stdio.h>
#include <stdlib.h>
#include <string.h>

#include "found.h"
#include "hierarchy_parts.h"
#include "pages.h"
#include "server/projects/projects.h"

enum { MOST_FILE = 16 << 20 };

/* The page of the hierarchy, perhaps with what it should show. */
static void page_of(const sv_quasi *quasi, const char *spec, bool is_made, sv_text *out) {
    sv_print(out, "hierarchies/%zu", quasi->number);
    if (spec) {
        sv_raw(out, "?spec=");
        sv_url(out, spec);
        sv_raw(out, is_made ? "&from=made" : "");
    }
}

static void go_wrong(const sv_request *request, sv_reply *reply, const sv_quasi *quasi,
                     const char *wrong) {
    sv_text page = {0};
    page_of(quasi, NULL, false, &page);
    sv_go_wrong(reply, request->project, page.bytes ? page.bytes : "hierarchies", wrong);
    sv_text_free(&page);
}

static void go_said(const sv_request *request, sv_reply *reply, const sv_quasi *quasi,
                    const char *said) {
    sv_text page = {0};
    page_of(quasi, NULL, false, &page);
    sv_go_said(reply, request->project, page.bytes ? page.bytes : "hierarchies", said);
    sv_text_free(&page);
}

static void go_spec(const sv_request *request, sv_reply *reply, const sv_quasi *quasi,
                    const char *spec, bool is_made) {
    sv_text page = {0};
    page_of(quasi, spec, is_made, &page);
    sv_go(reply, request->project, page.bytes ? page.bytes : "hierarchies");
    sv_text_free(&page);
}

/* ---- trees ---------------------------------------------------------------------------------- */

/* The text of the form, with the line breaks of a file. */
static bool write_tree(const sv_request *request, const char *path) {
    const char *tree = sv_field_of(request, "tree");
    sv_text text = {0};
    for (const char *at = tree ? tree : ""; *at; at++)
        if (*at != '\r')
            sv_bytes(&text, at, 1);
    if (text.size > 0 && !text.failed && text.bytes[text.size - 1] != '\n')
        sv_raw(&text, "\n");
    const bool is_good = !text.failed && sv_project_write(request->project, path,
                                                          text.bytes ? text.bytes : "", text.size);
    sv_text_free(&text);
    return is_good;
}

static bool has_tree(const sv_request *request) {
    const char *tree = sv_field_of(request, "tree");
    return tree && tree[strspn(tree, " \t\r\n")];
}

/* ---- saving --------------------------------------------------------------------------------- */

static bool save_spec(const sv_request *request, const sv_quasi *quasi, const char *spec) {
    return sv_quasi_set(request->project, quasi->name, spec) && sv_project_save(request->project);
}

/* The file of the column in one form; the other would be taken for it later. */
static bool save_file(const sv_request *request, const sv_quasi *quasi, const char *ending,
                      const char *other) {
    sv_text path = {0}, gone = {0};
    sv_hierarchy_path(quasi, ending, &path);
    sv_hierarchy_path(quasi, other, &gone);
    const bool is_good = !path.failed && !gone.failed && save_spec(request, quasi, path.bytes);
    if (is_good)
        (void)sv_project_remove(request->project, gone.bytes);
    sv_text_free(&path);
    sv_text_free(&gone);
    return is_good;
}

static bool save_tree(const sv_request *request, const sv_quasi *quasi) {
    sv_text path = {0};
    sv_hierarchy_path(quasi, ".txt", &path);
    const bool is_good = !path.failed && write_tree(request, path.bytes) &&
                         save_file(request, quasi, ".txt", ".csv");
    sv_text_free(&path);
    return is_good;
}

static void save(const sv_request *request, sv_reply *reply, const sv_quasi *quasi) {
    sv_text spec = {0}, wrong = {0};
    if (!sv_spec_of_form(request, quasi->spec, &spec, &wrong)) {
        sv_raw(&wrong, " Nothing was changed.");
        go_wrong(request, reply, quasi, wrong.bytes);
    } else if (strcmp(spec.bytes, SV_DRAFT_TREE) == 0 && !has_tree(request)) {
        go_wrong(request, reply, quasi, "The tree is empty. Nothing was changed.");
    } else if (strcmp(spec.bytes, SV_DRAFT_TREE) == 0 ? save_tree(request, quasi)
                                                      : save_spec(request, quasi, spec.bytes)) {
        go_said(request, reply, quasi, "Saved.");
    } else {
        go_wrong(request, reply, quasi, kan_run_error(request->project->run));
    }
    sv_text_free(&spec);
    sv_text_free(&wrong);
}

/* The strip of the list: its levels are saved, and the list is shown again. */
static void save_strip(const sv_request *request, sv_reply *reply, const sv_quasi *quasi) {
    sv_text spec = {0}, wrong = {0};
    if (!sv_spec_of_strip(request, quasi, &spec, &wrong))
        sv_go_wrong(reply, request->project, "hierarchies", wrong.bytes ? wrong.bytes : "");
    else if (!sv_spec_is_builder(spec.bytes) || !save_spec(request, quasi, spec.bytes))
        sv_go_wrong(reply, request->project, "hierarchies", kan_run_error(request->project->run));
    else
        sv_go_said(reply, request->project, "hierarchies", "Saved.");
    sv_text_free(&spec);
    sv_text_free(&wrong);
}

/* A builder that was proposed. */
static void take_proposal(const sv_request *request, sv_reply *reply, const sv_quasi *quasi) {
    const char *spec = sv_field_of(request, "spec");
    if (!spec || !sv_spec_is_builder(spec))
        go_wrong(request, reply, quasi, "This is not a way to make values coarser.");
    else if (save_spec(request, quasi, spec))
        go_said(request, reply, quasi, "Saved.");
    else
        go_wrong(request, reply, quasi, kan_run_error(request->project->run));
}

/* ---- files ---------------------------------------------------------------------------------- */

static void import(const sv_request *request, sv_reply *reply, const sv_quasi *quasi) {
    const sv_upload *upload = &request->upload;
    const bool is_tree = upload->name && sv_ends_with(upload->name, ".txt");
    sv_text path = {0};
    size_t size = 0;
    char *bytes = NULL;
    sv_hierarchy_path(quasi, is_tree ? ".txt" : ".csv", &path);
    if (!upload->name)
        go_wrong(request, reply, quasi, "Choose a file first.");
    else if (upload->size > MOST_FILE || !(bytes = sv_file_read(upload->path, MOST_FILE, &size)))
        go_wrong(request, reply, quasi, "The file is too large for a hierarchy (16 MiB at most).");
    else if (size == 0)
        go_wrong(request, reply, quasi, "The file is empty. Nothing was changed.");
    else if (!path.failed && sv_project_write(request->project, path.bytes, bytes, size) &&
             save_file(request, quasi, is_tree ? ".txt" : ".csv", is_tree ? ".csv" : ".txt"))
        go_said(request, reply, quasi, "The file is used from now on.");
    else
        go_wrong(request, reply, quasi, kan_run_error(request->project->run));
    free(bytes);
    sv_text_free(&path);
}

static void make_hierarchy(const sv_request *request, sv_reply *reply, const sv_quasi *quasi,
                           const char *kind, const char *spec) {
    const bool is_tree = strcmp(kind, "tree") == 0;
    sv_text error = {0};
    if (sv_made_start(request, quasi, kind, spec, &error))
        go_spec(request, reply, quasi, is_tree ? SV_DRAFT_TREE : NULL, is_tree);
    else
        go_wrong(request, reply, quasi, error.bytes ? error.bytes : "");
    sv_text_free(&error);
}

static void look_again(const sv_request *request, sv_reply *reply, const sv_quasi *quasi) {
    sv_text error = {0};
    if (sv_preview_start(request, quasi, quasi->spec, false, &error))
        go_spec(request, reply, quasi, NULL, false);
    else
        go_wrong(request, reply, quasi, error.bytes ? error.bytes : "");
    sv_text_free(&error);
}

/* A tree of what it is now: it is there, or is made. */
static void begin_tree(const sv_request *request, sv_reply *reply, const sv_quasi *quasi) {
    if (sv_spec_is_tree(quasi->spec))
        go_spec(request, reply, quasi, NULL, false);
    else
        make_hierarchy(request, reply, quasi, "tree", quasi->spec);
}

/* ---- handlers ------------------------------------------------------------------------------- */

/* The quasi-identifier that the path names; false: the reply says that there is none. */
static bool find_quasi(const sv_request *request, sv_reply *reply, sv_found *profile,
                       sv_quasi *quasi) {
    sv_found_profile(request, profile);
    const unsigned long number = strtoul(request->rest[0], NULL, 10);
    if (sv_found_columns(profile) &&
        sv_quasi_find(request->project, sv_found_columns(profile), number, quasi))
        return true;
    sv_refuse(request, reply, 404, "No quasi-identifier has this number.");
    sv_found_close(profile);
    return false;
}

void sv_hierarchy_change(sv_request *request, sv_reply *reply) {
    const char *action = sv_field_of(request, "action");
    sv_found profile;
    sv_quasi quasi;
    if (!find_quasi(request, reply, &profile, &quasi))
        return;
    if (!action || strcmp(action, "save") == 0)
        save(request, reply, &quasi);
    else if (strcmp(action, "strip") == 0)
        save_strip(request, reply, &quasi);
    else if (strcmp(action, "import") == 0)
        import(request, reply, &quasi);
    else if (strcmp(action, "export") == 0)
        make_hierarchy(request, reply, &quasi, "export", quasi.spec);
    else if (strcmp(action, "take") == 0)
        take_proposal(request, reply, &quasi);
    else if (strcmp(action, "again") == 0)
        look_again(request, reply, &quasi);
    else if (strcmp(action, "tree-now") == 0)
        begin_tree(request, reply, &quasi);
    else if (strcmp(action, "tree-values") == 0)
        make_hierarchy(request, reply, &quasi, "tree", "suppress");
    else
        sv_refuse(request, reply, 400, "The form does not say what to do.");
    free(quasi.spec);
    sv_found_close(&profile);
}

void sv_hierarchy_preview(sv_request *request, sv_reply *reply) {
    sv_text spec = {0}, wrong = {0}, draft = {0};
    sv_found profile;
    sv_quasi quasi;
    if (!find_quasi(request, reply, &profile, &quasi))
        return;
    sv_work_path(quasi.number, "draft", ".tree.txt", &draft);
    bool is_good = sv_spec_of_form(request, quasi.spec, &spec, &wrong) && !draft.failed;
    const bool is_tree = is_good && strcmp(spec.bytes, SV_DRAFT_TREE) == 0;
    if (is_tree && !write_tree(request, draft.bytes)) {
        sv_raw(&wrong, "The tree could not be written.");
        is_good = false;
    }
    /* of a tree without a line there is nothing to see, and nothing is wrong with it yet */
    is_good = is_good &&
              ((is_tree && !has_tree(request)) ||
               sv_preview_start(request, &quasi, is_tree ? draft.bytes : spec.bytes, true, &wrong));
    if (is_good)
        go_spec(request, reply, &quasi, spec.bytes, false);
    else
        go_wrong(request, reply, &quasi, wrong.bytes ? wrong.bytes : "");
    sv_text_free(&spec);
    sv_text_free(&wrong);
    sv_text_free(&draft);
    free(quasi.spec);
    sv_found_close(&profile);
}

void sv_hierarchy_file_get(sv_request *request, sv_reply *reply) {
    sv_text relative = {0};
    sv_found profile, made;
    sv_quasi quasi;
    if (!find_quasi(request, reply, &profile, &quasi))
        return;
    sv_made_open(request, &quasi, "export", quasi.spec, &made);
    if (sv_spec_is_file(quasi.spec))
        sv_raw(&relative, quasi.spec);
    else if (made.is_fresh)
        sv_work_path(quasi.number, "export", ".made.csv", &relative);
    if (relative.size > 0 && !relative.failed &&
        sv_project_path(request->project, relative.bytes, &reply->file)) {
        sv_text name = {0};
        reply->type = "text/plain; charset=utf-8";
        sv_hierarchy_path(&quasi, sv_spec_is_tree(quasi.spec) ? ".txt" : ".csv", &name);
        sv_raw(&reply->download,
               name.failed ? "hierarchy.csv" : name.bytes + strlen("hierarchies/"));
        sv_text_free(&name);
    } else {
        sv_refuse(request, reply, 404, "The hierarchy has not been written as a file yet.");
    }
    sv_text_free(&relative);
    free(quasi.spec);
    sv_found_close(&made);
    sv_found_close(&profile);
}
