/* Release: pick, run, recount, download. */
#include "release.h"

#include <math.h>
#include <stdlib.h>
#include <string.h>
#include <strings.h>

bool sv_can_certify(const sv_project *project, const json_t *registry) {
    const json_t *models = json_object_get(registry, "privacy"), *model;
    size_t i;
    json_array_foreach(models, i, model) if (sv_model_is_on(project, model) &&
                                             !sv_model_is_k(model)) return false;
    const char *by = sv_setting(project, "suppress-by", 0);
    const bool leave_whole = sv_setting(project, "household", 0) && !(by && strcmp(by, "row") == 0);
    return sv_setting(project, "k", 0) && !sv_setting(project, "algorithm", 0) && !leave_whole &&
           !sv_setting(project, "subsets", 0) && !sv_recoding_of_levels(project);
}

/* A JSON file of a release that was not deleted. */
static json_t *file_of(const sv_project *project, unsigned number, const char *name) {
    char file[64];
    snprintf(file, sizeof file, "releases/%u/%s", number, name);
    return sv_release_gone(project, number, NULL) ? NULL : sv_project_json(project, file);
}

json_t *sv_release_about(const sv_project *project, unsigned number) {
    return file_of(project, number, "about.json");
}

json_t *sv_release_result(const sv_project *project, unsigned number) {
    return file_of(project, number, "result.json");
}

/* ---- the form ------------------------------------------------------------------------------- */

typedef struct {
    const sv_request *request;
    sv_text *out;
    const char *pick; /* what is chosen already */
    bool is_picked;
} chooser;

static void put_radio(chooser *c, const char *value, const char *words, const char *more) {
    const bool is_it = !c->is_picked && strcmp(c->pick, value) == 0;
    c->is_picked = c->is_picked || is_it;
    sv_html(c->out,
            "<p class=\"pick\"><label><input type=\"radio\" name=\"pick\" value=\"%s\"%s> %s "
            "<small>%s</small></label></p>\n",
            value, is_it ? " checked" : "", words, more);
}

static void put_node(chooser *c, const char *name, const char *more) {
    sv_text value = {0}, words = {0};
    sv_print(&value, "node-%s", name);
    sv_print(&words, "levels ");
    sv_levels_text(name, &words);
    if (!value.failed && !words.failed)
        put_radio(c, value.bytes, words.bytes, more);
    sv_text_free(&value);
    sv_text_free(&words);
}

/* Choices that few need: folded unless one of them is chosen. */
static void open_more(chooser *c, const char *prefix, const char *title) {
    sv_html(c->out, "<details%s><summary>%s</summary>\n",
            strncmp(c->pick, prefix, strlen(prefix)) == 0 ? " open" : "", title);
}

static void put_prefixed(chooser *c, const char *prefix, const char *name, const char *more) {
    sv_text value = {0};
    sv_print(&value, "%s%s", prefix, name);
    if (!value.failed)
        put_radio(c, value.bytes, name, more);
    sv_text_free(&value);
}

static void put_models(chooser *c, const json_t *registry) {
    const json_t *models = json_object_get(registry, "recodings"), *model;
    size_t i;
    open_more(c, "model-", "Another recoding model");
    json_array_foreach(models, i, model) {
        const char *name = sv_json_text(model, "name");
        if (sv_recoding_find(registry, name))
            put_prefixed(c, "model-", name, sv_json_text(model, "summary"));
    }
    sv_raw(c->out, "</details>\n");
}

/* Those that make the model of the job. */
static void put_searches(chooser *c, const json_t *registry) {
    const char *wanted = sv_recoding(c->request->project);
    const json_t *model = wanted ? sv_recoding_find(registry, wanted) : NULL, *search;
    bool is_open = false;
    size_t i;
    json_array_foreach(json_object_get(registry, "searches"), i, search) {
        const char *name = sv_json_text(search, "name");
        if (wanted && !sv_recoding_is_made_by(model, name))
            continue;
        if (!is_open)
            open_more(c, "search-", "Another search");
        is_open = true;
        put_prefixed(c, "search-", name, sv_json_text(search, "summary"));
    }
    if (is_open)
        sv_raw(c->out, "</details>\n");
}

static void put_picks(chooser *c, const json_t *registry) {
    const sv_project *project = c->request->project;
    json_t *pins = sv_pins_read(project);
    const json_t *one;
    sv_text words = {0};
    size_t i;
    sv_raw(c->out, "<fieldset><legend>Which one</legend>\n");
    sv_print(&words, "the best by %s", sv_cost(project));
    if (sv_recoding(project))
        sv_print(&words, ", as %s", sv_recoding(project));
    put_radio(c, "best", words.bytes ? words.bytes : "",
              "searched for, and proven if that is possible");
    json_array_foreach(pins, i, one) put_node(c, json_string_value(one), "pinned");
    if (strncmp(c->pick, "node-", 5) == 0 && sv_is_node_name(project, c->pick + 5) &&
        sv_pin_find(pins, c->pick + 5) == SIZE_MAX)
        put_node(c, c->pick + 5, "chosen");
    put_models(c, registry);
    put_searches(c, registry);
    sv_raw(c->out, "</fieldset>\n");
    sv_text_free(&words);
    json_decref(pins);
}

/* A release is a file such as the table is, unless somebody chooses another. */
static void put_formats(const sv_project *project, sv_text *out, const json_t *registry) {
    const char *input = sv_setting(project, "input", 0), *dot = input ? strrchr(input, '.') : NULL;
    sv_release_form form;
    for (size_t i = 0; sv_release_form_at(registry, i, &form); i++)
        sv_html(out, "<option value=\"%s\"%s>%s%s%s%s</option>", form.ending,
                form.missing                                   ? " disabled"
                : dot && strcasecmp(dot + 1, form.ending) == 0 ? " selected"
                                                               : "",
                form.words, form.missing ? " (" : "", form.missing ? form.missing : "",
                form.missing ? ")" : "");
}

static void put_switch(const sv_project *project, sv_text *out, const char *name,
                       const char *words) {
    const char *value = sv_setting(project, name, 0);
    sv_html(out,
            "<p class=\"pick\"><label><input type=\"checkbox\" name=\"%s\" value=\"true\"%s> "
            "%s</label></p>\n",
            name, value && strcmp(value, "true") == 0 ? " checked" : "", words);
}

/* Whether released rows have their sampling weights. */
static bool keeps_weights(const sv_project *project) {
    const char *weight = sv_setting(project, "sampling-weight", 0), *kept;
    for (size_t i = 0; weight && (kept = sv_setting(project, "keep", i)) != NULL; i++)
        if (strcmp(kept, weight) == 0)
            return true;
    return false;
}

static void put_calibrate(const sv_project *project, sv_text *out) {
    const char *column;
    if (!keeps_weights(project))
        return;
    sv_raw(out, "<p class=\"entry\"><label for=\"calibrate\">calibrate weights by <small>columns "
                "such as a region: the weights of each add up to those of all of its rows, also of "
                "those that are left out; nothing: weights stay as they are</small></label><input "
                "type=\"text\" name=\"calibrate\" id=\"calibrate\" value=\"");
    for (size_t i = 0; (column = sv_setting(project, "calibrate", i)) != NULL; i++)
        sv_html(out, "%s%s", i > 0 ? "," : "", column);
    sv_raw(out, "\"></p>\n");
}

static void put_form(const sv_request *request, sv_text *out, const json_t *registry) {
    const char *pick = sv_field_of(request, "pick");
    chooser c = {request, out, pick ? pick : "best", false};
    sv_raw(out, "<section><h2>Make a release</h2>\n");
    sv_answer_preview(request, out);
    sv_form(request, out, "release");
    put_picks(&c, registry);
    sv_raw(out, "<p class=\"entry\"><label for=\"format\">file format</label><select "
                "name=\"format\" id=\"format\">");
    put_formats(request->project, out, registry);
    sv_raw(out, "</select></p>\n");
    put_switch(request->project, out, "guard-formulas",
               "guard cells that a spreadsheet would run as a formula");
    put_switch(request->project, out, "shuffle",
               "shuffle the rows, because their order can identify people, too (at random: made "
               "again, the order is different)");
    put_calibrate(request->project, out);
    if (sv_can_certify(request->project, registry))
        sv_raw(out, "<p class=\"pick\"><label><input type=\"checkbox\" name=\"certificate\" "
                    "value=\"true\" checked> with a certificate, which proves that nothing better "
                    "exists (only for the best)</label></p>\n");
    sv_raw(out, "<p class=\"pick\"><label><input type=\"checkbox\" name=\"internal\" "
                "value=\"true\" checked> with an internal report in addition to the one to share: "
                "whom suppression erased, rows before and after <small>raw values, a file only for "
                "you</small></label></p>\n");
    sv_raw(out, "<p class=\"actions\"><button type=\"submit\">Make the release</button></p>\n"
                "</form></section>\n");
}

/* ---- what there is -------------------------------------------------------------------------- */

void sv_release_put_file(const sv_request *request, sv_text *out, unsigned number, const char *file,
                         const char *words) {
    sv_text path = {0}, link = {0};
    if (strcmp(file, "job.yaml") == 0)
        sv_print(&path, "release-%u.yaml", number);
    else if (!sv_release_find_table(request->project, number, file, &path))
        sv_print(&path, "releases/%u/%s", number, file);
    const bool is_there = !path.failed && sv_project_has(request->project, path.bytes);
    sv_print(&link, "release/%u/", number);
    sv_url(&link, file);
    if (is_there && !link.failed) {
        sv_raw(out, "<li><a href=\"");
        sv_link(request, out, link.bytes);
        sv_html(out, "\">%s</a></li>\n", words);
    }
    sv_text_free(&path);
    sv_text_free(&link);
}

static void put_model(sv_text *out, const json_t *model) {
    const char *key;
    json_t *value;
    sv_html(out, "%s", sv_json_text(model, "model"));
    json_object_foreach((json_t *)model, key, value) {
        if (strcmp(key, "model") == 0 || json_is_null(value) || json_is_array(value) ||
            json_is_object(value))
            continue;
        if (json_is_string(value))
            sv_html(out, ", %s %s", key, json_string_value(value));
        else if (json_is_number(value))
            sv_html(out, ", %s %g", key, json_number_value(value));
    }
}

static void put_verdict(sv_text *out, const json_t *result) {
    const bool is_verified = json_is_true(json_object_get(result, "verified"));
    const json_t *models = json_object_get(result, "privacy"), *model;
    size_t i;
    sv_html(out, "<div class=\"verdict%s\"><div><p><strong>%s</strong></p><p>",
            is_verified && !sv_release_is_open(result) ? "" : " open",
            is_verified ? "The promise holds: it was recounted from the released rows."
                        : "The promise was not recounted.");
    json_array_foreach(models, i, model) {
        sv_raw(out, i ? "; " : "");
        put_model(out, model);
    }
    sv_raw(out, ".</p>\n");
    sv_release_put_open(out, result);
    sv_raw(out, "</div></div>\n");
}

/* Whether anything better can exist, and how much better. Of searches that prove nothing there is nothing
 * to say. */
static void put_proof(const json_t *result, sv_text *out) {
    const double gap = sv_number(result, "gap");
    if (json_is_true(json_object_get(result, "optimal")))
        sv_raw(out, "proven: nothing better exists");
    else if (json_is_integer(json_object_get(result, "effort")) && gap < 1) {
        sv_raw(out, "not proven: another could lose at most ");
        sv_figure(out, gap, true);
        sv_raw(out, " less");
    } else if (json_is_integer(json_object_get(result, "effort")))
        sv_raw(out, "not proven: how much less another could lose is not known");
}

/* What takes the place of groups where rows match. */
static void put_matches(sv_text *out, const json_t *matches, const json_t *solution) {
    sv_raw(out, "</dd></div><div><dt>fewest people that a row matches</dt><dd>");
    sv_figure(out, sv_number(matches, "fewest_people"), false);
    sv_raw(out, "</dd></div><div><dt>fewest rows that match a person</dt><dd>");
    sv_figure(out, sv_number(matches, "fewest_rows"), false);
    sv_raw(out, "<small>weaker than groups of so many: the smallest group has ");
    sv_figure(out, sv_number(solution, "smallest_group"), false);
    sv_raw(out, " rows</small></dd></div><div><dt>cells hidden or missing</dt><dd>");
    sv_figure(out, sv_number(matches, "cells"), false);
    if (json_is_integer(json_object_get(matches, "least_hidden"))) {
        sv_raw(out, "<small>fewer than ");
        sv_figure(out, sv_number(matches, "least_hidden"), false);
        sv_raw(out, " hidden is impossible</small>");
    }
}

static void put_groups(sv_text *out, const json_t *solution, const json_t *person) {
    const bool has_people = json_is_object(person);
    sv_raw(out, "</dd></div><div><dt>groups</dt><dd>");
    sv_figure(out, sv_number(solution, "groups"), false);
    sv_raw(out, "<small>the smallest has ");
    sv_figure(out,
              has_people ? sv_number(person, "fewest_in_group")
                         : sv_number(solution, "smallest_group"),
              false);
    sv_html(out, " %s</small>", has_people ? "people" : "rows");
}

static void put_facts(sv_text *out, const json_t *result) {
    const json_t *solution = json_object_get(result, "solution");
    const char *cost = sv_json_text(result, "cost");
    const json_t *report = json_object_get(result, "report"),
                 *risk = json_object_get(json_object_get(report, "risk"), "released"),
                 *person = json_object_get(result, "person");
    const bool has_matches = json_is_object(json_object_get(result, "matches"));
    const bool has_people = json_is_object(person) || has_matches;
    sv_raw(out, "<dl class=\"facts\"><div><dt>rows released</dt><dd>");
    sv_figure(out, sv_number(json_object_get(result, "release"), "rows"), false);
    sv_raw(out, "</dd></div><div><dt>rows left out</dt><dd>");
    sv_figure(out, sv_number(json_object_get(result, "suppression"), "rows"), false);
    if (has_matches)
        put_matches(out, json_object_get(result, "matches"), solution);
    else
        put_groups(out, solution, person);
    sv_html(out, "</dd></div><div><dt>loss (%s%s)</dt><dd>", cost, sv_cost_of_whom(result));
    sv_figure(out, sv_number(json_object_get(result, "metrics"), cost), kan_cost_is_share(cost));
    sv_raw(out, "<small>");
    put_proof(result, out);
    sv_html(out, "</small></dd></div><div><dt>risk of a %s, highest</dt><dd>",
            has_people ? "person" : "row");
    sv_figure(out, sv_number(risk, "highest"), true);
    sv_html(out, "</dd></div><div><dt>risk of a %s, average</dt><dd>",
            has_people ? "person" : "row");
    sv_figure(out, sv_number(risk, "average"), true);
    sv_raw(out, "</dd></div></dl>\n");
}

/* What became of every column, those alike together. */
static void put_columns(sv_text *out, const json_t *result) {
    static const char *const kinds[][2] = {{"generalized", "coarser"},
                                           {"removed", "hidden in every row (*)"},
                                           {"unchanged", "as they are"},
                                           {"left out", "left out"}};
    const json_t *columns = json_object_get(result, "columns"), *column;
    sv_raw(out, "<h3>What became of the columns</h3><dl class=\"words\">");
    for (size_t k = 0; k < sizeof kinds / sizeof *kinds; k++) {
        size_t i, n = 0;
        json_array_foreach(columns, i, column) {
            if (strcmp(sv_json_text(column, "became"), kinds[k][0]) != 0)
                continue;
            if (n++ == 0)
                sv_html(out, "<dt>%s</dt><dd>", kinds[k][1]);
            else
                sv_raw(out, ", ");
            sv_value(out, sv_json_text(column, "name"));
        }
        sv_raw(out, n > 0 ? "</dd>" : "");
    }
    sv_raw(out, "</dl>\n");
}

static void put_downloads(const sv_request *request, sv_text *out, unsigned number,
                          const json_t *about) {
    sv_raw(out, "<h3>Files</h3><ul>\n");
    sv_release_put_file(request, out, number, sv_json_text(about, "file"), "the release");
    sv_release_put_file(request, out, number, "report.html",
                        "the report, one page: it can be shared with the release");
    sv_release_put_file(request, out, number, "job.yaml",
                        "the job file that makes the same release again");
    sv_release_put_file(
        request, out, number, "internal.html",
        "PRIVATE: the internal report, with raw values (for those who may see the table)");
    sv_release_put_file(request, out, number, "certificate.json",
                        "the certificate (for those who may see the table)");
    sv_release_put_file(request, out, number, "result.json",
                        "the result as JSON (for those who may see the table)");
    sv_raw(out, "</ul>\n");
}

static void put_commands(const sv_request *request, sv_text *out, unsigned number,
                         const json_t *about) {
    char job[48], release[96];
    const char *file = sv_json_text(about, "file");
    const char *input = sv_setting(request->project, "input", 0);
    snprintf(job, sizeof job, "release-%u.yaml", number);
    const char *const words[] = {"anonymize", "--job", job, "--output", "again.csv", NULL};
    sv_html(out, "<p>%s</p>\n",
            json_is_true(json_object_get(about, "shuffled"))
                ? "The same rows again, in another order, which is secret:"
                : "The same release again, byte for byte:");
    sv_page_command(out, request->project, words);
    snprintf(release, sizeof release, "releases/%u/%.32s", number, file);
    const char *const recount[] = {"verify", release, "--original", input ? input : "",
                                   "--job",  job,     NULL};
    sv_raw(out, "<p>Whoever has both tables can recount it:</p>\n");
    sv_page_command(out, request->project, recount);
}

void sv_release_put_report(const sv_request *request, sv_text *out, unsigned number) {
    char file[64], link[64];
    snprintf(file, sizeof file, "releases/%u/report.html", number);
    snprintf(link, sizeof link, "release/%u/report.html", number);
    if (!sv_project_has(request->project, file))
        return;
    sv_html(out,
            "<details><summary>The report</summary><iframe class=\"report\" loading=\"lazy\" "
            "sandbox=\"\" title=\"Report of release %u\" src=\"",
            number);
    sv_link(request, out, link);
    sv_raw(out, "\"></iframe></details>\n");
}

static void put_attack(const sv_request *request, sv_text *out, unsigned number) {
    char link[32];
    snprintf(link, sizeof link, "attack?release=%u", number);
    sv_raw(out, "<p><a href=\"");
    sv_link(request, out, link);
    sv_raw(out, "\">Attack this release</a> before somebody else does.</p>\n");
}

/* What analysts still find: a part of the internal report; its command goes further. */
static void put_use(const sv_request *request, sv_text *out, unsigned number, const json_t *about) {
    char file[64], link[96], job[48], release[96], page[32];
    const char *input = sv_setting(request->project, "input", 0);
    snprintf(page, sizeof page, "utility?release=%u", number);
    snprintf(file, sizeof file, "releases/%u/internal.html", number);
    snprintf(link, sizeof link, "release/%u/internal.html#internal-fidelity", number);
    snprintf(job, sizeof job, "release-%u.yaml", number);
    snprintf(release, sizeof release, "releases/%u/%.32s", number, sv_json_text(about, "file"));
    const char *const words[] = {"utility", release, "--original", input ? input : "",
                                 "--job",   job,     NULL};
    sv_raw(out, "<h3>What can still be done with it</h3>\n");
    if (sv_project_has(request->project, file)) {
        sv_raw(out, "<p><a href=\"");
        sv_link(request, out, link);
        sv_raw(out, "\">Column by column, and as a whole</a>, in figures and pictures: for those "
                    "who may see the table.</p>\n");
    }
    sv_raw(out, "<p><a href=\"");
    sv_link(request, out, page);
    sv_raw(out,
           "\">Ask what is left of your model</a>: regressions and predictions. By hand:</p>\n");
    sv_page_command(out, request->project, words);
}

/* The newest release says it, once, of all before it. */
static void put_earlier(const sv_request *request, sv_text *out, unsigned number,
                        unsigned n_earlier) {
    char link[32];
    if (n_earlier == 0 || sv_setting(request->project, "ledger", 0))
        return;
    snprintf(link, sizeof link, "attack?release=%u", number);
    sv_html(out,
            "<p class=\"note careful\"><strong>%s.</strong> The promise is about each release "
            "by itself: whoever has several can put them together, and find people in smaller "
            "crowds. If several of them are handed out, see <a href=\"",
            n_earlier == 1 ? "An earlier release of this project lies beside it"
                           : "Earlier releases of this project lie beside it");
    sv_link(request, out, link);
    sv_raw(out, "\">what they tell together</a>; with <code>--ledger</code> the promise holds of "
                "all together (<a href=\"/manual/over-time.html\">releasing again and again</a>)."
                "</p>\n");
}

static void put_history(const sv_request *request, sv_text *out) {
    sv_raw(out, "<p><a href=\"");
    sv_link(request, out, "history");
    sv_raw(out, "\">The history of releases</a>, and what changed between two.</p>\n");
}

/* The newest stands there whole, those before it are folded. */
static void put_release(const sv_request *request, sv_text *out, unsigned number, bool is_newest,
                        unsigned n_earlier) {
    json_t *about = sv_release_about(request->project, number),
           *result = sv_release_result(request->project, number);
    sv_text key = {0};
    sv_project_release_key(request->project, &key);
    if (about && result) {
        sv_release_keep_effort(request->project, number, result);
        sv_html(out,
                is_newest ? "<section><h2 id=\"release-%u\">Release %u</h2><p>%s, made %s.%s</p>\n"
                          : "<section><details><summary id=\"release-%u\"><strong>Release "
                            "%u</strong>: %s, made %s.%s</summary>\n",
                number, number, sv_json_text(about, "words"), sv_json_text(about, "time"),
                key.bytes && strcmp(key.bytes, sv_json_text(about, "key")) == 0
                    ? ""
                    : " The settings have changed since.");
        put_verdict(out, result);
        put_facts(out, result);
        put_columns(out, result);
        put_downloads(request, out, number, about);
        put_commands(request, out, number, about);
        put_use(request, out, number, about);
        put_attack(request, out, number);
        if (is_newest)
            put_earlier(request, out, number, n_earlier);
        if (is_newest)
            sv_release_put_report(request, out, number);
        sv_release_put_delete(request, out, number);
        sv_raw(out, is_newest ? "</section>\n" : "</details></section>\n");
    }
    sv_text_free(&key);
    json_decref(about);
    json_decref(result);
}

static void put_releases(const sv_request *request, sv_text *out) {
    const sv_project *project = request->project;
    const unsigned last = sv_release_last(project);
    unsigned n = 0, n_put = 0;
    for (unsigned i = 1; i <= last; i++)
        n += sv_release_is_there(project, i);
    for (unsigned i = last; i > 0; i--)
        if (sv_release_is_there(project, i)) {
            n_put++;
            put_release(request, out, i, n_put == 1, n - n_put);
        }
    if (n == 0)
        sv_raw(out, "<p>There is no release yet.</p>\n");
    if (last > 1)
        put_history(request, out);
}

void sv_release(sv_request *request, sv_reply *reply) {
    sv_text *out = &reply->body;
    json_t *registry = sv_registry(request->project);
    sv_release_sweep(request->project);
    sv_page_begin(request, out, "Release", "release");
    sv_page_task(request, out, "release");
    sv_raw(out, "<div class=\"two aside\"><div>\n");
    put_form(request, out, registry);
    sv_raw(out, "</div><div>\n");
    put_releases(request, out);
    sv_raw(out, "</div></div>\n");
    sv_page_end(request, out);
    json_decref(registry);
}
