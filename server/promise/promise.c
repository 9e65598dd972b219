/* Promise: what the release promises, and what that costs here. */
#include "promise.h"

#include <string.h>

/* Whether a model that is asked for looks at the column. */
static bool is_protected(const sv_project *project, const json_t *registry, const char *column) {
    const json_t *models = json_object_get(registry, "privacy"), *model;
    size_t i;
    json_array_foreach(models, i, model) {
        const json_t *option = json_array_get(json_object_get(model, "options"), 0);
        const char *name = sv_json_text(option, "name");
        if (sv_json_is(model, "needs_sensitive") &&
            (sv_pair(project, name, column) || sv_pair(project, name, NULL)))
            return true;
    }
    return false;
}

/* k alone says nothing of what the rows of a group share. */
static void put_unprotected(const sv_request *request, sv_text *out, const json_t *registry) {
    const char *column;
    size_t n = 0;
    for (size_t i = 0; (column = sv_setting(request->project, "sensitive", i)); i++) {
        if (is_protected(request->project, registry, column))
            continue;
        sv_raw(out, n++ ? ", " : "<p class=\"note careful\"><strong>An open risk. Not protected: ");
        sv_value(out, column);
    }
    if (n > 0)
        sv_html(out,
                ".</strong> %s sensitive, and no promise covers %s: all rows of a group may have "
                "the same value, and then it is known about everybody in it. l, alpha or t below "
                "protect %s; the size of groups does not.</p>\n",
                n == 1 ? "It is" : "They are", n == 1 ? "it" : "them", n == 1 ? "it" : "them");
}

static void put_page(sv_request *request, sv_text *out, const json_t *registry) {
    const char *const words[] = {"search", "--job", "kanon.yaml", NULL};
    sv_page_begin(request, out, "What is promised", "promise");
    if (!sv_setting(request->project, "qi", 0))
        sv_raw(out,
               "<p class=\"note careful\">No column is marked as one by which somebody could be "
               "recognised. Choose them under Columns first.</p>\n");
    put_unprotected(request, out, registry);
    sv_raw(out, "<div class=\"halves\"><div>\n");
    sv_promise_usual(request, out);
    sv_promise_form(request, out, registry);
    sv_raw(
        out,
        "</div><div>\n<section aria-labelledby=\"costs-here\"><h2 id=\"costs-here\">What it costs "
        "here</h2>\n");
    sv_promise_results(request, out, registry);
    sv_raw(out, "</section>\n");
    sv_population_form(request, out, registry);
    sv_raw(out, "</div></div>\n");
    sv_raw(out, "<p class=\"next\"><a class=\"button\" href=\"");
    sv_link(request, out, "explore");
    sv_raw(out, "\">Next: see every solution</a></p>\n");
    sv_page_command(out, request->project, words);
    sv_raw(out, "<script type=\"module\" src=\"/promise.js\"></script>\n");
    sv_page_end(request, out);
}

void sv_promise(sv_request *request, sv_reply *reply) {
    const char *part = sv_field_of(request, "part");
    json_t *registry = sv_registry(request->project);
    if (registry && part && strcmp(part, "estimates") == 0)
        sv_promise_results(request, &reply->body, registry);
    else if (registry)
        put_page(request, &reply->body, registry);
    else
        sv_refuse(request, reply, 500, "Out of memory.");
    json_decref(registry);
}

/* Takes the form over, keeps it, and estimates where that is wanted. */
static bool change(sv_request *request, bool estimates, sv_text *wrong) {
    if (!sv_promise_take(request, wrong))
        return false;
    if (!sv_project_save(request->project)) {
        sv_print(wrong, "The project could not be written: %s",
                 kan_run_error(request->project->run));
        return false;
    }
    return !estimates || sv_promise_run(request, wrong);
}

void sv_promise_change(sv_request *request, sv_reply *reply) {
    const char *what = sv_field_of(request, "do");
    sv_text wrong = {0};
    if (change(request, what && strcmp(what, "estimate") == 0, &wrong))
        sv_go_said(reply, request->project, "promise", "Kept.");
    else
        sv_go_wrong(reply, request->project, "promise",
                    wrong.bytes ? wrong.bytes : "Out of memory.");
    sv_text_free(&wrong);
}

/* For the script: an empty reply, or what is wrong as plain text. */
void sv_promise_estimate(sv_request *request, sv_reply *reply) {
    sv_text wrong = {0};
    reply->type = "text/plain; charset=utf-8";
    if (!change(request, true, &wrong)) {
        reply->status = 422;
        sv_print(&reply->body, "%s", wrong.bytes ? wrong.bytes : "Out of memory.");
    } else {
        sv_raw(&reply->body, "kept\n");
    }
    sv_text_free(&wrong);
}
