/* What the promise costs here. The task asks `kanon compare` for every k and every limit that people
 * choose, around those of the job; then for each model, added to the promise at a few values. The
 * table is read once for each of these commands. */
#include <math.h>
#include <stdlib.h>
#include <string.h>

#include "promise.h"

#define SECONDS "10" /* for one search: an estimate need not be proven */

enum { MOST_FLAGS = 8, MOST_LIST = 16 };

/* ---- running -------------------------------------------------------------------------------- */

/* The usual values with that of the job among them, in order; texts joined by commas. */
static void put_ks(const sv_project *project, sv_text *out) {
    static const unsigned long usual[] = {2, 5, 10, 20};
    const char *given = sv_setting(project, "k", 0);
    unsigned long k = given ? strtoul(given, NULL, 10) : 0;
    for (size_t i = 0; i < 4; i++) {
        if (k && k < usual[i])
            sv_print(out, "%lu,", k);
        if (k && k <= usual[i])
            k = 0;
        sv_print(out, "%lu%s", usual[i], i < 3 || k ? "," : "");
    }
    if (k)
        sv_print(out, "%lu", k);
}

static void put_limits(const sv_project *project, sv_text *out) {
    static const char *const usual[] = {"0", "1%", "2%", "5%", "10%"};
    const char *given = sv_setting(project, "suppress", 0);
    for (size_t i = 0; i < 5; i++) {
        sv_print(out, "%s%s", i ? "," : "", usual[i]);
        if (given && strcmp(given, usual[i]) == 0)
            given = NULL;
    }
    if (given)
        sv_print(out, ",%s", given);
}

static void begin_compare(sv_words *words) {
    sv_word(words, "compare");
    sv_word_pair(words, "--job", "kanon.yaml");
    sv_word_pair(words, "--algorithms", "auto");
    sv_word_pair(words, "--time-limit", SECONDS);
}

static void try_file(sv_text *out, const json_t *model, size_t number) {
    sv_print(out, "work/promise-%s-%zu.json", sv_json_text(model, "name"), number);
}

/* The command of one step, and the words that are made for it. */
typedef struct {
    sv_words words;
    sv_text file, flags[MOST_FLAGS];
} command;

typedef struct {
    command *commands;
    sv_step *steps;
    size_t n, most;
} plan;

/* Room for all that is worth a try, and the grid of k and limits. */
static bool plan_init(plan *p, const json_t *registry) {
    const json_t *models = json_object_get(registry, "privacy"), *model;
    size_t i;
    p->most = 1;
    json_array_foreach(models, i, model) p->most +=
        json_array_size(json_object_get(model, "tries"));
    p->commands = calloc(p->most, sizeof *p->commands);
    p->steps = calloc(p->most, sizeof *p->steps);
    return p->commands && p->steps;
}

static void plan_free(plan *p) {
    for (size_t i = 0; i < p->n; i++) {
        sv_text_free(&p->commands[i].file);
        for (size_t f = 0; f < MOST_FLAGS; f++)
            sv_text_free(&p->commands[i].flags[f]);
    }
    free(p->commands);
    free(p->steps);
}

static command *plan_add(plan *p) {
    command *added = &p->commands[p->n];
    begin_compare(&added->words);
    p->steps[p->n++].words = added->words.at;
    return added;
}

/* "at-risk 0.05 below 10" as flags. */
static void add_flags(command *c, const char *text) {
    for (size_t f = 0; *text && f < MOST_FLAGS; f++) {
        const size_t size = strcspn(text, " ");
        if (f % 2 == 0)
            sv_raw(&c->flags[f], "--");
        sv_bytes(&c->flags[f], text, size);
        sv_word(&c->words, c->flags[f].bytes);
        text += size + (text[size] == ' ');
    }
}

static void end_compare(sv_words *words, const char *json) {
    sv_word_pair(words, "--json", json);
    sv_word(words, "--force");
}

static void plan_try(plan *p, const json_t *model, size_t number) {
    command *c = plan_add(p);
    add_flags(c, sv_model_try(model, number));
    try_file(&c->file, model, number);
    end_compare(&c->words, c->file.bytes);
}

static void plan_all(plan *p, const sv_project *project, const json_t *registry, const char *ks,
                     const char *limits) {
    const json_t *models = json_object_get(registry, "privacy"), *model;
    sv_words *grid = &plan_add(p)->words;
    size_t m;
    if (sv_setting(project, "k", 0))
        sv_word_pair(grid, "--ks", ks);
    sv_word_pair(grid, "--suppressions", limits);
    end_compare(grid, "work/promise.json");
    json_array_foreach(models, m, model) {
        for (size_t i = 0; sv_model_fits(project, model) && sv_model_try(model, i); i++)
            plan_try(p, model, i);
    }
}

/* What an earlier run left must not be taken for a result of this one. */
static void remove_old(const sv_project *project, const json_t *registry) {
    const json_t *models = json_object_get(registry, "privacy"), *model;
    size_t m;
    sv_project_remove(project, "work/promise.json");
    json_array_foreach(models, m, model) {
        for (size_t i = 0; sv_model_try(model, i); i++) {
            sv_text file = {0};
            try_file(&file, model, i);
            if (!file.failed)
                sv_project_remove(project, file.bytes);
            sv_text_free(&file);
        }
    }
}

bool sv_promise_run(const sv_request *request, sv_text *wrong) {
    const sv_project *project = request->project;
    sv_text ks = {0}, limits = {0}, key = {0};
    plan p = {0};
    json_t *registry = sv_registry(project);
    bool is_good = registry && plan_init(&p, registry);
    put_ks(project, &ks);
    put_limits(project, &limits);
    sv_project_key(project, true, &key);
    if (is_good) {
        plan_all(&p, project, registry, ks.bytes, limits.bytes);
        remove_old(project, registry);
        is_good = sv_task_start(sv_server_tasks(request->server), project, "promise", "estimating",
                                key.bytes, p.steps, p.n, true, wrong);
    } else {
        sv_print(wrong, "Out of memory.");
    }
    plan_free(&p);
    json_decref(registry);
    sv_text_free(&ks);
    sv_text_free(&limits);
    sv_text_free(&key);
    return is_good;
}

/* ---- what it found -------------------------------------------------------------------------- */

static double loss_of(const json_t *cell, const char *cost) {
    return sv_number(json_object_get(cell, "metrics"), cost);
}

/* The cell of the promise as it is. */
static const json_t *present_cell(const sv_project *project, const json_t *compared) {
    const json_t *cells = json_object_get(compared, "cells"), *cell;
    const char *limit = sv_setting(project, "suppress", 0), *k = sv_setting(project, "k", 0);
    size_t i;
    json_array_foreach(cells, i, cell) {
        const json_t *its = json_object_get(cell, "k");
        if (strcmp(sv_json_text(cell, "suppress"), limit ? limit : "0") == 0 &&
            (json_is_integer(its) ? (k && json_integer_value(its) == atoll(k)) : !k))
            return cell;
    }
    return NULL;
}

static void put_fact(sv_text *out, const char *what, double value, bool is_share) {
    sv_html(out, "<div><dt>%s</dt><dd>", what);
    sv_figure(out, value, is_share);
    sv_raw(out, "</dd></div>");
}

static void put_present(const sv_request *request, sv_text *out, const json_t *cell,
                        const char *cost, double rows) {
    const bool has_people = strcmp(sv_risk_of(request->project), "person") == 0;
    if (!cell) {
        sv_raw(out, "<p class=\"note careful\">Nothing is promised yet, or this was estimated for "
                    "another promise.</p>\n");
        return;
    }
    if (json_integer_value(json_object_get(cell, "status")) != 0) {
        sv_html(out,
                "<p class=\"note careful\"><strong>Nothing keeps this promise.</strong> %s</p>\n",
                sv_json_text(cell, "error"));
        return;
    }
    const json_t *risk = json_object_get(cell, "risk");
    const char *const detail = "ncp"; /* the same for every cost, to compare by */
    const double out_rows = sv_number(cell, "suppressed");
    sv_raw(out, "<dl class=\"facts\">");
    sv_html(out, "<div><dt>loss (%s)</dt><dd>", cost);
    sv_figure(out, loss_of(cell, cost), kan_cost_is_share(cost));
    if (strcmp(cost, detail) != 0)
        sv_html(out, "<small>detail lost, by %s: %.3g %%</small>", detail,
                100 * loss_of(cell, detail));
    sv_raw(out, "</dd></div>");
    sv_raw(out, "<div><dt>rows left out</dt><dd>");
    sv_figure(out, out_rows, false);
    if (rows > 0)
        sv_html(out, "<small>%.3g %%</small>", 100 * out_rows / rows);
    sv_raw(out, "</dd></div>");
    const json_t *matches = json_object_get(cell, "matches");
    if (json_is_object(matches)) {
        put_fact(out, "fewest matches of a row or person", sv_number(matches, "fewest"), false);
        put_fact(out, "hidden cells", sv_number(matches, "hidden"), false);
    } else {
        put_fact(out, "groups of rows that look alike", sv_number(cell, "groups"), false);
    }
    put_fact(out, "rows of the smallest group", sv_number(cell, "smallest_group"), false);
    put_fact(out, has_people ? "risk of a person, highest" : "risk of a row, highest",
             sv_number(risk, "highest"), true);
    put_fact(out, has_people ? "risk of a person, average" : "risk of a row, average",
             sv_number(risk, "average"), true);
    sv_raw(out, "</dl>\n");
}

/* The limits of the cells in the order of the first k. */
static size_t list_limits(const json_t *cells, const char **limits) {
    size_t n = 0, i;
    const json_t *cell;
    json_array_foreach(cells, i, cell) {
        const char *limit = sv_json_text(cell, "suppress");
        size_t at = 0;
        while (at < n && strcmp(limits[at], limit) != 0)
            at++;
        if (at == n && n < MOST_LIST)
            limits[n++] = limit;
    }
    return n;
}

/* A button that promises the k and the limit of a cell. */
static void put_choice(const sv_request *request, sv_text *out, const json_t *cell,
                       const char *cost) {
    const char *limit = sv_json_text(cell, "suppress");
    const json_t *k = json_object_get(cell, "k");
    const bool is_all = strcmp(limit, "all") == 0, is_rows = !is_all && !strchr(limit, '%');
    char number[32];
    sv_form(request, out, "promise");
    if (json_is_integer(k))
        sv_html(out, "<input type=\"hidden\" name=\"o.k\" value=\"%lld\">",
                (long long)json_integer_value(k));
    snprintf(number, sizeof number, "%s", is_all ? "0" : limit);
    number[strcspn(number, "%")] = '\0';
    sv_html(out,
            "<input type=\"hidden\" name=\"limit\" value=\"%s\"><input type=\"hidden\" "
            "name=\"limit-kind\" value=\"%s\"><button type=\"submit\" class=\"plain small\" "
            "name=\"do\" value=\"estimate\">",
            number,
            is_all                               ? "all"
            : is_rows && strcmp(limit, "0") != 0 ? "rows"
                                                 : "percent");
    sv_figure(out, loss_of(cell, cost), kan_cost_is_share(cost));
    sv_raw(out, "<span class=\"off\"> of loss: promise ");
    if (json_is_integer(k))
        sv_html(out, "k %lld and ", (long long)json_integer_value(k));
    sv_html(out, "a limit of %s</span></button></form>", limit);
}

static void put_cell(const sv_request *request, sv_text *out, const json_t *cell, const char *cost,
                     bool is_present, double rows) {
    const double loss = loss_of(cell, cost);
    sv_html(out, "<td class=\"n%s\" data-limit=\"%g\" data-loss=\"%.17g\" data-rows=\"%.0f\">",
            is_present ? " present" : "", sv_limit_percent(sv_json_text(cell, "suppress"), rows),
            isnan(loss) ? -1 : loss, isnan(loss) ? 0 : sv_number(cell, "suppressed"));
    if (isnan(loss)) {
        sv_html(out, "<span title=\"%s\">not possible</span></td>", sv_json_text(cell, "error"));
        return;
    }
    if (is_present)
        sv_figure(out, loss, kan_cost_is_share(cost));
    else
        put_choice(request, out, cell, cost);
    sv_raw(out, "<br><small>");
    sv_figure(out, sv_number(cell, "suppressed"), false);
    sv_html(out, " left out%s</small></td>", is_present ? ", chosen" : "");
}

static void put_grid(const sv_request *request, sv_text *out, const json_t *compared,
                     const json_t *present, const char *cost, double rows) {
    const json_t *cells = json_object_get(compared, "cells"), *cell;
    const char *limits[MOST_LIST];
    const size_t n = list_limits(cells, limits);
    size_t i;
    sv_html(out,
            "<div class=\"scroll\" tabindex=\"0\" role=\"region\" aria-label=\"Loss by k and "
            "limit\"><table id=\"grid\"><caption>Loss (%s) of the best release, by k and by how "
            "much may be left out; a figure is a button that promises it</caption><thead><tr><th "
            "scope=\"col\">k</th>",
            cost);
    for (size_t l = 0; l < n; l++)
        sv_html(out, "<th scope=\"col\" class=\"n\">%s%s</th>",
                strcmp(limits[l], "0") == 0 ? "none left out" : "up to ",
                strcmp(limits[l], "0") == 0 ? "" : limits[l]);
    sv_raw(out, "</tr></thead><tbody>\n");
    json_array_foreach(cells, i, cell) {
        const json_t *k = json_object_get(cell, "k");
        const bool is_row_of_present = present && json_equal(k, json_object_get(present, "k")) == 1;
        if (n && i % n == 0 && json_is_integer(k))
            sv_html(out, "<tr class=\"%s\"><th scope=\"row\">%lld</th>",
                    is_row_of_present ? "on" : "", (long long)json_integer_value(k));
        else if (n && i % n == 0)
            sv_html(out, "<tr class=\"%s\"><th scope=\"row\">–</th>",
                    is_row_of_present ? "on" : "");
        put_cell(request, out, cell, cost, cell == present, rows);
        if (n && (i + 1) % n == 0)
            sv_raw(out, "</tr>\n");
    }
    sv_raw(out, "</tbody></table></div>\n");
}

/* A button that adds one model. */
static void put_take(const sv_request *request, sv_text *out, const char *flags) {
    sv_form(request, out, "promise");
    sv_raw(out, "<input type=\"hidden\" name=\"do\" value=\"estimate\">");
    for (const char *at = flags; *at;) {
        const size_t name = strcspn(at, " "), value = strcspn(at + name + 1, " ");
        char words[2][64];
        snprintf(words[0], sizeof words[0], "%.*s", (int)name, at);
        snprintf(words[1], sizeof words[1], "%.*s", (int)value, at + name + 1);
        sv_html(out, "<input type=\"hidden\" name=\"o.%s\" value=\"%s\">", words[0], words[1]);
        at += name + 1 + value;
        at += *at == ' ';
    }
    sv_html(out,
            "<button type=\"submit\" class=\"plain small\" aria-label=\"Promise this: %s\">Promise "
            "this</button></form>",
            flags);
}

static void put_try(const sv_request *request, sv_text *out, const json_t *model, size_t number,
                    const char *cost, double before) {
    sv_text file = {0};
    try_file(&file, model, number);
    json_t *compared = file.failed ? NULL : sv_project_json(request->project, file.bytes);
    sv_text_free(&file);
    if (!compared)
        return;
    const json_t *cell = json_array_get(json_object_get(compared, "cells"), 0);
    const double loss = loss_of(cell, cost);
    sv_raw(out, "<tr><th scope=\"row\">");
    if (number == 0)
        sv_html(out, "%s<br>", sv_json_text(model, "title"));
    sv_html(out, "<strong>%s</strong></th>", sv_model_try(model, number));
    if (isnan(loss)) {
        sv_html(out, "<td colspan=\"5\" class=\"v\">not possible here: %s</td></tr>\n",
                sv_json_text(cell, "error"));
        json_decref(compared);
        return;
    }
    sv_raw(out, "<td class=\"n\">");
    sv_figure(out, loss, kan_cost_is_share(cost));
    sv_raw(out, "</td><td class=\"n\">");
    if (before > 0 && fabs(loss - before) < 1e-9 * before)
        sv_raw(out, "costs nothing");
    else if (before > 0)
        sv_html(out, "%.3g times", loss / before);
    sv_raw(out, "</td><td class=\"n\">");
    sv_figure(out, sv_number(cell, "suppressed"), false);
    sv_raw(out, "</td><td class=\"n\">");
    sv_figure(out, sv_number(json_object_get(cell, "risk"), "average"), true);
    sv_raw(out, "</td><td>");
    put_take(request, out, sv_model_try(model, number));
    sv_raw(out, "</td></tr>\n");
    json_decref(compared);
}

static void put_tries(const sv_request *request, sv_text *out, const json_t *registry,
                      const char *cost, double before) {
    const json_t *models = json_object_get(registry, "privacy"), *model;
    size_t m;
    sv_html(out,
            "<h3>What each further promise would cost</h3><div class=\"scroll\" tabindex=\"0\" "
            "role=\"region\" aria-label=\"Further promises\"><table><caption>Each one added on its "
            "own to what is promised now; for all sensitive columns</caption><thead><tr><th "
            "scope=\"col\">promise</th><th scope=\"col\" class=\"n\">loss (%s)</th><th "
            "scope=\"col\" class=\"n\">compared with now</th><th scope=\"col\" class=\"n\">rows "
            "left out</th><th scope=\"col\" class=\"n\">average risk of a %s</th><th "
            "scope=\"col\"><span class=\"off\">promise this</span></th></tr></thead><tbody>\n",
            cost, sv_risk_of(request->project));
    json_array_foreach(models, m, model) {
        for (size_t i = 0; sv_model_try(model, i); i++)
            put_try(request, out, model, i, cost, before);
    }
    sv_raw(out, "</tbody></table></div>\n");
    if (!sv_setting(request->project, "sensitive", 0))
        sv_raw(out, "<p>Promises about secrets need a sensitive column; no column is marked as "
                    "sensitive.</p>\n");
}

void sv_promise_results(const sv_request *request, sv_text *out, const json_t *registry) {
    const sv_project *project = request->project;
    sv_task_state state = {0};
    sv_task_look(sv_server_tasks(request->server), project, "promise", &state);
    json_t *compared = sv_project_json(project, "work/promise.json");
    sv_html(out, "<div id=\"estimates\" data-busy=\"%d\">\n", sv_is_busy(&state));
    sv_page_task(request, out, "promise");
    if (state.status == SV_NONE)
        sv_raw(out, "<p>Nothing has been estimated yet. Use the button above.</p>\n");
    if (compared) {
        const char *cost = sv_cost(project);
        const double rows = sv_number(json_object_get(compared, "input"), "rows"),
                     all = sv_limit_all(request, rows);
        const json_t *present = present_cell(project, compared);
        if (!sv_is_busy(&state) && sv_is_stale(request, &state))
            sv_stale_note(out);
        put_present(request, out, present, cost, rows);
        sv_promise_chart(out, compared, cost, all, sv_limit_counts(project));
        put_grid(request, out, compared, present, cost, all);
        put_tries(request, out, registry, cost, present ? loss_of(present, cost) : 0);
    }
    sv_raw(out, "</div>\n");
    json_decref(compared);
    sv_task_state_free(&state);
}
