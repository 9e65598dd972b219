/* Recoding models side by side: the same promise, by the search that kanon takes for each of them.
 * Two commands, as models that cut ordered domains are searched by costs of their own. */
#include <stdlib.h>
#include <string.h>

#include "recodings.h"
#include "solutions.h"

#define SECONDS "20" /* for each model */
#define OTHERS  "work/recodings.json"
#define CUTS    "work/recodings-cuts.json"

/* ---- starting ------------------------------------------------------------------------------- */

static bool is_chosen(const sv_request *request, const char *name) {
    const char *one;
    for (size_t i = 0; (one = sv_field_at(request, "model", i)); i++)
        if (strcmp(one, name) == 0)
            return true;
    return !sv_field_of(request, "model");
}

static void list_models(const sv_request *request, const json_t *registry, bool cuts,
                        sv_text *out) {
    const json_t *models = json_object_get(registry, "recodings"), *one;
    size_t i;
    json_array_foreach(models, i, one) {
        const char *name = sv_json_text(one, "name");
        const json_t *model = sv_recoding_find(registry, name);
        if (model && sv_recoding_cuts(model) == cuts && is_chosen(request, name))
            sv_print(out, "%s%s", out->size ? "," : "", name);
    }
}

static void compare_words(sv_words *words, const char *models, const char *cost, const char *json) {
    sv_word(words, "compare");
    sv_word_pair(words, "--job", "kanon.yaml");
    sv_word_pair(words, "--recodings", models);
    sv_word_pair(words, "--algorithms", "auto");
    if (cost)
        sv_word_pair(words, "--cost", cost);
    sv_word_pair(words, "--time-limit", SECONDS);
    sv_word_pair(words, "--json", json);
    sv_word(words, "--force");
}

bool sv_recodings_start(const sv_request *request, sv_text *wrong) {
    sv_text lists[2] = {{0}, {0}}, key = {0};
    sv_words words[2] = {{.n = 0}, {.n = 0}};
    sv_step steps[2];
    size_t n = 0;
    json_t *registry = sv_registry(request->project);
    for (size_t i = 0; i < 2; i++) {
        list_models(request, registry, i == 1, &lists[i]);
        if (lists[i].size == 0)
            continue;
        compare_words(&words[n], lists[i].bytes,
                      i == 1 ? sv_cuts_cost(request->project, registry) : NULL,
                      i == 1 ? CUTS : OTHERS);
        steps[n] = (sv_step){words[n].at};
        n++;
    }
    sv_project_remove(request->project, CUTS);
    sv_project_remove(request->project, OTHERS);
    sv_project_key(request->project, true, &key);
    bool is_good = registry && !lists[0].failed && !lists[1].failed && !key.failed;
    if (is_good && n == 0) {
        sv_print(wrong, "There is no recoding model of that name.");
        is_good = false;
    }
    is_good =
        is_good && sv_task_start(sv_server_tasks(request->server), request->project, "recodings",
                                 "comparing recoding models", key.bytes, steps, n, true, wrong);
    for (size_t i = 0; i < 2; i++)
        sv_text_free(&lists[i]);
    sv_text_free(&key);
    json_decref(registry);
    return is_good;
}

/* ---- what was found ------------------------------------------------------------------------- */

json_t *sv_recodings_compared(const sv_request *request) {
    sv_task_state state = {0};
    sv_task_look(sv_server_tasks(request->server), request->project, "recodings", &state);
    const bool is_fresh = !sv_is_busy(&state) && !sv_is_stale(request, &state);
    sv_task_state_free(&state);
    if (!is_fresh)
        return NULL;
    json_t *others = sv_project_json(request->project, OTHERS),
           *cuts = sv_project_json(request->project, CUTS);
    if (!cuts || !others)
        return others ? others : cuts; /* one was refused, stopped, or not asked for */
    (void)json_array_extend(json_object_get(others, "cells"), json_object_get(cuts, "cells"));
    json_decref(cuts);
    return others;
}

static void put_row(const sv_request *request, sv_text *out, const json_t *cell, const char *cost) {
    const char *name = sv_json_text(cell, "asked_recoding");
    sv_html(out, "<tr><th scope=\"row\">%s</th>", name);
    if (json_integer_value(json_object_get(cell, "status")) != 0) {
        sv_html(out, "<td colspan=\"6\" class=\"v\">%s</td></tr>\n", sv_json_text(cell, "error"));
        return;
    }
    sv_html(out, "<td>%s</td><td class=\"n\">", sv_json_text(cell, "search"));
    sv_figure(out, sv_number(json_object_get(cell, "metrics"), cost), kan_cost_is_share(cost));
    sv_raw(out, "</td><td class=\"n\">");
    sv_figure(out, sv_number(cell, "suppressed"), false);
    sv_raw(out, "</td><td class=\"n\">");
    sv_figure(out, sv_number(cell, "groups"), false);
    sv_raw(out, "</td><td class=\"n\">");
    sv_figure(out, sv_number(json_object_get(cell, "risk"), "average"), true);
    sv_raw(out, "</td><td><a href=\"");
    sv_link(request, out, "release");
    sv_html(out, "?pick=model-%s\" aria-label=\"Release as %s\">Release</a></td></tr>\n", name,
            name);
}

static bool was_compared(const json_t *compared, const char *name) {
    const json_t *cell;
    size_t i;
    json_array_foreach(json_object_get(compared, "cells"), i,
                       cell) if (strcmp(sv_json_text(cell, "asked_recoding"), name) ==
                                 0) return true;
    return !compared;
}

/* By which cost cuts were looked for, where it is not that of the job. */
static void put_cuts_note(const sv_request *request, sv_text *out, const json_t *compared) {
    json_t *registry = sv_registry(request->project);
    const char *cost = sv_cuts_cost(request->project, registry);
    const json_t *model;
    sv_text names = {0};
    size_t i, n = 0;
    json_array_foreach(json_object_get(registry, "recodings"), i, model) {
        const char *name = sv_json_text(model, "name");
        if (sv_recoding_cuts(model) && was_compared(compared, name))
            sv_print(&names, "%s%s", n++ ? " and " : "", name);
    }
    if (cost && n > 0 && !names.failed)
        sv_html(out,
                "<p class=\"note\">%s %s the best by %s that %s found: searches that cut values "
                "cannot minimize %s.</p>\n",
                names.bytes, n > 1 ? "are" : "is", cost, n > 1 ? "were" : "was",
                sv_cost(request->project));
    sv_text_free(&names);
    json_decref(registry);
}

static void put_table(const sv_request *request, sv_text *out, const json_t *compared,
                      const char *cost) {
    const json_t *cells = json_object_get(compared, "cells"), *cell;
    size_t i;
    if (!cells)
        return;
    sv_html(out,
            "<div class=\"scroll\" tabindex=\"0\" role=\"region\" aria-label=\"Recoding "
            "models\"><table><caption>Recoding models, within the same promise</caption><thead><tr>"
            "<th scope=\"col\">model</th><th scope=\"col\">search</th><th scope=\"col\" "
            "class=\"n\">%s</th><th scope=\"col\" class=\"n\">rows left out</th><th scope=\"col\" "
            "class=\"n\">groups</th><th scope=\"col\" class=\"n\">average risk of a %s</th><th "
            "scope=\"col\"><span class=\"off\">release</span></th></tr></thead><tbody>\n",
            cost, sv_risk_of(request->project));
    json_array_foreach(cells, i, cell) put_row(request, out, cell, cost);
    sv_raw(out, "</tbody></table></div>\n");
    put_cuts_note(request, out, compared);
}

static void put_form(const sv_request *request, sv_text *out, const json_t *compared,
                     const char *to) {
    json_t *registry = sv_registry(request->project);
    const json_t *models = json_object_get(registry, "recodings"), *model;
    size_t i;
    sv_form(request, out, "explore");
    sv_html(out,
            "<input type=\"hidden\" name=\"to\" value=\"%s\"><p>Values can change in other ways "
            "than by one level for each column: in intervals, in boxes, or each cell on its own. "
            "Such releases usually lose less, and look less regular.</p><details><summary>Which "
            "models </summary><fieldset><legend class=\"off\">Recoding models</legend>\n",
            to);
    json_array_foreach(models, i, model) {
        const char *name = sv_json_text(model, "name");
        if (sv_recoding_find(registry, name))
            sv_html(out,
                    "<p class=\"pick\"><label><input type=\"checkbox\" name=\"model\" "
                    "value=\"%s\"%s> %s <small>%s</small></label></p>\n",
                    name, !compared || was_compared(compared, name) ? " checked" : "", name,
                    sv_json_text(model, "summary"));
    }
    sv_raw(out, "</fieldset></details><p class=\"actions\"><button type=\"submit\" name=\"do\" "
                "value=\"recodings\">Compare recoding models</button> <small>up to 20 seconds for "
                "each</small></p></form>\n");
    json_decref(registry);
}

void sv_recodings_section(const sv_request *request, sv_text *out, const json_t *compared,
                          const char *cost, const char *to) {
    const char *const words[] = {"compare", "--job",        "kanon.yaml", "--recodings",
                                 "all",     "--time-limit", SECONDS,      NULL};
    sv_raw(out, "<section id=\"recodings\"><h2>Recoding models side by side</h2>\n");
    sv_page_task(request, out, "recodings");
    put_table(request, out, compared, cost);
    put_form(request, out, compared, to);
    sv_page_command(out, request->project, words);
    sv_raw(out, "</section>\n");
}
