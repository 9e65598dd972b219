/* How the table is read: what was found by looking at it, the settings as a form, and their change.
 *
 * The profile reads a table by what it found. Other commands read by settings alone, so what it took
 * for granted becomes settings before anything else is done (sv_take_conventions). */
#include <stdlib.h>
#include <string.h>

#include "found.h"
#include "pages.h"
#include "table_parts.h"
#include "values.h"

/* The index-th setting by which tables are read and which a form may ask for; after those of all tables
 * come the options of formats. Where it repeats, a line is about all columns or a single one. NULL:
 * there are fewer. */
static const kan_setting *reading_at(size_t index) {
    for (size_t i = 0; i < kan_setting_count(); i++) {
        const kan_setting *setting = kan_setting_at(i);
        if ((setting->traits & KAN_TRAIT_READING) && setting->label &&
            !kan_setting_is_secret(setting) && kan_setting_find(setting->name) == setting &&
            index-- == 0)
            return setting;
    }
    return NULL;
}

/* ---- the formats of the registry ------------------------------------------------------------ */

/* "sav, dta, xlsx": what can be named. */
static void add_formats(sv_text *out, const json_t *registry) {
    const json_t *source;
    size_t i, n = 0;
    json_array_foreach(json_object_get(registry, "sources"), i, source) {
        if (sv_json_is(source, "reads_files"))
            sv_html(out, "%s%s", n++ ? ", " : ": ", sv_json_text(source, "name"));
    }
}

const char *sv_input_name(const sv_project *project) {
    const char *input = sv_setting(project, "input", 0);
    const size_t n = strlen(project->folder);
    if (!input)
        return "no table";
    return strncmp(input, project->folder, n) == 0 && input[n] == '/' ? input + n + 1 : input;
}

/* ---- what was found ------------------------------------------------------------------------- */

/* The words for missing values that were taken, "-9,NA"; nothing when none was. */
static void add_missing(sv_text *out, const json_t *way) {
    const json_t *words = json_object_get(way, "missing");
    for (size_t i = 0; i < json_array_size(words); i++) {
        const json_t *word = json_array_get(words, i);
        if (!json_is_true(json_object_get(word, "taken")))
            continue;
        sv_raw(out, out->size > 0 ? "," : "");
        sv_quote_spelling(out, sv_json_text(word, "value"));
    }
}

static bool set_found(sv_project *project, const char *setting, const char *column,
                      const char *value, bool *is_changed) {
    if (!value || !*value)
        return true;
    *is_changed = true;
    return kan_job_set_column(project->job, setting, column, value) == KAN_OK;
}

static bool take_way(sv_project *project, const json_t *way, bool *is_changed) {
    const char *column = sv_json_text(way, "name"), *thousands = sv_json_text(way, "thousands");
    sv_text missing = {0};
    add_missing(&missing, way);
    bool is_good =
        !missing.failed && set_found(project, "missing", column, missing.bytes, is_changed);
    sv_text_free(&missing);
    if (json_is_true(json_object_get(way, "taken")))
        is_good =
            is_good &&
            set_found(project, "decimal", column, sv_json_text(way, "decimal"), is_changed) &&
            set_found(project, "thousands", column,
                      strcmp(thousands, " ") == 0 ? "blank" : thousands, is_changed) &&
            set_found(project, "date-format", column, sv_json_text(way, "date_format"), is_changed);
    return is_good;
}

bool sv_take_conventions(sv_project *project, const json_t *profile, bool *is_changed) {
    const json_t *found = json_object_get(profile, "conventions");
    const json_t *ways = json_object_get(found, "columns");
    const char *encoding = sv_json_text(found, "encoding");
    *is_changed = false;
    if (*encoding && !sv_setting(project, "encoding", 0)) {
        *is_changed = true;
        if (!sv_set(project, "encoding", encoding))
            return false;
    }
    for (size_t i = 0; i < json_array_size(ways); i++)
        if (!take_way(project, json_array_get(ways, i), is_changed))
            return false;
    return true;
}

static void add_way(sv_text *out, const json_t *way) {
    sv_raw(out, "<li>");
    sv_value(out, sv_json_text(way, "name"));
    sv_way_words(out, way);
    sv_raw(out, "</li>");
}

/* Whether there is anything that the settings do not say yet. */
static bool has_news(const sv_project *project, const json_t *found) {
    const json_t *ways = json_object_get(found, "columns");
    if (*sv_json_text(found, "encoding") && !sv_setting(project, "encoding", 0))
        return true;
    for (size_t i = 0; i < json_array_size(ways); i++) {
        const json_t *way = json_array_get(ways, i);
        sv_text missing = {0};
        add_missing(&missing, way);
        const bool has_missing = missing.size > 0;
        sv_text_free(&missing);
        if (has_missing || json_is_true(json_object_get(way, "taken")))
            return true;
    }
    return false;
}

void sv_table_found(const sv_request *request, sv_text *out, const json_t *profile) {
    enum { MOST = 40 };
    const json_t *found = json_object_get(profile, "conventions");
    const json_t *ways = json_object_get(found, "columns");
    const char *encoding = sv_json_text(found, "encoding");
    const size_t n = json_array_size(ways);
    if (n == 0 && !*encoding)
        return;
    sv_raw(out,
           "<section><h2>How the table is written</h2><p>This was found by looking at it.</p><ul>");
    if (*encoding)
        sv_html(out, "<li>The text is encoded as %s%s.</li>", encoding,
                json_is_true(json_object_get(found, "encoding_is_sure")) ? "" : " (a guess)");
    for (size_t i = 0; i < n && i < MOST; i++)
        add_way(out, json_array_get(ways, i));
    sv_raw(out, "</ul>");
    if (n > MOST)
        sv_html(out, "<p>And %zu more columns.</p>", n - MOST);
    if (has_news(request->project, found)) {
        sv_form(request, out, "table");
        sv_raw(out, "<p><button name=\"action\" value=\"found\">Yes, read it like this</button> or "
                    "<a href=\"#ways\">change it</a>. If you go on to choose columns, it is "
                    "read like this.</p></form>");
    } else {
        sv_raw(out, "<p><a href=\"#ways\">Change it</a></p>");
    }
    sv_raw(out, "</section>");
}

/* ---- the form ------------------------------------------------------------------------------- */

static void add_lines(const sv_project *project, sv_text *out, const kan_setting *r) {
    const char *value;
    sv_html(out, "<textarea id=\"r-%s\" name=\"%s\" rows=\"2\" aria-describedby=\"h-%s\">", r->name,
            r->name, r->name);
    for (size_t i = 0; (value = sv_setting(project, r->name, i)); i++)
        sv_html(out, "%s\n", value);
    sv_raw(out, "</textarea>");
}

static void add_reading(const sv_project *project, sv_text *out, const json_t *registry,
                        const kan_setting *r) {
    const char *value = sv_setting(project, r->name, 0);
    sv_html(out, "<div class=\"field\"><label for=\"r-%s\">%s</label>", r->name, r->label);
    if (r->repeats)
        add_lines(project, out, r);
    else
        sv_html(out, "<input id=\"r-%s\" name=\"%s\" value=\"%s\" aria-describedby=\"h-%s\">",
                r->name, r->name, value ? value : "", r->name);
    sv_html(out, "<p class=\"hint\" id=\"h-%s\">%s", r->name, r->words);
    if (strcmp(r->name, "format") == 0)
        add_formats(out, registry);
    sv_raw(out, r->repeats ? "; one per line</p></div>" : "</p></div>");
}

void sv_table_reading(const sv_request *request, sv_text *out, bool is_open) {
    json_t *registry = sv_registry(request->project);
    const kan_setting *one;
    sv_html(out,
            "<section id=\"reading\"><h2>How the table is read</h2><details%s><summary>Everything "
            "else, as job files write it: sheets, formats, all columns at once</summary>",
            is_open ? " open" : "");
    sv_form(request, out, "table");
    sv_raw(out, "<div class=\"fields\">");
    for (size_t i = 0; (one = reading_at(i)) != NULL; i++)
        add_reading(request->project, out, registry, one);
    sv_raw(out, "</div><p><button name=\"action\" value=\"read\">Save, and look at the table "
                "again</button></p></form></details></section>");
    json_decref(registry);
}

/* ---- change --------------------------------------------------------------------------------- */

enum { MOST_LINES = 4096 };

/* The lines of a field that are not blank; `text` is cut up for it. */
static size_t split_lines(char *text, const char **lines) {
    size_t n = 0;
    char *rest = NULL;
    for (char *line = strtok_r(text, "\r\n", &rest); line && n < MOST_LINES;
         line = strtok_r(NULL, "\r\n", &rest))
        if (line[strspn(line, " \t")])
            lines[n++] = line;
    return n;
}

static bool change_lines(sv_project *project, const char *name, const char *value) {
    char *copy = strdup(value);
    const char **lines = malloc(MOST_LINES * sizeof *lines);
    const bool is_good =
        copy && lines && sv_set_all(project, name, lines, split_lines(copy, lines));
    free(copy);
    free(lines);
    return is_good;
}

static bool change_one(const sv_request *request, const kan_setting *r, const char *value) {
    const bool is_blank = !value[strspn(value, " \t\r\n")];
    /* a blank can be the separator itself */
    const bool is_sign = strcmp(r->name, "separator") == 0 && *value;
    return is_blank && !is_sign ? sv_set(request->project, r->name, NULL)
           : r->repeats         ? change_lines(request->project, r->name, value)
                                : sv_set(request->project, r->name, value);
}

static bool change_reading(const sv_request *request) {
    const kan_setting *one;
    bool is_good = true;
    for (size_t i = 0; is_good && (one = reading_at(i)) != NULL; i++) {
        const char *value = sv_field_of(request, one->name);
        is_good = !value || change_one(request, one, value);
    }
    return is_good;
}

static bool take_found(const sv_request *request) {
    json_t *profile = sv_project_json(request->project, "work/profile.json");
    bool is_changed;
    const bool is_good = sv_take_conventions(request->project, profile, &is_changed);
    json_decref(profile);
    return is_good;
}

/* The fields of the columns, and then those of the file. False: `wrong` says why, or kan_run_error does. */
static bool take_ways(const sv_request *request, const char **wrong) {
    const char *stamp = sv_field_of(request, "stamp");
    json_t *profile = sv_project_json(request->project, "work/profile.json");
    const bool is_of_it =
        stamp && strtoull(stamp, NULL, 10) == sv_columns_stamp(sv_profile_columns(profile));
    *wrong = is_of_it ? sv_ways_wrong(request, profile) : NULL;
    const bool is_good =
        !*wrong && (!is_of_it || (sv_take_ways(request, profile) && change_reading(request)));
    json_decref(profile);
    return is_good;
}

void sv_table_change(sv_request *request, sv_reply *reply) {
    const char *action = sv_field_of(request, "action");
    const bool is_reading = action && strcmp(action, "read") == 0,
               is_found = action && strcmp(action, "found") == 0,
               is_ways = action && strcmp(action, "ways") == 0;
    const char *wrong = NULL;
    sv_text error = {0};
    if (!action || (!is_reading && !is_found && !is_ways && strcmp(action, "again") != 0)) {
        sv_refuse(request, reply, 400, "The form does not say what to do.");
        return;
    }
    if ((is_reading && !change_reading(request)) || (is_found && !take_found(request)) ||
        (is_ways && !take_ways(request, &wrong)) ||
        (!request->project->error && strcmp(action, "again") != 0 &&
         !sv_project_save(request->project))) {
        sv_go_wrong(reply, request->project, "table",
                    wrong ? wrong : kan_run_error(request->project->run));
        return;
    }
    if (sv_profile_start(request, &error))
        sv_go(reply, request->project, "table");
    else
        sv_go_wrong(reply, request->project, "table", error.bytes ? error.bytes : "");
    sv_text_free(&error);
}
