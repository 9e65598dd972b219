/* Levers: a choice of a level for each quasi-identifier, and at once what it costs and whether the promise
 * holds. What the search listed is known; all else is one run of `search --levels`. */
#include <math.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>

#include "explore.h"

#define LEVER_JSON "work/lever.json"

enum { MOST_LABELS = 66 };

/* ---- what is known -------------------------------------------------------------------------- */

typedef struct {
    const sv_request *request;
    const sv_view *view; /* NULL: nothing was listed */
    const json_t *found; /* work/search.json */
    const char *node;    /* that is chosen: "2-0-1-1" */
    unsigned levels[SV_MOST_COLUMNS];
    size_t n;
} levers;

/* The levels that are chosen: those of the page, else those of the best. */
static bool choose(levers *l, sv_text *node) {
    const json_t *best = json_object_get(json_object_get(l->found, "solution"), "levels");
    const char *asked = sv_field_of(l->request, "node");
    if (asked && sv_is_node_name(l->request->project, asked)) {
        sv_raw(node, asked);
    } else {
        for (size_t i = 0; i < json_array_size(best); i++)
            sv_print(node, "%s%lld", i ? "-" : "",
                     (long long)json_integer_value(json_array_get(best, i)));
        if (!node->bytes || !sv_is_node_name(l->request->project, node->bytes))
            return false;
    }
    if (node->failed)
        return false;
    l->node = node->bytes;
    for (const char *at = l->node; l->n < SV_MOST_COLUMNS; at++) {
        l->levels[l->n++] = (unsigned)strtoul(at, NULL, 10);
        at = strchr(at, '-');
        if (!at)
            break;
    }
    return true;
}

/* The number of a column of the profile, from 1 on; 0: none. */
static size_t number_of(const json_t *columns, const char *name) {
    for (size_t i = 0; i < json_array_size(columns); i++)
        if (strcmp(sv_json_text(json_array_get(columns, i), "name"), name) == 0)
            return i + 1;
    return 0;
}

/* ---- drawn ---------------------------------------------------------------------------------- */

/* How the hierarchy of a column looks now; what was of an earlier one is not fresh. */
static void open_preview(const sv_request *request, const json_t *columns, const char *name,
                         sv_found *out) {
    sv_quasi quasi;
    *out = (sv_found){0};
    if (sv_quasi_find(request->project, columns, number_of(columns, name), &quasi)) {
        sv_preview_open(request, &quasi, quasi.spec, false, out);
        free(quasi.spec);
    }
}

static void put_choice(const levers *l, sv_text *out, const json_t *columns, size_t at,
                       const char *name) {
    const char *labels[MOST_LABELS];
    sv_found preview;
    open_preview(l->request, columns, name, &preview);
    const size_t n_labels =
        preview.is_fresh ? sv_preview_example(preview.json, labels, MOST_LABELS) : 0;
    size_t most = preview.is_fresh ? json_array_size(json_object_get(preview.json, "levels")) : 0;
    most = most > 0 ? most - 1 : 0;
    if (l->view && at < l->view->nodes->n_columns && l->view->nodes->most[at] > most)
        most = l->view->nodes->most[at];
    most = most < l->levels[at] ? l->levels[at] : most;
    sv_html(out, "<div class=\"lever\"><label for=\"lever-%zu\">", at);
    sv_value(out, name);
    /* a browser that goes back keeps no choice that the verdict is not of */
    sv_html(out, "</label><select id=\"lever-%zu\" autocomplete=\"off\" name=\"lever.%zu\">", at,
            at);
    for (size_t level = 0; level <= most; level++) {
        sv_html(out, "<option value=\"%zu\"%s>%zu: ", level,
                level == l->levels[at] ? " selected" : "", level);
        if (level < n_labels)
            sv_value_plain(out, labels[level]);
        else
            sv_raw(out, level == 0 ? "as it is" : level == most ? "*" : "coarser");
        sv_raw(out, "</option>");
    }
    sv_raw(out, "</select></div>");
    sv_found_close(&preview);
}

static void put_fact(sv_text *out, const char *what, double value, bool is_share) {
    if (isnan(value))
        return;
    sv_html(out, "<div><dt>%s</dt><dd>", what);
    sv_figure(out, value, is_share);
    sv_raw(out, "</dd></div>");
}

static void put_good(const levers *l, sv_text *out, double loss, double rows, double smallest,
                     double risk) {
    const char *cost = sv_cost(l->request->project);
    sv_raw(out, "<p class=\"lever-verdict holds\"><strong>The promise holds.</strong></p><dl "
                "class=\"facts\">");
    put_fact(out, "loss", loss, kan_cost_is_share(cost));
    put_fact(out, "rows left out", rows, false);
    put_fact(out, "smallest group", smallest, false);
    put_fact(out, "highest risk", risk, true);
    sv_raw(out, "</dl><p class=\"actions\"><a class=\"button plain\" href=\"");
    sv_link(l->request, out, "release");
    sv_html(out, "?pick=node-%s\">Release these levels</a></p>", l->node);
}

static void put_bad(sv_text *out, double failing) {
    sv_raw(out, "<p class=\"lever-verdict fails\"><strong>The promise does not hold.</strong> ");
    if (failing > 0) {
        sv_figure(out, failing, false);
        sv_raw(out, " rows are in groups that break it, and so many may not be left out: make a "
                    "column coarser.");
    }
    sv_raw(out, "</p>");
}

static void put_listed(const levers *l, sv_text *out, size_t node) {
    const sv_nodes *nodes = l->view->nodes;
    char name[64];
    if (!sv_node_is_good(nodes, node)) {
        put_bad(out, sv_node(nodes, node, SV_FAILING_ROWS));
        return;
    }
    snprintf(name, sizeof name, "%s", sv_cost(l->request->project));
    put_good(l, out, sv_node(nodes, node, sv_figure_find(nodes, name)),
             sv_node(nodes, node, SV_SUPPRESSED), sv_node(nodes, node, SV_SMALLEST),
             sv_node(nodes, node, SV_HIGHEST_RISK));
}

static void lever_key(const sv_request *request, const char *node, sv_text *out) {
    sv_project_key(request->project, true, out);
    sv_print(out, "levels: %s\n", node);
}

/* The rows that its message tells, in front of " rows are in groups". */
static double failing_of(const char *error) {
    const char *at = strstr(error, " rows are in groups");
    while (at && at > error && strchr("0123456789,", at[-1]))
        at--;
    double rows = 0;
    for (; at && *at && strchr("0123456789,", *at); at++)
        rows = *at == ',' ? rows : 10 * rows + (*at - '0');
    return rows;
}

/* Of people where they are counted, as the list has it. Of households by composition neither is told. */
static void read_crowds(const json_t *result, double *smallest, double *risk) {
    const json_t *person = json_object_get(result, "person");
    const char *promise = sv_json_text(json_object_get(result, "household"), "promise");
    *smallest = *risk = NAN;
    if (json_is_object(person)) {
        *smallest = sv_number(person, "fewest_in_group");
        *risk = sv_number(json_object_get(person, "risk"), "highest");
    } else if (strcmp(promise, "composition") != 0) {
        *smallest = sv_number(json_object_get(result, "solution"), "smallest_group");
        *risk = *smallest > 0 ? 1 / *smallest : NAN;
    }
}

/* What one run found, or a button that starts it. */
static void put_run(const levers *l, sv_text *out) {
    sv_text key = {0};
    sv_found found = {0};
    lever_key(l->request, l->node, &key);
    if (!key.failed)
        sv_found_open(l->request, "lever", LEVER_JSON, key.bytes, &found);
    const bool is_its = found.task.key && key.bytes && strcmp(found.task.key, key.bytes) == 0;
    const json_t *solution = json_object_get(found.json, "solution");
    if (found.is_busy) {
        sv_page_task(l->request, out, "lever");
    } else if (found.is_fresh && json_is_object(solution)) {
        double smallest, risk;
        read_crowds(found.json, &smallest, &risk);
        put_good(l, out,
                 sv_number(json_object_get(found.json, "metrics"), sv_cost(l->request->project)),
                 sv_number(json_object_get(found.json, "suppression"), "rows"), smallest, risk);
    } else if (is_its && found.task.exit_status == 3) {
        put_bad(out, failing_of(found.task.error ? found.task.error : ""));
    } else if (is_its && found.task.status == SV_FAILED) {
        sv_page_task(l->request, out, "lever");
    } else {
        sv_raw(out, "<p class=\"soft\" data-unknown>The search has not listed this one. The button "
                    "works it out.</p>");
    }
    sv_found_close(&found);
    sv_text_free(&key);
}

static void put_said(const levers *l, sv_text *out) {
    const size_t node = l->view ? sv_node_find(l->view->nodes, l->node) : SIZE_MAX;
    sv_raw(out, "<div id=\"lever-said\" role=\"status\">");
    if (node != SIZE_MAX)
        put_listed(l, out, node);
    else
        put_run(l, out);
    sv_raw(out, "</div>");
}

void sv_levers(const sv_request *request, sv_text *out, const sv_view *view) {
    json_t *found = sv_project_json(request->project, "work/search.json");
    levers l = {.request = request, .view = view, .found = found};
    sv_text node = {0}, name = {0};
    sv_found profile;
    sv_found_profile(request, &profile);
    if (!sv_setting(request->project, "epsilon", 0) && choose(&l, &node)) {
        sv_raw(out,
               "<section id=\"levers\"><h2>Levers</h2><p>Move a column to a coarser or a finer "
               "level, and see what that costs and whether the promise holds. Nothing is "
               "changed by it.</p>");
        sv_form(request, out, "explore");
        sv_raw(out, "<div class=\"levers\">");
        for (size_t i = 0; i < l.n && sv_quasi_name(request->project, i, &name); i++) {
            put_choice(&l, out, sv_found_columns(&profile), i, name.bytes ? name.bytes : "");
            sv_text_free(&name);
        }
        sv_raw(out, "</div><p class=\"actions\"><button class=\"plain\" name=\"do\" "
                    "value=\"lever\">Show what it costs</button></p></form>");
        put_said(&l, out);
        sv_raw(out, "</section>\n");
    }
    sv_found_close(&profile);
    sv_text_free(&name);
    sv_text_free(&node);
    json_decref(found);
}

/* ---- asked ---------------------------------------------------------------------------------- */

/* "2-0-1-1" of the fields; false: they are no levels of this project. */
static bool read_levers(const sv_request *request, sv_text *node) {
    char field[32];
    const char *level;
    for (size_t i = 0; i < SV_MOST_COLUMNS; i++) {
        snprintf(field, sizeof field, "lever.%zu", i);
        if (!(level = sv_field_of(request, field)))
            break;
        if (!*level || strlen(level) > 2 || strspn(level, "0123456789") != strlen(level))
            return false;
        sv_html(node, "%s%s", i ? "-" : "", level);
    }
    return node->bytes && !node->failed && sv_is_node_name(request->project, node->bytes);
}

static bool start_run(const sv_request *request, const char *node, sv_text *wrong) {
    const sv_project *project = request->project;
    sv_words words = {0};
    sv_text levels = {0}, key = {0};
    const char *model = sv_recoding_of_levels(project);
    sv_levels_text(node, &levels);
    lever_key(request, node, &key);
    sv_word(&words, "search");
    sv_word_pair(&words, "--job", "kanon.yaml");
    if (sv_setting(project, "algorithm", 0))
        sv_word_pair(&words, "--algorithm", "auto");
    if (model)
        sv_word_pair(&words, "--recoding", model);
    if (sv_has_matches(project))
        sv_word(&words, SV_MATCHES_OFF);
    sv_word_pair(&words, "--levels", levels.bytes);
    sv_words_aside(project, &words);
    sv_word_pair(&words, "--json", LEVER_JSON);
    sv_word(&words, "--force");
    const sv_step step = {words.at};
    sv_project_remove(project, LEVER_JSON);
    const bool is_good = !levels.failed && !key.failed &&
                         sv_task_start(sv_server_tasks(request->server), project, "lever",
                                       "working it out", key.bytes, &step, 1, false, wrong);
    sv_text_free(&levels);
    sv_text_free(&key);
    return is_good;
}

bool sv_lever_ask(const sv_request *request, sv_text *page, sv_text *wrong) {
    sv_text node = {0}, why = {0};
    bool is_good = read_levers(request, &node);
    if (!is_good)
        sv_print(wrong, "The columns have changed since the page was made. Look at it again.");
    sv_nodes *nodes = is_good ? sv_nodes_read(request->project, &why) : NULL;
    const bool is_listed = nodes && sv_node_find(nodes, node.bytes) != SIZE_MAX;
    if (is_good && !is_listed)
        is_good = start_run(request, node.bytes, wrong);
    if (is_good)
        sv_print(page, "explore?node=%s#levers", node.bytes);
    sv_nodes_free(nodes);
    sv_text_free(&why);
    sv_text_free(&node);
    return is_good;
}
