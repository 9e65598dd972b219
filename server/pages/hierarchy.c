/* The page of one hierarchy: how it looks, all ways to change it, and files in and out. */
#include <stdlib.h>
#include <string.h>

#include "found.h"
#include "hierarchy_parts.h"
#include "pages.h"
#include "table_parts.h"
#include "values.h"

enum { MOST_TREE = 1 << 20, FEW = 5 };

/* What the page shows: the hierarchy as it is, or a draft. */
typedef struct {
    const sv_request *request;
    const sv_quasi *quasi;
    const char *shown; /* of the form: a spec, or SV_DRAFT_TREE */
    sv_text spec;      /* of the preview: the file of a tree that is a draft */
    bool is_draft;
    char *tree;    /* for the text area; NULL: none */
    bool is_large; /* there is one, too large for it */
    bool is_made;  /* it was just written for the text area: nobody has looked at it yet */
    bool is_empty; /* a draft of a tree without a line: there is nothing to look at */
    sv_found preview;
} view;

static uint64_t least_rows(const sv_project *project) {
    const char *k = sv_setting(project, "k", 0);
    const unsigned long long least = k ? strtoull(k, NULL, 10) : 0;
    return least > 1 ? least : FEW;
}

/* ---- what is shown -------------------------------------------------------------------------- */

static char *read_tree(const sv_project *project, const char *relative, bool *is_large) {
    size_t size;
    char *text = sv_project_text(project, relative, &size);
    *is_large = text && (size > MOST_TREE || strlen(text) != size);
    if (*is_large) {
        free(text);
        return NULL;
    }
    return text;
}

/* The tree of the text area: a draft, one that was just made, or the one that is saved. */
static void open_tree(view *v) {
    const sv_project *project = v->request->project;
    const char *from = sv_field_of(v->request, "from");
    sv_text path = {0};
    if (v->is_draft && strcmp(v->shown, SV_DRAFT_TREE) == 0) {
        v->is_made = from && strcmp(from, "made") == 0;
        if (v->is_made)
            sv_work_path(v->quasi->number, "tree", ".made.txt", &path);
        else
            sv_work_path(v->quasi->number, "draft", ".tree.txt", &path);
    } else if (sv_spec_is_tree(v->quasi->spec)) {
        sv_raw(&path, v->quasi->spec);
    }
    if (path.size > 0 && !path.failed)
        v->tree = read_tree(project, path.bytes, &v->is_large);
    v->is_empty = v->is_draft && strcmp(v->shown, SV_DRAFT_TREE) == 0 && !v->is_large &&
                  (!v->tree || !v->tree[strspn(v->tree, " \t\r\n")]);
    sv_text_free(&path);
}

static void open_view(const sv_request *request, const sv_quasi *quasi, view *v) {
    const char *asked = sv_field_of(request, "spec");
    sv_text error = {0};
    *v = (view){.request = request, .quasi = quasi, .shown = quasi->spec};
    if (asked && (sv_spec_is_builder(asked) || strcmp(asked, SV_DRAFT_TREE) == 0 ||
                  (*quasi->spec && strcmp(asked, quasi->spec) == 0))) {
        v->is_draft = true;
        v->shown = asked;
    }
    if (v->is_draft && strcmp(v->shown, SV_DRAFT_TREE) == 0)
        sv_work_path(quasi->number, "draft", ".tree.txt", &v->spec);
    else
        sv_print(&v->spec, "%s", v->shown); /* also of nothing */
    open_tree(v);
    /* what was seen last of a draft is of another tree than the one that was just made */
    if (!v->is_made && !v->is_empty)
        sv_preview_open(request, quasi, v->spec.bytes, v->is_draft, &v->preview);
    /* what is saved is looked at without being asked; a draft when somebody asks */
    if (!v->is_draft && sv_found_is_wanted(&v->preview) &&
        sv_preview_start(request, quasi, v->spec.bytes, false, &error)) {
        sv_found_close(&v->preview);
        sv_preview_open(request, quasi, v->spec.bytes, false, &v->preview);
    }
    sv_text_free(&error);
}

static void close_view(view *v) {
    sv_found_close(&v->preview);
    sv_text_free(&v->spec);
    free(v->tree);
}

/* ---- preview -------------------------------------------------------------------------------- */

static void add_warning(sv_text *out, const json_t *warning) {
    const char *what = sv_json_text(warning, "warning");
    const unsigned level = (unsigned)sv_json_count(warning, "level");
    const uint64_t count = sv_json_count(warning, "count");
    sv_raw(out, "<li>");
    if (strcmp(what, "absent-values") == 0) {
        sv_count_of(out, count, "value is", "values are");
        sv_raw(out, " not in the table; that does no harm");
    } else if (strcmp(what, "idle-level") == 0) {
        sv_html(out, "Level %u has as many labels as the one below: it merges nothing", level);
    } else if (strcmp(what, "lopsided-level") == 0) {
        sv_html(out, "Level %u: one label has nearly all rows (", level);
        sv_count(out, count);
        sv_raw(out, ")");
    } else {
        sv_html(out, "A label of level %u covers more at a higher level", level);
    }
    sv_raw(out, ".</li>");
}

static void add_warnings(const view *v, sv_text *out) {
    json_t *warnings = sv_spec_is_file(v->spec.bytes)
                           ? sv_preview_warnings(v->request, v->quasi, v->is_draft)
                           : NULL;
    if (json_array_size(warnings) > 0) {
        sv_raw(out, "<div class=\"note careful\"><p>It works. Worth a look:</p><ul>");
        for (size_t i = 0; i < json_array_size(warnings); i++)
            add_warning(out, json_array_get(warnings, i));
        sv_raw(out, "</ul></div>");
    }
    json_decref(warnings);
}

/* What the command noted: that quantiles tell something of the data, levels that were left out. */
static void add_notes(sv_text *out, const char *notes) {
    char *copy = notes && *notes ? strdup(notes) : NULL, *rest = NULL;
    for (char *line = copy ? strtok_r(copy, "\n", &rest) : NULL; line;
         line = strtok_r(NULL, "\n", &rest))
        sv_html(out, "<p class=\"note\">%s</p>", line);
    free(copy);
}

static void add_busy(const view *v, sv_text *out) {
    sv_text kind = {0};
    sv_print(&kind, "%s-%zu", v->is_draft ? "draft" : "hierarchy", v->quasi->number);
    if (!kind.failed)
        sv_page_task(v->request, out, kind.bytes);
    sv_text_free(&kind);
}

/* It was stopped. A draft has its own button. */
static void add_again(const view *v, sv_text *out) {
    sv_raw(out, "<p>It was stopped.</p>");
    if (!v->is_draft)
        sv_html(out,
                "<form method=\"post\" action=\"/p/%s/hierarchies/%zu\"><p><button "
                "name=\"action\" value=\"again\">Look at it again</button></p></form>",
                v->request->project->name, v->quasi->number);
}

static void add_preview(const view *v, sv_text *out) {
    sv_html(out,
            "<section class=\"internal\" id=\"preview\" data-state=\"%s\"%s><h2>%s "
            "<span class=\"tag\">raw values</span></h2>" SV_RAW_NOTE,
            v->preview.is_busy ? "busy" : "idle", v->is_made && !v->is_empty ? " data-unseen" : "",
            v->is_draft ? "How it would look" : "How it looks");
    if (v->is_empty) {
        sv_raw(out, "<p>The tree has no lines yet. Start with the hierarchy as it is now, or with "
                    "only the values.</p>");
    } else if (v->preview.is_fresh && !v->spec.size) {
        sv_preview_proposal(v->request, out, v->quasi, v->preview.json);
    } else if (v->preview.is_fresh) {
        sv_raw(out, "<p class=\"path\">");
        sv_preview_path(out, v->preview.json);
        sv_raw(out, "</p>");
        add_warnings(v, out);
        add_notes(out, v->preview.task.notes);
        sv_preview_levels(out, v->preview.json, least_rows(v->request->project));
    } else if (v->preview.is_busy) {
        add_busy(v, out);
    } else if (v->preview.task.status == SV_STOPPED) {
        add_again(v, out);
    } else if (v->preview.has_failed) {
        size_t size;
        char *text = sv_spec_is_file(v->spec.bytes)
                         ? sv_project_text(v->request->project, v->spec.bytes, &size)
                         : NULL;
        sv_preview_problems(out, v->preview.task.error ? v->preview.task.error : "", text);
        free(text);
    } else {
        sv_raw(out, "<p>Press <em>Preview</em> to see what the values become.</p>");
    }
    if (v->is_draft)
        sv_html(
            out,
            "<p class=\"note careful\">This is not saved. <a href=\"/p/%s/hierarchies/%zu\">Back "
            "to what is saved</a></p>",
            v->request->project->name, v->quasi->number);
    sv_raw(out, "</section>");
}

/* ---- files ---------------------------------------------------------------------------------- */

static void add_export(const view *v, sv_text *out) {
    const char *project = v->request->project->name;
    sv_found made;
    sv_made_open(v->request, v->quasi, "export", v->quasi->spec, &made);
    if (sv_spec_is_file(v->quasi->spec) || made.is_fresh) {
        sv_html(out,
                "<p><a class=\"button\" href=\"/p/%s/hierarchies/%zu/file\">Download it</a></p>",
                project, v->quasi->number);
    } else if (made.is_busy) {
        sv_text kind = {0};
        sv_print(&kind, "export-%zu", v->quasi->number);
        if (!kind.failed)
            sv_page_task(v->request, out, kind.bytes);
        sv_text_free(&kind);
    } else {
        sv_html(out,
                "<form method=\"post\" action=\"/p/%s/hierarchies/%zu\"><p><button name=\"action\" "
                "value=\"export\">Write it as a file</button></p></form>",
                project, v->quasi->number);
        if (made.has_failed)
            sv_preview_problems(out, made.task.error ? made.task.error : "", NULL);
    }
    sv_found_close(&made);
}

static void add_files(const view *v, sv_text *out) {
    sv_raw(out, "<section><h2>As a file</h2>");
    add_export(v, out);
    sv_html(out,
            "<form method=\"post\" enctype=\"multipart/form-data\" "
            "action=\"/p/%s/hierarchies/%zu\"><div class=\"field\"><label for=\"file\">Upload a "
            "file</label><input type=\"file\" id=\"file\" name=\"file\" accept=\".csv,.txt\" "
            "aria-describedby=\"h-file\"><p class=\"hint\" id=\"h-file\">One line per value, from "
            "the value to the top, as other tools write it (.csv): <code>Clerk;At a desk;*</code>. "
            "Or a tree (.txt). It replaces what is there now.</p></div><p><button name=\"action\" "
            "value=\"import\">Use the file</button></p></form></section>",
            v->request->project->name, v->quasi->number);
}

/* ---- the page ------------------------------------------------------------------------------- */

/* A tree that is being written for the text area. */
static void add_made(const view *v, sv_text *out) {
    const char *from = sv_field_of(v->request, "from");
    sv_text kind = {0};
    sv_print(&kind, "tree-%zu", v->quasi->number);
    if (from && strcmp(from, "made") == 0 && !kind.failed)
        sv_page_task(v->request, out, kind.bytes);
    sv_text_free(&kind);
    if (!v->tree && sv_spec_is_tree(v->quasi->spec))
        sv_raw(out, "<p class=\"note\">The tree is too large to be changed here: download it, "
                    "change it in an editor, and upload it again.</p>");
}

static void add_command(const view *v, sv_text *out) {
    sv_text room[3] = {{0}};
    const char *words[SV_SHOW_WORDS];
    sv_show_words(v->quasi, v->spec.bytes, v->is_draft, room, words);
    if (!room[0].failed && !room[1].failed && !room[2].failed)
        sv_page_command(out, v->request->project, words);
    for (size_t i = 0; i < 3; i++)
        sv_text_free(&room[i]);
}

static void add_page(const sv_request *request, sv_text *out, const sv_quasi *quasi) {
    view v;
    open_view(request, quasi, &v);
    sv_raw(out, "<p class=\"lead\">Now: ");
    sv_spec_words(out, quasi->spec);
    sv_html(out, ". <a href=\"/p/%s/hierarchies\">All quasi-identifiers</a></p>",
            request->project->name);
    add_made(&v, out);
    sv_raw(out, "<p class=\"off\" role=\"status\" id=\"preview-said\"></p><div "
                "class=\"sides\"><div>");
    sv_builder_form(request, out, quasi, v.shown, v.tree);
    sv_raw(out, "</div><div>");
    add_preview(&v, out);
    sv_raw(out, "</div></div>");
    add_files(&v, out);
    add_command(&v, out);
    sv_raw(out, "<script type=\"module\" src=\"/hierarchy.js\"></script>");
    close_view(&v);
}

void sv_hierarchy(sv_request *request, sv_reply *reply) {
    sv_text *out = &reply->body;
    sv_found profile;
    sv_quasi quasi;
    sv_found_profile(request, &profile);
    const json_t *columns = sv_found_columns(&profile);
    const unsigned long number = strtoul(request->rest[0], NULL, 10);
    if (profile.is_fresh && !sv_quasi_find(request->project, columns, number, &quasi)) {
        sv_refuse(request, reply, 404, "No quasi-identifier has this number.");
        sv_found_close(&profile);
        return;
    }
    if (profile.is_fresh) {
        sv_text title = {0};
        sv_raw(&title, "Hierarchy of ");
        sv_value_cut(&title, quasi.name);
        sv_page_begin(request, out, title.bytes ? title.bytes : "", "hierarchies");
        sv_text_free(&title);
        add_page(request, out, &quasi);
        free(quasi.spec);
    } else {
        sv_page_begin(request, out, "A hierarchy", "hierarchies");
        sv_profile_page(request, out, &profile);
    }
    sv_page_end(request, out);
    sv_found_close(&profile);
}
