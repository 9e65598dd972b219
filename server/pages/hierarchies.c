/* The list of quasi-identifiers, each with its hierarchy and what that makes of the values. */
#include <stdlib.h>
#include <string.h>

#include "column_roles.h"
#include "found.h"
#include "hierarchy_parts.h"
#include "pages.h"
#include "table_parts.h"
#include "values.h"

/* How it looks; asked for where nobody asked yet. */
static void open_preview(const sv_request *request, const sv_quasi *quasi, sv_found *out) {
    sv_text error = {0};
    sv_preview_open(request, quasi, quasi->spec, false, out);
    if (sv_found_is_wanted(out) && sv_preview_start(request, quasi, quasi->spec, false, &error)) {
        sv_found_close(out);
        sv_preview_open(request, quasi, quasi->spec, false, out);
    }
    sv_text_free(&error);
}

static void add_quasi(const sv_request *request, sv_text *out, const sv_quasi *quasi,
                      size_t *busy) {
    sv_found preview;
    open_preview(request, quasi, &preview);
    sv_html(out, "<article class=\"card strip-card\"><h3><a href=\"/p/%s/hierarchies/%zu\">",
            request->project->name, quasi->number);
    sv_value(out, quasi->name);
    sv_raw(out, "</a></h3><p>");
    sv_spec_words(out, quasi->spec);
    sv_raw(out, "</p>");
    if (preview.is_fresh && !*quasi->spec)
        sv_preview_proposal(request, out, quasi, preview.json);
    else if (*quasi->spec)
        sv_strip(request, out, quasi, preview.is_fresh ? preview.json : NULL);
    if (preview.has_failed)
        sv_preview_problems(out, preview.task.error ? preview.task.error : "", NULL);
    else if (preview.is_busy)
        sv_raw(out, "<p class=\"soft\">It is being checked.</p>");
    if (preview.is_busy)
        *busy = quasi->number;
    sv_html(out,
            "<p><a href=\"/p/%s/hierarchies/%zu\">All labels, a tree of your own, a file<span "
            "class=\"off\"> for column ",
            request->project->name, quasi->number);
    sv_value_plain(out, quasi->name);
    sv_raw(out, "</span></a></p></article>");
    sv_found_close(&preview);
}

/* The last one that is not done: when it ends, so did those before it. */
static void add_progress(const sv_request *request, sv_text *out, size_t busy) {
    sv_text kind = {0};
    if (busy == 0)
        return;
    sv_print(&kind, "hierarchy-%zu", busy);
    if (!kind.failed)
        sv_page_task(request, out, kind.bytes);
    sv_text_free(&kind);
}

static void add_list(const sv_request *request, sv_text *out, const json_t *columns) {
    size_t n = 0, busy = 0;
    sv_parts parts;
    sv_raw(out, "<section class=\"internal\"><h2>Quasi-identifiers <span class=\"tag\">raw "
                "values</span></h2><p>Each of these columns is made coarser, level by level, until "
                "nobody can be singled out. The better a hierarchy fits the meaning of a column, "
                "the more the release keeps.</p>" SV_RAW_NOTE "<div class=\"strips\">");
    out->failed |= !sv_parts_read(request->project, &parts);
    for (size_t i = 1; i <= json_array_size(columns); i++) {
        sv_quasi quasi;
        /* most columns of a wide table are none */
        if (!sv_parts_value(&parts, "qi", sv_json_text(json_array_get(columns, i - 1), "name")) ||
            !sv_quasi_find(request->project, columns, i, &quasi))
            continue;
        add_quasi(request, out, &quasi, &busy);
        free(quasi.spec);
        n++;
    }
    sv_raw(out, "</div>");
    sv_parts_free(&parts);
    if (n == 0)
        sv_html(out,
                "<p>No column is a quasi-identifier yet. <a href=\"/p/%s/columns\">Choose some"
                "</a>.</p>",
                request->project->name);
    add_progress(request, out, busy);
    sv_raw(out, "</section>");
    if (n > 0)
        sv_html(out,
                "<p class=\"next\"><a class=\"button\" href=\"/p/%s/promise\">Next: what is "
                "promised</a></p>",
                request->project->name);
}

void sv_hierarchies(sv_request *request, sv_reply *reply) {
    sv_text *out = &reply->body;
    sv_found profile;
    sv_found_profile(request, &profile);
    sv_page_begin(request, out, "How values become coarser", "hierarchies");
    if (profile.is_fresh)
        add_list(request, out, sv_found_columns(&profile));
    else
        sv_profile_page(request, out, &profile);
    sv_page_job(out, request->project);
    sv_page_end(request, out);
    sv_found_close(&profile);
}
