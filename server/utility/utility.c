/* The page of what can still be done with a release: what is asked, and what came out: words, tables, a picture. */
#include "utility.h"

#include <string.h>

/* ---- the form ------------------------------------------------------------------------------- */

static bool put_release(const sv_request *request, sv_text *out, unsigned number, bool is_first) {
    const unsigned asked = sv_release_number(sv_field_of(request, "release"));
    sv_text path = {0};
    const bool is_there = sv_utility_can_read(request->project, number, &path);
    if (is_there) {
        json_t *about = sv_release_about(request->project, number);
        const bool is_it =
            sv_release_is_there(request->project, asked) ? asked == number : is_first;
        sv_html(out,
                "<p class=\"pick\"><label><input type=\"radio\" name=\"release\" value=\"%u\"%s> "
                "Release %u <small>%s, made %s</small></label></p>\n",
                number, is_it ? " checked" : "", number, sv_json_text(about, "words"),
                sv_json_text(about, "time"));
        json_decref(about);
    }
    sv_text_free(&path);
    return is_there;
}

static void put_option(sv_text *out, const char *name) {
    if (!name || strpbrk(name, "*?"))
        return;                                              /* a pattern is no column */
    const char *quote = strpbrk(name, "~+*:^()") ? "`" : ""; /* a formula would take it apart */
    sv_html(out, "<option value=\"%s%s%s\">", quote, name, quote);
    sv_value_plain(out, name);
    sv_raw(out, "</option>\n");
}

static void put_said(const sv_project *project, const char *setting, sv_text *out) {
    const size_t n = sv_setting_count(project, setting);
    for (size_t i = 0; i < n; i++)
        put_option(out, sv_setting(project, setting, i));
}

/* The columns of the promise, and those that are released beside them. */
static void put_columns(const sv_request *request, sv_text *out) {
    const sv_project *project = request->project;
    put_said(project, "sensitive", out);
    put_said(project, "class", out);
    put_said(project, "keep", out);
    for (size_t i = 0;; i++) {
        sv_text name = {0};
        const bool is_there = sv_quasi_name(project, i, &name);
        if (is_there && !name.failed)
            put_option(out, name.bytes);
        sv_text_free(&name);
        if (!is_there)
            return;
    }
}

static void put_form(const sv_request *request, sv_text *out, unsigned n) {
    bool is_first = true;
    sv_raw(out, "<section><h2>Ask</h2>\n");
    sv_form(request, out, "utility");
    sv_raw(out, "<fieldset><legend>Which release</legend>\n");
    for (unsigned i = n; i > 0; i--)
        is_first = !put_release(request, out, i, is_first) && is_first;
    sv_html(out,
            "</fieldset>\n<fieldset><legend>A model, if you have one</legend>\n"
            "<p><label for=\"regress\">A regression</label> <input type=\"text\" id=\"regress\" "
            "name=\"regress\" maxlength=\"%d\" placeholder=\"income ~ age + sex\" "
            "autocomplete=\"off\" spellcheck=\"false\"></p>\n"
            "<p><label for=\"classify\">What is to be predicted</label> <select id=\"classify\" "
            "name=\"classify\"><option value=\"\">nothing</option>\n",
            SV_MOST_FORMULA);
    put_columns(request, out);
    sv_raw(out, "</select></p>\n<p><label for=\"as\">Coarser numbers enter as</label> "
                "<select id=\"as\" name=\"as\"><option value=\"middles\">middles</option>"
                "<option value=\"categories\">categories</option></select></p>\n</fieldset>\n"
                "<p class=\"actions\"><button type=\"submit\">Look at it</button></p>\n"
                "</form></section>\n");
}

/* ---- what came out --------------------------------------------------------------------------- */

static void put_path(sv_text *out, const json_t *result) {
    sv_html(out, "<p>%s</p>\n", sv_json_text(json_object_get(result, "input"), "path"));
}

static void put_models(const sv_request *request, sv_text *out) {
    json_t *result = sv_project_json(request->project, SV_UTILITY_MODEL);
    const json_t *one;
    size_t i;
    json_array_foreach(json_object_get(result, "regressions"), i, one) {
        sv_html(out, "<section class=\"raw\"><h2>The regression %s</h2>\n",
                sv_json_text(one, "formula"));
        put_path(out, result);
        sv_html(out, "<p>%s</p>\n", sv_json_text(one, "says"));
        sv_utility_put_regression(out, one);
        sv_raw(out, "</section>\n");
    }
    json_array_foreach(json_object_get(result, "classifications"), i, one) {
        sv_html(out, "<section class=\"raw\"><h2>Predicting %s</h2>\n",
                sv_json_text(one, "formula"));
        put_path(out, result);
        sv_html(out, "<p>%s</p>\n", sv_json_text(one, "says"));
        sv_utility_put_class(out, one);
        sv_raw(out, "</section>\n");
    }
    json_decref(result);
}

static void put_figures(const sv_request *request, sv_text *out) {
    json_t *result = sv_project_json(request->project, SV_UTILITY_FIGURES);
    if (!json_is_array(json_object_get(result, "columns"))) {
        sv_raw(out, "<p>Nothing was asked yet.</p>\n");
        json_decref(result);
        return;
    }
    sv_raw(out, "<section class=\"raw\"><h2>What it still says of the table</h2>\n");
    put_path(out, result);
    sv_html(out, "<p>%s</p>\n", sv_json_text(result, "says"));
    sv_utility_put_columns(out, json_object_get(result, "columns"));
    sv_utility_put_pairs(out, json_object_get(result, "changed"));
    if (sv_project_has(request->project, SV_UTILITY_PICTURE)) {
        sv_raw(out, "<h3>The picture</h3>\n<div class=\"wide\" tabindex=\"0\" role=\"region\" "
                    "aria-label=\"Picture\"><img alt=\"How the rows of each column are "
                    "distributed before and after, and how well a model tells the tables apart\" "
                    "src=\"");
        sv_link(request, out, "utility/picture");
        sv_raw(out, "\"></div>\n");
    }
    sv_raw(out, "</section>\n");
    json_decref(result);
}

void sv_utility(sv_request *request, sv_reply *reply) {
    sv_text *out = &reply->body;
    const unsigned n = request->project->tables ? 0 : sv_release_last(request->project);
    sv_page_begin(request, out, "What can still be done with it", "utility");
    sv_raw(out, "<p>What an analyst still finds in a release, and what is left of a model that "
                "somebody wants to fit (<a href=\"/manual/utility.html\">how to read it</a>). All "
                "of it compares with the table, and is <strong>internal</strong>.</p>\n");
    if (n == 0 || !sv_release_is_any(request->project)) {
        sv_raw(out, "<p>There is no release of one table yet.</p>\n");
        sv_page_end(request, out);
        return;
    }
    sv_page_task(request, out, "utility");
    sv_page_task(request, out, "model");
    sv_raw(out, "<div class=\"two aside\"><div>\n");
    put_form(request, out, n);
    sv_raw(out, "</div><div>\n");
    put_models(request, out);
    put_figures(request, out);
    sv_raw(out, "</div></div>\n");
    sv_page_end(request, out);
}
