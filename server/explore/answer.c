/* The best answer: the release that the settings of now would make, to look at before anything is
 * released. Three commands: the release itself, its rows, and those of the table. */
#include <stdlib.h>
#include <string.h>

#include "explore.h"

#define SECONDS "20" /* an answer to look at need not be proven */
#define TABLE   "work/answer.csv"

/* ---- the task ------------------------------------------------------------------------------- */

/* Rows stand beside one another where both tables have the same, in the same order. */
static const char *refusal_of(const sv_project *project) {
    if (sv_looking_costs(project))
        return sv_looking_costs(project);
    if (sv_setting(project, "shuffle-key", 0))
        return "The best answer is not shown row by row here: its rows stand in a secret order.";
    return NULL;
}

static void answer_words(const sv_project *project, sv_words *words) {
    sv_word(words, "anonymize");
    sv_word_pair(words, "--job", "kanon.yaml");
    if (!sv_setting(project, "time-limit", 0))
        sv_word_pair(words, "--time-limit", SECONDS);
    sv_word(words, "--keep-suppressed");
    sv_word(words, "--show-suppressed=false");
    sv_word(words, "--shuffle=false");
    sv_word(words, "--guard-formulas=false");
    sv_word_pair(words, "--output-format", "csv");
    sv_word_pair(words, "--output", TABLE);
    if (sv_setting(project, "report", 0))
        sv_word_pair(words, "--report", "work/aside.html");
    if (sv_setting(project, "picture", 0))
        sv_word_pair(words, "--picture", "work/aside.svg");
    sv_words_aside(project, words);
    sv_word_pair(words, "--json", SV_ANSWER_JSON);
    sv_word(words, "--force");
}

bool sv_answer_start(const sv_request *request, sv_text *wrong) {
    const sv_project *project = request->project;
    sv_words answer = {.n = 0}, released = {.n = 0}, raw = {.n = 0};
    sv_text key = {0};
    if (refusal_of(project))
        return true;
    answer_words(project, &answer);
    sv_rows_words(&released, TABLE, SV_ANSWER_ROWS, "work/answer-rows.json");
    sv_rows_words(&raw, NULL, SV_ANSWER_RAW, "work/answer-raw.json");
    const sv_step steps[] = {{answer.at}, {released.at}, {raw.at}};
    sv_project_remove(project, SV_ANSWER_JSON);
    sv_project_remove(project, SV_ANSWER_ROWS);
    sv_project_remove(project, SV_ANSWER_RAW);
    sv_project_key(project, true, &key);
    const bool is_good =
        !key.failed && sv_task_start(sv_server_tasks(request->server), project, "answer",
                                     "making the best release to look at",
                                     key.bytes ? key.bytes : "", steps, 3, false, wrong);
    sv_text_free(&key);
    return is_good;
}

/* ---- what it found -------------------------------------------------------------------------- */

void sv_answer_open(const sv_request *request, sv_answer *out) {
    sv_text key = {0};
    *out = (sv_answer){.refusal = refusal_of(request->project)};
    sv_project_key(request->project, true, &key);
    sv_found_open(request, "answer", SV_ANSWER_JSON, key.bytes ? key.bytes : "", &out->found);
    if (out->found.json) {
        out->raw = sv_rows_open(request->project, SV_ANSWER_RAW);
        out->released = sv_rows_open(request->project, SV_ANSWER_ROWS);
    }
    sv_text_free(&key);
}

void sv_answer_close(sv_answer *answer) {
    sv_rows_close(answer->raw);
    sv_rows_close(answer->released);
    sv_found_close(&answer->found);
}

/* ---- in words ------------------------------------------------------------------------------- */

static bool is_quasi(const json_t *column) {
    return strcmp(sv_json_text(column, "role"), "quasi-identifier") == 0;
}

/* What a coarser column shows, for example: the first released value that is not the table's. */
static void put_example(sv_text *out, const sv_answer *answer, const json_t *column) {
    json_t *label = sv_answer_example(answer, column);
    if (label) {
        sv_raw(out, ", such as ");
        sv_value(out, json_string_value(label));
    }
    json_decref(label);
}

/* "age in steps of 5, such as 35-39; gender as it is; race hidden in every row." */
static void put_sentence(const sv_request *request, sv_text *out, const sv_answer *answer) {
    const json_t *result = answer->found.json;
    const json_t *columns = json_object_get(result, "columns"), *column;
    size_t i, n = 0, n_hidden = 0;
    sv_raw(out, "<p class=\"answer-words\">");
    json_array_foreach(columns, i, column) {
        if (!is_quasi(column))
            continue;
        sv_raw(out, n++ ? "; " : "");
        sv_raw(out, "<strong>");
        sv_value(out, sv_json_text(column, "name"));
        sv_raw(out, "</strong> ");
        sv_answer_words(request->project, out, result, column);
        if (strcmp(sv_json_text(column, "became"), "generalized") == 0)
            put_example(out, answer, column);
        n_hidden += strcmp(sv_json_text(column, "became"), "removed") == 0;
    }
    sv_raw(out, ".</p>\n");
    if (n_hidden > 0)
        sv_html(out,
                "<p class=\"note careful\"><strong>%zu of %zu columns by which somebody could be "
                "recognised %s nothing any more.</strong> <a href=\"/p/%s/explore#help\">See what "
                "would "
                "help.</a></p>\n",
                n_hidden, n, n_hidden == 1 ? "shows" : "show", request->project->name);
}

static void put_fact(sv_text *out, const char *what, double value, bool is_share,
                     const char *more) {
    sv_html(out, "<div><dt>%s</dt><dd>", what);
    sv_figure(out, value, is_share);
    if (*more)
        sv_html(out, "<small>%s</small>", more);
    sv_raw(out, "</dd></div>");
}

static void put_facts(sv_text *out, const json_t *result) {
    const char *cost = sv_json_text(result, "cost");
    const bool is_proven = json_is_true(json_object_get(result, "optimal"));
    sv_raw(out, "<dl class=\"facts\">");
    put_fact(out, "rows of the table", sv_number(json_object_get(result, "input"), "rows"), false,
             "");
    put_fact(out, "rows left out", sv_number(json_object_get(result, "suppression"), "rows"), false,
             "");
    put_fact(out, "groups of rows that look alike",
             sv_number(json_object_get(result, "solution"), "groups"), false, "");
    sv_html(out, "<div><dt>loss (%s%s)</dt><dd>", cost, sv_cost_of_whom(result));
    sv_figure(out, sv_number(json_object_get(result, "metrics"), cost), kan_cost_is_share(cost));
    sv_html(out, "<small>%s</small></dd></div></dl>\n",
            is_proven ? "proven: nothing better exists" : "the best that was found");
}

void sv_answer_show(const sv_request *request, sv_text *out, const sv_answer *answer) {
    sv_raw(out, "<section id=\"answer\"><h2>The best answer</h2>\n");
    if (!answer->found.is_fresh)
        sv_stale_note(out);
    sv_raw(out, "<div class=\"two\"><div>");
    put_sentence(request, out, answer);
    sv_raw(out, "<p class=\"actions\"><a class=\"button\" href=\"");
    sv_link(request, out, "release");
    sv_raw(out, "\">Release this one</a></p></div><div>");
    put_facts(out, answer->found.json);
    sv_raw(out, "</div></div></section>\n");
    sv_answer_rows(request, out, answer);
}

void sv_answer_preview(const sv_request *request, sv_text *out) {
    sv_answer answer;
    sv_answer_open(request, &answer);
    if (answer.found.is_fresh && !answer.refusal) {
        sv_raw(out, "<div class=\"note\"><p>The best one, as Explore shows it:</p>");
        put_sentence(request, out, &answer);
        sv_raw(out, "</div>");
    }
    sv_answer_close(&answer);
}
