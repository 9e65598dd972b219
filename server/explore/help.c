/* What would help where much is lost: a smaller k, one per cent more left out, a column less. Each is
 * searched by a command of its own, and shown with its figures beside those of the promise as it is. */
#include <math.h>
#include <stdlib.h>
#include <string.h>

#include "explore.h"

#define SECONDS "5" /* for one search: an estimate need not be proven */

/* Of a table of many quasi-identifiers the first are tried; a promise over so many is lost anyway. */
enum { MOST_TRIED = 12, MOST_ITEMS = 24, MOST_TRIES = MOST_TRIED + 3, MOST_NUMBER = 32 };

typedef enum { AS_IT_IS, SMALLER_K, MORE_LEFT_OUT, WITHOUT_COLUMN } help_kind;

typedef struct {
    help_kind change;
    size_t column;           /* WITHOUT_COLUMN: which quasi-identifier */
    char value[MOST_NUMBER]; /* k, or the limit */
    char file[48];
} try;

/* ---- what is tried --------------------------------------------------------------------------- */

/* One per cent of the rows more: "2%" after "1%" or none. Of a number of rows nothing is offered. */
static bool next_limit(const sv_project *project, char *out) {
    const char *given = sv_setting(project, "suppress", 0);
    char *end = NULL;
    const double share = given ? strtod(given, &end) : 0;
    if (given && share != 0 && strcmp(end, "%") != 0)
        return false;
    snprintf(out, MOST_NUMBER, "%.6g%%", share + 1);
    return share >= 0 && share < 50;
}

static bool next_k(const sv_project *project, char *out) {
    const char *given = sv_setting(project, "k", 0);
    const unsigned long k = given ? strtoul(given, NULL, 10) : 0;
    snprintf(out, MOST_NUMBER, "%lu", k - 1);
    return k > 2;
}

static void add_try(try *tries, size_t *n, help_kind kind, size_t column) {
    try *t = &tries[(*n)++];
    t->change = kind;
    t->column = column;
    snprintf(t->file, sizeof t->file, "work/help-%d-%zu.json", (int)kind, column);
}

/* The same for the same settings. */
static size_t list_tries(const sv_project *project, try tries[MOST_TRIES]) {
    const size_t n_quasi = sv_setting_count(project, "qi");
    size_t n = 0;
    memset(tries, 0, MOST_TRIES * sizeof *tries);
    add_try(tries, &n, AS_IT_IS, 0);
    if (next_k(project, tries[n].value))
        add_try(tries, &n, SMALLER_K, 0);
    if (next_limit(project, tries[n].value))
        add_try(tries, &n, MORE_LEFT_OUT, 0);
    for (size_t i = 0; n_quasi > 1 && n_quasi <= MOST_ITEMS && i < n_quasi && i < MOST_TRIED; i++)
        add_try(tries, &n, WITHOUT_COLUMN, i);
    return n;
}

/* ---- running -------------------------------------------------------------------------------- */

/* A quasi-identifier as a word of a command: its file is below the folder of the project. */
static void put_item(const sv_project *project, size_t i, sv_text *out) {
    const char *item = sv_setting(project, "qi", i);
    const size_t n = strlen(project->folder), size = strlen(item);
    sv_text name = {0};
    sv_quasi_name(project, i, &name);
    char *spec = name.failed || !name.bytes ? NULL : sv_column_hierarchy(project, name.bytes);
    const size_t its = spec ? strlen(spec) : 0;
    if (its > n && its < size && strncmp(spec, project->folder, n) == 0 && spec[n] == '/') {
        sv_bytes(out, item, size - its);
        sv_bytes(out, spec + n + 1, its - n - 1);
    } else {
        sv_bytes(out, item, size);
    }
    free(spec);
    sv_text_free(&name);
}

typedef struct {
    const char *words[2 * MOST_ITEMS + 16];
    size_t n;
} command;

static void add_word(command *c, const char *word) {
    c->words[c->n++] = word;
    c->words[c->n] = NULL;
}

static void add_pair(command *c, const char *flag, const char *value) {
    add_word(c, flag);
    add_word(c, value);
}

static void make_command(const try *t, const sv_text *items, size_t n_items, command *c) {
    add_word(c, "compare");
    add_pair(c, "--job", "kanon.yaml");
    add_pair(c, "--algorithms", "auto");
    add_pair(c, "--time-limit", SECONDS);
    if (t->change == SMALLER_K)
        add_pair(c, "--ks", t->value);
    if (t->change == MORE_LEFT_OUT)
        add_pair(c, "--suppressions", t->value);
    for (size_t i = 0; t->change == WITHOUT_COLUMN && i < n_items; i++)
        if (i != t->column)
            add_pair(c, "--qi", items[i].bytes);
    add_pair(c, "--json", t->file);
    add_word(c, "--force");
}

bool sv_help_start(const sv_request *request, sv_text *wrong) {
    const sv_project *project = request->project;
    try tries[MOST_TRIES];
    sv_step steps[MOST_TRIES];
    sv_text items[MOST_ITEMS], key = {0};
    const size_t n = list_tries(project, tries), n_quasi = sv_setting_count(project, "qi"),
                 n_items = n_quasi < MOST_ITEMS ? n_quasi : MOST_ITEMS;
    command *commands = calloc(n, sizeof *commands);
    bool is_good = commands != NULL;
    memset(items, 0, sizeof items);
    for (size_t i = 0; i < n_items; i++) {
        put_item(project, i, &items[i]);
        is_good = is_good && !items[i].failed && items[i].bytes;
    }
    for (size_t i = 0; is_good && i < n; i++) {
        make_command(&tries[i], items, n_items, &commands[i]);
        steps[i] = (sv_step){commands[i].words};
        sv_project_remove(project, tries[i].file);
    }
    sv_project_key(project, true, &key);
    if (!is_good || key.failed || !key.bytes) {
        is_good = false;
        sv_print(wrong, "Out of memory.");
    } else {
        is_good = sv_task_start(sv_server_tasks(request->server), project, "help",
                                "trying what would help", key.bytes, steps, n, true, wrong);
    }
    for (size_t i = 0; i < n_items; i++)
        sv_text_free(&items[i]);
    sv_text_free(&key);
    free(commands);
    return is_good;
}

/* ---- taking --------------------------------------------------------------------------------- */

bool sv_help_take(const sv_request *request, sv_text *wrong) {
    sv_project *project = request->project;
    const char *help = sv_field_of(request, "help"), *value = sv_field_of(request, "value");
    try tries[MOST_TRIES];
    const size_t n = list_tries(project, tries);
    sv_text name = {0};
    bool is_good = false;
    for (size_t i = 1; value && i < n; i++) {
        const try *t = &tries[i];
        if (t->change == SMALLER_K && strcmp(help, "k") == 0 && strcmp(value, t->value) == 0)
            is_good = sv_set(project, "k", value);
        else if (t->change == MORE_LEFT_OUT && strcmp(help, "limit") == 0 &&
                 strcmp(value, t->value) == 0)
            is_good = sv_set(project, "suppress", value);
        else if (t->change == WITHOUT_COLUMN && strcmp(help, "without") == 0 &&
                 sv_quasi_name(project, t->column, &name) && !name.failed &&
                 strcmp(value, name.bytes) == 0)
            is_good = sv_quasi_leave_out(project, value);
        sv_text_free(&name);
        if (is_good)
            return true;
    }
    sv_print(wrong, "The settings have changed since. Look again at what would help.");
    return false;
}

/* ---- showing -------------------------------------------------------------------------------- */

/* The one cell of a comparison that was released; NULL: none was. */
static const json_t *good_cell(const json_t *compared) {
    const json_t *cells = json_object_get(compared, "cells"), *cell;
    size_t i;
    json_array_foreach(cells, i, cell) {
        if (json_integer_value(json_object_get(cell, "status")) == 0)
            return cell;
    }
    return NULL;
}

static void put_words(const sv_project *project, sv_text *out, const try *t) {
    sv_text name = {0};
    switch (t->change) {
    case AS_IT_IS:
        sv_raw(out, "as it is now");
        break;
    case SMALLER_K:
        sv_html(out, "k = %s in place of %s", t->value, sv_setting(project, "k", 0));
        break;
    case MORE_LEFT_OUT:
        sv_html(out, "up to %s of the rows left out", t->value);
        break;
    case WITHOUT_COLUMN:
        sv_raw(out, "without the column ");
        if (sv_quasi_name(project, t->column, &name) && !name.failed)
            sv_value(out, name.bytes);
        break;
    }
    sv_text_free(&name);
}

static void put_button(const sv_request *request, sv_text *out, const try *t) {
    static const char *const names[] = {"", "k", "limit", "without"};
    sv_text name = {0};
    const char *value = t->value;
    if (t->change == WITHOUT_COLUMN && sv_quasi_name(request->project, t->column, &name))
        value = name.failed ? "" : name.bytes;
    sv_form(request, out, "explore");
    sv_html(
        out,
        "<input type=\"hidden\" name=\"help\" value=\"%s\"><input type=\"hidden\" name=\"value\" "
        "value=\"%s\"><button class=\"small plain\" name=\"do\" value=\"search\">Take it<span "
        "class=\"off\">: ",
        names[t->change], value);
    put_words(request->project, out, t);
    sv_raw(out, "</span></button></form>");
    sv_text_free(&name);
}

static void put_change(sv_text *out, double saved) {
    if (fabs(saved) < 0.005)
        sv_raw(out, "<br><small>the same</small>");
    else
        sv_html(out, "<br><small>%.0f %% %s</small>", fabs(saved) * 100,
                saved > 0 ? "less" : "more");
}

static void put_row(const sv_request *request, sv_text *out, const try *t, const char *cost,
                    double now) {
    json_t *compared = sv_project_json(request->project, t->file);
    const json_t *cell = good_cell(compared), *metrics = json_object_get(cell, "metrics");
    sv_raw(out, t->change == AS_IT_IS ? "<tr class=\"on\"><th scope=\"row\">"
                                      : "<tr><th scope=\"row\">");
    put_words(request->project, out, t);
    sv_raw(out, "</th>");
    if (!cell) {
        sv_raw(out,
               "<td colspan=\"4\">nothing keeps the promise, or it cannot be tried</td></tr>\n");
    } else {
        const double loss = sv_number(metrics, cost);
        sv_raw(out, "<td class=\"n\">");
        sv_figure(out, loss, kan_cost_is_share(cost));
        if (t->change != AS_IT_IS && now > 0 && !isnan(loss))
            put_change(out, 1 - loss / now);
        sv_raw(out, "</td><td class=\"n\">");
        sv_figure(out, sv_number(metrics, "ncp"), true);
        sv_raw(out, "</td><td class=\"n\">");
        sv_figure(out, sv_number(cell, "suppressed"), false);
        sv_raw(out, "</td><td>");
        if (t->change != AS_IT_IS)
            put_button(request, out, t);
        sv_raw(out, "</td></tr>\n");
    }
    json_decref(compared);
}

static void put_table(const sv_request *request, sv_text *out) {
    try tries[MOST_TRIES];
    const size_t n = list_tries(request->project, tries);
    const char *cost = sv_cost(request->project);
    json_t *first = sv_project_json(request->project, tries[0].file);
    const double now = sv_number(json_object_get(good_cell(first), "metrics"), cost);
    sv_html(out,
            "<div class=\"scroll\" tabindex=\"0\" role=\"region\" aria-label=\"What would help\">"
            "<table><thead><tr><th scope=\"col\">with</th><th scope=\"col\" class=\"n\">loss "
            "(%s)</th><th scope=\"col\" class=\"n\">detail lost</th><th scope=\"col\" "
            "class=\"n\">rows left out</th><th scope=\"col\"><span class=\"off\">take it</span>"
            "</th></tr></thead><tbody>\n",
            cost);
    for (size_t i = 0; i < n; i++)
        put_row(request, out, &tries[i], cost, now);
    sv_raw(out, "</tbody></table></div><p class=\"hint\">Detail lost is the mean share of what its "
                "column spans that a released value covers (ncp); without a column, of those that "
                "remain. Other ways to change values are compared further down.</p>\n");
    json_decref(first);
}

void sv_help_section(const sv_request *request, sv_text *out) {
    sv_task_state state = {0};
    sv_task_look(sv_server_tasks(request->server), request->project, "help", &state);
    sv_raw(out, "<section id=\"help\"><h2>What would help</h2>\n");
    sv_page_task(request, out, "help");
    if (!sv_is_busy(&state)) {
        const bool is_fresh = state.status == SV_DONE && !sv_is_stale(request, &state);
        if (is_fresh)
            put_table(request, out);
        else
            sv_raw(out, "<p>Try what a smaller promise, a few more rows left out, or a column less "
                        "would save. Nothing is changed by looking.</p>");
        sv_form(request, out, "explore");
        sv_html(
            out,
            "<p class=\"actions\"><button class=\"plain\" name=\"do\" value=\"help\">%s</button>"
            " <small>up to " SECONDS " seconds for each</small></p></form>",
            is_fresh ? "Try again" : "See what would help");
    }
    sv_raw(out, "</section>\n");
    sv_task_state_free(&state);
}
