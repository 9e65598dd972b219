/* The page of a project whose job is over several tables: what the job file says, and releases. Nothing
 * is changed here: choices stand in kanon.yaml, and whoever edits it finds them on the page. */
#include <stdlib.h>
#include <string.h>
#include <sys/stat.h>
#include <time.h>

#include "release.h"

/* ---- the tables ----------------------------------------------------------------------------- */

/* The values of a setting of a table, one behind the other; false: it has none. */
static bool put_values(const sv_project *project, sv_text *out, size_t table, const char *name) {
    const char *value;
    size_t n = 0;
    for (; (value = kan_job_table_get(project->tables, table, name, n)); n++) {
        const size_t size = strcspn(value, "=");
        sv_text column = {0};
        sv_bytes(&column, value, *value == '"' ? strlen(value) : size);
        sv_raw(out, n ? ", " : "");
        if (column.bytes)
            sv_value(out, column.bytes);
        sv_text_free(&column);
    }
    return n > 0;
}

/* Columns by what they are. */
static void put_roles(const sv_project *project, sv_text *out, size_t table) {
    static const char *const command = "anonymize";
    const char *role;
    bool is_first = true;
    for (size_t i = 0; (role = kan_setting_role_at(command, i)); i++) {
        if (!kan_job_table_get(project->tables, table, role, 0))
            continue;
        sv_raw(out, is_first ? "" : "<br>");
        sv_html(out, "<strong>%s</strong> ", role);
        (void)put_values(project, out, table, role);
        is_first = false;
    }
    if (is_first)
        sv_raw(out, "none");
}

static size_t find_table(const sv_project *project, const char *name) {
    const char *other;
    size_t t = 0;
    while ((other = kan_job_table_get(project->tables, t, "name", 0)) && strcmp(other, name) != 0)
        t++;
    return t;
}

static void put_parent(const sv_project *project, sv_text *out, size_t table) {
    const char *of = kan_job_table_get(project->tables, table, "of", 0),
               *by = kan_job_table_get(project->tables, table, "by", 0);
    if (!of) {
        sv_raw(out, "a row for each person");
        return;
    }
    if (!by)
        by = kan_job_table_get(project->tables, find_table(project, of), "key", 0);
    sv_raw(out, "rows below those of ");
    sv_value(out, of);
    if (!by)
        return;
    sv_raw(out, ", by ");
    sv_value(out, by);
}

static void put_table(const sv_project *project, sv_text *out, size_t table) {
    const char *key = kan_job_table_get(project->tables, table, "key", 0);
    sv_text input = {0};
    (void)sv_table_setting(project, table, "input", 0, &input);
    sv_raw(out, "<tr><th scope=\"row\">");
    sv_value(out, kan_job_table_get(project->tables, table, "name", 0));
    sv_raw(out, "</th><td class=\"v\">");
    sv_value(out, input.bytes ? input.bytes : "no file");
    sv_raw(out, "</td><td>");
    put_parent(project, out, table);
    sv_raw(out, "</td><td>");
    if (key)
        sv_value(out, key);
    sv_raw(out, "</td><td>");
    put_roles(project, out, table);
    sv_raw(out, "</td></tr>\n");
    sv_text_free(&input);
}

static void put_tables(const sv_request *request, sv_text *out) {
    sv_raw(out, "<section><h2>The tables</h2>\n<p>Choices stand in <code>kanon.yaml</code> and are "
                "changed there, in an editor: tables, columns, hierarchies and promise. Here they "
                "are shown and released, and cannot be changed.</p>\n<div class=\"scroll\" "
                "tabindex=\"0\" role=\"region\" "
                "aria-label=\"Tables\"><table>"
                "<thead><tr><th scope=\"col\">table</th><th scope=\"col\">file</th><th "
                "scope=\"col\">hangs together</th><th scope=\"col\">key</th><th "
                "scope=\"col\">columns</th></tr></thead><tbody>\n");
    for (size_t t = 0; t < kan_job_n_tables(request->project->tables); t++)
        put_table(request->project, out, t);
    sv_raw(out, "</tbody></table></div>\n<p>A column without a role is left out of the release. "
                "Keys become pseudonyms, the same in all tables, unless they are dropped. "
                "<a href=\"/manual/tables.html\">More about several tables</a></p>\n");
    sv_page_job(out, request->project);
    sv_raw(out, "</section>\n");
}

/* ---- the form ------------------------------------------------------------------------------- */

static void put_form(const sv_request *request, sv_text *out) {
    const char *k = sv_setting(request->project, "k", 0),
               *limit = sv_setting(request->project, "suppress", 0),
               *promise = sv_setting(request->project, "person-promise", 0);
    const bool by_groups = promise && strcmp(promise, "groups") == 0;
    sv_raw(out, "<section><h2>Make a release</h2>\n");
    sv_html(out,
            "<p>Promised are %s, k = %s: %s at least that many people. Of them %s may be left out, "
            "with all rows.</p>\n",
            by_groups ? "groups" : "histories", k ? k : "not said yet",
            by_groups ? "each group of each table has rows of"
                      : "what a person shows over all tables is shown by",
            limit ? limit : "0");
    sv_form(request, out, "tables");
    sv_raw(out, "<p class=\"actions\"><button type=\"submit\">Make the release</button></p>\n"
                "</form></section>\n");
}

/* ---- releases ------------------------------------------------------------------------------- */

static void put_fact(sv_text *out, const char *title, const json_t *object, const char *key) {
    sv_html(out, "<div><dt>%s</dt><dd>", title);
    sv_figure(out, sv_number(object, key), false);
    sv_raw(out, "</dd></div>");
}

static void put_facts(sv_text *out, const json_t *result) {
    const json_t *people = json_object_get(result, "people");
    const bool by_groups = json_is_integer(json_object_get(people, "groups"));
    const char *cost = sv_json_text(result, "cost");
    const json_t *tables = json_object_get(result, "tables"), *table;
    size_t i;
    sv_raw(out, "<dl class=\"facts\">");
    put_fact(out, "people released", people, "released");
    put_fact(out, "people left out, with all rows", result, "suppressed_people");
    put_fact(out, by_groups ? "groups" : "different trees", people, by_groups ? "groups" : "trees");
    put_fact(out, by_groups ? "people of the smallest" : "people with the rarest", people,
             "fewest");
    sv_html(out, "<div><dt>loss (%s)</dt><dd>", cost);
    sv_figure(out, sv_number(result, "cost_of_released"), kan_cost_is_share(cost));
    sv_html(out, "<small>%s</small></dd></div>",
            json_is_true(json_object_get(result, "optimal")) ? "proven: no other levels cost less"
                                                             : "not proven to be the least");
    json_array_foreach(tables, i, table) {
        sv_raw(out, "<div><dt>rows of ");
        sv_value(out, sv_json_text(table, "name"));
        sv_raw(out, "</dt><dd>");
        sv_figure(out, sv_number(table, "released_rows"), false);
        sv_raw(out, "</dd></div>");
    }
    sv_raw(out, "</dl>\n");
}

static void put_verdict(sv_text *out, const json_t *result) {
    const json_t *models = json_object_get(json_object_get(result, "report"), "models"), *model;
    const bool is_verified =
        json_is_true(json_object_get(json_object_get(result, "release"), "verified"));
    size_t i;
    sv_html(out, "<div class=\"verdict open\"><div><p><strong>%s</strong></p>\n",
            is_verified ? "The promise holds: the files were read again and counted."
                        : "The promise was not recounted.");
    json_array_foreach(models, i, model) {
        sv_html(out, "<p>%s</p>\n", json_string_value(model) ? json_string_value(model) : "");
    }
    sv_raw(out, json_is_object(json_object_get(result, "report"))
                    ? "<p>What it does not cover stands at the top of the report.</p></div></div>\n"
                    : "<p>It does not cover what is kept as it is. Without keys there is no report "
                      "yet.</p></div></div>\n");
}

static void put_files(const sv_request *request, sv_text *out, unsigned number) {
    const sv_project *project = request->project;
    sv_raw(out, "<h3>Files</h3><ul>\n");
    for (size_t t = 0; t < kan_job_n_tables(project->tables); t++) {
        const char *name = kan_job_table_get(project->tables, t, "name", 0);
        sv_text file = {0};
        sv_print(&file, "%s.csv", name);
        if (!file.failed)
            sv_release_put_file(request, out, number, file.bytes, file.bytes);
        sv_text_free(&file);
    }
    sv_release_put_file(request, out, number, "report.html",
                        "the report over all tables, one page: it can be shared with them");
    sv_release_put_file(request, out, number, "job.yaml", "the job file that it was made by");
    sv_release_put_file(request, out, number, "result.json",
                        "the result as JSON (for those who may see the tables)");
    sv_raw(out, "</ul>\n");
}

static void put_commands(const sv_request *request, sv_text *out, unsigned number) {
    char job[48], release[64];
    snprintf(job, sizeof job, "release-%u.yaml", number);
    snprintf(release, sizeof release, "releases/%u/tables", number);
    const char *const recount[] = {"verify", release, "--job", job, NULL};
    sv_raw(out, "<p>Whoever has the tables can recount it:</p>\n");
    sv_page_command(out, request->project, recount);
}

static void put_release(const sv_request *request, sv_text *out, unsigned number, bool is_newest) {
    json_t *about = sv_release_about(request->project, number),
           *result = sv_release_result(request->project, number);
    sv_text key = {0};
    sv_project_release_key(request->project, &key);
    if (about && result) {
        sv_html(out, "<section><h2 id=\"release-%u\">Release %u</h2><p>Made %s.%s</p>\n", number,
                number, sv_json_text(about, "time"),
                key.bytes && strcmp(key.bytes, sv_json_text(about, "key")) == 0
                    ? ""
                    : " The job file or a table has changed since.");
        put_verdict(out, result);
        put_facts(out, result);
        put_files(request, out, number);
        put_commands(request, out, number);
        if (is_newest)
            sv_release_put_report(request, out, number);
        sv_release_put_delete(request, out, number);
        sv_raw(out, "</section>\n");
    }
    sv_text_free(&key);
    json_decref(about);
    json_decref(result);
}

void sv_tables(sv_request *request, sv_reply *reply) {
    sv_text *out = &reply->body;
    if (!request->project->tables) {
        sv_go(reply, request->project, "table");
        return;
    }
    const unsigned n = sv_release_last(request->project);
    unsigned newest = 0;
    sv_page_begin(request, out, "Tables that belong together", "tables");
    sv_page_task(request, out, "release");
    put_tables(request, out);
    put_form(request, out);
    sv_release_sweep(request->project);
    for (unsigned i = n; i > 0; i--) {
        if (!sv_release_is_there(request->project, i))
            continue;
        put_release(request, out, i, newest == 0);
        newest = newest > 0 ? newest : i;
    }
    if (newest == 0)
        sv_raw(out, "<p>There is no release yet.</p>\n");
    sv_page_end(request, out);
}

/* ---- making one ----------------------------------------------------------------------------- */

static bool write_about(const sv_project *project, unsigned number, const char *key) {
    char file[64], moment[32];
    const time_t now = time(NULL);
    struct tm parts;
    snprintf(file, sizeof file, "releases/%u/about.json", number);
    strftime(moment, sizeof moment, "%Y-%m-%d %H:%M", localtime_r(&now, &parts));
    json_t *about = json_pack("{s:s, s:s, s:s}", "file", "tables", "time", moment, "key", key);
    char *text = about ? json_dumps(about, JSON_INDENT(1)) : NULL;
    const bool is_good = text && sv_project_write(project, file, text, strlen(text));
    free(text);
    json_decref(about);
    return is_good;
}

/* Folders that a project made by hand may lack, and that of the release. */
static bool make_folders(const sv_project *project, unsigned number) {
    char own[64];
    snprintf(own, sizeof own, "releases/%u", number);
    const char *const folders[] = {"work", "releases", own};
    bool is_good = true;
    for (size_t i = 0; i < 3 && is_good; i++) {
        sv_text path = {0};
        is_good = sv_project_path(project, folders[i], &path) && sv_folder_make(path.bytes);
        sv_text_free(&path);
    }
    return is_good;
}

/* The job file as it is, under the name by which the release is made. */
static bool keep_job(const sv_project *project, unsigned number) {
    char file[48];
    size_t size;
    char *text = sv_project_text(project, "kanon.yaml", &size);
    snprintf(file, sizeof file, "release-%u.yaml", number);
    const bool is_good = text && sv_project_write(project, file, text, size);
    free(text);
    return is_good;
}

static bool has_value(const sv_project *project, size_t table, const char *name,
                      const char *value) {
    const char *other;
    for (size_t i = 0; value && (other = kan_job_table_get(project->tables, table, name, i)); i++)
        if (strcmp(value, other) == 0)
            return true;
    return false;
}

/* Whether keys are left out of the release: then there is no report yet. */
static bool drops_keys(const sv_project *project) {
    for (size_t t = 0; t < kan_job_n_tables(project->tables); t++) {
        const char *key = kan_job_table_get(project->tables, t, "key", 0);
        if (has_value(project, t, "drop", key) || has_value(project, t, "id", key))
            return true;
    }
    return false;
}

static bool start(sv_request *request, unsigned number, const char *key, sv_text *wrong) {
    char job[48], tables[64], report[64], json[64];
    sv_words words = {.n = 0};
    snprintf(job, sizeof job, "release-%u.yaml", number);
    snprintf(tables, sizeof tables, "releases/%u/tables", number);
    snprintf(report, sizeof report, "releases/%u/report.html", number);
    snprintf(json, sizeof json, "releases/%u/result.json", number);
    sv_word(&words, "anonymize");
    sv_word_pair(&words, "--job", job);
    sv_word_pair(&words, "--output", tables);
    sv_word_pair(&words, "--output-format", "csv");
    if (!drops_keys(request->project))
        sv_word_pair(&words, "--report", report);
    sv_word_pair(&words, "--json", json);
    const sv_step step = {words.at};
    return sv_task_start(sv_server_tasks(request->server), request->project, "release",
                         "making the release", key, &step, 1, false, wrong);
}

static bool make(sv_request *request, sv_text *wrong) {
    const sv_project *project = request->project;
    const unsigned number = sv_release_free_number(project);
    sv_text key = {0};
    sv_project_release_key(project, &key);
    bool is_good = !key.failed && make_folders(project, number) && keep_job(project, number) &&
                   write_about(project, number, key.bytes ? key.bytes : "");
    if (!is_good)
        sv_raw(wrong, "The folder of the release could not be written.");
    is_good = is_good && start(request, number, key.bytes ? key.bytes : "", wrong);
    sv_text_free(&key);
    return is_good;
}

void sv_tables_start(sv_request *request, sv_reply *reply) {
    sv_text wrong = {0};
    sv_task_state state = {0};
    if (!request->project->tables) {
        sv_go(reply, request->project, "table");
        return;
    }
    sv_task_look(sv_server_tasks(request->server), request->project, "release", &state);
    const bool is_busy = sv_is_busy(&state);
    sv_task_state_free(&state);
    if (is_busy)
        sv_raw(&wrong, "A release is being made. Wait until it is finished, or stop it first.");
    if (!is_busy && make(request, &wrong))
        sv_go(reply, request->project, "tables");
    else
        sv_go_wrong(reply, request->project, "tables",
                    wrong.bytes ? wrong.bytes : "Out of memory.");
    sv_text_free(&wrong);
}
