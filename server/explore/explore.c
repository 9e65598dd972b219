/* Explore: every combination of levels, which of them keep the promise, and what each costs. */
#include "explore.h"

#include <math.h>
#include <stdlib.h>
#include <string.h>

/* ---- what there is -------------------------------------------------------------------------- */

bool sv_view_open(const sv_request *request, sv_view *view, sv_text *why) {
    *view = (sv_view){.request = request, .best = SIZE_MAX};
    sv_query_read(request, &view->query);
    view->nodes = sv_nodes_read(request->project, why);
    if (!view->nodes)
        return false;
    view->found = sv_project_json(request->project, "work/search.json");
    view->rivals = sv_recodings_compared(request);
    view->pins = sv_pins_read(request->project);
    view->best = sv_node_of(view->nodes,
                            json_object_get(json_object_get(view->found, "solution"), "levels"));
    view->cost = sv_figure_find(view->nodes, view->query.cost);
    if (strcmp(view->nodes->names[view->cost], view->query.cost) != 0)
        snprintf(view->query.cost, sizeof view->query.cost, "height");
    view->risk = strcmp(view->query.risk, "highest") == 0 ? SV_HIGHEST_RISK : SV_AVERAGE_RISK;
    if (view->risk == SV_AVERAGE_RISK)
        snprintf(view->query.risk, sizeof view->query.risk, "average");
    view->rows = sv_number(json_object_get(view->found, "input"), "rows");
    return true;
}

void sv_view_close(sv_view *view) {
    sv_nodes_free(view->nodes);
    json_decref(view->found);
    json_decref(view->rivals);
    json_decref(view->pins);
}

/* ---- the page ------------------------------------------------------------------------------- */

static void put_summary(const sv_view *view, sv_text *out) {
    const sv_nodes *nodes = view->nodes;
    size_t n_good = 0;
    for (size_t i = 0; i < nodes->n; i++)
        n_good += sv_node_is_good(nodes, i);
    sv_raw(out, "<p>");
    sv_count(out, nodes->n);
    sv_raw(out, " combinations of levels; <strong>");
    sv_count(out, n_good);
    sv_raw(out, " keep the promise</strong>. ");
    if (view->best != SIZE_MAX) {
        const char *cost = sv_json_text(view->found, "cost");
        sv_html(out, "The best by %s%s%s: ", cost, sv_cost_of_whom(view->found),
                json_is_true(json_object_get(view->found, "optimal")) ? ", proven" : "");
        for (size_t c = 0; c < nodes->n_columns; c++) {
            sv_raw(out, c ? ", " : "");
            sv_value(out, nodes->columns[c]);
            sv_html(out, " %u", nodes->levels[view->best * nodes->n_columns + c]);
        }
        sv_raw(out, "; its cost is ");
        sv_figure(out, sv_number(json_object_get(view->found, "metrics"), cost),
                  kan_cost_is_share(cost));
        sv_raw(out, ".");
    }
    sv_raw(out, "</p>\n");
}

static void put_found(const sv_view *view, sv_text *out) {
    sv_raw(out, "<div class=\"halves\"><section><h2>All combinations of levels</h2>\n");
    put_summary(view, out);
    sv_explore_lattice(view, out);
    sv_raw(out, "</section>\n<section id=\"picture\"><h2>Cost against risk</h2>\n");
    sv_explore_scatter(view, out);
    sv_raw(out, "</section></div>\n");
    sv_explore_node(view, out);
    sv_raw(out, "<section><h2>The list</h2>\n");
    sv_explore_table(view, out);
    sv_raw(out, "</section>\n");
    sv_recodings_section(view->request, out, view->rivals, view->query.cost, "explore");
}

/* The best answer comes first; until it is there, how far it is. */
static void put_answer(const sv_request *request, sv_text *out) {
    sv_answer answer;
    sv_answer_open(request, &answer);
    if (answer.found.task.exit_status != 3) /* that is said of all combinations */
        sv_page_task(request, out, "answer");
    if (answer.refusal)
        sv_html(out, "<p class=\"note\">%s</p>\n", answer.refusal);
    else if (answer.found.json && !sv_is_busy(&answer.found.task))
        sv_answer_show(request, out, &answer);
    sv_answer_close(&answer);
}

static void put_model(const sv_request *request, sv_text *out) {
    if (sv_recoding_of_levels(request->project))
        sv_html(
            out,
            "<p class=\"note\">The release is to be made as <strong>%s</strong>, which has no "
            "levels. The list has releases with one level for each column, for comparison.</p>\n",
            sv_recoding(request->project));
}

void sv_explore(sv_request *request, sv_reply *reply) {
    sv_words words = {0};
    sv_text *out = &reply->body, why = {0};
    sv_task_state state = {0};
    sv_view view;
    sv_task_look(sv_server_tasks(request->server), request->project, "search", &state);
    sv_page_begin(request, out, "All solutions", "explore");
    const bool is_there = sv_view_open(request, &view, &why);
    sv_page_task(request, out, "search");
    if (is_there && !sv_is_busy(&state) && sv_is_stale(request, &state))
        sv_stale_note(out);
    if (why.size > 0)
        sv_html(out, "<p class=\"note careful\">%s</p>\n", why.bytes);
    else if (state.status == SV_NONE)
        sv_raw(out, "<p>Nothing has been searched yet.</p>\n");
    if (!sv_is_busy(&state) && state.exit_status == 3)
        sv_html(out,
                "<p class=\"note careful\"><strong>Nothing keeps the promise.</strong> %s</p>\n",
                state.error);
    put_answer(request, out);
    if (state.status != SV_NONE && !sv_is_busy(&state))
        sv_help_section(request, out);
    if (state.status != SV_NONE && !sv_is_busy(&state) && !sv_is_stale(request, &state))
        sv_levers(request, out, is_there ? &view : NULL);
    put_model(request, out);
    sv_explore_bounds(request, out);
    if (is_there && !sv_is_busy(&state)) {
        put_found(&view, out);
    } else {
        json_t *compared = sv_recodings_compared(request);
        sv_recodings_section(request, out, compared, sv_cost(request->project), "explore");
        json_decref(compared);
    }
    sv_raw(out, "<p class=\"next\"><a class=\"button\" href=\"");
    sv_link(request, out, "release");
    sv_raw(out, "\">Next: release</a></p>\n");
    sv_explore_words(request->project, &words);
    sv_page_command(out, request->project, words.at);
    sv_raw(out, "<script type=\"module\" src=\"/explore.js\"></script>\n");
    sv_page_end(request, out);
    sv_view_close(&view);
    sv_task_state_free(&state);
    sv_text_free(&why);
}

/* The table alone, for the script. */
void sv_explore_nodes(sv_request *request, sv_reply *reply) {
    sv_text why = {0};
    sv_view view;
    if (sv_view_open(request, &view, &why))
        sv_explore_table(&view, &reply->body);
    else
        sv_refuse(request, reply, 404, "Nothing has been searched yet.");
    sv_view_close(&view);
    sv_text_free(&why);
}
