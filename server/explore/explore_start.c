/* Starting searches, and the bounds of levels within which they look. */
#include <stdlib.h>
#include <string.h>

#include "explore.h"

/* ---- bounds --------------------------------------------------------------------------------- */

/* "1..3", "2", "1.." or "..3" as two texts; "" for what is open. */
static void split_bounds(const char *bounds, char *low, char *high, size_t size) {
    const char *dots = bounds ? strstr(bounds, "..") : NULL;
    *low = *high = '\0';
    if (!bounds || strlen(bounds) >= size)
        return;
    if (!dots) {
        strcpy(low, bounds);
        strcpy(high, bounds);
        return;
    }
    memcpy(low, bounds, (size_t)(dots - bounds));
    low[dots - bounds] = '\0';
    strcpy(high, dots + 2);
}

static void put_bound(sv_text *out, size_t column, const char *end, const char *value,
                      const char *name) {
    sv_html(out,
            "<td><label class=\"off\" for=\"%s.%zu\">%s level of %s</label><input type=\"number\" "
            "min=\"0\" max=\"255\" step=\"1\" name=\"%s.%zu\" id=\"%s.%zu\" value=\"%s\"></td>",
            end, column, end, name, end, column, end, column, value);
}

void sv_explore_bounds(const sv_request *request, sv_text *out) {
    sv_text name = {0};
    sv_raw(out, "<section><h2>Search</h2>\n");
    sv_form(request, out, "explore");
    sv_raw(out, "<details><summary>Narrow the levels of columns</summary><p>Set the lowest and the "
                "highest level that a column may have. The search and the release stay within "
                "them.</p><div class=\"scroll\"><table class=\"inputs\"><thead><tr><th "
                "scope=\"col\">Column</th><th scope=\"col\">lowest level</th><th "
                "scope=\"col\">highest level</th></tr></thead><tbody>\n");
    for (size_t i = 0; sv_quasi_name(request->project, i, &name) && !name.failed; i++) {
        char low[16], high[16];
        split_bounds(sv_pair(request->project, "level", name.bytes), low, high, sizeof low);
        sv_raw(out, "<tr><th scope=\"row\" class=\"v\">");
        sv_value(out, name.bytes);
        sv_html(out, "<input type=\"hidden\" name=\"quasi.%zu\" value=\"%s\"></th>", i, name.bytes);
        put_bound(out, i, "lowest", low, name.bytes);
        put_bound(out, i, "highest", high, name.bytes);
        sv_raw(out, "</tr>\n");
        sv_text_free(&name);
    }
    sv_text_free(&name);
    sv_raw(out, "</tbody></table></div></details>\n<p class=\"actions\"><button type=\"submit\" "
                "name=\"do\" value=\"search\">Search all combinations</button></p>"
                "</form></section>\n");
}

static const char *numbered(const sv_request *request, const char *name, size_t number) {
    char wanted[32];
    snprintf(wanted, sizeof wanted, "%s.%zu", name, number);
    return sv_field_of(request, wanted);
}

static bool is_level(const char *text) {
    return strlen(text) < 4 && strspn(text, "0123456789") == strlen(text);
}

static bool take_bounds(sv_request *request, sv_text *wrong) {
    sv_text name = {0};
    bool is_good = true;
    if (!sv_field_of(request, "quasi.0"))
        return true;
    is_good = sv_set_all(request->project, "level", NULL, 0);
    for (size_t i = 0; is_good && sv_quasi_name(request->project, i, &name); i++) {
        const char *column = numbered(request, "quasi", i), *low = numbered(request, "lowest", i),
                   *high = numbered(request, "highest", i);
        char bounds[16];
        if (name.failed || !column || strcmp(column, name.bytes) != 0) {
            sv_print(wrong, "The columns have changed since the form was made. Fill it in again.");
            is_good = false;
        } else if ((low && !is_level(low)) || (high && !is_level(high))) {
            sv_print(wrong, "A level of %s is not a whole number.", name.bytes);
            is_good = false;
        } else if (low && high && *low && *high && atoi(low) > atoi(high)) {
            sv_print(wrong, "The lowest level of %s is above its highest.", name.bytes);
            is_good = false;
        } else if ((low && *low) || (high && *high)) {
            snprintf(bounds, sizeof bounds, "%s..%s", low ? low : "", high ? high : "");
            is_good =
                kan_job_set_column(request->project->job, "level", name.bytes, bounds) == KAN_OK;
        }
        sv_text_free(&name);
    }
    sv_text_free(&name);
    if (!is_good && wrong->size == 0)
        sv_print(wrong, "%s", kan_run_error(request->project->run));
    return is_good;
}

/* ---- starting ------------------------------------------------------------------------------- */

void sv_words_aside(const sv_project *project, sv_words *words) {
    if (sv_setting(project, "certificate", 0))
        sv_word_pair(words, "--certificate", "work/aside.json");
}

void sv_explore_words(const sv_project *project, sv_words *words) {
    const char *model = sv_recoding_of_levels(project);
    sv_word(words, "search");
    sv_word_pair(words, "--job", "kanon.yaml");
    if (sv_setting(project, "algorithm", 0))
        sv_word_pair(words, "--algorithm", "auto"); /* that of the job may know no levels */
    if (model)
        sv_word_pair(words, "--recoding", model);
    if (sv_has_matches(project))
        sv_word(words, SV_MATCHES_OFF);
    sv_words_aside(project, words);
    sv_word_pair(words, "--nodes", "work/nodes.csv");
    sv_word_pair(words, "--json", "work/search.json");
}

static bool start_search(const sv_request *request, sv_text *wrong) {
    sv_words words = {0};
    sv_text key = {0};
    sv_explore_words(request->project, &words);
    sv_word(&words, "--force");
    sv_project_remove(request->project, "work/nodes.csv");
    sv_project_remove(request->project, "work/search.json");
    sv_project_key(request->project, true, &key);
    const sv_step step = {words.at};
    const bool is_good =
        !key.failed &&
        sv_task_start(sv_server_tasks(request->server), request->project, "search",
                      "searching all combinations", key.bytes, &step, 1, true, wrong);
    sv_text_free(&key);
    return is_good;
}

static bool search(sv_request *request, sv_text *wrong) {
    if (!take_bounds(request, wrong))
        return false;
    if (!sv_project_save(request->project)) {
        sv_print(wrong, "The project could not be written: %s",
                 kan_run_error(request->project->run));
        return false;
    }
    sv_text ignored = {0}; /* without it there are all combinations still */
    const bool is_good = start_search(request, wrong);
    if (is_good)
        (void)sv_answer_start(request, &ignored);
    sv_text_free(&ignored);
    return is_good;
}

void sv_explore_start(sv_request *request, sv_reply *reply) {
    const char *what = sv_field_of(request, "do"), *to = sv_field_of(request, "to");
    const char *page = to && strcmp(to, "compare") == 0 ? "explore/compare" : "explore";
    sv_text wrong = {0}, shown = {0};
    bool is_good = true;
    if (what && strcmp(what, "lever") == 0) {
        is_good = sv_lever_ask(request, &shown, &wrong);
        page = is_good && !shown.failed ? shown.bytes : page;
    } else if (what && strcmp(what, "recodings") == 0)
        is_good = sv_recodings_start(request, &wrong);
    else if (what && strcmp(what, "help") == 0)
        is_good = sv_help_start(request, &wrong);
    else
        is_good = (!sv_field_of(request, "help") || sv_help_take(request, &wrong)) &&
                  search(request, &wrong);
    if (is_good)
        sv_go(reply, request->project, page);
    else
        sv_go_wrong(reply, request->project, page, wrong.bytes ? wrong.bytes : "Out of memory.");
    sv_text_free(&shown);
    sv_text_free(&wrong);
}
